"""Labelled layouts: all are valid, their traits are true of the tables, and errors in layouts are reported."""

import re
from functools import cache

import pytest
from tests.columns import layouts
from tests.columns.digest import digest_of_measuring
from tests.columns.layouts import FOLDERS, LayoutError, check, generate, main, parse_layout, read_file, read_layouts
from tests.columns.traits import CHECKS, HARD_TRAITS, TRAITS, broken_traits

LEAST = 400
"""Number of layouts in both folders."""
FILES = [path for folder in FOLDERS for path in sorted(folder.glob("*.toml"))]
KEYS = {"name": "a_table", "language": "en", "domain": "shop", "person": "id"}
ID = ["id", "person", "serial|1"]
VALID = """
origin = "an example"

[[layout]]
name = "a_table"
language = "en"
domain = "shop"
person = "id"
columns = [["id", "person", "serial|1"], ["q{1..3}", "items", "codes|icd10|9"]]
"""


@cache
def layouts_of(path):
    return read_file(path)[0]


def all_layouts():
    return [layout for path in FILES for layout in layouts_of(path)]


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_all_layouts_are_valid(folder):
    assert read_layouts(folder)


@pytest.mark.long
def test_names_are_unique_in_both_folders():
    names = [layout.name for layout in all_layouts()]
    assert sorted(names) == sorted(set(names))


def test_there_are_enough_layouts():
    assert len(all_layouts()) >= LEAST


def test_a_third_of_the_layouts_is_hard():
    hard = [layout for layout in all_layouts() if set(HARD_TRAITS) & set(layout.traits)]
    assert len(hard) >= len(all_layouts()) / 3


def test_each_trait_has_an_example():
    assert set(TRAITS) == {trait for layout in all_layouts() for trait in layout.traits}


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_the_traits_are_true_of_the_tables(path):
    for layout in layouts_of(path):
        for n in (30, 100) if CHECKS.keys() & layout.traits else (30,):
            header, rows = generate(layout, n, 0)
            assert [len(row) for row in rows] == [len(header)] * n, layout.name
            assert list(broken_traits(layout, header, rows)) == [], layout.name


BROKEN = [
    ({"rows": "3"}, [], "unique-row-key"),
    ({"rows": "3"}, [["k", "key", "serial|1", {"per": "person"}]], "unique-row-key"),
    ({}, [["k", "key", "serial|1"]], "unique-row-key"),  # a person has one row
    ({"rows": "3"}, [["k", "contact", "email"]], "unique-contact"),
    ({"rows": "3"}, [["k", "contact", "email", {"per": "row", "filled": 0.9}]], "unique-contact"),
    ({}, [], "repeats"),
    ({"rows": "3"}, [], "spellings"),
    ({}, [], "free-text"),
    ({}, [["k", "key", "serial|1"], ["p", "key", "previous|k"]], "chained-ids"),
    ({}, [], "dummy-id"),
    ({}, [["a", "items", "choice|0|1"]], "wide-codes"),
    ({}, [["a{1..5}", "items", "choice|0|7"]], "genotypes"),
    ({"format": "jsonl"}, [["a", "items", "choice|0|7"]], "nested"),
    ({"present": "yes"}, [["a", "items", "choice|0|1"]], "two-valued"),
    ({"present": "filled"}, [["a", "items", "choice|0|1"]], "two-valued"),
    ({"present": "1"}, [["a", "items", "choice|0|1|2"]], "two-valued"),
]


@pytest.mark.parametrize(("keys", "columns", "trait"), BROKEN)
def test_a_trait_that_is_not_true_is_reported(keys, columns, trait):
    layout = parse_layout({**KEYS, "columns": [ID, *columns], "traits": [trait], **keys})
    found = list(broken_traits(layout, *generate(layout, 200, 0)))
    assert found == [f"trait {trait!r} is not true of a table of 200 rows"]


STRUCTURAL = [
    ({"person": "unknown"}, "no-person"),
    ({"before": [["x"]]}, "labels"),
    ({"after": [["x"]]}, "totals"),
    ({"present": "1"}, "two-valued"),
    ({"header": False}, "no-header"),
]


@pytest.mark.parametrize(("keys", "trait"), STRUCTURAL)
def test_a_trait_of_a_key_is_declared_if_and_only_if_it_is_true(keys, trait):
    columns = [["number", "key", "serial|1"]] if "person" in keys else [ID]
    with pytest.raises(LayoutError, match=f"^trait '{trait}' is missing$"):
        parse_layout({**KEYS, "columns": columns, **keys})
    parse_layout({**KEYS, "columns": columns, **keys, "traits": [trait]})
    with pytest.raises(LayoutError, match=f"^trait '{trait}' is not true of this layout$"):
        parse_layout({**KEYS, "columns": [ID], "traits": [trait]})


