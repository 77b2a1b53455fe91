"""Searches of all algorithms on generated data. Each search takes seconds."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import pytest
from benchmarks.conftest import is_measuring
from benchmarks.experiments.albouna2013.measurement import persons
from benchmarks.memory import forget_peak, peak_mib

from anonset import Apriori, Hierarchy, SetColumn, Table
from anonset.algorithms.registry import ALGORITHMS
from anonset.data.hierarchies.combined_hierarchies import attach_sensitive
from anonset_datasets.generators import pos_like, youtube_like

SMOKE = 150
"""Number of records in a smoke run."""


@dataclass(frozen=True)
class Case:
    """An algorithm with parameters, data and record count."""

    algorithm: str
    records: int
    data: Callable[[int], Table] = pos_like
    parameters: dict[str, Any] = field(default_factory=dict)
    note: str = ""

    def __str__(self) -> str:
        return "-".join(part for part in (self.algorithm, self.note) if part)


def small(n: int) -> Table:
    """Generate baskets over few items, for searches that enumerate all cuts or all nodes of the count-tree."""
    return pos_like(n, n_items=60, max_length=12, avg_length=4.0)


def relational(n: int) -> Table:
    """Generate only the relational attributes."""
    return Table(relational=youtube_like(n).relational)


SENSITIVE = tuple(pos_like(1).transactions.vocabulary.labels[-5:])  # type: ignore[union-attr]
GLOBAL = ("full-domain", "local-recoding", "bottom-up", "top-down")
SENSITIVE_OF_SMALL = tuple(small(1).transactions.vocabulary.labels[-5:])  # type: ignore[union-attr]
KM = {"k": 5, "m": 2}
RT = {"k": 25, "m": 2, "delta": 0.65, "on_infeasible": "merge"}
MERGES = [
    Case(framework, 20_000, youtube_like, RT | {"merge": merge} | chosen, f"{merge}{function}")
    for framework in ("rum-bound", "tum-bound")
    for merge in ("r", "t", "rt")
    for chosen, function in (({}, "-coat"), ({"transaction": Apriori}, "-apriori"))
]
CASES = [
    Case("apriori", 100_000, parameters=KM),
    Case("direct", 5_000, small, KM),
    Case("optimal", 5_000, small, KM | {"max_cuts": 10**9}),
    Case("exact", 100_000, parameters=KM),
    Case("exact", 100_000, parameters=KM | {"suppress": True}, note="suppress"),
    Case("lra", 100_000, parameters=KM),
    Case("vpa", 100_000, parameters=KM),
    Case("hghs", 2_000, small, KM),
    Case("mhghs", 100_000, parameters=KM),
    Case("coherence-suppression", 100_000, parameters={"h": 0.8, "k": 5, "p": 2, "sensitive_items": SENSITIVE}),
    Case("local-generalization", 100_000, parameters={"k": 5}),
    Case("local-reallocation", 100_000, parameters={"k": 5}),
    Case("lm-apriori", 100_000, parameters=KM | {"l": 2, "sensitive_items": SENSITIVE}),
    Case("suppress-control", 2_000, small, {"rho": 0.5, "m": 2, "sensitive_items": SENSITIVE_OF_SMALL}),
    Case("set-search", 20_000, parameters=KM),
    Case("disassociation", 100_000, parameters=KM),
    Case("cahd", 100_000, parameters={"sensitive_items": SENSITIVE, "cap": "1/5"}),
    Case("coat", 100_000, parameters=KM),
    Case("pcta", 100_000, parameters=KM),
    Case("cluster", 100_000, relational, {"k": 25}),
    Case("mondrian", 100_000, relational, {"k": 25}),
    *(Case(name, 100_000, relational, {"k": 25}) for name in GLOBAL),
    Case("k-member", 5_000, relational, {"k": 25}),
    Case("xu-bottom-up", 5_000, relational, {"k": 25}),
    Case("xu-top-down", 5_000, relational, {"k": 25}),
    *MERGES,
    Case("joint-split", 20_000, youtube_like, KM | {"w": 0.1}),
    Case("rfirst", 20_000, youtube_like, {"k": 25, "m": 2, "on_infeasible": "merge"}),
    Case("tfirst", 20_000, youtube_like, {"k": 25, "m": 2}),
    Case("anatomy", 1_000_000, persons, {"l": 3}),
    Case("safe-grouping", 1_000_000, persons, {"k": 7, "l": 3}),
]


@cache
def generated(data: Callable[[int], Table], records: int) -> Table:
    return data(records)


def bound(table: Table, algorithm: Any) -> tuple[Table, dict[str, Hierarchy]]:
    """Bind a `balanced:5` hierarchy to the items that may be generalized. Return the table and the hierarchy."""
    column = table.transactions
    if column is None:
        return table, {}
    kept = getattr(algorithm, "sensitive_items", ())
    labels = [label for label in column.vocabulary.labels if label not in kept]
    hierarchy = attach_sensitive(Hierarchy.balanced(labels, 5), kept)
    return table.with_transactions(hierarchy.bind(column)), {column.name: hierarchy}


def fresh(table: Table) -> Table:
    column = table.transactions
    if column is None:
        return table
    return table.with_transactions(SetColumn(column.name, column.indptr, column.items, column.vocabulary))


@pytest.mark.benchmark(group="search, one thread")
@pytest.mark.parametrize("case", CASES, ids=str)
def test_bench_generated(benchmark: Any, case: Case, request: pytest.FixtureRequest) -> None:
    """Search on a table in memory, on a single thread. A first round, which compiles the kernels, is not measured."""
    table = generated(case.data, case.records if is_measuring(request.config) else SMOKE)
    algorithm: Any = ALGORITHMS[case.algorithm](**case.parameters)
    table, hierarchies = bound(table, algorithm)
    forget_peak()
    result = benchmark.pedantic(
        algorithm.recode, setup=lambda: ((fresh(table), hierarchies), {}), rounds=3, warmup_rounds=1
    )
    benchmark.extra_info |= {"records": table.n, "peak MiB": peak_mib()}
    assert result.recoding is not None


def test_every_algorithm_has_a_benchmark() -> None:
    assert {case.algorithm for case in CASES} == set(ALGORITHMS)
