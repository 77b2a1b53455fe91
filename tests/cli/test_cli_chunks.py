"""Disassociation from the command line: what is published, checked, refused, and what cannot be done with it yet."""

import csv
import json
import random
import shlex
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from shutil import rmtree

import pyarrow as pa
import pytest
from pyarrow import parquet

from cli.place import Place
from cli.published import publish, rows_of, verified

MODEL = ("--model", "disassociation", "--k", "3", "--m", "2", "--cluster-size", "12")
FILES = {"clusters.csv", "chunks.csv", "shared.csv"}


@pytest.fixture
def chunks(place: Place) -> Place:
    draw = random.Random(1)
    rows = [sorted({int(12 * draw.random() ** 2) for _ in range(draw.randint(0, 5))}) for _ in range(150)]
    place.write("sets.dat", "".join(" ".join(map(str, row)) + "\n" for row in rows))
    place.write("sets.csv", "age,codes\n" + "".join(f"3,{' '.join(f'c{item}' for item in row)}\n" for row in rows))
    return place


@pytest.fixture
def done(chunks: Place, publish_once: Callable[..., None]) -> Place:
    publish_once(chunks, "sets.dat", *MODEL)
    return chunks


def test_a_publication_is_three_files_that_anybody_can_verify(chunks: Place) -> None:
    ran = publish(chunks, "sets.dat", *MODEL, "--json")
    assert ran.json["verdict"] == "holds"
    assert ran.json["measures"]["not_in_chunks"] == 1 - ran.json["shares"]["items"]["in_chunks"]
    assert {path.name for path in chunks.out.iterdir()} == {*FILES, "attestation.json"}
    assert {path.name for path in chunks.private.iterdir()} == {"records.csv", "report.json"}
    assert list(rows_of(chunks.out / "clusters.csv")[0]) == ["cluster", "n", "terms"]
    assert list(rows_of(chunks.out / "chunks.csv")[0]) == ["cluster", "chunk", "items", "count"]
    assert list(rows_of(chunks.out / "shared.csv")[0]) == ["first", "last", "chunk", "items", "count"]
    assert sum(int(row["n"]) for row in rows_of(chunks.out / "clusters.csv")) == 150
    assert len(rows_of(chunks.private / "records.csv")) == 150
    attested = json.loads((chunks.out / "attestation.json").read_text())
    assert attested["counts"]["records"] == 150
    assert "1/3" in attested["statement"]
    for part in ("whose a sub-record is, not what it says", "repeats the whole method", "1/3"):
        assert part in attested["limits"]
    assert chunks.run("verify", str(chunks.out)).code == 0
    assert chunks.run("verify", str(chunks.out), "--model", "disassociation", "--k", "40", "--m", "2").code == 1
    found = verified(chunks, "sets.dat")
    assert (found.code, found.json["true"]) == (0, True), found.err


def test_the_account_names_what_comes_next(chunks: Place) -> None:
    ran = publish(chunks, "sets.dat", *MODEL)
    assert "in chunks (" in ran.out
    assert "loss (NOT IN CHUNKS)" in ran.out
    assert f"Next: anonset verify {chunks.out}" in ran.out


def test_the_bytes_depend_on_no_order_of_rows_and_on_no_workers(chunks: Place) -> None:
    lines = (chunks.folder / "sets.dat").read_text().splitlines()
    random.Random(2).shuffle(lines)
    chunks.write("mixed.dat", "\n".join(lines) + "\n")
    contents = []
    for name, workers in (("sets.dat", "1"), ("sets.dat", "3"), ("mixed.dat", "1")):
        out = chunks.folder / f"{name}{workers}"
        job = ("anonymize", str(chunks.folder / name), *MODEL, "--workers", workers, "-o", str(out), "--quiet")
        assert chunks.run(*job).code == 0
        contents.append({path.name: path.read_bytes() for path in out.iterdir()})
    assert contents[0] == contents[1] == contents[2]


SECRETS = ("--sensitive-items", "0,5", "--cap", "1/3")


