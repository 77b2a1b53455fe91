"""Disassociation from the command line: publication, verification and evaluation."""

import json
import random
import shlex
from pathlib import Path

import pytest
from pyarrow import parquet
from tests.facts import names
from tests.tiny_limits import LIMIT, tiny_limits

from anonset.data.resumption.ledger import from_json
from cli.place import Place
from cli.published import IN_CHUNKS, publish, rows_of, verified


def test_a_publication_consists_of_three_files_that_anyone_can_verify(chunks: Place) -> None:
    ran = publish(chunks, "sets.dat", *IN_CHUNKS, "--json")
    assert ran.json["verdict"] == "holds"
    assert ran.json["measures"]["not_in_chunks"] == 1 - ran.json["shares"]["items"]["in_chunks"]
    tables = {"clusters.csv", "chunks.csv", "shared.csv"}
    assert {path.name for path in chunks.out.iterdir()} == {*tables, "attestation.json"}
    assert {path.name for path in chunks.private.iterdir()} == {"records.csv", "report.json"}
    assert list(rows_of(chunks.out / "clusters.csv")[0]) == ["cluster", "n", "terms"]
    assert list(rows_of(chunks.out / "chunks.csv")[0]) == ["cluster", "chunk", "items", "count"]
    assert list(rows_of(chunks.out / "shared.csv")[0]) == ["first", "last", "chunk", "items", "count"]
    assert sum(int(row["n"]) for row in rows_of(chunks.out / "clusters.csv")) == 150
    assert len(rows_of(chunks.private / "records.csv")) == 150
    attested = json.loads((chunks.out / "attestation.json").read_text())
    assert attested["counts"]["records"] == 150
    assert "1/3" in attested["statement"]
    assert names(attested["limits"], "sub-record 1/3")
    assert chunks.run("verify", str(chunks.out)).code == 0
    assert chunks.run("verify", str(chunks.out), "--model", "disassociation", "--k", "40", "--m", "2").code == 1
    verification = verified(chunks, "sets.dat")
    assert (verification.code, verification.json["true"]) == (0, True), verification.err


def test_only_a_check_of_chunks_runs_out_of_core(chunks: Place) -> None:
    publish(chunks, "sets.dat", *IN_CHUNKS)
    with tiny_limits():
        assert chunks.run("verify", str(chunks.out), "--memory-limit", LIMIT).code == 0
        assert chunks.run("evaluate", str(chunks.folder / "sets.dat"), str(chunks.out)).code == 0
        refused = chunks.run("evaluate", str(chunks.folder / "sets.dat"), str(chunks.out), "--memory-limit", LIMIT)
    assert refused.code == 2
    assert names(refused.err, "chunks memory '64.0 KiB'")


def test_the_account_suggests_next_commands(chunks: Place) -> None:
    ran = publish(chunks, "sets.dat", *IN_CHUNKS)
    assert names(ran.out, "chunks")
    assert names(ran.out, "'not in chunks' 3.3% terms suppressed")
    assert names(ran.out, f"Next anonset risk {chunks.private}/report.json anonset report")


@pytest.mark.long
def test_the_bytes_depend_on_no_order_of_rows_and_on_no_workers(chunks: Place) -> None:
    lines = (chunks.folder / "sets.dat").read_text().splitlines()
    random.Random(2).shuffle(lines)
    chunks.write("mixed.dat", "\n".join(lines) + "\n")
    contents = []
    for name, workers in (("sets.dat", "1"), ("sets.dat", "3"), ("mixed.dat", "1")):
        out = chunks.folder / f"{name}{workers}"
        job = ("anonymize", str(chunks.folder / name), *IN_CHUNKS, "--workers", workers, "-o", str(out), "--quiet")
        assert chunks.run(*job).code == 0
        contents.append({path.name: path.read_bytes() for path in out.iterdir()})
    assert contents[0] == contents[1] == contents[2]


SECRETS = ("--sensitive-items", "0,5", "--cap", "1/3")


