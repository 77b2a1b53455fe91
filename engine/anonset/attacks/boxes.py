"""Equivalence classes of a local recoding, represented as boxes. A box contains, for each column, the set of values
that the published value covers.

A set of values is an integer bit mask. For a column with a hierarchy, each bit is a leaf. For a category without a
hierarchy, each bit is a value. For numbers, each bit is an end of a published range, or the interval between two
neighbouring ends.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from anonset.data import CategoricalColumn, Hierarchy, NumericColumn
from anonset.data.array_types import Bools, Int64
from anonset.data.equivalence_classes import class_of
from anonset.data.redacted_repr import RedactedRepr
from anonset.data.table import Column
from anonset.publications.symbols import members_of, range_ends

Box = tuple[int, ...]
"""Bit mask of the covered values, per column."""
_STEPS = 10_000
"""Maximum number of box comparisons. If a test needs more comparisons, it treats the box as not covered."""


@dataclass(frozen=True, eq=False)
class CoveredValues(RedactedRepr):
    """A published column, and the values that each published symbol covers."""

    symbols: tuple[int, ...] = field(repr=False)
    """Bit mask of the values that each symbol covers."""
    parts: tuple[tuple[int, ...], ...] = field(repr=False)
    """Parts of each symbol, which are the children of a node or the members of a set. Empty for other symbols."""
    hulls: tuple[int, ...] = field(repr=False)
    """For each symbol, the smallest set of values that a full-domain recoding must merge to publish the symbol."""
    groups: tuple[tuple[int, ...] | None, ...] = field(repr=False)
    """For each symbol, a partition of all values. A full-domain recoding that publishes the symbol is at least as
    coarse. None if each value is a group.
    """
    ends: tuple[tuple[int, int] | None, ...] = field(repr=False)
    """Smallest and largest value of each range. None if the symbol is not a range, or the ends of ranges are
    rounded.
    """
    own: Int64 = field(repr=False)
    """Bit of the value of each original record, int64 (n,)."""
    exact: int = field(repr=False)
    """Mask of the bits that represent single values instead of intervals."""
    is_tree: bool = False
    """True if the symbols are nodes of a hierarchy."""

    @classmethod
    def of(cls, column: Column, published: CategoricalColumn, tree: Hierarchy | None) -> "CoveredValues":
        """Create the values from a published column."""
        labels = published.vocabulary.labels
        if isinstance(column, NumericColumn):
            return _ranges(column, labels)
        if tree is None:
            return _sets(column, labels)
        nodes = [_node(tree, label) for label in labels]
        symbols = tuple(_values_below(tree, node) for node in nodes)
        children = [tree.children(node) for node in nodes]
        parts = tuple(tuple(_values_below(tree, child) for child in below) for below in children)
        of_level = {level: _level(tree, level) for level in {_finest_level(tree, below) for below in children}}
        groups = tuple(of_level[_finest_level(tree, below)] for below in children)
        leaf = np.array([tree.leaves.index.get(label, 0) for label in column.vocabulary.labels], np.int64)
        every = (1 << tree.n_leaves) - 1
        return cls(symbols, parts, symbols, groups, (None,) * len(labels), leaf[column.codes], every, is_tree=True)


def _node(tree: Hierarchy, label: str) -> int:
    if (node := tree.node_of.get(label)) is not None:
        return node
    leaves = [tree.leaves.index[member] for member in members_of(label) if member in tree.leaves.index]
    return tree.lowest_common_ancestor(leaves) if leaves else 0


def _values_below(tree: Hierarchy, node: int) -> int:
    low, high = int(tree.leaf_lo[node]), int(tree.leaf_hi[node])
    return (1 << high) - (1 << low)


def _finest_level(tree: Hierarchy, children: Sequence[int]) -> int:
    """Return the depth of the finest level at which a node replaces at least one of its children.

    If there are no children, return the depth of the finest level of the hierarchy.
    """
    return int(tree.column_depth[children].max()) - 1 if children else int(tree.column_depth.max(initial=0))


def _level(tree: Hierarchy, level: int) -> tuple[int, ...]:
    return tuple(_values_below(tree, node) for node in np.unique(tree.nodes_in_column(level)).tolist())


def _sets(column: CategoricalColumn, labels: Sequence[str]) -> CoveredValues:
    code = column.vocabulary.index
    covered_codes = [
        [code[x] for x in ((label,) if label in code else members_of(label)) if x in code] for label in labels
    ]
    every = (1 << len(code)) - 1
    symbols = tuple(sum(1 << x for x in members) or every for members in covered_codes)
    parts = tuple(tuple(1 << x for x in members) if len(members) > 1 else () for members in covered_codes)
    several = [len(members) != 1 for members in covered_codes]
    hulls = tuple(every if more else symbol for more, symbol in zip(several, symbols, strict=True))
    groups = tuple((every,) if more else None for more in several)
    codes = column.codes.astype(np.int64)
    return CoveredValues(symbols, parts, hulls, groups, (None,) * len(labels), codes, every)


def _ranges(column: NumericColumn, labels: Sequence[str]) -> CoveredValues:
    ends = np.array([[float(end) for end in range_ends(label)] for label in labels]).reshape(-1, 2)
    points = np.unique(ends)
    low, high = (2 * np.searchsorted(points, ends[:, side]) + 1 for side in (0, 1))
    values = column.values + 0.0
    positions = np.searchsorted(points, values)
    codes = 2 * positions + (points[np.minimum(positions, len(points) - 1)] == values)
    every = (1 << 2 * len(points) + 1) - 1
    pairs = list(zip(low.tolist(), high.tolist(), strict=True))
    rounded = not np.isin(points, values).all()
    symbols = tuple((1 << last + 1) - (1 << first) for first, last in pairs)
    return CoveredValues(
        symbols,
        ((),) * len(labels),
        tuple(symbol if first == last else every for symbol, (first, last) in zip(symbols, pairs, strict=True)),
        tuple(None if first == last else (every,) for first, last in pairs),
        tuple(None if rounded or first == last else (1 << first, 1 << last) for first, last in pairs),
        codes.astype(np.int64),
        sum(1 << 2 * point + 1 for point in range(len(points))),
    )


@dataclass(frozen=True, eq=False)
class Boxes(RedactedRepr):
    """Equivalence classes of a publication, and their records."""

    columns: tuple[CoveredValues, ...]
    code: Int64
    """Symbol of each class in each column, int64 (c, v)."""
    size: Int64
    """Row count of each class, int64 (c,)."""
    class_of_row: Int64
    """Class of each row, int64 (n,)."""

    @classmethod
    def of(
        cls, original: Sequence[Column], published: Sequence[CategoricalColumn], trees: Mapping[str, Hierarchy]
    ) -> "Boxes":
        """Create the classes from the original and published columns."""
        shown = {column.name: column for column in published}
        columns = [shown[column.name] for column in original]
        classes = class_of(columns, columns[0].n)
        first = np.unique(classes, return_index=True)[1]
        values = (CoveredValues.of(a, b, trees.get(a.name)) for a, b in zip(original, columns, strict=True))
        code = np.stack([column.codes[first] for column in columns], axis=1).astype(np.int64)
        return cls(tuple(values), code, np.bincount(classes).astype(np.int64), classes)

    def box(self, number: int) -> Box:
        """Return the box of a class."""
        return tuple(c.symbols[code] for c, code in zip(self.columns, self.code[number].tolist(), strict=True))

    @cached_property
    def _symbols(self) -> list[NDArray[np.object_]]:
        return [np.array([*column.symbols, 0], object)[:-1] for column in self.columns]

    @cached_property
    def _inside(self) -> dict[tuple[int, int], Bools]:
        return {}

    def inside(self, column: int, values: int) -> Bools:
        """Return True for each class whose published value in a column covers only `values`, bool (c,)."""
        if (column, values) not in self._inside:
            self._inside[column, values] = (self._symbols[column] & ~values) == 0
        return self._inside[column, values][self.code[:, column]]

    def within(self, box: Box) -> Int64:
        """Return the classes whose published values are inside the box."""
        is_inside = np.ones(len(self.size), np.bool_)
        for column, values in enumerate(box):
            is_inside &= self.inside(column, values)
        return np.flatnonzero(is_inside)

    def fitting(self, number: int, records: Int64) -> Int64:
        """Return the records whose values are inside the box of a class."""
        fits = np.ones(len(records), np.bool_)
        for column, values in zip(self.columns, self.box(number), strict=True):
            codes = column.own[records]
            width = int(codes.max(initial=0)) + 1
            bits = np.array([values >> bit & 1 for bit in range(width)], np.bool_)
            fits &= bits[codes]
        return records[fits]

    def open_columns(self, number: int) -> list[int]:
        """Return the columns in which the class is published as a node with children or as a set."""
        pairs = enumerate(zip(self.columns, self.code[number].tolist(), strict=True))
        return [a for a, (column, code) in pairs if column.parts[code]]

    def parts(self, number: int, column: int) -> tuple[int, ...]:
        """Return the children or members of the published value of a class."""
        return self.columns[column].parts[int(self.code[number, column])]


def needs_all(column: CoveredValues, code: int, values: int) -> bool:
    """Return True if rows with values only in `values` have a lowest common value that is finer than the symbol."""
    if column.is_tree:
        return any(not values & ~part for part in column.parts[code])
    return any(not values & needed for needed in column.ends[code] or column.parts[code])


def is_covered(box: Box, others: Sequence[Box]) -> bool:
    """Return True if the union of `others` covers a box. Return False if the test needs too many comparisons.

    >>> is_covered((0b11, 0b11), [(0b01, 0b11), (0b10, 0b01), (0b10, 0b10)])
    True
    >>> is_covered((0b11, 0b11), [(0b01, 0b11), (0b10, 0b01)])
    False
    """
    stack, steps = [(box, 0)], _STEPS
    while stack:
        remaining, position = stack.pop()
        while position < len(others) and not all(a & b for a, b in zip(remaining, others[position], strict=True)):
            position += 1
            steps -= 1
        steps -= 1
        if position == len(others) or steps < 0:
            return False
        other = others[position]
        for a, values in enumerate(remaining):
            if outside := values & ~other[a]:
                within = tuple(x & y for x, y in zip(remaining[:a], other[:a], strict=True))
                stack.append(((*within, outside, *remaining[a + 1 :]), position + 1))
    return True
