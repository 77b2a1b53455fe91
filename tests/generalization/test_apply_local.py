import random
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.facts import refused

from anonset.data import Hierarchy, SetColumn, Table, Vocabulary
from anonset.errors import InputError
from anonset.generalization import Cut, ItemGroups, PerCluster, RelationalValues, apply
from anonset.generalization.local import ClusterCuts, ClusterGroups, MergedItems
from effort import examples

HIERARCHY = Hierarchy.from_tree(("ALL", [("A", ["a1", "a2"]), ("B", ["b1", "b2", "b3"]), "c"]))
CUTS = [["ALL"], ["A", "B", "c"], ["a1", "a2", "B", "c"], ["A", "b1", "b2", "b3", "c"], list(HIERARCHY.leaves.labels)]


def nodes(labels: list[str]) -> Any:
    inner = [HIERARCHY.node_of[label] for label in labels if not HIERARCHY.is_leaf[HIERARCHY.node_of[label]]]
    return np.array(sorted(inner), np.int32)


def chain(item: str) -> list[str]:
    node = HIERARCHY.node_of[item]
    return [HIERARCHY.labels[v] for v in [node, *HIERARCHY.ancestors(node)]]


def above(item: str, cut: list[str]) -> str:
    return next(label for label in chain(item) if label in cut)


@settings(max_examples=examples(100))
@given(st.integers(0, 10**9))
def test_cuts_per_cluster_publish_each_item_as_its_node(seed: int) -> None:
    source = random.Random(seed)
    rows = [set(source.sample(HIERARCHY.leaves.labels, source.randint(0, 4))) for _ in range(source.randint(1, 12))]
    cluster = np.unique([source.randrange(3) for _ in rows], return_inverse=True)[1].astype(np.int32)
    cuts = [source.choice(CUTS) for _ in range(cluster.max() + 1)]
    table = Table.from_sets(rows, universe=HIERARCHY.leaves.labels)
    sparse = ClusterCuts(HIERARCHY, tuple(map(nodes, cuts)))
    for items in (sparse, tuple(sparse)):
        publication = apply(table, PerCluster(cluster, items))
        assert publication.transactions is not None
        result = [set(row) for row in publication.transactions.rows()]
        assert result == [{above(item, cuts[c]) for item in row} for row, c in zip(rows, cluster, strict=True)]
        used = set().union(*result)
        assert [symbol.label for symbol in publication.symbols] == [v for v in HIERARCHY.labels if v in used]
        for symbol in publication.symbols:
            assert symbol.members == tuple(x for x in HIERARCHY.leaves.labels if symbol.label in chain(x))


@settings(max_examples=examples(100))
@given(st.integers(0, 10**9))
def test_groups_per_cluster_publish_each_item_as_its_group(seed: int) -> None:
    source = random.Random(seed)
    vocabulary = Vocabulary(tuple("abcdef"))
    rows = [set(source.sample("abcdef", source.randint(0, 4))) for _ in range(source.randint(1, 12))]
    cluster = np.unique([source.randrange(3) for _ in rows], return_inverse=True)[1].astype(np.int32)
    images = []
    for _ in range(cluster.max() + 1):
        label = [source.randrange(6) for _ in range(6)]
        images.append([label.index(x) for x in label])
    merged = tuple(MergedItems.of(np.arange(6), np.array(image)) for image in images)
    sparse = ClusterGroups(vocabulary, merged)
    for items in (sparse, tuple(sparse)):
        publication = apply(Table.from_sets(rows, universe="abcdef"), PerCluster(cluster, items))
        assert publication.transactions is not None
        by_label = {symbol.label: symbol.members for symbol in publication.symbols}
        result = [{by_label[label] for label in row} for row in publication.transactions.rows()]
        groups = [
            {i: tuple("abcdef"[j] for j in range(6) if image[j] == image[i]) for i in range(6)} for image in images
        ]
        assert result == [{groups[c]["abcdef".index(x)] for x in row} for row, c in zip(rows, cluster, strict=True)]
        assert list(by_label.values()) == sorted(by_label.values())
        assert all(label == ("(" + ",".join(g) + ")" if len(g) > 1 else g[0]) for label, g in by_label.items())


def test_suppressed_items_are_dropped() -> None:
    groups = ItemGroups(Vocabulary(("a", "b", "c")), np.array([0, -1, 0], np.int32))
    table = Table.from_sets([{"a", "b"}, {"b"}, {"c"}], universe="abc")
    publication = apply(table, PerCluster(np.zeros(3, np.int32), (groups,)))
    assert publication.transactions is not None
    assert list(publication.transactions.rows()) == [["(a,c)"], [], ["(a,c)"]]


def test_relational_values_are_published_per_cluster() -> None:
    values = RelationalValues("age", ("[1:2]", "7"))
    table = Table.from_columns(age=["1", "7", "2"])
    publication = apply(table, PerCluster(np.array([0, 1, 0], np.int32), (), (values,)))
    assert publication.relational[0].labels() == ["[1:2]", "7", "[1:2]"]
    assert publication.cluster is not None
    assert publication.transactions is None


def test_recodings_of_other_tables_are_refused() -> None:
    table = Table(SetColumn.of([{"a"}, {"b"}]))
    identity = ItemGroups.identity(Vocabulary(("a", "b")))
    with refused(InputError, "clusters 1 2"):
        apply(table, PerCluster(np.zeros(1, np.int32), (identity,)))
    with refused(InputError, "2 clusters 1"):
        apply(table, PerCluster(np.arange(2, dtype=np.int32), (identity,)))
    with refused(InputError, "Hierarchy.bind"):
        apply(table, PerCluster(np.zeros(2, np.int32), (Cut.identity(HIERARCHY),)))


def test_sequences_of_recodings_can_be_sliced() -> None:
    cuts = ClusterCuts(HIERARCHY, tuple(map(nodes, CUTS)))
    assert [cut.labels for cut in cuts[1:3]] == [cuts[1].labels, cuts[2].labels] == CUTS[1:3]
    groups = ClusterGroups(Vocabulary(("a", "b")), (MergedItems.of(np.arange(2), np.zeros(2, np.int64)),) * 3)
    assert [group.labels for group in groups[1:]] == [[("a", "b")]] * 2
