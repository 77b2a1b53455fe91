"""Change single settings in the text of a job file. Comments and all other settings remain."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from anonset.columns.roles import ROLES as COLUMN_ROLES
from anonset.columns.roles import SETS
from anonset.data.hierarchies.hierarchy_rules import RANGE, VALUES
from anonset.reading.file_options import NONE, OPEN, Unit
from anonset.reading.name_lists import name_list
from anonset.settings.column_rules import OPTIONS_OF_ROLES
from anonset.settings.edits import QUESTIONS, answer_in, answered, answers_of, edited, without_questions
from anonset.settings.job import JOINED, Job
from anonset.settings.job_text import CHECK, CHECKED, one_line, toml_of
from anonset.spelling import StatedSettings

ROLES = tuple(role for role in COLUMN_ROLES if role != "unit")
"""Column roles, as settings, without the unit of privacy."""
_GENERALIZED = (*SETS, "relational")
"""Roles of columns whose values may be generalized."""


def changed_job(text: str, changes: StatedSettings) -> str:
    r"""Return the text of a job file with other settings.

    Comments with the reasons of proposed roles are removed if a column gets another role, and the question who is a
    person if the unit changes.

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
    moved = set[str]()
    answers = job.get(QUESTIONS["unit"], {})
    key = Unit.of(changes.get("unit", job.get("unit", OPEN))).key_in(answers)
    own: Any = answers.get(key)
    asks = own if own is not None and QUESTIONS["items"] in own else job
    if QUESTIONS["items"] in asks and (answer := answer_in("items", Job(changes))):
        moved |= {*answer}
        _answer_items(asks, answer, Job(changes).only((*SETS, "sensitive", "drop")))
        changes = {name: value for name, value in changes.items() if name != "drop" and value not in (NONE, [NONE])}
    elif QUESTIONS["items"] in asks:
        changes = _with_asked(Job(asks.unwrap()), changes)
    for name, value in Job(changes).items():
        inner = own is not None and name != "unit" and (name in own or name not in job)
        place = own if inner else job
        if name in ROLES:
            moved |= {*name_list(place.get(name, ()))} ^ {*name_list(value or ())}
        value = value[0] if name == "unit" and value and len(value) == 1 else value
        for one in filter(None, (job, own) if value in (None, []) else (place,)):
            _change_entries(one, {name: value})
    after = tomlkit.dumps(job)
    if "unit" in changes:
        after = re.sub(r"^# Who is a person\? Replace .*\n(#.*\n)*(?=unit = )", "", after, flags=re.MULTILINE)
    if QUESTIONS["items"] not in asks:
        after = re.sub(
            r"^# What are the items\? Replace .*\n(# items = .*\n)*# Other columns, .*\n", "", after, flags=re.MULTILINE
        )
    return without_reasons(after, key, moved)


def _with_asked(job: Job, changes: StatedSettings) -> StatedSettings:
    """Return changes of a job with open items. The columns that may contain the items remain dropped, unless they get
    another role: settings that `read_job` returns for such a job do not name them.
    """
    before, named = job.names("drop"), Job(changes).names(*(role for role in COLUMN_ROLES if role != "drop"))
    asked = {name for edits in answers_of(job, "items").values() for name in edits.names(*SETS)}
    stated = Job(changes).names("drop") if "drop" in changes else before
    dropped = [name for name in before if name in stated or name in asked]
    drop = [name for name in dict.fromkeys([*dropped, *stated]) if name not in named]
    return changes if drop == before else {**changes, "drop": drop}


def _answer_items(asks: Any, names: Sequence[str], stated: Job) -> None:
    """Replace the open items of a job, or of the settings for a unit, by the edits for columns or ``none``, and by
    stated roles. Columns without edits get the model of the first answer.
    """
    job = Job(asks.unwrap())
    first = next(iter(answers_of(job, "items").values())).without(*SETS, "hierarchy")
    stated = stated.without("items") if stated.names("items") == [NONE] else stated
    made = edited(answered(job, "items", names) or edited(without_questions(job, "items"), first), stated)
    _change_entries(asks, job.without("items").changes(made))
    if asks.get("items") == OPEN:
        del asks["items"]


def reasons_in(text: str, unit: str, columns: Sequence[str]) -> dict[str, str]:
    r"""Return the reasons for the proposed roles of columns, as the comments of a job file give them for a unit.

    >>> reasons_in("# age: known to others\nrelational = ['age', 'sex']\n", "row", ["age", "sex"])
    {'age': 'known to others'}
    """
    lines = [line for line, is_own in _comments(text, unit) if is_own]
    heads = {name: f"# {one_line(name)}: " for name in columns}
    found = {name: next((x for x in lines if x.startswith(head)), "") for name, head in heads.items()}
    return {name: line.removeprefix(heads[name]).rstrip("\n") for name, line in found.items() if line}


