"""``anonset workload``: generate and check queries for the query error."""

from pathlib import Path
from typing import Annotated, Any

from anonset.analysis.workloads import WorkloadSpec, of_original
from anonset.cli.commands.items import figures_table
from anonset.cli.flags import flags_of, given_flags
from anonset.cli.options import Option
from anonset.cli.output import Output, written
from anonset.data import Hierarchy, Table
from anonset.errors import InputError
from anonset.queries.relational import TrueAnswers
from anonset.queries.workload import Workload
from anonset.reading.read import read_by
from anonset.reading.workloads import write_workload
from anonset.release.publishing.staging import require_new
from anonset.settings.binding import bind_columns
from anonset.settings.commands import WorkloadSettings
from anonset.settings.job_files import settings_at

_UNUSED = ["input", "queries", "reading", "bound"]
_Generated: Any = flags_of(WorkloadSettings, leave_out=_UNUSED)
_Checked: Any = flags_of(WorkloadSettings, leave_out=[*_UNUSED, "workload", "width", "seed"])


def generate_workload(
    source: Annotated[str, Option("Data set or job file (.toml) with the items and values.", "INPUT")],
    /,
    *,
    out: Annotated[str, Option("New file (.json).", alias="-o")],
    **flags: _Generated,
) -> Output:
    """Generate random queries for a data set.

    --workload record:100x2 generates 100 queries of 2 items, drawn from random records. domain:100x2 draws the items
    from all items. With the same --seed, anonset evaluate --workload uses the same queries.
    """
    target = Path(out)
    require_new(target)
    settings = _settings(source, flags)
    if settings.workload is None:
        raise InputError("--workload is required, such as --workload record:100x2")
    spec = WorkloadSpec(None, settings.workload, settings.seed, settings.width)
    write_workload(_workload(*_bound(settings), spec), target)
    return written(target)


def check_workload(
    file: Annotated[
        str,
        Option("File of queries: a workload (.json), or a text file whose lines contain the items of each query."),
    ],
    /,
    *,
    data: Annotated[str, Option("Data set or job file (.toml) with the items and values.", "--input")],
    **flags: _Checked,
) -> Output:
    """Check queries, and count the records that match each query."""
    table, trees = _bound(_settings(data, flags))
    workload, true = _workload(table, trees, WorkloadSpec(file)), TrueAnswers(table, trees)
    answers = [true.count(query) for query in workload.queries]
    figures = {
        "queries": len(workload),
        "without a matching record": answers.count(0),
        "most records": max(answers, default=0),
    }
    return Output(lambda: {"queries": len(workload), "answers": answers}, lambda: [figures_table(figures)])


def _settings(source: str, flags: Any) -> WorkloadSettings:
    return settings_at(source, "input", given_flags(flags), WorkloadSettings)[1]


def _bound(settings: WorkloadSettings) -> tuple[Table, dict[str, Hierarchy]]:
    """Read the data set, and return it with the hierarchies of its relational columns."""
    table, trees = bind_columns(read_by(settings.input, settings.read_options()), settings.hierarchy)
    return table, {column.name: trees[column.name] for column in table.relational if column.name in trees}


def _workload(table: Table, trees: dict[str, Hierarchy], spec: WorkloadSpec) -> Workload:
    workload = of_original(table, spec, trees)
    if workload is None:
        raise InputError(
            f"--workload {spec.random}: these queries depend on a publication. Draw the queries from record or domain, "
            "or use anonset evaluate"
        )
    return workload
