"""Every command that reads a data set reads it by the same options."""

import json

import pytest

from cli.place import Place

ROWS = ["p;age;codes", *(f"{n};{30 + n % 2};{'E10, I10' if n % 2 else 'I10, J45'}" for n in range(8))]
READ = ["--separator", ",", "--encoding", "latin-1", "--input-format", "csv"]
ROLES = ["--items", "codes", "--id", "p", "--drop", "age"]
KM = ["--model", "km", "--k", "2", "--m", "2", "--hierarchy", "codes=balanced:2"]


@pytest.fixture
def data(place: Place) -> str:
    return place.write(
        "visits.txt", "\n".join([*ROWS, "8;31;\u00e910, J45", "9;31;\u00e910, J45", ""]).encode("latin-1")
    )


def test_a_publication_of_another_dialect_is_verified_and_measured(place: Place, data: str) -> None:
    ran = place.run("anonymize", data, *ROLES, *READ, *KM, "-o", str(place.out))
    assert ran.code == 0, ran.err
    original = ["--original", data, "--records", str(place.private / "records.csv"), "--id", "p", "--drop", "age"]
    checked = place.run("verify", str(place.out), *original, *READ, "--json")
    assert (checked.code, checked.json["true"]) == (0, True), checked.err
    assert place.run("evaluate", data, str(place.out), *ROLES, *READ).code == 0
    assert place.run("compare", data, *ROLES, *READ, *KM, "--quiet").code == 0
    assert place.run("hierarchy", "build", data, *ROLES, *READ, "-o", str(place.folder / "h.csv")).code == 0
    assert (place.folder / "h.csv").read_text(encoding="utf-8").startswith("E10,")


def test_a_publication_made_elsewhere_may_be_of_another_dialect(place: Place) -> None:
    path = place.write("theirs.csv", "codes;age\r\nE10, I10;30\r\nE10, I10;30\r\n".encode("utf-16"))
    ran = place.run(
        "verify", path, "--model", "km", "--k", "2", "--m", "2", "--items", "codes", "--keep", "age", "--separator", ","
    )
    assert ran.code == 0, ran.err
    ran = place.run("verify", path, "--model", "km", "--k", "2", "--m", "2", "--items", "codes", "--keep", "age")
    assert (ran.code, "--separator ," in ran.err) == (2, True)


def test_items_with_blanks_are_published_between_another_mark(place: Place) -> None:
    rows = ["p,name", *(f"{n},type 2 diabetes\n{n},asthma" for n in range(4))]
    path = place.write("long.csv", "\n".join(rows) + "\n")
    km = ["--model", "km", "--k", "2", "--m", "2", "--hierarchy", "name=balanced:2"]
    ran = place.run("anonymize", path, "--items", "name", "--id", "p", "--group", *km, "-o", str(place.out))
    assert ran.code == 0, ran.err
    assert (place.out / "published.csv").read_text() == "name\n" + "asthma;type 2 diabetes\n" * 4
    assert json.loads((place.out / "attestation.json").read_text())["data"]["separator"] == ";"
    assert place.run("verify", str(place.out), "--original", path, "--id", "p", "--group").code == 0
