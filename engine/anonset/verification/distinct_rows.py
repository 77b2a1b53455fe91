"""Merge equal rows of a column, and count the records of each distinct row. Rows are merged within blocks, and then
across blocks.

Symbols that occur in the same rows can also be merged.
"""

from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from anonset.data import SetColumn
from anonset.data.array_types import Bools, Int32, Int64
from anonset.data.blocks import SetColumnBuilder
from anonset.data.codes import are_narrow, as_codes
from anonset.data.labels.vocabulary import Vocabulary
from anonset.data.spans import spans, spans_up_to
from anonset.data.storage.store import MEMORY, Store

MOST_TOGETHER = 1 << 23
"""Maximum number of rows in a hash table. If there are more rows, they are divided by hash into shares, and the shares
are processed one by one.
"""
_BYTES_OF_ROW = 48
"""Maximum memory of a row in the hash table, in bytes."""
_ROWS_PER_CALL, _CODES_PER_CALL = 200_000, 1 << 24
_BLOCKS_AT_ONCE, _ROWS_COMPARED = 8, 1 << 12


@dataclass(frozen=True, eq=False)
class WeightedRows:
    """Distinct rows, and the number of records that each row represents."""

    column: SetColumn
    weight: Int64
    """Number of records of each row, int64 (rows,)."""


def rows_of(column: SetColumn, first: int, end: int) -> tuple[Int64, Int32]:
    """Return a range of rows as the offsets, int64 (end - first + 1,), and the items, int32, for a kernel. Narrow items
    are widened.
    """
    some = column.slice(first, end)
    return some.indptr, some.items


