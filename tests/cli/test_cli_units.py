"""Commands and messages about the unit of privacy: `suggest`, `compare`, columns named like a unit, and JSON."""

import re
import shlex

import pytest
from tests.facts import names, refused

import anonset
from anonset.algorithms.relational.cluster import Cluster
from anonset.data import Table
from anonset.errors import InputError, UndeclaredUnitError
from cli.place import Place
from cli.printed import complete, value_of


@pytest.fixture
def visits(place: Place) -> str:
    rows = [f"P{n // 3:04d}x;{'AB'[n % 2]};I{10 + n % 7};{30 + n // 3 % 20}\n" for n in range(300)]
    return place.write("visits.csv", f"pid;ward;dx;age\n{''.join(rows)}")


@pytest.mark.long
@pytest.mark.parametrize(
    ("command", "more"),
    [("suggest", []), ("compare", ["--algorithms", "exact", "--k", "2,5", "--m", "1", "--hierarchy", "dx=balanced:3"])],
)
def test_an_open_unit_comes_with_a_command_per_answer(place: Place, visits: str, command: str, more: list[str]) -> None:
    ran = place.run(command, visits, "--items", "dx", "--drop", "pid,ward,age", *more)
    commands = [shlex.split(text) for text in re.findall(r"complete command.*: anonset (.*)", ran.err)]
    assert ran.code == 2
    assert [value_of(words, "--unit") for words in commands] == ["pid", "row", "unknown"]
    assert [place.run(*words).code for words in commands] == [0, 0, 0]


@pytest.mark.parametrize("unit", ["pid", "row", "unknown"])
def test_the_comment_above_the_unit_is_true_of_each_unit(place: Place, visits: str, unit: str) -> None:
    job = place.folder / "job.toml"
    assert place.run("inspect", visits, "--unit", unit, "-o", str(job)).code == 0
    (comment,) = re.findall(r"# (.*)\nunit = ", job.read_text())
    assert comment.endswith("rows with the same value of the columns are one record; row, unknown: each row is one")


def test_commands_without_a_set_have_no_separator(place: Place) -> None:
    rows = [f"p{n};{30 + n % 20};a b\n" for n in range(60)]
    data = place.write("visits.csv", f"pid;age;codes\n{''.join(rows)}")
    ran = place.run("anonymize", data, "-o", str(place.out), "--model", "k", "--k", "2", "--relational", "age")
    commands = list(complete(ran).values())
    assert commands
    assert not any("--separator" in text for text in commands)


@pytest.mark.parametrize("name", ["row", "unknown"])
def test_a_column_named_like_a_unit_must_be_renamed(place: Place, name: str) -> None:
    rows = [f"P{n // 3:04d}x,{'fm'[n // 3 % 2]}\n" for n in range(300)]
    found = anonset.inspect(place.write("visits.csv", f"{name},sex\n{''.join(rows)}"))
    assert any(names(problem, f"{name!r} \"unit='{name}'\" rename") for problem in found.problems)


def test_a_table_of_columns_declares_its_unit() -> None:
    columns = {"sex": ["f", "m"] * 30, "age": ["a", "b", "c"] * 20}
    with refused(UndeclaredUnitError, "\"unit='row'\"", code="unit"):
        anonset.anonymize(Table.from_columns(**columns), Cluster(k=2))
    for unit in ("row", "unknown"):
        assert anonset.anonymize(Table.from_columns(unit=unit, **columns), Cluster(k=2)).verdict.holds
    with refused(InputError, "unit 'row' 'unknown'"):
        Table.from_columns(unit="sex", **columns)


def test_json_names_the_unit_as_the_attestation(place: Place, visits: str) -> None:
    roles = ["--items", "dx", "--drop", "ward,age", "--unit", "pid", "--hierarchy", "dx=balanced:2"]
    model = ["--model", "km", "--k", "2", "--m", "1"]
    ran = place.run("anonymize", visits, "-o", str(place.out), *roles, *model, "--json")
    verified = place.run("verify", str(place.out), "--json")
    assert (ran.json["unit"], verified.json["unit"]) == ("person", "person")
    assert "unit: person, as declared" in place.run("verify", str(place.out)).out
