"""The distinct rows of a column, each with the number of records equal to it: merged by blocks, then all together."""

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from anonset.data import SetColumn
from anonset.data.growing import Growing, GrowingSets
from anonset.data.mapped import WorkFolder
from anonset.data.spans import spans
from anonset.data.table import Int64

MOST_TOGETHER = 1 << 23
"""Largest number of rows that are merged together; of more, one share after the other is."""
_ROWS_PER_CALL = 200_000
_BLOCKS_AT_ONCE = 8


@dataclass(frozen=True, eq=False)
class WeightedRows:
    """Rows, each of which stands for a number of records."""

    column: SetColumn
    weight: Int64
    """int64 (rows,): number of records that each stands for."""


def merged(column: SetColumn, work: WorkFolder | None = None) -> WeightedRows:
    """Return the distinct rows of a column, in the order in which they first occur.

    Cost: O(nnz); memory, where there is a work directory, for some blocks, and for tables of the rows that are distinct
    within a block (of at most `MOST_TOGETHER` of them at a time).
    """
    within = _merged_within_blocks(column, work)
    n = within.column.n
    shares = max(1, -(-n // MOST_TOGETHER))
    found = [merge_equal(within.column, within.weight, (at, shares)) for at in range(shares)]
    if sum(len(part[0]) for part in found) == n:
        return within
    first, weight = (np.concatenate([part[at] for part in found]) for at in (0, 1))
    order = np.argsort(first, kind="stable")
    first, weight = first[order], weight[order]
    with GrowingSets(column.name, work) as rows:
        for a, b in spans(len(first)):
            rows.append(within.column.take(first[a:b]))
    return WeightedRows(rows.finished(column.vocabulary), weight)


def _merged_within_blocks(column: SetColumn, work: WorkFolder | None) -> WeightedRows:
    """Return the distinct rows of each block, one block after the other."""

    def merge(span: tuple[int, int]) -> tuple[SetColumn, Int64]:
        block = column.part(*span)
        first, weight = merge_equal(block)
        return block.take(first), weight

    with GrowingSets(column.name, work) as rows, Growing(work, "weight", np.int64) as weights:
        bounds = list(spans(column.n))
        with ThreadPoolExecutor(os.cpu_count(), thread_name_prefix="anonset-verify") as pool:
            for at in range(0, len(bounds), _BLOCKS_AT_ONCE):
                for block, weight in pool.map(merge, bounds[at : at + _BLOCKS_AT_ONCE]):
                    rows.append(block)
                    weights.append(weight)
    return WeightedRows(rows.finished(column.vocabulary), weights.finished())


def merge_equal(column: SetColumn, given: Int64 | None = None, share: tuple[int, int] = (0, 1)) -> tuple[Int64, Int64]:
    """Merge the equal rows of a column, or of one share out of several, which are told by a hash of the row.

    Parameters
    ----------
    given
        int64 (n,): number of records that each row stands for; None: one.

    Returns
    -------
    int64 each: first of the equal rows, ascending; sum of their weights.
    """
    from anonset_kernels.verification import Merged, merge_rows

    weights = np.empty(0, np.int64) if given is None else given
    bits = (3 * (column.n // share[1] + 1)).bit_length()
    while True:
        slots, n = np.full(1 << bits, -1, np.int64), 0
        found = Merged(np.zeros(column.n, np.int64), np.zeros(column.n, np.int64))  # touched as far as rows are found
        for begin in range(0, column.n, _ROWS_PER_CALL):
            span = begin, min(begin + _ROWS_PER_CALL, column.n)
            n = int(merge_rows((column.indptr, column.items), weights, slots, found, share, span, n))
            if n < 0:
                break
        if n >= 0:
            return found.representative[:n].copy(), found.weight[:n].copy()
        bits += 1
