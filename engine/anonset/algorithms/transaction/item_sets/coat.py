"""COAT (constraint-based anonymization of transactions) of Loukides, Gkoulalas-Divanis, Malin, 2010, section 4.

The loops run in kernels. Lines of the paper and their implementation: Algorithm 1, COAT(D, P, U, k, s)::

    1        D~ := D, every item a group                        ConstraintSearch; _groups.open_groups
    2, 3     while some p of P is not satisfied: the one        all m-itemsets: coat.search, _next_constraint;
             with the largest support, I its groups             a list: constraints.search_policy, _next_constraint
    4            while p is not satisfied                       _repair.satisfy
    5                i_m := the group of I with the smallest    _repair._fix_rarest; _groups.image_of puts I
                     support                                    in this order
    6, 7             u_l := the utility constraint of i_m;      _repair._seek_partner
                     if it contains another group:
    8                    Generalize(i_m, u_l, P)
    9, 10            else Suppress(i_m, u_l, P, s)
    11 to 14     if I is a single group, and p not              _repair._fix_rarest, with
                 satisfied: Suppress                            ``single="suppress"``
    15       D~                                                 ConstraintSearch.item_groups

Algorithm 2, Generalize(i_m, u_l, P)::

    1        i_s := the group of u_l with the smallest          _repair._seek_partner, compare_losses
             utility loss of (i_m, i_s)
    2 to 6   (i_m, i_s) takes the place of both in P, U, D~     _repair._merge; _groups.merge_groups

Algorithm 3, Suppress(i_m, u_l, P, s)::

    1 to 4   i_m leaves P, U and D~                             _groups.suppress_group
    5, 6     if more than s% of the items are suppressed: no    _repair.satisfy; Coat.infeasible
             solution
"""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

from anonset.algorithms.base import Traits
from anonset.algorithms.transaction.item_sets.constraint_search import ConstraintSearch
from anonset.algorithms.transaction.item_sets.set_based import SetBased, group_text
from anonset.data.decimals import Written, exact, require_between_0_and_1
from anonset.errors import InfeasibleError
from anonset.spelling import setting

if TYPE_CHECKING:
    from anonset_kernels.item_sets._repair import RepairRule


@dataclass(frozen=True, kw_only=True)
class Coat(SetBased):
    """COAT: protect given itemsets by merging items within utility constraints, and by suppressing items.

    Guarantees that every privacy constraint is satisfied, that a utility constraint contains every group, and that at
    most the given share of the items is suppressed. Constraints are processed by descending support. The rarest item of
    a constraint is merged with the partner in the same utility constraint that causes the smallest utility loss.

    Cost: at most one step per item. The time of a step is linear in the number of items, and in the total length of the
    records that contain the merged groups. If all m-itemsets are protected, lengths are raised to the power of m - 1.
    Memory: a few arrays with an element for each item of each record. If all m-itemsets are protected and the table is
    in files, these arrays are also in files.

    References: Loukides, Gkoulalas-Divanis, Malin, "Towards utility-driven anonymization of transactions", 2010,
    Algorithms 1 to 3.
    Deviations: the paper's loop does not terminate if the rarest item has no partner and a support of at least k. In
    this case the next item of the constraint is tried, and finally the rarest item is suppressed. If all items of a
    constraint are in one group, the group is generalized. With ``single="suppress"`` it is suppressed, as in the paper.
    Constraints that a merge violates are satisfied again. Items that never occur are never merged.

    >>> from anonset.data import Table
    >>> table = Table.from_sets(["abc", "ab", "ac", "bd", "d"])
    >>> Coat(k=2, m=2).recode(table, {}).recoding.labels
    [('a', 'c'), ('b', 'd')]
    """

    name: ClassVar[str] = "coat"
    traits: ClassVar[Traits] = replace(SetBased.traits, memory_factor=1.7)

    max_suppressed: Annotated[Written, "Maximum share of the items that may be suppressed, in [0, 1]."] = 0.0
    single: Annotated[
        Literal["generalize", "suppress"],
        "Action for a constraint whose items are all in the same group (generalize or suppress).",
    ] = "generalize"

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "max_suppressed", require_between_0_and_1("max_suppressed", self.max_suppressed))

    def rule(self, n_items: int) -> "RepairRule":
        """Return the kernel parameters for a search over `n_items` items."""
        from anonset_kernels.item_sets._repair import COAT, RepairRule

        limit = int(exact(self.max_suppressed) * n_items)
        return RepairRule(self.k, self.m or 0, COAT, self.single == "suppress", limit)

    def infeasible(self, search: ConstraintSearch) -> InfeasibleError:
        """Return an error that states the required share of suppressed items (Algorithm 3, line 6)."""
        named = group_text(search.steps[-1].group)
        reason, where = self._dead_end(search, named)
        if self.single == "suppress" and search.column.n_nonempty >= self.k:
            reason = f"{named} must be suppressed"
        n_items, allowed = len(search.column.vocabulary), search.rule.limit
        search.restart(search.rule._replace(limit=n_items))
        search.run()
        needed = len(search.item_groups.suppressed)
        share = -(-needed * 10**6 // n_items) / 10**6
        reason = (
            f"{reason}: {needed} of {n_items} items must be suppressed, "
            f"{setting('max_suppressed', self.max_suppressed)} allows {allowed}; "
            f"{setting('max_suppressed', share)} or wider utility constraints may help"
        )
        bound = float(exact(self.max_suppressed))
        return InfeasibleError(self.name, reason, where, achieved=needed / n_items, bound=bound)
