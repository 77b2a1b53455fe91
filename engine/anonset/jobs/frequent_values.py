"""Most frequent values of each column that a job publishes. Only the local page of the owner shows them."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import numpy as np

from anonset.data import Table
from anonset.data.redacted_repr import RedactedRepr
from anonset.errors import InputError
from anonset.jobs.reading import place_of_data, read_data
from anonset.jobs.shown_values import Values, texts_of, values_by_column
from anonset.settings.commands import EvaluateSettings
from anonset.settings.job import Job
from anonset.settings.job_files import settings_at

_RECORDS = 200
"""Number of records that are shown."""
_SHOWN, _SHOWN_OF_ONE = 12, 100
"""Maximum number of values of each of several columns, and of a single column."""


@dataclass(frozen=True)
class FrequentValues(RedactedRepr):
    """Most frequent values of a column as the job reads it, with the number of records that contain each value."""

    column: str
    records: int
    """Number of records."""
    values: tuple[tuple[str, int], ...] = field(repr=False)
    """Values and their counts, the most frequent first. Empty if the values are masked."""
    distinct: int = 0
    """Number of distinct values. 0 if the values are masked."""


def frequent_values(job: str, column: str = "") -> list[FrequentValues]:
    """Return the most frequent values of the columns that a job publishes. The values of columns with contact data,
    names or free text are omitted.

    Parameters
    ----------
    column
        The only column to return, with more values. Empty for all columns.

    Raises
    ------
    InputError
        If the job is invalid, the data cannot be read, or the job does not publish the column.
    """
    with _read(job) as (table, _):
        shown = [one for one in table.columns if one not in table.ids]
        found = {name: values for one in shown for name, values in values_by_column(one, table.joined).items()}
        if column and column not in found:
            msg = f"column {column!r} is not published, so its values are not shown"
            raise InputError(msg)
        return [
            _of(name, table.n, values, _SHOWN if not column else _SHOWN_OF_ONE)
            for name, values in found.items()
            if column in ("", name)
        ]


def first_records(job: str) -> dict[str, list[str]]:
    """Return the first records that a job reads, by column. Masked columns have no values and are the last.

    Columns that identify a person, columns that are not published, and columns with contact data, names or free text
    are masked.

    Raises
    ------
    InputError
        If the job is invalid, or the data cannot be read.
    """
    with _read(job) as (table, settings):
        rows = np.arange(min(_RECORDS, table.n))
        found = {
            one.name: []
            if any(values.are_personal for values in values_by_column(one, table.joined).values())
            else ["; ".join(cell) for cell in texts_of(one.take(rows))]
            for one in table.columns
            if one not in table.ids
        }
        hidden = [*settings.file.person, *settings.drop]
        return dict(sorted([*((name, []) for name in hidden), *found.items()], key=lambda of: not of[1]))


@contextmanager
def _read(job: str) -> Iterator[tuple[Table, EvaluateSettings]]:
    """Yield the table that a job reads, and the settings of the job."""
    where, settings = settings_at(job, "input", Job(), EvaluateSettings)
    source = settings.source(where)
    with place_of_data([source], settings) as place:
        yield read_data(source, settings.read_options(), store=place), settings


def _of(name: str, records: int, values: Values, most: int) -> FrequentValues:
    if values.are_personal:
        return FrequentValues(name, records, ())
    order = np.argsort(-values.counts, kind="stable")[:most]
    frequent = tuple((values.labels[code], int(values.counts[code])) for code in order.tolist() if values.counts[code])
    return FrequentValues(name, records, frequent, int(np.count_nonzero(values.counts)))
