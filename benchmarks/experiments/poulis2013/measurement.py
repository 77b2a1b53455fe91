"""Measuring one run of Rum-bound or Tum-bound: time apart from compiling, memory, losses, and errors of queries."""

import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from math import fsum
from typing import TYPE_CHECKING, Any

from benchmarks.experiments.cases import Measured, Parameters
from benchmarks.memory import forget_peak, peak_mib

if TYPE_CHECKING:
    from anonset import Hierarchy, Table
    from anonset.algorithms.rt.rum_bound import RumBound
    from anonset.algorithms.rt.tum_bound import TumBound
    from anonset.generalization import Publication

SHAPES = ((2, 0), (1, 2), (2, 2), (0, 2))
"""Relational values and items of the queries of each workload."""
QUERIES = 100
SEED = 1
ENOUGH_SECONDS = 1.0
"""A run is repeated until so much time was measured, three times at most."""
DIVERSITY = 3
"""l of the diversity variants."""
_FANOUT = 5
_SAMPLE = 400


def measure(parameters: Parameters) -> Measured:
    """Run one case; what it measures is said by ``kind``.

    Parameters
    ----------
    parameters
        ``kind`` (run, formation, orders, merges or shape) and ``data``; for a run ``framework`` (rum, tum), ``merge``,
        ``delta``, ``function`` (aa, icd9, coat, lm), ``k``, and if wanted ``records``, ``formation``, ``queries``.

    Raises
    ------
    RuntimeError
        If a result does not verify.
    """
    kinds: Mapping[str, Callable[[_Job], Measured]] = {
        "run": _run,
        "formation": _formation,
        "orders": _orders,
        "merges": _merges,
        "shape": _shape,
    }
    return kinds[parameters["kind"]](_Job.of(parameters))


def compile_kernels() -> None:
    """Fill the cache of compiled kernels: a case then loads what it needs."""
    for function in ("aa", "coat"):
        for framework, merge in (("rum", "r"), ("rum", "t"), ("tum", "rt")):
            measure(
                {
                    "kind": "run",
                    "data": "youtube_like",
                    "records": 1000,
                    "framework": framework,
                    "merge": merge,
                    "delta": 0.9,
                    "function": function,
                    "k": 5,
                }
            )


@dataclass(frozen=True)
class _Job:
    """A case made ready."""

    parameters: Parameters
    table: "Table"
    hierarchies: "dict[str, Hierarchy]"
    transaction: Any

    @classmethod
    def of(cls, parameters: Parameters) -> "_Job":
        """Load the data, and bind them to the hierarchy of the items that the transaction function wants."""
        from anonset.algorithms.transaction.apriori import Apriori
        from anonset.algorithms.transaction.coat import Coat
        from anonset.algorithms.transaction.lm_apriori import LmApriori
        from anonset.data.hierarchy import attach_sensitive

        table, function = load(parameters), parameters.get("function", "coat")
        column = _items(table)
        if function == "coat":
            return cls(parameters, table, {}, Coat)
        labels, transaction = column.vocabulary.labels, Apriori
        hierarchy = _hierarchy(parameters["data"], function, labels)
        if function == "lm":
            sensitive = tuple(label for label in labels if is_sensitive(label))
            ordinary = [label for label in labels if label not in sensitive]
            hierarchy = attach_sensitive(_hierarchy(parameters["data"], function, ordinary), sensitive)
            diverse: Any = partial(LmApriori, l=DIVERSITY, sensitive_items=sensitive)
            return cls(parameters, table.with_transactions(hierarchy.bind(column)), {column.name: hierarchy}, diverse)
        return cls(parameters, table.with_transactions(hierarchy.bind(column)), {column.name: hierarchy}, transaction)

    def algorithm(self, **changes: Any) -> "RumBound | TumBound":
        """Return the framework with the parameters of the case."""
        from anonset.algorithms.rt.rum_bound import RumBound
        from anonset.algorithms.rt.tum_bound import TumBound

        kind: Any = {"rum": RumBound, "tum": TumBound}[self.parameters["framework"]]
        chosen = {name: self.parameters[name] for name in ("k", "merge", "delta")}
        chosen |= {"formation": self.parameters.get("formation", "cluster"), "on_infeasible": "merge"}
        found: RumBound | TumBound = kind(m=2, transaction=self.transaction, **(chosen | changes))
        return found

    def run(self, algorithm: "RumBound | TumBound") -> tuple[list[float], Any]:
        """Run an algorithm on a small sample, so that its kernels are loaded, then on the data; seconds and result."""
        from anonset.errors import InfeasibleError

        with suppress(InfeasibleError):  # the sample may be too small for the bound
            algorithm.recode(head(self.table, _SAMPLE), self.hierarchies)
        seconds: list[float] = []
        while len(seconds) < 3 and sum(seconds) < ENOUGH_SECONDS:
            began = time.perf_counter()
            result = algorithm.recode(self.table, self.hierarchies)
            seconds.append(time.perf_counter() - began)
        return seconds, result


