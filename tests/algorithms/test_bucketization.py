"""Anatomy and safe grouping: the papers' figures, the naive implementations, and invalid input."""

from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from itertools import combinations, pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.facts import refused

from algorithms.bucket_tables import (
    FIGURE_1,
    FIGURE_3,
    decision_of,
    random_rows,
    shown_rows,
    table_of,
    values_of,
)
from anonset.algorithms.base import Algorithm, Result
from anonset.algorithms.buckets.anatomy import Anatomy
from anonset.algorithms.buckets.base import sorted_rows
from anonset.algorithms.buckets.draws import Draws
from anonset.algorithms.buckets.safe_grouping import SafeGrouping
from anonset.data import CategoricalColumn, Table, Vocabulary
from anonset.errors import InfeasibleError, InputError
from anonset.generalization import Bucketized
from anonset.generalization.bucketizing import bucketize
from anonset.measures.correlation import inter_group_violations, intra_group_violations
from anonset.privacy.anatomy import AnatomyDiversity
from anonset.privacy.safe_grouping import SafetyConstraint
from anonset.settings.binding import bind
from effort import examples
from reference import buckets as twin
from reference.draws import Draw, keyed

Rows = Sequence[tuple[Any, str]]
seeds = st.integers(0, 2**32 - 1)
thorough = settings(max_examples=examples(500), suppress_health_check=[HealthCheck.too_slow])


def grouped(algorithm: Algorithm, table: Table) -> Bucketized:
    recoding = algorithm.recode(table, {}).recoding
    assert isinstance(recoding, Bucketized)
    assert recoding.group.dtype == np.int32
    assert recoding.starred.dtype == np.bool_
    return recoding


def attempt(run: Callable[[], Any]) -> Any:
    """Return the recoding, or None if it is infeasible."""
    try:
        return run()
    except (InfeasibleError, twin.Infeasible):
        return None


def require_as_twin(result: Result | None, expected: twin.Grouping | None) -> None:
    """Compare a result and the losses with those of the naive implementation."""
    assert (result is None) == (expected is None)
    if result is None or expected is None or not expected.group:
        return
    assert isinstance(result.recoding, Bucketized)
    decision = decision_of(result.recoding)
    assert (decision.group, decision.starred) == (expected.group, expected.starred)
    figures = result.figures
    assert figures["removed_for_diversity"] == expected.removed_for_diversity
    assert figures["removed_with_groups"] == len(expected.removed) - expected.removed_for_diversity
    assert figures["too_frequent"] == expected.too_frequent


def draw_of(table: Table, seed: int) -> Draw:
    """Return the random draws of a run, by the naive implementation."""
    return keyed(Draws.of(table, seed).secret)


@st.composite
def drawn_rows(draw: st.DrawFn) -> Rows:
    """Draw tuples that shrink well: few individuals, few values."""
    names = st.tuples(st.sampled_from("ba"), st.sampled_from("yxz"))
    return draw(st.lists(st.tuples(names, st.sampled_from("vuwts")), max_size=18))


tables = st.one_of(drawn_rows(), seeds.map(random_rows))


@pytest.mark.long
@thorough
@given(rows=tables, l=st.integers(1, 5), seed=st.integers(0, 2**64 - 1))
def test_anatomy_equals_its_twin(rows: Rows, l: int, seed: int) -> None:  # noqa: E741
    table = table_of(rows)
    values = [value for _, value in rows]
    order = twin.order_by_value(values, draw_of(table, seed))
    expected = attempt(lambda: twin.anatomy(values, l, order))
    actual = attempt(lambda: decision_of(grouped(Anatomy(l=l, seed=seed), table)))
    assert actual == expected
    if actual is not None:
        for members in actual.members():
            group_values = [values[t] for t in members]
            assert len(group_values) == len(set(group_values)) >= l
        assert not actual.removed | actual.starred


