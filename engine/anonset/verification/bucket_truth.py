"""Truthfulness of a bucketized table: its rows are those of the original, and its groups hold their values."""

import numpy as np

from anonset.data import CategoricalColumn, Table
from anonset.data.table import Int64
from anonset.errors import InputError
from anonset.generalization.buckets import STAR, BucketPublication
from anonset.privacy.model import Witness
from anonset.spelling import counted


def check_buckets_truthful(table: Table, publication: BucketPublication) -> Witness | None:
    """Return the first published row, or value of a group, that is not true of the original table, or None.

    Each QIT row must have the values of its input tuple, or a star for an identity; each group of the SNT must hold
    the values of its tuples, as often. That no tuple is published twice is checked too. O(n log(n)).

    Raises
    ------
    InputError
        If the publication has other columns than the table, or rows that come from no tuple of it.
    """
    _require_same_columns(table, publication)
    record, n = publication.record, publication.n
    if n and (int(record.min()) < 0 or int(record.max()) >= table.n):
        msg = f"the input tuples of the published rows must be 0 to {table.n - 1}, got {record.min()} to {record.max()}"
        raise InputError(msg)
    times = np.bincount(record, minlength=table.n)
    twice = np.flatnonzero(times[record] > 1)
    if len(twice):
        row = int(twice[0])
        detail = f"input tuple {record[row]} is published more than once"
        return Witness((), int(times[record[row]]), 1, row, detail)
    originals = {column.name: column for column in (*table.ids, *table.kept)}
    for column in (*publication.ids, *publication.kept):
        before = originals[column.name]
        wrong = _translated(column, before) != before.codes[record]
        if column in publication.ids:
            wrong &= column.codes != column.vocabulary.index.get(STAR, -1)
        if wrong.any():
            row = int(np.flatnonzero(wrong)[0])
            return Witness((), 0, 1, row, f"its input tuple has another value in column {column.name!r}")
    return _untrue_value(table, publication)


def check_undivided(table: Table, publication: BucketPublication) -> Witness | None:
    """Return an individual whose published tuples, the starred ones among them, are in two groups, or None.

    It takes the original table to see this: stars hide whose a tuple is.

    Raises
    ------
    InputError
        If the publication has other columns than the table.
    """
    _require_same_columns(table, publication)
    person = np.zeros(publication.n, np.int64)
    for column in table.ids:
        key = person * max(1, len(column.vocabulary)) + column.codes[publication.record]
        person = np.unique(key, return_inverse=True)[1].astype(np.int64)
    group = publication.group.codes
    order = np.lexsort((group, person))
    divided = (person[order][1:] == person[order][:-1]) & (group[order][1:] != group[order][:-1])
    if not divided.any():
        return None
    at = int(np.flatnonzero(divided)[0])
    one, other = int(order[at]), int(order[at + 1])
    labels = publication.group.vocabulary.labels
    n_groups = len(np.unique(group[person == person[one]]))
    detail = f"tuples of its individual are in groups {labels[group[one]]} and {labels[group[other]]}, one is required"
    return Witness((), n_groups, 1, other, detail)


def _untrue_value(table: Table, publication: BucketPublication) -> Witness | None:
    """Return the first value that a group does not hold as often as it says, or None."""
    before, value = table.sensitive, publication.snt_value
    if before is None:
        msg = "the table must have a sensitive column, got none"
        raise InputError(msg)
    width = len(before.vocabulary) + 1  # the last place is for values that the table does not know
    said = publication.snt_group.astype(np.int64) * width + _translated(value, before)
    said = np.sort(np.repeat(said, publication.snt_count))
    true = np.sort(publication.group.codes.astype(np.int64) * width + before.codes[publication.record])
    differs = np.flatnonzero(said != true)
    if not len(differs):
        return None
    key = int(min(said[differs[0]], true[differs[0]]))
    group, code = divmod(key, width)
    label = "a value the table does not have" if code == width - 1 else before.vocabulary.labels[code]
    row = int(np.flatnonzero(publication.group.codes == group)[0])
    stated, held = int(np.count_nonzero(said == key)), int(np.count_nonzero(true == key))
    number = publication.group.vocabulary.labels[group]
    times = counted(stated, "time"), counted(held, "time")
    detail = f"group {number} is said to have the value {times[0]}, its input tuples have it {times[1]}"
    return Witness((label,), held, stated, row, detail)


def _translated(column: CategoricalColumn, before: CategoricalColumn) -> Int64:
    """Return int64 (n,): the published values as codes of the original column; one past the last for others."""
    index, other = before.vocabulary.index, len(before.vocabulary)
    image = np.array([index.get(label, other) for label in column.vocabulary.labels], np.int64)
    return image[column.codes] if column.n else np.zeros(0, np.int64)


def _require_same_columns(table: Table, publication: BucketPublication) -> None:
    sensitive = () if table.sensitive is None else (table.sensitive,)
    before = [[column.name for column in columns] for columns in (table.ids, table.kept, sensitive)]
    after = [
        [column.name for column in columns] for columns in (publication.ids, publication.kept, (publication.snt_value,))
    ]
    if before != after:
        msg = f"the publication must have the ids, kept and sensitive columns of the table, {before}, got {after}"
        raise InputError(msg)
