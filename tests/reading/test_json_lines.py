"""JSON Lines: types are never inferred, arrays are sets, and errors do not quote the line."""

import gzip
import json

import pytest
from tests.facts import names, refused

import anonset
from anonset.errors import InputError
from anonset.reading.formats import json_lines, text_chunks
from anonset.reading.read import read
from anonset.reading.scan import scan

LINES = (
    '{"id": "007", "zip": "01067", "when": "2024-01-31", "n": 1.10, "codes": ["E10", "I10"], "smoker": true}\n'
    '\n{"id": 12345678901234567890, "zip": "00012", "when": null, "n": 3, "codes": [], "smoker": false}\n'
    '{"id": "x", "zip": "1", "when": "2024-02-01", "n": 1e3, "codes": "J45", "address": {"city": "A"}}\n'
)


@pytest.fixture(params=["memory", "blocks"])
def reading(request, monkeypatch):
    """Read a file by `read` or `scan`, in blocks of a few bytes."""
    monkeypatch.setattr(text_chunks, "BYTES_AT_ONCE", 8)
    return read if request.param == "memory" else scan


def labels(table, name):
    column = next(column for column in (*table.relational, *table.kept) if column.name == name)
    return [column.vocabulary.labels[code] for code in column.codes]


@pytest.mark.parametrize("name", ["raw.jsonl", "raw.ndjson", "raw.jsonl.gz"])
def test_text_is_never_converted(reading, tmp_path, name):
    data = LINES.encode()
    (tmp_path / name).write_bytes(gzip.compress(data) if name.endswith("gz") else data)
    table = reading(
        tmp_path / name, items="codes", relational="zip,n,when,smoker,address.city", drop="id", missing="value"
    )
    assert labels(table, "zip") == ["01067", "00012", "1"]
    assert labels(table, "n") == ["1.10", "3", "1e3"]
    assert labels(table, "when") == ["2024-01-31", "?", "2024-02-01"]
    assert labels(table, "smoker") == ["true", "false", "?"]
    assert labels(table, "address.city") == ["?", "?", "A"]
    assert [set(row) for row in table.transactions.rows()] == [{"E10", "I10"}, set(), {"J45"}]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"a": "Ann Lee"}\n{"a": "Bo" oops}\n', "'line 2' JSON"),
        ('{"a": 1}\n["Ann Lee"]\n', "'line 2' JSON"),
        ('[{"a": "Ann Lee"}]\n', "jq"),
        ('{"a": 1, "a": "Ann Lee"}\n', "'line 1' JSON twice"),
        ('{"a": 1}\n{"a.b": 1, "a": {"b": "Ann Lee"}}\n', "'line 2' JSON twice"),
        ('{"a": NaN, "b": "Ann Lee"}\n', "'line 1' JSON"),
        ("[" * 100_000 + "\n", "'line 1' JSON"),
        ('{"a": "Ann Lee\\ud800"}\n', "'line 1' surrogates"),
        ('{"b": 1}\n{"a\\uDFFF": "Ann Lee"}\n', "'line 2' surrogates"),
        ("", "empty"),
    ],
)
def test_bad_lines_are_named_without_their_content(reading, tmp_path, text, said):
    path = tmp_path / "raw.jsonl"
    path.write_text(text)
    with refused(InputError, said) as raised:
        reading(path, items="a")
    assert "Ann" not in str(raised.value)


def test_bytes_that_are_no_utf8_are_named(tmp_path):
    path = tmp_path / "raw.jsonl"
    path.write_bytes('{"a": "x"}\n{"a": "Müller"}\n'.encode("latin-1"))
    with pytest.raises(InputError, match=r"line 2.*encoding='latin-1'"):
        read(path, relational="a")
    assert labels(read(path, relational="a", encoding="latin-1"), "a") == ["x", "Müller"]


def test_nested_arrays_are_named_and_can_be_dropped(tmp_path):
    path = tmp_path / "raw.jsonl"
    path.write_text('{"a": "x", "b": [{"c": 1}]}\n{"a": "y", "b": []}\n')
    with refused(InputError, "b"):
        read(path, relational="a,b")
    assert read(path, relational="a", drop="b").n == 2
    inspection = anonset.inspect(path)
    assert {column.profile.name: column.role for column in inspection.columns}["b"] == "drop"


