"""The transaction function: what makes the items of one cluster k^m-anonymous (Poulis et al. 2013, section 4)."""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from anonset.algorithms.base import Algorithm, run_tasks
from anonset.algorithms.transaction.apriori import Apriori
from anonset.data import Hierarchy, SetColumn, Table, Vocabulary
from anonset.data.discreet import Discreet
from anonset.data.quasi_identifiers import Float64
from anonset.data.table import Int32, Int64
from anonset.errors import InfeasibleError, InputError
from anonset.generalization import ClusterCuts, ClusterGroups, Cut, ItemGroups, MergedItems

ClusterMapping = Int32 | MergedItems
"""The mapping of one cluster: the inner nodes it publishes (int32, in preorder), or the items it merges."""

_NAME = "transaction function"
_NO_SUPPRESSION = "the transaction function must only generalize, but it suppressed items"
_CLUSTERS_PER_TASK = 256
_LARGE = 2000
"""Records from which on a cluster is worth the pruning of the full search, for sets of three items or more."""


class TransactionClass(Protocol):
    """A registered transaction algorithm, to be made with k and m."""

    def __call__(self, *, k: int, m: int) -> Algorithm:
        """Return the algorithm for these parameters."""
        ...


@dataclass(frozen=True, eq=False)
class ClusterFunction(Discreet):
    """Applies a transaction algorithm to clusters of records, and tells what that costs."""

    column: SetColumn
    """The items of all records, bound to the hierarchy if there is one."""
    hierarchy: Hierarchy | None
    transaction: TransactionClass
    k: int
    m: int
    executor: Executor | None = None

    def mappings(self, clusters: Sequence[Int64]) -> list[ClusterMapping]:
        """Anonymize each cluster (record indices, ascending) by itself.

        Raises
        ------
        InfeasibleError
            If some, but fewer than k, records of a cluster are non-empty.
        """
        self.require_feasible(clusters)
        if self.hierarchy is None or Apriori(k=self.k, m=self.m) != self._algorithm:
            search = self._search
            return [search(members) for members in clusters]
        found: list[ClusterMapping] = []
        tasks = [clusters[i : i + _CLUSTERS_PER_TASK] for i in range(0, len(clusters), _CLUSTERS_PER_TASK)]
        for part in run_tasks(self.executor, self._apriori, tasks):
            found += part
        return found

    def poor(self, clusters: Sequence[Int64]) -> NDArray[np.bool_]:
        """Tell which clusters have some, but fewer than k, records with items: nothing makes these anonymous."""
        members, start = joined(clusters)
        filled = np.zeros(len(members) + 1, np.int64)
        np.cumsum(self.column.lengths[members] > 0, out=filled[1:])
        found = np.diff(filled[start])
        poor: NDArray[np.bool_] = (found > 0) & (found < self.k)
        return poor

    def hopeless(self, name: str, members: Int64) -> InfeasibleError:
        """Return the error that one cluster of all records is poor."""
        found = int(np.count_nonzero(self.column.lengths[members]))
        reason = f"there are {found} non-empty records, at least k={self.k} (or none) are required"
        return InfeasibleError(name, reason, achieved=float(found), bound=float(self.k))

    def require_feasible(self, clusters: Sequence[Int64]) -> None:
        """Refuse clusters that nothing makes anonymous.

        Raises
        ------
        InfeasibleError
            For the first that is poor.
        """
        poor = self.poor(clusters)
        if not poor.any():
            return
        members = clusters[int(np.argmax(poor))]
        found = int(np.count_nonzero(self.column.lengths[members]))
        reason = (
            f"a cluster of {len(members)} records has {found} with items, at least k={self.k} (or none) are required; "
            'on_infeasible="merge" joins such clusters with others first'
        )
        where = f"cluster of record {int(members[0])}"
        raise InfeasibleError(_NAME, reason, where, achieved=float(found), bound=float(self.k))

    def _apriori(self, clusters: Sequence[Int64]) -> list[ClusterMapping]:
        """Anonymize clusters by AA, whose kernel for small clusters saves the set-up of the full search."""
        small = [self.m <= 2 or len(members) < _LARGE for members in clusters]
        chosen = [members for members, fits in zip(clusters, small, strict=True) if fits]
        found = iter(self._apriori_batch(chosen))
        return [
            next(found) if fits else self._by_algorithm(members) for members, fits in zip(clusters, small, strict=True)
        ]

    def _apriori_batch(self, clusters: Sequence[Int64]) -> list[Int32]:
        from anonset_kernels.cluster_cuts import anonymize_clusters

        tree = self.hierarchy
        if tree is None or not clusters:
            return []
        members, start = joined(clusters)
        node_start = np.zeros(len(start), np.int64)
        room = 64 * len(clusters) + tree.n_nodes
        arrays = (tree.leaf_node, tree.parent, tree.leaf_lo, tree.leaf_hi)
        found: list[Int32] = []
        nodes, scratch = np.empty(room, np.int32), np.empty((2, tree.n_nodes), np.int32)
        records, rule = (self.column.indptr, self.column.items), (self.k, self.m)
        while len(found) < len(clusters):
            rest = start[len(found) :]
            done = anonymize_clusters(records, members, rest, arrays, rule, node_start, nodes, scratch)
            found += [nodes[node_start[c] : node_start[c + 1]].copy() for c in range(done)]
        return found

    @cached_property
    def _algorithm(self) -> Any:
        """The algorithm that works on a cluster."""
        return self.transaction(k=self.k, m=self.m)

    @cached_property
    def _search(self) -> Callable[[Int64], ClusterMapping]:
        """The algorithm's own entry for clusters of one column, if it has one; else the algorithm on each cluster.

        An entry that a class inherits beside a `recode` of its own is that of another search.
        """
        entries = {"recode", "on_clusters"}
        own = next((cls for cls in type(self._algorithm).__mro__ if entries & vars(cls).keys()), object)
        if "on_clusters" not in vars(own):
            return self._by_algorithm
        search = self._algorithm.on_clusters(self.column, self.hierarchy)

        def merged(members: Int64) -> ClusterMapping:
            codes, smallest = search(members)
            if np.any(smallest < 0):
                raise InputError(_NO_SUPPRESSION)
            return MergedItems.of(codes, smallest)

        return merged

    def _by_algorithm(self, members: Int64) -> ClusterMapping:
        """Anonymize one cluster by the algorithm itself.

        An algorithm without hierarchy sees the items that occur only: others take no part in any choice.
        """
        rows = self.column.take(members)
        occurring = np.arange(len(rows.vocabulary), dtype=np.int32)
        hierarchies: Mapping[str, Hierarchy] = {}
        if self.hierarchy is None:
            occurring = np.unique(rows.items)
            labels = tuple(rows.vocabulary.labels[i] for i in occurring)
            codes = np.searchsorted(occurring, rows.items).astype(np.int32)
            rows = SetColumn(rows.name, rows.indptr, codes, Vocabulary(labels))
        else:
            hierarchies = {rows.name: self.hierarchy}
        recoding: Any = self._algorithm.recode(Table(rows), hierarchies).recoding
        if not isinstance(recoding, Cut | ItemGroups):
            msg = f"the transaction function must give one mapping for all records, got {type(recoding).__name__}"
            raise InputError(msg)
        if recoding.suppressed:
            raise InputError(_NO_SUPPRESSION)
        if isinstance(recoding, Cut):
            return recoding.nodes[~recoding.hierarchy.is_leaf[recoding.nodes]]
        first = np.array([members[0] for members in recoding.members], np.int64)
        return MergedItems.of(occurring, occurring[first[recoding.group]])

    def losses(self, clusters: Sequence[Int64], mappings: Sequence[ClusterMapping]) -> list[Float64]:
        """Return UL of each record of each cluster, published by its mapping."""
        from anonset_kernels.record_loss import published_rows, record_losses

        if not clusters:
            return []
        cuts = [mapping for mapping in mappings if not isinstance(mapping, MergedItems)]
        if len(cuts) < len(mappings) or self.hierarchy is None:
            return [self._group_losses(*pair) for pair in zip(clusters, mappings, strict=True)]
        tree = self.hierarchy
        members, start = joined(clusters)
        nodes, node_start = joined(cuts)
        arrays = (tree.leaf_node, tree.leaf_lo, tree.leaf_hi)
        records = (self.column.indptr, self.column.items)
        indptr, symbols = published_rows(records, members, start, arrays, node_start, nodes.astype(np.int32))
        out = np.empty(len(members), np.float64)
        record_losses(indptr, symbols, *self._node_sizes, out)
        return [out[start[c] : start[c + 1]] for c in range(len(clusters))]

    @cached_property
    def _node_sizes(self) -> tuple[Int64, Float64]:
        """Leaves below each node, and the weight of its loss: a single item loses nothing."""
        size = np.ones(1, np.int64) if self.hierarchy is None else self.hierarchy.n_leaves_below.astype(np.int64)
        return size, (size > 1).astype(np.float64)

    def _group_losses(self, members: Int64, mapping: ClusterMapping) -> Float64:
        from anonset_kernels.record_loss import record_losses
        from anonset_kernels.rows import map_rows

        if not isinstance(mapping, MergedItems):
            msg = "the transaction function must give the same kind of mapping for all clusters"
            raise InputError(msg)
        rows = self.column.take(members)
        image = mapping.image(len(rows.vocabulary))
        size = np.bincount(image, minlength=len(image)).astype(np.int64)
        indptr, symbols = map_rows(rows.indptr, rows.items, image, len(size))
        out = np.empty(rows.n, np.float64)
        record_losses(indptr, symbols, size, (size > 1).astype(np.float64), out)
        return out

    def recoding(self, mappings: Sequence[ClusterMapping]) -> Sequence[Cut | ItemGroups]:
        """Return the mappings as recodings, one for each cluster."""
        groups = tuple(mapping for mapping in mappings if isinstance(mapping, MergedItems))
        if groups or self.hierarchy is None:
            return ClusterGroups(self.column.vocabulary, groups)
        return ClusterCuts(self.hierarchy, tuple(m for m in mappings if not isinstance(m, MergedItems)))


def joined(parts: Sequence[Int64] | Sequence[Int32]) -> tuple[Int64, Int64]:
    """Return arrays one after the other, and where each begins.

    >>> joined([np.array([3, 4]), np.array([1])])
    (array([3, 4, 1]), array([0, 2, 3]))
    """
    start = np.zeros(len(parts) + 1, np.int64)
    np.cumsum([len(part) for part in parts], out=start[1:])
    whole = np.concatenate(parts) if len(parts) else np.empty(0, np.int64)
    return whole.astype(np.int64, copy=False), start
