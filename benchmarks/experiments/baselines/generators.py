"""Synthetic records: independent items, or items that depend on each other as in a tree.

`independent` and `tree` use Laplace noise. `mst` chooses the tree privately before it counts the pairs of the tree, and
uses Gaussian noise.

With a finite epsilon, the generators use noisy counts, and their output is epsilon-differentially private. A record is
first cut to L random items. It then changes the record count by 1, at most L item counts by 1, and at most
``L * (L - 1) / 2`` pair counts by 1. L is chosen from noisy counts of record lengths, which spend a part of epsilon
(`longest`), or given. With an infinite epsilon, the counts are exact and the output has no guarantee.

Reference: Chow, Liu, Approximating discrete probability distributions with dependence trees, IEEE Trans. Information
Theory 14(3), 1968. MST: McKenna, Miklau, Sheldon, Winning the NIST contest, Journal of Privacy and Confidentiality
11(3), 2021.

Deviations: only pairs of the `PAIRED` most frequent items are counted. A pair joins the tree only if its count differs
from independence by more than the noise of one pair among all (`above_noise`). Other items are independent. `mst`
counts present items only, not absent ones, so that a cut record changes few counts. The counts determine the tree of
0/1 items, so no other estimation is needed.
"""

from collections.abc import Sequence
from itertools import combinations
from math import inf, log, sqrt
from typing import NamedTuple

import numpy as np
from benchmarks.experiments.baselines.noise import Bools, Counts, column_of, gaussian, laplace, matrix_of, zcdp_of

from anonset.data import SetColumn
from anonset.data.array_types import Int64

LENGTHS = 64
"""Largest number of items of a record that can be counted."""
SHARE_OF_LENGTHS = 0.1
"""Part of epsilon that is spent on the choice of the number of items of a record that are counted."""
WHOLE = 0.95
"""Share of the records that are not cut."""
PAIRED = 40
"""Number of items with the largest counts. Pairs of these items are counted."""
DEVIATIONS = 2.0
"""Noisy counts of items below this number of standard deviations of the noise count as 0."""


class Edge(NamedTuple):
    """Dependence of an item on another item. Items are places among the paired items."""

    parent: int
    child: int
    together: float
    """Count of both items."""


class Cut(NamedTuple):
    """Records with at most `longest` items, and the remaining epsilon."""

    matrix: Bools
    longest: int
    epsilon: float


def independent(column: SetColumn, epsilon: float, random: np.random.Generator, length: int | None = None) -> SetColumn:
    """Return synthetic records whose items are independent of each other. `length` is the given L, if any."""
    n, counts = noisy_items(cut(column, epsilon, random, length), 1.0, random)
    return column_of(_drawn(n, counts, random), column)


def tree(column: SetColumn, epsilon: float, random: np.random.Generator, length: int | None = None) -> SetColumn:
    """Return synthetic records of a Chow-Liu tree. Items and pairs use half of epsilon each."""
    records = cut(column, epsilon, random, length)
    n, counts = noisy_items(records, 0.5, random)
    paired = np.argsort(-counts, kind="stable")[:PAIRED]
    pairs, scale = noisy_pairs(records._replace(matrix=records.matrix[:, paired]), 0.5, random)
    least = above_noise(scale, len(paired))
    return _of_forest(n, counts, paired, forest(n, counts[paired], pairs, least), column, random)


def mst(
    column: SetColumn, epsilon: float, random: np.random.Generator, length: int | None = None, *, delta: float
) -> SetColumn:
    """Return synthetic records of a tree that is chosen by the exponential mechanism.

    Items, choice and pairs spend a third of the budget each. A cut record changes at most L - 1 counts of the tree.
    """
    records = cut(column, epsilon, random, length)
    part = zcdp_of(records.epsilon, delta) / 3
    exact = records.matrix.astype(np.float64)
    counts = np.concatenate([[len(exact)], exact.sum(axis=0)])
    counts += gaussian(random, sqrt(1 + records.longest), part, len(counts))
    n = max(0, round(float(counts[0])))
    counts[counts < DEVIATIONS * sqrt((1 + records.longest) / (2 * part))] = 0
    items = np.minimum(counts[1:], n)
    paired = np.argsort(-items, kind="stable")[: min(PAIRED, np.count_nonzero(items))]
    chosen = spanning_tree(n, items[paired], len(exact), exact[:, paired].T @ exact[:, paired], part, random)
    noise = gaussian(random, sqrt(max(1, records.longest - 1)), part, len(chosen))
    pairs = np.full((len(paired), len(paired)), np.nan)  # pairs outside of the tree are not counted
    for place, (one, other) in enumerate(chosen):
        pairs[one, other] = pairs[other, one] = exact[:, paired[one]] @ exact[:, paired[other]] + noise[place]
    return _of_forest(n, items, paired, forest(n, items[paired], pairs, 0.0), column, random)


def spanning_tree(
    n: int, counts: Counts, records: int, pairs: Counts, rho: float, random: np.random.Generator
) -> list[tuple[int, int]]:
    """Return the edges of a tree, each chosen by the exponential mechanism among the pairs that close no cycle.

    The parameters are those of `dependence`. The choices are rho-zCDP together.
    """
    size = len(counts)
    scores = sqrt(8 * rho / max(1, size - 1)) / 2 * dependence(n, counts, records, pairs)
    one, other = np.triu_indices(size, 1)
    component, chosen = np.arange(size), list[tuple[int, int]]()
    for _ in range(size - 1):
        open_pairs = np.flatnonzero(component[one] != component[other])
        weights = scores[one[open_pairs], other[open_pairs]]
        weights = np.exp(weights - weights.max())
        edge = int(random.choice(open_pairs, p=weights / weights.sum()))
        chosen.append((int(one[edge]), int(other[edge])))
        component[component == component[other[edge]]] = component[one[edge]]
    return chosen