def test_sensitive_items_stand_alone_below_their_cap_as_the_attestation_states(chunks: Place) -> None:
    publish(chunks, "sets.dat", *MODEL, *SECRETS)
    sizes = {row["cluster"]: int(row["n"]) for row in rows_of(chunks.out / "clusters.csv")}
    rows = rows_of(chunks.out / "chunks.csv")
    shown = [row for row in rows if {"0", "5"} & set(row["items"].split(" "))]
    assert shown
    assert all(row["items"] in ("0", "5") and 3 * int(row["count"]) <= sizes[row["cluster"]] for row in shown)
    attested = json.loads((chunks.out / "attestation.json").read_text())
    assert (attested["parameters"]["sensitive_items"], attested["parameters"]["cap"]) == (["0", "5"], "1/3")
    assert "concludes no sensitive item that a chunk shows with one above 1/3" in attested["statement"]
    found = verified(chunks, "sets.dat")
    assert (found.code, found.json["true"]) == (0, True), found.err
    asked = ("--model", "disassociation", "--k", "3", "--m", "2", "--sensitive-items", "0,5", "--cap")
    assert chunks.run("verify", str(chunks.out), *asked, "0.1").code == 1


def test_sensitive_items_are_capped_at_a_half_unless_another_share_is_given(chunks: Place) -> None:
    publish(chunks, "sets.dat", *MODEL, "--sensitive-items", "0")
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
def test_every_layout_says_the_same(chunks: Place, layout: tuple[str, ...], counts: tuple[str, ...]) -> None:
    publish(chunks, "sets.dat", *MODEL, *counts, *layout)
    tables = ["clusters", "chunks", "shared", *(["counts"] if counts else [])]
    attested = json.loads((chunks.out / "attestation.json").read_text())["data"]
    names = {path.relative_to(chunks.out).as_posix() for path in chunks.out.rglob("*") if path.is_file()}
    assert names == {*attested["sha256"], "attestation.json"}
    if "--part-rows" in layout:
        assert list(attested["parts"]) == tables
        sizes = [len(_table_of(path)) for path in sorted((chunks.out / "chunks").iterdir())]
        assert set(sizes[:-1]) == {7}
    plain = chunks.folder / "plain"
    assert chunks.run("anonymize", str(chunks.folder / "sets.dat"), *MODEL, *counts, "-o", str(plain)).code == 0
    for table in tables:
        rows = [row for file in _files_of(chunks.out, table) for row in _table_of(file)]
        assert rows == _table_of(plain / f"{table}.csv")
    found = verified(chunks, "sets.dat")
    assert (found.code, found.json["true"]) == (0, True), found.err
    assert chunks.run("evaluate", str(chunks.folder / "sets.dat"), str(chunks.out), "--quiet").code == 0
    (chunks.out / "attestation.json").unlink()
    assert chunks.run("verify", str(chunks.out), "--model", "disassociation", "--k", "3", "--m", "2").code == 0


@pytest.mark.parametrize("layout", LAYOUTS, ids=" ".join)
def test_a_table_without_rows_is_read_back(chunks: Place, layout: tuple[str, ...]) -> None:
    publish(chunks, "sets.dat", *MODEL[:-1], "200", "--counts", *layout)
    assert _table_of(_files_of(chunks.out, "shared")[0]) == []
    found = verified(chunks, "sets.dat")
    assert (found.code, found.json["true"]) == (0, True), found.err


def _files_of(out: Path, table: str) -> list[Path]:
    return sorted(path for path in out.rglob("*") if path.is_file() and table in (path.stem, path.parent.name))


def _table_of(path: Path) -> list[dict[str, str]]:
    if path.suffix == ".csv":
        return rows_of(path)
    rows = parquet.read_table(path).to_pylist()
    return [{name: " ".join(x) if isinstance(x, list) else str(x) for name, x in row.items()} for row in rows]


