"""``anonset verify``: check a publication of anonset or of another program."""

from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from anonset.cli.exit_codes import DONE, FAILED, UNDECIDED
from anonset.cli.flags import flags_of, given_flags
from anonset.cli.output import show, show_json
from anonset.cli.progress import progress_bars
from anonset.settings.publication import check_settings_model
from anonset.settings.settings import is_job

Flags: Any = flags_of(check_settings_model(), leave_out=["private"])


def verify(
    published: Annotated[
        str,
        Parameter(help="Directory or address made by anonset anonymize, the job file (.toml), or a published file."),
    ],
    /,
    *,
    quiet: Annotated[bool, Parameter(help="Print no result. The exit code shows the verdict.")] = False,
    json: Annotated[bool, Parameter(help="Print the verdict as JSON.")] = False,
    **flags: Flags,
) -> int:
    """Check whether a publication satisfies a privacy model.

    With --original, the check also compares the publication with the original data. In a file without attestation, each
    symbol counts as an item, and all rows are checked. For buckets with ids, the result also lists sensitive values
    that follow from several tuples of a person. Only the algorithm safe-grouping prevents such inferences, and they do
    not change the exit code.

    A guarantee together with an earlier release is checked with --after. Without it, the result is undecided.

    Exit codes: 0 the model holds; 1 the model does not hold; 2 invalid input; 3 undecided.
    """
    from anonset.jobs.verify import check, check_settings
    from anonset.reading.sources.place import is_address
    from anonset.release.opened import is_publication, open_publication
    from anonset.report.publication_check import check_account, check_summary
    from anonset.settings.job_files import over_job

    out, options = over_job(published, "out", given_flags(flags), check_settings_model())
    private = options.pop("private", None)
    check_settings(options)
    if private is not None and not is_address(private) and not Path(private).is_dir():
        private = None  # without the private files, truth is undecided
    with progress_bars(quiet=quiet) as progress:
        if is_address(out) or is_publication(out):
            with_private = is_job(published) or not options.keys().isdisjoint(("original", "after"))
            with open_publication(out, private, with_private=with_private) as opened:
                kept = opened.kept_constraints if is_job(published) and "model" not in options else {}
                result = check(opened, {**kept, **options}, progress=progress)
        else:
            result = check(out, options, progress=progress)
    if json:
        show_json(check_summary(result))
    elif not quiet:
        show(*check_account(result))
    if result.holds is None:
        return UNDECIDED
    return DONE if result.holds else FAILED
