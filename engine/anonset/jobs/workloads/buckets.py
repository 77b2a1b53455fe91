"""Workloads for buckets."""

from collections.abc import Mapping

from anonset.data import Hierarchy, Table
from anonset.errors import InputError
from anonset.jobs.workloads.base import QueryAnswers, WorkloadSpec, answered
from anonset.measures.query_error import relative_errors
from anonset.publications import Buckets
from anonset.queries.buckets import estimate, record_workload, true_count
from anonset.spelling import counted


@answered.register
def _of_buckets(
    publication: Buckets, original: Table, spec: WorkloadSpec, hierarchies: Mapping[str, Hierarchy]
) -> QueryAnswers:
    source, n, size, _ = spec.parts
    if source != "record":
        msg = "for buckets, use --workload record:NxQ, where Q is the number of kept columns in a query"
        raise InputError(msg)
    columns = [column.name for column in original.kept]
    if not 1 <= size <= len(columns):
        msg = (
            f"--workload {spec.random} asks for {size} kept columns; the buckets have "
            f"{counted(len(columns), 'kept column')}"
        )
        raise InputError(msg)
    queries = record_workload(original, columns[:size], queries=n, seed=spec.seed)
    errors = relative_errors(queries, lambda query: (true_count(original, query), estimate(publication, query)))
    return QueryAnswers(errors.average, errors.answered, errors.skipped, None)
