"""The original of a publication, read with the roles that its columns had."""

from typing import Any

import numpy as np

from anonset.data import Table
from anonset.data.store import MEMORY, Store
from anonset.data.table import Int64
from anonset.data.table_facts import Repeated
from anonset.errors import InputError
from anonset.io.source import Source
from anonset.jobs.reading import read_data
from anonset.publications import Buckets, Chunks, Records
from anonset.release.documents import Attestation, BucketFiles, DataFile
from anonset.release.opened import Opened
from anonset.settings.binding import numeric_columns
from anonset.settings.publication import OriginalSettings
from anonset.verification.relational_truth import are_ranges


def original_and_persons(
    opened: Opened, source: Source | None, settings: OriginalSettings, store: Store = MEMORY
) -> tuple[Table | None, Int64 | None]:
    """Read the original of a publication, if it is given, and whose each of its records is, where those are no persons.

    The columns that are named as ids then tell whose a record is: they were not published.

    Raises
    ------
    InputError
        If the original cannot be read.
    """
    if source is None:
        return None, None
    if isinstance(data := opened.attested.data, BucketFiles):
        return read_original_of_buckets(source, data, settings, store), None
    if opened.attested.declarations.unit == "person" or settings.group:
        return read_original(source, opened.publication, settings, opened.attested, store), None
    settings = settings.model_copy(update={"drop": list(dict.fromkeys([*settings.drop, *settings.id]))})
    of_rows = settings.model_copy(update={"id": []})
    table = read_original(source, opened.publication, of_rows, opened.attested, store)
    return table, persons_of_original(source, settings, opened.attested, table)


def read_original(
    source: Source,
    publication: Records | Buckets | Chunks,
    settings: OriginalSettings,
    attested: Attestation | None,
    store: Store = MEMORY,
) -> Table:
    """Read the original of a publication, into files below a store that is in files.

    What the settings do not say of it is taken from the publication: the names of the columns, which of them hold
    numbers, and, as attested, what separates the items within a field. A publication in FIMI names no column: the
    original's is then its only one without another role.

    Raises
    ------
    InputError
        If the original cannot be read, or has not the columns of the publication.
    """
    roles: dict[str, Any] = {"id": settings.id, "drop": settings.drop}
    if isinstance(publication, Buckets):
        roles |= {"sensitive": publication.snt_value.name, "id": [column.name for column in publication.ids]}
    elif isinstance(publication, Chunks):
        roles["items"] = _items((publication.name,), settings, attested, source)
    else:
        sets = publication.transactions
        named = () if sets is None else publication.joined or (sets.name,)
        relational = [column.name for column in publication.relational]
        roles |= {"items": _items(named, settings, attested, source), "relational": relational}
        roles["numeric"] = _numeric(publication, settings)
    if not isinstance(publication, Chunks):
        roles["keep"] = [column.name for column in publication.kept]
    options = settings.reading_options()
    marks = _separators(settings, attested, source)
    found = [read_data(source, {**roles, **options, "separator": mark}, store=store) for mark in marks]
    return max(found, key=lambda table: _known(table, publication))


def read_original_of_buckets(
    source: Source, data: BucketFiles, settings: OriginalSettings, store: Store = MEMORY
) -> Table:
    """Read the original of buckets whose columns are attested; see `read_original`.

    Raises
    ------
    InputError
        If the original cannot be read, or has not the columns of the publication.
    """
    roles = {"items": None, "sensitive": data.sensitive, "id": data.id, "keep": data.keep, "drop": settings.drop}
    return read_data(source, {**settings.reading_options(), **roles}, store=store)


