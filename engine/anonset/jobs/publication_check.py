"""What a check of a publication finds: the model, its truth, and what buckets give away."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from anonset.algorithms.base import Progress
from anonset.data import Hierarchy, Table
from anonset.data.decimals import exact, require_between_0_and_1
from anonset.data.redacted_repr import Discreet
from anonset.data.store import MEMORY, Store
from anonset.data.table_facts import CodeRules
from anonset.errors import InputError, datum
from anonset.io.source import Source
from anonset.jobs.original import read_original
from anonset.privacy import PrivacyModel, Verdict, Witness
from anonset.publications import Buckets, Chunks, Records
from anonset.release.attested import is_promised
from anonset.release.documents import Attestation
from anonset.release.formats import kind_of
from anonset.release.symbols import items_hierarchy, require_agreement
from anonset.settings.binding import bind, require_sensitive
from anonset.settings.parameters import option
from anonset.settings.publication import CheckSettings

if TYPE_CHECKING:  # imported where it is needed: most publications are no buckets
    from anonset.jobs.correlations import Correlations

MOST_CORRELATED = 20_000_000
"""Rows of buckets up to which correlations are looked for: where there are many, they take about 10 µs a row."""


@dataclass(frozen=True)
class PublicationCheck(Discreet):
    """The verdict on a publication, and what else was looked at."""

    verdict: Verdict
    """Whether the model holds."""
    roles: Mapping[str, list[str]]
    """Names of the columns by what they were taken as."""
    truth_checked: bool = False
    """Whether the original was there to compare with."""
    by_records: bool = False
    """Whether a file named the original record of each row, instead of the order of the rows."""
    untrue: Witness | None = None
    """Something that the publication says and the original does not."""
    suppressed: Fraction | None = None
    """Part of the items of the original that no published symbol stands for."""
    max_suppressed: float | Fraction | None = None
    """The largest part that was allowed."""
    beyond_utility: str = field(default="", repr=False)
    """How the utility constraints are violated; empty if they are not, or none are given."""
    correlations: "Mapping[str, Correlations] | None" = None
    """For buckets with ids: what several tuples of an individual give away, whatever the model says."""
    too_large: bool = False
    """Whether correlations were not looked for, since there are too many rows."""
    unit: str | None = None
    """What a record stands for, as its owner declared."""
    as_is: tuple[str, ...] = ()
    """Columns that its owner declared to publish as is."""

    @property
    def holds(self) -> bool | None:
        """True, False, or None where the check of the model could not be finished."""
        if self.untrue is not None or self.too_much_suppressed or self.beyond_utility:
            return False
        return self.verdict.holds

    @property
    def too_much_suppressed(self) -> bool:
        """Whether more items are suppressed than allowed."""
        if self.suppressed is None or self.max_suppressed is None:
            return False
        return self.suppressed > exact(self.max_suppressed)


def check_publication(
    publication: Records | Buckets | Chunks,
    model: PrivacyModel,
    settings: CheckSettings,
    store: Store = MEMORY,
    *,
    original: Source | None = None,
    attested: Attestation | None = None,
    progress: Progress | None = None,
) -> PublicationCheck:
    """Verify a publication, and hold it against its original where that is given.

    Parameters
    ----------
    store
        Where the original is read into, if that is in files.
    original
        The data that were published, where they are given.
    attested
        What is attested of it, if anything.

    Raises
    ------
    InputError
        If the publication lacks what the model speaks of, or the original is not what it must be.
    """
    from anonset.verification import DEFAULT_BUDGET, verify

    if not model.secrets_may_go:
        require_sensitive(model, publication.transactions if isinstance(publication, Records) else None)
    budget = DEFAULT_BUDGET if settings.budget is None else settings.budget
    verdict = verify(publication, model, budget=budget, progress=progress)
    correlations, roles = _correlations(publication, model), roles_of(publication, model)
    if original is None:
        needs = [option(n) for n in ("max_suppressed", "utility_constraints") if getattr(settings, n) is not None]
        if needs:
            msg = f"{' and '.join(needs)}: the items of the original are meant, which --original must name"
            raise InputError(msg)
        tree = _tree_without_original(publication, model, settings)
        _require_known_policy(verdict, tree, None, attested)
        return PublicationCheck(verdict, roles, correlations=correlations, too_large=is_too_large(publication))
    most = settings.max_suppressed
    allowed = None if most is None else require_between_0_and_1("max_suppressed", most)
    table = read_original(publication, original, settings, attested, store)
    table, hierarchies = bind(table, settings.hierarchy, model)
    if table.transactions is not None and isinstance(publication, Records):
        tree = hierarchies.get(table.transactions.name)
        if tree is not None:
            require_agreement(publication, tree)
    _require_known_policy(verdict, None, table, attested)
    untrue = kind_of(model).untrue(table, publication, hierarchies, model)
    suppressed = _suppressed(table, publication)
    beyond = _beyond_utility(table, publication, settings)
    large = is_too_large(publication)
    by_records, others = settings.records is not None, (suppressed, allowed, beyond, correlations, large)
    return PublicationCheck(verdict, roles, True, by_records, untrue, *others)


def roles_of(publication: Any, model: PrivacyModel) -> dict[str, list[str]]:
    """Return the names of the columns by what a model takes them as."""
    if isinstance(publication, Chunks):
        return {"quasi_identifiers": [], "items": [publication.name], "not_protected": []}
    kept = [column.name for column in publication.kept]
    if isinstance(publication, Buckets):
        ids = [column.name for column in publication.ids]
        return {"identifiers": ids, "attributes": kept, "sensitive": [publication.snt_value.name]}
    sets = publication.transactions
    items = [] if sets is None else list(publication.joined or (sets.name,))
    relational = [column.name for column in publication.relational]
    mixed = [name for name in kept if name == model.sensitive_column]
    return {
        **({"sensitive": mixed} if mixed else {}),
        "quasi_identifiers": relational if "relational" in model.protects else [],
        "items": items if "items" in model.protects else [],
        "not_protected": [
            *([] if "relational" in model.protects else relational),
            *([] if "items" in model.protects else items),
            *(name for name in kept if name not in mixed),
        ],
    }


def _tree_without_original(publication: Any, model: PrivacyModel, settings: CheckSettings) -> Hierarchy | None:
    """Return the hierarchy of the published items, if it is given; the codebook must agree with it."""
    if not isinstance(publication, Records) or not settings.hierarchy:
        return None
    rules = CodeRules(inner_items=settings.inner_items)
    tree = items_hierarchy(publication, settings.hierarchy, model.beside, rules)
    if tree is not None:
        require_agreement(publication, tree)
    return tree


def _require_known_policy(
    verdict: Verdict, tree: Hierarchy | None, original: Table | None, attested: Attestation | None
) -> None:
    """Refuse privacy constraints without a known item; those that were attested may all have been suppressed."""
    policy, checked = verdict.model.itemsets, verdict.checked
    if not policy or checked["unpublished_items"] < checked["protected_items"]:
        return
    if attested is not None and is_promised(attested, verdict.model):
        return
    known = set() if tree is None else set(tree.leaves.labels)
    if original is not None and original.transactions is not None:
        known |= set(original.transactions.vocabulary.labels)
    if any(item in known for itemset in policy.itemsets for item in itemset):
        return
    msg = (
        f"--privacy-constraints: none of the {checked['protected_items']} protected items, such as "
        f"{datum(policy.itemsets[0][0])}, stands behind a symbol of the publication; name the constraints of these "
        "data, or the codebook, or by --original the data in which they occur"
    )
    raise InputError(msg)


def _beyond_utility(table: Table, publication: Records | Buckets | Chunks, settings: CheckSettings) -> str:
    """Say how the utility constraints are violated."""
    if settings.utility_constraints is None:
        return ""
    from anonset.io.policies import read_utility_policy
    from anonset.verification.constraints import check_utility

    if table.transactions is None or not isinstance(publication, Records):
        msg = "utility constraints speak of a set-valued column, and the publication has none"
        raise InputError(msg)
    policy = read_utility_policy(settings.utility_constraints, table.transactions.vocabulary)
    return check_utility(table.transactions, publication, policy, 1.0).reason


def is_too_large(publication: Any) -> bool:
    """Tell whether a publication is of buckets with ids, and too large to look for correlations."""
    with_ids = isinstance(publication, Buckets) and bool(publication.ids)
    return with_ids and publication.n > MOST_CORRELATED


def _correlations(publication: Any, model: PrivacyModel) -> "Mapping[str, Correlations] | None":
    if not isinstance(publication, Buckets) or not publication.ids or is_too_large(publication):
        return None
    from anonset.jobs.correlations import correlations

    return correlations(publication, model.diversity)


def _suppressed(table: Table, publication: Records | Buckets | Chunks) -> Fraction | None:
    """Return the part of the items of the original that occur and that no published symbol stands for.

    With a hierarchy they are its leaves, of which some may not occur, as they are for the algorithms.
    """
    column = table.transactions
    if not isinstance(publication, Records) or publication.transactions is None:
        return None
    if column is None or not len(column.vocabulary):
        return None
    symbols = publication.symbols
    shown = {member for symbol in symbols for member in symbol.members}
    labels = column.vocabulary.labels
    occurring = (label for label, n in zip(labels, column.occurrences, strict=True) if n)
    return Fraction(sum(label not in shown for label in occurring), len(labels))
