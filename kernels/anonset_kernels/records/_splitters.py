"""Find the bucket of a key. The *splitters* are the smallest keys of all buckets except the first."""

import numpy as np

from anonset_kernels._arrays import Int64Array, Integer, UInt64Array
from anonset_kernels._jit import kernel


@kernel()
def bucket_of(splitters: Int64Array | UInt64Array, key: Integer | np.uint64) -> int:
    """Return the number of splitters that are at most `key`, which is the number of its bucket.

    `splitters`, (b - 1,), is ascending, int64 or uint64 as `key`. O(log b).
    """
    low, high = 0, len(splitters)
    while low < high:
        middle = (low + high) // 2
        if splitters[middle] <= key:
            low = middle + 1
        else:
            high = middle
    return low