def test_sensitive_items_are_separate_and_capped_as_attested(chunks: Place) -> None:
    publish(chunks, "sets.dat", *IN_CHUNKS, *SECRETS)
    sizes = {row["cluster"]: int(row["n"]) for row in rows_of(chunks.out / "clusters.csv")}
    rows = rows_of(chunks.out / "chunks.csv")
    shown = [row for row in rows if {"0", "5"} & set(row["items"].split(" "))]
    assert shown
    assert all(row["items"] in ("0", "5") and 3 * int(row["count"]) <= sizes[row["cluster"]] for row in shown)
    attested = json.loads((chunks.out / "attestation.json").read_text())
    assert (attested["parameters"]["sensitive_items"], attested["parameters"]["cap"]) == (["0", "5"], "1/3")
    assert names(attested["statement"], "sensitive 1/3")
    verification = verified(chunks, "sets.dat")
    assert (verification.code, verification.json["true"]) == (0, True), verification.err
    options = ("--model", "disassociation", "--k", "3", "--m", "2", "--sensitive-items", "0,5", "--cap")
    assert chunks.run("verify", str(chunks.out), *options, "0.1").code == 1


def test_sensitive_items_are_capped_at_one_half_by_default(chunks: Place) -> None:
    publish(chunks, "sets.dat", *IN_CHUNKS, "--sensitive-items", "0")
    attested = json.loads((chunks.out / "attestation.json").read_text())
    assert attested["parameters"]["cap"] == 0.5


LAYOUTS = [
    (),
    ("--format", "parquet"),
    ("--part-rows", "7"),
    ("--format", "parquet", "--part-rows", "7"),
]


@pytest.mark.parametrize("layout", LAYOUTS, ids=" ".join)
@pytest.mark.parametrize("counts", [(), ("--counts",)], ids=" ".join)
@pytest.mark.long
def test_all_layouts_contain_the_same_chunks(chunks: Place, layout: tuple[str, ...], counts: tuple[str, ...]) -> None:
    publish(chunks, "sets.dat", *IN_CHUNKS, *counts, *layout)
    tables = ["clusters", "chunks", "shared", *(["counts"] if counts else [])]
    attested = json.loads((chunks.out / "attestation.json").read_text())["data"]
    names = {path.relative_to(chunks.out).as_posix() for path in chunks.out.rglob("*") if path.is_file()}
    assert names == {*attested["sha256"], "attestation.json"}
    if "--part-rows" in layout:
        assert list(attested["parts"]) == tables
        sizes = [len(_table_of(path)) for path in sorted((chunks.out / "chunks").iterdir())]
        assert set(sizes[:-1]) == {7}
    plain = chunks.folder / "plain"
    assert chunks.run("anonymize", str(chunks.folder / "sets.dat"), *IN_CHUNKS, *counts, "-o", str(plain)).code == 0
    for table in tables:
        rows = [row for file in _files_of(chunks.out, table) for row in _table_of(file)]
        assert rows == _table_of(plain / f"{table}.csv")
    verification = verified(chunks, "sets.dat")
    assert (verification.code, verification.json["true"]) == (0, True), verification.err
    assert chunks.run("evaluate", str(chunks.folder / "sets.dat"), str(chunks.out), "--quiet").code == 0
    (chunks.out / "attestation.json").unlink()
    assert chunks.run("verify", str(chunks.out), "--model", "disassociation", "--k", "3", "--m", "2").code == 0


@pytest.mark.parametrize("layout", LAYOUTS, ids=" ".join)
def test_a_table_without_rows_is_read_back(chunks: Place, layout: tuple[str, ...]) -> None:
    publish(chunks, "sets.dat", *IN_CHUNKS[:-1], "200", "--counts", *layout)
    assert _table_of(_files_of(chunks.out, "shared")[0]) == []
    verification = verified(chunks, "sets.dat")
    assert (verification.code, verification.json["true"]) == (0, True), verification.err


def _files_of(out: Path, table: str) -> list[Path]:
    return sorted(path for path in out.rglob("*") if path.is_file() and table in (path.stem, path.parent.name))


def _table_of(path: Path) -> list[dict[str, str]]:
    if path.suffix == ".csv":
        return rows_of(path)
    rows = parquet.read_table(path).to_pylist()
    return [{name: " ".join(x) if isinstance(x, list) else str(x) for name, x in row.items()} for row in rows]


