"""Count the itemsets that the paper's algorithms insert into count-trees.

The claims on complexity are about this count. The counts refer to the algorithms as printed in the paper. The engine
visits fewer sets. OA and DA insert all sets of up to m nodes of each record (Algorithms 2 and 3). AA inserts in
iteration i the sets of i nodes of the current cut or above it (Algorithm 4). A set never contains the root, or a node
together with one of its ancestors.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from anonset.data import Hierarchy, SetColumn
from anonset.data.array_types import Int32, Int64
from anonset_kernels._jit import kernel

if TYPE_CHECKING:
    from anonset.algorithms.transaction.cuts.cut_search import FixedSet


def sets_by_size(column: SetColumn, hierarchy: Hierarchy, most: int, image: Int32 | None = None) -> Int64:
    """Count the sets of nodes at or above a cut that occur in the records, by size, int64 (most + 1,).

    Parameters
    ----------
    column
        Records, bound to the hierarchy.
    most
        Largest set size.
    image
        Node of the cut that replaces each leaf, int32 (M,). By default the leaf itself.

    Cost: O(nnz * height * most^2).
    """
    entries = (hierarchy.leaf_node if image is None else image)[column.items]
    return np.asarray(by_size(column.indptr, entries, hierarchy.parent, most), np.int64)


def images_of(fixes: Sequence["FixedSet"], hierarchy: Hierarchy, m: int) -> list[Int32]:
    """Return m + 1 arrays, int32 (M,), with the cut at the start of each iteration of AA and the final cut.

    A rare set of iteration i has i nodes, so the size of each fix identifies its iteration.
    """
    node_of = {label: node for node, label in enumerate(hierarchy.labels)}
    found = [hierarchy.leaf_node.copy()]
    for i in range(1, m + 1):
        image = found[-1].copy()
        for fix in fixes:
            for label in fix.rules if len(fix.itemset) == i else ():
                node = node_of[label]
                below = slice(int(hierarchy.leaf_lo[node]), int(hierarchy.leaf_hi[node]))
                image[below] = np.minimum(image[below], node)  # an ancestor has the smaller number
        found.append(image)
    return found


@kernel(allocates=True)
def by_size(indptr: Any, entries: Any, parent: Any, most: int) -> Any:
    """Count sets of nodes that contain no ancestor of another node, by size.

    Parameters
    ----------
    indptr, entries
        Nodes of the cut by record, ascending within each record; may contain duplicates.
    parent
        Parent of each node, smaller than the node.

    The polynomial of a node counts the sets below the node by size. It is the product of the polynomials of the
    children, plus the set that contains only the node.
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
            while node > following:  # all later nodes of the record are not below this node
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
