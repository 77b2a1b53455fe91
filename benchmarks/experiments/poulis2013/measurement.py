"""Measure a run of Rum-bound or Tum-bound. A case measures losses, errors and counted work, or time, or memory."""

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from benchmarks.experiments.cases import Measured, Parameters
from benchmarks.experiments.poulis2013.jobs import Job, is_first, items_of
from benchmarks.memory import forget_peak, peak_mib

if TYPE_CHECKING:
    from anonset.publications import Records

_SAMPLE = 400
"""Number of records of the search that loads the kernels."""
_ORDERINGS = {"r": 1, "t": 1, "rt": 2}


def measure(parameters: Parameters) -> Measured:
    """Run a case. The parameter ``kind`` selects the measurement.

    Parameters
    ----------
    parameters
        ``kind`` (run, null, work, time, memory, formation, orders, orders_time, merges or shape) and ``data``; for a
        search ``framework`` (rum, tum), ``merge``, ``function`` (aa, icd9, coat, lm), ``k``, the bound as ``delta`` or
        as ``share`` (see `Job.delta`). Optional: ``records``, ``formation``, ``values`` (``plain``: no hierarchies of
        relational columns), ``queries``, and the level of the repetition.

    Raises
    ------
    RuntimeError
        If a result does not verify.
    """
    kinds: Mapping[str, Callable[[Job], Measured]] = {
        "run": _run,
        "work": _work,
        "time": _time,
        "memory": _memory,
        "formation": _formation,
        "orders": _orders,
        "orders_time": _orders_time,
        "merges": _merges,
        "null": _null,
        "shape": _shape,
    }
    found = kinds[parameters["kind"]](Job.of(parameters))
    return {name: float(f"{value:.10g}") if isinstance(value, float) else value for name, value in found.items()}


def compile_kernels() -> None:
    """Fill the cache of compiled kernels."""
    small = {"data": "youtube_like", "records": 1000, "k": 5, "kind": "run"}
    for function in ("aa", "coat"):
        for framework, merge in (("rum", "r"), ("rum", "t"), ("tum", "rt")):
            measure({**small, "function": function, "framework": framework, "merge": merge, "share": 0.5})


def _run(job: Job) -> Measured:
    from anonset.generalization import apply

    result = job.search()
    measured = _losses(job, result) | _checked(job, result)
    publication = apply(job.records.bound, result.recoding)
    if job.parameters.get("function") == "icd9":
        measured["root_share"] = _root_share(job, publication)
    if not job.parameters.get("queries", True):
        return measured
    from benchmarks.experiments.poulis2013.query_errors import errors

    return measured | errors(job, publication)


def _null(job: Job) -> Measured:
    from benchmarks.experiments.poulis2013.query_errors import errors_without_information

    return errors_without_information(job)


def _work(job: Job) -> Measured:
    result = job.search()
    return _losses(job, result) | _checked(job, result)


def _losses(job: Job, result: Any) -> dict[str, Any]:
    figures = result.figures
    before, left = figures["clusters_before"], figures["clusters"]
    merges = before - left
    tried = merges + (job.parameters["framework"] == "rum" and left > 1)
    return {
        "delta": job.delta,
        "ncp": figures["rum"],
        "ncp_before": figures["rum_before"],
        "ul": figures["tum"],
        "ul_before": figures["tum_before"],
        "largest_cluster": figures["largest_cluster"],
        "clusters_before": before,
        "merges": merges,
        "ranked": _ORDERINGS[job.parameters["merge"]] * tried * (2 * before - tried - 1) / 2,
    }


def _checked(job: Job, result: Any) -> dict[str, str]:
    """Verify the result independently if it is the first repetition. Return the extent of the verification as text."""
    from anonset import verify
    from anonset.generalization import apply

    if not is_first(job.parameters):
        return {}
    verdict = verify(apply(job.records.bound, result.recoding), job.algorithm(delta=1.0).model)
    if verdict.holds is False:
        msg = f"the result does not verify: {verdict}"
        raise RuntimeError(msg)
    return {"checked": str(verdict.checked["covered"])}


def _root_share(job: Job, publication: "Records") -> float:
    """Return the share of records with items whose only symbol is the root of the hierarchy."""
    import numpy as np

    published, universe = items_of(publication), len(items_of(job.records.bound).vocabulary)  # type: ignore[arg-type]
    roots = [code for code, symbol in enumerate(publication.symbols) if len(symbol.members) == universe]
    return float(np.count_nonzero(np.isin(published.items, roots)) / max(1, published.n_nonempty))


def _seconds(search: Callable[[], object]) -> float:
    began = time.perf_counter()
    search()
    return time.perf_counter() - began


