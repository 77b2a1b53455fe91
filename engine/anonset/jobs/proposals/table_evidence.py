"""Read the tables of a folder one after the other, and keep the hashes of their possible keys."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from anonset import arrow
from anonset.columns.header_topics import names_codes
from anonset.columns.headers import PERSON_IDS, is_about_a_person, is_identifier, is_numbered, meaning_of
from anonset.columns.ids import are_values, given_texts
from anonset.columns.persons import NAMED, all_persons
from anonset.columns.placeholders import placeholder_counts
from anonset.columns.profiles import Profile, profile
from anonset.columns.roles import MARKS
from anonset.data.array_types import UInt64
from anonset.data.redacted_repr import RedactedRepr
from anonset.errors import InputError, plain_text
from anonset.jobs.proposals.proposed_reading import column_names, columns_of, with_recognised_options
from anonset.jobs.proposals.shared_keys import KeyColumn, is_only_an_id
from anonset.reading.persons.id_hashes import hash_ids
from anonset.reading.sources.files import FORMATS
from anonset.spelling import counted

MOST_IDS = 20_000_000
"""Maximum number of distinct ids of a column that are compared with other columns. They need 8 bytes each."""
_REFERENCE = re.compile(r"[A-Za-z]+/(?=.)")
_DENSE = 0.5
"""Share of the numbers between the smallest and the largest id from which ids are like row numbers."""
_FEWEST = 2
"""Minimum number of distinct values of a key."""


@dataclass(frozen=True)
class TableEvidence(RedactedRepr):
    """Profiles of the columns of a table, and its possible keys."""

    name: str
    input: str
    rows: int
    profiles: tuple[Profile, ...]
    keys: tuple[KeyColumn, ...]
    paths: tuple[str, ...]
    """Paths of possible codes in nested columns, such as ``code.coding[].code``."""
    recognised: Mapping[str, Any]
    """Reading options that were recognized."""
    too_large: tuple[str, ...]
    """Columns with too many ids to compare."""


def tables_in_folder(folder: Path, declared: Mapping[str, Any]) -> tuple[dict[str, str], dict[str, str]] | None:
    """Return the path of each table in a folder by its name, and the other entries with the reason why they are no
    table. Return None unless the tables have different columns.

    Parameters
    ----------
    declared
        Reading options of all tables.
    """
    tables, others, columns = dict[str, str](), dict[str, str](), set[frozenset[str]]()
    for path in sorted(folder.iterdir()):
        if path.name.startswith((".", "_")):
            continue
        stem = path.name.lower().removesuffix(".gz").removesuffix(".zst")
        if path.is_dir() and "=" in path.name:
            return None
        if not path.is_dir() and not stem.endswith(FORMATS):
            others[path.name] = "not a table"
        elif not path.is_dir() and not path.stat().st_size:
            others[path.name] = "empty"
        else:
            try:
                columns.add(frozenset(with_recognised_options(str(path), declared, column_names)[0]))
            except InputError as error:
                others[path.name] = plain_text(error.problem.sentence).removeprefix(f"{path}: ")
                continue
            name = path.name if path.is_dir() else path.name[: len(stem)].rpartition(".")[0]
            name = name.replace(".", "_")
            tables[name if name not in tables else path.name.replace(".", "_")] = str(path)
    return (tables, others) if len(columns) > 1 else None


def evidence_of(name: str, place: str, declared: Mapping[str, Any], hash_key: UInt64) -> TableEvidence:
    """Read a table and return the evidence about its keys.

    Raises
    ------
    InputError
        If the table cannot be read.
    """
    data, recognised = with_recognised_options(place, declared, columns_of)
    loaded = data.columns
    profiles = tuple(profile(column, loaded[column], declared.get("separator")) for column in data.opened.names)
    rows = profiles[0].records if profiles else 0
    plain = {one.name: loaded[one.name] for one in profiles if _may_be_a_key(one, loaded[one.name])}
    said = {column: f"{name} {column}" if is_only_an_id(column) else column for column in plain}
    points = {
        one.columns[0]: one.points
        for one in all_persons({said[column]: values for column, values in plain.items()}, list(said.values()))
        if len(one.columns) == 1
    }
    too_large = tuple(one.name for one in profiles if one.name in plain and one.distinct > MOST_IDS)
    keys = tuple(
        _key_column(name, column, values, points.get(said[column], NAMED), hash_key)
        for column, values in plain.items()
        if column not in too_large
    )
    paths = tuple(f"{one.name}[].code" for one in profiles if one.kind == "nested values" and names_codes(one.name))
    return TableEvidence(name, place, rows, profiles, keys, paths, recognised, too_large)


def _key_column(table: str, name: str, column: Any, points: int, hash_key: UInt64) -> KeyColumn:
    texts = given_texts(column)
    if placeholders := list(placeholder_counts(column)):
        texts = arrow.filter(texts, arrow.invert(arrow.is_in(arrow.utf8_trim_whitespace(texts), placeholders)))
    given, texts = len(texts), arrow.unique(texts)
    before = _reference(texts)
    if before:
        texts = arrow.without(texts, f"^{before}")
    ids = np.unique(hash_ids(hash_key, [texts])[:, 0])
    return KeyColumn(table, name, ids, given, len(column), points, _are_dense(texts), before)


def _may_be_a_key(one: Profile, column: Any) -> bool:
    """Return True if the header or the values of a column are like ids, and a job file can name it as a key."""
    if not are_values(column) or one.kind in ("dates", *MARKS) or one.distinct < _FEWEST or "," in one.name:
        return False
    if one.times or one.prose == "free text" or one.look.form in (",", ".") or one.reaches in ("name", "phone"):
        return False
    named = meaning_of(one.name) in PERSON_IDS or is_identifier(one.name) or is_numbered(one.name)
    return bool(named or is_about_a_person(one.name) or one.keys or one.reaches or one.uniqueness == 1.0)


def _reference(texts: Any) -> str:
    """Return the text before all ids, such as ``Patient/``."""
    found = _REFERENCE.match(texts[0].as_py()) if len(texts) else None
    return found[0] if found and arrow.all(arrow.matches(texts, f"^{found[0]}.")).as_py() else ""


def _are_dense(texts: Any) -> bool:
    """Return True if distinct ids are numbers, and most numbers between the smallest and the largest occur."""
    import pyarrow as pa

    whole = arrow.without(texts, r"\.0+$")
    if not len(whole) or not arrow.all(arrow.matches(whole, r"^\d{1,15}$")).as_py():
        return False
    values = arrow.to_numpy(arrow.cast(whole, pa.int64()))
    return len(values) >= _DENSE * float(values.max() - values.min() + 1)


def too_large_problem(one: TableEvidence) -> str:
    """Return the problem that columns have too many ids to compare."""
    columns = ", ".join(map(repr, one.too_large))
    return f"table {one.name!r}: column {columns} has more than {counted(MOST_IDS, 'id')}, and is not compared"
