"""The regions of relational columns, and how a region is cut in two.

A region is what a leaf publishes of a column: a number range between admissible ends, a set of values, or a set of
hierarchy nodes none of which is above another.
"""

from abc import ABC, abstractmethod
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import lcm

import numpy as np
from numpy.typing import NDArray

from anonset.algorithms.relational.values import range_text
from anonset.data import CategoricalColumn, Hierarchy, NumericColumn
from anonset.data.decimals import exact
from anonset.data.domains import Range
from anonset.data.quasi_identifiers import QuasiIdentifiers
from anonset.data.redacted_repr import Discreet
from anonset.data.spans import begins_of
from anonset.data.table import Column, Int32, Int64
from anonset.data.vocabulary import Vocabulary
from anonset.errors import InputError, datum
from anonset.generalization.publication import set_label

Region = tuple[int, ...]
"""Numbers: the first cell and one past the last; values without hierarchy: their codes; with a hierarchy: nodes."""
Halves = tuple[Region, Region]


@dataclass(frozen=True, eq=False)
class Axis(Discreet, ABC):
    """A relational column: a code for each record, and the regions of codes."""

    codes: Int32
    """int32 (n,): cell, value or leaf of each record."""
    n_codes: int
    whole: Region
    """The region of all records."""
    full_width: int
    """Width of the column, in the unit of `width` (>= 1)."""

    @abstractmethod
    def width(self, region: Region) -> int:
        """Return the width of a region, at most `full_width`; 0 if it publishes one value."""

    @abstractmethod
    def halves(self, region: Region, counts: Int64, k: int) -> Halves | None:
        """Cut a region in two, or return None.

        Parameters
        ----------
        counts
            int64 (n_codes,): records of each code, of those in the region.
        k
            Smallest number of records on either side; only ranges need it to choose the cut.
        """

    @abstractmethod
    def inside(self, region: Region) -> NDArray[np.bool_]:
        """Bool (n_codes,): the codes in a region."""

    @abstractmethod
    def label(self, region: Region) -> str:
        """Return the published text of a region."""


def admissible_ends(values: NDArray[np.int64] | NDArray[np.float64], k: int) -> NDArray[np.int64] | NDArray[np.float64]:
    """Return the numbers at which a range may begin or end, ascending; at least k records are between neighbours.

    The last one is above all integers, or is the largest float.

    >>> admissible_ends(np.array([1, 1, 2, 4, 9]), 2).tolist()
    [1, 2, 10]
    """
    distinct, count = np.unique(values, return_counts=True)
    after: Int64 = np.cumsum(count)
    begins, before = [0], 0
    while len(values) - before >= 2 * k:
        at = int(np.searchsorted(after, before + k)) + 1
        if at == len(distinct) or len(values) - int(after[at - 1]) < k:
            break
        begins.append(at)
        before = int(after[at - 1])
    last = distinct[-1] + 1 if distinct.dtype.kind == "i" else distinct[-1]
    return np.unique(np.append(distinct[begins], last)) if len(distinct) > 1 else np.append(distinct, last)


@dataclass(frozen=True, eq=False)
class _Numbers(Axis):
    """Numbers, in cells between admissible ends. Integer ranges do not overlap; others share their ends."""

    lows: tuple[float, ...]
    highs: tuple[float, ...]
    """Smallest and largest number of each cell, as published."""
    within: tuple[float, float]
    """Smallest and largest number of the column: widths end there."""
    scale: int
    """Multiple that makes all differences of ends integers."""
    integers: bool

    @classmethod
    def of(cls, column: NumericColumn, domain: Range, k: int) -> "_Numbers":
        integers = column.values.dtype.kind == "i"
        if column.grid is None:
            numbers = admissible_ends(column.values, k).tolist()
            lows, highs = numbers[:-1], [end - 1 for end in numbers[1:]] if integers else numbers[1:]
        else:
            lows, highs = column.grid.lows.tolist(), column.grid.highs.tolist()
        cells = len(lows)
        codes = np.clip(np.searchsorted(lows, column.values, side="right") - 1, 0, cells - 1).astype(np.int32)
        scale = 1 if integers else lcm(*(exact(end).denominator for end in (*lows, *highs, domain.low, domain.high)))
        width = int((exact(domain.high) - exact(domain.low)) * scale)
        within = domain.low, domain.high
        return cls(codes, cells, (0, cells), max(1, width), tuple(lows), tuple(highs), within, scale, integers)

    def width(self, region: Region) -> int:
        first, end = region
        low, high = max(self.lows[first], self.within[0]), min(self.highs[end - 1], self.within[1])
        return int((exact(high) - exact(low)) * self.scale)

    def halves(self, region: Region, counts: Int64, k: int) -> Halves | None:
        first, end = region
        before: Int64 = np.cumsum(counts[first:end])[:-1]
        total = int(counts[first:end].sum())
        fits = (before >= k) & (total - before >= k)
        if not fits.any():
            return None
        uneven = np.where(fits, np.abs(2 * before - total), total + 1)
        cut = first + 1 + int(np.argmin(uneven))
        return (first, cut), (cut, end)

    def inside(self, region: Region) -> NDArray[np.bool_]:
        at = np.arange(self.n_codes)
        return (region[0] <= at) & (at < region[1])

    def label(self, region: Region) -> str:
        return range_text(self.lows[region[0]], self.highs[region[1] - 1], whole=self.integers)


