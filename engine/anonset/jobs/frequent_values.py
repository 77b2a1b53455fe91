"""Most frequent values of each column that a job publishes. Only the local page of the owner shows them."""

from dataclasses import dataclass, field

import numpy as np

from anonset.data.redacted_repr import RedactedRepr
from anonset.errors import InputError
from anonset.jobs.reading import place_of_data, read_data
from anonset.jobs.shown_values import Values, values_by_column
from anonset.settings.commands import EvaluateSettings
from anonset.settings.job_files import over_job
from anonset.settings.settings import validate

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
    where, options = over_job(job, "input", {}, EvaluateSettings)
    settings = validate(EvaluateSettings, {**options, "input": where})
    source = settings.source(where)
    with place_of_data([source], settings) as place:
        table = read_data(source, settings.read_options(), store=place)
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


def _of(name: str, records: int, values: Values, most: int) -> FrequentValues:
    if values.are_personal:
        return FrequentValues(name, records, ())
    order = np.argsort(-values.counts, kind="stable")[:most]
    frequent = tuple((values.labels[code], int(values.counts[code])) for code in order.tolist() if values.counts[code])
    return FrequentValues(name, records, frequent, int(np.count_nonzero(values.counts)))
