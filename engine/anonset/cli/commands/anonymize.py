"""``anonset anonymize``: from a file to a verified publication."""

from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from anonset.cli.exit_codes import DONE, FAILED, UNDECIDED
from anonset.cli.flags import INPUT, flags_of, given_flags
from anonset.cli.output import has_log, say, show, show_json, store_result, utc_time, warn
from anonset.cli.progress import progress_bars
from anonset.errors import InputError
from anonset.settings.settings import Settings, is_job, settings_model
from anonset.spelling import as_typed

if TYPE_CHECKING:
    from anonset.jobs.check import PublicationCheck
    from anonset.release.release import Release
    from anonset.release.stopwatch import Phase


Flags: Any = flags_of(settings_model(), leave_out=["input"])


def anonymize(
    source: Annotated[str | None, INPUT] = None,
    /,
    *,
    config: Annotated[
        str | None,
        Parameter(help="Job file (.toml) with further settings. Options on the command line take precedence."),
    ] = None,
    quiet: Annotated[bool, Parameter(help="Print no progress and no summary.")] = False,
    json: Annotated[bool, Parameter(help="Print the summary as JSON.")] = False,
    **flags: Flags,
) -> int:
    """Anonymize a data set, verify the result and publish it.

    Exit codes: 0 published; 1 the privacy model does not hold or cannot be reached; 2 invalid input; 3 verification
    undecided; 130 interrupted.
    """
    options = given_flags(flags)
    settings = _settings(source, options, config)
    from anonset.cli.fixed_commands import printing_fixed_commands  # imports numpy, which --help does not need

    with printing_fixed_commands("anonymize", None if config else source, options):
        return _anonymize(settings, quiet=quiet, json=json)


def _settings(source: str | None, flags: dict[str, Any], config: str | None) -> Settings:
    from anonset.settings.job_files import read_job
    from anonset.settings.overriding import make_settings

    if source is not None and is_job(source):
        if config is not None:
            msg = f"--config {config} cannot be combined with the job file {source}"
            raise InputError(msg)
        source, config = None, source
    job = {} if config is None else read_job(config, flags)
    return make_settings({"input": source, **flags}, job, config or "")


def _anonymize(settings: Settings, *, quiet: bool, json: bool) -> int:
    from anonset.jobs.anonymize_file import anonymize_file
    from anonset.release.release import Release

    with progress_bars(quiet=quiet) as progress:
        release = anonymize_file(settings, progress=progress, note=None if quiet else say)
    if not isinstance(release, Release):
        if has_log():
            _store_result(settings.out, release.verdict.outcome)
        return _show_existing(release, quiet=quiet, json=json)
    for warning in release.unverified.warnings:
        warn(warning)
    if has_log():
        peak = max((phase.peak_memory or 0 for phase in release.phases), default=0)
        losses, records = release.unverified.measures, release.unverified.publication.n
        _store_result(
            settings.out, release.verdict.outcome, records=records, losses=losses, peak_memory=peak or None,
            phases=_phase_times(release),
        )  # fmt: skip
    if json or not quiet:
        _show(release, json=json)
    return DONE if release.verdict.holds else UNDECIDED


def _phase_times(release: "Release") -> list[dict[str, Any]]:
    return [
        {
            "phase": phase.name,
            "seconds": round(phase.seconds, 3),
            "cpu_seconds": None if phase.cpu_seconds is None else round(phase.cpu_seconds, 3),
            **({} if phase.interval is None else _observed(phase, phase.interval)),
            **({"tasks": phase.tasks.figures()} if phase.tasks.count else {}),
        }
        for phase in release.phases
    ]


def _observed(phase: "Phase", interval: tuple[float, float]) -> dict[str, Any]:
    began, ended = map(utc_time, interval)
    held = {} if phase.bytes_held is None else {"bytes_held": phase.bytes_held}
    read_and_written = {"bytes_read": phase.bytes_read, "bytes_written": phase.bytes_written}
    return {"began": began, "ended": ended, **read_and_written, **held}


def _store_result(out: str, verdict: str, **figures: Any) -> None:
    from anonset.release.documents import ATTESTATION
    from anonset.release.publishing.fetched import attestation_at
    from anonset.release.statements import plain

    attested, attestation_digest = attestation_at(out)
    digests = {**attested.data.sha256, ATTESTATION: attestation_digest}
    store_result(verdict=verdict, **plain(figures), out=out, sha256=digests)


def _show_existing(before: "PublicationCheck", *, quiet: bool, json: bool) -> int:
    """Print the verdict on a publication that an earlier run wrote. Return the exit code."""
    from anonset.report.publication_check import check_account, check_summary

    if json:
        show_json(check_summary(before))
    elif not quiet:
        show("already published with the same settings, data and versions. Result of a new verification:")
        show(*check_account(before))
    if before.holds is None:
        return UNDECIDED
    return DONE if before.holds else FAILED


def _next_commands(release: "Release") -> list[str]:
    """Return a line with commands to run on the publication. They read the settings from the private report."""
    from anonset.reading.sources.place import Place
    from anonset.release.formats import kind_of

    if (place := release.published) is None:
        return []
    out, job = str(place.out), str(place.private / "report.json")
    if isinstance(place.out, Place):
        return [f"Next: {as_typed('verify', out)}"]
    line_of = {"verify": as_typed("verify", out), "risk": as_typed("risk", job)}
    line_of["report"] = f"{as_typed('report', job)} -o report.html"
    commands = kind_of(release.algorithm.model).next_commands
    return [f"Next: {'; '.join(line_of[command] for command in commands)}"]


def _show(release: "Release", *, json: bool) -> None:
    """Print the summary. If printing fails, only warn, because the publication is already complete."""
    from anonset.report.account import account, summary

    try:
        if json:
            show_json(summary(release))
        else:
            show(*account(release), *_next_commands(release))
    except OSError as error:
        warn(f"the publication is complete, but the summary could not be printed: {error}")
