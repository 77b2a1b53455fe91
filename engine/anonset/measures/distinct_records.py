"""The distinct records of a table, group by group: what the sets of known items are counted in."""

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from anonset.data import SetColumn
from anonset.data.blocks import GrowingSets
from anonset.data.redacted_repr import Discreet
from anonset.data.spans import spans
from anonset.data.store import MEMORY, Store
from anonset.data.table import CategoricalColumn, Column, Int32, Int64
from anonset.data.vocabulary import Vocabulary
from anonset.generalization.row_order import UnsortedRows, sort_rows
from anonset.measures.shares import Figures


@dataclass(frozen=True, eq=False)
class DistinctRecords(Discreet):
    """The distinct records, group by group, over codes of which 0 is the rarest."""

    rows: SetColumn
    """The items of each; the labels are those of other codes."""
    groups: Int64
    """int64 (G + 1,): where the records of each group begin."""
    of_group: Int64
    """int64 (D,): the group of each."""
    start: Int64
    """int64 (D + 1,): where the records like each begin in `record`."""
    weight: Int64
    """int64 (D,): how many records are like each."""
    record: Int64
    """int64 (n,): the records that are like the first, the second, …"""
    store: Store
    """Where all of this lies."""

    @classmethod
    def of(cls, column: SetColumn, group: Sequence[Int32] = (), store: Store = MEMORY) -> "DistinctRecords":
        """Sort records by their groups and items.

        Parameters
        ----------
        column
            The items, or published symbols.
        group
            int32 (n,) each: codes; only records that agree in all of them are of one group. Without any, all are.
        store
            Where the distinct records are to lie.

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
            distinct = growing.enter_context(GrowingSets(column.name, store))
            groups, of_group, start = (
                growing.enter_context(store.growing(name, np.int64)) for name in ("groups", "of_group", "start")
            )
            for a, b in spans(column.n):
                apart, fresh = _borders(in_order, rows.columns, a, b)
                first = np.flatnonzero(fresh)
                distinct.append(in_order.slice(a, b).take(first))
                of_group.append(groups.length - 1 + np.cumsum(apart)[first])
                groups.append(start.length + np.cumsum(fresh)[apart] - 1)
                start.append(first + a)
            groups.append(np.array([start.length], np.int64))
            start.append(np.array([column.n], np.int64))
        begin = start.finished()
        weight = store.array("weight", np.int64, len(begin) - 1)
        for a, b in spans(len(weight)):
            weight[a:b] = np.diff(begin[a : b + 1])
        found = distinct.finished(column.vocabulary)
        return cls(found, groups.finished(), of_group.finished(), begin, weight, rows.record, store)

    @property
    def n(self) -> int:
        """Number of distinct records."""
        return self.rows.n

    @property
    def group_sizes(self) -> Int64:
        """int64 (G,): number of records of each group."""
        return np.diff(self.start[self.groups])

    def sizes(self, first: int, end: int) -> Int64:
        """Return the number of records in the group of each distinct one of a span, int64 (end - first,)."""
        of_group = self.of_group[first:end]
        sizes: Int64 = self.start[self.groups[of_group + 1]] - self.start[self.groups[of_group]]
        return sizes

    def of_records(self, records: Int64) -> Int64:
        """Return which distinct record each of some records is, int64 (records,)."""
        order, which = np.argsort(records), np.empty(len(records), np.int64)
        for a, b in spans(len(self.record)):
            place = np.flatnonzero(np.isin(self.record[a:b], records))
            asked = order[np.searchsorted(records[order], self.record[a:b][place])]
            which[asked] = np.searchsorted(self.start, place + a, side="right") - 1
        return which

    @property
    def of_each_record(self) -> Int64:
        """int64 (n,): which distinct record each one is."""
        which = np.empty(len(self.record), np.int64)
        which[self.record] = np.repeat(np.arange(self.n), self.weight)
        return which


def _borders(
    rows: SetColumn, group: Sequence[Int32], first: int, end: int
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return which rows of a span begin a group, and which differ from the row before."""
    from anonset_kernels.known_items import mark_distinct

    apart, fresh = begins_group(group, first, end), np.empty(end - first, np.bool_)
    mark_distinct(rows.indptr, rows.items, apart, first, end, fresh)
    return apart, fresh


def begins_group(group: Sequence[Int32], first: int, end: int) -> NDArray[np.bool_]:
    """Return bool (end - first,): which rows of a span differ in a code from the row before; the first of all does."""
    apart = np.zeros(end - first, np.bool_)
    apart[: first == 0] = True
    since = max(first, 1)
    for codes in group:
        apart[since - first :] |= codes[since:end] != codes[since - 1 : end - 1]
    return apart


def class_figures(group: Sequence[Int32], store: Store = MEMORY) -> Figures:
    """Return how many records agree with each one in all codes, int32 (n,) each.

    >>> class_figures([np.array([0, 1, 0], np.int32)]).values.tolist()
    [1, 2]
    """
    n = len(group[0])
    with store.below() as scratch:
        nothing = SetColumn("", scratch.array("indptr", np.int64, n + 1), np.empty(0, np.int32), Vocabulary(()))
        distinct = DistinctRecords.of(nothing, group, scratch)
        return Figures.of(distinct.weight, weight=distinct.weight)


def codes_of(columns: Sequence[Column]) -> list[Int32]:
    """Return int32 (n,) each: codes of the values of columns, equal where these are."""
    return [
        column.codes
        if isinstance(column, CategoricalColumn)
        else np.unique(column.values, return_inverse=True)[1].ravel().astype(np.int32)
        for column in columns
    ]


def rarest_first(column: SetColumn, store: Store = MEMORY) -> SetColumn:
    """Return the column over codes of which 0 is the rarest; their labels are those of others."""
    place = np.empty(len(column.vocabulary), np.int32)
    place[np.argsort(column.occurrences, kind="stable")] = np.arange(len(place), dtype=np.int32)
    return column.recode(place, column.vocabulary, store)
