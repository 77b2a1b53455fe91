"""Checks of k^m-anonymous partitions, (h, k, p)-coherence and rho-uncertainty."""

from dataclasses import replace

from anonset.data import SetColumn
from anonset.data.array_types import Int32
from anonset.errors import InputError
from anonset.privacy import Verdict
from anonset.privacy.coherence import Coherence
from anonset.privacy.partitions import PartitionKmAnonymity
from anonset.privacy.rho import RhoUncertainty
from anonset.verification.cohorts import CohortRule, check_cohorts
from anonset.verification.counting import Resources


def check_partitions(
    column: SetColumn, partition: Int32 | None, model: PartitionKmAnonymity, resources: Resources
) -> Verdict:
    """Check that every partition of the published records is k^m-anonymous.

    Raises
    ------
    InputError
        If the partitions are not known.
    """
    if partition is None or len(partition) != column.n:
        msg = f"model {model.name!r} needs the partition of each published record; check 'km' if it is not known"
        raise InputError(msg)
    rule = CohortRule(range(1, model.m + 1), model.k)
    return check_cohorts(column, partition, (), rule, model, resources)


def check_coherence(column: SetColumn, model: Coherence, resources: Resources) -> Verdict:
    """Check published records for (h, k, p)-coherence. Sets of every size are checked. The bound `h` may hold for a set
    but not for a subset or superset of it.
    """
    share = (model.share.numerator, model.share.denominator)
    rule = CohortRule(range(1, model.p + 1), model.k, share)
    return check_cohorts(column, None, model.sensitive_items, rule, model, resources)


def check_rho(column: SetColumn, model: RhoUncertainty, resources: Resources) -> Verdict:
    """Check published records for rho-uncertainty. Sets of every size are checked. The bound `rho` may hold for a set
    but not for a subset or superset of it.
    """
    share = (model.share.numerator, model.share.denominator)
    rule = CohortRule(model.sizes, 1, share, strict=model.strict, secrets_known=True)
    verdict = check_cohorts(column, None, model.sensitive_items, rule, model, resources)
    n_published = sum(item in column.vocabulary.index for item in model.sensitive_items)
    counts = {
        "protected_items": len(model.sensitive_items),
        "unpublished_items": len(model.sensitive_items) - n_published,
    }
    return replace(verdict, checked={**verdict.checked, **counts})
