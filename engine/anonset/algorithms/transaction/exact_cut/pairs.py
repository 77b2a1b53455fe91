"""Rare pairs: siblings first, which contract the hierarchy, then the maximal ones of what is left."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from anonset.algorithms.transaction.exact_cut.limits import LimitReached, SearchBudget
from anonset.algorithms.transaction.exact_cut.problem import CutProblem, Float64, Nodes, buried, entries
from anonset.algorithms.transaction.exact_cut.view import View
from anonset.algorithms.transaction.rare_tables import RareTables
from anonset.data.blocks import StoredRows, sound
from anonset.data.redacted_repr import Discreet
from anonset.data.table import Int32, Int64
from anonset.errors import TooLargeError

CELLS_PER_PASS = 1 << 25
"""Counts that a worker holds at a time; a pass over the records fills them."""
MAX_PAIR_BITS = 1 << 33
"""Pairs of nodes of which a bit each tells whether they are rare: 1 GiB, some 90,000 nodes."""
MAX_PAIR_WORK = 1 << 36
"""Pairs of nodes in records that are counted at a time: some minutes."""
MAX_CHOSEN = 1 << 26
"""Pairs of nodes of which those of some nodes are chosen, a byte each; of more they are counted anew."""
PAIRS_PER_CALL = 1 << 16
Counts = NDArray[np.unsignedinteger]


def rare_siblings(problem: CutProblem, closed: Nodes) -> Int32:
    """Return rare pairs of siblings that do not lie below closed nodes, int32 (n, 2), by their parents.

    There is at least one for each node that has any of frequent children. Nearly all nodes that must be closed are
    found so: 4,779 of the 5,121 of kosarak (k=5, m=2), in 130,000 cells, where a matrix of all pairs has 7 * 10^8.
    Cost: a pass over the records for each `CELLS_PER_PASS` pairs of siblings.
    """
    hierarchy, k = problem.hierarchy, problem.k
    parent, entry = hierarchy.parent, entries(hierarchy, closed)
    children = np.flatnonzero((parent >= 0) & ~buried(hierarchy, closed)).astype(np.int32)
    children = children[np.lexsort((children, parent[children]))]
    width = np.bincount(parent[children], minlength=hierarchy.n_nodes).astype(np.int64)
    begin = np.searchsorted(parent[children], np.arange(hierarchy.n_nodes))
    index = np.zeros(hierarchy.n_nodes, np.int32)
    index[children] = np.arange(len(children)) - begin[parent[children]]
    found, done = [np.empty((0, 2), np.int32)], np.zeros(hierarchy.n_nodes, np.bool_)
    for first, last in _spans(width[parent[children]].astype(np.float64), CELLS_PER_PASS):
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
        found.append(pairs[(problem.support[pairs] >= k).all(axis=1)])
        done[parent[found[-1][:, 0]]] = True
    return np.concatenate(found)


@dataclass(frozen=True, eq=False)
class _CountSiblings(Discreet):
    """Counts, up to `k`, the records of some blocks that hold pairs of siblings: see the kernel."""

    entry: Int32
    siblings: tuple[Int32, Int32]
    place: Int64
    k: int
    n_cells: int

    def __call__(self, blocks: Iterable[StoredRows]) -> Counts:
        """Return the counts, (n_cells,)."""
        from anonset_kernels.rare_pairs import count_siblings

        cells = np.zeros(self.n_cells, _counter(self.k))
        for rows in blocks:
            count_siblings(*sound(rows, len(self.entry)), self.entry, self.siblings, self.place, self.k, cells)
        return cells


@dataclass(frozen=True, eq=False)
class CountedPairs(Discreet):
    """Which pairs of some nodes are rare: the same wherever the nodes may be published."""

    nodes: Int32
    """int32 (C,)."""
    bits: NDArray[np.uint64]
    """uint64 (C, W): for the node in place a, a bit for each b > a."""

    def of(self, nodes: Int32) -> "CountedPairs | None":
        """Return the same of some of the nodes, in another order; None if one was not counted, or they are too many."""
        n = len(self.nodes)
        place = np.full(max(int(self.nodes.max(initial=0)), int(nodes.max(initial=0))) + 1, -1, np.int64)
        place[self.nodes] = np.arange(n)
        at = place[nodes]
        if n * n > MAX_CHOSEN or bool(np.any(at < 0)):
            return None
        rare = np.unpackbits(self.bits.view(np.uint8), axis=1, bitorder="little")[:, :n]
        chosen = np.triu((rare | rare.T)[np.ix_(at, at)], 1)
        packed = np.packbits(chosen, axis=1, bitorder="little")
        bits = np.zeros((len(nodes), 8 * ((len(nodes) + 63) // 64)), np.uint8)
        bits[:, : packed.shape[1]] = packed
        return CountedPairs(nodes, bits.view(np.uint64))


class RarePairs:
    """The pairs of a view's nodes that are rare, as a bit each.

    Cost: as few passes over the records as there is room for (`rare_tables`); none where the pairs were counted for
    another view of the problem.

    Raises
    ------
    LimitReached
        If there are more nodes than `MAX_PAIR_BITS` has room for, more to count than `MAX_PAIR_WORK`, or time is up.
    """

    def __init__(self, view: View, limits: SearchBudget, known: CountedPairs | None = None) -> None:
        self.view, self._limits = view, limits
        found = None if known is None else known.of(view.nodes)
        self.is_known = found is not None
        """Whether nothing was counted."""
        self.counted = self._counted() if found is None else found

    def _counted(self) -> CountedPairs:
        """Count the pairs of the view's nodes."""
        view, problem, n = self.view, self.view.problem, len(self.view.nodes)
        if n * n > MAX_PAIR_BITS:
            msg = f"pairs of {n:,} nodes would be counted, more than {int(MAX_PAIR_BITS**0.5):,}"
            raise LimitReached(msg)
        tables = RareTables(
            rows=view.records,
            store=view.store if len(view.records) > 1 else view.here,
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
            msg = f"more pairs of nodes in records would be counted than {float(MAX_PAIR_WORK):.2g}"
            raise LimitReached(msg) from None

    def violated(self) -> Int32:
        """Return the maximal rare pairs whose clause would be violated if nothing were suppressed.

        int32 (n, 2), the left node first, in canonical order: all there are.
        """
        from anonset_kernels.rare_pairs import maximal_pairs

        view, first = self.view, 0
        nodes, n = view.nodes, len(view.nodes)
        found, pairs = np.empty((max(PAIRS_PER_CALL, n), 2), np.int32), [np.empty((0, 2), np.int32)]
        tree, code = view.problem.tree, view.codes_of(nodes)
        while first < n:
            n_found, first = maximal_pairs(self.counted.bits, nodes, code, tree, view.point.closed, first, found)
            pairs.append(found[:n_found].copy())
        return np.concatenate(pairs)


def _summed(parts: Iterable[Counts], total: Counts, k: int) -> Counts:
    """Add what was counted of some parts, up to `k` each, to the total, which stops there too."""
    for counted in parts:
        np.minimum(counted, k - total, out=counted)
        total += counted
    return total


def _spans(work: Float64, limit: float) -> Iterator[tuple[int, int]]:
    """Cut rows into spans of at most `limit` work, or of one row."""
    done, first = np.cumsum(work), 0
    while first < len(work):
        before = done[first - 1] if first else 0.0
        last = max(first + 1, int(np.searchsorted(done, before + limit, side="right")))
        yield first, last
        first = last


def _counter(k: int) -> type[np.unsignedinteger]:
    """Return the smallest type that counts to `k`."""
    return np.uint8 if k <= np.iinfo(np.uint8).max else np.uint16 if k <= np.iinfo(np.uint16).max else np.uint32
