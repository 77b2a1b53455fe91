"""Measure a run of MM, AA, LG, LRA, HgHs or mHgHs: loss and counted work, or time."""

import time
from collections import Counter
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from benchmarks.experiments import draws
from benchmarks.experiments.cases import Measured, Parameters
from benchmarks.experiments.factors import ORDERS, SAMPLES, TREES, number_of
from benchmarks.experiments.searches import algorithm_of, fresh, hierarchy_for, load, warm_up

if TYPE_CHECKING:
    from anonset import Hierarchy, SetColumn
    from anonset.algorithms.base import Algorithm
    from anonset.publications import Records

VERIFY_BUDGET = 100_000_000
"""Maximum number of itemset occurrences that verification counts. Counting these occurrences takes about one second."""
_ITS_OWN = ("k", "m", "h", "p", "max_threats")
_WORK = ("threats", "cuts", "increments")
"""Names of the quantities of counted work, which are stored threats, evaluated cuts and counted supports."""


def measure(parameters: Parameters) -> Measured:
    """Run a case.

    Parameters
    ----------
    parameters
        ``data``: name of the data set. ``records``: size of a smaller generated set. ``sample``: number of a sample
        with a ``share`` of the records. ``algorithm`` and its parameters. ``run``: measure only the time.

        The hierarchy is given by ``fanout`` and leaf ``order``, by ``taxonomy`` (the data set's own), or by ``skews``
        and the number ``tree`` of random taxonomies. ``tree`` also seeds the leaf order and the sample. With
        ``skews``, names of quantities contain the skew, as in ``ncp_2``.

    Raises
    ------
    RuntimeError
        If the result does not verify.
    """
    if "run" in parameters:
        return _timed(parameters, *bound(parameters, _skews(parameters)[0]))
    found: dict[str, Any] = {}
    for skew in _skews(parameters):
        suffix = "" if skew is None else f"_{skew:g}"
        if (
            skew is not None and "tree" not in parameters and found
        ):  # without a taxonomy, all skews have the same result
            found |= {name.replace(f"_{_skews(parameters)[0]:g}", suffix): value for name, value in found.items()}
            continue
        one = _searched(parameters, *bound(parameters, skew))
        found |= {f"{name}{suffix}": value for name, value in one.items()}
    return found


def _skews(parameters: Parameters) -> list[float | None]:
    return list(parameters.get("skews", [None]))


def _searched(parameters: Parameters, column: "SetColumn", hierarchy: "Hierarchy | None") -> dict[str, Any]:
    from anonset.errors import InputError
    from anonset.generalization import PerCluster, apply
    from anonset.measures.retention import ncp_of_sizes, occurrences_by_size

    algorithm, table = _algorithm(parameters), fresh(column)
    try:
        result = algorithm.recode(table, {} if hierarchy is None else {column.name: hierarchy})
    except InputError as error:
        return {"refused": 1, "reason": str(error)}
    recoding: Any = result.recoding
    found: dict[str, Any] = {"refused": 0, "ncp": float(ncp_of_sizes(occurrences_by_size(column, recoding)))}
    found |= {name: result.figures[name] for name in _WORK if name in result.figures}
    is_local = isinstance(recoding, PerCluster)
    if not is_local:
        found["suppressed"] = float(occurrences_by_size(column, recoding)[0]) / len(column.codes)
    if is_local and not is_first(parameters):  # publishing is slow, and only verification needs it
        return found
    publication = apply(fresh(column), recoding)
    if not is_local or not _is_repeated(parameters):
        found |= {"published": len(publication.symbols), "shared": _shared(publication)}
    if is_first(parameters):
        found["checked"] = _require_holds(publication, algorithm.model)
    return found


def _timed(parameters: Parameters, column: "SetColumn", hierarchy: "Hierarchy | None") -> Measured:
    algorithm, table = _algorithm(parameters), fresh(column)
    _warm(parameters["algorithm"], tuple((name, parameters[name]) for name in _ITS_OWN if name in parameters))
    hierarchies = {} if hierarchy is None else {column.name: hierarchy}
    began = time.perf_counter()
    algorithm.recode(table, hierarchies)
    return {"seconds": time.perf_counter() - began, "records": column.n}


