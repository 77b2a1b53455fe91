"""Vertical partitioning anonymization (VPA) of Terrovitis, Mamoulis, Kalnis, VLDB Journal 2011.

Steps of the algorithm and their implementation::

    divide items into parts, by the top node above them          _top_nodes, _part
    AA on each part, over the subtree of this node               Vpa._anonymize_part; AprioriBased.run_apriori
    AA on all records, starting from these cuts                  Vpa.generalize; AprioriBased.run_apriori
"""

from dataclasses import dataclass, field
from typing import Annotated, ClassVar

import numpy as np

from anonset.algorithms.base import Result, Traits
from anonset.algorithms.parameters import Count
from anonset.algorithms.transaction.cuts.apriori import AprioriBased
from anonset.algorithms.transaction.cuts.cut_search import FixedSet
from anonset.data import Hierarchy, SetColumn
from anonset.data.blocks import Blocks, SetColumnBuilder
from anonset.data.progress import Progress, report_progress
from anonset.data.redacted_repr import RedactedRepr
from anonset.data.spans import spans
from anonset.data.storage.store import Store
from anonset.generalization import Cut


@dataclass(frozen=True)
class SubtreePart(RedactedRepr):
    """Part of the items, which are all below the same node. Parts are anonymized separately."""

    node: str = field(repr=False)
    records: int
    """Number of records with an item below the node."""
    cut: tuple[str, ...]
    """Nodes of the cut of the subtree, in preorder."""
    fixes: tuple[FixedSet, ...]


@dataclass(frozen=True, kw_only=True)
class Vpa(AprioriBased):
    """Anonymize the items below each node at a given depth separately, then fix rare sets across these parts.

    Guarantees k^m-anonymity by a single hierarchy cut.
    Cost: a run of apriori anonymization on each part, and a run on all items that starts from the cuts of the parts.
    Parts are independent tasks.

    References: Terrovitis, Mamoulis, Kalnis, "Local and global recoding methods for anonymizing set-valued data",
    VLDB Journal 2011 (VPA), as described by Poulis et al., 2013.
    Deviations: parts are the subtrees of all nodes at the same depth. A part with 1 to k - 1 records is generalized to
    the root of the part.

    >>> from anonset.data import Hierarchy, Table
    >>> hierarchy = Hierarchy.from_tree(("ALL", [("A", ["a1", "a2"]), ("B", ["b1", "b2"])]))
    >>> table = Table.from_sets([["a1", "b1", "b2"], ["a2", "b1"], ["a2", "b1", "b2"], ["a1", "a2", "b2"]])
    >>> Vpa(k=2, m=2).recode(table, {"items": hierarchy}).recoding.labels
    ['A', 'b1', 'b2']
    """

    name: ClassVar[str] = "vpa"
    traits: ClassVar[Traits] = Traits(
        memory_factor=1.5,
        by_blocks=True,
        on_workers=True,
        coarsens=True,
        answers=("km",),
    )

    depth: Annotated[Count, "Depth of the nodes whose subtrees are the parts (>= 1)."] = 1

    def generalize(self, column: SetColumn, hierarchy: Hierarchy, *, store: Store, progress: Progress | None) -> Result:
        """Find the cut.

        `Result.trace` contains a `SubtreePart` for each part, in preorder, and then the fixes of rare sets with items
        of several parts.

        Raises
        ------
        InputError
            If counting the sets of some size would take more than `max_increments`.
        """
        nodes, image, parts = _top_nodes(hierarchy, self.depth), hierarchy.leaf_node.copy(), []
        tasks = ((column, _subtree(hierarchy, node), int(hierarchy.leaf_lo[node])) for node in nodes)
        for node, (cut, result_part) in zip(nodes, store.map(self._anonymize_part, tasks), strict=True):
            image[hierarchy.leaf_lo[node] : hierarchy.leaf_hi[node]] = cut.image + np.int32(node)
            parts.append(result_part)
            report_progress(progress, "parts", len(parts), len(nodes))
        start = Cut(hierarchy, image)
        search = self.run_apriori(Blocks.of(column, store), hierarchy, start=start, progress=progress)
        return Result(search.cut, (*parts, *search.fixes), {"increments": search.increments})

    def _anonymize_part(self, task: tuple[SetColumn, Hierarchy, int]) -> tuple[Cut, SubtreePart]:
        column, subtree = _part(*task), task[1]
        if 0 < column.n < self.k:
            cut = Cut(subtree, np.zeros(subtree.n_leaves, np.int32))
            return cut, SubtreePart(subtree.labels[0], column.n, tuple(cut.labels), ())
        search = self.run_apriori(Blocks.of(column, column.store), subtree)
        return search.cut, SubtreePart(subtree.labels[0], column.n, tuple(search.cut.labels), tuple(search.fixes))


def _top_nodes(hierarchy: Hierarchy, depth: int) -> list[int]:
    """Return the nodes at a depth and the leaves above this depth, in preorder. They form a cut."""
    level = hierarchy.depth
    nodes: list[int] = np.flatnonzero((level == depth) | ((level < depth) & hierarchy.is_leaf)).tolist()
    return nodes


def _subtree(hierarchy: Hierarchy, node: int) -> Hierarchy:
    nodes = slice(node, int(hierarchy.subtree_end[node]))
    parent = hierarchy.parent[nodes] - np.int32(node)
    parent[0] = -1
    low = hierarchy.leaf_lo[node]
    return Hierarchy(
        hierarchy.labels[nodes],
        parent,
        hierarchy.leaf_lo[nodes] - low,
        hierarchy.leaf_hi[nodes] - low,
        hierarchy.subtree_end[nodes] - np.int32(node),
    )


def _part(column: SetColumn, subtree: Hierarchy, first_leaf: int) -> SetColumn:
    """Return the records restricted to the items of a subtree, without empty records."""
    from anonset_kernels.records.rows import map_rows

    code = np.full(len(column.vocabulary), -1, np.int32)
    code[first_leaf : first_leaf + subtree.n_leaves] = np.arange(subtree.n_leaves, dtype=np.int32)
    with SetColumnBuilder(column.name, column.store) as part:
        for first, end in spans(column.n):
            block = column.slice(first, end)
            indptr, items = map_rows(block.indptr, block.items, code, subtree.n_leaves)
            indptr = np.concatenate([[0], indptr[1:][indptr[1:] > indptr[:-1]]])
            part.append(SetColumn(column.name, indptr, items, subtree.leaves))
    return part.finished(subtree.leaves)
