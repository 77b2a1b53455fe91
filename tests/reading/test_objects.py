"""Data in memory: data frames, mappings, records, sets, matrices. Other objects raise InputError."""

from collections import OrderedDict, namedtuple

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse
from tests.facts import names, refused

from anonset import inspect
from anonset.errors import InputError
from anonset.reading.read import read

SETS = [["E10", "I10"], [], ["J45"]]
AGES = [30, 41, 30]
COLUMNS = {"age": AGES, "codes": SETS}


def rows(table):
    return list(table.transactions.rows())


@pytest.mark.parametrize(
    "source",
    [
        pd.DataFrame(COLUMNS),
        pd.DataFrame({"age": AGES, "codes": [set(x) for x in SETS]}),
        pd.DataFrame({"age": AGES, "codes": [frozenset(x) for x in SETS]}, index=[7, 7, 9]),
        pd.DataFrame({"age": AGES, "codes": [tuple(x) for x in SETS]}),
        pl.DataFrame(COLUMNS),
        pl.DataFrame({"age": AGES, "codes": pl.Series([set(x) for x in SETS], dtype=pl.Object)}),
        pl.LazyFrame(COLUMNS),
        pa.table(COLUMNS),
        COLUMNS,
        {"age": np.array(AGES), "codes": pd.Series([set(x) for x in SETS])},
        OrderedDict(age=iter(AGES), codes=[tuple(x) for x in SETS]),
        [{"age": age, "codes": codes} for age, codes in zip(AGES, SETS, strict=True)],
        [{"codes": set(codes), "age": age} for age, codes in zip(AGES, SETS, strict=True)],
        pd.DataFrame({"age": AGES, "codes": ["E10 I10", "", "J45"]}),
    ],
    ids=lambda source: type(source).__name__,
)
def test_data_frames_mappings_and_records(source):
    table = read(source, items="codes", relational="age", numeric="age")
    assert rows(table) == SETS
    assert table.relational[0].values.tolist() == AGES


def test_a_relation_of_duckdb():
    table = read(duckdb.from_arrow(pa.table(COLUMNS)), items="codes", relational="age", numeric="age")
    assert rows(table) == SETS
    assert table.relational[0].values.tolist() == AGES


@pytest.mark.parametrize(
    "source",
    [
        [set(x) for x in SETS],
        (tuple(x) for x in SETS),
        np.array([np.array(x) for x in SETS], object),
        pd.Series(SETS),
        pl.Series(SETS),
        pa.array(SETS),
        pa.chunked_array([SETS]),
    ],
    ids=lambda source: type(source).__name__,
)
def test_python_sets_are_read(source):
    assert rows(read(source)) == SETS


@pytest.mark.parametrize("kind", [sparse.csr_matrix, sparse.csr_array, sparse.csc_array, sparse.coo_matrix])
@pytest.mark.parametrize("dtype", [bool, np.int8, float])
def test_a_sparse_matrix_with_labels_is_read(kind, dtype):
    dense = np.array([[1, 0, 1, 0], [0, 0, 0, 0], [0, 1, 0, 0]], dtype)
    table = read(kind(dense), labels=["I10", "J45", "E10", "K50"])
    assert rows(table) == SETS
    assert table.transactions.vocabulary.labels == ("E10", "I10", "J45", "K50")
    assert rows(read(kind(dense), labels=np.array([4, 3, 2, 1]))) == [["2", "4"], [], ["3"]]


def test_integers_of_any_kind_are_items():
    assert rows(read([{1, np.int64(20)}, {np.uint8(3)}])) == [["1", "20"], ["3"]]


def test_a_missing_value_is_null():
    records = [{"p": "1", "codes": ["a"]}, {"p": "2"}, {"p": "3", "codes": None}]
    with refused(InputError, "codes 'row 2' null empty missing"):
        read(records, items="codes", unit="p")
    assert rows(read(records, items="codes", unit="p", missing="empty")) == [["a"], [], []]
    frame = pd.DataFrame({"codes": [{"a"}, float("nan"), pd.NA]})
    assert rows(read(frame, items="codes", missing="empty")) == [["a"], [], []]
    assert read({"x": ["u", None]}, keep="x", missing="value").kept[0].labels() == ["u", "?"]


@pytest.mark.parametrize("options", [{"one_hot": "a,b"}, {"one_code": "a,b"}])
def test_one_hot_and_one_code_columns_become_sets(options):
    values = {"a": [1, 0], "b": [0, 1]} if "one_hot" in options else {"a": ["a", None], "b": [None, "b"]}
    for source in (values, pd.DataFrame(values), pl.LazyFrame(values)):
        assert rows(read(source, **options)) == [["a"], ["b"]]


class Broken:
    def __arrow_c_stream__(self, schema=None):
        raise RuntimeError("patient 4711")


Point = namedtuple("Point", "x")


