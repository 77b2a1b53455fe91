"""Tables about the same persons, linked by a key. They are read as one source.

One table may describe the persons: it has a row for each record and no items. Each other table has a column of items,
and a row for each item of a person. The source has the columns of the unit, which are the keys of all tables, and the
other columns as ``table.column``. The rows of the describing table come first. A row has the columns of its table only,
and the rows of a person are merged as those of a single table are.
"""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import Annotated, Any, Self, cast

from anonset.data.redacted_repr import RedactedRepr
from anonset.errors import InputError
from anonset.reading.decisions import FILE, ITEMS, MACHINE, PERSONS, PUBLICATION, decisions
from anonset.reading.file_options import NONE, OPEN, FileOptions, Unit
from anonset.reading.name_lists import names_in
from anonset.reading.options import ReadKeywords, ReadOptions
from anonset.reading.roles import Names
from anonset.reading.sources.dialect import DIALECT_OPTIONS
from anonset.reading.sources.files import STATISTICS
from anonset.reading.sources.place import Place, is_address
from anonset.reading.sources.source import TABLES, Source, source_of
from anonset.spelling import as_typed, listed, setting, similar_name
from anonset.strict_json import dumps

RECORDS = "records"
"""Name of the published table that lists the records, if no table describes them."""
TABLE_OPTIONS = (*DIALECT_OPTIONS, "input_format", "value_codes", "null", "separator")
"""Reading options of a linked table, as settings."""
ATTRIBUTES = ("relational", "numeric", "keep", "drop")
"""Settings of a linked table that name columns without items."""
_LONGEST_NAME, _LONGEST_CHAIN = 200, 100
"""Maximum number of bytes of a table name, which becomes a file name, and of tables from a row to its person."""
_SETTINGS = ("input", "key", "key_prefix", "in", "items", *ATTRIBUTES, *TABLE_OPTIONS)


Option = str | int | tuple[str, ...] | None
"""Value of a reading option."""


def column_of(table: str, column: str) -> str:
    """Return the name of a table's column in the linked source.

    >>> column_of("drug_exposure", "drug_concept_id")
    'drug_exposure.drug_concept_id'
    """
    return f"{table}.{column}"


@dataclass(frozen=True, eq=False)
class LinkedTable(RedactedRepr):
    """A table with a key."""

    name: Annotated[str, ITEMS]
    source: Annotated[Source, MACHINE]
    key: Annotated[tuple[str, ...], PERSONS]
    """Columns that identify the person or, with `parent`, a row of the table `parent`."""
    items: Annotated[str, ITEMS] = ""
    """Column of items. Empty if the table describes the persons."""
    attributes: Annotated[Mapping[str, tuple[str, ...]], PUBLICATION] = field(default_factory=dict)
    """Columns by role: relational, numeric, keep and drop."""
    parent: Annotated[str, PERSONS] = ""
    """Table that contains the key and the columns of the person. Empty if the key identifies the person."""
    parent_key: Annotated[tuple[str, ...], PERSONS] = ()
    """Columns of the table `parent` that contain the key. Empty without `parent`."""
    options: Annotated[Mapping[str, Option], FILE] = field(default_factory=dict)
    """Reading options of this table alone. Each decides what it decides for a single table (`FileOptions`)."""
    key_prefix: Annotated[str, PERSONS] = ""
    """Text before the ids in the key, such as ``Patient/`` in references. It is removed."""

    @property
    def identity(self) -> str:
        """Declarations that change the result, as JSON."""
        decided = decisions(LinkedTable)
        return dumps({name: getattr(self, name) for name, decides in decided.items() if decides is not MACHINE})

    @property
    def named(self) -> tuple[str, ...]:
        """Columns with a role."""
        return (*self.key, *filter(None, [self.items]), *chain.from_iterable(self.attributes.values()))

    def own_names(self, unit: Sequence[str]) -> dict[str, str]:
        """Return the name in this table of each column of the linked source that has a role."""
        of_unit = {} if self.parent else dict(zip(unit, self.key, strict=True))
        return {**{column_of(self.name, name): name for name in self.named}, **of_unit}

    def reading(self, job: ReadOptions) -> ReadOptions:
        """Return the reading options of this table. Its own options replace those of the job, whose columns have the
        names of the linked source.
        """
        options = {name: getattr(job, name) for name in TABLE_OPTIONS}
        options |= {"separator": job.one_separator, "null": self._null(job.null, job.person)}
        options |= {"value_codes": job.value_codes and self.source.format in STATISTICS, **self.options}
        if job.skip_without_id:
            options["skip_rows"] = (*options["skip_rows"], "no-id")
        return ReadOptions(
            items=self.items or (),
            key=self.key,
            exact=job.exact,
            null_items=job.null_items,
            decimal=job.decimal,
            **{**options, **self.attributes},
        )

    def _null(self, words: Sequence[str], unit: Sequence[str]) -> tuple[str, ...]:
        """Return texts that are null, with the names of this table in ``COLUMN=TEXT``."""
        own, parted = self.own_names(unit), [word.partition("=") for word in words]
        return tuple(f"{own.get(column, column)}{mark}{text}" for column, mark, text in parted)


