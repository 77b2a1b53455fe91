"""Full-subtree recoding from the leaves upwards (after Wang, Yu, Chakraborty, ICDM 2004)."""

from dataclasses import dataclass
from typing import ClassVar

from anonset.algorithms.base import Progress
from anonset.algorithms.relational.cuts import Cuts
from anonset.algorithms.relational.subtree import SubtreeFormation, specialize
from anonset.data.quasi_identifiers import QuasiIdentifiers


@dataclass(frozen=True, kw_only=True)
class BottomUp(SubtreeFormation):
    """Full-subtree recoding, bottom-up: children become their node, where most is gained for what it costs.

    Guarantees k-anonymity. While there are classes of fewer than k records, the children of one node, all of them in
    the cut, are generalized to it: where the number of records in such classes falls most for each unit of loss; equal
    ones: in the first column, then in preorder. Then nodes are specialized again as by top-down, since some of what
    was generalized early is of no use in the end. Cost: O(T v) for each node that could be generalized, and step.

    References: Wang, Yu, Chakraborty, ICDM 2004 (bottom-up generalization).
    Deviations: the gain is the fall in records of classes below k, not the growth of the smallest class, which is
    none as a rule; the loss is NCP; a column without hierarchy has two levels, its values and all of them.

    >>> from anonset.data import Table
    >>> table = Table.from_columns(sex=["f", "m", "f", "m"], race=["1", "2", "1", "1"])
    >>> BottomUp(k=2).recode(table, {}).recoding.relational[1].labels
    ('(1,2)', '(1,2)')
    """

    name: ClassVar[str] = "bottom-up"

    def cut(self, qi: QuasiIdentifiers, progress: Progress | None) -> Cuts:
        """Generalize until no class is smaller than k."""
        cuts = Cuts(qi, at_roots=False)
        waiting = [set(tree.inner) for tree in cuts.trees]
        small = begun = cuts.small(self.k)
        while small and any(waiting):
            best, chosen = (0.0, 0), (-1, -1)
            for a, tree in enumerate(cuts.trees):
                for node in sorted(waiting[a]):
                    if waiting[a].isdisjoint(tree.children(node)):
                        tried = self._try(cuts, a, node, small)
                        if chosen[0] < 0 or tried > best:
                            best, chosen = tried, (a, node)
            a, node = chosen
            cuts.put(a, cuts.below(a, node), node)
            waiting[a].remove(node)
            small = cuts.small(self.k)
            if progress is not None:
                progress("records", float(begun - small), float(begun))
        specialize(cuts, self.k, progress)
        return cuts

    def _try(self, cuts: Cuts, a: int, node: int, small: int) -> tuple[float, int]:
        """Return what is gained for each unit of loss if a node is generalized, in twelve decimals, and in all."""
        below = cuts.below(a, node)
        before = cuts.cost(a, below)
        undo = cuts.put(a, below, node)
        gain, loss = small - cuts.small(self.k), cuts.cost(a, below) - before
        cuts.put(a, below, undo)
        if loss <= 1e-12:  # free: before all others
            return float("inf"), gain
        return float(round(gain / loss * 1e6)), 0
