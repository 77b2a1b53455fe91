"""Random records of a publication, before and after anonymization. Only the local page of the owner shows them."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from anonset.data import CategoricalColumn, Column, SetColumn
from anonset.data.array_types import Int64
from anonset.data.redacted_repr import RedactedRepr
from anonset.data.storage.store import MEMORY
from anonset.errors import InputError
from anonset.jobs.original import items_outside_hierarchy, read_original, require_same_content
from anonset.jobs.reading import opened_to_compare
from anonset.jobs.shown_values import texts_of, values_by_column
from anonset.publications import Records, Symbol
from anonset.publications.records import symbols_of
from anonset.reading.batches import open_source
from anonset.reading.file_options import Unit
from anonset.reading.options import ReadOptions
from anonset.settings.binding import fit
from anonset.settings.job import Job
from anonset.settings.job_files import settings_at
from anonset.settings.publication import OriginalSettings

MASKED = "•••"
"""Text in place of the values of a masked column."""
_SHOWN = 10
"""Number of records."""


@dataclass(frozen=True)
class ChangedCell(RedactedRepr):
    """Values of a record in a column, before and after anonymization. A set has several values."""

    column: str
    before: tuple[str, ...] = field(repr=False)
    after: tuple[Symbol, ...] = field(repr=False)


def changed_rows(report: str) -> list[list[ChangedCell]]:
    """Return random records of a publication of records, each as a list of cells.

    Columns that identify a person, columns that were not published, and columns with contact data, names or free text
    are masked.

    Parameters
    ----------
    report
        Path of the private report.

    Raises
    ------
    InputError
        If the publication contains no records, or the original is missing or differs.
    """
    out, settings = settings_at(report, "out", Job(), OriginalSettings)
    source = settings.original_source()
    if source is None:
        raise InputError("the original does not exist, so its records cannot be shown")
    with opened_to_compare(out, source, settings, "losses") as (opened, place):
        publication, private = opened.publication, opened.report
        back = opened.way_back(MEMORY)
        if not isinstance(publication, Records) or private is None or back is None:
            raise InputError("the publication does not contain complete records that belong to records of the original")
        original = read_original(publication, source, settings, opened.attested, place)
        require_same_content(fit(original, settings.hierarchy, items_outside_hierarchy(opened.attested))[0], private)
        rows = np.sort(np.random.default_rng(0).choice(publication.n, min(_SHOWN, publication.n), replace=False))
        before: dict[str, SetColumn | Column] = {
            column.name: column for column in (*original.relational, *original.kept)
        }
        if original.transactions is not None and publication.transactions is not None:
            before[publication.transactions.name] = original.transactions
        joined = original.joined
        cells = [
            _cells(publication, column, before[column.name], joined, rows, back[0][rows])
            for column in publication.columns
        ]
        header = open_source(source, ReadOptions(**settings.reading_options())).names
        unit = Unit.of(private.settings.get("unit"), header).columns
        hidden = dict.fromkeys([*unit, *Job(private.settings).names("drop", header=header)])
        masked = [_masked(name, len(rows)) for name in hidden]
        return [list(record) for record in zip(*masked, *cells, strict=True)]


def _cells(
    publication: Records, after: SetColumn | CategoricalColumn, before: SetColumn | Column, joined: Sequence[str],
    rows: Int64, records: Int64,
) -> list[ChangedCell]:  # fmt: skip
    if any(values.are_personal for values in values_by_column(before, joined).values()):
        return _masked(after.name, len(rows))
    symbol_of = symbols_of(publication, after)
    codes = [after.held_by(row) if isinstance(after, SetColumn) else after.codes[[row]] for row in rows.tolist()]
    texts = zip(texts_of(before.take(records)), codes, strict=True)
    return [ChangedCell(after.name, old, tuple(map(symbol_of, new.tolist()))) for old, new in texts]


def _masked(column: str, n: int) -> list[ChangedCell]:
    return [ChangedCell(column, (MASKED,), (Symbol(MASKED, "item", (MASKED,)),))] * n