@dataclass(frozen=True, eq=False)
class LinkedTables(RedactedRepr):
    """Tables about the same persons. A table without items comes first."""

    unit: tuple[str, ...]
    """Names of the columns that identify the person."""
    tables: tuple[LinkedTable, ...]
    lookups: tuple[LinkedTable, ...] = ()
    """Tables that only say to which person, or to which row of a further table, the key of another table belongs. They
    are not published.
    """

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the published tables, first that of the table with a row per record."""
        names = tuple(table.name for table in self.tables)
        return names if self.described else (RECORDS, *names)

    @property
    def described(self) -> bool:
        """True if the first table describes the persons."""
        return not self.tables[0].items

    @classmethod
    def of(cls, tables: Any, unit: Any, where: str = "tables", folder: Place | None = None) -> Self:
        """Return tables from settings.

        Parameters
        ----------
        tables
            Settings of each table by name: ``input`` (a path, or an object in memory), ``key`` (by default the unit),
            ``items``, or ``relational``, ``numeric``, ``keep`` and ``drop``, and reading options.
        unit
            Columns that identify the person.
        where
            Name of the settings, for messages.
        folder
            Directory or address of relative paths. Default: the current directory.

        Raises
        ------
        InputError
            If a setting is unknown or contradicts another, or an input does not exist.
        """
        columns = Unit.of(unit).columns
        if not columns:
            msg = f"{where}: linked tables need {setting('unit', 'COLUMN')}, the key that identifies the person"
            raise InputError(msg)
        if not isinstance(tables, Mapping) or not tables:
            raise InputError(f"{where}: tables must name at least one table")
        for name in (name for name in tables if _items_of(tables[name]) == (OPEN,)):
            way = 'which column contains the items? Replace items = "?" by a line above it'
            raise InputError(f"{where}: table {name!r}: {way}")
        tables = without_open(tables)
        made = [_table(f"{where}: table {name!r}", name, given, columns, folder) for name, given in tables.items()]
        parents = {table.parent for table in made}
        with_items = [table for table in made if table.items]
        lookups = [table for table in made if table.name in parents and not (table.items or table.attributes)]
        describing = [table for table in made if not (table.items or table in lookups)]
        if len(describing) > 1:
            names = listed([repr(table.name) for table in describing], "and")
            msg = f"{where}: tables {names} have no items; only one table may describe the persons, so join them first"
            raise InputError(msg)
        if not describing and any(table.name == RECORDS for table in with_items):
            raise InputError(f"{where}: rename the table {RECORDS!r}; this name is used for the list of records")
        if not with_items:
            raise InputError(f"{where}: no table has items; publish a single table without {setting('tables')}")
        ordered = (*describing, *with_items)
        _require_parents(where, (*ordered, *lookups))
        return cls(columns, ordered, tuple(lookups))

    @property
    def source(self) -> Source:
        """The tables as one source."""
        files = [
            replace(file, name=f"{table.identity}/{file.name}")
            for table in (*self.tables, *self.lookups)
            for file in table.source.files
        ]
        where = ", ".join(table.source.where for table in self.tables)
        return Source(where, TABLES, tuple(files), self)

    @property
    def roles(self) -> ReadKeywords:
        """Column roles of the source, as settings."""
        roles: dict[str, Names] = {"unit": list(self.unit)}
        roles["items"] = [column_of(table.name, table.items) for table in self.tables if table.items]
        for role, columns in self.tables[0].attributes.items():
            if columns:
                roles[role] = [column_of(self.tables[0].name, name) for name in columns]
        marks = {
            column_of(table.name, table.items): table.options["separator"]
            for table in self.tables
            if table.items and "separator" in table.options
        }
        if marks:
            roles["separator"] = " ".join(f"{name}={mark}" for name, mark in marks.items())
        return cast("ReadKeywords", roles)


def without_open(tables: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings of tables without those whose items are open or ``none``. If they lead to the persons of
    another table, they remain without items.

    >>> without_open({"visit": {"items": "none"}, "lab": {"items": "?"}, "drug": {"items": "atc", "in": "visit"}})
    {'visit': {}, 'drug': {'items': 'atc', 'in': 'visit'}}
    """
    of_none = {name: _without_items(one) for name, one in tables.items() if _items_of(one) in ((NONE,), (OPEN,))}
    parents = {str(one.get("in")).partition(".")[0] for one in tables.values() if isinstance(one, Mapping)}
    return {name: of_none.get(name, one) for name, one in tables.items() if name not in of_none or name in parents}


