"""Answers to queries for relational values and items: the paper's figure, and all possible originals of a record."""

import random
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.facts import refused

from algorithms.relational_cases import RelationalCase, figure_1, random_case
from anonset.algorithms.relational.generalized_tuples import GeneralizedTuples
from anonset.algorithms.relational.values import relational_values
from anonset.data import CategoricalColumn, Hierarchy, NumericColumn, SetColumn, Table, Vocabulary
from anonset.errors import InputError
from anonset.generalization import ItemGroups, PerCluster, RelationalValues, apply
from anonset.measures.query_error import mixed_relative_error
from anonset.publications import Records, Symbol
from anonset.queries import ExpectedCounts, Query, Workload
from anonset.queries.conditions import Among, Between
from anonset.queries.estimate import READINGS
from anonset.queries.relational import ExpectedAnswers, TrueAnswers
from effort import examples
from reference.queries import Stretch, expected_count, true_count

ITEMS = ["E F B G", "E F D H", "B C E G", "F D H", "E G", "A F H"]
SYMBOLS = ["E F BD G", "E F BD H", "BCF DE G", "BCF DE H", "AEF G", "AEF H"]
AGES = ["[19:22]"] * 2 + ["[28:39]"] * 2 + ["[55:70]"] * 2
ORIGINS = ["Europe"] * 4 + ["Africa"] * 2
GENDERS = ["Male"] * 2 + ["Female"] * 2 + ["Any"] * 2
AGE, ORIGIN, GENDER = "c0", "c1", "c2"


def figure_2a() -> tuple[Table, Records, dict[str, Hierarchy]]:
    """Figures 1a and 2a of Poulis et al. 2013."""
    table = Table(SetColumn.of(row.split() for row in ITEMS), figure_1().columns)
    sets = sorted({s for row in SYMBOLS for s in row.split()})
    symbols = tuple(Symbol(f"({','.join(s)})" if len(s) > 1 else s, "group", tuple(s)) for s in sets)
    codes = [sorted(sets.index(s) for s in row.split()) for row in SYMBOLS]
    indptr = np.cumsum([0, *map(len, codes)]).astype(np.int64)
    labels = Vocabulary(tuple(symbol.label for symbol in symbols))
    published = SetColumn("items", indptr, np.concatenate(codes).astype(np.int32), labels)
    relational = tuple(
        CategoricalColumn.of(name, values) for name, values in ((AGE, AGES), (ORIGIN, ORIGINS), (GENDER, GENDERS))
    )
    return table, Records(published, symbols, relational, (), np.arange(6)), figure_1().hierarchies


FIGURE_QUERIES = [
    (("E", "F"), (Between(AGE, 20, 30),), 1, "71/42"),
    (("E",), (), 4, "94/21"),
    (("E",), (Among(ORIGIN, ("France",)),), 1, "5/6"),
    ((), (Between(AGE, 60, 80),), 1, "11/8"),
    ((), (Among(ORIGIN, ("Algeria", "Nigeria")), Among(GENDER, ("Female",))), 1, "1"),
    ((), (), 6, "6"),
]


@pytest.mark.parametrize(("items", "where", "true", "expected"), FIGURE_QUERIES)
def test_answers_of_figure_2a(items: Any, where: Any, true: int, expected: str) -> None:
    table, publication, hierarchies = figure_2a()
    query = Query(items, where)
    assert TrueAnswers(table, hierarchies).count(query) == true
    actual = ExpectedAnswers(table, publication, hierarchies, reading="subsets").count(query)
    assert actual == pytest.approx(float(Fraction(expected)), abs=1e-12)


def test_average_error_of_figure_2a() -> None:
    table, publication, hierarchies = figure_2a()
    workload = Workload(tuple(Query(items, where) for items, where, *_ in FIGURE_QUERIES[:3]))
    result = mixed_relative_error(table, publication, workload, hierarchies, reading="subsets")
    assert result.errors == pytest.approx((29 / 42, 10 / 84, 1 / 6))
    nobody = Workload((Query((), (Between(AGE, 90, 99),)),))
    assert mixed_relative_error(table, publication, nobody, hierarchies).skipped == 1


