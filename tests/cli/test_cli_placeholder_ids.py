"""Texts such as ``none``, ``0`` or ``99999`` in an id column are missing ids, not a person with many rows."""

import pytest
from tests.facts import names

import anonset
from anonset.columns.id_findings import placeholder_counts
from cli.place import Place
from cli.published import rows_of

K = ["--model", "k", "--k", "5"]


def visits(place: Place, placeholder: str, *, form: str = "8{:07d}") -> str:
    """300 persons with three visits each, in which every tenth row has no id."""
    rows = [f"{form.format(n % 300)},{'fm'[n % 300 % 2]},{30 + n % 300 % 20}" for n in range(900)]
    rows = [placeholder + row[row.index(",") :] if n % 10 == 9 else row for n, row in enumerate(rows)]
    return place.write("visits.csv", "\n".join(["zz,sex,age", *rows, ""]))


@pytest.mark.parametrize("placeholder", ["brak", "n/d", "-", "0", "99999999"])
def test_placeholders_are_missing_ids(place: Place, placeholder: str) -> None:
    data = visits(place, placeholder)
    inspection = anonset.inspect(data, relational="sex")
    assert inspection.question is not None
    answer = inspection.question.answers[0]
    assert (answer.unit, answer.persons, answer.skipped) == (("zz",), 270, 90)
    assert answer.settings["skip_rows"] == ["no-id"]
    assert f"zz={placeholder}" in answer.settings["null"] or placeholder in answer.settings["null"]


@pytest.mark.parametrize("placeholder", ["brak", "0"])
def test_rows_of_a_placeholder_that_are_merged_are_a_warning(place: Place, placeholder: str) -> None:
    data, roles = visits(place, placeholder), ["--unit", "zz", "--items", "sex", "--drop", "age"]
    model = ["--model", "km", "--k", "5", "--m", "1", "--hierarchy", "sex=balanced:2", "--accept", "worthless"]
    ran = place.run("anonymize", data, "-o", str(place.out), *roles, *model)
    assert (ran.code, names(ran.err, f"warning zz {placeholder!r} 90 --null zz={placeholder} --skip-rows")) == (0, True)
    assert len(rows_of(place.out / "published.csv")) == 271


def test_a_null_may_be_limited_to_a_column(place: Place) -> None:
    data = place.write("t.csv", "id,code\n0,0\n1,0\n2,1\n")
    table = anonset.read(data, unit="id", relational="code", null="id=0", skip_rows="no-id")
    assert (table.n, list(table.relational[0].vocabulary.labels)) == (2, ["0", "1"])


def test_frequent_ids_and_single_words_are_no_placeholders() -> None:
    import pyarrow as pa

    ids = [str(1000 + n) for n in range(100)]
    assert placeholder_counts(pa.chunked_array([[*ids, *["1007"] * 50, "brak"]])) == {}
    assert placeholder_counts(pa.chunked_array([["0", "0", "0", "1", "2", "none", "none"]])) == {}
    assert placeholder_counts(
        pa.chunked_array([["ada@b.org"] + [f"{c}x@b.org" for c in "abcdefghijklmnopqrst"] + ["none"] * 2])
    ) == {"none": 2}


def test_an_id_column_whose_name_contains_a_comma_may_lack_values(place: Place) -> None:
    data = place.write("t.csv", '"Name, Vorname",code\n"A1",a\n,b\n"A2",a\n')
    table = anonset.read(data, unit="Name, Vorname", items="code", skip_rows="no-id")
    assert table.n == 2


@pytest.mark.long
def test_the_first_record_of_a_file_without_header_is_not_shown(place: Place) -> None:
    lines = [f"{84900000000 + 7919 * (n % 200)}|{'MS'[n % 2]}|{n % 40 % 13}" for n in range(2000)]
    data = place.write("calls.txt", "\n".join([*lines, ""]))
    ran = place.run("inspect", data)
    commands = [line for line in ran.out.splitlines() if line.startswith("Next")]
    assert commands, ran.out
    assert all("--no-header" in command for command in commands)
    for command in ("inspect", "anonymize", "suggest"):
        out = ("-o", str(place.out)) if command == "anonymize" else ()
        km = ("--items", "3", *(() if command == "inspect" else ("--model", "km")), "--k", "5", "--m", "1")
        ran = place.run(command, data, "--input-format", "csv", *km, *out)
        assert "84900000000" not in ran.out + ran.err, command
        assert command == "inspect" or "--no-header" in ran.err, ran.err
