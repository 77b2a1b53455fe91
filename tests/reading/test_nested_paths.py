"""Nested columns are read by path, from JSON Lines and Parquet."""

import json
from datetime import date
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet
from tests.facts import names, refused

import anonset
from anonset.cli.main import main
from anonset.errors import InputError
from anonset.reading.nested_paths import NestedPath, most_values, single_paths

RECORDS = [
    {
        "id": "a",
        "code": {"coding": [{"system": "icd", "code": "E10"}, {"system": "sn", "code": "77"}]},
        "p": [{"key": "page", "value": "1"}],
    },
    {"id": "b", "code": {"coding": []}, "p": [{"key": "q", "value": "5"}, {"key": "page", "value": "3"}]},
    {"id": "c", "code": None, "p": []},
]


@pytest.fixture(params=["jsonl", "parquet"])
def made(tmp_path, request):
    def write(records, schema=None):
        path = tmp_path / f"a.{request.param}"
        if request.param == "jsonl":
            path.write_text("".join(f"{json.dumps(record)}\n" for record in records))
        else:
            parquet.write_table(pa.Table.from_pylist(records, schema), path)
        return path

    return write


def test_all_elements_of_a_list_are_items(made):
    table = anonset.read(made(RECORDS), items="code.coding[].code", drop="p", unit="id")
    assert list(table.transactions.rows()) == [["77", "E10"], [], []]
    assert table.order == ("code.coding[].code",)


def test_elements_are_chosen_by_a_member(made):
    path = made(RECORDS)
    table = anonset.read(
        path, items="code.coding[system=icd].code", relational="p[key=page].value", unit="id", missing="empty,value"
    )
    assert list(table.transactions.rows()) == [["E10"], [], []]
    assert table.relational[0].labels() == ["1", "3", "?"]


def test_a_name_with_brackets_may_be_the_name_of_a_column(made):
    table = anonset.read(made([{"id": "a", "x[": "E10", "y[z": "1"}]), items="x[", drop="y[z", unit="id")
    assert list(table.transactions.rows()) == [["E10"]]


def test_several_chosen_values_are_a_list(made):
    records = [{"id": "a", "x": [{"k": "s", "v": "1"}, {"k": "s", "v": "2"}]}, {"id": "b", "x": [{"k": "t", "v": "3"}]}]
    for ordered, rows in (records, [["1", "2"], []]), (records[::-1], [[], ["1", "2"]]):
        assert list(anonset.read(made(ordered), items="x[k=s].v", unit="id").transactions.rows()) == rows
    records[1]["x"][0]["k"] = "s"
    assert list(anonset.read(made(records[::-1]), items="x[k=s].v", unit="id").transactions.rows()) == [
        ["3"],
        ["1", "2"],
    ]


def test_two_paths_lead_into_a_column(made):
    path = made(RECORDS)
    table = anonset.read(path, items=["code.coding[].code", "code.coding[].system"], drop="p", unit="id")
    assert next(iter(table.transactions.rows())) == [
        "code.coding[].code:77",
        "code.coding[].code:E10",
        "code.coding[].system:icd",
        "code.coding[].system:sn",
    ]


