"""``anonset compare``: compare algorithms or parameters on a data set."""

import csv
import io
import shlex
from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import Parameter

from anonset.cli.exit_codes import DONE
from anonset.cli.fixed_commands import printing_fixed_commands
from anonset.cli.flags import Input, Quiet, flags_of, given_flags, pairs
from anonset.cli.output import show, show_json
from anonset.cli.progress import progress_bars
from anonset.jobs.trials.compare import rows
from anonset.jobs.trials.comparison import run_comparison
from anonset.jobs.trials.growth import growths
from anonset.local_paths import require_local
from anonset.release.statements import plain
from anonset.report.comparison import comparison_table, unequal_guarantees
from anonset.report.distance import LOCAL
from anonset.report.plots import draw, require_plots
from anonset.settings.compare import compare_options_model, compare_settings_model, with_ranges
from anonset.settings.job_files import over_job
from anonset.settings.settings import validate

Flags: Any = flags_of(compare_options_model(), leave_out=["input", "vary"])


def compare(
    source: Input,
    /,
    *,
    vary: Annotated[
        list[str] | None,
        Parameter(
            help="NAME=VALUE,...: values of a parameter to compare, such as k=2,5 or suppress=true,false. Repeatable."
        ),
    ] = None,
    out: Annotated[
        str | None,
        Parameter(
            alias="-o",
            help="File to which each finished run is added (JSON lines). Runs that the file "
            "already contains are not repeated.",
        ),
    ] = None,
    plot: Annotated[str | None, Parameter(help="New directory for plots of losses and times (PNG).")] = None,
    format: Annotated[Literal["table", "csv", "json"], Parameter(help="Format of the output.")] = "table",  # noqa: A002
    quiet: Quiet = False,
    **flags: Flags,
) -> int:
    """Compare algorithms or parameters on a data set.

    The result lists losses and times. Nothing is published. A number may have several values or a range: --k
    2,5,10..50:10. A parameter applies to all algorithms that have it. Infeasible runs are listed. With --records,
    --n-items or several --workers, each size is run three times, and compare computes the exponent with which the
    running time grows, with a 95% interval. The table shows means and standard deviations over repeated runs and
    --seeds. CSV and JSON show every run. Times cover search and recoding, but not the compilation of kernels.
    """
    place, options = over_job(source, "input", given_flags(flags), compare_settings_model())
    fixed, ranges = with_ranges(options)
    varied = {**ranges, **pairs("--vary", vary or [])}
    settings = validate(compare_settings_model(), {**fixed, "input": place, "vary": varied})
    require_local(out, plot)
    if plot is not None:
        require_plots(Path(plot))
    files = {name: value for name, value in (("out", out), ("plot", plot)) if value is not None}
    typed = {**given_flags(flags), **files, **({} if format == "table" else {"format": format})}
    more = "".join(f" --vary {shlex.quote(text)}" for text in vary or [])
    with progress_bars(quiet=quiet) as progress, printing_fixed_commands("compare", source, typed, more):
        runs = rows(run_comparison(settings, progress=progress, file=None if out is None else Path(out)))
    if plot is not None:
        Path(plot).mkdir()
        draw(runs, Path(plot))
    if format == "json":
        show_json(plain(runs))
    elif format == "csv":
        show(_csv(runs).rstrip("\n"))
    else:
        notes = dict.fromkeys(f"{row['algorithm']}: {row['note']}" for row in runs if row["note"])
        asked_for = list(runs[0])[: list(runs[0]).index("outcome")]
        show(comparison_table(runs), *notes, *([LOCAL] if settings.bound else []), *map(str, growths(runs, asked_for)))
        if differing := unequal_guarantees(runs):
            show(differing)
    return DONE


def _csv(runs: list[dict[str, Any]]) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, list(runs[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows({name: "" if value is None else value for name, value in row.items()} for row in runs)
    return text.getvalue()
