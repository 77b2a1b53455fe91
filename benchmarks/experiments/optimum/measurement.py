"""Measure a case of the study, which is a data set, several leaf orders, several samples, or a single search."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from benchmarks.experiments.cases import Measured, Parameters
from benchmarks.experiments.optimum.distances import Limits, distances, summarized
from benchmarks.experiments.searches import algorithm_of, drawn, hierarchy_for, load, timed_algorithm, warm_up

if TYPE_CHECKING:
    from anonset import Hierarchy, SetColumn

FANOUT = 5
"""Fan-out of balanced hierarchies."""


def measure(parameters: Parameters) -> Measured:
    """Measure a case. ``what`` selects the kind of measurement, and the kind determines the other parameters."""
    kinds: dict[str, Callable[[Parameters], Measured]] = {
        "set": _of_a_set,
        "orders": _over_orders,
        "samples": _over_samples,
        "search": _of_a_search,
    }
    return kinds[parameters["what"]](parameters)


def compile_kernels() -> None:
    """Fill the cache of compiled kernels."""
    for name in ("exact", "apriori", "direct", "vpa", "hghs", "mhghs"):
        warm_up(algorithm_of(name, {"k": 3, "m": 3}))
    warm_up(algorithm_of("exact", {"k": 3, "m": 3, "suppress": True}))


def orders(column: "SetColumn", n_random: int) -> dict[str, list[str]]:
    """Return orders of a column's items by name. The numeric order is omitted if the items are not numbers."""
    import numpy as np

    from anonset.data.split_mix import SplitMix

    labels = list(column.vocabulary.labels)
    seen, first = np.unique(column.items, return_index=True)
    place = np.full(len(labels), len(column.codes), np.int64)
    place[seen] = first
    found = {"lexical": sorted(labels)}
    if all(label.isdigit() for label in labels):
        found["numeric"] = sorted(labels, key=int)
    found["frequency"] = [labels[i] for i in np.argsort(-column.occurrences, kind="stable")]
    found["first seen"] = [labels[i] for i in np.argsort(place, kind="stable")]
    for seed in range(n_random):
        found[f"random {seed}"] = [labels[i] for i in SplitMix(seed).distinct(len(labels), len(labels))]
    return found


def _limits(parameters: Parameters) -> Limits:
    return Limits(parameters["max_steps"], parameters["max_sets"], parameters["max_threats"])


def _own_hierarchy(column: "SetColumn", name: str) -> "Hierarchy":
    """Return the taxonomy of a data set, or a balanced hierarchy over its items."""
    from anonset_datasets import catalogue

    return hierarchy_for(column, name, None if catalogue.hierarchy(name) is not None else FANOUT)


def _of_a_set(parameters: Parameters) -> Measured:
    """Measure the distances for each m, without and with suppression.

    Names of quantities with suppression end in ``s``.
    """
    column = load(parameters["data"])
    hierarchy = _own_hierarchy(column, parameters["data"])
    column, measured = hierarchy.bind(column), dict[str, Any]()
    for m in parameters["sizes"]:
        for suppress in (False, True)[: 1 + (m in parameters.get("suppressing", parameters["sizes"]))]:
            found = distances(column, hierarchy, parameters["k"], m, _limits(parameters), suppress=suppress)
            measured |= {f"m{m}{'s' if suppress else ''}_{name}": value for name, value in found.items()}
    return measured | {"records": column.n, "items": hierarchy.n_leaves}


def _over_orders(parameters: Parameters) -> Measured:
    from anonset import Hierarchy

    unbound, runs, named = load(parameters["data"]), list[dict[str, float]](), dict[str, float]()
    for name, labels in orders(unbound, parameters["orders"]).items():
        hierarchy = Hierarchy.balanced(labels, FANOUT)
        found = _both(hierarchy.bind(unbound), hierarchy, parameters)
        runs.append(found)
        if not name.startswith("random"):
            named[f"best in {name} order"] = found["best"]
    random = [one["best"] for one in runs[len(named) :]]
    return summarized(runs) | named | {"best of random orders": min(random), "worst of random orders": max(random)}


def _over_samples(parameters: Parameters) -> Measured:
    whole, runs = load(parameters["data"]), []
    hierarchy = _own_hierarchy(whole, parameters["data"])
    for seed in range(parameters["samples"]):
        column = drawn(whole, whole.n * parameters["percent"] // 100, seed)
        runs.append(_both(hierarchy.bind(column), hierarchy, parameters))
    return summarized(runs)


def _both(column: "SetColumn", hierarchy: "Hierarchy", parameters: Parameters) -> dict[str, float]:
    """Return the distances without suppression and with suppression.

    Names of quantities with suppression end in ``_s``.
    """
    k, m, limits = parameters["k"], parameters["m"], _limits(parameters)
    found = distances(column, hierarchy, k, m, limits, suppress=False)
    more = distances(column, hierarchy, k, m, limits, suppress=True)
    return found | {f"{name}_s": value for name, value in more.items()}


def _of_a_search(parameters: Parameters) -> Measured:
    from anonset_datasets.generators import pos_like

    if "items" in parameters:
        table = pos_like(parameters["records"], parameters["items"])
        column: Any = table.transactions
    else:
        column = load(parameters["data"])
    hierarchy = hierarchy_for(column, parameters.get("data", ""), FANOUT)
    column = hierarchy.bind(column)
    chosen = {name: parameters[name] for name in ("k", "m", "suppress", "max_steps")}
    warm_up(algorithm_of("exact", chosen | {"k": 3}))
    runs = timed_algorithm(algorithm_of("exact", chosen), column, hierarchy)
    figures = runs.found.figures
    best, bound = figures["ncp"], figures["lower_bound"]
    above = 0.0 if figures["gap"] == 0 else 100 * (best / bound - 1) if bound else 1e9
    shown = {name: figures.get(name, 0.0) for name in ("rounds", "clauses", "nodes")}
    return runs.measured | shown | {"ncp": best, "open": above, "records": column.n}
