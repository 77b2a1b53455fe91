"""Most frequent values of each column that a job publishes. Only the local page of the owner shows them."""

from dataclasses import dataclass, field

import numpy as np

from anonset.data import CategoricalColumn, Column, SetColumn
from anonset.data.redacted_repr import RedactedRepr
from anonset.jobs.changed_rows import is_personal
from anonset.jobs.reading import place_of_data, read_data
from anonset.settings.commands import EvaluateSettings
from anonset.settings.job_files import over_job
from anonset.settings.settings import validate

_SHOWN = 12
"""Number of values of each column."""


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


def frequent_values(job: str) -> list[FrequentValues]:
    """Return the most frequent values of the columns that a job publishes. The values of columns with contact data,
    names or free text are omitted.

    Raises
    ------
    InputError
        If the job is invalid, or the data cannot be read.
    """
    where, options = over_job(job, "input", {}, EvaluateSettings)
    settings = validate(EvaluateSettings, {**options, "input": where})
    source = settings.source(where)
    with place_of_data([source], settings) as place:
        table = read_data(source, settings.read_options(), store=place)
        return [_of(column) for column in table.columns if column not in table.ids]


def _of(column: SetColumn | Column) -> FrequentValues:
    if is_personal(column):
        return FrequentValues(column.name, column.n, ())
    if isinstance(column, SetColumn | CategoricalColumn):
        counts = np.asarray(column.occurrences)
        labels = column.vocabulary.labels
    else:
        numbers, counts = np.unique(column.values, return_counts=True)
        labels = tuple(f"{number:.15g}" for number in numbers.tolist())
    order = np.argsort(-counts, kind="stable")[:_SHOWN]
    values = tuple((labels[code], int(counts[code])) for code in order.tolist() if counts[code])
    return FrequentValues(column.name, column.n, values, int(np.count_nonzero(counts)))
