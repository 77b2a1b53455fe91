"""Search for a hierarchy cut without rare sets. The rare sets of the count-tree are fixed one after the other.

A set of nodes is rare if 1 to k - 1 records contain it. A fix generalizes nodes so that the set becomes frequent.

Direct and apriori anonymization (Terrovitis, Mamoulis, Kalnis, VLDB 2008, sections 4.3 and 4.4) and derived algorithms
use this search. Rare sets are processed in count-tree order. A rare set is skipped if an earlier fix generalized one of
its nodes.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from anonset.algorithms.transaction.rare_sets.count_tree import CountTree
from anonset.algorithms.transaction.rare_sets.rare_above import RareAbove
from anonset.algorithms.transaction.rare_sets.rare_tables import BY_LARGEST, RareTable, RareTables
from anonset.algorithms.transaction.rare_sets.sets import Nodes, Pairs, RareSets, refuse_above
from anonset.algorithms.transaction.rare_sets.supported_nodes import SupportedNodes
from anonset.data import Hierarchy
from anonset.data.array_types import Int32, Int64
from anonset.data.blocks import Blocks
from anonset.data.distinct import positions
from anonset.data.progress import Progress
from anonset.data.redacted_repr import RedactedRepr
from anonset.data.spans import begins_of
from anonset.generalization import Cut
from anonset_kernels._arrays import Intervals, Tree, TreeShape

if TYPE_CHECKING:
    from anonset_kernels.cuts.fix import Data

TOGETHER_CELLS = 1 << 28
"""Maximum size, in bytes, of a byte matrix of the node pairs that occur together in a rare set (256 MiB)."""
MAX_RARE_SETS, MOST_IN_TABLES, BYTES_OF_MEMBER = 1 << 22, 1 << 24, 44
"""Limits for the rare sets of the cut in memory.

If a traversal of the count-tree finds the sets, their maximum number is MAX_RARE_SETS. If tables contain the sets, it
is MOST_IN_TABLES, or less if memory is limited. The search for rare sets above the cut needs BYTES_OF_MEMBER bytes for
each member of a set.
"""
STEPS_PER_RARE_SET = 1 << 10
"""Cost of counting the sets above a single rare set of the cut, in counting steps of a count-tree traversal."""
RECORDS_PER_RARE_SET, INCREMENTS_PER_RARE_SET = 20, 1 << 12
"""Cost of counting all nodes in tables. The unit is the cost of counting the sets above a single rare set of the cut.

