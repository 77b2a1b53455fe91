"""Find rare pairs of nodes. Rare pairs of siblings are found first, because each of them forces a node to be closed.

A closed node is published as this node or as an ancestor.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from anonset.algorithms.transaction.exact_cut.limits import LimitReached, SearchBudget
from anonset.algorithms.transaction.exact_cut.problem import CutProblem, Nodes, below_closed, entries
from anonset.algorithms.transaction.exact_cut.view import View
from anonset.algorithms.transaction.rare_sets.rare_tables import RareTables
from anonset.data.array_types import Int32, Int64, UInt64
from anonset.data.blocks import StoredRows, checked_rows
from anonset.data.distinct import positions
from anonset.data.redacted_repr import RedactedRepr
from anonset.data.spans import begins_of, spans_up_to
from anonset.errors import TooLargeError

CELLS_PER_PASS = 1 << 25
"""Number of counters per worker in each pass over the records."""
MAX_PAIR_BITS = 1 << 33
"""Maximum number of bits in a matrix of rare pairs (1 GiB, or about 90,000 nodes)."""
MAX_PAIR_WORK = 1 << 36
"""Maximum number of pairs of nodes to count in records, which takes some minutes."""
MAX_CHOSEN = 1 << 26
"""Maximum number of counted pairs that a pass stores, with a byte per pair. Larger selections are counted again."""
PAIRS_PER_CALL = 1 << 16
Counts = NDArray[np.unsignedinteger]


def rare_siblings(problem: CutProblem, closed: Nodes) -> Int32:
    """Return rare pairs of siblings on or above the closed nodes, int32 (n, 2), by parent.

    If a node has rare pairs of frequent children, the result contains at least one of these pairs. The result
    determines most of the nodes that must be closed. On kosarak (k=5, m=2), it determines 4,779 of 5,121 nodes from
    130,000 pairs, while a matrix of all pairs has 7 * 10^8 cells. Cost: a pass over the records for each
    `CELLS_PER_PASS` pairs of siblings.
    """
    hierarchy, k = problem.hierarchy, problem.k
    parent, entry = hierarchy.parent, entries(hierarchy, closed)
    children = np.flatnonzero((parent >= 0) & ~below_closed(hierarchy, closed)).astype(np.int32)
    children = children[np.lexsort((children, parent[children]))]
    width = np.bincount(parent[children], minlength=hierarchy.n_nodes).astype(np.int64)
    begin = np.searchsorted(parent[children], np.arange(hierarchy.n_nodes))
    index = np.zeros(hierarchy.n_nodes, np.int32)
    index[children] = np.arange(len(children)) - begin[parent[children]]
    pairs_of_span, done = [np.empty((0, 2), np.int32)], np.zeros(hierarchy.n_nodes, np.bool_)
    for first, last in spans_up_to(begins_of(width[parent[children]]), CELLS_PER_PASS):
        rows = children[first:last][~done[parent[children[first:last]]]]
        lengths = width[parent[rows]]
        place = np.full(hierarchy.n_nodes, -1, np.int64)
        place[rows] = np.cumsum(lengths) - lengths
        count = _CountSiblings(entry, (parent, index), place, k, int(lengths.sum()))
        store = problem.blocks.store
        groups = store.workers.divided(problem.blocks.rows, 1)
        cells = _summed(store.map(count, groups), np.zeros(count.n_cells, _counter(k)), k)
        rare = np.flatnonzero((cells > 0) & (cells < k))
        left = rows[np.searchsorted(place[rows], rare, side="right") - 1]
        right = children[begin[parent[left]] + rare - place[left]]
        pairs = np.stack([left, right], axis=1)
        pairs_of_span.append(pairs[(problem.support[pairs] >= k).all(axis=1)])
        done[parent[pairs_of_span[-1][:, 0]]] = True
    return np.concatenate(pairs_of_span)


@dataclass(frozen=True, eq=False)
class _CountSiblings(RedactedRepr):
    """Counts, up to `k`, the records of some blocks that contain each pair of siblings."""

    entry: Int32
    siblings: tuple[Int32, Int32]
    place: Int64
    k: int
    n_cells: int

    def __call__(self, blocks: Iterable[StoredRows]) -> Counts:
        from anonset_kernels.exact_cut.rare_pairs import count_siblings

        cells = np.zeros(self.n_cells, _counter(self.k))
        for rows in blocks:
            count_siblings(*checked_rows(rows, len(self.entry)), self.entry, self.siblings, self.place, self.k, cells)
        return cells


@dataclass(frozen=True, eq=False)
class CountedPairs(RedactedRepr):
    """Rare pairs of some nodes. They do not depend on the closed nodes."""

    nodes: Int32
    bits: UInt64
    """Rare pairs as bits, uint64 (C, W). The row of node a has a bit for each later node b > a."""

    def of(self, nodes: Int32) -> "CountedPairs | None":
        """Return the pairs of the given nodes. The rows and the bits follow the order of `nodes`.

        Return None if a node was not counted, or there are too many nodes.
        """
        n = len(self.nodes)
        place = np.full(max(int(self.nodes.max(initial=0)), int(nodes.max(initial=0))) + 1, -1, np.int64)
        place[self.nodes] = np.arange(n)
        positions = place[nodes]
        if n * n > MAX_CHOSEN or bool(np.any(positions < 0)):
            return None
        rare = np.unpackbits(self.bits.view(np.uint8), axis=1, bitorder="little")[:, :n]
        chosen = np.triu((rare | rare.T)[np.ix_(positions, positions)], 1)
        packed = np.packbits(chosen, axis=1, bitorder="little")
        bits = np.zeros((len(nodes), 8 * ((len(nodes) + 63) // 64)), np.uint8)
        bits[:, : packed.shape[1]] = packed
        return CountedPairs(nodes, bits.view(np.uint64))


class RarePairs:
    """Rare pairs of the nodes of a view, stored as bits. A view is the records as they appear if some nodes are closed.

    Cost: as few passes over the records as memory permits (`rare_tables`). No pass is needed if the pairs were counted
    for another view of the problem.

    Raises
    ------
    LimitReached
        If there are more nodes than `MAX_PAIR_BITS` allows, more than `MAX_PAIR_WORK` pairs to count, or no time
        remains.
    """

    def __init__(self, view: View, limits: SearchBudget, counted: CountedPairs | None = None) -> None:
        self.view, self._limits = view, limits
        reused = None if counted is None else counted.of(view.nodes)
        self.is_known = reused is not None
        """True if the pairs were known without counting."""
        self.counted = self._counted() if reused is None else reused

    def _counted(self) -> CountedPairs:
        view, problem, n = self.view, self.view.problem, len(self.view.nodes)
        if n * n > MAX_PAIR_BITS:
            msg = f"counting the pairs of {n:,} nodes exceeds the limit of {int(MAX_PAIR_BITS**0.5):,} nodes"
            raise LimitReached(msg)
        tables = RareTables(
            rows=view.records,
            store=view.store if len(view.records) > 1 else view.local_store,
            hierarchy=problem.hierarchy,
            image=view.entry,
            nodes=view.nodes,
            size=2,
            k=problem.k,
            progress=lambda *_: self._limits.check(),
            max_increments=MAX_PAIR_WORK,
        )
        try:
            return CountedPairs(view.nodes, tables.rare_bits())
        except TooLargeError:
            msg = f"the records contain more than {float(MAX_PAIR_WORK):.2g} pairs of nodes, the limit for counting"
            raise LimitReached(msg) from None

    def violated(self) -> Int32:
        """Return all maximal rare pairs with a clause that would be violated without suppression.

        The pairs are int32 (n, 2), in canonical order. The left node of each pair is first.
        """
        from anonset_kernels.exact_cut.rare_pairs import maximal_pairs

        view, first = self.view, 0
        nodes, n = view.nodes, len(view.nodes)
        buffer, pairs = np.empty((max(PAIRS_PER_CALL, n), 2), np.int32), [np.empty((0, 2), np.int32)]
        tree, code = view.problem.tree, positions(nodes, view.problem.hierarchy.n_nodes)
        while first < n:
            n_found, first = maximal_pairs(self.counted.bits, nodes, code, tree, view.point.closed, first, buffer)
            pairs.append(buffer[:n_found].copy())
        return np.concatenate(pairs)


def _summed(parts: Iterable[Counts], total: Counts, k: int) -> Counts:
    """Add the counts of parts to the total, up to `k`."""
    for counted in parts:
        np.minimum(counted, k - total, out=counted)
        total += counted
    return total


def _counter(k: int) -> type[np.unsignedinteger]:
    """Return the smallest integer type that can count to `k`."""
    return np.uint8 if k <= np.iinfo(np.uint8).max else np.uint16 if k <= np.iinfo(np.uint16).max else np.uint32
