"""`verify`, `evaluate` and `risk` give the same answer on the workers of a scheduler, also if a worker is killed."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet
from tests.facts import names
from tests.jobs.programs import Programs

from anonset.cli.main import main
from anonset.data.storage.cluster import ClusterWorkers
from anonset.settings.commands import EvaluateSettings
from anonset.settings.job import Job

pytestmark = [pytest.mark.long, pytest.mark.compiled]
RECORDS, ITEMS = 3_000, 60
TREES = ["--hierarchy", "items=balanced:4"]
READING = ["--items", "items", "--unit", "row", *TREES]


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Programs]:
    with Programs(tmp_path_factory.mktemp("dask")) as programs:
        yield programs


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    """Paths of data and of their publication in parts."""
    folder, rng = tmp_path_factory.mktemp("published"), np.random.default_rng(5)
    data, out = folder / "data", folder / "safe"
    data.mkdir()
    for part in range(3):
        rows = [[f"{i:02}" for i in np.unique(rng.geometric(0.1, 5) % ITEMS)] for _ in range(RECORDS // 3)]
        parquet.write_table(pa.table({"items": rows}), data / f"{part}.parquet")
    model = ["--model", "km", "--algorithm", "apriori", "--k", "3", "--m", "2", "--part-rows", "700"]
    assert main(["anonymize", str(data), *READING, *model, "-o", str(out), "--quiet"]) == 0
    return str(data), str(out)


def commands(data: str, out: str) -> dict[str, list[str]]:
    return {
        "verify": ["verify", out],
        "verify with the original": ["verify", out, "--original", data, *TREES],
        "evaluate": ["evaluate", data, out, *READING],
        "risk": ["risk", out],
    }


@pytest.mark.parametrize("killed", [False, True], ids=["all workers", "a killed worker"])
@pytest.mark.parametrize("command", commands("", ""))
def test_workers_give_the_same_answer(
    programs: Programs,
    published: tuple[str, str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    command: str,
    killed: bool,
) -> None:
    arguments = [*commands(*published)[command], "--json", "--work-dir", str(tmp_path / "work")]
    codes, answers = [main(arguments)], [capsys.readouterr().out]
    programs.complete(2)
    tasks, begin = list[Any](), ClusterWorkers.begin

    def begin_task(self: ClusterWorkers, work: Any, task: Any, ended: Any) -> Any:
        tasks.append(task)
        pending = begin(self, work, task, ended)
        if killed and len(tasks) == 4:
            programs.workers[-1].kill()
            programs.workers[-1].wait()
        return pending

    monkeypatch.setattr(ClusterWorkers, "begin", begin_task)
    codes.append(main([*arguments, "--cluster", programs.address]))
    answers.append(capsys.readouterr().out)
    assert codes[1] == codes[0] == 0
    assert answers[1] == answers[0]
    assert len(tasks) > 4
    assert not os.path.lexists(tmp_path / "work")


def test_risks_in_memory_are_rejected(published: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    data, out = published
    arguments = ["risk", out, "--original", data, *TREES, "--cluster", "local:2"]
    assert main(arguments) == 2
    assert names(capsys.readouterr().err, "--cluster original memory")


def test_the_cluster_of_a_job_does_not_apply_to_its_evaluation() -> None:
    job = {"k": 5, "items": ["codes"], "cluster": "tcp://there:1", "cluster_tls": "keys", "work_dir": "/scratch"}
    assert EvaluateSettings.of_job(Job(job), Job()) == {"items": ["codes"]}
