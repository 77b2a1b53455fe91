"""Joint top-down splitting of RT-datasets, which minimizes a weighted sum of relational loss and item loss.

The algorithm is unpublished. A region is a range or a set of values of a column. The algorithm has three phases::

    grow      split the records by one column, as long as the weighted loss decreases       TreeGrowth.grow
    prune     remove splits, for all smaller weights                                        pruning.frontier
    leaves    anonymize the items of each leaf by the transaction function                  ClusterFunction.mappings
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Annotated, ClassVar, Literal

import numpy as np

from anonset.algorithms.base import Result, Traits, traits_of
from anonset.algorithms.parameters import Parameters
from anonset.algorithms.relational.base import bind_tuples
from anonset.algorithms.rt.base import UsesTransactionAlgorithm, require_items, transaction_function
from anonset.algorithms.rt.cluster_function import ClusterFunction, TransactionClass
from anonset.algorithms.rt.joint.growth import WHOLE, Losses, Node, TreeGrowth
from anonset.algorithms.rt.joint.pruning import Pruning, frontier
from anonset.algorithms.rt.joint.regions import Axis, axes_of
from anonset.algorithms.rt.joint.scores import Scores
from anonset.algorithms.rt.results import empty_result
from anonset.algorithms.transaction.cluster_mappings import ClusterMapping
from anonset.algorithms.transaction.item_sets.set_search import SetSearch
from anonset.data import Hierarchy, Table
from anonset.data.decimals import Written, exact, shortest_float
from anonset.data.progress import Progress, report_progress
from anonset.errors import InputError
from anonset.generalization import Cut, ItemGroups, PerCluster, RelationalValues
from anonset.privacy import PartitionKmAnonymity
from anonset.spelling import setting

PointName = Literal["items", "balanced", "attributes"]
LARGEST_RELATIONAL_LOSS: Mapping[str, Fraction] = {
    "items": Fraction(30, 100),
    "balanced": Fraction(10, 100),
    "attributes": Fraction(3, 100),
}
"""Largest relational loss (RUM) of each `point`. The benchmark `rt_frontier` compares the results."""
LARGEST_WEIGHT = WHOLE // 2
"""Largest weight, in millionths, that the search for a `point` tries."""
_PLACES = 6
_AT_ONCE = 64
"""Number of leaves that are anonymized between two progress reports."""


@dataclass(frozen=True, kw_only=True)
class JointSplit(UsesTransactionAlgorithm, Parameters):
    """Split the records top-down by relational values while the weighted sum of relational and item loss decreases.

    Guarantees (k, k^m)-anonymity. All records of a leaf have the same published relational values, and the items of a
    leaf are k^m-anonymous. Cost: for each tree level and relational column, the pairs of nodes above the items of each
    record are counted. For m > 2, larger sets are also counted. The transaction algorithm runs on each leaf.

    Items influence the choice of splits, so a published boundary discloses that the item distributions on its two sides
    differ (minimality). Each side has at least k records, and range ends are rounded.

    References: none (developed for this library).
    Deviations: a leaf publishes only the part of a region that occurs in its records. On two data sets with a
    relational loss of 0.31, this lowers the errors of the counts of frequent items and pairs from 5.7 and 9.0 % to 4.3
    and 8.6 %. Range ends are rounded outward to the grid of the column.
    """

    name: ClassVar[str] = "joint-split"
    traits: ClassVar[Traits] = Traits(
        memory_factor=1.6,
        split_records=1 << 18,
        splits_in_memory=True,
        forms_sets=True,
        keeps_more=True,
        answers=("kkm", "klm"),
    )

    k: Annotated[int, "Minimum number of records that share relational values and up to m items (>= 1)."]
    m: Annotated[int, "Maximum number of items that the attacker knows (>= 1)."]
    w: Annotated[
        Written | None,
        "Weight of the relational loss, from 0 to 1, with at most 6 decimals. The item loss has the weight 1 - w. "
        "Larger weights preserve more of the relational values. Weights for different data are not comparable.",
    ] = None
    point: Annotated[
        PointName | None,
        'Data to preserve if no weight `w` is given. The relational loss is at most 0.3 for "items", 0.1 for '
        '"balanced" (the default), and 0.03 for "attributes".',
    ] = None
    transaction: Annotated[
        TransactionClass,
        "Class of the transaction algorithm, called with k and m. For diversity, ``partial(LmApriori, l=.., ..)``.",
    ] = SetSearch

    def __post_init__(self) -> None:
        if self.w is not None:
            if self.point is not None:
                raise InputError(f"use {setting('w')} or {setting('point')}, not both")
            object.__setattr__(self, "w", _weight(self.w))
        super().__post_init__()
        function = self.algorithm
        if isinstance(function.model, PartitionKmAnonymity):
            option = setting("transaction", function.name)
            raise InputError(f"joint-split does not support {option}, which uses several mappings in a cluster")

    @property
    def own_traits(self) -> Traits:
        """Traits of the algorithm. It publishes sets of items if the transaction algorithm does."""
        traits = traits_of(self.algorithm)
        return replace(self.traits, forms_sets=traits.forms_sets, sets_from_data=traits.sets_from_data)

    @property
    def largest_relational_loss(self) -> Fraction:
        """Largest relational loss (RUM) of the requested `point`."""
        return LARGEST_RELATIONAL_LOSS[self.point or "balanced"]

    def recode(self, table: Table, hierarchies: Mapping[str, Hierarchy], *, progress: Progress | None = None) -> Result:
        """Grow a tree, prune it, and anonymize each leaf. `Result.trace` contains the prunings.

        Raises
        ------
        InfeasibleError
            If there are fewer than k records, or no mapping makes the items of all records anonymous.
        InputError
            If a column or a hierarchy is missing or invalid.
        """
        require_items(table)
        qi = bind_tuples(self.name, self.k, table, hierarchies, None)
        if not qi.n:
            return empty_result(table)
        table = table.with_workers(table.store.workers.local)
        function = transaction_function(self.algorithm, self.k, table, hierarchies)
        everyone = np.arange(qi.n, dtype=np.int64)
        if function.infeasible([everyone]).any():
            raise function.infeasible_at_all(self.name, everyone)

        axes, column = axes_of(qi, self.k), function.column
        losses = Losses(axes, qi.n, len(column.vocabulary), len(column.items))
        growth = TreeGrowth(losses, Scores(column, self.k, self.m), function.infeasible, self.k, table.store, progress)
        w = self._given if self._given is not None else self._least_weight(growth)
        tree = growth.grow(w)
        points = frontier(tree, losses, w)
        leaves = sorted(tree.leaves, key=lambda leaf: int(leaf.members[0]))
        items = function.recoding(_mappings(function, leaves, progress))
        return _published(leaves, axes, [c.name for c in qi.columns], items, losses, w, points)

    @property
    def _given(self) -> int | None:
        """Requested weight in millionths."""
        return None if self.w is None else int(exact(self.w) * WHOLE)

    def _least_weight(self, growth: TreeGrowth) -> int:
        """Return a weight, in millionths, for which the tree meets the loss limit of the `point`.

        The search tries ascending powers of 2. It then bisects between the largest failing and the smallest successful
        weight, until they are within 1/16 of each other. If no weight up to 1/2 meets the limit, 1/2 is returned.
        """
        largest = self.largest_relational_loss

        def reaches(w: int) -> bool:
            loss = sum(leaf.relational for leaf in growth.grow(w).leaves)
            return loss <= largest * growth.losses.relational_unit

        fails, w = 0, 1
        while not reaches(w):
            if w == LARGEST_WEIGHT:
                return w
            fails, w = w, min(2 * w, LARGEST_WEIGHT)
        while w - fails > max(1, w >> 4):
            middle = (w + fails) >> 1
            fails, w = (fails, middle) if reaches(middle) else (middle, w)
        return w


def _weight(w: Written) -> float | Fraction:
    """Return the exact weight, as a float if possible.

    Raises
    ------
    InputError
        If the weight is not from 0 to 1, or has more than 6 decimals.
    """
    try:
        number = exact(w)
    except ValueError:
        number = Fraction(-1)
    if not 0 <= number <= 1 or (number * 10**_PLACES).denominator > 1:
        raise InputError(f"{setting('w')} must be from 0 to 1, with at most {_PLACES} decimals, got {w}")
    return shortest_float(number)


def _mappings(function: ClusterFunction, leaves: list[Node], progress: Progress | None) -> list[ClusterMapping]:
    mappings: list[ClusterMapping] = []
    for first in range(0, len(leaves), _AT_ONCE):
        mappings += function.mappings([leaf.members for leaf in leaves[first : first + _AT_ONCE]])
        report_progress(progress, "leaves anonymized", len(mappings), len(leaves))
    return mappings


def _published(
    leaves: list[Node],
    axes: tuple[Axis, ...],
    names: list[str],
    items: Sequence[Cut | ItemGroups],
    losses: Losses,
    w: int,
    points: list[Pruning],
) -> Result:
    cluster = np.empty(losses.records, np.int32)
    for number, leaf in enumerate(leaves):
        cluster[leaf.members] = number
    values = tuple(
        RelationalValues(name, tuple(axis.label(leaf.regions[a]) for leaf in leaves))
        for a, (name, axis) in enumerate(zip(names, axes, strict=True))
    )
    sizes = [len(leaf.members) for leaf in leaves]
    figures = {
        "w": w / WHOLE,
        "rum": sum(leaf.relational for leaf in leaves) / losses.relational_unit,
        "estimated_item_loss": sum(leaf.items for leaf in leaves) / losses.items_unit,
        "clusters": float(len(leaves)),
        "largest_cluster": float(max(sizes)),
        "smallest_cluster": float(min(sizes)),
    }
    return Result(PerCluster(cluster, items, values), tuple(points), figures)
