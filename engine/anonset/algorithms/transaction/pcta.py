"""PCTA (privacy-constrained clustering-based transaction anonymization) of Gkoulalas-Divanis and Loukides, 2011.

Its loop is that of COAT's Algorithm 1, and in the same kernels, with this step in place of its lines 5 to 14::

    of all pairs of a group of p and any other, in the same     _repair._merge_cheapest, _seek_partner
    utility constraint: merge the one with the smallest
    utility loss
    if there is no such pair: no solution                       Pcta.infeasible
"""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

from anonset.algorithms.base import Traits
from anonset.algorithms.transaction.constraint_search import ConstraintSearch
from anonset.algorithms.transaction.set_based import SetBased, group_text
from anonset.errors import InfeasibleError, foreign

if TYPE_CHECKING:
    from anonset_kernels._repair import Rule


@dataclass(frozen=True, kw_only=True)
class Pcta(SetBased):
    """PCTA: protect given itemsets by the cheapest merge of any of their items, one after the other.

    Guarantees that every privacy constraint is satisfied and, where utility constraints are given, that every group
    lies inside one of them. Nothing is suppressed. Unlike COAT, which merges the rarest item of a constraint, every
    item of the constraint is tried with every partner, and the merge with the smallest utility loss is done.

    Cost: as COAT, times the items of a constraint.

    References: Gkoulalas-Divanis, Loukides, "PCTA: privacy-constrained clustering-based transaction data
    anonymization", 2011.
    Deviations: a constraint is satisfied as COAT's paper defines it, so one that nobody supports need not reach k,
    and constraints that a merge has broken are satisfied again.

    >>> from anonset.data import Table
    >>> table = Table.from_sets(["abc", "ab", "ac", "bd", "d"])
    >>> Pcta(k=2, m=2).recode(table, {}).recoding.labels
    [('a', 'c'), ('b', 'd')]
    """

    name: ClassVar[str] = "pcta"
    traits: ClassVar[Traits] = replace(
        SetBased.traits, memory_factor=1.6, not_tried="it forms sets of items, as coat does"
    )

    def rule(self, n_items: int) -> "Rule":
        """Return the parameters of a search over so many items, for the kernels."""
        from anonset_kernels._repair import PCTA, Rule

        return Rule(self.k, self.m or 0, PCTA, suppress_single=False, limit=0)

    def infeasible(self, search: ConstraintSearch) -> InfeasibleError:
        """Return which group has no other to be merged with."""
        reason, where = self._dead_end(search, foreign(group_text(search.stuck_items)))
        reason = f"{reason}, and pcta does not suppress: widen the constraint, or use coat"
        return InfeasibleError(self.name, reason, where)