def load(parameters: Parameters) -> "Table":
    """Return the records of a case; with ``records``, so many at random, in every larger sample too, or generated.

    Raises
    ------
    InputError
        If the real data cannot be found.
    """
    import numpy as np

    from anonset import Table
    from anonset_datasets import catalogue
    from anonset_datasets.generators import youtube_like

    name, n = parameters["data"], parameters.get("records")
    if name == "youtube_like":
        return youtube_like() if n is None else youtube_like(n)
    table = catalogue.load(name)
    if n is None:
        return table
    chosen = np.sort(np.random.default_rng(SEED).permutation(table.n)[:n])
    return Table(_items(table).take(chosen), tuple(column.take(chosen) for column in table.relational))


def head(table: "Table", n: int) -> "Table":
    """Return the first records of a table."""
    import numpy as np

    from anonset import Table

    first = np.arange(min(n, table.n))
    return Table(_items(table).take(first), tuple(column.take(first) for column in table.relational))


def is_sensitive(code: str) -> bool:
    """Tell whether an ICD-9 code is one of the mental disorders, 290 to 319."""
    return code.isdigit() and 290 <= int(code) <= 319


def _items(table: "Table") -> Any:
    if table.transactions is None:
        msg = "the data must have a set-valued column"
        raise RuntimeError(msg)
    return table.transactions


def _hierarchy(data: str, function: str, labels: Any) -> "Hierarchy":
    from anonset import Hierarchy, read_hierarchy
    from anonset_datasets import catalogue

    taxonomy = catalogue.hierarchy(data) if function == "icd9" else None
    return Hierarchy.balanced(labels, _FANOUT) if taxonomy is None else read_hierarchy(taxonomy)


def _run(job: _Job) -> Measured:
    from anonset.generalization import apply

    algorithm = job.algorithm()
    forget_peak()
    seconds, result = job.run(algorithm)
    measured = {
        "seconds": min(seconds),
        "seconds_of_runs": seconds,
        "microseconds_per_record": min(seconds) / job.table.n * 1e6,
        "peak_mib": peak_mib(),
        "records": job.table.n,
        "ncp": result.figures["rum"],
        "ul": result.figures["tum"],
        **{name: result.figures[name] for name in ("clusters", "largest_cluster", "merges", "tum_before")},
        "ncp_before": result.figures["rum_before"],
    }
    if not job.parameters.get("queries", True):
        return measured
    publication = apply(job.table, result.recoding)
    measured |= {"checked": _verified(publication, algorithm.model), "root_share": _root_share(job, publication)}
    return measured | _errors(job, publication)


def _verified(publication: "Publication", model: Any) -> str:
    """Check the result by the verification's own path; return what was covered."""
    from anonset import verify

    verdict = verify(publication, model)
    if verdict.holds is False:
        msg = f"the result does not verify: {verdict}"
        raise RuntimeError(msg)
    return str(verdict.checked["covered"])


