"""Clusters of relational tuples as arrays: their losses, and what merging them would cost."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from anonset.data.distinct import distinct
from anonset.data.quasi_identifiers import Float64, QuasiIdentifiers
from anonset.data.table import Int32, Int64

State = tuple[Float64, Float64, Int32, NDArray[np.uint64]]
"""(low, high, code, bits), one column for each cluster: see the kernels."""


def rounded(loss: Float64) -> Float64:
    """Return keys to compare losses by: twelve decimals, so that rounding noise makes no difference."""
    key: Float64 = np.rint(loss * 1e12)
    return key


class ClusterStates:
    """What the tuples of each cluster generalize to.

    >>> from anonset.data import Table
    >>> qi = QuasiIdentifiers.of(Table.from_columns(sex=["f", "m", "f"], race=["1", "2", "2"]).relational, {})
    >>> states = ClusterStates.of(qi, np.array([0, 0, 1], np.int32), 2)
    >>> states.losses().tolist(), states.merged_loss(0).tolist()
    ([1.0, 0.0], [1.0, 1.0])
    """

    def __init__(self, qi: QuasiIdentifiers, state: State) -> None:
        self.qi, self.state = qi, state

    @classmethod
    def empty(cls, qi: QuasiIdentifiers, n: int) -> "ClusterStates":
        """Return room for n clusters."""
        bounds = np.zeros((qi.n_numbers, n)), np.zeros((qi.n_numbers, n))
        code = np.zeros((len(qi.columns) - qi.n_numbers, n), np.int32)
        return cls(qi, (*bounds, code, np.zeros((int(qi.word_at[-1]), n), np.uint64)))

    @classmethod
    def of_tuples(cls, qi: QuasiIdentifiers) -> "ClusterStates":
        """Return one cluster for each distinct tuple."""
        from anonset_kernels.relational import put_tuples

        states = cls.empty(qi, qi.n_tuples)
        put_tuples(qi.space, qi.tuples, states.state)
        return states

    @classmethod
    def of(cls, qi: QuasiIdentifiers, cluster: Int32, n_clusters: int) -> "ClusterStates":
        """Return the states of a clustering: cluster of each record, none of the clusters empty."""
        from anonset_kernels.relational import group_tuples

        pairs = distinct(cluster.astype(np.int64) * max(1, qi.n_tuples) + qi.tuple_of)
        numbers, codes = qi.tuples
        chosen, of = pairs % max(1, qi.n_tuples), pairs // max(1, qi.n_tuples)
        states = cls.empty(qi, n_clusters)
        seen = np.zeros(n_clusters, np.uint8)
        tuples = np.ascontiguousarray(numbers[:, chosen]), np.ascontiguousarray(codes[:, chosen])
        group_tuples(qi.space, tuples, of, states.state, seen)
        return states

    @property
    def n(self) -> int:
        """Number of clusters."""
        return len(self.state[0][0]) if len(self.state[0]) else len(self.state[2][0])

    def losses(self) -> Float64:
        """float64 (C,): loss N of each cluster."""
        from anonset_kernels.relational import losses

        out = np.empty(self.n, np.float64)
        losses(self.qi.space, self.state, out)
        return out

    def merged_loss(self, c: int, others: "ClusterStates | None" = None) -> Float64:
        """float64: loss N of the union of cluster `c` with each of the others (or of these) clusters."""
        from anonset_kernels.relational import merged_loss

        target = self if others is None else others
        out = np.empty(target.n, np.float64)
        merged_loss(self.qi.space, self.state, c, target.state, out)
        return out

    def merge(self, c: int, x: int, others: "ClusterStates | None" = None) -> None:
        """Replace cluster `c` by its union with cluster `x` of the others (or of these)."""
        from anonset_kernels.relational import merge_into

        merge_into(self.qi.space, self.state, c, (self if others is None else others).state, x)

    def put(self, c: int, others: "ClusterStates", x: int) -> None:
        """Set cluster `c` to cluster `x` of the others."""
        from anonset_kernels.relational import copy_cluster

        copy_cluster(self.state, c, others.state, x)

    def take(self, chosen: NDArray[np.integer] | NDArray[np.bool_]) -> "ClusterStates":
        """Return the chosen clusters."""
        low, high, code, bits = self.state
        bounds = np.ascontiguousarray(low[:, chosen]), np.ascontiguousarray(high[:, chosen])
        coded = np.ascontiguousarray(code[:, chosen]), np.ascontiguousarray(bits[:, chosen])
        return ClusterStates(self.qi, (*bounds, *coded))

    def identical(self) -> Int64:
        """int64 (C,): the first cluster that generalizes to the same tuple."""
        low, high, code, bits = self.state
        rows = np.concatenate([low.view(np.int64), high.view(np.int64), code.astype(np.int64), bits.view(np.int64)])
        _, first, inverse = np.unique(rows, axis=1, return_index=True, return_inverse=True)
        return first[inverse.reshape(-1)].astype(np.int64)


def numbered(cluster: NDArray[np.integer]) -> Int32:
    """Renumber clusters by their smallest record: int32 (n,).

    >>> numbered(np.array([7, 2, 7, 5])).tolist()
    [0, 1, 0, 2]
    """
    _, first, inverse = np.unique(cluster, return_index=True, return_inverse=True)
    rank = np.empty(len(first), np.int64)
    rank[np.argsort(first)] = np.arange(len(first))
    renumbered: Int32 = rank[inverse.reshape(-1)].astype(np.int32)
    return renumbered


def members_of(cluster: Int32) -> tuple[Int64, Int64]:
    """Return (order, start): the records cluster by cluster, ascending in each, and where each begins.

    >>> members_of(np.array([1, 0, 1], np.int32))
    (array([1, 0, 2]), array([0, 1, 3]))
    """
    order = np.argsort(cluster, kind="stable").astype(np.int64)
    start = np.concatenate([[0], np.cumsum(np.bincount(cluster))]).astype(np.int64)
    return order, start


def split(order: Int64, start: Int64) -> Sequence[Int64]:
    """Return the records of each cluster."""
    return [order[start[c] : start[c + 1]] for c in range(len(start) - 1)]
