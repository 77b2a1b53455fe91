"""Regions of relational columns for joint-split, and the split of a region into two halves.

A region is a range of numbers, a set of values, or a set of disjoint hierarchy nodes. A leaf of the tree publishes a
region per column. After each split, regions shrink to the values of their records.
"""

from abc import ABC, abstractmethod
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from math import lcm

import numpy as np

from anonset.algorithms.relational.values import range_text, require_plain_labels
from anonset.data import CategoricalColumn, Hierarchy, NumericColumn
from anonset.data.array_types import Bools, Float64, Int32, Int64
from anonset.data.decimals import exact
from anonset.data.distinct import distinct
from anonset.data.domains import Range, lists_persons
from anonset.data.grids import Grid, grid_of
from anonset.data.labels.vocabulary import Vocabulary
from anonset.data.quasi_identifiers import QuasiIdentifiers
from anonset.data.redacted_repr import RedactedRepr
from anonset.data.spans import begins_of
from anonset.data.table import Column
from anonset.publications.symbols import set_label

Region = tuple[int, ...]
"""Region of a column. It contains codes for values, nodes for values with a hierarchy, and cells for numbers.

For numbers it consists of the first cell and the last cell + 1, followed by the published lower and upper end. The
halves of a new split have no published ends.
"""
Halves = tuple[Region, Region]


@dataclass(frozen=True, eq=False)
class Axis(RedactedRepr, ABC):
    """A relational column with a code for each record. Its regions are sets of codes."""

    codes: Int32
    """Cell, value or leaf of each record, int32 (n,)."""
    n_codes: int
    whole: Region
    full_width: int
    """Width of the region of all records (>= 1), in the unit of `width`."""

    @abstractmethod
    def width(self, region: Region) -> int:
        """Return the width of a region, from 0 (a single value) to `full_width`."""

    @abstractmethod
    def halves(self, region: Region, counts: Int64, k: int) -> Halves | None:
        """Return both halves of a region. None if the region cannot be split.

        Parameters
        ----------
        counts
            Number of records in the region per code, int64 (n_codes,).
        k
            Minimum record count of each half. Only ranges of numbers use `k`, to choose the cut.
        """

    @abstractmethod
    def inside(self, region: Region) -> Bools:
        """Return True for each code in a region, bool (n_codes,)."""

    @abstractmethod
    def hull(self, region: Region, members: Int64) -> Region:
        """Return the smallest publishable region that contains the records `members` of a region."""

    @abstractmethod
    def label(self, region: Region) -> str:
        """Return the published text of a region."""


@dataclass(frozen=True, eq=False)
class _Numbers(Axis):
    """Numbers, split between the cells of a grid.

    A published range extends from the smallest to the largest number of a leaf. If the column has a grid, the ends are
    rounded outward to grid points. A single number is published unchanged.
    """

    values: Int64 | Float64
    grid: Grid | None
    within: tuple[int, int]
    """Smallest and largest number of the column. Width is not counted outside of these limits."""
    scale: int
    """Factor that makes all published ends integers. Regions contain the products."""

    @classmethod
    def of(cls, column: NumericColumn, domain: Range, k: int) -> "_Numbers":
        cells = grid_of(column.values, k) if column.grid is None else column.grid
        codes = np.clip(np.searchsorted(cells.lows, column.values, side="right") - 1, 0, len(cells) - 1)
        scale = 1
        if column.values.dtype.kind == "f":
            ends = [] if column.grid is None else [*column.grid.lows.tolist(), *column.grid.highs.tolist()]
            numbers = [*distinct(column.values.astype(np.float64)).tolist(), *ends, domain.low, domain.high]
            scale = lcm(*(exact(number).denominator for number in numbers))
        low, high = within = int(exact(domain.low) * scale), int(exact(domain.high) * scale)
        top, width = (0, len(cells), low, high), max(1, high - low)
        return cls(codes.astype(np.int32), len(cells), top, width, column.values, column.grid, within, scale)

    def width(self, region: Region) -> int:
        low, high = region[2:]
        return min(high, self.within[1]) - max(low, self.within[0])

    def halves(self, region: Region, counts: Int64, k: int) -> Halves | None:
        first, end = region[:2]
        before: Int64 = np.cumsum(counts[first:end])[:-1]
        total = int(counts[first:end].sum())
        fits = (before >= k) & (total - before >= k)
        if not fits.any():
            return None
        uneven = np.where(fits, np.abs(2 * before - total), total + 1)
        cut = first + 1 + int(np.argmin(uneven))
        return (first, cut), (cut, end)

    def inside(self, region: Region) -> Bools:
        code = np.arange(self.n_codes)
        return (region[0] <= code) & (code < region[1])

    def hull(self, region: Region, members: Int64) -> Region:
        codes, values = self.codes[members], self.values[members]
        least, largest = np.array([values.min()], np.float64), np.array([values.max()], np.float64)
        ends = (least, largest) if self.grid is None else self.grid.rounded(least, largest)
        low, high = (int(exact(end[0].item()) * self.scale) for end in ends)
        return int(codes.min()), int(codes.max()) + 1, low, high

    def label(self, region: Region) -> str:
        integers = self.values.dtype.kind == "i"
        low, high = (end if integers else float(Fraction(end, self.scale)) for end in region[2:])
        return range_text(low, high, whole=integers)


