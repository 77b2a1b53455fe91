"""Naive implementation of cluster refinement over lists: dissolve neighbouring clusters, form new clusters, accept a
lower loss.
"""

from collections.abc import Callable
from typing import Any

from reference.relational import Cluster, Relation, Row, SetModel, TreeModel, key, split_mix

MOST_NEAR, TRIES = 4, 3
GAIN = 1e-9
Piece = list[int]
"""First record of a tuple, and a number of its records."""
Slot = list[Piece]


class Refinement:
    """Clusters as lists of pieces in slots, and the steps that change them."""

    def __init__(self, relation: Relation, clusters: list[Cluster], k: int) -> None:
        self.relation, self.k, self.tolerance = relation, k, 0.0
        self.first = {row: relation.rows.index(row) for row in relation.rows}
        n = len(relation.rows) // k
        self.slots: list[Slot] = [[] for _ in range(n)]
        order = sorted(self.first, key=_canonical(relation))
        for c, members in enumerate(clusters):
            member_rows = [relation.rows[r] for r in members]
            pieces = [[self.first[row], member_rows.count(row)] for row in order if row in member_rows]
            self.slots[c * n // len(clusters)] = pieces
        self.random = split_mix(0)

    def loss(self, pieces: Slot) -> float:
        return self.relation.loss([t for t, _ in pieces])

    def step(self) -> bool:
        first, other = (next(self.random) % len(self.slots) for _ in range(2))
        while not self.slots[first]:
            first = (first + 1) % len(self.slots)
        if key(self.total([other])) > key(self.total([first])):
            first = other
        tuple_, _ = self.slots[first][next(self.random) % len(self.slots[first])]
        others = [d for d, pieces in enumerate(self.slots) if pieces and d != first]
        others.sort(key=lambda d: self.increase(self.slots[d], tuple_))
        return any(self.try_(first, others) for _ in range(TRIES))

    def total(self, slots: list[int]) -> float:
        return sum(size(self.slots[d]) * self.loss(self.slots[d]) for d in slots if self.slots[d])

    def try_(self, own: int, others: list[int]) -> bool:
        """Dissolve a cluster and some others. Return True if the new clusters are accepted."""
        wanted, way, start = 1 + next(self.random) % (MOST_NEAR - 1), next(self.random) % 16, next(self.random)
        near = [own, *others[:wanted]]
        pool: dict[int, int] = {}
        for d in near:
            for t, count in self.slots[d]:
                pool[t] = pool.get(t, 0) + count
        old = self.total(near)
        if old < GAIN:
            return False
        formed = self.form(dict(pool), way, list(pool)[start % len(pool)])
        if not sum(size(pieces) * self.loss(pieces) for pieces in formed) < old - GAIN + self.tolerance:
            return False
        for d in near:
            self.slots[d] = []
        place = own
        for pieces in formed:
            while self.slots[place]:
                place = (place + 1) % len(self.slots)
            self.slots[place] = pieces[::-1]
        return True

    def increase(self, pieces: Slot, t: int) -> float:
        n = size(pieces)
        return key((n + 1) * self.loss([*pieces, [t, 1]]) - n * self.loss(pieces))

    def form(self, left: dict[int, int], way: int, start: int) -> list[Slot]:
        formed: list[Slot] = []
        while sum(left.values()) >= self.k:
            if formed:
                last = formed[-1]
                start = self.cheapest(last, left) if way & 1 else max(left, key=lambda t: left[t])
            pieces: Slot = []
            formed.append(pieces)
            while size(pieces) < self.k:
                t = self.cheapest(pieces, left) if pieces else start
                starts_cluster = not pieces and left[t] >= 2 * self.k
                take(left, pieces, t, left[t] - self.k if starts_cluster else min(left[t], self.k - size(pieces)))
            if way & 12:
                covered = [t for t in left if left[t] and self.loss([*pieces, [t, 1]]) <= self.loss(pieces) + GAIN]
                for t in covered:
                    take(left, pieces, t, left[t])
        for t in [t for t in left if left[t]]:
            take(left, min(formed, key=lambda pieces: self.increase(pieces, t)), t, left[t])
        return formed

    def cheapest(self, pieces: Slot, left: dict[int, int]) -> int:
        return min((t for t in left if left[t]), key=lambda t: key(self.loss([*pieces, [t, 1]])))


def refine(relation: Relation, clusters: list[Cluster], k: int, steps: list[tuple[int, float]]) -> list[Cluster]:
    """Run steps, then distribute the records of a tuple in slot order.

    `steps` contains the cumulative number of steps of each phase, and the tolerance of the phase.
    """
    result = Refinement(relation, clusters, k)
    if len(clusters) > len(result.slots) or not clusters:
        return clusters
    done = 0
    for last, result.tolerance in steps:
        for _ in range(last - done):
            result.step()
        done = last
    waiting = {t: [r for r, row in enumerate(relation.rows) if result.first[row] == t] for t in result.first.values()}
    dealt: list[Cluster] = []
    for pieces in result.slots:
        members = []
        for t, count in pieces:
            members += [waiting[t].pop(0) for _ in range(count)]
        dealt += [sorted(members)] if members else []
    return sorted(dealt)


def size(pieces: Slot) -> int:
    return sum(count for _, count in pieces)


def take(left: dict[int, int], pieces: Slot, t: int, count: int) -> None:
    left[t] -= count
    pieces.append([t, count])


def _canonical(relation: Relation) -> Callable[[Row], tuple[Any, ...]]:
    """Return the canonical sort key of tuples: tree leaves by position, labels canonically, numbers by value."""
    orders = [
        a.tree.leaves if isinstance(a, TreeModel) else list(a.order) if isinstance(a, SetModel) else None
        for a in relation.attributes
    ]
    return lambda row: tuple(v if order is None else order.index(v) for order, v in zip(orders, row, strict=True))
