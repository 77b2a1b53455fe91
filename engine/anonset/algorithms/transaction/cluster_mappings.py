"""Separate item recodings of many clusters (transaction functions of Poulis et al. 2013)."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol, runtime_checkable

import numpy as np

from anonset.algorithms.base import Algorithm
from anonset.data import Hierarchy, SetColumn, Table, Vocabulary
from anonset.data.array_types import Int32, Int64
from anonset.data.distinct import distinct
from anonset.data.redacted_repr import RedactedRepr
from anonset.data.spans import begins_of
from anonset.data.storage.store import MEMORY, Memory, Store
from anonset.data.storage.workers import ONE_THREAD
from anonset.errors import InputError
from anonset.generalization import Cut, ItemGroups
from anonset.generalization.local import MergedItems


@dataclass(frozen=True, eq=False)
class PartMappings(RedactedRepr):
    """Mappings of a cluster that is divided into parts."""

    parts: tuple[Int64, ...]
    """Records of each part, ascending."""
    mappings: tuple["ClusterMapping", ...]


ClusterMapping = Int32 | MergedItems | PartMappings
"""Mapping of the items of a cluster. It is one of three types: published inner nodes in preorder, int32, merged items,
or mappings of the parts of the cluster.
"""
ClusterSearch = Callable[[Sequence[Int64]], list[ClusterMapping]]
"""Function that returns a mapping for each cluster. A cluster is an ascending array of records."""

NO_SUPPRESSION = "the transaction function must not suppress items"
_ALONE = Memory(workers=ONE_THREAD)
_SEARCHES = {"recode", "generalize", "on_clusters"}


@runtime_checkable
class SearchesClusters(Protocol):
    """An algorithm that searches many clusters faster than by a separate run on each cluster."""

    def on_clusters(
        self, column: SetColumn, hierarchy: Hierarchy | None = None, store: Store = MEMORY
    ) -> ClusterSearch:
        """Return a search on clusters of the column's records.

        The results are the same as for a separate run on each cluster.
        """
        ...


class SearchEach:
    """Runs an algorithm on each cluster in turn.

    Without a hierarchy, the algorithm receives only items that occur in the cluster. Other items do not affect the
    result.
    """

    def __init__(self, algorithm: Algorithm, column: SetColumn, hierarchy: Hierarchy | None) -> None:
        self.algorithm, self.column, self.hierarchy = algorithm, column, hierarchy

    def __call__(self, clusters: Sequence[Int64]) -> list[ClusterMapping]:
        """Find a mapping for each cluster.

        Raises
        ------
        InputError
            If the algorithm suppresses items, or returns several mappings.
        """
        return [self.search(members) for members in clusters]

    def search(self, members: Int64) -> ClusterMapping:
        """Find the mapping of a cluster."""
        rows = self.column.take(members)
        occurring = np.arange(len(rows.vocabulary), dtype=np.int32)
        hierarchies: Mapping[str, Hierarchy] = {}
        if self.hierarchy is None:
            occurring = distinct(rows.items)
            labels = tuple(rows.vocabulary.labels[i] for i in occurring.tolist())
            codes = np.searchsorted(occurring, rows.items).astype(np.int32)
            rows = SetColumn(rows.name, rows.indptr, codes, Vocabulary(labels))
        else:
            hierarchies = {rows.name: self.hierarchy}
        recoding = self.algorithm.recode(Table(rows, store=_ALONE), hierarchies).recoding
        if not isinstance(recoding, Cut | ItemGroups):
            raise InputError(
                f"the transaction function must return a single mapping for all records, got {type(recoding).__name__}"
            )
        if recoding.suppressed:
            raise InputError(NO_SUPPRESSION)
        if isinstance(recoding, Cut):
            return recoding.nodes[~recoding.hierarchy.is_leaf[recoding.nodes]]
        first = np.array([members[0] for members in recoding.members], np.int64)
        return MergedItems.of(occurring, occurring[first[recoding.group]])


def search_on_clusters(
    algorithm: Algorithm, column: SetColumn, hierarchy: Hierarchy | None, store: Store
) -> ClusterSearch:
    """Return the cluster search of the algorithm. An algorithm without a cluster search runs on each cluster.

    If a class overrides `recode` but inherits `on_clusters`, the inherited search is ignored, because it implements
    another algorithm.
    """
    if hierarchy is not None:  # mappings of all clusters must use the nodes of one tree
        hierarchy = replace(hierarchy, rival=None)
    searching_class = next((cls for cls in type(algorithm).__mro__ if _SEARCHES & vars(cls).keys()), object)
    if isinstance(algorithm, SearchesClusters) and "on_clusters" in vars(searching_class):
        return algorithm.on_clusters(column, hierarchy, store)
    return SearchEach(algorithm, column, hierarchy)


def concatenate(parts: Sequence[Int64] | Sequence[Int32]) -> tuple[Int64, Int64]:
    """Return the concatenation of arrays, and the start of each.

    >>> concatenate([np.array([3, 4]), np.array([1])])
    (array([3, 4, 1]), array([0, 2, 3]))
    """
    concatenated = np.concatenate(parts) if len(parts) else np.empty(0, np.int64)
    return concatenated.astype(np.int64, copy=False), begins_of(map(len, parts))
