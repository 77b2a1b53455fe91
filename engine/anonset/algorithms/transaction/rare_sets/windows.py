"""Passes over a count-tree. The sets with a given first code are counted in the codes that follow this code (suffixes).

A single block in memory is read directly. For other blocks, a pass is divided into windows, which are ranges of first
codes. The suffixes of all codes of a window are stored contiguously, usually within the memory limit. Each window is
processed by a task. The task refers to records in files by file name.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from anonset.algorithms.transaction.rare_sets.expanded_blocks import ExpandedBlocks
from anonset.algorithms.transaction.rare_sets.marked_pairs import packed
from anonset.algorithms.transaction.rare_sets.sets import Found
from anonset.data.array_types import Float64, Int32, Int64, UInt8
from anonset.data.spans import begins_of, spans_up_to
from anonset.data.storage.store import Store
from anonset.data.table import Index
from anonset_kernels._arrays import ExpandedCodes, Intervals

if TYPE_CHECKING:
    from anonset_kernels.rare_sets.count_tree import SupportRule

Span = tuple[int, int]
"""Start and end of a range of codes."""

RARE_SETS_PER_CALL = 1 << 14
RARE_SETS_PER_WINDOW = 1 << 18
WINDOWS, LEAST_WINDOW, LARGEST_WINDOW = 16, 1 << 17, 1 << 26
"""Number of windows in a pass, and minimum and maximum number of codes in a window. Memory may limit
windows further.
"""
_BYTES_OF_CODE = 8  # code and position
_CODES_AT_ONCE = 1 << 20


def spans(work: Float64, within: Span, most: float) -> Iterator[Span]:
    """Divide a range of codes into ranges that each need about `most` work."""
    first, last = within
    for begin, end in spans_up_to(np.append(0.0, np.cumsum(work))[first : last + 1], most):
        yield first + begin, first + end


@dataclass(frozen=True, eq=False)
class Suffixes:
    """Codes that follow each code in the records of some blocks (suffixes)."""

    parts: "Sequence[Int32] | _FollowingCodes"
    """Records of each block, as ascending codes with -1 after each record."""
    in_place: bool
    """True if there is a single block in memory, which is read directly."""
    least: int
    """Minimum number of codes that must follow a code in a record."""
    entries: Int64
    """Total number of codes after each code, over all records, int64 (C,)."""
    records: Int64
    """Number of records in which at least `least` codes follow each code, int64 (C,)."""
    store: Store
    """Store whose limits apply to the suffixes in memory."""

    @classmethod
    def of(cls, expanded: ExpandedBlocks, n_codes: int, least: int) -> "Suffixes":
        """Return the suffixes of some blocks, and count their codes and records."""
        parts = expanded.stored()
        in_place = len(parts) > 0 and not expanded.in_parts
        least = 0 if in_place else least
        measured = expanded.over(_SuffixMeasurement(n_codes, least))
        entries, records = sum(measured, np.zeros((2, n_codes), np.int64))
        return cls(parts, in_place, least, entries, records, expanded.store)

    def following(self, code: int, least: int) -> "Suffixes":
        """Return the suffixes of the codes that follow `code`, in the records that contain `code`.

        They are not stored.
        """
        parts = _FollowingCodes(self.parts, code)
        entries, records = _SuffixMeasurement(len(self.entries), least)(parts)
        return Suffixes(parts, False, least, entries, records, self.store)

    @cached_property
    def windows(self) -> list[Span]:
        """Windows of first codes, in order. There is a single window if a block is read directly."""
        if self.in_place:
            return [(0, len(self.entries))]
        sizes = (self.entries + self.records).astype(np.float64)
        largest = self.store.limits.at_once_within(LARGEST_WINDOW, _BYTES_OF_CODE * self.store.workers.count)
        most = min(max(sizes.sum() / WINDOWS, LEAST_WINDOW), largest)
        return list(spans(sizes, (0, len(sizes)), most))

    def of_window(self, window: Span) -> ExpandedCodes:
        """Return the suffixes of the codes of a window."""
        return self._placed() if self.in_place else self._gathered(window)

    def _placed(self) -> ExpandedCodes:
        from anonset_kernels.rare_sets.suffixes import place_codes

        start = begins_of(self.records)
        (codes,) = self.parts
        position = _positions(len(codes), int(start[-1]))
        place_codes(codes, start[:-1].copy(), position)
        return ExpandedCodes(codes, start, position)

    def _gathered(self, window: Span) -> ExpandedCodes:
        from anonset_kernels.rare_sets.suffixes import gather_suffixes

        first, last = window
        sizes = (self.entries + self.records)[first:last]
        fill = begins_of(sizes)
        start = np.zeros(len(self.records) + 1, np.int64)
        np.cumsum(self.records[first:last], out=start[first + 1 : last + 1])
        codes, place = np.empty(int(fill[-1]), np.int32), start[first:last].copy()
        position = _positions(len(codes), int(start[last]))
        for block in self.parts:
            gather_suffixes(block, first, last, self.least, fill, codes, place, position)
        return ExpandedCodes(codes, start, position)


@dataclass(frozen=True, eq=False)
class _FollowingCodes:
    """Codes that follow a code in the records that contain this code, with -1 after each record.

    Each iteration computes the codes again.
    """

    parts: "Sequence[Int32] | _FollowingCodes"
    code: int

    def __iter__(self) -> Iterator[Int32]:
        for codes in self.parts:
            begin = 0
            while begin < len(codes):
                end = min(begin + _CODES_AT_ONCE, len(codes))
                while codes[end - 1] >= 0:  # extend to the end of the record
                    end += 1
                yield self._of(codes[begin:end])
                begin = end

    def _of(self, codes: Int32) -> Int32:
        positions, ends = np.flatnonzero(codes == self.code), np.flatnonzero(codes < 0)
        change = np.zeros(len(codes) + 1, np.int8)
        change[positions + 1] = 1
        change[ends[np.searchsorted(ends, positions)] + 1] = -1
        return codes[np.cumsum(change[:-1], dtype=np.int8) > 0]


@dataclass(frozen=True, eq=False)
class WindowSearch:
    """Search for the rare sets of a window without generalized nodes.

    The kernel `walk` documents `rule` and `intervals`.
    """

    suffixes: Suffixes
    intervals: Intervals
    rule: "SupportRule"

    def __call__(self, task: tuple[Span, UInt8, UInt8]) -> tuple[list[Found], int]:
        """Return the rare sets whose first code is in a range, in order, and the code from which to continue.

        Parameters
        ----------
        task
            The range, the codes of generalized nodes, uint8 (C,), and the pairs of codes with which a set may start.
        """
        span, dead, together = task
        records, rare_sets, following, total = self.suffixes.of_window(span), [], span[0], 0
        while following < span[1] and total < RARE_SETS_PER_WINDOW:
            rare, following = self.step(records, (following, span[1]), dead, together)
            rare_sets.append(rare)
            total += len(rare[0])
        return rare_sets, following

    def step(self, records: ExpandedCodes, span: Span, dead: UInt8, together: UInt8) -> tuple[Found, int]:
        """Return some rare sets, and the code from which to continue."""
        from anonset_kernels.rare_sets.count_tree import walk

        sets = np.empty((RARE_SETS_PER_CALL, self.rule.size), np.int32)
        support = np.empty(RARE_SETS_PER_CALL, np.int32)
        n_found, following = walk(records, self.intervals, dead, span, self.rule, sets, support, together)
        return (sets[:n_found].copy(), support[:n_found].copy()), following


@dataclass(frozen=True, eq=False)
class PairMarker:
    """Search for the pairs of codes that occur together in a rare set, and for up to `room` of the rare sets."""

    suffixes: Suffixes
    intervals: Intervals
    rule: "SupportRule"
    room: int

    def __call__(self, span: Span) -> tuple[Int64 | UInt8, Found, int]:
        """Return the packed pairs, up to `room` sets, and the number of all sets."""
        n_codes = len(self.suffixes.entries)
        together = np.zeros((n_codes, n_codes), np.uint8)
        rare_sets = self.step(span, together)
        return packed(together), *rare_sets

    def step(self, span: Span, together: UInt8, records: ExpandedCodes | None = None) -> tuple[Found, int]:
        """Mark the pairs of a range in an array. Threads may share the array, because they only set cells.

        Parameters
        ----------
        together
            uint8 (C, C).
        records
            Suffixes of the range's codes. None to compute them.
        """
        from anonset_kernels.rare_sets.count_tree import walk

        records = self.suffixes.of_window(span) if records is None else records
        none = np.zeros(len(together), np.uint8)
        sets, support = np.empty((self.room, self.rule.size), np.int32), np.empty(self.room, np.int32)
        n_found, _ = walk(records, self.intervals, none, span, self.rule, sets, support, together)
        return (sets[:n_found].copy(), support[:n_found].copy()), n_found


@dataclass(frozen=True, eq=False)
class _SuffixMeasurement:
    """Counts the suffixes of each code in some blocks, and the codes in these suffixes.

    Suffixes of fewer than `least` codes are ignored.
    """

    n_codes: int
    least: int

    def __call__(self, blocks: Iterable[Int32]) -> Int64:
        from anonset_kernels.rare_sets.suffixes import measure_suffixes

        sums = np.zeros((2, self.n_codes), np.int64)
        for codes in blocks:
            measure_suffixes(codes, self.least, sums[0], sums[1])
        return sums


def _positions(length: int, n: int) -> Index:
    """Return an uninitialized array for `n` positions in an array of `length` elements."""
    return np.empty(n, np.int32) if length <= np.iinfo(np.int32).max else np.empty(n, np.int64)
