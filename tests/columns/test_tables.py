"""Tables of layouts: rows of persons, scopes of values, options of columns, and file formats."""

import csv
import itertools
import json
import os
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.columns.layouts import LayoutError, generate, parse_layout, write
from tests.columns.tables import misspelt, respelt

ROOT = Path(__file__).parents[2]
KEYS = {"name": "a_table", "language": "en", "domain": "shop", "person": "id"}
ID = ["id", "person", "pattern|AA9999"]


def layout(*columns, **keys):
    """Return a layout of these columns, with the person column `id` first."""
    return parse_layout({**KEYS, "columns": [ID, *columns], **keys})


def cells(table, n=2000, seed=0):
    """Return the cells of each column of a generated table."""
    header, rows = generate(table, n, seed)
    assert len(rows) == n
    return {name: [row[at] for row in rows] for at, name in enumerate(header)}


def values_by(scope, values):
    """Return the distinct values in each scope."""
    result = defaultdict(set)
    for key, value in zip(scope, values, strict=True):
        result[key].add(value)
    return result


def share(values, value):
    """Return the share of one value."""
    return values.count(value) / len(values)


@given(
    rows=st.sampled_from(["1", "3", "geometric|1.5", "geometric|8", "uniform|2|5"]),
    n=st.integers(0, 300),
    seed=st.integers(0, 99),
)
def test_a_table_has_its_rows_for_any_size_and_seed(rows, n, seed):
    table = layout(["visit", "key", "serial|1", {"per": "episode"}], rows=rows, episodes="geometric|2")
    drawn = cells(table, n, seed)
    assert all(len(persons) == 1 for persons in values_by(drawn["visit"], drawn["id"]).values())
    assert (drawn["id"], drawn["visit"]) == (cells(table, n, seed)["id"], cells(table, n, seed)["visit"])


@pytest.mark.parametrize(
    ("rows", "least", "most", "mean"),
    [("1", 1, 1, 1), ("3", 3, 3, 3), ("uniform|2|5", 2, 5, 3.5), ("geometric|4", 1, 99, 4)],
)
def test_persons_have_their_number_of_rows(rows, least, most, mean):
    ids = cells(layout(rows=rows), 5000)["id"]
    counts = [ids.count(x) for x in dict.fromkeys(ids)][:-1]  # the last person is cut off
    assert least <= min(counts) <= max(counts) <= most
    assert sum(counts) / len(counts) == pytest.approx(mean, rel=0.1)


def test_values_are_constant_in_their_scope():
    columns = [
        ["birth", "birth", "date|%Y-%m-%d|1930-01-01|2000-01-01"],
        ["visit", "key", "serial|1", {"per": "episode"}],
        ["ward", "event", "int|1|99999", {"per": "episode"}],
        ["zip", "attribute", "pattern|99999", {"pool": 30}],
        ["town", "attribute", "pattern|AAAA", {"per": "zip"}],
        ["dose", "event", "int|1|99999"],
    ]
    drawn = cells(layout(*columns, rows="geometric|6", episodes="geometric|2"))
    for scope, name in (("id", "birth"), ("id", "zip"), ("visit", "ward"), ("zip", "town"), ("visit", "id")):
        assert max(len(x) for x in values_by(drawn[scope], drawn[name]).values()) == 1, name
    assert 20 < len(set(drawn["town"])) == len(set(drawn["zip"])) <= 30
    assert max(len(x) for x in values_by(drawn["id"], drawn["visit"]).values()) > 2
    assert max(len(x) for x in values_by(drawn["visit"], drawn["dose"]).values()) > 2


def test_two_columns_identify_a_person_together():
    columns = [["home", "person", "serial|501"], ["member", "person", "serial|1"], ["name", "name", "uuid"]]
    table = parse_layout({**KEYS, "person": "home,member", "rows": "geometric|2", "columns": columns})
    drawn = cells(table)
    pairs = list(zip(drawn["home"], drawn["member"], strict=True))
    assert max(len(x) for x in values_by(pairs, drawn["name"]).values()) == 1
    assert len(set(pairs)) == len(set(drawn["name"]))
    assert {"1", "2", "3"} <= set(drawn["member"]) <= {"1", "2", "3", "4", "5"}
    assert max(len(x) for x in values_by(drawn["home"], drawn["member"]).values()) > 2


def test_a_member_column_with_too_few_values_is_reported():
    columns = [["site", "person", "choice|A|B"], ["number", "person", "int|1|9"]]
    table = parse_layout({**KEYS, "person": "site,number", "columns": columns})
    with pytest.raises(LayoutError, match=r"column 'number': \d+ distinct values are required"):
        generate(table, 200, 0)


