"""(k,l)-diversity and (k,t)-closeness: rules, searches and checks, compared with the definitions class by class."""

import random
from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.facts import refused

from algorithms.relational_cases import RelationalCase, random_case
from anonset.algorithms.clusters import list_members
from anonset.algorithms.relational.class_rules import merge_broken, rule_of
from anonset.algorithms.relational.cluster import Cluster
from anonset.algorithms.relational.formations import FORMATIONS
from anonset.algorithms.relational.full_domain import FullDomain
from anonset.algorithms.relational.levels import Classes, Levels, tuple_rule
from anonset.algorithms.relational.local_recoding import LocalRecoding
from anonset.algorithms.relational.mondrian import Mondrian
from anonset.algorithms.split.solving import split_and_solve
from anonset.data import CategoricalColumn, Hierarchy, Table
from anonset.data.hierarchies.ceilings import cap_hierarchy
from anonset.errors import InfeasibleError, InputError
from anonset.generalization import apply
from anonset.measures.losses.relational_ncp import relational_ncp
from anonset.privacy.classes import KLDiversity, KTCloseness
from anonset.privacy.k import KAnonymity
from anonset.verification import verify
from anonset.verification.classes import entropy_is_at_least
from effort import examples
from reference.class_rules import (
    equal_distance,
    has_entropy,
    hierarchical_distance,
    is_distinct,
    is_recursive,
    merged,
    ordered_distance,
)
from reference.recoding import full_domain
from reference.relational import mondrian

NAME = "drug"
Model = KLDiversity | KTCloseness
MISSING = ("", " ", "?")
POOLS = ("ab", "aaab", "abc", "aaaabbc", "abcdefgh", "aaaaaaaaaabcd", "a")


TREES = (
    "a;X;R\nb;X;R\nc;Y;R\nd;Y;R\ne;Y;R\nf;Y;R\ng;Z;R\nh;Z;R\n",
    "a;R\nb;X;R\nc;V;X;R\nd;V;X;R\ne;W;Q;X;R\nf;W;Q;X;R\ng;U;R\nh;S;U;R\nz;S;U;R\n",
    "".join(f"{value};R\n" for value in "abcdefgh"),
)


def distance_of(model: KTCloseness, values: list[str], everybody: list[str]) -> Fraction:
    if model.t_distance == "hierarchical":
        return hierarchical_distance(values, everybody, model.paths)
    return (ordered_distance if model.t_distance == "ordered" else equal_distance)(values, everybody)


def known(values: list[str]) -> list[str]:
    return [value for value in values if value not in MISSING]


def naive(model: KAnonymity, values: list[str], everybody: list[str]) -> bool:
    """Return True if the known values of a class satisfy a model's condition on sensitive values."""
    values, everybody = known(values), known(everybody)
    if not values:
        return True
    if isinstance(model, KTCloseness):
        return distance_of(model, values, everybody) <= Fraction(str(model.t))
    if not isinstance(model, KLDiversity):
        return True
    if model.l_kind == "entropy":
        return has_entropy(values, model.l)
    if model.c is not None:
        return is_recursive(values, model.l, Fraction(str(model.c)))
    return is_distinct(values, model.l)


def drawn_model(source: random.Random, k: int) -> Model:
    kind, l = source.randrange(6), source.randint(1, 4)  # noqa: E741
    if kind < 2:
        return KLDiversity(k, l, NAME, ("distinct", "entropy")[kind])
    if kind == 2:
        return KLDiversity(k, l, NAME, "recursive", source.choice(["1", "1.5", "2", "3", "2/3"]))
    t = source.choice(["0", "0.05", "0.1", "0.2", "1/3", "0.5", "1"])
    if kind == 5:
        return KTCloseness(k, t, NAME, "hierarchical", source.choice(TREES))
    return KTCloseness(k, t, NAME, ("equal", "ordered")[kind - 3])