def _time(job: Job) -> Measured:
    delta = job.delta
    _load_kernels(job, "btd")
    algorithm, table = job.algorithm(delta=delta), _fresh(job)
    began = time.perf_counter()
    result = algorithm.recode(table, job.records.hierarchies)
    seconds = time.perf_counter() - began
    checked = _checked(job, result) if job.parameters.get("verify") else {}
    return {"seconds": seconds, "microseconds_per_record": seconds / table.n * 1e6, **checked}


def _memory(job: Job) -> Measured:
    """Return the peak memory of a separate process, including the data."""
    forget_peak()
    job.search()
    return {"peak_mib": peak_mib()}


def _orders(job: Job) -> Measured:
    """Search with candidates ordered by BTD and by UL. Count the applications of the transaction function to merged
    clusters.
    """
    found, delta = dict[str, Any](), job.delta  # the search for delta is not counted
    for order, suffix in (("btd", ""), ("ul", "_ul")):
        with counting() as counted:
            result = job.search(order=order, delta=delta)
        figures = result.figures
        found |= {f"ul{suffix}": figures["tum"], f"ncp{suffix}": figures["rum"], f"unions{suffix}": counted["unions"]}
    return found | _checked(job, result)


def _orders_time(job: Job) -> Measured:
    delta = job.delta
    found = {}
    for order, name in (("btd", "seconds"), ("ul", "seconds_ul")):
        _load_kernels(job, order)
        algorithm, table = job.algorithm(delta=delta, order=order), _fresh(job)
        found[name] = _seconds(lambda a=algorithm, t=table: a.recode(t, job.records.hierarchies))  # type: ignore[misc]
    return found


@contextmanager
def counting() -> Iterator[dict[str, int]]:
    """Count the clusters and unions of clusters to which a transaction function is applied."""
    from anonset.algorithms.rt.cluster_function import ClusterFunction

    own, counted = ClusterFunction.mappings, {"unions": 0}

    def mappings(self: Any, clusters: Any) -> Any:
        counted["unions"] += len(clusters)
        return own(self, clusters)

    ClusterFunction.mappings = mappings  # type: ignore[method-assign]
    try:
        yield counted
    finally:
        ClusterFunction.mappings = own  # type: ignore[method-assign]


def _fresh(job: Job) -> Any:
    from anonset import SetColumn, Table

    column = items_of(job.records.bound)
    again = SetColumn(column.name, column.indptr, column.items, column.vocabulary)
    return Table(again, job.records.bound.relational)


def _formation(job: Job) -> Measured:
    from anonset.algorithms.relational.formations import formation_of
    from anonset.data.quasi_identifiers import QuasiIdentifiers

    formation, known = formation_of("cluster", job.parameters["k"]), job.records.relational
    formation.form(QuasiIdentifiers.of(job.head(_SAMPLE).relational, known))
    columns = job.records.bound.relational
    return {"seconds": _seconds(lambda: formation.form(QuasiIdentifiers.of(columns, known)))}


def _merges(job: Job) -> Measured:
    """Record the utility loss after each merge. Return the losses after certain percentages of the merges."""
    curve = _curve(tuple(sorted((name, value) for name, value in job.parameters.items() if name != "percent")))
    percent = job.parameters["percent"]
    steps = [after - before for before, after in pairwise(curve)]
    found: dict[str, Any] = {"ul": curve[round(percent / 100 * len(steps))]}
    if percent == 100:
        rises = [step for step in steps if step > 1e-12]
        found |= {"merges": len(steps), "rises": len(rises), "largest_rise": max(rises, default=0.0)}
        found["ul_after_each_merge"] = [float(f"{value:.5g}") for value in curve]
        found |= _checked(job, job.search())
    return found


@lru_cache(maxsize=8)
def _curve(named: tuple[tuple[str, Any], ...]) -> tuple[float, ...]:
    from benchmarks.experiments.poulis2013.merging import losses_as_clusters_merge

    return losses_as_clusters_merge(Job.of(dict(named)))


def _shape(job: Job) -> Measured:
    table = job.records.bound
    column = items_of(table)
    return {
        "records": table.n,
        "attributes": len(table.relational),
        "items": int((column.occurrences > 0).sum()),
        "longest": int(column.lengths.max()),
        "average": float(column.lengths.mean()),
    }


_LOADED: set[tuple[Any, ...]] = set()


def _load_kernels(job: Job, order: str) -> None:
    """Run a search of the same kind on a few records, once per process."""
    from anonset.errors import InfeasibleError

    names = ("framework", "merge", "function", "formation", "values")
    kind = (order, *(job.parameters.get(name) for name in names))
    if kind in _LOADED:
        return
    _LOADED.add(kind)
    with suppress(InfeasibleError):  # the sample may be too small for the bound
        job.algorithm(delta=0.9, order=order).recode(job.head(_SAMPLE), job.records.hierarchies)