def _items_of(table: Any) -> tuple[str, ...]:
    return names_in((), table.get("items")) if isinstance(table, Mapping) else ()


def _without_items(table: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in table.items() if name != "items"}


def _table(where: str, name: str, given: Any, unit: tuple[str, ...], folder: Place | None) -> LinkedTable:
    if not name or not {*name}.isdisjoint("./\\") or len(name.encode()) > _LONGEST_NAME:
        limit = f"be empty, be longer than {_LONGEST_NAME} bytes or contain '.', '/' or '\\'"
        raise InputError(f"{where}: the name of a table must not {limit}")
    if not isinstance(given, Mapping) or "input" not in given:
        raise InputError(f"{where}: input must be set to a path")
    settings = {key.replace("-", "_"): value for key, value in given.items()}
    for key in settings:
        if key not in _SETTINGS:
            near = similar_name(key, _SETTINGS)
            raise InputError(f"{where}: unknown setting {key!r}" + ("" if near is None else f"; did you mean {near}?"))
    items = names_in((), settings.get("items"))
    attributes = {role: names_in((), settings[role]) for role in ATTRIBUTES if role in settings}
    if len(items) > 1:
        raise InputError(f"{where}: items must be one column; name the table twice to publish the items of two columns")
    if items and attributes:
        role = next(iter(attributes))
        raise InputError(f"{where}: a table has either items or {role} columns; its other columns are not published")
    key = names_in((), settings.get("key", unit))
    parent, _, column = str(settings.get("in", "")).partition(".")
    if column and len(key) > 1:
        raise InputError(f"{where}: in must name a table, because key names {len(key)} columns")
    if not parent and len(key) != len(unit):
        msg = f"{where}: key must name {len(unit)} columns, one for each column of {setting('unit')}, got {list(key)}"
        raise InputError(msg)
    stated = {option: settings[option] for option in TABLE_OPTIONS if option in settings}
    file = FileOptions(**stated)
    options = {option: getattr(file, option) for option in stated}
    source = source_of(_placed(settings["input"], folder), file.input_format, no_header=file.no_header)
    parent_key = () if not parent else (column,) if column else key
    prefix = str(settings.get("key_prefix", ""))
    return LinkedTable(name, source, key, items[0] if items else "", attributes, parent, parent_key, options, prefix)


def _placed(path: Any, folder: Place | None) -> Any:
    if folder is None or not isinstance(path, str) or is_address(path) or Path(path).is_absolute():
        return path
    return str(Path(folder.address) / path) if folder.is_local else str(folder / path)


def _require_parents(where: str, tables: Sequence[LinkedTable]) -> None:
    """Reject keys that lead to no table, or from table to table in a circle."""
    table_of = {table.name: table for table in tables}
    if tables[0].parent and not tables[0].items:
        msg = f"{where}: table {tables[0].name!r} describes the persons, so its key must identify the person; remove in"
        raise InputError(msg)
    for first in tables:
        table, passed = first, [first.name]
        while table.parent:
            if table.parent not in table_of:
                raise InputError(f"{where}: table {table.name!r}: in must name a table, got {table.parent!r}")
            table = table_of[table.parent]
            if table.name in passed:
                circle = " in ".join(map(repr, [*passed, table.name]))
                raise InputError(f"{where}: no key leads to the person, because in names a circle of tables: {circle}")
            passed.append(table.name)
            if len(passed) > _LONGEST_CHAIN:
                msg = f"{where}: table {first.name!r}: more than {_LONGEST_CHAIN} tables lead to the person; join some"
                raise InputError(msg)


def tables_in(path: str, unit: Sequence[str] = ()) -> LinkedTables:
    """Return the tables that a job file names in ``[tables]``. A given `unit` replaces the unit of the job file.

    Raises
    ------
    InputError
        If the file is not TOML, or has no tables.
    """
    try:
        job = tomllib.loads(Path(path).read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise InputError(f"{path}: the tables cannot be read from this job file: {error}") from None
    if "tables" not in job:
        msg = f"{path}: a job file is no data set, because it names no tables; to run it: {as_typed('anonymize', path)}"
        raise InputError(msg)
    return LinkedTables.of(job["tables"], unit or job.get("unit", ()), path, Place(path).parent)
