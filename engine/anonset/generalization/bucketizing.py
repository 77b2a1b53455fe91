"""Apply a grouping of tuples to a table. The result is the published buckets."""

from dataclasses import replace
from typing import Any

import numpy as np

from anonset.data import CategoricalColumn, Table, Vocabulary
from anonset.data.array_types import Bools
from anonset.data.hierarchies.hierarchy_rules import NO_VALUE
from anonset.data.spans import run_spans, spans
from anonset.errors import InputError
from anonset.generalization.recoding import SUPPRESSED, Bucketized
from anonset.generalization.row_order import sort_rows
from anonset.generalization.unsorted_rows import UnsortedRows, without_items
from anonset.publications.buckets import GROUP, STAR, Buckets, count_values
from anonset.spelling import counted


def bucketize(table: Table, buckets: Bucketized) -> Buckets:
    """Apply a grouping of tuples to its table.

    QIT rows are sorted by group, then by published content. SNT values are sorted by group, then in canonical order.
    The order of the rows discloses neither the sensitive value of a row nor a hidden identity.

    Raises
    ------
    InputError
        If the grouping does not fit the table, or the table has columns that buckets cannot publish.

    Examples
    --------
    >>> ids = CategoricalColumn.of("patient", ["P1", "P1", "P2", "P1"])
    >>> table = Table(sensitive=CategoricalColumn.of("drug", ["a", "b", "c", "d"]), ids=(ids,))
    >>> buckets = Bucketized(np.zeros(4, np.int32), np.array([False, True, False, True]))
    >>> published = bucketize(table, buckets)
    >>> published.ids[0].labels(), published.snt_value.labels()
    (['P1', 'P2', '*', '*'], ['a', 'b', 'c', 'd'])
    """
    require_bucket_roles(table)
    sensitive = table.sensitive
    if sensitive is None or len(buckets.group) != table.n or len(buckets.starred) != table.n:
        raise InputError(
            f"the grouping does not fit the table: it has {len(buckets.group)} tuples, the table has "
            f"{table.n} and {'no' if sensitive is None else 'a'} sensitive column"
        )
    return _made(table, sensitive, buckets)


def _made(table: Table, sensitive: CategoricalColumn, buckets: Bucketized) -> Buckets:
    store = table.store.nested()
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
    rows = sort_rows(UnsortedRows(without_items(record.length), *unsorted), largest=largest, store=store)
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
    return Buckets(
        qit[: len(ids)],
        qit[len(ids) :],
        CategoricalColumn(GROUP, group, Vocabulary.numbered(buckets.n_groups)),
        snt_group,
        CategoricalColumn(sensitive.name, snt_value, sensitive.vocabulary),
        snt_count,
        rows.record,
        store,
    )


def require_bucket_roles(table: Table) -> None:
    """Reject columns that a bucketized table cannot contain.

    Raises
    ------
    InputError
        The message names the columns.
    """
    sets = () if table.transactions is None else (table.transactions,)
    if unplaced := [column.name for column in (*sets, *table.relational)]:
        raise InputError(
            f"buckets publish only ids, kept columns and a sensitive column; declare {', '.join(map(repr, unplaced))} "
            "as keep (published unchanged) or drop"
        )


def require_no_missing(column: CategoricalColumn, model: str) -> None:
    """Reject missing sensitive values. If they counted as values, a known value could have a larger share than the
    model allows.

    Raises
    ------
    InputError
        The message contains the number of rows without a value.
    """
    counts = zip(column.vocabulary.labels, column.occurrences.tolist(), strict=True)
    if missing := sum(count for label, count in counts if label.strip() in NO_VALUE):
        rows = f"{counted(missing, 'row')} without a value, which model {model} rejects"
        way = "remove these rows, or write a text such as 'none' if missing is a value"
        raise InputError(f"sensitive column {column.name!r}: {rows}; {way}")


def _with_star(column: CategoricalColumn, starred: Bools) -> CategoricalColumn:
    if not starred.any():
        return column
    if STAR in column.vocabulary.index:
        raise InputError(f"id column {column.name!r} must not contain {STAR!r}, which marks hidden identities")
    filed = column.vocabulary.filed
    if filed is not None:
        return replace(column, vocabulary=Vocabulary.of_filed(filed.followed_by(STAR)))
    return replace(column, vocabulary=Vocabulary((*column.vocabulary.labels, STAR)))
