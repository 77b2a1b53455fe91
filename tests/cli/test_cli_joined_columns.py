"""Several set-valued columns are joined to be anonymized, and published as separate columns."""

import json
import random
from pathlib import Path
from typing import Any

import pytest
from tests.facts import names

import anonset
from anonset.release.documents import Attestation
from cli.place import Place, Ran
from cli.published import rows_of

pytestmark = pytest.mark.compiled

pa = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")

ROLES = ["--items", "codes,drugs", "--unit", "row"]
DROP = ["--drop", "age,sex"]
KM = ["--model", "km", "--k", "3", "--m", "2"]
KKM = ["--model", "kkm", "--k", "3", "--m", "2", "--relational", "age,sex", "--numeric", "age"]
OWN = ["--hierarchy", "codes=codes.csv", "--hierarchy", "drugs=balanced:2"]
WHOLE = ["--hierarchy", "items=balanced:3"]
RT = ["--hierarchy", "age=range", "--hierarchy", "sex=values"]
CODES = "c1,C12,C\nc2,C12,C\nc3,C34,C\nc4,C34,C\n"
FORMATS = pytest.mark.parametrize("suffix", ["csv", "parquet"])


def records() -> list[tuple[list[str], str, str, list[str]]]:
    rng = random.Random(3)
    rows = []
    for _ in range(40):
        codes = sorted(rng.sample(["c1", "c2", "c3", "c4"], rng.randint(0, 2)))
        drugs = sorted(rng.sample(["1", "2", "3", "4", "5"], rng.randint(0, 2)))
        rows.append((codes, str(rng.randint(20, 60)), rng.choice("fm"), drugs))
    return rows


@pytest.fixture
def clinic(place: Place, monkeypatch: pytest.MonkeyPatch) -> Place:
    """Forty people with codes and drugs in separate columns, as CSV and as Parquet."""
    monkeypatch.chdir(place.folder)
    place.write("codes.csv", CODES)
    rows = records()
    lines = (f"{' '.join(codes)},{age},{sex},{' '.join(drugs)}\n" for codes, age, sex, drugs in rows)
    place.write("clinic.csv", "codes,age,sex,drugs\n" + "".join(lines))
    columns = dict(zip(("codes", "age", "sex", "drugs"), map(list, zip(*rows, strict=True)), strict=True))
    parquet.write_table(pa.table(columns), place.folder / "clinic.parquet")
    return place


def anonymized(place: Place, suffix: str, *more: str) -> list[dict[str, Any]]:
    ran = place.run("anonymize", f"clinic.{suffix}", "-o", str(place.out), *ROLES, *more)
    assert ran.code == 0, ran.err
    if suffix == "parquet":
        return list(parquet.read_table(place.out / "published.parquet").to_pylist())
    sets = [{**row, "codes": row["codes"].split(), "drugs": row["drugs"].split()} for row in published_csv(place)]
    return list(sets)


def published_csv(place: Place) -> list[dict[str, str]]:
    return rows_of(place.out / "published.csv")


def checked(place: Place, suffix: str, *more: str) -> dict[str, Any]:
    original = ["--original", f"clinic.{suffix}", "--records", str(place.private / "records.csv")]
    ran = place.run("verify", str(place.out), *original, "--json", *more)
    assert ran.code == 0, ran.err
    return dict(ran.json)


def expected_rows(place: Place) -> list[dict[str, set[str]]]:
    """Derive the published sets from the private mapping and records, by the documented rule."""
    mapping = {row["item"]: row["published"] for row in rows_of(place.private / "mapping.csv")}
    columns_of: dict[str, set[str]] = {}
    for item, symbol in mapping.items():
        columns_of.setdefault(symbol, set()).add(item.split(":")[0])
    rows = records()
    result = []
    for line in rows_of(place.private / "records.csv"):
        codes, _, _, drugs = rows[int(line["input_record"])]
        cells: dict[str, set[str]] = {"codes": set(), "drugs": set()}
        for item in (*(f"codes:{x}" for x in codes), *(f"drugs:{x}" for x in drugs)):
            symbol = mapping[item]
            for column in columns_of[symbol] if symbol else ():
                spans_columns = len(columns_of[symbol]) > 1
                cells[column].add(symbol if spans_columns else symbol.removeprefix(f"{column}:"))
        result.append(cells)
    return result


def symbols_behind(place: Place, rows: list[dict[str, Any]]) -> dict[str, list[str]]:
    """Look up every published symbol in the codebook, by the documented rule."""
    book = {row["symbol"]: row["members"].split() for row in rows_of(place.out / "codebook.csv")}
    result = {}
    for column in ("codes", "drugs"):
        for text in {x for row in rows for x in row[column]}:
            members = ",".join(f"{column}:{x}" for x in text.strip("()").split(","))
            symbol = next(x for x in (f"{column}:{text}", text, f"({members})") if x in book)
            result[symbol] = book[symbol]
            assert any(member.startswith(f"{column}:") for member in book[symbol])
    assert result == book
    return result


