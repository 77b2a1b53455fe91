"""Edit the settings of a job. Flags over a job file, fixes and choices on the page are edits, in the form of a job."""

from collections.abc import Mapping, Sequence
from typing import Any, get_origin

from anonset.algorithms.base import traits_of
from anonset.algorithms.registry import ALGORITHMS
from anonset.columns.roles import SETS
from anonset.data.hierarchies.hierarchy_rules import RANGE
from anonset.errors import InputError
from anonset.reading.file_options import COLUMN_OPTIONS, NONE, Unit
from anonset.reading.name_lists import name_list, names_in
from anonset.settings.column_rules import (
    NAMES,
    entries_in,
    from_entries,
    names_with_commas,
    with_longest_names,
    without_roles,
)
from anonset.settings.job import JOINED, Job
from anonset.settings.parameters import MODELS, accepted_settings, default_algorithm, parameters
from anonset.settings.settings import Settings, settings_model, validate
from anonset.spelling import StatedSettings

QUESTIONS = {"unit": "unit_is", "items": "items_is"}
"""Settings that a job leaves open as ``?`` until the owner answers, with the table that contains the edits of the job
for each possible answer. Edits for a unit may leave the items open.
"""
_SINGLE = ("sensitive", "id")
"""Roles whose former columns are dropped if other columns get the role."""
_GROWING = {name for name, field in Settings.model_fields.items() if get_origin(field.annotation) is list} - {
    "id",
    "unit",
}
"""Settings whose values add to those of the job."""


def make_settings(flags: StatedSettings, job: Job | None = None, path: str = "") -> Settings:
    """Validate the settings of a job file together with flags, which override them.

    Parameters
    ----------
    flags
        Settings by name. The value is None if the flag was not given.
    job
        Settings of the file.
    path
        Path of the file, for messages.

    Raises
    ------
    InputError
        The message contains every error, separated by semicolons.
    """
    return validate(settings_model(), edited(job or Job(), Job(flags)), job=path)


def edited(job: Job, edits: Job) -> Job:
    """Return a job with the settings of another. A value of None changes nothing.

    A list adds to the list of the job, a table changes only the columns that it names, and any other value replaces
    that of the job. A column with a new role leaves its former role, and loses the entries that the new role does not
    allow. A new sensitive column drops the former one. A model removes the algorithm and the parameters that do not
    apply to it, and another hierarchy of a column removes its ceiling. Columns that the edits drop have no other role
    in them, so users can append a recommended ``--drop`` to a command. A column of lists that a new path reads, such as
    ``charges[].code``, is no longer dropped. ``items = none`` in both answers the question of
    a job file (see `answered`).

    >>> job = Job({"k": 2, "relational": ["age", "zip"], "sensitive": "hiv", "null": ["-9"], "ceiling": {"zip": "1"}})
    >>> edited(job, Job({"sensitive": ["age"], "drop": ["zip"]})).settings
    {'k': 2, 'null': ['-9'], 'sensitive': 'age', 'drop': ['zip', 'hiv']}
    >>> job = edited(job, Job({"k": 5, "m": None, "null": ["age=0"], "hierarchy": {"zip": "zip.csv"}}))
    >>> job.only(("k", "null", "ceiling", "hierarchy")).settings
    {'k': 5, 'null': ['-9', 'age=0'], 'ceiling': {'zip': '1'}, 'hierarchy': {'zip': 'zip.csv'}}
    >>> edited(job, Job({"hierarchy": {"zip": "values"}})).only(("ceiling", "hierarchy")).settings
    {'hierarchy': {'zip': 'values'}}
    >>> edited(Job(), Job({"relational": "age,house", "sensitive": "hiv", "drop": ["house", "hiv"]})).settings
    {'relational': ['age'], 'drop': ['house', 'hiv']}
    >>> edited(Job({"drop": ["charges", "zip"]}), Job({"items": ["charges[].code"]})).settings
    {'drop': ['zip'], 'items': ['charges[].code']}
    """
    if job.names("items") == edits.names("items") == [NONE]:
        job, edits = job.without("items"), edits.without("items")
    edits = with_longest_names(Job({name: value for name, value in edits.items() if value is not None}), job)
    known = names_with_commas(job, edits)
    dropped = dict.fromkeys(_columns(edits, known).get("drop", ()), "drop")
    edits = Job({**without_roles(edits, dropped, known), **edits.only(("id",))})
    before, new = _columns(job, known), _columns(edits, known)
    role_of = {name: role for role, names in new.items() if role != "numeric" for name in names}
    role_of |= {**dict.fromkeys(Unit.of(edits.get("unit"), known).columns, "unit"), **dropped}
    read = [one for one in before.get("drop", ()) if any(name.startswith(f"{one}[]") for name in role_of)]
    role_of |= dict.fromkeys(read, "read by a path")
    former = [name for role in _SINGLE if role in new for name in before.get(role, ()) if name not in role_of]
    if former:
        edits = edits.with_(drop=[*dropped, *former])
    job = without_roles(_without_other_model(job, edits), {**role_of, **dict.fromkeys(former, "drop")}, known)
    job = _without_former_trees(job, edits)
    job = Job({**job, **{name: _merged(name, job.get(name), value, known) for name, value in edits.items()}})
    after = _columns(job, known)
    had, has = (any(columns.get(role) for role in SETS) for columns in (before, after))
    if had and not has and not any(JOINED in names for names in after.values()):
        job = without_roles(job, {JOINED: "drop"})
    return job


