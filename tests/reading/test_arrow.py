"""Parquet, Arrow, pandas, polars, DuckDB and lists of sets."""

import importlib
import sys

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import parquet
from tests.facts import refused

from anonset import arrow
from anonset.errors import InputError
from anonset.reading.read import read

TEXT_LISTS = [
    pa.list_(pa.string()),
    pa.large_list(pa.large_string()),
    pa.list_(pa.string_view()),
    pa.list_(pa.dictionary(pa.int32(), pa.string())),
]


def rows(table):
    return list(table.transactions.rows())


@pytest.mark.parametrize("kind", TEXT_LISTS, ids=str)
def test_every_arrow_type_of_text_lists_is_read(kind):
    column = pa.array([["b", "a", "b"], [], ["c"]], pa.list_(pa.string()))
    column = column if kind == column.type else pa.array(column.to_pylist(), kind)
    assert rows(read(pa.table({"s": column}), items="s")) == [["a", "b"], [], ["c"]]


def test_lists_of_a_fixed_size_and_list_views():
    fixed = pa.array([["b", "a"], None, ["c", "d"]], pa.list_(pa.string(), 2))
    assert rows(read(pa.table({"s": fixed}), items="s", missing="empty")) == [["a", "b"], [], ["c", "d"]]
    view = pa.array([["b"], None, ["a", "c"]], pa.list_view(pa.string()))
    assert rows(read(pa.table({"s": view}), items="s", missing="empty")) == [["b"], [], ["a", "c"]]


@pytest.mark.parametrize("kind", [pa.int64(), pa.uint8()], ids=str)
def test_lists_of_integers_become_text(kind):
    table = read(pa.table({"s": pa.array([[10, 9], [9]], pa.list_(kind))}), items="s")
    assert rows(table) == [["9", "10"], ["9"]]


def test_a_column_of_empty_lists_is_read():
    assert rows(read(pa.table({"s": pa.array([[], []], pa.list_(pa.null()))}), items="s")) == [[], []]


def test_text_columns_are_split():
    assert rows(read(pa.table({"s": ["b a", ""]}), items="s")) == [["a", "b"], []]


def owning_null():
    """Return [["a", "b"], null, ["c"]], with the values "secret" and "x" in the child array at the null."""
    mask = pa.array([False, True, False])
    return pa.ListArray.from_arrays(
        pa.array([0, 2, 4, 5], pa.int32()), pa.array(["a", "b", "secret", "x", "c"]), mask=mask
    )


def test_a_null_set_never_leaks_its_child_values():
    column = owning_null()
    assert column.values.to_pylist()[2] == "secret"
    table = read(pa.table({"s": column}), items="s", missing="empty")
    assert rows(table) == [["a", "b"], [], ["c"]]
    assert table.transactions.vocabulary.labels == ("a", "b", "c")


def test_slices_read_their_own_rows():
    sliced = pa.table({"s": pa.chunked_array([owning_null().slice(1), owning_null().slice(0, 1)])})
    table = read(sliced, items="s", missing="empty")
    assert rows(table) == [[], ["c"], ["a", "b"]]
    assert table.transactions.vocabulary.labels == ("a", "b", "c")
    complete = pa.table({"s": [["a"], ["b"], ["c"]], "x": ["1", "2", "3"]})
    table = read(complete.slice(1, 1), items="s", relational="x")
    assert (rows(table), table.relational[0].vocabulary.labels) == ([["b"]], ("2",))


@pytest.mark.parametrize(
    ("column", "options", "message"),
    [
        (
            pa.array([["a"], None]),
            {"items": "x"},
            "x 'row 2' null empty missing",
        ),
        (
            pa.array(["a", None]),
            {"items": "x", "missing": "value"},
            "x 'row 2' null empty missing",
        ),
        (
            pa.chunked_array([pa.array([["a"], []]), pa.array([["b", None]])]),
            {"items": "x", "missing": "empty"},
            "x 'row 3' null text",
        ),
        (
            pa.array([None, "a"]),
            {"relational": "x"},
            "x 'row 1' null missing value ?",
        ),
        (pa.array([None, "a"]), {"unit": "x", "missing": "value"}, "x 'row 1' null"),
        (pa.array(["a", " ", "\u3000b", "\u3000"]), {"unit": "x"}, "x 'row 2' empty 1"),
        (
            pa.array([1.5, None]),
            {"relational": "x", "numeric": "x", "missing": "value"},
            "x 'row 2' null number",
        ),
        (
            pa.array([1.5, float("nan")]),
            {"relational": "x", "numeric": "x"},
            "numeric x 'row 2' finite",
        ),
        (pa.array([[1.5]]), {"items": "x"}, "items x double"),
        (pa.array([["a"]]), {"keep": "x"}, "x lists items drop"),
        (pa.array([{"a": 1}]), {"keep": "x"}, "x struct"),
        (pa.array([b"\xff"]), {"keep": "x"}, "x binary"),
    ],
)
def test_unsupported_arrow_columns_are_rejected(column, options, message):
    with refused(InputError, f"Table {message}"):
        read(pa.table({"x": column}), **options)


