"""Verification kernels: merge equal rows, merge symbols that occur in the same rows, and gather row suffixes."""

from typing import NamedTuple

from anonset_kernels._arrays import Csr, Int64Array, Int64Matrix, Integer
from anonset_kernels._jit import kernel


class MergedRows(NamedTuple):
    """Distinct rows in order of their first occurrences. The arrays have space for n rows."""

    representative: Int64Array
    """First of the rows equal to each distinct row, int64 (n,)."""
    weight: Int64Array
    """Total weight of the rows equal to each distinct row, int64 (n,)."""


@kernel()
def _key(rows: Csr, row: Integer) -> Integer:
    """Return a hash of the codes of a row, below 2^31."""
    key = 7
    for entry in range(rows[0][row], rows[0][row + 1]):
        key = (key * 1000003 + int(rows[1][entry]) + 1) & 0x7FFFFFFF
    return key


@kernel()
def _share_of(key: Integer, shares: int) -> Integer:
    """Return the share, below `shares`, of rows with this hash. The slot in the hash table depends on other bits of the
    hash.
    """
    return (((key * 0x9E3779B1) >> 20) & 0xFFFF) % shares


@kernel()
def count_shares(rows: Csr, span: tuple[int, int], sizes: Int64Array) -> None:
    """Count the rows of a range in each share, in `sizes`, int64 (shares,).

    `merge_rows` processes one share per call.
    """
    for row in range(span[0], span[1]):
        sizes[_share_of(_key(rows, row), len(sizes))] += 1


@kernel()
def merge_rows(
    rows: Csr,
    row_weight: Int64Array,
    slots: Int64Array,
    weight: Int64Array,
    share: tuple[int, int],
    span: tuple[int, int],
) -> None:
    """Add the weight of each row of a range to the weight of the first equal row.

    Parameters
    ----------
    rows
        Pair (int64 indptr, int32 codes).
    row_weight
        int64 (rows,): number of records equal to each row.
    slots
        int64 (a power of two,): hash table with open addressing of the distinct rows in the share. Free slots contain
        -1. There must be more slots than rows in the share. Rows are compared item by item, so the hash affects only
        speed.
    weight
        int64 (rows,): total weight of equal rows, stored at the first of them; updated.
    share
        (share, number of shares): only rows of this share are processed. The hash of a row determines its share.

    O(items of the rows).
    """
    indptr, items = rows
    mask = len(slots) - 1
    for row in range(span[0], span[1]):
        key = _key(rows, row)
        if _share_of(key, share[1]) != share[0]:
            continue
        start, length = indptr[row], indptr[row + 1] - indptr[row]
        slot = (key ^ (key >> 15)) & mask
        while slots[slot] >= 0:
            other = indptr[slots[slot]]
            if indptr[slots[slot] + 1] - other == length:
                same = 0
                while same < length and items[other + same] == items[start + same]:
                    same += 1
                if same == length:
                    break
            slot = (slot + 1) & mask
        if slots[slot] < 0:
            slots[slot] = row
        weight[slots[slot]] += row_weight[row]


@kernel()
def merge_runs(rows: Csr, merged: MergedRows) -> int:
    """Merge adjacent equal rows. The rows must be sorted by content.

    Returns
    -------
    Number of distinct rows, or -1 if a row is less than the previous row. O(items of the rows).
    """
    indptr, items = rows
    n = 0
    for row in range(len(indptr) - 1):
        start, length = indptr[row], indptr[row + 1] - indptr[row]
        if n > 0:
            other = indptr[row - 1]
            common, same = min(length, start - other), 0
            while same < common and items[other + same] == items[start + same]:
                same += 1
            if same == length == start - other:
                merged.weight[n - 1] += 1
                continue
            if same == length or (same < common and items[start + same] < items[other + same]):
                return -1
        merged.representative[n], merged.weight[n] = row, 1
        n += 1
    return n