def test_members_of_an_object_are_columns(made):
    records = [{"s": {"id": f"P{n // 2}", "of": {"sex": "fm"[n // 4]}}, "x": {"code": f"E{n}"}} for n in range(8)]
    table = anonset.read(made(records), items="x.code", relational="s.of.sex", unit="s.id")
    assert list(table.transactions.rows()) == [[f"E{n}", f"E{n + 1}"] for n in (0, 2, 4, 6)]
    assert table.relational[0].labels() == ["f", "f", "m", "m"]


@pytest.mark.parametrize(("column", "facts"), [("x.cod", "'x.cod'"), ("n.y", "'n.y'")])
def test_members_that_no_record_has_are_rejected(made, column, facts):
    with refused(InputError, facts):
        anonset.read(made([{"n": "1", "x": {"code": "E1"}}]), items=column, unit="row", drop=["n"])


def test_what_is_not_named_is_not_read(made):
    records = [{"id": "a", "x": [{"v": "1", "deep": [{"n": None}]}]}]
    assert list(anonset.read(made(records), items="x[].v", unit="id").transactions.rows()) == [["1"]]


@pytest.mark.parametrize(
    ("path", "facts"),
    [
        ("code.coding[]", "code.coding[]"),
        ("code.coding[system", "code.coding[system"),
        ("[].code", "[].code"),
        ("codes[].code", "codes[].code"),
    ],
)
def test_wrong_paths_are_rejected(made, path, facts):
    with pytest.raises(InputError) as raised:
        anonset.read(made(RECORDS), items=path, drop="p,code", unit="id")
    assert names(str(raised.value), facts)


WITHOUT_VALUES = [
    ("code.coding[].cod", "path code.coding[].cod 'member code'"),
    ("code.codings[].code", "path code.codings[].code 'member coding'"),
    ("code.coding[].zebra", "path code.coding[].zebra members"),
    ("code.coding[system=icdd].code", "path code.coding[system=icdd].code members values"),
    ("code.coding[systems=icd].code", "path code.coding[systems=icd].code members values"),
    ("code.coding[].code[].x", "path code.coding[].code[].x members values"),
]
"""Paths that no record of `RECORDS` has, and the facts of the message."""


@pytest.mark.parametrize("role", ["items", "relational", "unit", "keep"])
@pytest.mark.parametrize(("path", "facts"), WITHOUT_VALUES)
@pytest.mark.parametrize("reads", [anonset.read, anonset.scan])
def test_a_path_without_a_value_in_any_record_is_rejected(made, reads, role, path, facts):
    roles = {"items": "p[].value", "unit": "id", **({"drop": "p"} if role == "items" else {}), role: path}
    with refused(InputError, facts):
        reads(made(RECORDS), **roles)


def test_the_command_rejects_a_mistyped_path_in_one_line(made, tmp_path, capsys):
    path, roles = "code.coding[].cod", ["--drop", "p", "--unit", "id", "--model", "km", "--k", "2", "--m", "1"]
    assert main(["anonymize", str(made(RECORDS)), "--items", path, *roles, "-o", str(tmp_path / "out")]) == 2
    error = capsys.readouterr().err
    assert names(error, f"path {path} 'member code'")
    assert len(error.splitlines()) == 1
    assert not (tmp_path / "out").exists()


def test_a_column_of_a_path_has_no_other_role(made):
    with refused(InputError, "path code.coding[].code drop"):
        anonset.read(made(RECORDS), items="code.coding[].code", drop="p,code", unit="id")


def test_inspect_names_the_paths_of_nested_values(made):
    profiles = {one.profile.name: one.reason for one in anonset.inspect(str(made(RECORDS))).columns}
    assert "p[].key or p[].value" in profiles["p"]


def test_inspect_names_the_paths_of_objects_in_parquet(tmp_path):
    """In JSON Lines, members of objects are columns."""
    parquet.write_table(pa.Table.from_pylist([{"id": "a", "s": {"v": "1"}}]), tmp_path / "a.parquet")
    profiles = {one.profile.name: one.reason for one in anonset.inspect(str(tmp_path / "a.parquet")).columns}
    assert profiles["s"].endswith("such as s.v; if s.v contains the items: items='s.v'")


def test_inspect_names_the_path_of_values_in_nested_lists(tmp_path):
    orders = [{"day": "2020-01-01", "lines": [{"sku": "A1"}, {"sku": "B2"}]}]
    (tmp_path / "a.jsonl").write_text("".join(f"{json.dumps({'id': n, 'orders': orders})}\n" for n in range(4)))
    reasons = {one.profile.name: one.reason for one in anonset.inspect(str(tmp_path / "a.jsonl")).columns}
    path = "orders[].lines[].sku"
    assert reasons["orders"].endswith(f"such as orders[].day or {path}; if {path} contains the items: items='{path}'")
    found = anonset.inspect(str(tmp_path / "a.jsonl"), items="orders[].lines[].sku", unit="id")
    assert {column.profile.name: column.profile.distinct for column in found.columns}["orders[].lines[].sku"] == 2


@pytest.mark.parametrize("path", ["x[].v", "x[k=a].v"])
def test_a_value_in_the_last_record_suffices(made, path):
    records = [
        *({"id": str(n), "x": [{"k": "b", "v": None}]} for n in range(3000)),
        {"id": "z", "x": [{"k": "a", "v": "1"}]},
    ]
    table = anonset.read(made(records), items=path, unit="id", missing="empty")
    assert table.transactions.vocabulary.labels == ("1",)


def test_a_table_without_rows_has_no_wrong_path(tmp_path):
    path = tmp_path / "a.parquet"
    parquet.write_table(pa.Table.from_pylist(RECORDS).slice(0, 0), path)
    assert anonset.read(path, items="code.coding[].code", drop="p", unit="id").n == 0
    with refused(InputError, "code.coding[].cod"):
        anonset.read(path, items="code.coding[].cod", drop="p", unit="id")


def test_a_path_with_a_text_has_a_hierarchy_on_the_command_line(made, tmp_path, capsys):
    path = "p[key=page].value"
    records = [{"id": str(n), "p": [{"key": "page", "value": "abcd"[n % 4]}]} for n in range(12)]
    roles = ["--items", path, "--unit", "id", "--model", "km", "--k", "2", "--m", "1"]
    command = ["anonymize", str(made(records)), *roles, "--hierarchy", f"{path}=balanced:2"]
    assert main([*command, "-o", str(tmp_path / "out"), "--quiet"]) == 0, capsys.readouterr().err


VALUES = st.recursive(
    st.none() | st.sampled_from(["a", "b"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("xy"), inner, max_size=2),
    max_leaves=8,
)


def naive(value, steps):
    """Return the values that a path reaches, one step after the other."""
    values = [value]
    for name, wanted in steps:
        if name and wanted is None:
            values = [one[name] for one in values if isinstance(one, dict) and name in one]
        else:
            elements = [x for one in values if one is not None for x in (one if isinstance(one, list) else [one])]
            values = [x for x in elements if wanted is None or (isinstance(x, dict) and x.get(name) == wanted)]
    return [one for one in values if one is not None]


@given(VALUES, st.sampled_from(["x[].y", "x[y=a].x", "x.y[]", "x[].y[].x", "x[][].y"]))
def test_values_equal_those_of_a_naive_walk(value, text):
    path = NestedPath.of(text)
    expected = naive({"x": value}, path.steps)
    if any(isinstance(one, (dict, list)) for one in expected):
        with pytest.raises(InputError):
            path.values({"x": value})
    else:
        assert path.values({"x": value}) == expected


@given(st.lists(VALUES, max_size=5), st.sampled_from(["x[].y", "x[y=a].x", "x.y[x=b]", "x[].y[].x"]))
def test_paths_without_values_equal_those_of_a_naive_walk(values, text):
    path, records = NestedPath.of(text), [{"x": value} for value in values]
    numbers = [len(naive(record, path.steps)) for record in records]
    most = most_values([path], records, lambda path, record: len(path.reached(record)))
    if numbers and not any(numbers):
        with refused(InputError, f"'{text}'"):
            single_paths("a", most, lambda: records)
    else:
        single = "[]" not in text and max(numbers, default=0) <= 1
        assert single_paths("a", most, lambda: records) == ({text} if single else set())


TYPED = st.recursive(
    st.sampled_from([pa.string(), pa.int64(), pa.bool_(), pa.float64(), pa.large_string(), pa.date32()]),
    lambda inner: (
        inner.map(pa.list_)
        | inner.map(lambda kind: pa.list_(kind, 2))
        | st.tuples(inner, inner).map(lambda kinds: pa.struct([("x", kinds[0]), ("y", kinds[1])]))
    ),
    max_leaves=6,
)


def values_of(kind):
    """Return a strategy for values of an Arrow type, null included."""
    if pa.types.is_struct(kind):
        inner = st.fixed_dictionaries({field.name: values_of(field.type) for field in kind})
    elif pa.types.is_fixed_size_list(kind):
        inner = st.lists(values_of(kind.value_type), min_size=2, max_size=2)
    elif pa.types.is_list(kind):
        inner = st.lists(values_of(kind.value_type), max_size=3)
    elif pa.types.is_int64(kind):
        inner = st.integers(0, 2)
    elif pa.types.is_boolean(kind):
        inner = st.booleans()
    elif pa.types.is_floating(kind):
        inner = st.sampled_from([1.0, 0.5, -0.0, 0.0, 1e16])
    elif pa.types.is_date32(kind):
        inner = st.sampled_from([date(2026, 1, 2), date(2020, 2, 29)])
    else:
        inner = st.sampled_from(["a", "b", "1", "true"])
    return st.none() | inner


@given(
    st.data(), TYPED, st.sampled_from(["x[].y", "x[y=a].x", "x[y=1].y", "x[x=true].y", "x.y[]", "x[].y[].x", "x[][]"])
)
def test_parquet_columns_have_the_values_of_the_records(data, kind, text):
    path, records = NestedPath.of(text), data.draw(st.lists(values_of(kind), max_size=5))
    column = pa.chunked_array([pa.array([None, *records], kind)]).slice(1)
    try:
        rows = [path.values({"x": record}) for record in column.to_pylist()]
    except InputError:
        with pytest.raises(InputError):
            path.column_in(column, single=False)
        return
    assert path.column_in(column, single=False).to_pylist() == rows
    if all(len(row) <= 1 for row in rows):
        assert path.column_in(column, single=True).to_pylist() == [row[0] if row else None for row in rows]


@given(VALUES, st.sampled_from(["x[].y", "x[y=a].x", "x.y[]", "x[].y[].x"]))
def test_the_schema_rejects_no_path_with_a_value(value, text):
    path = NestedPath.of(text)
    try:
        table = pa.Table.from_pylist([{"x": value}])
    except pa.ArrowException:  # a list of texts and objects
        return
    if naive(table.to_pylist()[0], path.steps):
        assert path.may_exist_in(table.schema)


def test_inspect_proposes_nested_codes_as_items(tmp_path):
    path = tmp_path / "Condition.ndjson"
    coding = [{"subject": f"p{n // 3}", "code": {"coding": [{"code": f"E1{n % 5}"}]}} for n in range(150)]
    path.write_text("".join(f"{json.dumps(one)}\n" for one in coding))
    found = anonset.inspect(path, unit="subject")
    assert (found.settings["items"], found.records) == (["code.coding[].code"], 50)


@pytest.mark.parametrize("unit", ["inmate", "row"])
@pytest.mark.parametrize("member", ["desc", "bond"])
def test_a_path_is_an_answer_that_runs_although_its_column_is_dropped(tmp_path, capsys, monkeypatch, unit, member):
    monkeypatch.chdir(tmp_path)
    lists = [[{"desc": f"D{(n + k) % 4}", "bond": f"B{k}"} for k in range(1 + n % 2)] for n in range(80)]
    rows = [{"inmate": f"p{n // 2:02}", "sex": "fm"[n // 2 % 2], "charges": one} for n, one in enumerate(lists)]
    Path("jail.jsonl").write_text("".join(f"{json.dumps(one)}\n" for one in rows))
    assert main(["inspect", "jail.jsonl", "--unit", unit, "-o", "job.toml"]) == 0
    text = Path("job.toml").read_text()
    assert '"charges"' in text[text.index("\ndrop = ") :].splitlines()[1]
    Path("job.toml").write_text(text.replace('\nitems = "?"', f'\nitems = "charges[].{member}"'))
    assert main(["anonymize", "job.toml"]) == 0
    capsys.readouterr()


def test_a_question_about_items_without_a_person_counts_rows(tmp_path):
    codes = [{"coding": [{"code": f"C{(n + k) % 6}", "system": f"s{k}"} for k in range(1 + n % 3)]} for n in range(90)]
    rows = [{"id": f"c{n}", "code": code, "status": {"coding": [{"code": "a"}]}} for n, code in enumerate(codes)]
    path = tmp_path / "c.ndjson"
    path.write_text("".join(f"{json.dumps(one)}\n" for one in rows))
    found = anonset.inspect(path, unit="row")
    assert found.item_answers
