"""Published values of clusters whose ranges are rounded outward before the loss is computed."""

import numpy as np
from numpy.typing import NDArray

from anonset.algorithms.relational.generalized_tuples import GeneralizedTuples
from anonset.data.array_types import Bools, Float64
from anonset.data.domains import Range
from anonset.data.quasi_identifiers import QuasiIdentifiers
from anonset_kernels._arrays import ClusterStates


def as_published(tuples: GeneralizedTuples) -> GeneralizedTuples:
    """Return clusters with the losses of their published values."""
    grids = [domain.grid for domain in tuples.qi.domains if isinstance(domain, Range)]
    if isinstance(tuples, RoundedTuples) or all(grid is None for grid in grids):
        return tuples
    return RoundedTuples(tuples.qi, tuples.values)


class RoundedTuples(GeneralizedTuples):
    """Generalized tuples whose ranges are rounded outward before the loss is computed.

    `values` contains the ranges before rounding. The rounded range of a union is the union of the rounded ranges, so
    each range is rounded only once. A single value is published unchanged and has no loss. In a union with other
    values, it is rounded to its entire cell.
    """

    def __init__(
        self, qi: QuasiIdentifiers, values: ClusterStates, rounded: tuple[Float64, Float64] | None = None
    ) -> None:
        super().__init__(qi, values)
        self.low, self.high = _rounded_ranges(qi, values) if rounded is None else rounded

    @property
    def published(self) -> ClusterStates:
        """Tuples with rounded ranges. Values of other columns are unchanged."""
        return ClusterStates(self.low, self.high, *self.values[2:])

    def losses(self) -> Float64:
        """Return the loss of each cluster, float64 (C,)."""
        low, high = self.values[:2]
        ranges = np.where(low == high, low, self.low), np.where(low == high, high, self.high)
        return GeneralizedTuples(self.qi, ClusterStates(*ranges, *self.values[2:])).losses()

    def union_losses(self, c: int, others: GeneralizedTuples | None = None) -> Float64:
        """Return the loss of the union of cluster `c` with each cluster of `others`, float64.

        If `others` is None, it is this object.
        """
        tuples, target = GeneralizedTuples(self.qi, self.published), self._rounded(others)
        out = tuples.union_losses(c, GeneralizedTuples(self.qi, target.published))
        low, high = target.values[:2]
        _, slot, _, weight, width, *_ = self.qi.space
        for a, domain in enumerate(self.qi.domains):
            if isinstance(domain, Range) and width[a] > 0.0:
                s, value = slot[a], self.values[0][slot[a], c]
                if value == self.values[1][s, c]:
                    single = (low[s] == value) & (high[s] == value)
                    out[single] -= weight[a] * ((self.high[s, c] - self.low[s, c]) / width[a])
        return out

    def merge(self, c: int, x: int, others: GeneralizedTuples | None = None) -> None:
        """Replace cluster `c` by its union with cluster `x` of `others`. If `others` is None, it is this object."""
        target = self._rounded(others)
        super().merge(c, x, target)
        self.low[:, c] = np.minimum(self.low[:, c], target.low[:, x])
        self.high[:, c] = np.maximum(self.high[:, c], target.high[:, x])

    def put(self, c: int, others: GeneralizedTuples, x: int) -> None:
        """Set cluster `c` to cluster `x` of `others`."""
        target = self._rounded(others)
        super().put(c, target, x)
        self.low[:, c], self.high[:, c] = target.low[:, x], target.high[:, x]

    def take(self, chosen: NDArray[np.integer] | Bools) -> "RoundedTuples":
        """Return the selected clusters."""
        rounded = np.ascontiguousarray(self.low[:, chosen]), np.ascontiguousarray(self.high[:, chosen])
        return RoundedTuples(self.qi, super().take(chosen).values, rounded)

    def _rounded(self, others: GeneralizedTuples | None) -> "RoundedTuples":
        if others is None:
            return self
        return others if isinstance(others, RoundedTuples) else RoundedTuples(self.qi, others.values)


def _rounded_ranges(qi: QuasiIdentifiers, values: ClusterStates) -> tuple[Float64, Float64]:
    """Return the outward-rounded ends of the ranges, float64 (ranges, C). No end is outside the domain."""
    low, high = values[0].copy(), values[1].copy()
    for domain, slot in zip(qi.domains, qi.slot.tolist(), strict=True):
        if isinstance(domain, Range) and domain.grid is not None:
            begin, end = domain.grid.around(low[slot], high[slot])
            low[slot], high[slot] = np.maximum(begin, domain.low), np.minimum(end, domain.high)
    return low, high
