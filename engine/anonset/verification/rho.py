"""Check of rho-uncertainty: the cohort of every supported set of at most m symbols."""

from dataclasses import replace

from anonset.data import SetColumn
from anonset.data.store import MEMORY, Store
from anonset.privacy import Verdict
from anonset.privacy.rho import RhoUncertainty
from anonset.verification.cohorts import Rule, check_cohorts
from anonset.verification.counting import Progress


def check_rho(
    column: SetColumn, model: RhoUncertainty, budget: int, progress: Progress | None, store: Store = MEMORY
) -> Verdict:
    """Check published records. The share is not monotone in the set size, so every size is counted."""
    share = (model.share.numerator, model.share.denominator)
    rule = Rule(model.sizes, 1, share, strict=model.strict, secrets_known=True)
    verdict = check_cohorts(column, None, model.sensitive_items, rule, model, budget, progress, store)
    there = sum(item in column.vocabulary.index for item in model.sensitive_items)
    counts = {"protected_items": len(model.sensitive_items), "unpublished_items": len(model.sensitive_items) - there}
    return replace(verdict, checked={**verdict.checked, **counts})
