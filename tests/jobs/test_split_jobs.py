"""Split jobs publish the same bytes however they run, verify as a single publication, and the account states the
split.
"""

import json
import random
from dataclasses import replace

import pytest
from tests.facts import names
from tests.jobs.test_by_blocks import files_of
from tests.tiny_limits import set_limits

import anonset
from anonset.algorithms.relational.cluster import Cluster
from anonset.algorithms.relational.mondrian import Mondrian
from anonset.algorithms.rt.joint_split import JointSplit
from anonset.cli.main import main
from anonset.data import spans
from anonset.data.storage.scheduler import cluster_of
from anonset.data.storage.usage import REMOTE_TASKS
from anonset.release import memory

COLUMNS = ["--relational", "age,sex", "--numeric", "age", "--keep", "ward", "--publish-as-is", "ward", "--unit", "row"]
ROLES = ["--items", "codes", *COLUMNS]
RT = [*ROLES, "--hierarchy", "codes=balanced:2", "--model", "kkm", "--k", "2", "--m", "2", "--formation", "mondrian"]
RT += ["--on-infeasible", "merge", "--transaction", "apriori"]
ALGORITHMS = {
    "rum-bound": [*RT, "--algorithm", "rum-bound", "--delta", "0.5", "--merge", "r"],
    "tum-bound": [*RT, "--algorithm", "tum-bound", "--delta", "1", "--merge", "rt"],
    "rfirst": [*RT, "--algorithm", "rfirst"],
    "joint-split": [*ROLES, "--model", "kkm", "--k", "2", "--m", "2", "--point", "items"],
    "mondrian": ["--drop", "codes", *COLUMNS, "--model", "k", "--k", "3", "--algorithm", "mondrian"],
}


@pytest.fixture(autouse=True)
def small(monkeypatch, tmp_path):
    monkeypatch.setattr(Mondrian, "traits", replace(Mondrian.traits, split_records=20))
    monkeypatch.setattr(JointSplit, "traits", replace(JointSplit.traits, split_records=20))
    monkeypatch.setattr(Cluster, "traits", replace(Cluster.traits, split_records=20))
    set_limits(monkeypatch, rows_per_bucket=16)
    monkeypatch.setattr(memory, "AT_LEAST", 0)
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))


@pytest.fixture
def run(tmp_path, capsys):
    source = random.Random(5)
    lines = ["ward,codes,age,sex"]
    for _ in range(90):
        codes = " ".join(source.sample("uvwxyz", source.choice([0, 2, 3, 4])))
        lines.append(f"{source.choice('AB')},{codes},{source.randint(0, 30)},{source.choice('fm')}")
    (tmp_path / "v.csv").write_text("\n".join(lines) + "\n")

    def anonymize(out, options, *more):
        code = main(["anonymize", str(tmp_path / "v.csv"), "-o", str(tmp_path / out), *options, *more])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return anonymize


def test_rows_of_a_person_with_a_sensitive_value_are_merged_out_of_core(tmp_path, capsys):
    rows = [(n, n % 31, "fm"[n % 2], "xyz"[n % 3]) for n in range(90)]
    lines = random.Random(7).sample(2 * rows, 2 * len(rows))
    (tmp_path / "v.csv").write_text("pid,age,sex,illness\n" + "".join(f"{p},{a},{s},{i}\n" for p, a, s, i in lines))
    job = ["anonymize", str(tmp_path / "v.csv"), "--relational", "age,sex", "--numeric", "age", "--unit", "pid"]
    job += ["--sensitive", "illness", "--model", "kl", "--k", "3", "--l", "2", "--algorithm", "mondrian"]
    for out, more in (("one", ["--memory-limit", "100"]), ("two", ["--work-dir", str(tmp_path / "work")])):
        assert main([*job, "-o", str(tmp_path / out), *more]) == 0
    assert names(capsys.readouterr().out, "records 90")
    assert files_of(tmp_path / "one") == files_of(tmp_path / "two")


@pytest.mark.parametrize("name", ALGORITHMS)
def test_bytes_are_independent_of_spans_threads_and_storage(tmp_path, run, monkeypatch, name):
    code, out, _ = run("one", ALGORITHMS[name], "--memory-limit", "100")
    assert code == 0
    assert names(out, "split parts")
    assert list((tmp_path / "temporary").iterdir()) == []
    monkeypatch.setattr(spans, "AT_ONCE", 7)
    assert run("two", ALGORITHMS[name], "--work-dir", str(tmp_path / "work"), "--workers", "1")[0] == 0
    assert files_of(tmp_path / "one") == files_of(tmp_path / "two")
    private = [files_of(tmp_path / f"{out}.private") for out in ("one", "two")]
    reports = [json.loads(files.pop("report.json")) for files in private]
    assert private[0] == private[1]
    assert reports[0]["figures"] == reports[1]["figures"]
    assert reports[0]["measures"] == pytest.approx(reports[1]["measures"])
    assert reports[0]["figures"]["parts"] > 2


@pytest.mark.long
def test_joint_split_publishes_the_same_bytes_in_memory_and_in_files(tmp_path, run):
    assert run("memory", ALGORITHMS["joint-split"])[0] == 0
    assert run("files", ALGORITHMS["joint-split"], "--memory-limit", "100")[0] == 0
    assert files_of(tmp_path / "memory") == files_of(tmp_path / "files")
    report = json.loads((tmp_path / "memory.private" / "report.json").read_text())
    assert report["figures"]["parts"] > 2


