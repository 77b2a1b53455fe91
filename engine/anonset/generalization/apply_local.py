"""Applying a local recoding: every cluster of records has a mapping of its own, and all share one codebook."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from anonset.data import CategoricalColumn, Hierarchy, SetColumn, Table, Vocabulary
from anonset.data.table import Int32
from anonset.errors import InputError
from anonset.generalization.publication import Publication, Symbol
from anonset.generalization.recoding import SUPPRESSED, Cut, ItemGroups, PerCluster
from anonset.generalization.symbols import group_symbol, node_symbol


def apply_per_cluster(table: Table, recoding: PerCluster) -> Publication:
    """Publish each record by the mapping and the relational values of its cluster.

    Cost: O(nnz), and O(M) for each cluster; memory for one mapping at a time.

    Raises
    ------
    InputError
        If the recoding is not one for this table.
    """
    if len(recoding.cluster) != table.n:
        msg = f"the recoding names the clusters of {len(recoding.cluster)} records, the table has {table.n}"
        raise InputError(msg)
    relational = []
    for values in recoding.relational:
        vocabulary = Vocabulary.of(values.labels)
        codes = np.array([vocabulary.index[label] for label in values.labels], np.int32)
        relational.append(CategoricalColumn(values.name, codes[recoding.cluster], vocabulary))
    published: SetColumn | None = None
    symbols: tuple[Symbol, ...] = ()
    if table.transactions is not None:
        published, symbols = _publish_items(table.transactions, recoding)
    record = np.arange(table.n, dtype=np.int64)
    return Publication(
        published, symbols, tuple(relational), table.kept, record, recoding.cluster, table.order, table.joined
    )


def _publish_items(column: SetColumn, recoding: PerCluster) -> tuple[SetColumn, tuple[Symbol, ...]]:
    from anonset_kernels.rows import map_rows

    if len(recoding.items) != recoding.n_clusters:
        msg = f"the recoding has {recoding.n_clusters} clusters, but mappings of the items for {len(recoding.items)}"
        raise InputError(msg)
    book = _Codebook(column)
    order = np.argsort(recoding.cluster, kind="stable").astype(np.int64)
    by_cluster = column.take(order)
    ends = np.searchsorted(recoding.cluster[order], np.arange(recoding.n_clusters + 1)).astype(np.int64)
    symbols = np.empty(len(column.items), np.int32)
    kept = np.zeros(column.n, np.int64)
    filled = 0
    for c, mapping in enumerate(recoding.items):
        rows = by_cluster.indptr[ends[c] : ends[c + 1] + 1]
        items = by_cluster.items[rows[0] : rows[-1]]
        occurring = np.unique(items)
        image = np.full(len(column.vocabulary), SUPPRESSED, np.int32)
        image[occurring] = book.codes(mapping, occurring)
        indptr, found = map_rows(rows - rows[0], items, image, len(book))
        kept[ends[c] : ends[c + 1]] = np.diff(indptr)
        symbols[filled : filled + len(found)] = found
        filled += len(found)
    lengths = np.concatenate([[0], np.cumsum(kept)]).astype(np.int64)
    found_symbols, rank = book.in_order()
    vocabulary = Vocabulary(tuple(symbol.label for symbol in found_symbols))
    draft = SetColumn(column.name, lengths, symbols[:filled], Vocabulary(tuple(map(str, range(len(book))))))
    back = np.empty(len(order), np.int64)
    back[order] = np.arange(len(order))
    return draft.recode(rank, vocabulary).take(back), found_symbols


class _Codebook:
    """The distinct symbols of all clusters: nodes of one hierarchy, or sets of items."""

    def __init__(self, column: SetColumn) -> None:
        self.column = column
        self.hierarchy: Hierarchy | None = None
        self.code_of: dict[int | tuple[int, ...], int] = {}

    def __len__(self) -> int:
        return len(self.code_of)

    def codes(self, mapping: Cut | ItemGroups, occurring: NDArray[np.integer]) -> Int32:
        """Return int32: the symbol code of each of the items, -1 where it is suppressed; new symbols are added."""
        found = self._nodes(mapping, occurring) if isinstance(mapping, Cut) else self._groups(mapping, occurring)
        known = self.code_of
        return np.array([SUPPRESSED if s == SUPPRESSED else known.setdefault(s, len(known)) for s in found], np.int32)

    def _nodes(self, cut: Cut, occurring: NDArray[np.integer]) -> Sequence[int | tuple[int, ...]]:
        if self.hierarchy is None and self.column.vocabulary != cut.hierarchy.leaves:
            msg = "the cuts' hierarchy must be bound to the table's set-valued column first (Hierarchy.bind)"
            raise InputError(msg)
        self.hierarchy = cut.hierarchy
        nodes: list[int | tuple[int, ...]] = cut.image[occurring].tolist()
        return nodes

    def _groups(self, groups: ItemGroups, occurring: NDArray[np.integer]) -> Sequence[int | tuple[int, ...]]:
        wanted = np.unique(groups.group[occurring])
        chosen = np.flatnonzero(np.isin(groups.group, wanted))
        members: dict[int, list[int]] = {}
        for item, group in zip(chosen.tolist(), groups.group[chosen].tolist(), strict=True):
            members.setdefault(group, []).append(item)
        tuples = {group: tuple(found) for group, found in members.items()}
        return [SUPPRESSED if g == SUPPRESSED else tuples[g] for g in groups.group[occurring].tolist()]

    def in_order(self) -> tuple[tuple[Symbol, ...], Int32]:
        """Return the symbols in canonical order, and the place of each code in it."""
        keys = sorted(self.code_of, key=lambda key: (key,) if isinstance(key, int) else key)
        rank = np.empty(len(keys), np.int32)
        for place, key in enumerate(keys):
            rank[self.code_of[key]] = place
        return tuple(map(self._symbol, keys)), rank

    def _symbol(self, key: int | tuple[int, ...]) -> Symbol:
        if isinstance(key, int):
            return node_symbol(self.hierarchy, key)  # type: ignore[arg-type]
        return group_symbol(tuple(self.column.vocabulary.labels[item] for item in key))