def without_reasons(text: str, unit: str, columns: Iterable[str]) -> str:
    """Return the text of a job file without the reasons for the proposed roles of columns."""
    heads = tuple(f"# {one_line(name)}: " for name in columns)
    return "".join(line for line, is_own in _comments(text, unit) if not (is_own and line.startswith(heads)))


def _comments(text: str, unit: str) -> Iterator[tuple[str, bool]]:
    """Yield each line of a job file, and True if it is a comment that applies to the unit."""
    own, applies = f"[{QUESTIONS['unit']}.{toml_of(unit)}", True
    for line in text.splitlines(keepends=True):
        if line.startswith(f"[{QUESTIONS['unit']}."):
            applies = line.startswith((f"{own}]", f"{own}."))
        yield line, applies and line.startswith("# ")


def checks_in(text: str, mark: str = CHECK) -> list[str]:
    """Return the problems that a job file names for the owner to check, or, with `CHECKED`, those that the owner has
    checked.
    """
    return [line.removeprefix(mark) for line in text.splitlines() if line.startswith(mark)]


def with_check(text: str, check: str, mark: str) -> str:
    r"""Return the text of a job file with a comment that the owner should check, or has checked, a problem. Without a
    mark, the comment is removed.

    >>> with_check("# Job\n# Check: -9 may mean a missing value\nk = 5\n", "-9 may mean a missing value", CHECKED)
    '# Job\n# Checked: -9 may mean a missing value\nk = 5\n'
    """
    lines = [one for one in text.splitlines(keepends=True) if one not in (f"{CHECK}{check}\n", f"{CHECKED}{check}\n")]
    place = next((n for n, one in enumerate(lines) if not one.startswith("#")), len(lines))
    return "".join([*lines[:place], *([f"{mark}{check}\n"] if mark else []), *lines[place:]])


def _change_entries(table: Any, entries: StatedSettings) -> None:
    """Change the entries of a table. Empty values remove entries, and tables without entries are removed."""
    for key, value in entries.items():
        outer, _, inner = key.partition(".")
        entry, last = table, key
        if isinstance(entry.get(outer), Mapping) and inner in entry[outer]:
            entry, last = entry[outer], inner  # TOML reads the key table.column as a table with the key column
        if not isinstance(value, Mapping):
            if value not in (None, "", []):
                entry[last] = value
            elif last in entry:
                del entry[last]
            continue
        if last not in entry:
            entry[last] = {}
        _change_entries(entry[last], value)
        if not entry[last]:
            del entry[last]


def hierarchy_choices(job: Job, column: str, proposed: str | None) -> dict[str, str]:
    """Return specifications of possible hierarchies for a column, each with a description. The proposed hierarchy is
    the first.

    >>> list(hierarchy_choices(Job({"items": ["codes"]}), "codes", "prefix:1,3"))
    ['prefix:1,3', 'halves:frequency', 'balanced:5']
    """
    choices = _FOR_VALUES if column in job.names("relational") else _FOR_ITEMS
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


def completing(job: Job, proposal: Job) -> Job:
    """Return a job with the settings of a proposal that it lacks. These are hierarchies or numeric types of generalized
    columns, the accepted missing values, the item separator, and the way to read columns that are items.

    >>> proposal = Job({"numeric": ["age"], "hierarchy": {"age": "range", "zip": "values"}})
    >>> completing(Job({"relational": ["age", "zip"], "hierarchy": {"zip": "mask:3,1"}}), proposal).settings
    {'relational': ['age', 'zip'], 'hierarchy': {'zip': 'mask:3,1', 'age': 'range'}, 'numeric': ['age']}
    >>> completing(Job({"items": ["codes"]}), Job({"separator": ","})).settings
    {'items': ['codes'], 'separator': ','}
    """
    separator = proposal.text("separator") if job.names("items") else ""
    trees, columns = job.entries("hierarchy"), {JOINED, *job.names(*_GENERALIZED)}
    lacking = {name: spec for name, spec in proposal.entries("hierarchy").items() if name in columns - trees.keys()}
    numeric = dict.fromkeys([*job.names("numeric"), *(name for name in proposal.names("numeric") if name in lacking)])
    options = [name for name, role in OPTIONS_OF_ROLES.items() if job.get(role)]
    made = {"separator": separator, **proposal.only(["missing", *options]), **job}
    return job.with_(**{**made, "numeric": [*numeric], "hierarchy": {**trees, **lacking}})
