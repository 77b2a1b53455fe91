"""Independent checks of publications. They share no code with the algorithms."""

from anonset.verification.check import DEFAULT_BUDGET, Verifiable, verify
from anonset.verification.counting import Progress
from anonset.verification.item_truth import check_item_truth

__all__ = ["DEFAULT_BUDGET", "Progress", "Verifiable", "check_item_truth", "verify"]
