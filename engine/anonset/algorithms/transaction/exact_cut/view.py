"""The records as they look where some nodes are closed."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from anonset.algorithms.transaction.exact_cut.copies import FirstCopies, chosen_rows, first_copies
from anonset.algorithms.transaction.exact_cut.filed_copies import filed_copies
from anonset.algorithms.transaction.exact_cut.filed_rows import filed_rows, filed_values, pieces
from anonset.algorithms.transaction.exact_cut.limits import require_room
from anonset.algorithms.transaction.exact_cut.problem import CutProblem, Float64, Nodes, buried, entries, supports
from anonset.algorithms.transaction.expanded_blocks import BlockExpansion
from anonset.algorithms.transaction.expanded_records import expand_records
from anonset.data.blocks import Rows, StoredRows, sound
from anonset.data.distinct import distinct
from anonset.data.redacted_repr import Discreet
from anonset.data.spans import begins_of
from anonset.data.store import Files, Store, released
from anonset.data.table import Int32, Int64
from anonset_kernels._arrays import Expanded

_BYTES_OF_ENTRY = 8  # its code, and where it is
OPEN = 1e-6
"""What a node's closedness is below 1 by, at least, where it is not taken for closed."""


@dataclass(frozen=True, eq=False)
class Point(Discreet):
    """A solution of a relaxation, or of the problem itself."""

    closed: Float64
    """float64 (V,): how far each node is closed, 0 to 1; 0 for leaves."""
    suppressed: Float64
    """float64 (M,): how far each leaf is suppressed."""

    @property
    def is_integral(self) -> bool:
        """Whether all is zero or one."""
        values = np.concatenate([self.closed, self.suppressed])
        return bool((np.abs(values - np.round(values)) <= OPEN).all())

    def out_of_reach(self, problem: CutProblem) -> Float64:
        """Return how far each node is neither published nor above what is: float64 (V,)."""
        parent = problem.hierarchy.parent
        weight = np.where(parent >= 0, self.closed[parent], 0.0)
        weight[problem.hierarchy.leaf_node] += self.suppressed
        return weight


@dataclass(frozen=True, eq=False)
class ShowRecords(Discreet):
    """Makes records of a part into what a view shows of them."""

    first: Int32 | None
    """int32 (M,): the first leaf of the node at which each leaf enters, which stands for it; None: each for itself."""
    n_leaves: int
    least: int
    """Records with fewer symbols are left out."""

    def __call__(self, rows: StoredRows) -> Rows:
        """Return the records as they are shown."""
        from anonset_kernels.rows import map_rows

        rows = sound(rows, self.n_leaves)
        if self.first is not None:
            rows = map_rows(*rows, self.first, self.n_leaves)
        long = np.diff(rows[0]) >= self.least
        return rows if bool(long.all()) else chosen_rows(rows, long)


