"""Workloads for published records."""

from collections.abc import Mapping

from anonset.data import Hierarchy, Table
from anonset.jobs.workloads.base import QueryAnswers, WorkloadSpec, answered, in_terms_of, of_original
from anonset.measures.query_error import mixed_relative_error
from anonset.publications import Records
from anonset.queries.mixed_workload import mixed_published_workload


@answered.register
def _of_records(
    publication: Records, original: Table, spec: WorkloadSpec, hierarchies: Mapping[str, Hierarchy]
) -> QueryAnswers:
    names = {column.name for column in original.relational}
    trees = {name: tree for name, tree in hierarchies.items() if name in names}
    workload = of_original(original, spec, trees)
    if workload is None:
        with in_terms_of(spec):
            workload = mixed_published_workload(original, publication, spec.parts[1], spec.shape, spec.seed, trees)
    errors = mixed_relative_error(original, publication, workload, trees, reading=spec.reading)
    return QueryAnswers(errors.average, errors.answered, errors.skipped, spec.reading)
