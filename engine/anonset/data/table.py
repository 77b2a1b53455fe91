"""Tables of encoded columns of sets, categories or numbers."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Literal, Self

import numpy as np
from numpy.typing import NDArray

from anonset.data.array_types import Bools, Float64, Int32, Int64
from anonset.data.codes import Codes, code_counts, codes_array, in_full, sort_items, stored_codes
from anonset.data.grids import Grid
from anonset.data.joining import prefixed, require_joinable
from anonset.data.labels.vocabulary import Vocabulary
from anonset.data.redacted_repr import RedactedRepr, names_shown
from anonset.data.spans import ascending, begins_of, gathered, spans
from anonset.data.storage.store import MEMORY, Store, store_of
from anonset.data.storage.workers import Workers
from anonset.data.table_facts import Change, CodeRules, OwnerStatements, PersonMentions, PersonSign
from anonset.errors import InputError, datum, shortened

Index = Int32 | Int64
"""Indices of elements of an array. They are int32, or int64 if the array may exceed 2^31 elements."""


@dataclass(frozen=True, eq=False)
class SetColumn(RedactedRepr):
    """A set of items per record, in compressed sparse rows.

    Record `r` contains the item codes ``items[indptr[r]:indptr[r + 1]]``, which are ascending and distinct.
    """

    name: str
    """Name of the column."""
    indptr: Int64
    """Start of each record in the items, int64 (n + 1,)."""
    codes: Codes
    """Item codes in stored form, int32 (nnz,). In files they may have two bytes each and must be read in slices."""
    vocabulary: Vocabulary
    """All items that may occur. Codes are positions in the vocabulary."""

    def __post_init__(self) -> None:
        if self.indptr.dtype != np.int64 or self.codes.dtype != np.int32:
            dtypes = f"{self.indptr.dtype} and {self.codes.dtype}"
            raise InputError(f"column {self.name!r}: indptr must be int64 and items int32, got {dtypes}")
        if self.indptr.ndim != 1 or len(self.indptr) == 0 or self.indptr[0] != 0 or self.indptr[-1] != len(self.codes):
            raise InputError(f"column {self.name!r}: indptr must run from 0 to the number of items ({len(self.codes)})")

    def __repr__(self) -> str:
        sizes = f"{len(self.codes):,} items of {len(self.vocabulary):,}"
        return f"SetColumn({self.name!r}, {self.n:,} records, {sizes})"

    @property
    def n(self) -> int:
        """Number of records."""
        return len(self.indptr) - 1

    @cached_property
    def items(self) -> Int32:
        """Item codes as an array, int32 (nnz,). Two-byte codes are copied once."""
        return in_full(self.codes)

    @property
    def store(self) -> Store:
        """Store of the items."""
        return store_of(stored_codes(self.codes))

    def held_by(self, record: int) -> Int32:
        """Return the item codes of a record, int32."""
        return self.codes[self.indptr[record] : self.indptr[record + 1]]

    @cached_property
    def lengths(self) -> Int64:
        """Number of items of each record, int64 (n,)."""
        return np.diff(self.indptr)

    @cached_property
    def n_nonempty(self) -> int:
        """Number of records with at least one item (n⁺)."""
        indptr = self.indptr
        return sum(int(np.count_nonzero(indptr[a + 1 : b + 1] > indptr[a:b])) for a, b in spans(self.n))

    @cached_property
    def longest(self) -> int:
        """Number of items of the longest record."""
        return max((int(np.diff(self.indptr[a : b + 1]).max()) for a, b in spans(self.n)), default=0)

    @cached_property
    def occurrences(self) -> Int64:
        """Number of records that contain each item (its support), int64 (M,)."""
        return code_counts(self.codes, len(self.vocabulary))

    def counted(self, store: Store) -> Self:
        """Return the column with its occurrences counted. If the workers of `store` are other processes, they count in
        tasks.
        """
        if store.workers.remote and "occurrences" not in self.__dict__:
            tasks = store.workers.divided(list(spans(len(self.codes))))
            parts = store.map(partial(_counts_of_spans, self.codes, len(self.vocabulary)), tasks)
            return self.with_occurrences(sum(parts, np.zeros(len(self.vocabulary), np.int64)))
        return self

    def with_occurrences(self, occurrences: Int64) -> Self:
        """Return the column with its occurrences, which are then not counted again."""
        self.__dict__["occurrences"] = occurrences
        return self

    def slice(self, first: int, end: int) -> "SetColumn":
        """Return the records from `first` to `end` - 1. Items are not copied."""
        bounds = self.indptr[first : end + 1]
        return SetColumn(self.name, bounds - bounds[0], self.codes[bounds[0] : bounds[-1]], self.vocabulary)

    def rows(self) -> Iterator[list[str]]:
        """Yield the item labels of each record."""
        labels = self.vocabulary.labels
        for r in range(self.n):
            yield [labels[code] for code in self.held_by(r)]

    def take(self, records: NDArray[np.integer]) -> "SetColumn":
        """Return the given records, in the given order. Indices may repeat."""
        first = self.indptr[records]
        indptr, places = gathered(first, self.indptr[records + 1] - first)
        return SetColumn(self.name, indptr, self.codes[places], self.vocabulary)

    def only(self, mask: Bools, store: Store = MEMORY) -> "SetColumn":
        """Return the column with only the items in `mask`, bool (M,), stored in `store`. The vocabulary is
        unchanged.
        """
        indptr = store.array("indptr", np.int64, self.n + 1)
        items = codes_array(store, int(self.occurrences[mask].sum()), len(self.vocabulary))
        indptr[0] = 0
        for a, b in spans(self.n):
            block, begin = self.slice(a, b), int(indptr[a])
            stays = mask[block.items]
            indptr[a + 1 : b + 1] = begin + begins_of(stays)[block.indptr[1:]]
            items[begin : indptr[b]] = block.items[stays]
        return SetColumn(self.name, indptr, items, self.vocabulary)

    def recode(self, codes: Int32, labels: Vocabulary, store: Store = MEMORY, *, in_order: bool = True) -> "SetColumn":
        """Return the column with each item code `c` replaced by ``codes[c]``. `codes` is a bijection to the codes of
        `labels`. The new items are stored in `store`.

        With `in_order` False, the items of each record may be unsorted.
        """
        moved = codes_array(store, len(self.codes), len(labels))
        for a, b in spans(self.n):
            start, end = self.indptr[a], self.indptr[b]
            moved[start:end] = self.slice(a, b).recoded(codes, len(labels), in_order=in_order)
        return SetColumn(self.name, self.indptr, moved, labels)

    def recoded(self, codes: Int32, size: int, *, in_order: bool = True) -> Int32:
        """Return the items that `recode` would return, int32 (nnz,), in memory. `size` is the number of new codes."""
        moved = codes[self.items]
        if in_order and ascending(codes):
            return moved
        from anonset_kernels.records.rows import unsorted_or_repeated

        return sort_items(self.indptr, moved, size) if unsorted_or_repeated(self.indptr, moved) >= 0 else moved

    @classmethod
    def of(
        cls, sets: Iterable[Iterable[str]], *, name: str = "items", universe: Sequence[str] | None = None
    ) -> "SetColumn":
        """Encode sets of labels. The codes follow the order of `universe`. By default, `universe` contains the items
        that occur.

        >>> column = SetColumn.of([{"b", "a"}, set(), {"a"}])
        >>> column.items.tolist(), column.indptr.tolist(), column.vocabulary.labels
        ([0, 1, 0], [0, 2, 2, 3], ('a', 'b'))

        Raises
        ------
        InputError
            If an item is not in `universe`.
        """
        rows = [set(row) for row in sets]
        vocabulary = Vocabulary.of(x for row in rows for x in row) if universe is None else Vocabulary(tuple(universe))
        index = vocabulary.index
        if universe is not None and (unknown := {x for row in rows for x in row} - index.keys()):
            msg = f"column {name!r}: item {datum(min(unknown))} is not in the universe of {len(vocabulary)} items"
            raise InputError(msg)
        indptr = begins_of(map(len, rows))
        items = np.fromiter((c for row in rows for c in sorted(index[x] for x in row)), np.int32, int(indptr[-1]))
        return cls(name, indptr, items, vocabulary)

    @classmethod
    def join(cls, columns: Sequence["SetColumn"], name: str = "items") -> "SetColumn":
        """Join several columns into one column. An item is prefixed with its column name, as in ``column:item``.

        >>> drugs, codes = SetColumn.of([{"7"}, {"9"}], name="drug"), SetColumn.of([{"E10"}, set()], name="icd")
        >>> list(SetColumn.join([drugs, codes]).rows())
        [['drug:7', 'icd:E10'], ['drug:9']]

        Raises
        ------
        InputError
            If a prefixed item could belong to two columns, or the columns differ in length.
        """
        require_joinable(column.name for column in columns)
        _require_same_length(columns)
        labels = [prefixed(column.name, label) for column in columns for label in column.vocabulary.labels]
        vocabulary = Vocabulary.of(labels)
        indptr: Int64 = np.add.reduce([column.indptr for column in columns])
        first = np.cumsum([0, *(len(column.vocabulary) for column in columns)], dtype=np.int32)
        items = np.concatenate([column.items + start for column, start in zip(columns, first, strict=False)])
        record = np.concatenate([np.repeat(np.arange(column.n), column.lengths) for column in columns])
        codes = np.array([vocabulary.index[label] for label in labels], np.int32)
        in_order = items[np.argsort(record, kind="stable")]
        return cls(name, indptr, in_order, Vocabulary(tuple(labels))).recode(codes, vocabulary)


def _counts_of_spans(codes: Codes, size: int, parts: Sequence[tuple[int, int]]) -> Int64:
    return sum((code_counts(codes[a:b], size) for a, b in parts), np.zeros(size, np.int64))


@dataclass(frozen=True, eq=False)
class CategoricalColumn(RedactedRepr):
    """One category per record, as codes of a vocabulary."""

    name: str
    codes: Int32
    """Codes of the vocabulary, int32 (n,)."""
    vocabulary: Vocabulary
    counts: Int64 | None = field(default=None, repr=False)
    """Frequency of each category in the complete column, int64 (M,). None if this column is complete."""

    def __repr__(self) -> str:
        return f"CategoricalColumn({self.name!r}, {self.n:,} records, {len(self.vocabulary):,} labels)"

    @property
    def n(self) -> int:
        """Number of records."""
        return len(self.codes)

    @cached_property
    def occurrences(self) -> Int64:
        """Frequency of each category, int64 (M,)."""
        return code_counts(self.codes, len(self.vocabulary))

    @property
    def overall(self) -> Int64:
        """Frequency of each category in the complete column, int64 (M,)."""
        return self.occurrences if self.counts is None else self.counts

    def slice(self, first: int, end: int) -> "CategoricalColumn":
        """Return the records from `first` to `end` - 1. Nothing is copied."""
        return CategoricalColumn(self.name, self.codes[first:end], self.vocabulary, self.counts)

    def take(self, records: NDArray[np.integer]) -> "CategoricalColumn":
        """Return the given records, in the given order."""
        return CategoricalColumn(self.name, self.codes[records], self.vocabulary, self.counts)

    def recode(self, codes: Int32, vocabulary: Vocabulary, store: Store = MEMORY) -> "CategoricalColumn":
        """Return the column with each code `c` replaced by ``codes[c]``, a code of `vocabulary`. The new codes are
        stored in `store`.
        """
        moved = store.array("codes", np.int32, self.n)
        for a, b in spans(self.n):
            moved[a:b] = codes[self.codes[a:b]]
        return CategoricalColumn(self.name, moved, vocabulary)

    def labels(self) -> list[str]:
        """Return the label of each record."""
        return [self.vocabulary.labels[code] for code in self.codes]

    @classmethod
    def of(cls, name: str, values: Iterable[str]) -> "CategoricalColumn":
        """Encode labels. The vocabulary contains the distinct labels in canonical order."""
        labels = list(values)
        vocabulary = Vocabulary.of(labels)
        return cls(name, np.array([vocabulary.index[v] for v in labels], np.int32), vocabulary)


@dataclass(frozen=True, eq=False)
class NumericColumn(RedactedRepr):
    """One number per record."""

    name: str
    values: Int64 | Float64
    """int64 (n,) if every value is an integer, otherwise float64 (n,)."""
    range: tuple[float, float] | None = field(default=None, repr=False)
    """Smallest and largest value of the complete column. None if this column is complete."""
    grid: Grid | None = field(default=None, repr=False)
    """Numbers at which published ranges may end. With None, ranges end at the smallest and largest value of a class."""

    def __repr__(self) -> str:
        return f"NumericColumn({self.name!r}, {self.n:,} records)"

    @property
    def n(self) -> int:
        """Number of records."""
        return len(self.values)

    def slice(self, first: int, end: int) -> "NumericColumn":
        """Return the records from `first` to `end` - 1. Nothing is copied."""
        return replace(self, values=self.values[first:end])

    def take(self, records: NDArray[np.integer]) -> "NumericColumn":
        """Return the given records, in the given order."""
        return replace(self, values=self.values[records])


Column = CategoricalColumn | NumericColumn


@dataclass(frozen=True, eq=False)
class Table(RedactedRepr):
    """Records as encoded columns, ordered by role. Arrays are shared and never modified.

    >>> table = Table.from_sets([{"a", "b"}, {"a"}])
    >>> table.n, table.transactions.n_nonempty
    (2, 2)
    """

    transactions: SetColumn | None = None
    """Set-valued column, or None."""
    relational: tuple[Column, ...] = ()
    """Quasi-identifiers."""
    sensitive: CategoricalColumn | None = None
    """Sensitive attribute of bucketization."""
    ids: tuple[CategoricalColumn, ...] = ()
    """Identifiers of the person. Recoding algorithms never publish them."""
    kept: tuple[CategoricalColumn, ...] = ()
    """Columns published unchanged, by decision of the owner."""
    order: tuple[str, ...] = field(default=())
    """Names of the published columns in input order."""
    joined: tuple[str, ...] = ()
    """Names of the columns that were joined into the set-valued column. Empty if no columns were joined."""
    rules: CodeRules = CodeRules()  # noqa: RUF009
    """Rules for codes that are not leaves of their hierarchies."""
    changes: tuple[Change, ...] = ()
    """Changes that rules made in the data."""
    store: Store = MEMORY
    """Storage for the arrays of the table, and for arrays computed from them. Its workers process the table. By
    default, it is the store of the items.
    """
    persons: tuple[str, ...] = ()
    """Names of columns that identify the person of each record but are not in the table. The reader has checked that no
    person has two records.
    """
    signs: tuple[PersonSign, ...] = ()
    """Signs of the first rows about persons. Dropped columns are included."""
    mentions: tuple[PersonMentions, ...] = ()
    """Item columns in which the reader found persons."""
    statements: OwnerStatements = OwnerStatements()  # noqa: RUF009
    """Statements of the data owner about persons and columns."""
    tables: tuple[str, ...] = ()
    """Names of the tables that a publication consists of, first that with a row per record. Names of columns are then
    ``table.column``. Empty if a single table is published.
    """
    source_rows: int | None = None
    """Number of rows of the source that became records, without skipped rows. None if the table was not read."""

    def __post_init__(self) -> None:
        if self.store is MEMORY and self.transactions is not None:
            object.__setattr__(self, "store", self.transactions.store)
        names = [column.name for column in self.columns]
        apart = {column.name for column in self.columns if column is not self.transactions}
        if len(set(names)) != len(names) or apart & set(self.joined):
            raise InputError(f"two columns have the same name: {', '.join(sorted([*self.joined, *names]))}")
        _require_same_length(self.columns)

    def __repr__(self) -> str:
        parts = {"ids": self.ids, "relational": self.relational, "items": (self.transactions,)}
        parts |= {"sensitive": (self.sensitive,), "kept": self.kept}
        named = {role: [column.name for column in columns if column] for role, columns in parts.items()}
        roles = [f"{role} {names_shown(names)}" for role, names in named.items() if names]
        return f"Table({'; '.join([f'{self.n:,} records', *roles])})"

    @property
    def columns(self) -> tuple[SetColumn | Column, ...]:
        """All columns, of all roles."""
        columns = (*self.ids, *self.relational, self.transactions, self.sensitive, *self.kept)
        return tuple(column for column in columns if column is not None)

    @property
    def n(self) -> int:
        """Number of records."""
        return self.columns[0].n if self.columns else 0

    @property
    def item_columns(self) -> tuple[str, ...]:
        """Names of the columns of items, before they were joined. Empty without items."""
        return () if self.transactions is None else self.joined or (self.transactions.name,)

    def header_of(self, name: str) -> str:
        """Return the name of a column in its own table."""
        table, _, header = name.partition(".")
        return header if table in self.tables else name

    @property
    def coarsened(self) -> dict[str, list[str]]:
        """Columns that reading coarsened, by part of the data: ``items`` or ``values``. Losses do not include this."""
        relational, parts = {column.name for column in self.relational}, dict[str, list[str]]()
        for name in dict.fromkeys(change.column for change in self.changes if change.coarsened_by):
            parts.setdefault("values" if name in relational else "items", []).append(name)
        return parts

    @property
    def by_person(self) -> bool:
        """True if ids identify the person of each record."""
        return bool(self.ids or self.persons)

    def with_workers(self, workers: Workers) -> "Table":
        """Return the table with other workers."""
        return replace(self, store=self.store.with_workers(workers))

    def take(self, records: NDArray[np.integer]) -> "Table":
        """Return the given records, in the given order."""
        return replace(
            self,
            transactions=None if self.transactions is None else self.transactions.take(records),
            relational=tuple(column.take(records) for column in self.relational),
            sensitive=None if self.sensitive is None else self.sensitive.take(records),
            ids=tuple(column.take(records) for column in self.ids),
            kept=tuple(column.take(records) for column in self.kept),
        )

    def with_transactions(self, transactions: SetColumn) -> "Table":
        """Return the table with another set-valued column."""
        return replace(self, transactions=transactions)

    @classmethod
    def from_sets(
        cls, sets: Iterable[Iterable[str]], *, name: str = "items", universe: Sequence[str] | None = None
    ) -> "Table":
        """Encode sets of labels as a table with one set-valued column."""
        return cls(SetColumn.of(sets, name=name, universe=universe))

    @classmethod
    def from_columns(
        cls,
        sets: Mapping[str, Iterable[Iterable[str]]] | None = None,
        *,
        unit: Literal["", "row", "unknown"] = "",
        **relational: Iterable[str],
    ) -> "Table":
        """Encode set-valued columns (sets by column name) and categorical columns (labels by column name).

        Several set-valued columns are joined into one column ``items`` with prefixed items (``column:item``). The
        publication contains separate columns. `unit` declares who is a person, as in `anonset.read`: ``row`` or
        ``unknown``.

        >>> table = Table.from_columns({"drug": [{"7"}, {"9"}], "icd": [{"E10"}, set()]}, sex=["f", "m"])
        >>> table.transactions.vocabulary.labels, table.joined
        (('drug:7', 'drug:9', 'icd:E10'), ('drug', 'icd'))

        Raises
        ------
        InputError
            If two columns have the same name, the columns differ in length, or `unit` is another value.
        """
        if unit not in ("", "row", "unknown"):
            msg = f"unit must be 'row' or 'unknown', got {shortened(unit)}; read columns with ids by anonset.read"
            raise InputError(msg)
        columns = [SetColumn.of(rows, name=name) for name, rows in (sets or {}).items()]
        transactions = SetColumn.join(columns) if len(columns) > 1 else next(iter(columns), None)
        categories = tuple(CategoricalColumn.of(name, labels) for name, labels in relational.items())
        joined = tuple(sets or ()) if len(columns) > 1 else ()
        return cls(transactions, categories, joined=joined, statements=OwnerStatements(unit=unit))


def _require_same_length(columns: Sequence[SetColumn | Column]) -> None:
    if len({column.n for column in columns}) > 1:
        lengths = ", ".join(f"{column.name}: {column.n}" for column in columns)
        raise InputError(f"columns must have the same number of records, got {lengths}")
