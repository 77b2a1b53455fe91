"""Commands printed beside a proposal: further columns, and the first row of a person."""

import shlex
from collections.abc import Callable

import pytest

from cli.place import Place

LETTERS = "abcdefghij"


def command_of(err: str, begin: str) -> list[str]:
    line = next(line for line in err.splitlines() if line.startswith(begin))
    return shlex.split(line[line.index("anonset ") :])[1:]


def cards(place: Place) -> str:
    """Return sales of 60 cards. The sex is recognized, the kind of card and the goods are not."""
    lines = [
        f"K{100 + n % 60},{'fm'[n % 2]},{LETTERS[n % 3]},{LETTERS[(n + n // 60) % (3 + n % 8)]}7" for n in range(1_300)
    ]
    return place.write("sales.csv", "\n".join(["Kortnr,sex,mota,salgaia", *lines, ""]))


@pytest.mark.long
def test_further_columns_are_named_by_their_behaviour(place: Place) -> None:
    job = str(place.folder / "job.toml")
    ran = place.run("inspect", cards(place), "-o", job)
    command = command_of(ran.out, "To publish further columns, if they may be published")
    assert command[2:-1] == ["--relational", "mota", "--items", "salgaia", "-o"], ran.out
    assert "for 60 persons" in " ".join(ran.out.split())
    assert "- if its values are items: --items salgaia\n" in ran.out
    again = place.run(*command)
    assert (again.code, (place.folder / "job-more.toml").exists()) == (0, True), again.err


def test_text_with_many_values_is_not_among_further_columns(place: Place) -> None:
    lines = [
        f"K{100 + n % 60},{'fm'[n % 2]},{LETTERS[n % 30 // 3]}{LETTERS[n % 3]},{LETTERS[n % 3]}" for n in range(1_300)
    ]
    data = place.write("sales.csv", "\n".join(["Kortnr,sex,nork,mota", *lines, ""]))
    command = command_of(place.run("inspect", data).out, "To publish further columns")
    assert command[2:4] == ["--relational", "mota"]


@pytest.mark.long
def test_a_sensitive_column_that_differs_is_published_with_the_first_row(place: Place) -> None:
    job = place.folder / "job.toml"
    assert (
        place.run("inspect", cards(place), "--relational", "mota", "--sensitive", "salgaia", "-o", str(job)).code == 0
    )
    assert 'differing = "first"' in job.read_text()
    for number, unit in enumerate(("Kortnr", "row", "unknown")):
        out = place.folder / f"out{number}"
        ran = place.run("anonymize", str(job), "--unit", unit, "-o", str(out), "--quiet")
        assert ran.code == 0, ran.err
        differing = '"differing": "first"' in (place.folder / f"out{number}.private" / "report.json").read_text()
        assert differing == (unit == "Kortnr")


@pytest.mark.long
def test_a_declared_unit_whose_sensitive_column_differs_gets_a_command_with_the_first_row(place: Place) -> None:
    job = str(place.folder / "job.toml")
    roles = ("--relational", "mota", "--sensitive", "salgaia", "--unit", "Kortnr")
    ran = place.run("inspect", cards(place), *roles, "-o", job)
    command = command_of(ran.err, "anonset: complete command, to publish the values of each person's first row")
    assert place.run(*command).code == 0
    ran = place.run("anonymize", job, "--quiet")
    assert ran.code == 0, ran.err


def test_suggest_prints_the_command_that_proposes_roles(place: Place) -> None:
    data = cards(place)
    ran = place.run("suggest", data, "--items", "salgaia", "--k", "5", "--m", "2")
    assert ran.code == 2
    assert command_of(ran.err, "anonset: complete command")[:2] == ["inspect", data]


def with_rows_of_persons(place: Place, header: str, cell: Callable[[int], str]) -> str:
    """Return 1,200 rows of 60 persons, who have most values of a column."""
    return place.write(
        "trips.csv", "\n".join([f"Kortnr,{header}", *(f"K{n % 60},{cell(n)}" for n in range(1_200)), ""])
    )


def test_a_column_that_differs_for_most_persons_is_asked_as_items_not_published_with_the_first_row(
    place: Place,
) -> None:
    data = with_rows_of_persons(place, "gear", lambda n: ("road", "trail", "city", "snow")[n // 60 % (1 + n % 4)])
    job = place.folder / "job.toml"
    ran = place.run("inspect", data, "--unit", "Kortnr", "-o", str(job))
    assert (ran.code, "--differing" in ran.out + ran.err) == (0, False), ran.err
    assert place.run("anonymize", str(job), "--quiet").code == 2
    job.write_text(job.read_text().replace('items = "?"\n', 'items = "gear"\n'))
    assert place.run("anonymize", str(job), "--quiet").code == 0


def test_no_command_publishes_the_first_row_if_a_column_without_items_differs_for_most_persons(place: Place) -> None:
    data = with_rows_of_persons(place, "speed", lambda n: f"{n * 7 % 1_000 / 10:.1f}")
    ran = place.run("inspect", data, "--unit", "Kortnr", "-o", str(place.folder / "job.toml"))
    assert (ran.code, "complete command" in ran.err, "--differing" in ran.out + ran.err) == (2, False, False), ran.err


def test_the_columns_of_a_numbered_series_are_proposed_together(place: Place) -> None:
    sides = "Rash,Cough,Fever,Pain"
    data = with_rows_of_persons(
        place, "Symptom1,Symptom2,Symptom3", lambda n: ",".join((sides.split(",") * 3)[n % 4 :][:3])
    )
    ran = place.run("inspect", data, "--unit", "Kortnr", "-o", str(place.folder / "job.toml"))
    command = command_of(ran.err, "anonset: complete command")
    assert command[command.index("--one-code") + 1] == "Symptom1,Symptom2,Symptom3", ran.err
    assert place.run(*command).code == 0
