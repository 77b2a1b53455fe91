"""Select the records that determine which sets are rare.

A record dominates another record if it contains all its codes. A record that k others dominate can be omitted: every
set in it is also in the k others, and therefore frequent. Dominance is transitive, so a record is omitted if k selected
records dominate it.
"""

import numpy as np

from anonset_kernels._arrays import Codes, Int32Array, Int64Array, Position, UInt64Matrix
from anonset_kernels._bits import bit, bit_count
from anonset_kernels._jit import kernel


@kernel(allocates=True)
def outline(codes: Codes, n_records: int) -> tuple[Int64Array, Int32Array, Int64Array]:
    """Return the start of each record, int64 (n,), its length, int32 (n,), and its hash, int64 (n,). O(nnz)."""
    begin, length, key = np.empty(n_records, np.int64), np.zeros(n_records, np.int32), np.zeros(n_records, np.int64)
    position = 0
    for record in range(n_records):
        begin[record] = position
        while codes[position] >= 0:
            key[record] = (key[record] * 1000003 + codes[position] + 1) & 0x7FFFFFFF
            position += 1
        length[record] = position - begin[record]
        position += 1
    return begin, length, key


@kernel()
def keep_decisive(
    codes: Codes,
    begin: Int64Array,
    length: Int32Array,
    order: Int64Array,
    cursor: int,
    rule: tuple[int, int, int],
    rows: UInt64Matrix,
    selected: Int64Array,
) -> tuple[int, int, int]:
    """Select the records that fewer than k selected records dominate. Stops after about rule[2] steps.

    Parameters
    ----------
    codes, begin, length
        Codes of the records, ascending for each record; start and length of each record, from `outline`.
    order
        int64 (n,): records by descending length, equal records adjacent.
    cursor
        Index of the next record in `order`.
    rule
        (k, number of records selected so far, number of steps after which the call stops).
    rows
        uint64 (C, W): bitmap of the selected records that contain each code; updated.
    selected
        int64 (n,): filled with the selected records.

    Returns
    -------
    (next index in `order`, number of selected records, steps taken)

    Cost per record: for each 64 selected records, a step per code until none of them contains all codes read so far.
    """
    k, n_kept, budget = rule
    steps = 0
    while cursor < len(order) and steps <= budget:
        record = order[cursor]
        first, last = begin[record], begin[record] + length[record]
        n_words = (n_kept + 63) // 64
        cursor += 1
        if (
            cursor > 1
            and selected[n_kept - 1] != order[cursor - 2]
            and _are_equal(codes, begin, length, order[cursor - 2], record)
        ):
            continue  # the previous record is equal and was not selected
        n_dominating, w = 0, 0
        while w < n_words and n_dominating < k:
            common = rows[codes[last - 1], w]
            c = last - 2
            while common != 0 and c >= first:
                common &= rows[codes[c], w]
                c -= 1
            steps += last - 1 - c
            n_dominating += bit_count(common)
            w += 1
        if n_dominating < k:
            for c in range(first, last):
                rows[codes[c], n_kept >> 6] |= bit(n_kept & 63)
            selected[n_kept] = record
            n_kept += 1
    return cursor, n_kept, steps


@kernel()
def _are_equal(codes: Codes, begin: Int64Array, length: Int32Array, a: int, b: int) -> bool:
    if length[a] != length[b]:
        return False
    for j in range(length[a]):
        if codes[begin[a] + j] != codes[begin[b] + j]:
            return False
    return True


@kernel(allocates=True)
def gather(
    codes: Codes, begin: Int64Array, length: Int32Array, chosen: Int64Array, start: Int64Array, position: Position
) -> Codes:
    """Store the `chosen` records, int64 (R,), as in `count_tree.expand`, with the positions of each code. O(nnz).

    `begin` and `length` are from `outline`. `start`, int64 (C + 1,), must be zero and is filled here. `position` must
    have space for all codes of the chosen records.
    """
    gathered = np.empty(len(position) + len(chosen), np.int32)
    filled = 0
    for record in chosen:
        for i in range(begin[record], begin[record] + length[record]):
            gathered[filled] = codes[i]
            start[codes[i] + 1] += 1
            filled += 1
        gathered[filled] = -1
        filled += 1
    for c in range(len(start) - 1):
        start[c + 1] += start[c]
    fill = start[:-1].copy()
    for i in range(filled):
        if gathered[i] >= 0:
            position[fill[gathered[i]]] = i
            fill[gathered[i]] += 1
    return gathered
