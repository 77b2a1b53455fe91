"""Disassociation out of core publishes the same bytes as in memory."""

import random

import pytest
from tests.cli.place import Ran
from tests.facts import names
from tests.jobs.test_by_blocks import files_of, report_of_both

from anonset.cli.main import main
from anonset.data import spans
from anonset.reading.formats import text_chunks
from anonset.release import memory

N_ROWS = 150


@pytest.fixture(autouse=True)
def small(monkeypatch, tmp_path):
    """Use parts of some bytes, and a temporary folder of the test."""
    monkeypatch.setattr(text_chunks, "BYTES_AT_ONCE", 99)
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    monkeypatch.setattr(memory, "AT_LEAST", 0)


@pytest.fixture
def run(tmp_path, capsys):
    source = random.Random(7)
    rows = [{f"i{int(30 * source.random() ** 2)}" for _ in range(source.randint(0, 6))} for _ in range(N_ROWS)]
    (tmp_path / "v.dat").write_text("".join(" ".join(sorted(row)) + "\n" for row in rows))

    def anonymize(out, *options):
        arguments = ["--model", "disassociation", "--k", "2", "--cluster-size", "5", *options]
        code = main(["anonymize", str(tmp_path / "v.dat"), "-o", str(tmp_path / out), *arguments])
        captured = capsys.readouterr()
        return Ran(code, captured.out, captured.err)

    return anonymize


@pytest.mark.long
@pytest.mark.parametrize("at_once", [3, 40, 10 * N_ROWS])
@pytest.mark.parametrize(
    "options",
    [
        ("--m", "2"),
        ("--m", "3", "--counts", "--sensitive-items", "i1,i9", "--part-rows", "7"),
        ("--m", "2", "--format", "parquet", "--counts"),
    ],
    ids=["m=2", "counts and a cap in parts", "parquet"],
)
def test_bytes_equal_a_run_in_memory(tmp_path, run, monkeypatch, options, at_once):
    assert run("memory", *options).code == 0
    monkeypatch.setattr(spans, "AT_ONCE", at_once)
    done = run("blocks", *options, "--memory-limit", "100")
    assert (done.code, done.err.count("\n")) == (0, 1)
    assert names(done.err, "'out of core'")
    assert report_of_both(tmp_path)["figures"]["shared_chunks"] > 0


@pytest.mark.long
def test_a_failed_run_resumes_to_the_same_bytes(tmp_path, run, monkeypatch):
    assert run("memory", "--m", "2").code == 0
    monkeypatch.setattr(spans, "AT_ONCE", 40)
    work = ["--m", "2", "--work-dir", str(tmp_path / "work")]
    with monkeypatch.context() as patch:
        patch.setattr("anonset.publications.Chunks.require_same", lambda *_: pytest.fail("stop"))
        with pytest.raises(pytest.fail.Exception, match="stop"):
            run("out", *work)
    assert (tmp_path / "work" / "done-read.npz").exists()
    assert not (tmp_path / "out").exists()
    monkeypatch.setattr("anonset.reading.table_builder.gather_files", lambda *_: pytest.fail("read again"))
    assert run("out", *work, "--if-exists", "resume").code == 0
    assert files_of(tmp_path / "out") == files_of(tmp_path / "memory")
    assert not (tmp_path / "work").exists()


@pytest.mark.long
def test_chunks_read_in_blocks_verify_against_the_original(tmp_path, run, monkeypatch, capsys):
    assert run("out", "--m", "2").code == 0
    monkeypatch.setattr(spans, "AT_ONCE", 9)
    work, original = ["--work-dir", str(tmp_path / "work")], ["--original", str(tmp_path / "v.dat")]
    assert main(["verify", str(tmp_path / "out"), *original, *work]) == 0
    rows = (tmp_path / "v.dat").read_text().splitlines()
    rows[3] = f"{rows[3]} i0".strip() if "i0" not in rows[3].split() else "i1"
    (tmp_path / "other.dat").write_text("\n".join(rows) + "\n")
    capsys.readouterr()
    assert main(["verify", str(tmp_path / "out"), "--original", str(tmp_path / "other.dat"), *work]) == 1
    assert "cluster" in capsys.readouterr().out


def test_clusters_of_the_paper_take_all_records_at_once(tmp_path, run):
    done = run("out", "--m", "2", "--clustering", "horpart", "--memory-limit", "100")
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert names(done.err, "disassociation 'out of core' Gray")
    assert files_of(tmp_path / "temporary") == {}
