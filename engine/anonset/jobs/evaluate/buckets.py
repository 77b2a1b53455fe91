"""Losses of buckets."""

from anonset.jobs.evaluate.base import Evaluation, EvaluationRequest, losses, require_itemsets
from anonset.jobs.workloads import answers
from anonset.publications import Buckets


@losses.register
def _of_buckets(publication: Buckets, request: EvaluationRequest) -> Evaluation:
    require_itemsets(request.top, has_items=False)
    request.require_possible(publication)
    errors = answers(request.original, publication, request.workload, request.hierarchies)
    n = request.original.n
    lost = n - publication.n + int(publication.starred.sum())
    sizes = {"records": n, "published": publication.n, "groups": publication.n_groups}
    return Evaluation({"grouping_loss": lost / max(1, n)}, sizes, "data", errors)
