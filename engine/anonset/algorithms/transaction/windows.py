"""Passes over a count-tree: each of its sets is walked below its first code, over what follows that in the records.

The records of one block in memory are looked at as they are. Of others, what follows the codes of a window, a span of
first codes, is gathered side by side for each code, and not more, as a rule, than there is room for. A window is a
task: it takes with it what it needs, and the records, where they lie in files, by the names of these.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from anonset.algorithms.transaction.expanded_blocks import ExpandedBlocks
from anonset.algorithms.transaction.marked_pairs import packed
from anonset.algorithms.transaction.rare_sets import Found
from anonset.data.spans import begins_of
from anonset.data.store import Store
from anonset.data.table import Index, Int32, Int64
from anonset_kernels._arrays import Expanded, Intervals

if TYPE_CHECKING:
    from anonset_kernels.count_tree import Rule

Float64 = NDArray[np.float64]
UInt8 = NDArray[np.uint8]
Span = tuple[int, int]
"""First codes, from and to."""

RARE_SETS_PER_CALL = 1 << 14
RARE_SETS_PER_WINDOW = 1 << 18
WINDOWS, LEAST_WINDOW, LARGEST_WINDOW = 16, 1 << 17, 1 << 26
"""Number of windows of a pass, where they hold neither fewer nor more codes than these, memory permitting."""
_BYTES_OF_CODE = 8  # itself, and where it is
_CODES_AT_ONCE = 1 << 20


def spans(work: Float64, within: Span, most: float) -> Iterator[Span]:
    """Cut a span of codes into spans of about so much work."""
    done, first = np.cumsum(work), within[0]
    while first < within[1]:
        before = done[first - 1] if first else 0.0
        last = max(first + 1, int(np.searchsorted(done, before + most, side="right")))
        yield first, min(last, within[1])
        first = last


@dataclass(frozen=True, eq=False)
class Suffixes:
    """What follows each code in the records of some blocks."""

    parts: "Sequence[Int32] | _Following"
    """The records, block by block, as ascending codes, each record closed by -1."""
    in_place: bool
    """Whether there is one block, in memory, which is looked at as it is."""
    least: int
    """Number of codes that must follow."""
    entries: Int64
    """int64 (C,): codes that follow each code."""
    records: Int64
    """int64 (C,): records in which so many follow it."""
    store: Store
    """Its limits say how much of them is held at once."""

    @classmethod
    def of(cls, expanded: ExpandedBlocks, n_codes: int, least: int) -> "Suffixes":
        """Measure what follows; where a block is looked at as it is, everything."""
        parts = expanded.stored()
        in_place = len(parts) > 0 and not expanded.in_parts
        least = 0 if in_place else least
        measured = expanded.over(_Measure(n_codes, least))
        entries, records = sum(measured, np.zeros((2, n_codes), np.int64))
        return cls(parts, in_place, least, entries, records, expanded.store)

    def behind(self, code: int, least: int) -> "Suffixes":
        """Return what follows each code behind one code, in the records that hold that; nothing of it is held."""
        parts = _Following(self.parts, code)
        entries, records = _Measure(len(self.entries), least)(parts)
        return Suffixes(parts, False, least, entries, records, self.store)

    @cached_property
    def windows(self) -> list[Span]:
        """The windows, in order: one for a block that is looked at as it is."""
        if self.in_place:
            return [(0, len(self.entries))]
        room = (self.entries + self.records).astype(np.float64)
        largest = self.store.limits.held(LARGEST_WINDOW, _BYTES_OF_CODE * self.store.workers.count)
        most = min(max(room.sum() / WINDOWS, LEAST_WINDOW), largest)
        return list(spans(room, (0, len(room)), most))

    def of_window(self, window: Span) -> Expanded:
        """Return what a walk below the codes of a window looks at."""
        return self._placed() if self.in_place else self._gathered(window)

    def _placed(self) -> Expanded:
        """Return the places of the codes in the only block."""
        from anonset_kernels.suffixes import place_codes

        start = begins_of(self.records)
        (codes,) = self.parts
        position = _positions(len(codes), int(start[-1]))
        place_codes(codes, start[:-1].copy(), position)
        return Expanded(codes, start, position)

    def _gathered(self, window: Span) -> Expanded:
        """Return what follows the codes of a window in all blocks, with the places before it."""
        from anonset_kernels.suffixes import gather_suffixes

        first, last = window
        taken = (self.entries + self.records)[first:last]
        fill = begins_of(taken)
        start = np.zeros(len(self.records) + 1, np.int64)
        np.cumsum(self.records[first:last], out=start[first + 1 : last + 1])
        codes, place = np.empty(int(fill[-1]), np.int32), start[first:last].copy()
        position = _positions(len(codes), int(start[last]))
        for block in self.parts:
            gather_suffixes(block, first, last, self.least, fill, codes, place, position)
        return Expanded(codes, start, position)


@dataclass(frozen=True, eq=False)
class _Following:
    """What follows a code in the records that hold it, each closed by -1, made anew whenever it is gone through."""

    parts: "Sequence[Int32] | _Following"
    code: int

    def __iter__(self) -> Iterator[Int32]:
        for codes in self.parts:
            begin = 0
            while begin < len(codes):
                end = min(begin + _CODES_AT_ONCE, len(codes))
                while codes[end - 1] >= 0:  # to the end of a record
                    end += 1
                yield self._of(codes[begin:end])
                begin = end

    def _of(self, codes: Int32) -> Int32:
        """Return what follows in some records."""
        found, ends = np.flatnonzero(codes == self.code), np.flatnonzero(codes < 0)
        change = np.zeros(len(codes) + 1, np.int8)
        change[found + 1] = 1
        change[ends[np.searchsorted(ends, found)] + 1] = -1
        return codes[np.cumsum(change[:-1], dtype=np.int8) > 0]


@dataclass(frozen=True, eq=False)
class Walk:
    """Finds the rare sets of a window that hold no dead code; `rule` and `intervals` are those of the kernel `walk`."""

    suffixes: Suffixes
    intervals: Intervals
    rule: "Rule"

    def __call__(self, task: tuple[Span, UInt8, UInt8]) -> tuple[list[Found], int]:
        """Return the rare sets below a span of codes, in order, and the code from which on there may be more.

        Parameters
        ----------
        task
            The span; uint8 (C,), the codes that are dead; and the pairs to begin with, as the kernel takes them.
        """
        span, dead, together = task
        records, found, following, total = self.suffixes.of_window(span), [], span[0], 0
        while following < span[1] and total < RARE_SETS_PER_WINDOW:
            rare, following = self.step(records, (following, span[1]), dead, together)
            found.append(rare)
            total += len(rare[0])
        return found, following

    def step(self, records: Expanded, span: Span, dead: UInt8, together: UInt8) -> tuple[Found, int]:
        """Return some rare sets, and the code from which on there may be more."""
        from anonset_kernels.count_tree import walk

        sets = np.empty((RARE_SETS_PER_CALL, self.rule.size), np.int32)
        support = np.empty(RARE_SETS_PER_CALL, np.int32)
        n_found, following = walk(records, self.intervals, dead, span, self.rule, sets, support, together)
        return (sets[:n_found].copy(), support[:n_found].copy()), following


@dataclass(frozen=True, eq=False)
class Mark:
    """Finds the pairs of codes that are in a rare set together, and up to `room` of these sets."""

    suffixes: Suffixes
    intervals: Intervals
    rule: "Rule"
    room: int

    def __call__(self, span: Span) -> tuple[Int64 | UInt8, Found, int]:
        """Return the pairs, packed; the sets; and how many there are, with those that found no room."""
        n_codes = len(self.suffixes.entries)
        together = np.zeros((n_codes, n_codes), np.uint8)
        found = self.step(span, together)
        return packed(together), *found

    def step(self, span: Span, together: UInt8, records: Expanded | None = None) -> tuple[Found, int]:
        """Mark the pairs in an array, which threads may share: a cell is set, whoever comes first, and never read.

        Parameters
        ----------
        together
            uint8 (C, C).
        records
            What follows the codes of the span; None: it is gathered.
        """
        from anonset_kernels.count_tree import walk

        records = self.suffixes.of_window(span) if records is None else records
        none = np.zeros(len(together), np.uint8)
        sets, support = np.empty((self.room, self.rule.size), np.int32), np.empty(self.room, np.int32)
        n_found, _ = walk(records, self.intervals, none, span, self.rule, sets, support, together)
        return (sets[:n_found].copy(), support[:n_found].copy()), n_found


@dataclass(frozen=True, eq=False)
class _Measure:
    """Measures what follows each code in some blocks, where at least so many codes do."""

    n_codes: int
    least: int

    def __call__(self, blocks: Iterable[Int32]) -> Int64:
        from anonset_kernels.suffixes import measure_suffixes

        found = np.zeros((2, self.n_codes), np.int64)
        for codes in blocks:
            measure_suffixes(codes, self.least, found[0], found[1])
        return found


def _positions(length: int, n: int) -> Index:
    """Return room for `n` places in an array of some length."""
    return np.empty(n, np.int32) if length <= np.iinfo(np.int32).max else np.empty(n, np.int64)