def test_a_folder_of_files_is_read_as_one_data_set(tmp_path):
    for number in range(2):
        (tmp_path / f"{number}.jsonl").write_text(f'{{"a": ["x{number}"]}}\n')
    assert read(tmp_path, items="a").transactions.vocabulary.labels == ("x0", "x1")


def nested_events(folder, n=60):
    path = folder / "events.jsonl"
    lines = [
        json.dumps(
            {
                "person": f"P{k // 2:04d}",
                "sex": "fm"[k // 2 % 2],
                "params": [{"key": "a"}],
                "city": [None, "Bonn"][k % 2],
            }
        )
        for k in range(n)
    ]
    path.write_text("\n".join(lines))
    return path


@pytest.mark.parametrize("drop", [None, "params", "params,city"])
def test_dropped_and_nested_columns_are_not_counted_as_nulls(tmp_path, drop):
    findings = anonset.inspect(nested_events(tmp_path), unit="person", relational="sex", drop=drop)
    nulls = {column.profile.name: column.profile.nulls for column in findings.columns}
    assert nulls == {"person": 0, "sex": 0, "params": 0, "city": 30}
    roles = {column.profile.name: column.role for column in findings.columns}
    assert roles["params"] == roles["city"] == "drop"
    assert not any("null" in problem for problem in findings.problems)
    assert "missing" not in findings.settings
    assert any("nested" in problem for problem in findings.problems) == (drop is None)


def test_codes_of_a_nested_column_are_read_beside_one_without_codes(tmp_path):
    path = tmp_path / "visits.jsonl"
    visits = [
        {"pid": f"P{n // 2}", "drugs": [{"name": "x"}], "codes": [{"code": f"E{10 + n % 5}"}], "devices": []}
        for n in range(60)
    ]
    path.write_text("\n".join(map(json.dumps, visits)))
    found = {column.profile.name: column.role for column in anonset.inspect(path, unit="pid").columns}
    assert (found["codes[].code"], found["drugs"]) == ("items", "drop")


def test_nulls_of_published_columns_are_reported(tmp_path):
    findings = anonset.inspect(nested_events(tmp_path), relational="city", drop="person,sex,params", unit="row")
    assert any(names(problem, "city 30 nulls missing") for problem in findings.problems)
    assert findings.settings["missing"] == "empty,value"


def test_a_nested_value_that_is_null_is_a_null(tmp_path):
    path = tmp_path / "events.jsonl"
    path.write_text('{"a": 1, "b": [{"c": 1}]}\n{"a": 2, "b": null}\n{"a": 3}\n')
    (column,) = [column for column in anonset.inspect(path).columns if column.profile.name == "b"]
    assert column.profile.nulls == 2


def test_a_pair_of_surrogates_is_a_character(tmp_path):
    path = tmp_path / "raw.jsonl"
    path.write_text('{"a": "\\ud83d\\ude00"}\n')
    assert labels(read(path, relational="a", unit="row"), "a") == ["\U0001f600"]


def test_equal_numbers_are_the_same_id(reading, tmp_path):
    ids = ["1e7", "10000000", "10000000.0", "1.0E+7", '"10000000"', '"1e7"', "0.50", "5e-1", "1e999", "0.0"]
    path = tmp_path / "a.jsonl"
    path.write_text("".join(f'{{"id": {one}, "items": "i{n}"}}\n' for n, one in enumerate(ids)))
    records = reading(path, items="items", unit="id").transactions.rows()
    assert sorted(map(sorted, records)) == [["i0", "i1", "i2", "i3", "i4"], ["i5"], ["i6", "i7"], ["i8"], ["i9"]]
    kept = reading(path, items="items", keep="id", unit="row")
    assert labels(kept, "id")[:4] == ["1e7", "10000000", "10000000.0", "1.0E+7"]


def test_lines_that_all_have_other_keys_are_rejected(reading, tmp_path, monkeypatch):
    monkeypatch.setattr(json_lines, "MOST_CELLS", 5)
    monkeypatch.setattr(json_lines, "MOST_CELLS_PER_VALUE", 3)
    path = tmp_path / "raw.jsonl"
    path.write_text('{"a": "x"}\n{"b": "y"}\n{"c": "z"}\n')
    assert reading(path, relational="a", drop="b,c", missing="value").n == 3
    path.write_text('{"a": "x"}\n{"b": "y"}\n{"c": "z"}\n{"d": "z"}\n')
    with refused(InputError, "raw.jsonl 4 lines 4 keys 4 values items jq"):
        reading(path, relational="a", drop="b,c,d", missing="value")