@pytest.mark.long
@thorough
@given(rows=tables, k=st.integers(1, 5), less=st.integers(0, 4), seed=st.integers(0, 2**64 - 1))
def test_safe_grouping_equals_its_twin_and_is_safe(rows: Rows, k: int, less: int, seed: int) -> None:
    l = max(1, k - less)  # noqa: E741
    ids, values = [identity for identity, _ in rows], [value for _, value in rows]
    table = table_of(rows)
    expected = attempt(lambda: twin.safe_grouping(ids, values, k, l, draw_of(table, seed)))
    result = attempt(lambda: SafeGrouping(k=k, l=l, seed=seed).recode(table, {}))
    require_as_twin(result, expected)
    if result is None:
        return
    buckets = result.recoding
    publication = bucketize(table, buckets)
    assert publication.share_lost(table.n) == float(twin.loss(expected))
    assert twin.is_safe(shown_rows(publication), publication.group.labels(), values_of(publication), k, l)
    for u in set(ids):  # starred tuples are in their individual's group
        assert len({buckets.group[t] for t, v in enumerate(ids) if v == u} - {-1}) <= 1
    if l > 1:  # l = 1 requires no diversity
        assert not intra_group_violations(publication)
    assert not inter_group_violations(publication, l, alpha=2)


@pytest.mark.parametrize("seed", range(24))
def test_safe_grouping_equals_its_twin_on_large_groups(seed: int) -> None:
    rows = random_rows(seed, n=400)
    k, l = 6 + 9 * (seed % 4), 2 + seed % 5  # noqa: E741
    ids, values = [identity for identity, _ in rows], [value for _, value in rows]
    table = table_of(rows)
    expected = attempt(lambda: twin.safe_grouping(ids, values, k, l, draw_of(table, seed)))
    require_as_twin(attempt(lambda: SafeGrouping(k=k, l=l, seed=seed).recode(table, {})), expected)


def test_the_random_tables_are_no_trifle() -> None:
    outcomes: Counter[str] = Counter()
    for seed in range(300):
        rows = random_rows(seed)
        ids, values = [identity for identity, _ in rows], [value for _, value in rows]
        k, l = ((2, 2), (3, 2), (3, 3), (4, 3))[seed % 4]  # noqa: E741
        outcomes["a value above 1/l"] += l * max(Counter(values).values()) > len(values)
        try:
            result = twin.safe_grouping(ids, values, k, l, keyed(bytes([seed % 256])))
        except twin.Infeasible as infeasible:
            outcomes[str(infeasible)] += 1
            continue
        partly = {ids[t] for t in result.removed} & {ids[t] for t in set(range(len(ids))) - result.removed}
        outcomes["starred"] += bool(result.starred)
        outcomes["removed for diversity"] += bool(partly)
        outcomes["a group removed"] += len(result.removed) > result.removed_for_diversity
        outcomes["several groups"] += len(result.members()) > 1
    published = ("starred", "removed for diversity", "a group removed", "several groups")
    assert all(outcomes[what] >= 20 for what in published)
    assert all(outcomes[what] >= 3 for what in ("a value above 1/l", "individuals", "nothing left"))


def test_figure_3_of_safe_grouping() -> None:
    outcomes: dict[tuple[Any, ...], set[Any]] = {}
    for seed in range(60):
        buckets = grouped(SafeGrouping(k=2, l=2, seed=seed), table_of(FIGURE_3))
        groups = [np.flatnonzero(buckets.group == g) for g in range(buckets.n_groups)]
        members = frozenset(frozenset(FIGURE_3[t][0] for t in group) for group in groups)
        starred = tuple((np.flatnonzero(buckets.starred) + 1).tolist())
        publication = bucketize(table_of(FIGURE_3), buckets)
        outcomes.setdefault((members, publication.share_lost(13)), set()).add(starred)
        shares = {Fraction(max(Counter(v).values()), len(v)) for v in values_of(publication).values()}
        assert shares in ({Fraction(3, 8), Fraction(2, 5)}, {Fraction(3, 11)})
    as_printed = frozenset({frozenset({"P1", "P3"}), frozenset({"P2", "P4", "P5"})}), 2 / 13
    # If P4 joins P1 and P3, the two remaining persons P2 and P5 have the same drug.
    otherwise = frozenset({frozenset({"P1", "P3", "P4"})}), 4 / 13
    assert outcomes.keys() == {as_printed, otherwise}
    assert outcomes[as_printed] == {(8, 11), (3, 8), (3, 11)}
    assert {tuple(sorted(FIGURE_3[t - 1][0] for t in starred)) for starred in outcomes[otherwise]} == {("P1", "P3")}


def test_figure_1_by_safe_grouping() -> None:
    others = set()
    for seed in range(60):
        buckets = grouped(SafeGrouping(k=2, l=2, seed=seed), table_of(FIGURE_1))
        people = [{FIGURE_1[t][0] for t in np.flatnonzero(buckets.group == g)} for g in range(3)]
        assert {"P1", "P3"} in people
        others |= {tuple(sorted(group)) for group in people if "P4" in group}
        assert Counter(FIGURE_1[t][0] for t in np.flatnonzero(buckets.starred)) == {"P1": 1, "P4": 2}
        assert bucketize(table_of(FIGURE_1), buckets).share_lost(15) == 3 / 15
    assert others == {("P2", "P4"), ("P4", "P5"), ("P4", "P6")}


