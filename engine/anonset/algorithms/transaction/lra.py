"""Local recoding anonymization (LRA) of Terrovitis, Mamoulis, Kalnis, VLDB Journal 2011.

Its steps, and where they are::

    the records in the Gray order of their items                 gray_order.gray_order; kernel gray.gray_order
    runs of it, each of k records or more, as partitions         gray_order.gray_partitions
    AA on each partition                                         AprioriBased.run_apriori
"""

from concurrent.futures import Executor
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from anonset.algorithms.base import Progress, Result, run_tasks
from anonset.algorithms.clusters import renumber_clusters
from anonset.algorithms.transaction.apriori import Apriori, AprioriBased
from anonset.algorithms.transaction.cut_search import CutSearch, Fix
from anonset.algorithms.transaction.gray_order import gray_partitions
from anonset.data import Hierarchy, SetColumn
from anonset.data.discreet import Discreet
from anonset.data.table import Int32
from anonset.generalization import ClusterCuts, Cut, PerCluster
from anonset.privacy import PartitionKmAnonymity, require_at_least


@dataclass(frozen=True)
class RecodedPartition(Discreet):
    """One partition, and the cut that the apriori anonymization found for it."""

    records: tuple[int, ...]
    """Input records, in Gray order."""
    cut: tuple[str, ...]
    """Nodes of the cut, in preorder."""
    fixes: tuple[Fix, ...]


@dataclass(frozen=True, kw_only=True)
class Lra(AprioriBased):
    """Divide the records into runs of similar ones, and anonymize each run by a hierarchy cut of its own.

    Guarantees k^m-anonymity of every partition, and so of the whole. Records are similar if they are close in the
    Gray order of their bit vectors; records without items belong to no partition and stay as they are. Cost: that
    of the apriori anonymization for each partition; partitions are independent tasks.

    References: Terrovitis, Mamoulis, Kalnis, "Local and global recoding methods for anonymizing set-valued data",
    VLDB Journal 2011 (LRA), as described by Poulis et al., 2013.
    Deviations: partitions have a fixed size; their borders are not refined.

    >>> from anonset.data import Hierarchy, Table
    >>> hierarchy = Hierarchy.from_tree(("ALL", [("A", ["a1", "a2"]), ("B", ["b1", "b2"])]))
    >>> table = Table.from_sets([["a1", "b1"], ["a2"], ["b1"], ["a1"], ["a1"], ["b1", "b2"]])
    >>> for partition in Lra(k=2, m=2, partitions=2).recode(table, {"items": hierarchy}).trace:
    ...     print(partition.records, partition.cut)
    (1, 5, 2) ('ALL',)
    (0, 3, 4) ('ALL',)
    """

    name: ClassVar[str] = "lra"

    partitions: int = 10
    """Largest number of partitions (>= 1)."""

    def __post_init__(self) -> None:
        require_at_least("partitions", self.partitions, 1)
        super().__post_init__()

    @property
    def model(self) -> PartitionKmAnonymity:
        """k^m-anonymity of every partition."""
        return PartitionKmAnonymity(self.k, self.m)

    @property
    def on_each_part(self) -> Apriori:
        """What anonymizes each partition."""
        return Apriori(k=self.k, m=self.m, max_increments=self.max_increments)

    def generalize(
        self, column: SetColumn, hierarchy: Hierarchy, *, executor: Executor | None, progress: Progress | None
    ) -> Result:
        """Find the partitions and their cuts; the trace lists them in Gray order.

        Raises
        ------
        InputError
            If counting the sets of some size would take more than `max_increments`.
        """
        parts = gray_partitions(column, self.k, self.partitions)

        def search(records: Int32) -> CutSearch:
            return self.run_apriori(column.take(np.sort(records)), hierarchy)

        cluster = np.full(column.n, len(parts), np.int32)
        nodes, trace, increments = [], [], 0.0
        for p, found in enumerate(run_tasks(executor, search, parts)):
            cut = found.cut
            cluster[parts[p]] = p
            nodes.append(_inner_nodes(cut))
            trace.append(RecodedPartition(tuple(parts[p].tolist()), tuple(cut.labels), tuple(found.fixes)))
            increments += found.increments
            if progress is not None:
                progress("partitions", float(p + 1), float(len(parts)))
        nodes.append(np.empty(0, np.int32))  # records without items, if any, come last
        order, first = renumber_clusters(cluster)
        cuts = ClusterCuts(hierarchy, tuple(nodes[c] for c in first))
        figures = {"partitions": float(len(parts)), "increments": increments}
        return Result(PerCluster(order, cuts), tuple(trace), figures)


def _inner_nodes(cut: Cut) -> Int32:
    return cut.nodes[~cut.hierarchy.is_leaf[cut.nodes]]
