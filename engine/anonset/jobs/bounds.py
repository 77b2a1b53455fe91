"""Minimum loss of all cuts of a hierarchy, to compare with the loss of publications."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from anonset.algorithms.transaction.exact_cut.exact import Exact
from anonset.analysis.evaluation import Bound
from anonset.data import Hierarchy, Table
from anonset.data.progress import Progress
from anonset.errors import InputError
from anonset.privacy import KmAnonymity, PartitionKmAnonymity

BOUNDED = (KmAnonymity, PartitionKmAnonymity)
"""Models to which the bound applies. `partition-km` is included, because a cut that is k^m-anonymous in each partition
is k^m-anonymous in all records.
"""
Known = dict[tuple[int, int, bool], Bound]
"""Bounds by k, m, and whether cuts that suppress items are included."""


@dataclass(frozen=True)
class Bounds:
    """Bounds for publications of one table. Each bound is computed only once."""

    table: Table
    """Original table, with columns bound to the hierarchies."""
    hierarchies: Mapping[str, Hierarchy]
    progress: Progress | None = None
    """Progress callback with the arguments (phase, amount done, total amount)."""
    known: Known = field(default_factory=dict, repr=False)
    """Bounds that are already proven."""

    def of(self, k: int, m: int, *, suppression: bool) -> Bound:
        """Return the bound for all cuts that are k^m-anonymous.

        Raises
        ------
        InputError
            If the items have no hierarchy.
        """
        column = self.table.transactions
        if column is None or column.name not in self.hierarchies:
            name = "items" if column is None else column.name
            raise InputError(f"a bound requires a hierarchy of column {name!r}, got none")
        key = (k, m, suppression)
        if key not in self.known:
            exact = Exact(k=k, m=m, suppress=suppression)
            items = Table(column, store=self.table.store)
            result = exact.recode(items, self.hierarchies, progress=self.progress)
            self.known[key] = Bound(result.figures["lower_bound"], suppression)
        return self.known[key]
