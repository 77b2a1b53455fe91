"""Format encoded columns as CSV lines, in blocks of rows. Labels in memory are quoted once, not in each row."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from anonset import arrow
from anonset.data import CategoricalColumn
from anonset.data.array_types import Int32, Int64
from anonset.data.spans import spans
from anonset.data.storage.store import Store
from anonset.writing.csv_lines import csv_lines, lines, quoted, texts_of

BLOCK = 1 << 17
"""Number of rows in a block."""
_BEGUN = 4
_ColumnCodes = list[Int32]


class RowLines:
    """Rows of columns as CSV lines.

    Parameters
    ----------
    columns
        At least one column.
    store
        Store whose workers format the lines.
    count
        Number of lines of each row, int64 (n,). None if each row is one line.
    """

    def __init__(self, columns: Sequence[CategoricalColumn], store: Store, count: Int64 | None = None) -> None:
        self._columns, self._store, self._count = columns, store, count
        names = [column.name for column in columns]
        self._header = next(csv_lines(names, ()))
        self._fields = [_fields_of(column, fills_line=len(names) == 1) for column in columns]

    @property
    def n(self) -> int:
        """Number of lines, without the header."""
        if self._count is None:
            return self._columns[0].n
        return sum(int(self._count[first:end].sum()) for first, end in spans(len(self._count)))

    def all(self) -> Iterator[Any]:
        """Yield the lines of a single file."""
        yield self._header
        yield from (text for _, text in self._made(self._blocks(None)))

    def parts(self, part_rows: int) -> Iterator[Iterator[Any]]:
        """Yield an iterator over the lines of each part file. There is at least one part. Read each iterator to its end
        before the next part.
        """
        blocks = self._made(self._blocks(part_rows))

        def part(rows: int) -> Iterator[Any]:
            yield self._header
            while rows > 0:
                n, text = next(blocks)
                rows -= n
                yield text

        for first, end in list(spans(self.n, part_rows)) or [(0, 0)]:
            yield part(end - first)

    def _blocks(self, part_rows: int | None) -> Iterator[_ColumnCodes]:
        """Yield blocks of rows. The rows of a block are in the same file."""
        done = 0
        for first, end in spans(self._columns[0].n, BLOCK):
            codes = [column.codes[first:end] for column in self._columns]
            if self._count is not None:
                codes = [np.repeat(of_column, self._count[first:end]) for of_column in codes]
            begin, n = 0, len(codes[0])
            while begin < n:
                stop = n if part_rows is None else min(n, begin + part_rows - done % part_rows)
                yield [of_column[begin:stop] for of_column in codes]
                done, begin = done + stop - begin, stop

    def _made(self, blocks: Iterator[_ColumnCodes]) -> Iterator[tuple[int, Any]]:
        """Yield the row count and the lines of each block, while threads format the next blocks."""
        return self._store.with_local_workers().map(self._lines, blocks, _BEGUN)

    def _lines(self, block: _ColumnCodes) -> tuple[int, Any]:
        return len(block[0]), lines([field(codes) for field, codes in zip(self._fields, block, strict=True)])


def _fields_of(column: CategoricalColumn, *, fills_line: bool) -> Callable[[Int32], Any]:
    vocabulary = column.vocabulary
    if vocabulary.is_numbered:
        return lambda codes: arrow.digits(codes.astype(np.int64) + 1)
    if vocabulary.filed is not None:
        texts = texts_of(vocabulary)
        return lambda codes: quoted(texts(codes), fills_line=fills_line)
    fields = quoted(arrow.text_array(vocabulary.labels), fills_line=fills_line)
    return lambda codes: arrow.chosen(fields, codes)
