"""``anonset anonymize``: from a file to a verified publication."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from anonset.cli.exit_codes import DONE, UNDECIDED
from anonset.cli.flags import INPUT, flags_of, given_flags
from anonset.cli.options import Option
from anonset.cli.output import Output, has_log, say, store_result, utc_time, warn
from anonset.data.progress import Progress
from anonset.errors import InputError
from anonset.settings.job import Job
from anonset.settings.settings import REPORT, Settings, is_job, settings_model
from anonset.spelling import as_typed

if TYPE_CHECKING:
    from anonset.release.release import Release
    from anonset.release.stopwatch import Phase


Flags: Any = flags_of(settings_model(), leave_out=["input"])


def anonymize(
    source: Annotated[str | None, INPUT] = None,
    /,
    *,
    config: Annotated[
        str | None,
        Option("Job file (.toml) with further settings. Options on the command line take precedence."),
    ] = None,
    progress: Progress | None,
    quiet: bool = False,
    **flags: Flags,
) -> Output:
    """Anonymize a data set, verify the result and publish it.

    Exit codes: 0 published; 1 the privacy model does not hold or cannot be reached; 2 invalid input; 3 verification
    undecided; 130 interrupted.
    """
    options = given_flags(flags)
    settings = _settings(source, options, config)
    from anonset.cli.fixed_commands import printing_fixed_commands  # imports numpy, which --help does not need

    with printing_fixed_commands("anonymize", None if config else source, options):
        return _anonymize(settings, progress, config or source, note=None if quiet else say)


def _settings(source: str | None, flags: Job, config: str | None) -> Settings:
    from anonset.settings.edits import make_settings
    from anonset.settings.job_files import read_job

    if source is not None and is_job(source):
        if config is not None:
            raise InputError(f"--config {config} cannot be combined with the job file {source}")
        source, config = None, source
    job = None if config is None else read_job(config, flags)
    return make_settings({"input": source, **flags}, job, config or "")


def _anonymize(
    settings: Settings, progress: Progress | None, job: str | None, note: Callable[[str], None] | None
) -> Output:
    from anonset.jobs.anonymize_file import anonymize_file
    from anonset.release.release import Release

    release = anonymize_file(settings, progress=progress, note=note)
    if not isinstance(release, Release):
        if has_log():
            _store_result(settings.out, release.verdict.outcome)
        from anonset.cli.commands.verify import verdict_output  # slow: collects the settings of models

        return verdict_output(release, _EXISTING)
    for warning in release.unverified.warnings:
        warn(warning)
    if has_log():
        peak = max((phase.peak_memory or 0 for phase in release.phases), default=0)
        losses, records = release.unverified.measures, release.unverified.publication.n
        _store_result(
            settings.out, release.verdict.outcome, records=records, losses=losses, peak_memory=peak or None,
            phases=_phase_times(release),
        )  # fmt: skip
    return _output(release, _unchecked(job))


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


_EXISTING = "already published with the same settings, data and versions. Result of a new verification:"


def _next_commands(release: "Release") -> list[str]:
    """Return a line with commands to run on the publication. They read the settings from the private report."""
    from anonset.reading.sources.place import Place

    if (place := release.published) is None:
        return []
    out, job = str(place.out), str(place.private / "report.json")
    if isinstance(place.out, Place):
        return [f"Next: {as_typed('verify', out)}"]
    return [f"Next: {as_typed('risk', job)}; {as_typed('report', job)}"]


def _unchecked(job: str | None) -> list[str]:
    """Return the problems that ``anonset inspect`` wrote into the job file and that the owner has not checked."""
    from anonset.settings.job_changes import checks_in
    from anonset.settings.job_files import read_toml

    if job is None or not is_job(job) or Path(job).name == REPORT:
        return []
    found = checks_in(read_toml(job)[1])
    return [f"Not checked yet, in {job}:", *(f"- {problem}" for problem in found)] if found else []


def _output(release: "Release", unchecked: Sequence[str]) -> Output:
    from anonset.report.account import account
    from anonset.report.sections import for_json, for_terminal

    return Output(
        lambda: for_json(account(release)),
        notes=lambda: [*for_terminal(account(release)), *unchecked, *_next_commands(release)],
        code=DONE if release.verdict.holds else UNDECIDED, complete="the publication",
    )  # fmt: skip
