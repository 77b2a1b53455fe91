"""The downcoding attack, compared with all tables for which a publication is minimal."""

from collections.abc import Iterator
from itertools import combinations_with_replacement, product

import numpy as np
import pytest

import anonset
from anonset.attacks.base import AttackInput, AttackResult
from anonset.attacks.boxes import Boxes
from anonset.attacks.downcoding import child_probabilities, downcoding, shares
from anonset.data import CategoricalColumn, Hierarchy, Table
from anonset.data.table_facts import OwnerStatements

TREES = {
    "a": Hierarchy.from_tree(("A", [("P", ["a", "b"]), "c", "d"])),
    "b": Hierarchy.from_tree(("B", ["x", "y", "z"])),
}
Pair = tuple[str, str]
K = 2


def leaves(label: str, tree: Hierarchy) -> tuple[str, ...]:
    return tree.members(tree.node_of[label])


def between(low: str, high: str, tree: Hierarchy) -> list[str]:
    """Return the nodes from a leaf up to an ancestor."""
    nodes = [tree.node_of[low], *tree.ancestors(tree.node_of[low])]
    return [tree.labels[node] for node in nodes[: nodes.index(tree.node_of[high]) + 1]]


def is_minimal(shown: list[Pair], records: list[Pair]) -> bool:
    """Return True if every strictly finer publication of the rows has a class of fewer than K rows."""
    ways = [
        list(product(*(between(x, y, tree) for x, y, tree in zip(record, row, TREES.values(), strict=True))))
        for record, row in zip(records, shown, strict=True)
    ]
    finer = (list(rows) for rows in product(*ways) if all(rows.count(row) >= K for row in rows))
    return all(rows == shown for rows in finer)


def tables_of(classes: dict[Pair, int]) -> Iterator[list[Pair]]:
    """Yield the possible original tables of a publication, as records in row order."""
    each = [
        combinations_with_replacement(
            list(product(*(leaves(label, tree) for label, tree in zip(row, TREES.values(), strict=True)))), size
        )
        for row, size in classes.items()
    ]
    for parts in product(*map(list, each)):
        yield [record for part in parts for record in part]


def boxes_of(classes: dict[Pair, int]) -> Boxes:
    rows = [row for row, size in classes.items() for _ in range(size)]
    firsts = [tuple(leaves(label, tree)[0] for label, tree in zip(row, TREES.values(), strict=True)) for row in rows]
    originals = [
        CategoricalColumn.of(name, list(values)) for name, values in zip(TREES, zip(*firsts, strict=True), strict=True)
    ]
    shown = [
        CategoricalColumn.of(name, list(values)) for name, values in zip(TREES, zip(*rows, strict=True), strict=True)
    ]
    return Boxes.of(originals, shown, TREES)


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("classes", "narrowed"),
    [
        ({("a", "x"): 2, ("A", "B"): 3}, False),
        pytest.param({("A", "x"): 2, ("A", "B"): 3}, True, marks=pytest.mark.long),
        ({("A", "x"): 2, ("A", "B"): 2}, False),  # with only k rows, one of them may be in the finer box
        ({("P", "x"): 2, ("P", "B"): 3}, True),
        ({("P", "x"): 2, ("c", "x"): 2, ("d", "x"): 2, ("A", "B"): 3}, True),
    ],
)
def test_inferences_are_true_of_all_tables(classes: dict[Pair, int], narrowed: bool) -> None:
    shown = [row for row, size in classes.items() for _ in range(size)]
    tables = [records for records in tables_of(classes) if is_minimal(shown, records)]
    boxes = boxes_of(classes)
    number = int(boxes.class_of_row[-1])
    ends = [records[-classes[shown[-1]] :] for records in tables]
    assert ends
    result = 0
    for column in boxes.open_columns(number):
        tree = list(TREES.values())[column]
        children = tree.children(tree.node_of[shown[-1][column]])
        for child, chance in zip(children, child_probabilities(boxes, K, number, column), strict=True):
            below = set(tree.members(child))
            assert (chance > 0) == any(record[column] in below for records in ends for record in records)
            result += chance == 0
    assert bool(result) == narrowed


@pytest.mark.compiled
def test_rows_are_narrowed_above_the_control() -> None:
    random = np.random.default_rng(3)
    people = {
        "town": [f"t{i}" for i in random.geometric(0.15, 1500) % 12],
        "work": [f"w{i}" for i in random.geometric(0.3, 1500) % 9],
    }
    table = anonset.read(people, relational="town,work", unit="row")
    trees = {"town": "balanced:3", "work": "balanced:3"}
    release = anonset.anonymize(table, anonset.LocalRecoding(k=5), hierarchies=trees)
    (outcome,) = anonset.risk(release, attacks=["downcoding"]).outcomes
    assert isinstance(outcome, AttackResult)
    assert outcome.won.success > max(outcome.without.success, outcome.control.success)
    assert outcome.won.below_k is None


def test_downcoding_does_not_apply_without_published_nodes() -> None:
    assert isinstance(downcoding(AttackInput(None, anonset.KAnonymity(2))), str)  # type: ignore[arg-type]
    table = Table(None, (CategoricalColumn.of("sex", "ffmm"),), statements=OwnerStatements("row"))
    release = anonset.anonymize(table, anonset.LocalRecoding(k=2), hierarchies={"sex": "values"})
    scene = AttackInput(
        release.publication, anonset.KAnonymity(2), release.unverified.table, release.unverified.hierarchies
    )
    assert isinstance(downcoding(scene), str)


def test_shares_of_zero_weights_are_equal() -> None:
    assert shares([0.0, 0.0, 0.0, 0.0]) == [0.25] * 4
