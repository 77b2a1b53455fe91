"""Apply a recoding to a table, either to all records together or per cluster."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from anonset.data import CategoricalColumn, Hierarchy, SetColumn, Table, Vocabulary
from anonset.data.array_types import Int32, Int64
from anonset.data.blocks import SetColumnBuilder
from anonset.data.codes import stored_codes
from anonset.data.distinct import distinct
from anonset.data.resumption.ledger import Ledger
from anonset.data.spans import begins_of, spans
from anonset.data.storage.store import Store, backing, damage_error, not_needed_now
from anonset.errors import InputError
from anonset.generalization.recoding import SUPPRESSED, Cut, ItemGroups, PerCluster, Recoding, cut_symbol
from anonset.generalization.row_order import SortedRows, sort_rows
from anonset.generalization.unsorted_rows import UnsortedRows, without_items
from anonset.publications import Records, Symbol
from anonset.publications.symbols import generalize, group_symbol, node_symbol

_STEP = "rows"


def apply(table: Table, recoding: Recoding, hierarchy: Hierarchy | None = None, *, by_content: bool = False) -> Records:
    """Apply a recoding to its table.

    The codebook of the publication contains only symbols that occur in a record. An unused symbol would disclose which
    items are suppressed. The item codes of the table must be the leaf positions of the recoding's hierarchy or the
    codes of its vocabulary.

    Parameters
    ----------
    hierarchy
        Item hierarchy. If it defines places (`Hierarchy.place`), symbols and set members are sorted by place.
    by_content
        True to sort rows by their published content, because the input order could disclose suppressed values. Rows
        with equal content remain in input order.

    Raises
    ------
    InputError
        If the recoding does not fit the table.
    """
    store, kept = table.store.nested(), table.kept
    unsorted = store.nested() if by_content else store
    if isinstance(recoding, PerCluster):
        sets, symbols, relational = _of_clusters(table, recoding, hierarchy, unsorted)
        image, cluster = None, recoding.cluster
    else:
        sets, symbols, image = _of_all_records(table, recoding, hierarchy)
        relational, cluster = (), None
    if by_content:
        columns = [*(column.codes for column in (*relational, *kept)), *(() if cluster is None else (cluster,))]
        largest = [*(len(column.vocabulary) for column in (*relational, *kept)), len(symbols)]
        rows = _sorted_once(_PublishedRows(table.n, sets, image, columns), largest, table.store, store)
        if sets is not None:
            not_needed_now(sets.indptr, stored_codes(sets.codes))
        unsorted.remove()
        codes, record = iter(rows.columns), rows.record
        relational, kept = (tuple(replace(c, codes=next(codes)) for c in part) for part in (relational, kept))
        cluster = next(codes, None)
        sets = None if sets is None else SetColumn(sets.name, rows.indptr, rows.items, _labels(symbols))
        if sets is not None and rows.occurrences is not None:
            sets.with_occurrences(rows.occurrences[: len(symbols)])
    else:
        record = in_input_order(table.n, store)
        sets = sets if sets is None or image is None else generalize(sets, image, symbols, store)
    order, joined = table.order, table.joined
    return Records(sets, symbols, relational, kept, record, cluster, order, joined, store=store)


def _sorted_once(rows: UnsortedRows, largest: Sequence[int], work: Store, store: Store) -> SortedRows:
    """Sort the rows into `store`, or return the sorted rows that an interrupted run left in its work directory."""
    ledger = Ledger(work.of_run)
    done: SortedRows | None = ledger.finished(_STEP)
    if done is None:
        done = sort_rows(rows, largest=largest, store=ledger.store or store, narrow=True)
        ledger.finish(_STEP, done)
    return done


class _PublishedRows(UnsortedRows):
    """Published rows in input order. Items are replaced by symbols when rows are read."""

    def __init__(self, n: int, sets: SetColumn | None, image: Int32 | None, columns: Sequence[Int32]) -> None:
        super().__init__(without_items(n) if sets is None else sets, columns)
        self._image = image
        self._n_symbols = 0 if image is None else int(image.max(initial=SUPPRESSED)) + 1

    def items(self, sets: SetColumn) -> tuple[Int64, Int32]:
        from anonset_kernels.records.rows import map_rows

        if self._image is None:
            return super().items(sets)
        items, file = sets.items, backing(stored_codes(self.sets.codes))
        # the kernel would read beyond the image if the file was damaged in the search
        if file is not None and len(items) and not 0 <= items.min() <= items.max() < len(self._image):
            raise damage_error(file.filename)
        return map_rows(sets.indptr, items, self._image, self._n_symbols)


def _labels(symbols: Sequence[Symbol]) -> Vocabulary:
    return Vocabulary(tuple(symbol.label for symbol in symbols))


def _of_all_records(
    table: Table, recoding: Recoding, hierarchy: Hierarchy | None
) -> tuple[SetColumn, tuple[Symbol, ...], Int32]:
    """Return the item column, the symbols that occur in a record, and the symbol code of each item."""
    if isinstance(recoding, Cut):
        column, image, symbols = _symbols_of_cut(table, recoding)
    elif isinstance(recoding, ItemGroups):
        column, image, symbols = _symbols_of_groups(table, recoding)
    else:
        raise InputError(f"recodings of type {type(recoding).__name__} are not supported")
    symbols, rank = _in_public_order(symbols, hierarchy)
    return column, symbols, np.append(rank, np.int32(SUPPRESSED))[image]


def _symbols_of_cut(table: Table, cut: Cut) -> tuple[SetColumn, Int32, tuple[Symbol, ...]]:
    column = table.transactions
    if column is None or column.vocabulary != cut.hierarchy.leaves:
        raise InputError("the cut's hierarchy must be bound to the table's set-valued column first (Hierarchy.bind)")
    shown = np.unique(cut.image[column.occurrences > 0])
    shown = shown[shown != SUPPRESSED]
    code_of_node = np.full(cut.hierarchy.n_nodes + 1, SUPPRESSED, np.int32)
    code_of_node[shown] = np.arange(len(shown), dtype=np.int32)
    symbols = tuple(cut_symbol(cut, int(node)) for node in shown)
    return column, code_of_node[cut.image], symbols


def _symbols_of_groups(table: Table, groups: ItemGroups) -> tuple[SetColumn, Int32, tuple[Symbol, ...]]:
    column = table.transactions
    if column is None or column.vocabulary != groups.vocabulary:
        raise InputError("the item groups must have the items of the table's set-valued column, in the same order")
    occurs, labels = column.occurrences > 0, column.vocabulary.labels
    shown = [members for members in groups.members if occurs[list(members)].any()]
    code_of_item = np.full(len(column.vocabulary), SUPPRESSED, np.int32)
    for code, members in enumerate(shown):
        code_of_item[list(members)] = code
    symbols = tuple(group_symbol(tuple(labels[item] for item in members)) for members in shown)
    return column, code_of_item, symbols


def _in_public_order(unordered: tuple[Symbol, ...], hierarchy: Hierarchy | None) -> tuple[tuple[Symbol, ...], Int32]:
    """Return the sorted symbols, and the new code of each symbol, int32 (S,). The order does not disclose the
    hierarchy.

    If the hierarchy has places (`Hierarchy.place`), set members are sorted by place, and symbols by the places of their
    members.
    """
    if hierarchy is None or hierarchy.place is None:
        return unordered, np.arange(len(unordered), dtype=np.int32)
    place = dict(zip(hierarchy.leaves.labels, hierarchy.place.tolist(), strict=True))
    symbols = [replace(s, members=tuple(sorted(s.members, key=place.__getitem__))) for s in unordered]
    symbols = [group_symbol(symbol.members) if symbol.kind == "group" else symbol for symbol in symbols]
    order = sorted(range(len(symbols)), key=lambda code: [place[member] for member in symbols[code].members])
    rank = np.empty(len(order), np.int32)
    rank[order] = np.arange(len(order), dtype=np.int32)
    return tuple(symbols[code] for code in order), rank


def in_input_order(n: int, store: Store) -> Int64:
    """Return the record numbers 0 to n - 1, int64 (n,)."""
    record = store.array("record", np.int64, n)
    for begin, end in spans(n):
        record[begin:end] = np.arange(begin, end)
    return record


def _of_clusters(
    table: Table, recoding: PerCluster, hierarchy: Hierarchy | None, store: Store
) -> tuple[SetColumn | None, tuple[Symbol, ...], tuple[CategoricalColumn, ...]]:
    """Return the published items of each record, the symbols, and the published relational values, in input order.

    Cost: O(nnz) plus O(M) per cluster. One item mapping at a time is in memory.
    """
    if len(recoding.cluster) != table.n:
        raise InputError(f"the recoding has clusters for {len(recoding.cluster)} records, the table has {table.n}")
    relational = []
    for values in recoding.relational:
        vocabulary = Vocabulary.of(values.labels)
        codes = np.array([vocabulary.index[label] for label in values.labels], np.int32)
        clusters = CategoricalColumn(values.name, recoding.cluster, vocabulary)
        relational.append(clusters.recode(codes, vocabulary, store))
    if table.transactions is None:
        return None, (), tuple(relational)
    return *_items_of_clusters(table.transactions, recoding, hierarchy, store), tuple(relational)


def _items_of_clusters(
    column: SetColumn, recoding: PerCluster, hierarchy: Hierarchy | None, store: Store
) -> tuple[SetColumn, tuple[Symbol, ...]]:
    if len(recoding.items) != recoding.n_clusters:
        msg = f"the recoding has {recoding.n_clusters} clusters, but item mappings for {len(recoding.items)}"
        raise InputError(msg)
    book = _Codebook(column)
    with SetColumnBuilder(column.name, store) as drafts:
        for records, piece in recoding.pieces():
            drafts.append(_draft(column if records is None else column.take(records), piece, book))
        canonical, place_of_code = book.in_order()
        symbols, rank = _in_public_order(canonical, hierarchy)
        draft = drafts.finished(Vocabulary.numbered(len(book)))
        recoded = draft.recode(rank[place_of_code], _labels(symbols), store)
        drafts.drop_items()
    if recoding.parts is None:
        return recoded, symbols
    place = store.array("place", np.int64, column.n)
    for begin, end in spans(column.n):
        place[recoding.parts.record[begin:end]] = np.arange(begin, end)
    with SetColumnBuilder(column.name, store) as rows:
        for begin, end in spans(column.n):
            rows.append(recoded.take(place[begin:end]))
    return rows.finished(recoded.vocabulary), symbols


def _draft(column: SetColumn, recoding: PerCluster, book: "_Codebook") -> SetColumn:
    """Return the published items of the records of a part, as codes of `book`."""
    from anonset_kernels.records.rows import map_rows

    order = np.argsort(recoding.cluster, kind="stable").astype(np.int64)
    by_cluster = column.take(order)
    ends = np.searchsorted(recoding.cluster[order], np.arange(recoding.n_clusters + 1)).astype(np.int64)
    symbols = np.empty(len(column.codes), np.int32)
    row_sizes = np.zeros(column.n, np.int64)
    filled = 0
    for c, mapping in enumerate(recoding.items):
        rows = by_cluster.indptr[ends[c] : ends[c + 1] + 1]
        items = by_cluster.items[rows[0] : rows[-1]]
        occurring = distinct(items)
        image = np.full(len(column.vocabulary), SUPPRESSED, np.int32)
        image[occurring] = book.codes(mapping, occurring)
        indptr, part_symbols = map_rows(rows - rows[0], items, image, len(book))
        row_sizes[ends[c] : ends[c + 1]] = np.diff(indptr)
        symbols[filled : filled + len(part_symbols)] = part_symbols
        filled += len(part_symbols)
    lengths = begins_of(row_sizes)
    back = np.empty(len(order), np.int64)
    back[order] = np.arange(len(order))
    return SetColumn(column.name, lengths, symbols[:filled], column.vocabulary).take(back)


class _Codebook:
    """Distinct symbols of all clusters. They are either nodes of one hierarchy or sets of items."""

    def __init__(self, column: SetColumn) -> None:
        self.column = column
        self.hierarchy: Hierarchy | None = None
        self.code_of: dict[int | tuple[int, ...], int] = {}

    def __len__(self) -> int:
        return len(self.code_of)

    def codes(self, mapping: Cut | ItemGroups, occurring: NDArray[np.integer]) -> Int32:
        """Return the symbol code of each item, int32. New symbols are added. -1 if the item is suppressed."""
        symbols = self._nodes(mapping, occurring) if isinstance(mapping, Cut) else self._groups(mapping, occurring)
        code_of = self.code_of
        return np.array(
            [SUPPRESSED if s == SUPPRESSED else code_of.setdefault(s, len(code_of)) for s in symbols], np.int32
        )

    def _nodes(self, cut: Cut, occurring: NDArray[np.integer]) -> Sequence[int | tuple[int, ...]]:
        if self.hierarchy is None and self.column.vocabulary != cut.hierarchy.leaves:
            msg = "the cuts' hierarchy must be bound to the table's set-valued column first (Hierarchy.bind)"
            raise InputError(msg)
        self.hierarchy = cut.hierarchy
        nodes: list[int | tuple[int, ...]] = cut.image[occurring].tolist()
        return nodes

    def _groups(self, groups: ItemGroups, occurring: NDArray[np.integer]) -> Sequence[int | tuple[int, ...]]:
        occurring_groups = np.unique(groups.group[occurring])
        chosen = np.flatnonzero(np.isin(groups.group, occurring_groups))
        members: dict[int, list[int]] = {}
        for item, group in zip(chosen.tolist(), groups.group[chosen].tolist(), strict=True):
            members.setdefault(group, []).append(item)
        tuples = {group: tuple(items) for group, items in members.items()}
        return [SUPPRESSED if g == SUPPRESSED else tuples[g] for g in groups.group[occurring].tolist()]

    def in_order(self) -> tuple[tuple[Symbol, ...], Int32]:
        """Return the symbols in canonical order, and the rank of each code in this order."""
        keys = sorted(self.code_of, key=lambda key: (key,) if isinstance(key, int) else key)
        rank = np.empty(len(keys), np.int32)
        for place, key in enumerate(keys):
            rank[self.code_of[key]] = place
        return tuple(map(self._symbol, keys)), rank

    def _symbol(self, key: int | tuple[int, ...]) -> Symbol:
        if isinstance(key, int):
            return node_symbol(self.hierarchy, key)  # type: ignore[arg-type]
        return group_symbol(tuple(self.column.vocabulary.labels[item] for item in key))
