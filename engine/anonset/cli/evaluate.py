"""``anonset evaluate``: what a publication lost."""

from typing import Annotated

from cyclopts import Parameter

from anonset.cli.app import given_flags, pairs, split, whole_number
from anonset.cli.exit_codes import DONE
from anonset.cli.items import Flags, RoleFlags
from anonset.cli.originals import MemoryLimit, WorkDir
from anonset.cli.output import progress_bars, show, show_json
from anonset.errors import InputError
from anonset.settings.job_files import is_job, of_job
from anonset.settings.settings import RoleSettings, make_roles


def evaluate(
    original: Annotated[str, Parameter(help="The original data, or the job file (.toml).")],
    out: Annotated[
        str | None, Parameter(help="Directory made by anonset anonymize; not needed with a job file.")
    ] = None,
    /,
    *,
    private: Annotated[str | None, Parameter(help="Private directory; default: OUT.private.")] = None,
    hierarchy: Annotated[list[str] | None, Parameter(help="COL=SPEC, as for anonymize; repeatable.")] = None,
    item_weights: Annotated[
        str | None, Parameter(help="Weights of the utility loss (UL): lca, uniform, ones, or a file.")
    ] = None,
    relational_weights: Annotated[
        list[str] | None, Parameter(help="COL=WEIGHT,...: how much each relational column counts.")
    ] = None,
    queries: Annotated[
        str | None, Parameter(help="File of queries, the items of one per line, or a workload (.json).")
    ] = None,
    workload: Annotated[
        str | None,
        Parameter(help="Random queries, such as record:100x2 (100 of 2 items); +1 adds a relational value."),
    ] = None,
    width: Annotated[float, Parameter(help="Width of conditions on numbers, as a share of the column.")] = 0.0,
    reading: Annotated[
        str, Parameter(help="How to read a symbol of several items: one-member, subsets or subsets-apart.")
    ] = "one-member",
    seed: Annotated[int, Parameter(converter=whole_number, help="Random seed of the queries.")] = 0,
    bound: Annotated[
        bool, Parameter(help="Prove the smallest NCP of any cut of the hierarchy (models km and partition-km).")
    ] = False,
    memory_limit: MemoryLimit = None,
    work_dir: WorkDir = None,
    flags: RoleFlags = Flags(),  # noqa: B008
    quiet: Annotated[bool, Parameter(help="Print no progress.")] = False,
    json: Annotated[bool, Parameter(help="Print the losses as JSON.")] = False,
) -> int:
    """Measure what a publication lost: NCP, LM, UL of the items, NCP of relational values, errors of queries.

    The mapping is read from the private directory, or where there is none from the codebook. The columns of the
    original need the same roles and hierarchies as they had; without a hierarchy of the items, UL weighs all
    generalized symbols alike. The loss of buckets is the share of tuples that were starred or removed.
    """
    from anonset.jobs.evaluate import evaluate as losses
    from anonset.jobs.evaluate import flatten
    from anonset.jobs.reading import opened_to_compare, read_data
    from anonset.jobs.workloads import WorkloadSpec
    from anonset.queries.estimate import require_reading
    from anonset.release.documents import plain
    from anonset.report.account import evaluation_account
    from anonset.report.distance import LOCAL
    from anonset.settings.binding import numeric_columns
    from anonset.settings.readers import Context, weights
    from anonset.settings.readers import item_weights as read_item_weights

    spec = WorkloadSpec(queries, workload, seed, width, require_reading(reading))
    hierarchies, given = pairs("--hierarchy", hierarchy or []), given_flags(flags)
    if is_job(original):
        names = ("out", "private", "hierarchy", "item_weights", *RoleSettings.model_fields)
        original, job = of_job(original, "input", names)
        out, private = out or job.pop("out", None), private or job.pop("private", None)
        hierarchies = {**job.pop("hierarchy", {}), **hierarchies}
        item_weights = item_weights or job.pop("item_weights", None)
        given = {**{name: job[name] for name in RoleSettings.model_fields if name in job}, **given}
    if out is None:
        msg = "OUT is required: the directory made by anonset anonymize"
        raise InputError(msg)
    roles = make_roles(given).read_options()
    of_columns = pairs("--relational-weights", split(relational_weights or []))
    compared = opened_to_compare(out, private, original, roles, memory_limit, work_dir)
    with progress_bars(quiet=quiet) as progress, compared as (opened, place):
        numeric = [*roles["numeric"], *numeric_columns(hierarchies)]
        table = read_data(original, {**roles, "numeric": numeric}, store=place)
        of_items = None if item_weights is None else read_item_weights(item_weights, Context(table.transactions))
        found = losses(
            table,
            opened,
            hierarchies=hierarchies,
            item_weights=of_items,
            relational_weights=weights(of_columns, Context()) if of_columns else None,
            workload=spec,
            bound=bound,
            progress=progress,
        )
    if json:
        show_json(plain(flatten(found)))
    else:
        show(evaluation_account(found), *([LOCAL] if bound else []))
    return DONE
