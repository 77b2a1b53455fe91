"""Counters of all sets of three symbols, in windows that have room."""

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from anonset.data import SetColumn
from anonset.data.table import Int32, Int64

if TYPE_CHECKING:
    from anonset_kernels.verified_triples import Triples as Counters

BYTES_PER_OCCURRENCE = 1
"""Bytes of counters for each occurrence of a set of three that is to be counted."""
MOST_WINDOWS = 16
"""Passes over the rows, at most."""
_WINDOWS_PER_THREAD = 2


class Triples:
    """The sets of three symbols of some rows; a symbol's number is its place by falling support.

    Parameters
    ----------
    column
        The rows.
    k
        Where counting stops.
    most
        Bytes that the counters of a window may take.
    threads
        Number of threads that count side by side.
    """

    def __init__(self, column: SetColumn, k: int, most: int, threads: int) -> None:
        present = np.flatnonzero(column.occurrences)
        self.k, support = k, column.occurrences[present]
        self.symbols: Int32 = present[np.argsort(-support, kind="stable")].astype(np.int32)
        """int32 (N,): the symbol of each number."""
        numbers = np.arange(len(self.symbols) + 1)
        self._before: Int64 = np.cumsum((numbers + 63) // 64) - (numbers + 63) // 64
        self._bytes = 8 * (1 + k.bit_length()) * self._before[:-1]
        self.bytes = int(self._bytes.sum())
        """Memory that the counters of all windows take."""
        self.windows = self._windows(np.sort(support)[::-1], most, threads)
        """Windows of the largest numbers, from and to; none where they would be too many."""

    def _windows(self, support: Int64, most: int, threads: int) -> list[tuple[int, int]]:
        """Cut the largest numbers into windows of about the same room and work together."""
        smaller = np.cumsum(support) - support
        work = support * smaller.astype(np.float64) ** 2
        ends = np.cumsum(self._bytes / max(1, self.bytes) + work / max(1.0, float(work.sum())))
        fewest = 1 if threads == 1 else min(_WINDOWS_PER_THREAD * threads, MOST_WINDOWS)
        for n_windows in range(fewest, MOST_WINDOWS + 1 if len(ends) else 0):
            cuts = np.searchsorted(ends, float(ends[-1]) / n_windows * np.arange(1, n_windows))
            windows = list(pairwise(np.unique([0, *cuts.tolist(), len(ends)]).tolist()))
            if all(int(self._bytes[first:end].sum()) <= most for first, end in windows):
                return windows
        return []

    @property
    def number(self) -> Int32:
        """int32 (V,): the number of each symbol that occurs."""
        number = np.zeros(int(self.symbols.max(initial=-1)) + 1, np.int32)
        number[self.symbols] = np.arange(len(self.symbols), dtype=np.int32)
        return number

    def counters(self, window: tuple[int, int]) -> "Counters":
        """Return the counters of a window, at zero."""
        from anonset_kernels.verified_triples import Triples as Counters

        first, end = window
        begin = np.concatenate([[0], np.cumsum(self._before[first:end])])
        digits = np.array([-(self.k >> p & 1) for p in range(self.k.bit_length())], np.int64).view(np.uint64)
        full, counts = np.zeros(int(begin[-1]), np.uint64), np.zeros(int(begin[-1]) * len(digits), np.uint64)
        return Counters(self._before, first, begin, digits, full, counts)
