"""All commands that read a data set share the same reading options."""

import json

import pytest
from tests.facts import names

from cli.place import Place

ROWS = ["p;age;codes", *(f"{n};{30 + n % 2};{'E10, I10' if n % 2 else 'I10, J45'}" for n in range(8))]
READ = ["--separator", ",", "--encoding", "latin-1", "--input-format", "csv"]
ROLES = ["--items", "codes", "--unit", "p", "--drop", "age"]
KM = ["--model", "km", "--k", "2", "--m", "2", "--hierarchy", "codes=balanced:2"]


@pytest.fixture
def data(place: Place) -> str:
    return place.write(
        "visits.txt", "\n".join([*ROWS, "8;31;\u00e910, J45", "9;31;\u00e910, J45", ""]).encode("latin-1")
    )


@pytest.mark.long
def test_a_publication_of_another_dialect_is_verified_and_measured(place: Place, data: str) -> None:
    ran = place.run("anonymize", data, *ROLES, *READ, *KM, "-o", str(place.out))
    assert ran.code == 0, ran.err
    original = ["--original", data, "--records", str(place.private / "records.csv"), "--unit", "p", "--drop", "age"]
    checked = place.run("verify", str(place.out), *original, *READ, "--json")
    assert (checked.code, checked.json["true"]) == (0, True), checked.err
    assert place.run("evaluate", data, str(place.out), *ROLES, *READ).code == 0
    assert place.run("compare", data, *ROLES, *READ, *KM, "--quiet").code == 0
    assert place.run("hierarchy", "build", data, *ROLES, *READ, "-o", str(place.folder / "h.csv")).code == 0
    assert (place.folder / "h.csv").read_text(encoding="utf-8").startswith("E10,")


def test_a_publication_of_another_tool_may_have_another_dialect(place: Place) -> None:
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
    ran = place.run("anonymize", path, "--items", "name", "--unit", "p", *km, "-o", str(place.out))
    assert ran.code == 0, ran.err
    assert (place.out / "published.csv").read_text() == "name\n" + "asthma;type 2 diabetes\n" * 4
    assert json.loads((place.out / "attestation.json").read_text())["data"]["separator"] == ";"
    assert place.run("verify", str(place.out), "--original", path, "--unit", "p").code == 0


SHAPES = {
    "one-hot": ("p,dx_a,dx_b,dx_c\n" + "1,1,1,0\n2,1,1,0\n3,0,1,1\n4,0,1,1\n", ["--one-hot", "dx_*"], "items"),
    "one-code": ("p,d1,d2\n" + "1,a,b\n2,b,a\n3,b,c\n4,c,b\n", ["--one-code", "d1,d2"], "items"),
    "long": ("p,c\n" + "1,a\n1,b\n2,b\n2,a\n3,b\n3,c\n4,c\n4,b\n", [], "c"),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_each_shape_is_published_verified_and_measured(place: Place, shape: str) -> None:
    text, message, column = SHAPES[shape]
    path = place.write("data.csv", text)
    items = ["--items", "c"] if shape == "long" else []
    tree = ["--hierarchy", f"{column}=balanced:2"]
    ran = place.run("anonymize", path, *items, *message, "--unit", "p", *KM[:6], *tree, "-o", str(place.out), "--json")
    assert (ran.code, ran.json["unit"]) == (0, "person"), ran.err
    assert (place.out / "published.csv").read_text() == f"{column}\n" + "a b\n" * 2 + "b c\n" * 2
    original = ["--original", path, "--records", str(place.private / "records.csv"), "--unit", "p"]
    checked = place.run("verify", str(place.out), *original, *message, "--json")
    assert (checked.code, checked.json["true"], checked.json["unit"]) == (0, True, "person"), checked.err
    measured = place.run("evaluate", path, str(place.out), *items, *message, "--unit", "p", *tree, "--json")
    assert (measured.code, measured.json["ncp"]) == (0, 0), measured.err


def test_the_account_states_the_unit(place: Place) -> None:
    path = place.write("visits.csv", "p,c\n" + "1,a\n1,a\n2,a\n")
    job = ["--items", "c", *KM[:6], "--hierarchy", "c=balanced:2", "--accept", "worthless", "-o", str(place.out)]
    ran = place.run("anonymize", path, *job, "--drop", "p", "--unit", "row")
    assert names(ran.out, "unit row"), ran.err
    assert names(place.run("verify", str(place.out)).out, "unit row declared")
    foreign = place.run("verify", str(place.out / "published.csv"), "--items", "c", *KM[:6])
    assert (foreign.code, "unit" in foreign.out) == (0, False), foreign.err


def test_columns_of_zeros_and_ones_are_not_items(place: Place) -> None:
    path = place.write("wide.csv", "E10,I10\n1,0\n0,1\n")
    for command in (["anonymize", path, "-o", str(place.out), *KM[:6]], ["hierarchy", "build", path, "-o", "h.csv"]):
        ran = place.run(*command, "--items", "E10,I10")
        assert (ran.code, "--one-hot E10,I10" in ran.err) == (2, True)
    assert not place.out.exists()


@pytest.mark.long
def test_a_table_without_names_of_columns(place: Place) -> None:
    data = place.write("adult.data", "39, m, a1 b1\n40, f, a2 b1\n41, m, a1 b1\n42, f, a2 b1\n")
    roles = ("--no-header", "--items", "3", "--hierarchy", "3=balanced:2")
    job = ("anonymize", data, *roles, "--keep", "2", "--drop", "1", "--unit", "row", "-o", str(place.out))
    ran = place.run(*job, "--model", "km", "--k", "2", "--m", "2")
    assert ran.code == 0, ran.err
    assert (place.out / "published.csv").read_text().splitlines()[0] == "2,3"
    original = ("--original", data, "--no-header", "--drop", "1", "--hierarchy", "3=balanced:2")
    ran = place.run("verify", str(place.out), *original, "--records", str(place.private / "records.csv"))
    assert (ran.code, names(ran.out, "matches original")) == (0, True)
    ran = place.run("evaluate", data, str(place.out), *roles, "--keep", "2", "--drop", "1")
    assert ran.code == 0, ran.err
    assert place.run("inspect", data, "--no-header").code == 0
