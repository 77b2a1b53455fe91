"""Commands printed beside a proposal: further columns, and the first row of a person."""

import shlex

import pytest

from cli.place import Place
from cli.printed import published_by, units_of

LETTERS = "abcdefghij"


def command_of(err: str, begin: str) -> list[str]:
    line = next(line for line in err.splitlines() if line.startswith(begin))
    return shlex.split(line[line.index("anonset ") :])[1:]


def cards(place: Place) -> str:
    """Return sales of 60 cards. The sex is recognized, the kind of card and the goods are not."""
    lines = [f"K{100 + n % 60},{'fm'[n % 2]},{LETTERS[n % 3]},{LETTERS[(n + n // 60) % 10]}7" for n in range(1_300)]
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
    command = command_of(ran.err, "anonset: complete command, to use the values of each person's first row")
    assert place.run(*command).code == 0
    ran = place.run("anonymize", job, "--quiet")
    assert ran.code == 0, ran.err


@pytest.mark.long
def test_each_offered_unit_gets_a_command(place: Place) -> None:
    lines = [
        f"M{n % 300:05},Anna Berg{LETTERS[n % 60 % 10]} {LETTERS[n % 60 // 10]},{10 + n % 60 % 19}.03.19{40 + n % 60},"
        f"{'fm'[n % 60 % 2]}"
        for n in range(1_200)
    ]
    data = place.write("visits.csv", "\n".join(["mrn,name,birth,sex", *lines, ""]))
    run = ["anonymize", data, "-o", str(place.out), "--relational", "sex", "--model", "k", "--k", "5"]
    ran = place.run(*run)
    assert "each 'name' with 'birth' is a person (60 persons)" in ran.err
    assert {"mrn", "name,birth", "row", "unknown"} <= {*units_of(ran)}
    assert published_by(place, ran) == [["sex"]] * len(units_of(ran))


@pytest.mark.long
def test_surnames_of_customers_hide_no_telephone_number(place: Place) -> None:
    names = [
        f"{a}{b}{c}"
        for a in ("Bra", "Kli", "Dro", "Sta", "Gre")
        for b in ("do", "ti", "mu", "le")
        for c in ("ka", "no", "ri")
    ]
    lines = [
        f"{names[n % 200 % 60]},0151/{7_000_000 + n % 200 * 31},{80331 + n % 200 % 7},{LETTERS[n % 3]}"
        for n in range(1_200)
    ]
    data = place.write("vet.csv", "\n".join(["Kunde,Telefon,PLZ,Leistung", *lines, ""]))
    ran = place.run("anonymize", data, "-o", str(place.out), "--items", "Leistung", "--relational", "PLZ", "--k", "5")
    assert "each 'Telefon' is a person (200 persons)" in ran.err


@pytest.mark.long
def test_a_command_names_no_hierarchy_of_dropped_codes(place: Place) -> None:
    lines = [f"p{n % 200},{'fm'[n % 2]},{n % 3},E1{n % 5}.{n % 3},J4{n % 4}.1" for n in range(1_200)]
    data = place.write("visits.csv", "\n".join(["patient_id,sex,ward,dx1,dx2", *lines, ""]))
    run = ["anonymize", data, "-o", str(place.out), "--relational", "sex", "--sensitive", "dx1", "--model", "kl"]
    ran = place.run(*run, "--k", "5", "--l", "2")
    commands = [line for line in ran.err.splitlines() if "complete command" in line]
    assert commands
    assert not any("items=" in line for line in commands)
    assert place.run(*command_of(ran.err, "anonset: complete command")).code == 0


def test_suggest_prints_the_command_that_proposes_roles(place: Place) -> None:
    data = cards(place)
    ran = place.run("suggest", data, "--items", "salgaia", "--k", "5", "--m", "2")
    assert ran.code == 2
    assert command_of(ran.err, "anonset: complete command")[:2] == ["inspect", data]


@pytest.mark.long
def test_a_date_that_identifies_only_with_names_is_published_as_months(place: Place) -> None:
    names, first = ["Hansen", "Olsen", "Larsen", "Berg", "Dahl", "Lie"], ["Anna", "Maria", "Peter", "Thomas"]
    lines = [
        f"{names[n % 90 % 6]},{first[n % 90 % 4]},{10 + n % 90 % 19}.03.19{40 + n % 90 // 2},{'fm'[n % 2]},{n % 7}"
        for n in range(1_080)
    ]
    data = place.write("visits.csv", "\n".join(["etternavn,fornavn,fodt,sex,visit", *lines, ""]))
    run = ["anonymize", data, "-o", str(place.out), "--relational", "fodt,sex", "--model", "k", "--k", "5"]
    assert "--hierarchy fodt=date:%d.%m.%Y:from-" in place.run(*run).err
