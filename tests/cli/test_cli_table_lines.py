"""Remedies for a job with linked tables are lines of the job file, and following them publishes."""

import random
import re
import shlex
import tomllib
from pathlib import Path

import pytest
import tomlkit

from cli.place import Place
from cli.test_cli_folders import table

JOB = """
unit = "pid"
model = "kkm"
k = 5
m = 2
out = "safe"
[tables.patient]
input = "patients.csv"
{roles}
[tables.dx]
input = "dx.csv"
items = "{items}"
[hierarchy]
patient.birth_year = "range"
dx.{items} = "balanced:2"
"""
PERSONS = ["Anna Schmidt", "Peter Meier", "Maria Huber"]
SEXES = 'relational = ["birth_year", "sex"]'
_LINES = re.compile(r"\[tables\.(\w+)\] ((?:\w+ = (?:\[[^\]]*\]|\"[^\"]*\")(?:, )?)+)")


def job(place: Place, roles: str, items: str = "code", *, twice: bool = False) -> Path:
    rng = random.Random(3)
    patients = [[f"P{i}", 1940 + rng.randrange(60), rng.choice("fm"), f"N. {i}", "ABC"[i % 3]] for i in range(300)]
    patients += [["P5", 1900, "f", "N. 5", "A"]] if twice else []
    table(place.folder / "patients.csv", "pid,birth_year,sex,name,ward", patients)
    events = [
        [f"P{rng.randrange(300)}", rng.choice(["E10", "E11", "I10", "J45"]), rng.choice(PERSONS)] for _ in range(900)
    ]
    table(place.folder / "dx.csv", "pid,code,who", events)
    path = place.folder / "job.toml"
    path.write_text(JOB.format(roles=roles, items=items))
    return path


def follow(path: Path, message: str) -> None:
    """Change the job file as the first remedy says."""
    found = _LINES.search(message)
    assert found, message
    changed = tomlkit.parse(path.read_text())
    lines = tomllib.loads(re.sub(r", (?=\w+ = )", "\n", found[2].removesuffix(", ")))
    changed["tables"][found[1]].update(lines)  # type: ignore[index, union-attr]
    path.write_text(tomlkit.dumps(changed))


def command(message: str) -> list[str]:
    """Return the arguments of the command that an error prints."""
    found = re.search(r"complete command: anonset (.*)", message)
    assert found, message
    return shlex.split(found[1])


@pytest.mark.parametrize(
    ("roles", "lines"),
    [
        (
            'relational = ["birth_year", "sex", "name"]\ndrop = "ward"',
            '[tables.patient] relational = ["birth_year", "sex"], drop = ["ward", "name"]',
        ),
        (
            f'{SEXES}\nkeep = "ward"\ndrop = "name"',
            '[tables.patient] keep = [], drop = ["name", "ward"]; in place of [tables.patient] keep = "ward": '
            '[tables.patient] relational = ["birth_year", "sex", "ward"], keep = []',
        ),
    ],
)
def test_following_a_remedy_publishes(place: Place, roles: str, lines: str) -> None:
    path = job(place, roles)
    ran = place.run("anonymize", str(path))
    assert (ran.code, lines in ran.err) == (2, True), ran.err
    repeated = command(ran.err)
    follow(path, ran.err)
    for arguments in (["anonymize", str(path)], [*repeated, "--out", str(place.folder / "dropped")]):
        ran = place.run(*arguments)
        assert ran.code == 0, ran.err


def test_items_that_cannot_be_published_are_left_out_with_their_table(place: Place) -> None:
    ran = place.run("anonymize", str(job(place, f'{SEXES}\ndrop = ["name", "ward"]', "who")))
    assert (ran.code, "without [tables.dx] --model k" in ran.err, "--drop" in ran.err) == (2, True, False), ran.err


def test_columns_without_a_role_need_one_in_the_job_file(place: Place) -> None:
    ran = place.run("anonymize", str(job(place, SEXES)))
    assert (ran.code, "declare each by items, relational, " in ran.err) == (2, True), ran.err
    ran = place.run(*command(ran.err))
    assert ran.code == 0, ran.err


def test_settings_of_all_tables_remain_options(place: Place) -> None:
    path = job(place, f'{SEXES}\ndrop = ["name", "ward"]', twice=True)
    ran = place.run("anonymize", str(path))
    drop = '[tables.patient] relational = ["sex"], drop = ["name", "ward", "birth_year"]'
    assert (ran.code, "--differing first" in ran.err, drop in ran.err) == (2, True, True), ran.err
    assert place.run("anonymize", str(path), "--differing", "first").code == 0


def test_a_job_of_one_file_names_options(place: Place) -> None:
    job(place, SEXES)
    path = place.folder / "one.toml"
    path.write_text('input = "patients.csv"\nunit = "pid"\nmodel = "k"\nk = 5\nrelational = "sex"\nout = "o"\n')
    ran = place.run("anonymize", str(path))
    assert (ran.code, "--drop" in ran.err) == (2, True)
