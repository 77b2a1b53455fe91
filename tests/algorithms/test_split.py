"""Split and solve: cuts compared with a naive implementation, and the union of parts with the definition."""

import itertools
import random
from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.facts import refused

import anonset
from anonset.algorithms.record_order import recode_in_order
from anonset.algorithms.relational.mondrian import Mondrian
from anonset.algorithms.rt.rfirst import RFirst
from anonset.algorithms.split.axes import BINS
from anonset.algorithms.split.median_cuts import cut_into_parts
from anonset.algorithms.split.solving import split_and_solve
from anonset.algorithms.transaction.cuts.apriori import Apriori
from anonset.data import CategoricalColumn, Hierarchy, NumericColumn, SetColumn, Table, spans
from anonset.data.domains import with_range
from anonset.data.quasi_identifiers import QuasiIdentifiers
from anonset.data.storage.store import Files
from anonset.errors import InfeasibleError, InputError
from anonset.generalization import apply
from anonset.measures.losses.relational_ncp import relational_ncp
from effort import examples

TREE = Hierarchy.from_tree(("ALL", [("P", ["p1", "p2", "p3"]), ("Q", ["q1", ("R", ["r1", "r2"])]), "s"]))


def columns_of(source: random.Random, n: int) -> tuple[Any, ...]:
    place = [source.choice(TREE.leaves.labels[: source.randint(1, 7)]) for _ in range(n)]
    return (
        with_range(NumericColumn("age", np.array([source.randint(0, 9) for _ in range(n)]))),
        CategoricalColumn.of("sex", [source.choice("aabbbc") for _ in range(n)]),
        CategoricalColumn.of("place", place),
    )


