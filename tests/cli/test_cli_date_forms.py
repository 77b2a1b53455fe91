"""Errors about dates of another format name the rule that fits, as `inspect` proposes it."""

import re
import shlex
from datetime import datetime, timedelta

import pytest
from tests.cli.place import Place
from tests.facts import names

FORMS = [
    "%Y-%m-%d %H:%M:%S",
    "%Y-%m-%dT%H:%M:%S",
    "%d.%m.%Y %H:%M",
    "%d.%m.%Y",
    "%Y-%m-%d",
]


def stays(place: Place, form: str) -> str:
    days = [datetime(2020, 1, 1, 6) + timedelta(minutes=9_001 * n) for n in range(60)]
    lines = [f"{day.strftime(form)},{'fm'[n % 2]}\n" for n, day in enumerate(days)]
    return place.write("stays.csv", "admitted,sex\n" + "".join(lines))


@pytest.mark.parametrize(
    ("form", "levels"),
    [*((form, "month,year") for form in FORMS), (FORMS[0], "from-month,year"), (FORMS[0], "year")],
)
def test_the_error_names_a_rule_that_fits(place: Place, form: str, levels: str) -> None:
    data = stays(place, form)
    wrong = f"date:{levels}" if form != "%Y-%m-%d" else f"date:%d.%m.%Y:{levels}"
    roles = ["--relational", "admitted,sex", "--unit", "row", "--model", "k", "--k", "3"]
    run = ["anonymize", data, "-o", str(place.out), "--hierarchy", "sex=values", *roles]
    ran = place.run(*run, "--hierarchy", f"admitted={wrong}")
    assert ran.code == 2
    way = re.search(r"for these values: (--hierarchy [^;]+)", ran.errors[0])
    assert way is not None, ran.err
    assert names(shlex.split(way[1])[1], f"admitted=date: {levels}")
    assert place.run(*run, *shlex.split(way[1])).code == 0


def test_inspect_proposes_the_same_format(place: Place) -> None:
    ran = place.run("inspect", stays(place, FORMS[0]), "--relational", "admitted", "--json")
    (column,) = [column for column in ran.json["columns"] if column["name"] == "admitted"]
    assert column["hierarchy"].startswith(f"date:{FORMS[0]}:")


@pytest.mark.parametrize("values", [["red", "blue"], ["03/04/2020", "05/06/2021"]], ids=["text", "ambiguous"])
def test_values_without_a_certain_format_keep_the_general_advice(place: Place, values: list[str]) -> None:
    data = place.write("stays.csv", "admitted,sex\n" + "".join(f"{value},f\n" for value in values * 10))
    roles = ["--relational", "admitted,sex", "--unit", "row", "--model", "k", "--k", "3"]
    ran = place.run("anonymize", data, "-o", str(place.out), *roles, "--hierarchy", "admitted=date:month,year")
    assert (ran.code, "(for others, date:%d.%m.%Y:month,year)" in ran.err) == (2, True), ran.err