def _root_share(job: _Job, publication: "Publication") -> float:
    """Return the share of the records with items that show the root of the hierarchy and nothing else."""
    import numpy as np

    published = publication.transactions
    if published is None or not job.hierarchies:
        return 0.0
    universe = len(_items(job.table).vocabulary)
    roots = [code for code, symbol in enumerate(publication.symbols) if len(symbol.members) == universe]
    return float(np.count_nonzero(np.isin(published.items, roots)) / max(1, published.n_nonempty))


def _errors(job: _Job, publication: "Publication") -> dict[str, float]:
    from anonset.measures.mixed_query_error import mixed_relative_error
    from anonset.queries.mixed_workload import QueryShape, mixed_record_workload

    found = {}
    for n_values, n_items in SHAPES:
        shape = QueryShape(n_values=n_values, n_items=n_items)
        workload = mixed_record_workload(job.table, QUERIES, shape, SEED)
        found[f"are_{n_values}_{n_items}"] = mixed_relative_error(job.table, publication, workload).average
    return found


def _formation(job: _Job) -> Measured:
    """Form the clusters alone."""
    from anonset.algorithms.relational.formations import formation_of
    from anonset.data.quasi_identifiers import QuasiIdentifiers

    formation = formation_of("cluster", job.parameters["k"])
    formation.form(QuasiIdentifiers.of(head(job.table, _SAMPLE).relational, {}))
    seconds: list[float] = []
    while len(seconds) < 3 and sum(seconds) < ENOUGH_SECONDS:
        began = time.perf_counter()
        cluster = formation.form(QuasiIdentifiers.of(job.table.relational, {}))
        seconds.append(time.perf_counter() - began)
    return {"seconds": min(seconds), "clusters": int(cluster.max()) + 1}


def _orders(job: _Job) -> Measured:
    """Order candidates by BTD and by UL, one after the other."""
    seconds, result = job.run(job.algorithm())
    slow, by_loss = job.run(job.algorithm(order="ul"))
    return {
        "seconds": min(seconds),
        "seconds_ul": min(slow),
        "ul": result.figures["tum"],
        "ul_ul": by_loss.figures["tum"],
        "ncp": result.figures["rum"],
        "ncp_ul": by_loss.figures["rum"],
    }


def _merges(job: _Job) -> Measured:
    """Merge all clusters into one, and follow the utility loss as they merge, up to the given number."""
    from anonset.algorithms.relational.formations import formation_of
    from anonset.algorithms.rt.cluster_function import ClusterFunction
    from anonset.data.quasi_identifiers import QuasiIdentifiers

    trace: Any = job.algorithm(delta=1.0).recode(job.table, job.hierarchies).trace
    k = job.parameters["k"]
    function = ClusterFunction.of(job.transaction(k=k, m=2), k, job.table, job.hierarchies)
    qi = QuasiIdentifiers.of(job.table.relational, {})
    members: dict[int, Any] = {}
    for record, number in enumerate(formation_of("cluster", k).form(qi).tolist()):
        members.setdefault(number, []).append(record)
    clusters = {found[0]: found for found in members.values()}
    losses = {first: _loss(function, found) for first, found in clusters.items()}
    curve = [fsum(losses.values()) / job.table.n]
    for merge in trace[: job.parameters["merges"]]:
        union = sorted(clusters.pop(merge.seed) + clusters.pop(merge.other))
        del losses[merge.seed], losses[merge.other]
        clusters[union[0]], losses[union[0]] = union, _loss(function, union)
        curve.append(fsum(losses.values()) / job.table.n)
    steps = [after - before for before, after in pairwise(curve)]
    return {
        "ul": curve[-1],
        "clusters": len(clusters),
        "rises": sum(step > 1e-12 for step in steps),
        "largest_rise": max([0.0, *steps]),
    }


def _loss(function: Any, records: list[int]) -> float:
    import numpy as np

    members = np.array(records, np.int64)
    return fsum(function.losses([members], function.mappings([members]))[0].tolist())


def _shape(job: _Job) -> Measured:
    column = _items(job.table)
    return {
        "records": job.table.n,
        "attributes": len(job.table.relational),
        "items": int((column.occurrences > 0).sum()),
        "longest": int(column.lengths.max()),
        "average": float(column.lengths.mean()),
    }
