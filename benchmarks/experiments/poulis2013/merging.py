"""Compute the utility loss of the items after every merge of a search, for figures 7g and 7h."""

from math import fsum
from typing import TYPE_CHECKING, Any

from benchmarks.experiments.poulis2013.jobs import Job, M

if TYPE_CHECKING:
    from anonset.algorithms.rt.cluster_function import ClusterFunction


def losses_as_clusters_merge(job: Job) -> tuple[float, ...]:
    """Return UL of the published clusters before the first merge and after each merge.

    Does not count the initial merges of clusters that no generalization makes anonymous.
    """
    result = job.search()
    trace: Any = result.trace
    n_repairs = len(trace) - int(result.figures["clusters_before"] - result.figures["clusters"])
    clusters = _formed(job)
    for merge in trace[:n_repairs]:
        _merge(clusters, merge)
    function = _function(job)
    losses = {first: _loss(function, members) for first, members in clusters.items()}
    n = job.records.bound.n
    curve = [fsum(losses.values()) / n]
    for merge in trace[n_repairs:]:
        del losses[merge.seed], losses[merge.other]
        first = _merge(clusters, merge)
        losses[first] = _loss(function, clusters[first])
        curve.append(fsum(losses.values()) / n)
    return tuple(curve)


def _formed(job: Job) -> dict[int, list[int]]:
    """Return the initial clusters, sorted by their smallest record."""
    from anonset.algorithms.relational.formations import formation_of
    from anonset.data.quasi_identifiers import QuasiIdentifiers

    qi = QuasiIdentifiers.of(job.records.bound.relational, job.records.relational)
    members: dict[int, list[int]] = {}
    for record, number in enumerate(formation_of("cluster", job.parameters["k"]).form(qi).tolist()):
        members.setdefault(number, []).append(record)
    return {found[0]: found for found in members.values()}


def _merge(clusters: dict[int, list[int]], merge: Any) -> int:
    union = sorted(clusters.pop(merge.seed) + clusters.pop(merge.other))
    clusters[union[0]] = union
    return union[0]


def _function(job: Job) -> "ClusterFunction":
    from anonset.algorithms.rt.cluster_function import ClusterFunction
    from anonset.algorithms.rt.diverse_function import DiverseFunction

    k = job.parameters["k"]
    algorithm = job.transaction(k=k, m=M)
    kind = DiverseFunction if algorithm.model.secrets_beside else ClusterFunction
    return kind.of(algorithm, k, job.records.bound, job.records.hierarchies)


def _loss(function: "ClusterFunction", records: list[int]) -> float:
    import numpy as np

    members = np.array(records, np.int64)
    return fsum(function.losses([members], function.mappings([members]))[0].tolist())
