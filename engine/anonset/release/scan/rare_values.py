"""Count the persons with a published value, and the persons in small groups of records with equal values.

All functions process records in blocks and add integers, so that results are equal for data in memory and on disk.
"""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from anonset.data import CategoricalColumn, NumericColumn
from anonset.data.array_types import Float64, Int64
from anonset.data.equivalence_classes import keys_of
from anonset.data.hierarchies.hierarchy_rules import NO_VALUE
from anonset.data.spans import spans
from anonset.data.storage.store import MEMORY, Store
from anonset.publications.symbols import members_of, range_ends
from anonset.verification.shares import shares_of

_MOST_CODES = 1 << 24
"""Maximum number of codes that are counted in memory at once."""


def ends_of_ranges(labels: Sequence[str]) -> Float64:
    """Return the distinct numbers in labels of ranges and points, ascending. Other labels are ignored.

    >>> ends_of_ranges(["[19:22]", "22", "*"]).tolist()
    [19.0, 22.0]
    """
    numbers: set[float] = set()
    for label in labels:
        try:
            numbers.update(map(float, range_ends(label)))
        except ValueError:
            continue
    return np.array(sorted(numbers), np.float64)


def persons_with(column: NumericColumn, numbers: Float64) -> Int64:
    """Count the records with each number, int64 (numbers,), given the numbers in ascending order.

    >>> persons_with(NumericColumn("age", np.array([19, 70, 19])), np.array([19.0, 20.0])).tolist()
    [2, 0]
    """
    counts = np.zeros(len(numbers), np.int64)
    if not len(numbers):
        return counts
    for a, b in spans(column.n):
        values = column.values[a:b].astype(np.float64)
        place = np.minimum(np.searchsorted(numbers, values), len(numbers) - 1)
        counts += np.bincount(place[numbers[place] == values], minlength=len(numbers))
    return counts


def count_rare(
    column: CategoricalColumn, threshold: int, ids: Sequence[CategoricalColumn] = (), store: Store = MEMORY
) -> int:
    """Count the labels that occur in at least one and fewer than `threshold` records. Missing values are not counted.
    Without `ids`, the memory use is constant.

    Parameters
    ----------
    ids
        Identifiers of the person of each record, if a person may have several. Persons are then counted.
    store
        Store for temporary arrays, if the columns are on disk.

    >>> count_rare(CategoricalColumn.of("year", ["1990", "1990", "1965", ""]), threshold=2)
    1
    """
    if ids:
        return sum(int(np.count_nonzero(sizes < threshold)) for sizes in _persons_of_groups((column,), ids, store))
    size, rare, missing = len(column.vocabulary), 0, _missing(column)
    for first, end in spans(size, _MOST_CODES):
        counts = np.zeros(end - first, np.int64)
        for a, b in spans(column.n):
            codes = column.codes[a:b]
            if size > _MOST_CODES:
                codes = codes[(codes >= first) & (codes < end)]
            if end - first <= b - a:
                counts += np.bincount(codes - first, minlength=end - first)
            else:
                np.add.at(counts, codes - first, 1)
        counts[[code - first for code in missing if first <= code < end]] = 0
        rare += int(np.count_nonzero((counts > 0) & (counts < threshold)))
    return rare


def count_given(column: CategoricalColumn) -> int:
    """Count the records with a value. The memory use is constant.

    >>> count_given(CategoricalColumn.of("year", ["1990", "1990", "1965", ""]))
    3
    """
    missing = _missing(column)
    return sum(int(np.count_nonzero(~np.isin(column.codes[a:b], missing))) for a, b in spans(column.n))


def _missing(column: CategoricalColumn) -> list[int]:
    """Return the codes that mean a missing value."""
    return [code for code in map(column.vocabulary.index.get, NO_VALUE) if code is not None]


def members_of_sets(labels: Sequence[str]) -> set[str]:
    """Return the members of labels that are sets, such as ``(a,b)``.

    >>> sorted(members_of_sets(["(a,b)", "c"]))
    ['a', 'b']
    """
    return {member for label in labels if len(members := members_of(label)) > 1 for member in members}


def values_in_sets(
    original: CategoricalColumn, labels: Sequence[str], members: Mapping[str, tuple[str, ...]]
) -> list[str]:
    """Return the original values that are members of published sets of values, sorted.

    Parameters
    ----------
    labels
        Published labels.
    members
        Members of the published sets that have names.
    """
    index = original.vocabulary.index
    listed = members_of_sets([label for label in labels if label not in index])
    listed |= {member for label in labels for member in members.get(label, ())}
    return sorted(value for value in listed - NO_VALUE if value in index)


def persons_in_small_groups(
    columns: Sequence[CategoricalColumn],
    threshold: int,
    store: Store = MEMORY,
    ids: Sequence[CategoricalColumn] = (),
) -> int:
    """Count the records in groups of fewer than `threshold` records that are equal in all columns.

    Parameters
    ----------
    columns
        At least one column.
    store
        Store for temporary arrays, if the columns are on disk.
    ids
        Identifiers of the person of each record, if a person may have several. Persons are then counted.

    >>> pair = CategoricalColumn.of("sex", "ffm"), CategoricalColumn.of("year", "112")
    >>> persons_in_small_groups(pair, threshold=3)
    3
    """
    groups = _persons_of_groups(columns, ids, store) if ids else _group_sizes(columns, store)
    return sum(int(sizes[sizes < threshold].sum()) for sizes in groups)


def _persons_of_groups(
    columns: Sequence[CategoricalColumn], ids: Sequence[CategoricalColumn], store: Store
) -> Iterator[Int64]:
    """Yield the number of persons with each combination of values. Missing values of a single column are ignored."""
    for share in shares_of(columns, store):
        is_missing = np.isin(columns[0].codes[share], _missing(columns[0]) if len(columns) == 1 else [])
        rows = share[~is_missing]
        groups = keys_of([column.take(rows) for column in columns], len(rows))
        of_persons = keys_of([column.take(rows) for column in (*columns, *ids)], len(rows))
        first = np.unique(of_persons, return_index=True)[1]
        yield np.unique(groups[first], return_counts=True)[1].astype(np.int64)


def _group_sizes(columns: Sequence[CategoricalColumn], store: Store) -> Iterator[Int64]:
    combinations = 1
    for column in columns:
        combinations *= max(1, len(column.vocabulary))
    if combinations <= _MOST_CODES:
        sizes = np.zeros(combinations, np.int64)
        for a, b in spans(columns[0].n):
            keys = keys_of([column.slice(a, b) for column in columns], b - a)
            if combinations <= b - a:
                sizes += np.bincount(keys, minlength=combinations)
            else:
                np.add.at(sizes, keys, 1)
        yield sizes[sizes > 0]
        return
    for rows in shares_of(columns, store):
        keys = keys_of([column.take(rows) for column in columns], len(rows))
        yield np.unique(keys, return_counts=True)[1].astype(np.int64)
