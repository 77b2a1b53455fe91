"""A bucketized table: identities and kept attributes in one table, sensitive values in another, joined by groups."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anonset.data import CategoricalColumn, Table, Vocabulary
from anonset.data.redacted_repr import Discreet, names_shown
from anonset.data.spans import run_spans, spans
from anonset.data.store import MEMORY, Store
from anonset.data.table import Int32, Int64
from anonset.errors import InputError, datum
from anonset.generalization.chunks import ChunkPublication
from anonset.generalization.publication import Publication
from anonset.generalization.recoding import SUPPRESSED, Buckets
from anonset.generalization.row_order import Source, sort_rows, without_items

STAR = "*"
"""What a hidden identity is published as, in each of the id columns."""
GROUP = "group"
"""Name of the column of group numbers in both published tables."""


@dataclass(frozen=True, eq=False)
class BucketPublication(Discreet):
    """The quasi-identifier table (QIT) and the sensitive table (SNT), as they are published.

    Every group has as many rows in the QIT as values in the SNT; which row has which value is hidden.
    """

    ids: tuple[CategoricalColumn, ...]
    """QIT: the id columns, ``*`` in all of them where the identity is hidden."""
    kept: tuple[CategoricalColumn, ...]
    """QIT: the columns published as they are."""
    group: CategoricalColumn
    """QIT: the group of each row; the vocabulary holds the published group numbers of both tables."""
    snt_group: Int32
    """SNT: int32 (m,) codes of groups, ascending."""
    snt_value: CategoricalColumn
    """SNT: the sensitive values, ascending in each group, each once in it."""
    snt_count: Int64
    """SNT: int64 (m,): tuples of the group with the value (>= 1)."""
    record: Int64
    """int64 (n,): input tuple of each QIT row. Private."""
    store: Store = MEMORY
    """Where its own arrays lie, if they are mapped from files."""

    def __post_init__(self) -> None:
        names = [column.name for column in (*self.qit, self.snt_value)]
        if twice := next((name for position, name in enumerate(names) if name in names[:position]), None):
            msg = f"column names of a bucketized table must be distinct, got {twice!r} twice"
            raise InputError(msg)
        if {column.n for column in self.qit} != {len(self.record)}:
            msg = "the columns of the QIT must have the same number of rows, got " + ", ".join(
                f"{column.name}: {column.n}" for column in self.qit
            )
            raise InputError(msg)
        if not len(self.snt_group) == self.snt_value.n == len(self.snt_count):
            msg = "the columns of the SNT must have the same number of rows"
            raise InputError(msg)
        if not self._is_ordered():
            msg = "the SNT must hold its groups in ascending order, each value of a group once and counted at least 1"
            raise InputError(msg)
        n_groups = len(self.group.vocabulary)
        rows = sums_by_code(self.group.codes, None, n_groups)
        # counts above the number of rows are wrong anyhow: with a bound, the sums are exact
        values = sums_by_code(self.snt_group, self.snt_count, n_groups, most=self.n + 1)
        if not np.array_equal(rows, values):
            group = int(np.argmax(rows != values))
            label = self.group.vocabulary.labels[group]
            sizes = f"{rows[group]} and {sum(self.snt_count[self.snt_group == group].tolist())}"
            msg = f"group {datum(label)} must have as many rows in the QIT as values in the SNT, got {sizes}"
            raise InputError(msg)

    def _is_ordered(self) -> bool:
        """Tell whether the SNT is in the order of its groups and values, each of which is counted at least once."""
        width = max(1, len(self.snt_value.vocabulary))
        for first, end in spans(len(self.snt_group)):
            rows = slice(first, end + 1)  # with the first of the next span
            keys = self.snt_group[rows].astype(np.int64) * width + self.snt_value.codes[rows]
            if bool(np.any(np.diff(keys) <= 0)) or bool(np.any(self.snt_count[first:end] < 1)):
                return False
        return True

    def __repr__(self) -> str:
        hidden = int(self.starred.sum())
        names = names_shown(column.name for column in (*self.qit, self.snt_value))
        return f"BucketPublication({self.n:,} rows in {self.n_groups:,} groups, {hidden:,} hidden; columns {names})"

    @property
    def n(self) -> int:
        """Number of published rows of the QIT, and of sensitive values."""
        return len(self.record)

    @property
    def n_groups(self) -> int:
        """Number of groups."""
        return len(self.group.vocabulary)

    @property
    def transactions(self) -> None:
        """A bucketized table has no set-valued column."""
        return

    @property
    def qit(self) -> tuple[CategoricalColumn, ...]:
        """The columns of the QIT in their order: ids, kept columns, group."""
        return (*self.ids, *self.kept, self.group)

    @property
    def snt(self) -> tuple[CategoricalColumn, CategoricalColumn]:
        """The columns of the SNT in their order, group and sensitive value, with a row for each tuple."""
        rows = np.repeat(np.arange(self.snt_value.n), self.snt_count)
        group = CategoricalColumn(GROUP, self.snt_group, self.group.vocabulary)
        return group.take(rows), self.snt_value.take(rows)

    @cached_property
    def sizes(self) -> Int64:
        """Number of tuples of each group: int64 (groups,)."""
        return sums_by_code(self.group.codes, None, self.n_groups)

    @cached_property
    def starred(self) -> NDArray[np.bool_]:
        """Tell which QIT rows have a hidden identity: bool (n,)."""
        hidden = np.full(self.n, bool(self.ids))
        for column in self.ids:
            star = column.vocabulary.index.get(STAR, SUPPRESSED)
            for first, end in spans(self.n):
                hidden[first:end] &= column.codes[first:end] == star
        return hidden

    @classmethod
    def of(cls, table: Table, buckets: Buckets) -> "BucketPublication":
        """Apply a grouping to its table.

        Rows of the QIT stand by group, then by their published content alone; values of the SNT by group, then in
        canonical order: neither order discloses which row has which value, or the identity of a starred row.

        Raises
        ------
        InputError
            If the grouping is not one for this table, or the table has columns that buckets cannot publish.

        Examples
        --------
        >>> ids = CategoricalColumn.of("patient", ["P1", "P1", "P2", "P1"])
        >>> table = Table(sensitive=CategoricalColumn.of("drug", ["a", "b", "c", "d"]), ids=(ids,))
        >>> buckets = Buckets(np.zeros(4, np.int32), np.array([False, True, False, True]))
        >>> published = BucketPublication.of(table, buckets)
        >>> published.ids[0].labels(), published.snt_value.labels()
        (['P1', 'P2', '*', '*'], ['a', 'b', 'c', 'd'])
        """
        require_bucket_roles(table)
        sensitive = table.sensitive
        if sensitive is None or len(buckets.group) != table.n or len(buckets.starred) != table.n:
            msg = (
                f"the grouping must be one for this table: {len(buckets.group)} tuples are grouped, the table has "
                f"{table.n} and {'no' if sensitive is None else 'a'} sensitive column"
            )
            raise InputError(msg)
        return _made(cls, table, sensitive, buckets)


def _made(
    kind: type[BucketPublication], table: Table, sensitive: CategoricalColumn, buckets: Buckets
) -> BucketPublication:
    """Apply a grouping to its table, span by span."""
    store = table.store.below()
    columns = (*table.ids, *table.kept, sensitive)
    grown = [store.growing("shown", np.int32) for _ in (buckets.group, *columns)]
    record = store.growing("record", np.int64)
    for first, end in spans(table.n):
        group, starred = buckets.group[first:end], buckets.starred[first:end]
        shown = np.flatnonzero(group != SUPPRESSED)
        grown[0].append(group[shown])
        for target, column in zip(grown[1:], columns, strict=True):
            codes = column.codes[first:end][shown]
            star = column in table.ids and bool(starred.any())
            target.append(np.where(starred[shown], np.int32(len(column.vocabulary)), codes) if star else codes)
        record.append(first + shown)
    ids = tuple(_with_star(column, buckets.starred) for column in table.ids)
    largest = [buckets.n_groups, *(len(column.vocabulary) for column in (*ids, *table.kept)), 0]
    unsorted = [array.finished() for array in grown], record.finished()
    rows = sort_rows(Source(without_items(record.length), *unsorted), largest=largest, store=store)
    del unsorted
    for array in (*grown, record):
        array.drop()
    group, *shown_as, values = rows.columns
    qit = tuple(replace(column, codes=codes) for column, codes in zip((*ids, *table.kept), shown_as, strict=True))
    counted = [store.growing("snt", kind_of) for kind_of in (np.int32, np.int32, np.int64)]
    for span in run_spans(group):
        part: tuple[Any, ...] = count_values(group[slice(*span)], values[slice(*span)], len(sensitive.vocabulary))
        for target, counts in zip(counted, part, strict=True):
            target.append(counts)
    snt_group, snt_value, snt_count = (array.finished() for array in counted)
    return kind(
        qit[: len(ids)],
        qit[len(ids) :],
        CategoricalColumn(GROUP, group, Vocabulary.numbered(buckets.n_groups)),
        snt_group,
        CategoricalColumn(sensitive.name, snt_value, sensitive.vocabulary),
        snt_count,
        rows.record,
        store,
    )


def sums_by_code(codes: Int32, values: Int64 | None, n_codes: int, *, most: int | None = None) -> Int64:
    """Return, for each code, the sum of its values, or how often it occurs: int64 (n_codes,), span by span.

    >>> sums_by_code(np.array([2, 0, 2], np.int32), np.array([1, 5, 9]), 3, most=7).tolist()
    [5, 0, 8]

    Parameters
    ----------
    most
        Larger values count as this.
    """
    sums_of_code = np.zeros(n_codes, np.int64)
    for first, end in spans(len(codes)):
        part = codes[first:end]
        low = int(part.min())
        counted = None if values is None else values[first:end] if most is None else np.minimum(values[first:end], most)
        sums = np.bincount(part - low, counted)
        sums_of_code[low : low + len(sums)] += np.rint(sums).astype(np.int64)
    return sums_of_code


def require_bucket_roles(table: Table) -> None:
    """Refuse columns that a bucketized table cannot hold.

    Raises
    ------
    InputError
        With their names.
    """
    sets = () if table.transactions is None else (table.transactions,)
    if unplaced := [column.name for column in (*sets, *table.relational)]:
        msg = (
            f"buckets publish ids, a sensitive column and kept ones; give {', '.join(map(repr, unplaced))} "
            "another role: keep (published as it is) or drop"
        )
        raise InputError(msg)


def count_values(group: Int32, value: Int32, n_values: int, count: Int64 | None = None) -> tuple[Int32, Int32, Int64]:
    """Count the values of each group.

    Parameters
    ----------
    group, value
        int32 (n,): codes.
    n_values
        Number of value codes (>= 1 where there are tuples).
    count
        int64 (n,): how often each entry counts; once by default.

    Returns
    -------
    int32 (m,), int32 (m,), int64 (m,)
        The distinct pairs in ascending order, and their counts.
    """
    pairs = group.astype(np.int64) * n_values + value
    if count is None:
        pairs = np.sort(pairs)
        begin = np.flatnonzero(np.concatenate([[True], pairs[1:] != pairs[:-1]])[: len(pairs)])
        keys, counts = pairs[begin], np.diff(np.append(begin, len(pairs)))
    else:
        keys, where = np.unique(pairs, return_inverse=True)
        counts = np.zeros(len(keys), np.int64)
        np.add.at(counts, where, count)
    found_group, found_value = np.divmod(keys, max(1, n_values))
    return found_group.astype(np.int32), found_value.astype(np.int32), counts.astype(np.int64)


def _with_star(column: CategoricalColumn, starred: NDArray[np.bool_]) -> CategoricalColumn:
    """Return the column with the star as a label behind the others, if any value is to be hidden."""
    if not starred.any():
        return column
    if STAR in column.vocabulary.index:
        msg = f"id column {column.name!r} must not hold {STAR!r}, which is what a hidden identity is published as"
        raise InputError(msg)
    filed = column.vocabulary.filed
    if filed is not None:
        return replace(column, vocabulary=Vocabulary.of_filed(filed.followed_by(STAR)))
    return replace(column, vocabulary=Vocabulary((*column.vocabulary.labels, STAR)))


AnyPublication = Publication | BucketPublication | ChunkPublication
"""What is published: records, buckets, or chunks of clusters of records."""


def with_way_back(publication: AnyPublication, record: Int64, cluster: Int32 | None) -> AnyPublication:
    """Return a publication with the input record of each row."""
    if isinstance(publication, BucketPublication):
        return replace(publication, record=record)
    return replace(publication, record=record, cluster=cluster)
