"""Continuing an earlier release: symbols keep their members, no item becomes finer, and coarsening is minimal."""

import random
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.facts import refused

import anonset
from anonset.algorithms.coarsening import InitialCutAlgorithm
from anonset.algorithms.registry import ALGORITHMS, with_traits
from anonset.data import Hierarchy, Table
from anonset.data.storage.store import MEMORY
from anonset.errors import InputError
from anonset.generalization import Cut
from anonset.generalization.earlier_release import EarlierRelease
from anonset.generalization.recoding import SUPPRESSED
from anonset.measures.losses.ncp import ncp
from anonset.publications import Symbol
from anonset.reading.publications.codebook import read_codebook, read_mapping
from anonset.release.publishing.continuation import read_earlier
from reference.km import naive_km

COARSENING = with_traits(lambda traits: traits.coarsens)
ITEMS = [f"i{number}" for number in range(8)]
LATER = ["i2a", "j0", "j1"]
"""New items of the second quarter; an item sorts between the earlier items."""
GIVEN: dict[str, dict[str, Any]] = {"coherence-suppression": {"p": 2}, "coat": {"m": 2, "max_suppressed": 1.0}}
SETS = ("coat", "pcta", "coherence-suppression")
"""Algorithms that need no hierarchy."""
WALKS_DOWN = ("hghs", "mhghs")
"""Algorithms that start at the root and may coarsen more than necessary."""


def quarter(seed: int, items: list[str], n: int = 40) -> Table:
    rng = random.Random(seed)
    weights = [1 / (1 + i) for i in range(len(items))]
    rows = [set(rng.choices(items, weights, k=rng.randint(1, 4))) for _ in range(n)]
    return Table.from_sets(rows)


def algorithm(name: str, k: int = 3) -> Any:
    return ALGORITHMS[name](k=k, **GIVEN.get(name, {"m": 2}))  # type: ignore[call-arg]


def released(out: Path, table: Table, name: str, trees: dict[str, Any], **more: Any) -> tuple[dict[str, str], Any]:
    """Publish a table. Return the symbol of each item, and the release."""
    release = anonset.anonymize(
        table, algorithm(name), hierarchies=trees, workers=1, accept="worthless", symbols="short", **more
    )
    release.save(out)
    return read_mapping(out.with_name(f"{out.name}.private") / "mapping.csv"), release


def classes(mapping: dict[str, str]) -> dict[str, frozenset[str]]:
    """Return the items of each symbol."""
    return {name: frozenset(i for i in mapping if mapping[i] == name) for name in set(mapping.values()) - {""}}


@pytest.mark.long
@pytest.mark.filterwarnings("ignore:the publication is worthless", "ignore:.*retains no information")
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("name", COARSENING)
def test_three_quarterly_releases_continue_the_recoding(tmp_path: Path, name: str, seed: int) -> None:
    trees: dict[str, Any] = {} if name in SETS else {"items": "balanced:2"}
    before, _ = released(tmp_path / "q1", quarter(seed, ITEMS), name, trees)
    for number, table in enumerate((quarter(seed + 100, ITEMS[::-1]), quarter(seed + 200, ITEMS[3:], 12)), 2):
        if name in SETS:
            table = quarter(seed + 100 * number, [*ITEMS[::-1], *LATER])
        path = tmp_path / f"q{number}"
        after, release = released(path, table, name, trees, recoding=tmp_path / f"q{number - 1}.private")
        assert set(before) <= set(after)
        old, new = classes(before), classes(after)
        for label, items in old.items():
            to = {after[item] for item in items}
            assert len(to) == 1  # items that shared a symbol still share a symbol
            if label in new and name in SETS:
                assert new[label] == items  # the members of a symbol do not change
        assert all(after[item] == "" for item in before if before[item] == "")
        book = {symbol.label: set(symbol.members) for symbol in read_codebook(path / "codebook.csv")}
        earlier = {s.label: set(s.members) for s in read_codebook(tmp_path / f"q{number - 1}" / "codebook.csv")}
        assert all(book[label] == earlier[label] for label in book.keys() & earlier.keys())
        since = release.unverified.since
        changed = {label for label, items in old.items() if label not in {after[item] for item in items}}
        assert set(since.coarser) | set(since.suppressed) == changed
        assert set(since.new) == {label for label, items in new.items() if not items & set(before)} & set(book)
        published = release.publication.transactions
        rows = [tuple(published.items[a:b]) for a, b in zip(published.indptr, published.indptr[1:], strict=False)]
        assert naive_km(rows, 3, 2) is None
        before = after


