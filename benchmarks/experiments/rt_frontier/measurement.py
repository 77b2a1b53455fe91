"""Measuring a case of the study: one framework on one RT-dataset, or a weight that is learned on half of it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from statistics import median
from typing import TYPE_CHECKING, Any

from benchmarks.experiments.cases import Measured, Parameters
from benchmarks.experiments.poulis2013.jobs import items_of
from benchmarks.experiments.searches import require_holds

from anonset.algorithms.rt.joint_split import JointSplit

if TYPE_CHECKING:
    from anonset import Table
    from anonset.algorithms.base import Algorithm
    from anonset.release.formats import Unverified

TREE = "halves:frequency"
"""The hierarchy of the items, where an algorithm needs one."""
_SMALL = 300
"""Records on which kernels are compiled."""


@dataclass(frozen=True, kw_only=True)
class WithinBound(JointSplit):
    """`joint-split` with the smallest weight within any bound on the relational loss."""

    bound: float

    @property
    def largest_relational_loss(self) -> Fraction:
        """The bound."""
        return Fraction(str(self.bound))


def measure(parameters: Parameters) -> Measured:
    """Measure a case: ``what`` is ``whole`` or ``halves``.

    Raises
    ------
    RuntimeError
        If a result does not verify.
    """
    kinds: Mapping[str, Callable[[Parameters], Measured]] = {"whole": _whole, "halves": _halves}
    found = kinds[parameters["what"]](parameters)
    return {name: float(f"{value:.6g}") if isinstance(value, float) else value for name, value in found.items()}


def compile_kernels() -> None:
    """Fill the cache of compiled kernels."""
    import numpy as np

    table = _table("vermont2013").take(np.arange(_SMALL))
    for framework, merge in (("joint-split", ""), ("rum-bound", "rt"), ("rum-bound", "t"), ("tfirst", "")):
        for function in ("coat", "apriori", "set-search"):
            asked = {"framework": framework, "function": function, "merge": merge, "bound": 0.5, "k": 5, "m": 2}
            _searched(table, algorithm_of(asked))


def algorithm_of(parameters: Parameters) -> "Algorithm":
    """Return the framework of a case with its transaction function; Tum-bound without its bound merges nothing."""
    from anonset.algorithms.registry import ALGORITHMS

    framework, asked = parameters["framework"], {name: parameters[name] for name in ("k", "m")}
    if framework == "tfirst":
        return _made(ALGORITHMS[framework], asked)
    asked["transaction"] = ALGORITHMS[parameters["function"]]
    if framework == "joint-split":
        return WithinBound(**asked, bound=parameters["bound"])
    asked["on_infeasible"] = "merge"
    if framework == "rfirst":
        return _made(ALGORITHMS[framework], asked)
    delta = parameters.get("delta", parameters["bound"])
    return _made(ALGORITHMS[framework], {**asked, "merge": parameters["merge"], "delta": delta})


def _made(algorithm: Any, parameters: Mapping[str, Any]) -> "Algorithm":
    made: Algorithm = algorithm(**parameters)
    return made


def _whole(parameters: Parameters) -> Measured:
    """Publish all records, and measure losses and errors; a bound that cannot be kept is the result."""
    from anonset.errors import InfeasibleError

    table = _table(parameters["data"])
    if parameters["framework"] == "tum-bound":
        least, most = _reach(*(parameters[name] for name in ("data", "k", "m", "function")))
        parameters = {**parameters, "delta": least + parameters["bound"] * (most - least)}
    try:
        unverified = _searched(table, algorithm_of(parameters))
    except InfeasibleError as error:
        return {"infeasible_below": error.achieved or 0.0}
    require_holds(unverified.publication, unverified.algorithm.model)
    return {**_counted(table, unverified), **_query_errors(parameters["data"], unverified)}


@lru_cache(maxsize=8)
def _reach(data: str, k: int, m: int, function: str) -> tuple[float, float]:
    """Return UL of all records as one cluster, and UL of the clusters before merges."""
    asked = {"framework": "rum-bound", "k": k, "m": m, "function": function, "merge": "r", "bound": 1.0}
    figures = _searched(_table(data), algorithm_of(asked)).result.figures
    return figures["tum"], figures["tum_before"]


def _searched(table: "Table", algorithm: "Algorithm") -> "Unverified[Any]":
    """Return what an algorithm makes of a table, ends of ranges rounded."""
    from anonset.jobs.job import Job
    from anonset.release.formats import Layout
    from anonset.settings.binding import bind

    name = items_of(table).name
    bound, trees = bind(table, {name: TREE}, algorithm.model)
    return Job(Layout(symbols="members"), allow_worthless=True).search(bound, trees, algorithm)


def _counted(table: "Table", unverified: "Unverified[Any]") -> dict[str, float]:
    """Return losses, and the errors of counts, as `suggest` measures them."""
    from anonset.jobs.candidate import Candidate
    from anonset.measures.countable import FrequentItems, countable
    from anonset.measures.retention import shares

    fates = shares(unverified.retention)
    errors = countable(FrequentItems.of(items_of(table)), unverified.publication)
    candidate = Candidate("", {}, "holds", fates, measures=unverified.measures, countable=errors)
    found = {
        "rum": unverified.measures["rum"],
        "tum": unverified.measures["tum"],
        "items_error": errors.items_error or 0.0,
        "usefulness": candidate.usefulness,
        "kept": candidate.kept,
        "clusters": unverified.result.figures["clusters"],
    }
    return found if errors.pairs_error is None else {**found, "pairs_error": errors.pairs_error}


def _query_errors(data: str, unverified: "Unverified[Any]") -> dict[str, float]:
    """Return the ARE of the workloads of Poulis et al."""
    from benchmarks.experiments.poulis2013.jobs import Job
    from benchmarks.experiments.poulis2013.query_errors import errors

    return errors(Job.of({"data": data, "values": "plain", "function": "coat"}), unverified.publication)


def _halves(parameters: Parameters) -> Measured:
    """Learn w on one half of the records, and publish the other half with it; the median of some divisions."""
    import numpy as np

    from anonset.data.split_mix import SplitMix

    table, found = _table(parameters["data"]), dict[str, list[float]]()
    asked = {name: parameters[name] for name in ("k", "m")}
    for seed in range(parameters["halves"]):
        first = np.array(sorted(SplitMix(seed).distinct(table.n, table.n // 2)), np.int64)
        left, right = table.take(first), table.take(np.setdiff1d(np.arange(table.n), first))
        learned = _searched(left, WithinBound(**asked, bound=parameters["bound"]))
        w = learned.result.figures["w"]
        other = _searched(right, JointSplit(**asked, w=w))
        require_holds(other.publication, other.algorithm.model)
        values = {**_counted(right, other), "w": w}
        values |= {f"learned_{name}": value for name, value in _counted(left, learned).items()}
        for name, value in values.items():
            found.setdefault(name, []).append(value)
    return {name: median(values) for name, values in found.items()}


@lru_cache(maxsize=2)
def _table(data: str) -> "Table":
    """Return the set-valued and the relational columns of a data set."""
    from anonset import Table
    from anonset_datasets import catalogue

    table = catalogue.load(data)
    return Table(items_of(table), tuple(table.relational))
