"""Counting all pairs of nodes at once, where a matrix of them is small: one pass over the expanded records."""

from anonset_kernels._arrays import Codes, CountMatrix, Dead, Found, FoundSupport, Intervals, UInt8Matrix
from anonset_kernels._jit import kernel
from anonset_kernels._tree import is_below


@kernel()
def count_pairs(codes: Codes, first: int, last: int, k: int, pairs: CountMatrix) -> None:
    """Count, up to `k`, the records of each pair whose first code is in ``first .. last - 1``.

    ``pairs[a - first, b]`` is (last - first, C), of the smallest type that holds `k`, for it stops at `k`: small
    enough to stay in cache. One pass over the records in their order: O(nnz + pairs).
    """
    begin = 0
    for end in range(len(codes)):
        if codes[end] >= 0:
            continue
        for i in range(begin, end):
            a = codes[i]
            if a >= last:
                break
            if a < first:
                continue
            row = pairs[a - first]
            for j in range(i + 1, end):
                b = codes[j]
                if row[b] < k:
                    row[b] += 1
        begin = end + 1


@kernel()
def rare_pairs(
    pairs: UInt8Matrix, first: int, k: int, intervals: Intervals, dead: Dead, found: Found, found_support: FoundSupport
) -> tuple[int, int]:
    """Report the pairs that `count_pairs` met fewer than `k` times, as `walk` does: (number, next first code).

    `pairs` is uint8 (rows, C), of the first codes from `first` on.
    """
    n_found = 0
    for row in range(len(pairs)):
        if dead[first + row]:
            continue
        if 2 * n_found > len(found):
            return n_found, first + row
        for b in range(pairs.shape[1]):
            if 0 < pairs[row, b] < k and not dead[b] and not is_below(intervals[0], intervals[1], b, first + row):
                if n_found == len(found):
                    return n_found, first + row
                found[n_found, 0], found[n_found, 1] = first + row, b
                found_support[n_found] = pairs[row, b]
                n_found += 1
    return n_found, first + len(pairs)