@dataclass(frozen=True, eq=False)
class _Values(Axis):
    """Categories without a hierarchy."""

    vocabulary: Vocabulary

    @classmethod
    def of(cls, column: CategoricalColumn) -> "_Values":
        n, occurring = len(column.vocabulary), tuple(np.flatnonzero(column.occurrences).tolist())
        return cls(column.codes, n, occurring, max(1, n), column.vocabulary)

    def width(self, region: Region) -> int:
        return _width(len(region))

    def halves(self, region: Region, counts: Int64, k: int) -> Halves | None:
        return _frequent_half(region, {code: int(counts[code]) for code in region})

    def inside(self, region: Region) -> Bools:
        mask = np.zeros(self.n_codes, np.bool_)
        mask[list(region)] = True
        return mask

    def hull(self, region: Region, members: Int64) -> Region:
        return tuple(np.flatnonzero(np.bincount(self.codes[members])).tolist())

    def label(self, region: Region) -> str:
        return set_label([self.vocabulary.labels[code] for code in region])


@dataclass(frozen=True, eq=False)
class _Nodes(Axis):
    """Categories with a hierarchy.

    A region of several nodes is published as the set of their leaves. If value sets of the column could identify
    persons, the lowest common ancestor is published, and a split separates a single node.
    """

    hierarchy: Hierarchy
    lists_leaves: bool
    """True if regions of several nodes are published as sets of leaves."""

    @classmethod
    def of(cls, column: CategoricalColumn, hierarchy: Hierarchy, k: int) -> "_Nodes":
        occurring = np.flatnonzero(column.occurrences)
        top = int(hierarchy.lowest_common_ancestor([int(occurring[0]), int(occurring[-1])])) if len(occurring) else 0
        n = hierarchy.n_leaves
        lists_leaves = not lists_persons(column.occurrences, k, column.n)
        return cls(column.codes, n, (top,), max(1, n), hierarchy, lists_leaves)

    def width(self, region: Region) -> int:
        nodes = list(region) if self.lists_leaves else [self._above(region)]
        return _width(int(self.hierarchy.n_leaves_below[nodes].sum()))

    def halves(self, region: Region, counts: Int64, k: int) -> Halves | None:
        tree, nodes, before = self.hierarchy, list(region), begins_of(counts)

        def records(node: int) -> int:
            return int(before[tree.leaf_hi[node]] - before[tree.leaf_lo[node]])

        while len(filled := [node for node in nodes if records(node)]) == 1 and not tree.is_leaf[filled[0]]:
            nodes.remove(filled[0])
            nodes += [int(child) for child in tree.children(filled[0])]
        counted = {node: records(node) for node in nodes}
        return _frequent_half(sorted(nodes), counted) if self.lists_leaves else _most_frequent(sorted(nodes), counted)

    def inside(self, region: Region) -> Bools:
        mask = np.zeros(self.n_codes, np.bool_)
        for node in region:
            mask[self.hierarchy.leaf_lo[node] : self.hierarchy.leaf_hi[node]] = True
        return mask

    def hull(self, region: Region, members: Int64) -> Region:
        leaves, tree = np.flatnonzero(np.bincount(self.codes[members])), self.hierarchy
        leaves_of_nodes = (leaves[slice(*np.searchsorted(leaves, (tree.leaf_lo[v], tree.leaf_hi[v])))] for v in region)
        return tuple(tree.lowest_common_ancestor((part[0], part[-1])) for part in leaves_of_nodes if len(part))

    def label(self, region: Region) -> str:
        if len(region) == 1 or not self.lists_leaves:
            return self.hierarchy.labels[self._above(region)]
        return set_label([x for node in region for x in self.hierarchy.members(node)])

    def _above(self, region: Region) -> int:
        tree = self.hierarchy
        if len(region) == 1:
            return region[0]
        nodes = list(region)
        return tree.lowest_common_ancestor((int(tree.leaf_lo[nodes].min()), int(tree.leaf_hi[nodes].max()) - 1))


def _width(values: int) -> int:
    """Return the width of a value set as in the NCP. A single value has width 0."""
    return values if values > 1 else 0


def _frequent_half(members: Sequence[int], counts: Mapping[int, int]) -> Halves | None:
    """Split off the most frequent members, until they have at least half of the records.

    At least one member that occurs remains in the second half.

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


def _most_frequent(members: Sequence[int], counts: Mapping[int, int]) -> Halves | None:
    """Split off the member with the most records.

    >>> _most_frequent((0, 1, 2, 3), {0: 1, 1: 5, 2: 0, 3: 5})
    ((1,), (0, 2, 3))
    """
    if sum(counts[x] > 0 for x in members) < 2:
        return None
    most = max(members, key=lambda x: counts[x])
    return (most,), tuple(x for x in members if x != most)


def axes_of(qi: QuasiIdentifiers, k: int) -> tuple[Axis, ...]:
    """Return the axes of relational columns of a non-empty table.

    Raises
    ------
    InputError
        If a hierarchy value cannot be a member of a published set.
    """
    return tuple(_axis(column, domain, k) for column, domain in zip(qi.columns, qi.domains, strict=True))


def _axis(column: Column, domain: object, k: int) -> Axis:
    if isinstance(column, NumericColumn):
        if not isinstance(domain, Range):
            raise TypeError(f"column {column.name!r} must have a range")
        return _Numbers.of(column, domain, k)
    if not isinstance(domain, Hierarchy):
        return _Values.of(column)
    require_plain_labels(column.name, domain.leaves.labels, "rename the value")
    return _Nodes.of(column, domain, k)