@FORMATS
@pytest.mark.parametrize("hierarchy", [OWN, WHOLE], ids=["own", "whole"])
def test_joined_columns_satisfy_km_anonymity(clinic: Place, suffix: str, hierarchy: list[str]) -> None:
    rows = anonymized(clinic, suffix, *DROP, *KM, *hierarchy)
    assert list(rows[0]) == ["codes", "drugs"]
    assert [{name: set(cell) for name, cell in row.items()} for row in rows] == expected_rows(clinic)
    report = checked(clinic, suffix, *DROP)
    assert (report["verdict"], report["true"]) == ("holds", True)


def test_a_common_hierarchy_spans_columns_in_the_codebook(clinic: Place) -> None:
    job = [*DROP, "--model", "km", "--k", "30", "--m", "2", "--hierarchy", "items=balanced:9", "--accept", "worthless"]
    rows = anonymized(clinic, "csv", *job)
    assert {tuple(row["codes"]) for row in rows} == {("N1_0",), ()}
    assert all(row["codes"] == row["drugs"] for row in rows)
    members = "codes:c1 codes:c2 codes:c3 codes:c4 drugs:1 drugs:2 drugs:3 drugs:4 drugs:5"
    assert rows_of(clinic.out / "codebook.csv") == [{"symbol": "N1_0", "kind": "node", "members": members}]
    assert checked(clinic, "csv", *DROP)["verdict"] == "holds"


@FORMATS
def test_joined_columns_satisfy_kkm_anonymity(clinic: Place, suffix: str) -> None:
    rows = anonymized(clinic, suffix, *KKM, "--algorithm", "rum-bound", "--delta", "0.65", *RT, *WHOLE)
    assert list(rows[0]) == ["codes", "age", "sex", "drugs"]
    assert symbols_behind(clinic, rows)
    report = checked(clinic, suffix, "--hierarchy", "age=range", "--hierarchy", "sex=values")
    assert (report["verdict"], report["true"]) == ("holds", True)


def test_attestation_names_the_columns(clinic: Place) -> None:
    anonymized(clinic, "csv", *DROP, *KM, *OWN)
    data = json.loads((clinic.out / "attestation.json").read_text())
    assert Attestation.model_validate(data).data.items == ["codes", "drugs"]
    assert {row["item"] for row in rows_of(clinic.private / "mapping.csv")} >= {"codes:c1", "drugs:1"}


def test_the_data_file_verifies_without_the_attestation(clinic: Place) -> None:
    anonymized(clinic, "csv", *DROP, *KM, *WHOLE)
    verify = ["verify", str(clinic.out / "published.csv"), *ROLES, "--json"]
    assert clinic.run(*verify, *KM).json["verdict"] == "holds"
    refused = clinic.run(*verify, "--model", "km", "--k", "41", "--m", "2")
    assert (refused.code, refused.json["verdict"]) == (1, "fails")


@pytest.mark.parametrize("symbols", ["members", "short"])
def test_sets_of_items(clinic: Place, symbols: str) -> None:
    clinic.write("protect.txt", "codes:c1 drugs:1\ncodes:c2\ndrugs:2 drugs:3\n")
    clinic.write("count.txt", "codes:c1 codes:c2 codes:c3 codes:c4\ndrugs:1 drugs:2 drugs:3 drugs:4 drugs:5\n")
    policy = ["--model", "constraints", "--k", "12", "--privacy-constraints", "protect.txt"]
    options = [*DROP, *policy, "--utility-constraints", "count.txt", "--max-suppressed", "1", "--symbols", symbols]
    rows = anonymized(clinic, "csv", *options)
    assert any(len(members) > 1 for members in symbols_behind(clinic, rows).values())
    report = checked(clinic, "csv", *DROP, "--privacy-constraints", "protect.txt", "--utility-constraints", "count.txt")
    assert (report["verdict"], report["true"]) == ("holds", True)


def test_a_set_of_two_columns_is_published_in_both(clinic: Place) -> None:
    single = [*(f"codes:c{i}" for i in (2, 3, 4)), *(f"drugs:{i}" for i in (2, 3, 4, 5))]
    clinic.write("protect.txt", "codes:c1\ndrugs:1\n")
    clinic.write("count.txt", "codes:c1 drugs:1\n" + "".join(f"{x}\n" for x in single))
    policy = ["--model", "constraints", "--k", "10", "--privacy-constraints", "protect.txt"]
    rows = anonymized(clinic, "csv", *DROP, *policy, "--utility-constraints", "count.txt", "--max-suppressed", "1")
    mixed = "(codes:c1,drugs:1)"
    assert symbols_behind(clinic, rows)[mixed] == ["codes:c1", "drugs:1"]
    assert all((mixed in row["codes"]) == (mixed in row["drugs"]) for row in rows)
    assert checked(clinic, "csv", *DROP, "--privacy-constraints", "protect.txt")["true"] is True


