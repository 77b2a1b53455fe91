"""Losses and guarantee of a published file, computed in the same way for all tools.

The loss is NCP. A generalized value costs the share of the occurring leaves that it covers. An unchanged value costs 0,
and a suppressed value or record costs 1. The second loss of tables is the discernibility metric.
"""

import csv
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations
from pathlib import Path

from benchmarks.comparison.inputs import Tree

Rows = Sequence[Sequence[str]]


def read_table(path: Path) -> Rows:
    """Return the rows of a CSV file without its header."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file))[1:]


def read_sets(path: Path) -> Rows:
    """Return the records of a file with a set per line."""
    return [line.split() for line in path.read_text(encoding="utf-8").splitlines()]


def cost(tree: Tree, label: str) -> float:
    """Return the loss of a published label. A label that is not in the hierarchy counts as a suppressed value.

    >>> tree = Tree([("a", "1_x", "*"), ("b", "1_x", "*"), ("c", "1_y", "*"), ("d", "1_y", "*")])
    >>> [cost(tree, label) for label in ("a", "1_x", "*", "NA")]
    [0.0, 0.5, 1.0, 1.0]
    """
    below = len(tree.leaves_below.get(label, tree.paths))
    return below / len(tree.paths) if below > 1 else 0.0


def table_loss(rows: Rows, trees: Mapping[str, Tree], n: int) -> float:
    """Return the mean loss of a value of `n` records. Unpublished records count as suppressed."""
    suppressed = (n - len(rows)) * len(trees)
    columns = zip(trees.values(), zip(*rows, strict=True), strict=True)
    losses = sum(count * cost(tree, label) for tree, column in columns for label, count in Counter(column).items())
    return (losses + suppressed) / (n * len(trees))


def discernibility(rows: Rows, trees: Mapping[str, Tree], n: int) -> float:
    """Return the discernibility metric of `n` records, divided by `n`.

    A record costs the size of its equivalence class, and `n` if it is suppressed or has only suppressed values.

    References: Bayardo and Agrawal, Data privacy through optimal k-anonymization, ICDE 2005.

    >>> tree = Tree([("a", "*"), ("b", "*")])
    >>> discernibility([["a"], ["a"], ["*"]], {"one": tree}, 4)
    3.0
    """
    classes = Counter(map(tuple, rows))
    nothing = {row for row in classes if all(cost(*pair) == 1 for pair in zip(trees.values(), row, strict=True))}
    return (sum(size * (n if row in nothing else size) for row, size in classes.items()) + (n - len(rows)) * n) / n


def smallest_class(rows: Rows) -> int:
    """Return the number of records in the smallest equivalence class."""
    return min(Counter(map(tuple, rows)).values())


def best_levels(lines: Rows, rows: Rows, trees: Mapping[str, Tree]) -> Rows:
    """Return the table with the least loss among full-domain solutions.

    Each of `lines` is a solution, with a level for each column.
    """

    def generalized(levels: Sequence[int]) -> Rows:
        at = [{path[0]: path[level] for path in tree.paths} for tree, level in zip(trees.values(), levels, strict=True)]
        return [[labels[value] for labels, value in zip(at, row, strict=True)] for row in rows]

    def loss(levels: Sequence[int]) -> float:
        return sum(
            counts[path[0]] * cost(tree, path[level])
            for tree, level, counts in zip(trees.values(), levels, occurrences, strict=True)
            for path in tree.paths
        )

    occurrences = [Counter(column) for column in zip(*rows, strict=True)]
    return generalized(min(([int(level) for level in line] for line in lines), key=loss))


def set_loss(published: Rows, records: Rows, tree: Tree) -> float:
    """Return the mean loss of an item occurrence. An item is suppressed if no published label covers it."""
    labels = {label for record in published for label in record}
    label_of = {path[0]: next((label for label in path if label in labels), "") for path in tree.paths}
    occurrences = Counter(item for record in records for item in record)
    return sum(count * cost(tree, label_of[item]) for item, count in occurrences.items()) / occurrences.total()


def least_support(published: Rows, m: int) -> int:
    """Return the lowest support of a set of at most `m` items.

    >>> least_support([["a", "b"], ["a", "b"], ["a"]], 2)
    2
    """
    sets = (tuple(sorted(set(record))) for record in published)
    return min(
        Counter(part for record in sets for size in range(1, m + 1) for part in combinations(record, size)).values()
    )
