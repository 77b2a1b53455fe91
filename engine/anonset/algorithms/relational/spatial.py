"""Relational tuples as points, for neighbour searches."""

import numpy as np

from anonset.data.array_types import Float64, Int32
from anonset.data.quasi_identifiers import QuasiIdentifiers
from anonset_kernels.relational._kinds import RANGE


def points(qi: QuasiIdentifiers, numbers: Float64, codes: Int32) -> Float64:
    """Convert tuples to points. Coordinates are weighted shares of the domain, so that the axes are comparable."""
    axes: list[Float64] = []
    for kind, slot, weight in zip(qi.kind, qi.slot, qi.weights, strict=True):
        values = numbers[slot] if kind == RANGE else codes[slot].astype(np.float64)
        span = float(np.ptp(values)) if len(values) else 0.0
        axes.append(values * (weight / span) if span > 0 else np.zeros(len(values)))
    return np.array(axes)
