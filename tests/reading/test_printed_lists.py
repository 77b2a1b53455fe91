"""Cells with lists that programs print, read with the separator ``list``."""

import csv
import json
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonset import arrow, inspect, read
from anonset.cli.main import main
from anonset.columns.cells import are_printed_lists, items_of_lists, listed_items
from anonset.errors import InputError

TEXTS = st.text(st.characters(codec="utf-8", exclude_categories=["Cs"]), max_size=6)


def postgres(items: list[str]) -> str:
    quoted = [item.replace("\\", "\\\\").replace('"', '\\"') for item in items]
    return "{" + ",".join(f'"{item}"' for item in quoted) + "}"


@pytest.mark.long
@pytest.mark.parametrize("printed", [repr, json.dumps, lambda items: json.dumps(items, ensure_ascii=False), postgres])
@given(items=st.lists(TEXTS, max_size=4))
def test_items_are_those_of_the_program_that_printed_them(printed, items):
    if printed is postgres:
        items = [item for item in items if item.isprintable()]
    assert listed_items(f" {printed(items)} ") == items


@given(items=st.lists(TEXTS, min_size=1, max_size=4))
def test_python_tuples_and_sets(items):
    assert listed_items(repr(tuple(items))) == items
    assert set(listed_items(repr(set(items))) or ()) == set(items)


@given(text=st.text("[]{}()'\",\\a 1", max_size=9))
def test_lists_that_python_or_json_can_read_are_never_read_otherwise(text):
    try:
        value = json.loads(text)
    except ValueError:
        return
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        assert listed_items(text) in (value, None)


@pytest.mark.parametrize(
    "cell",
    [
        "['a' 'b']",
        "['a'\n 'b']",
        "[a, [b]]",
        "[1 2",
        "{'a': 1}",
        "['a',]",
        "[,]",
        "a",
        "[",
        "[np.str_('a')]",
        "['a]",
        "[b'a']",
        '["\\ud800"]',
    ],
)
def test_other_texts_are_no_lists(cell):
    assert listed_items(cell) is None


def test_null_is_not_an_item():
    assert listed_items("{a,NULL}") == ["a", None]
    with pytest.raises(InputError, match="row 2 contains null"):
        read({"codes": ["['a']", "['b', None]"]}, items="codes", unit="row", separator="list")


def test_cells_and_null_cells_become_lists():
    texts = pa.chunked_array([["['a', 'b']", None], ["[]", "['a', 'b']", ""]], pa.large_string())
    assert items_of_lists(texts).to_pylist() == [["a", "b"], None, [], ["a", "b"], []]
    assert items_of_lists(arrow.text_array([])).to_pylist() == []


def test_values_in_brackets_without_several_items_are_no_lists():
    assert not are_printed_lists(["[redacted]", "[unknown]"])
    assert not are_printed_lists(["(a,b)", "(c,d)"])


def write(path: Path, rows: list[tuple[str, str]]) -> Path:
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([("pid", "codes"), *rows])
    return path


def test_the_row_that_is_no_list_is_named(tmp_path):
    path = write(tmp_path / "v.csv", [("p1", "['a']"), ("p2", "['a', 'b']"), ("p3", "b c")])
    with pytest.raises(InputError, match=r"column 'codes': row 3 is not a list such as") as error:
        read(path, unit="pid", items="codes", separator="list")
    assert "b c" not in str(error.value)


def test_words_for_null_and_items_of_several_words_are_items_of_a_list():
    table = read({"codes": ["['NA', 'red wine']", "['NA']"]}, items="codes", unit="row", separator="list")
    assert list(table.transactions.rows()) == [["NA", "red wine"], ["NA"]]


def test_one_column_of_lists_beside_another_separator(tmp_path):
    path = tmp_path / "v.csv"
    path.write_text('drugs;codes\nx,y;"{a,b}"\nz;{}\n')
    table = read(path, items=["drugs", "codes"], unit="row", delimiter=";", separator="drugs=, codes=list")
    assert list(table.transactions.rows()) == [["codes:a", "codes:b", "drugs:x", "drugs:y"], ["drugs:z"]]


@pytest.mark.long
@pytest.mark.parametrize("printed", [repr, json.dumps, postgres])
def test_inspect_proposes_a_job_that_publishes_the_items(tmp_path, monkeypatch, capsys, printed):
    monkeypatch.chdir(tmp_path)
    sets = [["E10", "I10"], ["E10"], ["I10", "J45"], []] * 6
    write(tmp_path / "v.csv", [(f"p{row}", printed(items)) for row, items in enumerate(sets)])
    found = inspect(tmp_path / "v.csv", k=2)
    assert found.settings["separator"] == "list"
    assert any("'codes': the cells are read as printed lists" in str(problem) for problem in found.problems)
    roles = ["--items", "codes", "--drop", "pid", "--unit", "row"]
    assert main(["anonymize", "v.csv", "--model", "km", "--k", "2", "--m", "2", *roles, "--out", "OUT"]) == 2
    assert "to read the cells as lists: --separator list" in capsys.readouterr().err
    assert main(["inspect", "v.csv", "-o", "job.toml"]) == 0
    job = tmp_path / "job.toml"
    job.write_text(job.read_text().replace('unit = "?"', 'unit = "row"'))
    assert main(["anonymize", "job.toml", "--k", "2"]) == 0
    assert main(["evaluate", "v-safe.private/report.json"]) == 0
    assert main(["verify", "v-safe"]) == 0
    assert read(tmp_path / "v-safe" / "published.csv", items="codes", unit="row").n == len(sets)
