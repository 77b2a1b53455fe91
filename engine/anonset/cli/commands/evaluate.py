"""``anonset evaluate``: information loss of a publication."""

from typing import Annotated, Any

from anonset.analysis.workloads import WorkloadSpec
from anonset.cli.flags import flags_of, given_flags
from anonset.cli.options import Option
from anonset.cli.output import Output
from anonset.data.progress import Progress
from anonset.errors import InputError
from anonset.jobs.evaluate import evaluate as losses
from anonset.jobs.evaluate import flatten
from anonset.jobs.reading import opened_to_compare, read_data
from anonset.queries.estimate import require_reading
from anonset.release.statements import plain
from anonset.report.account import evaluation_account
from anonset.report.distance import LOCAL
from anonset.settings.commands import EvaluateSettings
from anonset.settings.job_files import settings_at
from anonset.settings.readers import ParsingContext, weights

Flags: Any = flags_of(EvaluateSettings, leave_out=["input", "out"])


def evaluate(
    original: Annotated[str, Option("Original data, or the job file (.toml).")],
    out: Annotated[str | None, Option("Directory of the publication. Not needed with a job file.")] = None,
    /,
    *,
    progress: Progress | None,
    **flags: Flags,
) -> Output:
    """Measure the information loss of a publication.

    Measures NCP, LM and UL of the items, NCP of the relational values, and the errors of queries and of counts of
    frequent itemsets. Use the same roles and hierarchies as for anonset anonymize. The published symbol of each item is
    read from the private directory or, without this directory, from the codebook. Without a hierarchy of the items, UL
    gives the same weight to all generalized symbols. The loss of buckets is the share of tuples that have a hidden
    identity or were removed.
    """
    _, settings = settings_at(
        original, "input", given_flags(flags if out is None else {**flags, "out": out}), EvaluateSettings
    )
    if settings.out is None:
        raise InputError("OUT is required: the directory made by anonset anonymize")
    reading = require_reading(settings.reading)
    spec = WorkloadSpec(settings.queries, settings.workload, settings.seed, settings.width, reading)
    source = settings.source(settings.input)
    compared = opened_to_compare(settings.out, source, settings, "losses")
    with compared as (opened, place):
        table = read_data(source, settings.read_options(), store=place)
        of_columns = settings.relational_weights
        evaluation = losses(
            table,
            opened,
            hierarchies=settings.hierarchy,
            item_weights=settings.item_weights,
            relational_weights=weights(of_columns, ParsingContext()) if of_columns else None,
            workload=spec,
            top=settings.top,
            bound=settings.bound,
            progress=progress,
        )
    return Output(
        lambda: plain(flatten(evaluation)),
        lambda: [evaluation_account(evaluation), *([LOCAL] if settings.bound else [])],
    )
