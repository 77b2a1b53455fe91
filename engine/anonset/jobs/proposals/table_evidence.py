"""Read the tables of a folder one after the other, and keep the hashes of their possible keys."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from anonset import arrow
from anonset.columns.headers import PERSON_IDS, is_about_a_person, is_identifier, is_numbered, meaning_of
from anonset.columns.id_findings import placeholder_counts
from anonset.columns.identity import without_prefix
from anonset.columns.ids import are_values, given_texts
from anonset.columns.kinds import MARKS
from anonset.columns.persons import NAMED, all_persons
from anonset.columns.profiles import FREE_TEXT, Profile, profile
from anonset.data.array_types import UInt64
from anonset.data.redacted_repr import RedactedRepr
from anonset.errors import InputError, Problem, plain_text
from anonset.jobs.proposals.proposed_reading import column_names, columns_of, with_recognised_options
from anonset.jobs.proposals.shared_keys import KeyColumn, header_with_table
from anonset.lazy_arrow import pa
from anonset.reading.persons.id_hashes import hash_ids
from anonset.reading.sources.files import FORMATS, TEXTS
from anonset.settings.job import Job
from anonset.spelling import counted

T = TypeVar("T")

MOST_IDS = 20_000_000
"""Maximum number of distinct ids of a column that are compared with other columns. They need 8 bytes each."""
_JOB = ".toml"
"""Ending of job files."""
_REFERENCE = re.compile(r"(?:https?://.*/)?([A-Za-z]+/)[^/]+(?:/_history/.*)?")
_DENSE = 0.5
"""Share of the numbers between the smallest and the largest id from which ids are like row numbers."""
_FEWEST = 2
"""Minimum number of distinct values of a key."""


@dataclass(frozen=True, eq=False)
class TableEvidence(RedactedRepr):
    """Profiles of the columns of a table, and its possible keys."""

    name: str
    input: str
    profiles: tuple[Profile, ...]
    keys: tuple[KeyColumn, ...]
    options: Job
    """Reading options of all tables."""
    recognised: Job
    """Reading options that were recognized."""
    checks: tuple[Problem, ...]
    """Columns with too many ids to compare."""


def read_each(tables: Mapping[str, str], read: Callable[[str, str], T]) -> tuple[dict[str, T], dict[str, str]]:
    """Return what `read` returns for the name and path of each table, and the reasons of tables that it cannot read."""
    results, reasons = dict[str, T](), dict[str, str]()
    for name, place in tables.items():
        try:
            results[name] = read(name, place)
        except InputError as error:
            reasons[name] = plain_text(error.problem.sentence).removeprefix(f"{place}: ")
    return results, reasons


def tables_in_folder(folder: Path, options: Job) -> tuple[dict[str, str], dict[str, str]] | None:
    """Return the path of each table in a folder by its name, and the other entries with the reason why they are no
    table. Return None unless the tables have different columns.

    Parameters
    ----------
    options
        Reading options of all tables.
    """
    shown = [path for path in sorted(folder.iterdir()) if not path.name.startswith((".", "_"))]
    entries = {path.name: path for path in shown if path.suffix.lower() != _JOB}
    if any(path.is_dir() and "=" in path.name for path in entries.values()):
        return None
    places = {file: str(path) for file, path in entries.items()}
    known = FORMATS if any(_stem(path, FORMATS) for path in entries.values()) else TEXTS
    columns, others = read_each(places, lambda file, _: _columns_in(entries[file], options, known))
    tables = dict[str, str]()
    for file in columns:
        name = _stem(entries[file], known).replace(".", "_")
        tables[name if name not in tables else file.replace(".", "_")] = places[file]
    return (tables, others) if len({*columns.values()}) > 1 else None


def _columns_in(path: Path, options: Job, known: tuple[str, ...]) -> frozenset[str]:
    """Return the column names of a table. Raise InputError if the path is no table."""
    if not _stem(path, known):
        raise InputError("not a table")
    if not path.is_dir() and not path.stat().st_size:
        raise InputError("empty")
    return frozenset(with_recognised_options(str(path), options, column_names)[0])


def _stem(path: Path, known: tuple[str, ...]) -> str:
    """Return the name of a folder or file without the endings of formats. Empty if the ending is not `known`."""
    if path.is_dir():
        return path.name
    file = path.name.lower().removesuffix(".gz").removesuffix(".zst")
    return path.name[: len(file)].rpartition(".")[0] if file.endswith(known) else ""


def evidence_of(name: str, place: str, options: Job, hash_key: UInt64) -> TableEvidence:
    """Read a table and return the evidence about its keys.

    Raises
    ------
    InputError
        If the table cannot be read, or has no rows.
    """
    data, recognised = with_recognised_options(place, options, columns_of)
    loaded = data.columns
    profiles = tuple(profile(column, loaded[column], options.get("separator")) for column in data.opened.names)
    if not profiles or not profiles[0].records:
        raise InputError("no rows")
    able = [one for one in profiles if _may_be_a_key(one, loaded[one.name])]
    headers = {one.name: header_with_table(name, one.name) for one in able}
    persons = all_persons({header: loaded[column] for column, header in headers.items()}, [*headers.values()])
    found = {one.columns[0]: one for one in persons if len(one.columns) == 1}
    column_of = {header: column for column, header in headers.items()}
    keys = tuple(
        replace(
            _key_column(name, one.name, loaded[one.name], hash_key),
            points=person.points if (person := found.get(headers[one.name])) else NAMED,
            part_of=column_of.get(person.part_of, "") if person else "",
        )
        for one in able
        if one.distinct <= MOST_IDS
    )
    too_large = ", ".join(repr(one.name) for one in able if one.distinct > MOST_IDS)
    check = f"table {name!r}: column {too_large} has more than {counted(MOST_IDS, 'id')}, and is not compared"
    return TableEvidence(name, place, profiles, keys, options, recognised, (Problem(check),) if too_large else ())


def _key_column(table: str, name: str, column: Any, hash_key: UInt64) -> KeyColumn:
    texts = given_texts(column)
    if placeholders := list(placeholder_counts(column)):
        texts = arrow.filter(texts, arrow.invert(arrow.is_in(arrow.utf8_trim_whitespace(texts), placeholders)))
    given, texts = len(texts), arrow.unique(texts)
    if before := _reference(texts):
        texts = arrow.unique(without_prefix(texts, before)[0])
    ids = np.unique(hash_ids(hash_key, [texts])[:, 0])
    return KeyColumn(table, (name,), ids, given, len(column), NAMED, _are_dense(texts), before)


def _may_be_a_key(one: Profile, column: Any) -> bool:
    """Return True if the header or the values of a column are like ids, and a job file can name it as a key."""
    if not are_values(column) or one.kind in ("dates", *MARKS) or one.distinct < _FEWEST or "," in one.name:
        return False
    if one.times or one.prose == FREE_TEXT or one.form in (",", ".") or one.reaches in ("name", "phone"):
        return False
    named = meaning_of(one.name) in PERSON_IDS or is_identifier(one.name) or is_numbered(one.name)
    return bool(named or is_about_a_person(one.name) or one.keys or one.reaches or one.uniqueness == 1.0)


def _reference(texts: Any) -> str:
    """Return the text before all ids, such as ``Patient/``. An address may precede it, and a version follow the id."""
    found = _REFERENCE.fullmatch(texts[0].as_py()) if len(texts) else None
    return found[1] if found and arrow.all(arrow.matches(texts, f"^(https?://.*/)?{found[1]}.")).as_py() else ""


def _are_dense(texts: Any) -> bool:
    """Return True if distinct ids are numbers, and most numbers between the smallest and the largest occur."""
    whole = arrow.without(texts, r"\.0+$")
    if not len(whole) or not arrow.all(arrow.matches(whole, r"^\d{1,15}$")).as_py():
        return False
    values = arrow.to_numpy(arrow.cast(whole, pa.int64()))
    return len(values) >= _DENSE * float(values.max() - values.min() + 1)
