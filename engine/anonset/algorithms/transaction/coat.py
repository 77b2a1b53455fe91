"""COAT (constraint-based anonymization of transactions) of Loukides, Gkoulalas-Divanis, Malin, 2010, section 4."""

from collections.abc import Mapping
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import ClassVar, Literal

from anonset.algorithms.base import Progress, Result
from anonset.algorithms.transaction.constraint_search import (
    ClusterSearch,
    ConstraintSearch,
    Settings,
    constraint_set,
    require_weights,
    set_column,
)
from anonset.data import Hierarchy, SetColumn, Table
from anonset.data.discreet import Discreet
from anonset.data.exact import Written, require_between_0_and_1
from anonset.errors import InputError
from anonset.measures.item_weights import ItemWeights
from anonset.privacy.constraints import ConstraintSet
from anonset.privacy.policies import PrivacyPolicy, UtilityPolicy


@dataclass(frozen=True, kw_only=True)
class Coat(Discreet):
    """COAT: protect given itemsets by merging items, within utility constraints; suppress what cannot be merged.

    Guarantees that every privacy constraint is satisfied, that every group lies inside one utility constraint, and
    that at most the given part of the items is suppressed. The constraint with the largest support comes first; its
    rarest item is merged with the item of its utility constraint for which the utility loss of the two is smallest.

    Cost: at most one step per item; a step costs the number of items, and the records of the groups it touches
    times their length (in k^m mode: to the power of m - 1). Memory: a few arrays over the items of the records.

    References: Loukides, Gkoulalas-Divanis, Malin, "Towards utility-driven anonymization of transactions", 2010,
    Algorithms 1 to 3.
    Deviations: where the paper's loop would not end (no partner, and support at least k), the next item of the
    constraint is tried, and at last the rarest one suppressed; a constraint on one group is generalized
    (``single="suppress"`` does as printed); constraints that a merge has broken are satisfied again. Items that
    never occur are never merged.

    >>> from anonset.data import Table
    >>> table = Table.from_sets(["abc", "ab", "ac", "bd", "d"])
    >>> Coat(k=2, m=2).recode(table, {}).recoding.labels
    [('a', 'c'), ('b', 'd')]
    """

    name: ClassVar[str] = "coat"
    forms_sets: ClassVar[bool] = True

    k: int
    """Smallest number of records that show a part of a protected itemset, if any does (>= 1)."""
    m: int | None = None
    """Protect all itemsets of so many items (>= 1)."""
    constraints: PrivacyPolicy | None = None
    """Protect these itemsets instead."""
    utility: UtilityPolicy | None = None
    """Items that may be generalized together; by default all."""
    max_suppressed: Written = 0.0
    """Largest part of the items that may be suppressed, in [0, 1]."""
    item_weights: str | ItemWeights | None = None
    """Weights of the utility loss: ``lca`` (default with a hierarchy), ``uniform`` (without), ``ones``, or own ones."""
    single: Literal["generalize", "suppress"] = "generalize"
    """What to do with a constraint whose items are one group."""

    def __post_init__(self) -> None:
        _ = self.model
        object.__setattr__(self, "max_suppressed", require_between_0_and_1("max_suppressed", self.max_suppressed))
        require_weights(self.item_weights)
        if self.single not in ("generalize", "suppress"):
            msg = f"single must be 'generalize' or 'suppress', got {self.single!r}"
            raise InputError(msg)

    @property
    def model(self) -> ConstraintSet:
        """The privacy constraints."""
        return constraint_set(self.k, self.m, self.constraints)

    def recode(
        self,
        table: Table,
        hierarchies: Mapping[str, Hierarchy],
        *,
        executor: Executor | None = None,
        progress: Progress | None = None,
    ) -> Result:
        """Find the item groups; the trace lists merges and suppressions in order.

        Raises
        ------
        InfeasibleError
            If more items would have to be suppressed than allowed.
        InputError
            If a constraint speaks of unknown items, or the utility constraints are no partition of the items.
        """
        return ConstraintSearch(*set_column(table, hierarchies), self._settings).run(progress)

    def on_clusters(self, column: SetColumn, hierarchy: Hierarchy | None = None) -> ClusterSearch:
        """Return a function that searches on parts of a column, given by their records, each on its own."""
        return ClusterSearch(column, hierarchy, self._settings)

    @property
    def _settings(self) -> Settings:
        suppress_single = self.single == "suppress"
        return Settings("coat", self.model, self.utility, self.item_weights, self.max_suppressed, suppress_single)