@pytest.mark.parametrize("name", [name for name in COARSENING if name not in WALKS_DOWN])
def test_unchanged_data_give_the_same_recoding(tmp_path: Path, name: str) -> None:
    trees = {} if name in SETS else {"items": "balanced:2"}
    table = quarter(7, ITEMS)
    before, _ = released(tmp_path / "q1", table, name, trees)
    after, release = released(tmp_path / "q2", table, name, trees, recoding=tmp_path / "q1.private")
    assert before == after
    assert (release.unverified.since.coarser, release.unverified.since.new) == ({}, ())


def cuts(tree: Hierarchy, node: int = 0) -> list[list[int]]:
    """Return every cut below a node, as a list of nodes."""
    if tree.is_leaf[node]:
        return [[node]]
    parts = [cuts(tree, int(child)) for child in tree.children(node)]
    return [[node], *([v for part in choice for v in part] for choice in product(*parts))]


@pytest.mark.parametrize("seed", range(12))
def test_exact_loses_least_of_all_that_coarsen(seed: int) -> None:
    tree = Hierarchy.balanced(ITEMS, 2)
    column = tree.bind(quarter(seed, ITEMS, 25).transactions)  # type: ignore[arg-type]
    rng = random.Random(seed)
    every = cuts(tree)
    images = [[next(v for v in cut if tree.leaf_lo[v] <= leaf < tree.leaf_hi[v]) for leaf in range(8)] for cut in every]
    start = rng.choice([image for image in images if len(set(image)) > 4])
    spans = [(tree.leaf_lo[v], tree.leaf_hi[v]) for v in range(tree.n_nodes)]
    coarser = [
        image
        for image in images
        if all(spans[w][0] <= spans[v][0] and spans[v][1] <= spans[w][1] for v, w in zip(start, image, strict=True))
    ]
    rows = [column.items[a:b].tolist() for a, b in zip(column.indptr, column.indptr[1:], strict=False)]
    good = [image for image in coarser if naive_km([tuple({image[i] for i in row}) for row in rows], 3, 2) is None]
    least = min(ncp(column, Cut(tree, np.array(image, np.int32))) for image in good)
    made = ALGORITHMS["exact"](k=3, m=2)  # type: ignore[call-arg]
    assert isinstance(made, InitialCutAlgorithm)
    result = made.coarsen(column, Cut(tree, np.array(start, np.int32)), store=MEMORY).recoding
    assert isinstance(result, Cut)
    assert result.image.tolist() in good
    assert ncp(column, result) == least


TREE = "a1,A,ALL\na2,A,ALL\nb1,B,ALL\nb2,B,ALL\n"
ROWS = [["a1", "b1", "b2"], ["a2", "b1"], ["a2", "b1", "b2"], ["a1", "a2", "b2"]]


def first(tmp_path: Path, name: str = "apriori", tree: str = TREE, **more: Any) -> Path:
    (tmp_path / "tree.csv").write_text(tree)
    trees = {} if name in SETS else {"items": str(tmp_path / "tree.csv")}
    made = ALGORITHMS[name](**{"k": 2, "m": 2, **more})
    anonset.anonymize(Table.from_sets(ROWS), made, hierarchies=trees, workers=1).save(tmp_path / "q1")
    return tmp_path / "q1.private"


def again(private: Path, tree: str | None = None, name: str = "apriori", rows: Any = None, **more: Any) -> Any:
    trees = {}
    if tree is not None:
        (private.parent / "later.csv").write_text(tree)
        trees = {"items": str(private.parent / "later.csv")}
    made = ALGORITHMS[name](**{"k": 2, "m": 2, **more})
    return anonset.anonymize(Table.from_sets(rows or ROWS), made, hierarchies=trees, workers=1, recoding=private)


def test_a_hierarchy_may_grow_in_unpublished_branches(tmp_path: Path) -> None:
    private = first(tmp_path)
    grown = f"{TREE}c1,C,ALL\nc2,C,ALL\nb3,B,ALL\n"
    release = again(private, grown, rows=[*ROWS, ["c1"], ["c1"], ["b3"], ["b3"]])
    assert release.recoding.labels == ["A", "b1", "b2", "b3", "c1", "c2"]
    assert release.unverified.since.new == ("b3", "c1")
    assert release.unverified.since.kept == 3


@pytest.mark.parametrize(
    ("tree", "facts"),
    [
        (f"{TREE}a3,A,ALL\n", "recoding A 2 3"),
        (TREE.replace("a2,A", "a2,B").replace("b1,B", "b1,A"), "recoding A 2"),
        (TREE.replace(",A,", ",Z,"), "recoding A node hierarchy"),
    ],
)
def test_a_symbol_keeps_its_members(tmp_path: Path, tree: str, facts: str) -> None:
    with refused(InputError, facts):
        again(first(tmp_path), tree)


