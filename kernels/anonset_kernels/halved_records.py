"""The loss of record sets under apriori on halves:frequency of their own items, for m up to 2: see `_halved`."""

import numpy as np

from anonset_kernels._arrays import Csr, Int64Array
from anonset_kernels._halved import forget, items_by_frequency, search_halves
from anonset_kernels._jit import kernel


@kernel()
def halved_losses(
    records: Csr,
    members: Int64Array,
    start: Int64Array,
    rule: tuple[int, int],
    n_items: int,
    most_cells: int,
    losses: Int64Array,
) -> None:
    """Compute the loss of each record set: occurrences times (items of the published node - 1), summed.

    Parameters
    ----------
    records
        (indptr, items) of the column.
    members, start
        int64 (r,) and (C + 1,): the records set by set, and where each set begins.
    rule
        (k, m), m at most 2, k below 2^16.
    n_items
        Items of the column.
    most_cells
        Most cells of a table of pairs.
    losses
        int64 (C,), filled here; -1 if the table of pairs would be larger, or if some, but fewer than k, records of the
        set have items.

    Cost: for each set its items, sorted, the square of the nodes above the items of each record, and the square of the
    nodes that are left after size 1.
    """
    place = np.full(n_items, -1, np.int32)
    for c in range(len(start) - 1):
        rows = members[start[c] : start[c + 1]]
        ranked = items_by_frequency(records, rows, place)
        status, loss, _ = search_halves(records, rows, ranked, (rule[0], rule[1], False), place, most_cells)
        forget(ranked[0], place)
        losses[c] = -1 if status < 0 else loss