@dataclass(frozen=True, eq=False)
class _Values(Axis):
    """Categories without hierarchy."""

    vocabulary: Vocabulary

    @classmethod
    def of(cls, column: CategoricalColumn) -> "_Values":
        n, there = len(column.vocabulary), tuple(np.flatnonzero(column.occurrences).tolist())
        return cls(column.codes, n, there, max(1, n - 1), column.vocabulary)

    def width(self, region: Region) -> int:
        return len(region) - 1

    def halves(self, region: Region, counts: Int64, k: int) -> Halves | None:
        return _frequent_half(region, {code: int(counts[code]) for code in region})

    def inside(self, region: Region) -> NDArray[np.bool_]:
        there = np.zeros(self.n_codes, np.bool_)
        there[list(region)] = True
        return there

    def label(self, region: Region) -> str:
        return set_label([self.vocabulary.labels[code] for code in region])


@dataclass(frozen=True, eq=False)
class _Nodes(Axis):
    """Categories with a hierarchy. A region of several nodes is published as the set of their leaves."""

    hierarchy: Hierarchy

    @classmethod
    def of(cls, column: CategoricalColumn, hierarchy: Hierarchy) -> "_Nodes":
        there = np.flatnonzero(column.occurrences)
        top = int(hierarchy.lowest_common_ancestor([int(there[0]), int(there[-1])])) if len(there) else 0
        n = hierarchy.n_leaves
        return cls(column.codes, n, (top,), max(1, n - 1), hierarchy)

    def width(self, region: Region) -> int:
        return int(self.hierarchy.n_leaves_below[list(region)].sum()) - 1

    def halves(self, region: Region, counts: Int64, k: int) -> Halves | None:
        tree, nodes, before = self.hierarchy, list(region), begins_of(counts)

        def records(node: int) -> int:
            return int(before[tree.leaf_hi[node]] - before[tree.leaf_lo[node]])

        while len(there := [node for node in nodes if records(node)]) == 1 and not tree.is_leaf[there[0]]:
            nodes.remove(there[0])
            nodes += [int(child) for child in tree.children(there[0])]
        return _frequent_half(sorted(nodes), {node: records(node) for node in nodes})

    def inside(self, region: Region) -> NDArray[np.bool_]:
        there = np.zeros(self.n_codes, np.bool_)
        for node in region:
            there[self.hierarchy.leaf_lo[node] : self.hierarchy.leaf_hi[node]] = True
        return there

    def label(self, region: Region) -> str:
        if len(region) == 1:
            return self.hierarchy.labels[region[0]]
        return set_label([x for node in region for x in self.hierarchy.members(node)])


def _frequent_half(members: Sequence[int], counts: Mapping[int, int]) -> Halves | None:
    """Cut off the shortest prefix by falling frequency with at least half of the records, but not all that occur.

    >>> _frequent_half((0, 1, 2, 3), {0: 1, 1: 5, 2: 0, 3: 2})
    ((1,), (0, 2, 3))
    """
    order = sorted((x for x in members if counts[x]), key=lambda x: (-counts[x], x))
    if len(order) < 2:
        return None
    sums = list(accumulate(2 * counts[x] for x in order))
    first = min(bisect_right(sums, sums[-1] // 2 - 1) + 1, len(order) - 1)
    front = set(order[:first])
    return tuple(sorted(front)), tuple(x for x in members if x not in front)


def axes_of(qi: QuasiIdentifiers, k: int) -> tuple[Axis, ...]:
    """Return the axes of relational columns, which have records.

    Raises
    ------
    InputError
        If a value of a hierarchy cannot be a member of a published set.
    """
    return tuple(_axis(column, domain, k) for column, domain in zip(qi.columns, qi.domains, strict=True))


def _axis(column: Column, domain: object, k: int) -> Axis:
    if isinstance(column, NumericColumn):
        if not isinstance(domain, Range):
            msg = f"column {column.name!r} must have a range"
            raise TypeError(msg)
        return _Numbers.of(column, domain, k)
    if not isinstance(domain, Hierarchy):
        return _Values.of(column)
    for label in domain.leaves.labels:
        if "," in label or (label.startswith("(") and label.endswith(")")):
            msg = (
                f"column {column.name!r}: value {datum(label)} contains a comma or is in parentheses, but sets of "
                "values are published as (a,b,c); rename the value"
            )
            raise InputError(msg)
    return _Nodes.of(column, domain)
