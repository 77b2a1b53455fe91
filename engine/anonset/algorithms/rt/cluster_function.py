"""The transaction function T, which makes the items of each cluster k^m-anonymous (Poulis et al. 2013, section 4)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from anonset.algorithms.base import Algorithm
from anonset.algorithms.transaction.base import bind_items
from anonset.algorithms.transaction.cluster_mappings import (
    ClusterMapping,
    ClusterSearch,
    concatenate,
    search_on_clusters,
)
from anonset.data import Hierarchy, SetColumn, Table
from anonset.data.array_types import Bools, Float64, Int32, Int64
from anonset.data.redacted_repr import RedactedRepr
from anonset.data.spans import begins_of
from anonset.errors import InfeasibleError, InputError
from anonset.generalization import Cut, ItemGroups
from anonset.generalization.local import ClusterCuts, ClusterGroups, MergedItems
from anonset.spelling import setting

NAME = "transaction function"


class TransactionClass(Protocol):
    """A class of transaction algorithms whose constructor accepts k and m."""

    def __call__(self, *, k: int, m: int) -> Algorithm:
        """Return the algorithm for these parameters."""
        ...


@dataclass(frozen=True, eq=False)
class ClusterFunction(RedactedRepr):
    """Anonymizes the items of each cluster of records, and computes the item loss."""

    column: SetColumn
    """Items of all records. If there is a hierarchy, item codes are its leaves."""
    hierarchy: Hierarchy | None
    k: int
    """Minimum number of non-empty records in a cluster. A cluster of empty records is also accepted."""
    search: ClusterSearch

    @classmethod
    def of(cls, algorithm: Algorithm, k: int, table: Table, hierarchies: Mapping[str, Hierarchy]) -> "ClusterFunction":
        """Return the function for the items of a table. The algorithm determines whether a hierarchy is used.

        Raises
        ------
        InputError
            If an item is not a leaf of the hierarchy.
        """
        column, hierarchy = bind_items(table, hierarchies)
        return cls(column, hierarchy, k, search_on_clusters(algorithm, column, hierarchy, table.store))

    def mappings(self, clusters: Sequence[Int64]) -> list[ClusterMapping]:
        """Anonymize each cluster separately. A cluster is given as ascending record indices.

        Raises
        ------
        InfeasibleError
            If a cluster cannot be made anonymous.
        """
        self.require_feasible(clusters)
        return self.search(clusters)

    def infeasible(self, clusters: Sequence[Int64]) -> Bools:
        """Return True for each cluster with 1 to k - 1 non-empty records. Such clusters cannot be made anonymous."""
        members, start = concatenate(clusters)
        n_filled = np.diff(begins_of(self.column.lengths[members] > 0)[start])
        too_few: Bools = (n_filled > 0) & (n_filled < self.k)
        return too_few

    def infeasible_at_all(self, name: str, members: Int64) -> InfeasibleError:
        """Return the error for data that cannot be made anonymous even as a single cluster."""
        n_filled = int(np.count_nonzero(self.column.lengths[members]))
        reason = f"there are {n_filled} non-empty records, at least k={self.k} (or none) are required"
        return InfeasibleError(name, reason, achieved=float(n_filled), bound=float(self.k))

    def require_feasible(self, clusters: Sequence[Int64]) -> None:
        """Reject clusters that cannot be made anonymous.

        Raises
        ------
        InfeasibleError
            If a cluster cannot be made anonymous. The message describes the first such cluster.
        """
        infeasible = self.infeasible(clusters)
        if not infeasible.any():
            return
        members = clusters[int(np.argmax(infeasible))]
        n_filled = int(np.count_nonzero(self.column.lengths[members]))
        reason = (
            f"in a cluster of {len(members)} records, {n_filled} are non-empty, "
            f"at least k={self.k} (or none) are required; "
            f"use {setting('on_infeasible', 'merge')} to merge the cluster with another cluster"
        )
        where = f"cluster of record {int(members[0])}"
        raise InfeasibleError(NAME, reason, where, achieved=float(n_filled), bound=float(self.k))

    def losses(self, clusters: Sequence[Int64], mappings: Sequence[ClusterMapping]) -> list[Float64]:
        """Return the utility loss (UL) of each record of each cluster under the cluster's mapping."""
        from anonset_kernels.rt.record_loss import published_rows, record_losses

        if not clusters:
            return []
        cuts = [mapping for mapping in mappings if isinstance(mapping, np.ndarray)]
        if len(cuts) < len(mappings) or self.hierarchy is None:
            return [self._group_losses(*pair) for pair in zip(clusters, mappings, strict=True)]
        tree = self.hierarchy
        members, start = concatenate(clusters)
        nodes, node_start = concatenate(cuts)
        arrays = (tree.leaf_node, tree.leaf_lo, tree.leaf_hi)
        records = (self.column.indptr, self.column.items)
        indptr, symbols = published_rows(records, members, start, arrays, node_start, nodes.astype(np.int32))
        out = np.empty(len(members), np.float64)
        record_losses(indptr, symbols, *self._node_sizes, out)
        return [out[start[c] : start[c + 1]] for c in range(len(clusters))]

    @cached_property
    def _node_sizes(self) -> tuple[Int64, Float64]:
        """Number of leaves below each node, and weight of each node in the loss. The weight of a single item is 0."""
        size = np.ones(1, np.int64) if self.hierarchy is None else self.hierarchy.n_leaves_below.astype(np.int64)
        return size, (size > 1).astype(np.float64)

    def _group_losses(self, members: Int64, mapping: ClusterMapping) -> Float64:
        from anonset_kernels.records.rows import map_rows
        from anonset_kernels.rt.record_loss import record_losses

        if not isinstance(mapping, MergedItems):
            msg = "the transaction function must return the same kind of mapping for all clusters"
            raise InputError(msg)
        rows = self.column.take(members)
        image = mapping.image(len(rows.vocabulary))
        size = np.bincount(image, minlength=len(image)).astype(np.int64)
        indptr, symbols = map_rows(rows.indptr, rows.items, image, len(size))
        out = np.empty(rows.n, np.float64)
        record_losses(indptr, symbols, size, (size > 1).astype(np.float64), out)
        return out

    def recoding(self, mappings: Sequence[ClusterMapping]) -> Sequence[Cut | ItemGroups]:
        """Return the recoding of each cluster, given its mapping."""
        groups = tuple(mapping for mapping in mappings if isinstance(mapping, MergedItems))
        if groups or self.hierarchy is None:
            return ClusterGroups(self.column.vocabulary, groups)
        return ClusterCuts(self.hierarchy, tuple(m for m in mappings if isinstance(m, np.ndarray)))

    def publish(
        self, cluster: Int32, mappings: Sequence[ClusterMapping]
    ) -> tuple[Int32, Int32, Sequence[Cut | ItemGroups]]:
        """Return the part of each record, the cluster of each part, and the recoding of each part.

        Parameters
        ----------
        cluster
            Cluster of each record, int32 (n,). In this class each cluster is a single part.
        """
        return cluster, np.arange(len(mappings), dtype=np.int32), self.recoding(mappings)
