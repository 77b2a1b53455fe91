"""Commands that avoid the error of a rejected command: the typed command with the settings of a fix."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from anonset.columns.roles import ROLES
from anonset.errors import Fix, InputError, MisreadError, MissingRoleError, Problem, foreign
from anonset.jobs.reading import to_inspect
from anonset.personal_text import is_like_id
from anonset.reading.roles import name_list
from anonset.settings.model_choices import guarantee_for, with_fix
from anonset.settings.parameters import SIZES
from anonset.settings.settings import is_job
from anonset.spelling import as_typed

_DECLARING = frozenset({*ROLES, "publish_as_is", "accept", "model"} - {"drop"})
"""Settings by which the owner declares something. Fixes with them are not combined."""


@contextmanager
def printing_fixed_commands(
    command: str, source: str | None, options: Mapping[str, Any], more: str = ""
) -> Iterator[None]:
    """Add commands to an input error: the typed command with the settings of each fix.

    If several problems have fixes that declare nothing, one command contains the first of each. If roles are missing,
    the command proposes them. A command on a job file has the fixes in its message.

    Parameters
    ----------
    command, source, options
        Command, data and flags of the user.
    more
        Further flags, quoted for a shell.
    """
    try:
        yield
    except InputError as error:
        if source is not None and not is_job(source):
            error.commands = [*dict.fromkeys([*_lines(command, source, options, error, more), *error.commands])]
        raise


def _lines(command: str, source: str, options: Mapping[str, Any], error: InputError, more: str) -> Iterator[str]:
    if any(is_like_id(name) for role in ROLES for name in name_list(options.get(role, ()))):
        return  # the header is a record, whose values no message shows
    has_model = bool(options.get("model") or options.get("algorithm"))
    is_bare = not any(options.get(role) for role in ROLES if role not in ("unit", "id", "drop"))
    if is_bare and (isinstance(error, MissingRoleError | MisreadError) or not has_model):
        yield from to_inspect(source, options)
        return
    problems = [finding.problem for finding in getattr(error, "findings", ())] or [error.problem]
    if not has_model and command == "anonymize":
        options = {**options, **_guarantee(options)}
    with suppress(InputError):  # a pattern names the column, so only the user can move it
        for effect, changed in _changed(problems, options, has_model=has_model):
            if any(changed.get(role) for role in ROLES if role not in ("unit", "id", "drop")):
                typed = f"{as_typed(command, source, changed)}{more}"
                yield f"complete command{f', {effect}' if effect else ''}: {foreign(typed)}"
    if isinstance(error, MissingRoleError):
        yield from to_inspect(source, options)
    elif isinstance(error, MisreadError):
        yield from to_inspect(source, {name: value for name, value in options.items() if name not in ROLES})


def _changed(
    problems: Sequence[Problem], options: Mapping[str, Any], *, has_model: bool
) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the effect of a fix, and the flags with its settings. Fixes that publish a column as is are left out.

    Flags for several problems have the first fix of each problem that declares nothing. If a problem has none, there
    are no such flags.
    """
    if len(problems) > 1:
        changed: Mapping[str, Any] = options
        for problem in problems:
            fixes = [fix for fix in problem.fixes if fix.settings and _DECLARING.isdisjoint(fix.settings)]
            if not fixes:
                return
            changed = edited(changed, fixes[0].settings)
        yield "", changed
        return
    fixes = [fix for fix in problems[0].fixes if fix.settings and "publish_as_is" not in fix.settings]
    for fix in fixes or ([] if has_model else [Fix({})]):
        yield fix.effect, edited(options, fix.settings)


def _guarantee(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the model that fits the stated roles, with the stated sizes or their defaults."""
    sizes = {name: int(options.get(name) or size) for name, size in SIZES.items()}
    return {**guarantee_for(options, sizes["k"], sizes["m"], tuples=0)}


def edited(options: Mapping[str, Any], settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the flags of a command with recommended settings. Flags that apply no more are left out.

    >>> edited({"relational": ["age", "zip"], "hierarchy": {"zip": "mask:3"}, "k": 5}, {"drop": ["zip"]})
    {'relational': ['age'], 'k': 5, 'drop': ['zip']}
    >>> edited({"items": ["codes"], "null": ["NA"]}, {"null": ["-99"], "unit": ["pid", "year"]})
    {'items': ['codes'], 'null': ['NA', '-99'], 'unit': ['pid', 'year']}
    """
    placed = {name for role in ROLES for name in name_list(options.get(role, ()))}
    added = {
        role: [name for name in settings[role] if name not in placed] for role in settings.keys() & {*ROLES} - {"unit"}
    }
    options = {**options, **{role: [*name_list(options.get(role, ())), *names] for role, names in added.items()}}
    for role in (*ROLES, "numeric") if "unit" in settings else ():
        options[role] = [name for name in name_list(options.get(role, ())) if name not in settings["unit"]]
    changes = with_fix(options, settings)
    if "hierarchy" in changes:
        trees = {**options.get("hierarchy", {}), **changes["hierarchy"]}
        changes["hierarchy"] = {name: spec for name, spec in trees.items() if spec}
    return {name: value for name, value in {**options, **changes}.items() if value not in (None, [], {}, "")}
