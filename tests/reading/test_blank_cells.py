"""Cells that only some rows of a person fill: a blank cell is no value, so the known value applies to the person."""

import pytest
from tests.facts import refused

import anonset
from anonset import InputError
from anonset.data.storage.store import Files
from anonset.data.table_facts import KNOWN_VALUE
from anonset.reading.options import ReadOptions
from anonset.reading.table_builder import gather_files

ROWS = {
    "id": ["1", "2", "1", "2", "3", "1"],
    "sex": ["", "m", "f", "", "", "f"],
    "town": ["A", "B", "", "", "C", ""],
    "code": ["x", "y", "z", "x", "y", "x"],
}
OPTIONS = {"unit": "id", "relational": "sex", "keep": "town", "items": "code"}


def read(rows=ROWS, store=None, **more):
    """Read the rows in memory, or out of core."""
    options = {**OPTIONS, **more}
    return anonset.read(rows, **options) if store is None else gather_files(rows, ReadOptions(**options), store)


@pytest.mark.parametrize("in_files", [False, True])
def test_the_known_value_of_a_person_is_used_and_counted(tmp_path, in_files):
    table = read(store=Files(tmp_path) if in_files else None)
    assert table.relational[0].labels() == ["f", "m", ""]
    assert table.kept[0].labels() == ["A", "B", "C"]
    assert [*table.transactions.rows()] == [["x", "z"], ["x", "y"], ["y"]]
    assert {change.column: change.occurrences for change in table.changes if change.rule == KNOWN_VALUE} == {
        "sex": 2,
        "town": 2,
    }


def test_two_known_values_are_rejected_and_the_first_of_them_is_used_if_declared():
    rows = {**ROWS, "sex": ["", "m", "f", "", "", "m"]}
    with refused(InputError, "'sex' 'rows 3 and 6' '1 person in all'"):
        read(rows)
    assert read(rows, differing="first").relational[0].labels() == ["f", "m", ""]


def test_a_null_category_is_no_value():
    rows = {**ROWS, "sex": [None, "m", "f", None, None, "f"]}
    assert read(rows, missing="value").relational[0].labels() == ["f", "m", "?"]


def test_labels_of_no_person_are_no_part_of_the_column():
    assert read({**ROWS, "sex": ["", "m", "f", "", "f", "f"]}).relational[0].vocabulary.labels == ("f", "m")


def test_inspect_proposes_the_columns_and_names_the_persons():
    rows = {
        "record": [f"{1000 + n // 3}" for n in range(180)],
        "sex": [("fm"[n // 3 % 2] if n % 3 == 0 else "") for n in range(180)],
        "event": [("" if n % 3 == 0 else ("fall", "delirium", "surgery", "sepsis")[n % 4]) for n in range(180)],
    }
    found = anonset.inspect(rows, unit="record")
    assert found.settings["relational"] == ["sex"]
    assert any("known value: sex of 60 persons" in problem for problem in found.problems)
