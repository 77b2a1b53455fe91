"""Order published rows by group. Each row ends with a mark of its group, so that rows of different groups differ.

Rows are sorted with NumPy in blocks. If the rows are in files, the result is also in files.
"""

import numpy as np
from numpy.typing import NDArray

from anonset.data import SetColumn
from anonset.data.array_types import Int32, Int64
from anonset.data.distinct import distinct
from anonset.data.spans import gathered, spans
from anonset.data.storage.store import Store


def by_group(column: SetColumn, groups: NDArray[np.integer], store: Store) -> tuple[SetColumn, Int64]:
    """Return the rows ordered by group, and the distinct groups in ascending order. Rows of a group remain in input
    order.

    Parameters
    ----------
    groups
        Group of each row as an integer, (n,).
    store
        Store of the result.

    Returns
    -------
    SetColumn, int64 (G,)
        Each row ends with the mark of its group. The mark is the number of symbols plus the index of the group. It
        therefore differs from all symbol codes.

    >>> from anonset.data.storage.store import MEMORY
    >>> rows, groups = by_group(SetColumn.of(["ab", "a", "b"]), np.array([7, 3, 7]), MEMORY)
    >>> [rows.items[a:b].tolist() for a, b in zip(rows.indptr[:-1], rows.indptr[1:])], groups.tolist()
    ([[0, 2], [0, 1, 3], [1, 3]], [3, 7])
    """
    values = _values(groups)
    fill = _begins(column, groups, values)
    indptr = store.array("indptr", np.int64, column.n + 1)
    items = store.array("items", np.int32, len(column.codes) + column.n)
    indptr[0] = 0
    for a, b in spans(column.n):
        rank = np.searchsorted(values, groups[a:b])
        order = np.argsort(rank, kind="stable")
        rank, block = rank[order], column.slice(a, b).take(order)
        lengths = block.lengths + 1
        row = _places(rank, np.ones(len(rank), np.int64), fill[0])
        item = _places(rank, lengths, fill[1])
        indptr[row + 1] = item + lengths
        begins, places = gathered(item, lengths)
        items[places] = _marked(block, len(column.vocabulary) + rank, begins[1:])
    return SetColumn(column.name, indptr, items, column.vocabulary), values


def _values(groups: NDArray[np.integer]) -> Int64:
    values = np.empty(0, np.int64)
    for a, b in spans(len(groups)):
        values = distinct(np.concatenate([values, groups[a:b].astype(np.int64)]))
    return values


def _begins(column: SetColumn, groups: NDArray[np.integer], values: Int64) -> Int64:
    """Return the offset of the first row and of the first item of each group, int64 (2, G). Marks are also items."""
    size = np.zeros((2, len(values)), np.int64)
    for a, b in spans(column.n):
        rank = np.searchsorted(values, groups[a:b])
        size[0] += np.bincount(rank, minlength=len(values))
        np.add.at(size[1], rank, column.slice(a, b).lengths + 1)
    return np.asarray(np.cumsum(size, axis=1) - size)


def _places(rank: Int64, lengths: Int64, fill: Int64) -> Int64:
    """Return the offset of each row in the rows ordered by group, given the length of each row. Update `fill`.

    Parameters
    ----------
    fill
        Offset of the next row of each group, int64 (G,).
    """
    before = np.cumsum(lengths) - lengths
    first = np.searchsorted(rank, rank)  # first row of the same group in this block
    place: Int64 = fill[rank] + before - before[first]
    np.add.at(fill, rank, lengths)
    return place


def _marked(part: SetColumn, mark: Int64, ends: Int64) -> Int32:
    """Return the items of rows, each row followed by its mark and ending at `ends`."""
    items = np.empty(len(part.codes) + part.n, np.int32)
    closing = np.zeros(len(items), bool)
    closing[ends - 1] = True
    items[closing], items[~closing] = mark, part.items
    return items
