"""Change single settings in the text of a job file. Comments and all other settings remain."""

from collections.abc import Mapping, Sequence
from typing import Any

from anonset.columns.roles import ROLES as COLUMN_ROLES
from anonset.columns.roles import SETS
from anonset.data.hierarchies.hierarchy_rules import RANGE, VALUES
from anonset.errors import InputError
from anonset.reading.file_options import OPEN
from anonset.reading.roles import name_list
from anonset.settings.column_rules import RULES, TABLES, without_entries
from anonset.settings.job_files import ANSWERS
from anonset.settings.overriding import OPTIONS_OF_ROLES
from anonset.spelling import listed

ROLES = tuple(role for role in COLUMN_ROLES if role != "unit")
"""Column roles, as settings, without the unit of privacy."""
_JOINED = "items"
"""Name of the set that several columns form."""
_GENERALIZED = (*SETS, "relational")
"""Roles of columns whose values may be generalized."""


def changed_job(text: str, changes: Mapping[str, Any]) -> str:
    r"""Return the text of a job file with other settings.

    A job may have settings for each possible value of ``unit``. Then only the settings for its current value change.
    Entries of tables in tables, such as the roles of linked tables, change one by one.

    Parameters
    ----------
    text
        Text of a job file.
    changes
        New values, by setting. None or an empty list removes the setting. An empty value in a table removes the entry.

    >>> print(changed_job('k = 5  # small\nkeep = ["year"]\n[hierarchy]\nage = "range"\n', {"k": 9, "keep": None}))
    k = 9  # small
    [hierarchy]
    age = "range"
    <BLANKLINE>
    """
    import tomlkit  # part of the extra `ui`

    job: Any = tomlkit.parse(text)
    answers = job.get(ANSWERS, {})
    own: Any = answers.get(_key(changes.get("unit", job.get("unit", OPEN))), None)
    for name, value in changes.items():
        inner = own is not None and name != "unit" and (name in own or name not in job)
        place = own if inner else job
        if isinstance(value, Mapping):
            _change_table(place, name, value)
        elif value in (None, []):
            for one in (job, own):
                if one is not None and name in one:
                    del one[name]
        else:
            place[name] = value
    return tomlkit.dumps(job)


def _key(unit: str | Sequence[str]) -> str:
    return ",".join(name_list(unit))


def _change_table(place: Any, name: str, entries: Mapping[str, Any]) -> None:
    if name not in place:
        place[name] = {}
    for key, value in entries.items():
        outer, _, inner = key.partition(".")
        entry, last = place[name], key
        if isinstance(entry.get(outer), Mapping) and inner in entry[outer]:
            entry, last = entry[outer], inner  # TOML reads the key table.column as a table with the key column
        if isinstance(value, Mapping):
            _change_table(entry, last, value)
        elif value not in (None, "", []):
            entry[last] = value
        elif last in entry:
            del entry[last]


def with_role(job: Mapping[str, Any], column: str, role: str) -> dict[str, Any]:
    """Return the settings that change if a column gets another role.

    Models protect only one sensitive column, so the former sensitive column is dropped.

    >>> with_role({"relational": ["age"], "drop": ["born"], "sensitive": "hiv"}, "age", "sensitive")
    {'drop': ['born', 'hiv'], 'relational': None, 'sensitive': 'age'}
    >>> with_role({"one_code": ["dx1"], "hierarchy": {"items": "prefix:1,3"}, "publish_as_is": ["dx1"]}, "dx1", "keep")
    {'keep': ['dx1'], 'one_code': None, 'hierarchy': {'items': None}, 'publish_as_is': []}

    Raises
    ------
    InputError
        If no role of the job names the column.
    """
    if not any(column in name_list(job.get(one, ())) for one in ROLES):
        msg = f"column {column!r}: the job file names it by a pattern; change its role in the file"
        raise InputError(msg)
    roles = {one: [name for name in name_list(job.get(one, ())) if name != column] for one in ROLES}
    if role == "sensitive":
        roles["drop"] += roles["sensitive"]
        roles["sensitive"] = []
    roles[role].append(column)
    changes: dict[str, Any] = {}
    for one, names in sorted(roles.items()):
        if names != name_list(job.get(one, ())):
            changes[one] = (",".join(names) if one == "sensitive" else names) or None
    changes |= {option: None for option, one in OPTIONS_OF_ROLES.items() if job.get(option) and not roles[one]}
    trees = {column} if role not in _GENERALIZED else set()
    if not any(roles[one] for one in SETS) and not any(_JOINED in names for names in roles.values()):
        trees.add(_JOINED)
    if over := sorted(trees & job.get("hierarchy", {}).keys()):
        changes["hierarchy"] = dict.fromkeys(over)
    rules = without_entries(job, {column: role})
    for name in RULES.keys() - {"hierarchy", "publish_as_is"}:
        if rules.get(name) != job.get(name):
            changes[name] = {column: None} if name in TABLES else rules.get(name)
    changed = {"numeric": role != "relational", "publish_as_is": column not in name_list(job.get(role, ()))}
    for name, is_over in changed.items():  # a declaration is about the former role
        if is_over and column in name_list(job.get(name, ())):
            changes[name] = [one for one in name_list(job[name]) if one != column]
    return changes


