"""The original of a publication on disk, and the person of each of its records."""

import numpy as np

from anonset.columns.ids import numbered
from anonset.data import Table
from anonset.data.store import Store
from anonset.data.table import Int64
from anonset.errors import InputError
from anonset.jobs.original.base import read_original
from anonset.reading.batches import open_source
from anonset.reading.options import ReadOptions
from anonset.reading.source import Source
from anonset.reading.table_builder import read_all_rows
from anonset.release.opened import OpenedPublication
from anonset.settings.publication import OriginalSettings


def original_and_persons(
    opened: OpenedPublication, source: Source | None, settings: OriginalSettings, store: Store
) -> tuple[Table | None, Int64 | None]:
    """Read the original of a publication and the person of each record. The original is None if none is given. Persons
    are identified by the columns that the settings declare as the unit, if the publication counts rows. Otherwise, they
    are None.

    Raises
    ------
    InputError
        If the original cannot be read.
    """
    if source is None:
        return None, None
    publication, attested = opened.publication, opened.attested
    names = list(settings.file.person)
    if attested.data.shows_ids or attested.declarations.unit == "person" or not names:
        return read_original(publication, source, settings, attested, store), None
    drop = list(dict.fromkeys([*settings.drop, *names]))
    of_rows = settings.model_copy(update={"unit": [], "drop": drop})
    table = read_original(publication, source, of_rows, attested, store)
    return table, persons_of_original(source, settings, table)


def persons_of_original(source: Source, settings: OriginalSettings, table: Table) -> Int64:
    """Return the person of each record of the original, int64 (n,), by the columns that the settings declare as the
    unit. A record without an id counts as a person.

    Raises
    ------
    InputError
        If the columns cannot be read like the original.
    """
    names = settings.file.person
    opened = open_source(source, ReadOptions(**settings.reading_options()).reading())
    codes, has_id = np.zeros(table.n, np.int64), np.ones(table.n, np.bool_)
    for name, column in read_all_rows(opened, names).items():
        of_column, is_present = numbered(column)
        if len(of_column) != table.n:
            msg = f"{source.where}: column {name!r} must have {table.n:,} rows, one per record of the original"
            raise InputError(msg)
        codes = np.unique(codes * (int(of_column.max(initial=0)) + 1) + of_column, return_inverse=True)[1].ravel()
        has_id &= is_present
    codes = np.where(has_id, codes, int(codes.max(initial=0)) + 1 + np.arange(table.n))
    return np.unique(codes, return_inverse=True)[1].ravel().astype(np.int64)
