"""``anonset verify``: check a publication against a privacy model, also one made elsewhere."""

from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from anonset.cli.flags import flags_of, given
from anonset.cli.main import DONE, FAILED, UNDECIDED
from anonset.cli.output import show, show_json
from anonset.cli.progress import say_compiling, shown_progress
from anonset.privacy import Verdict
from anonset.runner.check import check, check_settings_model

Flags: Any = flags_of(check_settings_model())


def verify(
    published: Annotated[str, Parameter(help="Published file, or a directory made by anonset anonymize.")],
    /,
    *,
    flags: Annotated[Flags, Parameter(name="*")] = Flags(),  # noqa: B008
    quiet: Annotated[bool, Parameter(help="No progress and no verdict; the exit code says it.")] = False,
    json: Annotated[bool, Parameter(help="The verdict as JSON.")] = False,
) -> int:
    """Check a publication against a privacy model.

    Exit codes: 0 the model holds; 1 it does not; 2 bad input; 3 undecided.
    """
    say_compiling(quiet=quiet)
    with shown_progress(quiet=quiet) as progress:
        verdict = check(Path(published), given(flags), progress=progress)
    if json:
        show_json(_as_json(verdict))
    elif not quiet:
        covered = verdict.checked.get("covered")
        show(str(verdict), *([f"verified: {covered}"] if covered and verdict.holds is not None else []))
    if verdict.holds is None:
        return UNDECIDED
    return DONE if verdict.holds else FAILED


def _as_json(verdict: Verdict) -> dict[str, Any]:
    from anonset.runner.documents import parameters_of, plain

    found: dict[str, Any] = plain(
        {
            "model": verdict.model.name,
            "parameters": parameters_of(verdict.model),
            "verdict": verdict.outcome,
            "verified": verdict.checked,
            "witness": verdict.witness,
        }
    )
    return found
