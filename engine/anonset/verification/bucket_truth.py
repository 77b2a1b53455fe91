"""Check whether each published row of a bucketized table, and the values of each group, match the original."""

from collections.abc import Iterator

import numpy as np

from anonset.data import CategoricalColumn, Table
from anonset.data.array_types import Int64
from anonset.data.spans import ascending, run_spans, spans
from anonset.errors import InputError
from anonset.privacy.model import Witness
from anonset.publications import Buckets
from anonset.publications.buckets import STAR
from anonset.spelling import counted
from anonset.verification.anatomy import row_of_group
from anonset.verification.individuals import BucketRows, find_divided, one_of_each_run
from anonset.verification.unchanged_columns import find_other_value, image_of


def check_buckets_truthful(table: Table, publication: Buckets) -> Witness | None:
    """Return the first published row or group value that differs from the original table, or None.

    Each QIT row must have the values of the input tuple, except that a star may replace the identity. Each group of the
    SNT must contain the sensitive values of the group's tuples, with the correct counts. No tuple may be published
    twice. Cost: O(n log(n)).

    Raises
    ------
    InputError
        If the columns of the publication and the table differ, or a published row has no input tuple in the table.
    """
    _require_same_columns(table, publication)
    record, n = publication.record, publication.n
    if n and (int(record.min()) < 0 or int(record.max()) >= table.n):
        msg = f"the input tuples of the published rows must be 0 to {table.n - 1}, got {record.min()} to {record.max()}"
        raise InputError(msg)
    row = _first_published_twice(record, table.n)
    if row >= 0:
        detail = f"input tuple {record[row]} is published more than once"
        return Witness((), int(np.count_nonzero(record == record[row])), 1, row, detail)
    witness = find_other_value(table, publication.ids, publication, star=STAR)
    witness = witness or find_other_value(table, publication.kept, publication)
    return witness or _untrue_value(table, publication)


def check_undivided(table: Table, publication: Buckets) -> Witness | None:
    """Return an individual whose published tuples are in two groups, or None. The original table shows the individual
    of a tuple whose identity is hidden by a star.

    Raises
    ------
    InputError
        If the columns of the publication and the table differ.
    """
    _require_same_columns(table, publication)
    divided = find_divided(_of_everybody(table, publication), publication.n, publication.store)[1]
    if divided is None:
        return None
    first, other = (publication.group.vocabulary.labels[group] for group in divided.groups)
    detail = f"tuples of the individual are in groups {first} and {other}, but must be in the same group"
    return Witness((), divided.n_groups, 1, divided.rows[1], detail)


def _of_everybody(table: Table, publication: Buckets) -> Iterator[BucketRows]:
    """Yield blocks of QIT rows with the individual of each row, as codes of the id columns. Rows with stars are
    included.
    """
    for first, end in spans(publication.n):
        record = publication.record[first:end]
        codes = [column.codes[record] for column in table.ids]
        yield one_of_each_run(BucketRows(codes, publication.group.codes[first:end], np.arange(first, end)))


def _untrue_value(table: Table, publication: Buckets) -> Witness | None:
    """Return the first value whose published count in a group is wrong, or None."""
    before, value = table.sensitive, publication.snt_value
    if before is None:
        raise InputError("the table must have a sensitive column, got none")
    difference = _first_key_that_differs(publication, before, image_of(value, before))
    if difference is None:
        return None
    key, stated, actual = difference
    width = len(before.vocabulary) + 1
    group, code = divmod(key, width)
    label = "a value the table does not have" if code == width - 1 else before.vocabulary.labels[code]
    row = row_of_group(publication, group)
    number = publication.group.vocabulary.labels[group]
    times = counted(stated, "time"), counted(actual, "time")
    detail = f"group {number} shows the value {times[0]}, but its input tuples contain the value {times[1]}"
    return Witness((label,), actual, stated, row, detail)


def _first_published_twice(record: Int64, n: int) -> int:
    """Return the first row that publishes the same input tuple as another row, or -1."""
    is_published = np.zeros(n, np.bool_)
    repeated_records = np.zeros(0, np.int64)
    for first, end in spans(len(record)):
        part = record[first:end]
        in_order = np.sort(part)
        repeated_records = np.concatenate(
            [repeated_records, part[is_published[part]], in_order[1:][in_order[1:] == in_order[:-1]]]
        )
        is_published[part] = True
    if not len(repeated_records):
        return -1
    return next(
        first + int(np.argmax(repeated))
        for first, end in spans(len(record))
        if (repeated := np.isin(record[first:end], repeated_records)).any()
    )


def _keys(
    publication: Buckets, before: CategoricalColumn, image: Int64, snt: tuple[int, int], qit: tuple[int, int]
) -> tuple[Int64, Int64]:
    """Return the sorted pairs (group, value) of a range of SNT rows, and of a range of QIT rows with their original
    values.
    """
    width = len(before.vocabulary) + 1  # the last code represents values that are not in the table
    rows, others = slice(*snt), slice(*qit)
    published = publication.snt_group[rows].astype(np.int64) * width + image[publication.snt_value.codes[rows]]
    true = publication.group.codes[others].astype(np.int64) * width + before.codes[publication.record[others]]
    return np.sort(np.repeat(published, publication.snt_count[rows])), np.sort(true)


def _first_key_that_differs(
    publication: Buckets, before: CategoricalColumn, image: Int64
) -> tuple[int, int, int] | None:
    """Return the first group and value with a wrong published count, and the published and true counts."""
    codes, groups, end = publication.group.codes, publication.snt_group, 0
    in_order = ascending(codes) and ascending(groups)
    for rows in run_spans(codes) if in_order else [(0, len(codes))]:
        begin, end = end, int(np.searchsorted(groups, codes[rows[1] - 1], side="right")) if in_order else len(groups)
        published, true = _keys(publication, before, image, (begin, end), rows)
        differs = np.flatnonzero(published != true)
        if len(differs):
            key = int(min(published[differs[0]], true[differs[0]]))
            return key, int(np.count_nonzero(published == key)), int(np.count_nonzero(true == key))
    return None


def _require_same_columns(table: Table, publication: Buckets) -> None:
    sensitive = () if table.sensitive is None else (table.sensitive,)
    before = [[column.name for column in columns] for columns in (table.ids, table.kept, sensitive)]
    after = [
        [column.name for column in columns] for columns in (publication.ids, publication.kept, (publication.snt_value,))
    ]
    if before != after:
        msg = f"the publication must have the ids, kept and sensitive columns of the table, {before}, got {after}"
        raise InputError(msg)