def with_hierarchy(job: Mapping[str, Any], column: str, spec: str) -> dict[str, Any]:
    """Return the settings that change if a column gets another hierarchy. The ceiling of the column is removed, because
    it names nodes of the former hierarchy.

    >>> with_hierarchy({"numeric": ["age"], "ceiling": {"age": "2"}}, "age", "bins:0,18,65")
    {'hierarchy': {'age': 'bins:0,18,65'}, 'ceiling': {'age': None}, 'numeric': []}
    """
    changes: dict[str, Any] = {"hierarchy": {column: spec}}
    if column in job.get("ceiling", {}):
        changes["ceiling"] = {column: None}
    if spec != RANGE and column in (numeric := name_list(job.get("numeric", ()))):
        changes["numeric"] = [name for name in numeric if name != column]
    return changes


def hierarchy_choices(job: Mapping[str, Any], column: str, proposed: str | None) -> dict[str, str]:
    """Return specifications of possible hierarchies for a column, each with a description. The proposed hierarchy is
    the first.

    >>> list(hierarchy_choices({"items": ["codes"]}, "codes", "prefix:1,3"))
    ['prefix:1,3', 'halves:frequency', 'balanced:5']
    """
    choices = _FOR_VALUES if column in name_list(job.get("relational", ())) else _FOR_ITEMS
    first = {proposed: choices.get(proposed, "proposed for these values")} if proposed else {}
    return {**first, **{spec: text for spec, text in choices.items() if spec != proposed}}


_FOR_ITEMS = {
    "halves:frequency": "groups of items of similar frequency",
    "prefix:1,3": "the first 3, then 1, characters of a code",
    "balanced:5": "groups of 5 neighbouring items",
}
_FOR_VALUES = {
    VALUES: "sets of values",
    RANGE: "ranges of numbers",
    "mask:3,1": "the first 3, then 1, characters, such as 476**",
    "prefix:1,3": "the first 3, then 1, characters of a code",
    "bins:width=5,20": "intervals of width 5, then 20",
    "date:month,year,decade": "month, year and decade of a date",
}


def completing(job: Mapping[str, Any], proposal: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings of a proposal that a job lacks. These are hierarchies or numeric types of generalized
    columns, and the item separator.

    >>> completing({"relational": ["age", "zip"], "hierarchy": {"zip": "mask:3,1"}},
    ...            {"numeric": ["age"], "hierarchy": {"age": "range", "zip": "values"}})
    {'numeric': ['age'], 'hierarchy': {'age': 'range'}}
    >>> completing({"items": ["codes"]}, {"separator": ","})
    {'separator': ','}
    """
    separator = proposal.get("separator") if job.get("items") and "separator" not in job else None
    trees = job.get("hierarchy", {})
    columns = {name for role in _GENERALIZED for name in name_list(job.get(role, ()))}
    lacking = {
        name: spec
        for name, spec in proposal.get("hierarchy", {}).items()
        if name not in trees and (name in columns or name == "items")
    }
    numeric = name_list(job.get("numeric", ()))
    added = [name for name in name_list(proposal.get("numeric", ())) if name in lacking and name not in numeric]
    return {
        **({"separator": separator} if separator else {}),
        **({"numeric": [*numeric, *added]} if added else {}),
        **({"hierarchy": lacking} if lacking else {}),
    }


def role_names(job: Mapping[str, Any], role: str) -> str:
    """Return the names of the columns that have a role in a job."""
    return listed(name_list(job.get(role, ())))
