"""A killed run out of core resumes in the work directory and publishes the same bytes, also on a cluster."""

import errno
import json
import subprocess
import sys
from textwrap import dedent

import pytest
from distributed import LocalCluster
from tests.cli.place import Ran
from tests.facts import names
from tests.jobs.test_by_blocks import BASKETS, files_of

from anonset.cli.main import main
from anonset.data.storage.lease import mark_unused, take
from anonset.writing.publications import records

pytestmark = pytest.mark.long

KILLED = {
    "in the search": """
        from anonset.algorithms.transaction.cuts.cut_search import CutSearch
        found = CutSearch.rare_sets
        CutSearch.rare_sets = lambda self, size: os._exit(9) if size == 2 else found(self, size)
    """,
    "in a partition": """
        from anonset.algorithms.transaction.partitions import lra
        lra.search_in_bitmaps = lambda *_args: os._exit(9)
    """,
    "in recoding": """
        from anonset.release.kinds.records import RecordsKind
        RecordsKind.apply = lambda *_args: os._exit(9)
    """,
    "in writing": """
        from anonset.writing.publications import records
        write, written = records._write_part, []
        records._write_part = lambda *task: os._exit(9) if len(written) == 2 else written.append(1) or write(*task)
    """,
    "in publishing": """
        from anonset.release.publishing import publish
        publish.verify_release = lambda *_args, **_kwargs: os._exit(9)
    """,
}


def arguments(folder, out, *options, k="2", algorithm="apriori"):
    of_items = ["--model", "constraints"]
    if algorithm not in ("coat", "pcta"):
        of_items = ["--hierarchy", "items=balanced:2", "--model", "km"]
    of_items += ["--k", k, "--m", "2", "--algorithm", algorithm]
    return ["anonymize", str(folder / "v.dat"), "-o", str(folder / out), *of_items, *options]


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "v.dat").write_text(BASKETS)
    return tmp_path


@pytest.fixture
def run(folder, capsys):
    def run(out, *options, **given):
        code = main(arguments(folder, out, *options, **given))
        captured = capsys.readouterr()
        return Ran(code, captured.out, captured.err)

    return run


@pytest.fixture
def work(folder):
    return folder / "work"


def kill(folder, work, where, *options, algorithm="apriori"):
    """Run the job in a process that is killed at a given point."""
    command = [*arguments(folder, "out", *options, algorithm=algorithm), "--work-dir", str(work)]
    in_files = "from anonset.data.resumption import ledger\nledger._IN_MEMORY = 0"
    script = (
        f"import os, sys\n{in_files}\n{dedent(KILLED[where])}\nfrom anonset.cli.main import main\nmain({command!r})"
    )
    assert subprocess.run([sys.executable, "-c", script], check=False, capture_output=True).returncode == 9


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("where", "algorithm"), [("in the search", "apriori"), ("in a partition", "lra"), ("in publishing", "apriori")]
)
def test_a_killed_run_resumes_to_the_same_bytes(folder, work, run, where, algorithm, monkeypatch):
    assert run("memory", algorithm=algorithm).code == 0
    kill(folder, work, where, algorithm=algorithm)
    assert (work / "done-read.npz").exists()
    assert (folder / "out.private").exists() == (where == "in publishing")
    assert run("out", "--work-dir", str(work), algorithm=algorithm).code == 2
    monkeypatch.setattr("anonset.jobs.runs.file_run.gather_files", lambda *_: pytest.fail("read again"))
    assert run("out", "--work-dir", str(work), "--if-exists", "resume", algorithm=algorithm).code == 0
    assert files_of(folder / "out") == files_of(folder / "memory")
    assert sorted(path.name for path in folder.iterdir()) == ["memory", "memory.private", "out", "out.private", "v.dat"]


@pytest.mark.compiled
@pytest.mark.parametrize("algorithm", ["apriori", "exact", "vpa", "lra", "coat", "pcta"])
def test_a_finished_search_is_not_repeated(folder, work, run, algorithm, monkeypatch):
    assert run("memory", algorithm=algorithm).code == 0
    kill(folder, work, "in recoding", algorithm=algorithm)
    monkeypatch.setattr("anonset.jobs.runs.run.Run._found", lambda *_: pytest.fail("searched again"))
    assert run("out", "--work-dir", str(work), "--if-exists", "resume", algorithm=algorithm).code == 0
    assert files_of(folder / "out") == files_of(folder / "memory")
    reports = [json.loads((folder / f"{out}.private" / "report.json").read_text()) for out in ("memory", "out")]
    assert [report["trace"] for report in reports] == [reports[0]["trace"]] * 2


@pytest.mark.compiled
@pytest.mark.parametrize("algorithm", ["apriori", "lra"])
def test_sorted_rows_are_not_sorted_again(folder, work, run, algorithm, monkeypatch):
    assert run("memory", algorithm=algorithm).code == 0
    kill(folder, work, "in publishing", algorithm=algorithm)
    monkeypatch.setattr("anonset.data.resumption.ledger._IN_MEMORY", 0)
    monkeypatch.setattr(
        sys.modules["anonset.generalization.apply"], "sort_rows", lambda *_: pytest.fail("sorted again")
    )
    assert run("out", "--work-dir", str(work), "--if-exists", "resume", algorithm=algorithm).code == 0
    assert files_of(folder / "out") == files_of(folder / "memory")


IN_PARTS = ["--part-rows", "2", "--workers", "1"]