@pytest.mark.parametrize(
    ("values", "label", "condition", "expected"),
    [
        ([1, 4, 7], "[1:4]", Between("x", 2.5, 9), 2 / 4),
        ([1, 4, 7], "[1:4]", Between("x", 4, 4), 1 / 4),
        ([1, 4, 7], "[1:4]", Between("x", 4.2, 4.8), 0.0),
        ([-3, 4, 7], "[-3:4]", Between("x", -9, -3), 1 / 8),
        ([1, 4, 7], "4", Between("x", 4, 4), 1.0),
        ([1.0, 4.0], "[1:4]", Between("x", 2, 3), 2 / 4),
        ([0.5, 1.0, 4.5], "[0.5:4.5]", Between("x", 1, 3), 2 / 4),
        ([0.5, 1.0, 4.5], "[0.5:4.5]", Between("x", 1, 1), 1 / 3),
        ([0.5, 1.0, 4.5], "[0.5:4.5]", Between("x", 2, 2), 0.0),
        ([0.5, 1.0, 4.5], "1", Between("x", 0.5, 2), 1.0),
        ([0.5, 1.0, 4.5], "1", Between("x", 2, 3), 0.0),
        ([0.5, 1.0, 4.5], "[0.5:1]", Between("x", 1, 9), 0.0),
    ],
)
def test_ranges_are_assumed_uniform_over_their_values(
    values: list[float], label: str, condition: Between, expected: float
) -> None:
    table = Table(relational=(NumericColumn("x", np.array(values)),))
    column = CategoricalColumn.of("x", [label])
    publication = Records(None, (), (column,), (), np.zeros(1, np.int64))
    assert ExpectedAnswers(table, publication).count(Query((), (condition,))) == pytest.approx(expected, abs=1e-15)


def publish(case: RelationalCase, table: Table, seed: int) -> Records:
    """Assign records to random clusters, with random groups of items."""
    source = random.Random(seed)
    names: dict[int, int] = {}
    cluster = np.array([names.setdefault(source.randrange(3), len(names)) for _ in range(table.n)], np.int32)
    tuples = GeneralizedTuples.of(case.qi, cluster, len(names))
    assert table.transactions is not None
    vocabulary = table.transactions.vocabulary
    groups = [[source.randrange(-1, 3) for _ in vocabulary.labels] for _ in names]
    mappings = tuple(ItemGroups(vocabulary, np.array(group, np.int32)) for group in groups)
    return apply(table, PerCluster(cluster, mappings, relational_values(case.qi, tuples)))


def condition_for(column: Any, case: RelationalCase, source: random.Random) -> Between | Among:
    if isinstance(column, NumericColumn):
        low, high = sorted(source.choices([*column.values.tolist(), 0.25, -9.0, 3.5, 100.0], k=2))
        return Between(column.name, low, high if source.random() < 0.7 else low)
    tree = case.hierarchies.get(column.name)
    labels = column.vocabulary.labels if tree is None else tree.leaves.labels
    return Among(column.name, tuple(source.sample(labels, source.randint(1, len(labels)))))


def covered(label: str, column: Any, case: RelationalCase) -> Any:
    """Return a published value in the naive implementation's format. Real numbers are returned as a stretch."""
    if isinstance(column, NumericColumn):
        low, high = label[1:-1].split(":") if label.startswith("[") else (label, label)
        if column.values.dtype == np.int64:
            return tuple(Fraction(x) for x in range(int(low), int(high) + 1))
        return Stretch(Fraction(float(low)), Fraction(float(high)))
    if column.name in case.hierarchies:
        hierarchy = case.hierarchies[column.name]
        node = hierarchy.node_of[label]
        return hierarchy.leaves.labels[hierarchy.leaf_lo[node] : hierarchy.leaf_hi[node]]
    return tuple(label.strip("()").split(","))


@settings(max_examples=examples(150))
@given(st.integers(0, 10**9), st.integers(1, 12), st.integers(1, 4))
def test_expected_answers_equal_those_of_the_twin(seed: int, n: int, v: int) -> None:
    case, source = random_case(seed, n, v), random.Random(seed)
    rows = ["".join(source.sample("abcde", source.randint(0, 4))) for _ in range(n)]
    table = Table(SetColumn.of(rows, universe="abcde"), case.columns)
    publication = publish(case, table, seed)
    assert publication.transactions is not None
    published_labels = [column.labels() for column in publication.relational]
    symbols = list(publication.transactions.rows())
    members = {symbol.label: symbol.members for symbol in publication.symbols}
    published = [
        (
            {c.name: covered(labels[r], c, case) for c, labels in zip(case.columns, published_labels, strict=True)},
            [members[s] for s in symbols[r]],
        )
        for r in range(n)
    ]
    values = [
        {
            c.name: Fraction(c.values[r].item()) if isinstance(c, NumericColumn) else c.vocabulary.labels[c.codes[r]]
            for c in case.columns
        }
        for r in range(n)
    ]
    for _ in range(4):
        items = tuple(source.sample("abcde", source.randint(0, 3)))
        requested = [condition_for(c, case, source) for c in source.sample(case.columns, source.randint(0, v))]
        real = [c for c in requested if isinstance(c, Between) and c.low == c.high and is_real(table, c.column)]
        where: dict[str, Any] = {
            c.column: (Fraction(c.low), Fraction(c.high)) if isinstance(c, Between) else c.values for c in requested
        }
        where = {name: list(wanted) if isinstance(wanted[0], str) else wanted for name, wanted in where.items()}
        query = Query(items, tuple(requested))
        true = true_count(list(zip(values, rows, strict=True)), where, items)
        assert TrueAnswers(table, case.hierarchies).count(query) == true
        adapted = [
            (entry | {c.column: distinct(table, c.column, entry[c.column]) for c in real}, s) for entry, s in published
        ]
        for reading in READINGS[:2]:
            expected = float(expected_count(adapted, where, items, reading))
            actual = ExpectedAnswers(table, publication, case.hierarchies, reading=reading).count(query)
            assert actual == pytest.approx(expected, rel=1e-9, abs=1e-12)
        for reading in READINGS:
            alone = ExpectedCounts(publication, reading=reading).count(Query(items))
            actual = ExpectedAnswers(table, publication, case.hierarchies, reading=reading).count(Query(items))
            assert actual == pytest.approx(alone, rel=1e-9, abs=1e-12)


