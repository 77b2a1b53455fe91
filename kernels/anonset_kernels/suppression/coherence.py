"""Records with public and private items, and greedy suppression of moles (Xu et al. 2008)."""

import numpy as np

from anonset_kernels._arrays import (
    Codes,
    Indptr,
    Int32Array,
    Int32Matrix,
    Int64Array,
    ItemRecords,
    Items,
    ItemStart,
    Position,
)
from anonset_kernels._jit import kernel
from anonset_kernels._sorted import insert


@kernel(allocates=True)
def store_records(
    indptr: Indptr, items: Items, code: Int32Array, private: Int32Array, start: Int64Array, position: Position
) -> Codes:
    """Encode each record as its ascending codes, followed by ``-2 - e`` for each private item ``e``, and by -1.

    Parameters
    ----------
    code, private
        int32 (M,): code of each item, and number of each private item. -1 if an item has none.
    start
        int64 (C + 1,): running sum of the codes' supports.
    position
        int32 or int64 (start[C],), filled here: indices of each code in the result, sorted by record.

    Returns
    -------
    Encoded records in sequence, int32. O(nnz). Rows are sorted by insertion.
    """
    n, length = len(indptr) - 1, len(indptr) - 1
    for item in items:
        length += code[item] >= 0 or private[item] >= 0
    codes = np.empty(length, np.int32)
    fill = start[:-1].copy()
    filled = 0
    for record in range(n):
        first = filled
        for entry in range(indptr[record], indptr[record + 1]):
            moved = code[items[entry]]
            if moved >= 0:
                insert(codes, first, filled, moved)
                filled += 1
        for entry in range(first, filled):
            position[fill[codes[entry]]] = entry
            fill[codes[entry]] += 1
        for entry in range(indptr[record], indptr[record + 1]):
            if private[items[entry]] >= 0:
                codes[filled] = -2 - private[items[entry]]
                filled += 1
        codes[filled] = -1
        filled += 1
    return codes


@kernel(allocates=True)
def worst_disclosure(
    indptr: Indptr, items: Items, private: Int32Array, item_start: ItemStart, item_records: ItemRecords
) -> Int64Array:
    """Return the largest number of records that each item shares with a private item, int64 (M,).

    Parameters
    ----------
    private
        int32 (M,): number of each private item. -1 for public items.
    item_start, item_records
        Records of each item, as returned by `rows.transpose`.

    O(sum over all records of the number of items times the number of private items).
    """
    n_items = len(private)
    worst = np.zeros(n_items, np.int64)
    tally, touched = np.zeros(n_items, np.int64), np.empty(n_items, np.int32)
    for e in range(n_items):
        if private[e] < 0:
            continue
        n_touched = 0
        for r in range(item_start[e], item_start[e + 1]):
            record = item_records[r]
            for entry in range(indptr[record], indptr[record + 1]):
                item = items[entry]
                if tally[item] == 0:
                    touched[n_touched] = item
                    n_touched += 1
                tally[item] += 1
        for item in touched[:n_touched]:
            worst[item] = max(worst[item], tally[item])
            tally[item] = 0
    return worst


@kernel(allocates=True)
def suppress_greedily(moles: Int32Matrix, cost: Int64Array) -> Int32Array:
    """Suppress the item with the most moles per cost until no mole remains.

    If several items have equally many moles per cost, the item with the largest code is suppressed.

    Parameters
    ----------
    moles
        int32 (T, width): minimal moles as items, padded with -1.
    cost
        int64 (M,): cost of suppressing each item, positive if it is in a mole.

    Returns
    -------
    Suppressed items in order of suppression, int32. O(M) per suppressed item, and O(T width) in total.
    """
    n_items, width = len(cost), moles.shape[1]
    start = np.zeros(n_items + 1, np.int64)
    for t in range(len(moles)):
        for j in range(width):
            if moles[t, j] >= 0:
                start[moles[t, j] + 1] += 1
    n_moles = start[1:].copy()
    for item in range(n_items):
        start[item + 1] += start[item]
    of_item, fill = np.empty(start[n_items], np.int32), start[:-1].copy()
    for t in range(len(moles)):
        for j in range(width):
            if moles[t, j] >= 0:
                of_item[fill[moles[t, j]]] = t
                fill[moles[t, j]] += 1
    removed, chosen, n_chosen = np.zeros(len(moles), np.uint8), np.empty(n_items, np.int32), 0
    while True:
        best = -1
        for item in range(n_items):
            if n_moles[item] > 0 and (best < 0 or n_moles[item] * cost[best] >= n_moles[best] * cost[item]):
                best = item
        if best < 0:
            return chosen[:n_chosen].copy()
        chosen[n_chosen] = best
        n_chosen += 1
        for i in range(start[best], start[best + 1]):
            t = of_item[i]
            if not removed[t]:
                removed[t] = 1
                for j in range(width):
                    if moles[t, j] >= 0:
                        n_moles[moles[t, j]] -= 1
