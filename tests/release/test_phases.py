"""Duration of phases, with compilation measured separately."""

import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import anonset
from anonset.data.storage import usage
from anonset.data.storage.usage import own_memory
from anonset.release import stopwatch
from anonset.release.stopwatch import COMPILING, Stopwatch, report_compilation
from anonset_kernels._compiling import Compilation


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """A clock that advances only when the test moves it."""
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


def test_an_end_without_a_start_is_ignored(clock: list[float], compilation: Compilation) -> None:
    compilation.end()
    clock[0] += 1
    compilation.begin()
    clock[0] += 1
    compilation.end()
    assert (compilation.kernels, compilation.seconds) == (1, 1)


def test_compilation_is_reported_to_listeners(compilation: Compilation) -> None:
    reported: list[Any] = []
    with report_compilation(lambda *what: reported.append(what)):
        for _ in range(2):
            compilation.begin()
            compilation.begin()
            compilation.end()
            compilation.end()
    with report_compilation(None):
        compilation.begin()
        compilation.end()
    assert reported == [(COMPILING, 1, 0), (COMPILING, 1, 1), (COMPILING, 2, 0), (COMPILING, 2, 2)]


def test_a_release_reports_progress_and_separate_durations(
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
    table, reported = anonset.Table.from_sets([{"a", "b"}, {"a", "b"}]), list[str]()
    algorithm, hierarchies = anonset.Apriori(k=2, m=2), {"items": "balanced:2"}
    release = anonset.anonymize(
        table, algorithm, hierarchies=hierarchies, progress=lambda phase, *_: reported.append(phase)
    )
    assert (release.seconds[COMPILING], release.seconds["search"]) == (30, 2)
    assert COMPILING in reported
    (compared,) = anonset.compare(table, [algorithm], hierarchies=hierarchies)
    assert compared.phases == {"search": 2, "apply": 0, "measure": 0, "verify": 0}
    release.save(tmp_path / "out")
    assert [phase.name for phase in release.phases].count(COMPILING) == 1


@pytest.mark.long
@pytest.mark.skipif(own_memory() is None, reason="the system does not tell memory of its own apart")
def test_peak_memory_excludes_mapped_files(on_disk: Path) -> None:
    size, watch = 200 << 20, Stopwatch()
    with (on_disk / "zeros").open("wb") as file:
        file.truncate(size)
    before = watch.memory.look()
    with watch.phase("map"):
        mapped = np.memmap(on_disk / "zeros", np.uint8, "c")
        assert not mapped.any()  # every page was read
    with watch.phase("hold"):
        array = np.ones(size, np.uint8)
        watch.memory.look()
        del array
    with watch.phase("after"):
        pass
    mapping, holding, after = (phase.peak_memory for phase in watch.phases)
    assert before is not None
    assert mapping is not None
    assert holding is not None
    assert mapping < before + size // 2
    assert holding >= mapping + size // 2
    assert after == holding


def test_memory_is_sampled_during_a_phase(monkeypatch: pytest.MonkeyPatch) -> None:
    looks, seen = iter([3, 5, 9, 4]), threading.Event()

    def held() -> int:
        result = next(looks, 1)
        if result == 4:
            seen.set()
        return result

    monkeypatch.setattr(usage, "own_memory", held)
    monkeypatch.setattr(usage, "_SECONDS_BETWEEN", 0.001)
    watch = Stopwatch()
    with watch.phase("search"), watch.memory.watched():
        assert seen.wait(60)
    assert [phase.peak_memory for phase in watch.phases] == [9]
    assert not [thread for thread in threading.enumerate() if thread.name == "anonset-memory"]


def test_without_private_memory_figures_resident_memory_counts(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(usage, "_STATUS", tmp_path / "none")
    watch = Stopwatch()
    with watch.phase("read"):
        assert not [thread for thread in threading.enumerate() if thread.name == "anonset-memory"]
    assert own_memory() is None
    assert 1 << 20 < (watch.phases[0].peak_memory or 0) <= (usage.peak_memory() or 0)