def drawn_values(source: random.Random, n: int, model: Model) -> list[str]:
    ordered = isinstance(model, KTCloseness) and model.t_distance == "ordered"
    pool = ["1", "2", "2.0", "7", "-3", "1e1"] if ordered else list(source.choice(POOLS))
    missing = source.choice([0.0, 0.2, 0.6])
    return [source.choice(MISSING if source.random() < missing else pool) for _ in range(n)]


def parameters_of(model: Model) -> dict[str, Any]:
    names = ("l", "l_kind", "c") if isinstance(model, KLDiversity) else ("t", "t_distance", "t_tree")
    return {"sensitive": model.sensitive, **{name: getattr(model, name) for name in names}}


def table_of(case: RelationalCase, values: list[str]) -> Table:
    return Table(None, case.columns, kept=(CategoricalColumn.of(NAME, values),))


def classes_of(publication: Any) -> list[list[int]]:
    result = defaultdict(list)
    for row, key in enumerate(zip(*(column.labels() for column in publication.relational), strict=True)):
        result[key].append(row)
    return list(result.values())


@settings(max_examples=examples(400))
@given(seed=st.integers(0, 10**9))
def test_a_rule_on_classes_is_the_definition(seed: int) -> None:
    source = random.Random(seed)
    model, n = drawn_model(source, 1), source.randint(1, 60)
    values = drawn_values(source, n, model)
    rule = rule_of(model, Table(None, (), kept=(CategoricalColumn.of(NAME, values),)))
    assert rule is not None
    n_classes = source.randint(1, 8)
    class_of = np.array([source.randint(-1, n_classes - 1) for _ in range(n)], np.int32)
    class_values = [[values[r] for r in np.flatnonzero(class_of == c).tolist()] for c in range(n_classes)]
    satisfied = [not values_of_class or naive(model, values_of_class, values) for values_of_class in class_values]
    broken = rule.broken_classes(class_of, n_classes)
    assert [not bad for bad in broken.tolist()] == satisfied
    tuples = rule.by_tuple(np.arange(n, dtype=np.int32) // 1, n)
    assert tuples.broken_classes(class_of, n_classes).tolist() == broken.tolist()
    some = np.flatnonzero(np.array([source.random() < 0.5 for _ in range(n)]))
    mine = [[values[r] for r in some.tolist() if class_of[r] == c] for c in range(n_classes)]
    assert [not bad for bad in tuples.take(some).broken_classes(class_of[some], n_classes).tolist()] == [
        not values_of_class or naive(model, values_of_class, values) for values_of_class in mine
    ]
    assert rule.take(some).broken_classes(class_of[some], n_classes).tolist() == [
        bool(values_of_class) and not naive(model, values_of_class, values) for values_of_class in mine
    ]


@settings(max_examples=examples(400))
@given(seed=st.integers(0, 10**9))
def test_merging_classes_never_breaks_a_rule(seed: int) -> None:
    source = random.Random(seed)
    model = drawn_model(source, 1)
    values = drawn_values(source, source.randint(2, 40), model)
    cut = source.randint(1, len(values) - 1)
    end = source.randint(cut + 1, len(values))
    either = isinstance(model, KLDiversity) and model.l_kind == "distinct" and known(values[:cut]) != []
    if naive(model, values[:cut], values) and (either or naive(model, values[cut:end], values)):
        assert naive(model, values[:end], values)


@settings(max_examples=examples(300))
@given(seed=st.integers(0, 10**9))
def test_the_check_agrees_with_the_definition(seed: int) -> None:
    source = random.Random(seed)
    k, n = source.randint(1, 3), source.randint(1, 40)
    model = drawn_model(source, k)
    values = drawn_values(source, n, model)
    ages, sexes = source.choices("123", k=n), source.choices("mf", k=n)
    columns = CategoricalColumn.of("age", ages), CategoricalColumn.of("sex", sexes)
    table = Table(None, columns, kept=(CategoricalColumn.of("other", ages), CategoricalColumn.of(NAME, values)))
    verdict = verify(table, model)
    by_class: dict[Any, list[str]] = defaultdict(list)
    for age, sex, value in zip(ages, sexes, values, strict=True):
        by_class[age, sex].append(value)
    large = all(len(cohort) >= k for cohort in by_class.values())
    good = {key for key, cohort in by_class.items() if len(cohort) >= k and (not large or naive(model, cohort, values))}
    assert verdict.holds == (len(good) == len(by_class))
    if verdict.witness is not None:
        rows = [row for row, key in enumerate(zip(ages, sexes, strict=True)) if key not in good]
        assert (verdict.witness.record, verdict.witness.support) == (
            rows[0],
            len(by_class[ages[rows[0]], sexes[rows[0]]]),
        )
    if large and isinstance(model, KLDiversity):
        cohorts = [known(cohort) for cohort in by_class.values()]
        assert verdict.checked["fewest_values"] == min((len(set(cohort)) for cohort in cohorts if cohort), default=0)
    elif large:
        cohorts = [cohort for cohort in map(known, by_class.values()) if cohort]
        largest = max((distance_of(model, cohort, known(values)) for cohort in cohorts), default=Fraction())
        assert verdict.checked["largest_distance"] == float(round(largest, 6))


@settings(max_examples=examples(200))
@given(st.lists(st.integers(1, 12), min_size=1, max_size=8), st.integers(1, 6), st.integers(1, 10**6))
def test_an_entropy_is_compared_exactly(counts: list[int], l: int, times: int) -> None:  # noqa: E741
    expected = has_entropy([str(n) for n, count in enumerate(counts) for _ in range(count)], l)
    assert entropy_is_at_least(counts, l) == expected
    assert entropy_is_at_least([count * times for count in counts], l) == expected


def test_an_entropy_of_large_counts_that_is_just_reached_or_missed() -> None:
    alike = [10**7, 10**7]
    assert entropy_is_at_least(alike, 2)
    assert not entropy_is_at_least([10**7 + 1, 10**7 - 1], 2)
    assert entropy_is_at_least([10**7 + 1, 10**7 - 1, 1], 2)


@pytest.mark.parametrize("name", list(FORMATIONS))
def test_every_formation_satisfies_its_rule(name: str) -> None:
    infeasible = 0
    for seed in range(60 if name in ("mondrian", "cluster") else 30):
        source = random.Random(seed)
        k, n = source.randint(1, 4), source.randint(4, 60)
        case, model = random_case(seed, n, source.randint(1, 3)), drawn_model(source, k)
        values = drawn_values(source, n, model)
        table = table_of(case, values)
        more = {"max_suppressed_records": source.choice([0.0, 0.3, 1.0])} if name == "full-domain" else {}
        refine = source.random() < 0.4
        algorithm = FORMATIONS[name](k=k, refine=refine, max_evaluations=2000, **parameters_of(model), **more)
        assert algorithm.model == model
        if not naive(model, values, values):
            infeasible += 1
            with refused(InfeasibleError, f"{n} {NAME}"):
                algorithm.recode(table, case.hierarchies)
            continue
        publication = apply(table, algorithm.recode(table, case.hierarchies).recoding)
        for rows in classes_of(publication):
            assert len(rows) >= k
            assert naive(model, [values[r] for r in rows], values)
        assert verify(publication, model).holds
    assert infeasible


@pytest.mark.long
@pytest.mark.compiled
def test_refined_clusters_never_cost_more_than_before() -> None:
    fewer, cases = 0, examples(60)
    for seed in range(cases):
        case, model, qi, _, k = ruled_case(seed, random.Random(seed).randint(10, 60))
        options = {"k": k, **parameters_of(model)}
        plain = relational_ncp(qi, Cluster(**options).clusters(qi)[0])
        cluster, figures = Cluster(**options, refine=True, max_evaluations=20_000).clusters(qi)
        assert figures["ncp_before"] == plain
        assert relational_ncp(qi, cluster) <= plain, (seed, case)
        fewer += relational_ncp(qi, cluster) < plain - 1e-9
    assert fewer > cases // 3


@pytest.mark.parametrize("name", list(FORMATIONS))
def test_a_rule_that_every_class_satisfies_does_not_change_the_result(name: str) -> None:
    for seed in range(examples(15)):
        case = random_case(seed, 40, 2)
        table = table_of(case, random.Random(seed).choices("abc", k=40))
        plain = FORMATIONS[name](k=3).recode(table, case.hierarchies)
        for more in ({"l": 1}, {"t": 1}):
            ruled = FORMATIONS[name](k=3, sensitive=NAME, **more).recode(table, case.hierarchies)
            assert ruled.recoding.cluster.tolist() == plain.recoding.cluster.tolist()
            texts = [[values.labels for values in each.recoding.relational] for each in (ruled, plain)]
            assert texts[0] == texts[1]


@cache
def ruled_case(seed: int, n: int) -> tuple[RelationalCase, Model, Any, Callable[[list[int]], bool], int]:
    """Return a case, a model that all records together satisfy, the tuples with the rule, and the rule by
    definition.
    """
    source = random.Random(seed)
    k = source.randint(1, 3)
    case = random_case(seed, n, source.randint(1, 3))
    while True:
        model = drawn_model(source, k)
        values = drawn_values(source, n, model)
        if naive(model, values, values):
            break
    qi = replace(case.qi, rule=rule_of(model, table_of(case, values)))
    known = cache(lambda members: naive(model, [values[r] for r in members], values))
    return case, model, qi, lambda members: known(tuple(sorted(members))), k


def test_mondrian_equals_its_twin() -> None:
    for seed in range(examples(120)):
        case, model, qi, keeps, k = ruled_case(seed, random.Random(seed).randint(3, 50))
        result = Mondrian(k=k, **parameters_of(model)).form(qi)
        assert [members.tolist() for members in list_members(result)] == mondrian(case.relation, k, None, keeps)


def test_clusters_are_merged_as_by_the_twin() -> None:
    mended, cases = 0, examples(120)
    for seed in range(cases):
        case, model, qi, keeps, k = ruled_case(seed, random.Random(seed).randint(3, 40))
        if k > qi.n:
            continue
        formed = Cluster(k=k).form(qi)
        actual = merge_broken(qi, formed)
        before = [members.tolist() for members in list_members(formed)]
        expected = merged(case.relation, before, keeps)
        assert [members.tolist() for members in list_members(actual)] == expected, model
        mended += expected != before
    assert mended > cases // 4


@pytest.mark.parametrize("share", [0.0, 0.2, 0.5, 1.0])
def test_full_domain_is_optimal_over_the_complete_lattice(share: float) -> None:
    suppressed = 0
    for seed in range(examples(100)):
        case, model, qi, keeps, k = ruled_case(seed, random.Random(seed).randint(4, 40))
        algorithm = FullDomain(k=k, max_suppressed_records=share, **parameters_of(model))
        clusters = [members.tolist() for members in list_members(algorithm.form(qi))]
        assert clusters == full_domain(case.relation, k, share, keeps), model
        suppressed += bool(algorithm.solve(qi).figures["suppressed"])
    assert bool(suppressed) == bool(share)


@pytest.mark.parametrize("ruled", [False, True])
def test_local_recoding_chooses_the_best_of_all_levels(ruled: bool) -> None:
    """It skips most combinations of levels. The twin counts each, and takes the first of those that cost least."""
    chosen = 0
    for seed in range(examples(60)):
        case, _, with_rule, _, k = ruled_case(seed, random.Random(seed).randint(4, 40))
        qi = with_rule if ruled else case.qi
        levels, weight, rule = Levels.of(qi), np.bincount(qi.tuple_of, minlength=qi.n_tuples), tuple_rule(qi)
        everything = np.arange(qi.n_tuples)
        for price in (0.05, 0.2, 0.5, 1.0, 2.0):
            actual = LocalRecoding(k=k)._round(levels, Classes(weight, rule), everything, price)
            best, counted = round(price * 1e12), Classes(weight, rule)
            expected = None
            for vector in levels.vectors():
                _, small, loss = counted.count(levels.ids, levels.costs, levels.first[:-1] + vector, k)
                if (cost := round((loss + small * price) / qi.n * 1e12)) < best:
                    best, failed = cost, counted.failed.astype(np.bool_)[counted.class_of]
                    expected = np.where(failed, -1, counted.class_of)
            chosen += expected is not None
            assert (actual is None) == (expected is None)
            if actual is not None and expected is not None:
                assert renumbered(actual) == renumbered(expected)
    assert chosen > examples(60)


def renumbered(classes: Any) -> list[int]:
    """Number classes by first tuple. -1 stays."""
    numbers: dict[int, int] = {}
    return [-1 if c < 0 else numbers.setdefault(c, len(numbers)) for c in classes.tolist()]


@pytest.mark.parametrize(
    ("label", "more", "message"),
    [
        ("x", {"t": "0.2", "t_distance": "ordered"}, "drug numbers"),
    ],
)
def test_values_that_a_model_cannot_take(label: str, more: dict[str, Any], message: str) -> None:
    table = Table(
        None, (CategoricalColumn.of("age", "1122"),), kept=(CategoricalColumn.of(NAME, ["1", "2", "3", label]),)
    )
    with refused(InputError, message) as error:
        Mondrian(k=2, sensitive=NAME, **more).recode(table, {})
    assert repr(label) not in str(error.value) or not label
    model = Mondrian(k=2, sensitive=NAME, **more).model
    with refused(InputError, "value"):
        verify(table, model)


@pytest.mark.parametrize("missing", MISSING)
@pytest.mark.parametrize(
    "model", [KLDiversity(2, 2, NAME), KLDiversity(2, 2, NAME, "entropy"), KTCloseness(2, "0.3", NAME)]
)
def test_a_class_with_a_single_known_value_fails(model: Model, missing: str) -> None:
    """Everyone who has a known value in such a class has the same value."""
    ages = CategoricalColumn.of("age", "112233")
    verdict = verify(
        Table(None, (ages,), kept=(CategoricalColumn.of(NAME, ["flu", missing, "flu", "ulcer", missing, missing]),)),
        model,
    )
    assert (verdict.holds, verdict.witness and verdict.witness.record) == (False, 0)
    mixed = CategoricalColumn.of(NAME, ["flu", "ulcer", "flu", "ulcer", missing, missing])
    assert verify(Table(None, (ages,), kept=(mixed,)), model).holds
    alone = CategoricalColumn.of(NAME, [missing] * 6)
    assert verify(Table(None, (ages,), kept=(alone,)), model).holds


def test_missing_values_differ_from_no_value_in_the_search() -> None:
    """With `?` as a value, Mondrian would split by age."""
    ages = CategoricalColumn.of("age", "1122")
    for values, classes in ((["flu", "?", "flu", "ulcer"], 1), (["flu", "none", "flu", "ulcer"], 2)):
        table = Table(None, (ages,), kept=(CategoricalColumn.of(NAME, values),))
        assert Mondrian(k=2, sensitive=NAME, l=2).recode(table, {}).figures["clusters"] == classes


def test_a_coarser_level_fails_if_it_adds_a_known_value_to_classes_without() -> None:
    """The exact places satisfy the model with four suppressed records, places by region do not."""
    places = Hierarchy.from_tree(("ALL", [("A", ["a1", "a2"]), ("B", ["b1", "b2"])]))
    decades = ("ANY", [("1x", [str(age) for age in range(10, 16)]), ("2x", [str(age) for age in range(20, 26)])])
    columns = (
        CategoricalColumn.of("place", ["a1", "a1", *["a2"] * 4, "b1", "b1", *["b2"] * 4]),
        CategoricalColumn.of("age", [*map(str, range(10, 16)), *map(str, range(20, 26))]),
    )
    table = Table(None, columns, kept=(CategoricalColumn.of(NAME, ["x", "x", *"????", "y", "y", *"????"]),))
    algorithm = FullDomain(k=2, l=2, sensitive=NAME, max_suppressed_records=0.34)
    result = algorithm.recode(table, {"place": places, "age": Hierarchy.from_tree(decades)})
    assert result.figures == {"clusters": 3, "ncp": 0.5, "suppressed": 4}


def test_a_missing_sensitive_column_is_rejected() -> None:
    table = Table(None, (CategoricalColumn.of("age", "1122"),))
    with refused(InputError, "drug"):
        Mondrian(k=2, sensitive=NAME, l=2).recode(table, {})
    with refused(InputError, "drug"):
        verify(table, KLDiversity(2, 2, NAME))


@pytest.mark.long
@pytest.mark.compiled
@pytest.mark.parametrize("name", ["mondrian", "cluster", "k-member", "xu-top-down"])
def test_parts_satisfy_the_rule_of_the_complete_table(name: str) -> None:
    """The drug depends on the age, so parts by age violate the rule and are merged with their neighbours."""
    joined = 0
    for seed in range(8):
        source = random.Random(seed)
        ages = sorted(source.choices([f"{age:02}" for age in range(40)], k=300))
        drugs = ["a" if row < 120 else source.choice("bcd") for row in range(300)]
        kept = CategoricalColumn.of("other", "x" * 300), CategoricalColumn.of(NAME, drugs)
        tree = Hierarchy.from_tree(("ALL", [(f"{ten}x", [f"{ten}{digit}" for digit in range(10)]) for ten in range(4)]))
        table = Table(None, (CategoricalColumn.of("age", ages),), kept=kept)
        algorithm = FORMATIONS[name](k=3, l=2, sensitive=NAME)
        result = split_and_solve(algorithm, 40, table, {"age": tree})
        publication = apply(table, result.recoding)
        assert verify(publication, algorithm.model).holds
        assert result.figures["parts"] > 1
        joined += result.figures["largest_part"] > 100
    assert joined


CLOSE: tuple[dict[str, Any], ...] = (
    {"t": "0.25"},
    {"t": "0.15", "t_distance": "ordered"},
    {"t": "0.3", "t_distance": "hierarchical", "t_tree": "1;low;all\n2;low;all\n3;high;all\n9;high;all\n"},
)


@pytest.mark.compiled
@pytest.mark.parametrize("asked", CLOSE, ids=["equal", "ordered", "hierarchical"])
@pytest.mark.parametrize("name", ["mondrian", "cluster", "k-member", "xu-top-down", "xu-bottom-up"])
def test_parts_are_compared_with_the_shares_of_all_records(name: str, asked: dict[str, Any]) -> None:
    """The value depends on the age, and some parts lack values of other parts, so each part's shares would be wrong."""
    joined, wrong_by_parts = 0, 0
    for seed in range(4):
        source = random.Random(seed)
        ages = sorted(source.choices([f"{age:02}" for age in range(40)], k=240))
        values = [source.choice("1123" if row < 150 else "239") for row in range(240)]
        table = Table(None, (CategoricalColumn.of("age", ages),), kept=(CategoricalColumn.of(NAME, values),))
        tree = Hierarchy.from_tree(("ALL", [(f"{ten}x", [f"{ten}{digit}" for digit in range(10)]) for ten in range(4)]))
        algorithm = FORMATIONS[name](k=3, sensitive=NAME, **asked)
        assert isinstance(algorithm.model, KTCloseness)
        result = split_and_solve(algorithm, 30, table, {"age": tree})
        publication = apply(table, result.recoding)
        assert verify(publication, algorithm.model).holds
        cluster = result.recoding.cluster  # type: ignore[union-attr]
        for number in range(int(cluster.max()) + 1):
            cluster_values = [values[row] for row in np.flatnonzero(cluster == number).tolist()]
            assert naive(algorithm.model, cluster_values, values)
        joined += result.figures["parts"] > 1 and result.figures["largest_part"] > 60
        for part in (range(30), range(210, 240)):  # valid by the part's shares, invalid by the shares of all records
            part_values = [values[row] for row in part]
            wrong_by_parts += naive(algorithm.model, part_values, part_values) and not naive(
                algorithm.model, part_values, values
            )
    assert joined
    assert wrong_by_parts


def test_a_column_of_a_part_has_the_counts_of_all_records() -> None:
    column = CategoricalColumn.of(NAME, "aabbbc")
    part = replace(column, counts=column.overall).take(np.array([0, 5]))
    assert (part.occurrences.tolist(), part.overall.tolist()) == ([1, 0, 1], [2, 3, 1])
    assert part.slice(0, 1).overall.tolist() == [2, 3, 1]
    assert column.take(np.array([0])).overall.tolist() == [1, 0, 0]


@pytest.mark.parametrize("name", list(FORMATIONS))
def test_recodings_below_a_ceiling_satisfy_the_rule_or_are_infeasible(name: str) -> None:
    tree = cap_hierarchy(Hierarchy.from_tree(("ALL", [("A", ["a1", "a2"]), ("B", ["b1", "b2"])])), 1)
    places = CategoricalColumn.of("place", ["a1", "a1", "a2", "a2", "b1", "b1", "b2", "b2"])
    rich, poor = (CategoricalColumn.of(NAME, drugs) for drugs in ("xxxyxxxy", "xxyyxxxx"))
    algorithm = FORMATIONS[name](k=2, l=2, sensitive=NAME)
    table = Table(None, (places,), kept=(rich,))
    publication = apply(table, algorithm.recode(table, {"place": tree}).recoding)
    assert verify(publication, algorithm.model).holds
    assert set(publication.relational[0].labels()) <= {"A", "B"}
    table = Table(None, (places,), kept=(poor,))
    try:
        published = apply(table, algorithm.recode(table, {"place": tree}).recoding).relational[0].labels()
    except InfeasibleError as error:
        assert "ceilings" in str(error)  # noqa: PT017
    else:  # a cut with a root above the ceiling, which the job rejects
        assert "ALL" in published


def test_the_distances_in_a_tree_of_one_level_and_of_equal_shares() -> None:
    """In a one-level tree the distance equals the equal distance. Siblings are closer than other values."""
    everybody, flat = list("aabbccdd"), "".join(f"{value};R\n" for value in "abcd")
    pairs = "a;X;R\nb;X;R\nc;Y;R\nd;Y;R\n"
    paths = {tree: KTCloseness(1, 1, NAME, "hierarchical", tree).paths for tree in (flat, pairs)}
    assert hierarchical_distance(list("aabb"), everybody, paths[flat]) == equal_distance(list("aabb"), everybody)
    assert hierarchical_distance(list("aabb"), everybody, paths[pairs]) == Fraction(1, 2)
    assert hierarchical_distance(list("aacc"), everybody, paths[pairs]) == Fraction(1, 4)


@pytest.mark.parametrize(
    ("tree", "message"),
    [
        ("", "t_tree"),
        ("a;X;R\nb;X;S\n", "node"),
        ("a;R\nb;S\n", "root"),
        ("a;R\nb;a;R\n", "value"),
        ("a;;R\n", "once"),
        ("a;X;a\n", "once"),
    ],
)
def test_a_file_that_is_not_a_tree_is_rejected(tree: str, message: str) -> None:
    with refused(InputError, message):
        KTCloseness(2, "0.2", NAME, "hierarchical", tree or None)


def test_a_sensitive_value_outside_the_tree_is_rejected() -> None:
    table = Table(None, (CategoricalColumn.of("age", "1122"),), kept=(CategoricalColumn.of(NAME, "abca"),))
    algorithm = Mondrian(k=2, sensitive=NAME, t="0.5", t_distance="hierarchical", t_tree="a;R\nb;R\n")
    with refused(InputError, "t_tree"):
        algorithm.recode(table, {})
    with refused(InputError, "t_tree"):
        verify(table, algorithm.model)
