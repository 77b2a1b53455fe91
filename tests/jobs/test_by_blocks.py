"""A job out of core publishes the same bytes as in memory, removes the work directory, and rejects with a remedy."""

import json
import stat
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from tests.cli.place import Ran
from tests.facts import names, refused
from tests.tiny_limits import set_limits

import anonset
from anonset.cli.main import main
from anonset.data import spans
from anonset.reading.formats import text_chunks
from anonset.release import memory
from anonset.verification import itemsets

BASKETS = "a1 b1 b2\na2 b1\n\na2 b1 b2\na1 a2 b2\nb1\nb2 a1\n"
VISITS = "ward,codes,age\nA,x y,30\nB,y,41\nA,x,30\nA,x y z,30\nB,,30\nB,z,41\n"
AGE_AS_IS = ["--publish-as-is", "age", "--unit", "row"]
PERSONS = "who,codes\np,x\nq,x y\np,y z\nr,x y\ns,z\nq,z\n"


@pytest.fixture(autouse=True)
def small(monkeypatch, tmp_path):
    """Use parts of a few bytes, spans of two records, and a temporary folder of the test."""
    monkeypatch.setattr(text_chunks, "BYTES_AT_ONCE", 9)
    monkeypatch.setattr(spans, "AT_ONCE", 2)
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    monkeypatch.setattr(memory, "AT_LEAST", 0)


def left(tmp_path):
    return [path.name for path in (tmp_path / "temporary").iterdir()]


def files_of(folder):
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def report_of_both(tmp_path):
    """Check that runs in memory and out of core wrote equal files. Return the report of the latter."""
    assert files_of(tmp_path / "memory") == files_of(tmp_path / "blocks")
    private = [files_of(tmp_path / f"{out}.private") for out in ("memory", "blocks")]
    reports = [json.loads(files.pop("report.json")) for files in private]
    assert private[0] == private[1]
    for name in ("measures", "figures", "retention", "warnings"):
        assert reports[0][name] == reports[1][name]
    assert reports[0]["input"]["content_sha256"] == reports[1]["input"]["content_sha256"]
    assert main(["verify", str(tmp_path / "blocks")]) == 0
    assert list((tmp_path / "temporary").iterdir()) == []
    return reports[1]


@pytest.fixture
def anonymize(capsys):
    def run(tmp_path, name, out, *options):
        code = main(
            [
                "anonymize",
                str(tmp_path / name),
                "-o",
                str(tmp_path / out),
                "--model",
                "km",
                "--k",
                "2",
                "--m",
                "2",
                *options,
            ]
        )
        captured = capsys.readouterr()
        return Ran(code, captured.out, captured.err)

    return run


@pytest.mark.parametrize("algorithm", ["apriori", "exact", "lra", "vpa"])
@pytest.mark.parametrize(
    ("name", "text", "roles"),
    [
        ("v.dat", BASKETS, ["--hierarchy", "items=balanced:2"]),
        ("v.dat", BASKETS, ["--hierarchy", "items=halves:frequency"]),
        (
            "v.csv",
            VISITS,
            ["--items", "codes", "--keep", "ward,age", "--hierarchy", "codes=balanced:2", *AGE_AS_IS],
        ),
        ("p.csv", PERSONS, ["--items", "codes", "--unit", "who", "--hierarchy", "codes=balanced:2"]),
    ],
)
@pytest.mark.long
def test_bytes_equal_a_run_in_memory(tmp_path, anonymize, algorithm, name, text, roles):
    (tmp_path / name).write_text(text)
    options = [*roles, "--algorithm", algorithm, "--accept", "worthless"]
    assert anonymize(tmp_path, name, "memory", *options).code == 0
    done = anonymize(tmp_path, name, "blocks", *options, "--memory-limit", "100")
    assert done.code == 0
    assert names(done.err, "'out of core'")
    assert done.err.count("out of core") == 1
    assert files_of(tmp_path / "blocks") == files_of(tmp_path / "memory")
    private = [files_of(tmp_path / f"{out}.private") for out in ("memory", "blocks")]
    reports = [json.loads(files.pop("report.json")) for files in private]
    assert private[0] == private[1]
    assert reports[0]["measures"] == reports[1]["measures"]
    if "who" not in roles:  # ids are not published, so they are not among the columns read out of core
        assert reports[0]["input"] == reports[1]["input"]
    assert left(tmp_path) == []


