"""Sparse rows of a linear program, to which more are added."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from anonset.algorithms.transaction.exact_cut.problem import Float64
from anonset.data.redacted_repr import Discreet
from anonset.data.table import Int32, Int64


@dataclass(frozen=True, eq=False)
class SparseRows(Discreet):
    """Rows that must each be at least a bound."""

    start: Int64
    """int64 (n + 1,): where each row begins."""
    columns: Int32
    """int32 (nnz,)."""
    values: Float64
    """float64 (nnz,)."""
    least: Float64
    """float64 (n,): the bounds."""

    @classmethod
    def of(cls, columns: Int32, values: Float64, least: float | Float64) -> "SparseRows":
        """Return dense rows as sparse ones, equal columns of a row summed, without those below 0.

        >>> rows = SparseRows.of(np.array([[4, 2, 4]], np.int32), np.array([1.0, 1.0, -1.0]), 1.0)
        >>> rows.columns.tolist(), rows.values.tolist()
        ([2], [1.0])

        Parameters
        ----------
        columns
            int32 (n, w).
        values
            float64 (w,) or (n, w): the value of each place.
        """
        order = np.argsort(columns, axis=1, kind="stable")
        ordered, n = np.take_along_axis(columns, order, axis=1), len(columns)
        begins = np.ones(ordered.shape, np.bool_)
        begins[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
        group = np.cumsum(begins.ravel()) - 1
        summed = np.bincount(
            group, weights=np.broadcast_to(values, columns.shape)[np.arange(n)[:, None], order].ravel()
        )
        row = np.repeat(np.arange(n), columns.shape[1])[begins.ravel()]
        kept = (summed != 0) & (ordered[begins] >= 0)
        start = np.concatenate([[0], np.cumsum(np.bincount(row[kept], minlength=n))]).astype(np.int64)
        return cls(start, ordered[begins][kept], summed[kept], np.broadcast_to(np.asarray(least, np.float64), n).copy())

    @classmethod
    def none(cls) -> "SparseRows":
        """Return no rows."""
        return cls(np.zeros(1, np.int64), np.empty(0, np.int32), np.empty(0), np.empty(0))

    @property
    def n(self) -> int:
        """Number of rows."""
        return len(self.least)

    def joined(self, other: "SparseRows") -> "SparseRows":
        """Return these rows and then the others."""
        return SparseRows(
            np.concatenate([self.start, self.start[-1] + other.start[1:]]),
            np.concatenate([self.columns, other.columns]),
            np.concatenate([self.values, other.values]),
            np.concatenate([self.least, other.least]),
        )

    def take(self, chosen: NDArray[np.bool_]) -> "SparseRows":
        """Return the chosen rows, bool (n,)."""
        lengths = np.diff(self.start)
        kept = np.repeat(chosen, lengths)
        start = np.concatenate([[0], np.cumsum(lengths[chosen])]).astype(np.int64)
        return SparseRows(start, self.columns[kept], self.values[kept], self.least[chosen])

    def products(self, values: Float64) -> Float64:
        """Return each row times the values of the columns: float64 (n,)."""
        row = np.repeat(np.arange(self.n), np.diff(self.start))
        found = np.bincount(row, weights=self.values * values[self.columns], minlength=self.n)
        total: Float64 = found.astype(np.float64)
        return total

    def weighted_sum(self, weights: Float64, n_columns: int) -> Float64:
        """Return the sum of the rows, each times its weight: float64 (n_columns,)."""
        each = np.repeat(weights, np.diff(self.start)) * self.values
        found = np.bincount(self.columns, weights=each, minlength=n_columns)
        total: Float64 = found.astype(np.float64)
        return total
