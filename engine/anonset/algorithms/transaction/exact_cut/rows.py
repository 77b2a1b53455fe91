"""Sparse rows of a linear program."""

from dataclasses import dataclass

import numpy as np

from anonset.data.array_types import Bools, Float64, Int32, Int64
from anonset.data.redacted_repr import RedactedRepr
from anonset.data.spans import begins_of

LEAST_USES = 3
"""Minimum number of selected rows that may contain the same column."""


@dataclass(frozen=True, eq=False)
class SparseRows(RedactedRepr):
    """Sparse rows of a linear program. Each row has a lower bound."""

    start: Int64
    """Start of each row, int64 (n + 1,)."""
    columns: Int32
    """Columns of the entries, int32 (nnz,)."""
    values: Float64
    """Values of the entries, float64 (nnz,)."""
    least: Float64
    """Lower bounds, float64 (n,)."""

    @classmethod
    def of(cls, columns: Int32, values: Float64, least: float | Float64) -> "SparseRows":
        """Convert dense rows to sparse rows. Entries of the same column are summed. Columns below 0 are ignored.

        >>> rows = SparseRows.of(np.array([[4, 2, 4]], np.int32), np.array([1.0, 1.0, -1.0]), 1.0)
        >>> rows.columns.tolist(), rows.values.tolist()
        ([2], [1.0])

        Parameters
        ----------
        columns
            Column of each entry, int32 (n, w).
        values
            Value of each entry, float64 (n, w), or float64 (w,) for the same values in each row.
        """
        order = np.argsort(columns, axis=1, kind="stable")
        ordered, n = np.take_along_axis(columns, order, axis=1), len(columns)
        begins = np.ones(ordered.shape, np.bool_)
        begins[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
        group = np.cumsum(begins.ravel()) - 1
        coefficients = np.broadcast_to(values, columns.shape)[np.arange(n)[:, None], order].ravel()
        summed = np.bincount(group, weights=coefficients).astype(
            np.float64
        )  # for an empty input, the result has an integer type
        row = np.repeat(np.arange(n), columns.shape[1])[begins.ravel()]
        remains = (summed != 0) & (ordered[begins] >= 0)
        start = begins_of(np.bincount(row[remains], minlength=n))
        return cls(
            start, ordered[begins][remains], summed[remains], np.broadcast_to(np.asarray(least, np.float64), n).copy()
        )

    @property
    def n(self) -> int:
        """Number of rows."""
        return len(self.least)

    def joined(self, other: "SparseRows") -> "SparseRows":
        """Return these rows, followed by the other rows."""
        return SparseRows(
            np.concatenate([self.start, self.start[-1] + other.start[1:]]),
            np.concatenate([self.columns, other.columns]),
            np.concatenate([self.values, other.values]),
            np.concatenate([self.least, other.least]),
        )

    def take(self, chosen: Bools) -> "SparseRows":
        """Return the chosen rows, bool (n,)."""
        lengths = np.diff(self.start)
        remains = np.repeat(chosen, lengths)
        start = begins_of(lengths[chosen])
        return SparseRows(start, self.columns[remains], self.values[remains], self.least[chosen])

    @property
    def arrays(self) -> tuple[Int64, Int32, Float64, Float64]:
        """Rows in the form that kernels expect."""
        return self.start, self.columns, self.values, self.least

    def short(self, point: Float64) -> Float64:
        """Return how far each row is below its lower bound at a point (shortfall), float64 (n,)."""
        from anonset_kernels.exact_cut.covering import shortfalls

        shortfall = np.empty(self.n)
        shortfalls(self.arrays, point, shortfall)
        return shortfall

    def spread(self, short: Float64, free: Bools, least: float, most: int) -> Int64:
        """Select rows with a shortfall above `least`, by descending shortfall.

        The number of rows per column is limited.

        Parameters
        ----------
        short
            Shortfall of each row, float64 (n,).
        free
            True for columns that are not fixed, bool (C,). Only these columns limit the number of rows.
        most
            Maximum number of rows. The result is empty only if no row has a shortfall above `least`.
        """
        from anonset_kernels.exact_cut.covering import spread_rows

        missed = np.flatnonzero(short > least)
        order, chosen = missed[np.argsort(-short[missed], kind="stable")], np.empty(min(most, len(missed)), np.int64)
        used = np.where(free, 0, np.iinfo(np.int32).min).astype(np.int32)
        uses = max(LEAST_USES, LEAST_USES * most // max(1, int(free.sum())))
        return chosen[: spread_rows((self.start, self.columns), order, uses, used, chosen)]

    def of_columns(self, n_columns: int) -> tuple[Int64, Int64, Float64]:
        """Return the start of each column, and the rows and values of the entries sorted by column."""
        order = np.argsort(self.columns, kind="stable")
        row = np.repeat(np.arange(self.n), np.diff(self.start))
        begins = begins_of(np.bincount(self.columns, minlength=n_columns))
        return begins, row[order], self.values[order]

    def weighted_sum(self, weights: Float64, n_columns: int) -> Float64:
        """Return the weighted sum of the rows, float64 (n_columns,)."""
        weighted = np.repeat(weights, np.diff(self.start)) * self.values
        sums = np.bincount(self.columns, weights=weighted, minlength=n_columns)
        total: Float64 = sums.astype(np.float64)
        return total