The cost is one unit for every RECORDS_PER_RARE_SET records, plus one unit for every INCREMENTS_PER_RARE_SET counting
steps of the cut.
"""
LEAST_HOLDERS, HOLDERS_COUNTED = 16, 128
"""Estimated share of the sets above a rare set that must be counted if tables of infrequent sets exclude the others:
(LEAST_HOLDERS + k) / HOLDERS_COUNTED.
"""
_NO_RECORDS = (np.empty(0, np.int64), np.empty(0, np.int32), np.empty(0, np.int64), np.empty(0, np.int32))


@dataclass(frozen=True)
class FixedSet(RedactedRepr):
    """A rare set, and the nodes that the search generalized to make the set frequent."""

    itemset: tuple[str, ...]
    """Nodes of the rare set, in count-tree order (descending support)."""
    support: int
    """Support of the rare set, below k."""
    rules: tuple[str, ...]
    """Nodes that replace all nodes below them (rules of the paper), in preorder."""


def fixes_of(hierarchy: Hierarchy, sets: Int32, supports: Int32, rules: Int32) -> list[FixedSet]:
    """Return the fixes of rare sets, int32 (F, size), with supports, int32 (F,), and rules, int32 (F, size).

    Rows are padded with -1.
    """
    labels, fixes = hierarchy.labels, []
    for of_set, support, chosen in zip(sets.tolist(), supports.tolist(), rules.tolist(), strict=True):
        itemset, by = (tuple([labels[v] for v in nodes if v >= 0]) for nodes in (of_set, chosen))
        fixes.append(FixedSet(itemset, support, by))
    return fixes


def tree_of(hierarchy: Hierarchy, occurrences: Int64) -> Tree:
    """Return the tree that kernels search, and the leaf interval of each node.

    Parameters
    ----------
    occurrences
        Number of records with each leaf, int64 (M,).
    """
    running, leaves = begins_of(occurrences), hierarchy.n_leaves_below.astype(np.int64)
    intervals = Intervals(hierarchy.leaf_lo, hierarchy.leaf_hi)
    below = running[hierarchy.leaf_hi] - running[hierarchy.leaf_lo]
    return TreeShape(hierarchy.parent, hierarchy.subtree_end, below, leaves), intervals


class CutSearch:
    """Search for a hierarchy cut (c_out of the paper) that contains no rare set.

    Parameters
    ----------
    blocks
        Records, bound to the hierarchy (item codes are leaf positions).
    k
        Smallest support of a set that is not rare.
    start
        Initial cut. By default, each leaf is a node of the cut.
    max_increments
        Maximum number of counting steps per set size.
    """

    def __init__(
        self,
        blocks: Blocks,
        hierarchy: Hierarchy,
        k: int,
        *,
        start: Cut | None = None,
        max_increments: float = float("inf"),
        progress: Progress | None = None,
    ) -> None:
        self.hierarchy, self.k, self.max_increments = hierarchy, k, max_increments
        self.nodes = SupportedNodes(blocks, hierarchy, k, progress=progress)
        self.tree = tree_of(hierarchy, blocks.occurrences)
        self.image = hierarchy.leaf_node.copy() if start is None else start.image.copy()
        """Node that replaces each leaf, int32 (M,)."""
        self.generalized = np.zeros(hierarchy.n_nodes, np.uint8)
        """1 for nodes below the cut, uint8 (V,)."""
        for node in np.unique(self.image[self.image != hierarchy.leaf_node]):
            self.generalized[node + 1 : hierarchy.subtree_end[node]] = 1
        self.loss = self._losses()
        """NCP numerator if the leaves below each node are published as the node, int64 (V,)."""
        self.fixes: list[FixedSet] = []
        self.increments = 0.0
        """Number of counting steps so far. A step is a pair of a record and a counted set that the record contains.

        For size 2, the counted sets are all pairs of nodes on or above the cut, including pairs of related nodes. For
        larger sizes, they are the sets of nodes on the cut. If the cut has more than 16,384 nodes, sets of nodes above
        the cut are also counted.
        """

    @cached_property
    def data(self) -> "Data":
        """Items of each record, and records of each item."""
        from anonset_kernels.records.rows import transpose

        column = self.nodes.blocks.column
        rows = column.indptr, column.items
        return *rows, *transpose(*rows, self.hierarchy.n_leaves)

    def _losses(self) -> Int64:
        leaves = self.hierarchy.n_leaves_below[self.image].astype(np.int64)
        running = begins_of(np.where(leaves > 1, leaves * self.nodes.blocks.occurrences, 0))
        numerators: Int64 = running[self.hierarchy.leaf_hi] - running[self.hierarchy.leaf_lo]
        return numerators

    @property
    def cut(self) -> Cut:
        """Current cut."""
        return Cut(self.hierarchy, self.image.copy())

    @property
    def longest(self) -> int:
        """Length of the longest record. No larger set of cut nodes occurs."""
        return self.nodes.longest

    @property
    def _on_cut(self) -> Nodes:
        on_cut = np.zeros(self.hierarchy.n_nodes, np.bool_)
        on_cut[self.image] = True
        return on_cut

    @property
    def _on_or_above(self) -> Nodes:
        on_or_above: Nodes = self.generalized == 0
        return on_or_above

    def rare_sets(self, size: int) -> Iterator[RareSets]:
        """Yield the rare sets of exactly `size` nodes on or above the cut, in count-tree order.

        Raises
        ------
        TooLargeError
            If counting these sets would take more than `max_increments` counting steps.
        """
        if size == 1:
            yield self.nodes.rare(self._on_or_above)
        elif size == 2:
            yield from self._rare_pairs()
        else:
            yield from self._rare_larger_sets(size)

    def rare_leaves(self, m: int) -> Iterator[RareSets]:
        """Yield the rare leaves of the count-tree of sets of up to `m` nodes, in preorder.

        A leaf is a set without children in the tree, at any depth.
        """
        if m == 1:
            yield self.nodes.rare(self._on_or_above)
        elif m > 1:
            tree = self.nodes.count_tree(self._on_or_above, self.image, m)
            self._account(tree)
            yield from tree.rare_leaves(self.generalized)

    def tree_size(self, m: int) -> float:
        """Count the pairs of a record and a set of up to `m` nodes that the record contains."""
        tree = self.nodes.count_tree(self._on_or_above, self.image, 1)
        return sum(float(tree.increments(size).sum()) for size in range(1, m + 1))

    def fix(self, rare: RareSets, *, looked_up: bool = True) -> None:
        """Make the rare sets frequent by the cheapest rules, in order. Sets that earlier rules fix are skipped.

        Parameters
        ----------
        looked_up
            True to check in the records that each rule is frequent. The check is unnecessary if there are at least k
            non-empty records, and rare sets are passed by size, each size complete and in count-tree order. A rare rule
            would then be fixed before the rare set, because the rule is smaller or comes earlier in this order.
        """
        from anonset_kernels.cuts.fix import fix_threats

        if not len(rare.codes):
            return
        fixed, rules = np.empty(len(rare.codes), np.int32), np.empty_like(rare.codes)
        state = (self.loss, self.image, self.generalized, self.nodes.support)
        data = self.data if looked_up else _NO_RECORDS
        n_fixed = fix_threats(rare.codes, rare.node_of_code, self.tree, data, state, self.k, fixed, rules)
        codes, support = rare.codes[fixed[:n_fixed]], rare.support[fixed[:n_fixed]]
        members = np.where(codes >= 0, rare.node_of_code[codes], -1)
        self.fixes += fixes_of(self.hierarchy, members, support, rules[:n_fixed])

    def _rare_pairs(self) -> Iterator[RareSets]:
        yield from self._rare_of(self._tables(self._on_or_above, 2))

    def _tables(self, taking_part: Nodes, size: int, *, refused: bool = True) -> RareTables:
        """Return the tables of the sets of nodes in `taking_part`. If `refused` is True, the limit on counting steps
        applies.
        """
        most = self.max_increments if refused else float("inf")
        return self.nodes.rare_tables(taking_part, self.image, size, most)

    def _rare_of(self, tables: RareTables, *, accounted: bool = False) -> Iterator[RareSets]:
        """Yield the rare sets in tables. If `accounted` is True, `increments` already includes the counting."""
        for table in tables.of_all(self.generalized):
            self.increments += 0.0 if accounted else table.increments
            accounted = True  # the first table computes the counting steps of all tables
            yield from table.rare_sets(self.generalized)

    def _account(self, tree: CountTree) -> None:
        self.increments += tree.total
        refuse_above(self.max_increments, tree.size, tree.total)

    def _rare_larger_sets(self, size: int) -> Iterator[RareSets]:
        """Yield the rare sets of `size` nodes (>= 3).

        The rare sets of nodes on the cut are found first, because they are few and determine which sets above the cut
        can be rare. If it is cheaper, only the supports of these candidates are counted. Otherwise all sets are counted
        whose nodes can be rare together. If the cut has too many nodes for a matrix of pairs, all sets are counted.
        """
        live = self.nodes.by_support[self._on_or_above[self.nodes.by_support]]
        if np.count_nonzero(self._on_cut) ** 2 > TOGETHER_CELLS:
            yield from self._rare_above(size, live, None)
            return
        nodes, together, above = self._rare_on_cut(size, live)
        if above is not None:
            yield above.sets()
            return
        yield from self._rare_above(size, live, self._together_above(nodes, together, live), accounted=True)

    def _rare_on_cut(self, size: int, live: Int32) -> tuple[Int32, Pairs, RareAbove | None]:
        """Return the nodes of the cut by code, the pairs of codes in rare sets, and a search above the cut.

        The search is None if counting all nodes in `live` is cheaper.
        """
        on_cut, support = self._on_cut, self.nodes.support.astype(np.float64)
        tables = self._tables(on_cut, size)
        wider = support[live].sum() / max(1.0, support[tables.nodes].sum())
        in_tables = self._tables(self._on_or_above, size).few_passes

        share_counted = (LEAST_HOLDERS + self.k) / HOLDERS_COUNTED if size < BY_LARGEST else 1.0

        most = self.nodes.blocks.store.limits.at_once_within(MOST_IN_TABLES, BYTES_OF_MEMBER * size)

        def walked(increments: float, cost: float = 1.0, most: int = MAX_RARE_SETS) -> int:
            return int(min(most, increments * wider**size / STEPS_PER_RARE_SET / cost))

        def capacity(increments: float) -> int:
            estimate = self.nodes.blocks.n / RECORDS_PER_RARE_SET + increments / INCREMENTS_PER_RARE_SET
            # cost of finding the nodes that share a rare set with each node
            estimate = estimate / share_counted + len(live)
            return (
                min(int(estimate), walked(increments, share_counted, most))
                if in_tables
                else walked(increments, share_counted, most)
            )

        if tables.beats_walk:
            increments, together, rare, frequent = tables.rare_together(capacity)
            self.increments += increments
            return tables.nodes, together, self._above(rare, frequent)
        tree = self.nodes.count_tree(on_cut, self.image, size)
        self._account(tree)
        together, rare = tree.rare_together(walked(tree.total))
        return tree.node_of_code, together, self._above(rare, ())

    def _above(self, rare: RareSets | None, frequent: Sequence[RareTable]) -> RareAbove | None:
        has_cells = bool(frequent) and frequent[0].size != BY_LARGEST
        return None if rare is None else RareAbove(self.nodes, self.image, rare, frequent if has_cells else ())

    def _rare_above(
        self, size: int, live: Int32, together: Pairs | None, *, accounted: bool = False
    ) -> Iterator[RareSets]:
        """Yield the rare sets of nodes in `live`. If `together` is given, all pairs of a set must be marked in it."""
        takes_part = np.ones(len(live), np.bool_) if together is None else together.any(axis=1)
        taking_part = np.zeros(self.hierarchy.n_nodes, np.bool_)
        taking_part[live[takes_part]] = True
        tables = self._tables(taking_part, size, refused=together is None)
        if tables.beats_walk:
            yield from self._rare_of(tables, accounted=accounted)
            return
        tree = self.nodes.count_tree(taking_part, self.image, size)
        self.increments += 0.0 if accounted else tree.total
        if together is None:
            refuse_above(self.max_increments, tree.size, tree.total)
            yield from tree.rare_sets(self.generalized)
        else:
            yield from tree.rare_sets(self.generalized, together[np.ix_(takes_part, takes_part)])

    def _together_above(self, node_of_code: Int32, pairs: Pairs, live: Int32) -> Pairs | None:
        """Return 1 for each pair of nodes in `live` that can be in the same rare set, uint8 (R, R).

        This is the case if the cut has a rare set with a member at or below each of the two nodes. None if there are
        too many nodes.
        """
        if len(live) ** 2 > TOGETHER_CELLS:
            return None
        nodes = np.sort(live)
        place = positions(nodes, self.hierarchy.n_nodes)
        above = np.zeros((len(nodes), len(nodes)), np.uint8)
        codes = place[node_of_code]
        above[np.ix_(codes, codes)] = pairs
        parent = self.hierarchy.parent[nodes]
        for _ in range(2):  # copy the marks of each node to all its ancestors, first in the rows, then in the columns
            for node in range(len(nodes) - 1, -1, -1):
                if parent[node] > 0:
                    above[place[parent[node]]] |= above[node]
            above = np.ascontiguousarray(above.T)
        in_order: Pairs = above[np.ix_(place[live], place[live])]
        return in_order
