"""Index of the records of each item as roaring bitmaps. Computes the support of single itemsets in microseconds."""

from array import array
from collections.abc import Iterable
from functools import reduce
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from anonset.data import Hierarchy, SetColumn
from anonset.errors import InputError, datum

if TYPE_CHECKING:  # optional at run time: most commands do not need it
    from pyroaring import BitMap


class SupportIndex:
    """Supports of items, hierarchy nodes, item groups, and sets of these.

    A record contains a node or a group if it contains any of the leaves or members (union). A record supports a set if
    it contains all members of the set (intersection). Every record supports the empty set.

    Building costs O(nnz), an intersection about a microsecond. The union of a node's leaves is cached. To compute the
    supports of *all* itemsets of a size, use the dense counting kernels instead.

    Parameters
    ----------
    column
        The set-valued column.
    hierarchy
        Needed for supports of nodes. The column must be bound to it.

    Raises
    ------
    InputError
        If the column is not bound to the hierarchy.

    Examples
    --------
    >>> hierarchy = Hierarchy.from_tree(("ALL", [("A", ["a1", "a2"]), "b"]))
    >>> column = SetColumn.of([{"a1", "b"}, {"a2"}, {"a1", "a2", "b"}, set()], universe=hierarchy.leaves.labels)
    >>> index = SupportIndex(column, hierarchy)
    >>> index.support_of(["a1", "b"]), index.support_of(["A"]), index.support_of(["A", "b"])
    (2, 3, 2)
    >>> index.records([0, 2]).tolist()
    [0, 2]
    >>> index.support_of_groups([(0, 1), (2,)])
    2
    """

    def __init__(self, column: SetColumn, hierarchy: Hierarchy | None = None) -> None:
        if hierarchy is not None and column.vocabulary != hierarchy.leaves:
            msg = f"column {column.name!r} must be bound to the hierarchy first (Hierarchy.bind)"
            raise InputError(msg)
        from pyroaring import BitMap

        from anonset_kernels.rows import transpose

        self.column = column
        self.hierarchy = hierarchy
        start, records = transpose(column.indptr, column.items, len(column.vocabulary))
        # BitMap copies an array.array at once, but reads a NumPy array value by value (20 times slower)
        self._bitmaps = [
            BitMap(array("I", records[start[item] : start[item + 1]].tobytes()))
            for item in range(len(column.vocabulary))
        ]
        self._node_bitmaps: dict[int, BitMap] = {}

    def __repr__(self) -> str:
        tree = "" if self.hierarchy is None else f", {self.hierarchy!r}"
        return f"SupportIndex({self.column!r}{tree})"

    @property
    def n(self) -> int:
        """Number of records."""
        return self.column.n

    def support_of_item(self, code: int) -> int:
        """Count the records that contain an item."""
        return len(self._bitmaps[code])

    def support(self, codes: Iterable[int]) -> int:
        """Count the records that contain all given items."""
        return self._cardinality([self._bitmaps[code] for code in codes])

    def records(self, codes: Iterable[int]) -> NDArray[np.uint32]:
        """Return the records that contain all given items; ascending, uint32, read-only."""
        return self._export([self._bitmaps[code] for code in codes])

    def node_support(self, node: int) -> int:
        """Count the records that contain any leaf below a node."""
        return len(self._node(node))

    def support_of_nodes(self, nodes: Iterable[int]) -> int:
        """Count the records that contain a leaf below each of the given nodes."""
        return self._cardinality([self._node(node) for node in nodes])

    def records_of_nodes(self, nodes: Iterable[int]) -> NDArray[np.uint32]:
        """Return the records that contain a leaf below each of the given nodes; ascending, uint32, read-only."""
        return self._export([self._node(node) for node in nodes])

    def support_of_groups(self, groups: Iterable[Iterable[int]]) -> int:
        """Count the records that contain a member (an item code) of each of the given groups."""
        return self._cardinality([self._union(group) for group in groups])

    def records_of_groups(self, groups: Iterable[Iterable[int]]) -> NDArray[np.uint32]:
        """Return the records that contain a member (an item code) of each of the given groups; ascending, read-only."""
        return self._export([self._union(group) for group in groups])

    def support_of(self, labels: Iterable[str]) -> int:
        """Count the records that contain each of the given items (or nodes, if there is a hierarchy).

        Raises
        ------
        InputError
            If a label is neither an item nor a node.
        """
        return self._cardinality([self._labelled(label) for label in labels])

    def _labelled(self, label: str) -> "BitMap":
        if (code := self.column.vocabulary.index.get(label)) is not None:
            return self._bitmaps[code]
        if self.hierarchy is None or label not in self.hierarchy.node_of:
            where = "items" if self.hierarchy is None else "items and hierarchy nodes"
            msg = f"label {datum(label)} must be among the {where} of column {self.column.name!r}"
            raise InputError(msg)
        return self._node(self.hierarchy.node_of[label])

    def _node(self, node: int) -> "BitMap":
        if self.hierarchy is None:
            msg = f"node supports need a hierarchy; column {self.column.name!r} has none"
            raise InputError(msg)
        if node not in self._node_bitmaps:
            leaves = range(int(self.hierarchy.leaf_lo[node]), int(self.hierarchy.leaf_hi[node]))
            self._node_bitmaps[node] = self._union(leaves)
        return self._node_bitmaps[node]

    def _union(self, codes: Iterable[int]) -> "BitMap":
        from pyroaring import BitMap

        members = [self._bitmaps[code] for code in codes]
        if len(members) == 1:
            return members[0]
        return BitMap.union(*members) if members else BitMap()

    def _cardinality(self, bitmaps: list["BitMap"]) -> int:
        if not bitmaps:
            return self.n
        *smaller, largest = sorted(bitmaps, key=len)
        if not smaller:
            return len(largest)
        return int(reduce(lambda x, y: x & y, smaller).intersection_cardinality(largest))

    def _export(self, bitmaps: list["BitMap"]) -> NDArray[np.uint32]:
        if not bitmaps:
            return np.arange(self.n, dtype=np.uint32)
        common = reduce(lambda x, y: x & y, sorted(bitmaps, key=len))
        return np.frombuffer(common.to_array(), np.uint32)
