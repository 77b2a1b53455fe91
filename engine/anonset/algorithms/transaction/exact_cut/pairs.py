"""Rare pairs: siblings first, which contract the hierarchy, then the maximal ones of what is left."""

from collections.abc import Iterator
from concurrent.futures import Executor

import numpy as np
from numpy.typing import NDArray

from anonset.algorithms.base import run_tasks
from anonset.algorithms.transaction.exact_cut.limits import LimitReached, Limits
from anonset.algorithms.transaction.exact_cut.problem import CutProblem, Float64, Nodes, buried, entries
from anonset.algorithms.transaction.exact_cut.view import View
from anonset.data.blocks import require_sound
from anonset.data.table import Int32

CELLS_PER_PASS = 1 << 25
"""Counts that a worker holds at a time; a pass over the records fills them."""
MAX_PAIR_BITS = 1 << 33
"""Pairs of nodes of which a bit each tells whether they are rare: 1 GiB, some 90,000 nodes."""
MAX_PAIR_WORK = 1 << 36
"""Pairs of nodes in records that are counted at a time: some minutes."""
PAIRS_PER_CALL = 1 << 16
_SPANS = 4


def rare_siblings(problem: CutProblem, closed: Nodes) -> Int32:
    """Return rare pairs of siblings that do not lie below closed nodes, int32 (n, 2), by their parents.

    There is at least one for each node that has any of frequent children. Nearly all nodes that must be closed are
    found so: 4,779 of the 5,121 of kosarak (k=5, m=2), in 130,000 cells, where a matrix of all pairs has 7 * 10^8.
    Cost: a pass over the records for each `CELLS_PER_PASS` pairs of siblings.
    """
    from anonset_kernels.rare_pairs import count_siblings

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
        cells = np.zeros(int(lengths.sum()), _counter(k))
        for records in problem.blocks:
            require_sound(*records, hierarchy.n_leaves)
            count_siblings(*records, entry, (parent, index), place, k, cells)
        rare = np.flatnonzero((cells > 0) & (cells < k))
        left = rows[np.searchsorted(place[rows], rare, side="right") - 1]
        right = children[begin[parent[left]] + rare - place[left]]
        pairs = np.stack([left, right], axis=1)
        found.append(pairs[(problem.support[pairs] >= k).all(axis=1)])
        done[parent[found[-1][:, 0]]] = True
    return np.concatenate(found)


class RarePairs:
    """The pairs of a view's nodes that are rare, as a bit each.

    Cost: a pass over the records, part by part, for each four times `CELLS_PER_PASS` pairs of nodes.

    Raises
    ------
    LimitReached
        If there are more nodes than `MAX_PAIR_BITS` has room for, more to count than `MAX_PAIR_WORK`, or time is up.
    """

    def __init__(self, view: View, executor: Executor | None, limits: Limits) -> None:
        from anonset_kernels.pairs import count_pairs
        from anonset_kernels.rare_pairs import mark_rare

        self.view, k, n = view, view.problem.k, len(view.nodes)
        if n * n > MAX_PAIR_BITS:
            msg = f"pairs of {n:,} nodes would be counted, more than {int(MAX_PAIR_BITS**0.5):,}"
            raise LimitReached(msg)
        n_parts = len(view.records)
        only = view.expanded_part(0) if n_parts == 1 else None

        def codes(at: int) -> Int32:
            return view.expanded_part(at) if only is None else only

        if (work := sum(run_tasks(executor, lambda at: _pair_work(codes(at)), range(n_parts)))) > MAX_PAIR_WORK:
            msg = f"{work:.2g} pairs of nodes in records would be counted, more than {float(MAX_PAIR_WORK):.2g}"
            raise LimitReached(msg)
        self.bits = np.zeros((n, (n + 63) // 64), np.uint64)

        def count(task: tuple[Int32, tuple[int, int], NDArray[np.unsignedinteger]]) -> None:
            records, span, pairs = task
            count_pairs(records, *span, k, pairs)

        spans = list(_spans(np.full(n, float(n)), min(max(n * n / _SPANS, 1.0), CELLS_PER_PASS)))
        for at in range(0, len(spans), _SPANS):
            counted = [(span, np.zeros((span[1] - span[0], n), _counter(k))) for span in spans[at : at + _SPANS]]
            for number in range(n_parts):
                limits.check()
                records = codes(number)
                list(run_tasks(executor, count, [(records, *one) for one in counted]))
            for (first, _), pairs in counted:
                mark_rare(pairs, first, k, self.bits)

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
            n_found, first = maximal_pairs(self.bits, nodes, code, tree, view.point.closed, first, found)
            pairs.append(found[:n_found].copy())
        return np.concatenate(pairs)


def _pair_work(codes: Int32) -> float:
    """Return about how many pairs of codes some records hold."""
    lengths = np.diff(np.flatnonzero(codes < 0), prepend=-1).astype(np.float64)
    return float((lengths**2).sum() / 2)


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
