"""Synthetic records: independent items, or items that depend on each other as in a tree.

With a finite epsilon, the generators use noisy counts, and their output is epsilon-differentially private. A record is
first cut to `LONGEST` random items. It then changes the record count by 1, at most `LONGEST` item counts by 1, and at
most ``LONGEST * (LONGEST - 1) / 2`` pair counts by 1. With an infinite epsilon, the counts are exact and the output has
no guarantee.

Reference: Chow, Liu, Approximating discrete probability distributions with dependence trees, IEEE Trans. Information
Theory 14(3), 1968.

Deviations: only pairs of the `PAIRED` most frequent items are counted. A pair joins the tree only if its count differs
from independence by more than `DEVIATIONS` standard deviations of the noise. Other items are independent.
"""

from itertools import combinations
from math import inf, log, sqrt
from typing import NamedTuple

import numpy as np
from benchmarks.experiments.baselines.noise import Bools, Counts, column_of, laplace, matrix_of

from anonset.data import SetColumn

LONGEST = 8
"""Number of items of a record that are counted."""
PAIRED = 40
"""Number of items with the largest counts. Pairs of these items are counted."""
DEVIATIONS = 2.0
"""Noisy counts below this number of standard deviations of the noise count as 0."""
ITEM_SENSITIVITY = 1 + LONGEST
PAIR_SENSITIVITY = LONGEST * (LONGEST - 1) // 2


class Edge(NamedTuple):
    """Dependence of an item on another item. Items are places among the paired items."""

    parent: int
    child: int
    together: float
    """Count of both items."""


def independent(column: SetColumn, epsilon: float, random: np.random.Generator) -> SetColumn:
    """Return synthetic records whose items are independent of each other."""
    n, counts = noisy_items(_counted(column, epsilon, random), epsilon, random)
    return column_of(_drawn(n, counts, random), column)


def tree(column: SetColumn, epsilon: float, random: np.random.Generator) -> SetColumn:
    """Return synthetic records of a Chow-Liu tree. Items and pairs use half of epsilon each."""
    matrix = _counted(column, epsilon, random)
    n, counts = noisy_items(matrix, epsilon / 2, random)
    paired = np.argsort(-counts, kind="stable")[:PAIRED]
    pairs, noise = noisy_pairs(matrix[:, paired], epsilon / 2, random)
    drawn = _drawn(n, counts, random)
    for edge in forest(n, counts[paired], pairs, DEVIATIONS * noise):
        parent, child = drawn[:, paired[edge.parent]], paired[edge.child]
        with_parent = edge.together / max(1.0, counts[paired[edge.parent]])
        without = (counts[child] - edge.together) / max(1.0, n - counts[paired[edge.parent]])
        drawn[:, child] = random.random(n) < np.where(parent, with_parent, without)
    return column_of(drawn, column)


def truncated(column: SetColumn, random: np.random.Generator) -> Bools:
    """Return at most `LONGEST` random items of each record, bool (n, M)."""
    record = np.repeat(np.arange(column.n), column.lengths)
    order = np.lexsort((random.random(len(record)), record))
    place = np.arange(len(record)) - column.indptr[record]
    chosen = order[place < LONGEST]
    matrix = np.zeros((column.n, len(column.vocabulary)), np.bool_)
    matrix[record[chosen], column.items[chosen]] = True
    return matrix


def noisy_items(matrix: Bools, epsilon: float, random: np.random.Generator) -> tuple[int, Counts]:
    """Return the noisy record count, and the noisy count of each item, float64 (M,)."""
    counts = np.concatenate([[len(matrix)], matrix.sum(axis=0)])
    counts = counts + laplace(random, ITEM_SENSITIVITY, epsilon, len(counts))
    n = max(0, round(float(counts[0])))
    counts[counts < DEVIATIONS * sqrt(2) * ITEM_SENSITIVITY / epsilon] = 0
    return n, np.minimum(counts[1:], n)


def noisy_pairs(matrix: Bools, epsilon: float, random: np.random.Generator) -> tuple[Counts, float]:
    """Return the noisy count of each pair of items, float64 (M, M), and the standard deviation of the noise."""
    counts = matrix.astype(np.float64).T @ matrix.astype(np.float64)
    upper = np.triu_indices(len(counts), 1)
    counts[upper] += laplace(random, PAIR_SENSITIVITY, epsilon, len(upper[0]))
    counts.T[upper] = counts[upper]
    return counts, sqrt(2) * PAIR_SENSITIVITY / epsilon


def forest(n: int, counts: Counts, pairs: Counts, least: float) -> list[Edge]:
    """Return the forest with the largest mutual information. Parents precede their children.

    Parameters
    ----------
    least
        Smallest difference of a pair count from the expected count of independent items.
    """
    candidates = []
    for i, j in combinations(range(len(counts)), 2):
        a, b = float(counts[i]), float(counts[j])
        together = float(np.clip(pairs[i, j], max(0.0, a + b - n), min(a, b)))
        if min(a, b) > 0 and abs(together - a * b / n) > least:
            candidates.append((-mutual_information(n, a, b, together), i, j, together))
    component, neighbours = list(range(len(counts))), dict[int, list[tuple[int, float]]]()
    for _, i, j, together in sorted(candidates):
        if component[i] != component[j]:
            old, new = component[j], component[i]
            component = [new if one == old else one for one in component]
            neighbours.setdefault(i, []).append((j, together))
            neighbours.setdefault(j, []).append((i, together))
    edges, reached = list[Edge](), set[int]()
    for root in sorted(neighbours):
        waiting = [] if root in reached else [root]
        reached.add(root)
        while waiting:
            parent = waiting.pop()
            new_edges = [Edge(parent, child, both) for child, both in neighbours[parent] if child not in reached]
            reached.update(edge.child for edge in new_edges)
            waiting += [edge.child for edge in new_edges]
            edges += new_edges
    return edges


def mutual_information(n: float, a: float, b: float, together: float) -> float:
    """Return the mutual information of two items in nats, from the counts of a, of b and of both.

    >>> round(mutual_information(4, 2, 2, 2), 6), mutual_information(4, 2, 2, 1)
    (0.693147, 0.0)
    """
    cells = ((together, a, b), (a - together, a, n - b), (b - together, n - a, b), (n - a - b + together, n - a, n - b))
    return sum(count / n * log(count * n / (row * column)) for count, row, column in cells if count > 0)


def _counted(column: SetColumn, epsilon: float, random: np.random.Generator) -> Bools:
    return truncated(column, random) if epsilon < inf else matrix_of(column)


def _drawn(n: int, counts: Counts, random: np.random.Generator) -> Bools:
    drawn: Bools = random.random((n, len(counts))) < counts / max(1, n)
    return drawn
