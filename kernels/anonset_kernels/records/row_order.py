"""Sort rows by their codes in the fixed columns, then by their items. Rows are compared by keys of 62 bits.

A key contains several consecutive codes of a row. Codes are increased by one, so that zero marks the end of the row.
Rows whose first codes have equal keys are compared by the key of the next codes.
"""

from typing import NamedTuple

import numpy as np

from anonset_kernels._arrays import Indptr, Int32Matrix, Int64Array, Int64Matrix, Items
from anonset_kernels._jit import kernel
from anonset_kernels.records._splitters import bucket_of

_BITS = 62
_FEW = 40  # maximum number of rows sorted by insertion


class RowContent(NamedTuple):
    """Rows to compare, and data that are moved with the rows."""

    indptr: Indptr
    """First item of each row in `items`, int64 (r + 1,). The first row may begin after 0."""
    items: Items
    """Item codes, row after row, int32."""
    fixed: Int32Matrix
    """Code of each row in each fixed column, int32 (r, c). Columns without a width in `RowComparison.widths` are moved
    but not compared.
    """
    record: Int64Array
    """Record number of each row, int64 (r,). It is moved with the row but not compared."""


class RowComparison(NamedTuple):
    """Comparison rule for rows, and buckets of rows."""

    widths: Int64Array
    """Bit width of a code in each compared fixed column, int64 (f + 1,). The last element is the bit width of an item.
    Codes are increased by one before they are packed.
    """
    splitters: Int64Array
    """Smallest key of each bucket except the first in ascending order, int64 (b - 1,)."""


@kernel()
def following(widths: Int64Array, position: int) -> int:
    """Return the position after the codes of a key that begins at `position`. See `RowComparison` for `widths`."""
    n_fixed, free_bits = len(widths) - 1, _BITS
    while True:
        free_bits -= widths[min(position, n_fixed)]
        if free_bits < 0:
            return position
        position += 1


@kernel()
def _key(rows: RowContent, by: RowComparison, row: int, position: int) -> int:
    """Pack as many codes of a row, from `position` on, as fit into a key of 62 bits."""
    n_fixed, free_bits, key = len(by.widths) - 1, _BITS, 0
    end = rows.indptr[row + 1]
    while True:
        width = by.widths[min(position, n_fixed)]
        free_bits -= width
        if free_bits < 0:
            return key
        code = 0
        if position < n_fixed:
            code = int(rows.fixed[row, position]) + 1
        elif rows.indptr[row] + position - n_fixed < end:
            code = int(rows.items[rows.indptr[row] + position - n_fixed]) + 1
        key = (key << width) | code
        position += 1


@kernel()
def pack_keys(rows: RowContent, by: RowComparison, position: int, order: Int64Array, keys: Int64Array) -> None:
    """Fill `keys`, int64 (any,), with the key from `position` on of each row in `order`, int64 (any,)."""
    for place in range(len(order)):
        keys[place] = _key(rows, by, order[place], position)


@kernel()
def measure_buckets(rows: RowContent, by: RowComparison, position: int, size: Int64Matrix) -> None:
    """Measure the buckets of keys.

    Parameters
    ----------
    size
        int64 (3, b): number of rows, number of items and largest row length of each bucket; updated. O(r log b).
    """
    for row in range(len(rows.record)):
        b = bucket_of(by.splitters, _key(rows, by, row, position))
        length = rows.indptr[row + 1] - rows.indptr[row]
        size[0, b] += 1
        size[1, b] += length
        size[2, b] = max(size[2, b], length)


@kernel()
def fill_buckets(rows: RowContent, by: RowComparison, position: int, fill: Int64Matrix, out: RowContent) -> None:
    """Append rows to their buckets.

    Parameters
    ----------
    fill
        int64 (2, b): index of each bucket's next row, and of the first item of this row; updated. O(items + r log b).
    out
        Rows of all buckets, bucket after bucket. Must have space for all rows.
    """
    for row in range(len(rows.record)):
        b = bucket_of(by.splitters, _key(rows, by, row, position))
        target = fill[1, b]
        for i in range(rows.indptr[row], rows.indptr[row + 1]):
            out.items[target] = rows.items[i]
            target += 1
        place = fill[0, b]
        out.indptr[place + 1] = target
        for column in range(rows.fixed.shape[1]):
            out.fixed[place, column] = rows.fixed[row, column]
        out.record[place] = rows.record[row]
        fill[0, b] += 1
        fill[1, b] = target