def test_figure_1_by_anatomy(monkeypatch: pytest.MonkeyPatch) -> None:
    by_value = "anonset.algorithms.buckets.anatomy.random_by_code"
    monkeypatch.setattr(by_value, lambda codes, *_: np.argsort(codes, kind="stable").astype(np.int32))
    buckets = grouped(Anatomy(l=3), table_of(FIGURE_1))
    members = [np.flatnonzero(buckets.group == g).tolist() for g in range(buckets.n_groups)]
    assert members == [[0, 1, 2], [4, 5, 6], [3, 7, 8], [9, 10, 14], [11, 12, 13]]
    with refused(InfeasibleError, "4 15 26.7 1/5"):
        Anatomy(l=5).recode(table_of(FIGURE_1), {})


def test_the_same_input_and_seed_give_the_same_output() -> None:
    table = table_of(random_rows(5, n=300))
    for algorithm in (Anatomy(l=2, seed=7), SafeGrouping(k=6, l=2, seed=7)):
        first, second = grouped(algorithm, table), grouped(algorithm, table)
        assert first.group.tolist() == second.group.tolist()
        assert first.starred.tolist() == second.starred.tolist()


@pytest.mark.parametrize("cls", [partial(Anatomy, l=2), partial(SafeGrouping, k=6, l=2)])
def test_another_seed_another_input_or_no_seed_change_the_draws(cls: Callable[..., Algorithm]) -> None:
    rows = random_rows(5, n=300)
    renamed = [(identity, "v0 " if value == "v0" else value) for identity, value in rows]
    result = [
        grouped(cls(**arguments), table_of(data)).group.tolist()
        for arguments, data in (
            ({"seed": 7}, rows),
            ({"seed": 8}, rows),
            ({"seed": 7}, renamed),
            ({}, rows),
            ({}, rows),
        )
    ]
    assert all(first != other for first, other in combinations(result, 2))


@pytest.mark.long
@pytest.mark.compiled
def test_the_position_of_a_tuple_does_not_reveal_its_group_in_anatomy() -> None:
    table = table_of([(str(i), "ab"[i % 2]) for i in range(8)])
    with_row_0 = Counter[int]()
    for seed in range(1600):
        group = grouped(Anatomy(l=2, seed=seed), table).group
        with_row_0.update(np.flatnonzero(group == group[0])[1:].tolist())
    assert set(with_row_0) == {1, 3, 5, 7}
    assert all(abs(count - 400) < 5 * np.sqrt(400 * 3 / 4) for count in with_row_0.values())


def test_figures_account_for_every_lost_tuple() -> None:
    table = table_of(random_rows(3, n=400))
    result = SafeGrouping(k=5, l=3, seed=0).recode(table, {})
    figures = result.figures
    lost = figures["starred"] + figures["removed_for_diversity"] + figures["removed_with_groups"]
    assert isinstance(result.recoding, Bucketized)
    assert bucketize(table, result.recoding).share_lost(table.n) == lost / table.n
    assert figures["removed_for_diversity"] > 0


def test_declare_their_models() -> None:
    assert Anatomy(l=3).model == AnatomyDiversity(3)
    assert SafeGrouping(k=4, l=3).model == SafetyConstraint(4, 3)
    for algorithm in (Anatomy(l=3), SafeGrouping(k=4, l=3)):
        assert isinstance(algorithm, Algorithm)
        assert algorithm.name == algorithm.model.name


