"""Check of (h, k, p)-coherence: the cohort of every supported set of at most p public symbols."""

from anonset.data import SetColumn
from anonset.data.store import MEMORY, Store
from anonset.privacy import Verdict
from anonset.privacy.coherence import Coherence
from anonset.verification.cohorts import Rule, check_cohorts
from anonset.verification.counting import Progress


def check_coherence(
    column: SetColumn, model: Coherence, budget: int, progress: Progress | None, store: Store = MEMORY
) -> Verdict:
    """Check published records. The share h is not monotone in the set size, so every size is counted."""
    share = (model.share.numerator, model.share.denominator)
    rule = Rule(range(1, model.p + 1), model.k, share)
    return check_cohorts(column, None, model.sensitive_items, rule, model, budget, progress, store)