def answers_of(job: Job, question: str) -> dict[str, Job]:
    """Return the edits of a job for each possible answer to a question. Empty if the job does not ask it."""
    entries = job.get(QUESTIONS[question], {})
    if not isinstance(entries, Mapping) or not all(isinstance(edits, Mapping) for edits in entries.values()):
        raise InputError(f"{QUESTIONS[question]} must be a table with the settings for each value of {question}")
    return {
        key: Job({name.replace("-", "_"): value for name, value in edits.items()}) for key, edits in entries.items()
    }


def answered(job: Job, question: str, names: Sequence[str]) -> Job | None:
    """Return a job with the edits for an answer to a question. Several columns of items may be several answers. None if
    the job lacks the answer.

    >>> edits = {"a": {"items": ["a"], "model": "kkm"}, "none": {"model": "k"}}
    >>> job = Job({"items": "?", "relational": ["sex"], "drop": ["a", "b"], "items_is": edits})
    >>> answered(job, "items", ["a"]).settings
    {'relational': ['sex'], 'drop': ['b'], 'items': ['a'], 'model': 'kkm'}
    >>> answered(job, "items", ["none"]).settings, answered(job, "items", ["b"])
    ({'relational': ['sex'], 'drop': ['a', 'b'], 'model': 'k'}, None)
    """
    answers, job = answers_of(job, question), without_questions(job, question)
    keys = [Unit(names).key_in(answers)] if question == "unit" else names_in([*answers], names)
    if not answers.keys() >= {*keys}:
        return None
    for key in keys:
        edits = answers[key]
        asked = (
            edits.only(("items", QUESTIONS["items"])) if QUESTIONS["items"] in edits else Job()
        )  # an answer, no role
        job = Job({**edited(job, edits.without(*asked)), **asked})
    return edited(job, Job({"unit": [*names]})) if question == "unit" else job


def without_questions(job: Job, *questions: str) -> Job:
    """Return a job without the questions and their possible answers."""
    return job.without(*questions, *map(QUESTIONS.__getitem__, questions))


def answer_in(question: str, stated: Job) -> list[str]:
    """Return the answer to a question that settings contain. A sensitive column without items says that no column
    contains items.

    >>> [answer_in("items", Job(own)) for own in ({"items": "a,b"}, {"one_hot": ["x"]}, {"sensitive": "hiv"}, {"k": 5})]
    [['a', 'b'], ['one_hot'], ['none'], []]
    >>> answer_in("items", Job({"one_hot": ["x"], "present": "1"}))
    ['one_hot=1']
    """
    columns = stated.names(question)
    if columns or question == "unit":
        return columns
    marked = ["=".join(["one_hot", *filter(None, [stated.text("present")])])] if stated.names("one_hot") else []
    return stated.names("one_code") or marked or ([NONE] if stated.names("sensitive") else [])


def _columns(job: Job, known: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Return the columns by role. Values of another type are left to the validation."""
    stated = {role: job.get(role) for role in COLUMN_OPTIONS}
    return {role: names_in(known, value) for role, value in stated.items() if isinstance(value, str | list)}


def _merged(name: str, before: Any, after: Any, known: Sequence[str]) -> Any:
    """Return the value of a setting that has a value before, and another after."""
    if name == "sensitive" and isinstance(after, list):
        return ",".join(after)
    if isinstance(before, Mapping) and isinstance(after, Mapping):
        return {**before, **after}
    if name == "separator" and (stated := entries_in(name, before)) and (changed := entries_in(name, after)):
        return from_entries(name, {**stated, **changed})
    if name not in _GROWING or not (isinstance(before, str | list) and isinstance(after, str | list)):
        return after
    first, more = (names_in(known, value) if name in NAMES else name_list(value) for value in (before, after))
    if not all(isinstance(text, str) for text in (*first, *more)):
        return after
    return before if {*more} <= {*first} else list(dict.fromkeys([*first, *more]))


def _without_former_trees(job: Job, edits: Job) -> Job:
    """Remove the ceilings and the numeric type of columns that get another hierarchy."""
    trees, former = edits.get("hierarchy"), job.get("hierarchy")
    if not isinstance(trees, Mapping) or not isinstance(former, Mapping | None):
        return job
    changed = [name for name, spec in trees.items() if spec != (former or {}).get(name)]
    if isinstance(ceilings := job.get("ceiling"), Mapping):
        replaced = {*changed} & {*(former or {})}
        job = job.with_(ceiling={name: ceiling for name, ceiling in ceilings.items() if name not in replaced})
    numeric = [name for name in job.names("numeric") if name not in changed or trees[name] == RANGE]
    return job.with_(numeric=numeric) if len(numeric) < len(job.names("numeric")) else job


def _without_other_model(job: Job, flags: Job) -> Job:
    """Remove the algorithm and parameters that do not apply to a model given as a flag.

    >>> job = Job({"model": "kkm", "algorithm": "joint-split", "k": 5, "m": 2})
    >>> _without_other_model(job, Job({"model": "k"})).settings
    {'model': 'kkm', 'k': 5}
    """
    model = flags.text("model")
    if model not in MODELS or model == job.text("model"):
        return job
    remaining, named = job, flags.text("algorithm") or job.text("algorithm")
    if "algorithm" not in flags and named in ALGORITHMS and model not in traits_of(ALGORITHMS[named]).models:
        remaining, named = job.without("algorithm"), ""
    is_relational = any(one.get("relational") for one in (flags, job))
    name = named or default_algorithm(model, relational=is_relational)
    if name is None or name not in ALGORITHMS:  # rejected later
        return remaining
    accepted = accepted_settings(name, {**MODELS[model].preset, **job, **flags})
    return remaining.without(*(parameters().keys() - accepted - Settings.model_fields.keys()))
