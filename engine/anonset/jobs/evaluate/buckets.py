"""Losses of buckets."""

from anonset.jobs.evaluate.base import Evaluation, EvaluationRequest, losses, require_itemsets
from anonset.jobs.workloads import answers
from anonset.publications import Buckets


@losses.register
def _of_buckets(publication: Buckets, asked: EvaluationRequest) -> Evaluation:
    require_itemsets(asked.top, there=False)
    asked.require_possible(publication)
    errors = answers(asked.original, publication, asked.workload, asked.hierarchies)
    n = asked.original.n
    lost = n - publication.n + int(publication.starred.sum())
    sizes = {"records": n, "published": publication.n, "groups": publication.n_groups}
    return Evaluation({"grouping_loss": lost / max(1, n)}, sizes, "data", errors)
