"""Labelled folders: tables about the same persons, with the true key, parent and roles (see `corpus/README.md`).

Write the tables of a folder:    python -m tests.columns.folders mimic_hosp -o out
Measure the folders:             python -m tests.columns.folders --measure rules
"""

import argparse
import hashlib
import json
import sys
import tempfile
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from tests.columns.layouts import CORPUS, Layout, LayoutColumn, LayoutError, parse_column
from tests.columns.tables import SUFFIXES, generate, write_rows

from anonset.jobs.linked_findings import TableFindings
from anonset.jobs.proposals.linked_proposal import inspect_tables
from anonset.jobs.proposals.table_evidence import tables_in_folder

FOLDERS = CORPUS / "folders"
HALVES = ("measure", "rules")
PERSONS = 400
"""Number of persons of a generated folder."""
NEVER = ("person", "key", "name", "contact", "text")
"""True roles of columns that must not be published."""
_OF_FOLDER = ("name", "language", "domain", "unit", "table")
_OF_TABLE = ("name", "file", "format", "delimiter", "rows", "key", "in", "items", "left_out", "columns")
_LINKS = ("link", "each")


@dataclass(frozen=True)
class Link:
    """Column whose values are those of a column of an earlier or later table."""

    table: str
    column: str
    each: bool
    """Whether each value occurs once. Otherwise, rows of the table are drawn."""
    before: str = ""
    """Text before each value."""
    lacking: float = 0.0
    """Share of the rows whose value does not occur in the table."""


@dataclass(frozen=True)
class FolderTable:
    """One table of a folder, and how it is linked."""

    name: str
    file: str
    rows: float
    """Number of rows per person."""
    layout: Layout
    links: Mapping[str, Link]
    key: str = ""
    """The true key. Empty if the table is not linked to persons."""
    parent: str = ""
    """Table whose rows the key identifies. Empty if the key identifies the person."""
    has_items: bool = True
    """Whether the table has a column of items."""


@dataclass(frozen=True)
class Folder:
    """Tables about the same persons."""

    name: str
    origin: str
    language: str
    domain: str
    unit: str
    tables: tuple[FolderTable, ...]


def read_folders(half: str) -> list[Folder]:
    """Read the folders of a half. Raises LayoutError with the first error."""
    folders = list[Folder]()
    for path in sorted((FOLDERS / half).glob("*.toml")):
        data = tomllib.loads(path.read_text(encoding="utf-8"))
        folders += [_folder(entry, data["origin"]) for entry in data["folder"]]
    return folders


def _folder(entry: Mapping[str, Any], origin: str) -> Folder:
    if unknown := [key for key in entry if key not in _OF_FOLDER]:
        message = f"folder {entry.get('name')!r}: unknown key {unknown[0]!r}"
        raise LayoutError(message)
    named = {(table["name"], header) for table in entry["table"] for header in _targets(entry, table["name"])}
    tables = tuple(_table(entry, table, named) for table in entry["table"])
    return Folder(entry["name"], origin, entry["language"], entry["domain"], entry["unit"], tables)


def _targets(entry: Mapping[str, Any], table: str) -> Iterator[str]:
    """Yield the columns of a table whose values other tables contain."""
    for other in entry["table"]:
        for _, _, values, *_ in other["columns"]:
            name, _, column = values.partition("|")[2].partition(".")
            if values.partition("|")[0] in _LINKS and name == table:
                yield column


def _table(entry: Mapping[str, Any], given: Mapping[str, Any], named: set[tuple[str, str]]) -> FolderTable:
    where = f"folder {entry['name']!r}: table {given.get('name')!r}"
    if unknown := [key for key in given if key not in _OF_TABLE]:
        message = f"{where}: unknown key {unknown[0]!r}"
        raise LayoutError(message)
    links, columns = dict[str, Link](), list[LayoutColumn]()
    for header, role, values, *options in given["columns"]:
        kind, _, target = values.partition("|")
        if kind in _LINKS:
            table, _, column = target.partition(".")
            links[header] = Link(table, column, kind == "each", **(options[0] if options else {}))
            columns += parse_column([header, role, "serial|1"])
        else:
            columns += parse_column([header, role, values, *options])
    distinct = [c.header for c in columns if (given["name"], c.header) in named and c.header not in links]
    person = next(
        (c.header for c in columns if c.header in distinct and c.role in ("key", "person") and not c.pool), ""
    )
    columns = [replace(c, per="person") if c.header == person else c for c in columns]
    layout = Layout(
        name=f"{entry['name']}.{given['name']}",
        origin="",
        language=entry["language"],
        domain=entry["domain"],
        person=person or "unknown",
        rows="1",
        traits=(),
        columns=tuple(columns),
        format=given.get("format", "csv"),
        delimiter=given.get("delimiter", ","),
    )
    file = given.get("file", f"{given['name']}.{SUFFIXES[layout.format]}")
    is_linked = not given.get("left_out", False)
    return FolderTable(
        given["name"],
        file,
        given.get("rows", 1),
        layout,
        links,
        given["key"] if is_linked else "",
        given.get("in", ""),
        given.get("items", "yes") != "",
    )


