"""Measuring safe grouping and Anatomy: violations through correlations, tuples lost, and time apart from compiling."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from benchmarks.experiments.cases import Measured, Parameters
from benchmarks.memory import forget_peak, peak_mib

if TYPE_CHECKING:
    from anonset import Table

REPEATS = 5
"""The best of so many runs counts."""
ENOUGH_SECONDS = 3.0
"""After so much time a run is not repeated."""
_FIRST_NAMES, _VALUES, _TUPLES_OF_A_PERSON = 5_000, 15, 2.3


def measure(parameters: Parameters) -> Measured:
    """Run one case; what it measures is said by ``kind``.

    Parameters
    ----------
    parameters
        ``kind`` (violations, loss, cost or speed) and ``l``; ``k`` for safe grouping; see the functions below.

    Raises
    ------
    RuntimeError
        If a result does not verify.
    """
    kinds: Mapping[str, Callable[[Parameters], Measured]] = {
        "violations": _violations,
        "loss": _loss,
        "cost": _cost,
        "speed": _speed,
    }
    return kinds[parameters["kind"]](parameters)


def compile_kernels() -> None:
    """Fill the cache of compiled kernels: a case then loads what it needs."""
    for algorithm in ("safe-grouping", "anatomy"):
        _speed({"algorithm": algorithm, "records": 2_000, "k": 3, "l": 2})


def _violations(parameters: Parameters) -> Measured:
    """Bucketize the longitudinal data and count violations: inside groups, or between them by ``alpha``."""
    from anonset.generalization.buckets import BucketPublication
    from anonset.measures.correlation import inter_group_violations, intra_group_violations

    table, algorithm = _longitudinal(parameters), _algorithm(parameters)
    publication = BucketPublication.of(table, algorithm.recode(table, {}).recoding)
    found: Any
    if "alpha" in parameters:
        found = inter_group_violations(publication, parameters["l"], alpha=parameters["alpha"])
    else:
        found = intra_group_violations(publication)
    return {"violations": len(found), "individuals": len({one.individual for one in found})}


def _loss(parameters: Parameters) -> Measured:
    """Count what safe grouping stars and removes of the longitudinal data."""
    from anonset.measures.grouping_loss import grouping_loss

    table, algorithm = _longitudinal(parameters), _algorithm(parameters)
    result = algorithm.recode(table, {})
    figures = result.figures
    removed = figures["removed_for_diversity"] + figures["removed_with_groups"]
    return {
        "loss": grouping_loss(result.recoding),
        "starred": figures["starred"] / table.n,
        "removed": removed / table.n,
        "groups": figures["groups"],
        "checked": _verified(table, result.recoding, algorithm.model),
    }


def _cost(parameters: Parameters) -> Measured:
    """Time safe grouping and Anatomy, one after the other, on the Adult data: each tuple is a person of its own."""
    table = _non_transactional()
    safe = _Timed.of(_algorithm(parameters, seed=None), table)
    naive = _Timed.of(_anatomy(parameters["l"], seed=None), table)
    return {"seconds": safe.seconds, "seconds_anatomy": naive.seconds, "groups": safe.result.figures["groups"]}


def _speed(parameters: Parameters) -> Measured:
    """Time one algorithm on a generated table with several tuples a person."""
    from anonset.measures.grouping_loss import grouping_loss

    table, algorithm = persons(parameters["records"]), _algorithm(parameters, seed=None)
    forget_peak()
    timed = _Timed.of(algorithm, table)
    peak = peak_mib()
    checked = _verified(table, timed.result.recoding, algorithm.model)
    return {
        "seconds": timed.seconds,
        "microseconds_per_record": timed.seconds / table.n * 1e6,
        "peak_mib": peak,
        "loss": grouping_loss(timed.result.recoding),
        "checked": checked,
    }


@dataclass(frozen=True)
class _Timed:
    """The best time of some runs, and the last result."""

    seconds: float
    result: Any

    @classmethod
    def of(cls, algorithm: Any, table: "Table") -> "_Timed":
        """Run once on a small table, so that the kernels are loaded, then on the table."""
        algorithm.recode(persons(2_000), {})
        seconds: list[float] = []
        while len(seconds) < REPEATS and sum(seconds) < ENOUGH_SECONDS:
            began = time.perf_counter()
            result = algorithm.recode(table, {})
            seconds.append(time.perf_counter() - began)
        return cls(min(seconds), result)


def persons(n: int, seed: int = 0) -> "Table":
    """Generate `n` tuples of persons with two names and a sensitive value; a person has 2.3 tuples on average.

    The 15 values have the shares 1/10 and less; nine of ten tuples of a person have the same.
    """
    import numpy as np

    from anonset import CategoricalColumn, Table, Vocabulary

    random = np.random.default_rng(seed)
    n_persons = max(2, round(n / _TUPLES_OF_A_PERSON))
    person = np.concatenate([np.arange(n_persons), random.integers(0, n_persons, n - n_persons)])
    random.shuffle(person)
    shares = np.minimum(1.0, 1.5 * np.arange(_VALUES, 0, -1) / _VALUES)
    usual = random.choice(_VALUES, n_persons, p=shares / shares.sum()).astype(np.int32)
    value = usual[person]
    moved = random.random(n) < 0.1
    value[moved] = random.integers(0, _VALUES, int(moved.sum()))
    names = _FIRST_NAMES, n_persons // _FIRST_NAMES + 1
    labels = [Vocabulary(tuple(f"{kind}{i:06}" for i in range(size))) for kind, size in zip("fl", names, strict=True)]
    first, last = (person % names[0]).astype(np.int32), (person // names[0]).astype(np.int32)
    ids = (CategoricalColumn("first_name", first, labels[0]), CategoricalColumn("last_name", last, labels[1]))
    values = Vocabulary(tuple(f"v{i:02}" for i in range(_VALUES)))
    return Table(sensitive=CategoricalColumn("value", value, values), ids=ids)


def _longitudinal(parameters: Parameters) -> "Table":
    from anonset_datasets.generators.longitudinal import longitudinal

    return longitudinal(moving=parameters.get("moving", 0.1))


def _non_transactional() -> "Table":
    """Return the longitudinal data with an identity of its own for each tuple."""
    import numpy as np

    from anonset import CategoricalColumn, Table, Vocabulary

    table = _longitudinal({})
    labels = Vocabulary(tuple(f"p{i:06}" for i in range(table.n)))
    own = CategoricalColumn("person", np.arange(table.n, dtype=np.int32), labels)
    return Table(sensitive=table.sensitive, ids=(own,))


def _algorithm(parameters: Parameters, seed: int | None = 0) -> Any:
    """Make an algorithm; it is timed without a seed, as it runs by default."""
    from anonset.algorithms.buckets.safe_grouping import SafeGrouping

    if parameters.get("algorithm") == "anatomy":
        return _anatomy(parameters["l"], seed)
    return SafeGrouping(k=parameters["k"], l=parameters["l"], seed=seed)


def _anatomy(l: int, seed: int | None) -> Any:  # noqa: E741
    from anonset.algorithms.buckets.anatomy import Anatomy

    return Anatomy(l=l, seed=seed)


def _verified(table: "Table", recoding: Any, model: Any) -> str:
    """Check the result by the verification's own path; return what was covered."""
    from anonset import verify
    from anonset.generalization.buckets import BucketPublication

    verdict = verify(BucketPublication.of(table, recoding), model)
    if verdict.holds is False:
        msg = f"the result does not verify: {verdict}"
        raise RuntimeError(msg)
    return str(verdict.checked["covered"])
