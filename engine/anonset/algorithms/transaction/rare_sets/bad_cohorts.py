"""Find the sets of cut nodes that violate l^m-diversity (bad sets).

The cohort of a set is the records that contain the set. A set is bad if its cohort is too small or contains a sensitive
item too often. Records are encoded as the codes of their nodes, followed by the codes of their sensitive items. The
sets with a given first code are found among the codes that follow this code in the records. These codes are read
directly if all records are in a single block in memory. Otherwise they are copied for a window (a range of first
codes).
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from anonset.algorithms.transaction.rare_sets.expanded_blocks import BlockExpansion, ExpandedBlocks
from anonset.algorithms.transaction.rare_sets.windows import LARGEST_WINDOW, LEAST_WINDOW, WINDOWS, Span, Suffixes
from anonset.data import Hierarchy
from anonset.data.array_types import Int32, Int64, UInt8
from anonset.data.distinct import positions
from anonset.data.progress import Progress, report_progress
from anonset_kernels._arrays import ExpandedCodes, Intervals

_BYTES_OF_CODE = 8  # code and position


def expansion_of(hierarchy: Hierarchy, image: Int32, nodes: Int32, n_items: int) -> BlockExpansion:
    """Return an expansion of records to the codes of `nodes`, in this order, and of the leaves from `n_items` on."""
    coded = np.append(nodes, hierarchy.leaf_node[n_items:])
    return BlockExpansion.of(hierarchy, image, positions(coded, hierarchy.n_nodes), len(coded))


@dataclass(frozen=True, eq=False)
class BadCohorts:
    """Finds the bad sets of `size` nodes of the cut. Sets are sorted by their codes."""

    suffixes: Suffixes
    intervals: Intervals
    """Start and end of the leaves below each code's node, int32 (C,) each."""
    size: int
    rule: tuple[int, int]
    """Parameters (k, l)."""
    tally: Int64
    """Counter of each sensitive item, int64 (E,). The counters are 0 between two counts."""

    @classmethod
    def of(
        cls, records: ExpandedBlocks, intervals: Intervals, size: int, rule: tuple[int, int], tally: Int64
    ) -> "BadCohorts":
        """Prepare an enumeration by counting the codes that follow each code."""
        suffixes = Suffixes.of(records, records.expansion.n_codes, size - 1)
        return cls(suffixes, intervals, size, rule, tally)

    def bad_sets(self, on_cut: UInt8, progress: Progress | None) -> Iterator[tuple[Int32, int]]:
        """Yield the codes of each bad set, int32 (size,), and the size of its cohort.

        Parameters
        ----------
        on_cut
            1 for codes of nodes on the cut, uint8 (C,). The caller may change the array before requesting the next set.
        progress
            Function that receives the first code of each set, and the end of each window.
        """

        def tell(code: int) -> None:
            report_progress(progress, f"sets of {self.size}", code, len(on_cut))

        itemset = np.full(self.size, -1, np.int32)
        for support in self._beginning(itemset, 0, self.suffixes, on_cut, tell):
            yield itemset, support
            tell(int(itemset[0]))

    def _beginning(
        self, itemset: Int32, fixed: int, suffixes: Suffixes, on_cut: UInt8, tell: Callable[[int], None]
    ) -> Iterator[int]:
        """Yield the cohort size of each bad set that starts with the first `fixed` codes of `itemset`.

        At each yield, `itemset` contains the bad set. If the codes that follow a code exceed the memory limit, they are
        not copied. The sets are then searched separately for each next code, and the codes that follow are computed
        again.
        """
        from anonset_kernels.rare_sets.lm import find_violation

        if fixed == self.size:
            yield from self._complete_set(suffixes)
            return
        members, further = itemset[:fixed], itemset[fixed:]
        further[:] = -1
        for window, records in self._windows(members, suffixes, on_cut):
            if records is None:
                further[0] = window[0]
                following = suffixes.following(window[0], max(0, len(further) - 2))
                yield from self._beginning(itemset, fixed + 1, following, on_cut, lambda _: None)
            else:
                fixture = self.intervals, window, self.rule, self.tally, np.empty(1024, records.position.dtype)
                while support := find_violation(records, self._following(members, suffixes, on_cut), *fixture, further):
                    yield support
            if not fixed:
                tell(window[1])

    def _complete_set(self, suffixes: Suffixes) -> Iterator[int]:
        """Yield the cohort size of a complete set if the set is bad. `suffixes` contains the codes that
        follow the set.
        """
        support, n_codes = 0, len(suffixes.entries) - len(self.tally)
        frequencies = np.zeros(len(self.tally), np.int64)
        for codes in suffixes.parts:
            support += int(np.count_nonzero(codes < 0))
            frequencies += np.bincount(codes[codes >= n_codes] - n_codes, minlength=len(frequencies))
        if 0 < support < self.rule[0] or int(frequencies.max(initial=0)) * self.rule[1] > support:
            yield support

    def _following(self, members: Int32, suffixes: Suffixes, on_cut: UInt8) -> UInt8:
        """Return the codes of the cut, uint8 (C,), that may follow the first members of a set.

        If a member is not on the cut, no code may follow.
        """
        if not len(members):
            return on_cut
        allowed = on_cut * bool(on_cut[members].all())
        allowed[: members[-1] + 1] = 0
        if len(members) == self.size - 1:  # skip complete sets that occur in no record
            allowed[suffixes.records[: len(allowed)] == 0] = 0
        low, high = (ends[: len(on_cut)] for ends in self.intervals)
        for member in members:
            allowed[(low[member] <= low) & (high <= high[member])] = 0
        return allowed

    def _windows(
        self, members: Int32, suffixes: Suffixes, on_cut: UInt8
    ) -> Iterator[tuple[Span, ExpandedCodes | None]]:
        """Yield ranges of codes that may follow the given members of a set, with the codes that follow in the records.

        None is yielded instead of the codes if the codes that follow a single code exceed the memory limit.
        """
        n_codes = len(on_cut)
        undivided = suffixes.of_window((0, n_codes)) if suffixes.in_place else None
        n_codes_from = (suffixes.entries + suffixes.records)[:n_codes]
        largest = self.suffixes.store.limits.at_once_within(LARGEST_WINDOW, _BYTES_OF_CODE * self.size)
        most = min(max(int(n_codes_from.sum()) // WINDOWS, LEAST_WINDOW), largest)
        done = np.cumsum(n_codes_from)
        first = 0
        while len(ahead := np.flatnonzero(self._following(members, suffixes, on_cut)[first:])):
            first += int(ahead[0])
            end = int(np.searchsorted(done, done[first] - n_codes_from[first] + most, side="right"))
            window = first, min(max(end, first + 1), n_codes)
            if undivided is None and n_codes_from[first] > largest:
                yield window, None
            else:
                yield window, suffixes.of_window(window) if undivided is None else undivided
            first = window[1]
