"""Relational columns whose values are grouped into a few hundred ordered bins."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from anonset.data import CategoricalColumn, Hierarchy, NumericColumn
from anonset.data.array_types import Float64, Int64
from anonset.data.redacted_repr import RedactedRepr
from anonset.data.spans import spans
from anonset.data.table import Column

BINS = 512
"""Maximum number of bins of a column. It limits the number of possible cuts."""
_SAMPLE = 1 << 16

Bins = NDArray[np.uint16]


class BinnedColumn(RedactedRepr, ABC):
    """A relational column with binned values."""

    n_bins: int

    @abstractmethod
    def bins(self, first: int, end: int) -> Bins:
        """Return the bin of each record from `first` to `end`, uint16."""

    @abstractmethod
    def width(self, counts: Int64) -> float:
        """Return the loss of a part in this column, in [0, 1], given the number of its records in each bin."""

    def cuts(self, counts: Int64) -> Int64:
        """Return the first bin after each possible cut of a part, given the number of its records in each bin."""
        return np.flatnonzero(counts)[1:].astype(np.int64)


@dataclass(frozen=True, eq=False)
class _Numbers(BinnedColumn):
    """Numbers in bins, which are bounded by quantiles of a systematic sample."""

    column: NumericColumn
    bounds: Float64
    """Smallest value of each bin after the first, float64 (bins - 1,)."""
    low: Float64
    high: Float64
    """Upper bound of the values of each bin, float64 (bins,). `low` is the lower bound."""
    n_bins: int

    @classmethod
    def of(cls, column: NumericColumn) -> "_Numbers":
        sample = np.sort(column.values[:: max(1, column.n // _SAMPLE)].astype(np.float64))
        quantiles = sample[np.arange(1, BINS) * len(sample) // BINS]
        bounds = np.unique(quantiles)
        low, high = column.range or (0.0, 0.0)
        bounds = bounds[bounds > low]
        return cls(column, bounds, np.append(low, bounds), np.append(bounds, high), len(bounds) + 1)

    def bins(self, first: int, end: int) -> Bins:
        return np.searchsorted(self.bounds, self.column.values[first:end], side="right").astype(np.uint16)

    def width(self, counts: Int64) -> float:
        filled = np.flatnonzero(counts)
        domain = self.high[-1] - self.low[0]
        return float((self.high[filled[-1]] - self.low[filled[0]]) / domain) if domain > 0 and len(filled) > 1 else 0.0


@dataclass(frozen=True, eq=False)
class _Values(BinnedColumn):
    """Categories without a hierarchy, sorted by descending record count, then by code."""

    column: CategoricalColumn
    rank: Bins
    n_bins: int

    @classmethod
    def of(cls, column: CategoricalColumn) -> "_Values":
        counts = column.occurrences
        rank = np.empty(len(counts), np.int64)
        rank[np.argsort(-counts, kind="stable")] = np.arange(len(counts))
        return cls(column, *_thinned(rank))

    def bins(self, first: int, end: int) -> Bins:
        bins: Bins = self.rank[self.column.codes[first:end]]
        return bins

    def width(self, counts: Int64) -> float:
        n_filled = np.count_nonzero(counts)
        return n_filled / self.n_bins if n_filled > 1 else 0.0


@dataclass(frozen=True, eq=False)
class _Leaves(BinnedColumn):
    """Categories in leaf order. If each leaf has its own bin, cuts are only between the children of a node."""

    column: CategoricalColumn
    hierarchy: Hierarchy
    rank: Bins
    n_bins: int

    @classmethod
    def of(cls, column: CategoricalColumn, hierarchy: Hierarchy) -> "_Leaves":
        place, n_bins = _thinned(np.arange(max(1, hierarchy.n_leaves)))
        codes = hierarchy.codes_of(column.vocabulary, column.name)
        return cls(column, hierarchy, place[codes], n_bins)

    def bins(self, first: int, end: int) -> Bins:
        bins: Bins = self.rank[self.column.codes[first:end]]
        return bins

    def width(self, counts: Int64) -> float:
        filled = np.flatnonzero(counts)
        below = int(self.hierarchy.n_leaves_below[self._node(filled)])
        return below / self.hierarchy.n_leaves if below > 1 and len(filled) > 1 else 0.0

    def cuts(self, counts: Int64) -> Int64:
        filled = np.flatnonzero(counts)
        if self.n_bins < self.hierarchy.n_leaves:
            return super().cuts(counts)
        first = self.hierarchy.leaf_lo[self.hierarchy.children(self._node(filled))].astype(np.int64)
        cuts: Int64 = first[(first > filled[0]) & (first <= filled[-1])]
        return cuts

    def _node(self, bins: Int64) -> int:
        scale = self.hierarchy.n_leaves / self.n_bins
        return int(self.hierarchy.lowest_common_ancestor([int(bins[0] * scale), int(bins[-1] * scale)]))


def axes_of(columns: Sequence[Column], hierarchies: Mapping[str, Hierarchy]) -> list[BinnedColumn]:
    """Return the binned columns. Numeric columns must have a value range (`with_range`)."""
    axes: list[BinnedColumn] = []
    for column in columns:
        hierarchy = hierarchies.get(column.name)
        if isinstance(column, NumericColumn):
            axes.append(_Numbers.of(column))
        else:
            axes.append(_Values.of(column) if hierarchy is None else _Leaves.of(column, hierarchy))
    return axes


def binned(axis: BinnedColumn, out: Bins) -> None:
    """Write the bin of each record."""
    for first, end in spans(len(out)):
        out[first:end] = axis.bins(first, end)


def _thinned(place: Int64) -> tuple[Bins, int]:
    """Return the bin of each position, and the number of bins.

    If there are too many positions, neighbouring positions share a bin.
    """
    n_bins = max(1, min(BINS, len(place)))
    return (place * n_bins // max(1, len(place))).astype(np.uint16), n_bins