def test_totals_count_the_records_that_contain_a_term(chunks: Place) -> None:
    publish(chunks, "sets.dat", *IN_CHUNKS, "--counts", "--sensitive-items", "0")
    terms = {item for row in rows_of(chunks.out / "clusters.csv") for item in row["terms"].split(" ")}
    assert "0" in terms
    totals = {row["item"]: int(row["total"]) for row in rows_of(chunks.out / "counts.csv")}
    assert totals.keys() == terms - {"", "0"}
    report = json.loads((chunks.private / "report.json").read_text())
    sensitive = report["retention"]["items"]["terms"] - sum(totals.values())
    assert sensitive > 0


def test_a_set_column_of_a_table_can_be_disassociated(chunks: Place) -> None:
    publish(chunks, "sets.csv", *IN_CHUNKS, "--items", "codes", "--drop", "age", "--unit", "row")
    assert any("c1" in row["items"].split(" ") for row in rows_of(chunks.out / "chunks.csv"))
    verification = verified(chunks, "sets.csv", "--drop", "age")
    assert (verification.code, verification.json["true"]) == (0, True), verification.err


def test_compare_varies_its_parameters(done: Place) -> None:
    ran = done.run("compare", str(done.folder / "sets.dat"), *IN_CHUNKS[:2], "--k", "3,5", "--m", "2")
    assert (ran.code, ran.out.count("holds")) == (0, 2)


