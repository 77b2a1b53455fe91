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
from anonset.reading.options import ReadOptions
from anonset.reading.sources.source import Source
from anonset.reading.table_builder import read_all_rows
from anonset.release.documents import Attestation, Report
from anonset.release.opened import OpenedPublication
from anonset.settings.parameters import MODELS
from anonset.settings.publication import OriginalSettings


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
) -> tuple[Table | None, Int64 | None]:
    """Read the original of a publication and the person of each record. The original is None if none is given. If the
    publication counts rows, persons are identified by the columns that the settings declare as the unit, or else by the
    columns that contradicted the declaration, if rows are published and the original has the columns. Otherwise, they
    are None.

    Raises
    ------
    InputError
        If the original cannot be read.
    """
    if source is None:
        return None, None
    publication, attested = opened.publication, opened.attested
    names = list(settings.file.person) or _likely_persons(opened, source, settings)
    if attested.data.shows_ids or attested.declarations.unit == "person" or not names:
        return read_original(publication, source, settings, attested, store), None
    drop = list(dict.fromkeys([*settings.drop, *names]))
    of_rows = settings.model_copy(update={"unit": [], "drop": drop})
    table = read_original(publication, source, of_rows, attested, store)
    return table, persons_of_original(source, settings, table, names)


def _likely_persons(opened: OpenedPublication, source: Source, settings: OriginalSettings) -> Sequence[str]:
    """Return the columns that contradicted the declared person, if the persons of the published rows can be counted."""
    if opened.report is None or not isinstance(opened.publication, Records):
        return ()
    likely = opened.report.likely_persons
    there = open_source(source, ReadOptions(**settings.reading_options())).names if likely else ()
    return likely if set(likely) <= set(there) else ()


def persons_of_original(source: Source, settings: OriginalSettings, table: Table, names: Sequence[str]) -> Int64:
    """Return the person of each record of the original, int64 (n,), by columns. A record without an id counts as a
    person.

    Raises
    ------
    InputError
        If the columns cannot be read like the original.
    """
    opened = open_source(source, ReadOptions(**settings.reading_options()))
    columns = read_all_rows(opened, Unit.of(list(names), opened.names).columns)
    for name, column in columns.items():
        if len(column) != table.n:
            msg = f"{source.where}: column {name!r} must have {table.n:,} rows, one per record of the original"
            raise InputError(msg)
    persons = persons_in(list(columns.values()))
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