def test_sensitive_items_are_named_with_their_column(clinic: Place) -> None:
    klm = ["--model", "klm", "--k", "3", "--l", "2", "--m", "1", "--sensitive-items", "codes:c4"]
    clinic.write("codes.csv", CODES.replace("c4,C34,C\n", ""))
    rows = anonymized(clinic, "csv", *DROP, *klm, *OWN)
    assert sum("c4" in row["codes"] for row in rows) == sum("c4" in codes for codes, *_ in records())
    assert checked(clinic, "csv", *DROP)["verdict"] == "holds"


@FORMATS
def test_evaluate_reports_the_measures_of_the_run(clinic: Place, suffix: str) -> None:
    anonymized(clinic, suffix, *KKM, "--algorithm", "rum-bound", "--delta", "0.65", *RT, *WHOLE)
    report = json.loads((clinic.private / "report.json").read_text())
    data = ["--relational", "age,sex", "--numeric", "age", *RT, *WHOLE]
    ran = clinic.run("evaluate", f"clinic.{suffix}", str(clinic.out), *ROLES, *data, "--json")
    assert ran.code == 0, ran.err
    shared = set(report["measures"]) & set(ran.json)
    assert shared
    assert {name: ran.json[name] for name in shared} == pytest.approx({x: report["measures"][x] for x in shared})


def test_python_hands_out_separate_columns(clinic: Place) -> None:
    table = anonset.read("clinic.csv", items="codes,drugs", drop="age,sex", unit="row")
    from anonset.algorithms.transaction.cuts.apriori import Apriori

    release = anonset.anonymize(table, Apriori(k=3, m=2), hierarchies={"codes": "codes.csv", "drugs": "balanced:2"})
    result = release.to_arrow()
    assert result.schema.names == ["codes", "drugs"]
    anonymized(clinic, "parquet", *DROP, *KM, *OWN)
    assert result.equals(parquet.read_table(clinic.out / "published.parquet"))


def refused(place: Place, *arguments: str) -> Ran:
    ran = place.run("anonymize", "clinic.csv", "-o", str(place.out), *ROLES, *DROP, *KM, *arguments)
    assert ran.code == 2
    assert not place.out.exists()
    return ran


def test_dat_files_contain_one_column(clinic: Place) -> None:
    ran = refused(clinic, *WHOLE, "--format", "dat")
    assert names(ran.err, "dat 'codes' 'drugs' csv parquet")


def test_a_hierarchy_for_only_one_of_two_columns_is_rejected(clinic: Place) -> None:
    ran = refused(clinic, "--hierarchy", "codes=codes.csv")
    assert names(" ".join(ran.err.split()), "codes drugs items")


def test_labels_that_would_meet_in_a_column(clinic: Place) -> None:
    tree = "".join(f"codes:c{i},c1,ALL\n" for i in range(1, 5)) + "".join(f"drugs:{i},D,ALL\n" for i in range(1, 6))
    clinic.write("meet.csv", tree)
    ran = refused(clinic, "--hierarchy", "items=meet.csv")
    assert names(" ".join(ran.err.split()), "codes c1 codes:c1 both")


def test_joined_column_is_named_as_one_of_its_columns(place: Place) -> None:
    rows = "".join(f"{'ab'[i % 2]},{i % 3}\n" for i in range(18))
    place.write("two.csv", f"items,drugs\n{rows}")
    ran = place.run(
        *(
            "anonymize",
            str(place.folder / "two.csv"),
            "-o",
            str(place.out),
            "--items",
            "items,drugs",
            "--unit",
            "row",
            *KM,
        ),
        *("--hierarchy", "items=balanced:2"),
    )
    assert ran.code == 0, ran.err
    assert Path(place.out / "published.csv").read_text().splitlines()[0] == "items,drugs"
    assert place.run("verify", str(place.out)).code == 0


def test_a_pattern_selects_the_same_columns_in_inspect_and_anonymize(place: Place) -> None:
    rows = "".join(f"{n},{'ab'[n % 2]},{'cd'[n % 2]},{'ef'[n % 2]}\n" for n in range(40))
    run = (place.write("data.csv", "pid,dx,dx1,dx2\n" + rows), "--one-code", "dx*", "--unit", "pid")
    columns = {column["name"]: column["role"] for column in place.run("inspect", *run, "--json").json["columns"]}
    assert {name for name, role in columns.items() if role == "one_code"} == {"dx1", "dx2"}
    model = ("--model", "km", "--k", "2", "--m", "1", "--hierarchy", "items=balanced:2", "-o", str(place.out))
    ran = place.run("anonymize", *run, *model)
    assert (ran.code, names(ran.err, "'dx' role")) == (2, True), ran.err