def tables_of(folder: Folder, n_persons: int, seed: int) -> dict[str, tuple[list[str], list[list[Any]]]]:
    """Return the header and the rows of each table. Links to the same table refer to the same row of it."""
    made = dict[str, tuple[list[str], list[list[Any]]]]()
    waiting = list(folder.tables)
    while waiting:
        table = next((one for one in waiting if all(link.table in made for link in one.links.values())), None)
        if table is None:
            message = f"folder {folder.name!r}: tables {[one.name for one in waiting]} refer to each other"
            raise LayoutError(message)
        waiting.remove(table)
        n_rows = max(2, round(table.rows * n_persons))
        header, rows = generate(table.layout, n_rows, seed)
        rng = np.random.default_rng([seed, *hashlib.sha256(table.layout.name.encode()).digest()[:4]])
        drawn = dict[str, list[int]]()
        for name, link in table.links.items():
            names, source = made[link.table]
            order = drawn.setdefault(link.table, rng.integers(0, len(source), n_rows).tolist())
            chosen = rng.permutation(len(source))[:n_rows].tolist() if link.each else order
            lacks = rng.random(n_rows) < link.lacking
            for number, (row, at) in enumerate(zip(rows, chosen, strict=True)):
                value = source[at][names.index(link.column)]
                row[header.index(name)] = f"{link.before}{value}" if not lacks[number] else f"9{value}"
        made[table.name] = header, rows
    return made


def write_folder(folder: Folder, place: Path, n_persons: int, seed: int) -> None:
    """Write the tables of a folder."""
    place.mkdir(parents=True, exist_ok=True)
    tables = tables_of(folder, n_persons, seed)
    for table in folder.tables:
        write_rows(table.layout, place / table.file, *tables[table.name])


@dataclass
class MeasuredFolder:
    """Figures of one folder."""

    folder: str
    tables: int
    columns: int
    keys_right: int = 0
    """Tables whose key and parent are right."""
    roles_right: int = 0
    """Linked tables whose published columns are those that the layout allows."""
    first: bool = False
    """Whether the true key is the first answer to the question who is a person."""
    shown: bool = False
    mistakes: list[tuple[str, str, str]] = field(default_factory=list)
    """Kind (``dangerous`` or ``lossy``), table, and description."""


def measure_folder(folder: Folder, n_persons: int, seed: int = 1) -> MeasuredFolder:
    """Inspect the generated tables of a folder, and compare the proposal for the true key with the truth."""
    with tempfile.TemporaryDirectory() as place:
        write_folder(folder, Path(place), n_persons, seed)
        tables, others = tables_in_folder(Path(place), {}) or ({}, {})
        found = inspect_tables(place, tables, others)
        result = MeasuredFolder(
            folder.name, len(folder.tables), sum(len(table.layout.columns) for table in folder.tables)
        )
        true = {(table.name, table.key) for table in folder.tables if table.key and not table.parent}
        answers = [inspect_tables(place, tables, others, unit=key.unit.split(",")) for key in found.keys]
        right = [{(one.name, one.key) for one in answer.tables if not one.parent} & true for answer in answers]
        result.first, result.shown = bool(right and right[0]), any(right)
        if not result.shown:
            result.mistakes.append(("dangerous", "", f"person not offered: {[key.unit for key in found.keys]}"))
            return result
        proposal = next(answer for answer, keys in zip(answers, right, strict=True) if keys)
        proposed = {one.name: one for one in proposal.tables}
        for table in folder.tables:
            _compare_table(table, proposed.get(table.name), result)
    return result


