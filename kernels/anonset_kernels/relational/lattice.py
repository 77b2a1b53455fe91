"""Sizes and losses of the equivalence classes of relational tuples."""

import numpy as np

from anonset_kernels._arrays import Float64Matrix, Int32Array, Int32Matrix, Int64Array, Integer, UInt8Array
from anonset_kernels._jit import kernel

_PRIME, _SHIFT = np.uint64(0x9E3779B97F4A7C15), np.uint64(29)


@kernel()
def classes(ids: Int32Matrix, rows: Int64Array, weight: Int64Array, slots: Int32Array, class_of: Int32Array) -> int:
    """Group tuples into classes if they agree in some rows of `ids`. Return the number of classes.

    Parameters
    ----------
    ids
        int32 (R, T): published value of each tuple. Each row is a column at a level.
    rows
        int64 (v,): rows of `ids` to compare.
    weight
        int64 (T,): number of records of each tuple. Tuples without records are in no class.
    slots
        int32 (2^b,): buffer for a hash table. Must be longer than twice the number of tuples.
    class_of
        int32 (T,): filled with the class of each tuple, or -1 for a tuple without records. Classes are numbered in
        order of their first tuples.

    Sums wrap around (``np.errstate(over="ignore")``). Expected cost: O(T v).
    """
    mask, n = len(slots) - 1, 0
    slots[:] = -1
    for t in range(len(weight)):
        class_of[t] = -1
        if weight[t] == 0:
            continue
        key = np.uint64(0)
        for row in rows:
            key = (key + np.uint64(ids[row, t] + 1)) * _PRIME
            key ^= key >> _SHIFT
        slot = np.int64(key & np.uint64(mask))
        while True:
            other = slots[slot]
            if other < 0:
                slots[slot], class_of[t] = t, n
                n += 1
                break
            same = True
            for row in rows:
                if ids[row, t] != ids[row, other]:
                    same = False
                    break
            if same:
                class_of[t] = class_of[other]
                break
            slot = (slot + 1) & mask
    return n


@kernel(allocates=True)
def outcome(
    costs: Float64Matrix, rows: Int64Array, weight: Int64Array, class_of: Int32Array, failed: UInt8Array, k: Integer
) -> tuple[int, int, float]:
    """Return the smallest class size, the number of records in failing classes, and the loss of all other classes.

    Parameters
    ----------
    costs
        float64 (R, T): cost of publishing each tuple. Each row is a column at a level.
    rows
        int64 (v,): rows of `costs` to add.
    weight, class_of
        As in `classes`: int64 (T,), int32 (T,).
    failed
        uint8 (C,): 1 for failing classes. The caller sets classes that violate a rule; classes of fewer than k records
        are added here.

    O(T v).
    """
    n = len(failed)
    size = np.zeros(n, np.int64)
    for t in range(len(weight)):
        if class_of[t] >= 0:
            size[class_of[t]] += weight[t]
    smallest, small, loss = 0, 0, 0.0
    for c in range(n):
        if c == 0 or size[c] < smallest:
            smallest = size[c]
        if size[c] < k or failed[c]:
            failed[c] = 1
            small += size[c]
    for t in range(len(weight)):
        if class_of[t] >= 0 and not failed[class_of[t]]:
            tuple_loss = 0.0
            for row in rows:
                tuple_loss += costs[row, t]
            loss += weight[t] * tuple_loss
    return smallest, small, loss