@pytest.mark.long
def test_diverse_sets_are_published_the_same_from_a_work_directory(tmp_path, capsys):
    rows = ["a1 b1 s1", "a1 b2", "a2 b1 s2", "a2 b2", "a1 b1", "a2 b2 s1", "a1 b2 s2", "a2 b1"]
    (tmp_path / "v.dat").write_text("\n".join(rows) + "\n")
    options = [
        "--model",
        "lm",
        "--k",
        "2",
        "--l",
        "3",
        "--m",
        "2",
        "--sensitive-items",
        "s1,s2",
        "--algorithm",
        "lm-apriori",
    ]
    command = ["anonymize", str(tmp_path / "v.dat"), *options, "--hierarchy", "items=balanced:2"]
    for out, more in (("memory", []), ("one", ["--workers", "1"]), ("two", ["--workers", "2"])):
        work = ["--work-dir", str(tmp_path / "work")] if more else []
        assert main([*command, *more, *work, "-o", str(tmp_path / out)]) == 0
        assert names(capsys.readouterr().err, "'out of core'") is bool(more)
        assert not (tmp_path / "work").exists()
    assert files_of(tmp_path / "one") == files_of(tmp_path / "two") == files_of(tmp_path / "memory")
    private = [files_of(tmp_path / f"{out}.private") for out in ("memory", "one", "two")]
    reports = [json.loads(files.pop("report.json")) for files in private]
    assert private[0] == private[1] == private[2]
    compared_fields = ["verdict", "trace", "figures", "measures"]
    assert [reports[0].get(name) for name in compared_fields] == [reports[1].get(name) for name in compared_fields]
    assert reports[0]["measures"]["ncp"] > 0


@pytest.mark.parametrize("partitions", ["1", "3"])
def test_partitions_are_published_the_same_from_a_work_directory(tmp_path, capsys, partitions):
    (tmp_path / "v.dat").write_text(BASKETS * 3 + "a1\n")
    options = ["--model", "partition-km", "--k", "2", "--m", "2", "--algorithm", "lra", "--partitions", partitions]
    command = ["anonymize", str(tmp_path / "v.dat"), *options, "--hierarchy", "items=balanced:2"]
    (tmp_path / "trace.toml").write_text("trace = true\n")
    traced = ["--config", str(tmp_path / "trace.toml")]
    for out, more in (("memory", []), ("one", ["--workers", "1"]), ("blocks", ["--workers", "2", *traced])):
        work = ["--work-dir", str(tmp_path / "work")] if more else traced
        assert main([*command, *more, *work, "-o", str(tmp_path / out)]) == 0
        assert names(capsys.readouterr().err, "'out of core'") is bool(more)
        assert not (tmp_path / "work").exists()
    reports = [json.loads((tmp_path / f"{out}.private" / "report.json").read_text()) for out in ("memory", "blocks")]
    assert len(reports[0]["trace"]) == int(partitions)
    for name in ("trace", "verified", "clusters"):
        assert reports[0].get(name) == reports[1].get(name)
    (tmp_path / "one.private" / "report.json").unlink()
    assert files_of(tmp_path / "one") == files_of(tmp_path / "memory")
    both = files_of(tmp_path / "one.private"), files_of(tmp_path / "memory.private")
    assert {**both[0], "report.json": both[1]["report.json"]} == both[1]
    report_of_both(tmp_path)


@pytest.mark.parametrize("text", ["a b\n\n", "\n\n"], ids=["too few", "none"])
def test_undersized_partitions_are_the_same_as_in_memory(tmp_path, anonymize, text):
    (tmp_path / "v.dat").write_text(text)
    options = [
        "--model",
        "partition-km",
        "--algorithm",
        "lra",
        "--hierarchy",
        "items=balanced:2",
        "--accept",
        "worthless",
    ]
    ran = [anonymize(tmp_path, "v.dat", "out", *options, *more) for more in ([], ["--memory-limit", "1"])]
    assert ran[0].code == ran[1].code != 0
    assert ran[0].err.splitlines()[-1] == ran[1].err.splitlines()[-1]
    assert left(tmp_path) == []


