"""Steps shared by the full-subtree recodings. A cut in the tree of each column determines the classes."""

from abc import abstractmethod
from dataclasses import dataclass

import numpy as np

from anonset.algorithms.clusters import renumber_clusters
from anonset.algorithms.relational.base import NodeFormation, Solution
from anonset.algorithms.relational.cuts import Cuts
from anonset.data.array_types import Int32
from anonset.data.progress import Progress, report_progress
from anonset.data.quasi_identifiers import QuasiIdentifiers


@dataclass(frozen=True, kw_only=True)
class SubtreeFormation(NodeFormation):
    """Base class of full-subtree recodings. All values below a node of the cut are published as this node."""

    @abstractmethod
    def cut(self, qi: QuasiIdentifiers, progress: Progress | None) -> Cuts:
        """Return cuts in which every class has at least k records."""

    def form(self, qi: QuasiIdentifiers, progress: Progress | None = None) -> Int32:
        """Return the class of each record, int32 (n,). Classes are numbered by first record."""
        return renumber_clusters(self.cut(qi, progress).cluster())[0]

    def solve_by_nodes(self, qi: QuasiIdentifiers, progress: Progress | None) -> Solution:
        """Return the classes with the nodes of the cuts."""
        cuts = self.cut(qi, progress)
        cluster = renumber_clusters(cuts.cluster())[0]
        return Solution(cluster, cuts.generalize(cluster), {})


def specialize(cuts: Cuts, k: int, progress: Progress | None) -> None:
    """Replace nodes by their children while every class has at least k records.

    The node that reduces the loss most comes first.
    """
    open_nodes = [(a, v) for a, tree in enumerate(cuts.trees) for v in np.unique(cuts.ids[a]).tolist() if tree.above(v)]
    done = 0
    while open_nodes:
        a, node = min(open_nodes, key=lambda pair: (-_loss_decrease(cuts, *pair), pair))
        open_nodes.remove((a, node))
        below = cuts.below(a, node)
        undo = cuts.put(a, below, cuts.children_of(a, node, below))
        if cuts.small(k):  # reject the node permanently, because later specializations only make classes smaller
            cuts.put(a, below, undo)
        else:
            open_nodes += [(a, v) for v in cuts.trees[a].children(node) if cuts.trees[a].above(v)]
        done += 1
        report_progress(progress, "nodes", done, done + len(open_nodes))


def _loss_decrease(cuts: Cuts, a: int, node: int) -> float:
    below = cuts.below(a, node)
    before = cuts.cost(a, below)
    undo = cuts.put(a, below, cuts.children_of(a, node, below))
    after = cuts.cost(a, below)
    cuts.put(a, below, undo)
    return float(round((before - after) * 1e9))
