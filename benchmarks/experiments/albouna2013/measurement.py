"""Measure violations, lost tuples, time and memory of safe grouping and Anatomy."""

import time
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from benchmarks.experiments.cases import Measured, Parameters
from benchmarks.experiments.factors import number_of
from benchmarks.experiments.searches import require_holds
from benchmarks.memory import forget_peak, peak_mib

from anonset.generalization.bucketizing import bucketize

if TYPE_CHECKING:
    from anonset import Table

_FIRST_NAMES, _VALUES, _TUPLES_OF_A_PERSON = 5_000, 15, 2.3
_MOVING = 0.1
"""Default share of tuples that are distributed at random."""
_ALPHA = 3
"""Smallest number of groups in which an individual is significant. The paper requires "greater than 2"."""


def measure(parameters: Parameters) -> Measured:
    """Run a case. The parameter ``kind`` selects the measurement.

    Parameters
    ----------
    parameters
        ``kind`` (violations, loss, groups, time or memory), ``algorithm`` (safe-grouping or anatomy), ``l``, and ``k``
        for safe grouping. Violations and losses: ``seed`` of the join and of the algorithm, and ``moving``. All
        kinds: ``records`` of generated data. By default, the data are the joined tuples of Adult, and for times and
        memory the tuples of Adult, each of a different person.

    Raises
    ------
    RuntimeError
        If a result does not verify.
    """
    kinds: Mapping[str, Callable[[Parameters], Measured]] = {
        "violations": _violations,
        "loss": _loss,
        "groups": _groups,
        "time": _time,
        "memory": _memory,
    }
    return kinds[parameters["kind"]](parameters)


def compile_kernels() -> None:
    """Fill the cache of compiled kernels."""
    from benchmarks.experiments.albouna2013.counted_in_groups import lost_if_counted

    for algorithm in ("safe-grouping", "anatomy"):
        _speed_of({"algorithm": algorithm, "k": 3, "l": 2}, persons(2_000))
    lost_if_counted(persons(2_000), 3, 2, 0)


def _violations(parameters: Parameters) -> Measured:
    """Count violations inside groups, and violations between groups for each alpha."""
    from anonset.measures.correlation import inter_group_violations, intra_group_violations

    table, algorithm = _longitudinal(parameters), _algorithm(parameters, number_of(parameters["seed"]))
    publication = bucketize(table, algorithm.recode(table, {}).recoding)
    between = inter_group_violations(publication, parameters["l"], alpha=_ALPHA)
    of_alpha = {f"between_{alpha}": sum(one.groups >= alpha for one in between) for alpha in (4, 5)}
    return {
        "inside": len(intra_group_violations(publication)),
        "between": len(between),
        "individuals": len({one.individual for one in between}),
        **of_alpha,
        "checked": require_holds(publication, algorithm.model),
    }


def _loss(parameters: Parameters) -> Measured:
    """Count the loss of safe grouping on the longitudinal data, for both ways to count group members."""
    from benchmarks.experiments.albouna2013.counted_in_groups import lost_if_counted

    seed = number_of(parameters["seed"])
    table, algorithm = _longitudinal(parameters), _algorithm(parameters, seed)
    result = algorithm.recode(table, {})
    figures, counted = result.figures, lost_if_counted(table, parameters["k"], parameters["l"], seed)
    if figures["too_frequent"] != counted.for_diversity:
        msg = f"the groups are not the same: {figures['too_frequent']} and {counted.for_diversity} tuples too frequent"
        raise RuntimeError(msg)
    publication = bucketize(table, result.recoding)
    return {
        "loss_counted": sum(counted) / table.n,
        "loss": publication.share_lost(table.n),
        "diversity_counted": counted.for_diversity / table.n,
        "diversity": figures["removed_for_diversity"] / table.n,
        "with_groups": figures["removed_with_groups"] / table.n,
        "starred": figures["starred"] / table.n,
        "groups": figures["groups"],
        "checked": require_holds(publication, algorithm.model),
    }


def _groups(parameters: Parameters) -> Measured:
    """Count the groups that safe grouping forms, and the groups that it tests, if each person has a single tuple."""
    table = _non_transactional()
    figures = _algorithm(parameters, 1).recode(table, {}).figures
    return {"tested": figures["individuals"] // parameters["k"], "groups": figures["groups"]}


def _time(parameters: Parameters) -> Measured:
    return {"seconds": _speed_of(parameters, _of_time(parameters))}


def _memory(parameters: Parameters) -> Measured:
    """Return the peak memory of this process during a search, including the data."""
    table = _of_time(parameters)
    forget_peak()
    _algorithm(parameters, None).recode(table, {})
    return {"peak_mib": peak_mib()}


def _of_time(parameters: Parameters) -> "Table":
    return persons(parameters["records"]) if "records" in parameters else _non_transactional()


def _speed_of(parameters: Parameters, table: "Table") -> float:
    _warm_up(parameters["algorithm"])
    algorithm = _algorithm(parameters, None)
    began = time.perf_counter()
    algorithm.recode(table, {})
    return time.perf_counter() - began


@lru_cache
def _warm_up(algorithm: str) -> None:
    _algorithm({"algorithm": algorithm, "k": 3, "l": 2}, None).recode(persons(2_000), {})


@lru_cache(maxsize=4)
def persons(n: int, seed: int = 0) -> "Table":
    """Generate `n` tuples, each with two names of a person and a sensitive value.

    A person has 2.3 tuples on average. Nine of ten tuples of a person have the same value. Each of the 15 values is in
    at most 1/10 of the tuples.
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
    if "records" in parameters:
        return persons(parameters["records"], number_of(parameters["seed"]))
    return _joined(number_of(parameters["seed"]), parameters.get("moving", _MOVING))


@lru_cache(maxsize=2)
def _joined(seed: int, moving: float) -> "Table":
    from anonset_datasets.generators.longitudinal import longitudinal

    return longitudinal(moving=moving, seed=seed)


@lru_cache(maxsize=1)
def _non_transactional() -> "Table":
    """Return the longitudinal data with a separate identity for each tuple."""
    import numpy as np

    from anonset import CategoricalColumn, Table, Vocabulary

    table = _joined(0, _MOVING)
    labels = Vocabulary(tuple(f"p{i:06}" for i in range(table.n)))
    own = CategoricalColumn("person", np.arange(table.n, dtype=np.int32), labels)
    return Table(sensitive=table.sensitive, ids=(own,))


def _algorithm(parameters: Parameters, seed: int | None) -> Any:
    from anonset.algorithms.buckets.anatomy import Anatomy
    from anonset.algorithms.buckets.safe_grouping import SafeGrouping

    if parameters["algorithm"] == "anatomy":
        return Anatomy(l=parameters["l"], seed=seed)
    return SafeGrouping(k=parameters["k"], l=parameters["l"], seed=seed)
