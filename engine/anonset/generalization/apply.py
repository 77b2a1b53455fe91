"""Applying a recoding to its table: one of all records, or one of each cluster."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from anonset.data import CategoricalColumn, Hierarchy, SetColumn, Table, Vocabulary
from anonset.data.blocks import GrowingSets
from anonset.data.distinct import distinct
from anonset.data.spans import spans
from anonset.data.store import Store
from anonset.data.table import Int32, Int64
from anonset.errors import InputError
from anonset.generalization.publication import Publication, Symbol, generalize, group_symbol, node_symbol
from anonset.generalization.recoding import SUPPRESSED, Cut, ItemGroups, PerCluster, Recoding
from anonset.generalization.row_order import Source, sorted_rows

if TYPE_CHECKING:
    from anonset_kernels.row_order import Content


def apply(table: Table, recoding: Recoding) -> Publication:
    """Apply a recoding to its table.

    The symbols of the publication are those that some record shows: further ones would disclose, by their absence from
    the records, which items are suppressed.

    The table's set-valued column must be bound to the recoding's hierarchy or vocabulary, so that a code is a
    leaf's position.

    Raises
    ------
    InputError
        If the recoding is not one for this table.
    """
    if isinstance(recoding, PerCluster):
        return apply_per_cluster(table, recoding)
    return _of_all_records(table, *_symbols_of(table, recoding))


def apply_sorted(table: Table, recoding: Cut | ItemGroups, hierarchy: Hierarchy | None) -> Publication:
    """Apply a recoding of all records to a table in files: as `apply`, `in_public_order` and `Publication.sorted` do.

    Rows are never written in the order of the input.

    Raises
    ------
    InputError
        If the recoding is not one for this table.
    """
    column, image, symbols = _symbols_of(table, recoding)
    if hierarchy is not None and hierarchy.place is not None:
        symbols, rank = _in_public_order(symbols, hierarchy)
        image = np.append(rank, np.int32(SUPPRESSED))[image]
    store, kept = table.store.below(), table.kept
    largest = [*(len(c.vocabulary) for c in kept), len(symbols)]
    source = _Generalized(column, image, [c.codes for c in kept], len(symbols))
    size = column.n, int(column.indptr[-1])
    rows = sorted_rows(source, size, len(kept), largest, store, narrow=True)
    labels = Vocabulary(tuple(symbol.label for symbol in symbols))
    return Publication(
        SetColumn(column.name, rows.indptr, rows.items, labels),
        symbols,
        (),
        tuple(replace(c, codes=codes) for c, codes in zip(kept, rows.columns, strict=False)),
        rows.record,
        order=table.order,
        joined=table.joined,
        store=store,
    )


class _Generalized(Source):
    """Rows of a column in the order of the input, each item replaced by its symbol wherever they are looked at."""

    def __init__(self, column: SetColumn, image: Int32, columns: list[Int32], n_symbols: int) -> None:
        nothing = np.zeros(1, np.int64)
        super().__init__(nothing, np.empty(0, np.int32), columns, nothing)
        self._column, self._image, self._n_symbols = column, image, n_symbols

    def __call__(self, begin: int, end: int) -> "Content":
        """Return the rows begin .. end - 1."""
        return self._mapped(self._column.slice(begin, end), slice(begin, end), np.arange(begin, end))

    def some(self, rows: Int64) -> "Content":
        """Return some rows."""
        return self._mapped(self._column.take(rows), rows, rows)

    def _mapped(self, rows: SetColumn, which: Any, record: Int64) -> "Content":
        from anonset_kernels.row_order import Content
        from anonset_kernels.rows import map_rows

        indptr, items = map_rows(rows.indptr, rows.items, self._image, self._n_symbols)
        return Content(indptr, items, self.fixed(which, rows.n), record)


def _symbols_of(table: Table, recoding: Recoding) -> tuple[SetColumn, Int32, tuple[Symbol, ...]]:
    """Return the items of a table, the symbol code of each, int32 (M,), and the symbols that some record shows."""
    if isinstance(recoding, Cut):
        return _symbols_of_cut(table, recoding)
    if isinstance(recoding, ItemGroups):
        return _symbols_of_groups(table, recoding)
    msg = f"a recoding of type {type(recoding).__name__} cannot be applied yet"
    raise InputError(msg)


def _symbols_of_cut(table: Table, cut: Cut) -> tuple[SetColumn, Int32, tuple[Symbol, ...]]:
    column = table.transactions
    if column is None or column.vocabulary != cut.hierarchy.leaves:
        msg = "the cut's hierarchy must be bound to the table's set-valued column first (Hierarchy.bind)"
        raise InputError(msg)
    shown = np.unique(cut.image[column.occurrences > 0])
    shown = shown[shown != SUPPRESSED]
    code_of_node = np.full(cut.hierarchy.n_nodes + 1, SUPPRESSED, np.int32)
    code_of_node[shown] = np.arange(len(shown), dtype=np.int32)
    symbols = tuple(node_symbol(cut.hierarchy, int(node)) for node in shown)
    return column, code_of_node[cut.image], symbols


def _symbols_of_groups(table: Table, groups: ItemGroups) -> tuple[SetColumn, Int32, tuple[Symbol, ...]]:
    column = table.transactions
    if column is None or column.vocabulary != groups.vocabulary:
        msg = "the item groups must be of the items of the table's set-valued column, in the same order"
        raise InputError(msg)
    occurs, labels = column.occurrences > 0, column.vocabulary.labels
    shown = [members for members in groups.members if occurs[list(members)].any()]
    code_of_item = np.full(len(column.vocabulary), SUPPRESSED, np.int32)
    for code, members in enumerate(shown):
        code_of_item[list(members)] = code
    symbols = tuple(group_symbol(tuple(labels[item] for item in members)) for members in shown)
    return column, code_of_item, symbols


def _of_all_records(table: Table, column: SetColumn, image: Int32, symbols: tuple[Symbol, ...]) -> Publication:
    """Publish each item by the symbol that `image` says, in all records alike."""
    store = table.store.below()
    published = generalize(column, image, symbols, store)
    record = in_input_order(replace(table, store=store))
    order, joined = table.order, table.joined
    return Publication(published, symbols, (), table.kept, record, order=order, joined=joined, store=store)


def in_public_order(publication: Publication, hierarchy: Hierarchy) -> Publication:
    """Return a publication whose symbols, and members of sets, are in an order that discloses nothing of a tree.

    Members stand by their places (`Hierarchy.place`), symbols by those of their members.
    """
    column = publication.transactions
    if column is None or hierarchy.place is None:
        return publication
    book, rank = _in_public_order(publication.symbols, hierarchy)
    labels = Vocabulary(tuple(symbol.label for symbol in book))
    return replace(publication, transactions=column.recode(rank, labels, publication.store), symbols=book)


def _in_public_order(given: tuple[Symbol, ...], hierarchy: Hierarchy) -> tuple[tuple[Symbol, ...], Int32]:
    """Return symbols, and members of sets, by the places of a tree, and the new code of each symbol, int32 (S,)."""
    places = () if hierarchy.place is None else hierarchy.place.tolist()
    place = dict(zip(hierarchy.leaves.labels, places, strict=True))
    symbols = [replace(s, members=tuple(sorted(s.members, key=place.__getitem__))) for s in given]
    symbols = [group_symbol(symbol.members) if symbol.kind == "group" else symbol for symbol in symbols]
    order = sorted(range(len(symbols)), key=lambda code: [place[member] for member in symbols[code].members])
    rank = np.empty(len(order), np.int32)
    rank[order] = np.arange(len(order), dtype=np.int32)
    return tuple(symbols[code] for code in order), rank


def in_input_order(table: Table) -> Int64:
    """Return int64 (n,): the records of rows in the order of the table; it lies in the store of the table."""
    record = table.store.array("record", np.int64, table.n)
    for begin, end in spans(table.n):
        record[begin:end] = np.arange(begin, end)
    return record


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
    store = table.store.below()
    relational = []
    for values in recoding.relational:
        vocabulary = Vocabulary.of(values.labels)
        codes = np.array([vocabulary.index[label] for label in values.labels], np.int32)
        clusters = CategoricalColumn(values.name, recoding.cluster, vocabulary)
        relational.append(clusters.recode(codes, vocabulary, store))
    published: SetColumn | None = None
    symbols: tuple[Symbol, ...] = ()
    if table.transactions is not None:
        published, symbols = _publish_items(table.transactions, recoding, store)
    record = in_input_order(replace(table, store=store))
    return Publication(
        published,
        symbols,
        tuple(relational),
        table.kept,
        record,
        recoding.cluster,
        table.order,
        table.joined,
        store=store,
    )


def _publish_items(column: SetColumn, recoding: PerCluster, store: Store) -> tuple[SetColumn, tuple[Symbol, ...]]:
    """Return the published items of each record, in the order of the input, and their symbols."""
    if len(recoding.items) != recoding.n_clusters:
        msg = f"the recoding has {recoding.n_clusters} clusters, but mappings of the items for {len(recoding.items)}"
        raise InputError(msg)
    book = _Codebook(column)
    with GrowingSets(column.name, store) as drafts:
        for records, own in recoding.pieces():
            drafts.append(_draft(column if records is None else column.take(records), own, book))
        found_symbols, rank = book.in_order()
        draft = drafts.finished(Vocabulary(tuple(map(str, range(len(book))))))
        recoded = draft.recode(rank, Vocabulary(tuple(symbol.label for symbol in found_symbols)), store)
        drafts.drop_items()
    if recoding.parts is None:
        return recoded, found_symbols
    place = store.array("place", np.int64, column.n)
    for begin, end in spans(column.n):
        place[recoding.parts.record[begin:end]] = np.arange(begin, end)
    with GrowingSets(column.name, store) as rows:
        for begin, end in spans(column.n):
            rows.append(recoded.take(place[begin:end]))
    return rows.finished(recoded.vocabulary), found_symbols


def _draft(column: SetColumn, recoding: PerCluster, book: "_Codebook") -> SetColumn:
    """Return the published items of the records of a part, under the codes of the codebook so far."""
    from anonset_kernels.rows import map_rows

    order = np.argsort(recoding.cluster, kind="stable").astype(np.int64)
    by_cluster = column.take(order)
    ends = np.searchsorted(recoding.cluster[order], np.arange(recoding.n_clusters + 1)).astype(np.int64)
    symbols = np.empty(len(column.codes), np.int32)
    kept = np.zeros(column.n, np.int64)
    filled = 0
    for c, mapping in enumerate(recoding.items):
        rows = by_cluster.indptr[ends[c] : ends[c + 1] + 1]
        items = by_cluster.items[rows[0] : rows[-1]]
        occurring = distinct(items)
        image = np.full(len(column.vocabulary), SUPPRESSED, np.int32)
        image[occurring] = book.codes(mapping, occurring)
        indptr, part_symbols = map_rows(rows - rows[0], items, image, len(book))
        kept[ends[c] : ends[c + 1]] = np.diff(indptr)
        symbols[filled : filled + len(part_symbols)] = part_symbols
        filled += len(part_symbols)
    lengths = np.concatenate([[0], np.cumsum(kept)]).astype(np.int64)
    back = np.empty(len(order), np.int64)
    back[order] = np.arange(len(order))
    return SetColumn(column.name, lengths, symbols[:filled], column.vocabulary).take(back)


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
        symbols = self._nodes(mapping, occurring) if isinstance(mapping, Cut) else self._groups(mapping, occurring)
        known = self.code_of
        return np.array([SUPPRESSED if s == SUPPRESSED else known.setdefault(s, len(known)) for s in symbols], np.int32)

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
        tuples = {group: tuple(items) for group, items in members.items()}
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
