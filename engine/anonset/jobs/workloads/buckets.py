"""Workloads for buckets."""

from collections.abc import Mapping

from anonset.data import Hierarchy, Table
from anonset.errors import InputError
from anonset.jobs.workloads.base import QueryAnswers, WorkloadSpec, answered
from anonset.publications import Buckets
from anonset.queries.buckets import record_workload, relative_errors
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
    errors = relative_errors(
        original, publication, record_workload(original, columns[:size], queries=n, seed=spec.seed)
    )
    return QueryAnswers(errors.are, len(errors.errors), errors.skipped, None)
