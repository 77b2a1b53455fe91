"""If forming buckets out of core fails, the run prints an error, publishes no files and can be resumed."""

import csv
import os
import random
import resource
import signal
import subprocess
import sys
from textwrap import dedent

import pytest
from benchmarks.process_tree import group, run
from benchmarks.tuples import write_tuples
from tests.facts import names
from tests.jobs.test_by_blocks import files_of

from anonset.algorithms.buckets import safe_grouping
from anonset.cli.main import main
from anonset.errors import RAW_DATA_STAY
from anonset.jobs.warmup import warm_up

pytestmark = pytest.mark.long

ROLES = ["--id", "name", "--sensitive", "drug", "--keep", "ward", "--seed", "4", "--l", "2"]
MODELS = {"safe-grouping": ["--model", "safe-grouping", "--k", "3"], "anatomy": ["--model", "anatomy"]}
PLACES = ["-o", "out", "--work-dir", "work"]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    source = random.Random(8)
    with (tmp_path / "v.csv").open("w", newline="") as file:
        rows = [(f"n{source.randrange(90)}", source.choice("AB"), f"d{source.randrange(9)}") for _ in range(300)]
        csv.writer(file).writerows([("name", "ward", "drug"), *rows])
    return tmp_path


def within(most, command):
    """Run a command with a file size limit, as on a full disk."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, hard))
    try:
        return main(command)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("most", [1200, 1500, 2300])  # the smallest size fits the run's own records, including paths
def test_a_full_disk_is_reported_with_the_file_and_the_run_resumes(folder, capsys, model, most):
    assert main(["anonymize", "v.csv", *ROLES, *MODELS[model], "-o", "whole"]) == 0
    capsys.readouterr()
    command = ["anonymize", "v.csv", *ROLES, *MODELS[model], *PLACES]
    assert within(most, command) == 2
    *_, reported = capsys.readouterr().err.splitlines()
    assert reported.startswith("anonset: error: ")
    assert names(reported, "'File too'")
    assert not (folder / "out").exists()
    assert main([*command, "--if-exists", "resume"]) == 0
    assert files_of(folder / "out") == files_of(folder / "whole")
    assert sorted(path.name for path in folder.iterdir()) == ["out", "out.private", "v.csv", "whole", "whole.private"]


IN_THE_THIRD_PART = """
    import os, sys
    from anonset.algorithms.buckets import safe_grouping
    from anonset.cli import main

    number = int(sys.argv.pop())
    safe_grouping.TUPLES_PER_PART = 43
    solved, solve = [], safe_grouping._Solver.__call__

    def killed(self, part):
        solved.append(part)
        if len(solved) == 3:
            os.kill(os.getpid(), number)
        return solve(self, part)

    safe_grouping._Solver.__call__ = killed
    main.run()
"""


@pytest.mark.compiled
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_an_end_in_the_middle_of_the_parts(folder, monkeypatch, number):
    (folder / "temporary").mkdir()
    monkeypatch.setattr(safe_grouping, "TUPLES_PER_PART", 43)
    job = ["anonymize", "v.csv", *ROLES, *MODELS["safe-grouping"]]
    assert main([*job, "-o", "whole", "--work-dir", "other"]) == 0
    command = [sys.executable, "-c", dedent(IN_THE_THIRD_PART), *job, *PLACES, "--workers", "1", str(int(number))]
    process_options = {"env": {**os.environ, "TMPDIR": str(folder / "temporary")}, "start_new_session": True}
    ended = subprocess.run(command, check=False, capture_output=True, text=True, **process_options)
    if number == signal.SIGKILL:
        assert ended.returncode == -signal.SIGKILL
    else:
        assert (ended.returncode, len(ended.stderr.splitlines())) == (130, 3)
        assert RAW_DATA_STAY in ended.stderr.splitlines()[1]
        assert names(ended.stderr.splitlines()[-1], "error interrupted")
    remaining = ["temporary", "v.csv", "whole", "whole.private", "work"]
    assert sorted(path.name for path in folder.iterdir()) == remaining
    assert list((folder / "temporary").iterdir()) == []
    assert main([*job, *PLACES, "--if-exists", "resume"]) == 0
    assert files_of(folder / "out") == files_of(folder / "whole")
    assert not (folder / "work").exists()


IN_PARTS = """
    from anonset.algorithms.buckets import safe_grouping
    from anonset.cli import main

    safe_grouping.TUPLES_PER_PART = 1 << 18
    main.run()
"""
LIMIT = 600 << 20
PEAK = 350 << 20  # on one thread: about 270 MiB in parts, and 460 in memory


@pytest.mark.compiled
def test_parts_of_the_tuples_keep_to_the_limit(on_disk, monkeypatch):
    """The test needs seconds: shorter runs never reach the limit."""
    monkeypatch.chdir(on_disk)
    warm_up()  # so that no memory is reserved for compiling
    write_tuples(1_100_000, on_disk / "tuples.parquet")
    roles = ["--id", "patient", "--sensitive", "drug", "--keep", "ward", "--model", "safe-grouping"]
    job = ["anonymize", "tuples.parquet", *roles, "--k", "5", "--l", "5", *PLACES, "--memory-limit", str(LIMIT)]
    with group() as made:
        file_limit = None if made is None else int(1.1 * LIMIT)  # the kernel kills a run that exceeds the limit
    command = [sys.executable, "-c", dedent(IN_PARTS), *job, "--workers", "1"]
    took = run(command, limit=file_limit, env={**os.environ, "TMPDIR": str(on_disk)})
    assert (took.code, names(took.errors, "'out of core'")) == (0, True), took.errors
    assert took.peak <= PEAK
