"""Workloads for relational values and items: their sources, reproducibility by seed, and files."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from tests.facts import refused

from anonset.data import Hierarchy, NumericColumn, SetColumn, Table
from anonset.errors import InputError
from anonset.generalization import ItemGroups, PerCluster, RelationalValues, apply
from anonset.publications import Records
from anonset.queries import Query, Workload
from anonset.queries.conditions import Among, Between
from anonset.queries.mixed_workload import (
    QueryShape,
    mixed_domain_workload,
    mixed_published_workload,
    mixed_record_workload,
)
from anonset.queries.relational import TrueAnswers
from anonset.reading.workloads import read_workload, write_workload

ROWS = ["abc", "ab", "c", "", "bd", "ad"]
HIERARCHY = {"city": Hierarchy.from_tree(("ALL", [("X", ["p", "q"]), ("Y", ["r", "s"])]))}


def table() -> Table:
    city = Table.from_columns(city=["p", "q", "r", "r", "p", "q"], drug=list("uvwuvw")).relational
    numbers = (NumericColumn("age", np.array([10, 20, 25, 40, 55, 60])), NumericColumn("dose", np.arange(6) / 4))
    return Table(SetColumn.of(ROWS, universe="abcde"), (*city, *numbers))


def publication() -> Records:
    groups = [ItemGroups(table().transactions.vocabulary, np.array(g, np.int32)) for g in ([0, 0, 1, 2, 3], range(5))]
    values = {"city": ("ALL", "X"), "drug": ("(u,v,w)", "(v,w)"), "age": ("[10:25]", "[40:60]"), "dose": ("0", "1")}
    cluster = np.array([0, 0, 0, 1, 1, 1], np.int32)
    relational = tuple(RelationalValues(name, labels) for name, labels in values.items())
    return apply(table(), PerCluster(cluster, tuple(groups), relational))


MAKERS: list[Callable[[int, QueryShape, int], Workload]] = [
    lambda n, shape, seed: mixed_record_workload(table(), n, shape, seed),
    lambda n, shape, seed: mixed_domain_workload(table(), n, shape, seed, HIERARCHY),
    lambda n, shape, seed: mixed_published_workload(table(), publication(), n, shape, seed, HIERARCHY),
]


@pytest.mark.parametrize("width", [0.0, 0.2])
@pytest.mark.parametrize(("n_values", "n_items"), [(0, 2), (1, 2), (3, 1), (4, 0)])
def test_queries_of_records_have_an_answer(n_values: int, n_items: int, width: float) -> None:
    shape = QueryShape(n_values=n_values, n_items=n_items, width=width)
    workload = mixed_record_workload(table(), 60, shape, 3)
    assert (len(workload), workload.source, workload.seed) == (60, "record", 3)
    true = TrueAnswers(table(), HIERARCHY)
    for query in workload.queries:
        assert (len(query.items), len({c.column for c in query.where})) == (n_items, n_values)
        assert true.count(query) >= 1


def test_ranges_reach_to_both_sides_within_the_domain() -> None:
    queries = mixed_record_workload(table(), 200, QueryShape(n_values=4, n_items=0, width=0.1)).queries
    ages = {(c.low, c.high) for query in queries for c in query.where if c.column == "age"}
    assert ages == {(10, 15), (15, 25), (20, 30), (35, 45), (50, 60), (55, 60)}
    doses = {(c.low, c.high) for query in queries for c in query.where if c.column == "dose"}
    assert (0.0, 0.125) in doses
    assert (0.375, 0.625) in doses
    exact = mixed_record_workload(table(), 200, QueryShape(n_values=4, n_items=0)).queries
    assert {(c.low, c.high) for q in exact for c in q.where if c.column == "age"} == {
        (x, x) for x in (10, 20, 25, 40, 55, 60)
    }


def test_queries_of_the_domain_take_any_value() -> None:
    queries = mixed_domain_workload(table(), 400, QueryShape(n_values=2, n_items=1), 1, HIERARCHY).queries
    assert {item for query in queries for item in query.items} == set("abcde")
    requested = {c.values for query in queries for c in query.where if c.column == "city"}
    assert requested == {("p",), ("q",), ("r",), ("s",)}
    columns = {tuple(c.column for c in query.where) for query in queries}
    assert len(columns) == 6, "every pair of columns, in the order of the table"


def test_queries_of_published_values_ask_for_their_members() -> None:
    queries = mixed_published_workload(
        table(), publication(), 400, QueryShape(n_values=4, n_items=2), 1, HIERARCHY
    ).queries
    cities = {c.values for query in queries for c in query.where if c.column == "city"}
    assert cities == {("p",), ("q",), ("r",), ("s",)}
    ages = {c.low for query in queries for c in query.where if c.column == "age"}
    assert ages == {10, 20, 25, 40, 55, 60}
    assert {c.low for query in queries for c in query.where if c.column == "dose"} == {0.0, 1.0}
    assert {item for query in queries for item in query.items} == set("abcd")


@pytest.mark.parametrize("make", MAKERS)
def test_a_seed_determines_the_workload(make: Callable[[int, QueryShape, int], Workload]) -> None:
    shape = QueryShape(n_values=2, n_items=1, width=0.1)
    assert make(20, shape, 7) == make(20, shape, 7)
    assert make(20, shape, 7) != make(20, shape, 8)
    assert make(10, shape, 7).queries == make(20, shape, 7).queries[:10]


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize(
    ("n", "values", "items", "seed", "message"),
    [
        (0, 1, 1, 0, "n_queries 1 0"),
        (10**11, 1, 1, 0, "n_queries 1000000 100000000000"),
        (5, 5, 1, 0, "n_values 4 relational 5"),
        (5, 1, 6, 0, "6"),
        (5, 1, 1, -1, "seed 0 -1"),
    ],
)
def test_bad_numbers_are_refused(
    make: Callable[[int, QueryShape, int], Workload], n: int, values: int, items: int, seed: int, message: str
) -> None:
    with refused(InputError, message):
        make(n, QueryShape(n_values=values, n_items=items), seed)


@pytest.mark.parametrize(
    ("values", "items", "width", "message"),
    [
        (-1, 1, 0.0, "n_values 0 -1"),
        (1, 1.5, 0.0, "n_items 0 1.5"),
        (0, 0, 0.0, "query"),
        (1, 1, 1.5, "width 0 1 1.5"),
    ],
)
def test_bad_shapes_are_refused(values: int, items: int, width: float, message: str) -> None:
    with refused(InputError, message):
        QueryShape(n_values=values, n_items=items, width=width)


def test_tables_that_cannot_be_queried_are_rejected() -> None:
    shape = QueryShape(n_values=1, n_items=1)
    with refused(InputError, "n_items 0 set-valued 1"):
        mixed_record_workload(Table(relational=table().relational), 3, shape)
    with refused(InputError, "records none"):
        mixed_record_workload(Table.from_columns({"items": []}, city=[]), 3, shape)
    without = Records(publication().transactions, publication().symbols, (), (), np.arange(6))
    with refused(InputError, "relational age"):
        mixed_published_workload(table(), without, 3, shape)


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("name", ["queries.json", "queries.json.gz"])
def test_a_written_workload_is_read_back(
    make: Callable[[int, QueryShape, int], Workload], name: str, tmp_path: Path
) -> None:
    workload = make(30, QueryShape(n_values=3, n_items=1, width=0.1), 5)
    assert read_workload(write_workload(workload, tmp_path / name)) == workload


def test_written_queries_are_read_back(tmp_path: Path) -> None:
    workload = Workload((Query(("ä b", "c")), Query((), (Among("x", ("1", "ü")), Between("y", 1, 2.5)))))
    assert read_workload(write_workload(workload, tmp_path / "queries.json")) == workload


BAD_FILES = [
    ("{", "JSON"),
    ("[]", "schema 1 queries"),
    ('{"schema": 2, "queries": []}', "schema 1"),
    ('{"schema": 1, "queries": [3]}', "'query 1' items"),
    ('{"schema": 1, "queries": [{"items": ["a", "a"]}]}', "'query 1' items"),
    ('{"schema": 1, "queries": [{"where": [{"column": "x"}]}]}', "'query 1' condition column"),
    ('{"schema": 1, "queries": [{"where": [{"column": "x", "low": 3, "high": 1}]}]}', "'query 1' x"),
    ('{"schema": 1, "queries": [{"where": [{"column": "x", "low": true, "high": 1}]}]}', "'query 1' condition"),
    ('{"schema": 1, "seed": "x", "queries": []}', "source seed null"),
]


@pytest.mark.parametrize(("text", "message"), BAD_FILES)
def test_bad_files_are_refused(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "queries.json"
    path.write_text(text)
    with refused(InputError, f"{path} {message}"):
        read_workload(path)
