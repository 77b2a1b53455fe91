"""Losses of disassociated publications."""

from anonset.jobs.evaluate.base import Evaluation, EvaluationRequest, losses, require_itemsets, with_itemsets
from anonset.jobs.workloads import answers
from anonset.measures.terms import in_chunks
from anonset.measures.top_itemsets import lost_items
from anonset.publications import Chunks


@losses.register
def _of_chunks(publication: Chunks, request: EvaluationRequest) -> Evaluation:
    original = request.original
    require_itemsets(request.top, has_items=original.transactions is not None)
    request.require_possible(publication)
    column, shown = original.transactions, publication.vocabulary.index
    occurrences = (
        {} if column is None else dict(zip(column.vocabulary.labels, column.occurrences.tolist(), strict=True))
    )
    total = sum(occurrences.values())
    measures = {"not_in_chunks": 1 - sum(in_chunks(publication)) / total if total else 0.0}
    if column is not None:
        measures["tlost"] = lost_items(column, publication, request.opened.attested.parameters["k"])
    sizes = {
        "records": original.n,
        "clusters": len(publication.clusters),
        "occurrences": total,
        "universe": len(occurrences),
        "suppressed": sum(count > 0 and label not in shown for label, count in occurrences.items()),
    }
    errors = answers(original, publication, request.workload, request.hierarchies)
    return with_itemsets(Evaluation(measures, sizes, "data", errors), publication, request)
