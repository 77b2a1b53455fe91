"""Raw columns that are hard to name or to read: names with commas, and texts that mean null in some blocks."""

import shlex

import pytest

from cli.place import Place
from cli.printed import follow

ROWS = [f'P{i},"Ann, Bo {i}",{"fm"[i % 2]},{"ABC"[i % 3]} {"DEF"[i % 4 - 1]}' for i in range(60)]


@pytest.fixture
def named(place: Place) -> Place:
    place.write("named.csv", "\n".join(['number,"Name, Vorname",sex,skills', *ROWS, ""]))
    return place


@pytest.mark.parametrize("given", ["number,Name, Vorname", "Name,Vorname,number", "number,Name,Vorname"])
def test_a_list_of_columns_contains_names_with_commas(named: Place, given: str) -> None:
    roles = ["--items", "skills", "--relational", "sex", "--drop", given, "--unit", "row"]
    more = ["--model", "kkm", "--k", "2", "--m", "1", "-o", str(named.out), "--hierarchy", "skills=balanced:2"]
    ran = named.run("anonymize", str(named.folder / "named.csv"), *roles, *more)
    assert ran.code == 0, ran.err


@pytest.mark.long
def test_the_complete_command_for_names_with_commas_runs(named: Place) -> None:
    roles = ["--items", "skills", "--relational", "sex", "--model", "kkm", "--k", "2", "--m", "1"]
    ran = named.run("anonymize", str(named.folder / "named.csv"), *roles, "-o", str(named.out))
    command = next(line for line in ran.err.splitlines() if line.startswith("anonset: complete command"))
    again = follow(named, shlex.split(command[command.index("anonset anonymize") :])[1:], named.out)
    assert again.code == 0, again.err


def test_texts_that_mean_null_above_a_footer(place: Place) -> None:
    """The rows of the footer are an empty block without such texts."""
    rows = [f"P{i};{'k.A.' if i % 7 == 0 else 'mw'[i % 2]};E{i % 7};x" for i in range(60)]
    place.write("title.csv", "\n".join(["Report 2024;;;", "number;sex;code;note", *rows, "Summe;60;;", ""]))
    ran = place.run("inspect", str(place.folder / "title.csv"), "--null", "k.A.")
    assert ran.code == 0, ran.err
