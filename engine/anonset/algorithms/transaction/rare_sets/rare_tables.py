"""Find rare sets of nodes in a few passes over the records, with counters that stop at k.

A search needs only the supports of rare sets, which are below k. A table stores the counters as bit planes: a word
contains one bit of each of 64 counters (see the kernels in `bit_planes`). In each pass, a table counts the sets whose
first node is in a range. The range begins with the first nodes in count-tree order and is as large as memory permits.
The next pass counts the sets that begin with the following nodes, without nodes that were generalized in the meantime.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import zip_longest
from math import comb
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from anonset.algorithms.transaction.rare_sets.sets import Pairs, RareSets, refuse_above
from anonset.data import Hierarchy
from anonset.data.array_types import Int32, Int64, UInt8, UInt64
from anonset.data.blocks import StoredRows, checked_rows
from anonset.data.distinct import positions
from anonset.data.progress import Progress, report_progress
from anonset.data.spans import begins_of, spans
from anonset.data.storage.store import Store
from anonset_kernels._arrays import Intervals

if TYPE_CHECKING:
    from anonset_kernels.rare_sets._planes import Planes
    from anonset_kernels.rare_sets._record_codes import Ancestors

SIZES = (2, 3, 4, 5)
"""Set sizes for which tables exist."""
BY_LARGEST = 5
"""Set size for which each largest code has a separate table."""
BYTES_OF_TABLE, BYTES_SHARED = 1 << 30, 1 << 29
"""Maximum memory of tables. A task uses at most BYTES_OF_TABLE. BYTES_SHARED limits the tables that the tasks of a
cluster return to the coordinator. If no memory limit is set, it also limits the tables of all threads.
"""
LARGE, ADDITIONAL_BYTES = 3, BYTES_SHARED + (1 << 26)
"""Tables of sets of LARGE or more nodes may reach the maximum size. An algorithm then needs ADDITIONAL_BYTES for the
tables and the bits of rare sets, on top of its other memory.
"""
BYTES_OF_PAIRS, BYTES_IN_CACHE = 3 << 20, 1 << 18
"""Limits for tables of pairs. If a table of all pairs fits into BYTES_OF_PAIRS, a single pass counts all pairs.
Otherwise the first pass counts the pairs of as many first nodes as fit into BYTES_IN_CACHE. Most nodes are often
generalized after this pass and need not be counted. Each later pass counts half of the remaining nodes. Each access to
a table that is larger than the cache is a cache miss.
"""
RECORDS_PER_PIECE = 1 << 16
SETS_PER_CALL, WORDS_PER_CALL, SETS_OF_CALL = 1 << 14, 4, 1 << 20
"""Sizes of a call that reads rare sets from a table. SETS_PER_CALL is the initial capacity for rare sets, and
SETS_OF_CALL is the maximum if memory permits. A call reads WORDS_PER_CALL words of first codes, because reading single
words would load each cache line several times.
"""
BYTES_READ_OUT = 128
"""Memory in bytes for a rare set while threads read and sort sets, or while it waits for the sets of other threads."""
BYTES_PER_INCREMENT, MOST_PASSES = 1, 4
"""Limits for tables of larger sets. A table that does not fit into the cache has at most BYTES_PER_INCREMENT bytes for
each counting step of a count-tree traversal. There are at most MOST_PASSES passes.
"""
_SAMPLES, _SAMPLED = 8, 256
_TASKS, _SMALL_TASKS = 4, 16
_OF_16_BITS = 1 << 16

Counted = tuple["Planes", Int64, list[UInt64]]
"""A table, the number of records with each number of codes, int64 (C + 1,), and a bitmap for each block. The bitmap
marks the records that increased a counter.
"""
CountedRows = tuple[int, StoredRows, UInt64]
"""Number of the first record of a block, the records of the block, and a bitmap. The bitmap marks the records that
increased a counter of a table.
"""
_Part = TypeVar("_Part")


@dataclass(frozen=True, eq=False)
class RareTable:
    """Table of the sets of `size` nodes whose first node is in a range. It contains the supports below k."""

    node_of_code: Int32
    """Nodes that may be members of sets, by descending support, int32 (C,)."""
    intervals: Intervals
    """Start and end of the leaves below each node, int32 (C,) each."""
    size: int
    planes: "Planes"
    lengths: Int64
    """Number of records that contain each number of nodes of `node_of_code`, int64 (C + 1,)."""
    rows: Sequence[CountedRows]
    """Records that were counted. Empty for sets of 5 nodes."""
    at_once: int
    """Maximum number of rare sets returned together. Sets with the same first code are never separated."""

    @property
    def increments(self) -> float:
        """Number of counting steps of a count-tree traversal over all sets, including sets whose first node is after
        the range.
        """
        return increments_of(self.lengths, self.size)

    def without_supports(self) -> "RareTable":
        """Return the table without supports. It only shows which sets have a support of k or more."""
        return replace(self, planes=self.planes._replace(planes=np.empty(0, np.uint64)))

    def rare_sets(self, generalized: UInt8) -> Iterator[RareSets]:
        """Yield the rare sets in count-tree order, in batches.

        Parameters
        ----------
        generalized
            1 for nodes to skip, uint8 (V,). The array is read again before each batch, so the caller may add nodes.
        """
        for word in range(self.planes.n_words):
            yield from self._parts([(64 * word, 64 * word + 64)], lambda: generalized[self.node_of_code])

    def all_rare_sets(self, store: Store) -> Iterator[RareSets]:
        """Yield all rare sets in count-tree order, in batches. Sets with generalized nodes are included.

        Only workers of this process read the tables, which are in the memory of this process.
        """
        none = np.zeros(len(self.node_of_code), np.uint8)
        firsts = list(spans(64 * self.planes.n_words, 64 * WORDS_PER_CALL))
        local_workers = store.workers.local
        yield from self._parts(firsts, lambda: none, partial(local_workers.map, ahead=local_workers.at_once(_TASKS)))

    def _parts(
        self,
        ranges: Sequence[tuple[int, int]],
        dead: Callable[[], UInt8],
        run_all: Callable[..., Any] = map,
    ) -> Iterator[RareSets]:
        """Yield the rare sets whose first code is in `ranges`, except sets with codes of generalized nodes,
        which `dead` marks, uint8 (C,). Large ranges are divided.
        """
        rare_parts: Iterator[RareSets | None] = run_all(lambda firsts: self._rare(firsts, dead()), ranges)
        for (low, high), part in zip(ranges, rare_parts, strict=True):
            if part is None:
                half = (high - low) // 2
                middle = low + (half if half < 64 else half // 64 * 64)
                yield from self._parts([(low, middle), (middle, high)], dead, run_all)
            else:
                yield part

    def _rare(self, firsts: tuple[int, int], dead: UInt8) -> RareSets | None:
        """Return the rare sets whose first code is in a range, except sets with codes of generalized
        nodes, which `dead` marks.

        Return None if there are too many rare sets.
        """
        n_found, capacity = SETS_PER_CALL, 0
        while n_found > capacity:
            if n_found > self.at_once and firsts[1] - firsts[0] > 1:
                return None
            capacity = n_found
            codes, support = np.empty((capacity, self.size), np.int32), np.empty(capacity, np.int32)
            n_found = self._list(firsts, dead, codes, support)
        if self.size == BY_LARGEST:
            order = np.lexsort(codes[:n_found].T[::-1])
        else:
            # the codes after the first are ascending, and NumPy sorts 16-bit numbers by counting
            first = codes[:n_found, 0]
            order = np.argsort(first.astype(np.uint16) if len(dead) <= _OF_16_BITS else first, kind="stable")
        return RareSets(codes[order], support[order], self.node_of_code)

    def _list(self, firsts: tuple[int, int], dead: UInt8, codes: Int32, support: Int32) -> int:
        """Fill `codes` and `support` with the rare sets up to their capacity. Return the number of rare sets."""
        from anonset_kernels.rare_sets._planes import fours_below
        from anonset_kernels.rare_sets.rare_in_planes import Listing, rare_in_rows

        listing, n_found = Listing(firsts, self.intervals, np.empty(self.size, np.int32), codes, support), 0
        if self.size < BY_LARGEST:
            return int(rare_in_rows(self.planes, self.size, dead, listing, n_found))
        leaf_lo, leaf_hi = self.intervals
        for e in (np.flatnonzero(dead[4:] == 0) + 4).tolist():
            listing.members[4] = e
            left_out = dead[:e] | ((leaf_lo[:e] <= leaf_lo[e]) & (leaf_hi[e] <= leaf_hi[:e]))
            n_found = int(rare_in_rows(fours_below(self.planes, e), 4, left_out, listing, n_found))
        return n_found


@dataclass(frozen=True, eq=False)
class CountSets:
    """Counts, up to k, the records that contain each set of some codes."""

    ancestors: "Ancestors"
    """Codes of each leaf's node and the node's ancestors."""
    n_codes: int
    size: int
    k: int
    n_words: int
    """Number of words (groups of 64) of first codes."""

    def __call__(self, group: Iterable[StoredRows]) -> tuple["Planes", Int64, UInt64]:
        """Return the table of the sets, the record count by number of codes, and the records that raised a counter.

        The bitmap of all records is a single array. A task on a cluster returns it in a file.
        """
        counted = table, lengths, adding = self.nothing()
        for rows in group:
            self.add(rows, counted)
        return table, lengths, np.concatenate([*adding, np.empty(0, np.uint64)])

    def add(self, rows: StoredRows, counted: "Counted") -> None:
        """Add records to the counts."""
        from anonset_kernels.rare_sets.bit_planes import count_fives, count_sets

        rows = checked_rows(rows, len(self.ancestors.start) - 1)
        table, lengths, adding = counted
        if self.size == BY_LARGEST:
            count_fives(rows, self.ancestors, table, lengths)
        else:
            adding.append(np.zeros(_words_of(rows), np.uint64))
            count_sets(rows, self.ancestors, self.size, table, lengths, adding[-1])

    def nothing(self) -> "Counted":
        """Return an empty table and zero counts."""
        from anonset_kernels.rare_sets._planes import Planes, row_starts

        start = row_starts(self.n_codes, self.size, self.n_words)
        of_k = np.array([(self.k >> p) & 1 for p in range(self.k.bit_length())], np.bool_)
        flip = np.where(of_k, np.uint64(0), ~np.uint64(0))
        cells, lengths = int(start[-1]), np.zeros(self.n_codes + 1, np.int64)
        table = Planes(self.n_words, start, flip, np.zeros(cells, np.uint64), np.zeros(cells * len(flip), np.uint64))
        return table, lengths, []


def _words_of(rows: StoredRows) -> int:
    return (len(rows[0]) + 62) // 64


def bytes_of(n_codes: int, size: int, k: int, n_words: int) -> int:
    """Return the table size, in bytes, for sets of 2 to 5 codes with a first code in `n_words` words.

    >>> bytes_of(64, 2, 5, 1), bytes_of(1657, 3, 5, 26) >> 20
    (2016, 381)
    """
    codes = np.arange(n_codes)
    n_larger = n_codes - 1 - codes
    rows = np.array([comb(n, size - 2) for n in n_larger.tolist()], np.int64)
    cells = int((np.minimum((codes + 63) // 64, n_words) * rows).sum())
    return 8 * cells * (1 + k.bit_length())


@dataclass(frozen=True, eq=False, kw_only=True)
class RareTables:
    """Tables of the sets of `size` nodes. Records are counted when a table is requested.

    The first nodes of sets are processed in words, which are groups of 64 nodes.
    """

    rows: Sequence[StoredRows]
    """Records in parts."""
    store: Store
    """Store of the records. It limits the memory of the tables."""
    hierarchy: Hierarchy
    image: Int32
    """Node of each leaf before its ancestors are added, int32 (M,)."""
    nodes: Int32
    """Nodes that may be members of sets, by descending support, int32 (C,). Ancestors are first."""
    size: int
    k: int
    progress: Progress | None
    max_increments: float = float("inf")

    @property
    def few_passes(self) -> bool:
        """True if tables for this size exist and need few passes."""
        return self.size in SIZES and MOST_PASSES * 64 * self._words_of(self.nodes) >= len(self.nodes)

    @property
    def beats_walk(self) -> bool:
        """True if tables are probably faster than a traversal of the count-tree. This requires few small tables."""
        if not self.few_passes:
            return False
        table_bytes = bytes_of(len(self.nodes), self.size, self.k, self._words_of(self.nodes))
        return table_bytes <= BYTES_IN_CACHE or table_bytes <= BYTES_PER_INCREMENT * self._estimated_increments()

    def _estimated_increments(self) -> float:
        pieces = self._pieces()
        chosen = [pieces[begin * len(pieces) // _SAMPLES] for begin in range(_SAMPLES if pieces else 0)]
        ends = [len(indptr) - 1 for indptr, _ in chosen]
        begins = [begin * max(0, end - _SAMPLED) // _SAMPLES for begin, end in enumerate(ends)]
        rows = [
            (indptr[begin : begin + _SAMPLED + 1], items) for begin, (indptr, items) in zip(begins, chosen, strict=True)
        ]
        _, lengths, _ = self._count(self.nodes, 0)(rows)
        n = sum(len(indptr) - 1 for indptr, _ in pieces)
        return increments_of(lengths, self.size) * n / max(1, int(lengths.sum()))

    def of_all(self, generalized: UInt8 | None = None) -> Iterator[RareTable]:
        """Yield tables, ordered by first node, that together contain all sets of nodes in `nodes`.

        Parameters
        ----------
        generalized
            1 for nodes to leave out, uint8 (V,). The array is read again before each table. None to include all nodes.

        Raises
        ------
        TooLargeError
            As soon as more counting steps than `max_increments` are counted.
        """
        nodes = self.nodes
        while len(nodes) >= self.size:
            n_words = self._words_of(nodes) if generalized is None else self._words_before(nodes)
            yield self._counted(nodes, max(1, n_words))
            nodes = nodes[64 * max(1, n_words) :]
            nodes = nodes if generalized is None else nodes[generalized[nodes] == 0]

    def increments(self) -> float:
        """Return the number of counting steps of a count-tree traversal, from the lengths of the records."""
        return self._counted(self.nodes, 0).increments

    def rare_together(self, capacity: Callable[[float], int]) -> tuple[float, Pairs, RareSets | None, list[RareTable]]:
        """Return the number of counting steps, the pairs of nodes in rare sets, the rare sets, and tables of frequent
        sets.

        Parameters
        ----------
        capacity
            Function that returns the maximum number of rare sets to return, given the number of counting steps.

        Returns
        -------
        float, uint8 (C, C), RareSets and tables
            If all rare sets are returned, the array of pairs is empty, (0, 0), and the tables show which sets have a
            support of k or more. Otherwise the rare sets are None, and there are no tables.
        """
        from anonset_kernels.rare_sets.rare_in_planes import mark_together

        n_codes, collected = len(self.nodes), [self._none()]
        frequent, total, most = list[RareTable](), 0, 0
        together, increments = np.empty((0, 0), np.uint8), 0.0
        for table in self.of_all():
            before = n_codes - len(table.node_of_code)
            if not before:
                increments = table.increments
                most = capacity(increments)
            for part in table.all_rare_sets(self.store):
                total += len(part.codes)
                collected.append(RareSets(part.codes + np.int32(before), part.support, self.nodes))
                if total > most:
                    together = np.zeros((n_codes, n_codes), np.uint8) if not together.size else together
                    for sets in collected:
                        mark_together(sets.codes, together)
                    collected = [self._none()]
            frequent = [] if total > most else [*frequent, table.without_supports()]
        return increments, together, None if total > most else RareSets.joined(collected), frequent

    def rare_bits(self) -> UInt64:
        """Return the rare pairs as bits, uint64 (C, W). The row of node a has a bit for each later node b > a."""
        from anonset_kernels.rare_sets.rare_in_planes import mark_rare_pairs

        n_codes = len(self.nodes)
        rare = np.zeros((n_codes, (n_codes + 63) // 64), np.uint64)
        for table in self.of_all():
            mark_rare_pairs(table.planes, n_codes - len(table.node_of_code), rare)
        return rare

    def _none(self) -> RareSets:
        return RareSets(np.empty((0, self.size), np.int32), np.empty(0, np.int32), self.nodes)

    def _words_of(self, nodes: Int32) -> int:
        """Return the number of words of first nodes whose table fits into memory. 0 if no table fits."""
        return self._words_within(self._bytes_per_task(), len(nodes), (len(nodes) + 63) // 64)

    def _words_before(self, nodes: Int32) -> int:
        """Return the number of words of first nodes for the next pass.

        Nodes that are generalized after the pass need not be counted in later passes.
        """
        n_words, available = (len(nodes) + 63) // 64, self._bytes_per_task()
        if self.size > 2 or bytes_of(len(nodes), 2, self.k, n_words) <= BYTES_OF_PAIRS:
            return self._words_within(available, len(nodes), n_words)
        cached_words = self._words_within(min(BYTES_IN_CACHE, available), len(nodes), n_words)
        half = 0 if len(nodes) == len(self.nodes) else self._words_within(available, len(nodes), (n_words + 1) // 2)
        return max(cached_words, half)

    def _bytes_per_task(self) -> int:
        limits, workers = self.store.limits, self.store.workers
        if workers.remote:
            return limits.at_once_within(BYTES_SHARED, 1) // workers.tasks(_TASKS)
        tasks = workers.at_once(_TASKS)
        return BYTES_SHARED // tasks if limits.room is None else limits.at_once_within(BYTES_OF_TABLE, tasks)

    def _words_within(self, available: int, n_codes: int, n_words: int) -> int:
        """Return the number of words of first nodes per pass, for the smallest number of equal passes.

        A table may have `available` bytes. The result is `n_words` if a single pass suffices.
        """
        sizes = range(1, n_words + 1)
        most = bisect_right(sizes, available, key=lambda words: bytes_of(n_codes, self.size, self.k, words))
        return -(-n_words // -(-n_words // most)) if most else 0

    def _counted(self, nodes: Int32, n_words: int) -> RareTable:
        """Count, up to k, the records with each set whose first node is in the first `n_words` words."""
        from anonset_kernels.rare_sets.bit_planes import merge

        count, pieces = self._count(nodes, n_words), self._pieces()
        table, lengths, adding = count.nothing()
        workers = self.store.workers
        if workers.count == 1 and not workers.remote:
            for rows in self._with_progress(pieces, len(pieces)):
                count.add(rows, (table, lengths, adding))
                self._require_few(lengths, n_words)
        else:
            small = table.closed.nbytes <= BYTES_IN_CACHE
            groups = workers.divided(pieces, _SMALL_TASKS if small else workers.at_once(_TASKS))
            by_task = list[list[UInt64]]()
            counted = self._with_progress(self.store.map(count, groups), len(groups))
            for group, (other, of_task, bits) in zip(groups, counted, strict=True):
                if by_task or workers.remote:  # arrays returned from a cluster are read-only
                    merge(table, other)
                    lengths += of_task
                else:
                    table, lengths = other, of_task
                by_task.append(np.split(bits, np.cumsum([*map(_words_of, group)])[:-1]) if len(bits) else [])
                self._require_few(lengths, n_words)
            adding = [adding for together in zip_longest(*by_task) for adding in together if adding is not None]
        tree, first = self.hierarchy, begins_of(len(indptr) - 1 for indptr, _ in pieces).tolist()
        rows_of = list(zip(first, pieces, adding, strict=False))
        at_once = self.store.limits.at_once_within(SETS_OF_CALL, BYTES_READ_OUT * workers.at_once(_TASKS))
        intervals = Intervals(tree.leaf_lo[nodes], tree.leaf_hi[nodes])
        return RareTable(nodes, intervals, self.size, table, lengths, rows_of, at_once)

    def _require_few(self, lengths: Int64, n_words: int) -> None:
        """Raise an error if the given record lengths need more than the maximum number of counting steps."""
        if n_words and increments_of(lengths, self.size) > self.max_increments:
            refuse_above(self.max_increments, self.size, self.increments())

    def _with_progress(self, parts: Iterable[_Part], n_parts: int) -> Iterator[_Part]:
        for done, part in enumerate(parts, 1):
            yield part
            report_progress(self.progress, f"sets of {self.size}", done, n_parts)

    def _count(self, nodes: Int32, n_words: int) -> CountSets:
        from anonset_kernels.rare_sets._record_codes import ancestor_codes

        tree = self.hierarchy
        code = positions(nodes, tree.n_nodes)
        ancestors = ancestor_codes(self.image, tree.parent, code, int(tree.depth.max(initial=0)) + 1)
        return CountSets(ancestors, len(nodes), self.size, self.k, n_words)

    def _pieces(self) -> list[StoredRows]:
        """Return the parts of the records, divided into smaller pieces for threads."""
        if self.store.workers.remote:
            return list(self.rows)
        within = ((rows, spans(len(rows[0]) - 1, RECORDS_PER_PIECE)) for rows in self.rows)
        return [(rows[0][first : end + 1], rows[1]) for rows, pieces in within for first, end in pieces]


def increments_of(lengths: Int64, size: int) -> float:
    """Return the number of sets of `size` nodes in records of the given lengths."""
    return float(sum(int(lengths[length]) * comb(length, size) for length in np.flatnonzero(lengths).tolist()))
