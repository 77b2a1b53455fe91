"""COAT and PCTA out of core: the same bytes and decisions as in memory, and one-line errors."""

import json
import random
import resource

import numpy as np
import pytest
from tests.cli.place import Ran
from tests.facts import names
from tests.jobs.test_by_blocks import files_of, report_of_both

from anonset.algorithms.transaction.item_sets.constraint_search import ConstraintSearch
from anonset.cli.main import main
from anonset.data import spans
from anonset.data.storage.store import backing
from anonset.errors import RAW_DATA_STAY
from anonset.reading.formats import text_chunks
from anonset.release import memory

N_ROWS = 60
ITEMS = [f"i{code:02}" for code in range(14)]
RARE = ["j1", "j2", "j3"]


@pytest.fixture(autouse=True)
def small(monkeypatch, tmp_path):
    """Use parts of some bytes, and a temporary folder of the test."""
    monkeypatch.setattr(text_chunks, "BYTES_AT_ONCE", 99)
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    monkeypatch.setattr(memory, "AT_LEAST", 0)


@pytest.fixture
def run(tmp_path, capsys):
    source = random.Random(3)
    rows = [sorted(source.sample(ITEMS, source.choice([0, 1, 3, 4, 6]))) for _ in range(N_ROWS)]
    for n, item in enumerate(RARE):
        rows[20 * n].append(item)
    (tmp_path / "v.dat").write_text("".join(" ".join(row) + "\n" for row in rows))
    lines = [f"w{n % 3},{' '.join(row)}\n" for n, row in enumerate(rows)]
    (tmp_path / "v.csv").write_text("ward,codes\n" + "".join(lines))
    (tmp_path / "groups.txt").write_text(" ".join(ITEMS[:8]) + "\n" + " ".join([*ITEMS[8:], *RARE]) + "\n")
    (tmp_path / "pairs.txt").write_text(" ".join(ITEMS[:2]) + "\n")

    def anonymize(out, *options, name="v.dat", algorithm="coat", m="2", k="3"):
        of_items = ["--model", "constraints", "--algorithm", algorithm, "--k", k, *(["--m", m] if m else [])]
        code = main(["anonymize", str(tmp_path / name), "-o", str(tmp_path / out), *of_items, *options])
        captured = capsys.readouterr()
        return Ran(code, captured.out, captured.err)

    return anonymize


