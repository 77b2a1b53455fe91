"""TFIRST of Poulis et al., ECML/PKDD 2013, section 3."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np

from anonset.algorithms.base import Result, Traits
from anonset.algorithms.clusters import renumber_clusters
from anonset.algorithms.parameters import Count
from anonset.algorithms.relational.generalized_tuples import GeneralizedTuples
from anonset.algorithms.relational.rounded_tuples import as_published
from anonset.algorithms.relational.values import relational_values
from anonset.algorithms.rt.base import RTFramework
from anonset.algorithms.transaction.base import bind_to_hierarchy
from anonset.algorithms.transaction.partitions.lra import Lra
from anonset.data import Hierarchy, Table
from anonset.data.array_types import Bools, Int32
from anonset.data.progress import Progress
from anonset.data.quasi_identifiers import QuasiIdentifiers
from anonset.generalization import Cut, ItemGroups, PerCluster


@dataclass(frozen=True, kw_only=True)
class TFirst(RTFramework):
    """TFIRST: form k^m-anonymous partitions by items, then publish common relational values for each partition.

    Preserves items better than relational values.

    Guarantees (k, k^m)-anonymity. The cost is the cost of LRA.

    References: Poulis, Loukides, Gkoulalas-Divanis, Skiadopoulos, ECML/PKDD 2013, section 3.
    Deviations: LRA determines the partitions. Empty records join the last partition.
    """

    name: ClassVar[str] = "tfirst"
    traits: ClassVar[Traits] = Traits(memory_factor=1.5, tight=True, answers=("kkm",))

    bounded_weights: ClassVar[bool] = False

    partitions: Annotated[Count, "Maximum number of partitions (>= 1)."] = 10

    def form_and_publish(
        self, table: Table, hierarchies: Mapping[str, Hierarchy], qi: QuasiIdentifiers, *, progress: Progress | None
    ) -> Result:
        """Partition the records by their items, and publish common relational values per partition.

        `Result.trace` contains the partitions, as in LRA.
        """
        column, _ = bind_to_hierarchy(table, hierarchies)
        lra = Lra(k=self.k, m=self.m, partitions=self.partitions)
        partitioned = lra.recode(Table(column, store=table.store), hierarchies, progress=progress)
        cluster, cuts = _with_empty_records(partitioned, column.lengths == 0)
        tuples = GeneralizedTuples.of(qi, cluster, len(cuts))
        figures = {"rum": float(np.mean(as_published(tuples).losses()[cluster])), "clusters": float(len(cuts))}
        return Result(PerCluster(cluster, cuts, relational_values(qi, tuples)), partitioned.trace, figures)


def _with_empty_records(partitioned: Result, empty: Bools) -> tuple[Int32, list[Cut | ItemGroups]]:
    """Return the clusters, sorted by first record, and their cuts. Empty records join the last partition."""
    recoding = partitioned.recoding
    if not isinstance(recoding, PerCluster):
        raise TypeError(f"lra must return a recoding for each partition, got {type(recoding).__name__}")
    cluster = recoding.cluster.copy()
    if partitioned.trace:
        cluster[empty] = recoding.cluster[partitioned.trace[-1].records[0]]
    numbers, _ = renumber_clusters(cluster)
    first = np.unique(numbers, return_index=True)[1]
    return numbers, [recoding.items[int(cluster[r])] for r in first]