@pytest.mark.long
def test_many_files_are_one_data_set_in_memory_and_by_blocks(tmp_path, anonymize):
    for name, text in (("a", "a b\nb\n"), ("b", "a\na b\n")):
        (tmp_path / f"{name}.dat").write_text(text)
    for limit in ([], ["--memory-limit", "1"]):
        out = f"out{len(limit)}"
        assert anonymize(tmp_path, "*.dat", out, "--hierarchy", "items=balanced:2", *limit).code == 0
    assert files_of(tmp_path / "out0") == files_of(tmp_path / "out2")


def test_a_tree_of_folders_is_a_data_set(tmp_path, anonymize):
    for year in ("2020", "2021"):
        (tmp_path / "data" / f"year={year}").mkdir(parents=True)
        (tmp_path / "data" / f"year={year}" / "v.csv").write_text("codes\nx y\nx y\n")
    roles = ["--unit", "row", "--items", "codes", "--keep", "year", "--hierarchy", "codes=balanced:2"]
    assert anonymize(tmp_path, "data", "out", *roles).code == 0
    assert (tmp_path / "out" / "published.csv").read_text().splitlines()[1] == "x y,2020"


def test_a_named_work_directory_is_kept_if_the_run_fails(tmp_path, anonymize):
    (tmp_path / "v.dat").write_text(BASKETS)
    work, tree = tmp_path / "work", ("--hierarchy", "items=balanced:2")
    done = anonymize(tmp_path, "v.dat", "out", *tree, "--work-dir", str(work), "--max-loss", "0")
    assert (done.code, names(done.err, f"core {work}")) == (1, True)
    assert stat.S_IMODE(work.stat().st_mode) == 0o700
    repeated = anonymize(tmp_path, "v.dat", "again", "--hierarchy", "items=balanced:2", "--work-dir", str(work))
    assert (repeated.code, names(repeated.err, f"{work} empty")) == (2, True)
    assert not (tmp_path / "again").exists()


@pytest.mark.parametrize(
    ("options", "code"),
    [
        (["--max-loss", "0", "--hierarchy", "items=balanced:2"], 1),
        (["--hierarchy", "items=none.csv"], 2),
    ],
)
def test_a_failure_leaves_no_files(tmp_path, anonymize, options, code):
    (tmp_path / "v.dat").write_text(BASKETS)
    assert anonymize(tmp_path, "v.dat", "out", *options, "--memory-limit", "1").code == code
    assert left(tmp_path) == []
    assert not (tmp_path / "out").exists()


FOR_KM = "apriori exact vpa core coat pcta m"


@pytest.mark.parametrize(
    ("options", "line"),
    [
        (
            ["--algorithm", "direct"],
            f"direct {FOR_KM}",
        ),
    ],
)
def test_algorithms_that_need_all_records_in_memory_are_rejected(tmp_path, anonymize, options, line):
    (tmp_path / "v.dat").write_text(BASKETS)
    hierarchy = ["--hierarchy", "items=balanced:2"]
    done = anonymize(tmp_path, "v.dat", "out", *hierarchy, *options, "--memory-limit", "100")
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert names(done.err, f"100 B {line}")
    done = anonymize(tmp_path, "v.dat", "out", *hierarchy, *options, "--work-dir", str(tmp_path / "work"))
    assert (done.code, names(done.err, f"--work-dir core {line}")) == (2, True)
    assert not (tmp_path / "work").exists()


@pytest.mark.parametrize(
    ("model", "line"),
    [
        (
            ["coherence", "--h", "0.5", "--p", "1", "--sensitive-items", "b2", "--algorithm", "coherence-suppression"],
            f"coherence-suppression '--model coherence' '--model km' {FOR_KM}",
        ),
        (
            ["km", "--m", "2", "--algorithm", "hghs"],
            f"hghs {FOR_KM}",
        ),
    ],
)
def test_a_rejected_algorithm_is_reported_with_alternatives_for_its_model(tmp_path, capsys, monkeypatch, model, line):
    monkeypatch.setattr(memory, "AT_LEAST", 0)
    (tmp_path / "v.dat").write_text(BASKETS)
    command = ["anonymize", str(tmp_path / "v.dat"), "-o", str(tmp_path / "out"), "--k", "2", "--model", *model]
    tree = [] if model[0] == "coherence" else ["--hierarchy", "items=balanced:2"]
    assert main([*command, *tree, "--memory-limit", "100"]) == 2
    assert names(capsys.readouterr().err, line)


