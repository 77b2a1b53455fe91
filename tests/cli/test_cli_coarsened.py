"""Losses and counts of values that reading coarsens say that they are relative to the coarsened values."""

from html import unescape

import pytest

from cli.place import Place

PEOPLE = "born,sex,codes\n" + "".join(
    f"{1950 + n % 2}-0{1 + n % 9}-1{n % 7},{'fm'[n % 2]},E1{n % 3} I1{n % 2}\n" for n in range(36)
)
VALUES, ITEMS = "relative to the coarsened values", "relative to the coarsened items"
COARSE_DATES = ("--hierarchy", "born=date:from-year,decade", "--hierarchy", "codes=prefix:2,1")
COARSE_CODES = ("--hierarchy", "born=date:year,decade", "--hierarchy", "codes=prefix:from-2,1")
ROLES = ("--relational", "born,sex", "--items", "codes", "--hierarchy", "sex=values")
MODEL = ("--unit", "row", "--model", "kkm", "--k", "2", "--m", "1")


@pytest.fixture
def people(place: Place) -> str:
    return place.write("people.csv", PEOPLE)


def _lines(text: str) -> dict[str, str]:
    return {line[:18].strip(): line[18:].strip() for line in text.splitlines()}


@pytest.mark.long
@pytest.mark.parametrize(
    ("rules", "relative", "coarsened"),
    [
        (COARSE_DATES, {"values": VALUES, "attribute detail": VALUES}, {"values": ["born"]}),
        (COARSE_CODES, {"occurrences": ITEMS, "item detail": ITEMS}, {"items": ["codes"]}),
    ],
)
def test_each_loss_of_a_coarsened_part_says_so(
    place: Place, people: str, rules: tuple[str, ...], relative: dict[str, str], coarsened: dict[str, list[str]]
) -> None:
    ran = place.run("anonymize", people, *ROLES, *rules, *MODEL, "-o", str(place.out))
    assert ran.code == 0, ran.err
    lines = _lines(ran.out)
    assert {"values", "occurrences", "attribute detail", "item detail"} <= lines.keys()
    assert {name: text[-len(VALUES) :].strip(", ") for name, text in lines.items() if "relative" in text} == relative

    again = place.run("anonymize", people, *ROLES, *rules, *MODEL, "-o", f"{place.out}2", "--json").json
    assert again["coarsened"] == coarsened

    evaluated = place.run("evaluate", people, str(place.out), *ROLES, *rules)
    shown = [line for line in evaluated.out.splitlines() if "relative" in line]
    assert {"occurrences"} & {*relative} <= {line.split("  ")[0] for line in shown}
    assert len(shown) >= len(relative) - 1
    assert all(line.rstrip().endswith(tuple(relative.values())) for line in shown)
    flat = place.run("evaluate", people, str(place.out), *ROLES, *rules, "--json").json
    assert flat["coarsened"] == coarsened


def test_losses_without_coarsening_need_no_remark(place: Place, people: str) -> None:
    rules = (*COARSE_CODES[:2], *COARSE_DATES[2:])
    ran = place.run("anonymize", people, *ROLES, *rules, *MODEL, "-o", str(place.out))
    assert "relative to" not in ran.out + place.run("evaluate", people, str(place.out), *ROLES, *rules).out
    assert "coarsened" not in place.run("evaluate", people, str(place.out), *ROLES, *rules, "--json").json


def test_the_report_names_coarsened_columns_as_generalized(place: Place, people: str) -> None:
    roles = ("--relational", "born,sex", "--drop", "codes", "--unit", "row")
    rules = ("--hierarchy", "sex=values", *COARSE_DATES[:2], "--model", "k", "--k", "2", "--algorithm", "top-down")
    assert "(100.0%), 0 generalized" in place.run("anonymize", people, *roles, *rules, "-o", str(place.out)).out
    page = place.folder / "page.html"
    assert place.run("report", str(place.private / "report.json"), "-o", str(page)).code == 0
    text = unescape(page.read_text("utf-8"))
    assert f"<h3>Relational values, {VALUES}</h3>" in text
    assert f"0, {VALUES}</td>" in text
    assert "The risk before is that of the original with coarsened born." in text
    technique = 'technique (terms of ISO/IEC 20889)">'
    rows = {line.partition('"column">')[2].partition("<")[0]: line for line in text.splitlines() if technique in line}
    assert f"{technique}generalization<" in rows["born"]
    assert f"{technique}none needed<" in rows["sex"]


def test_suggestions_and_comparisons_say_that_values_were_coarsened(place: Place, people: str) -> None:
    roles = ("--relational", "born,sex", "--drop", "codes", "--hierarchy", "sex=values", *COARSE_DATES[:2])
    model = ("--unit", "row", "--k", "2", "--model", "k")
    ran = place.run("suggest", people, *roles, *model)
    assert f"shares of the relational values, {VALUES}\n" in ran.out
    assert f"of the attribute values are unchanged, {VALUES}\n" in ran.out
    compared = place.run("compare", people, *roles, "--unit", "row", "--k", "2,3", "--algorithms", "mondrian")
    assert compared.out.count("losses are relative to the original with coarsened born") == 1
