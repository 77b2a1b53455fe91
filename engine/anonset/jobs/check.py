"""Check the model and the truth of a publication, and properties of its kind."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING

from anonset.analysis.base import analysis_of
from anonset.data import Hierarchy, Table
from anonset.data.decimals import exact, require_between_0_and_1
from anonset.data.progress import Progress
from anonset.data.redacted_repr import RedactedRepr
from anonset.data.storage.store import Store
from anonset.errors import InputError, datum
from anonset.jobs.original import read_original
from anonset.privacy import PrivacyModel, Verdict, Witness
from anonset.publications import Published
from anonset.reading.sources.source import Source
from anonset.release.attested import is_promised
from anonset.release.documents import Attestation
from anonset.release.formats import kind_of
from anonset.settings.binding import bind
from anonset.settings.readers import work_budget
from anonset.spelling import setting
from anonset.verification import verify

if TYPE_CHECKING:
    from anonset.analysis.individuals import Correlations
    from anonset.settings.publication import CheckSettings


@dataclass(frozen=True)
class PublicationCheck(RedactedRepr):
    """Verdict on a publication, and the results of further checks."""

    verdict: Verdict
    """Verification result of the model."""
    roles: Mapping[str, list[str]]
    """Column names by role."""
    truth_checked: bool = False
    """Whether the publication was compared with the original."""
    by_records: bool = False
    """Whether a file assigns an original record to each row. If not, rows are in the order of the records."""
    untrue: Witness | None = None
    """A published value that the original contradicts. None if the original contradicts no value."""
    undecided: str = ""
    """Reason why the comparison with the original is undecided. Empty for a decided comparison."""
    suppressed: Fraction | None = None
    """Share of the original's items that no published symbol covers."""
    max_suppressed: float | Fraction | None = None
    """Largest allowed share of suppressed items."""
    beyond_utility: str = field(default="", repr=False)
    """Violation of the utility constraints. Empty if no constraint is violated or given."""
    correlations: "Mapping[str, Correlations] | None" = None
    """Disclosures through several tuples of an individual, for buckets with ids. The model does not limit them."""
    too_large: bool = False
    """Whether correlations were skipped because there are too many rows."""
    unit: str | None = None
    """Unit of privacy, as in the attestation."""
    as_is: tuple[str, ...] = ()
    """Columns that the owner declared to publish as is."""
    joint_checked: bool | None = None
    """Whether the attested guarantee together with an earlier release was checked. None if there is none."""
    few_in_both: Witness | None = None
    """Violation of the guarantee together with the earlier release."""

    @property
    def holds(self) -> bool | None:
        """Whether all checks passed. None if the model check or the comparison with the original did not finish, or an
        attested joint guarantee was not checked.
        """
        if self.untrue is not None or self.few_in_both is not None or self.too_much_suppressed or self.beyond_utility:
            return False
        unfinished = bool(self.undecided) or self.joint_checked is False
        return None if self.verdict.holds and unfinished else self.verdict.holds

    @property
    def too_much_suppressed(self) -> bool:
        """Whether more items are suppressed than allowed."""
        if self.suppressed is None or self.max_suppressed is None:
            return False
        return self.suppressed > exact(self.max_suppressed)


def check_publication(
    publication: Published,
    model: PrivacyModel,
    settings: "CheckSettings",
    store: Store,
    *,
    original: Source | None,
    attested: Attestation | None = None,
    progress: Progress | None,
) -> PublicationCheck:
    """Verify a publication, and compare it with the original if given.

    Parameters
    ----------
    store
        Store for the original, in memory or on disk.
    original
        Original data, if available.
    attested
        Attestation of the publication, if available.

    Raises
    ------
    InputError
        If the publication lacks columns or items of the model, or the original is invalid.
    """
    kind = analysis_of(publication)
    if not model.secrets_may_go:
        kind.require_sensitive(model)
    verdict = verify(publication, model, budget=work_budget(settings.max_work), progress=progress)
    correlations, roles = kind.correlations(model), kind.roles(model)
    if original is None:
        needs = [setting(n) for n in ("max_suppressed", "utility_constraints") if getattr(settings, n) is not None]
        if needs:
            verb = "requires" if len(needs) == 1 else "require"
            raise InputError(f"{' and '.join(needs)} {verb} the original data: pass it with --original")
        _require_known_policy(verdict, kind.agreed_tree(model, settings), None, attested)
        return PublicationCheck(verdict, roles, correlations=correlations, too_large=kind.too_large)
    most = settings.max_suppressed
    allowed = None if most is None else require_between_0_and_1("max_suppressed", most)
    table = read_original(publication, original, settings, attested, store)
    table, hierarchies = bind(table, settings.hierarchy, model)
    _require_known_policy(verdict, None, table, attested)
    kind.require_explained(table, hierarchies)
    untrue, undecided = kind_of(model).find_contradiction(table, publication, hierarchies, model), ""
    # published rows are in another order than the original's records
    if untrue is not None and attested is not None and settings.records is None:
        untrue = kind.impossible(table, hierarchies)
        if untrue is None:
            way = f"name the records file of the private directory with {setting('records')}"
            undecided = f"the map from rows to records is missing; {way}"
    return PublicationCheck(
        verdict, roles, truth_checked=True, by_records=settings.records is not None, untrue=untrue, undecided=undecided,
        suppressed=kind.suppressed(table), max_suppressed=allowed, beyond_utility=kind.beyond_utility(table, settings),
        correlations=correlations, too_large=kind.too_large,
    )  # fmt: skip


def _require_known_policy(
    verdict: Verdict, tree: Hierarchy | None, original: Table | None, attested: Attestation | None
) -> None:
    """Reject privacy constraints if the publication and the original contain none of their items. Attested constraints
    are accepted, because all their items may be suppressed.
    """
    policy, checked = verdict.model.itemsets, verdict.checked
    if not policy or checked["unpublished_items"] < checked["protected_items"]:
        return
    if attested is not None and is_promised(attested, verdict.model):
        return
    items = set() if tree is None else set(tree.leaves.labels)
    if original is not None and original.transactions is not None:
        items |= set(original.transactions.vocabulary.labels)
    if any(item in items for itemset in policy.itemsets for item in itemset):
        return
    raise InputError(
        f"--privacy-constraints: the publication contains none of the {checked['protected_items']} protected items, "
        f"such as {datum(policy.itemsets[0][0])}; check that the constraints belong to these data, or pass "
        "--codebook or --original"
    )
