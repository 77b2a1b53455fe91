"""``anonset compare``: several algorithms or parameters on one input."""

import csv
import io
from typing import Annotated, Any, Literal

from cyclopts import Parameter

from anonset.cli.app import flags_of, given_flags, pairs
from anonset.cli.main import DONE
from anonset.cli.output import progress_bars, show, show_json
from anonset.jobs.comparison import rows, run_comparison
from anonset.settings.compare import compare_settings_model, make_compare_settings
from anonset.settings.job_files import is_job, of_job

Flags: Any = flags_of(compare_settings_model(), leave_out=["input", "vary"])


def compare(
    source: Annotated[str, Parameter(name="INPUT", help="Data set (CSV, TSV, Parquet, FIMI), or a job file (.toml).")],
    /,
    *,
    flags: Annotated[Flags, Parameter(name="*")] = Flags(),  # noqa: B008
    vary: Annotated[
        list[str] | None,
        Parameter(help="NAME=VALUE,FROM..TO:STEP,...: parameter to vary, such as k=2,5,10..50:10; repeatable."),
    ] = None,
    format: Annotated[Literal["table", "csv", "json"], Parameter(help="Format of the comparison.")] = "table",  # noqa: A002
    quiet: Annotated[bool, Parameter(help="No progress.")] = False,
) -> int:
    """Compare algorithms or parameters on one input: losses and times side by side. Nothing is published.

    A parameter goes to those algorithms that have it; what is infeasible is reported as such. The seconds are those of
    the search and of applying what it found; compiling kernels, which a first run does, is none of them.
    """
    job: dict[str, Any] = {}
    if is_job(source):
        source, job = of_job(source, "input", compare_settings_model().model_fields)
    given = {**job, "input": source, **given_flags(flags)}
    settings = make_compare_settings({**given, "vary": pairs("--vary", vary or [])})
    with progress_bars(quiet=quiet) as progress:
        found = rows(run_comparison(settings, progress=progress))
    if format == "json":
        from anonset.release.documents import plain

        show_json(plain(found))
    elif format == "csv":
        show(_csv(found).rstrip("\n"))
    else:
        from anonset.report.comparison import comparison_table
        from anonset.report.distance import LOCAL

        notes = [f"{row['algorithm']}: {row['note']}" for row in found if row["note"]]
        show(comparison_table(found), *notes, *([LOCAL] if settings.bound else []))
    return DONE


def _csv(found: list[dict[str, Any]]) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, list(found[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows({name: "" if value is None else value for name, value in row.items()} for row in found)
    return text.getvalue()
