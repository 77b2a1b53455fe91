"""``anonset risk``: what is at risk after a publication."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from anonset.cli.app import flags_of, given_flags, pairs, split, whole_number
from anonset.cli.exit_codes import DONE, FAILED
from anonset.cli.originals import MemoryLimit, WorkDir, original_and_persons
from anonset.cli.output import progress_bars, show, show_json
from anonset.data import Table
from anonset.errors import InputError
from anonset.jobs.bucket_risk import BucketRisk
from anonset.jobs.risk import THRESHOLD
from anonset.settings.job_files import is_job, of_job
from anonset.settings.reading import ReadingSettings
from anonset.settings.settings import over
from anonset.spelling import as_typed

if TYPE_CHECKING:
    from anonset.release.opened import Opened

Flags: Any = flags_of(ReadingSettings)
_JOB = ("private", "input", "id", "drop", "hierarchy", *ReadingSettings.model_fields)


def risk(
    out: Annotated[str, Parameter(name="OUT", help="Directory made by anonset anonymize, or the job file (.toml).")],
    /,
    *,
    original: Annotated[str | None, Parameter(help="The original data, to simulate an attack.")] = None,
    private: Annotated[str | None, Parameter(help="Private directory; default: OUT.private.")] = None,
    hierarchy: Annotated[list[str] | None, Parameter(help="COL=SPEC, as for anonymize; repeatable.")] = None,
    id: Annotated[list[str] | None, Parameter(help="Columns of the original that identify the person.")] = None,  # noqa: A002
    drop: Annotated[list[str] | None, Parameter(help="Columns of the original that were not published.")] = None,
    population: Annotated[
        str | None, Parameter(help="File with the quasi-identifiers of the whole population.")
    ] = None,
    m: Annotated[
        int | None,
        Parameter(
            converter=whole_number, help="Known items of the guarantee; up to 2 more are tried. Default: as attested."
        ),
    ] = None,
    threshold: Annotated[float, Parameter(help="Risk above which a person counts as at risk.")] = THRESHOLD,
    sensitive: Annotated[
        list[str] | None, Parameter(help="Kept columns that the attack tries to learn; default: all.")
    ] = None,
    attempts: Annotated[
        int, Parameter(converter=whole_number, help="Number of persons that the attack looks for.")
    ] = 1000,
    seed: Annotated[int, Parameter(converter=whole_number, help="Random seed.")] = 0,
    memory_limit: MemoryLimit = None,
    work_dir: WorkDir = None,
    flags: Annotated[Flags, Parameter(name="*")] = Flags(),  # noqa: B008
    quiet: Annotated[bool, Parameter(help="Print no progress.")] = False,
    json: Annotated[bool, Parameter(help="Print the risks as JSON.")] = False,
) -> int:
    """Count how many rows of a publication fit what somebody may know, and with --original try to find persons.

    By what is known: all quasi-identifiers, 1, 2, … items (two more than the guarantee speaks of), and both; of
    buckets, how surely they tell sensitive values. Exit code 1 if the attack finds more than is promised.
    """
    from anonset.jobs.reading import opened_to_compare
    from anonset.jobs.risk import risk as count
    from anonset.report.risks import bucket_risk_account, bucket_risk_summary, risk_account, risk_summary

    asked = out
    given: dict[str, Any] = {"id": split(id or []), "drop": split(drop or []), **given_flags(flags)}
    given["hierarchy"] = pairs("--hierarchy", hierarchy or [])
    if is_job(out):
        out, job = of_job(out, "out", _JOB)
        original, private = original or job.pop("input", None), private or job.pop("private", None)
        given = over(job, {name: value for name, value in given.items() if value})
        original = original if original is not None and Path(original).exists() else None
    compared = opened_to_compare(out, private, original, given, memory_limit, work_dir, for_risks=True)
    with progress_bars(quiet=quiet) as progress, compared as (opened, place):
        if progress is not None:
            progress("count", 0, 0)
        table, persons = (None, None) if original is None else original_and_persons(opened, original, given, place)
        found = count(
            opened, table, hierarchies=given.get("hierarchy", {}), m=m, threshold=threshold,
            sensitive=None if sensitive is None else split(sensitive),
            population=None if population is None else _population(opened, population, table),
            attempts=attempts, seed=seed, persons=persons,
        )  # fmt: skip
    if json:
        show_json(bucket_risk_summary(found) if isinstance(found, BucketRisk) else risk_summary(found))
    else:
        account = bucket_risk_account(found) if isinstance(found, BucketRisk) else risk_account(found)
        show(*account, *([] if found.attempts else [_without_original(out)]), f"Next: {_report(asked)}")
    return FAILED if found.broken else DONE


def _without_original(out: str) -> str:
    return f"For an attack that tries: {as_typed('risk', out)} --original FILE"


def _report(asked: str) -> str:
    return f"{as_typed('report', asked)} -o report.html"


def _population(opened: "Opened", population: str, original: Table | None) -> Table:
    """Read the quasi-identifiers of a population, numbers where the original has them; other columns do not matter."""
    from anonset.data import NumericColumn
    from anonset.io.read import read
    from anonset.io.sources import open_source
    from anonset.release.documents import DataFile

    data = opened.attested.data
    names = data.relational if isinstance(data, DataFile) else []
    others = [name for name in open_source(population).names if name not in names]
    of_original = () if original is None else original.relational
    numeric = [column.name for column in of_original if isinstance(column, NumericColumn)]
    if lacking := [name for name in names if name not in open_source(population).names]:
        msg = f"--population {population}: the quasi-identifiers of the data are required, {lacking[0]!r} is missing"
        raise InputError(msg)
    return read(population, relational=names, numeric=numeric, drop=others)
