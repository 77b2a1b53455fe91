"""Disassociation from the command line: forged publications, wrong originals and invalid options."""

import csv
import json
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from shutil import rmtree

import pyarrow as pa
import pytest
from pyarrow import parquet
from tests.facts import names

from cli.place import Place
from cli.published import IN_CHUNKS, publish, rows_of, verified

WRONG_PARQUET = [
    ("cluster", pa.array([None], pa.int64()), "cluster null"),
    ("n", pa.array(["9"]), "n integers"),
    ("terms", pa.array(["a"]), "terms text"),
    ("terms", pa.array([["a b"]]), "blank"),
    ("terms", pa.array([[""]]), "empty"),
    ("n", pa.array([-3], pa.int64()), "numbers"),
    ("terms", pa.array([["a", "a"]]), "items sorted"),
]


@pytest.mark.parametrize(("column", "values", "message"), WRONG_PARQUET)
def test_forged_parquet_is_refused(
    chunks: Place, publish_once: Callable[..., None], column: str, values: pa.Array, message: str
) -> None:
    publish_once(chunks, "sets.dat", *IN_CHUNKS, "--format", "parquet")
    (chunks.out / "attestation.json").unlink()
    table = parquet.read_table(chunks.out / "clusters.parquet")
    others = {name: table[name].slice(0, 1) for name in table.column_names} | {column: values}
    parquet.write_table(pa.table(others), chunks.out / "clusters.parquet")
    ran = chunks.run("verify", str(chunks.out), "--model", "disassociation", "--k", "3", "--m", "2")
    assert ran.code == 2
    assert names(ran.err, message)
    (chunks.out / "clusters.parquet").write_bytes(b"no parquet")
    ran = chunks.run("verify", str(chunks.out), "--model", "disassociation", "--k", "3", "--m", "2")
    assert names(ran.err, "parquet")


