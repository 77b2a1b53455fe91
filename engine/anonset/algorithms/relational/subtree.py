"""Shared steps of the full-subtree recodings: a cut in the tree of each column decides the classes."""

from abc import abstractmethod
from dataclasses import dataclass, replace

import numpy as np

from anonset.algorithms.base import Progress, Traits
from anonset.algorithms.clusters import renumber_clusters
from anonset.algorithms.relational.base import Formation, Solution
from anonset.algorithms.relational.cuts import Cuts
from anonset.data.quasi_identifiers import QuasiIdentifiers
from anonset.data.table import Int32


@dataclass(frozen=True, kw_only=True)
class SubtreeFormation(Formation):
    """A formation by full-subtree recoding: values below one node of a cut are published as it everywhere."""

    @property
    def own_traits(self) -> Traits:
        """Classes are published as nodes of the cuts, unless they are refined."""
        return replace(self.traits, tight=self.refine)

    @abstractmethod
    def cut(self, qi: QuasiIdentifiers, progress: Progress | None) -> Cuts:
        """Return the cuts, under which no class is smaller than k."""

    def form(self, qi: QuasiIdentifiers, progress: Progress | None = None) -> Int32:
        """Return the class of each record, int32 (n,), numbered by their smallest record."""
        return renumber_clusters(self.cut(qi, progress).cluster())[0]

    def solve(self, qi: QuasiIdentifiers, progress: Progress | None = None) -> Solution:
        """Return the classes published by the nodes of the cuts, or refined clusters by their lowest common values.

        Raises
        ------
        InputError
            As `form`.
        """
        if self.refine:
            return super().solve(qi, progress)
        cuts = self.cut(qi, progress)
        cluster = renumber_clusters(cuts.cluster())[0]
        return Solution(cluster, cuts.generalize(cluster), {})


def specialize(cuts: Cuts, k: int, progress: Progress | None) -> None:
    """Specialize nodes, the one that lowers the loss most first, as long as that leaves no class below k."""
    open_nodes = [(a, v) for a, tree in enumerate(cuts.trees) for v in np.unique(cuts.ids[a]).tolist() if tree.above(v)]
    done = 0
    while open_nodes:
        a, node = min(open_nodes, key=lambda pair: (-_fall(cuts, *pair), pair))
        open_nodes.remove((a, node))
        below = cuts.below(a, node)
        undo = cuts.put(a, below, cuts.children_of(a, node, below))
        if cuts.small(k):  # for good: classes only become smaller
            cuts.put(a, below, undo)
        else:
            open_nodes += [(a, v) for v in cuts.trees[a].children(node) if cuts.trees[a].above(v)]
        done += 1
        if progress is not None:
            progress("nodes", float(done), float(done + len(open_nodes)))


def _fall(cuts: Cuts, a: int, node: int) -> float:
    """Return by how much the loss falls if a node is specialized, in nine decimals."""
    below = cuts.below(a, node)
    before = cuts.cost(a, below)
    undo = cuts.put(a, below, cuts.children_of(a, node, below))
    after = cuts.cost(a, below)
    cuts.put(a, below, undo)
    return float(round((before - after) * 1e9))
