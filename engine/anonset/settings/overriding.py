"""Override the settings of a job file by flags. A flag can move a column to another role. If a flag names another
model, parameters that do not apply to it are dropped.
"""

from collections.abc import Mapping
from typing import Any

from anonset.algorithms.base import traits_of
from anonset.algorithms.registry import ALGORITHMS
from anonset.reading.file_options import COLUMN_OPTIONS
from anonset.reading.roles import names_in
from anonset.settings.column_rules import names_with_commas, with_entries, with_longest_names, without_roles
from anonset.settings.job import Job
from anonset.settings.parameters import MODELS, accepted_settings, default_algorithm, parameters
from anonset.settings.settings import Settings, settings_model, validate

_MOVES = ("items", "relational", "keep", "drop")
"""Roles to which a flag adds columns instead of replacing the columns in the job file."""


def make_settings(flags: Mapping[str, Any], job: Job | None = None, path: str = "") -> Settings:
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
    return validate(settings_model(), over(job or Job(), Job(flags)), job=path)


def over(job: Job, flags: Job) -> Job:
    """Return a job overridden by flags. A flag for columns, such as a role or a hierarchy, changes only the columns
    that it names.

    >>> job = Job({"k": 2, "hierarchy": {"born": "date:year"}})
    >>> over(job, Job({"k": 5, "m": None, "hierarchy": {"code": "prefix:1"}})).settings
    {'k': 5, 'hierarchy': {'born': 'date:year', 'code': 'prefix:1'}}
    """
    flags = _without_dropped(Job({name: value for name, value in flags.items() if value is not None}))
    flags = with_longest_names(flags, job)
    return with_entries(*_with_moved_columns(_without_other_model(job, flags), flags))


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


def _without_dropped(flags: Job) -> Job:
    """Remove dropped columns from all other roles of the flags except ids, so that users can append a recommended
    --drop to a command.

    >>> _without_dropped(Job({"relational": "age,house", "sensitive": "hiv", "drop": ["house", "hiv"]})).settings
    {'relational': ['age'], 'drop': ['house', 'hiv']}
    """
    if not isinstance(dropped := flags.get("drop"), str | list):
        return flags
    known = names_with_commas(flags)
    return Job({**without_roles(flags, dict.fromkeys(names_in(known, dropped), "drop"), known), **flags.only(("id",))})


def _with_moved_columns(job: Job, flags: Job) -> tuple[Job, Job]:
    """Return a job and flags in which columns move from their role in the job to the role in a flag.

    >>> job = Job({"relational": ["age", "house"], "drop": ["name"]})
    >>> [one.settings for one in _with_moved_columns(job, Job({"drop": "house"}))]
    [{'relational': ['age'], 'drop': ['name']}, {'drop': ['name', 'house']}]
    """
    known = names_with_commas(job, flags)
    columns_of = {
        role: names_in(known, value)
        for role in (*_MOVES, "sensitive")
        if isinstance(value := flags.get(role), str | list)
    }
    role_of = {name: role for role, names in columns_of.items() for name in names}
    remaining = without_roles(job, role_of, known)
    if not role_of or not any(isinstance(job.get(role), str | list) for role in COLUMN_OPTIONS):
        return remaining, flags
    added = {
        role: list(dict.fromkeys([*names_in(known, remaining.get(role)), *columns_of[role]]))
        for role in _MOVES
        if role in columns_of
    }
    return remaining, Job({**flags, **added})
