"""Checking publications by a path of its own: nothing here is shared with the search for them."""

from anonset.verification.check import DEFAULT_BUDGET, Published, verify
from anonset.verification.itemsets import Progress
from anonset.verification.truthful import check_truthful

__all__ = ["DEFAULT_BUDGET", "Progress", "Published", "check_truthful", "verify"]