def twin(columns: tuple[Any, ...], k: int, most: int) -> list[list[int]]:
    """Cut lists of records individually, by their values."""
    age, sex, place = columns[0].values.tolist(), columns[1].labels(), columns[2].labels()
    least = max(2 * k, most // 8)
    often = [label for label, _ in sorted(Counter(sex).items(), key=lambda pair: (-pair[1], pair[0]))]
    leaves = list(TREE.leaves.labels)
    distinct = sorted(set(age))

    def keys(a: int, rows: list[int]) -> list[int]:
        return [(age[r], often.index(sex[r]), leaves.index(place[r]))[a] for r in rows]

    def width(a: int, rows: list[int]) -> float:
        values = keys(a, rows)
        if len(set(values)) == 1:
            return 0.0
        if a == 0:  # the upper end of a bin is the lower end of the next
            after = [x for x in distinct if x > max(values)]
            return ((after[0] if after else distinct[-1]) - min(values)) / (distinct[-1] - distinct[0])
        if a == 1:
            return len(set(values)) / len(often)
        node = TREE.lowest_common_ancestor([min(values), max(values)])
        return int(TREE.n_leaves_below[node]) / TREE.n_leaves

    def places(a: int, rows: list[int]) -> list[int]:
        values = sorted(set(keys(a, rows)))
        if a < 2:
            return values[1:]
        node = TREE.lowest_common_ancestor([values[0], values[-1]])
        begins = [int(TREE.leaf_lo[child]) for child in TREE.children(node)]
        return [i for i in begins if values[0] < i <= values[-1]]

    def parts(rows: list[int]) -> list[list[int]]:
        if len(rows) > most:
            for a in sorted(range(3), key=lambda a: -width(a, rows)):
                values, best = keys(a, rows), None
                for i in places(a, rows):
                    remaining = sum(value < i for value in values)
                    far = abs(2 * remaining - len(rows))
                    if min(remaining, len(rows) - remaining) >= least and (best is None or far < best[0]):
                        best = far, i
                if best is not None:
                    sides = [
                        [r for r, v in zip(rows, values, strict=True) if (v < best[1]) is low] for low in (True, False)
                    ]
                    return parts(sides[0]) + parts(sides[1])
        pieces = -(-len(rows) // most)
        ends = [len(rows) * index // pieces for index in range(pieces + 1)]
        return [rows[a:b] for a, b in itertools.pairwise(ends)]

    return parts(list(range(len(age))))


@settings(max_examples=examples(150))
@given(seed=st.integers(0, 10**9), n=st.integers(1, 120), k=st.integers(1, 3), most=st.integers(2, 40))
def test_the_cuts_equal_those_of_the_twin(seed: int, n: int, k: int, most: int) -> None:
    source = random.Random(seed)
    columns = columns_of(source, n)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(spans, "AT_ONCE", source.choice([7, 1000]))
        cuts = cut_into_parts(columns, {"place": TREE}, k, most)
    ends = cuts.first.tolist()
    result = [cuts.record[a:b].tolist() for a, b in itertools.pairwise(ends)]
    assert result == twin(columns, k, most)


def test_many_values_share_bins(tmp_path) -> None:
    values = np.random.default_rng(3).normal(size=20 * BINS)
    columns = [with_range(NumericColumn("x", values))]
    with Files.temporary(tmp_path) as work:
        cuts = cut_into_parts(columns, {}, 2, 1000, store=work)
        sizes = np.diff(cuts.first)
        bounds = [values[cuts.record[a:b]] for a, b in zip(cuts.first[:-1], cuts.first[1:], strict=True)]
    assert sizes.max() <= 1000
    assert sizes.min() > 400
    assert all(first.max() < other.min() for first, other in itertools.pairwise(bounds))


def rt_table(seed: int, n: int = 60) -> Table:
    source = random.Random(seed)
    baskets = [set(source.sample("uvwxyz", source.choice([0, 2, 2, 3, 4]))) for _ in range(n)]
    return Table(SetColumn.of(baskets, name="codes"), columns_of(source, n))


TREES = {"place": TREE}


@pytest.mark.parametrize("formation", ["mondrian", "cluster", "k-member"])
@pytest.mark.parametrize("transaction", ["apriori", "coat", "lra"])
def test_the_union_of_parts_is_anonymous_and_its_loss_uses_the_full_domain(formation: str, transaction: str) -> None:
    table = rt_table(1)
    trees = {**TREES, "codes": Hierarchy.balanced(table.transactions.vocabulary.labels, 2)}
    kinds = {"apriori": Apriori, "coat": anonset.Coat, "lra": anonset.Lra}
    algorithm = RFirst(k=2, m=2, formation=formation, transaction=kinds[transaction], on_infeasible="merge")
    if transaction == "coat":
        del trees["codes"]
    result = split_and_solve(algorithm, 20, table, trees)
    recoding = result.recoding
    assert recoding.parts is not None
    assert result.figures["parts"] == len(recoding.parts) > 1
    published = apply(table, recoding)
    assert anonset.verify(published, algorithm.model).holds
    part_publications = [apply(*_piece(table, records, piece)) for records, piece in recoding.pieces()]
    assert published.n == sum(part.n for part in part_publications)
    for column in range(3):  # each record is published as in its part
        labels = published.relational[column].labels()
        alone = [part.relational[column].labels() for part in part_publications]
        records = [records for records, _ in recoding.pieces()]
        assert [[labels[r] for r in rows] for rows in records] == alone
    if transaction != "lra":
        assert result.figures["rum"] == pytest.approx(
            relational_ncp(QuasiIdentifiers.of(table.relational, trees), recoding.cluster)
        )


def _piece(table: Table, records: Any, recoding: Any) -> tuple[Table, Any]:
    return Table(table.transactions.take(records), tuple(c.take(records) for c in table.relational)), recoding


def test_small_data_are_not_split() -> None:
    table = Table(relational=rt_table(2).relational)
    alone = recode_in_order(Mondrian(k=3), table, TREES)
    result = split_and_solve(Mondrian(k=3), 60, table, TREES)
    assert result.recoding.parts is None
    assert np.array_equal(result.recoding.cluster, alone.recoding.cluster)


def test_an_infeasible_part_joins_its_neighbour() -> None:
    sexes = ["a"] * 10 + ["b"] * 10 + ["c"] * 10
    baskets = [{"x"}] * 10 + [{"x"}] + [set[str]()] * 9 + [{"x"}] * 10  # one record with items among the second ten
    table = Table(SetColumn.of(baskets), (CategoricalColumn.of("sex", sexes),))
    algorithm = RFirst(k=2, m=1, formation="mondrian", transaction=anonset.Coat, on_infeasible="merge")
    result = split_and_solve(algorithm, 10, table, {})
    assert (result.figures["parts"], result.figures["largest_part"]) == (2, 20)
    assert anonset.verify(apply(table, result.recoding), algorithm.model).holds


def test_data_are_infeasible_if_no_neighbour_helps() -> None:
    table = Table(SetColumn.of([{"x"}] + [set[str]()] * 39), (CategoricalColumn.of("sex", "ab" * 20),))
    algorithm = RFirst(k=2, m=1, formation="mondrian", transaction=anonset.Coat, on_infeasible="merge")
    with refused(InfeasibleError, "40 1 k 2"):
        split_and_solve(algorithm, 10, table, {})


def test_a_tuple_of_two_parts_is_one_class() -> None:
    """Equal records are split by their order. The two parts publish their tuple with different item mappings."""
    baskets = [{"a1", "b1"}, {"a1", "b1"}, {"a2", "b1"}, {"a1", "b1"}, *[{"a1", "b2"}, {"a2", "b2"}] * 2]
    table = Table(SetColumn.of(baskets), (CategoricalColumn.of("sex", "f" * 8),))
    trees = {"items": Hierarchy.from_tree(("ALL", [("A", ["a1", "a2"]), ("B", ["b1", "b2"])]))}
    algorithm = RFirst(k=2, m=2, formation="mondrian", transaction=Apriori)
    result = split_and_solve(algorithm, 4, table, trees)
    assert result.figures["parts"] == 2
    verdict = anonset.verify(apply(table, result.recoding), algorithm.model)
    assert verdict.holds
    assert verdict.checked["classes"] == 1
    assert len({cut.image.tobytes() for cut in result.recoding.items}) == 2


def test_an_invalid_number_is_reported_with_its_record_in_the_table() -> None:
    table = Table(relational=(NumericColumn("age", np.array([1.0] * 30 + [np.inf])),))
    with refused(InputError, "'record 30'"):
        split_and_solve(Mondrian(k=2), 10, table, {})
