"""True and expected answers: the paper's figure, and enumeration of the originals of every symbol."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import chain, combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.facts import refused

from anonset.data import Hierarchy, SetColumn, Table
from anonset.errors import InputError
from anonset.generalization import Cut, ItemGroups, PerCluster, apply
from anonset.measures.query_error import AverageError, relative_errors
from anonset.publications import Records
from anonset.queries import ExpectedCounts, Query, TrueCounts, Workload, presence_probability
from anonset.queries.estimate import ONE_MEMBER, READINGS, Reading
from effort import examples
from reference.hierarchy_model import parse

ROWS = ["abcdefgh", "acefg", "cdefh", "acef", "efgh", "defg", "abde", "acf", "ac", "bh"]
FIGURE_2C = [0, 0, 1, -1, 2, 3, 4, 4]
QUERIES = [("a", 6, "14/3", "14/3"), ("c", 6, "6", "6"), ("d", 4, "0", "0"), ("ab", 2, "7/3", "28/9"),
           ("ae", 4, "8/3", "8/3"), ("gh", 2, "2", "8/3"), ("ac", 5, "10/3", "10/3")]  # fmt: skip


def figure_2c() -> tuple[SetColumn, Records]:
    table = Table.from_sets(ROWS)
    assert table.transactions is not None
    groups = ItemGroups(table.transactions.vocabulary, np.array(FIGURE_2C, np.int32))
    return table.transactions, apply(table, groups)


@pytest.mark.parametrize(("items", "true", "joint", "literal"), QUERIES)
def test_answers_of_figure_2c(items: str, true: int, joint: str, literal: str) -> None:
    column, publication = figure_2c()
    query = Query(tuple(items))
    assert TrueCounts(column).count(query) == true == len(TrueCounts(column).records(query))
    assert ExpectedCounts(publication, reading="subsets").count(query) == pytest.approx(float(Fraction(joint)))
    assert ExpectedCounts(publication, reading="subsets-apart").count(query) == pytest.approx(float(Fraction(literal)))


def errors_of(
    column: SetColumn,
    publication: Records,
    workload: Workload,
    reading: Reading = ONE_MEMBER,
) -> AverageError:
    true, expected = TrueCounts(column), ExpectedCounts(publication, reading=reading)
    return relative_errors(workload.queries, lambda query: (true.count(query), expected.count(query)))


def test_average_error_of_figure_2c() -> None:
    column, publication = figure_2c()
    workload = Workload.of(items for items, *_ in QUERIES)
    joint = errors_of(column, publication, workload, reading="subsets")
    assert joint.average == pytest.approx(0.293651, abs=1e-6)
    literal = errors_of(column, publication, workload, reading="subsets-apart")
    assert literal.average == pytest.approx(0.396825, abs=1e-6)
    assert (literal.answered, literal.skipped) == (7, 0)


def test_queries_without_records_are_skipped() -> None:
    pruned = [row for row in ROWS if row != "abcdefgh"]
    table = Table.from_sets(pruned, universe="abcdefgh")
    assert table.transactions is not None
    published = apply(table, ItemGroups(table.transactions.vocabulary, np.array(FIGURE_2C, np.int32)))
    result = errors_of(table.transactions, published, Workload.of(["bg", "c"]))
    assert (result.average, result.answered, result.skipped) == (0.0, 1, 1)
    assert result.errors == (None, 0.0)


@pytest.mark.parametrize(
    ("items", "expected"), [("a", "7/2"), ("c", "6"), ("d", "0"), ("ab", "0"), ("ae", "2"), ("gh", "0"), ("ac", "5/2")]
)
def test_each_symbol_counts_as_one_member_by_default(items: str, expected: str) -> None:
    _, publication = figure_2c()
    assert ExpectedCounts(publication).count(Query(tuple(items))) == float(Fraction(expected))


def expected_by_enumeration(
    rows: Sequence[Sequence[Sequence[str]]], items: Sequence[str], reading: Reading
) -> Fraction:
    """Expand every published record into all possible originals."""
    total = Fraction(0)
    for symbols in rows:
        probability = Fraction(1)
        for symbol in symbols:
            wanted = {x for x in items if x in symbol}
            sizes = range(1, 2 if reading == "one-member" else len(symbol) + 1)
            subsets = [set(s) for s in chain.from_iterable(combinations(symbol, size) for size in sizes)]
            probability *= Fraction(sum(wanted <= subset for subset in subsets), len(subsets))
        covered = {x for symbol in symbols for x in symbol}
        total += probability if set(items) <= covered else 0
    return total


groupings = st.lists(st.integers(-1, 3), min_size=6, max_size=6)
datasets = st.lists(st.sets(st.sampled_from("abcdef")), max_size=8)


@settings(max_examples=examples(100))
@given(datasets, groupings, st.sets(st.sampled_from("abcdef"), min_size=1))
def test_expected_answers_of_groups_equal_an_enumeration(
    rows: list[set[str]], group: list[int], items: set[str]
) -> None:
    table = Table.from_sets(rows, universe="abcdef")
    assert table.transactions is not None
    publication = apply(table, ItemGroups(table.transactions.vocabulary, np.array(group, np.int32)))
    assert_expected(publication, sorted(items))


@pytest.mark.long
@settings(max_examples=examples(100))
@given(datasets, st.lists(groupings, min_size=3, max_size=3), st.sets(st.sampled_from("abcdef"), min_size=1))
def test_expected_answers_of_local_groups(rows: list[set[str]], groups: list[list[int]], items: set[str]) -> None:
    table = Table.from_sets(rows, universe="abcdef")
    assert table.transactions is not None
    vocabulary = table.transactions.vocabulary
    cluster = (np.arange(len(rows)) % 3).astype(np.int32)
    mappings = tuple(ItemGroups(vocabulary, np.array(group, np.int32)) for group in groups[: min(3, len(rows))])
    assert_expected(apply(table, PerCluster(cluster, mappings)), sorted(items))


@settings(max_examples=examples(60))
@given(
    datasets,
    st.sampled_from(["X Y", "X d e f", "a b c Y", "a b c d e f"]),
    st.sets(st.sampled_from("abcdef"), min_size=1),
)
def test_expected_answers_of_hierarchy_nodes(rows: list[set[str]], cut: str, items: set[str]) -> None:
    hierarchy = Hierarchy.from_tree(parse("ALL(X(a,b,c),Y(d,e,f))"))
    image = np.empty(6, np.int32)
    for label in cut.split():
        node = hierarchy.node_of[label]
        image[hierarchy.leaf_lo[node] : hierarchy.leaf_hi[node]] = node
    assert_expected(apply(Table.from_sets(rows, universe="abcdef"), Cut(hierarchy, image)), sorted(items))


def assert_expected(publication: Records, items: list[str]) -> None:
    for reading in READINGS[:2]:
        assert_expected_by(reading, publication, items)


def assert_expected_by(reading: Reading, publication: Records, items: list[str]) -> None:
    column = publication.transactions
    assert column is not None
    rows = [
        [publication.symbols[code].members for code in column.items[column.indptr[r] : column.indptr[r + 1]]]
        for r in range(column.n)
    ]
    counts, query = ExpectedCounts(publication, reading=reading), Query(tuple(items))
    exact = float(expected_by_enumeration(rows, items, reading))
    assert counts.count(query) == pytest.approx(exact, abs=1e-12)
    for symbols, probability in zip(rows, counts.probabilities(items).tolist(), strict=True):
        assert probability == pytest.approx(float(expected_by_enumeration([symbols], items, reading)))


def test_counts_of_global_recodings_need_only_supports(monkeypatch: pytest.MonkeyPatch) -> None:
    _, publication = figure_2c()
    monkeypatch.delattr(ExpectedCounts, "probabilities")
    counts = ExpectedCounts(publication, reading="subsets")
    assert counts.count(Query(("a", "b"))) == pytest.approx(7 / 3)


def test_an_empty_query_matches_every_record() -> None:
    _, publication = figure_2c()
    assert ExpectedCounts(publication).probabilities(()).tolist() == [1.0] * 10
    assert ExpectedCounts(publication).count(Query(())) == 10


def test_items_with_a_symbol_per_cluster() -> None:
    universe = "abcdefghijklmno"
    rows = [{"a", "b", x} for x in universe[2:14]]
    table = Table.from_sets(rows, universe=universe)
    assert table.transactions is not None
    mappings = []
    for i in range(12):
        group = np.arange(15, dtype=np.int32)
        group[2 + i], group[14 - i] = 0, 1
        group[1] = 1
        mappings.append(ItemGroups(table.transactions.vocabulary, group))
    publication = apply(table, PerCluster(np.arange(12, dtype=np.int32), tuple(mappings)))
    assert_expected(publication, ["a", "b"])


def test_presence_of_large_symbols_is_stable() -> None:
    assert presence_probability(5000, 2, "subsets") == 0.25
    assert presence_probability(3, 2, "subsets") == pytest.approx(2 / 7)


def test_an_unknown_reading_is_refused() -> None:
    _, publication = figure_2c()
    with refused(InputError, "reading one-member subsets subsets-apart all"):
        ExpectedCounts(publication, reading="all")  # type: ignore[arg-type]


def test_bad_queries_are_refused() -> None:
    column, publication = figure_2c()
    with refused(InputError, "item Z 8"):
        errors_of(column, publication, Workload.of(["aZ"]))
    without = Records(None, (), (), (), np.arange(0, dtype=np.int64))
    with refused(InputError, "set-valued"):
        ExpectedCounts(without)
