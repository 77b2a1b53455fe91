"""set-search moves items as the naive implementation does, publishes safe partitions, and is close to the optimum."""

import random
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.facts import refused

import anonset
from anonset.algorithms.transaction.item_sets import partition_search, sets_on_clusters
from anonset.algorithms.transaction.item_sets.partition_search import PartitionSearch
from anonset.data import SetColumn, Table
from anonset.data.blocks import Blocks
from anonset.data.hierarchies.halves import halves
from anonset.data.storage.store import MEMORY
from anonset.errors import InfeasibleError, InputError
from anonset.generalization import Cut, ItemGroups, apply
from anonset.generalization.local import MergedItems
from anonset.measures.losses.ncp import ncp_numerator
from anonset.publications import Records
from anonset_kernels._jit import kernel
from anonset_kernels.item_sets._partitions import CANDIDATES, LISTED, PartitionRule
from anonset_kernels.item_sets._sweeps import _list_cheapest, merge_violated
from effort import examples
from reference.km import naive_km
from reference.set_search import Group, Groups, Twin, canonical

thorough = settings(max_examples=examples(40), suppress_health_check=[HealthCheck.too_slow])
seeds = st.integers(0, 10**9)


class Drawn:
    """A small table, parameters, and the naive implementation."""

    def __init__(self, seed: int, *, largest_m: int = 4) -> None:
        rng = random.Random(seed)
        self.k, self.mu = rng.choice((2, 2, 3, 4, 5, 10)), rng.choice((0, 1, 4))
        self.m = rng.choice([m for m in (1, 2, 2, 2, 3, 4) if m <= largest_m])
        self.n_items = rng.randint(2, 7)
        falling = [1 / (item + 1) ** rng.choice((0, 0.7)) for item in range(self.n_items)]
        self.rows = [
            set(rng.choices(range(self.n_items), falling, k=rng.randint(0, 4))) for _ in range(rng.randint(4, 24))
        ]
        self.rows += [set(range(rng.randint(1, self.n_items)))] * self.k
        universe = [str(item) for item in range(self.n_items + 1)]  # the last item never occurs
        self.column = SetColumn.of(([str(item) for item in row] for row in self.rows), universe=universe)
        self.twin = Twin(self.rows, self.n_items + 1, self.k, self.m, self.mu)
        self.rng = rng

    def partition(self, *, safe: bool) -> Groups:
        """Draw a partition of the occurring items. If no safe partition is drawn, return a single group."""
        for _ in range(20):
            numbers = [self.rng.randrange(self.n_items) for _ in self.twin.order]
            drawn = canonical(
                [
                    frozenset(x for x, n in zip(self.twin.order, numbers, strict=True) if n == number)
                    for number in range(self.n_items)
                ]
            )
            if not safe or self.twin.is_safe(drawn):
                return drawn
        return [frozenset(self.twin.order)]

    def search(self, groups: Groups) -> PartitionSearch:
        """Return a kernel search that starts from a partition."""
        start = np.full(self.n_items + 1, -1, np.int32)
        for number, group in enumerate(groups):
            start[list(group)] = number
        return PartitionSearch(self.column, PartitionRule(self.k, self.m, self.mu, 0), start, max_steps=10)


def groups_of(of: Sequence[int]) -> Groups:
    """Return the groups of items from each item's group number. -1 means that the item is in no group."""
    return canonical([frozenset(x for x, g in enumerate(of) if g == number) for number in set(of) - {-1}])


def published(table: Table, recoding: ItemGroups) -> Records:
    result = apply(table, recoding)
    assert result.transactions is not None
    return result


def rows_of(publication: Records) -> list[set[int]]:
    column = publication.transactions
    assert column is not None
    return [set(column.items[a:b].tolist()) for a, b in zip(column.indptr, column.indptr[1:], strict=False)]


@thorough
@given(seeds)
def test_each_move_is_that_of_the_twin(seed: int) -> None:
    case = Drawn(seed)
    start = case.partition(safe=True)
    search = case.search(start)
    search.run()
    assert groups_of(search.best.tolist()) == case.twin.search(start)
    assert search.sweeps == case.twin.sweeps
    assert search.cost == case.twin.least <= case.twin.whole_cost(start)
    assert not search.out_of_steps


