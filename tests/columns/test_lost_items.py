"""Layouts whose items are in several columns: all of these columns are proposed as items."""

import random
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.columns.errors import SETS
from tests.columns.layouts import CORPUS, read_file
from tests.columns.tables import write

import anonset

LAYOUTS = read_file(CORPUS / "rules" / "lost_items.toml")[0]


@pytest.mark.parametrize("layout", LAYOUTS, ids=lambda layout: layout.name)
def test_no_column_of_items_is_lost(layout, tmp_path):
    found = anonset.inspect(str(write(layout, tmp_path, 400, 1)), unit=layout.unit)
    roles = {column.profile.name: column.role for column in found.columns}
    assert {one.header: roles[one.header] in SETS for one in layout.columns} == {
        one.header: one.role == "items" for one in layout.columns
    }


OPTIONS = ("Website", "Email newsletter", "Telephone", "Name of a shop", "Search engine", "A friend", "Flyer", "Radio")


def _survey(path: Path, columns: dict[str, list[str]], rows: int) -> str:
    people = {"respondent_id": [f"R{100 + row}" for row in range(rows)], "sex": ["F", "M"] * (rows // 2)}
    table = [[*people, *columns], *zip(*people.values(), *columns.values(), strict=True)]
    path.write_text("\n".join(map(",".join, table)) + "\n", "utf-8")
    return str(path)


@given(st.permutations(OPTIONS), st.integers(4, len(OPTIONS)), st.sampled_from([40, 300]), st.randoms())
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_all_options_of_a_question_are_items(tmp_path, options, count, rows, random):
    chosen = {option: [*random.choices([option, ""], k=rows - 2), option, ""] for option in options[:count]}
    found = anonset.inspect(_survey(tmp_path / "survey.csv", chosen, rows), unit="row")
    assert {column.profile.name for column in found.columns if column.role == "one_hot"} == {*chosen}


@pytest.mark.parametrize("marked", [3, 6, 9])
def test_columns_of_several_marks_next_to_columns_of_one_are_asked_for(tmp_path, marked):
    names = [f"{kind}_{year}" for year in range(2012, 2025, 4) for kind in ("GEN", "PRI", "MUN")]
    draw = random.Random(marked)
    marks = [["X", ""] if place < marked else ["A", "E", "P", "", ""] for place in range(len(names))]
    columns = {name: draw.choices(own, k=400) for name, own in zip(names, marks, strict=True)}
    path = _survey(tmp_path / "votes.csv", columns, 400)
    found = anonset.inspect(path, unit="row")
    assert {column.profile.name for column in found.columns if column.role == "one_hot"} == {*names[:marked]}
    (all_of_them,) = [fix for fix in found.item_answers if fix.settings.get("present") == "filled"]
    assert all_of_them.settings["one_hot"] == names
    assert f"{len(names) - marked} further column" in all_of_them.effect
    filled = sum(cell != "" for column in columns.values() for cell in column)
    assert (
        anonset.read(
            path, unit="row", drop=["respondent_id", "sex"], **all_of_them.settings
        ).transactions.occurrences.sum()
        == filled
    )
