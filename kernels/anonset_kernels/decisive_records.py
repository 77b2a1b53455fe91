"""The records that decide which sets are rare: all but those that cannot tell a rare set from a frequent one.

A record that k others dominate, each with all of its codes, makes no difference to which sets have no support, a
support below k, or one of at least k: every set in it is frequent by the k others. What dominates is transitive,
so it is enough that the k others are kept.
"""

import numpy as np

from anonset_kernels._arrays import Codes, Int32Array, Int64Array, Position, UInt64Matrix
from anonset_kernels._bits import bit, bit_count
from anonset_kernels._jit import kernel


@kernel()
def outline(codes: Codes, n_records: int) -> tuple[Int64Array, Int32Array, Int64Array]:
    """Return where each record begins, int64 (n,), its length, int32 (n,), and a hash of it, int64 (n,). O(nnz)."""
    begin, length, key = np.empty(n_records, np.int64), np.zeros(n_records, np.int32), np.zeros(n_records, np.int64)
    at = 0
    for record in range(n_records):
        begin[record] = at
        while codes[at] >= 0:
            key[record] = (key[record] * 1000003 + codes[at] + 1) & 0x7FFFFFFF
            at += 1
        length[record] = at - begin[record]
        at += 1
    return begin, length, key


@kernel()
def keep_decisive(
    codes: Codes,
    begin: Int64Array,
    length: Int32Array,
    order: Int64Array,
    at: int,
    rule: tuple[int, int, int],
    rows: UInt64Matrix,
    kept: Int64Array,
) -> tuple[int, int, int]:
    """Go on keeping the records that fewer than k of the kept ones dominate, for about so many steps.

    Parameters
    ----------
    codes, begin, length
        The records, ascending codes each, of `outline`.
    order
        int64 (n,): the records by descending length, equal ones side by side.
    at
        The next one, by the order.
    rule
        (k, number kept so far, steps after which to stop).
    rows
        uint64 (C, W): which of the kept records hold each code; changed here.
    kept
        int64 (n,): the kept records; filled here.

    Returns
    -------
    (next one by the order, number kept, steps taken)

    Cost: a step for each 64 kept records, and for each further code of a record that some of them hold.
    """
    k, n_kept, budget = rule
    steps = 0
    while at < len(order) and steps <= budget:
        record = order[at]
        first, last = begin[record], begin[record] + length[record]
        n_words = (n_kept + 63) // 64
        at += 1
        if at > 1 and kept[n_kept - 1] != order[at - 2] and _are_equal(codes, begin, length, order[at - 2], record):
            continue  # the one before, its equal, was left out
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
            kept[n_kept] = record
            n_kept += 1
    return at, n_kept, steps


@kernel()
def _are_equal(codes: Codes, begin: Int64Array, length: Int32Array, a: int, b: int) -> bool:
    if length[a] != length[b]:
        return False
    for j in range(length[a]):
        if codes[begin[a] + j] != codes[begin[b] + j]:
            return False
    return True


@kernel()
def gather(
    codes: Codes, begin: Int64Array, length: Int32Array, chosen: Int64Array, start: Int64Array, position: Position
) -> Codes:
    """Store the `chosen` records, int64 (R,), as by `count_tree.expand`, with the positions of each code. O(nnz).

    `begin` and `length` are those of `outline`. `start` is int64 (C + 1,), zeros but filled here; `position` has room
    for all codes of the chosen records.
    """
    kept = np.empty(len(position) + len(chosen), np.int32)
    filled = 0
    for record in chosen:
        for at in range(begin[record], begin[record] + length[record]):
            kept[filled] = codes[at]
            start[codes[at] + 1] += 1
            filled += 1
        kept[filled] = -1
        filled += 1
    for c in range(len(start) - 1):
        start[c + 1] += start[c]
    fill = start[:-1].copy()
    for at in range(filled):
        if kept[at] >= 0:
            position[fill[kept[at]]] = at
            fill[kept[at]] += 1
    return kept
