"""The sets of nodes of a cut whose cohort is too small, or too alike in its sensitive items, one after the other.

Records become the codes of their nodes and, behind these, of their sensitive items. What follows a set's first code in
them is all that a walk looks at: of one block in memory the records themselves, of others what was gathered of them
for a window, a span of first codes.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from anonset.algorithms.base import Progress
from anonset.algorithms.transaction.expanded_blocks import ExpandedBlocks, Expansion
from anonset.algorithms.transaction.expanded_records import Records
from anonset.algorithms.transaction.windows import LARGEST_WINDOW, LEAST_WINDOW, WINDOWS, Span, Suffixes, UInt8
from anonset.data import Hierarchy
from anonset.data.spans import held_at_once
from anonset.data.table import Int32, Int64

_BYTES_OF_CODE = 8  # itself, and where it is


def expansion_of(hierarchy: Hierarchy, image: Int32, nodes: Int32, n_items: int) -> Expansion:
    """Return how records become codes: of `nodes`, in this order, then of the leaves from `n_items` on."""
    code = np.full(hierarchy.n_nodes, -1, np.int32)
    sensitive = hierarchy.leaf_node[n_items:]
    code[nodes] = np.arange(len(nodes), dtype=np.int32)
    code[sensitive] = np.arange(len(nodes), len(nodes) + len(sensitive), dtype=np.int32)
    return Expansion.of(hierarchy, image, code, len(nodes) + len(sensitive))


@dataclass(frozen=True, eq=False)
class BadCohorts:
    """Finds the bad sets of `size` nodes of the cut, in lexicographic order of their codes."""

    suffixes: Suffixes
    intervals: tuple[Int32, Int32]
    """int32 (C,) and int32 (C,): the leaves below each code's node, from and to."""
    size: int
    rule: tuple[int, int]
    """k and l."""
    tally: Int64
    """int64 (E,): one for each sensitive item; zero."""

    @classmethod
    def of(
        cls, records: ExpandedBlocks, intervals: tuple[Int32, Int32], size: int, rule: tuple[int, int], tally: Int64
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
            Told the first code of each set, and where each window ends.
        """
        from anonset_kernels.lm import find_violation

        def tell(code: int) -> None:
            if progress is not None:
                progress(f"sets of {self.size}", float(code), float(len(on_cut)))

        rule, itemset = self.rule, np.full(self.size, -1, np.int32)
        for window, records in self._windows(on_cut):
            stack = np.empty(1024, records[2].dtype)
            while met := find_violation(records, on_cut, self.intervals, window, rule, self.tally, stack, itemset):
                yield itemset, met
                tell(int(itemset[0]))
            tell(window[1])

    def _windows(self, on_cut: UInt8) -> Iterator[tuple[Span, Records]]:
        """Yield spans of first codes with what follows these; codes before the next one of the cut are left out."""
        suffixes, n_codes = self.suffixes, len(on_cut)
        whole = suffixes.of_window((0, n_codes)) if suffixes.in_place else None
        room = (suffixes.entries + suffixes.records)[:n_codes]
        most = max(int(room.sum()) // WINDOWS, LEAST_WINDOW)
        most = min(most, held_at_once(LARGEST_WINDOW, _BYTES_OF_CODE * self.size))
        done = np.cumsum(room)
        first = 0
        while len(ahead := np.flatnonzero(on_cut[first:])):
            first += int(ahead[0])
            end = int(np.searchsorted(done, done[first] - room[first] + most, side="right"))
            window = first, min(max(end, first + 1), n_codes)
            yield window, suffixes.of_window(window) if whole is None else whole
            first = window[1]
