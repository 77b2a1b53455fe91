"""Find the bucket of a key. Buckets are defined by the smallest key of each bucket except the first."""

import numpy as np

from anonset_kernels._arrays import Int64Array, Integer, UInt64Array
from anonset_kernels._jit import kernel


@kernel()
def bucket_of(splitters: Int64Array | UInt64Array, key: Integer | np.uint64) -> int:
    """Count the splitters, int64 or uint64 (b - 1,), ascending, that are at most `key` (of the same type). O(log b)."""
    low, high = 0, len(splitters)
    while low < high:
        middle = (low + high) // 2
        if splitters[middle] <= key:
            low = middle + 1
        else:
            high = middle
    return low
