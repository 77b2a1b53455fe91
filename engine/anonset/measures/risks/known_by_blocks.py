"""Compute the smallest support of the itemsets of each record, for data that do not fit in memory.

As many small groups as fit in memory are counted together. A larger group is divided into ranges of item codes. For
each range, the items that follow an occurrence of one of these codes are gathered and counted. If a single code has too
many occurrences, the occurrences are divided by the next code.
"""

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from anonset.data.array_types import Int32, Int64
from anonset.data.redacted_repr import RedactedRepr
from anonset.data.spans import begins_of, spans, spans_up_to
from anonset.measures.distinct_records import DistinctRecords

if TYPE_CHECKING:
    from anonset_kernels.attacks.known_items import RecordSpan

_ALL = 1 << 62
_MOST = np.iinfo(np.int64).max


def least_of_all(distinct: DistinctRecords, size: int) -> list[Int64]:
    """Return the smallest supports of sets of items of each distinct record.

    There is an array, int64 (D,), for each s = 1, …, `size`. It contains the smallest support of a set of at most s
    items of each distinct record. For an empty record, it contains the number of records in the group.
    """
    counting = _SetCounting(distinct, size)
    for a, b in spans(distinct.n):
        sizes = distinct.sizes(a, b)
        for least in counting.least:
            least[a:b] = sizes
    for first, end in counting.pieces():
        if counting.fits(int(distinct.groups[first]), int(distinct.groups[end])):
            counting.walk_groups(first, end)
        else:
            counting.walk_codes((int(distinct.groups[first]), int(distinct.groups[end])), ())
    for a, b in spans(distinct.n):
        for smaller, larger in zip(counting.least, counting.least[1:], strict=False):
            larger[a:b] = np.minimum(larger[a:b], smaller[a:b])
    return counting.least


class _SetCounting(RedactedRepr):
    def __init__(self, distinct: DistinctRecords, size: int) -> None:
        self.distinct, self.size = distinct, size
        self.n_codes = len(distinct.rows.vocabulary)
        self.least = [distinct.store.array("least", np.int64, distinct.n) for _ in range(size)]
        bytes_each = 4 + 12 * max(1, size - 1) + 24 + 12 * size  # bytes per counted code, with record overhead
        self.held = distinct.store.limits.at_once_within(_ALL, bytes_each)

    def pieces(self) -> Iterator[tuple[int, int]]:
        """Yield ranges of groups (first, end) that are counted together. A large group is a separate range."""
        groups, begin, first = self.distinct.groups, self.distinct.rows.indptr, 0
        while first < len(groups) - 1:
            row = int(groups[first])
            end = min(int(np.searchsorted(begin, begin[row] + self.held, side="right")) - 1, row + self.held)
            after = max(first + 1, int(np.searchsorted(groups, end, side="right")) - 1)
            yield first, after
            first = after

    def fits(self, first: int, end: int) -> bool:
        begin = self.distinct.rows.indptr
        return int(begin[end] - begin[first]) <= self.held and end - first <= self.held

    def walk_groups(self, first: int, end: int) -> None:
        rows, groups = self.distinct.rows, self.distinct.groups[first : end + 1]
        low, high = int(groups[0]), int(groups[-1])
        begin = rows.indptr[low : high + 1]
        rows_of_groups = begin - begin[0], rows.items[begin[0] : begin[-1]], self.distinct.weight[low:high]
        self._lower(0, slice(low, high), self._walked(*rows_of_groups, groups - low, self.size, self.n_codes))

    def walk_codes(self, rows: tuple[int, int], prefix: tuple[int, ...]) -> None:
        """Count the sets with a given prefix in a range of rows of a group, separately for each next code."""
        from anonset_kernels.attacks.known_items import RecordSpan

        column, level, store = self.distinct.rows, len(prefix), self.distinct.store
        span = RecordSpan(column.indptr, column.items, self.distinct.weight, np.array(prefix, np.int32))
        supports, entries = self._measured(span, rows)
        lower = partial(_lower_to_supports, span, supports, self.least[level])
        for _ in store.with_local_workers().map(lower, _parts(rows)):
            pass
        if level + 1 == self.size:
            return
        threads = store.workers.count
        capacity = max(1, self.held // threads)
        codes = list(spans_up_to(begins_of(entries), capacity))
        small = [(low, high) for low, high in codes if int(entries[low:high].sum()) <= capacity]
        for origin, tally in store.map(partial(self._walk_codes, span, rows, entries), small, threads):
            self._lower(level + 1, origin, tally)
        for low, high in codes:
            if int(entries[low:high].sum()) > capacity:
                self.walk_codes(rows, (*prefix, low))

    def _measured(self, span: "RecordSpan", rows: tuple[int, int]) -> tuple[Int64, Int64]:
        """Return the number of records with the prefix and each code, and the amount of work for each code,
        int64 (C,).
        """
        from anonset_kernels.attacks.known_items import measure_behind

        def measure(part: tuple[int, int]) -> Int64:
            sums = np.zeros((2, self.n_codes), np.int64)
            measure_behind(span, *part, sums[0], sums[1])
            return sums

        total = np.zeros((2, self.n_codes), np.int64)
        for sums in self.distinct.store.map(measure, _parts(rows)):
            total += sums
        return total[0], total[1]

    def _walk_codes(
        self, span: "RecordSpan", rows: tuple[int, int], entries: Int64, codes: tuple[int, int]
    ) -> tuple[Int64, Int64]:
        """Gather the items that follow the prefix and a code in `codes`, and count their sets.

        Returns the distinct record of each row, and the smallest supports of its sets of at least 2 codes, int64 (r,
        size - 1). A record in which no item follows the code is not gathered.
        """
        from anonset_kernels.attacks.known_items import gather_behind

        capacity, filled = int(entries[codes[0] : codes[1]].sum()), 0
        begin, suffixes = np.zeros(capacity // 2 + 2, np.int64), np.empty(capacity, np.int32)
        origin = np.empty(capacity // 2 + 1, np.int64)
        for part in _parts(rows):
            filled = gather_behind(span, part, codes, begin, suffixes, origin, filled)
        origin, bounds = origin[:filled].copy(), np.array([0, filled], np.int64)
        size, weight = self.size - len(span.prefix), self.distinct.weight[origin]
        tally = self._walked(begin[: filled + 1], suffixes[: begin[filled]], weight, bounds, size, codes[1])
        return origin, tally[:, 1:]

    def _walked(self, begin: Int64, codes: Int32, weight: Int64, groups: Int64, size: int, upto: int) -> Int64:
        """Return the smallest support of the sets of each size in each record, int64 (r, size)."""
        from anonset_kernels.attacks.known_items import GroupedRecords, count_known_sets

        tally = np.zeros((len(weight), 3 * size), np.int64)
        tally[:, :size] = _MOST
        records = GroupedRecords(begin, codes, weight, groups, np.arange(len(weight)))
        count_known_sets(records, self.n_codes, upto, 0, tally)
        return tally[:, :size]

    def _lower(self, level: int, rows: Int64 | slice, tally: Int64) -> None:
        for least, counted in zip(self.least[level:], tally.T, strict=True):
            least[rows] = np.minimum(least[rows], counted)


def _lower_to_supports(span: "RecordSpan", supports: Int64, least: Int64, rows: tuple[int, int]) -> None:
    from anonset_kernels.attacks.known_items import lower_to_supports

    lower_to_supports(span, *rows, supports, least)


def _parts(rows: tuple[int, int]) -> Iterator[tuple[int, int]]:
    return ((rows[0] + first, rows[0] + end) for first, end in spans(rows[1] - rows[0]))
