"""A killed split run resumes at the current part and publishes the same bytes. Damaged parts are detected."""

import random
from dataclasses import replace

import pytest
from tests.cli.place import Ran
from tests.facts import names
from tests.jobs.test_by_blocks import files_of

from anonset.algorithms.relational.mondrian import Mondrian
from anonset.algorithms.rt import across
from anonset.algorithms.split import merging
from anonset.algorithms.split.parts import _RunOnPart
from anonset.cli.main import main
from anonset.data.resumption import ledger

UNIT = ["--unit", "row"]
ROLES = [*UNIT, "--items", "codes", "--relational", "age,sex", "--numeric", "age"]
RT = [*ROLES, "--model", "kkm", "--k", "2", "--m", "2", "--formation", "mondrian", "--on-infeasible", "merge"]
TREE = ["--hierarchy", "codes=balanced:2", "--transaction", "apriori"]
JOBS = {
    "merged over parts": [*RT, *TREE, "--algorithm", "rum-bound", "--delta", "0.5", "--merge", "rt"],
    "in parts": [*RT, *TREE, "--algorithm", "rfirst"],
    "in sets": [*RT, "--transaction", "coat", "--algorithm", "rfirst"],
    "lists of parts": [*RT, *TREE[:2], "--transaction", "lra", "--algorithm", "rfirst"],
    "relational": [*UNIT, "--drop", "codes", *ROLES[4:], "--model", "k", "--k", "3", "--algorithm", "mondrian"],
}


class Killed(BaseException):
    """Simulates the end of the process."""


@pytest.fixture(autouse=True)
def small(monkeypatch):
    monkeypatch.setattr(Mondrian, "traits", replace(Mondrian.traits, split_records=20))
    monkeypatch.setattr(across, "MOST_BEGUN", 12)
    monkeypatch.setattr(merging, "_TOGETHER", 20)
    monkeypatch.setattr(merging, "_SAMPLED", 2)


@pytest.fixture
def run(tmp_path, capsys):
    source = random.Random(5)
    lines = ["codes,age,sex"]
    for _ in range(90):
        codes = " ".join(source.sample("uvwxyz", source.choice([0, 2, 3, 4])))
        lines.append(f"{codes},{source.randint(0, 30)},{source.choice('fm')}")
    (tmp_path / "v.csv").write_text("\n".join(lines) + "\n")

    def anonymize(out, options, work, *more):
        place = ["-o", str(tmp_path / out), "--work-dir", str(tmp_path / work)]
        code = main(["anonymize", str(tmp_path / "v.csv"), *place, *options, *more])
        captured = capsys.readouterr()
        return Ran(code, captured.out, captured.err)

    return anonymize


@pytest.fixture
def solved(monkeypatch):
    """Solved parts. Solving more than `dies` parts kills the run."""
    spans, dies, solve = [], [10**9], _RunOnPart.__call__

    def counted(self, span):
        if len(spans) == dies[0]:
            raise Killed
        spans.append((self.task.name, span))
        return solve(self, span)

    monkeypatch.setattr(_RunOnPart, "__call__", counted)
    return spans, dies


def part_files(work):
    """Return the files with solved parts."""
    return sorted({*work.glob(ledger.file_of("*"))} - {work / ledger.file_of(ledger.READ)})


@pytest.mark.long
@pytest.mark.parametrize("name", JOBS)
@pytest.mark.parametrize("at", [1, 4])
def test_no_part_is_solved_twice(tmp_path, run, solved, monkeypatch, name, at):
    spans, dies = solved
    assert run("whole", JOBS[name], "one").code == 0
    expected = sorted(spans)
    spans.clear()
    dies[0] = at
    with pytest.raises(Killed):
        run("out", JOBS[name], "two")
    assert len(part_files(tmp_path / "two")) == at
    dies[0] = 10**9
    assert run("out", JOBS[name], "two", "--if-exists", "resume").code == 0
    assert sorted(spans) == expected
    assert files_of(tmp_path / "whole") == files_of(tmp_path / "out")
    assert not (tmp_path / "two").exists()


def test_a_damaged_part_is_named(tmp_path, run, solved):
    solved[1][0] = 2
    with pytest.raises(Killed):
        run("out", JOBS["in parts"], "two")
    (part_file, _) = part_files(tmp_path / "two")
    part_file.write_bytes(part_file.read_bytes()[:-40])
    solved[1][0] = 10**9
    done = run("out", JOBS["in parts"], "two", "--if-exists", "resume")
    assert (done.code, names(done.err, f"{part_file} damaged")) == (2, True)
    assert not (tmp_path / "out").exists()


@pytest.mark.long
def test_temporary_directories_store_no_parts(tmp_path, run, solved, monkeypatch):
    """Another job in the directory would read foreign files."""
    written = []
    monkeypatch.setattr(ledger, "file_of", lambda step: written.append(step) or f"done-{step}")
    command = ["anonymize", str(tmp_path / "v.csv"), "-o", str(tmp_path / "out"), *JOBS["in parts"]]
    monkeypatch.setattr("anonset.release.memory.AT_LEAST", 0)
    assert main([*command, "--memory-limit", "100"]) == 0
    assert len(solved[0]) > 2
    assert written == []
