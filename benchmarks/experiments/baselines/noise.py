"""Laplace noise, and conversion of set-valued columns to matrices and back.

Two data sets are neighbours if one has one more record than the other. A release that is epsilon-differentially private
for these neighbours covers a person if the person has one record. The domain of the items is public. NumPy's random
numbers are not suitable for a real release (Mironov, On significance of the least significant bits, CCS 2012).
"""

from math import exp, inf, log, log1p, sqrt

import numpy as np
from numpy.typing import NDArray

from anonset.data import SetColumn

Counts = NDArray[np.float64]
Bools = NDArray[np.bool_]


def laplace(random: np.random.Generator, sensitivity: float, epsilon: float, size: int) -> Counts:
    """Draw the noise of the Laplace mechanism, float64 (size,), with scale ``sensitivity / epsilon``.

    All zeros if `epsilon` is infinite. Reference: Dwork, McSherry, Nissim, Smith, TCC 2006.
    """
    return random.laplace(0.0, sensitivity / epsilon, size) if epsilon < inf else np.zeros(size)


def gaussian(random: np.random.Generator, sensitivity: float, rho: float, size: int) -> Counts:
    """Draw the noise of the Gaussian mechanism, float64 (size,), for a sensitivity in the Euclidean norm.

    The release is rho-zCDP. Reference: Bun, Steinke, TCC 2016.
    """
    return random.normal(0.0, sensitivity / sqrt(2 * rho), size)


def zcdp_of(epsilon: float, delta: float) -> float:
    """Return the largest rho for which rho-zCDP implies (epsilon, delta)-differential privacy.

    Reference: Canonne, Kamath, Steinke, The discrete Gaussian for differential privacy, NeurIPS 2020, Proposition 7.

    >>> round(zcdp_of(1.0, 1e-6), 4), round(zcdp_of(10.0, 1e-6), 4)
    (0.0244, 1.5393)
    """
    from scipy.optimize import brentq, minimize_scalar

    def log_delta(rho: float) -> float:
        """Return the logarithm of the smallest delta, over the orders 1 + exp(x)."""

        def at(x: float) -> float:
            order = exp(x)  # the order minus 1
            return order * ((order + 1) * rho - epsilon) - log(order + 1) - order * log1p(1 / order)

        return float(minimize_scalar(at, bounds=(-10, 15), method="bounded").fun)

    return float(brentq(lambda rho: log_delta(rho) - log(delta), 1e-9, epsilon))


def matrix_of(column: SetColumn) -> Bools:
    """Return True for each item of each record, bool (n, M).

    >>> matrix_of(SetColumn.of([["a"], ["a", "b"]])).tolist()
    [[True, False], [True, True]]
    """
    matrix = np.zeros((column.n, len(column.vocabulary)), np.bool_)
    matrix[np.repeat(np.arange(column.n), column.lengths), column.items] = True
    return matrix


def column_of(matrix: Bools, column: SetColumn) -> SetColumn:
    """Return the records of a matrix as a column with the name and the domain of `column`.

    >>> column = SetColumn.of([["a"], ["a", "b"]])
    >>> column_of(matrix_of(column), column).items.tolist()
    [0, 0, 1]
    """
    indptr = np.concatenate([[0], np.cumsum(matrix.sum(axis=1))]).astype(np.int64)
    return SetColumn(column.name, indptr, np.nonzero(matrix)[1].astype(np.int32), column.vocabulary)
