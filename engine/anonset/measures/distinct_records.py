"""Distinct records of each group of a table, for counting sets of known items."""

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace

import numpy as np

from anonset.data import SetColumn
from anonset.data.array_types import Bools, Int32, Int64
from anonset.data.blocks import SetColumnBuilder
from anonset.data.labels.vocabulary import Vocabulary
from anonset.data.redacted_repr import RedactedRepr
from anonset.data.spans import spans
from anonset.data.storage.store import MEMORY, Store
from anonset.data.table import CategoricalColumn, Column
from anonset.generalization.row_order import sort_rows
from anonset.generalization.unsorted_rows import UnsortedRows
from anonset.measures.shares import RecordFigures


@dataclass(frozen=True, eq=False)
class DistinctRecords(RedactedRepr):
    """Distinct records, sorted by group. Items have codes by ascending frequency, so code 0 is the rarest item."""

    rows: SetColumn
    """Items of each distinct record, as codes by ascending frequency. The vocabulary's labels belong to the original
    codes.
    """
    groups: Int64
    """Offset of the first distinct record of each group, int64 (G + 1,)."""
    of_group: Int64
    """Group of each distinct record, int64 (D,)."""
    start: Int64
    """Position in `record` of the first record that equals each distinct record, int64 (D + 1,)."""
    weight: Int64
    """Number of records equal to each distinct record, int64 (D,)."""
    record: Int64
    """Record numbers, sorted by distinct record, int64 (n,)."""
    store: Store

    @classmethod
    def of(cls, column: SetColumn, group: Sequence[Int32] = (), store: Store = MEMORY) -> "DistinctRecords":
        """Find the distinct records of each group by sorting the records.

        Parameters
        ----------
        column
            The items, or published symbols.
        group
            Code arrays, int32 (n,) each. Records with equal codes in all arrays are in the same group. If there are no
            arrays, all records are in one group.
        store
            Store of the distinct records.

        Examples
        --------
        >>> distinct = DistinctRecords.of(SetColumn.of([{"a"}, {"a", "b"}, {"a"}]))
        >>> distinct.n, distinct.weight.tolist(), distinct.record.tolist(), distinct.sizes(0, 2).tolist()
        (2, [1, 2], [1, 0, 2], [3, 3])
        """
        moved = rarest_first(column, store)
        largest = [*(int(codes.max(initial=0)) + 1 for codes in group), len(column.vocabulary)]
        rows = sort_rows(UnsortedRows(moved, group), largest=largest, store=store)
        in_order = replace(moved, indptr=rows.indptr, codes=rows.items)
        with ExitStack() as growing:
            distinct = growing.enter_context(SetColumnBuilder(column.name, store))
            groups, of_group, start = (
                growing.enter_context(store.growing(name, np.int64)) for name in ("groups", "of_group", "start")
            )
            for a, b in spans(column.n):
                apart, is_distinct = _borders(in_order, rows.columns, a, b)
                first = np.flatnonzero(is_distinct)
                distinct.append(in_order.slice(a, b).take(first))
                of_group.append(groups.length - 1 + np.cumsum(apart)[first])
                groups.append(start.length + np.cumsum(is_distinct)[apart] - 1)
                start.append(first + a)
            groups.append(np.array([start.length], np.int64))
            start.append(np.array([column.n], np.int64))
        begin = start.finished()
        weight = store.array("weight", np.int64, len(begin) - 1)
        for a, b in spans(len(weight)):
            weight[a:b] = np.diff(begin[a : b + 1])
        records = distinct.finished(column.vocabulary)
        return cls(records, groups.finished(), of_group.finished(), begin, weight, rows.record, store)

    @property
    def n(self) -> int:
        """Number of distinct records."""
        return self.rows.n

    @property
    def group_sizes(self) -> Int64:
        """Number of records of each group, int64 (G,)."""
        return np.diff(self.start[self.groups])

    def sizes(self, first: int, end: int) -> Int64:
        """Return the number of records in the group of each distinct record from `first` to `end` - 1, int64."""
        of_group = self.of_group[first:end]
        sizes: Int64 = self.start[self.groups[of_group + 1]] - self.start[self.groups[of_group]]
        return sizes

    def of_records(self, records: Int64) -> Int64:
        """Return the distinct record of each of `records`, int64 (records,)."""
        order, numbers = np.argsort(records), np.empty(len(records), np.int64)
        for a, b in spans(len(self.record)):
            place = np.flatnonzero(np.isin(self.record[a:b], records))
            positions = order[np.searchsorted(records[order], self.record[a:b][place])]
            numbers[positions] = np.searchsorted(self.start, place + a, side="right") - 1
        return numbers

    @property
    def of_each_record(self) -> Int64:
        """Distinct record of each record, int64 (n,)."""
        numbers = np.empty(len(self.record), np.int64)
        numbers[self.record] = np.repeat(np.arange(self.n), self.weight)
        return numbers


def _borders(rows: SetColumn, group: Sequence[Int32], first: int, end: int) -> tuple[Bools, Bools]:
    """Return two masks of the rows `first` to `end` - 1.

    The first mask marks rows that begin a group, and the second mask marks rows that differ from the previous row.
    """
    from anonset_kernels.attacks.known_items import mark_distinct

    apart, is_distinct = begins_group(group, first, end), np.empty(end - first, np.bool_)
    mark_distinct(rows.indptr, rows.items, apart, first, end, is_distinct)
    return apart, is_distinct


def begins_group(group: Sequence[Int32], first: int, end: int) -> Bools:
    """Return True for each row from `first` to `end` - 1 whose codes differ from the previous row, bool.

    The result for row 0 is True.
    """
    apart = np.zeros(end - first, np.bool_)
    apart[: first == 0] = True
    since = max(first, 1)
    for codes in group:
        apart[since - first :] |= codes[since:end] != codes[since - 1 : end - 1]
    return apart


def class_figures(group: Sequence[Int32], store: Store = MEMORY) -> RecordFigures:
    """Return the distribution of the equivalence class size over the records.

    A class contains the records with equal codes in all arrays of `group`, int32 (n,) each.

    >>> class_figures([np.array([0, 1, 0], np.int32)]).values.tolist()
    [1, 2]
    """
    with store.nested() as scratch:
        distinct = DistinctRecords.of(without_items(len(group[0]), scratch), group, scratch)
        return RecordFigures.of(distinct.weight, weight=distinct.weight)


def without_items(n: int, store: Store = MEMORY) -> SetColumn:
    """Return a column of `n` empty sets."""
    return SetColumn("", store.array("indptr", np.int64, n + 1), np.empty(0, np.int32), Vocabulary(()))


def codes_of(columns: Sequence[Column]) -> list[Int32]:
    """Return codes for the values of each column, int32 (n,) each. Equal values have equal codes."""
    return [
        column.codes
        if isinstance(column, CategoricalColumn)
        else np.unique(column.values, return_inverse=True)[1].ravel().astype(np.int32)
        for column in columns
    ]


def rarest_first(column: SetColumn, store: Store = MEMORY) -> SetColumn:
    """Renumber the items by ascending frequency, so that code 0 is the rarest item. The vocabulary is unchanged."""
    place = np.empty(len(column.vocabulary), np.int32)
    place[np.argsort(column.occurrences, kind="stable")] = np.arange(len(place), dtype=np.int32)
    return column.recode(place, column.vocabulary, store)
