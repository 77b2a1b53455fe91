"""Measure a run of COAT, PCTA, AA or Pgen. A case measures losses, errors and counted work, or time, or memory."""

import time
from collections.abc import Callable
from functools import lru_cache
from math import isfinite
from typing import TYPE_CHECKING, Any, TypeVar

from benchmarks.experiments.cases import Measured, Parameters
from benchmarks.experiments.draws import ordered, permutation, subsample
from benchmarks.experiments.factors import number_of
from benchmarks.experiments.loukides2010.policies import n_violated, privacy_policy, utility_policy
from benchmarks.experiments.loukides2010.workloads import errors
from benchmarks.experiments.searches import algorithm_of, fresh, load, require_holds, warm_up
from benchmarks.memory import forget_peak, peak_mib

if TYPE_CHECKING:
    from anonset import Hierarchy, SetColumn
    from anonset.privacy.policies import PrivacyPolicy
    from anonset.publications import Records

_Found = TypeVar("_Found")


def measure(parameters: Parameters) -> Measured:
    """Run a case.

    Parameters
    ----------
    parameters
        ``data``; ``records``, ``per_record`` and ``sample`` for a part of the data. ``algorithm``: ``coat``, ``pcta``
        or ``apriori`` with ``k``, ``m`` or ``privacy`` (see `policies`), ``utility``, ``max_suppressed``, ``fanout``
        (None for the data's own taxonomy, if any) and ``order``; ``pgen`` with ``k``; or ``describe``, or ``policy``
        with ``privacy``. ``queries``: False to count only work. ``run``: measure only the time; ``memory``: only the
        peak memory.

    Raises
    ------
    RuntimeError
        If the result does not verify.
    """
    column = records_of(parameters)
    if parameters["algorithm"] == "describe":
        return _described(column)
    if parameters["algorithm"] == "policy":
        return _shares(privacy_policy(parameters, column))
    if parameters["algorithm"] == "pgen":
        return _generated(parameters, column)
    return _recoded(parameters, column)


def compile_kernels() -> None:
    """Fill the cache of compiled kernels, and read the real data once."""
    from anonset.errors import InputError

    base = {"data": "bms_webview1", "fanout": 5, "k": 5, "order": "numeric", "workload": "workload 1"}
    for case in (
        {"algorithm": "coat", "m": 2},
        {"algorithm": "coat", "m": 3},
        {"algorithm": "pcta", "m": 2},
        {"algorithm": "apriori", "m": 4},
        {"algorithm": "coat", "privacy": "PP6", "policy": "policy 1"},
        {"algorithm": "pgen"},
        {"algorithm": "coat", "privacy": "pgen", "fanout": None, "records": 500, "sample": "sample 1"},
    ):
        try:
            measure({**base, **case})
        except InputError:  # without the real data, the cases report the error
            return


def records_of(parameters: Parameters) -> "SetColumn":
    """Return the records of a case, complete or sampled."""
    data, size = parameters["data"], parameters.get("records")
    if data == "pos_like" or size is None:
        return load(data, size)
    return _sample(data, size, number_of(parameters["sample"]), parameters.get("per_record"))


@lru_cache(maxsize=4)
def _sample(data: str, size: int, number: int, per_record: float | None) -> "SetColumn":
    import numpy as np

    column = load(data)
    found = subsample(column.take(np.flatnonzero(column.lengths)), size, number)
    return found if per_record is None else thinned(found, per_record, number)


def thinned(column: "SetColumn", per_record: float, number: int) -> "SetColumn":
    """Remove random items until the mean record length is `per_record`. Each record keeps at least one item.

    >>> from anonset import SetColumn
    >>> thinned(SetColumn.of([["a", "b", "c"], ["d"], ["a", "d"]]), 4 / 3, 1).lengths.tolist()
    [2, 1, 1]
    """
    import numpy as np

    from anonset import SetColumn

    drawn = permutation(len(column.codes), 1000 + number)
    place = np.argsort(drawn)
    record = np.repeat(np.arange(column.n), column.lengths)
    by_record = np.lexsort((place, record))
    is_first = np.zeros(len(place), bool)
    is_first[by_record[column.indptr[:-1]]] = True
    kept = np.sort(np.lexsort((place, ~is_first))[: round(per_record * column.n)])
    indptr = np.zeros(column.n + 1, column.indptr.dtype)
    np.cumsum(np.bincount(record[kept], minlength=column.n), out=indptr[1:])
    return SetColumn(column.name, indptr, column.items[kept], column.vocabulary)


def _hierarchy(parameters: Parameters, column: "SetColumn") -> "Hierarchy | None":
    """Return a balanced hierarchy over the items in the leaf order of the case.

    Without a fan-out, return the data's own taxonomy, or None if there is none.
    """
    from anonset import Hierarchy

    if parameters["fanout"] is not None:
        return Hierarchy.balanced(ordered(column, parameters["order"]), parameters["fanout"])
    return _taxonomy(parameters["data"])