def test_a_limit_below_the_minimum_is_rejected(tmp_path, anonymize, monkeypatch):
    monkeypatch.setattr(memory, "AT_LEAST", 5000)
    (tmp_path / "v.dat").write_text(BASKETS)
    done = anonymize(tmp_path, "v.dat", "out", "--hierarchy", "items=balanced:2", "--memory-limit", "100")
    assert (done.code, names(done.err, "4.9 KiB 100 B")) == (2, True)


def test_the_limit_of_a_control_group_counts(tmp_path, monkeypatch):
    monkeypatch.setattr(memory, "_MEMINFO", tmp_path / "meminfo")
    (tmp_path / "meminfo").write_text("MemAvailable:    1000 kB\n")
    for remaining, limit in ((500_000, 400_000), (None, 819_200)):
        monkeypatch.setattr(memory, "memory_left", lambda left=remaining: left)
        assert memory.default_limit() == limit


def test_a_table_that_was_scanned_is_published_from_python(tmp_path, anonymize):
    (tmp_path / "v.dat").write_text(BASKETS)
    assert (
        anonymize(tmp_path, "v.dat", "command", "--hierarchy", "items=balanced:2", "--algorithm", "apriori").code == 0
    )
    algorithm, trees = anonset.Apriori(k=2, m=2), {"items": "balanced:2"}
    data = anonset.scan(tmp_path / "v.dat")
    release = anonset.anonymize(data, algorithm, hierarchies=trees, out=tmp_path / "out", format="dat")
    assert release.verdict.holds
    assert files_of(tmp_path / "out") == files_of(tmp_path / "command")
    assert left(tmp_path) == [data.store.path.name]
    with refused(anonset.InputError, f"{tmp_path / 'out'}", code="exists"):
        anonset.anonymize(data, algorithm, hierarchies=trees, out=tmp_path / "out")
    with refused(anonset.InputError, "format part_rows out"):
        anonset.anonymize(data, algorithm, hierarchies=trees, part_rows=2)


@pytest.mark.long
@pytest.mark.parametrize("keep", [(), ("--keep", "note", "--publish-as-is", "note")])
def test_one_worker_uses_one_thread_in_all_phases(tmp_path, anonymize, monkeypatch, keep):
    """Kept columns are stored in files and sorted there. No step starts threads within the threads of another step."""
    pools, within = [], []

    class Pool(ThreadPoolExecutor):
        def __init__(self, *given, **options):
            pools.append(given)
            within.append(threading.current_thread().name.startswith("anonset-"))
            super().__init__(*given, **options)

    monkeypatch.setattr("anonset.data.storage.workers.ThreadPoolExecutor", Pool)
    monkeypatch.setattr(itemsets, "_WORTH_THREADS", 0)
    monkeypatch.setattr(spans, "cores", lambda: 2)
    set_limits(monkeypatch, labels_held=1)
    rows = [f"{row},n{i}" for i, row in enumerate(filter(None, BASKETS.split("\n")))]
    (tmp_path / "v.csv").write_text("\n".join(["items,note", *rows, ""]))
    roles = ["--unit", "row", "--items", "items", *(keep or ("--drop", "note")), "--hierarchy", "items=balanced:2"]
    for workers in ("1", "2"):
        pools.clear()
        place = ["--work-dir", str(tmp_path / "work"), "--workers", workers]
        done = anonymize(tmp_path, "v.csv", f"out{workers}", *roles, "--algorithm", "apriori", *place)
        assert done.code == 0, done.err
        assert set(pools) == ({(2,)} if workers == "2" else set())
        assert not any(within)
    assert files_of(tmp_path / "out1") == files_of(tmp_path / "out2")
