"""Expanded records with an index. A record is expanded to the codes of its items' ancestors."""

import numpy as np

from anonset.data import Hierarchy
from anonset.data.array_types import Bools, Int32, Int64
from anonset.data.distinct import positions
from anonset.data.spans import begins_of
from anonset.data.table import Index
from anonset_kernels._arrays import ExpandedCodes


def expand_records(
    rows: tuple[Int64, Int32], image: Int32, parent: Int32, nodes: Int32, support: Int64
) -> tuple[Int32, ExpandedCodes]:
    """Expand each record to the codes of its items' nodes and their ancestors.

    Only nodes in `nodes` have codes.

    Parameters
    ----------
    rows
        Start of each record, int64 (n + 1,), and the leaf codes of the records, int32 (nnz,).
    image
        Initial node of each leaf, int32 (M,).
    parent
        Parent of each node, int32 (V,). -1 for the root.
    nodes
        Nodes in the order of their codes, int32 (C,).
    support
        Support of each node in `nodes`, int64 (C,).

    Returns
    -------
    int32 (V,) and Expanded
        Code of each node, -1 for a node without a code, and the expanded records.
    """
    from anonset_kernels.rare_sets.count_tree import expand

    code = positions(nodes, len(parent))
    start, position = room_for(support, len(rows[0]) - 1)
    return code, ExpandedCodes(expand(*rows, image, parent, code, start, position), start, position)


def room_for(support: Int64, n: int) -> tuple[Int64, Index]:
    """Return the start of each code's list of positions, and an uninitialized array for the lists."""
    start = begins_of(support)
    wide = start[-1] + n > np.iinfo(np.int32).max
    n_positions = int(start[-1])
    return start, np.empty(n_positions, np.int64) if wide else np.empty(n_positions, np.int32)


def count_cut_below(hierarchy: Hierarchy, image: Int32) -> Int64:
    """Count the nodes of a cut at or below each node, int64 (V,). `image` is the cut's node of each leaf."""
    on_cut = np.zeros(hierarchy.n_nodes + 1, np.int64)
    on_cut[image] = 1
    before = begins_of(on_cut[:-1])
    counts: Int64 = before[hierarchy.subtree_end] - before[:-1]
    return counts


def nodes_at_or_above(hierarchy: Hierarchy, image: Int32) -> Bools:
    """Return True for each node on or above a cut, bool (V,). `image` is the cut's node of each leaf."""
    reached: Bools = count_cut_below(hierarchy, image) > 0
    return reached