FORGED = [
    ("clusters.csv", "n", "1", 2, "counts.records"),
    ("clusters.csv", "n", "01", 2, "numbers"),
    ("clusters.csv", "n", "9" * 5000, 2, "numbers"),
    ("clusters.csv", "n", "0", 2, "counts 1"),
    ("clusters.csv", "cluster", "7", 2, "clusters 0 1 2"),
    ("clusters.csv", "terms", "0 0", 2, "items sorted"),
    ("clusters.csv", "terms", "3  4", 2, "empty"),
    ("chunks.csv", "count", "x", 2, "numbers"),
    ("chunks.csv", "items", "", 2, "sub-record"),
    ("chunks.csv", "chunk", "9", 2, "chunks.csv rows"),
    ("shared.csv", "last", "99", 2, "shared.csv rows"),
    ("shared.csv", "count", "1", 1, "record 1 3"),
    ("shared.csv", "count", "0", 2, "counts 1"),
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
    assert names(changed.err, f"{done.out / file} attested")
    _update_attestation(done.out)
    forged = done.run("verify", str(done.out))
    assert forged.code == code, forged.out + forged.err
    assert names(forged.out + forged.err, message)


def _update_attestation(out: Path) -> None:
    attested = json.loads((out / "attestation.json").read_text())
    for name in attested["data"]["sha256"]:
        attested["data"]["sha256"][name] = sha256((out / name).read_bytes()).hexdigest()
    (out / "attestation.json").write_text(json.dumps(attested, indent=2) + "\n")


def _write(path: Path, rows: list[dict[str, str]]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def test_a_publication_of_another_tool_can_be_verified(done: Place) -> None:
    (done.out / "attestation.json").unlink()
    assert done.run("verify", str(done.out), "--model", "disassociation", "--k", "3", "--m", "2").code == 0
    assert done.run("verify", str(done.out), "--model", "disassociation", "--k", "30", "--m", "2").code == 1
    (done.out / "shared.csv").unlink()
    ran = done.run("verify", str(done.out), "--model", "disassociation", "--k", "3", "--m", "2")
    assert ran.code == 2


REFUSED = [
    (("sets.csv", "--items", "codes", "--keep", "age", "--unit", "row"), "column age records"),
    (("sets.csv", "--items", "codes", "--relational", "age", "--unit", "row"), "column age records"),
    (("sets.dat", "--format", "dat"), "csv parquet dat"),
    (("sets.dat", "--order", "input"), "chunks order"),
    (("sets.dat", "--cluster-size", "0"), "1 0"),
    (("sets.dat", "--k", "151"), "150 k 151"),
    (("sets.dat", "--max-loss", "0"), "loss 0"),
    (("blank.csv", "--items", "codes", "--separator", ";"), "blank"),
    (("sets.dat", "--cap", "1/2"), "--cap sensitive --sensitive-items"),
    (("sets.dat", "--sensitive-items", "0", "--cap", "0"), "--cap 0 1"),
    (("sets.dat", "--sensitive-items", "x9"), "sensitive x9 items"),
    (("two.csv", "--items", "codes,drugs", "--unit", "row"), "set-valued column"),
]


@pytest.mark.parametrize(("arguments", "message"), REFUSED)
def test_unpublishable_input_is_rejected(chunks: Place, arguments: tuple[str, ...], message: str) -> None:
    chunks.write("blank.csv", "codes\n" + "a b;c\n" * 9)
    chunks.write("two.csv", "codes,drugs\n" + "a b,x\n" * 9)
    name, *more = arguments
    options = [option for option in IN_CHUNKS if "--k" not in more or option not in ("--k", "3")]
    options = [option for option in options if "--cluster-size" not in more or option not in ("--cluster-size", "12")]
    ran = chunks.run("anonymize", str(chunks.folder / name), *options, *more, "-o", str(chunks.out))
    assert ran.code in (1, 2)
    assert names(ran.err, message)
    assert len(ran.errors) == 1
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
    ("anonymize", "{sets}", *IN_CHUNKS, "--clustering", "horpart", "--work-dir", "{out}.work", "-o", "{out}2"),
    ("anonymize", "{sets}", *IN_CHUNKS, "--memory-limit", "1M", "-o", "{out}2"),
    ("anonymize", "{sets}", *IN_CHUNKS, "--recoding", "{out}.private", "-o", "{out}2"),
    ("verify", "{out}", "--model", "km", "--k", "2", "--m", "2"),
    ("inspect", "{out}"),
]


@pytest.mark.parametrize("command", NOT_YET)
def test_unsupported_options_are_rejected_in_one_line(done: Place, command: tuple[str, ...]) -> None:
    named = {"out": str(done.out), "sets": str(done.folder / "sets.dat")}
    ran = done.run(*(part.format(**named) for part in command))
    assert ran.code == 2, ran.out
    assert len(ran.errors) == 1
    assert "Traceback" not in ran.err
    assert not Path(f"{done.out}.html").exists()
    assert not Path(f"{done.out}2").exists()


def test_inspect_names_the_command_for_a_publication(done: Place) -> None:
    assert f"is a publication; to show its risk: anonset risk {done.out}" in done.run("inspect", str(done.out)).err


def test_a_wrong_original_is_detected(done: Place) -> None:
    lines = (done.folder / "sets.dat").read_text().splitlines()
    done.write("other.dat", "\n".join([*lines[1:], lines[0] + " 5"]) + "\n")
    assert verified(done, "other.dat").code == 1


def test_totals_detect_a_wrong_original(chunks: Place) -> None:
    publish(chunks, "sets.dat", *IN_CHUNKS, "--counts")
    rmtree(chunks.private)
    term = rows_of(chunks.out / "counts.csv")[0]["item"]
    lines = (chunks.folder / "sets.dat").read_text().splitlines()
    more = next(number for number, line in enumerate(lines) if term not in line.split())
    lines[more] = f"{lines[more]} {term}".strip()
    chunks.write("other.dat", "\n".join(lines) + "\n")
    for name, code in (("sets.dat", 0), ("other.dat", 2)):
        ran = chunks.run("evaluate", str(chunks.folder / name), str(chunks.out))
        assert ran.code == code, ran.out + ran.err
    assert names(ran.err, f"{term} original")


def test_another_original_is_not_evaluated(done: Place) -> None:
    lines = (done.folder / "sets.dat").read_text().splitlines()
    fewer = next(number for number, line in enumerate(lines) if "0" in line.split())
    lines[fewer] = " ".join(item for item in lines[fewer].split() if item != "0")
    done.write("other.dat", "\n".join(lines) + "\n")
    command = ("evaluate", str(done.folder / "other.dat"), str(done.out))
    for private in (True, False):
        if not private:
            rmtree(done.private)
        ran = done.run(*command)
        assert ran.code == 2, ran.out
        assert names(ran.err, "original" if private else "0 original")
    same = done.run("evaluate", str(done.folder / "sets.dat"), str(done.out), "--json")
    assert (same.code, same.json["source"]) == (0, "data")
