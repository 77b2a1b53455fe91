"""Minimal privacy threats over the antichains of a taxonomy (Liu and Wang 2010, sections 2 and 4.1).

A threat is a supported set of nodes, none above another, with a support below k; it is minimal if all its subsets
are frequent. The threats of a cut are the minimal threats that lie in it, so one mining serves all cuts.
"""

from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from anonset.algorithms.base import Progress, run_tasks
from anonset.data import Hierarchy, SetColumn
from anonset.data.table import Int32, Int64
from anonset.errors import InputError
from anonset.generalization import Cut

WORK_PER_TASK = 2_000_000
MAX_PAIR_BITS = 16_000_000_000


class MinimalThreats:
    """The minimal threats of a taxonomy, mined one size after the other.

    Parameters
    ----------
    column
        The records, bound to the hierarchy (item codes are leaf positions).
    k
        Smallest support that is not rare.
    limit
        Refuse to hold more threats than that.
    """

    def __init__(
        self,
        column: SetColumn,
        hierarchy: Hierarchy,
        k: int,
        *,
        limit: int,
        executor: Executor | None = None,
        progress: Progress | None = None,
    ) -> None:
        from anonset_kernels.count_tree import node_supports

        self.column, self.hierarchy, self.k, self.limit = column, hierarchy, k, limit
        self.executor, self.progress = executor, progress
        self.support: Int64 = node_supports(column.indptr, column.items, hierarchy.leaf_node, hierarchy.parent)
        self.bottom = hierarchy.leaf_node
        self.by_size: list[Int32] = []

    @property
    def n(self) -> int:
        """Number of threats found so far."""
        return sum(map(len, self.by_size))

    def reduce(self, cut: Cut) -> None:
        """Remove the nodes below a cut from the taxonomy, and the threats that hold them."""
        self.bottom = cut.image
        kept = self.taking_part
        self.by_size = [threats[kept[threats].all(axis=1)] for threats in self.by_size]

    @property
    def taking_part(self) -> NDArray[np.bool_]:
        """Bool (V,): the nodes of the reduced taxonomy: those at or above its bottom."""
        bottom = np.zeros(self.hierarchy.n_nodes + 1, np.int64)
        bottom[self.bottom] = 1
        before = np.concatenate([[0], np.cumsum(bottom[:-1])])
        found: NDArray[np.bool_] = before[self.hierarchy.subtree_end] > before[:-1]
        return found

    def mine_next(self) -> None:
        """Mine the threats that have one node more than the largest mined so far.

        Raises
        ------
        InputError
            If there are more threats than the limit.
        """
        size = len(self.by_size) + 1
        if size == 1:
            rare = np.flatnonzero((self.support > 0) & (self.support < self.k) & self.taking_part)
            # the root is above every other node: it is rare only if all are, and then no generalisation helps
            self.by_size.append(rare.astype(np.int32)[:, None])
        else:
            self.by_size.append(self._mine(size))
        if self.n > self.limit:
            self._refuse(size)

    def _refuse(self, size: int) -> NoReturn:
        msg = (
            f"m must be below {size}, or k smaller: the search holds at most max_threats={self.limit:,} minimal "
            f"threats, and there are more of up to {size} nodes"
        )
        raise InputError(msg)

    def _mine(self, size: int) -> Int32:
        from anonset_kernels.count_tree import expand

        taking_part = self.taking_part & (self.support >= self.k)
        taking_part[0] = False
        nodes = np.flatnonzero(taking_part)
        nodes = nodes[np.lexsort((nodes, -self.support[nodes]))].astype(np.int32)
        code = np.full(self.hierarchy.n_nodes, -1, np.int32)
        code[nodes] = np.arange(len(nodes), dtype=np.int32)
        start, position = room_for(self.support[nodes], self.column.n)
        parent, column = self.hierarchy.parent, self.column
        codes = expand(column.indptr, column.items, self.bottom, parent, code, start, position)
        intervals = (self.hierarchy.leaf_lo[nodes], self.hierarchy.leaf_hi[nodes])
        arrays = (codes, start, position)
        records = StoredRecords(arrays, intervals, self.k, executor=self.executor, progress=self.progress)
        smaller = [code[threats] for threats in self.by_size[1:]]
        found = records.mine(size, smaller, self.limit - self.n)
        if found is None:
            self._refuse(size)
        return nodes[found].astype(np.int32)


