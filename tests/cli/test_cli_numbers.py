"""Numbers that overflow or have no exact representation are rejected, never published."""

import re

import pytest
from tests.facts import names

from cli.place import Place

PEOPLE = "age,codes\n{},a1\n{},a1\n30.5,a1 b1\n41,a1 b1\n"
ROLES = ["--items", "codes", "--relational", "age", "--hierarchy", "age=range"]
LARGE = "'row 1' -1e+300 1e+300"
HELD = "'row 2' 64-bit 15"
CASES = [("1e308", "-1e308", LARGE), ("1", "9007199254740993", HELD), ("1", "0.12345678901234567890", HELD)]


@pytest.mark.long
@pytest.mark.parametrize(("one", "two", "reason"), CASES)
def test_every_command_refuses_numbers_that_it_cannot_work_with(place: Place, one: str, two: str, reason: str) -> None:
    data = place.write("people.csv", PEOPLE.format(one, two))
    kkm = ["--model", "kkm", "--k", "2", "--m", "1", "--hierarchy", "codes=balanced:2"]
    alone = ["--relational", "age", "--drop", "codes", "--hierarchy", "age=range", "--model", "k", "--k", "2"]
    for command in (
        ["anonymize", data, "-o", str(place.out), *ROLES, *kkm, "--max-loss", "1", "--json"],
        ["anonymize", data, "-o", str(place.out), *alone, "--algorithm", "mondrian"],
        ["compare", data, *ROLES, *kkm, "--json"],
    ):
        ran = place.run(*command)
        assert (ran.code, ran.out) == (2, "")
        assert names(ran.err, f"{data} numeric age {reason}")
    published = place.write("published.csv", "age\n[1:9007199254740992]\n" * 2)
    ran = place.run("verify", published, *alone[:2], *alone[6:], "--original", data, *alone[2:6])
    assert ran.code == 2
    assert names(ran.err, f"people.csv numeric age {reason}")


@pytest.mark.parametrize(
    ("label", "true"),
    [
        ("[1:9007199254740991]", False),
        ("[1:9007199254740992]", True),
        ("[1:9007199254740991.99999]", False),
        ("[9007199254740993:9007199254740993]", False),
        ("[1:nan]", False),
        ("[a:b]", False),
        ("many", False),
        ("[1:1e999999999]", False),
    ],
)
def test_published_numbers_are_compared_as_they_are_written(place: Place, label: str, true: bool) -> None:
    """A float would round 9007199254740991.99999 to 9007199254740992."""
    data = place.write("people.csv", "age\n1\n9007199254740992\n")
    published = place.write("published.csv", f"age\n{'[1:9007199254740992]' if label[1] != '1' else label}\n{label}\n")
    k = ["--model", "k", "--k", "1", "--relational", "age", "--hierarchy", "age=range"]
    ran = place.run("verify", published, *k, "--original", data, "--json")
    assert (ran.code, ran.json["true"]) == (0 if true else 1, true)


def test_a_range_that_is_none_has_no_loss(place: Place) -> None:
    data = place.write("people.csv", "age\n1\n2\n1\n2\n")
    k = ["--relational", "age", "--hierarchy", "age=range", "--unit", "row"]
    assert place.run("anonymize", data, "-o", str(place.out), *k, "--model", "k", "--k", "2").code == 0
    ran = place.run("evaluate", data, str(place.out), *k, "--workload", "record:5x0+1", "--width", "1", "--json")
    assert (ran.code, ran.json["rum"]) == (0, 0)


@pytest.mark.long
def test_an_empty_number_is_rejected_with_a_hierarchy_that_works(place: Place) -> None:
    rows = "".join(f"{'' if n % 9 == 0 else 20 + n % 40},c{n % 3}\n" for n in range(90))
    data = place.write("people.csv", f"age,codes\n{rows}")
    fixed = ["--unit", "row", "--items", "codes", "--relational", "age", "--hierarchy", "codes=balanced:2"]
    more = ["--model", "kkm", "--k", "2", "--m", "1", "-o", str(place.out)]
    ran = place.run("anonymize", data, *fixed, "--hierarchy", "age=range", *more)
    assert (ran.code, names(ran.err, "age 'row 1' bins:width=10")) == (2, True)
    warned = place.run("inspect", data, *fixed[:-2], "--hierarchy", "age=range").out
    proposed = re.search(r"'age': no number in 10 rows.* bins:width=([0-9,]+)", warned)
    assert proposed is not None
    for hierarchy in ([], ["--hierarchy", "age=bins:width=10"]):  # intervals are proposed, or chosen
        assert "no number in" not in place.run("inspect", data, *fixed[:-2], *hierarchy).out
    for width in ("10", proposed[1]):
        ran = place.run(
            "anonymize", data, *fixed, "--hierarchy", f"age=bins:width={width}", *more[:-1], f"{place.out}{width}"
        )
        assert ran.code == 0, ran.err


def test_a_set_is_not_larger_than_the_number_of_items(place: Place) -> None:
    data = place.write("sets.dat", "".join(f"c{n % 8} c{n * n % 7}\n" for n in range(60)))
    model = ["--algorithm", "coat", "--k", "9", "--m", "2"]
    assert place.run("anonymize", data, *model, "-o", str(place.out)).code == 0
    shown = place.run("evaluate", data, str(place.out)).out
    assert "to a set of 2 to 8 items" in shown
