"""The minimality attack, compared with all tables that have the same publication."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from itertools import combinations, combinations_with_replacement
from math import factorial, prod

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from tests.facts import names

import anonset
from anonset.algorithms.rt.joint_split import JointSplit
from anonset.algorithms.transaction.cuts.apriori import Apriori
from anonset.algorithms.transaction.exact_cut.exact import Exact
from anonset.attacks.base import AttackInput
from anonset.attacks.minimality import chances, minimality
from anonset.data import Hierarchy, Table
from anonset.data.table_facts import OwnerStatements
from anonset.generalization import Cut, apply
from anonset.publications import Records

FLAT = Hierarchy.from_tree(("ALL", [("A", ["a", "b"]), ("C", ["c", "d"])]))
DEEP = Hierarchy.from_tree(("ALL", [("A", [("W", ["a", "b"]), "c"]), "d"]))
WIDE = Hierarchy.from_tree(("ALL", [("A", ["a", "b", "c"]), "d"]))
ITEMS = "abcd"
Record = frozenset[str]
SETS = [frozenset(items) for size in range(5) for items in combinations(ITEMS, size)]


@dataclass(frozen=True)
class World:
    """A table, the number of row orders, and the publication."""

    records: tuple[Record, ...]
    orders: int
    rows: tuple[tuple[str, ...], ...]


def cuts(tree: Hierarchy) -> Iterator[dict[str, str]]:
    """Yield the label of each item under each cut."""
    inner = [v for v in range(tree.n_nodes) if not tree.is_leaf[v]]
    for size in range(len(inner) + 1):
        for raised in combinations(inner, size):
            image = tree.leaf_node.copy()
            for node in reversed(raised):
                image[tree.leaf_lo[node] : tree.leaf_hi[node]] = node
            if set(raised) == set(image.tolist()) & set(inner):
                yield dict(zip(tree.leaves.labels, (tree.labels[v] for v in image), strict=True))


@cache
def published(tree: Hierarchy, n: int, k: int, m: int) -> dict[object, list[World]]:
    """Return all tables of n records by the cut of least loss and the published rows.

    The key (None, cut, rows) collects the tables for which the cut is safe, even if the loss is not minimal.
    """
    worlds: dict[object, list[World]] = defaultdict(list)
    images = list(cuts(tree))
    sizes = [Counter(image.values()) for image in images]
    for records in combinations_with_replacement(SETS, n):
        orders = factorial(n) // prod(factorial(times) for times in Counter(records).values())
        safe = []
        for i, image in enumerate(images):
            rows = [tuple(sorted({image[x] for x in record})) for record in records]
            met = Counter(known for row in rows for size in range(1, m + 1) for known in combinations(row, size))
            if all(support >= k for support in met.values()):
                loss = sum(sizes[i][image[x]] for record in records for x in record if sizes[i][image[x]] > 1)
                safe.append((loss, i, World(records, orders, tuple(rows))))
        for _, i, world in safe:
            worlds[None, i, tuple(sorted(world.rows))].append(world)
        if safe:
            _, i, world = min(safe, key=lambda found: found[:2])
            worlds[i, tuple(sorted(world.rows))].append(world)
    return worlds


def publication_of(world: World, tree: Hierarchy, image: dict[str, str]) -> Records:
    table = Table.from_sets(world.records, universe=tree.leaves.labels)
    assert table.transactions is not None
    nodes = np.array([tree.node_of[image[label]] for label in tree.leaves.labels], np.int32)
    return apply(table.with_transactions(tree.bind(table.transactions)), Cut(tree, nodes))


@pytest.mark.compiled
@pytest.mark.parametrize(("tree", "m"), [(FLAT, 1), (FLAT, 2), (DEEP, 2), (WIDE, 2)])
def test_inferences_are_true_of_all_tables(tree: Hierarchy, m: int) -> None:
    images, told_of_some = list(cuts(tree)), 0
    for key, worlds in published(tree, 4, 2, m).items():
        assert isinstance(key, tuple)
        if key[0] is None:
            continue
        reported, without = chances(publication_of(worlds[0], tree, images[key[0]]), tree)
        occurring = [frozenset[str]().union(*world.records) for world in worlds]
        always = frozenset.intersection(*occurring)
        assert {item for item in reported if reported[item] == 1} == always & reported.keys()
        assert all(without[item] < 1 for item in reported)
        told_of_some += bool(always & reported.keys())
    assert told_of_some


@pytest.mark.long
@pytest.mark.compiled
@pytest.mark.parametrize("tree", [FLAT, DEEP])
def test_no_row_is_identified_beyond_the_guarantee(tree: Hierarchy) -> None:
    images, k, gained = list(cuts(tree)), 2, 0
    worlds = published(tree, 4, k, 2)
    for key, minimal in worlds.items():
        assert isinstance(key, tuple)
        if key[0] is None:
            continue
        count = Counter(key[1])
        for known in (frozenset(items) for size in (1, 2) for items in combinations(ITEMS, size)):
            by_rule, alone = (_chances(tables, known) for tables in (minimal, worlds[None, *key]))
            assert by_rule.keys() == alone.keys()  # no row is excluded
            shown = {images[key[0]][x] for x in known}
            assert sum(count[row] for row in by_rule) == sum(
                times for row, times in count.items() if by_rule and shown <= set(row) and row in alone
            )
            best = max((chance / count[row] for row, chance in by_rule.items()), default=Fraction(0))
            assert best <= Fraction(1, k)
            gained += best > max((chance / count[row] for row, chance in alone.items()), default=Fraction(0))
    assert gained  # some rows become more likely, but none above the guarantee


def _chances(worlds: list[World], known: frozenset[str]) -> dict[tuple[str, ...], Fraction]:
    """Return the probability of each row for a random person with the known items, if all tables are equally likely."""
    weight: Counter[tuple[str, ...]] = Counter()
    for world in worlds:
        for record, row in zip(world.records, world.rows, strict=True):
            weight[row] += world.orders if known <= record else 0
    return {row: Fraction(chances, weight.total()) for row, chances in weight.items() if chances}


TREE = Hierarchy.from_tree(
    ("ALL", [("A", [("V", ["a", "b"]), ("W", ["c", "d", "e"])]), ("B", [("X", ["f", "g"]), "h"]), "i"])
)


@pytest.mark.long
@given(
    records=st.lists(st.frozensets(st.sampled_from("abcdefghi"), max_size=4), min_size=3, max_size=12),
    k=st.integers(2, 3), m=st.integers(1, 3),
)  # fmt: skip
def test_a_published_node_has_items_of_two_children(records: list[Record], k: int, m: int) -> None:
    assume(sum(map(bool, records)) >= k)
    table = Table.from_sets(records, universe=TREE.leaves.labels)
    assert table.transactions is not None
    table = table.with_transactions(TREE.bind(table.transactions))
    occurring = {TREE.leaves.index[item] for record in records for item in record}
    for algorithm in (Apriori(k=k, m=m), Exact(k=k, m=m)):
        cut = algorithm.recode(table, {"items": TREE}).recoding
        assert isinstance(cut, Cut)
        for node in cut.nodes.tolist():
            children = np.flatnonzero(TREE.parent == node).tolist()
            there = [child for child in children if occurring & set(range(TREE.leaf_lo[child], TREE.leaf_hi[child]))]
            shown = occurring & set(range(TREE.leaf_lo[node], TREE.leaf_hi[node]))
            assert not children or not shown or len(there) >= 2


def test_a_rare_item_is_inferred() -> None:
    records = [set("ac")] * 6 + [set("bc"), set("ad"), set("ad"), set("ad")]
    table = Table.from_sets(records, universe=ITEMS)
    release = anonset.anonymize(table, anonset.Apriori(k=3, m=1), hierarchies={"items": FLAT})
    assert release.recoding.labels == ["A", "c", "d"]
    scene = AttackInput(release.publication, anonset.KmAnonymity(3, 1), release.unverified.table, {"items": FLAT})
    (outcome,) = minimality(scene)
    assert (outcome.targets, outcome.won.certain, outcome.won.success) == (1, 1.0, 1.0)
    assert (outcome.without.certain, outcome.without.success, outcome.won.below_k) == (0.0, 0.5, None)
    common = AttackInput(release.publication, anonset.KmAnonymity(1, 1), release.unverified.table, {"items": FLAT})
    assert names(minimality(common), "item k node")
    assert isinstance(minimality(AttackInput(release.publication, anonset.KmAnonymity(3, 1))), str)


def test_regions_chosen_by_items_are_not_attacked() -> None:
    table = Table.from_columns({"items": [set("ac"), set("bd")] * 6}, place=[f"p{n % 2}" for n in range(12)])
    table = replace(table, statements=OwnerStatements("row"))
    release = anonset.anonymize(table, JointSplit(k=3, m=1), hierarchies={"items": FLAT})
    scene = AttackInput(release.publication, anonset.KmAnonymity(3, 1), release.unverified.table, {"items": FLAT})
    assert "requires a single hierarchy cut" in str(minimality(scene))
