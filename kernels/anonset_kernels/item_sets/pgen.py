"""Find the maximal records: records that no other record contains."""

import numpy as np

from anonset_kernels._arrays import Indptr, Int32Array, Int64Array, Items, UInt8Array
from anonset_kernels._jit import kernel


@kernel(allocates=True)
def maximal_rows(indptr: Indptr, items: Items, start: Int64Array, records: Int32Array) -> UInt8Array:
    """Return 1 for each row that is no proper subset of another row, uint8 (n,).

    Only rows that contain the rarest item of a row can contain the row. Cost: O(nnz times the rows of the rarest item)
    in the worst case, and much less if every row has a rare item.

    Parameters
    ----------
    indptr, items
        Distinct non-empty rows in order of descending length. The codes of each row are ascending.
    start, records
        Rows that contain each item, ascending.
    """
    n = len(indptr) - 1
    maximal = np.ones(n, np.uint8)
    for row in range(n):
        begin, end = indptr[row], indptr[row + 1]
        rarest = items[begin]
        for item in items[begin:end]:
            if start[item + 1] - start[item] < start[rarest + 1] - start[rarest]:
                rarest = item
        for entry in range(start[rarest], start[rarest + 1]):
            other = records[entry]
            if indptr[other + 1] - indptr[other] <= end - begin:
                break
            if _contains(items[indptr[other] : indptr[other + 1]], items[begin:end]):
                maximal[row] = 0
                break
    return maximal


@kernel()
def _contains(row: Int32Array, part: Int32Array) -> bool:
    j = 0
    for i in range(len(part)):
        while j < len(row) and row[j] < part[i]:
            j += 1
        if j == len(row) or row[j] != part[i]:
            return False
    return True