class Columns(NamedTuple):
    """Classes of V symbols, numbered from 0, and buffers to split classes. There are at most V classes."""

    of_symbol: Int64Array
    """Class of each symbol, int64 (V,)."""
    size: Int64Array
    """Number of symbols in each class, int64 (V,)."""
    met: Int64Array
    """Number of symbols of each class in the current row, int64 (V,). Zero between rows."""
    part: Int64Array
    """New class of the symbols of each split class in the current row, int64 (V,). -1 between rows."""
    touched: Int64Array
    """Classes with symbols in the current row, int64 (V,)."""


@kernel()
def split_columns(rows: Csr, columns: Columns, n: int) -> int:
    """Split `n` classes of symbols whenever a row contains some, but not all, symbols of a class.

    Parameters
    ----------
    rows
        Pair (int64 indptr, int32 codes).

    Returns
    -------
    Number of classes. After all rows, two symbols are in the same class if and only if they were in the same class
    before and occur in the same rows. O(nnz).
    """
    indptr, items = rows
    of_symbol, size, n_here, part, touched = columns
    for row in range(len(indptr) - 1):
        n_touched = 0
        for entry in range(indptr[row], indptr[row + 1]):
            group = of_symbol[items[entry]]
            if n_here[group] == 0:
                touched[n_touched] = group
                n_touched += 1
            n_here[group] += 1
        for i in range(n_touched):
            if n_here[touched[i]] < size[touched[i]]:
                part[touched[i]] = n
                n += 1
        for entry in range(indptr[row], indptr[row + 1]):
            new_class = part[of_symbol[items[entry]]]
            if new_class >= 0:
                of_symbol[items[entry]] = new_class
        for i in range(n_touched):
            group = touched[i]
            if part[group] >= 0:
                size[part[group]] = n_here[group]
                size[group] -= n_here[group]
                part[group] = -1
            n_here[group] = 0
    return n


@kernel()
def measure_suffixes(rows: Csr, least: int, codes_behind: Int64Array, rows_with: Int64Array) -> None:
    """Count the rows with each symbol, and their codes from the symbol on.

    Only rows in which at least `least` codes follow the symbol are counted.

    Parameters
    ----------
    rows
        Pair (int64 indptr, int32 codes).
    codes_behind, rows_with
        int64 (V,) and int64 (V,), updated: number of codes from the symbol on, and number of rows. O(nnz).
    """
    indptr, items = rows
    for row in range(len(indptr) - 1):
        end = indptr[row + 1]
        for entry in range(indptr[row], end - least):
            codes_behind[items[entry]] += end - entry
            rows_with[items[entry]] += 1


@kernel()
def gather_suffixes(
    rows: Csr,
    row_weight: Int64Array,
    least: int,
    window: tuple[int, int],
    fill: Int64Matrix,
    out: Csr,
    weight: Int64Array,
) -> None:
    """Copy the suffix of each row from each symbol of a window on.

    Suffixes are copied if at least `least` codes follow the symbol.

    Parameters
    ----------
    rows, out
        Pairs (int64 indptr, int32 codes).
    row_weight, weight
        int64 (rows,) and int64 (rows of out,): number of records equal to each row.
    fill
        int64 (2, symbols of the window): index of each symbol's next row in `out`, and of the first code of this row;
        updated.

    O(nnz + copied codes).
    """
    indptr, items = rows
    first, last = window
    for row in range(len(indptr) - 1):
        end = indptr[row + 1]
        for entry in range(indptr[row], end - least):
            symbol = items[entry]
            if symbol >= last:
                break
            if symbol < first:
                continue
            to = fill[1, symbol - first]
            for code in range(entry, end):
                out[1][to] = items[code]
                to += 1
            fill[1, symbol - first] = to
            place = fill[0, symbol - first]
            out[0][place + 1] = to
            weight[place] = row_weight[row]
            fill[0, symbol - first] = place + 1
