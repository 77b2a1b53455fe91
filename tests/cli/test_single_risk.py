"""The single figure of the risk is about all that is protected, in the terminal, in JSON and in the report."""

import random
from html import unescape

import pytest

from cli.place import Place

pytestmark = pytest.mark.compiled
ITEMS = ["--drop", "decade", "--items", "codes", "--separator", " ", "--hierarchy", "codes=balanced:3"]
MODEL = ["--model", "kkm", "--k", "3", "--m", "1"]


def persons() -> list[tuple[str, str, list[str]]]:
    draw = random.Random(4)
    return [
        (f"{draw.randrange(1950, 1960)}-0{draw.randrange(1, 10)}-11", draw.choice("fm"), draw.sample("abcdefghij", 3))
        for _ in range(200)
    ]


def unique(people: list[tuple[str, str, list[str]]], length: int) -> str:
    """Return the share of the persons whom the attributes and one item single out. `length` digits of the date are
    known.
    """
    known = [{(born[:length], sex, item) for item in items} for born, sex, items in people]
    alone = [any(sum(fact in others for others in known) == 1 for fact in facts) for facts in known]
    return f"{sum(alone) / len(alone):.1%}"


@pytest.mark.parametrize("unit", ["row", "pid"])
def test_attributes_and_items_that_are_protected_together_are_in_the_single_risk(place: Place, unit: str) -> None:
    people = persons()
    lines = [f"p{n},{born},{sex},{' '.join(items)}" for n, (born, sex, items) in enumerate(people)]
    data = place.write("people.csv", "\n".join(["pid,born,sex,codes", *lines]) + "\n")
    roles = ["--unit", unit, "--relational", "born,sex", "--items", "codes", "--separator", " "]
    roles += ["--drop", "pid"] if unit == "row" else []
    rules = ["--hierarchy", "born=date:from-year,decade", "--hierarchy", "codes=balanced:3"]
    ran = place.run("anonymize", data, *roles, *rules, *MODEL, "-o", str(place.out), "--quiet")
    assert ran.code == 0, ran.err
    raw, read = unique(people, 10), unique(people, 4)
    assert len({raw, read, "0.0%"}) == 3
    counted_as = "rows" if unit == "row" else "persons"
    line = (
        f"{counted_as} that are unique, if an attacker knows all quasi-identifiers and the item that singles "
        f"out the person best (covered by the guarantee): {raw} in the original, "
        f"{read} after reading coarsened born, 0.0% in the publication"
    )
    job = str(place.private / "report.json")
    assert line in place.run("risk", job).out
    page = place.folder / "page.html"
    assert place.run("report", job, "-o", str(page)).code == 0
    assert line[1:].replace("all quasi-identifiers and", "born and sex, and") in unescape(page.read_text())
    single = place.run("risk", job, "--json").json["single"]
    assert single["known"] == "all quasi-identifiers and 1 item"
    assert [f"{single[step]:.1%}" for step in ("raw", "before", "after")] == [raw, read, "0.0%"]
    shared = place.run("risk", str(place.out), "--json").json["single"]
    assert (shared["raw"], shared["before"], shared["after"]) == (None, None, 0.0)


@pytest.mark.parametrize(
    ("options", "known"),
    [
        (["--relational", "decade", "--drop", "codes", "--model", "k"], "all quasi-identifiers"),
        ([*ITEMS, "--model", "km", "--m", "2"], "2 items"),
        ([*ITEMS, "--model", "transaction-k"], "2 items"),
    ],
)
def test_what_a_model_does_not_protect_is_not_in_the_single_risk(place: Place, options: list[str], known: str) -> None:
    lines = [f"{born[:3]},{' '.join(items)}" for born, _, items in persons()]
    data = place.write("people.csv", "\n".join(["decade,codes", *lines]) + "\n")
    ran = place.run("anonymize", data, "--unit", "row", *options, "--k", "2", "-o", str(place.out), "--quiet")
    assert ran.code == 0, ran.err
    assert place.run("risk", str(place.private / "report.json"), "--json").json["single"]["known"] == known
