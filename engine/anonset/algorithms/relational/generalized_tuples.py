"""Published values of clusters. They determine the losses of clusters and of unions of clusters."""

import numpy as np
from numpy.typing import NDArray

from anonset.data.array_types import Bools, Float64, Int32, Int64
from anonset.data.distinct import distinct
from anonset.data.quasi_identifiers import QuasiIdentifiers
from anonset_kernels._arrays import ClusterStates, Tuples

_NOISE = 1e-12
"""Tolerance for comparing losses."""


def loss_keys(loss: Float64) -> Float64:
    """Return the losses rounded to twelve decimals, so that rounding noise does not affect comparisons."""
    key: Float64 = np.rint(loss * 1e12)
    return key


def first_least(loss: Float64) -> int:
    """Return the index of the smallest loss. Of losses that differ only by rounding noise, the first counts.

    >>> first_least(np.array([0.5, 0.1 + 0.2, 0.3]))
    1
    """
    least = float(loss.min())
    return int(np.argmax(loss <= least + _NOISE * max(1.0, abs(least))))


def by_loss(loss: Float64) -> Int64:
    """Return the indices sorted by loss. The sort is stable, and losses that differ only by rounding noise are equal.

    >>> by_loss(np.array([0.5, 0.1 + 0.2, 0.3, 0.1])).tolist()
    [3, 1, 2, 0]
    """
    order = np.argsort(loss, kind="stable")
    rank = np.empty(len(loss), np.int64)
    rank[order] = np.cumsum(np.diff(loss[order], prepend=loss[order][:1]) > _NOISE)
    return np.argsort(rank, kind="stable")


class GeneralizedTuples:
    """Generalized tuple of each cluster.

    >>> from anonset.data import Table
    >>> qi = QuasiIdentifiers.of(Table.from_columns(sex=["f", "m", "f"], race=["1", "2", "2"]).relational, {})
    >>> tuples = GeneralizedTuples.of(qi, np.array([0, 0, 1], np.int32), 2)
    >>> tuples.losses().tolist(), tuples.union_losses(0).tolist()
    ([1.0, 0.0], [1.0, 1.0])
    """

    def __init__(self, qi: QuasiIdentifiers, values: ClusterStates) -> None:
        self.qi, self.values = qi, values

    @classmethod
    def empty(cls, qi: QuasiIdentifiers, n: int) -> "GeneralizedTuples":
        """Allocate the tuples of n clusters."""
        bounds = np.zeros((qi.n_numbers, n)), np.zeros((qi.n_numbers, n))
        code = np.zeros((len(qi.columns) - qi.n_numbers, n), np.int32)
        return cls(qi, ClusterStates(*bounds, code, np.zeros((int(qi.word_at[-1]), n), np.uint64)))

    @classmethod
    def of_tuples(cls, qi: QuasiIdentifiers) -> "GeneralizedTuples":
        """Return a cluster per distinct tuple."""
        from anonset_kernels.relational.tuples import put_tuples

        tuples = cls.empty(qi, qi.n_tuples)
        put_tuples(qi.space, qi.tuples, tuples.values)
        return tuples

    @classmethod
    def of(cls, qi: QuasiIdentifiers, cluster: Int32, n_clusters: int) -> "GeneralizedTuples":
        """Return the tuples of clusters. `cluster` is the cluster of each record. No cluster may be empty."""
        from anonset_kernels.relational.tuples import group_tuples

        pairs: Int64 = distinct(cluster.astype(np.int64) * max(1, qi.n_tuples) + qi.tuple_of)
        numbers, codes = qi.tuples
        chosen, of = pairs % max(1, qi.n_tuples), pairs // max(1, qi.n_tuples)
        tuples = cls.empty(qi, n_clusters)
        is_started = np.zeros(n_clusters, np.uint8)
        members = Tuples(np.ascontiguousarray(numbers[:, chosen]), np.ascontiguousarray(codes[:, chosen]))
        group_tuples(qi.space, members, of, tuples.values, is_started)
        return tuples

    @property
    def n(self) -> int:
        """Number of clusters."""
        return self.values.low.shape[1] if len(self.values.low) else self.values.code.shape[1]

    def losses(self) -> Float64:
        """Return the loss of each cluster, float64 (C,)."""
        from anonset_kernels.relational.tuples import losses

        out = np.empty(self.n, np.float64)
        losses(self.qi.space, self.values, out)
        return out

    def union_losses(self, c: int, others: "GeneralizedTuples | None" = None) -> Float64:
        """Return the loss of the union of cluster `c` with each cluster of `others`, float64.

        If `others` is None, it is this object.
        """
        from anonset_kernels.relational.tuples import merged_loss

        target = self if others is None else others
        out = np.empty(target.n, np.float64)
        merged_loss(self.qi.space, self.values, c, target.values, out)
        return out

    def merge(self, c: int, x: int, others: "GeneralizedTuples | None" = None) -> None:
        """Replace cluster `c` by its union with cluster `x` of `others`. If `others` is None, it is this object."""
        from anonset_kernels.relational.tuples import merge_into

        merge_into(self.qi.space, self.values, c, (self if others is None else others).values, x)

    def put(self, c: int, others: "GeneralizedTuples", x: int) -> None:
        """Set cluster `c` to cluster `x` of `others`."""
        from anonset_kernels.relational.tuples import copy_cluster

        copy_cluster(self.values, c, others.values, x)

    def take(self, chosen: NDArray[np.integer] | Bools) -> "GeneralizedTuples":
        """Return the selected clusters."""
        low, high, code, bits = self.values
        bounds = np.ascontiguousarray(low[:, chosen]), np.ascontiguousarray(high[:, chosen])
        coded = np.ascontiguousarray(code[:, chosen]), np.ascontiguousarray(bits[:, chosen])
        return GeneralizedTuples(self.qi, ClusterStates(*bounds, *coded))

    def first_equal(self) -> Int64:
        """Return for each cluster the first cluster with the same generalized tuple, int64 (C,)."""
        low, high, code, bits = self.values
        rows = np.concatenate([low.view(np.int64), high.view(np.int64), code.astype(np.int64), bits.view(np.int64)])
        _, first, inverse = np.unique(rows, axis=1, return_index=True, return_inverse=True)
        return first[inverse.reshape(-1)].astype(np.int64)