def test_shares_are_as_declared():
    columns = [
        ["a", "event", "int|1|9", {"missing": {"-99": 0.05, "": 0.2}}],
        ["b", "event", "int|1|9", {"filled": 0.3}],
        ["c", "event", "int|1|9", {"filled": 0.5, "missing": {"?": 0.5}}],
        ["d", "attribute", "choice|male|female", {"rare": 0.1, "per": "row"}],
    ]
    drawn = cells(layout(*columns), 10_000)
    found = [share(drawn[name], value) for name, value in (("a", "-99"), ("a", ""), ("b", ""), ("c", "?"), ("c", ""))]
    assert found == pytest.approx([0.05, 0.2, 0.7, 0.25, 0.5], abs=0.02)
    assert 1 - share(drawn["d"], "male") - share(drawn["d"], "female") == pytest.approx(0.1, abs=0.02)
    assert len(set(drawn["d"])) > 10


def test_missing_values_of_a_person_are_missing_in_all_rows():
    columns = [["sex", "attribute", "choice|f|m", {"missing": {"": 0.2}}], ["code", "items", "codes|icd10|9"]]
    columns += [["label", "items", "words|en|9", {"per": "code", "missing": {"": 0.2}}]]
    drawn = cells(layout(*columns, rows="geometric|5"))
    assert max(len(x) for x in values_by(drawn["id"], drawn["sex"]).values()) == 1
    assert share(drawn["sex"], "") == pytest.approx(0.2, abs=0.06)
    by_code = values_by(drawn["code"], drawn["label"]).values()
    assert {len(x - {""}) for x in by_code} == {1}
    assert share(drawn["label"], "") == pytest.approx(0.2, abs=0.04)


def test_a_pool_limits_the_values():
    columns = [["doctor", "key", "pattern|9999", {"pool": 40}], ["town", "attribute", "city|de", {"pool": 9999}]]
    drawn = cells(layout(*columns), 5000)
    assert len(set(drawn["doctor"])) == 40
    assert 15 <= len(set(drawn["town"])) < 50
    counts = sorted(map(drawn["doctor"].count, set(drawn["doctor"])))
    assert counts[-1] > 10 * counts[0]


def test_a_cell_contains_the_values_of_a_set():
    drawn = cells(layout(["codes", "items", "codes|icd10|300", {"set": [";", 3], "filled": 0.5}]), 5000)["codes"]
    sets = [x.split(";") for x in drawn if x]
    assert all(len(x) == len(set(x)) for x in sets)
    assert sum(map(len, sets)) / len(sets) == pytest.approx(3, abs=0.3)
    assert share(drawn, "") == pytest.approx(0.5, abs=0.03)


def test_ids_are_written_in_several_ways():
    table = layout(rows="geometric|4", columns=[["id", "person", "pattern|AB-0999", {"variants": ["case", "hyphens"]}]])
    drawn = cells(table)["id"]
    standard = {x.upper().replace("-", "") for x in drawn}
    assert len(set(drawn)) > 1.5 * len(standard)
    assert {x[2] for x in drawn} == {"-", "0"}


@pytest.mark.parametrize(
    ("text", "variant", "expected"),
    [
        ("ab12", "case", "AB12"),
        ("12", "zeros", "0012"),
        ("0012", "zeros", "12"),
        ("0", "zeros", "000"),
        ("123456", "hyphens", "123-456"),
        ("1-2", "hyphens", "12"),
        ("0012", "float", "12.0"),
        ("A12", "float", "A12"),
        ("12", "blanks", "12 "),
    ],
)
def test_each_variant_of_an_id(text, variant, expected):
    assert respelt(text, variant) == expected


@given(text=st.text("abc ", min_size=1, max_size=8), kind=st.integers(0, 5), place=st.floats(0, 0.999))
def test_a_misspelt_text_is_about_as_long(text, kind, place):
    assert abs(len(misspelt(text, kind, place)) - len(text)) <= 6


def test_odd_values_occur_in_their_number_of_rows():
    table = layout(columns=[["id", "person", "serial|1", {"odd": {"test": 5, "0": 3}}]])
    drawn = cells(table, 200)["id"]
    assert (drawn.count("test"), drawn.count("0")) == (5, 3)
    assert cells(table, 30)["id"].count("test") == 3  # a tenth of the rows at most


def test_a_chain_repeats_the_value_of_the_previous_row():
    columns = [["claim", "key", "serial|1"], ["replaces", "key", "previous|claim"], ["same", "key", "copy|claim"]]
    drawn = cells(layout(*columns, rows="geometric|3"), 300)
    rows = list(zip(drawn["id"], drawn["claim"], drawn["replaces"], strict=True))
    assert rows[0][2] == ""
    for before, row in itertools.pairwise(rows):
        assert row[2] == (before[1] if row[0] == before[0] else "")
    assert drawn["same"] == drawn["claim"]


def test_a_header_with_braces_makes_independent_columns():
    drawn = cells(layout(["dx{1..3}", "items", "codes|icd10|50"]))
    assert list(drawn) == ["id", "dx1", "dx2", "dx3"]
    assert len({tuple(values) for values in drawn.values()}) == 4


