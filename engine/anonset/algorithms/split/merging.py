"""Merge clusters across the parts of a table before the clusters are published.

The records are read in three passes. The first pass reads a sample of the parts, and determines the loss up to which
each part merges its own clusters. The second pass forms and merges the clusters of each part. This process then merges
the remaining clusters of all parts. The third pass publishes the merged clusters in groups.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Protocol, runtime_checkable

import numpy as np

from anonset.algorithms.base import Result
from anonset.algorithms.clusters import renumber_clusters
from anonset.algorithms.record_order import content_order, in_input_order
from anonset.algorithms.rt.across import PartlyMergedClusters, threshold
from anonset.algorithms.split.median_cuts import placed
from anonset.algorithms.split.parts import PartTaskRunner, SolvedPart, figures_of, union
from anonset.data import Hierarchy, Table
from anonset.data.array_types import Int32, Int64
from anonset.data.progress import Progress
from anonset.data.redacted_repr import RedactedRepr
from anonset.data.spans import begins_of, spans
from anonset.data.storage.store import Store
from anonset.errors import InfeasibleError

_SAMPLED = 16
_TOGETHER = 1 << 17
"""Maximum number of records in clusters that are published together. A cluster with more records is published alone."""
_OF_CUTS = ("parts", "smallest_part", "largest_part", "rum_before", "tum_before", "clusters_before")
"""Statistics that describe the initial parts."""


@runtime_checkable
class PartMergingAlgorithm(Protocol):
    """An algorithm that merges clusters within parts and across parts."""

    name: str

    @property
    def merges_across(self) -> bool:
        """True if merging across parts is possible with the current parameters."""
        ...

    def begin_part(self, part: Table, hierarchies: Mapping[str, Hierarchy], *, up_to: float) -> PartlyMergedClusters:
        """Form the clusters of a part, and merge them while the smallest cluster loss is at most `up_to`."""
        ...

    def merge_across(
        self,
        none: Table,
        hierarchies: Mapping[str, Hierarchy],
        parts: Sequence[PartlyMergedClusters],
        progress: Progress | None,
    ) -> Int32 | None:
        """Merge the clusters of all parts, and return the merged cluster of each cluster.

        Return None if a part merged too many of its own clusters.
        """
        ...

    def publish_part(self, part: Table, hierarchies: Mapping[str, Hierarchy], cluster: Int32) -> Result:
        """Publish the clusters of some records. `cluster` contains the cluster of each record."""
        ...


@dataclass(frozen=True, eq=False)
class _MergeWithinPart(RedactedRepr):
    algorithm: PartMergingAlgorithm
    hierarchies: Mapping[str, Hierarchy]
    up_to: float

    @property
    def name(self) -> str:
        """Exact threshold as text, which identifies the results of this task."""
        return float(self.up_to).hex()

    def __call__(self, part: Table, records: Int64) -> PartlyMergedClusters:
        order = content_order(part)
        begun = self.algorithm.begin_part(part.take(order), self.hierarchies, up_to=self.up_to)
        return replace(begun, cluster=in_input_order(begun.cluster, order))


@dataclass(frozen=True, eq=False)
class _Publish(RedactedRepr):
    algorithm: PartMergingAlgorithm
    hierarchies: Mapping[str, Hierarchy]
    cluster: Int32
    name = "publish"

    def __call__(self, part: Table, records: Int64) -> Result:
        cluster = renumber_clusters(self.cluster[records])[0]
        return self.algorithm.publish_part(part, self.hierarchies, cluster)


def merge_over_parts(
    algorithm: PartMergingAlgorithm,
    solving: PartTaskRunner,
    first: Int64,
    hierarchies: Mapping[str, Hierarchy],
    store: Store,
) -> Result:
    """Anonymize a table in parts, with clusters merged across all parts.

    Parameters
    ----------
    first
        Start of each part, int64 (parts + 1,). The last element is the number of records.
    store
        Store for arrays of table length.

    Raises
    ------
    InfeasibleError
        If a part remains infeasible after joining neighbouring parts, or the loss of the clusters exceeds the bound.
    """
    ends = list(pairwise(first.tolist()))
    up_to = _up_to(algorithm, solving, ends, hierarchies)
    parts = solving.solve_joining(_MergeWithinPart(algorithm, hierarchies, up_to), ends)
    none = _without_records(solving.whole)
    merged = algorithm.merge_across(none, hierarchies, _partly_merged(parts), solving.progress)
    if merged is None:
        parts = solving.solve_joining(_MergeWithinPart(algorithm, hierarchies, -1.0), [part.span for part in parts])
        merged = algorithm.merge_across(none, hierarchies, _partly_merged(parts), solving.progress)
    if merged is None:
        raise InfeasibleError(algorithm.name, "the loss of the initial clusters equals the bound")
    cluster, size = _merged_cluster(parts, merged, solving.record, store)
    record, begins = _in_groups(cluster, size, store)
    publishing = replace(solving, record=record)
    published = publishing.solve_each(_Publish(algorithm, hierarchies, cluster), begins, "clusters")
    for part in published:
        if part.found is None:
            raise InfeasibleError(algorithm.name, part.reason)
    result = union(len(record), published, record, store)
    before = figures_of(parts)
    figures = {**result.figures, **{name: before[name] for name in _OF_CUTS if name in before}}
    figures["begun_in_parts"] = float(len(merged))
    figures["merges"] = figures["clusters_before"] - figures["clusters"]
    return replace(result, figures=figures)


def _up_to(
    algorithm: PartMergingAlgorithm,
    solving: PartTaskRunner,
    ends: Sequence[tuple[int, int]],
    hierarchies: Mapping[str, Hierarchy],
) -> float:
    """Return the largest seed loss up to which each part merges its own clusters."""
    chosen = np.unique(np.linspace(0, len(ends) - 1, min(len(ends), _SAMPLED)).astype(np.int64))
    task = _MergeWithinPart(algorithm, hierarchies, float("inf"))
    samples = [
        part
        for part in solving.solve_each(task, [ends[number] for number in chosen], "samples")
        if part.found is not None
    ]
    share = sum(end - begin for begin, end in (part.span for part in samples)) / len(solving.record)
    return threshold(_partly_merged(samples), share) if samples else -1.0


def _partly_merged(parts: Sequence[SolvedPart]) -> list[PartlyMergedClusters]:
    return [part.found for part in parts]


def _without_records(table: Table) -> Table:
    none, sets = np.empty(0, np.int64), table.transactions
    relational = tuple(column.take(none) for column in table.relational)
    return replace(table, transactions=None if sets is None else sets.take(none), relational=relational)


def _merged_cluster(parts: Sequence[SolvedPart], merged: Int32, record: Int64, store: Store) -> tuple[Int32, Int64]:
    cluster, n_begun = store.array("merged", np.int32, len(record)), 0
    size = np.zeros(int(merged.max()) + 1, np.int64)
    for part in parts:
        begun_cluster = part.found.cluster.astype(np.int64) + n_begun
        cluster[record[slice(*part.span)]] = merged[begun_cluster]
        size += np.bincount(merged[begun_cluster], minlength=len(size))
        n_begun += len(part.found.size)
    return cluster, size


def _in_groups(cluster: Int32, size: Int64, store: Store) -> tuple[Int64, list[tuple[int, int]]]:
    """Return the records sorted by group of clusters, and the range of each group. Records of a group are ascending."""
    group, groups, filled = np.empty(len(size), np.int32), 0, 0
    for c, records in enumerate(size.tolist()):
        if filled and filled + records > _TOGETHER:
            groups, filled = groups + 1, 0
        group[c], filled = groups, filled + records
    sizes = np.bincount(group, weights=size).astype(np.int64)
    of = store.array("group", np.int32, len(cluster))
    for begin, end in spans(len(cluster)):
        of[begin:end] = group[cluster[begin:end]]
    record = store.array("record", np.int64, len(cluster))
    placed(np.arange(len(sizes), dtype=np.int32), of, sizes, record)
    ends = begins_of(sizes).tolist()
    return record, list(pairwise(ends))