def _compare_table(table: FolderTable, found: TableFindings | None, result: MeasuredFolder) -> None:
    if found is None:
        needless = not table.key or not table.has_items
        result.keys_right += needless
        result.roles_right += needless and bool(table.key)
        if not needless:
            result.mistakes.append(("lossy", table.name, "left out"))
        return
    if (found.key, found.parent) != (table.key, table.parent):
        joined = f"joined by {found.key} in {found.parent or 'persons'}"
        result.mistakes.append(("dangerous", table.name, f"{joined}, not {table.key} in {table.parent or 'persons'}"))
        return
    result.keys_right += 1
    before = len(result.mistakes)
    for column in found.columns:
        role = table.layout.column(column.profile.name).role
        if column.role != "drop" and (role in NEVER and column.role != "key"):
            result.mistakes.append(("dangerous", table.name, f"{column.profile.name} published"))
        elif column.role == "relational" and role == "sensitive":
            result.mistakes.append(("dangerous", table.name, f"{column.profile.name} is sensitive"))
        elif column.role == "drop" and role == "attribute":
            result.mistakes.append(("lossy", table.name, f"{column.profile.name} dropped: {column.proposed.reason}"))
        elif column.role == "items" and role != "items":
            result.mistakes.append(("lossy", table.name, f"{column.profile.name} as items"))
    result.roles_right += len(result.mistakes) == before


def folder_figures(measured: Sequence[MeasuredFolder]) -> dict[str, int]:
    """Return the totals of several folders."""
    kinds = [kind for one in measured for kind, _, _ in one.mistakes]
    return {
        "folders": len(measured),
        "tables": sum(one.tables for one in measured),
        "key and parent right": sum(one.keys_right for one in measured),
        "columns": sum(one.columns for one in measured),
        "dangerous": kinds.count("dangerous"),
        "lossy": kinds.count("lossy"),
        "person first": sum(one.first for one in measured),
        "person shown": sum(one.shown for one in measured),
    }


def folder_section(n_persons: int) -> list[str]:
    """Measure both halves, and return the section of the documentation."""
    lines = [
        "## Folders of tables",
        "",
        "`anonset inspect FOLDER` proposes a job for tables that share a key. The generated folders have",
        f"{n_persons:,} persons. The author of the rules wrote all folders, before the rules. Of the folders that only",
        "measure, only the totals are read.",
        "",
        "* *Right*: tables with the right key and parent. A table without a key of the persons, or without items,",
        "  is right if it is left out.",
        "* *Dangerous*: a table is joined by a wrong key, the true key of the persons is not offered, or an",
        "  identifier, a name, a free text or a sensitive attribute would be published.",
        "* *Lossy*: a table with items is left out, a useful attribute is dropped, or other values are the items.",
        "* *First*: folders in which the true key is offered first.",
        "",
        "| folders | number | tables | right | columns | dangerous | lossy | first |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for half, title in zip(HALVES, ("that only measure", "for writing rules"), strict=True):
        figures = folder_figures([measure_folder(folder, n_persons) for folder in read_folders(half)])
        names = ("folders", "tables", "key and parent right", "columns", "dangerous", "lossy", "person first")
        lines.append(f"| {title} | {' | '.join(f'{figures[name]:,}' for name in names)} |")
    return [*lines, ""]


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the tables of a folder, or measure all folders."""
    parser = argparse.ArgumentParser(prog="python -m tests.columns.folders", description=__doc__)
    parser.add_argument("name", nargs="?", help="name of a folder")
    parser.add_argument("--measure", choices=HALVES, help="half to measure")
    parser.add_argument("--details", action="store_true", help="print the mistakes (only for folders in rules)")
    parser.add_argument("--persons", type=int, default=PERSONS)
    parser.add_argument("-o", dest="place", type=Path, default=Path(), help="folder of the tables")
    options = parser.parse_args(arguments)
    if options.measure:
        measured = [measure_folder(folder, options.persons) for folder in read_folders(options.measure)]
        sys.stdout.write(f"{options.measure}: {json.dumps(folder_figures(measured))}\n")
        if options.details and options.measure == "rules":
            sys.stdout.writelines(f"{one.folder}: {mistake}\n" for one in measured for mistake in one.mistakes)
        return 0
    found = [folder for half in HALVES for folder in read_folders(half) if folder.name == options.name]
    if not found:
        parser.error(f"no folder has the name {options.name!r}")
    write_folder(found[0], options.place, options.persons, 1)
    return 0


if __name__ == "__main__":
    sys.exit(main())