@lru_cache(maxsize=64)
def _warm(name: str, own: tuple[tuple[str, Any], ...]) -> None:
    warm_up(algorithm_of(name, dict(own) | {"k": 3}))


def _algorithm(parameters: Parameters) -> "Algorithm":
    return algorithm_of(parameters["algorithm"], {name: parameters[name] for name in _ITS_OWN if name in parameters})


_LEVELS = {"order": ORDERS, "sample": SAMPLES, "tree": TREES}


def is_first(parameters: Parameters) -> bool:
    """Return True for the first repetition, whose result is verified.

    >>> is_first({"order": "random 1"}), is_first({"order": "random 2"}), is_first({"data": "retail"})
    (True, False, True)
    """
    return all(parameters[name] == factor.draws[0] for name, factor in _LEVELS.items() if name in parameters)


def _is_repeated(parameters: Parameters) -> bool:
    return any(name in parameters for name in _LEVELS)


def _shared(publication: "Records") -> int:
    stands_for = Counter(item for symbol in publication.symbols for item in symbol.members)
    return sum(count > 1 for count in stands_for.values())


def _require_holds(publication: "Records", model: Any) -> str:
    """Verify a result independently within the budget. Return the extent of the verification as text."""
    from anonset import verify

    verdict = verify(publication, model, budget=VERIFY_BUDGET)
    if verdict.holds is False:
        msg = f"the result does not verify: {verdict}"
        raise RuntimeError(msg)
    return str(verdict.checked.get("covered", "all"))


def bound(parameters: Parameters, skew: float | None = None) -> "tuple[SetColumn, Hierarchy | None]":
    """Return the records and their hierarchy. If the algorithm uses no hierarchy, return the records and None."""
    tree = parameters.get("tree", "")
    sample = parameters.get("sample", "") or (f"sample {number_of(tree)}" if tree and "share" in parameters else "")
    records = (parameters["data"], parameters.get("records"), parameters.get("share", 1.0), sample)
    if "fanout" in parameters:
        return _bound(records, "balanced", parameters["fanout"], parameters.get("order", "numeric"))
    if tree and skew is not None:
        return _bound(records, "skewed", skew, tree)
    return _bound(records, "taxonomy") if parameters.get("taxonomy") else (_records(*records), None)


@lru_cache(maxsize=4)
def _records(data: str, records: int | None, share: float, sample: str) -> "SetColumn":
    column = load(data, records)
    return draws.subsample(column, round(column.n * share), number_of(sample)) if sample else column


@lru_cache(maxsize=4)
def _bound(records: tuple[Any, ...], kind: str, *chosen: Any) -> "tuple[SetColumn, Hierarchy]":
    """Return records with a balanced hierarchy (fan-out, order), a random hierarchy (skew, number), or the data's own
    taxonomy.
    """
    from anonset import Hierarchy

    column = _records(*records)
    if kind == "balanced":
        hierarchy = Hierarchy.balanced(draws.ordered(column, chosen[1]), chosen[0])
    elif kind == "skewed":
        number = number_of(chosen[1])
        hierarchy = draws.skewed_tree(draws.ordered(column, f"random {number}"), chosen[0], number)
    else:
        hierarchy = hierarchy_for(column, records[0], None)
    return hierarchy.bind(column), hierarchy


def compile_kernels() -> None:
    """Fill the cache of compiled kernels."""
    for name, own in (
        ("apriori", {"m": 3}),
        ("mhghs", {"m": 3}),
        ("hghs", {"m": 2}),
        ("coherence-suppression", {"h": 1.0, "p": 2}),
        ("local-generalization", {}),
        ("lra", {"m": 2}),
    ):
        measure({"data": "pos_like", "records": 5_000, "fanout": 5, "algorithm": name, "k": 5, **own})