def room_for(support: Int64, n: int) -> tuple[Int64, NDArray[np.integer]]:
    """Return where the positions of each code start, and room for them, given the codes' supports."""
    start = np.concatenate([[0], np.cumsum(support)]).astype(np.int64)
    wide = start[-1] + n > np.iinfo(np.int32).max
    return start, np.empty(int(start[-1]), np.int64 if wide else np.int32)


@dataclass(frozen=True, eq=False)
class StoredRecords:
    """Records as ascending codes, none of which is a threat by itself, ready for mining."""

    arrays: tuple[Int32, Int64, NDArray[np.integer]]
    """The codes, and where each code occurs, as `count_tree.expand` gives them."""
    intervals: tuple[Int32, Int32]
    """int32 (C,) leaf intervals by code; sets with two that overlap are no sets."""
    k: int
    """Smallest support that is not rare."""
    private: tuple[int, int, int] = (0, 0, 1)
    """Number of private items, and the largest share of a cohort that may hold one, as a fraction."""
    executor: Executor | None = None
    progress: Progress | None = None

    def mine(self, size: int, smaller: Sequence[Int32], limit: int) -> Int32 | None:
        """Return the minimal threats of `size` codes, or None where there are more than `limit`.

        Parameters
        ----------
        smaller
            The minimal threats of 2, 3, ... size - 1 codes.

        Raises
        ------
        InputError
            If there are too many codes for a bit for each pair.
        """
        from anonset_kernels.count_tree import walk_sizes
        from anonset_kernels.threats import allow_pairs, hash_sets, mine

        n_codes = len(self.intervals[0])
        if n_codes < size:
            return np.empty((0, size), np.int32)
        if n_codes**2 > MAX_PAIR_BITS:
            msg = (
                f"at most {int(MAX_PAIR_BITS**0.5):,} items or nodes may have a support of at least k, got {n_codes:,}"
            )
            raise InputError(msg)
        allowed = allow_pairs(*self.intervals, smaller[0] if size > 2 else np.empty((0, 2), np.int32))
        known = np.full((sum(map(len, smaller[1:])), max(1, size - 1)), -1, np.int32)
        filled = 0
        for threats in smaller[1:]:
            known[filled : filled + len(threats), : threats.shape[1]] = np.sort(threats, axis=1)
            filled += len(threats)
        slots = np.full(1 << max(1, (2 * len(known)).bit_length()), -1, np.int32)
        hash_sets(known, slots)

        def find(span: tuple[int, int]) -> tuple[Int32, bool]:
            found, over = mine(self.arrays, allowed, known, slots, span, (size, self.k, limit), self.private)
            return found, over

        spans = _spans(walk_sizes(self.arrays[0], n_codes, min(size, 3)))
        parts: list[Int32] = []
        for span, (threats, over) in zip(spans, run_tasks(self.executor, find, spans), strict=True):
            parts.append(threats)
            if over or sum(map(len, parts)) > limit:
                return None
            if self.progress is not None:
                self.progress(f"threats of {size}", float(span[1]), float(n_codes))
        return np.concatenate(parts)


def _spans(work: NDArray[np.float64]) -> list[tuple[int, int]]:
    """Cut the codes into spans of about equal work."""
    done, spans, first = np.cumsum(work), [], 0
    while first < len(work):
        before = done[first - 1] if first else 0.0
        last = max(first + 1, int(np.searchsorted(done, before + WORK_PER_TASK, side="right")))
        spans.append((first, min(last, len(work))))
        first = spans[-1][1]
    return spans