@kernel()
def _sort_few(keys: Int64Array, order: Int64Array, begin: int, end: int) -> None:
    """Sort a slice of `keys` and `order` by insertion. The sort is stable."""
    for i in range(begin + 1, end):
        key, row = keys[i], order[i]
        target = i
        while target > begin and keys[target - 1] > key:
            keys[target], order[target] = keys[target - 1], order[target - 1]
            target -= 1
        keys[target], order[target] = key, row


@kernel(allocates=True)
def _sort_many(
    keys: Int64Array, order: Int64Array, key_buffer: Int64Array, order_buffer: Int64Array, begin: int, end: int
) -> None:
    """Sort a slice of `keys` and `order` by a radix sort on bytes. The sort is stable."""
    differing = 0
    for i in range(begin, end):
        differing |= keys[i] ^ keys[begin]
    fill = np.empty(256, np.int64)
    for shift in range(0, 64, 8):
        if (differing >> shift) & 255 == 0:
            continue
        fill[:] = 0
        for i in range(begin, end):
            fill[(keys[i] >> shift) & 255] += 1
        total = begin
        for digit in range(256):
            count = fill[digit]
            fill[digit] = total
            total += count
        for i in range(begin, end):
            digit = (keys[i] >> shift) & 255
            key_buffer[fill[digit]] = keys[i]
            order_buffer[fill[digit]] = order[i]
            fill[digit] += 1
        for i in range(begin, end):
            keys[i], order[i] = key_buffer[i], order_buffer[i]


@kernel(allocates=True)
def order_rows(rows: RowContent, by: RowComparison, position: int, order: Int64Array) -> None:
    """Sort the rows in `order`, int64 (any,), by their codes from `position` on. The sort is stable.

    O(r) for the first key. Further keys are only read for rows with equal keys.
    """
    n, n_fixed = len(order), len(by.widths) - 1
    keys, key_buffer, order_buffer = np.empty(n, np.int64), np.empty(n, np.int64), np.empty(n, np.int64)
    stack = np.empty((n // 2 + 1, 3), np.int64)
    stack[0, 0], stack[0, 1], stack[0, 2] = 0, n, position
    open_stretches = 1 if n > 1 else 0
    while open_stretches:
        open_stretches -= 1
        begin, end, start = stack[open_stretches]
        after = following(by.widths, start)
        for i in range(begin, end):
            keys[i] = _key(rows, by, order[i], start)
        if end - begin <= _FEW:
            _sort_few(keys, order, begin, end)
        else:
            _sort_many(keys, order, key_buffer, order_buffer, begin, end)
        first = begin
        while first < end:
            last, longest = first, 0
            while last < end and keys[last] == keys[first]:
                longest = max(longest, rows.indptr[order[last] + 1] - rows.indptr[order[last]])
                last += 1
            if last - first > 1 and n_fixed + longest > after:
                stack[open_stretches, 0], stack[open_stretches, 1], stack[open_stretches, 2] = first, last, after
                open_stretches += 1
            first = last


@kernel()
def gather_rows(rows: RowContent, order: Int64Array, row: int, item: int, out: RowContent) -> None:
    """Copy the rows in `order`, int64 (any,), to `out`, from row `row` and item `item` on. O(items)."""
    for place in range(len(order)):
        source = order[place]
        for i in range(rows.indptr[source], rows.indptr[source + 1]):
            out.items[item] = rows.items[i]
            item += 1
        out.indptr[row + place + 1] = item
        for column in range(rows.fixed.shape[1]):
            out.fixed[row + place, column] = rows.fixed[source, column]
        out.record[row + place] = rows.record[source]
