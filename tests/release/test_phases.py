"""Seconds of phases, and compiling apart from them."""

import time
from pathlib import Path
from typing import Any

import pytest

import anonset
from anonset.release import stopwatch
from anonset.release.stopwatch import COMPILING, Stopwatch, tell_compiling
from anonset_kernels._compiling import Compilation


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """A clock that stands still unless somebody moves it."""
    now = [100.0]
    monkeypatch.setattr(time, "perf_counter", lambda: now[0])
    return now


@pytest.fixture
def compilation(clock: list[float], monkeypatch: pytest.MonkeyPatch) -> Compilation:
    made = Compilation()
    monkeypatch.setattr(stopwatch, "COMPILATION", made)
    return made


def seconds(watch: Stopwatch) -> list[tuple[str, float]]:
    return [(phase.name, phase.seconds) for phase in watch.phases]


def test_compiling_is_no_part_of_a_phase(clock: list[float], compilation: Compilation) -> None:
    watch = Stopwatch()
    with watch.phase("read"):
        clock[0] += 1
    with watch.phase("search"):
        clock[0] += 2
        compilation.begin()
        clock[0] += 40
        compilation.end()
        clock[0] += 3
    assert seconds(watch) == [("read", 1), (COMPILING, 40), ("search", 5)]
    with watch.phase("verify"):
        compilation.begin()
        clock[0] += 10
        compilation.end()
    assert seconds(watch) == [("read", 1), (COMPILING, 50), ("search", 5), ("verify", 0)]


def test_a_callee_is_counted_with_its_caller(clock: list[float], compilation: Compilation) -> None:
    compilation.begin()
    clock[0] += 1
    compilation.begin()
    clock[0] += 2
    assert compilation.seconds == 3
    compilation.end()
    with compilation.storing():
        clock[0] += 4
    compilation.end()
    with compilation.storing():
        clock[0] += 8
    assert (compilation.kernels, compilation.seconds) == (1, 15)


def test_an_end_without_a_beginning_counts_nothing(clock: list[float], compilation: Compilation) -> None:
    compilation.end()
    clock[0] += 1
    compilation.begin()
    clock[0] += 1
    compilation.end()
    assert (compilation.kernels, compilation.seconds) == (1, 1)


def test_whoever_looks_is_told(compilation: Compilation) -> None:
    told: list[Any] = []
    with tell_compiling(lambda *what: told.append(what)):
        for _ in range(2):
            compilation.begin()
            compilation.begin()
            compilation.end()
            compilation.end()
    with tell_compiling(None):
        compilation.begin()
        compilation.end()
    assert told == [(COMPILING, 1, 0), (COMPILING, 1, 1), (COMPILING, 2, 0), (COMPILING, 2, 2)]


def test_a_release_tells_its_progress_and_keeps_the_seconds_apart(
    clock: list[float], compilation: Compilation, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    recode = anonset.Apriori.recode

    def compiled_first(*arguments: Any, **options: Any) -> Any:
        compilation.begin()
        clock[0] += 30
        compilation.end()
        clock[0] += 2
        return recode(*arguments, **options)

    monkeypatch.setattr(anonset.Apriori, "recode", compiled_first)
    table, told = anonset.Table.from_sets([{"a", "b"}, {"a", "b"}]), list[str]()
    algorithm, hierarchies = anonset.Apriori(k=2, m=2), {"items": "balanced:2"}
    release = anonset.anonymize(
        table, algorithm, hierarchies=hierarchies, progress=lambda phase, *_: told.append(phase)
    )
    assert (release.seconds[COMPILING], release.seconds["search"]) == (30, 2)
    assert COMPILING in told
    (compared,) = anonset.compare(table, [algorithm], hierarchies=hierarchies)
    assert compared.seconds == {"search": 2, "apply": 0, "measure": 0, "verify": 0}
    release.save(tmp_path / "out")
    assert [phase.name for phase in release.phases].count(COMPILING) == 1
