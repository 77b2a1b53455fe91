"""Workloads for disassociated publications."""

from collections.abc import Mapping

from anonset.data import Hierarchy, SetColumn, Table
from anonset.jobs.workloads.base import QueryAnswers, WorkloadSpec, answered, in_terms_of, of_original
from anonset.measures.query_error import relative_errors
from anonset.publications import Chunks
from anonset.queries.chunks import ChunkCounts
from anonset.queries.mixed_workload import mixed_domain_workload
from anonset.queries.relational import TrueAnswers


@answered.register
def _of_chunks(
    publication: Chunks, original: Table, spec: WorkloadSpec, hierarchies: Mapping[str, Hierarchy]
) -> QueryAnswers:
    workload = of_original(original, spec, {})
    if workload is None:
        items = publication.vocabulary.labels
        with in_terms_of(spec):
            shown = Table(SetColumn.of([items], universe=items))
            workload = mixed_domain_workload(shown, spec.parts[1], spec.shape, spec.seed)
    true, expected = TrueAnswers(original), ChunkCounts(publication)
    errors = relative_errors(workload.queries, lambda query: (true.count(query), expected.count(query)))
    return QueryAnswers(errors.average, errors.answered, errors.skipped, None)