def test_totals_tell_how_many_records_hold_a_term_where_it_is_one(chunks: Place) -> None:
    publish(chunks, "sets.dat", *MODEL, "--counts", "--sensitive-items", "0")
    terms = {item for row in rows_of(chunks.out / "clusters.csv") for item in row["terms"].split(" ")}
    assert "0" in terms
    totals = {row["item"]: int(row["total"]) for row in rows_of(chunks.out / "counts.csv")}
    assert totals.keys() == terms - {"", "0"}
    report = json.loads((chunks.private / "report.json").read_text())
    sensitive = report["retention"]["items"]["terms"] - sum(totals.values())
    assert sensitive > 0


WRONG_PARQUET = [
    ("cluster", pa.array([None], pa.int64()), "column 'cluster' must hold no null"),
    ("n", pa.array(["9"]), "column 'n' must hold whole numbers"),
    ("terms", pa.array(["a"]), "column 'terms' must hold texts"),
    ("terms", pa.array([["a b"]]), "holds a blank, and blanks separate"),
    ("terms", pa.array([[""]]), "is empty, and blanks separate"),
    ("n", pa.array([-3], pa.int64()), "numbers must be whole, without sign"),
    ("terms", pa.array([["a", "a"]]), "items must be in order, each once"),
]


@pytest.mark.parametrize(("column", "values", "message"), WRONG_PARQUET)
def test_forged_parquet_is_refused(chunks: Place, column: str, values: pa.Array, message: str) -> None:
    publish(chunks, "sets.dat", *MODEL, "--format", "parquet")
    (chunks.out / "attestation.json").unlink()
    table = parquet.read_table(chunks.out / "clusters.parquet")
    others = {name: table[name].slice(0, 1) for name in table.column_names} | {column: values}
    parquet.write_table(pa.table(others), chunks.out / "clusters.parquet")
    ran = chunks.run("verify", str(chunks.out), "--model", "disassociation", "--k", "3", "--m", "2")
    assert ran.code == 2
    assert message in ran.err
    (chunks.out / "clusters.parquet").write_bytes(b"no parquet")
    assert "not valid parquet" in chunks.run("verify", str(chunks.out), "--model", "disassociation", *MODEL[2:6]).err


def test_a_column_of_a_table(chunks: Place) -> None:
    publish(chunks, "sets.csv", *MODEL, "--items", "codes", "--drop", "age")
    assert any("c1" in row["items"].split(" ") for row in rows_of(chunks.out / "chunks.csv"))
    found = verified(chunks, "sets.csv", "--drop", "age")
    assert (found.code, found.json["true"]) == (0, True), found.err


def test_another_original_is_told(done: Place) -> None:
    lines = (done.folder / "sets.dat").read_text().splitlines()
    done.write("other.dat", "\n".join([*lines[1:], lines[0] + " 5"]) + "\n")
    assert verified(done, "other.dat").code == 1


REFUSED = [
    (("sets.csv", "--items", "codes", "--keep", "age"), "column 'age': a disassociated publication has no records"),
    (("sets.csv", "--items", "codes", "--relational", "age"), "column 'age': a disassociated publication has no recor"),
    (("sets.dat", "--format", "dat"), "is published as csv or parquet, got format 'dat'"),
    (("sets.dat", "--order", "input"), "chunks are published in the order of their content"),
    (("sets.dat", "--cluster-size", "0"), "must be an integer of at least 1, got 0"),
    (("sets.dat", "--k", "151"), "there are 150 records, at least k=151 are required"),
    (("sets.dat", "--max-loss", "0"), "above the largest allowed 0"),
    (("blank.csv", "--items", "codes", "--separator", ";"), "holds a blank, and blanks separate the items"),
    (("sets.dat", "--cap", "1/2"), "--cap is of sensitive items: --sensitive-items must name them"),
    (("sets.dat", "--sensitive-items", "0", "--cap", "0"), "--cap must be a number above 0 and at most 1"),
    (("sets.dat", "--sensitive-items", "x9"), "sensitive item 'x9' is not in column 'items'"),
    (("two.csv", "--items", "codes,drugs"), "is of one set-valued column"),
]


