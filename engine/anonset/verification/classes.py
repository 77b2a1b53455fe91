"""Exact checks of (k,l)-diversity and (k,t)-closeness by the sensitive values of each equivalence class.

Definitions: Machanavajjhala, Gehrke, Kifer, Venkitasubramaniam, ICDE 2006; Li, Li, Venkatasubramanian, ICDE 2007.

Missing values (empty text or `?`) are ignored. A class whose values are all missing satisfies the model.

Most comparisons use logarithms. If two numbers are close, they are compared as exact integers, or as decimals of 60
digits for very large classes. If a comparison is still undecided, the model is considered violated.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import pairwise
from math import gcd, prod
from typing import Any

import numpy as np

from anonset.data import CategoricalColumn
from anonset.data.array_types import Int64
from anonset.data.decimals import exact
from anonset.data.distinct import distinct
from anonset.data.hierarchies.hierarchy_rules import NO_VALUE
from anonset.data.spans import spans
from anonset.data.storage.store import Store
from anonset.data.table import Column
from anonset.errors import InputError
from anonset.privacy import Verdict, Witness
from anonset.privacy.classes import KLDiversity, KTCloseness
from anonset.spelling import setting
from anonset.verification import shares
from anonset.verification.kkm import check_k, classes_of, require_columns

Model = KLDiversity | KTCloseness
_MOST_FACTORS = 4096
_DIGITS = 60
_DENSE = 1 << 20


def check_classes(relational: Sequence[Column], kept: Sequence[Column], model: Model, store: Store) -> Verdict:
    """Check that each equivalence class has at least k rows, and satisfies the model for the sensitive column.

    >>> columns = CategoricalColumn.of("age", "1122"), CategoricalColumn.of("drug", "abaa")
    >>> from anonset.data.storage.store import MEMORY
    >>> print(check_classes(columns[:1], columns[1:], KLDiversity(2, 2, "drug"), MEMORY))
    (k,l)-diversity with k=2, l=2 (distinct) of 'drug' fails: published row 2 matches 2 records, 2 required; the class \