@thorough
@given(seeds)
def test_each_merge_is_that_of_the_twin(seed: int) -> None:
    case = Drawn(seed, largest_m=2)
    groups = case.partition(safe=False)
    search = case.search(groups)
    assert search.groups.state[0] == case.twin.violation(groups)
    merges = 0
    while search.groups.state[0]:
        merge_violated(search.records, search.groups, search.scratch, search.rule)
        merges += 1
        assert search.groups.state[0] == case.twin.violation(groups_of(search.groups.of.tolist()))
    assert merges == case.twin.repair(groups)
    assert groups_of(search.groups.of.tolist()) == canonical(groups)


@kernel()
def list_cheapest(groups: Any, cheapest: Any, support: int, level: int, limit: int, mu: int) -> None:
    _list_cheapest(groups, cheapest, support, level, limit, mu)


@pytest.mark.long
@settings(max_examples=examples(20), deadline=None)
@given(seeds)
def test_lists_of_the_cheapest_groups_are_complete_while_items_move(seed: int) -> None:
    rng = random.Random(seed)
    n_items, mu = rng.choice((3, 60, 300)), rng.choice((0, 1, 4))
    support = np.array([rng.choice((1, 1, 2, 3, rng.randint(1, 50))) for _ in range(n_items)], np.int64)
    column = SetColumn.of([str(item)] for item in range(n_items) for _ in range(support[item]))
    search = PartitionSearch(column, PartitionRule(2, 2, mu, 0), np.arange(n_items, dtype=np.int32), max_steps=1)
    groups, cheapest = search.groups, search.scratch.cheapest
    for _ in range(100):
        item, limit = rng.randrange(n_items), rng.randint(1, 2000)
        size, level = int(search.records.support[item]), int(search.records.level[item])
        list_cheapest(groups, cheapest, size, level, limit, mu)
        added = sorted((joined(groups, h, size, level, mu), h) for h in np.flatnonzero(groups.size).tolist())
        expected = [pair for pair in added if pair[0] < limit][: CANDIDATES + 1]
        listed = [*zip(cheapest.added.tolist(), cheapest.group.tolist(), strict=True)][: cheapest.state[LISTED]]
        assert [pair for pair in listed if pair[0] < limit] == expected
        if rng.random() < 0.3 and groups.violation.any() and np.count_nonzero(groups.size) > 1:
            merge_violated(search.records, groups, search.scratch, search.rule)


