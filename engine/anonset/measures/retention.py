"""How many item occurrences, relational values and tuples are kept as they are, and what became of the others."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from anonset.data import CategoricalColumn, SetColumn, Table
from anonset.data.table import Column, Int64
from anonset.generalization import Buckets, Cut, ItemGroups, PerCluster, RelationalValues
from anonset.generalization.recoding import SUPPRESSED
from anonset.measures.occurrences import occurrences_by_size

Counts = dict[str, int]
"""How many, by what became of them."""


def retention(table: Table, recoding: Cut | ItemGroups | PerCluster | Buckets) -> dict[str, Counts]:
    """Count what is published as it is, and what is not.

    Parameters
    ----------
    table
        The **original** table, its columns bound to the recoding's hierarchies.

    Returns
    -------
    dict
        ``items``: occurrences kept, generalized, suppressed; ``values``: relational values kept, generalized;
        ``tuples`` of buckets: kept, starred, removed. Each where the table has them.

    Examples
    --------
    >>> table = Table.from_sets([{"a", "b"}, {"a", "c"}])
    >>> groups = ItemGroups(table.transactions.vocabulary, np.array([0, 1, 1], np.int32))
    >>> retention(table, groups)
    {'items': {'kept': 2, 'generalized': 2, 'suppressed': 0}}
    """
    if isinstance(recoding, Buckets):
        return {"tuples": of_tuples(recoding)}
    counts: dict[str, Counts] = {}
    if table.transactions is not None:
        counts["items"] = of_items(table.transactions, recoding)
    if table.relational and isinstance(recoding, PerCluster):
        counts["values"] = of_values(table.relational, recoding)
    return counts


def shares(counts: Mapping[str, Mapping[str, int]]) -> dict[str, dict[str, float]]:
    """Return counts as shares of their sums; 0 where there is nothing.

    >>> shares({"items": {"kept": 3, "generalized": 1, "suppressed": 0}})
    {'items': {'kept': 0.75, 'generalized': 0.25, 'suppressed': 0.0}}
    """
    return {
        name: {fate: count / max(1, sum(fates.values())) for fate, count in fates.items()}
        for name, fates in counts.items()
    }


def of_items(column: SetColumn, recoding: Cut | ItemGroups | PerCluster) -> Counts:
    """Count the occurrences of items, each by what its own record publishes it as."""
    by_size = occurrences_by_size(column, recoding)
    suppressed, kept = int(by_size[0]), int(by_size[1:2].sum())
    return {"kept": kept, "generalized": int(by_size.sum()) - kept - suppressed, "suppressed": suppressed}


def of_values(columns: tuple[Column, ...], recoding: PerCluster) -> Counts:
    """Count the relational values of all records."""
    kept = 0
    for records, own in recoding.pieces():
        published = {values.name: values for values in own.relational}
        for column in columns:
            part = column if records is None else column.take(records)
            kept += int(np.count_nonzero(_is_kept(part, own.cluster, published[column.name])))
    return {"kept": kept, "generalized": sum(column.n for column in columns) - kept}


def of_tuples(buckets: Buckets) -> Counts:
    """Count the tuples of a bucketized table."""
    removed = buckets.group == SUPPRESSED
    starred = int(np.count_nonzero(buckets.starred & ~removed))
    gone = int(np.count_nonzero(removed))
    return {"kept": len(removed) - starred - gone, "starred": starred, "removed": gone}


def _is_kept(column: Column, cluster: NDArray[np.integer], published: RelationalValues) -> NDArray[np.bool_]:
    """Bool (n,): whether each record's cluster publishes its own value: the text of it, not a range, set or node."""
    if isinstance(column, CategoricalColumn):
        index = column.vocabulary.index
        codes: Int64 = np.array([index.get(label, SUPPRESSED) for label in published.labels], np.int64)
        same: NDArray[np.bool_] = codes[cluster] == column.codes
        return same
    read = int if column.values.dtype == np.int64 else float
    points = [_number(label, read) for label in published.labels]
    there = np.array([point is not None for point in points], bool)
    numbers = np.array([0 if point is None else point for point in points], column.values.dtype)
    equal: NDArray[np.bool_] = there[cluster] & (numbers[cluster] == column.values)
    return equal


def _number(label: str, read: type[int] | type[float]) -> int | float | None:
    try:
        return read(label)
    except ValueError:
        return None
