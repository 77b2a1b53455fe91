"""Override the settings of a job file by flags. A flag can move a column to another role. If a flag names another
model, parameters that do not apply to it are dropped.
"""

from collections.abc import Mapping
from functools import partial
from typing import Any

from anonset.algorithms.base import traits_of
from anonset.algorithms.registry import ALGORITHMS
from anonset.reading.file_options import COLUMN_OPTIONS
from anonset.reading.roles import names_in
from anonset.settings.column_rules import names_with_commas, with_entries, with_longest_names, without_entries
from anonset.settings.parameters import MODELS, accepted_settings, default_algorithm, parameters
from anonset.settings.settings import Settings, settings_model, validate

_MOVES = ("items", "relational", "keep", "drop")
"""Roles to which a flag adds columns instead of replacing the columns in the job file."""
OPTIONS_OF_ROLES = {"present": "one_hot", "with_header": "one_code"}
"""Options that apply only to columns of one role."""


def make_settings(flags: Mapping[str, Any], job: Mapping[str, Any] | None = None, path: str = "") -> Settings:
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
    return validate(settings_model(), over(job or {}, flags), job=path)


def over(job: Mapping[str, Any], flags: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings of a job file, overridden by flags. A flag for columns, such as a role or a hierarchy,
    changes only the columns that it names.

    >>> over({"k": 2, "hierarchy": {"born": "date:year"}}, {"k": 5, "m": None, "hierarchy": {"code": "prefix:1"}})
    {'k': 5, 'hierarchy': {'born': 'date:year', 'code': 'prefix:1'}}
    """
    set_flags = _without_dropped({name: value for name, value in flags.items() if value is not None})
    set_flags = with_longest_names(set_flags, job)
    job, flags = _with_moved_columns(_without_other_model(job, set_flags), set_flags)
    merged = with_entries(job, flags)
    for option, role in OPTIONS_OF_ROLES.items():
        if option in job and option not in flags and not merged.get(role):
            merged.pop(option, None)
    return merged


def _without_other_model(job: Mapping[str, Any], flags: Mapping[str, Any]) -> Mapping[str, Any]:
    """Remove the algorithm and parameters that do not apply to a model given as a flag.

    >>> _without_other_model({"model": "kkm", "algorithm": "joint-split", "k": 5, "m": 2}, {"model": "k"})
    {'model': 'kkm', 'k': 5}
    """
    model = flags.get("model")
    if model not in MODELS or model == job.get("model"):
        return job
    remaining, named = dict(job), str(flags.get("algorithm") or job.get("algorithm") or "")
    if "algorithm" not in flags and named in ALGORITHMS and model not in traits_of(ALGORITHMS[named]).models:
        del remaining["algorithm"]
        named = ""
    name = named or default_algorithm(model, relational=bool(flags.get("relational") or job.get("relational")))
    if name is None or name not in ALGORITHMS:  # rejected later
        return remaining
    strange = parameters().keys() - accepted_settings(name, {**MODELS[model].preset, **job, **flags})
    return {name: value for name, value in remaining.items() if name not in strange - Settings.model_fields.keys()}


def _without_dropped(flags: dict[str, Any]) -> dict[str, Any]:
    """Remove dropped columns from all other roles of the flags, so that users can append a recommended --drop to a
    command.

    >>> _without_dropped({"relational": "age,house", "sensitive": "hiv", "drop": ["house", "hiv"]})
    {'relational': ['age'], 'drop': ['house', 'hiv']}
    """
    if not isinstance(flags.get("drop"), str | list):
        return flags
    listed = partial(names_in, names_with_commas(flags))
    dropped, remaining = frozenset(listed(flags["drop"])), dict(flags)
    for role in COLUMN_OPTIONS:
        names = flags.get(role)
        if role not in ("drop", "id") and isinstance(names, str | list) and not dropped.isdisjoint(listed(names)):
            remaining[role] = [name for name in listed(names) if name not in dropped]
            if not remaining[role]:
                del remaining[role]
    return without_entries(remaining, dict.fromkeys(dropped, "drop"))


def _with_moved_columns(
    job: Mapping[str, Any], flags: Mapping[str, Any]
) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    """Return a job and flags in which columns move from their role in the job to the role in a flag.

    >>> _with_moved_columns({"relational": ["age", "house"], "drop": ["name"]}, {"drop": "house"})
    ({'relational': ['age'], 'drop': ['name']}, {'drop': ['name', 'house']})
    """
    listed = partial(names_in, names_with_commas(job, flags))
    columns_of = {
        role: listed(flags[role]) for role in (*_MOVES, "sensitive") if isinstance(flags.get(role), str | list)
    }
    moved = {name for names in columns_of.values() for name in names}
    role_of = {name: role for role, names in columns_of.items() for name in names}
    remaining = without_entries(job, role_of)
    if not moved or not any(isinstance(job.get(role), str | list) for role in COLUMN_OPTIONS):
        return remaining, flags
    published = {*columns_of.get("relational", ()), *columns_of.get("items", ())}
    for role in COLUMN_OPTIONS:
        if isinstance(names := job.get(role), str | list):
            stays = published if role == "numeric" else set(columns_of.get(role, ()))
            remaining[role] = [name for name in listed(names) if name not in moved or name in stays]
            if role == "sensitive" and isinstance(names, str):
                remaining[role] = ",".join(remaining[role])
            if not remaining[role]:
                del remaining[role]
    added = {
        role: list(dict.fromkeys([*listed(remaining.get(role, [])), *columns_of[role]]))
        for role in _MOVES
        if role in columns_of
    }
    return remaining, {**flags, **added}
