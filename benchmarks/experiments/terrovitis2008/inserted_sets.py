"""How many itemsets the paper's algorithms put into their count-trees: the work that its complexity claims are about.

Counted by the algorithms as they are printed, and not by the engine, which walks less. OA and DA put all sets of up to
m nodes of each record in (Algorithms 2 and 3), AA in iteration i those of i nodes at or above the cut that it has by
then (Algorithm 4). A set holds no node beside one of its ancestors, and never the root.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from anonset.data import Hierarchy, SetColumn
from anonset.data.table import Int32, Int64
from anonset_kernels._jit import kernel

if TYPE_CHECKING:
    from anonset.algorithms.transaction.cut_search import Fix


def sets_by_size(column: SetColumn, hierarchy: Hierarchy, most: int, image: Int32 | None = None) -> Int64:
    """Count the sets of nodes at or above a cut that the records hold, by size, int64 (most + 1,).

    Parameters
    ----------
    column
        The records, bound to the hierarchy.
    most
        Size of the largest sets.
    image
        int32 (M,): the node of the cut that each leaf is replaced by; by default the leaf itself.

    Cost: O(nnz * height * most^2).
    """
    entries = (hierarchy.leaf_node if image is None else image)[column.items]
    return np.asarray(by_size(column.indptr, entries, hierarchy.parent, most), np.int64)


def images_of(fixes: Sequence["Fix"], hierarchy: Hierarchy, m: int) -> list[Int32]:
    """Return the cut at the start of each iteration of AA, and that at its end: m + 1 times int32 (M,).

    A rare set of iteration i holds i nodes, so the size of each fix tells when it was made.
    """
    node_of = {label: node for node, label in enumerate(hierarchy.labels)}
    found = [hierarchy.leaf_node.copy()]
    for i in range(1, m + 1):
        image = found[-1].copy()
        for fix in fixes:
            for label in fix.rules if len(fix.itemset) == i else ():
                node = node_of[label]
                below = slice(int(hierarchy.leaf_lo[node]), int(hierarchy.leaf_hi[node]))
                image[below] = np.minimum(image[below], node)  # of two nodes on a path, the upper one is the smaller
        found.append(image)
    return found


@kernel()
def by_size(indptr: Any, entries: Any, parent: Any, most: int) -> Any:
    """Count sets of nodes without an ancestor among them, by size.

    Parameters
    ----------
    indptr, entries
        Nodes of the cut by record, rising within each; some may stand there several times.
    parent
        Parent of each node, smaller than the node.

    A node's polynomial counts the sets below it by size: the product of its children's, and a set of itself alone.
    """
    total = np.zeros(most + 1, np.int64)
    below = np.zeros((len(parent), most + 1), np.int64)
    below[:, 0] = 1
    for record in range(len(indptr) - 1):
        at = indptr[record + 1] - 1
        while at >= indptr[record]:
            node = entries[at]
            while at >= indptr[record] and entries[at] == node:
                at -= 1
            following = entries[at] if at >= indptr[record] else 0
            while node > following:  # nothing else of the record is below it
                below[node, 1] += 1
                above = parent[node]
                for size in range(most, 0, -1):
                    for part in range(1, size + 1):
                        below[above, size] += below[node, part] * below[above, size - part]
                below[node] = 0
                below[node, 0] = 1
                node = above
        total += below[0]
        below[0] = 0
        below[0, 0] = 1
    return total
