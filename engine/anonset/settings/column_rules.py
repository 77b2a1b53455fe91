"""Settings with an entry per column, such as a hierarchy, a ceiling or a cleaning rule."""

import re
from collections.abc import Mapping, Sequence
from itertools import starmap
from typing import Any

from anonset.reading.file_options import COLUMN_OPTIONS
from anonset.reading.name_lists import name_list, names_in, rules_in
from anonset.settings.job import Job
from anonset.spelling import SettingValue

OPTIONS_OF_ROLES = {"present": "one_hot", "with_header": "one_code"}
"""Options that apply only to columns of one role."""

_SEPARATOR = re.compile(r"(?:^| )(.+?)=([^ ]+)(?= |$)")
_SETS = frozenset({"items", "one_hot", "one_code"})
_READ = _SETS | {"relational", "sensitive", "keep"}
TABLES = {
    "hierarchy": _SETS | {"relational"},
    "ceiling": _SETS | {"relational"},
    "relational_weights": frozenset({"relational"}),
}
"""Settings that are tables by column, with the roles of columns that may have an entry."""
ENTRY_ROLES: dict[str, frozenset[str]] = {
    **TABLES,
    "normalize": _SETS | {"relational", "sensitive", "id", "unit"},
    "null": _READ | {"id", "unit"},
    "separator": frozenset({"items"}),
    "publish_as_is": _READ,
}
"""All settings with entries by column, with the roles of columns that may have an entry."""
_NAMING = {role: frozenset({"relational" if role == "numeric" else role}) for role in COLUMN_OPTIONS} | ENTRY_ROLES
"""All settings that name columns, with the roles of columns that they may name."""
Entries = dict[str, str | list[str]]
"""Entries of a setting, by column."""
NAMES = frozenset({*COLUMN_OPTIONS, "unit", "publish_as_is"})
"""Settings that are lists of column names."""


def without_roles(job: Job, role_of: Mapping[str, str], known: Sequence[str] = ()) -> Job:
    """Return a job in which columns have left their former roles, and have only the entries that their new roles allow.

    Parameters
    ----------
    role_of
        New roles of columns. The columns are not added to these roles.
    known
        Column names with commas.

    >>> job = Job({"relational": ["age", "zip"], "numeric": "age", "ceiling": {"age": "1"}, "null": ["-", "age=0"]})
    >>> without_roles(job, {"age": "drop"}).settings
    {'relational': ['zip'], 'null': ['-']}
    """
    changed, moved = dict[str, SettingValue](), set[str]()
    for name in [name for name in _NAMING if name in job]:
        entries = entries_in(name, job[name], known) or {}
        gone = {column for column, role in role_of.items() if role not in _NAMING[name]} & entries.keys()
        if name == "publish_as_is":  # a declaration is about the former role
            gone |= moved & entries.keys()
        if gone:
            changed[name] = from_entries(name, {column: entries[column] for column in entries if column not in gone})
        moved |= gone if name in COLUMN_OPTIONS else set()
    changed |= {option: None for option, role in OPTIONS_OF_ROLES.items() if changed.get(role) == []}
    return job.with_(**changed)


def names_with_commas(*jobs: Job) -> list[str]:
    """Return the column names with commas in lists and entries. A text of names must not be split there.

    >>> job = Job({"relational": ["age", "born, at"], "drop": "id,name"})
    >>> names_with_commas(job, Job({"hierarchy": {"code,x": "values"}}))
    ['born, at', 'code,x']
    """
    entries = [entries_in(name, job[name]) or () for job in jobs for name in _NAMING if name in job]
    return [name for names in entries for name in names if "," in name]


def with_longest_names(flags: Job, job: Job) -> Job:
    """Return flags in which the entries of hierarchies and ceilings have the longest column name of a job that fits.
    A flag such as ``--hierarchy a=1=values`` does not say where the name ends.

    >>> with_longest_names(Job({"ceiling": {"a": "1=0", "b": "0"}}), Job({"items": ["a=1", "b"]})).settings
    {'ceiling': {'a=1': '0', 'b': '0'}}
    """
    columns = [name for value in map(job.get, COLUMN_OPTIONS) if isinstance(value, list) for name in value]

    def refitted(name: str, entry: Any) -> tuple[str, Any]:
        text = f"{name}={entry}"
        longest = max([name, *(column for column in columns if text.startswith(f"{column}="))], key=len)
        return longest, entry if longest == name else text[len(longest) + 1 :]

    tables = {name: value for name, value in flags.items() if name in TABLES and isinstance(value, Mapping)}
    return Job({**flags, **{name: dict(starmap(refitted, table.items())) for name, table in tables.items()}})


def with_exact_names(settings: Job, columns: Sequence[str]) -> Job:
    """Return settings in which the lists of names are as in a job file: the parts of a name with commas are joined.

    >>> with_exact_names(Job({"unit": ["fund", "x"], "null": ["-", "fund", "x=0"]}), ["fund,x", "code"]).settings
    {'unit': ['fund,x'], 'null': ['-', 'fund,x=0']}
    >>> with_exact_names(Job({"sensitive_items": ["fund", "x:hiv", "fund", "x:flu"]}), ["fund,x", "code"]).settings
    {'sensitive_items': ['fund,x:hiv', 'fund,x:flu']}
    """
    lists = {name: value for name, value in settings.items() if isinstance(value, list)}
    names = {name: list(names_in(columns, lists[name])) for name in lists if name in NAMES}
    rules = {name: list(rules_in(columns, lists[name])) for name in lists if name in ENTRY_ROLES.keys() - NAMES}
    items = {name: list(rules_in(columns, lists[name], ":")) for name in lists if name == "sensitive_items"}
    return Job({**settings, **names, **rules, **items})


def entries_in(name: str, value: Any, known: Sequence[str] = ()) -> Entries | None:
    """Return the entries of a setting by column, in order. None if the setting has no entries by column, or another
    type. Entries for all columns have the empty name. Columns in a list have themselves as entries.
    """
    if name in TABLES:
        return dict(value) if isinstance(value, Mapping) else None
    if name == "separator":
        marks = dict(_SEPARATOR.findall(str(value)))
        return marks if from_entries(name, marks) == value else None
    if not isinstance(value, str | list) or not all(isinstance(text, str) for text in value):
        return None
    if name in NAMES:
        return {column: [column] for column in names_in(known, value)}
    entries = dict[str, list[str]]()
    for text in name_list(value):
        entries.setdefault(text.partition("=")[0] if "=" in text else "", []).append(text)
    return {**entries}


def from_entries(name: str, entries: Entries) -> Any:
    """Return the value of a setting with these entries by column (see `entries_in`)."""
    if name in TABLES:
        return entries
    if name == "separator":
        return " ".join(f"{column}={mark}" for column, mark in entries.items())
    texts = [text for texts in entries.values() for text in texts]
    return ",".join(texts) if name == "sensitive" else texts
