"""Full-subtree recoding from the roots downwards (after Fung, Wang, Yu, ICDE 2005)."""

from dataclasses import dataclass
from typing import ClassVar

from anonset.algorithms.base import Traits
from anonset.algorithms.relational.base import OF_CLASSES
from anonset.algorithms.relational.cuts import Cuts
from anonset.algorithms.relational.subtree import SubtreeFormation, specialize
from anonset.data.progress import Progress
from anonset.data.quasi_identifiers import QuasiIdentifiers


@dataclass(frozen=True, kw_only=True)
class TopDown(SubtreeFormation):
    """Full-subtree recoding that replaces nodes by their children while every class has at least k records.

    Guarantees k-anonymity. Starting at the roots, the algorithm specializes the node that reduces the loss (NCP) most
    without creating a class of fewer than k records. Ties are resolved by column, then by preorder. Cost: O(T v) per
    inner node of the hierarchies for T distinct tuples.

    References: Fung, Wang, Yu, ICDE 2005 (top-down specialization).
    Deviations: the gain is the reduction of NCP, not information about a class. A column without a hierarchy has two
    levels, single values and the set of all values.

    >>> from anonset.data import Table
    >>> table = Table.from_columns(sex=["f", "m", "f", "m"], race=["1", "2", "1", "1"])
    >>> TopDown(k=2).recode(table, {}).recoding.relational[0].labels
    ('f', 'm')
    """

    name: ClassVar[str] = "top-down"
    traits: ClassVar[Traits] = Traits(memory_factor=1.0, tight=True, answers=OF_CLASSES)

    def cut(self, qi: QuasiIdentifiers, progress: Progress | None) -> Cuts:
        """Specialize until every further specialization creates a class smaller than k."""
        cuts = Cuts(qi, at_roots=True)
        specialize(cuts, self.k, progress)
        return cuts
