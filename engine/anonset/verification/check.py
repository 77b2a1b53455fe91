"""Entry point for the checks of all models."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, TypeVar

from anonset.data import SetColumn, Table
from anonset.data.progress import Progress
from anonset.data.storage.store import MEMORY
from anonset.data.table import Column
from anonset.errors import InputError
from anonset.privacy.anatomy import AnatomyDiversity
from anonset.privacy.classes import KLDiversity, KTCloseness
from anonset.privacy.coherence import Coherence
from anonset.privacy.constraints import ConstraintSet
from anonset.privacy.disassociation import DisassociationModel
from anonset.privacy.k import KAnonymity
from anonset.privacy.kkm import KKmAnonymity
from anonset.privacy.km import KmAnonymity
from anonset.privacy.lm import KLmDiversity, LmDiversity
from anonset.privacy.model import PrivacyModel, Verdict
from anonset.privacy.partitions import PartitionKmAnonymity
from anonset.privacy.rho import RhoUncertainty
from anonset.privacy.safe_grouping import SafetyConstraint
from anonset.privacy.transaction_k import TransactionKAnonymity
from anonset.publications import Buckets, Chunks, Published, Records
from anonset.verification.anatomy import check_anatomy
from anonset.verification.classes import check_classes
from anonset.verification.cohort_models import check_coherence, check_partitions, check_rho
from anonset.verification.constraints import check_constraints, members_of
from anonset.verification.counting import Resources
from anonset.verification.disassociation import check_disassociation
from anonset.verification.itemsets import check_km
from anonset.verification.kkm import check_k, check_kkm
from anonset.verification.lm import check_klm, check_lm
from anonset.verification.safe_grouping import check_safe_grouping
from anonset.verification.transaction_k import check_transaction_k

BUDGET = 60_000_000_000
"""Default maximum number of itemset occurrences to count. Counting this number takes about ten minutes on a core."""


Verifiable = Published | Table
"""Input of a check. It is a publication, or a table published by another program."""
_Part = TypeVar("_Part")


@dataclass(frozen=True)
class _View:
    """A publication as the checks of a model see it. A part that the publication lacks raises InputError."""

    publication: Verifiable
    model: Any
    resources: Resources

    @property
    def items(self) -> SetColumn:
        """The set-valued column."""
        items = self.publication.transactions if isinstance(self.publication, Records | Table) else None
        return self._required(items, "a set-valued column, and the publication has none")

    @property
    def members(self) -> list[tuple[str, ...]] | None:
        """Items of each symbol, or None if the symbols are opaque."""
        symbols = getattr(self.publication, "symbols", None)
        return None if symbols is None else [symbol.members for symbol in symbols]

    @property
    def classed(self) -> tuple[Column, ...]:
        """The relational columns. Empty if there are none, so that all records are in one class."""
        columns: tuple[Column, ...] = getattr(self.publication, "relational", ())
        return columns

    @property
    def relational(self) -> tuple[Column, ...]:
        """The relational columns, at least one."""
        return self._required(self.classed or None, "relational columns, and the publication has none")

    @property
    def buckets(self) -> Buckets:
        """The publication as buckets."""
        buckets = self.publication if isinstance(self.publication, Buckets) else None
        return self._required(buckets, "a bucketized table (qit.csv and snt.csv)")

    @property
    def chunks(self) -> Chunks:
        """The publication as chunks."""
        chunks = self.publication if isinstance(self.publication, Chunks) else None
        return self._required(chunks, "a disassociated publication (clusters.csv, chunks.csv, shared.csv)")

    def _required(self, part: _Part | None, what: str) -> _Part:
        if part is None:
            raise InputError(f"model {self.model.name!r} requires {what}")
        return part


def _classes(view: _View) -> Verdict:
    kept: tuple[Column, ...] = getattr(view.publication, "kept", ())
    return check_classes(view.relational, kept, view.model, view.resources.store)


def _constraints(view: _View) -> Verdict:
    """Check constraints. With a policy, also count its items and its unpublished items, which are no violation."""
    verdict = check_constraints(view.items, view.members, view.model, view.resources)
    if (policy := view.model.policy) is None:
        return verdict
    of_symbols = map(members_of, view.items.vocabulary.labels) if view.members is None else view.members
    published = {item for items in of_symbols for item in items}
    protected = {item for itemset in policy.itemsets for item in itemset}
    counts = {"protected_items": len(protected), "unpublished_items": len(protected - published)}
    return replace(verdict, checked={**verdict.checked, **counts})


def _partitions(view: _View) -> Verdict:
    return check_partitions(view.items, getattr(view.publication, "cluster", None), view.model, view.resources)


_CHECKS: Mapping[type[PrivacyModel], Callable[[_View], Verdict]] = MappingProxyType(
    {
        KmAnonymity: lambda view: check_km(view.items, view.model, view.resources),
        PartitionKmAnonymity: _partitions,
        KAnonymity: lambda view: check_k(view.relational, view.model, view.resources.store),
        KLDiversity: _classes,
        KTCloseness: _classes,
        KKmAnonymity: lambda view: check_kkm(view.relational, view.items, view.model, view.resources),
        LmDiversity: lambda view: check_lm(view.items, view.model, view.resources),
        KLmDiversity: lambda view: check_klm(view.items, view.classed, view.model, view.resources),
        Coherence: lambda view: check_coherence(view.items, view.model, view.resources),
        RhoUncertainty: lambda view: check_rho(view.items, view.model, view.resources),
        ConstraintSet: _constraints,
        TransactionKAnonymity: lambda view: check_transaction_k(view.items, view.model, view.resources.store),
        AnatomyDiversity: lambda view: check_anatomy(view.buckets, view.model),
        DisassociationModel: lambda view: check_disassociation(view.chunks, view.model, view.resources),
        SafetyConstraint: lambda view: check_safe_grouping(view.buckets, view.model),
    }
)
"""Check of each model class. Subclasses of a model have no entry."""


def verify(
    publication: Verifiable,
    model: PrivacyModel,
    *,
    budget: int | None = None,
    progress: Progress | None = None,
) -> Verdict:
    """Check a publication against a privacy model, exactly and independently of any algorithm.

    Parameters
    ----------
    publication
        `Records`, a table of published symbols (symbols are opaque), or `Buckets`.
    model
        The privacy model.
    budget
        Maximum number of itemset occurrences in distinct records to count (>= 0). A check that needs more occurrences
        stops at the budget. It is then undecided, unless the counted part violates the model. If None, 60 billion.
    progress
        Called with (phase, done, total) about ten times a second.

    Returns
    -------
    Verdict that the model holds, that it fails, or that the check is undecided. `checked` contains the counts, and the
    extent of the check as ``covered``. The witness of a violation does not depend on the budget.

    Raises
    ------
    InputError
        If the model has no check, the publication is malformed or lacks data that the model needs, or the budget is
        negative.

    Examples
    --------
    >>> from anonset.data import Table
    >>> published = Table.from_sets([{"a", "b"}, {"a", "b"}, {"a"}, {"b"}])
    >>> print(verify(published, KmAnonymity(k=2, m=2)))
    km-anonymity with k=2, m=2 holds
    >>> print(verify(published, KmAnonymity(k=3, m=2)))
    km-anonymity with k=3, m=2 fails: {a, b} matches 2 records, 3 required; published row 0 shows it
    """
    if budget is None:
        budget = BUDGET
    if isinstance(budget, bool) or not isinstance(budget, int) or budget < 0:
        raise InputError(f"budget must be an integer of at least 0, got {budget!r}")
    if not isinstance(publication, Verifiable):
        accepted = "a table, a publication or a release"
        msg = f"the input must be {accepted}, got {type(publication).__name__}: convert it with anonset.read"
        raise InputError(msg)
    check = _CHECKS.get(type(model))
    if check is not None:
        resources = Resources(budget, progress, getattr(publication, "store", MEMORY))
        return check(_View(publication, model, resources))
    if not isinstance(model, PrivacyModel):
        raise InputError(f"model {type(model).__name__} cannot be verified: it must be a PrivacyModel")
    verdict = model.check(publication, budget=budget, progress=progress)
    if not isinstance(verdict, Verdict) or verdict.model != model:
        raise InputError(f"the check of model {model.name!r} must return a Verdict on it, got {type(verdict).__name__}")
    return verdict