@pytest.mark.long
def test_published_rows_do_not_reveal_parts(tmp_path, run):
    assert run("out", ALGORITHMS["rfirst"], "--memory-limit", "100")[0] == 0
    rows = (tmp_path / "out" / "published.csv").read_text().splitlines()[1:]
    read_back = anonset.read(
        tmp_path / "out" / "published.csv", items="codes", relational=["age", "sex"], keep=["ward"]
    )
    ranks = [column.codes for column in (*read_back.relational, *read_back.kept)]
    tuples = list(zip(*(codes.tolist() for codes in ranks), strict=True))
    assert len(rows) == read_back.n
    groups = [i for i in range(1, len(tuples)) if tuples[i] != tuples[i - 1]]
    assert len(groups) + 1 == len(set(tuples))  # rows with equal columns are adjacent, even from different parts
    attestation = (tmp_path / "out" / "attestation.json").read_text()
    assert "part" not in attestation.replace("partition", "").replace("apart", "").replace("parties", "")


@pytest.mark.long
def test_data_of_a_single_part_are_published_as_in_memory(tmp_path, run, monkeypatch):
    monkeypatch.setattr(Mondrian, "traits", replace(Mondrian.traits, split_records=100))
    for out, limit in (("memory", []), ("blocks", ["--memory-limit", "100"])):
        code, message, _ = run(out, ALGORITHMS["rum-bound"], *limit)
        assert (code, "split" in message) == (0, False)
    assert files_of(tmp_path / "memory") == files_of(tmp_path / "blocks")


def test_rows_in_input_order_match_their_records(tmp_path, run):
    assert run("out", ALGORITHMS["mondrian"], "--memory-limit", "100", "--order", "input")[0] == 0
    before = (tmp_path / "v.csv").read_text().splitlines()[1:]
    after = (tmp_path / "out" / "published.csv").read_text().splitlines()[1:]
    assert [line.split(",")[0] for line in before] == [line.split(",")[0] for line in after]


def test_algorithms_that_need_all_data_are_not_split(run):
    options = ["--drop", "codes", *COLUMNS, "--model", "k", "--k", "3", "--algorithm", "full-domain"]
    code, _, err = run("out", options, "--memory-limit", "100")
    assert (code, err.count("\n")) == (2, 1)
    others = "cluster mondrian k-member xu-bottom-up xu-top-down parts"
    assert names(" ".join(err.split()), f"full-domain {others}")


def test_a_bound_that_no_part_satisfies_is_infeasible(tmp_path, run):
    options = ["0.0001" if option == "0.5" else option for option in ALGORITHMS["rum-bound"]]
    code, _, err = run("out", options, "--memory-limit", "100")
    assert code == 1
    assert names(err, "clusters relational delta")
    assert not (tmp_path / "out").exists()


@pytest.mark.long
@pytest.mark.compiled
def test_parts_are_solved_on_the_workers_of_a_cluster(tmp_path, run):
    assert run("here", ALGORITHMS["rum-bound"], "--memory-limit", "100")[0] == 0
    data = anonset.scan(
        tmp_path / "v.csv",
        items="codes", relational=["age", "sex"], numeric=["age"], keep=["ward"], unit="row",
        work_dir=tmp_path / "shared",
    )  # fmt: skip
    algorithm = anonset.RumBound(
        k=2, m=2, delta=0.5, merge="r", formation="mondrian", transaction=anonset.Apriori, on_infeasible="merge"
    )
    with cluster_of("local:1") as client:
        release = anonset.anonymize(
            data, algorithm, hierarchies={"codes": "balanced:2"}, out=tmp_path / "there", client=client,
            publish_as_is="ward",
        )  # fmt: skip
    assert release.unverified.result.figures["parts"] > 2
    assert files_of(tmp_path / "here") == files_of(tmp_path / "there")


@pytest.mark.long
@pytest.mark.compiled
def test_bytes_through_the_scheduler_do_not_grow_with_the_records(tmp_path, monkeypatch):
    """Clusters of 3 records are a tenth of a million in a part of the usual size. Each has two labels."""
    source, sent = random.Random(3), {}
    with cluster_of("local:1") as client:
        for n in (2_000, 16_000):
            monkeypatch.setattr(Mondrian, "traits", replace(Mondrian.traits, split_records=n // 2))
            lines = ["age,sum", *(f"{source.randrange(10**6)},{source.randrange(10**6)}" for _ in range(n))]
            (tmp_path / f"{n}.csv").write_text("\n".join(lines) + "\n")
            roles = {"relational": ["age", "sum"], "numeric": ["age", "sum"], "unit": "row"}
            data = anonset.scan(tmp_path / f"{n}.csv", **roles, work_dir=tmp_path / f"{n}.work")
            before = replace(REMOTE_TASKS)
            release = anonset.anonymize(data, Mondrian(k=3), out=tmp_path / f"{n}", client=client)
            assert release.unverified.result.figures["parts"] >= 2
            sent[n] = REMOTE_TASKS.since(before).bytes_sent
    assert sent[16_000] - sent[2_000] < 7_000  # less than half a byte per record
