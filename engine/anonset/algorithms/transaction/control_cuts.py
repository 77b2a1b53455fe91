"""The cut of a hierarchy on which suppressing costs little: items are generalized first, what remains is suppressed.

Whatever the cut, suppressing what still infers something keeps the guarantee. So cuts are tried: the items as they
are, the levels of the hierarchy, and for k = 2, 4, 8, … the topmost nodes with a child of fewer than k occurrences, and
items. From the one that loses least, single nodes are parted or raised, those that may gain most first, as long as that
loses less. No node above a sensitive item is used. Our own.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from anonset.data import Hierarchy, SetColumn
from anonset.data.redacted_repr import Discreet
from anonset.data.spans import begins_of
from anonset.data.table import Int32, Int64
from anonset.generalization import Cut
from anonset.generalization.recoding import SUPPRESSED
from anonset.measures.ncp import ncp_numerator
from anonset.publications.symbols import generalize, node_symbol

Suppress = Callable[[SetColumn], list[int]]
"""Returns the codes of a column that must go."""


@dataclass(frozen=True, eq=False)
class Tried(Discreet):
    """A cut, and what is left of it."""

    image: Int32
    """int32 (M,): the node of each leaf."""
    left: Int32
    """int32 (M,): the same, and `SUPPRESSED` where it goes."""
    gone: tuple[str, ...]
    """Labels of the nodes that go, in order."""
    loss: int
    """Core of the NCP."""


@dataclass(frozen=True, eq=False)
class ControlCuts(Discreet):
    """Cuts of the hierarchy of a column, tried by what they lose."""

    column: SetColumn
    """The original, bound to the hierarchy."""
    tree: Hierarchy
    is_secret: NDArray[np.bool_]
    """Bool (M,): the sensitive leaves."""
    suppress: Suppress
    most: int
    """Cuts to try, but those that the search begins with."""

    def search(self) -> tuple[Tried, int]:
        """Return the cut that loses least of those that are tried, and their number."""
        best = min(map(self.tried, self._starts()), key=lambda one: one.loss)
        known = {best.image.tobytes()}
        while (better := next(self._better(best, known, self.most - len(known) + 1), None)) is not None:
            best = better
        return best, len(known)

    def tried(self, image: Int32) -> Tried:
        """Suppress what still infers something on a cut."""
        nodes, at = np.unique(image, return_inverse=True)
        symbols = tuple(node_symbol(self.tree, node) for node in nodes.tolist())
        gone = self.suppress(generalize(self.column, at.reshape(-1).astype(np.int32), symbols))
        left = np.where(np.isin(image, nodes[gone]), SUPPRESSED, image).astype(np.int32)
        labels = tuple(symbols[code].label for code in gone)
        return Tried(image, left, labels, ncp_numerator(self.column, Cut(self.tree, left)))

    def _better(self, best: Tried, known: set[bytes], most: int) -> Iterator[Tried]:
        """Yield neighbouring cuts that lose less; those that are looked at are added to the known ones."""
        for image in self._neighbours(best):
            if image.tobytes() in known:
                continue
            if most <= 0:
                return
            most -= 1
            known.add(image.tobytes())
            if (one := self.tried(image)).loss < best.loss:
                yield one

    def _neighbours(self, best: Tried) -> Iterator[Int32]:
        """Yield the cut with a node parted or raised, those first that may gain most; none that cannot gain."""
        tree, size = self.tree, self.tree.n_leaves_below.astype(np.int64)
        lost = np.where(best.left == SUPPRESSED, tree.n_leaves, np.where(size[best.image] > 1, size[best.image], 0))
        costs = begins_of(self.column.occurrences * lost)
        now = costs[tree.leaf_hi] - costs[tree.leaf_lo]
        nodes = np.unique(best.image)
        parted = nodes[~tree.is_leaf[nodes]]
        parents = np.unique(tree.parent[nodes])
        raised = parents[(parents >= 0) & self._may[parents]]
        gains = np.concatenate([now[parted], now[raised] - self._occurrences[raised] * size[raised]])
        moves = [*((int(v), True) for v in parted), *((int(v), False) for v in raised)]
        for at in np.lexsort((np.arange(len(moves)), -gains)).tolist():
            if gains[at] > 0:
                node, parts = moves[at]
                image = best.image.copy()
                for one in tree.children(node) if parts else [node]:
                    image[tree.leaf_lo[one] : tree.leaf_hi[one]] = one
                yield image

    def _starts(self) -> Iterator[Int32]:
        yield self.tree.leaf_node.astype(np.int32)
        for depth in range(int(self.tree.column_depth.max(initial=0))):
            yield self._topmost(self.tree.column_depth >= depth)
        k, smallest = 2, self._smallest_child
        while k <= self.column.n:
            yield self._topmost(smallest < k)
            k *= 2

    def _topmost(self, wanted: NDArray[np.bool_]) -> Int32:
        """Return the cut of the topmost nodes that are wanted and may be used, and of items."""
        tree, image = self.tree, np.full(self.tree.n_leaves, -1, np.int32)
        for node in np.flatnonzero((wanted & self._may) | tree.is_leaf).tolist():
            if image[tree.leaf_lo[node]] < 0:  # nodes above come first
                image[tree.leaf_lo[node] : tree.leaf_hi[node]] = node
        return image

    @cached_property
    def _occurrences(self) -> Int64:
        """int64 (V,): occurrences below each node."""
        ends = begins_of(self.column.occurrences)
        return ends[self.tree.leaf_hi] - ends[self.tree.leaf_lo]

    @cached_property
    def _smallest_child(self) -> Int64:
        """int64 (V,): occurrences below the rarest child that occurs."""
        found = np.full(self.tree.n_nodes, np.iinfo(np.int64).max)
        there = np.flatnonzero((self.tree.parent >= 0) & (self._occurrences > 0))
        np.minimum.at(found, self.tree.parent[there], self._occurrences[there])
        return found

    @cached_property
    def _may(self) -> NDArray[np.bool_]:
        """Bool (V,): whether no leaf below an inner node is sensitive."""
        ends = begins_of(self.is_secret)
        free: NDArray[np.bool_] = ends[self.tree.leaf_hi] == ends[self.tree.leaf_lo]
        return free & ~self.tree.is_leaf