def dependence(n: int, counts: Counts, records: int, pairs: Counts) -> Counts:
    """Return for each pair the sum of the differences of its four cells from those of independent items, (size, size).

    The cells are the records with both items, with one of them, and with none. A record is in one cell, so it changes
    the result by at most 1.

    Parameters
    ----------
    n, counts
        Noisy record count, and noisy count of each item, (size,).
    records, pairs
        Exact record count, and exact count of each pair, (size, size). The diagonal contains the counts of the items.
    """
    items = np.diag(pairs) - counts
    both = pairs - np.outer(counts, counts) / max(1, n)
    neither = records - n - items[:, None] - items + both
    summed: Counts = np.abs(both) + np.abs(items[:, None] - both) + np.abs(items - both) + np.abs(neither)
    return summed


def _of_forest(
    n: int,
    counts: Counts,
    paired: Int64,
    edges: Sequence[Edge],
    column: SetColumn,
    random: np.random.Generator,
) -> SetColumn:
    """Draw records whose paired items depend on each other as in a forest. Other items are independent."""
    drawn = _drawn(n, counts, random)
    for edge in edges:
        parent, child = drawn[:, paired[edge.parent]], paired[edge.child]
        with_parent = edge.together / max(1.0, counts[paired[edge.parent]])
        without = (counts[child] - edge.together) / max(1.0, n - counts[paired[edge.parent]])
        drawn[:, child] = random.random(n) < np.where(parent, with_parent, without)
    return column_of(drawn, column)


def cut(column: SetColumn, epsilon: float, random: np.random.Generator, length: int | None = None) -> Cut:
    """Cut the records to `length` random items. By default, the length is chosen with a part of epsilon."""
    if epsilon == inf:
        return Cut(matrix_of(column), len(column.vocabulary), inf)
    spent = 0.0
    if length is None:
        spent = SHARE_OF_LENGTHS * epsilon
        length = longest(column, spent, random)
    return Cut(truncated(column, length, random), length, epsilon - spent)


def longest(column: SetColumn, epsilon: float, random: np.random.Generator) -> int:
    """Return the smallest length that leaves `WHOLE` of the records whole, by noisy counts of the record lengths.

    A record changes one count by 1.
    """
    counts = np.bincount(np.clip(column.lengths, 1, LENGTHS), minlength=LENGTHS + 1)[1:]
    noisy = np.maximum(0.0, counts + laplace(random, 1, epsilon, LENGTHS))
    reached = np.flatnonzero(np.cumsum(noisy) >= WHOLE * noisy.sum())
    return int(reached[0]) + 1


def truncated(column: SetColumn, length: int, random: np.random.Generator) -> Bools:
    """Return at most `length` random items of each record, bool (n, M)."""
    record = np.repeat(np.arange(column.n), column.lengths)
    order = np.lexsort((random.random(len(record)), record))
    place = np.arange(len(record)) - column.indptr[record]
    chosen = order[place < length]
    matrix = np.zeros((column.n, len(column.vocabulary)), np.bool_)
    matrix[record[chosen], column.items[chosen]] = True
    return matrix


def noisy_items(records: Cut, share: float, random: np.random.Generator) -> tuple[int, Counts]:
    """Return the noisy record count, and the noisy count of each item, float64 (M,). Spends `share` of the epsilon."""
    sensitivity, epsilon = 1 + records.longest, share * records.epsilon
    counts = np.concatenate([[len(records.matrix)], records.matrix.sum(axis=0)])
    counts = counts + laplace(random, sensitivity, epsilon, len(counts))
    n = max(0, round(float(counts[0])))
    counts[counts < DEVIATIONS * sqrt(2) * sensitivity / epsilon] = 0
    return n, np.minimum(counts[1:], n)


def noisy_pairs(records: Cut, share: float, random: np.random.Generator) -> tuple[Counts, float]:
    """Return the noisy count of each pair of items, float64 (M, M), and the scale of the Laplace noise.

    Spends `share` of the epsilon.
    """
    sensitivity, epsilon = records.longest * (records.longest - 1) // 2, share * records.epsilon
    counts = records.matrix.astype(np.float64).T @ records.matrix.astype(np.float64)
    upper = np.triu_indices(len(counts), 1)
    counts[upper] += laplace(random, sensitivity, epsilon, len(upper[0]))
    counts.T[upper] = counts[upper]
    return counts, sensitivity / epsilon


def above_noise(scale: float, items: int) -> float:
    """Return the value that the Laplace noise of one pair of items is expected to exceed, among all pairs.

    >>> round(above_noise(1.0, 40), 3)
    6.659
    """
    return scale * log(max(1, items * (items - 1) // 2))


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
        together = float(np.clip(pairs[i, j], max(0.0, a + b - n), min(a, b)))  # nan if the pair is not counted
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


def _drawn(n: int, counts: Counts, random: np.random.Generator) -> Bools:
    drawn: Bools = random.random((n, len(counts))) < counts / max(1, n)
    return drawn
