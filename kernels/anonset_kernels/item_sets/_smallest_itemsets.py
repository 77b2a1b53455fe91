"""Find the lexicographically smallest itemset whose image equals or contains given groups."""

import numpy as np

from anonset_kernels._arrays import Int32Array, Itemset
from anonset_kernels._jit import kernel
from anonset_kernels.item_sets._groups import SUPPRESSED_HEAD, Groups


@kernel(allocates=True)
def smallest_of(groups: Groups, members: Int32Array, itemset: Itemset) -> None:
    """Find the smallest m-itemset whose image is exactly the given groups. Suppressed items may complete it. O(m^2).

    ``members``, int32 (m,), contains the groups and is padded with -1.
    """
    heads = np.full(len(members) + 1, -1, np.int64)
    waiting = 0
    for g in members:
        if g >= 0:
            heads[waiting] = g
            waiting += 1
    heads[waiting] = groups.state[SUPPRESSED_HEAD]
    touched = np.zeros(len(heads), np.uint8)
    touched[waiting] = 1
    n_lists, filled = waiting + 1, 0
    while filled < len(itemset):
        least = -1
        for j in range(n_lists):
            if heads[j] >= 0 and (least < 0 or heads[j] < heads[least]):
                least = j
        if not touched[least] or len(itemset) - filled > waiting:
            waiting -= 1 - touched[least]
            touched[least] = 1
            itemset[filled] = heads[least]
            filled += 1
        heads[least] = groups.following[heads[least]]


@kernel()
def smallest_around(groups: Groups, members: Int32Array, itemset: Itemset) -> None:
    """Find the smallest m-itemset whose image contains all groups of ``members``, int32 (j,). O(V)."""
    for g in members:
        groups.mark[g] = 1
    waiting, filled, item = len(members), 0, 0
    while filled < len(itemset):
        g = groups.rep[item]
        new = g >= 0 and groups.mark[g] == 1
        if new or len(itemset) - filled > waiting:
            if new:
                groups.mark[g] = 2
                waiting -= 1
            itemset[filled] = item
            filled += 1
        item += 1
    for g in members:
        groups.mark[g] = 0
