"""Random draws for choices that the papers do not state: leaf orders, samples of records, and unbalanced taxonomies.

All draws use SplitMix64 with the number of the draw as seed, so they are identical on every machine. Samples are drawn
without replacement, because duplicates would raise supports.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, TypeVar, cast

import numpy as np

from anonset.data import CategoricalColumn, Hierarchy, SetColumn, Table
from anonset.data.array_types import Int64
from anonset.data.split_mix import SplitMix
from anonset.errors import InputError

NAMED_ORDERS = ("numeric", "lexical", "frequency", "first seen")
"""Leaf orders that a person might choose. The results show each of these orders separately."""
RANDOM_ORDERS = tuple(f"random {number}" for number in range(1, 21))
"""Random leaf orders. Each is a repetition of a measurement."""
_RANDOM = "random "
_WHOLE = 1 << 20
_MOST_SKEWED = 4.0

_Records = TypeVar("_Records", SetColumn, Table)


def ordered(column: SetColumn | CategoricalColumn, order: str) -> list[str]:
    """Return the labels of a column in a leaf order, for `Hierarchy.balanced`.

    Parameters
    ----------
    column
        Column with the labels.
    order
        ``numeric`` (numbers by value, then other labels), ``lexical`` (by code point), ``frequency`` (most frequent
        first, ties by number), ``first seen`` (by first record, labels of a record by number, absent labels last) or
        ``random N`` (a permutation of the labels by number, drawn with seed N).

    Examples
    --------
    >>> column = SetColumn.of([{"10", "2"}, {"10"}, {"9"}])
    >>> [ordered(column, order) for order in NAMED_ORDERS]
    [['2', '9', '10'], ['10', '2', '9'], ['10', '2', '9'], ['2', '10', '9']]
    >>> [ordered(column, order) for order in RANDOM_ORDERS[:2]]
    [['2', '9', '10'], ['2', '10', '9']]

    Raises
    ------
    InputError
        If the order is unknown.
    """
    labels = list(column.vocabulary.labels)
    if order == "lexical":
        return sorted(labels)
    by_number = sorted(range(len(labels)), key=lambda place: _by_number(labels[place]))
    rank: Int64 = np.argsort(by_number)
    if order == "numeric":
        key = rank
    elif order == "frequency":
        key = -column.occurrences
    elif order == "first seen":
        key = _first_seen(column)
    elif order.startswith(_RANDOM) and order.removeprefix(_RANDOM).isdecimal():
        key = permutation(len(labels), int(order.removeprefix(_RANDOM)))[rank]
    else:
        msg = f"order must be one of {', '.join(NAMED_ORDERS)} or 'random N', got {order!r}"
        raise InputError(msg)
    return [labels[place] for place in np.lexsort((rank, key))]


def permutation(n: int, number: int) -> Int64:
    """Return a random permutation of 0 .. n - 1, int64 (n,).

    It is the sort order of `n` random numbers drawn with the seed `number`.

    >>> permutation(5, 1).tolist()
    [4, 3, 0, 1, 2]
    """
    return np.argsort(SplitMix(number).words(n), kind="stable")


def subsample(records: _Records, size: int, number: int) -> _Records:
    """Draw `size` records without replacement, in their original order.

    A smaller sample with the same number is a subset of a larger sample. The domain does not change.

    Raises
    ------
    InputError
        If `records` has fewer records.
    """
    if not 0 <= size <= records.n:
        msg = f"size must be at most {records.n:,}, the number of records, got {size:,}"
        raise InputError(msg)
    return _taken(records, np.sort(permutation(records.n, number)[:size]))


def parts(records: _Records, count: int, number: int) -> list[_Records]:
    """Split the records into `count` random parts of about equal size, each in the original order."""
    return [_taken(records, np.sort(part)) for part in np.array_split(permutation(records.n, number), count)]


def skewed_tree(labels: Sequence[str], skew: float, number: int, fanout: int = 5) -> Hierarchy:
    """Draw an unbalanced taxonomy over leaves in the given order, with leaves at very different depths.

    The number of children of a node with n leaves is uniform in 2 .. min(fanout, n). The i-th largest child receives a
    share of the leaves proportional to ``i ** -skew``, and at least one leaf. The children are in random order. With
    skew 0, all children have the same size, and the tree is as deep as a balanced tree. With a larger skew, the largest
    child has more leaves. The trees do not imitate a particular taxonomy.

    Parameters
    ----------
    labels
        Leaves from left to right, at least two.
    skew
        In [0, 4].
    number
        Seed.
    fanout
        Largest number of children of a node (>= 2).

    Examples
    --------
    >>> skewed_tree(["a", "b", "c", "d", "e"], 2, 1, fanout=2).labels
    ('T0', 'T1', 'T2', 'a', 'T3', 'b', 'c', 'd', 'e')

    Raises
    ------
    InputError
        If a parameter is out of range.
    """
    if len(labels) < 2 or fanout < 2 or not 0 <= skew <= _MOST_SKEWED:
        msg = (
            "a skewed tree needs two leaves or more, a fan-out of at least 2 and a skew in [0, 4], "
            f"got {len(labels)}, {fanout} and {skew}"
        )
        raise InputError(msg)
    random, weights = SplitMix(number), [max(1, round(_WHOLE * i**-skew)) for i in range(1, fanout + 1)]
    names, above = [], []
    pending = [(0, len(labels), -1)]
    inner = 0
    while pending:
        first, end, parent = pending.pop()
        above.append(parent)
        if end - first == 1:
            names.append(labels[first])
            continue
        names.append(f"T{inner}")
        inner += 1
        node, sizes = len(names) - 1, _sizes(end - first, weights, random)
        ends = first + np.cumsum(sizes)
        pending += [(int(e - s), int(e), node) for s, e in reversed(list(zip(sizes, ends, strict=True)))]
    return Hierarchy.from_preorder(names, np.array(above, np.int64))


def _sizes(n: int, weights: Sequence[int], random: SplitMix) -> list[int]:
    """Return the number of leaves below each child of a node with `n` leaves.

    Uses only integers, so that the result is identical on every machine.
    """
    count = 2 + random.below(min(len(weights), n) - 1)
    chosen = weights[:count]
    sizes = [1 + (n - count) * weight // sum(chosen) for weight in chosen]
    sizes[0] += n - sum(sizes)
    return [sizes[place] for place in np.argsort(random.words(count), kind="stable")]


def _by_number(label: str) -> tuple[bool, int, str]:
    is_number = label.isdecimal()
    return not is_number, int(label) if is_number else 0, label


def _first_seen(column: SetColumn | CategoricalColumn) -> Int64:
    """Return the first record that contains each label, int64 (M,).

    For labels that no record contains, the result is the record count.
    """
    codes = column.items if isinstance(column, SetColumn) else column.codes
    lengths = column.lengths if isinstance(column, SetColumn) else np.ones(column.n, np.int64)
    first = np.full(len(column.vocabulary), column.n, np.int64)
    np.minimum.at(first, codes, np.repeat(np.arange(column.n), lengths))
    return first


def _taken(records: _Records, chosen: Int64) -> _Records:
    found: Any
    if isinstance(records, Table):
        one = {role: getattr(records, role) for role in ("transactions", "sensitive")}
        taken: dict[str, Any] = {role: None if column is None else column.take(chosen) for role, column in one.items()}
        for role in ("relational", "ids", "kept"):
            taken[role] = tuple(column.take(chosen) for column in getattr(records, role))
        found = replace(records, **taken)
    else:
        found = records.take(chosen)
    return cast("_Records", found)
