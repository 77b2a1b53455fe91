"""``anonset verify``: check a publication against a privacy model, also one made elsewhere."""

from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from anonset.cli.app import flags_of, given_flags
from anonset.cli.exit_codes import DONE, FAILED, UNDECIDED
from anonset.cli.output import progress_bars, show, show_json
from anonset.jobs.verify import check
from anonset.release.opened import kept_constraints
from anonset.report.publication_check import check_account, check_summary
from anonset.settings.job_files import is_job, of_job
from anonset.settings.reading import ReadingSettings
from anonset.settings.verify import check_settings_model

Flags: Any = flags_of(check_settings_model())
_OF_THE_ORIGINAL = (*ReadingSettings.model_fields, "id", "drop", "hierarchy", "max_suppressed")


def verify(
    published: Annotated[
        str,
        Parameter(help="Directory made by anonset anonymize, its job file (.toml), or a published file."),
    ],
    /,
    *,
    flags: Annotated[Flags, Parameter(name="*")] = Flags(),  # noqa: B008
    quiet: Annotated[bool, Parameter(help="Print nothing; the exit code is the verdict.")] = False,
    json: Annotated[bool, Parameter(help="Print the verdict as JSON.")] = False,
) -> int:
    """Check a publication against a privacy model, and with --original that it is true.

    The symbols of a plain file are opaque, and the whole file counts. Of buckets with ids it also says what several
    tuples of an individual give away (correlations), which no model here excludes but safe-grouping: this does not
    change the exit code.

    Exit codes: 0 the model holds; 1 it does not; 2 bad input; 3 undecided.
    """
    given = given_flags(flags)
    if is_job(published):
        published, job = of_job(published, "out", ("input", "private", *_OF_THE_ORIGINAL))
        private = Path(job.pop("private", f"{published}.private"))
        known = {} if "model" in given else kept_constraints(private)
        given = {**known, **_with_original(job, private), **given}
    with progress_bars(quiet=quiet) as progress:
        found = check(Path(published), given, progress=progress)
    if json:
        show_json(check_summary(found))
    elif not quiet:
        show(*check_account(found))
    if found.holds is None:
        return UNDECIDED
    return DONE if found.holds else FAILED


def _with_original(job: dict[str, Any], private: Path) -> dict[str, Any]:
    """Return the settings with which the publication of a job is checked against its original, where that is there."""
    original = job.pop("input", "")
    if not Path(original).exists():
        return {}
    from anonset.io.records import records_file

    records = records_file(private)
    return {**job, "original": original, **({} if records is None else {"records": str(records)})}
