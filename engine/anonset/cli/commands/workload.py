"""``anonset workload``: generate and check queries for the query error."""

from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from anonset.cli.commands.items import show_figures
from anonset.cli.exit_codes import DONE
from anonset.cli.flags import flags_of, given_flags
from anonset.cli.output import show_json
from anonset.data import Hierarchy, Table
from anonset.errors import InputError
from anonset.kinds.workloads import WorkloadSpec, of_original
from anonset.queries.relational import TrueAnswers
from anonset.queries.workload import Workload
from anonset.reading.options import ReadOptions
from anonset.reading.read import read_by
from anonset.reading.workloads import write_workload
from anonset.release.publishing.staging import require_new
from anonset.settings.binding import bind_columns
from anonset.settings.commands import WorkloadSettings
from anonset.settings.job_files import over_job
from anonset.settings.settings import validate

_UNUSED = ["input", "queries", "reading", "bound"]
_Generated: Any = flags_of(WorkloadSettings, leave_out=_UNUSED)
_Checked: Any = flags_of(WorkloadSettings, leave_out=[*_UNUSED, "workload", "width", "seed"])


def generate_workload(
    source: Annotated[str, Parameter(name="INPUT", help="Data set or job file (.toml) with the items and values.")],
    /,
    *,
    out: Annotated[str, Parameter(alias="-o", help="New file (.json).")],
    **flags: _Generated,
) -> int:
    """Generate random queries for a data set.

    --workload record:100x2 generates 100 queries of 2 items, drawn from random records. domain:100x2 draws the items
    from all items. With the same --seed, anonset evaluate --workload uses the same queries.
    """
    target = Path(out)
    require_new(target)
    settings = _settings(source, flags)
    if settings.workload is None:
        msg = "--workload is required, such as --workload record:100x2"
        raise InputError(msg)
    spec = WorkloadSpec(None, settings.workload, settings.seed, settings.width)
    write_workload(_workload(*_bound(settings), spec), target)
    return DONE


def check_workload(
    file: Annotated[
        str,
        Parameter(
            help="File of queries: a workload (.json), or a text file whose lines contain the items of each query."
        ),
    ],
    /,
    *,
    data: Annotated[str, Parameter(name="--input", help="Data set or job file (.toml) with the items and values.")],
    json: Annotated[bool, Parameter(help="Print the figures as JSON, with the answer to each query.")] = False,
    **flags: _Checked,
) -> int:
    """Check queries, and count the records that match each query."""
    table, trees = _bound(_settings(data, flags))
    workload, true = _workload(table, trees, WorkloadSpec(file)), TrueAnswers(table, trees)
    answers = [true.count(query) for query in workload.queries]
    figures = {
        "queries": len(workload),
        "without a matching record": answers.count(0),
        "most records": max(answers, default=0),
    }
    if json:
        show_json({"queries": len(workload), "answers": answers})
    else:
        show_figures(figures, json=False)
    return DONE


def _settings(source: str, flags: Any) -> WorkloadSettings:
    source, options = over_job(source, "input", given_flags(flags), WorkloadSettings)
    return validate(WorkloadSettings, {**options, "input": source})


def _bound(settings: WorkloadSettings) -> tuple[Table, dict[str, Hierarchy]]:
    """Read the data set, and return it with the hierarchies of its relational columns."""
    table, trees = bind_columns(read_by(settings.input, ReadOptions(**settings.read_options())), settings.hierarchy)
    return table, {column.name: trees[column.name] for column in table.relational if column.name in trees}


def _workload(table: Table, trees: dict[str, Hierarchy], spec: WorkloadSpec) -> Workload:
    workload = of_original(table, spec, trees)
    if workload is None:
        msg = (
            f"--workload {spec.random}: these queries depend on a publication. Draw the queries from record or domain, "
            "or use anonset evaluate"
        )
        raise InputError(msg)
    return workload
