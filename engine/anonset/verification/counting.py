"""Counting the itemsets of one size by walks over those whose first symbols are in a window."""

import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from anonset.data import SetColumn
from anonset.data.table import Int64
from anonset.errors import AnonsetError

if TYPE_CHECKING:
    from anonset_kernels.verification import Walk

Progress = Callable[[str, float, float], None]
"""Called with (phase, amount done, total amount) as work goes on."""

CODES_PER_WINDOW = 1 << 22
"""Codes that the rows of a window hold, if it is of more than one symbol."""
_STEPS_PER_CALL = 20_000_000  # about a tenth of a second: an interruption is noticed between two calls


@dataclass(frozen=True)
class Count:
    """The itemsets of one size, counted until the first one that has too few records."""

    size: int
    """Number of items of each set."""
    distinct: int
    """Distinct itemsets that were counted."""
    rare: tuple[int, ...] | None = None
    """Codes of the first itemset below the threshold, in the order of the codes; None if there is none."""
    support: int = 0
    """Number of records that hold it."""


@dataclass(frozen=True)
class Found:
    """What a walk found, up to the first set that is too rare."""

    counted: int
    """Occurrences of itemsets in the rows."""
    distinct: int
    """Distinct itemsets."""
    rare: tuple[int, ...] | None
    """The first set that is too rare."""
    support: int
    """Number of records that hold it."""


def windows_of(room: Int64) -> list[tuple[int, int]]:
    """Cut the symbols into windows, given the room that each takes; one at least.

    >>> windows_of(np.array([1, 0, 2], np.int64))
    [(0, 3)]
    """
    ends, found = np.cumsum(room), [0]
    while found[-1] < len(room):
        before = int(ends[found[-1] - 1]) if found[-1] else 0
        found.append(max(found[-1] + 1, int(np.searchsorted(ends, before + CODES_PER_WINDOW, side="right"))))
    return list(pairwise(found)) or [(0, 0)]


class Counting:
    """The counting of all itemsets of one size, by walks over some of them each, which may run side by side."""

    def __init__(self, size: int, k: int, total: int, progress: Progress | None) -> None:
        self.size, self.k, self.total, self.progress = size, k, total, progress
        self.stopped, self._done, self._lock = False, 0, threading.Lock()

    def run(self, rows: SetColumn, weight: Int64) -> Found:
        """Count the itemsets that begin with the first symbol of a row, until one is too rare, or told to stop.

        Parameters
        ----------
        rows
            Rows by their first symbol.
        weight
            int64 (rows,): records that each stands for.
        """
        from anonset_kernels.verification import Rows, advance

        row_of = np.repeat(np.arange(rows.n, dtype=np.int32), rows.lengths)
        seen, walk = Rows(rows.items, row_of, rows.indptr[1:], weight), self._walk(rows)
        over, before = False, 0
        while not over and not self.stopped:
            over = bool(advance(seen, walk, self.size, self.k, _STEPS_PER_CALL))
            with self._lock:
                self._done += int(walk.state[1]) - before
                before = int(walk.state[1])
                if self.progress is not None:
                    self.progress(f"itemsets of size {self.size}", float(self._done), float(self.total))
        _, counted, distinct, last, support = walk.state.tolist()
        if last < 0:
            return Found(counted, distinct, None, 0)
        prefix = [int(walk.symbols[level, walk.cursor[level, 0]]) for level in range(self.size - 1)]
        return Found(counted, distinct, (*prefix, last), support)

    def _walk(self, rows: SetColumn) -> "Walk":
        """Return a walk that stands before the first set.

        An item that follows a prefix of some items is at least as many places behind its first item: what is so far
        behind the symbol that most is behind of bounds the positions of a level.
        """
        from anonset_kernels.verification import Walk

        levels, n_symbols, starts = self.size - 1, len(rows.vocabulary), rows.indptr[:-1]
        heads = rows.items[starts]
        per_symbol = np.bincount(heads, minlength=n_symbols)
        present = np.flatnonzero(per_symbol)
        room = 0
        for level in range(1, levels):
            behind = np.bincount(heads, weights=np.maximum(rows.lengths - level, 0))
            room += int(behind.max(initial=0))
        positions = np.empty(rows.n + room, np.int64)
        positions[: rows.n] = starts
        symbols = np.zeros((levels, n_symbols), np.int32)
        first = np.zeros((levels, n_symbols + 1), np.int64)
        cursor = np.zeros((levels, 2), np.int64)
        symbols[0, : len(present)] = present
        np.cumsum(per_symbol[present], out=first[0, 1 : len(present) + 1])
        cursor[0, 1] = len(present)
        state = np.array([0, 0, 0, -1, 0], np.int64)
        counters = np.zeros(n_symbols, np.int64), np.zeros(n_symbols, np.int32)
        return Walk(positions, symbols, first, cursor, *counters, state)

    def summed(self, parts: Iterable[Found]) -> Count:
        """Return what walks found, one after the other in the order of their sets, up to the first rare one.

        Raises
        ------
        AnonsetError
            If they counted other than all occurrences.
        """
        counted = distinct = 0
        for part in parts:
            counted, distinct = counted + part.counted, distinct + part.distinct
            if part.rare is not None:
                return Count(self.size, distinct, part.rare, part.support)
        if counted != self.total:  # an exact account of the work: a kernel that skipped anything cannot pass
            of = f"itemsets of size {self.size}"
            msg = f"verification counted {counted} occurrences of {of}, but the records hold {self.total}"
            raise AnonsetError(msg)
        return Count(self.size, distinct)
