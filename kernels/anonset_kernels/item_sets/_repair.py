"""Satisfy the privacy constraint of an itemset by the merges that COAT or PCTA choose.

The loss of a group of s items is proportional to (2^s - 1) * cost, with cost = weight * support. Losses are compared
exactly. Weights are integers with a common denominator, so only the powers of two are large.
"""

from typing import NamedTuple

import numpy as np

from anonset_kernels._arrays import (
    Image,
    Int32Array,
    Int64Array,
    Integer,
    Itemset,
    LeafHi,
    LeafLo,
    LeafNode,
    Parent,
    UInt8Array,
    UInt8Matrix,
)
from anonset_kernels._jit import kernel
from anonset_kernels.item_sets._groups import (
    CULPRIT,
    N_SUPPRESSED,
    Groups,
    count_partners,
    image_of,
    merge_groups,
    suppress_group,
)
from anonset_kernels.item_sets._satisfaction import is_satisfied

CONSTANT, BY_ANCESTOR, LISTED = 0, 1, 2
"""Kinds of group weights."""
COAT, PCTA = 0, 1
"""Algorithms that choose the merges."""


class Weights(NamedTuple):
    """Weights of groups of at least two items, multiplied by a common denominator of at most 2^30."""

    kind: int
    """Definition of the weight. CONSTANT is 1, BY_ANCESTOR is the number of leaves below the lowest common ancestor,
    and LISTED is the weight of the cheapest listed set that contains the group.
    """
    denominator: int
    leaf: Int32Array
    """Leaf of each item in ascending order, int32 (V,)."""
    parent: Parent
    leaf_lo: LeafLo
    leaf_hi: LeafHi
    leaf_node: LeafNode
    """Arrays of the hierarchy, as described in `_arrays`."""
    listed: UInt8Matrix
    """1 for each listed set that contains all items of a representative's group, uint8 (V, L)."""
    value: Int64Array
    """Weight of each listed set in ascending order, int64 (L,)."""


class RepairRule(NamedTuple):
    """Settings of the run."""

    k: int
    m: int
    """Size of the protected itemsets, at most the number of items that occur. 0 for a list of constraints."""
    algorithm: int
    """COAT or PCTA."""
    suppress_single: bool
    """True if COAT suppresses a single rare group without trying to merge it, as printed in the paper."""
    limit: int
    """Maximum number of suppressed items."""


@kernel()
def compare_losses(size: int, cost: int, other_size: int, other_cost: int) -> int:
    """Return the sign of (2^size - 1) * cost - (2^other_size - 1) * other_cost. Costs must be below 2^62. O(1)."""
    if size > other_size:
        return -_compare_to_larger(other_size, other_cost, size, cost)
    return _compare_to_larger(size, cost, other_size, other_cost)


@kernel()
def _compare_to_larger(size: int, cost: int, larger: int, other_cost: int) -> int:
    if size == larger or cost == 0 or other_cost == 0:
        return int(cost > other_cost) - int(cost < other_cost)
    shift = min(larger - size, 62)
    if other_cost > (cost - 1) >> shift:  # 2^shift * other_cost >= cost
        return -1
    if size >= 62:
        return 1
    # the difference is 2^size * excess - rest, with both terms positive
    excess, deficit = cost - (other_cost << shift), cost - other_cost
    if excess != deficit >> size:
        return 1 if excess > deficit >> size else -1
    return 0 if deficit == excess << size else -1


@kernel()
def _leaves_above(first: int, last: int, parent: Parent, leaf_lo: LeafLo, leaf_hi: LeafHi, leaf_node: LeafNode) -> int:
    """Count the leaves below the lowest node that covers the leaf codes `first` to `last`. O(depth)."""
    node = leaf_node[first]
    while leaf_hi[node] <= last:
        node = parent[node]
    return leaf_hi[node] - leaf_lo[node]


@kernel()
def _listed_weight(listed: UInt8Array, others: UInt8Array, value: Int64Array, otherwise: int) -> int:
    """Return the weight of the cheapest listed set that contains all items of two groups. O(L)."""
    for j in range(len(value)):
        if listed[j] & others[j]:
            return value[j]
    return otherwise