@pytest.mark.parametrize(
    ("source", "options", "message"),
    [
        (3, {}, "source int"),
        (None, {}, "source NoneType"),
        (b"codes", {}, "source bytes"),
        (bytearray(b"codes"), {}, "source bytearray"),
        (object(), {}, "source object"),
        (Broken(), {}, "Broken RuntimeError"),
        ({"codes": 1}, {"items": "codes"}, "dict codes list int"),
        ({"codes": "E10"}, {"items": "codes"}, "dict codes list str"),
        ({None: ["E10"]}, {}, "dict text NoneType"),
        (
            {"a": [1], "b": [1, 2]},
            {},
            "dict records a 1 b 2",
        ),
        ({"a": ["x", 1]}, {"keep": "a"}, "dict a values"),
        ({"a": [["x"], "y"]}, {"items": "a"}, "dict a 'row 2' str"),
        ({"a": [{"x"}, {1.5}]}, {"items": "a"}, "dict a 'row 2' items"),
        ({"a": [{"x": 1}]}, {"items": "a"}, "dict a struct"),
        ([{"a": 1}, ["x"]], {}, "list 'row 2' mapping"),
        ([["a"], None], {}, "list 'row 2' NoneType"),
        (["ab"], {}, "list 'row 1' str"),
        ([[["a"]]], {}, "items 'row 1' list"),
        ([1, 2], {}, "list 'row 1' int"),
        (np.eye(2), {}, "ndarray scipy.sparse.csr_array(matrix) labels"),
        (
            sparse.csr_array(np.eye(2)),
            {},
            "labels csr_array 2",
        ),
        (
            sparse.csr_array(np.eye(2)),
            {"labels": ["a"]},
            "labels csr_array 2",
        ),
        (sparse.csr_array(np.eye(2)), {"labels": ["a", "a"]}, "csr_array label columns"),
        (sparse.csr_array(np.eye(2)), {"labels": ["a", 1.5]}, "labels csr_array text"),
        (sparse.csr_array(2 * np.eye(2)), {"labels": "ab"}, "labels csr_array item"),
        (
            sparse.csr_array(2 * np.eye(2)),
            {"labels": [1, 2]},
            "csr_array matrix 0 1",
        ),
        ([{"a"}], {"labels": ["a"]}, "list labels SciPy"),
        (pl.LazyFrame({"a": [1]}).select(pl.col("b")), {}, "LazyFrame ColumnNotFoundError"),
        (pd.DataFrame({"a": [object()]}), {"keep": "a"}, "DataFrame a"),
        ([Point({"a"})], {}, "items 'row 1' set"),
    ],
)
def test_unsupported_objects_are_rejected(source, options, message):
    with pytest.raises(InputError) as error:
        read(source, **options)
    assert names(error.value, message)
    assert "4711" not in str(error.value)


@pytest.mark.parametrize("roles", [{"items": "0", "relational": "1", "numeric": "1"}, {"items": 0, "relational": [1]}])
@pytest.mark.parametrize(
    "source",
    [
        pd.DataFrame({0: ["E10 I10", "", "J45"], 1: AGES}),
        pd.DataFrame({0: [set(x) for x in SETS], 1: AGES}),
        pd.DataFrame({0: ["E10 I10", "", "J45"], "1": AGES}),
        pd.DataFrame([["E10 I10", 30], ["", 41], ["J45", 30]]),
        {0: SETS, np.int64(1): AGES},
        [{0: codes, 1: age} for age, codes in zip(AGES, SETS, strict=True)],
    ],
    ids=lambda source: type(source).__name__,
)
def test_column_names_that_are_integers_are_read_as_text(source, roles):
    table = read(source, **roles)
    assert rows(table) == SETS
    assert (table.transactions.name, table.relational[0].name) == ("0", "1")


@pytest.mark.parametrize(
    "source", [{0: [1], "0": [2]}, pd.DataFrame({0: [1], "0": [2]}), pd.DataFrame([[1, 2]], columns=["0", "0"])]
)
def test_equal_column_names_are_rejected(source):
    with refused(InputError, "two columns 0"):
        read(source, relational="0")


CATEGORIES = [pl.Categorical, pl.Enum(["north", "south", "west"])]


@pytest.mark.parametrize("lazy", [False, True])
@pytest.mark.parametrize("kind", CATEGORIES, ids=["categorical", "enum"])
def test_categories_of_polars_are_read(kind, lazy):
    wards = ["north", "south", None, "north"] * 10
    frame = pl.DataFrame({"ward": pl.Series(wards, dtype=kind), "age": list(range(40))})
    frame = frame[3:].lazy() if lazy else frame[3:]
    table = read(frame, relational="ward,age", numeric="age", missing="value")
    assert table.relational[0].labels() == [ward or "?" for ward in wards[3:]]
    nulls = {column.profile.name: column.profile.nulls for column in inspect(frame).columns}
    assert nulls == {"ward": 9, "age": 0}


@pytest.mark.parametrize("kind", CATEGORIES, ids=["categorical", "enum"])
def test_lists_of_categories_of_polars_are_sets(kind):
    sets = [["north"], ["north", "south"], None, ["west"], []]
    frame = pl.DataFrame({"wards": pl.Series(sets, dtype=pl.List(kind))})
    assert rows(read(frame[1:], items="wards", missing="empty")) == [["north", "south"], [], ["west"], []]