ERRORS = [
    ({"nme": "x"}, [ID], "unknown key 'nme'"),
    ({"name": ""}, [ID], "name is missing"),
    ({"language": "German"}, [ID], "unknown language 'German'"),
    ({"domain": "clinic"}, [ID], "unknown domain 'clinic' (known: hospital, "),
    ({"format": "xls"}, [ID], "unknown format 'xls' (known: csv, "),
    ({"encoding": "utf-9"}, [ID], "unknown encoding 'utf-9'"),
    ({"delimiter": "::"}, [ID], "delimiter must be one character, got '::'"),
    ({"header": "no"}, [ID], "header must be of the type bool, got 'no'"),
    ({"traits": "repeats"}, [ID], "traits must be of the type list, got 'repeats'"),
    ({"traits": ["repeated"]}, [ID], "unknown trait 'repeated' (known: no-person, "),
    ({"before": ["x"]}, [ID], "before must be a list of lines, and a line a list of fields"),
    ({"after": [["x", "y"]]}, [ID], "a line of after has 2 fields, the table has 1 columns"),
    ({"format": "jsonl", "above": ["x"]}, [ID], "format 'jsonl' has no lines before, after or above the rows"),
    ({"format": "fimi", "header": True}, [ID], "format 'fimi' has no header"),
    ({"rows": "poisson|3"}, [ID], "rows must be a number, 'geometric|MEAN' or 'uniform|LOW|HIGH', got 'poisson|3'"),
    ({"rows": 0}, [ID], "rows must be a number, 'geometric|MEAN' or 'uniform|LOW|HIGH', got '0'"),
    ({"rows": "uniform|4|2"}, [ID], "rows must be a number"),
    ({"person": "row", "rows": 2}, [["a", "other", "empty"]], "person = 'row' requires rows = 1, got '2'"),
    ({"person": "pid"}, [["a", "other", "empty"]], "person column 'pid' does not exist"),
    ({}, [["id", "key", "serial|1"]], "person column 'id' has the role 'key' instead of 'person'"),
    ({}, [["id", "person", "serial|1", {"per": "row"}]], "person column 'id' must not have per = 'row'"),
    ({}, [["id", "person", "pattern|999", {"pool": 5}]], "person column 'id' must not have a pool"),
    ({}, [["id", "person", "int|1|999"]], "person column 'id': 50000 rows need 55000 distinct values, got 999"),
    ({"person": "row"}, [ID], "column 'id' has the role 'person', but person = 'row' does not name it"),
    ({}, [ID, ["id", "key", "uuid"]], "column 'id' occurs 2 times"),
    ({}, [ID, ["q{1,2}", "key", "uuid"], ["q2", "key", "uuid"]], "column 'q2' occurs 2 times"),
    ({}, [ID, ["a", "quasi", "uuid"]], "column 'a': unknown role 'quasi' (known: person, "),
    ({}, [ID, ["a", "key", "guid"]], "column 'a': unknown generator 'guid' in 'guid'"),
    ({}, [ID, ["a", "key"]], "column ['a', 'key']: must be [header, role, values]"),
    ({}, [ID, ["a", "key", "uuid", {"size": 4}]], "column 'a': unknown option 'size' (known: per, "),
    ({}, [ID, ["a", "key", "uuid", {"pool": 0}]], "column 'a': option pool = 0 is invalid"),
    ({}, [ID, ["a", "key", "uuid", {"filled": 1.5}]], "column 'a': option filled = 1.5 is invalid"),
    ({}, [ID, ["a", "key", "uuid", {"missing": {"": 0.6, "-": 0.6}}]], "column 'a': option missing = "),
    ({}, [ID, ["a", "key", "uuid", {"set": [";", 0]}]], "column 'a': option set = [';', 0] is invalid"),
    ({}, [ID, ["a", "key", "uuid", {"variants": ["upper"]}]], "column 'a': option variants = ['upper'] is invalid"),
    ({}, [ID, ["a", "key", "uuid", {"odd": {"x": 0}}]], "column 'a': option odd = {'x': 0} is invalid"),
    ({}, [ID, ["a", "key", "uuid", "row"]], "column 'a': options must be a table, got 'row'"),
    ({}, [ID, ["a", "key", "uuid", {"per": "b"}]], "column 'a': refers to the column 'b', which does not exist"),
    ({}, [ID, ["a", "key", "uuid", {"per": "episode"}]], "column 'a': per = 'episode' requires episodes in the layout"),
    ({}, [ID, ["a", "key", "copy|b"], ["b", "key", "copy|a"]], "column 'a' depends on itself"),
    ({}, [ID, ["a", "items", "uuid", {"set": ["list", 2]}]], "column 'a': set = ['list', …] requires format = 'jsonl'"),
    ({"format": "jsonl"}, [ID, ["id.a", "key", "uuid"]], "column 'id' is also a level of 'id.a'"),
]


