"""Read the original of a publication, and check that it belongs to the publication."""

from collections.abc import Sequence

import numpy as np

from anonset.analysis.base import analysis_of
from anonset.columns.ids import persons_in
from anonset.data import Table
from anonset.data.array_types import Int64
from anonset.data.fingerprints import column_sha256
from anonset.data.storage.store import MEMORY, Store
from anonset.errors import InputError
from anonset.jobs.reading import read_data
from anonset.publications import Published, Records
from anonset.reading.batches import open_source
from anonset.reading.file_options import Unit
from anonset.reading.linked import LinkedTables
from anonset.reading.options import ReadOptions
from anonset.reading.sources.source import Source
from anonset.reading.table_builder import read_all_rows
from anonset.release.documents import Attestation, Report
from anonset.release.opened import OpenedPublication
from anonset.settings.parameters import MODELS
from anonset.settings.publication import OriginalSettings
from anonset.spelling import listed, setting


def read_original(
    publication: Published,
    source: Source,
    settings: OriginalSettings,
    attested: Attestation | None,
    store: Store = MEMORY,
) -> Table:
    """Read the original of a publication. Its arrays are stored in `store`, which may be on disk.

    If several item separators are possible, return the table with the largest share of items that the publication
    covers. Stop at a table whose items are all covered.

    Raises
    ------
    InputError
        If the original cannot be read, or lacks the columns of the publication. If every separator fails, the error is
        that of the first one.
    """
    kind = analysis_of(publication)
    best, most, rejections = None, -1.0, list[InputError]()
    for options in kind.original_options(source, settings, attested):
        try:
            table = read_data(source, ReadOptions(**options), store=store)
        except InputError as error:
            rejections.append(error)
            continue
        if (share := kind.explained_share(table)) > most:
            best, most = table, share
        if most == 1.0:
            break
    if best is None:
        raise rejections[0]
    return best


def original_and_persons(
    opened: OpenedPublication, source: Source | None, settings: OriginalSettings, store: Store
) -> tuple[Table | None, Int64 | None, tuple[str, ...]]:
    """Read the original of a publication, the person of each record, and the columns by which persons are counted. The
    original is None if none is given.

    The columns are those that the settings declare as the unit, unless the publication counts by them, or else those
    that contradicted the declaration, if the persons of records can be counted. Otherwise, the persons are None.

    Raises
    ------
    InputError
        If the original cannot be read, or is missing although columns are declared as the unit.
    """
    if source is None and settings.file.person:
        raise InputError(f"{setting('unit')} needs {setting('original')} to count persons")
    if source is None:
        return None, None, ()
    publication, attested, given = opened.publication, opened.attested, settings.file.person
    by_columns, declared = attested.declarations.unit == "person", tuple[str, ...]()
    if by_columns and opened.report is not None and not isinstance(source.given, LinkedTables):
        declared = Unit.of(opened.report.settings.get("unit")).columns
    names = tuple[str, ...]()
    if not attested.data.shows_ids and (declared or not by_columns):
        names = (given if {*given} != {*declared} else ()) or _likely_persons(opened, source, settings)
    if not names:
        return read_original(publication, source, settings, attested, store), None, ()
    drop = [name for name in dict.fromkeys([*settings.drop, *names]) if name not in declared]
    of_records = settings.model_copy(update={"unit": [*declared], "drop": drop})
    table = read_original(publication, source, of_records, attested, store)
    try:
        return table, persons_of_original(source, settings, table, names, declared), names
    except InputError:
        if names == given:
            raise
        return table, None, ()


def _likely_persons(opened: OpenedPublication, source: Source, settings: OriginalSettings) -> tuple[str, ...]:
    """Return the columns that contradicted the declared person, if the persons of the published rows can be counted."""
    if opened.report is None or not isinstance(opened.publication, Records):
        return ()
    likely = opened.report.likely_persons
    there = open_source(source, ReadOptions(**settings.reading_options())).names if likely else ()
    return tuple(likely) if set(likely) <= set(there) else ()


def persons_of_original(
    source: Source, settings: OriginalSettings, table: Table, names: Sequence[str], declared: Sequence[str] = ()
) -> Int64:
    """Return the person of each record of the original, int64 (n,), by columns. A record without an id counts as a
    person.

    Parameters
    ----------
    declared
        Columns whose rows with equal values are one record. Empty if each row is a record.

    Raises
    ------
    InputError
        If the columns cannot be read like the original, or a record has rows of several persons.
    """
    opened = open_source(source, ReadOptions(**settings.reading_options()))
    names, declared = (Unit.of(list(one), opened.names).columns for one in (names, declared))
    columns = read_all_rows(opened, [*dict.fromkeys([*names, *declared])])
    persons = persons_in([columns[name] for name in names])
    if declared:
        records = persons_in([columns[name] for name in declared])
        rows = np.flatnonzero(records >= 0)
        _, first, of_row = np.unique(records[rows], return_index=True, return_inverse=True)
        if (persons[rows] != persons[rows[first]][of_row]).any():
            each, several = listed([*map(repr, declared)], "with"), listed([*map(repr, names)], "with")
            raise InputError(f"{source.where}: the rows of one {each} have several values of {several}")
        persons = persons[rows[np.sort(first)]]
    if len(persons) != table.n:
        name, what = names[0], "records" if declared else "rows"
        raise InputError(f"{source.where}: column {name!r} must have {table.n:,} {what}, one per record")
    persons = np.where(persons < 0, int(persons.max(initial=-1)) + 1 + np.arange(table.n), persons)
    return np.unique(persons, return_inverse=True)[1].ravel().astype(np.int64)


def require_columns(original: Table, attested: Attestation) -> None:
    """Reject an original in which a protected column of the publication is missing or has another role.

    Raises
    ------
    InputError
        The message names the columns.
    """
    for role, (names, expected) in attested.data.protected(original).items():
        if sorted(names) != sorted(expected):
            shown = [", ".join(map(repr, names)) or "none" for names in (names, expected)]
            raise InputError(f"the original must have the published {role} columns {shown[1]}, got {shown[0]}")


def items_outside_hierarchy(attested: Attestation) -> tuple[str, ...]:
    """Return the sensitive items that the publication does not generalize, so that no hierarchy contains them."""
    is_outside = attested.model in MODELS and MODELS[attested.model].model.secrets_beside
    return tuple(attested.parameters.get("sensitive_items", ())) if is_outside else ()


def require_same_content(original: Table, report: Report) -> None:
    """Reject an original with a column that differs, row by row, from the anonymized column. The hierarchies of the
    job have coarsened the original (`anonset.settings.binding.fit`).

    Raises
    ------
    InputError
        The message names the column.
    """
    digests = report.input.get("columns", {})
    # dropped when the publication was made
    others = {column.name for column in (*original.kept, *original.ids)} - digests.keys()
    for column in original.columns:
        if column.name not in others and column_sha256(column, original.store) != digests.get(column.name):
            raise InputError(
                f"column {column.name!r} of the original differs from the published data: it must contain the same "
                "values in the same order, read in the same way (as text or as numbers)"
            )
