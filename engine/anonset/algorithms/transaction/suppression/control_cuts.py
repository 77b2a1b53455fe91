"""Search for a hierarchy cut with low loss, on which nodes that allow an inference are suppressed.

Each cut satisfies the guarantee after its nodes that allow an inference are suppressed. The search evaluates some
initial cuts: the leaves, the levels of the hierarchy, and cuts for k = 2, 4, 8, …, which consist of the topmost nodes
that have a child with fewer than k occurrences. It starts from the cut with the smallest loss. It then splits or raises
single nodes, in order of their potential gain, while the loss decreases. Nodes above a sensitive item are never used.
The method is unpublished.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from anonset.data import Hierarchy, SetColumn
from anonset.data.array_types import Bools, Int32, Int64
from anonset.data.redacted_repr import RedactedRepr
from anonset.data.spans import begins_of
from anonset.generalization import Cut
from anonset.generalization.recoding import SUPPRESSED
from anonset.measures.losses.ncp import ncp_numerator
from anonset.publications.symbols import generalize, node_symbol

Suppress = Callable[[SetColumn], list[int]]
"""Function that returns the item codes of a column that must be suppressed."""


@dataclass(frozen=True, eq=False)
class EvaluatedCut(RedactedRepr):
    """A cut, its suppressed nodes, and its loss."""

    image: Int32
    """Node of each leaf, int32 (M,)."""
    left: Int32
    """Node of each leaf, int32 (M,). `SUPPRESSED` for leaves below suppressed nodes."""
    gone: tuple[str, ...]
    """Labels of the suppressed nodes, in order."""
    loss: int
    """NCP numerator."""


@dataclass(frozen=True, eq=False)
class ControlCuts(RedactedRepr):
    """Search for the cut of a column's hierarchy with the smallest loss."""

    column: SetColumn
    """Original column, bound to the hierarchy."""
    tree: Hierarchy
    is_secret: Bools
    """True for sensitive leaves, bool (M,)."""
    suppress: Suppress
    most: int
    """Maximum number of evaluated cuts in addition to the initial cuts."""

    def search(self) -> tuple[EvaluatedCut, int]:
        """Return the evaluated cut with the smallest loss, and the number of cuts in the local search."""
        best = min(map(self.evaluate, self._starts()), key=lambda cut: cut.loss)
        evaluated = {best.image.tobytes()}
        while (better := next(self._better(best, evaluated, self.most - len(evaluated) + 1), None)) is not None:
            best = better
        return best, len(evaluated)

    def evaluate(self, image: Int32) -> EvaluatedCut:
        """Suppress the nodes of a cut that allow an inference."""
        nodes, symbol_of = np.unique(image, return_inverse=True)
        symbols = tuple(node_symbol(self.tree, node) for node in nodes.tolist())
        suppressed = self.suppress(generalize(self.column, symbol_of.reshape(-1).astype(np.int32), symbols))
        remaining = np.where(np.isin(image, nodes[suppressed]), SUPPRESSED, image).astype(np.int32)
        labels = tuple(symbols[code].label for code in suppressed)
        return EvaluatedCut(image, remaining, labels, ncp_numerator(self.column, Cut(self.tree, remaining)))

    def _better(self, best: EvaluatedCut, evaluated: set[bytes], most: int) -> Iterator[EvaluatedCut]:
        """Yield neighbouring cuts with a smaller loss. All evaluated cuts are added to `evaluated`."""
        for image in self._neighbours(best):
            if image.tobytes() in evaluated:
                continue
            if most <= 0:
                return
            most -= 1
            evaluated.add(image.tobytes())
            if (cut := self.evaluate(image)).loss < best.loss:
                yield cut

    def _neighbours(self, best: EvaluatedCut) -> Iterator[Int32]:
        """Yield cuts in which a node is split or raised, by descending potential gain. The gain is above 0."""
        tree, size = self.tree, self.tree.n_leaves_below.astype(np.int64)
        lost = np.where(best.left == SUPPRESSED, tree.n_leaves, np.where(size[best.image] > 1, size[best.image], 0))
        costs = begins_of(self.column.occurrences * lost)
        now = costs[tree.leaf_hi] - costs[tree.leaf_lo]
        nodes = np.unique(best.image)
        parted = nodes[~tree.is_leaf[nodes]]
        parents = np.unique(tree.parent[nodes])
        raised = parents[(parents >= 0) & self._usable_nodes[parents]]
        gains = np.concatenate([now[parted], now[raised] - self._occurrences[raised] * size[raised]])
        moves = [*((int(v), True) for v in parted), *((int(v), False) for v in raised)]
        for number in np.lexsort((np.arange(len(moves)), -gains)).tolist():
            if gains[number] > 0:
                node, parts = moves[number]
                image = best.image.copy()
                for published in tree.children(node) if parts else [node]:
                    image[tree.leaf_lo[published] : tree.leaf_hi[published]] = published
                yield image

    def _starts(self) -> Iterator[Int32]:
        yield self.tree.leaf_node.astype(np.int32)
        for depth in range(int(self.tree.column_depth.max(initial=0))):
            yield self._topmost(self.tree.column_depth >= depth)
        k, smallest = 2, self._smallest_child
        while k <= self.column.n:
            yield self._topmost(smallest < k)
            k *= 2

    def _topmost(self, candidates: Bools) -> Int32:
        """Return the cut of the topmost allowed nodes in `candidates`. All other items remain leaves."""
        tree, image = self.tree, np.full(self.tree.n_leaves, -1, np.int32)
        for node in np.flatnonzero((candidates & self._usable_nodes) | tree.is_leaf).tolist():
            if image[tree.leaf_lo[node]] < 0:  # parents precede their children
                image[tree.leaf_lo[node] : tree.leaf_hi[node]] = node
        return image

    @cached_property
    def _occurrences(self) -> Int64:
        ends = begins_of(self.column.occurrences)
        return ends[self.tree.leaf_hi] - ends[self.tree.leaf_lo]

    @cached_property
    def _smallest_child(self) -> Int64:
        """Number of item occurrences below the rarest occurring child of each node, int64 (V,)."""
        fewest = np.full(self.tree.n_nodes, np.iinfo(np.int64).max)
        occurring = np.flatnonzero((self.tree.parent >= 0) & (self._occurrences > 0))
        np.minimum.at(fewest, self.tree.parent[occurring], self._occurrences[occurring])
        return fewest

    @cached_property
    def _usable_nodes(self) -> Bools:
        """True for inner nodes that are not above a sensitive leaf, bool (V,)."""
        ends = begins_of(self.is_secret)
        free: Bools = ends[self.tree.leaf_hi] == ends[self.tree.leaf_lo]
        return free & ~self.tree.is_leaf
