"""Most frequent values of each column that a job publishes. Only the local page of the owner shows them."""

from collections import Counter
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from anonset.columns.headers import is_identifier
from anonset.columns.rules import are_personal
from anonset.data import Table
from anonset.data.redacted_repr import RedactedRepr
from anonset.errors import InputError
from anonset.jobs.reading import place_of_data, read_data
from anonset.jobs.shown_values import Values, values_by_column
from anonset.settings.commands import EvaluateSettings
from anonset.settings.job import Job
from anonset.settings.job_files import settings_at

_ROWS = 200
"""Number of rows that are shown."""
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
    with _read(job) as table:
        shown = [one for one in table.columns if one not in table.ids]
        found = {name: values for one in shown for name, values in values_by_column(one, table.joined).items()}
        if column and column not in found:
            raise InputError(f"column {column!r} is not published, so its values are not shown")
        return [
            _of(name, table.n, values, _SHOWN if not column else _SHOWN_OF_ONE)
            for name, values in found.items()
            if column in ("", name)
        ]


def first_rows(
    source: str, options: Job, hidden: Collection[str] = (), published: Collection[str] = ()
) -> dict[str, list[str]]:
    """Return the first rows of a file as text, by column. Masked columns have no values and are the last.

    Columns with contact data, names or free text are masked. So are hidden columns, columns named like an id, and those
    of which each row has a value of its own, unless they are published.

    Raises
    ------
    InputError
        If the data cannot be read.
    """
    from anonset.jobs.proposals.proposed_reading import head_of, with_recognised_options

    head, _ = with_recognised_options(source, options, head_of)
    texts = {name: [_text_of(value) for value in column.to_pylist()] for name, column in head.items()}
    given = {name: Counter(cell for cell in cells if cell) for name, cells in texts.items()}
    masked = {
        name
        for name, of in given.items()
        if (of and are_personal(name, [*of], np.array([*of.values()], np.int64), may_differ=name in published))
        or (name not in published and (name in hidden or is_identifier(name)))
    }
    return dict(sorted([(n, [] if n in masked else texts[n][:_ROWS]) for n in texts], key=lambda of: of[0] in masked))


def _text_of(value: Any) -> str:
    values = value if isinstance(value, list) else [value]
    return "; ".join(str(one) for one in values if one is not None)


@contextmanager
def _read(job: str) -> Iterator[Table]:
    """Yield the table that a job reads."""
    where, settings = settings_at(job, "input", Job(), EvaluateSettings)
    source = settings.source(where)
    with place_of_data([source], settings) as place:
        yield read_data(source, settings.read_options(), store=place)


def _of(name: str, records: int, values: Values, most: int) -> FrequentValues:
    if values.are_personal:
        return FrequentValues(name, records, ())
    order = np.argsort(-values.counts, kind="stable")[:most]
    frequent = tuple((values.labels[code], int(values.counts[code])) for code in order.tolist() if values.counts[code])
    return FrequentValues(name, records, frequent, int(np.count_nonzero(values.counts)))