@pytest.mark.parametrize("name", [name for name in ALGORITHMS if name not in COARSENING])
def test_algorithms_without_a_global_recoding_are_rejected(tmp_path: Path, name: str) -> None:
    from anonset.algorithms.coarsening import require_coarsening

    with refused(InputError, f"recoding {name} apriori"):
        require_coarsening(ALGORITHMS[name])  # type: ignore[arg-type]


def test_a_local_recoding_is_no_start(tmp_path: Path) -> None:
    private = first(tmp_path, "lra")
    with refused(InputError, "lra"):
        again(private)


def test_a_private_directory_that_is_none_or_was_changed(tmp_path: Path) -> None:
    private = first(tmp_path)
    with refused(InputError, f"{tmp_path / 'q1'} file"):
        again(tmp_path / "q1")
    (private / "mapping.csv").write_text("item,published\na1,a1\n")
    with refused(InputError, f"{private / 'mapping.csv'}"):
        again(private)
    (private / "report.json").write_text("{}")
    with refused(InputError, f"{private} private"):
        again(private)


def test_groups_are_no_nodes_but_nodes_are_groups(tmp_path: Path) -> None:
    private = first(tmp_path, "pcta")
    with refused(InputError, "node hierarchy"):
        again(private, TREE)
    (tmp_path / "nodes").mkdir()
    release = again(first(tmp_path / "nodes"), name="pcta")
    assert {symbol.label for symbol in release.publication.symbols} == {"A", "b1", "b2"}


def test_suppressed_items_remain_suppressed(tmp_path: Path) -> None:
    rows = [["a", "b"], ["a", "b"], ["a", "c"], ["b"]]
    made: Any = ALGORITHMS["coherence-suppression"](k=2, p=2)  # type: ignore[call-arg]
    anonset.anonymize(Table.from_sets(rows), made, workers=1).save(tmp_path / "s1")
    private = tmp_path / "s1.private"
    later = Table.from_sets([*rows, ["c"], ["c"], ["c", "d"], ["d"]])
    release = anonset.anonymize(later, made, workers=1, recoding=private)
    assert release.recoding.suppressed == ["c"]
    assert release.unverified.since.new == ("d",)
    secret: Any = ALGORITHMS["coherence-suppression"](k=2, p=2, sensitive_items=("c",))  # type: ignore[call-arg]
    with refused(InputError, "sensitive c"):
        anonset.anonymize(later, secret, workers=1, recoding=private)


def test_constraints_refer_to_merged_items(tmp_path: Path) -> None:
    from anonset.privacy.policies import PrivacyPolicy, UtilityPolicy

    rows = ["abc", "ab", "ac", "bd", "d"]
    made: Any = ALGORITHMS["coat"]
    policy = PrivacyPolicy.of(["ac", "bc", "abd"])
    anonset.anonymize(Table.from_sets(rows), made(k=2, m=2), workers=1).save(tmp_path / "q1")
    united = read_earlier(tmp_path / "q1.private").codes
    assert set(united) == {("a", "c"), ("b", "d")}
    later = made(k=2, constraints=policy, max_suppressed=0.5)
    release = anonset.anonymize(Table.from_sets(rows), later, workers=1, recoding=tmp_path / "q1.private")
    assert release.verdict.holds
    assert all({"a", "c"} <= set(g) or not {"a", "c"} & set(g) for g in release.recoding.labels)
    apart = made(k=2, m=2, utility=UtilityPolicy.of(["ab", "cd"]))
    with refused(InputError, "(a,c) utility constraint"):
        anonset.anonymize(Table.from_sets(rows), apart, workers=1, recoding=tmp_path / "q1.private")


def test_symbols_are_compared_with_the_earlier_release() -> None:
    earlier = EarlierRelease({"a": "G1", "b": "G1", "c": "c", "d": ""})
    earlier.require_kept([Symbol("G1", "group", ("a", "b")), Symbol("x", "item", ("x",)), Symbol("c", "item", ("c",))])
    for symbol, message in (
        (Symbol("G1", "group", ("a", "c")), "G1"),
        (Symbol("a", "item", ("a",)), "a"),
        (Symbol("d", "item", ("d",)), "d suppressed"),
    ):
        with refused(InputError, message):
            earlier.require_kept([symbol])


def test_the_initial_cut_suppresses_earlier_suppressed_items(tmp_path: Path) -> None:
    tree = Hierarchy.from_tree(("ALL", [("A", ["a1", "a2"]), "b"]))
    cut = EarlierRelease({"a1": "A", "a2": "", "b": "b"}, tree).cut(tree)
    assert cut.image.tolist() == [1, SUPPRESSED, 4]
