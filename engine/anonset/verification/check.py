"""Entry point for the checks of all models."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from anonset.data import SetColumn, Table
from anonset.data.progress import Progress
from anonset.data.storage.store import MEMORY, Store
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
from anonset.privacy.policies import PrivacyPolicy
from anonset.privacy.rho import RhoUncertainty
from anonset.privacy.safe_grouping import SafetyConstraint
from anonset.privacy.transaction_k import TransactionKAnonymity
from anonset.publications import Buckets, Chunks, Published, Records
from anonset.verification.anatomy import check_anatomy
from anonset.verification.classes import check_classes
from anonset.verification.cohort_models import check_coherence, check_partitions, check_rho
from anonset.verification.constraints import check_constraints, members_of
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

Check = Callable[[Verifiable, Any, int, Progress | None], Verdict]


def _km(publication: Verifiable, model: KmAnonymity, budget: int, progress: Progress | None) -> Verdict:
    return check_km(_items(publication, model), model, budget, progress, _work(publication))


def _partitions(
    publication: Verifiable, model: PartitionKmAnonymity, budget: int, progress: Progress | None
) -> Verdict:
    partition = getattr(publication, "cluster", None)
    return check_partitions(_items(publication, model), partition, model, budget, progress, _work(publication))


def _k(publication: Verifiable, model: KAnonymity, budget: int, progress: Progress | None) -> Verdict:
    return check_k(_relational(publication, model), model, _work(publication))


def _classes(
    publication: Verifiable, model: KLDiversity | KTCloseness, budget: int, progress: Progress | None
) -> Verdict:
    kept: tuple[Column, ...] = getattr(publication, "kept", ())
    return check_classes(_relational(publication, model), kept, model, _work(publication))


def _kkm(publication: Verifiable, model: KKmAnonymity, budget: int, progress: Progress | None) -> Verdict:
    columns, store = _relational(publication, model), _work(publication)
    return check_kkm(columns, _items(publication, model), model, budget, progress, store)


def _lm(publication: Verifiable, model: LmDiversity, budget: int, progress: Progress | None) -> Verdict:
    return check_lm(_items(publication, model), model, budget, progress, _work(publication))


def _klm(publication: Verifiable, model: KLmDiversity, budget: int, progress: Progress | None) -> Verdict:
    # without columns, all records are in one class
    relational: tuple[Column, ...] = getattr(publication, "relational", ())
    return check_klm(_items(publication, model), relational, model, budget, progress, _work(publication))


def _coherence(publication: Verifiable, model: Coherence, budget: int, progress: Progress | None) -> Verdict:
    return check_coherence(_items(publication, model), model, budget, progress, _work(publication))


def _rho(publication: Verifiable, model: RhoUncertainty, budget: int, progress: Progress | None) -> Verdict:
    return check_rho(_items(publication, model), model, budget, progress, _work(publication))


def _constraints(publication: Verifiable, model: ConstraintSet, budget: int, progress: Progress | None) -> Verdict:
    symbols = getattr(publication, "symbols", None)
    members = None if symbols is None else [symbol.members for symbol in symbols]
    verdict = check_constraints(_items(publication, model), members, model, budget, progress, _work(publication))
    return verdict if model.policy is None else _with_unpublished(verdict, model.policy, publication, members)


def _with_unpublished(
    verdict: Verdict, policy: PrivacyPolicy, publication: Verifiable, members: list[tuple[str, ...]] | None
) -> Verdict:
    """Add the number of protected items, and the number of unpublished protected items, to a verdict. An unpublished
    item is no violation.
    """
    labels = _items(publication, verdict.model).vocabulary.labels
    shown = {item for items in (map(members_of, labels) if members is None else members) for item in items}
    protected = {item for itemset in policy.itemsets for item in itemset}
    counts = {"protected_items": len(protected), "unpublished_items": len(protected - shown)}
    return replace(verdict, checked={**verdict.checked, **counts})


def _transaction_k(
    publication: Verifiable, model: TransactionKAnonymity, budget: int, progress: Progress | None
) -> Verdict:
    return check_transaction_k(_items(publication, model), model, _work(publication))


def _anatomy(publication: Verifiable, model: AnatomyDiversity, budget: int, progress: Progress | None) -> Verdict:
    return check_anatomy(_buckets(publication, model), model)


def _safe_grouping(publication: Verifiable, model: SafetyConstraint, budget: int, progress: Progress | None) -> Verdict:
    return check_safe_grouping(_buckets(publication, model), model)


def _disassociation(
    publication: Verifiable, model: DisassociationModel, budget: int, progress: Progress | None
) -> Verdict:
    if not isinstance(publication, Chunks):
        msg = f"model {model.name!r} requires a disassociated publication (clusters.csv, chunks.csv, shared.csv)"
        raise InputError(msg)

    return check_disassociation(publication, model, budget, progress)


_CHECKS: Mapping[type[PrivacyModel], Check] = MappingProxyType(
    {
        KmAnonymity: _km,
        PartitionKmAnonymity: _partitions,
        KAnonymity: _k,
        KLDiversity: _classes,
        KTCloseness: _classes,
        KKmAnonymity: _kkm,
        LmDiversity: _lm,
        KLmDiversity: _klm,
        Coherence: _coherence,
        RhoUncertainty: _rho,
        ConstraintSet: _constraints,
        TransactionKAnonymity: _transaction_k,
        AnatomyDiversity: _anatomy,
        DisassociationModel: _disassociation,
        SafetyConstraint: _safe_grouping,
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
        A :class:`~anonset.publications.Records`, a table of published symbols (symbols are opaque), or a
        :class:`~anonset.publications.Buckets`.
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
        msg = f"budget must be an integer of at least 0, got {budget!r}"
        raise InputError(msg)
    if not isinstance(publication, Verifiable):
        accepted = "a table, a publication or a release"
        msg = f"the input must be {accepted}, got {type(publication).__name__}: convert it with anonset.read"
        raise InputError(msg)
    check = _CHECKS.get(type(model))
    if check is not None:
        return check(publication, model, budget, progress)
    if not isinstance(model, PrivacyModel):
        msg = f"model {type(model).__name__} cannot be verified: it must be a PrivacyModel"
        raise InputError(msg)
    verdict = model.check(publication, budget=budget, progress=progress)
    if not isinstance(verdict, Verdict) or verdict.model != model:
        msg = f"the check of model {model.name!r} must return a Verdict on it, got {type(verdict).__name__}"
        raise InputError(msg)
    return verdict


def _work(publication: Verifiable) -> Store:
    """Return the store of the publication's files, or memory if it is not in files."""
    store: Store = getattr(publication, "store", MEMORY)
    return store


def _items(publication: Verifiable, model: PrivacyModel) -> SetColumn:
    items = publication.transactions if isinstance(publication, Records | Table) else None
    if items is None:
        msg = f"model {model.name!r} requires a set-valued column, and the publication has none"
        raise InputError(msg)
    return items


def _relational(publication: Verifiable, model: PrivacyModel) -> tuple[Column, ...]:
    columns: tuple[Column, ...] = getattr(publication, "relational", ())
    if not columns:
        msg = f"model {model.name!r} requires relational columns, and the publication has none"
        raise InputError(msg)
    return columns


def _buckets(publication: Verifiable, model: PrivacyModel) -> Buckets:
    if not isinstance(publication, Buckets):
        msg = f"model {model.name!r} requires a bucketized table (qit.csv and snt.csv)"
        raise InputError(msg)
    return publication
