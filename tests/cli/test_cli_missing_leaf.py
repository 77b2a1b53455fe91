"""Missing values and numbers in another form, in columns with a hierarchy file."""

import shlex
from pathlib import Path

import pytest
from tests.cli.place import Place, Ran
from tests.facts import names

import anonset

RACES = ["White"] * 20 + ["Black"] * 8 + [""] * 12
ROLES = ["--relational", "race,sex", "--unit", "row", "--hierarchy", "sex=values", "--model", "k", "--k", "5"]
KNOWN = "White,Known,*\nBlack,Known,*\n"


def people(place: Place, empty: str = "") -> str:
    return place.write(
        "people.csv", "race,sex\n" + "".join(f"{r or empty},{'fm'[n % 2]}\n" for n, r in enumerate(RACES))
    )


def anonymize(place: Place, data: str, tree: str, *more: str) -> Ran:
    return place.run("anonymize", data, "-o", str(place.out), "--hierarchy", f"race={tree}", *ROLES, *more)


def races(place: Place) -> set[str]:
    return {line.partition(",")[0] for line in (place.out / "published.csv").read_text().splitlines()[1:]}


@pytest.mark.parametrize("leaf", ["", '""', "?"])
@pytest.mark.parametrize(
    ("options", "published"), [([], ""), (["--null", "race=", "--missing", "value"], "?")], ids=["empty", "null"]
)
def test_a_leaf_of_missing_values_publishes_them(place: Place, leaf: str, options: list[str], published: str) -> None:
    tree = place.write("tree.csv", f"{KNOWN}{leaf},Unknown,*\n")
    ran = anonymize(place, people(place), tree, *options)
    assert ran.code == 0, ran.err
    assert published in races(place)
    assert races(place) <= {published, "White", "Black", "Known", "*"}
    assert place.run("verify", str(place.out)).code == 0


def test_without_such_a_leaf_the_message_names_options_that_publish(place: Place) -> None:
    data, tree = people(place), place.write("tree.csv", KNOWN)
    ran = anonymize(place, data, tree)
    assert ran.code == 2
    assert names(ran.errors[0], "race 12 '--null race=' '--missing value' ,*")
    (command,) = [line for line in ran.err.splitlines() if "complete command" in line]
    ran = place.run(*shlex.split(command.partition(": anonset ")[2].removeprefix("complete command: anonset ")))
    assert ran.code == 0, ran.err
    assert "?" in races(place)


def test_the_line_that_the_message_names_publishes_too(place: Place) -> None:
    assert anonymize(place, people(place), place.write("tree.csv", f"{KNOWN},*\n")).code == 0
    assert "" in races(place)


def test_a_built_hierarchy_is_accepted_again(place: Place) -> None:
    data, tree = people(place), place.folder / "tree.csv"
    ran = place.run("hierarchy", "build", data, "-o", str(tree), "--column", "race", "--spec", "balanced:2", *ROLES[:4])
    assert (ran.code, '""' in tree.read_text()) == (0, True)
    assert anonymize(place, data, str(tree)).code == 0


def test_both_missing_values_need_a_leaf_each(place: Place) -> None:
    data = place.write("two.csv", (place.folder / people(place)).read_text() + "?,f\n" * 6 + "?,m\n" * 6)
    assert anonymize(place, data, place.write("tree.csv", f"{KNOWN},*\n")).code == 0
    assert races(place) >= {"", "?"}


def test_items_have_no_empty_leaf(place: Place) -> None:
    place.write("hierarchy.csv", (place.folder / "hierarchy.csv").read_text() + ",B,ALL\n")
    ran = place.run(*place.job())
    assert (ran.code, names(ran.err, "items leaf empty")) == (2, True), ran.err


def test_a_null_leaf_of_a_data_frame_is_the_leaf_of_empty_cells() -> None:
    import pandas as pd

    data = {"race": RACES, "sex": ["f", "m"] * 20}
    tree = pd.DataFrame({"leaf": ["White", "Black", None], "root": ["*"] * 3})
    table = anonset.read(data, relational="race,sex", unit="row")
    release = anonset.anonymize(table, anonset.Mondrian(k=5), hierarchies={"race": tree, "sex": "values"})
    assert "" in release.publication.relational[0].labels()
    found = anonset.inspect(data, relational="race,sex", unit="row", missing="value", hierarchies={"race": tree})
    assert {column.profile.name: column.hierarchy for column in found.columns} == {"race": "given", "sex": "values"}


@pytest.mark.parametrize(
    ("ages", "leaves", "form"),
    [("{}", "{}.0", "20.0 without decimals"), ("{}.0", "0{}", "020 1 decimal"), ("{},50", "{}.5", "20.5 2 decimals")],
)
def test_numbers_in_another_form_are_named(place: Place, ages: str, leaves: str, form: str) -> None:
    rows = [f'"{ages.format(20 + n % 30)}";{"fm"[n % 2]}\n' for n in range(60)]
    data = place.write("ages.csv", "age;sex\n" + "".join(rows))
    tree = place.write("tree.csv", "".join(f"{leaves.format(age)},{age // 10}0s,*\n" for age in range(20, 50)))
    roles = ["--relational", "age,sex", *ROLES[2:], "--hierarchy", f"age={tree}"]
    ran = place.run("anonymize", data, "-o", str(place.out), *roles)
    assert (ran.code, names(ran.errors[0], f"age leaves {form}")) == (2, True), ran.err
    assert "dropping" not in ran.err
    assert "'21" not in ran.err


def test_inspect_keeps_a_column_with_a_given_hierarchy(place: Place) -> None:
    data = place.write("ages.csv", "id,age,sex\n" + "".join(f"{n},{20 + n % 30},{'fm'[n % 2]}\n" for n in range(60)))
    tree = Path(place.write("tree.csv", "".join(f"{age},{age // 10}0s,*\n" for age in range(20, 50))))
    ran = place.run("inspect", data, "--hierarchy", f"age={tree}", "--json")
    (age,) = [column for column in ran.json["columns"] if column["name"] == "age"]
    assert (age["role"], age["hierarchy"]) == ("relational", str(tree))