def numbers_of(table: Table, name: str) -> Any:
    return next(c.values for c in table.relational if c.name == name and isinstance(c, NumericColumn))


def is_real(table: Table, name: str) -> bool:
    return numbers_of(table, name).dtype == np.float64


def distinct(table: Table, name: str, stretch: Stretch) -> tuple[Fraction, ...]:
    """Return the original numbers in a stretch, for equality conditions on real numbers."""
    result = sorted({Fraction(x) for x in numbers_of(table, name).tolist()})
    return tuple(x for x in result if stretch.low <= x <= stretch.high)


BAD: list[tuple[Callable[[], Any], str]] = [
    (lambda: Between("x", 3, 2), "x low high 3 2"),
    (lambda: Between("x", float("nan"), 2), "x low high"),
    (lambda: Among("x", ()), "values x"),
    (lambda: ask(Query((), (Among("y", ("a",)),))), "c0 c1 c2 y"),
    (lambda: ask(Query((), (Among(ORIGIN, ("o9",)),))), "o9 6"),
    (lambda: ask(Query((), (Among(AGE, ("19",)),))), "c0 numeric Between"),
    (lambda: ask(Query((), (Between(ORIGIN, 1, 2),))), "c1 categorical Among"),
    (lambda: ask(Query(("Z",), (Between(AGE, 1, 2),))), "item Z"),
]


def ask(query: Query) -> float:
    table, publication, hierarchies = figure_2a()
    assert ExpectedAnswers(table, publication, hierarchies).count(Query(query.items)) == 0 or not query.items
    TrueAnswers(table, hierarchies).count(query)
    return ExpectedAnswers(table, publication, hierarchies).count(query)


@pytest.mark.parametrize(("call", "message"), BAD)
def test_bad_queries_are_refused(call: Callable[[], Any], message: str) -> None:
    with refused(InputError, message):
        call()


def test_bad_publications_are_refused() -> None:
    table, publication, hierarchies = figure_2a()
    bad = {AGE: "old", ORIGIN: "o9", GENDER: "other"}
    for i, (name, label) in enumerate(bad.items()):
        columns = list(publication.relational)
        columns[i] = CategoricalColumn.of(name, [label] * 6)
        wrong = Records(None, (), tuple(columns), (), np.arange(6))
        with refused(InputError, f"{label}"):
            ExpectedAnswers(table, wrong, hierarchies)
    without = Records(None, (), publication.relational, (), np.arange(6))
    with refused(InputError, "set-valued"):
        ExpectedAnswers(table, without, hierarchies).count(Query(("E",)))
    with refused(InputError, "c0 numeric hierarchy"):
        TrueAnswers(table, {AGE: hierarchies[ORIGIN]})


def test_sets_of_values_without_hierarchy_are_answered() -> None:
    table = Table.from_columns({"items": [{"a"}, {"a", "b"}, {"b"}]}, drug=["x", "y", "z"])
    values = (RelationalValues("drug", ("(x,y)", "z")),)
    assert table.transactions is not None
    same = ItemGroups.identity(table.transactions.vocabulary)
    publication = apply(table, PerCluster(np.array([0, 0, 1], np.int32), (same, same), values))
    answers = ExpectedAnswers(table, publication)
    assert answers.count(Query(("b",), (Among("drug", ("y", "z")),))) == pytest.approx(1.5)
    assert answers.count(Query((), (Among("drug", ("x",)),))) == pytest.approx(1.0)