@pytest.mark.parametrize("algorithm", [Anatomy(l=3), SafeGrouping(k=4, l=3)])
def test_an_empty_table_is_published_empty(algorithm: Algorithm) -> None:
    table = table_of([])
    buckets = grouped(algorithm, table)
    assert len(buckets.group) == len(buckets.starred) == buckets.n_groups == 0
    assert bucketize(table, buckets).n == 0


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Anatomy(l=0), "l 1 0"),
        (lambda: SafeGrouping(k=0, l=1), "k 1 0"),
        (lambda: SafeGrouping(k=2, l=True), "l 1 True"),
        (lambda: SafeGrouping(k=2, l=3), "k l 2 3"),
    ],
)
def test_bad_parameters_are_refused(make: Callable[[], Algorithm], message: str) -> None:
    with refused(InputError, message):
        make()


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (Table(ids=(CategoricalColumn.of("id", ["a"]),)), "sensitive"),
        (Table(sensitive=CategoricalColumn.of("drug", ["a"])), "id"),
        (table_of([("a", "x"), ("", "y")]), "id id0 2 row"),
        (table_of([(("a", "?"), "x"), (("a", "b"), "y")]), "id id1 1 ? row"),
        (table_of([("*", "x"), ("b", "y")]), "id id0 1 * row"),
        (table_of([("a", "x"), ("b", "")]), "sensitive drug 1 row"),
        (
            Table(sensitive=CategoricalColumn.of("s", ["a"]), relational=(CategoricalColumn.of("age", ["1"]),)),
            "age",
        ),
        (Table.from_sets([{"a"}]), "items"),
    ],
)
def test_bad_tables_are_refused(table: Table, message: str) -> None:
    with refused(InputError, message):
        SafeGrouping(k=1, l=1).recode(table, {})


@pytest.mark.parametrize(
    ("rows", "k", "l", "message"),
    [
        (
            [("a", "x"), ("b", "x"), ("c", "x")],
            2,
            2,
            "k 2 3 x drug 100.0",
        ),
        ([("a", "x"), ("b", "y"), ("a", "z")], 3, 2, "k 3 2"),
        ([("a", "x"), ("a", "y"), ("a", "x"), ("b", "y")] * 3, 1, 1, ""),
        ([("a", "x"), ("b", "x"), ("c", "y")], 3, 3, "k 3 1/3"),
    ],
)
def test_infeasible_tables_are_refused(rows: Rows, k: int, l: int, message: str) -> None:  # noqa: E741
    if not message:
        assert grouped(SafeGrouping(k=k, l=l), table_of(rows)).n_groups == 2
        return
    with refused(InfeasibleError, message) as caught:
        SafeGrouping(k=k, l=l).recode(table_of(rows), {})
    assert caught.value.algorithm == "safe-grouping"


def test_tuples_of_a_too_frequent_value_are_removed() -> None:
    rows = [(f"p{n}", "x") for n in range(6)] + [(f"p{n}", "y") for n in range(6)] + [("p0", "x"), ("p1", "x")]
    result = SafeGrouping(k=2, l=2, seed=0).recode(table_of(rows), {})
    assert isinstance(result.recoding, Bucketized)
    assert result.figures["removed_for_diversity"] == 2
    assert {rows[t] for t in np.flatnonzero(result.recoding.group < 0)} == {("p0", "x"), ("p1", "x")}


def test_an_ineligible_table_names_the_share_and_the_bound() -> None:
    with pytest.raises(InfeasibleError) as caught:
        Anatomy(l=4).recode(table_of([("a", "x"), ("b", "x"), ("c", "y")]), {})
    assert caught.value.achieved == pytest.approx(2 / 3)
    assert caught.value.bound == 1 / 4


@pytest.mark.parametrize("missing", ["", " ", "?"])
@pytest.mark.parametrize("algorithm", [Anatomy(l=2), SafeGrouping(k=2, l=2)], ids=["anatomy", "safe-grouping"])
def test_missing_sensitive_values_are_rejected_as_in_a_run(algorithm: Anatomy | SafeGrouping, missing: str) -> None:
    table = table_of([("a", missing), ("b", "x"), ("c", missing)])
    with refused(InputError, "sensitive 2 rows model none") as direct:
        algorithm.recode(table, {})
    with refused(InputError, "sensitive 2 rows model none") as in_a_run:
        bind(table, {}, algorithm.model)
    assert str(direct.value) == str(in_a_run.value)


def test_rows_are_sorted_by_more_columns_than_fit_one_key() -> None:
    random = np.random.default_rng(0)
    vocabulary = Vocabulary(tuple(f"v{i:05}" for i in range(5000)))  # 5000^4 combinations
    codes = random.choice([0, 7, 4999], (4, 200)).astype(np.int32)
    columns = [CategoricalColumn(f"id{i}", of_column, vocabulary) for i, of_column in enumerate(codes)]
    rows = list(zip(*codes.tolist(), strict=True))
    order, starts = sorted_rows(tuple(columns))
    assert order.tolist() == sorted(range(len(rows)), key=lambda row: rows[row])
    assert len(starts) - 1 == len(set(rows))
    assert all(len({rows[row] for row in order[a:b]}) == 1 for a, b in pairwise(starts))
