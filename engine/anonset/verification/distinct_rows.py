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

    Cost: O(nnz); memory, where there is a work directory, for some blocks, and, where the rows are not in the order of
    their content, for tables of those that are distinct within a block (of at most `MOST_TOGETHER` at a time).
    """
    within, ordered = _merged_within_blocks(column, work)
    n = within.column.n
    if ordered:
        return within
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


def _merged_within_blocks(column: SetColumn, work: WorkFolder | None) -> tuple[WeightedRows, bool]:
    """Return the distinct rows of each block, one block after the other; and whether all are in order, so distinct.

    Equal rows at the border of two blocks are merged.
    """
    with GrowingSets(column.name, work) as rows, Growing(work, "weight", np.int64) as weights:
        last, before, ordered = column.part(0, 0), 0, True  # the row that the next block may begin with
        bounds = list(spans(column.n))
        with ThreadPoolExecutor(os.cpu_count(), thread_name_prefix="anonset-verify") as pool:
            for at in range(0, len(bounds), _BLOCKS_AT_ONCE):
                merging = pool.map(lambda span: _merged_block(column.part(*span)), bounds[at : at + _BLOCKS_AT_ONCE])
                for block, weight, in_order in merging:
                    end, begin = last.items.tolist(), block.part(0, 1).items.tolist()
                    ordered &= in_order and end <= begin
                    if last.n and end == begin:
                        weight[0] += before
                    else:
                        rows.append(last)
                        weights.append(np.full(last.n, before))
                    rows.append(block.part(0, block.n - 1))
                    weights.append(weight[:-1])
                    last, before = block.part(block.n - 1, block.n), int(weight[-1])
        rows.append(last)
        weights.append(np.full(last.n, before))
    return WeightedRows(rows.finished(column.vocabulary), weights.finished()), ordered


def _merged_block(block: SetColumn) -> tuple[SetColumn, Int64, bool]:
    """Return the distinct rows of a block, their weights, and whether the block is in the order of its content."""
    from anonset_kernels.published_rows import Merged, merge_runs

    found = Merged(np.zeros(block.n, np.int64), np.zeros(block.n, np.int64))
    n = int(merge_runs((block.indptr, block.items), found))
    first, weight = (found.representative[:n], found.weight[:n]) if n >= 0 else merge_equal(block)
    return (block if len(first) == block.n else block.take(first)), weight, n >= 0


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
    from anonset_kernels.published_rows import Merged, merge_rows

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
