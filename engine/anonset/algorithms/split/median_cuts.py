"""Split data into parts of limited size by strict Mondrian. The cuts are computed from histograms, and records are not
moved.

Lines of LeFevre, DeWitt, Ramakrishnan (ICDE 2006) and their implementation::

    1       if no cut is allowable: a part                  MedianCuts._cut_of
    2       the attribute that is widest                    MedianCuts._cut_of
    3       its frequency set                               MedianCuts._histograms
    4       the median                                      _nearest
    5, 6    the records on both sides                       MedianCuts._moved

A part is split if it exceeds the record limit. Each pass over the blocks splits all parts of a tree level.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from anonset.algorithms.split.axes import BinnedColumn, Bins, axes_of, binned
from anonset.data import Hierarchy
from anonset.data.array_types import Int32, Int64
from anonset.data.redacted_repr import RedactedRepr
from anonset.data.spans import spans
from anonset.data.storage.store import MEMORY, Store
from anonset.data.table import Column

_LEAST_SHARE = 8
"""The minimum part size is the maximum part size divided by this number."""


class _Node(NamedTuple):
    """A part, the axis and position at which it is split, and the number of its left half."""

    axis: int
    at: int
    left: int


@dataclass(frozen=True, eq=False)
class PartRecords(RedactedRepr):
    """The records of each part, part by part."""

    record: Int64
    """Record numbers, sorted by part and ascending within each part, int64 (n,)."""
    first: Int64
    """Start of each part, int64 (parts + 1,). The last element is the number of records."""


def cut_into_parts(
    columns: Sequence[Column],
    hierarchies: Mapping[str, Hierarchy],
    k: int,
    most: int,
    *,
    store: Store = MEMORY,
) -> PartRecords:
    """Split records into parts of at most `most` records, at the median of the widest column.

    Parts with similar values are adjacent. Records with equal values are split by record order. Cost: O(n v) per
    halving. Memory: 14 bytes per record in the work directory, and the histograms of the current parts.

    Parameters
    ----------
    columns
        Relational columns of the same records (n > 0). Numeric columns must have a value range (`with_range`).
    store
        Store for arrays of table length. Its workers count the histograms.

    >>> from anonset.data import Table
    >>> from anonset.data.domains import with_range
    >>> ages = [with_range(Table.from_columns(age="fmfmfm").relational[0])]
    >>> cuts = cut_into_parts(ages, {}, k=1, most=3)
    >>> cuts.record.tolist(), cuts.first.tolist()
    ([0, 2, 4, 1, 3, 5], [0, 3, 6])
    """
    axes = axes_of(columns, hierarchies)
    n = columns[0].n
    places = [store.array("bins", np.uint16, n) for _ in axes]
    for axis, place in zip(axes, places, strict=True):
        binned(axis, place)
    node = store.array("node", np.int32, n)
    for first, end in spans(n):
        node[first:end] = 0
    least = max(2 * k, most // _LEAST_SHARE)
    return MedianCuts(axes, places, node, most, least, store).parts()


@dataclass
class MedianCuts(RedactedRepr):
    """Splits records level by level."""

    axes: Sequence[BinnedColumn]
    places: Sequence[Bins]
    """Bin of each record in each column."""
    node: Int32
    """Current part of each record, int32 (n,)."""
    most: int
    least: int
    """Minimum record count on both sides of a cut."""
    store: Store
    nodes: list[_Node | None] = field(default_factory=lambda: [None])

    def parts(self) -> PartRecords:
        """Split until no part exceeds the limit, and return the parts."""
        active, cut = [0], False
        while active:
            counts = self._histograms(active, moving=cut)
            active, cut = self._cut_all(active, counts), True
        return self._gathered()

    def _cut_all(self, active: Sequence[int], counts: Int64) -> list[int]:
        halves = []
        ends = np.cumsum([axis.n_bins for axis in self.axes])
        for number, of_node in zip(active, counts, strict=True):
            histograms = np.split(of_node, ends[:-1])
            cut = self._cut_of(histograms) if int(histograms[0].sum()) > self.most else None
            if cut is not None:
                left = len(self.nodes)
                self.nodes[number] = _Node(*cut, left)
                self.nodes += [None, None]
                halves += [left, left + 1]
        return halves

    def _cut_of(self, histograms: Sequence[Int64]) -> tuple[int, int] | None:
        """Return the widest column with a valid cut, and the first bin after the cut."""
        widths = [axis.width(counts) for axis, counts in zip(self.axes, histograms, strict=True)]
        for a in sorted(range(len(self.axes)), key=lambda a: -widths[a]):
            position = _nearest(histograms[a], self.axes[a].cuts(histograms[a]), self.least)
            if position is not None:
                return a, position
        return None

    def _histograms(self, active: Sequence[int], *, moving: bool) -> Int64:
        """Return the number of records in each part, axis and bin.

        If `moving` is True, records are first assigned to the parts of this level.
        """
        place = np.full(len(self.nodes), -1, np.int64)
        place[list(active)] = np.arange(len(active))
        table = self._table()

        def counted(span: tuple[int, int]) -> Int64:
            node = self._moved(span, table) if moving else self.node[slice(*span)]
            of = place[node]
            rows = np.flatnonzero(of >= 0)
            histograms = []
            for axis, bins in zip(self.axes, self.places, strict=True):
                keys = of[rows] * axis.n_bins + bins[slice(*span)][rows]
                histograms.append(np.bincount(keys, minlength=len(active) * axis.n_bins).reshape(len(active), -1))
            return np.concatenate(histograms, axis=1)

        total = np.zeros((len(active), sum(axis.n_bins for axis in self.axes)), np.int64)
        for counts in self.store.with_local_workers().map(counted, spans(len(self.node))):
            total += counts
        return total

    def _table(self) -> tuple[Int64, Int64, Int32]:
        """Return the axis, the first bin after the cut and the left half of each part.

        The axis is -1 if a part has no cut.
        """
        rows = [(-1, 0, 0) if node is None else tuple(node) for node in self.nodes]
        axis, position, left = np.array(rows, np.int64).T
        return axis, position, left.astype(np.int32)

    def _moved(self, span: tuple[int, int], table: tuple[Int64, Int64, Int32]) -> Int32:
        axis, position, left = table
        node = self.node[slice(*span)].copy()
        of = axis[node]
        for a, bins in enumerate(self.places):
            rows = np.flatnonzero(of == a)
            before = node[rows]
            node[rows] = left[before] + (bins[slice(*span)][rows] >= position[before])
        self.node[slice(*span)] = node
        return node

    def _gathered(self) -> PartRecords:
        """Return the records sorted by part, in tree order.

        Parts without a cut that exceed the limit are split into equal pieces.
        """
        leaves, waiting = [], [0]
        while waiting:
            number = waiting.pop()
            node = self.nodes[number]
            if node is None:
                leaves.append(number)
            else:
                waiting += [node.left + 1, node.left]
        rank = np.zeros(len(self.nodes), np.int32)
        rank[leaves] = np.arange(len(leaves))
        sizes = np.zeros(len(leaves), np.int64)
        for span in spans(len(self.node)):
            sizes += np.bincount(rank[self.node[slice(*span)]], minlength=len(leaves))
        record = self.store.array("record", np.int64, len(self.node))
        placed(rank, self.node, sizes, record)
        first = [0]
        for size in sizes.tolist():
            pieces = -(-size // self.most)
            first += [first[-1] + step for step in _even(size, pieces)]
        return PartRecords(record, np.array(first, np.int64))


def _even(size: int, pieces: int) -> list[int]:
    """Return the ends of equal pieces.

    >>> _even(5, 2)
    [2, 5]
    """
    return [size * (piece + 1) // pieces for piece in range(pieces)]


def placed(rank: Int32, node: Int32, sizes: Int64, record: Int64) -> None:
    """Write the records sorted by part, ascending within each part.

    Parameters
    ----------
    rank
        Part number of each node, int32.
    node
        Node of each record, int32 (n,).
    sizes
        Record count of each part, int64 (parts,).
    record
        Output array, int64 (n,).
    """
    to = np.cumsum(sizes) - sizes
    for first, end in spans(len(node)):
        of = rank[node[first:end]]
        order = np.argsort(of, kind="stable")
        counts = np.bincount(of, minlength=len(sizes))
        before = np.cumsum(counts) - counts
        record[to[of[order]] + np.arange(len(order)) - before[of[order]]] = first + order
        to += counts


def _nearest(counts: Int64, cuts: Int64, least: int) -> int | None:
    """Return the cut nearest to the median that leaves at least `least` records on both sides.

    If several cuts are equally near, the first is returned.
    """
    if not len(cuts):
        return None
    total = int(counts.sum())
    before = np.cumsum(counts)[cuts - 1]
    allowed = (before >= least) & (total - before >= least)
    if not allowed.any():
        return None
    distance = np.where(allowed, np.abs(2 * before - total), 2 * total + 1)
    return int(cuts[np.argmin(distance)])
