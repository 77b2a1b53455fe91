"""The least loss that a cut of a hierarchy can have, to hold the losses of publications against."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from anonset.algorithms.base import Progress
from anonset.algorithms.transaction.exact import Exact
from anonset.data import Hierarchy, Table
from anonset.data.redacted_repr import Discreet
from anonset.errors import InputError
from anonset.privacy import KmAnonymity, PartitionKmAnonymity

BOUNDED = (KmAnonymity, PartitionKmAnonymity)
"""The models that a bound can be held against: what is k^m-anonymous as a whole is so in each partition."""


@dataclass(frozen=True)
class Bound(Discreet):
    """What is proven of the loss of all k^m-anonymous cuts of a hierarchy."""

    lower_bound: float
    """No cut has a smaller NCP."""
    suppression: bool
    """Whether cuts that suppress items count too."""


Known = dict[tuple[int, int, bool], Bound]
"""Bounds by k, m, and whether cuts that suppress items count."""


@dataclass(frozen=True)
class Bounds:
    """Bounds for publications of one table, each searched once."""

    table: Table
    """The original, its columns bound to their hierarchies."""
    hierarchies: Mapping[str, Hierarchy]
    progress: Progress | None = None
    """Called with (phase, amount done, total amount)."""
    known: Known = field(default_factory=dict, repr=False)
    """Those that were proven before."""

    def of(self, k: int, m: int, *, suppression: bool) -> Bound:
        """Return the bound of all cuts that are k^m-anonymous.

        Raises
        ------
        InputError
            If the items have no hierarchy.
        """
        column = self.table.transactions
        if column is None or column.name not in self.hierarchies:
            name = "items" if column is None else column.name
            msg = f"a bound requires the hierarchy of column {name!r}, since it is one of all of its cuts, got none"
            raise InputError(msg)
        asked = (k, m, suppression)
        if asked not in self.known:
            exact = Exact(k=k, m=m, suppress=suppression)
            items = Table(column, store=self.table.store)
            found = exact.recode(items, self.hierarchies, progress=self.progress)
            self.known[asked] = Bound(found.figures["lower_bound"], suppression)
        return self.known[asked]
