"""Hierarchies over a vocabulary, stored as arrays in preorder. Each node covers an interval of leaves."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from anonset.data.array_types import Bools, Int32, Int64
from anonset.data.labels.vocabulary import Vocabulary
from anonset.data.redacted_repr import RedactedRepr
from anonset.data.storage.store import MEMORY, Store
from anonset.data.table import SetColumn
from anonset.errors import HierarchyError, datum

Tree = str | tuple[str, Sequence["Tree"]]


@dataclass(frozen=True, eq=False)
class Hierarchy(RedactedRepr):
    """A rooted tree over a vocabulary. Nodes are numbered in preorder, and node 0 is the root.

    Leaf codes are the left-to-right positions of the leaves. A node covers the leaf codes ``leaf_lo[v]`` to
    ``leaf_hi[v] - 1``. Inner nodes with a single child are collapsed on loading.
    """

    labels: tuple[str, ...]
    """Label of each node, in preorder."""
    parent: Int32
    """Parent of each node, int32 (V,). -1 for the root."""
    leaf_lo: Int32
    """First leaf code below each node, int32 (V,)."""
    leaf_hi: Int32
    """End of the leaf codes below each node (last code plus one), int32 (V,)."""
    subtree_end: Int32
    """End of each node's subtree in preorder (last node plus one), int32 (V,)."""
    aliases: tuple[tuple[str, str], ...] = ()
    """Collapsed labels: (label of the removed node, label of the node that replaces it)."""
    from_data: bool = False
    """True if the tree was built from label frequencies and may disclose them."""
    columns_above: Int32 | None = None
    """First column of the file that contains each node, int32 (V,). The root's column is 0. None if each column
    number equals the depth of the node.
    """
    unnamed: frozenset[str] = frozenset()
    """Labels of nodes without a public name. Such a node is published as the set of its leaves."""
    place: Int32 | None = None
    """Position of each leaf in publication order, int32 (M,). None if the leaves are already in publication order."""
    rival: "Hierarchy | None" = None
    """Second tree over the leaves of this tree, in the same order. The algorithm `exact` searches this tree and its
    rival.
    """
    capped: bool = False
    """True if ceilings exclude the root from publication. See `anonset.data.hierarchies.ceilings`."""

    def __repr__(self) -> str:
        return f"Hierarchy({self.n_nodes:,} nodes over {self.n_leaves:,} leaves)"

    @property
    def n_nodes(self) -> int:
        """Number of nodes (V)."""
        return len(self.labels)

    @property
    def n_leaves(self) -> int:
        """Number of leaves (M)."""
        return int(self.leaf_hi[0])

    @cached_property
    def leaf_node(self) -> Int32:
        """Node of each leaf code, int32 (M,)."""
        return np.flatnonzero(self.is_leaf).astype(np.int32)

    @cached_property
    def is_leaf(self) -> Bools:
        """True for leaves, bool (V,)."""
        leaf: Bools = self.subtree_end == np.arange(1, self.n_nodes + 1)
        return leaf

    @cached_property
    def n_leaves_below(self) -> Int32:
        """Number of leaves below each node (1 for a leaf), int32 (V,)."""
        return self.leaf_hi - self.leaf_lo

    @cached_property
    def depth(self) -> Int32:
        """Number of edges from the root, int32 (V,)."""
        return np.array(_depths(self.parent.tolist()), np.int32)

    @cached_property
    def column_depth(self) -> Int32:
        """First column of the file that contains each node, int32 (V,). The root's column is 0.

        The column number exceeds the depth if nodes above were collapsed or labels are repeated.
        """
        return self.depth if self.columns_above is None else self.columns_above

    def nodes_in_column(self, depth: int) -> Int32:
        """Return the node above each leaf in a column of the file, int32 (M,). Column 0 contains the root.

        If the path of a leaf is too short, the result is the leaf. A collapsed node is represented by the node that
        replaces it.

        >>> h = Hierarchy.from_tree(("ALL", [("A", ["a1", "a2"]), ("U", [("B", ["b1", "b2"])])]))
        >>> [[h.labels[v] for v in h.nodes_in_column(depth)] for depth in (1, 2)]
        [['A', 'A', 'B', 'B'], ['a1', 'a2', 'B', 'B']]
        """
        node = self.leaf_node
        while (above := self.column_depth[node] > depth).any():
            node = np.where(above, self.parent[node], node).astype(np.int32)
        return node

    @cached_property
    def leaves(self) -> Vocabulary:
        """The leaves as a vocabulary, in left-to-right order."""
        return Vocabulary(tuple(self.labels[v] for v in self.leaf_node))

    @cached_property
    def node_of(self) -> dict[str, int]:
        """Map from label to node."""
        return {label: node for node, label in enumerate(self.labels)}

    def children(self, node: int) -> list[int]:
        """Return the children of a node, in order."""
        return children_of(self.subtree_end, node)

    def members(self, node: int) -> tuple[str, ...]:
        """Return the labels of the leaves below a node, in publication order."""
        low, high = int(self.leaf_lo[node]), int(self.leaf_hi[node])
        labels = self.leaves.labels[low:high]
        if self.place is None:
            return tuple(labels)
        return tuple(labels[leaf] for leaf in np.argsort(self.place[low:high]).tolist())

    def ancestors(self, node: int) -> list[int]:
        """Return the strict ancestors of a node, parent first, root last."""
        ancestors = []
        while (node := int(self.parent[node])) >= 0:
            ancestors.append(node)
        return ancestors

    def lowest_common_ancestor(self, leaf_codes: Iterable[int]) -> int:
        """Return the lowest node that covers all given leaf codes."""
        codes = list(leaf_codes)
        low, high = min(codes), max(codes)
        node = int(self.leaf_node[low])
        while self.leaf_hi[node] <= high:
            node = int(self.parent[node])
        return node

    def bind(self, column: SetColumn, store: Store = MEMORY) -> SetColumn:
        """Recode a set-valued column so that its codes are leaf positions.

        Parameters
        ----------
        store
            Store of the new items.

        Raises
        ------
        HierarchyError
            If an item of the column is not a leaf.
        """
        if column.vocabulary == self.leaves:
            return column
        codes = self.codes_of(column.vocabulary, column.name)
        return column.recode(codes, self.leaves, store)

    def codes_of(self, vocabulary: Vocabulary, name: str) -> Int32:
        """Return the leaf code of each label of a vocabulary.

        Raises
        ------
        HierarchyError
            If a label is not a leaf.
        """
        index = self.leaves.index
        try:
            return np.array([index[label] for label in vocabulary.labels], np.int32)
        except KeyError as missing:
            label = missing.args[0]
            kind = "inner node" if label in self.node_of else "missing"
            msg = f"hierarchy of {name!r}: label {datum(label)} of the data is not a leaf ({kind})"
            raise HierarchyError(msg, column=name) from None

    @classmethod
    def from_tree(cls, tree: Tree) -> "Hierarchy":
        """Build a hierarchy from nested pairs (label, children). A leaf is a plain label.

        >>> h = Hierarchy.from_tree(("ALL", [("A", ["a1", "a2"]), ("B", ["b1", "b2"])]))
        >>> h.labels
        ('ALL', 'A', 'a1', 'a2', 'B', 'b1', 'b2')
        >>> [h.labels[v] for v in h.ancestors(h.node_of["b1"])]
        ['B', 'ALL']
        """
        labels: list[str] = []
        parents: list[int] = []
        stack: list[tuple[Tree, int]] = [(tree, -1)]
        while stack:
            node, parent = stack.pop()
            label, children = (node, ()) if isinstance(node, str) else node
            labels.append(label)
            parents.append(parent)
            stack.extend((child, len(labels) - 1) for child in reversed(children))
        return cls.from_preorder(labels, np.array(parents, np.int64))

    @classmethod
    def from_preorder(
        cls, labels: Sequence[str], parent: Int64, columns_above: Sequence[int] | None = None
    ) -> "Hierarchy":
        """Build a hierarchy from labels and parents in preorder, collapsing inner nodes with a single child.

        Parameters
        ----------
        columns_above
            First column of a file that contains each node. The root's column is 0. By default, the column is the depth.

        Raises
        ------
        HierarchyError
            If a label occurs twice.
        """
        n, above_of = len(labels), parent.tolist()
        n_children = np.bincount(parent[1:], minlength=n).tolist() if n > 1 else [0] * n
        columns = _depths(above_of) if columns_above is None else columns_above
        names: list[str] = []
        aliases: list[tuple[str, str]] = []
        kept_parent, kept_columns, new_id = [], [], [-1] * n
        pending: list[int] = []
        for old in range(n):
            if n_children[old] == 1:  # in preorder, the next node is the only child, and replaces this node
                pending.append(old)
                new_id[old] = -2 if above_of[old] < 0 else new_id[above_of[old]]
                continue
            aliases += [(labels[collapsed], labels[old]) for collapsed in pending]
            above = -1 if above_of[old] < 0 else new_id[above_of[old]]
            new_id[old] = len(names)
            kept_parent.append(-1 if above == -2 else above)
            kept_columns.append(columns[pending[0] if pending else old])
            names.append(labels[old])
            pending = []
        if len(set(names)) != len(names):
            earlier: set[str] = set()
            twice = next(x for x in names if x in earlier or earlier.add(x))  # type: ignore[func-returns-value]
            raise HierarchyError(f"hierarchy: two nodes have the label {datum(twice)}; labels must be distinct")
        hierarchy = cls._from_collapsed(tuple(names), np.array(kept_parent, np.int32), tuple(aliases))
        return replace(hierarchy, columns_above=np.array(kept_columns, np.int32))

    @classmethod
    def _from_collapsed(
        cls, labels: tuple[str, ...], parent: Int32, aliases: tuple[tuple[str, str], ...]
    ) -> "Hierarchy":
        n = len(labels)
        above, last = parent.tolist(), list(range(1, n + 1))
        for node in range(n - 1, 0, -1):
            last[above[node]] = max(last[above[node]], last[node])
        subtree_end = np.array(last, np.int32)
        leaf = subtree_end == np.arange(1, n + 1)
        before = np.zeros(n + 1, np.int32)
        np.cumsum(leaf, out=before[1:])
        return cls(labels, parent, before[:-1].copy(), before[subtree_end].copy(), subtree_end, aliases)

    @classmethod
    def balanced(cls, items: Sequence[str], fanout: int) -> "Hierarchy":
        """Build a balanced hierarchy. Every `fanout` consecutive nodes of a level get a parent, up to a single root.

        Inner labels are ``N<level>_<index>``. The last node of a level may have fewer children. Nodes with a single
        child are collapsed.

        >>> Hierarchy.balanced(["1", "2", "3", "4", "5"], 2).labels
        ('N3_0', 'N2_0', 'N1_0', '1', '2', 'N1_1', '3', '4', '5')

        Raises
        ------
        HierarchyError
            If `fanout` is below 2, or there is no item.
        """
        if fanout < 2:
            raise HierarchyError(f"balanced hierarchy: the fan-out must be at least 2, got {fanout}")
        if not items:
            raise HierarchyError("balanced hierarchy: at least one item is required")
        item_set = set(items)
        level: list[Tree] = list(items)
        height = 0
        while len(level) > 1:
            height += 1
            names = [f"N{height}_{i}" for i in range(-(-len(level) // fanout))]
            if clash := next((name for name in names if name in item_set), None):
                ways = "rename it or give a hierarchy"
                raise HierarchyError(f"balanced hierarchy: item {datum(clash)} has the name of an inner node; {ways}")
            level = [(name, level[i * fanout : (i + 1) * fanout]) for i, name in enumerate(names)]
        return cls.from_tree(level[0])


def _depths(parent: Sequence[int]) -> list[int]:
    depth = [0] * len(parent)
    for node, above in enumerate(parent):
        depth[node] = depth[above] + 1 if above >= 0 else 0
    return depth


def children_of(subtree_end: Int32, node: int) -> list[int]:
    """Return the children of a node of a tree stored in preorder, given the subtree end of each node."""
    children, child = [], node + 1
    while child < subtree_end[node]:
        children.append(child)
        child = int(subtree_end[child])
    return children
