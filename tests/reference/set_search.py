"""Naive implementation of the local search over item partitions: all counts are recomputed for each move.

A partition is a list of groups, possibly empty. Ties are broken by their positions.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from itertools import combinations

Group = frozenset[int]
Groups = list[Group]
Rows = Sequence[Collection[int]]
SHARES = (4, 16, 64, *((32, 64, 128, 16) * 10)[:37])


def distance(support: int, k: int) -> int:
    """Return the distance of a support to the nearest safe value: 0, or at least k."""
    return min(support, k - support) if 0 < support < k else 0


@dataclass
class Twin:
    """Search for a partition of the items that occur in some rows."""

    rows: Rows
    n_items: int
    k: int
    m: int
    mu: int
    candidates: int = 64
    sweeps: int = 0
    forced: int = 0
    """Number of merges without an estimated gain."""
    best: Groups = field(default_factory=list)
    least: int = 0
    known: dict[frozenset[Group], int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.support = cache(lambda item: sum(item in row for row in self.rows))
        self.holders = cache(lambda group: {i for i, row in enumerate(self.rows) if not group.isdisjoint(row)})
        occurring = [item for item in range(self.n_items) if self.support(item)]
        self.m = min(self.m, max(map(len, self.rows)))
        self.order = sorted(occurring, key=lambda item: (self.support(item), item))

    def holding(self, groups: Collection[Group]) -> int:
        """Count the rows that contain a member of each group."""
        key = frozenset(groups)
        if key not in self.known:
            self.known[key] = len(set.intersection(*map(self.holders, key)))
        return self.known[key]

    def cost(self, group: Group) -> int:
        if len(group) <= 1:
            return 0
        levels = [(self.support(item) ** 2).bit_length() - 1 for item in group]
        occurrences, size = sum(map(self.support, group)), len(group)
        spread = size * sum(level**2 for level in levels) - sum(levels) ** 2
        return occurrences * size + self.mu * occurrences * spread // (4 * size)

    def whole_cost(self, groups: Groups) -> int:
        return sum(map(self.cost, groups))

    def violation(self, groups: Groups) -> int:
        """Return the violation of all groups and pairs of groups."""
        sets = [[group] for group in groups if group]
        if self.m > 1:
            sets += [list(pair) for pair in combinations([group for group in groups if group], 2)]
        return sum(distance(self.holding(itemset), self.k) for itemset in sets)

    def is_safe(self, groups: Groups) -> bool:
        """Return True if each set of at most m groups occurs in no row or in at least k rows."""
        full = [group for group in groups if group]
        sets = [subset for size in range(1, self.m + 1) for subset in combinations(full, size)]
        return all(distance(self.holding(itemset), self.k) == 0 for itemset in sets)

    def sweep(self, groups: Groups, penalty: int) -> int:
        """Move each item to its cheapest group. Return the number of moves."""
        moves = 0
        self.sweeps += 1
        for item in self.order:
            g = next(i for i, group in enumerate(groups) if item in group)
            others = [h for h, group in enumerate(groups) if group and h != g]
            if len(groups[g]) > 1:
                if all(groups):
                    groups.append(frozenset())
                others.append(next(h for h, group in enumerate(groups) if not group))
            others.sort(key=lambda h: (self.cost(groups[h] | {item}) - self.cost(groups[h]), h))
            others = others[: self.candidates]
            best, least = None, 0
            for h in others:
                trial = list(groups)
                trial[g], trial[h] = groups[g] - {item}, groups[h] | {item}
                cost = self.whole_cost(trial) - self.whole_cost(groups)
                more = self.violation(trial) - self.violation(groups)
                if penalty == 0 and (more > 0 or (self.m > 2 and not self.is_safe(trial))):
                    continue
                if cost + penalty * more < least:
                    best, least = trial, cost + penalty * more
            if best is not None:
                groups[:] = best
                moves += 1
        return moves

    def descend(self, groups: Groups) -> None:
        for _ in range(30):
            before = self.whole_cost(groups)
            self.sweep(groups, 0)
            if before - self.whole_cost(groups) <= before // 2**14:
                return

    def gain(self, groups: Groups, g: int, h: int) -> int:
        """Estimate the reduction of the violation if two groups are merged."""

        def far(*supports: int) -> int:
            return distance(sum(supports), self.k)

        first, two = self.holding([groups[g]]), self.holding([groups[h]])
        both = self.holding([groups[g], groups[h]])
        result = far(first) + far(two) - far(first, two, -both)
        if self.m == 1:
            return result
        result += far(both)
        for x, group in enumerate(groups):
            if group and x not in (g, h):
                with_one, with_two = self.holding([groups[g], group]), self.holding([groups[h], group])
                result += far(with_one) + far(with_two) - far(with_one, with_two)
        return result

    def repair(self, groups: Groups) -> int:
        """Merge groups until there is no violation. Return the number of merges."""
        merges = 0
        while self.violation(groups):
            full = [i for i, group in enumerate(groups) if group]
            bad = [g for g in full if self.is_violated(groups, g)]
            pair, best = None, 0.0
            for g in bad:
                for h in full:
                    if g != h and (gain := self.gain(groups, g, h)) > 0:
                        worth = gain / (self.added(groups, g, h) + 1)
                        if worth > best:
                            pair, best = (g, h), worth
            if pair is None:
                least = min(bad, key=lambda g: (sum(map(self.support, groups[g])), g))
                partner = min((h for h in full if h != least), key=lambda h: (self.added(groups, least, h), h))
                pair = (least, partner)
                self.forced += 1
            low, high = min(pair), max(pair)
            groups[low], groups[high] = groups[low] | groups[high], frozenset()
            merges += 1
        return merges

    def is_violated(self, groups: Groups, g: int) -> bool:
        sets = [[groups[g]]]
        if self.m > 1:
            sets += [[groups[g], group] for h, group in enumerate(groups) if group and h != g]
        return any(distance(self.holding(itemset), self.k) for itemset in sets)

    def added(self, groups: Groups, g: int, h: int) -> int:
        return self.cost(groups[g] | groups[h]) - self.cost(groups[g]) - self.cost(groups[h])

    def search(self, start: Groups) -> Groups:
        """Return the best partition, ordered by smallest item."""
        self.best, self.least = canonical(start), self.whole_cost(start)
        if self.m > 2:
            self.descend_by_weights(start, [self.mu // 4, self.mu // 2, self.mu], reversed(self.order))
            single_group = [frozenset(self.order)]
            self.descend_by_weights(single_group, [0, self.mu // 4, self.mu // 2, self.mu], self.order)
            return self.best
        groups = list(start)
        self.descend(groups)
        self.keep(groups)
        failed = 0
        for number, share in enumerate(SHARES):
            if failed >= 4 and number >= 7:
                break
            groups = list(self.best)
            if self.anneal(groups, share):
                self.repair(groups)
                self.descend(groups)
            failed = 0 if self.keep(groups) else failed + 1
        return self.best

    def descend_by_weights(self, start: Groups, weights: Iterable[int], order: Iterable[int]) -> None:
        """Descend once for each of the increasing weights. Keep the cheapest result by the last weight."""
        groups, rising, mu = start, self.order, self.mu
        self.order = list(order)
        for self.mu in dict.fromkeys(weights):
            groups = canonical(groups)
            self.descend(groups)
        self.order = rising
        assert self.mu == mu
        self.keep(groups)

    def keep(self, groups: Groups) -> bool:
        better = self.violation(groups) == 0 and self.whole_cost(groups) < self.least
        if better:
            self.best, self.least = canonical(groups), self.whole_cost(groups)
        return better

    def anneal(self, groups: Groups, share: int) -> bool:
        """Sweep with doubling penalties. Return True if cost and violation are acceptable at the end."""
        unit = max(1, self.least // self.n_items)
        penalty = max(1, unit * share // 64)
        while penalty <= 4096 * unit:
            moves = self.sweep(groups, penalty)
            if Fraction(self.whole_cost(groups), 3) > Fraction(self.least, 2):
                return False
            if penalty >= 4 * unit and self.violation(groups) > Fraction(sum(map(bool, groups)), 2):
                return False
            penalty *= 2
            if moves == 0 or (self.violation(groups) == 0 and penalty >= 4 * unit):
                break
        return True


def canonical(groups: Groups) -> Groups:
    """Return the non-empty groups by their smallest item."""
    return sorted((group for group in groups if group), key=min)
