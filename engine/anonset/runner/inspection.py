"""Everything that is known of a publication after checking it: the model, its truth, and what buckets give away."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from anonset.algorithms.base import Progress
from anonset.data import Table
from anonset.errors import InputError
from anonset.generalization.buckets import BucketPublication
from anonset.privacy import PrivacyModel, Verdict, Witness
from anonset.runner.binding import bind, numeric_columns
from anonset.runner.candidate import Named
from anonset.runner.kinds import kind_of
from anonset.runner.parameters import option
from anonset.runner.sensitive_labels import require_sensitive

if TYPE_CHECKING:
    from anonset.runner.check import CheckSettings


@dataclass(frozen=True)
class Inspection:
    """The verdict on a publication, and what else was looked at."""

    verdict: Verdict
    """Whether the model holds."""
    truth_checked: bool = False
    """Whether the original was there to compare with."""
    untrue: Witness | None = None
    """Something that the publication says and the original does not."""
    suppressed: float | None = None
    """Part of the items of the original that no published symbol stands for."""
    max_suppressed: float | None = None
    """The largest part that was allowed."""
    beyond_utility: str = ""
    """How the utility constraints are violated; empty if they are not, or none are given."""
    correlations: dict[str, list[Any]] | None = None
    """For buckets with ids: what several tuples of an individual give away, whatever the model says."""

    @property
    def holds(self) -> bool | None:
        """True, False, or None where the check of the model could not be finished."""
        if self.untrue is not None or self.too_much_suppressed or self.beyond_utility:
            return False
        return self.verdict.holds

    @property
    def too_much_suppressed(self) -> bool:
        """Whether more items are suppressed than allowed."""
        return None not in (self.suppressed, self.max_suppressed) and self.suppressed > self.max_suppressed + 1e-12  # type: ignore[operator]


def inspect(
    named: Named, model: PrivacyModel, settings: "CheckSettings", *, progress: Progress | None = None
) -> Inspection:
    """Verify a publication, and hold it against its original where that is given.

    Raises
    ------
    InputError
        If the publication lacks what the model speaks of, or the original is not what it must be.
    """
    from anonset.verification import DEFAULT_BUDGET, verify

    require_sensitive(model, named.publication.transactions)
    budget = DEFAULT_BUDGET if settings.budget is None else settings.budget
    verdict = verify(named.publication, model, budget=budget, progress=progress)
    correlations = _correlations(named.publication, model)
    if settings.original is None:
        needs = [option(n) for n in ("max_suppressed", "utility_constraints") if getattr(settings, n) is not None]
        if needs:
            msg = f"{' and '.join(needs)}: the items of the original are meant, which --original must name"
            raise InputError(msg)
        return Inspection(verdict, correlations=correlations)
    table = _original(named.publication, settings)
    table, hierarchies = bind(table, settings.hierarchy, model)
    untrue = kind_of(model).untrue(table, named, hierarchies, model)
    suppressed = _suppressed(table, named)
    beyond = _beyond_utility(table, named, settings)
    return Inspection(verdict, True, untrue, suppressed, settings.max_suppressed, beyond, correlations)


def _beyond_utility(table: Table, named: Named, settings: "CheckSettings") -> str:
    """Say how the utility constraints are violated."""
    if settings.utility_constraints is None:
        return ""
    from anonset.io.policies import read_utility_policy
    from anonset.verification.constraints import check_utility

    if table.transactions is None:
        msg = "utility constraints speak of a set-valued column, and the publication has none"
        raise InputError(msg)
    policy = read_utility_policy(settings.utility_constraints, table.transactions.vocabulary)
    return check_utility(table.transactions, named.publication, policy, 1.0).reason


def _correlations(publication: Any, model: PrivacyModel) -> dict[str, list[Any]] | None:
    if not isinstance(publication, BucketPublication) or not publication.ids:
        return None
    from anonset.measures.correlation import inter_group_violations, intra_group_violations

    diversity = int(getattr(model, "l", 1))
    return {
        "intra_group": list(intra_group_violations(publication)),
        "inter_group": list(inter_group_violations(publication, diversity)),
    }


def _original(publication: Any, settings: "CheckSettings") -> Table:
    """Read the original with the roles that its columns had."""
    from anonset.io.read import read

    buckets = isinstance(publication, BucketPublication)
    ids = [column.name for column in publication.ids] if buckets else settings.id
    sets = None if publication.transactions is None else (publication.joined or publication.transactions.name)
    relational = [] if buckets else [column.name for column in publication.relational]
    fimi = Path(str(settings.original)).name.removesuffix(".gz").removesuffix(".zst").endswith(".dat")
    return read(
        str(settings.original),
        items=None if fimi else sets,
        relational=relational,
        numeric=[name for name in numeric_columns(settings.hierarchy) if name in relational],
        sensitive=publication.snt_value.name if buckets else None,
        id=ids,
        keep=[column.name for column in publication.kept],
        drop=settings.drop,
        separator=settings.separator or " ",
        missing=settings.missing,
    )


def _suppressed(table: Table, named: Named) -> float | None:
    """Return the part of the items of the original that no published symbol stands for."""
    column = table.transactions
    if column is None or named.publication.transactions is None or not len(column.vocabulary):
        return None
    symbols = named.publication.symbols
    shown = {member for symbol in symbols for member in symbol.members}
    return sum(label not in shown for label in column.vocabulary.labels) / len(column.vocabulary)
