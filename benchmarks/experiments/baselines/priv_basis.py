"""PrivBasis: noisy supports of the itemsets of a few bases, which are small sets of items that occur together.

The number of frequent items, the items, and the frequent pairs are chosen by the exponential mechanism. Supports of an
itemset only grow if a record is added, so a choice spends the epsilon of its exponent, without a factor of 2. The
maximal cliques of the graph of frequent pairs are the bases. The records are counted by the items of each basis that
they contain, so a record changes one count of each basis.

Reference: Li, Qardaji, Su, Cao, PrivBasis: frequent itemset mining with differential privacy, PVLDB 5(11), 2012.

Deviations: only pairs of bases are merged, and an itemset in several bases has the mean of its supports, weighted by
the variance.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from math import exp, sqrt
from typing import NamedTuple

import numpy as np
from benchmarks.experiments.baselines.noise import Bools, Counts, laplace, matrix_of

from anonset.data import SetColumn

TOP = 100
"""Number of itemsets that are asked for. It is given, because the number above a support would have to be private."""
MARGIN = 1.1
"""Factor on the number of itemsets for the choice of items and pairs, from the paper."""
SHARES = (0.1, 0.4, 0.5)
"""Parts of epsilon: number of items, items and pairs, counts. From the paper."""
WIDEST = 12
"""Largest number of items of a basis, from the paper."""
LONGEST = 4
"""Largest size of an itemset."""


class Choice(NamedTuple):
    """Chosen items, and chosen pairs of their places."""

    items: list[int]
    pairs: list[tuple[int, int]]


class ReleasedSupports:
    """Noisy supports of a release, as `anonset.measures.item_supports.Supports`. An itemset that is not released, or
    has a negative support, counts as 0.
    """

    reading = None

    def __init__(self, released: Mapping[frozenset[str], float]) -> None:
        self._released = released
        singles = [(next(iter(items)), support) for items, support in released.items() if len(items) == 1]
        self.groups = [(item,) for item, _ in sorted(singles, key=lambda one: (-one[1], one[0]))]

    def count(self, chosen: Sequence[int]) -> float:
        """Return the released support of the items."""
        return max(0.0, self._released.get(frozenset(self.groups[number][0] for number in chosen), 0.0))

    def pairs(self, number: int) -> None:
        """Return None: `count` is as fast."""


def priv_basis(
    column: SetColumn, epsilon: float, random: np.random.Generator, top: int = TOP
) -> dict[frozenset[str], float]:
    """Return the noisy supports of all sets of 1 to 4 items of a basis."""
    matrix = matrix_of(column)
    chosen = choose(matrix, epsilon, random, round(MARGIN * top))
    counted = matrix[:, chosen.items]
    if len(chosen.items) <= WIDEST:
        bases = [tuple(range(len(chosen.items)))]
    else:
        bases = merged(bases_of(len(chosen.items), chosen.pairs))
    labels = [column.vocabulary.labels[item] for item in chosen.items]
    supports = noisy_supports(counted, bases, SHARES[2] * epsilon, random)
    return {frozenset(labels[place] for place in itemset): support for itemset, support in supports.items()}


def choose(matrix: Bools, epsilon: float, random: np.random.Generator, top: int) -> Choice:
    """Choose the items, and the pairs of them if they are more than one basis can have."""
    exact = matrix.astype(np.float64)
    counts = exact.sum(axis=0)
    together = exact.T @ exact
    upper = np.triu_indices(len(counts), 1)
    supports = np.sort(np.concatenate([counts, together[upper]]))[::-1]  # triples are at most as frequent as pairs
    least = supports[min(top, len(supports)) - 1]
    ordered = np.sort(counts)[::-1]
    number = 1 + _drawn(-np.abs(ordered - least), SHARES[0] * epsilon / 2, random)  # the support is no sum of records
    if number <= WIDEST:
        return Choice(_several(counts, number, SHARES[1] * epsilon, random), [])
    rest = max(1, top - number)
    paired = max(1, round(rest / sqrt(max(1.0, rest / number))))
    share = SHARES[1] * number / (number + paired)
    items = _several(counts, number, share * epsilon, random)
    places = np.triu_indices(number, 1)
    scores = together[np.ix_(items, items)][places]
    pairs = _several(scores, min(paired, len(scores)), (SHARES[1] - share) * epsilon, random)
    return Choice(items, [(int(places[0][pair]), int(places[1][pair])) for pair in pairs])


def bases_of(number: int, pairs: Sequence[tuple[int, int]]) -> list[tuple[int, ...]]:
    """Return the maximal cliques of the graph of pairs, cut to `WIDEST`. Items without a pair are joined by threes.

    >>> bases_of(6, [(0, 1), (0, 2), (1, 2), (2, 3)])
    [(0, 1, 2), (2, 3), (4, 5)]
    """
    neighbours: list[set[int]] = [set() for _ in range(number)]
    for one, other in pairs:
        neighbours[one].add(other)
        neighbours[other].add(one)
    single = [place for place in range(number) if not neighbours[place]]
    found = [clique[:WIDEST] for clique in _cliques((), set(range(number)) - set(single), set(), neighbours)]
    return sorted(found) + [tuple(single[at : at + 3]) for at in range(0, len(single), 3)]


def _cliques(
    clique: tuple[int, ...], candidates: set[int], excluded: set[int], neighbours: Sequence[set[int]]
) -> Iterator[tuple[int, ...]]:
    """Yield the maximal cliques that extend a clique (Bron and Kerbosch 1973, with a pivot)."""
    if not candidates and not excluded:
        yield tuple(sorted(clique))
        return
    pivot = max(sorted(candidates | excluded), key=lambda one: len(neighbours[one] & candidates))
    for one in sorted(candidates - neighbours[pivot]):
        yield from _cliques((*clique, one), candidates & neighbours[one], excluded & neighbours[one], neighbours)
        candidates, excluded = candidates - {one}, excluded | {one}


def merged(bases: list[tuple[int, ...]]) -> list[tuple[int, ...]]:
    """Merge the two bases whose union lowers the variance of pairs most, while one does.

    >>> merged([(0, 1), (1, 2)]), merged([(0, 1, 2, 3, 4, 5), (6, 7, 8, 9, 10, 11)])
    ([(0, 1, 2)], [(0, 1, 2, 3, 4, 5), (6, 7, 8, 9, 10, 11)])
    """
    while len(bases) > 1:
        now, best = variance(bases), None
        for one, other in combinations(range(len(bases)), 2):
            union = tuple(sorted({*bases[one], *bases[other]}))
            if len(union) <= WIDEST:
                rest = [basis for place, basis in enumerate(bases) if place not in (one, other)]
                if (then := variance([*rest, union])) < now:
                    now, best = then, [*rest, union]
        if best is None:
            break
        bases = sorted(best)
    return bases


def variance(bases: Sequence[Sequence[int]]) -> float:
    """Return the mean variance of a pair of a basis, in units of the noise for one basis."""
    pairs = [len(basis) * (len(basis) - 1) / 2 for basis in bases]
    terms = [count * 2.0 ** (len(basis) - 2) for count, basis in zip(pairs, bases, strict=True)]
    return len(bases) ** 2 * sum(terms) / max(1.0, sum(pairs))


def noisy_supports(
    matrix: Bools, bases: Sequence[Sequence[int]], epsilon: float, random: np.random.Generator
) -> Mapping[tuple[int, ...], float]:
    """Return the support of each set of 1 to 4 items of a basis, from noisy counts of the bins of all bases."""
    totals, weights = dict[tuple[int, ...], float](), dict[tuple[int, ...], float]()
    for basis in bases:
        bins = np.arange(1 << len(basis))
        found = matrix[:, list(basis)] @ (1 << np.arange(len(basis)))
        counts: Counts = np.bincount(found, minlength=len(bins)) + laplace(random, len(bases), epsilon, len(bins))
        for size in range(1, LONGEST + 1):
            for places in combinations(range(len(basis)), size):
                mask = sum(1 << place for place in places)
                itemset = tuple(basis[place] for place in places)
                weight = 2.0 ** (size - len(basis))  # the inverse of the variance
                totals[itemset] = totals.get(itemset, 0.0) + weight * float(counts[bins & mask == mask].sum())
                weights[itemset] = weights.get(itemset, 0.0) + weight
    return {itemset: total / weights[itemset] for itemset, total in totals.items()}


def _several(scores: Counts, number: int, epsilon: float, random: np.random.Generator) -> list[int]:
    """Draw different places by the exponential mechanism. Each spends the same part of epsilon."""
    left, chosen = scores.astype(np.float64).copy(), []
    for _ in range(number):
        chosen.append(_drawn(left, epsilon / number, random))
        left[chosen[-1]] = -np.inf
    return chosen


def _drawn(scores: Counts, exponent: float, random: np.random.Generator) -> int:
    """Draw a place with a probability proportional to ``exp(exponent * score)``."""
    weights = np.array([exp(exponent * float(score)) for score in scores - scores.max()])
    return int(random.choice(len(weights), p=weights / weights.sum()))