@dataclass(frozen=True, eq=False)
class View(Discreet):
    """The records that show at least some symbols where the nodes are closed that a point closes that far.

    Without suppression a record holds one leaf for each node at which some of its leaves enter: all that a search above
    the closed nodes can tell apart. With it the records stay as they are, for leaves are what is suppressed.
    """

    problem: CutProblem
    records: Sequence[StoredRows]
    """The records in parts, or what was gathered of them under nodes that are closed here too."""
    point: Point
    threshold: float
    """Nodes that are at least so far closed are closed; leaves that are at least so far out of reach are not shown."""
    least: int
    """Records with fewer symbols are left out: they hold no set of that many nodes."""

    @cached_property
    def closed(self) -> Nodes:
        """Bool (V,): the nodes that are closed."""
        reached: Nodes = self.point.closed >= self.threshold
        return reached

    @cached_property
    def entry(self) -> Int32:
        """int32 (M,): the node at which each leaf enters."""
        return entries(self.problem.hierarchy, self.closed)

    @cached_property
    def shown(self) -> ShowRecords:
        """What makes a part into what is shown: without suppression, nodes at which leaves enter as first leaves."""
        hierarchy = self.problem.hierarchy
        first = None if self.problem.suppress else hierarchy.leaf_lo[self.entry]
        return ShowRecords(first, hierarchy.n_leaves, self.least)

    @property
    def store(self) -> Store:
        """The directory in whose files the records lie, and what is made of them."""
        return self.problem.blocks.store

    @property
    def here(self) -> Store:
        """The store with workers of this process, for records that were gathered."""
        return self.store.here()

    @cached_property
    def rows(self) -> Rows:
        """The records, where they are in one part; in files, if these are."""
        (rows,) = self.records
        if not self.store.in_files:
            return self.shown(rows)
        return filed_rows(self.store, self.here.map(self.shown, pieces(rows)))

    def gathered(self) -> Rows:
        """Return the records as one part, but of equal ones only k: enough for every view with more nodes closed."""
        parts, store, anew = self.records, self.store, len(self.records) == 1
        if anew:
            parts, store = pieces(parts[0]), self.here
        reduce = FirstCopies(self.shown, self.problem.k)
        if isinstance(store, Files):
            return filed_copies(parts, reduce, store, anew=anew)
        return first_copies(parts, reduce, store)

    @cached_property
    def support(self) -> Int64:
        """int64 (V,): number of these records that hold each node."""
        hierarchy = self.problem.hierarchy
        if len(self.records) == 1:
            return supports(hierarchy, pieces(self.rows), self.here)
        return supports(hierarchy, self.records, self.store, self.shown)

    @cached_property
    def nodes(self) -> Int32:
        """int32: the nodes that may be published above the closed ones, by falling support, then in preorder.

        Left out are the root, which is related to all others, and nodes that are rare by themselves: their own
        clauses say more than those of sets that hold them.
        """
        problem = self.problem
        taken: Nodes = ~buried(problem.hierarchy, self.closed) & (self.support > 0) & (problem.support >= problem.k)
        taken[0] = False
        nodes = np.flatnonzero(taken).astype(np.int32)
        return nodes[np.lexsort((nodes, -self.support[nodes]))]

    @cached_property
    def cut(self) -> Int32:
        """int32: the nodes at which shown leaves enter, in the order of `nodes`."""
        hierarchy = self.problem.hierarchy
        far = self.point.out_of_reach(self.problem)[hierarchy.leaf_node] >= self.threshold
        shown = np.zeros(hierarchy.n_nodes, np.bool_)
        shown[self.entry[(self.entry != hierarchy.leaf_node) | ~far]] = True
        return self.nodes[shown[self.nodes]]

    def codes_of(self, nodes: Int32) -> Int32:
        """Return int32 (V,): the position of each node in `nodes`; -1 for others."""
        code = np.full(self.problem.hierarchy.n_nodes, -1, np.int32)
        code[nodes] = np.arange(len(nodes), dtype=np.int32)
        return code

    def expanded(self, nodes: Int32) -> Expanded:
        """Store the records as ascending positions in `nodes`, and where each stands, as `count_tree.expand` does.

        Raises
        ------
        InputError
            If the limit on the memory has no room for that.
        """
        from anonset_kernels.suffixes import place_codes

        hierarchy, support = self.problem.hierarchy, self.support[nodes]
        (indptr, items), n = self.rows, int(support.sum())
        if not self.store.in_files:
            require_room(self.store.limits, _BYTES_OF_ENTRY * (n + len(indptr)) + indptr.nbytes + items.nbytes)
            return expand_records(self.rows, self.entry, hierarchy.parent, nodes, support)[1]
        expand = BlockExpansion.of(hierarchy, self.entry, self.codes_of(nodes), len(nodes))
        codes = filed_values(self.store, self.here.map(expand, pieces(self.rows)), np.int32)
        start = begins_of(support)
        position = released(
            self.store.array("places", np.int32 if len(codes) <= np.iinfo(np.int32).max else np.int64, n)
        )
        place_codes(codes, start[:-1].copy(), position)
        return Expanded(codes, start, position)

    @property
    def expansion(self) -> BlockExpansion:
        """What stores shown records as ascending positions in `nodes`."""
        nodes = self.nodes
        return BlockExpansion.of(self.problem.hierarchy, self.entry, self.codes_of(nodes), len(nodes))

    def postings(self, sets: Int32) -> tuple[Int64, Int32]:
        """Return the records that hold each member of sets of `nodes`, and each node above one but the root.

        Parameters
        ----------
        sets
            int32 (n, j).

        Returns
        -------
        int64 (V + 1,) and int32
            Where the records of each node begin, and these, ascending.
        """
        from anonset_kernels.rare_sets import node_postings

        hierarchy, parent = self.problem.hierarchy, self.problem.hierarchy.parent
        wanted, members = np.zeros(hierarchy.n_nodes, np.bool_), distinct(sets.ravel())
        while len(members):
            wanted[members] = True
            members = distinct(parent[members[members > 0]])
        wanted[0] = False
        start = begins_of(np.where(wanted, self.support, 0))
        n = int(start[-1])
        records = released(self.store.array("records", np.int32, n))
        node_postings(*self.rows, self.entry, parent, start, records)
        return start, records