def joined(groups: Any, h: int, support: int, level: int, mu: int) -> int:
    """Return the cost that an item adds to a group."""
    size, occurrences = groups.size[h] + 1, groups.occurrences[h] + support
    levels, squares = groups.levels[h] + level, groups.squares[h] + level**2
    return int(occurrences * size + mu * occurrences * (size * squares - levels**2) // (4 * size) - groups.cost[h])


def test_without_an_estimated_gain_the_rarest_group_joins_the_cheapest() -> None:
    """Four items, each in a single record. For k = 4, merging two of them does not reduce the violation."""
    case = Drawn(0)
    case.column, case.n_items, case.k, case.m = SetColumn.of("abcd", universe="abcde"), 4, 4, 2
    search = case.search([frozenset({item}) for item in range(4)])
    steps = []
    while search.groups.state[0]:
        merge_violated(search.records, search.groups, search.scratch, search.rule)
        steps.append(groups_of(search.groups.of.tolist()))
    assert steps == [[{0, 1}, {2}, {3}], [{0, 1, 2}, {3}], [{0, 1, 2, 3}]]
    twin = Twin([{item} for item in range(4)], 4, 4, 2, case.mu)
    twin.repair([frozenset({item}) for item in range(4)])
    assert twin.forced == 1


@thorough
@given(seeds)
def test_the_publication_is_safe_and_has_at_most_the_loss_of_the_cut(seed: int) -> None:
    case = Drawn(seed)
    table = Table(case.column)
    result = anonset.SetSearch(k=case.k, m=case.m, mu=0).recode(table, {})
    assert isinstance(result.recoding, ItemGroups)
    rows = rows_of(published(table, result.recoding))
    assert naive_km(rows, case.k, case.m) is None
    assert np.count_nonzero(result.recoding.group == result.recoding.group[-1]) == 1, "what never occurs stands alone"
    assert result.recoding.group.tolist() == [
        sorted({min(member) for member in result.recoding.members}).index(
            next(min(member) for member in result.recoding.members if item in member)
        )
        for item in range(case.n_items + 1)
    ]
    support = case.column.occurrences
    sizes = np.bincount(result.recoding.group, minlength=len(support))[result.recoding.group]
    ncp = (support * sizes)[sizes > 1].sum() / (len(support) * support.sum())
    assert ncp <= result.figures["ncp_of_halves"] + 1e-12


def partitions(items: Sequence[int]) -> Iterator[list[Group]]:
    if not items:
        yield []
        return
    first, *others = items
    for rest in partitions(others):
        yield [frozenset({first}), *rest]
        for i, group in enumerate(rest):
            yield [*rest[:i], group | {first}, *rest[i + 1 :]]


@pytest.mark.long
@pytest.mark.compiled
@pytest.mark.parametrize(("m", "mean", "most"), [(2, 1.05, 1.75), (3, 1.3, 2.0)])
def test_close_to_the_best_of_all_partitions(m: int, mean: float, most: float) -> None:
    """Small random tables; ALGORITHMS states 1.03 on average and at most 1.56, for 10 items and m=2."""
    ratios = []
    for seed in range(40):
        rng = random.Random(seed)
        rows = [set(rng.choices(range(7), [1 / (x + 1) for x in range(7)], k=rng.randint(1, 4))) for _ in range(40)]
        column = SetColumn.of([{str(x) for x in row} for row in rows])
        twin = Twin(rows, 7, 3, m, 0)
        best = min(map(twin.whole_cost, filter(twin.is_safe, partitions(twin.order))))
        recoding = anonset.SetSearch(k=3, m=m, mu=0).recode(Table(column), {}).recoding
        assert isinstance(recoding, ItemGroups)
        result = groups_of([recoding.group[list(column.vocabulary.labels).index(str(x))] for x in twin.order])
        cost = twin.whole_cost([frozenset(twin.order[x] for x in group) for group in result])
        ratios.append((cost + 1) / (best + 1))
    assert min(ratios) >= 1
    assert np.mean(ratios) <= mean, np.mean(ratios)
    assert max(ratios) <= most, max(ratios)


def test_for_m_above_two_a_single_group_can_be_the_better_start() -> None:
    """Because of two records with many items, no item can leave a tree's cut."""
    rng = random.Random(19)
    rows = [set(rng.choices(range(8), [1 / (x + 1) for x in range(8)], k=2)) for _ in range(60)] + [
        set(range(2, 8))
    ] * 2
    twin = Twin(rows, 8, 3, 3, 0)
    cut = [frozenset(range(4)), frozenset(range(4, 8))]
    twin.best, twin.least = cut, twin.whole_cost(cut)
    twin.descend_by_weights(cut, [0], reversed(twin.order))
    column = SetColumn.of([[str(item) for item in row] for row in rows], universe=list("01234567"))
    search = PartitionSearch(
        column, PartitionRule(3, 3, 0, 0), np.repeat(np.arange(2, dtype=np.int32), 4), max_steps=10
    )
    search.run()
    assert search.cost < twin.least < twin.whole_cost(cut)
    assert groups_of(search.best.tolist()) == Twin(rows, 8, 3, 3, 0).search(cut)


def test_the_number_of_groups_can_grow() -> None:
    """Many items that need no group start in a single group."""
    rows = [{x, (x + 1) % 60} for x in range(60)] * 3
    column = SetColumn.of([[f"{x:02}" for x in row] for row in rows])
    search = PartitionSearch(column, PartitionRule(3, 2, 4, 0), np.zeros(60, np.int32), max_steps=10)
    search.run()
    assert sorted(search.best.tolist()) == list(range(60))
    assert search.item_groups.tolist() == list(range(60))


@pytest.mark.parametrize("m", [1, 2, 3])
def test_a_search_out_of_steps_reports_it_and_is_safe(m: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(partition_search, "CELLS_OF_A_STEP", 1)
    monkeypatch.setattr(partition_search, "_CELLS_PER_CALL", 10)
    rng = random.Random(1)
    table = Table.from_sets([rng.choices("abcdefghijkl", range(12, 0, -1), k=4) for _ in range(60)])
    spent = []
    for max_steps in (1, 300, 10**9):
        result = anonset.SetSearch(k=4, m=m, max_steps=max_steps).recode(table, {})
        assert isinstance(result.recoding, ItemGroups)
        assert naive_km(rows_of(published(table, result.recoding)), 4, m) is None
        assert any("max_steps" in note for note in result.notes) == (max_steps < 10**9)
        spent.append(result.figures["sweeps"])
    assert spent[0] == 0 < spent[-1]


@pytest.mark.parametrize(("mu", "message"), [(-1, "0 100 -1"), (101, "0 100 101")])
def test_a_weight_out_of_range_is_refused(mu: int, message: str) -> None:
    with refused(InputError, message):
        anonset.SetSearch(k=2, m=2, mu=mu)


def test_too_few_records_are_infeasible() -> None:
    with refused(InfeasibleError, "2 k 3"):
        anonset.SetSearch(k=3, m=2).recode(Table.from_sets(["ab", "b", ""]), {})


def test_the_items_of_a_hierarchy_are_the_universe() -> None:
    tree = anonset.Hierarchy.from_tree(("ALL", ["z", ("B", ["a", "never"])]))
    recoding = anonset.SetSearch(k=2, m=2).recode(Table.from_sets(["az", "az", "a"]), {"items": tree}).recoding
    assert isinstance(recoding, ItemGroups)
    assert recoding.labels == [("z",), ("a",), ("never",)]


def from_cuts(rows: SetColumn, rule: PartitionRule) -> PartitionSearch:
    """Return the search from the better apriori cut on halved trees of the occurring items."""
    tree = halves(rows.vocabulary.labels, rows.occurrences)
    assert tree.rival is not None or tree.n_leaves == 1
    cuts = []
    for half_tree in [tree] if tree.rival is None else [tree, tree.rival]:
        cut = anonset.Apriori(k=rule.k, m=rule.m).recode(Table(half_tree.bind(rows)), {rows.name: half_tree}).recoding
        assert isinstance(cut, Cut)
        start = cut.image[half_tree.codes_of(rows.vocabulary, rows.name)]
        cuts.append((ncp_numerator(Blocks.of(half_tree.bind(rows), MEMORY), cut), start))
    return PartitionSearch(rows, rule, min(cuts, key=lambda pair: pair[0])[1], max_steps=10)


@thorough
@given(seeds)
def test_clusters_are_searched_as_one_table_from_apriori_cuts(seed: int) -> None:
    case = Drawn(seed, largest_m=4)
    rows, n = case.column, case.column.n
    cluster = np.array([case.rng.randrange(3) for _ in range(n)])
    members = [np.flatnonzero(cluster == c) for c in range(3)]
    members = [member for member in members if rows.take(member).n_nonempty not in range(1, case.k)]
    search = anonset.SetSearch(k=case.k, m=case.m, mu=case.mu).on_clusters(rows)
    for records, mapping in zip(members, search(members), strict=True):
        assert isinstance(mapping, MergedItems)
        cluster_column = SetColumn.of(rows.take(records).rows())
        expected = list(range(len(rows.vocabulary)))
        if cluster_column.n_nonempty:
            alone = from_cuts(cluster_column, PartitionRule(case.k, case.m, case.mu, 0))
            alone.run()
            for group in groups_of(alone.best.tolist()):
                for x in group:
                    expected[int(cluster_column.vocabulary.labels[x])] = int(
                        cluster_column.vocabulary.labels[min(group)]
                    )
        assert mapping.image(len(expected)).tolist() == expected


def test_a_cluster_with_too_many_pairs_is_searched_separately(monkeypatch: pytest.MonkeyPatch) -> None:
    case = Drawn(3, largest_m=2)
    everyone = [np.arange(case.column.n)]
    complete = anonset.SetSearch(k=case.k, m=2).on_clusters(case.column)(everyone)
    monkeypatch.setattr(sets_on_clusters, "_CELLS", 0)
    alone = anonset.SetSearch(k=case.k, m=2).on_clusters(case.column)(everyone)
    for mapping in (*complete, *alone):
        assert isinstance(mapping, MergedItems)
        image = mapping.image(len(case.column.vocabulary))
        assert naive_km([{int(image[x]) for x in row} for row in case.rows], case.k, 2) is None
