"""Full-subtree recoding from the leaves upwards (after Wang, Yu, Chakraborty, ICDM 2004)."""

from dataclasses import dataclass
from typing import ClassVar

from anonset.algorithms.base import Progress, Traits
from anonset.algorithms.relational.cuts import Cuts
from anonset.algorithms.relational.subtree import SubtreeFormation, specialize
from anonset.data.quasi_identifiers import QuasiIdentifiers


@dataclass(frozen=True, kw_only=True)
class BottomUp(SubtreeFormation):
    """Full-subtree recoding, bottom-up: children become their node, where most is gained for what it costs.

    Guarantees k-anonymity. While there are classes of fewer than k records, the children of one node, all of them in
    the cut, are generalized to it: where the smallest class grows most for each unit of loss; where it grows by none,
    that of least loss; equal ones: in the first column, then in preorder. Then nodes are specialized again as by
    top-down, since some of what was generalized early is of no use in the end. Cost: O(T v) for each node that could
    be generalized, and step.

    What suits the smallest class is rare, but counting the records in all small classes instead drives one column
    after the other to its root: on Adult (k=10) it loses 0.875, by the smallest class 0.667, as full-domain does.

    References: Wang, Yu, Chakraborty, ICDM 2004 (bottom-up generalization; "critical" ones gain anonymity).
    Deviations: the loss is NCP; specializing in the end; a column without hierarchy has two levels, its values and
    all of them.

    >>> from anonset.data import Table
    >>> table = Table.from_columns(sex=["f", "m", "f", "m"], race=["1", "2", "1", "1"])
    >>> BottomUp(k=2).recode(table, {}).recoding.relational[1].labels
    ('(1,2)', '(1,2)')
    """

    name: ClassVar[str] = "bottom-up"
    traits: ClassVar[Traits] = Traits(memory_factor=1.0, tight=True, answers=("k", "kl", "kt"))

    def cut(self, qi: QuasiIdentifiers, progress: Progress | None) -> Cuts:
        """Generalize until no class is smaller than k."""
        cuts = Cuts(qi, at_roots=False)
        waiting = [set(tree.inner) for tree in cuts.trees]
        smallest, small = cuts.smallest(self.k)
        begun = small
        while small and any(waiting):
            best, chosen = (0, 0.0), (-1, -1)
            for a, tree in enumerate(cuts.trees):
                for node in sorted(waiting[a]):
                    if waiting[a].isdisjoint(tree.children(node)):
                        tried = self._try(cuts, a, node, smallest)
                        if chosen[0] < 0 or tried > best:
                            best, chosen = tried, (a, node)
            a, node = chosen
            cuts.put(a, cuts.below(a, node), node)
            waiting[a].remove(node)
            smallest, small = cuts.smallest(self.k)
            if progress is not None:
                progress("records", float(begun - small), float(begun))
        specialize(cuts, self.k, progress)
        return cuts

    def _try(self, cuts: Cuts, a: int, node: int, smallest: int) -> tuple[int, float]:
        """Return whether the smallest class grows if a node is generalized, and by how much for each unit of loss.

        Where it does not grow: how little is lost.
        """
        below = cuts.below(a, node)
        before = cuts.cost(a, below)
        undo = cuts.put(a, below, node)
        gain, loss = cuts.smallest(self.k)[0] - smallest, cuts.cost(a, below) - before
        cuts.put(a, below, undo)
        if gain <= 0:
            return 0, -float(round(loss * 1e9))
        return 1, float("inf") if loss <= 1e-12 else float(round(gain / loss * 1e6))