does not contain at least 2 different values of 'drug'

    Parameters
    ----------
    store
        Store of temporary files, if the columns are in files.

    Raises
    ------
    InputError
        If a column is missing or malformed, or if sensitive values are ordered and a value is not a number.
    """
    sensitive = _sensitive(kept, model)
    require_columns((*relational, sensitive), model)
    verdict = check_k(relational, model, store)
    if not verdict.holds or not sensitive.n:
        return verdict
    place = _places(sensitive, model)
    overall = np.zeros(int(place.max(initial=0)) + 1, np.int64)
    for a, b in spans(sensitive.n):
        values = place[sensitive.codes[a:b]]
        overall += np.bincount(values[values >= 0], minlength=len(overall))
    tree = _tree(sensitive, place, len(overall), model)

    def look(rows: Int64) -> "_ClassResult":
        columns = [column.take(rows) for column in relational]
        result = _look(columns, place[sensitive.codes[rows]], model, overall, tree)
        return _ClassResult(result.figure, None if result.first is None else int(rows[result.first]), result.size)

    parts = list(store.with_local_workers().map(look, shares.shares_of(relational, store)))
    return _verdict(parts, verdict, model)


@dataclass(frozen=True, eq=False)
class _Tree:
    """Tree of values, represented by the edges above each value. A share that moves between two values crosses the
    edges that are above only one of them.
    """

    above: Int64
    """Edges above each value, int64 (V, D), padded with -1."""
    length: Int64
    """Length of each edge, int64 (S,)."""
    longest: int
    """Maximum length of the path between two values."""


def _tree(column: CategoricalColumn, place: Int64, n: int, model: Model) -> _Tree | None:
    """Return the tree of the n values of a column, or None if the model uses no tree."""
    if not isinstance(model, KTCloseness) or model.t_distance != "hierarchical":
        return None
    paths, height = model.paths, dict[str, int]()
    for path in paths.values():
        height |= {node: max(height.get(node, 0), up) for up, node in enumerate(path)}
    parent = {node: higher for path in paths.values() for node, higher in pairwise(path)}
    number = {node: step for step, node in enumerate(parent)}
    above = np.full((n, max(map(len, paths.values()))), -1, np.int64)
    occurring = distinct(np.concatenate([distinct(column.codes[a:b]) for a, b in spans(column.n)]))
    for code in occurring.tolist():
        node_path = paths.get(column.vocabulary.labels[code])
        if place[code] < 0:
            continue
        if node_path is None:
            raise InputError(f"sensitive column {column.name!r}: a value is not in the tree {setting('t_tree')}")
        above[place[code], : len(node_path) - 1] = [number[node] for node in node_path[:-1]]
    length = np.array([height[higher] - height[node] for node, higher in parent.items()], np.int64)
    return _Tree(above, length, max(1, 2 * max(height.values())))


@dataclass(frozen=True)
class _ClassResult:
    """Result of the check of the classes of some rows."""

    figure: Fraction | None
    """Smallest number of different sensitive values in a class, or largest distance of a class from the overall
    distribution. None if all values are missing.
    """
    first: int | None
    """First row in a class that violates the model, or None."""
    size: int
    """Number of records in the class of the first violation."""


def _verdict(parts: Sequence[_ClassResult], verdict: Verdict, model: Model) -> Verdict:
    checked: dict[str, Any] = dict(verdict.checked)
    figures = [part.figure for part in parts if part.figure is not None]
    if isinstance(model, KLDiversity):
        checked["fewest_values"] = int(min(figures, default=0))
    else:
        checked["largest_distance"] = float(round(max(figures, default=Fraction()), 6))
    bad = [(part.first, part.size) for part in parts if part.first is not None]
    if not bad:
        return Verdict(True, model, checked)
    row, size = min(bad)
    witness = Witness((), size, model.k, row, f"the class does not contain {model.asked}")
    return Verdict(False, model, checked, witness)


def _sensitive(kept: Sequence[Column], model: Model) -> CategoricalColumn:
    for column in kept:
        if column.name == model.sensitive and isinstance(column, CategoricalColumn):
            return column
    raise InputError(f"model {model.name!r} requires column {model.sensitive!r}, published unchanged")


def _places(column: CategoricalColumn, model: Model) -> Int64:
    """Return the rank of each value, int64 (V,). Ordered values are ranked by size, and equal values have equal ranks.

    A missing value, or a value that occurs in no row, has the rank -1.
    """
    occurs = np.zeros(len(column.vocabulary), np.bool_)
    for a, b in spans(column.n):
        occurs[column.codes[a:b]] = True
    place, every = np.full(len(occurs), -1, np.int64), column.vocabulary.labels
    codes = [code for code in np.flatnonzero(occurs).tolist() if every[code].strip() not in NO_VALUE]
    labels = [every[code] for code in codes]
    if isinstance(model, KTCloseness) and model.t_distance == "ordered":
        try:
            numbers = [exact(label) for label in labels]
        except ValueError:
            msg = f"sensitive column {column.name!r}: a value is not a number, so values cannot be ordered"
            raise InputError(msg) from None
        rank = {number: rank for rank, number in enumerate(sorted(set(numbers)))}
        place[codes] = [rank[number] for number in numbers]
    else:
        place[codes] = np.arange(len(codes))
    return place


def _look(
    relational: Sequence[Column], value: Int64, model: Model, overall: Int64, tree: "_Tree | None"
) -> _ClassResult:
    class_of = classes_of(relational)
    n_records, known = np.bincount(class_of), value >= 0
    if not known.any():
        return _ClassResult(None, None, 0)
    valued, of_known = np.unique(class_of[known], return_inverse=True)
    size = np.bincount(of_known)
    pairs, count = np.unique(of_known * len(overall) + value[known], return_counts=True)
    of, values = pairs // len(overall), pairs % len(overall)
    start = np.searchsorted(of, np.arange(len(size)))
    if isinstance(model, KLDiversity):
        different = np.diff(np.append(start, len(of)))
        figure, broken = Fraction(int(different.min())), ~_diverse(model, of, count, start, size, different)
    else:
        counted = _ValueCounts(of, values, count, start, size)
        if tree is not None:
            moved, scale = _moved_in_tree(counted, overall, tree), tree.longest
        elif model.t_distance == "ordered":
            moved, scale = _moved_in_order(counted, overall), max(1, len(overall) - 1)
        else:
            moved, scale = _moved(counted, overall), 1
        scale *= int(overall.sum())
        distances = [Fraction(m, scale * n) for m, n in zip(moved, size.tolist(), strict=True)]
        figure, t = max(distances), exact(model.t)
        broken = np.array([distance > t for distance in distances])
    rows = np.flatnonzero(np.isin(class_of, valued[broken]))
    first = int(rows[0]) if len(rows) else None
    return _ClassResult(figure, first, 0 if first is None else int(n_records[class_of[first]]))


def _diverse(
    model: KLDiversity, of: Int64, count: Int64, start: Int64, size: Int64, different: Int64
) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Return True for each class with `l`-diverse values, bool (C,)."""
    if model.l_kind == "distinct":
        return different >= model.l
    if model.c is not None:
        c = exact(model.c)
        order = np.lexsort((-count, of))
        rank = np.arange(len(of)) - start[of]
        n_rarer = np.add.reduceat(np.where(rank >= model.l - 1, count[order], 0), start)
        most = np.maximum.reduceat(count, start)
        return most * c.denominator < n_rarer * c.numerator
    log_sum = np.add.reduceat(count * np.log(count), start)
    beyond = np.log(size) - log_sum / size - np.log(model.l)
    holds = beyond > 0
    ends = np.append(start, len(of))
    for close in np.flatnonzero(np.abs(beyond) < 1e-9).tolist():
        holds[close] = entropy_is_at_least(count[ends[close] : ends[close + 1]].tolist(), model.l)
    return np.asarray(holds, np.bool_)