def test_another_process_writes_the_same_bytes(tmp_path):
    program = (
        "import sys; from pathlib import Path; from tests.columns.test_tables import every_generator\n"
        "from tests.columns.layouts import write; write(every_generator(), Path(sys.argv[1]), 300, 7)"
    )
    paths = os.pathsep.join(map(str, [ROOT, ROOT / "tests"]))
    environment = {**os.environ, "PYTHONHASHSEED": "1", "PYTHONPATH": paths, "TZ": "EST5"}
    subprocess.run([sys.executable, "-c", program, tmp_path / "other"], check=True, cwd=ROOT, env=environment)
    path = write(every_generator(), tmp_path / "this", 300, 7)
    assert path.read_bytes() == (tmp_path / "other" / path.name).read_bytes()


def every_generator():
    """Return a layout with one column of each generator."""
    specs = [
        "serial|1",
        "pattern|AA99",
        "valid|gb.nhs|9999999999",
        "iban|DE",
        "email",
        "uuid",
        "ip",
        "mac",
        "street|fr",
    ]
    specs += ["name|de|full", "city|it", "text|en|3|30", "words|pl|90", "int|1|9", "normal|1|1|2"]
    specs += [
        "lognormal|1|1|2",
        "date|%s|2020-01-01|2020-12-31",
        "date|%d.%m.%Y|2020-01-01|2020-12-31",
        "choice|a|b",
        "codes|snomed|50",
    ]
    options = {"rare": 0.1, "missing": {"?": 0.1}, "variants": ["case", "float"], "odd": {"x": 2}}
    columns = [[f"c{number}", "other", spec, options] for number, spec in enumerate(specs)]
    return layout(*columns, ["set", "items", "codes|url|50", {"set": ["|", 3]}], rows="geometric|3", episodes="2")


def test_tables_of_two_seeds_and_sizes_differ():
    table = every_generator()
    first, second, longer = (generate(table, n, seed)[1] for n, seed in ((50, 0), (50, 1), (60, 0)))
    assert first != second
    assert first != longer[:50]


def read(path, **options):
    with path.open(newline="", encoding=options.pop("encoding", "utf-8")) as file:
        return list(csv.reader(file, **options))


def test_lines_surround_the_rows_of_a_csv_file(tmp_path):
    keys = {"above": ["Report of May"], "before": [["ID of person"]], "after": [["Total", 20]], "delimiter": ";"}
    traits = {"traits": ["labels", "totals"]}
    path = write(layout(["n", "event", "int|1|9"], **keys, **traits), tmp_path, 20, 0)
    lines = read(path, delimiter=";")
    assert lines[:3] == [["Report of May"], ["id", "n"], ["ID of person", ""]]
    assert lines[-1] == ["Total", "20"]
    assert len(lines) == 24
    assert {len(line) for line in lines[1:]} == {2}


@pytest.mark.parametrize(("form", "suffix", "delimiter"), [("csv", ".csv", ","), ("tsv", ".tsv", "\t")])
def test_tables_have_their_delimiter_and_encoding(tmp_path, form, suffix, delimiter):
    table = layout(["Größe, m", "other", "constant|weiß"], format=form, encoding="utf-16")
    path = write(table, tmp_path / "new", 5, 0)
    assert path.name == f"a_table{suffix}"
    assert read(path, delimiter=delimiter, encoding="utf-16")[0] == ["id", "Größe, m"]


def test_a_table_without_header(tmp_path):
    assert len(read(write(layout(header=False, traits=["no-header"]), tmp_path, 5, 0))) == 5


def test_text_outside_of_the_encoding_is_reported(tmp_path):
    with pytest.raises(LayoutError, match="encoding 'latin-1' has no"):
        write(layout(["a", "other", "city|ru"], encoding="latin-1"), tmp_path, 5, 0)


def test_json_lines_have_levels_numbers_and_lists(tmp_path):
    columns = [
        ["user.age", "attribute", "int|20|60"],
        ["user.tags", "items", "words|en|9", {"set": ["list", 2]}],
        ["zip", "attribute", "pattern|09999"],
        ["note", "text", "empty"],
        ["age", "attribute", "copy|user.age"],
    ]
    path = write(layout(*columns, format="jsonl", traits=["nested"]), tmp_path, 50, 0)
    for line in map(json.loads, path.read_text().splitlines()):
        assert list(line) == ["id", "user", "zip", "note", "age"]
        assert line["age"] == line["user"]["age"] in range(20, 61)
        assert all(isinstance(tag, str) for tag in line["user"]["tags"])
        assert line["zip"].startswith("0")
        assert line["note"] is None


@pytest.mark.parametrize(("form", "delimiter"), [("fimi", " "), ("baskets", ",")])
def test_baskets_are_lines_of_items(tmp_path, form, delimiter):
    column = ["items", "items", "int|1|400", {"set": [" ", 5]}]
    keys = {"person": "unknown", "format": form, "traits": ["no-person", "no-header"]}
    table = parse_layout({**KEYS, "columns": [column], **keys})
    lines = write(table, tmp_path, 300, 0).read_text().splitlines()
    sizes = [len(line.split(delimiter)) for line in lines]
    assert all(item.isdigit() for line in lines for item in line.split(delimiter))
    assert sum(sizes) / 300 == pytest.approx(5, abs=0.5)
