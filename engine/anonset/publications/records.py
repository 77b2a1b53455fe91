"""Published records, the result of applying a recoding to a table. Records contain symbol codes, and the codebook
describes the symbols.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from anonset.data import CategoricalColumn, Hierarchy, SetColumn
from anonset.data.array_types import Int32, Int64
from anonset.data.joining import prefixed
from anonset.data.redacted_repr import names_shown
from anonset.data.storage.store import MEMORY, Store
from anonset.errors import AnonsetError, datum
from anonset.publications.base import Published
from anonset.publications.comparison import same_labels
from anonset.publications.symbols import Symbol, cells_by_column, generalize, members_of


@dataclass(frozen=True, eq=False)
class Records(Published):
    """The published records. Row `r` is derived from input record ``record[r]``."""

    transactions: SetColumn | None
    """Published symbols per record. The vocabulary contains the symbol labels in canonical order."""
    symbols: tuple[Symbol, ...]
    """Codebook. Entry `c` describes the symbol with code `c`."""
    relational: tuple[CategoricalColumn, ...]
    """Published relational values, as text."""
    kept: tuple[CategoricalColumn, ...]
    """Columns published unchanged."""
    record: Int64
    """Private input record of each published row, int64 (n,)."""
    cluster: Int32 | None = None
    """Private cluster of each published row, int32 (n,). None for global recodings."""
    order: tuple[str, ...] = ()
    """Column names in input order."""
    joined: tuple[str, ...] = ()
    """Names of the columns that were joined into the set-valued column. They are written as separate columns. Empty if
    no columns were joined.
    """
    value_sets: tuple[Symbol, ...] = ()
    """Members of each relational value set that is published as a short code."""
    store: Store = MEMORY
    """Store that owns the files of memory-mapped arrays."""

    def __repr__(self) -> str:
        symbols = f", {len(self.symbols):,} symbols" if self.transactions is not None else ""
        return f"Records({self.n:,} rows{symbols}; columns {names_shown(column.name for column in self.columns)})"

    @property
    def n(self) -> int:
        """Number of published rows."""
        return len(self.record)

    @property
    def item_columns(self) -> tuple[str, ...]:
        """Names of the published columns of items. Empty without items."""
        return () if self.transactions is None else self.joined or (self.transactions.name,)

    @property
    def columns(self) -> tuple[SetColumn | CategoricalColumn, ...]:
        """Published columns in input order. Joined columns are one column, at the position of the first joined
        column.
        """
        sets = () if self.transactions is None else (self.transactions,)
        order = [sets[0].name if sets and name in self.joined else name for name in self.order]
        return in_order((*self.relational, *sets, *self.kept), order)

    def slice(self, first: int, end: int) -> "Records":
        """Return the rows from `first` to `end` - 1. Arrays are not copied."""
        return replace(
            self,
            transactions=None if self.transactions is None else self.transactions.slice(first, end),
            relational=tuple(column.slice(first, end) for column in self.relational),
            kept=tuple(column.slice(first, end) for column in self.kept),
            record=self.record[first:end],
            cluster=None if self.cluster is None else self.cluster[first:end],
            store=self.store.in_memory(),
        )

    def take(self, rows: Int64) -> "Records":
        """Return the given rows, in the given order."""
        return replace(
            self,
            transactions=None if self.transactions is None else self.transactions.take(rows),
            relational=tuple(column.take(rows) for column in self.relational),
            kept=tuple(column.take(rows) for column in self.kept),
            record=self.record[rows],
            cluster=None if self.cluster is None else self.cluster[rows],
        )

    def row_of(self, n_records: int) -> Int64:
        """Return the row of each of `n_records` original records, int64 (n_records,). -1 for records without a row."""
        row = np.full(n_records, -1, np.int64)
        row[self.record] = np.arange(self.n)
        return row

    def counts(self) -> dict[str, int]:
        """Return the number of records and of symbols."""
        return {"records": self.n, "symbols": len(self.symbols)}

    def content(self) -> list[Any]:
        """Return the labels of each column."""
        return [
            column.labels() if isinstance(column, CategoricalColumn) else [*column.rows()] for column in self.columns
        ]

    def items_shown(self) -> Iterator[str]:
        """Yield the items that are published as a symbol of one item."""
        if self.transactions is not None:
            for code in np.flatnonzero(self.transactions.occurrences).tolist():
                if len(members := self.symbols[code].members) == 1:
                    yield members[0]

    def above_ceilings(self, hierarchies: Mapping[str, Hierarchy]) -> Iterator[str]:
        """Yield the columns that publish a symbol above their ceiling. Suppressed records, whose relational values are
        all the root, are accepted.
        """
        items = self.transactions
        tree = None if items is None else hierarchies.get(items.name)
        if items is not None and tree is not None and tree.capped:
            top = np.searchsorted(tree.children(0), np.arange(tree.n_nodes), side="right")
            if any(len({int(top[tree.node_of[x]]) for x in symbol.members}) > 1 for symbol in self.symbols):
                yield items.name
        at_root = {}
        for column in self.relational:
            domain = hierarchies.get(column.name)
            root = -1 if domain is None else column.vocabulary.index.get(domain.labels[0], -1)
            at_root[column.name] = column.codes == root
        suppressed = np.logical_and.reduce(list(at_root.values())) if at_root else np.zeros(0, np.bool_)
        for name, rows in at_root.items():
            if name in hierarchies and hierarchies[name].capped and bool((rows & ~suppressed).any()):
                yield name

    def with_way_back(self, record: Int64, cluster: Int32 | None) -> Self:
        """Return a copy with the input record of each row. For a local recoding, `cluster` is the cluster of each
        row.
        """
        return replace(self, record=record, cluster=cluster)

    def require_same(self, written: Self) -> Self:
        """Compare the labels of each column. The private input records and clusters are not compared."""
        by_name = {column.name: column for column in written.columns}
        for column in self.columns:  # in FIMI files the set-valued column has no name
            read_back = written.transactions if isinstance(column, SetColumn) else by_name.get(column.name)
            if not same_labels(column, read_back):
                raise AnonsetError(f"column {column.name!r}: the written file differs from the result in memory")
        symbol_of = {symbol.label: symbol for symbol in (*self.symbols, *self.value_sets)}
        for symbol in (*written.symbols, *written.value_sets):
            if symbol_of.get(symbol.label) != symbol:
                msg = f"codebook: the written symbol {datum(symbol.label)} differs from the result in memory"
                raise AnonsetError(msg)
        return written.with_way_back(self.record, self.cluster)


def symbols_of(publication: Records, column: SetColumn | CategoricalColumn) -> Callable[[int], Symbol]:
    """Return a function from the codes of a column to their symbols, given a column of `Records.columns` or of
    `written_columns`. A symbol of a joined column has only the members from this column, without their prefix.
    """
    if isinstance(column, SetColumn):
        if column.name not in publication.joined:
            return publication.symbols.__getitem__
        mark = prefixed(column.name, "")
        of_text = cells_by_column(publication.symbols, publication.joined)[column.name]
        members = [tuple(x.removeprefix(mark) for x in publication.symbols[position].members if x.startswith(mark))
                   for position in of_text.values()]  # fmt: skip
        kinds = [publication.symbols[position].kind for position in of_text.values()]
        return [*map(Symbol, of_text, kinds, members)].__getitem__
    labels = column.vocabulary.labels
    if column.name not in {one.name for one in publication.relational}:
        return lambda code: _value_symbol(labels[code], ())
    coded = {symbol.label: symbol.members for symbol in publication.value_sets}
    return lambda code: _value_symbol(labels[code], coded.get(labels[code]) or members_of(labels[code]))


def _value_symbol(label: str, members: tuple[str, ...]) -> Symbol:
    return Symbol(label, "values", members) if len(members) > 1 else Symbol(label, "item", (label,))


def in_order(
    columns: Sequence[SetColumn | CategoricalColumn], order: Sequence[str]
) -> tuple[SetColumn | CategoricalColumn, ...]:
    """Sort columns in the order of the given names. Columns with other names come last."""
    remaining = {column.name: column for column in columns}
    return tuple(remaining.pop(name) for name in order if name in remaining) + tuple(remaining.values())


def written_columns(publication: Records) -> tuple[SetColumn | CategoricalColumn, ...]:
    """Return the columns that are written to files, in input order. Joined columns are separated again.

    Raises
    ------
    InputError
        If two symbols have the same text in a column.
    """
    sets = publication.transactions
    if sets is None or not publication.joined:
        return publication.columns
    parts = []
    for name, texts in cells_by_column(publication.symbols, publication.joined).items():
        codes = np.full(len(publication.symbols), -1, np.int32)
        codes[list(texts.values())] = np.arange(len(texts), dtype=np.int32)
        shown = tuple(replace(publication.symbols[position], label=text) for text, position in texts.items())
        parts.append(replace(generalize(sets, codes, shown, publication.store), name=name))
    return in_order((*publication.relational, *parts, *publication.kept), publication.order)
