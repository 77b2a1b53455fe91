"""Commands that avoid the error of a rejected command: the typed command with the settings of a fix."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from anonset.columns.roles import ROLES
from anonset.errors import Fix, InputError, MisreadError, MissingRoleError, Problem, foreign
from anonset.jobs.reading import to_inspect
from anonset.personal_text import is_like_id
from anonset.settings.edits import edited
from anonset.settings.job import Job
from anonset.settings.model_choices import guarantee_for
from anonset.settings.parameters import SIZES
from anonset.settings.settings import is_job
from anonset.spelling import as_typed

_PUBLISHING = tuple(role for role in ROLES if role not in ("unit", "id", "drop"))
_DECLARING = frozenset({*ROLES, "publish_as_is", "accept", "model"} - {"drop"})
"""Settings by which the owner declares something. Fixes with them are not combined."""


@contextmanager
def printing_fixed_commands(command: str, source: str | None, options: Job, more: str = "") -> Iterator[None]:
    """Add commands to an input error: the typed command with the settings of each fix.

    If several problems have fixes that declare nothing, one command contains the first of each. If roles are missing,
    the command proposes them. A command on a job file is only repeated with such fixes.

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
        if source is not None:
            lines = (_of_job if is_job(source) else _lines)(command, source, options, error, more)
            error.commands = [*dict.fromkeys([*lines, *error.commands])]
        raise


def _of_job(command: str, source: str, stated: Job, error: InputError, more: str) -> Iterator[str]:
    """Yield the command on a job file with each fix that only leaves out columns. Other fixes are lines of the file."""
    for _, changed in _changed(_problems(error), stated, has_model=True):
        if {**changed.without("drop")} == {**stated.without("drop")} != {**changed}:
            yield f"complete command: {foreign(as_typed(command, source, changed))}{more}"


def _lines(command: str, source: str, stated: Job, error: InputError, more: str) -> Iterator[str]:
    if any(map(is_like_id, stated.names(*ROLES))):
        return  # the header is a record, whose values no message shows
    has_model = bool(stated.text("model") or stated.text("algorithm"))
    lacks_trees = not {*stated.names("relational")} <= {*stated.names("numeric"), *stated.get("hierarchy", {})}
    has_roles = bool(stated.names(*_PUBLISHING)) and (has_model or command != "anonymize" or not lacks_trees)
    if not has_roles and (isinstance(error, MissingRoleError | MisreadError) or not has_model):
        yield from to_inspect(source, stated)
        return
    job = stated.with_(**_guarantee(stated)) if not has_model and command == "anonymize" else stated
    for effect, changed in _changed(_problems(error), job, has_model=has_model):
        if changed.names(*_PUBLISHING):
            typed = f"{as_typed(command, source, changed)}{more}"
            yield f"complete command{f', {effect}' if effect else ''}: {foreign(typed)}"
    if isinstance(error, MissingRoleError):
        yield from to_inspect(source, stated)
    elif isinstance(error, MisreadError):
        yield from to_inspect(source, stated.without(*ROLES))


def _problems(error: InputError) -> list[Problem]:
    return [finding.problem for finding in getattr(error, "findings", ())] or [error.problem]


def _changed(problems: Sequence[Problem], job: Job, *, has_model: bool) -> Iterator[tuple[str, Job]]:
    """Yield the effect of a fix, and the flags with its settings. Fixes that publish a column as is are left out.

    Flags for several problems have the first fix of each problem that declares nothing. If a problem has none, there
    are no such flags.
    """
    if len(problems) > 1:
        for problem in problems:
            fixes = [fix for fix in _complete(problem) if _DECLARING.isdisjoint(fix.settings)]
            if not fixes:
                return
            job = edited(job, Job(fixes[0].settings))
        yield "", job
        return
    fixes = [fix for fix in _complete(problems[0]) if "publish_as_is" not in fix.settings]
    for fix in fixes or ([] if has_model else [Fix({})]):
        yield fix.effect, edited(job, Job(fix.settings))


def _complete(problem: Problem) -> list[Fix]:
    return [fix for fix in problem.fixes if fix.settings and not fix.asks]


def _guarantee(job: Job) -> dict[str, str | int]:
    """Return the model that fits the stated roles, with the stated sizes or their defaults."""
    sizes = {name: int(job.get(name) or size) for name, size in SIZES.items()}
    return guarantee_for(job, sizes["k"], sizes["m"], tuples=0)