def persons_of_original(
    source: Source, settings: OriginalSettings, attested: Attestation, table: Table
) -> Int64 | None:
    """Return int64 (n,): whose each record of the original is; None where records are persons, or none tells whose.

    The columns that tell it are those that are named as ids, or that repeat as the ids of persons do. A record of which
    the id is not given is taken for a person.

    Raises
    ------
    InputError
        If they cannot be read as the original is.
    """
    if attested.declarations.unit == "person" or isinstance(attested.data, BucketFiles):
        return None
    names = settings.id or [name for one in table.repeated[:1] if not one.cut for name in _columns_of(one, settings)]
    if not names:
        return None
    from anonset.io.batches import open_source
    from anonset.io.options import ReadOptions
    from anonset.io.person_candidates import numbered
    from anonset.io.table_builder import whole

    opened = open_source(source, ReadOptions.of(**settings.reading_options(), id=names).reading())
    codes, given = np.zeros(table.n, np.int64), np.ones(table.n, np.bool_)
    for name, column in whole(opened, names).items():
        of_column, there = numbered(column)
        if len(of_column) != table.n:
            msg = f"{source.where}: column {name!r} must have the {table.n:,} records of the original"
            raise InputError(msg)
        codes = np.unique(codes * (int(of_column.max(initial=0)) + 1) + of_column, return_inverse=True)[1].ravel()
        given &= there
    codes = np.where(given, codes, int(codes.max(initial=0)) + 1 + np.arange(table.n))
    return np.unique(codes, return_inverse=True)[1].ravel().astype(np.int64)


def _columns_of(one: Repeated, settings: OriginalSettings) -> list[str]:
    return [one.column] if one.column in settings.drop else one.column.split(",")


def _numeric(publication: Records, settings: OriginalSettings) -> list[str]:
    """Return the relational columns that hold numbers: those that are published as ranges, unless told otherwise."""
    named = numeric_columns(settings.hierarchy)
    return [
        column.name
        for column in publication.relational
        if column.name in named or (column.name not in settings.hierarchy and are_ranges(column.vocabulary.labels))
    ]


def _separators(settings: OriginalSettings, attested: Attestation | None, source: Source) -> list[str | None]:
    """Return what may separate the items of the original.

    What separates the published symbols may have been said of the original too, or chosen since labels hold blanks.
    """
    mark = _attested_separator(attested)
    whole = settings.group or settings.one_hot or settings.one_code or _has_one_column(source)
    if settings.separator is not None or mark in (None, " ") or whole:
        return [settings.separator]
    return [mark, " "]


def _known(table: Table, publication: Records | Buckets | Chunks) -> float:
    """Return the share of the items of a table that the symbols of published records stand for."""
    if table.transactions is None or not len(table.transactions.vocabulary) or not isinstance(publication, Records):
        return 0.0
    known = {member for symbol in publication.symbols for member in symbol.members}
    labels = table.transactions.vocabulary.labels
    return sum(label in known for label in labels) / len(labels)


def _has_one_column(source: Source) -> bool:
    """Tell whether the original is of a format that names no column: all of it are items."""
    return source.format in ("dat", "baskets", "spmf")


def is_nameless(attested: Attestation | None) -> bool:
    """Tell whether the publication is of a format that names no column."""
    return attested is not None and isinstance(attested.data, DataFile) and attested.data.format == "dat"


def _items(
    published: tuple[str, ...], settings: OriginalSettings, attested: Attestation | None, source: Source
) -> list[str] | None:
    """Return the set-valued columns of the original, of which these are published; None where it names none."""
    from anonset.io.batches import Reading, open_source
    from anonset.io.dialect import Dialect

    if not published or settings.one_hot or settings.one_code or _has_one_column(source):
        return None
    if not is_nameless(attested):
        return list(published)
    others = {*settings.id, *settings.drop}
    dialect = Dialect.of(settings.delimiter, settings.encoding, settings.no_header)
    opened = open_source(source, Reading(dialect=dialect, absent=lambda names: others - set(names)))
    free = [name for name in opened.names if name not in others]
    return settings.items or (free if len(free) == 1 else list(published))


def _attested_separator(attested: Attestation | None) -> str | None:
    """Return what separates the symbols within a field, where there is a field that holds two."""
    return attested.data.separator if attested is not None and isinstance(attested.data, DataFile) else None