@pytest.mark.parametrize(("arguments", "message"), REFUSED)
def test_what_cannot_be_published_is_refused(chunks: Place, arguments: tuple[str, ...], message: str) -> None:
    chunks.write("blank.csv", "codes\n" + "a b;c\n" * 9)
    chunks.write("two.csv", "codes,drugs\n" + "a b,x\n" * 9)
    name, *more = arguments
    own = [option for option in MODEL if "--k" not in more or option not in ("--k", "3")]
    own = [option for option in own if "--cluster-size" not in more or option not in ("--cluster-size", "12")]
    ran = chunks.run("anonymize", str(chunks.folder / name), *own, *more, "-o", str(chunks.out))
    assert ran.code in (1, 2)
    assert message in ran.err
    assert len(ran.err.strip().splitlines()) == 1
    assert not chunks.out.exists()
    assert not chunks.private.exists()


NOT_YET = [
    ("risk", "{out}", "--original", "{sets}", "--population", "{sets}"),
    ("risk", "{out}", "--sensitive", "age"),
    ("risk", "{out}", "--memory-limit", "100k"),
    ("evaluate", "{sets}", "{out}", "--bound"),
    ("evaluate", "{sets}", "{out}", "--workload", "published:20x999"),
    ("evaluate", "{sets}", "{out}", "--workload", "record:20x2+1"),
    ("evaluate", "{sets}", "{out}", "--memory-limit", "100k"),
    ("evaluate", "{sets}", "{out}", "--top", "0"),
    ("report", "{out}", "--shareable", "--original", "{sets}", "-o", "{out}.html"),
    ("suggest", "{sets}", "--model", "disassociation"),
    ("anonymize", "{sets}", *MODEL, "--clustering", "horpart", "--work-dir", "{out}.work", "-o", "{out}2"),
    ("anonymize", "{sets}", *MODEL, "--memory-limit", "1M", "-o", "{out}2"),
    ("anonymize", "{sets}", *MODEL, "--recoding", "{out}.private", "-o", "{out}2"),
    ("verify", "{out}", "--model", "km", "--k", "2", "--m", "2"),
    ("inspect", "{out}"),
]


@pytest.mark.parametrize("command", NOT_YET)
def test_what_cannot_be_done_yet_is_refused_in_one_line(done: Place, command: tuple[str, ...]) -> None:
    named = {"out": str(done.out), "sets": str(done.folder / "sets.dat")}
    ran = done.run(*(part.format(**named) for part in command))
    assert ran.code == 2, ran.out
    assert len(ran.err.strip().splitlines()) == 1
    assert "Traceback" not in ran.err
    assert not Path(f"{done.out}.html").exists()
    assert not Path(f"{done.out}2").exists()


def test_compare_holds_it_beside_itself(done: Place) -> None:
    ran = done.run("compare", str(done.folder / "sets.dat"), *MODEL[:2], "--k", "3,5", "--m", "2")
    assert (ran.code, ran.out.count("holds")) == (0, 2)


def test_suggest_sets_it_beside_and_its_command_runs(chunks: Place, monkeypatch: pytest.MonkeyPatch) -> None:
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
    assert "holds, as disassociation" in ran.out
    assert "Beside it, under another guarantee than km, disassociation" in ran.out
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
    assert "Not the same guarantee: exact gives km, disassociation gives disassociation." in ran.out


def test_compare_asks_queries(done: Place) -> None:
    study = done.folder / "study.jsonl"
    asked = ("--workload", "record:20x2", "-o", str(study))
    ran = done.run("compare", str(done.folder / "sets.dat"), *MODEL, *asked)
    assert ran.code == 0, ran.err
    assert 0 < json.loads(study.read_text().splitlines()[-1])["measures"]["are"] < 1


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
    "how", [MODEL, ("--algorithm", "exact", "--hierarchy", "items=balanced:3", "--k", "3", "--m", "2")]
)
def test_evaluate_tells_what_stays_of_frequent_sets(chunks: Place, how: tuple[str, ...]) -> None:
    publish(chunks, "sets.dat", *how)
    asked = ("evaluate", str(chunks.folder / "sets.dat"), str(chunks.out), "--top", "20")
    readings = (None, None) if how is MODEL else ("one-member", "subsets")
    for reading in readings:
        given = () if reading is None else ("--reading", reading)
        ran = chunks.run(*asked, *given, "--json")
        assert ran.code == 0, ran.err
        sets = ran.json["itemsets"]
        assert (sets["top"], sets["reading"]) == (20, reading)
        assert 0 < sets["tkd"] < 1
        assert 0 < sets["re"] < 2
        assert 0 <= ran.json["tlost"] <= 1
    ran = chunks.run(*asked)
    named = ", one-member" if readings[0] else ""
    assert f"frequent sets lost (tKd{named})" in ran.out
    assert "of the 20 most frequent sets of 2 to 4 items" in ran.out