@kernel()
def _seek_partner(groups: Groups, weights: Weights, g: Integer, best: Int64Array) -> None:
    """Replace `best` by the cheapest merge of `g` if this is cheaper.

    `best` contains the smaller and the larger group of a merge, and the size and cost of their union. It contains -1
    before the first merge. Ties are resolved by the smaller group, then by the larger group. O(items of the records of
    g + V). Functions called in the loop receive single arrays, because passing the complete tuple dominates the time.
    """
    rep, utility, largest, leaf = groups.rep, groups.utility, groups.largest, weights.leaf
    support, size, count, kind = groups.support, groups.size, groups.count, weights.kind
    parent, leaf_lo, leaf_hi, leaf_node = weights.parent, weights.leaf_lo, weights.leaf_hi, weights.leaf_node
    listed, value, weight = weights.listed, weights.value, np.int64(weights.denominator)
    count_partners(groups, g)
    g_utility = utility[g]
    for partner in range(len(rep)):
        if rep[partner] == partner and partner != g and utility[partner] == g_utility:
            if kind == BY_ANCESTOR:
                first, last = leaf[min(g, partner)], leaf[max(largest[g], largest[partner])]
                weight = np.int64(_leaves_above(first, last, parent, leaf_lo, leaf_hi, leaf_node))
            elif kind == LISTED:
                weight = np.int64(_listed_weight(listed[g], listed[partner], value, weights.denominator))
            cost = weight * (support[g] + support[partner] - count[partner])
            union_size = size[g] + size[partner]
            low, high = min(g, partner), max(g, partner)
            sign = -1 if best[0] < 0 else compare_losses(union_size, cost, best[2], best[3])
            if sign < 0 or (sign == 0 and (low < best[0] or (low == best[0] and high < best[1]))):
                best[0], best[1], best[2], best[3] = low, high, union_size, cost
    count[:] = 0


@kernel()
def _merge(groups: Groups, weights: Weights, g: Integer, partner: int) -> None:
    merge_groups(groups, g, partner)
    if weights.kind == LISTED:
        keep = min(g, partner)
        for j in range(len(weights.value)):
            weights.listed[keep, j] = weights.listed[g, j] & weights.listed[partner, j]


@kernel(allocates=True)
def satisfy(groups: Groups, weights: Weights, itemset: Itemset, rule: RepairRule) -> bool:
    """Merge or suppress groups until the constraint of an itemset is satisfied. Return False if that is impossible.

    Cost of each merge or suppression: the length of all records of the groups that it visits, plus V.
    """
    image, best = np.empty(len(itemset), np.int32), np.empty(4, np.int64)
    while True:
        n = image_of(groups, itemset, image)
        if is_satisfied(groups, image[:n], rule.k):
            return True
        if rule.algorithm == PCTA:
            if not _merge_cheapest(groups, weights, image[:n], best):
                groups.state[CULPRIT] = image[0]
                return False
        else:
            _fix_rarest(groups, weights, image[:n], rule, best)
            if groups.state[N_SUPPRESSED] > rule.limit:
                return False


@kernel()
def _merge_cheapest(groups: Groups, weights: Weights, image: Image, best: Int64Array) -> bool:
    """Apply a PCTA step: the cheapest merge of a group of the image with any other group."""
    best[0] = -1
    for g in image:
        _seek_partner(groups, weights, g, best)
    if best[0] < 0:
        return False
    _merge(groups, weights, best[0], best[1])
    return True


@kernel()
def _fix_rarest(groups: Groups, weights: Weights, image: Image, rule: RepairRule, best: Int64Array) -> None:
    """Apply a COAT step: merge the rarest group that has a partner, or suppress a rare group that has none."""
    if rule.suppress_single and len(image) == 1:
        suppress_group(groups, image[0])
        return
    for g in image:
        best[0] = -1
        _seek_partner(groups, weights, g, best)
        if best[0] >= 0:
            _merge(groups, weights, g, best[0] + best[1] - g)
            return
        if groups.support[g] < rule.k:
            suppress_group(groups, g)
            return
    suppress_group(groups, image[0])