def merged(column: SetColumn, store: Store) -> WeightedRows:
    """Return the distinct rows of a column, in order of first occurrence.

    The cost is O(nnz). If the rows are not sorted, each share needs another pass over the distinct rows of the blocks.
    With a work directory, memory contains some blocks, and a hash table of at most about `MOST_TOGETHER` rows. A lower
    memory limit makes this table smaller.
    """
    within, ordered = _merged_within_blocks(column, store)
    if ordered:
        return within
    rows = within.column
    shares = max(1, -(-rows.n // store.limits.at_once_within(MOST_TOGETHER, _BYTES_OF_ROW)))
    sums = merge_equal(replace(rows), within.weight, store, shares)  # the widened copy is freed afterwards
    if all(bool(np.all(sums[a:b])) for a, b in spans(rows.n)):
        return within
    with SetColumnBuilder(column.name, store, narrow=True) as distinct, store.growing("weight", np.int64) as weight:
        for a, b in spans(rows.n):
            first = np.flatnonzero(sums[a:b])
            distinct.append(rows.slice(a, b).take(first))
            weight.append(sums[a:b][first])
    return WeightedRows(distinct.finished(column.vocabulary), weight.finished())


def _merged_within_blocks(column: SetColumn, store: Store) -> tuple[WeightedRows, bool]:
    """Return the distinct rows of each block. Also return True if all these rows are sorted, and therefore distinct
    across blocks. A run of equal rows belongs to the block in which it begins.
    """
    size, remote = (column.n, len(column.codes)), store.workers.remote
    rows_at_once = store.rows_per_task(size, _BYTES_OF_ROW) if remote else None
    task, ordered = partial(_merged_block, column, narrow=are_narrow(store, len(column.vocabulary))), True
    with SetColumnBuilder(column.name, store, narrow=True) as rows, store.growing("weight", np.int64) as weights:
        for block, weight, in_order in store.map(
            task, spans(column.n, rows_at_once), None if remote else _BLOCKS_AT_ONCE
        ):
            rows.append(block)
            weights.append(weight)
            ordered &= in_order
    return WeightedRows(rows.finished(column.vocabulary), weights.finished()), ordered


def _merged_block(column: SetColumn, span: tuple[int, int], *, narrow: bool) -> tuple[SetColumn, Int64, bool]:
    """Return the distinct rows of the runs that begin in a span, the weights of the rows, and True if the rows are
    sorted. The returned column has no labels.
    """
    from anonset_kernels.verification.published_rows import MergedRows, merge_runs

    first, end = span
    begin = first + (_rows_equal_to(column, first - 1, first, end) if first else 0)
    block, in_order = replace(column.slice(begin, end), vocabulary=Vocabulary(())), True
    if not block.n:
        return block, np.empty(0, np.int64), True
    if begin:
        in_order = column.slice(begin - 1, begin).items.tolist() <= block.slice(0, 1).items.tolist()
    further = _rows_equal_to(column, end - 1, end, column.n)
    runs = MergedRows(np.zeros(block.n, np.int64), np.zeros(block.n, np.int64))
    n = int(merge_runs((block.indptr, block.items), runs))
    representative, weight = runs.representative[:n], runs.weight[:n]
    if n < 0:
        row_weight = np.ones(block.n, np.int64)
        row_weight[-1] += further
        sums = merge_equal(block, row_weight, MEMORY)
        representative = np.flatnonzero(sums)
        weight = sums[representative]
    else:
        weight[-1] += further
    rows = block if len(representative) == block.n else block.take(representative)
    codes = as_codes(rows.items.astype(np.uint16)) if narrow else rows.items
    return replace(rows, codes=codes), weight, in_order and n >= 0


def _rows_equal_to(column: SetColumn, row: int, first: int, end: int) -> int:
    """Return the number of consecutive rows from `first` to `end` - 1 that equal a row."""
    expected, at = column.slice(row, row + 1).items, first
    for a, b in spans(end - first, _ROWS_COMPARED):
        block = column.slice(first + a, first + b)
        n = int(np.argmin(np.append(np.diff(block.indptr) == len(expected), False)))
        equal = (block.items[: n * len(expected)].reshape(n, len(expected)) == expected).all(axis=1)
        n_equal = int(np.argmin(np.append(equal, False)))
        at += n_equal
        if n_equal < block.n:
            break
    return at - first


def merge_equal(column: SetColumn, row_weight: Int64, store: Store, shares: int = 1) -> Int64:
    """Merge equal rows of a column, share by share. A hash of the row determines its share.

    Parameters
    ----------
    row_weight
        Number of records of each row, int64 (n,).
    store
        Store of the sums.

    Returns
    -------
    Weight of each row, int64 (n,). The first of several equal rows has the sum of the weights. The others have weight
    0.
    """
    from anonset_kernels.verification.published_rows import count_shares, merge_rows

    rows = column.indptr, column.items
    sums = store.array("sums", np.int64, column.n)
    count = np.full(shares, column.n)
    if shares > 1:
        count[:] = 0
        for span in spans(column.n, _ROWS_PER_CALL):
            count_shares(rows, span, count)
    for share, n in enumerate(count.tolist()):
        slots = np.full(1 << (3 * n + 1).bit_length(), -1, np.int64)
        for span in spans(column.n, _ROWS_PER_CALL):
            merge_rows(rows, row_weight, slots, sums, (share, shares), span)
    return sums


def first_of_alike(rows: SetColumn, never_merged: Bools | None = None) -> Bools:
    """Group the symbols that occur in the same rows, and return a mask of the first symbol of each group, bool (V,).
    Replacing a symbol of a set by the first symbol of its group does not change the records that contain the set. A
    search for the smallest violating set therefore needs only the first symbols. The mask is exact, because no hashes
    are used.

    Parameters
    ----------
    never_merged
        Symbols that are never merged, bool (V,). V may exceed the vocabulary size.

    >>> first_of_alike(SetColumn.of(["abc", "ab", "c", "d", "d"])).tolist()
    [True, False, True, True]
    """
    from anonset_kernels.verification.published_rows import Columns, split_columns

    n_symbols = len(rows.vocabulary) if never_merged is None else len(never_merged)
    buffers = (np.zeros(n_symbols, np.int64) for _ in range(4))
    columns = Columns(next(buffers), next(buffers), next(buffers), np.full(n_symbols, -1, np.int64), next(buffers))
    if never_merged is not None and not never_merged.all():
        columns.of_symbol[never_merged] = 1  # the symbol is alone in its group
    n = len(sizes := np.bincount(columns.of_symbol))
    columns.size[:n] = sizes
    for a, b in spans_up_to(rows.indptr, _CODES_PER_CALL):  # some tenths of a second per call
        n = int(split_columns(rows_of(rows, a, b), columns, n))
    first = np.zeros(n_symbols, bool)
    first[np.unique(columns.of_symbol, return_index=True)[1]] = True
    return first if never_merged is None else first | never_merged
