"""Noisy counts of items and of all pairs of frequent items, without records.

The counts are those of the classifiers and of the queries, so no tree and no records lose any of them. Supports of 3
and 4 items are estimated from the pairs.
"""

from collections.abc import Sequence
from itertools import combinations
from math import prod, sqrt

import numpy as np
from benchmarks.experiments.baselines.generators import DEVIATIONS, cut
from benchmarks.experiments.baselines.noise import Counts, gaussian, zcdp_of

from anonset.data import SetColumn

COUNTED = 200
"""Maximum number of most frequent items, by noisy counts, whose pairs are counted."""
OF_ITEMS = 0.3
"""Part of the budget for the counts of items. Pairs spend the rest."""


class PairSupports:
    """Supports of a release, as `anonset.measures.item_supports.Supports`."""

    reading = None

    def __init__(self, labels: Sequence[str], n: int, items: Counts, pairs: Counts) -> None:
        self.n = n
        self.groups = [(label,) for label in labels]
        self._items, self._pairs = items, pairs

    def count(self, chosen: Sequence[int]) -> float:
        """Return the released support of an item or a pair, and the estimate for more items.

        The estimate of a set is the product of its pairs, divided by its items except two each (Kirkwood). It is at
        most the smallest support of its subsets.
        """
        if len(chosen) == 1:
            return float(self._items[chosen[0]])
        if len(chosen) == 2:
            return self._pair(*chosen)
        smallest = min(self.count(part) for part in combinations(chosen, len(chosen) - 1))
        if smallest <= 0:
            return 0.0
        shares = prod(self._pair(*pair) / self.n for pair in combinations(chosen, 2))
        singles = prod((self._items[item] / self.n) ** (len(chosen) - 2) for item in chosen)
        return float(min(smallest, self.n * shares / singles))

    def _pair(self, one: int, other: int) -> float:
        expected = self._items[one] * self._items[other] / max(1, self.n)
        if max(one, other) >= len(self._pairs):
            return float(expected)
        return float(np.clip(self._pairs[one, other], 0.0, min(self._items[one], self._items[other])))

    def pairs(self, number: int) -> None:
        """Return None: `count` is as fast."""


def pair_counts(column: SetColumn, epsilon: float, random: np.random.Generator, *, delta: float) -> PairSupports:
    """Return the noisy supports. A record cut to L items changes at most L counts of items and L (L - 1) / 2 of pairs.

    A count of a pair far from independence is kept. Others are moved towards the count under independence, in
    proportion to the noise.
    """
    records = cut(column, epsilon, random)
    exact, rho = records.matrix.astype(np.float64), zcdp_of(records.epsilon, delta)
    of_items = OF_ITEMS * rho
    counts = np.concatenate([[len(exact)], exact.sum(axis=0)])
    counts += gaussian(random, sqrt(1 + records.longest), of_items, len(counts))
    n = max(1, round(float(counts[0])))
    counts[counts < DEVIATIONS * sqrt((1 + records.longest) / (2 * of_items))] = 0
    items = np.clip(counts[1:], 0, n)
    order = np.argsort(-items, kind="stable")[: np.count_nonzero(items)]
    counted = exact[:, order[:COUNTED]]
    sensitivity = sqrt(max(1, records.longest * (records.longest - 1) // 2))
    upper = np.triu_indices(counted.shape[1], 1)
    noisy = (counted.T @ counted)[upper] + gaussian(random, sensitivity, rho - of_items, len(upper[0]))
    expected = np.outer(items[order], items[order])[: counted.shape[1], : counted.shape[1]][upper] / n
    deviation = sensitivity / sqrt(2 * (rho - of_items))
    weight = 1 / (1 + deviation**2 / np.maximum(expected, 1))
    moved = np.where(np.abs(noisy - expected) > 2 * deviation, noisy, weight * noisy + (1 - weight) * expected)
    pairs = np.zeros((counted.shape[1], counted.shape[1]))
    pairs[upper] = moved
    return PairSupports([column.vocabulary.labels[item] for item in order], n, items[order], pairs + pairs.T)
