"""``anonset compare``: compare algorithms or parameters on a data set."""

import csv
import io
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Literal

from rich.table import Table as RichTable

from anonset.cli.fixed_commands import printing_fixed_commands
from anonset.cli.flags import INPUT, flags_of, given_flags, pairs
from anonset.cli.options import Option
from anonset.cli.output import Output
from anonset.data.progress import Progress
from anonset.jobs.trials.compare import rows
from anonset.jobs.trials.growth import growths
from anonset.jobs.trials.study import run_study
from anonset.local_paths import require_local
from anonset.release.statements import plain
from anonset.report.comparison import comparison_table, unequal_guarantees
from anonset.report.distance import LOCAL
from anonset.report.plots import draw, require_plots
from anonset.settings.compare import compare_options_model, compare_settings_model, with_ranges
from anonset.settings.job import Job
from anonset.settings.job_files import over_job
from anonset.settings.settings import validate

Flags: Any = flags_of(compare_options_model(), leave_out=["input", "vary"])


def compare(
    source: Annotated[str, INPUT],
    /,
    *,
    vary: Annotated[
        list[str] | None,
        Option("NAME=VALUE,...: values of a parameter to compare, such as k=2,5 or suppress=true,false. Repeatable."),
    ] = None,
    out: Annotated[
        str | None,
        Option(
            "File to which each finished run is added (JSON lines). Runs that the file "
            "already contains are not repeated.",
            alias="-o",
        ),
    ] = None,
    plot: Annotated[str | None, Option("New directory for plots of losses and times (PNG).")] = None,
    format: Annotated[Literal["table", "csv"], Option("Format of the output.")] = "table",  # noqa: A002
    progress: Progress | None,
    **flags: Flags,
) -> Output:
    """Compare algorithms or parameters on a data set.

    The result lists losses and times. Nothing is published. A number may have several values or a range: --k
    2,5,10..50:10. A parameter applies to all algorithms that have it. Infeasible runs are listed. With --records,
    --n-items or several --workers, each size is run three times, and compare computes the exponent with which the
    running time grows, with a 95% interval. The table shows means and standard deviations over repeated runs and
    --seeds. CSV and JSON show every run. Times cover search and recoding, but not the compilation of kernels.
    """
    given = given_flags(flags)
    place, options = over_job(source, "input", given, compare_settings_model())
    fixed, ranges = with_ranges(options)
    varied = {**ranges, **pairs("--vary", vary or [])}
    settings = validate(compare_settings_model(), {**fixed, "input": place, "vary": varied})
    require_local(out, plot)
    if plot is not None:
        require_plots(Path(plot))
    files = {name: value for name, value in (("out", out), ("plot", plot)) if value is not None}
    typed = Job({**given, **files, **({} if format == "table" else {"format": format})})
    more = "".join(f" --vary {shlex.quote(text)}" for text in vary or [])
    with printing_fixed_commands("compare", source, typed, more):
        runs = rows(run_study(settings, progress=progress, file=None if out is None else Path(out)))
    if plot is not None:
        Path(plot).mkdir()
        draw(runs, Path(plot))

    def text() -> Iterator[str | RichTable]:
        if format == "csv":
            yield _csv(runs).rstrip("\n")
            return
        yield comparison_table(runs)
        yield from dict.fromkeys(f"{row['algorithm']}: {row['note']}" for row in runs if row["note"])
        yield from [LOCAL] if settings.bound else []
        yield from map(str, growths(runs, list(runs[0])[: list(runs[0]).index("outcome")]))
        yield from [differing] if (differing := unequal_guarantees(runs)) else []

    return Output(lambda: plain(runs), text)


def _csv(runs: list[dict[str, Any]]) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, list(runs[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows({name: "" if value is None else value for name, value in row.items()} for row in runs)
    return text.getvalue()
