"""Transaction function that applies LRA to each cluster. LRA divides a cluster into parts with separate mappings."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from anonset.algorithms.base import Algorithm
from anonset.algorithms.clusters import renumber_clusters
from anonset.algorithms.rt.cluster_function import ClusterFunction
from anonset.algorithms.transaction.base import bind_to_hierarchy
from anonset.algorithms.transaction.cluster_mappings import ClusterMapping, PartMappings, search_on_clusters
from anonset.algorithms.transaction.partitions.gray_order import gray_partitions
from anonset.algorithms.transaction.partitions.lra import Lra
from anonset.data import Hierarchy, Table
from anonset.data.array_types import Float64, Int32, Int64
from anonset.generalization import Cut, ItemGroups


@dataclass(frozen=True, eq=False)
class PartsFunction(ClusterFunction):
    """LRA on clusters. Each part of a cluster is k^m-anonymous, so the cluster is k^m-anonymous."""

    partitions: int = field(kw_only=True)
    """Maximum number of parts per cluster."""

    @classmethod
    def of(cls, algorithm: Algorithm, k: int, table: Table, hierarchies: Mapping[str, Hierarchy]) -> "PartsFunction":
        """Return the function for the items of a table.

        Raises
        ------
        InputError
            If the hierarchy is missing, or an item is not a leaf of the hierarchy.
        """
        column, hierarchy = bind_to_hierarchy(table, hierarchies)
        lra = algorithm if isinstance(algorithm, Lra) else Lra(k=k, m=1)
        search = search_on_clusters(lra.on_each_part, column, hierarchy, table.store)
        return cls(column, hierarchy, k, search, partitions=lra.partitions)

    def mappings(self, clusters: Sequence[Int64]) -> list[ClusterMapping]:
        """Divide each cluster in Gray order, and anonymize each part separately.

        Raises
        ------
        InfeasibleError
            If no mapping makes a cluster anonymous.
        """
        self.require_feasible(clusters)
        parts = [self._parts(members) for members in clusters]
        mapping_of_part = iter(self.search([part for of_cluster in parts for part in of_cluster]))
        return [
            PartMappings(tuple(of_cluster), tuple(next(mapping_of_part) for _ in of_cluster)) for of_cluster in parts
        ]

    def losses(self, clusters: Sequence[Int64], mappings: Sequence[ClusterMapping]) -> list[Float64]:
        """Return the utility loss (UL) of each record of each cluster, part by part."""
        divided = [mapping for mapping in mappings if isinstance(mapping, PartMappings)]
        parts = [part for mapping in divided for part in mapping.parts]
        losses_of_part = iter(
            super().losses(parts, [mapping_of_part for mapping in divided for mapping_of_part in mapping.mappings])
        )
        return [np.concatenate([next(losses_of_part) for _ in mapping.parts]) for mapping in divided]

    def publish(
        self, cluster: Int32, mappings: Sequence[ClusterMapping]
    ) -> tuple[Int32, Int32, Sequence[Cut | ItemGroups]]:
        """Return the part of each record, the cluster of each part, and the recoding of each part."""
        divided = [mapping for mapping in mappings if isinstance(mapping, PartMappings)]
        parts = [part for mapping in divided for part in mapping.parts]
        part_of = np.empty(len(cluster), np.int32)
        for p, part in enumerate(parts):
            part_of[part] = p
        numbers, old = renumber_clusters(part_of)
        of_cluster = np.repeat(np.arange(len(divided), dtype=np.int32), [len(mapping.parts) for mapping in divided])
        flat = [mapping_of_part for mapping in divided for mapping_of_part in mapping.mappings]
        return numbers, of_cluster[old], self.recoding([flat[p] for p in old.tolist()])

    def _parts(self, members: Int64) -> list[Int64]:
        """Return the parts of a cluster as ascending record numbers. Empty records are in the last part."""
        rows = self.column.take(members)
        runs = [np.sort(members[run]) for run in gray_partitions(rows, self.k, self.partitions)]
        empty = members[rows.lengths == 0]
        if not runs:
            return [members]
        return [*runs[:-1], np.sort(np.concatenate([runs[-1], empty]))]