@pytest.mark.long
def test_suggest_lists_disassociation_as_an_alternative_that_runs(
    chunks: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(chunks.folder)
    ran = chunks.run("suggest", "sets.dat", "--k", "3", "--m", "2", "--json")
    assert ran.code == 0, ran.err
    beside = ran.json["beside"]
    assert (beside["algorithm"], beside["beside"]) == ("disassociation", "disassociation")
    assert ran.json["recommended"]["algorithm"] != "disassociation"
    command = shlex.split(beside["command"])
    assert command[-4:] == ["--m", "2", "-o", "sets-disassociation"]
    assert chunks.run(*command[1:]).code == 0
    assert json.loads(Path("sets-disassociation/attestation.json").read_text())["model"] == "disassociation"
    ran = chunks.run("suggest", "sets.dat", "--k", "3", "--m", "2")
    assert names(ran.out, "disassociation 'other guarantee'")
    assert names(ran.out, "km disassociation")
    assert chunks.run("suggest", "sets.dat", "--k", "3", "--m", "1", "--json").json["beside"] is None
    chunks.write("job.toml", 'input = "sets.dat"\nmodel = "km"\nk = 3\nm = 2\nout = "asked"\n')
    of_job = shlex.split(chunks.run("suggest", "job.toml", "--json").json["beside"]["command"])
    ran = chunks.run(*of_job[1:])
    assert ran.code == 0, ran.err
    assert json.loads(Path("job-disassociation/attestation.json").read_text())["model"] == "disassociation"


def test_compare_marks_another_guarantee(done: Place) -> None:
    algorithms = ("--algorithms", "exact,disassociation", "--k", "3", "--m", "2")
    hierarchy = ("--hierarchy", "items=balanced:3")
    ran = done.run("compare", str(done.folder / "sets.dat"), *algorithms, *hierarchy, "--workload", "record:20x2")
    assert ran.code == 0, ran.err
    assert names(ran.out, "exact km disassociation")


def test_compare_measures_query_errors(done: Place) -> None:
    study = done.folder / "study.jsonl"
    options = ("--workload", "record:20x2", "-o", str(study))
    ran = done.run("compare", str(done.folder / "sets.dat"), *IN_CHUNKS, *options)
    assert ran.code == 0, ran.err
    assert 0 < from_json(json.loads(study.read_text().splitlines()[-1])["run"]).measures["are"] < 1


@pytest.mark.parametrize("workload", ["record:50x2", "domain:50x2", "published:50x1"])
def test_evaluate_answers_queries(done: Place, workload: str) -> None:
    ran = done.run("evaluate", str(done.folder / "sets.dat"), str(done.out), "--workload", workload, "--json")
    assert ran.code == 0, ran.err
    of_run = json.loads((done.private / "report.json").read_text())["measures"]
    assert ran.json["not_in_chunks"] == pytest.approx(of_run["not_in_chunks"], rel=1e-12)
    assert ran.json["tlost"] == 0
    assert (ran.json["answered"] + ran.json["skipped"], ran.json["reading"]) == (50, None)
    assert 0 <= ran.json["are"] < 1
    assert workload.endswith("x1") or ran.json["are"] > 0


@pytest.mark.parametrize(
    "how", [IN_CHUNKS, ("--algorithm", "exact", "--hierarchy", "items=balanced:3", "--k", "3", "--m", "2")]
)
def test_evaluate_measures_frequent_sets(chunks: Place, how: tuple[str, ...]) -> None:
    publish(chunks, "sets.dat", *how)
    options = ("evaluate", str(chunks.folder / "sets.dat"), str(chunks.out), "--top", "20")
    readings = (None, None) if how is IN_CHUNKS else ("one-member", "subsets")
    for reading in readings:
        reading_option = () if reading is None else ("--reading", reading)
        ran = chunks.run(*options, *reading_option, "--json")
        assert ran.code == 0, ran.err
        sets = ran.json["itemsets"]
        assert (sets["top"], sets["reading"]) == (20, reading)
        assert 0 < sets["tkd"] < 1
        assert 0 < sets["re"] < 2
        assert 0 <= ran.json["tlost"] <= 1
    ran = chunks.run(*options)
    named = ", one-member" if readings[0] else ""
    assert names(ran.out, f"(tKd{named})")
    assert names(ran.out, "20 2 4 sets")


def test_frequent_sets_contain_only_items(place: Place) -> None:
    place.write("people.csv", "age,sex\n" + "20,f\n30,m\n" * 9)
    columns = ("--relational", "age,sex", "--numeric", "age", "--hierarchy", "age=range")
    publish(place, "people.csv", "--model", "k", "--k", "3", *columns, "--unit", "row", "--accept", "worthless")
    ran = place.run("evaluate", str(place.folder / "people.csv"), str(place.out), *columns, "--top", "9")
    assert (ran.code, len(ran.err.strip().splitlines())) == (2, 1)
    assert names(ran.err, "--top set-valued")


def test_risk_measures_inference_of_other_items(done: Place) -> None:
    sets = str(done.folder / "sets.dat")
    ran = done.run("risk", str(done.out))
    assert ran.code == 0, ran.err
    smallest = min(int(row["n"]) for row in rows_of(done.out / "clusters.csv"))
    assert names(ran.out, f"150 records 13 clusters {smallest}")
    assert "--original FILE" in ran.out
    assert not names(ran.out, "inferred")
    ran = done.run("risk", str(done.out), "--original", sets)
    assert (ran.code, names(ran.out, "inferred"), "--original FILE" in ran.out) == (0, True, False), ran.err
    by_name = {}
    for options in (("--original", sets), ("--original", sets, "--attempts", "10")):
        ran = done.run("risk", str(done.out), *options, "--json")
        assert (ran.code, ran.json["model"], ran.json["smallest"]) == (0, "disassociation", smallest)
        by_name = {entry["source"]: entry for entry in ran.json["told"]}
        assert by_name["publication"]["likely"] < by_name["original"]["likely"]
    assert by_name["original"]["persons"] == 10
    with_original = done.run("risk", f"{done.private}/report.json", "--json")
    assert with_original.json["told"], with_original.err


def test_risk_measures_inference_of_other_items_for_other_models(chunks: Place) -> None:
    exact = ("--algorithm", "exact", "--hierarchy", "items=balanced:3", "--k", "3", "--m", "2")
    publish(chunks, "sets.dat", *exact)
    original = str(chunks.folder / "sets.dat")
    ran = chunks.run("risk", str(chunks.out), "--original", original, *exact[2:4], "--json")
    assert ran.code == 0, ran.err
    by_source = {entry["source"]: entry for entry in ran.json["told"]}
    assert by_source["publication"]["likely"] < by_source["original"]["likely"]
    assert chunks.run("risk", str(chunks.out), "--json").json["told"] == []


@pytest.mark.parametrize("shareable", [True, False])
def test_the_report_describes_chunks(done: Place, shareable: bool) -> None:
    page, sets = done.folder / "page.html", str(done.folder / "sets.dat")
    how = ("--shareable",) if shareable else ("--original", sets)
    ran = done.run("report", str(done.out), *how, "-o", str(page))
    assert ran.code == 0, ran.err
    text = page.read_text()
    for part in ("Occurrences of items in chunks", "Terms of clusters", "disassociation", "records of a cluster"):
        assert part in text
    assert ("Inference of other items" in text) != shareable
    assert names(text, "median error") != shareable
    assert (">in chunks<" in text) != shareable