def test_frequent_sets_are_of_items_alone(place: Place) -> None:
    place.write("people.csv", "age,sex\n" + "20,f\n30,m\n" * 9)
    columns = ("--relational", "age,sex", "--numeric", "age", "--hierarchy", "age=range")
    publish(place, "people.csv", "--model", "k", "--k", "3", *columns, "--rows-are-persons", "--allow-worthless")
    ran = place.run("evaluate", str(place.folder / "people.csv"), str(place.out), *columns, "--top", "9")
    assert (ran.code, len(ran.err.strip().splitlines())) == (2, 1)
    assert "is about sets of items, and the publication has no set-valued column" in ran.err


def test_risk_tells_of_other_items(done: Place) -> None:
    sets = str(done.folder / "sets.dat")
    ran = done.run("risk", str(done.out))
    assert ran.code == 0, ran.err
    smallest = min(int(row["n"]) for row in rows_of(done.out / "clusters.csv"))
    assert f"150 records in 13 clusters, the smallest of {smallest} records" in ran.out
    assert "--original FILE" in ran.out
    assert "told by" not in ran.out
    ran = done.run("risk", str(done.out), "--original", sets)
    assert (ran.code, "what is published" in ran.out, "--original FILE" in ran.out) == (0, True, False), ran.err
    by_name = {}
    for given in (("--original", sets), ("--original", sets, "--attempts", "10")):
        ran = done.run("risk", str(done.out), *given, "--json")
        assert (ran.code, ran.json["model"], ran.json["smallest"]) == (0, "disassociation", smallest)
        by_name = {one["source"]: one for one in ran.json["told"]}
        assert by_name["publication"]["likely"] < by_name["original"]["likely"]
    assert by_name["original"]["persons"] == 10
    asked = done.run("risk", f"{done.private}/report.json", "--json")
    assert asked.json["told"], asked.err


def test_risk_of_another_model_tells_of_other_items_too(chunks: Place) -> None:
    exact = ("--algorithm", "exact", "--hierarchy", "items=balanced:3", "--k", "3", "--m", "2")
    publish(chunks, "sets.dat", *exact)
    original = str(chunks.folder / "sets.dat")
    ran = chunks.run("risk", str(chunks.out), "--original", original, *exact[2:4], "--json")
    assert ran.code == 0, ran.err
    told = {one["source"]: one for one in ran.json["told"]}
    assert told["publication"]["likely"] < told["original"]["likely"]
    assert chunks.run("risk", str(chunks.out), "--json").json["told"] == []


@pytest.mark.parametrize("shareable", [True, False])
def test_a_report_speaks_of_chunks(done: Place, shareable: bool) -> None:
    page, sets = done.folder / "page.html", str(done.folder / "sets.dat")
    how = ("--shareable",) if shareable else ("--original", sets)
    ran = done.run("report", str(done.out), *how, "-o", str(page))
    assert ran.code == 0, ran.err
    text = page.read_text()
    for part in ("Occurrences of items in chunks", "Terms of clusters", "disassociation", "told of all in it"):
        assert part in text
    assert ("What is told of other items" in text) != shareable
    assert ("no record can be told apart" in text) == shareable
    assert ("median error of their counts" in text) != shareable
    assert ("in_chunks" in text) != shareable


