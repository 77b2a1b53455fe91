"""Results of the RT frameworks, with the relational values and the item mapping of each cluster."""

from collections.abc import Mapping
from math import fsum

import numpy as np

from anonset.algorithms.base import Result
from anonset.algorithms.relational.values import relational_values
from anonset.algorithms.rt.merging import Clusters
from anonset.algorithms.transaction.cluster_mappings import ClusterMapping
from anonset.data import Table
from anonset.generalization import PerCluster, RelationalValues


def tum(clusters: Clusters) -> float | None:
    """Return the average utility loss (UL) of the current clusters. None if a cluster is infeasible."""
    members = clusters.all_members()
    if clusters.function.infeasible(members).any():
        return None
    return _average_loss(clusters, clusters.function.mappings(members))


def publish(clusters: Clusters, figures: Mapping[str, float | None]) -> Result:
    """Anonymize the items of each cluster, and return the complete result."""
    mappings = clusters.function.mappings(clusters.all_members())
    return publish_mapped(clusters, mappings, _average_loss(clusters, mappings), figures)


def publish_mapped(
    clusters: Clusters, mappings: list[ClusterMapping], average_loss: float, figures: Mapping[str, float | None]
) -> Result:
    """Return the result for clusters with known mappings and a known average utility loss."""
    size = clusters.size[clusters.alive]
    known_figures: dict[str, float | None] = {
        **figures,
        "rum": clusters.rum,
        "tum": average_loss,
        "clusters": float(clusters.count),
        "largest_cluster": float(size.max()),
        "smallest_cluster": float(size.min()),
        "merges": float(len(clusters.trace)),
    }
    part, of_cluster, items = clusters.function.publish(clusters.cluster(), mappings)
    values = relational_values(clusters.tuples.qi, clusters.tuples.take(clusters.alive).take(of_cluster))
    recoding = PerCluster(part, items, values)
    return Result(recoding, tuple(clusters.trace), {k: v for k, v in known_figures.items() if v is not None})


def empty_result(table: Table) -> Result:
    """Return the result for a table without records."""
    values = tuple(RelationalValues(column.name, ()) for column in table.relational)
    return Result(PerCluster(np.empty(0, np.int32), (), values), figures={"clusters": 0.0})


def _average_loss(clusters: Clusters, mappings: list[ClusterMapping]) -> float:
    losses = clusters.function.losses(clusters.all_members(), mappings)
    return fsum(fsum(part.tolist()) for part in losses) / clusters.n
