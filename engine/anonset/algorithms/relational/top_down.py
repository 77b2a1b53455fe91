"""Full-subtree recoding from the roots downwards (after Fung, Wang, Yu, ICDE 2005)."""

from dataclasses import dataclass
from typing import ClassVar

from anonset.algorithms.base import Progress, Traits
from anonset.algorithms.relational.cuts import Cuts
from anonset.algorithms.relational.subtree import SubtreeFormation, specialize
from anonset.data.quasi_identifiers import QuasiIdentifiers


@dataclass(frozen=True, kw_only=True)
class TopDown(SubtreeFormation):
    """Full-subtree recoding, top-down: nodes are specialized to their children as long as k records are left alike.

    Guarantees k-anonymity. From the roots on, the node whose specialization lowers the loss (NCP) most, and leaves no
    class of fewer than k records, becomes its children; equal ones: in the first column, then in preorder. Cost: O(T v)
    for each inner node of the hierarchies, T the number of distinct tuples.

    References: Fung, Wang, Yu, ICDE 2005 (top-down specialization).
    Deviations: what is gained is the fall of NCP, not information about a class; a column without hierarchy has two
    levels, its values and all of them.

    >>> from anonset.data import Table
    >>> table = Table.from_columns(sex=["f", "m", "f", "m"], race=["1", "2", "1", "1"])
    >>> TopDown(k=2).recode(table, {}).recoding.relational[0].labels
    ('f', 'm')
    """

    name: ClassVar[str] = "top-down"
    traits: ClassVar[Traits] = Traits(memory_factor=1.0, tight=True, answers=("k", "kl", "kt"))

    def cut(self, qi: QuasiIdentifiers, progress: Progress | None) -> Cuts:
        """Specialize until no node can be without a class below k."""
        cuts = Cuts(qi, at_roots=True)
        specialize(cuts, self.k, progress)
        return cuts