def test_totals_tell_another_original(chunks: Place) -> None:
    publish(chunks, "sets.dat", *MODEL, "--counts")
    rmtree(chunks.private)
    term = rows_of(chunks.out / "counts.csv")[0]["item"]
    lines = (chunks.folder / "sets.dat").read_text().splitlines()
    more = next(number for number, line in enumerate(lines) if term not in line.split())
    lines[more] = f"{lines[more]} {term}".strip()
    chunks.write("other.dat", "\n".join(lines) + "\n")
    for name, code in (("sets.dat", 0), ("other.dat", 2)):
        ran = chunks.run("evaluate", str(chunks.folder / name), str(chunks.out))
        assert ran.code == code, ran.out + ran.err
    assert "so it is not of the data" in ran.err


def test_another_original_is_not_evaluated(done: Place) -> None:
    lines = (done.folder / "sets.dat").read_text().splitlines()
    fewer = next(number for number, line in enumerate(lines) if "0" in line.split())
    lines[fewer] = " ".join(item for item in lines[fewer].split() if item != "0")
    done.write("other.dat", "\n".join(lines) + "\n")
    asked = ("evaluate", str(done.folder / "other.dat"), str(done.out))
    for private in (True, False):
        if not private:
            rmtree(done.private)
        ran = done.run(*asked)
        assert ran.code == 2, ran.out
        assert ("is not the one that was published" if private else "so it is not of the data") in ran.err
    same = done.run("evaluate", str(done.folder / "sets.dat"), str(done.out), "--json")
    assert (same.code, same.json["source"]) == (0, "data")


def _attest_anew(out: Path) -> None:
    attested = json.loads((out / "attestation.json").read_text())
    attested["data"]["sha256"] = {name: sha256((out / name).read_bytes()).hexdigest() for name in sorted(FILES)}
    (out / "attestation.json").write_text(json.dumps(attested, indent=2) + "\n")


def _write(path: Path, rows: list[dict[str, str]]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


FORGED = [
    ("clusters.csv", "n", "1", 2, "counts.records is not what the model and the data give"),
    ("clusters.csv", "n", "01", 2, "numbers must be whole, without sign or leading zeros"),
    ("clusters.csv", "n", "9" * 5000, 2, "numbers must be whole, without sign or leading zeros"),
    ("clusters.csv", "n", "0", 2, "counts must be at least 1"),
    ("clusters.csv", "cluster", "7", 2, "clusters must be numbered 0, 1, 2, ..."),
    ("clusters.csv", "terms", "0 0", 2, "items must be in order, each once"),
    ("clusters.csv", "terms", "3  4", 2, "is empty, and blanks separate"),
    ("chunks.csv", "count", "x", 2, "numbers must be whole"),
    ("chunks.csv", "items", "", 2, "a sub-record must have items"),
    ("chunks.csv", "chunk", "9", 2, "rows must be sorted, each once"),
    ("shared.csv", "last", "99", 2, "rows must be sorted, each once"),
    ("shared.csv", "count", "1", 1, "matches 1 record, 3 required"),
    ("shared.csv", "count", "0", 2, "counts must be at least 1"),
]


@pytest.mark.parametrize(("file", "column", "text", "code", "message"), FORGED)
def test_forged_publications_are_refused(
    done: Place, file: str, column: str, text: str, code: int, message: str
) -> None:
    rows = rows_of(done.out / file)
    number = next(n for n, row in enumerate(rows) if file != "shared.csv" or int(row["count"]) < 6)
    rows[number][column] = text
    _write(done.out / file, rows)
    changed = done.run("verify", str(done.out))
    assert changed.code == 2
    assert "is not the file that was attested" in changed.err
    _attest_anew(done.out)
    forged = done.run("verify", str(done.out))
    assert forged.code == code, forged.out + forged.err
    assert message in forged.out + forged.err


def test_a_publication_made_elsewhere_can_be_verified(done: Place) -> None:
    (done.out / "attestation.json").unlink()
    assert done.run("verify", str(done.out), "--model", "disassociation", "--k", "3", "--m", "2").code == 0
    assert done.run("verify", str(done.out), "--model", "disassociation", "--k", "30", "--m", "2").code == 1
    (done.out / "shared.csv").unlink()
    ran = done.run("verify", str(done.out), "--model", "disassociation", "--k", "3", "--m", "2")
    assert ran.code == 2
