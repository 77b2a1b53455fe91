"""``anonset verify``: check a publication of anonset or of another program."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from anonset.cli.exit_codes import DONE, FAILED, UNDECIDED
from anonset.cli.flags import flags_of, given_flags
from anonset.cli.options import Option
from anonset.cli.output import Output
from anonset.data.progress import Progress
from anonset.settings.publication import check_settings_model
from anonset.settings.settings import is_job

if TYPE_CHECKING:
    from anonset.jobs.check import PublicationCheck

Flags: Any = flags_of(check_settings_model(), leave_out=["private"])


def verify(
    published: Annotated[
        str,
        Option("Directory or address made by anonset anonymize, the job file (.toml), or a published file."),
    ],
    /,
    *,
    progress: Progress | None,
    **flags: Flags,
) -> Output:
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
    from anonset.settings.job_files import over_job

    out, options = over_job(published, "out", given_flags(flags), check_settings_model())
    private, options = options.get("private"), options.without("private")
    check_settings(options)
    if private is not None and not is_address(private) and not Path(private).is_dir():
        private = None  # without the private files, truth is undecided
    if is_address(out) or is_publication(out):
        with_private = is_job(published) or not options.keys().isdisjoint(("original", "after"))
        with open_publication(out, private, with_private=with_private) as opened:
            kept = opened.kept_constraints if is_job(published) and "model" not in options else {}
            result = check(opened, {**kept, **options}, progress=progress)
    else:
        result = check(out, options, progress=progress)
    return verdict_output(result)


def verdict_output(result: "PublicationCheck", *before: str) -> Output:
    """Return the output of a verification. `before` are lines above the result."""
    from anonset.report.publication_check import check_account, check_summary

    code = UNDECIDED if result.holds is None else DONE if result.holds else FAILED
    return Output(lambda: check_summary(result), notes=lambda: [*before, *check_account(result)], code=code)