@lru_cache(maxsize=2)
def _taxonomy(data: str) -> "Hierarchy | None":
    from anonset import read_hierarchy
    from anonset_datasets import catalogue
    from anonset_datasets.entries import ENTRIES

    path = catalogue.hierarchy(data) if data in ENTRIES else None
    return None if path is None else read_hierarchy(path)


def _recoded(parameters: Parameters, column: "SetColumn") -> Measured:
    from anonset.generalization import apply

    hierarchy = _hierarchy(parameters, column)
    bound = column if hierarchy is None else hierarchy.bind(column)
    hierarchies = {} if hierarchy is None else {bound.name: hierarchy}
    chosen = {name: parameters[name] for name in ("k", "m", "max_suppressed") if name in parameters}
    utility = utility_policy(parameters, bound, hierarchy)
    if utility is not None and parameters["algorithm"] != "apriori":
        chosen["utility"] = utility
    if "privacy" in parameters:
        chosen["constraints"] = privacy_policy(parameters, column)
    algorithm, table = algorithm_of(parameters["algorithm"], chosen), fresh(bound)
    if parameters.get("run") or parameters.get("memory"):
        _warm_up(parameters["algorithm"], parameters.get("m"))
        result, cost = _cost(parameters, lambda: algorithm.recode(table, hierarchies))
        if parameters.get("run") == "run 1":
            require_holds(apply(table, result.recoding), algorithm.model)
        return cost
    result = algorithm.recode(table, hierarchies)
    publication = apply(table, result.recoding)
    measured = {
        **result.figures,
        "checked": require_holds(publication, algorithm.model),
        **_losses(bound, result.recoding, hierarchy, publication),
    }
    if parameters.get("queries", True):
        measured |= errors(parameters, column, publication)
    if utility is not None:
        measured["utility_violated"], measured["utility_groups"] = n_violated(publication, utility), len(utility)
    if "constraints" in chosen:
        measured["constraints"] = len(chosen["constraints"])
    return measured


def _losses(
    column: "SetColumn", recoding: Any, hierarchy: "Hierarchy | None", publication: "Records"
) -> dict[str, Any]:
    from anonset.measures.losses.utility_loss import group_weights, utility_loss
    from anonset.measures.retention import ncp_of_sizes, occurrences_by_size

    weights = group_weights(None, column.vocabulary, hierarchy)
    log2 = utility_loss(column, recoding, weights).generalization_log2
    gone = (recoding.image if hasattr(recoding, "image") else recoding.group) < 0
    there = column.occurrences > 0
    return {
        "ncp": float(ncp_of_sizes(occurrences_by_size(column, recoding))),
        "published": len(publication.symbols),
        "largest": max((len(symbol.members) for symbol in publication.symbols), default=0),
        "suppressed": float(gone.mean()),
        "suppressed_occurring": float((gone & there).sum() / there.sum()),
        "suppressed_occurrences": float(column.occurrences[gone].sum() / column.occurrences.sum()),
        **({"ul_log2": log2 + len(column.vocabulary)} if isfinite(log2) else {}),  # store 2^M UL, because UL underflows
    }


def _cost(parameters: Parameters, search: Callable[[], _Found]) -> tuple[_Found, dict[str, float]]:
    """Run a search once. Return the result, and the time or the peak memory of the process including the data."""
    forget_peak()
    began = time.perf_counter()
    found = search()
    seconds = time.perf_counter() - began
    return found, {"peak_mib": peak_mib()} if parameters.get("memory") else {"seconds": seconds}


@lru_cache
def _warm_up(algorithm: str, m: int | None) -> None:
    """Compile or load the kernels of an algorithm, once per process."""
    warm_up(algorithm_of(algorithm, {"k": 3, "m": m}))


def _generated(parameters: Parameters, column: "SetColumn") -> Measured:
    import numpy as np

    from anonset.algorithms.transaction.item_sets.pgen import generate_constraints

    generate_constraints(column.take(np.arange(50)), parameters["k"])
    table = fresh(column)
    found, cost = _cost(parameters, lambda: generate_constraints(_items(table), parameters["k"]))
    if not parameters.get("run"):
        cost |= {"constraints": len(found)}
    return cost


def _items(table: Any) -> "SetColumn":
    column: SetColumn = table.transactions
    return column


def _described(column: "SetColumn") -> Measured:
    return {
        "records": column.n,
        "items": int((column.occurrences > 0).sum()),
        "domain": len(column.vocabulary),
        "longest": int(column.lengths.max()),
        "average": float(column.lengths.mean()),
    }


def _shares(policy: "PrivacyPolicy") -> Measured:
    sizes = [len(itemset) for itemset in policy.itemsets]
    shares = {f"percent_of_{size}": 100 * sizes.count(size) / len(sizes) for size in (1, 2, 3, 4)}
    return {**shares, "constraints": len(sizes)}