@pytest.fixture
def n_written(monkeypatch):
    """Return a list that grows with each part that is written."""
    written, write = [], records._write_part
    monkeypatch.setattr(records, "_write_part", lambda *task: written.append(task) or write(*task))
    return written


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("where", "n_finished", "form"),
    [("in writing", 2, "csv"), ("in publishing", 4, "parquet"), ("in publishing", 4, "dat")],
)
def test_finished_parts_are_not_written_again(folder, work, run, n_written, monkeypatch, where, n_finished, form):
    if form == "dat":  # as if the work directory were on another file system
        monkeypatch.setattr(records.os, "link", lambda *_: (_ for _ in ()).throw(OSError(errno.EXDEV, "")))
    options = [*IN_PARTS, "--format", form]
    assert run("memory", *options).code == 0
    assert len(n_written) == 4
    kill(folder, work, where, *options)
    assert run("out", *options, "--work-dir", str(work), "--if-exists", "resume").code == 0
    assert len(n_written) == 4 + 4 - n_finished
    assert files_of(folder / "out") == files_of(folder / "memory")
    assert not work.exists()


@pytest.mark.compiled
@pytest.mark.parametrize("harm", ["changed", "gone"])
def test_a_finished_part_that_has_changed_is_not_published(folder, work, run, harm):
    kill(folder, work, "in publishing", *IN_PARTS)
    part = sorted(work.glob("part-*.dat"))[1]
    data = part.read_bytes()
    part.unlink()
    if harm == "changed":
        part.write_bytes(bytes([data[0] ^ 1]) + data[1:])
    done = run("out", *IN_PARTS, "--work-dir", str(work), "--if-exists", "resume")
    assert (done.code, names(done.err.splitlines()[-1], f"{part} damaged")) == (2, True)
    assert not (folder / "out").exists()


@pytest.mark.compiled
def test_a_different_run_is_not_resumed(folder, work, run):
    kill(folder, work, "in the search")
    place = ["--work-dir", str(work), "--if-exists", "resume"]
    assert names(run("out", *place, k="3").err, f"{work} k")
    assert names(run("other", *place).err, f"{work} places")
    (folder / "v.dat").write_text(BASKETS + "a1\n")
    done = run("out", *place)
    assert (done.code, names(done.err, "'--if-exists resume' data changed")) == (2, True)
    (folder / "v.dat").write_text(BASKETS)
    take(work)
    assert names(run("out", *place).err, f"{work} process")
    (array,) = work.glob("items-*")
    mark_unused(work)
    array.write_bytes(b"\1" + array.read_bytes()[1:])
    done = run("out", *place)
    assert (done.code, names(done.err, f"{array} damaged")) == (2, True)


@pytest.mark.compiled
def test_a_run_with_another_ceiling_is_not_resumed(folder, work, run):
    """Results found under a ceiling must not be published under another ceiling."""
    (folder / "top.txt").write_text("N1_0\n")
    options = ["--ceiling", f"items={folder / 'top.txt'}", "--work-dir", str(work)]
    assert run("out", *options, "--max-loss", "0").code == 1
    (folder / "top.txt").write_text("N1_1\n")
    done = run("out", *options, "--max-loss", "0", "--if-exists", "resume")
    assert (done.code, done.err.count("\n"), names(done.err, f"{work} ceiling items")) == (2, 1, True)
    (folder / "top.txt").write_text("N1_0\n")
    assert run("out", *options, "--max-loss", "0", "--if-exists", "resume").code == 1


@pytest.mark.parametrize(
    "text", ["{", "[]", "[" * 100_000, '{"settings": 1}', '{"settings": {}, "settings": {}}', "1" * 9999]
)
def test_a_forged_manifest_is_refused_in_one_line(folder, work, run, text):
    work.mkdir()
    (work / "run.json").write_text(text)
    take(work)
    mark_unused(work)
    done = run("out", "--if-exists", "resume", "--work-dir", str(work))
    assert (done.code, done.err.count("\n"), names(done.err, f"{work} run.json")) == (2, 1, True)


def test_a_named_work_directory_remains_only_after_a_failure(folder, work, run):
    assert run("out", "--work-dir", str(work), "--max-loss", "0").code == 1
    assert (work / "done-read.npz").exists()
    assert run("out", "--work-dir", str(work), "--if-exists", "resume", "--max-loss", "0").code == 1
    other = folder / "other"
    assert run("out", "--work-dir", str(other)).code == 0
    assert not other.exists()


@pytest.fixture(scope="module")
def scheduler():
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster:
        yield cluster.scheduler_address


@pytest.mark.compiled
@pytest.mark.parametrize("algorithm", ["apriori", "vpa", "exact"])
def test_a_cluster_publishes_the_same_bytes(folder, run, scheduler, algorithm):
    """The cluster runs before the command and afterwards. In `test_cluster_interrupted` the command starts it."""
    assert run("memory", algorithm=algorithm).code == 0
    done = run("cluster", "--cluster", scheduler, algorithm=algorithm)
    assert (done.code, names(done.err, "core")) == (0, True)
    assert files_of(folder / "cluster") == files_of(folder / "memory")


def test_single_machine_algorithms_are_rejected_on_a_cluster(folder, run, capsys):
    of_buckets = ["--sensitive", "drug", "--id", "name", "--model", "anatomy", "--l", "2", "--cluster", "local:2"]
    (folder / "v.csv").write_text("name,drug\nA,a\nB,b\n")
    assert main(["anonymize", str(folder / "v.csv"), "-o", str(folder / "out"), *of_buckets]) == 2
    (message,) = capsys.readouterr().err.splitlines()
    assert names(message, "--cluster anatomy")
    done = run("out", "--cluster", "local:2", algorithm="lra")
    assert names(done.err, "--cluster lra apriori exact vpa safe-grouping")
    done = run("out", "--cluster", "local:2", algorithm="direct")
    assert names(done.err, "--cluster core direct")
