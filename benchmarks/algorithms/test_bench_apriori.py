"""Benchmarks of AA on large data sets. They measure searches, complete jobs, and the time to compile kernels."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from benchmarks.conftest import is_measuring
from benchmarks.memory import forget_peak, peak_mib

import anonset
from anonset_datasets import catalogue
from anonset_datasets.generators import pos_like

K, M = 5, 2
SETS = [
    *(pytest.param(name, marks=pytest.mark.data) for name in ("bms_webview1", "bms_webview2", "tafeng_subclass")),
    "pos_like",
]
RECORDS, SMOKE = 515_597, 2_000
"""Number of generated records in a measurement, and in a smoke run."""
COMPILE = """
import time
import anonset
table = anonset.Table.from_sets([["1", "2", "3"], ["1", "2"], ["2", "3"], ["1", "3"]] * 2)
seconds = []
for _ in range(2):
    began = time.perf_counter()
    anonset.anonymize(table, anonset.Apriori(k=3, m=2), hierarchies={"items": "balanced:2"}, workers=1)
    seconds.append(time.perf_counter() - began)
print(seconds[0] - seconds[1])
"""


@pytest.fixture(scope="module", params=SETS)
def data(request: pytest.FixtureRequest) -> tuple[anonset.SetColumn, anonset.Hierarchy]:
    """Return a set-valued column and its `balanced:5` hierarchy."""
    name = request.param
    generated = pos_like(RECORDS if is_measuring(request.config) else SMOKE) if name == "pos_like" else None
    column = (generated or catalogue.load(name)).transactions
    if column is None:
        msg = f"{name} must have a set-valued column"
        raise RuntimeError(msg)
    return column, anonset.Hierarchy.balanced(column.vocabulary.labels, 5)


def fresh(column: anonset.SetColumn) -> anonset.Table:
    """Return a table without cached results."""
    return anonset.Table(anonset.SetColumn(column.name, column.indptr, column.items, column.vocabulary))


def note(benchmark: Any, column: anonset.SetColumn, hierarchy: anonset.Hierarchy, cut: Any) -> None:
    """Add loss, size of the result and peak memory to the benchmark's record."""
    bound = hierarchy.bind(column)
    benchmark.extra_info["ncp"] = anonset.ncp(bound, cut)
    benchmark.extra_info["nodes"] = len(cut.nodes)
    benchmark.extra_info["peak MiB"] = peak_mib()


@pytest.mark.benchmark(group="AA, k=5, m=2: search")
def test_bench_search(benchmark: Any, data: tuple[anonset.SetColumn, anonset.Hierarchy]) -> None:
    """Search for a cut on a table in memory, on a single thread.

    A first round, which compiles the kernels, is not measured.
    """
    column, hierarchy = data
    algorithm = anonset.Apriori(k=K, m=M)
    forget_peak()
    result = benchmark.pedantic(
        algorithm.recode,
        setup=lambda: ((fresh(column), {column.name: hierarchy}), {}),
        rounds=3,
        warmup_rounds=1,
    )
    note(benchmark, column, hierarchy, result.recoding)
    assert 1 <= benchmark.extra_info["nodes"] <= len(column.vocabulary)


@pytest.mark.benchmark(group="AA, k=5, m=2: search, apply, verify")
def test_bench_anonymize(benchmark: Any, data: tuple[anonset.SetColumn, anonset.Hierarchy]) -> None:
    """Run a complete job from a table to a verified publication, on all cores."""
    column, hierarchy = data
    forget_peak()
    release = benchmark.pedantic(
        lambda table: anonset.anonymize(table, anonset.Apriori(k=K, m=M), hierarchies={column.name: hierarchy}),
        setup=lambda: ((fresh(column),), {}),
        rounds=3,
        warmup_rounds=1,
    )
    note(benchmark, column, hierarchy, release.recoding)
    assert release.verdict.holds


@pytest.mark.benchmark(group="compiling")
def test_bench_compile(benchmark: Any, tmp_path: Path) -> None:
    """Run a first job on a tiny table in a new process with an empty kernel cache, and report the compile time."""

    def first_job() -> float:
        environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)}
        command = [sys.executable, "-c", COMPILE]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        return float(done.stdout)

    benchmark.extra_info["compile seconds"] = benchmark.pedantic(first_job, rounds=1)
    if not os.environ.get("NUMBA_DISABLE_JIT"):
        assert any(tmp_path.rglob("*.nbi")), "the kernels must have been compiled into the empty cache"
