"""Records as they appear if some nodes of the hierarchy are closed.

A closed node replaces all items below it. The highest closed node above a leaf is the leaf's entry node. A leaf without
a closed node is its own entry node.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from anonset.algorithms.transaction.exact_cut.copies import FirstCopies, chosen_rows, first_copies
from anonset.algorithms.transaction.exact_cut.filed_copies import filed_copies
from anonset.algorithms.transaction.exact_cut.filed_rows import filed_rows, filed_values, pieces
from anonset.algorithms.transaction.exact_cut.limits import require_room
from anonset.algorithms.transaction.exact_cut.problem import CutProblem, Nodes, entries, supports
from anonset.algorithms.transaction.rare_sets.expanded_blocks import BlockExpansion
from anonset.algorithms.transaction.rare_sets.expanded_records import expand_records
from anonset.data.array_types import Float64, Int32, Int64
from anonset.data.blocks import Rows, StoredRows, checked_rows
from anonset.data.distinct import distinct, positions
from anonset.data.redacted_repr import RedactedRepr
from anonset.data.spans import begins_of
from anonset.data.storage.store import Files, Store, delete_when_collected
from anonset_kernels._arrays import ExpandedCodes

_BYTES_OF_ENTRY = 8  # code and position
OPEN = 1e-6
"""Tolerance for the values of a solution. A node counts as closed if its value is at least 1 minus this tolerance."""


@dataclass(frozen=True, eq=False)
class Point(RedactedRepr):
    """A solution of the relaxation or of the integer program."""

    closed: Float64
    """Value of each node, from 0 (open) to 1 (closed), float64 (V,). 0 for leaves."""
    suppressed: Float64
    """Value of each leaf, from 0 (published) to 1 (suppressed), float64 (M,)."""

    @property
    def is_integral(self) -> bool:
        """True if all values are 0 or 1."""
        values = np.concatenate([self.closed, self.suppressed])
        return bool((np.abs(values - np.round(values)) <= OPEN).all())

    def unpublished_degree(self, problem: CutProblem) -> Float64:
        """Return the degree, from 0 to 1, to which each node and all nodes below it are unpublished, float64 (V,)."""
        parent = problem.hierarchy.parent
        weight = np.where(parent >= 0, self.closed[parent], 0.0)
        weight[problem.hierarchy.leaf_node] += self.suppressed
        return weight


@dataclass(frozen=True, eq=False)
class ShowRecords(RedactedRepr):
    """Converts the records of a part to their form in a view."""

    first: Int32 | None
    """Leaf that replaces each leaf, int32 (M,). It is the first leaf below the entry node. None if leaves are
    unchanged.
    """
    n_leaves: int
    least: int
    """Minimum number of symbols of a record. Shorter records are removed."""

    def __call__(self, rows: StoredRows) -> Rows:
        """Return the records as they appear in the view."""
        from anonset_kernels.records.rows import map_rows

        rows = checked_rows(rows, self.n_leaves)
        if self.first is not None:
            rows = map_rows(*rows, self.first, self.n_leaves)
        long = np.diff(rows[0]) >= self.least
        return rows if bool(long.all()) else chosen_rows(rows, long)


@dataclass(frozen=True, eq=False)
class View(RedactedRepr):
    """Records as they appear if all nodes with at least a given closedness are closed.

    Without suppression, a record contains a single leaf for each entry node of its leaves. This suffices for a search
    above the closed nodes. With suppression, records are unchanged, because leaves are suppressed individually.
    """

    problem: CutProblem
    records: Sequence[StoredRows]
    """Records in parts. They may come from a view whose closed nodes are also closed in this view."""
    point: Point
    threshold: float
    """Value from which a node counts as closed, and unpublished degree from which a leaf counts as suppressed."""
    least: int
    """Minimum number of symbols. Shorter records contain no set of this size."""

    @cached_property
    def closed(self) -> Nodes:
        """Closed nodes, bool (V,)."""
        reached: Nodes = self.point.closed >= self.threshold
        return reached

    @cached_property
    def entry(self) -> Int32:
        """Entry node of each leaf, int32 (M,)."""
        return entries(self.problem.hierarchy, self.closed)

    @cached_property
    def shown(self) -> ShowRecords:
        """Conversion of the records of a part. If leaves cannot be suppressed, each leaf is replaced by the first leaf
        below its entry node.
        """
        hierarchy = self.problem.hierarchy
        first = None if self.problem.suppress else hierarchy.leaf_lo[self.entry]
        return ShowRecords(first, hierarchy.n_leaves, self.least)

    @property
    def store(self) -> Store:
        """Store of the records and of files derived from the records."""
        return self.problem.blocks.store

    @property
    def local_store(self) -> Store:
        """Store whose workers are in this process. It is used for gathered records."""
        return self.store.with_local_workers()

    @cached_property
    def rows(self) -> Rows:
        """Records of a view with a single part, in files if the store is in files."""
        (rows,) = self.records
        if not self.store.in_files:
            return self.shown(rows)
        return filed_rows(self.store, self.local_store.map(self.shown, pieces(rows)))

    def gathered(self) -> Rows:
        """Return the records as a single part, with at most k copies of equal records.

        The result can be used for every view in which more nodes are closed.
        """
        parts, store, anew = self.records, self.store, len(self.records) == 1
        if anew:
            parts, store = pieces(parts[0]), self.local_store
        reduce = FirstCopies(self.shown, self.problem.k)
        if isinstance(store, Files):
            return filed_copies(parts, reduce, store, anew=anew)
        return first_copies(parts, reduce, store)

    @cached_property
    def support(self) -> Int64:
        """Number of records in `records` that contain each node, int64 (V,)."""
        hierarchy = self.problem.hierarchy
        if len(self.records) == 1:
            return supports(hierarchy, pieces(self.rows), self.local_store)
        return supports(hierarchy, self.records, self.store, self.shown)

    @cached_property
    def nodes(self) -> Int32:
        """Nodes that may be published above the closed nodes, int32, by descending support, then in preorder.

        The root is excluded, because it is an ancestor of all other nodes. Nodes that are rare by themselves are
        excluded, because their clauses imply the clauses of sets that contain them.
        """
        return self.problem.frequent(self.closed, self.support)

    @cached_property
    def cut(self) -> Int32:
        """Distinct entry nodes of all leaves that are not suppressed, int32, in the order of `nodes`."""
        hierarchy = self.problem.hierarchy
        far = self.point.unpublished_degree(self.problem)[hierarchy.leaf_node] >= self.threshold
        shown = np.zeros(hierarchy.n_nodes, np.bool_)
        shown[self.entry[(self.entry != hierarchy.leaf_node) | ~far]] = True
        return self.nodes[shown[self.nodes]]

    def expanded(self, nodes: Int32) -> ExpandedCodes:
        """Return the records as ascending positions in `nodes`, with an index, as `count_tree.expand` does.

        Raises
        ------
        InputError
            If the records exceed the memory limit.
        """
        from anonset_kernels.rare_sets.suffixes import place_codes

        hierarchy, support = self.problem.hierarchy, self.support[nodes]
        (indptr, items), n = self.rows, int(support.sum())
        if not self.store.in_files:
            require_room(self.store.limits, _BYTES_OF_ENTRY * (n + len(indptr)) + indptr.nbytes + items.nbytes)
            return expand_records(self.rows, self.entry, hierarchy.parent, nodes, support)[1]
        expand = BlockExpansion.of(hierarchy, self.entry, positions(nodes, hierarchy.n_nodes), len(nodes))
        codes = filed_values(self.store, self.local_store.map(expand, pieces(self.rows)), np.int32)
        start = begins_of(support)
        position = delete_when_collected(
            self.store.array("places", np.int32 if len(codes) <= np.iinfo(np.int32).max else np.int64, n)
        )
        place_codes(codes, start[:-1].copy(), position)
        return ExpandedCodes(codes, start, position)

    def postings(self, sets: Int32) -> tuple[Int64, Int32]:
        """Return the records that contain each member of some sets, or an ancestor of a member except the root.

        Parameters
        ----------
        sets
            Sets of positions in `nodes`, int32 (n, j).

        Returns
        -------
        int64 (V + 1,) and int32
            Start of each node's records, and the records of each node in ascending order.
        """
        from anonset_kernels.exact_cut.rare_sets import node_postings

        hierarchy, parent = self.problem.hierarchy, self.problem.hierarchy.parent
        needed, members = np.zeros(hierarchy.n_nodes, np.bool_), distinct(sets.ravel())
        while len(members):
            needed[members] = True
            members = distinct(parent[members[members > 0]])
        needed[0] = False
        start = begins_of(np.where(needed, self.support, 0))
        n = int(start[-1])
        records = delete_when_collected(self.store.array("records", np.int32, n))
        node_postings(*self.rows, self.entry, parent, start, records)
        return start, records
