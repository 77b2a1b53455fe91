"""The transaction function T, which makes the items of each cluster k^m-anonymous (Poulis et al. 2013, section 4)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
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
_MOST_COARSEST = 12
"""Maximum number of coarsest symbols whose combinations are counted in each cluster."""


def _sets_of_bits(n: int, m: int) -> list[int]:
    """Return the sets of up to m of the bits 0 to n - 1, each as the sum of its bits.

    >>> _sets_of_bits(3, 2)
    [1, 2, 4, 3, 5, 6]
    """
    return [sum(1 << bit for bit in bits) for size in range(1, m + 1) for bits in combinations(range(n), size)]


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
    m: int = 0
    """Maximum number of known items, for the check of the coarsest symbols. 0 if they are not checked."""

    @classmethod
    def of(cls, algorithm: Algorithm, k: int, table: Table, hierarchies: Mapping[str, Hierarchy]) -> "ClusterFunction":
        """Return the function for the items of a table. The algorithm determines whether a hierarchy is used.

        Raises
        ------
        InputError
            If an item is not a leaf of the hierarchy.
        """
        column, hierarchy = bind_items(table, hierarchies)
        search = search_on_clusters(algorithm, column, hierarchy, table.store)
        return cls(column, hierarchy, k, search, m=algorithm.model.m or 0)

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
        """Return True for each cluster that cannot be made anonymous: 1 to k - 1 of its records are non-empty, or
        contain up to m of the coarsest symbols below ceilings.
        """
        members, start = concatenate(clusters)
        bits = self._coarsest
        masks = [1] if bits is None else _sets_of_bits(int(bits.max(initial=0)).bit_length(), self.m)
        of_records = (self.column.lengths > 0).astype(np.int64) if bits is None else bits
        n_with = [np.diff(begins_of(of_records[members] & mask == mask)[start]) for mask in masks]
        too_few: Bools = np.any([(n > 0) & (n < self.k) for n in n_with], axis=0)
        return too_few

    @cached_property
    def _coarsest(self) -> Int64 | None:
        """Coarsest symbols below ceilings that each record contains, as bits, int64 (n,). Bit 0 is any of them. None if
        there are no ceilings, or too many symbols to combine.
        """
        tree = self.hierarchy
        if tree is None or not tree.capped or not self.m or len(tops := tree.children(0)) > _MOST_COARSEST:
            return None
        bits = np.zeros(tree.n_leaves, np.int64)
        for place, node in enumerate(tops, 1):
            bits[tree.leaf_lo[node] : tree.leaf_hi[node]] = 1 | 1 << place
        of_records = np.zeros(self.column.n, np.int64)
        rows = np.repeat(np.arange(self.column.n), self.column.lengths)
        np.bitwise_or.at(of_records, rows, bits[self.column.items])
        return of_records

    def infeasible_at_all(self, name: str, members: Int64) -> InfeasibleError:
        """Return the error for data that cannot be made anonymous even as a single cluster."""
        n_filled = int(np.count_nonzero(self.column.lengths[members]))
        reason = f"there are {n_filled} non-empty records, at least k={self.k} (or none) are required"
        if n_filled >= self.k:
            coarse = "the items of a table, or those below a ceiling, are too rare even as one symbol"
            reason = f"{coarse}: fewer than k={self.k} records share up to {self.m}; use a smaller k, or leave them out"
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
            raise InputError("the transaction function must return the same kind of mapping for all clusters")
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
