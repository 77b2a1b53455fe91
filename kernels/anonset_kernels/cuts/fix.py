"""Fix rare itemsets by the cheapest generalization that makes them frequent (Terrovitis et al. 2008, section 4.3)."""

import numpy as np

from anonset_kernels._arrays import (
    Dead,
    Indptr,
    Int32Array,
    Int32Matrix,
    Int64Array,
    Intervals,
    ItemRecords,
    Items,
    Itemset,
    ItemStart,
    Tree,
)
from anonset_kernels._jit import kernel
from anonset_kernels._sorted import first_at_least
from anonset_kernels.rare_sets._candidates import generalize, holds, next_better

Data = tuple[Indptr, Items, ItemStart, ItemRecords]
_State = tuple[Int64Array, Int32Array, Dead, Int64Array]


@kernel(allocates=True)
def fix_threats(
    threats: Int32Matrix,
    node_of_code: Int32Array,
    tree: Tree,
    data: Data,
    state: _State,
    k: int,
    fixed: Int32Array,
    rules: Int32Matrix,
) -> int:
    """Generalize nodes for each rare itemset that is still published, in order. Update `state` in place.

    Parameters
    ----------
    threats
        int32 (T, size): rare itemsets as codes, padded with -1.
    node_of_code
        int32 (C,): node of each code.
    tree
        Shape of the hierarchy, and leaf interval of each node.
    data
        (indptr, items, item_start, item_records): records and their transpose, to count the support of candidates. All
        arrays are empty if every candidate is known to be frequent.
    state
        (below, image, dead, support): NCP numerator of the leaves below each node, int64 (V,); node that replaces each
        leaf, int32 (M,); 1 for each generalized node, uint8 (V,); and support of each node, int64 (V,).
    fixed, rules
        int32 (T,) and int32 (T, size): filled with the threats that needed a fix, and with the nodes of each fix,
        padded with -1.

    Returns
    -------
    Number of fixes.

    Cost: (h + 1)^size candidates per fix. Counting the support of a candidate stops at k records.
    """
    shape, intervals = tree
    below, image, dead, _ = state
    size = threats.shape[1]
    itemset = np.empty(size, np.int32)
    n_fixed = 0
    for t in range(len(threats)):
        length, alive = 0, True
        while length < size and threats[t, length] >= 0:
            itemset[length] = node_of_code[threats[t, length]]
            alive &= not dead[itemset[length]]
            length += 1
        if not alive:
            continue
        n_rules = 0
        rules[n_fixed] = -1
        for rule in _choose(itemset[:length], tree, data, state, k):
            if not holds(itemset[:length], rule):
                rules[n_fixed, n_rules] = rule
                n_rules += 1
                image[intervals.leaf_lo[rule] : intervals.leaf_hi[rule]] = rule
                generalize(rule, shape, dead, below)
        fixed[n_fixed] = t
        n_fixed += 1
    return n_fixed


@kernel(allocates=True)
def _choose(itemset: Itemset, tree: Tree, data: Data, state: _State, k: int) -> Int32Array:
    """Return the nodes of the best candidate with a support of at least k, or none. See `next_better`."""
    shape, intervals = tree
    below, _, _, support = state
    size = len(itemset)
    raised, chosen, best = itemset.copy(), np.empty(size, np.int32), np.empty(size, np.int32)
    n_best, least = 0, (0, 0)
    while True:
        n_chosen, loss, moved = next_better(itemset, raised, shape, below, chosen, best[:n_best], least)
        if n_chosen == 0:
            return best[:n_best]
        if len(data[0]) == 0 or _is_frequent(chosen[:n_chosen], intervals, data, support, k):
            n_best, least = n_chosen, (loss, moved)
            best, chosen = chosen, best


@kernel()
def _is_frequent(nodes: Int32Array, intervals: Intervals, data: Data, support: Int64Array, k: int) -> bool:
    """Return True if at least k records contain a leaf below every node.

    Scans the records of the rarest node up to the k-th match.
    """
    rarest = 0
    for j in range(len(nodes)):
        if support[nodes[j]] < k:
            return False
        if support[nodes[j]] < support[nodes[rarest]]:
            rarest = j
    if len(nodes) == 1:
        return True
    indptr, items, item_start, item_records = data
    leaf_lo, leaf_hi = intervals
    low, high, n_found = leaf_lo[nodes[rarest]], leaf_hi[nodes[rarest]], 0
    for leaf in range(low, high):
        for entry in range(item_start[leaf], item_start[leaf + 1]):
            record = item_records[entry]
            begin, end = indptr[record], indptr[record + 1]
            matches = items[first_at_least(items, begin, end, low)] == leaf  # counts each record once
            for j in range(len(nodes)):
                if not matches:
                    break
                if j != rarest:
                    match = first_at_least(items, begin, end, leaf_lo[nodes[j]])
                    matches = match < end and items[match] < leaf_hi[nodes[j]]
            if matches:
                n_found += 1
                if n_found == k:
                    return True
    return False
