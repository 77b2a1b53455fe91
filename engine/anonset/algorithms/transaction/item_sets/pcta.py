"""PCTA (privacy-constrained clustering-based transaction anonymization) of Gkoulalas-Divanis and Loukides, 2011.

The loop is that of COAT's Algorithm 1, in the same kernels, with this step instead of lines 5 to 14::

    among the pairs of a group of p and another group of the    _repair._merge_cheapest, _seek_partner
    same utility constraint, merge the pair with the smallest
    utility loss
    without such a pair, there is no solution                   Pcta.infeasible
"""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

from anonset.algorithms.base import Traits
from anonset.algorithms.transaction.item_sets.constraint_search import ConstraintSearch
from anonset.algorithms.transaction.item_sets.set_based import SetBased, group_text
from anonset.errors import InfeasibleError

if TYPE_CHECKING:
    from anonset_kernels.item_sets._repair import RepairRule


@dataclass(frozen=True, kw_only=True)
class Pcta(SetBased):
    """PCTA: protect given itemsets one by one, by the cheapest merge of any item of an itemset.

    Guarantees that every privacy constraint is satisfied and that a utility constraint, if given, contains every group.
    No item is suppressed. COAT merges the rarest item of a constraint. PCTA tries each item of the constraint with each
    partner and applies the merge with the smallest utility loss.

    Cost: the cost of COAT times the number of items of a constraint.

    References: Gkoulalas-Divanis, Loukides, "PCTA: privacy-constrained clustering-based transaction data
    anonymization", 2011.
    Deviations: a constraint is satisfied as defined in the paper of COAT. A constraint that occurs in no record is
    therefore satisfied. A constraint that a merge violates is satisfied by further merges.

    >>> from anonset.data import Table
    >>> table = Table.from_sets(["abc", "ab", "ac", "bd", "d"])
    >>> Pcta(k=2, m=2).recode(table, {}).recoding.labels
    [('a', 'c'), ('b', 'd')]
    """

    name: ClassVar[str] = "pcta"
    traits: ClassVar[Traits] = replace(
        SetBased.traits, memory_factor=1.6, not_tried="it forms sets of items, like coat"
    )

    def rule(self, n_items: int) -> "RepairRule":
        """Return the kernel parameters for a search over `n_items` items."""
        from anonset_kernels.item_sets._repair import PCTA, RepairRule

        return RepairRule(self.k, self.m or 0, PCTA, suppress_single=False, limit=0)

    def infeasible(self, search: ConstraintSearch) -> InfeasibleError:
        """Return an error that names the group without a partner."""
        reason, where = self._dead_end(search, group_text(search.stuck_items))
        reason = f"{reason}, and pcta does not suppress items: widen the constraint, or use coat"
        return InfeasibleError(self.name, reason, where)
