"""Numbers of unchanged, generalized and suppressed items, values and tuples. NCP and LM are computed exactly from these
numbers.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from anonset.data import CategoricalColumn, Hierarchy, SetColumn, Table
from anonset.data.array_types import Bools, Int32, Int64
from anonset.data.spans import begins_of
from anonset.data.table import Column
from anonset.errors import InputError
from anonset.generalization import Bucketized, Cut, ItemGroups, PerCluster, RelationalValues
from anonset.generalization.recoding import SUPPRESSED as NOT_PUBLISHED
from anonset.publications import Chunks

_BANDS = (10, 100, 1000)
SUPPRESSED, KEPT = "suppressed", "kept"
_MOST_RARE = 0.5
"""Share of item occurrences that are rare in their clusters from which on a warning is shown."""

PRINTED_PARTS = {"items": "item occurrences", "values": "relational values", "tuples": "rows"}
"""Printed names of the parts of the data whose changes are counted."""
PRINTED_FATES = {"in_chunks": "in chunks", "starred": "with a hidden identity"}
"""Printed names of outcomes that differ from the keys of the counts."""


def rare_in_clusters(column: SetColumn, cluster: Int32, k: int) -> float:
    """Return the share of the item occurrences whose item occurs in fewer than k records of the cluster.

    If each cluster must be k^m-anonymous, these items cannot be published unchanged. Cost: O(nnz log nnz).

    Parameters
    ----------
    cluster
        Cluster of each record, int32 (n,).

    Examples
    --------
    >>> column = SetColumn.of(["ab", "a", "ab", "a"])
    >>> rare_in_clusters(column, np.array([0, 0, 1, 1], np.int32), 2)
    0.3333333333333333
    """
    of_item = np.repeat(cluster.astype(np.int64), column.lengths) * len(column.vocabulary) + column.items
    counts = np.unique(of_item, return_counts=True)[1]
    return float(counts[counts < k].sum() / max(1, counts.sum()))


def rare_text(share: float) -> str:
    """Return a warning if most items are too rare in their clusters. Otherwise return an empty string.

    >>> rare_text(0.4), rare_text(0.625)[:30]
    ('', '62.5% of the item occurrences ')
    """
    if share < _MOST_RARE:
        return ""
    return (
        f"{share:.1%} of the item occurrences belong to items in fewer than k records of their cluster: "
        "no algorithm can keep them"
    )


def occurrences_by_size(column: SetColumn, recoding: Cut | ItemGroups | PerCluster) -> Int64:
    """Count item occurrences by the number of items that the published symbol covers.

    Cost: O(nnz), and O(M) for each cluster.

    Parameters
    ----------
    column
        The **original** column, bound to the recoding's hierarchy or vocabulary.

    Returns
    -------
    int64 (M + 1,)
        Number of occurrences by symbol size. Index 0 counts suppressed occurrences, and index 1 unchanged occurrences.

    Raises
    ------
    InputError
        If the column is not bound to the recoding, or has another number of records.

    Examples
    --------
    >>> column = SetColumn.of(["ab", "acd"])
    >>> occurrences_by_size(column, ItemGroups(column.vocabulary, np.array([0, 1, 1, -1], np.int32))).tolist()
    [1, 2, 2, 0, 0]
    """
    counts = np.zeros(len(column.vocabulary) + 1, np.int64)
    if not isinstance(recoding, PerCluster):
        np.add.at(counts, sizes_of_items(column, recoding), column.occurrences)
        return counts
    if len(recoding.cluster) != column.n:
        raise InputError(f"the recoding has clusters for {len(recoding.cluster)} records, the column has {column.n}")
    for records, mapping in recoding.pieces():
        _add_occurrences(counts, column if records is None else column.take(records), mapping)
    return counts


def _add_occurrences(counts: Int64, column: SetColumn, recoding: PerCluster) -> None:
    order = np.argsort(recoding.cluster, kind="stable").astype(np.int64)
    items = column.take(order).items
    lengths = np.bincount(recoding.cluster, weights=column.lengths, minlength=len(recoding.items))
    ends = begins_of(np.rint(lengths).astype(np.int64))
    for c, mapping in enumerate(recoding.items):
        cluster_items = items[ends[c] : ends[c + 1]]
        np.add.at(counts, sizes_of_items(column, mapping)[cluster_items], 1)


def sizes_of_items(column: SetColumn, mapping: Cut | ItemGroups) -> Int64:
    """Return the number of items that the symbol of each item covers, int64 (M,). 0 if the item is suppressed."""
    if isinstance(mapping, Cut):
        if column.vocabulary != mapping.hierarchy.leaves:
            raise InputError(f"column {column.name!r} must be bound to the recoding's hierarchy first (Hierarchy.bind)")
        image = mapping.image
        sizes = mapping.sizes[image]
    else:
        if column.vocabulary != mapping.vocabulary:
            raise InputError(f"column {column.name!r} must have the vocabulary of the recoding")
        image = mapping.group
        sizes = np.bincount(image[image != NOT_PUBLISHED], minlength=len(image)).astype(np.int64)[image]
    return np.where(image == NOT_PUBLISHED, 0, sizes).astype(np.int64)


def ncp_of_sizes(by_size: Int64) -> Fraction:
    """Return the NCP in [0, 1], given the number of occurrences by symbol size.

    This extends `ncp.ncp_exact` to any recoding, with the same denominator. A suppressed occurrence costs 1. An
    occurrence that is published as a symbol of s items costs s / M (He and Naughton, VLDB 2009, section 3.2).

    Examples
    --------
    >>> column = SetColumn.of(["ab", "acd"])
    >>> groups = ItemGroups(column.vocabulary, np.array([0, 1, 1, -1], np.int32))
    >>> by_size = occurrences_by_size(column, groups)
    >>> ncp_of_sizes(by_size), lm_of_sizes(by_size)
    (Fraction(2, 5), Fraction(1, 3))
    """
    costs = np.arange(len(by_size), dtype=np.int64)
    costs[0], costs[1:2] = len(by_size) - 1, 0
    return _mean(by_size, costs, len(by_size) - 1)


def lm_of_sizes(by_size: Int64) -> Fraction:
    """Return the mean LM of the occurrences, in [0, 1], given the number of occurrences by symbol size.

    Let L be the number of leaves. An occurrence that is published as a node of l leaves costs (l - 1) / (L - 1). A
    suppressed occurrence costs 1. LM differs from NCP. For example, a node of two leaves costs 1 / (L - 1) in LM, and 2
    / L in NCP. (Iyengar, KDD 2002; Liu and Wang, "Anonymizing transaction data by integrating suppression and
    generalization", 2010, section 2.)
    """
    costs = np.arange(-1, len(by_size) - 1, dtype=np.int64)
    costs[0] = max(0, len(by_size) - 2)
    return _mean(by_size, costs, len(by_size) - 2)


def _mean(by_size: Int64, costs: Int64, most: int) -> Fraction:
    """Return the mean cost of the occurrences as a share of `most`. Return 0 if there are no occurrences.

    The counts and costs are by symbol size, int64 (M + 1,).
    """
    occurring = np.flatnonzero(by_size)
    total = sum(
        count * cost for count, cost in zip(by_size[occurring].tolist(), costs[occurring].tolist(), strict=True)
    )
    return Fraction(total, max(1, most * int(by_size.sum())))


def by_level(
    column: SetColumn, recoding: Cut | ItemGroups | PerCluster, hierarchy: Hierarchy | None = None
) -> dict[str, int]:
    """Count item occurrences by generalization level.

    Parameters
    ----------
    column
        The **original** column, bound to the recoding's hierarchy or vocabulary.
    hierarchy
        Hierarchy of the column. Symbols that are not nodes of the hierarchy are counted by size.

    Examples
    --------
    >>> from anonset.data import Hierarchy
    >>> h = Hierarchy.from_tree(("ALL", [("A", ["a1", "a2"]), ("B", ["b1", "b2"])]))
    >>> column = h.bind(SetColumn.of([["a1", "b1"], ["a2"]]))
    >>> by_level(column, Cut(h, np.array([h.node_of["A"]] * 2 + [h.node_of["b1"], -1], np.int32)), h)
    {'kept': 1, '1 level up': 2}
    """
    if isinstance(recoding, PerCluster):
        return _levels_by_pieces(column, recoding, hierarchy)
    occurring = np.flatnonzero(column.occurrences)
    sizes = sizes_of_items(column, recoding)[occurring]
    return counted_levels(occurring, sizes, column.occurrences[occurring], hierarchy)


def _levels_by_pieces(column: SetColumn, recoding: PerCluster, hierarchy: Hierarchy | None) -> dict[str, int]:
    width, counted = len(column.vocabulary) + 1, [(np.empty(0, np.int64), np.empty(0, np.int64))]
    for records, mapping in recoding.pieces():
        part = column if records is None else column.take(records)
        keys = part.items.astype(np.int64) * width + occurrence_sizes(part, mapping)
        pairs, counts = np.unique(keys, return_counts=True)
        counted.append((pairs, counts.astype(np.int64)))
    pairs, pair_of = np.unique(np.concatenate([pairs for pairs, _ in counted]), return_inverse=True)
    counts = np.zeros(len(pairs), np.int64)
    np.add.at(counts, pair_of, np.concatenate([counts for _, counts in counted]))
    return counted_levels(pairs // width, pairs % width, counts, hierarchy)


def counted_levels(item: Int64, size: Int64, counts: Int64, hierarchy: Hierarchy | None) -> dict[str, int]:
    """Count item occurrences by generalization level.

    Parameters
    ----------
    item, size, counts
        Pairs of an item code and a symbol size, and the number of occurrences of each pair, int64 (p,) each. The symbol
        size is the number of items that the symbol covers. 0 if the item is suppressed.
    """
    pairs = item
    up = np.full(len(pairs), -1, np.int64)
    if hierarchy is not None:
        node = hierarchy.leaf_node[item].astype(np.int64)
        below = hierarchy.n_leaves_below
        levels = np.zeros(len(pairs), np.int64)
        while (open_ := (below[node] < size) & (hierarchy.parent[node] >= 0)).any():
            node = np.where(open_, hierarchy.parent[node], node)
            levels += open_
        up = np.where(below[node] == size, levels, -1)
    count_of: dict[str, int] = {}
    for name, key in _order(size, up).items():
        count_of[name] = int(counts[key].sum())
    return {name: count for name, count in count_of.items() if count}


def level_phrase(name: str, items: int) -> str:
    """Return the phrase for a level name of `by_level`. `items` is the number of items of the data.

    >>> level_phrase("2 levels up", 8), level_phrase("one of 2 to 10", 8), level_phrase("one of 2 to 10", 50)
    ('by 2 levels', 'to a set of 2 to 8 items', 'to a set of 2 to 10 items')
    """
    if not name.startswith("one of "):
        return f"by {name.removesuffix(' up')}"
    low, to, high = name.removeprefix("one of ").partition(" to ")
    return f"to a set of {low}{to}{min(int(high), items) if to else high} items"


def _order(size: Int64, up: Int64) -> Mapping[str, np.ndarray[tuple[int], np.dtype[np.bool_]]]:
    """Return a mask of the pairs with each outcome, by the name of the outcome. Outcomes are sorted by
    ascending loss.
    """
    fates = {KEPT: size == 1}
    wide = size > 1
    for level in range(1, int(up.max(initial=0)) + 1):
        fates[f"{level} level{'s' * (level > 1)} up"] = wide & (up == level)
    low = 1
    for high in _BANDS:
        fates[f"one of {low + 1} to {high}"] = wide & (up < 0) & (size > low) & (size <= high)
        low = high
    fates[f"one of more than {low:,}"] = wide & (up < 0) & (size > low)
    fates[SUPPRESSED] = size == 0
    return fates


def occurrence_sizes(column: SetColumn, recoding: Cut | ItemGroups | PerCluster) -> Int64:
    """Return the number of items that the symbol of each occurrence covers, int64 (nnz,). 0 if suppressed."""
    if not isinstance(recoding, PerCluster):
        return sizes_of_items(column, recoding)[column.items]
    of_row = np.repeat(recoding.cluster, column.lengths)
    order = np.argsort(of_row, kind="stable")
    ends = np.searchsorted(of_row[order], np.arange(len(recoding.items) + 1))
    sizes = np.zeros(len(column.codes), np.int64)
    for cluster, mapping in enumerate(recoding.items):
        positions = order[ends[cluster] : ends[cluster + 1]]
        sizes[positions] = sizes_of_items(column, mapping)[column.items[positions]]
    return sizes


def of_nodes(recoding: Cut | ItemGroups | PerCluster) -> bool:
    """Return True if a recoding publishes nodes of a hierarchy, not item sets."""
    if isinstance(recoding, PerCluster):
        return len(recoding.items) > 0 and isinstance(recoding.items[0], Cut)
    return isinstance(recoding, Cut)


Counts = dict[str, int]
"""Counts by outcome."""


def retention(table: Table, recoding: Cut | ItemGroups | PerCluster) -> dict[str, Counts]:
    """Count unchanged, generalized and suppressed items and values of published records.

    Parameters
    ----------
    table
        The **original** table, with columns bound to the recoding's hierarchies.

    Returns
    -------
    dict
        ``items`` contains the numbers of kept, generalized and suppressed occurrences. ``values`` contains the numbers
        of kept and generalized relational values. Entries that do not apply to the table are missing.

    Examples
    --------
    >>> table = Table.from_sets([{"a", "b"}, {"a", "c"}])
    >>> groups = ItemGroups(table.transactions.vocabulary, np.array([0, 1, 1], np.int32))
    >>> retention(table, groups)
    {'items': {'kept': 2, 'generalized': 2, 'suppressed': 0}}
    """
    counts: dict[str, Counts] = {}
    if table.transactions is not None:
        counts["items"] = of_items(table.transactions, recoding)
    if table.relational and isinstance(recoding, PerCluster):
        counts["values"] = of_values(table.relational, recoding)
    return counts


def relative_to(part: str, coarsened: Mapping[str, Sequence[str]]) -> str:
    """Return the end of a text on a part that reading coarsened, because its counts do not include the coarsening.
    Return an empty text for other parts.

    Parameters
    ----------
    part
        Part of the data, as in `retention`.
    coarsened
        Coarsened columns of each part (`Table.coarsened`).

    Examples
    --------
    >>> relative_to("values", {"values": ["born"]}), relative_to("items", {"values": ["born"]})
    (', relative to the coarsened values', '')
    """
    return f", relative to the coarsened {part}" if coarsened.get(part) else ""


def coarsened_text(coarsened: Mapping[str, Sequence[str]]) -> str:
    """Return the phrase for an original in which reading coarsened columns, or an empty text.

    >>> coarsened_text({"values": ["born", "zip"]})
    'the original with coarsened born, zip'
    """
    names = [name for names in coarsened.values() for name in names]
    return f"the original with coarsened {', '.join(names)}" if names else ""


def loss_relative_to(name: str, coarsened: Mapping[str, Sequence[str]]) -> str:
    """Return the text of `relative_to` for a loss.

    >>> loss_relative_to("rum", {"values": ["born"]}), loss_relative_to("ncp", {"values": ["born"]})
    (', relative to the coarsened values', '')
    """
    return relative_to("values" if name == "rum" else "items", coarsened)


def shares(counts: Mapping[str, Mapping[str, int]]) -> dict[str, dict[str, float]]:
    """Convert the counts of each group to shares of the sum of the group. The shares are 0 if the sum is 0.

    >>> shares({"items": {"kept": 3, "generalized": 1, "suppressed": 0}})
    {'items': {'kept': 0.75, 'generalized': 0.25, 'suppressed': 0.0}}
    """
    return {
        name: {fate: count / max(1, sum(fates.values())) for fate, count in fates.items()}
        for name, fates in counts.items()
    }


def of_items(column: SetColumn, recoding: Cut | ItemGroups | PerCluster) -> Counts:
    """Count kept, generalized and suppressed item occurrences."""
    by_size = occurrences_by_size(column, recoding)
    suppressed, unchanged = int(by_size[0]), int(by_size[1:2].sum())
    return {"kept": unchanged, "generalized": int(by_size.sum()) - unchanged - suppressed, "suppressed": suppressed}


def of_chunks(column: SetColumn, publication: Chunks) -> Counts:
    """Count item occurrences in chunks, in terms, and suppressed."""
    in_chunks, terms = publication.occurrences, publication.in_terms or 0
    return {"in_chunks": in_chunks, "terms": terms, SUPPRESSED: len(column.codes) - in_chunks - terms}


def of_values(columns: tuple[Column, ...], recoding: PerCluster) -> Counts:
    """Count the unchanged and generalized relational values of all records."""
    unchanged = 0
    for records, mapping in recoding.pieces():
        published = {values.name: values for values in mapping.relational}
        for column in columns:
            part = column if records is None else column.take(records)
            unchanged += int(np.count_nonzero(_is_kept(part, mapping.cluster, published[column.name])))
    return {"kept": unchanged, "generalized": sum(column.n for column in columns) - unchanged}


def of_tuples(buckets: Bucketized) -> Counts:
    """Count the tuples of a bucketized table by outcome."""
    removed = buckets.group == NOT_PUBLISHED
    starred = int(np.count_nonzero(buckets.starred & ~removed))
    n_removed = int(np.count_nonzero(removed))
    return {"kept": len(removed) - starred - n_removed, "starred": starred, "removed": n_removed}


def _is_kept(column: Column, cluster: NDArray[np.integer], published: RelationalValues) -> Bools:
    if isinstance(column, CategoricalColumn):
        index = column.vocabulary.index
        codes: Int64 = np.array([index.get(label, NOT_PUBLISHED) for label in published.labels], np.int64)
        same: Bools = codes[cluster] == column.codes
        return same
    read = int if column.values.dtype == np.int64 else float
    points = [_number(label, read) for label in published.labels]
    is_point = np.array([point is not None for point in points], bool)
    numbers = np.array([0 if point is None else point for point in points], column.values.dtype)
    equal: Bools = is_point[cluster] & (numbers[cluster] == column.values)
    return equal


def _number(label: str, read: type[int] | type[float]) -> int | float | None:
    try:
        return read(label)
    except ValueError:
        return None
