"""Grow the tree of joint-split. A node is a set of records with a range or value set (region) in each column.

Each node is split in the column that reduces the loss most, as long as the loss decreases.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from math import lcm

import numpy as np

from anonset.algorithms.rt.joint.regions import Axis, Region
from anonset.algorithms.rt.joint.scores import Scores
from anonset.data.array_types import Bools, Int64
from anonset.data.progress import Progress, report_progress
from anonset.data.redacted_repr import RedactedRepr
from anonset.data.storage.store import MEMORY, Store

WHOLE = 10**6
"""Denominator of weights, which are integers in millionths."""
Regions = tuple[Region, ...]


_AT_ONCE = 1 << 11
"""Nodes with fewer records score all splits in a single call, because each call has a fixed cost."""


@dataclass(eq=False)
class NodeSplit(RedactedRepr):
    """A split of a node by a column, with the regions and losses of both sides."""

    sides: tuple[Regions, Regions]
    axis: int
    relational: tuple[int, int]
    items: list[int | None]
    """Item loss of each side. None if not yet computed."""


@dataclass(eq=False)
class Node(RedactedRepr):
    """A node of the tree: its records, their region in each relational column, and their losses (see `Losses`)."""

    regions: Regions
    members: Int64
    """Record numbers, ascending."""
    relational: int
    items: int
    cuts: list[NodeSplit] | None = None
    """Possible splits by descending relational gain, then by column order. None if not yet computed."""


@dataclass(frozen=True, eq=False)
class Tree(RedactedRepr):
    """A grown tree. Parents precede their children."""

    nodes: list[Node] = field(default_factory=list)
    children: list[tuple[int, int] | None] = field(default_factory=list)
    """Indices of the two children of each node. None for a leaf."""

    @property
    def leaves(self) -> list[Node]:
        """Nodes without children."""
        return [node for node, children in zip(self.nodes, self.children, strict=True) if children is None]


@dataclass(frozen=True)
class Losses(RedactedRepr):
    """Relational loss and item loss as integers, in units that make the weighted sum an integer.

    The relational loss of a node is the record count times the sum of the relative widths (region width divided by
    column width).
    """

    axes: Sequence[Axis]
    records: int
    n_items: int
    occurrences: int

    @cached_property
    def _common(self) -> int:
        return lcm(*(axis.full_width for axis in self.axes))

    @property
    def relational_unit(self) -> int:
        """Relational loss of all records if each column is published as a single region."""
        return self.records * len(self.axes) * self._common

    @property
    def items_unit(self) -> int:
        """Item loss if each item of each record is published as the set of all items."""
        return max(1, self.occurrences * (self.n_items - 1))

    def relational(self, regions: Regions, n: int) -> int:
        """Return the relational loss of n records in the given regions."""
        widths = zip(self.axes, regions, strict=True)
        return n * sum(axis.width(region) * (self._common // axis.full_width) for axis, region in widths)

    def weighted(self, relational: int, items: int, w: int) -> int:
        """Return the sum of both losses, in which the relational loss has the weight w."""
        return w * relational * self.items_unit + (WHOLE - w) * items * self.relational_unit


@dataclass(eq=False)
class TreeGrowth(RedactedRepr):
    """Grows trees for several weights, which share the scores of their nodes."""

    losses: Losses
    scores: Scores
    infeasible: Callable[[Sequence[Int64]], Bools]
    """Function that returns True for each set of records that cannot be made anonymous."""
    k: int
    store: Store = MEMORY
    """Store for workers that compute the splits."""
    progress: Progress | None = None
    at_once: int = _AT_ONCE
    """Nodes with fewer records score all splits in a single call."""
    _known: dict[Regions, Node] = field(default_factory=dict)

    def grow(self, w: int) -> Tree:
        """Grow the tree for a weight. Each node is split in the column that reduces the loss most.

        Ties are resolved by column order.
        """
        tree = Tree([self._root], [None])
        level = [0]
        while level:
            nodes = [tree.nodes[number] for number in level]
            cuts = self.store.map(partial(self._best, w), nodes)
            following = []
            for number, cut in zip(level, cuts, strict=True):
                if cut is not None:
                    first = len(tree.nodes)
                    tree.children[number] = first, first + 1
                    tree.nodes.extend(self._halves(tree.nodes[number], cut))
                    tree.children.extend([None, None])
                    following += [first, first + 1]
            level = following
            self._tell(len(tree.nodes))
        return tree

    @cached_property
    def _root(self) -> Node:
        members = np.arange(self.losses.records, dtype=np.int64)
        regions = self._hulls(tuple(axis.whole for axis in self.losses.axes), members)
        [items] = self.scores.losses([members])
        return Node(regions, members, self.losses.relational(regions, len(members)), items)

    def _cuts(self, node: Node) -> list[NodeSplit]:
        splits: list[NodeSplit] = []
        sets: list[Int64] = []
        for a, (axis, region) in enumerate(zip(self.losses.axes, node.regions, strict=True)):
            codes = axis.codes[node.members]
            halves = axis.halves(region, np.bincount(codes, minlength=axis.n_codes), self.k)
            if halves is None:
                continue
            first = axis.inside(halves[0])[codes]
            parts = [node.members[first], node.members[~first]]
            if min(map(len, parts)) < self.k or self.infeasible(parts).any():
                continue
            sides = [
                self._hulls((*node.regions[:a], half, *node.regions[a + 1 :]), part)
                for half, part in zip(halves, parts, strict=True)
            ]
            low, high = (self.losses.relational(side, len(part)) for side, part in zip(sides, parts, strict=True))
            if low + high < node.relational:
                splits.append(NodeSplit((sides[0], sides[1]), a, (low, high), [None, None]))
                sets += parts
        if len(node.members) < self.at_once:
            items = iter(self.scores.losses(sets))
            for cut in splits:
                cut.items = [next(items), next(items)]
        return sorted(splits, key=lambda cut: sum(cut.relational))

    def _hulls(self, regions: Regions, members: Int64) -> Regions:
        return tuple(axis.hull(region, members) for axis, region in zip(self.losses.axes, regions, strict=True))

    def _best(self, w: int, node: Node) -> NodeSplit | None:
        """Return the split with the smallest loss. None if no split reduces the loss. Ties are resolved by column
        order.

        The relational loss plus the item loss of one side is a lower bound of the loss. A split that this bound
        excludes is not scored completely.
        """
        if node.cuts is None:
            node.cuts = self._cuts(node)
        best, least = None, (self.losses.weighted(node.relational, node.items, w), -1)
        for cut in node.cuts:
            while (bound := (self._bound(cut, w), cut.axis)) < least and None in cut.items:
                parts = self._parts(node, cut)
                open_sides = [side for side in (0, 1) if cut.items[side] is None]
                side = min(open_sides, key=lambda side: len(parts[side]))
                [cut.items[side]] = self.scores.losses([parts[side]])
            if bound < least:
                best, least = cut, bound
        return best

    def _bound(self, cut: NodeSplit, w: int) -> int:
        """Return a lower bound of the loss. It equals the loss if both sides are scored."""
        return self.losses.weighted(sum(cut.relational), sum(items or 0 for items in cut.items), w)

    def _parts(self, node: Node, cut: NodeSplit) -> list[Int64]:
        axis = self.losses.axes[cut.axis]
        first = axis.inside(cut.sides[0][cut.axis])[axis.codes[node.members]]
        return [node.members[first], node.members[~first]]

    def _halves(self, node: Node, cut: NodeSplit) -> list[Node]:
        if not all(side in self._known for side in cut.sides):
            sides = zip(cut.sides, self._parts(node, cut), cut.relational, cut.items, strict=True)
            self._known |= {side: Node(side, part, low, items or 0) for side, part, low, items in sides}
        return [self._known[side] for side in cut.sides]

    def _tell(self, nodes: int) -> None:
        report_progress(self.progress, "nodes grown", nodes, nodes)