def entropy_is_at_least(counts: Iterable[int], l: int) -> bool:  # noqa: E741
    """Return True if values with these counts have at least the entropy of `l` equally frequent values.

    Let n be the sum of the counts c. Then n log n - sum of c log c >= n log l is equivalent to n^n >= l^n * product of
    c^c.

    >>> entropy_is_at_least([2, 2], 2), entropy_is_at_least([3, 1], 2), entropy_is_at_least([2, 1, 1], 2)
    (True, False, True)
    """
    counts = list(counts)
    common = gcd(*counts)
    counts = [count // common for count in counts]
    n = sum(counts)
    if n <= _MOST_FACTORS:
        return bool(n**n >= l**n * prod(count**count for count in counts))
    with localcontext() as context:
        context.prec = _DIGITS
        beyond = n * Decimal(n).ln() - sum(count * Decimal(count).ln() for count in counts) - n * Decimal(l).ln()
        return beyond > Decimal(10) ** (20 - _DIGITS)


@dataclass(frozen=True, eq=False)
class _ValueCounts:
    """Value counts of classes. Arrays for pairs of class and value, int64 (P,), contain the class, the value and the
    number of records. Arrays for classes, int64 (C,), contain the first pair and the number of known values.
    """

    of: Int64
    held: Int64
    count: Int64
    start: Int64
    size: Int64


def _moved(counted: _ValueCounts, overall: Int64) -> list[int]:
    """Return the distance of each class from the overall distribution, scaled to an integer.

    The distance is the sum of the positive differences between the shares of the class and the overall shares. The
    scale is the number of known values of the class, times the number of known values of all rows.
    """
    above = np.maximum(counted.count * int(overall.sum()) - overall[counted.held] * counted.size[counted.of], 0)
    return [int(x) for x in np.add.reduceat(above, counted.start)]


def _moved_in_order(counted: _ValueCounts, overall: Int64) -> list[int]:
    """Return the distance of each class for ordered values, scaled to an integer.

    A distance is the sum of the absolute cumulative differences. The scale is that of `_moved`, times the number of
    steps between the lowest and the highest rank.
    """
    total, n_values, start = int(overall.sum()), len(overall), counted.start
    large = total * total * n_values >= 1 << 62
    ends, at_once = np.append(start, len(counted.of)), max(1, _DENSE // n_values)
    moved: list[int] = []
    for first in range(0, len(start), at_once):
        last = min(first + at_once, len(start))
        rows = slice(ends[first], ends[last])
        dense = np.zeros((last - first, n_values), np.int64)
        dense[counted.of[rows] - first, counted.held[rows]] = counted.count[rows]
        apart = np.abs(np.cumsum(dense * total - overall * counted.size[first:last, None], axis=1))
        moved += [int(x) for x in (apart.astype(object) if large else apart).sum(axis=1)]
    return moved


def _moved_in_tree(counted: _ValueCounts, overall: Int64, tree: _Tree) -> list[int]:
    """Return the distance of each class for values in a tree, scaled to an integer.

    A distance is the sum over all edges of the edge length times the share that crosses the edge. The scale is that of
    `_moved`, times the length of the longest path. If a class has no value below an edge, the overall share below the
    edge crosses the edge. The sum of the overall shares is computed once for all classes.
    """
    total, n_steps = int(overall.sum()), max(1, len(tree.length))
    crossing = np.zeros(n_steps, np.int64)
    for column in tree.above.T:
        np.add.at(crossing, column[column >= 0], overall[column >= 0])
    every = int((tree.length * crossing[: len(tree.length)]).sum())
    keys = [counted.of * n_steps + column for column in tree.above.T[:, counted.held]]
    has_node = [column >= 0 for column in tree.above.T[:, counted.held]]
    pairs, pair_of = np.unique(
        np.concatenate([key[on] for key, on in zip(keys, has_node, strict=True)]), return_inverse=True
    )
    records_below = np.zeros(len(pairs), np.int64)
    np.add.at(records_below, pair_of.reshape(-1), np.concatenate([counted.count[on] for on in has_node]))
    moved = [n * every for n in counted.size.tolist()]
    for pair, records in zip(pairs.tolist(), records_below.tolist(), strict=True):
        c, step = divmod(pair, n_steps)
        expected = int(crossing[step]) * int(counted.size[c])
        moved[c] += int(tree.length[step]) * (abs(records * total - expected) - expected)
    return moved