def test_missing_accepts_both_names():
    table = pa.table({"s": [["a"], None], "x": [None, "b"]})
    result = read(table, items="s", relational="x", missing="empty,value")
    assert (rows(result), result.relational[0].labels()) == ([["a"], []], ["?", "b"])


def test_a_remedy_for_null_keeps_the_other_treatment():
    table = pa.table({"s": [["a"], None], "x": [None, "b"], "c": [None, "d"]})
    for missing in ("empty", "value"):
        with pytest.raises(InputError, match="missing='empty,value'"):
            read(table, items="s", relational="x", drop="c", missing=missing)
    with pytest.raises(InputError, match="missing='empty,value'"):
        read(table, one_code="c", relational="x", drop="s", missing="value")


def test_categories_of_any_type_are_text():
    table = pa.table({"n": [8, 10], "b": [True, False], "d": pa.array(["u", "v"]).dictionary_encode()})
    assert [column.labels() for column in read(table, relational="n,b,d").relational] == [
        ["8", "10"],
        ["true", "false"],
        ["u", "v"],
    ]


def test_numbers_keep_their_value():
    table = pa.table(
        {"i": pa.array([1, 2], pa.int8()), "f": [1.0, 2.0], "g": [0.5, 1.0], "u": pa.array([1, 2], pa.uint64())}
    )
    columns = read(table, relational="i,f,g,u", numeric="i,f,g,u").relational
    assert [(c.values.tolist(), str(c.values.dtype)) for c in columns] == [
        ([1, 2], "int64"),
        ([1, 2], "int64"),
        ([0.5, 1.0], "float64"),
        ([1, 2], "int64"),
    ]


def test_pandas_and_polars_and_duckdb():
    data = {"age": [30, 41], "codes": [["b", "a"], []]}
    for frame in (pd.DataFrame(data), pl.DataFrame(data, schema={"age": pl.Int64, "codes": pl.List(pl.String)})):
        table = read(frame, items="codes", relational="age", numeric="age")
        assert (rows(table), table.relational[0].values.tolist()) == ([["a", "b"], []], [30, 41])
    frame = pd.DataFrame({"sex": pd.Categorical(["F", "M", "F"])})
    assert read(frame[frame["sex"] == "F"], relational="sex").relational[0].labels() == ["F", "F"]
    duckdb = pytest.importorskip("duckdb")
    relation = duckdb.sql("SELECT ['b', 'a'] AS codes, 3 AS age")
    assert rows(read(relation, items="codes", drop="age")) == [["a", "b"]]


def test_parquet_file_and_directory(tmp_path):
    small_table = pa.table({"s": [["b", "a"], []], "x": ["008", "9"]})
    parquet.write_table(small_table, tmp_path / "b.parquet")
    assert rows(read(tmp_path / "b.parquet", items="s", relational="x")) == [["a", "b"], []]
    parquet.write_table(pa.table({"s": [["c"]], "x": ["7"]}), tmp_path / "a.parquet")
    table = read(tmp_path, items="s", relational="x")
    assert (rows(table), table.relational[0].labels()) == ([["c"], ["a", "b"], []], ["7", "008", "9"])


def test_invalid_parquet_sources_are_rejected(tmp_path):
    with refused(InputError, f"{tmp_path} .parquet"):
        read(tmp_path, items="s")
    (tmp_path / "a.parquet").write_bytes(b"not parquet")
    with refused(InputError, "a.parquet Parquet") as error:
        read(tmp_path, items="s")
    assert "\n" not in str(error.value)
    parquet.write_table(pa.table({"s": [["a"]]}), tmp_path / "a.parquet")
    parquet.write_table(pa.table({"t": [["a"]]}), tmp_path / "b.parquet")
    with refused(InputError, "b.parquet a.parquet"):
        read(tmp_path, items="s")


def test_a_list_of_sets_is_read():
    table = read([{"b", "a"}, set(), frozenset({"c"}), [10, 9], ("a", "a")])
    assert rows(table) == [["a", "b"], [], ["c"], ["10", "9"], ["a"]]
    assert read(row for row in [{1}]).transactions.vocabulary.labels == ("1",)
    assert read([]).n == 0


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (
            3,
            "source SciPy int",
        ),
        ({"a": 1}, "dict a list int"),
        ([{"a"}, "abc"], "list 'row 2' str"),
        ([{"a"}, None], "'row 2' NoneType"),
        ([{"a"}, [1.5]], "items 'row 2' float"),
    ],
)
def test_sources_of_an_unknown_type_are_rejected(source, message):
    with refused(InputError, message):
        read(source)


def test_functions_are_found_if_arrow_moves_them(monkeypatch: pytest.MonkeyPatch) -> None:
    importlib.import_module("pyarrow.compute")
    monkeypatch.delattr(pa, "_compute")
    monkeypatch.setitem(sys.modules, "pyarrow._compute", None)
    assert arrow.is_in(pa.array(["a", "b"]), ["b"]).to_pylist() == [False, True]