@pytest.mark.parametrize(("keys", "columns", "message"), ERRORS, ids=[message for *_, message in ERRORS])
def test_each_error_is_reported(keys, columns, message):
    with pytest.raises(LayoutError, match=f"(?m)^{re.escape(message)}"):
        parse_layout({**KEYS, "columns": columns, **keys})


def test_all_errors_of_a_layout_are_reported():
    with pytest.raises(LayoutError) as caught:
        parse_layout({**KEYS, "domain": "clinic", "columns": [["a", "quasi", "guid"], ["b", "key", "int|1"]]})
    assert [line.split(":")[0] for line in str(caught.value).split("\n")] == [
        "unknown domain 'clinic' (known",
        "column 'a'",
        "column 'a'",
        "column 'b'",
    ]


def test_a_layout_has_the_values_of_its_file(tmp_path):
    (tmp_path / "one.toml").write_text(VALID)
    (layout,) = read_layouts(tmp_path)
    assert (layout.name, layout.origin, layout.rows, layout.format) == ("a_table", "an example", "1", "csv")
    assert [(column.header, column.role, column.per) for column in layout.columns] == [
        ("id", "person", "person"),
        ("q1", "items", "row"),
        ("q2", "items", "row"),
        ("q3", "items", "row"),
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x = 1\n" + VALID, "unknown key 'x'"),
        (VALID.replace("origin", "# origin"), "origin is missing"),
        ('origin = "an example"', "contains no [[layout]]"),
        (VALID + "[[layout]]", "layout 'number 2': name is missing"),
        (VALID + VALID.partition("\n\n")[2], "layout 'a_table': the name occurs 2 times"),
        (VALID + "=", "Invalid"),
    ],
)
def test_each_error_of_a_file_is_reported(tmp_path, text, message):
    (tmp_path / "one.toml").write_text(text)
    with pytest.raises(LayoutError, match=re.escape(message)):
        read_layouts(tmp_path)


def test_the_command_checks_both_folders(tmp_path, monkeypatch, capsys):
    folders = tmp_path / "rules", tmp_path / "measure"
    monkeypatch.setattr(layouts, "FOLDERS", folders)
    for folder in folders:
        folder.mkdir()
        (folder / "one.toml").write_text(VALID.replace("a_table", folder.name))
    assert main(["--check"]) == 0
    assert capsys.readouterr().out == "2 layouts, 0 errors\n"
    (folders[1] / "two.toml").write_text(VALID.replace("a_table", "rules"))
    (folders[1] / "three.toml").write_text(VALID.replace("columns", 'traits = ["repeats"]\ncolumns'))
    assert main(["--check"]) == 1
    assert capsys.readouterr().out.splitlines() == [
        "measure/three.toml: layout 'a_table': trait 'repeats' is not true of a table of 200 rows",
        "layout 'rules': the name occurs 2 times in both folders",
        "4 layouts, 2 errors",
    ]


def test_a_table_that_cannot_be_written_is_an_error_of_the_layout(tmp_path):
    column = '["a", "other", "constant|ж"]'
    (tmp_path / "one.toml").write_text(VALID.replace("columns = [", f'encoding = "latin-1"\ncolumns = [{column}, '))
    assert [x.partition("layout ")[2] for x in check([tmp_path])] == ["'a_table': encoding 'latin-1' has no 'ж'"]


def test_the_command_writes_one_table(tmp_path, monkeypatch, capsys):
    (tmp_path / "one.toml").write_text(VALID)
    monkeypatch.setattr(layouts, "FOLDERS", (tmp_path,))
    assert main(["a_table", "--rows", "12", "-o", str(tmp_path / "out")]) == 0
    path = tmp_path / "out" / "a_table.csv"
    assert capsys.readouterr().out == f"{path}\n"
    assert len(path.read_text().splitlines()) == 13
    with pytest.raises(SystemExit):
        main(["another"])
    assert "no valid layout has the name 'another'" in capsys.readouterr().err


def test_the_measuring_layouts_are_unchanged():
    assert (FOLDERS[0].parent / "digest.txt").read_text().strip() == digest_of_measuring()
