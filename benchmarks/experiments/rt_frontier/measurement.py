"""Measure a framework on an RT-dataset, or a weight that was learned from half of the RT-dataset."""

import signal
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from statistics import median
from typing import TYPE_CHECKING, Any

from benchmarks.experiments.cases import Measured, Parameters
from benchmarks.experiments.poulis2013.jobs import Job, items_of
from benchmarks.experiments.poulis2013.query_errors import DRAWN, errors
from benchmarks.experiments.searches import require_holds

from anonset.algorithms.rt.joint_split import JointSplit

if TYPE_CHECKING:
    from anonset import Table
    from anonset.algorithms.base import Algorithm
    from anonset.release.formats import UnverifiedPublication

TREE = "halves:frequency"
"""Item hierarchy for algorithms that need one."""
RECORDS = 20_000
"""Largest number of records. Larger data sets are replaced by a sample of this size."""
LIMIT = 120
"""CPU seconds after which a search is stopped."""
_SMALL = 300
"""Number of records of the search that compiles the kernels."""


class _OutOfTimeError(BaseException):
    """Raised by the timer. It is not an Exception, so that no handler in the engine catches it."""


def measure(parameters: Parameters) -> Measured:
    """Measure a case. ``what`` is ``whole`` or ``halves``.

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

    table = _job("vermont2013").records.plain.take(np.arange(_SMALL))
    for framework, merge in (("joint-split", ""), ("rum-bound", "rt"), ("rum-bound", "t"), ("tfirst", "")):
        for function in ("coat", "apriori", "set-search"):
            asked = {"framework": framework, "function": function, "merge": merge, "bound": 0.5, "point": "items"}
            _searched(table, algorithm_of({**asked, "k": 5, "m": 2}))


def algorithm_of(parameters: Parameters) -> "Algorithm":
    """Return the framework of a case with its transaction function. Tum-bound without a bound does not merge."""
    from anonset.algorithms.registry import ALGORITHMS

    framework, asked = parameters["framework"], {name: parameters[name] for name in ("k", "m")}
    if framework == "tfirst":
        return _made(ALGORITHMS[framework], asked)
    asked["transaction"] = ALGORITHMS[parameters["function"]]
    if framework == "joint-split":
        return JointSplit(**asked, point=parameters["point"])
    asked["on_infeasible"] = "merge"
    if framework == "rfirst":
        return _made(ALGORITHMS[framework], asked)
    delta = parameters.get("delta", parameters["bound"])
    return _made(ALGORITHMS[framework], {**asked, "merge": parameters["merge"], "delta": delta})


def _made(algorithm: Any, parameters: Mapping[str, Any]) -> "Algorithm":
    made: Algorithm = algorithm(**parameters)
    return made


def _whole(parameters: Parameters) -> Measured:
    """Publish all records, and measure losses and errors. An infeasible bound or a stopped search is also a result."""
    from anonset.errors import InfeasibleError

    job = _job(parameters["data"])
    try:
        with _limited(LIMIT):
            if parameters["framework"] == "tum-bound":
                least, most = _reach(*(parameters[name] for name in ("data", "k", "m", "function")))
                parameters = {**parameters, "delta": least + parameters["bound"] * (most - least)}
            unverified = _searched(job.records.plain, algorithm_of(parameters))
    except InfeasibleError as error:
        return {"infeasible_below": error.achieved or 0.0}
    except _OutOfTimeError:
        return {"did_not_end_within": LIMIT}
    require_holds(unverified.publication, unverified.algorithm.model)
    return {**_counted(job.records.plain, unverified), **errors(job, unverified.publication, DRAWN[:1])}


@contextmanager
def _limited(seconds: float) -> Iterator[None]:
    """Raise `_OutOfTimeError` after `seconds` of CPU time of this process."""

    def stop(_number: int, _frame: object) -> None:
        raise _OutOfTimeError

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


@lru_cache(maxsize=8)
def _reach(data: str, k: int, m: int, function: str) -> tuple[float, float]:
    """Return UL of a single cluster of all records, and UL of the initial clusters."""
    asked = {"framework": "rum-bound", "k": k, "m": m, "function": function, "merge": "r", "bound": 1.0}
    figures = _searched(_job(data).records.plain, algorithm_of(asked)).result.figures
    return figures["tum"], figures["tum_before"]


def _searched(table: "Table", algorithm: "Algorithm") -> "UnverifiedPublication[Any]":
    """Search a table, and round range boundaries of the result."""
    from anonset.jobs.runs.run import Run
    from anonset.release.formats import Layout
    from anonset.settings.binding import bind

    name = items_of(table).name
    bound, trees = bind(table, {name: TREE}, algorithm.model)
    return Run(Layout(symbols="members"), accept="worthless").search(bound, trees, algorithm)


def _counted(table: "Table", unverified: "UnverifiedPublication[Any]") -> dict[str, float]:
    """Return losses and errors of counts, as `suggest` measures them."""
    from anonset.analysis.base import analysis_of
    from anonset.jobs.trials.candidate import Candidate
    from anonset.measures.countable import FrequentItems, accuracy_of
    from anonset.measures.retention import shares

    fates = shares(unverified.retention)
    frequent = FrequentItems.of(items_of(table))
    counts = accuracy_of(frequent, *analysis_of(unverified.publication).expected_counts(frequent))
    candidate = Candidate("", {}, "holds", fates, measures=unverified.measures, countable=counts)
    found = {
        "rum": unverified.measures["rum"],
        "tum": unverified.measures["tum"],
        "items_error": counts.items_error or 0.0,
        "usefulness": candidate.usefulness,
        "kept": candidate.kept,
        "clusters": unverified.result.figures["clusters"],
    }
    return found if counts.pairs_error is None else {**found, "pairs_error": counts.pairs_error}


def _halves(parameters: Parameters) -> Measured:
    """Learn w from the first half of the records, and publish the second half.

    Return medians over several random divisions.
    """
    import numpy as np

    from anonset.data.split_mix import SplitMix

    table, found = _job(parameters["data"]).records.plain, dict[str, list[float]]()
    asked = {name: parameters[name] for name in ("k", "m")}
    for seed in range(parameters["halves"]):
        first = np.array(sorted(SplitMix(seed).distinct(table.n, table.n // 2)), np.int64)
        left, right = table.take(first), table.take(np.setdiff1d(np.arange(table.n), first))
        learned = _searched(left, JointSplit(**asked, point="balanced"))
        w = learned.result.figures["w"]
        other = _searched(right, JointSplit(**asked, w=w))
        require_holds(other.publication, other.algorithm.model)
        values = {**_counted(right, other), "w": w}
        values |= {f"learned_{name}": value for name, value in _counted(left, learned).items()}
        for name, value in values.items():
            found.setdefault(name, []).append(value)
    return {name: median(values) for name, values in found.items()}


@lru_cache(maxsize=2)
def _job(data: str) -> Job:
    """Return all records of a data set, or a sample if there are too many."""
    from anonset_datasets import catalogue

    records = min(RECORDS, catalogue.load(data).n)
    return Job.of({"data": data, "records": records, "values": "plain", "function": "coat"})
