"""How many bytes rows take as text, and where to cut them, so that long texts are held some at a time."""

from collections.abc import Iterator, Sequence

import numpy as np

from anonset.data import CategoricalColumn, SetColumn, Vocabulary
from anonset.data.spans import spans
from anonset.data.table import Int32, Int64

_OFFSET = 4
"""Bytes beside those of a text, and of a list, which say where it begins."""
_STEP = 1 << 14
"""Rows that are measured at once."""


def spans_within(
    columns: Sequence[SetColumn | CategoricalColumn], most_rows: int, most_bytes: int
) -> Iterator[tuple[int, int]]:
    """Yield the first and the end of spans of rows, each as long as both bounds allow, but of one row at least.

    They depend on what the columns hold, and not on where that lies. Bytes are those of the texts, with `_OFFSET` for
    each text and each list.

    >>> column = CategoricalColumn.of("note", ["a", "bb", "x" * 50, "c", "d"])
    >>> list(spans_within([column], 2, 100)), list(spans_within([column], 4, 16))
    ([(0, 2), (2, 4), (4, 5)], [(0, 2), (2, 3), (3, 5)])
    """
    n, sizes = columns[0].n, [_Sizes(column) for column in columns]
    first = 0
    while first < n:
        end = min(first + most_rows, n)
        if any(one.filed for one in sizes) or sum(one.at_most(first, end) for one in sizes) > most_bytes:
            end = _end(sizes, first, end, most_bytes)
        yield first, end
        first = end


def _end(sizes: "Sequence[_Sizes]", first: int, end: int, most: int) -> int:
    """Return the end of the rows from `first` on that take at most so many bytes; one row in any case."""
    before = 0
    for a, b in spans(end - first, _STEP):
        each = sum(one.of(first + a, first + b) for one in sizes)
        done = np.cumsum(each) + before
        if done[-1] > most:
            return first + max(1, a + int(np.searchsorted(done, most, side="right")))
        before = int(done[-1])
    return end


class _Sizes:
    """The bytes of the rows of a column."""

    def __init__(self, column: SetColumn | CategoricalColumn) -> None:
        self._column = column
        self.filed = column.vocabulary.filed is not None
        """Whether the labels lie in files, so that nobody knows the longest."""
        self._each = np.empty(0, np.int64) if self.filed else _label_bytes(column.vocabulary)
        self._longest = int(self._each.max(initial=_OFFSET))

    def at_most(self, first: int, end: int) -> int:
        """Return what the rows of a span take at most, if all labels are held."""
        column = self._column
        if isinstance(column, SetColumn):
            return int(column.indptr[end] - column.indptr[first]) * self._longest + (end - first) * _OFFSET
        return (end - first) * self._longest

    def of(self, first: int, end: int) -> Int64:
        """Return the bytes of each row of a span, int64 (end - first,)."""
        column = self._column
        if isinstance(column, CategoricalColumn):
            return self._of_codes(column.codes[first:end])
        ends = column.indptr[first : end + 1]
        done = np.concatenate([[0], np.cumsum(self._of_codes(column.items[ends[0] : ends[-1]]))])
        sizes: Int64 = np.diff(done[ends - ends[0]]) + _OFFSET
        return sizes

    def _of_codes(self, codes: Int32) -> Int64:
        filed = self._column.vocabulary.filed
        if filed is None:
            return self._each[codes]
        lengths: Int64 = filed.lengths(codes) + _OFFSET
        return lengths


def _label_bytes(vocabulary: Vocabulary) -> Int64:
    """Return the bytes of each label that is held, int64 (M,)."""
    lengths = (len(label.encode()) + _OFFSET for label in vocabulary.labels)
    return np.fromiter(lengths, np.int64, len(vocabulary))