@pytest.mark.long
@pytest.mark.parametrize("at_once", [N_ROWS, -(-N_ROWS // 7)])
@pytest.mark.parametrize("m", ["1", "2", "3"])
@pytest.mark.parametrize("algorithm", ["coat", "pcta"])
@pytest.mark.parametrize(
    "roles",
    [
        [],
        ["--utility-constraints", "groups.txt", "--item-weights", "ones"],
        ["--hierarchy", "items=balanced:3", "--symbols", "short", "--part-rows", "17", "--format", "csv"],
    ],
    ids=["sets", "within constraints", "short names in parts"],
)
def test_bytes_equal_a_run_in_memory(tmp_path, run, monkeypatch, algorithm, m, at_once, roles):
    roles = [str(tmp_path / role) if role.endswith(".txt") else role for role in roles]
    all_options = [*roles, *(["--max-suppressed", "1"] if algorithm == "coat" else [])]
    (tmp_path / "trace.toml").write_text("trace = true\n")
    all_options += ["--config", str(tmp_path / "trace.toml")]
    assert run("memory", *all_options, algorithm=algorithm, m=m).code == 0
    monkeypatch.setattr(spans, "AT_ONCE", at_once)
    done = run("blocks", *all_options, "--memory-limit", "100", algorithm=algorithm, m=m)
    assert (done.code, done.err.count("\n")) == (0, 1)
    assert names(done.err, "'out of core'")
    assert report_of_both(tmp_path)["figures"]["merges"] > 0


@pytest.mark.long
def test_kept_columns_and_losses_equal_a_run_in_memory(tmp_path, run, monkeypatch, capsys):
    table = ["--items", "codes", "--keep", "ward", "--unit", "row"]
    roles = [*table, "--utility-constraints", str(tmp_path / "groups.txt")]
    assert run("memory", *roles, name="v.csv").code == 0
    monkeypatch.setattr(spans, "AT_ONCE", 9)
    assert run("blocks", *roles, "--work-dir", str(tmp_path / "work"), name="v.csv").code == 0
    report_of_both(tmp_path)
    capsys.readouterr()
    result = []
    for more in ([], ["--memory-limit", "100"]):
        original = [str(tmp_path / "v.csv"), *table]
        assert main(["evaluate", *original, str(tmp_path / "blocks"), *more, "--json"]) == 0
        result.append(json.loads(capsys.readouterr().out))
        records = ["--records", str(tmp_path / "blocks.private" / "records.csv")]
        within = ["--utility-constraints", str(tmp_path / "groups.txt")]
        against = ["--original", str(tmp_path / "v.csv"), *records, *within, "--max-suppressed", "0"]
        assert main(["verify", str(tmp_path / "blocks"), *against, *more]) == 0
        capsys.readouterr()
    assert result[0] == result[1]


@pytest.mark.long
def test_continuing_an_earlier_release_gives_the_same_bytes(tmp_path, run, monkeypatch):
    assert run("first", k="2").code == 0
    going_on = ["--recoding", str(tmp_path / "first.private")]
    assert run("memory", *going_on, k="5").code == 0
    monkeypatch.setattr(spans, "AT_ONCE", 9)
    assert run("blocks", *going_on, "--memory-limit", "100", k="5").code == 0
    assert report_of_both(tmp_path)["figures"]["merges"] > 0


def test_infeasible_constraints_give_the_same_message_as_in_memory(tmp_path, run, monkeypatch):
    impossible = ["--utility-constraints", str(tmp_path / "groups.txt")]
    monkeypatch.setattr(spans, "AT_ONCE", 9)
    for algorithm in ("coat", "pcta"):
        in_memory = run("out", *impossible, algorithm=algorithm, k="59")
        blocks = run("out", *impossible, "--memory-limit", "100", algorithm=algorithm, k="59")
        assert (in_memory.code, blocks.code) == (1, 1)
        assert blocks.err.splitlines()[1:] == in_memory.err.splitlines()
    assert list((tmp_path / "temporary").iterdir()) == []


def test_a_list_of_constraints_needs_all_records_in_memory(tmp_path, run):
    policy = ["--privacy-constraints", str(tmp_path / "pairs.txt")]
    facts = "coat pcta 'out of core' m constraints"
    done = run("out", *policy, "--memory-limit", "100", m=None)
    assert (done.code, done.err.count("\n"), names(done.err, facts)) == (2, 1, True)
    done = run("out", *policy, "--work-dir", str(tmp_path / "work"), m=None)
    assert (done.code, names(done.err, f"--work-dir {facts}")) == (2, True)
    assert run("out", *policy, m=None).code == 0


def test_a_cluster_is_refused(tmp_path, run):
    done = run("out", "--cluster", "local:2")
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert names(done.err, "--cluster coat")


@pytest.mark.parametrize(("m", "most", "name"), [("2", 100, "row"), ("3", 600, "cells"), ("3", None, "positions")])
def test_a_full_disk_is_reported_with_the_file_and_the_run_resumes(tmp_path, run, monkeypatch, m, most, name):
    place, step = ["--work-dir", str(tmp_path / "work")], "__init__" if most else "_roots"
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    done_before = getattr(ConstraintSearch, step)
    # machine code files are written as well
    assert run("before", "--work-dir", str(tmp_path / "work-before"), m=m).code == 0

    def in_little_room(self, *given):
        resource.setrlimit(resource.RLIMIT_FSIZE, (most or 0, hard))
        return done_before(self, *given)

    try:
        with monkeypatch.context() as patch:
            patch.setattr(ConstraintSearch, step, in_little_room)
            done = run("out", *place, m=m)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert (done.code, len(done.err.splitlines())) == (2, 3)
    assert RAW_DATA_STAY in done.err.splitlines()[1]
    assert names(done.err.splitlines()[-1], "'File too large'")
    assert f"/{name}-" in done.err.splitlines()[-1]
    assert run("out", *place, "--if-exists", "resume", m=m).code == 0
    assert run("memory", m=m).code == 0
    assert files_of(tmp_path / "out") == files_of(tmp_path / "memory")
    assert not (tmp_path / "work").exists()


@pytest.mark.parametrize("values", [1 << 30, -1, 0], ids=["above", "below", "within the codes"])
@pytest.mark.parametrize("when", ["_single_item_groups", "_roots"])
def test_a_block_that_is_damaged_in_the_search_is_named(tmp_path, run, monkeypatch, values, when):
    original = getattr(ConstraintSearch, when)

    def damaged(self, *given):
        np.memmap(backing(self.column.codes).filename, np.int32, "r+")[:] = values
        return original(self, *given)

    monkeypatch.setattr(ConstraintSearch, when, damaged)
    done = run("out", "--work-dir", str(tmp_path / "work"))
    assert (done.code, len(done.err.splitlines())) == (2, 3)
    assert RAW_DATA_STAY in done.err
    assert names(done.err, "damaged")
    assert not (tmp_path / "out").exists()
