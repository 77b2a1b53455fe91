"""The sets of nodes of a cut whose cohort is too small, or too alike in its sensitive items, one after the other.

Records become the codes of their nodes, followed by those of their sensitive items. A walk reads only what follows the
first code of a set: of one block in memory in the records themselves, of others in what is gathered from them for a
window, a span of first codes.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from anonset.algorithms.base import Progress
from anonset.algorithms.transaction.expanded_blocks import BlockExpansion, ExpandedBlocks
from anonset.algorithms.transaction.windows import LARGEST_WINDOW, LEAST_WINDOW, WINDOWS, Span, Suffixes, UInt8
from anonset.data import Hierarchy
from anonset.data.table import Int32, Int64
from anonset_kernels._arrays import Expanded, Intervals

_BYTES_OF_CODE = 8  # itself, and where it is


def expansion_of(hierarchy: Hierarchy, image: Int32, nodes: Int32, n_items: int) -> BlockExpansion:
    """Return how records become codes: of `nodes`, in this order, then of the leaves from `n_items` on."""
    code = np.full(hierarchy.n_nodes, -1, np.int32)
    sensitive = hierarchy.leaf_node[n_items:]
    code[nodes] = np.arange(len(nodes), dtype=np.int32)
    code[sensitive] = np.arange(len(nodes), len(nodes) + len(sensitive), dtype=np.int32)
    return BlockExpansion.of(hierarchy, image, code, len(nodes) + len(sensitive))


@dataclass(frozen=True, eq=False)
class BadCohorts:
    """Finds the bad sets of `size` nodes of the cut, in lexicographic order of their codes."""

    suffixes: Suffixes
    intervals: Intervals
    """int32 (C,) and int32 (C,): the leaves below each code's node, from and to."""
    size: int
    rule: tuple[int, int]
    """k and l."""
    tally: Int64
    """int64 (E,): one for each sensitive item; zero."""

    @classmethod
    def of(
        cls, records: ExpandedBlocks, intervals: Intervals, size: int, rule: tuple[int, int], tally: Int64
    ) -> "BadCohorts":
        """Measure what follows each code in the records."""
        suffixes = Suffixes.of(records, records.expansion.n_codes, size - 1)
        return cls(suffixes, intervals, size, rule, tally)

    def found(self, on_cut: UInt8, progress: Progress | None) -> Iterator[tuple[Int32, int]]:
        """Yield each bad set, int32 (size,), as codes, and the size of its cohort.

        Parameters
        ----------
        on_cut
            uint8 (C,): codes of the cut's nodes. It may be changed before the next set is asked for.
        progress
            Called with the first code of each set, and the end of each window.
        """

        def tell(code: int) -> None:
            if progress is not None:
                progress(f"sets of {self.size}", float(code), float(len(on_cut)))

        itemset = np.full(self.size, -1, np.int32)
        for met in self._beginning(itemset, 0, self.suffixes, on_cut, tell):
            yield itemset, met
            tell(int(itemset[0]))

    def _beginning(
        self, itemset: Int32, fixed: int, suffixes: Suffixes, on_cut: UInt8, tell: Callable[[int], None]
    ) -> Iterator[int]:
        """Yield the size of the cohort of each bad set that begins as `itemset` does, which the set is then.

        What follows a code that too many records hold is not gathered: the sets that begin with it are searched
        code by code in turn, over what follows that in the records, which is made anew for each pass.

        Parameters
        ----------
        itemset
            int32 (size,): changed behind the first `fixed` codes.
        suffixes
            What follows these codes.
        tell
            Called with the end of each window of first codes.
        """
        from anonset_kernels.lm import find_violation

        if fixed == self.size:
            yield from self._whole(suffixes)
            return
        members, rest = itemset[:fixed], itemset[fixed:]
        rest[:] = -1
        for window, records in self._windows(members, suffixes, on_cut):
            if records is None:
                rest[0] = window[0]
                behind = suffixes.behind(window[0], max(0, len(rest) - 2))
                yield from self._beginning(itemset, fixed + 1, behind, on_cut, lambda _: None)
            else:
                fixture = self.intervals, window, self.rule, self.tally, np.empty(1024, records.position.dtype)
                while met := find_violation(records, self._following(members, suffixes, on_cut), *fixture, rest):
                    yield met
            if not fixed:
                tell(window[1])

    def _whole(self, suffixes: Suffixes) -> Iterator[int]:
        """Yield the size of the cohort of the records whose codes behind a whole set are given, if it is bad."""
        met, n_codes = 0, len(suffixes.entries) - len(self.tally)
        held = np.zeros(len(self.tally), np.int64)
        for codes in suffixes.parts:
            met += int(np.count_nonzero(codes < 0))
            held += np.bincount(codes[codes >= n_codes] - n_codes, minlength=len(held))
        if 0 < met < self.rule[0] or int(held.max(initial=0)) * self.rule[1] > met:
            yield met

    def _following(self, members: Int32, suffixes: Suffixes, on_cut: UInt8) -> UInt8:
        """Return the codes of the cut, uint8 (C,), that may follow the first members of a set, if these are on it."""
        if not len(members):
            return on_cut
        allowed = on_cut * bool(on_cut[members].all())
        allowed[: members[-1] + 1] = 0
        if len(members) == self.size - 1:  # a whole set is looked at only if it occurs
            allowed[suffixes.records[: len(allowed)] == 0] = 0
        low, high = (ends[: len(on_cut)] for ends in self.intervals)
        for member in members:
            allowed[(low[member] <= low) & (high <= high[member])] = 0
        return allowed

    def _windows(self, members: Int32, suffixes: Suffixes, on_cut: UInt8) -> Iterator[tuple[Span, Expanded | None]]:
        """Yield spans of the codes that follow some members of a set, with what follows these codes.

        Codes before the next one of the cut are left out. What follows one code is None where it takes more than the
        room that there is.
        """
        n_codes = len(on_cut)
        whole = suffixes.of_window((0, n_codes)) if suffixes.in_place else None
        room = (suffixes.entries + suffixes.records)[:n_codes]
        largest = self.suffixes.store.limits.held(LARGEST_WINDOW, _BYTES_OF_CODE * self.size)
        most = min(max(int(room.sum()) // WINDOWS, LEAST_WINDOW), largest)
        done = np.cumsum(room)
        first = 0
        while len(ahead := np.flatnonzero(self._following(members, suffixes, on_cut)[first:])):
            first += int(ahead[0])
            end = int(np.searchsorted(done, done[first] - room[first] + most, side="right"))
            window = first, min(max(end, first + 1), n_codes)
            if whole is None and room[first] > largest:
                yield window, None
            else:
                yield window, suffixes.of_window(window) if whole is None else whole
            first = window[1]
