"""Naive implementations of Rum-bound and Tum-bound over lists, with their distance and loss."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations
from math import expm1, fsum, ldexp, log

from reference.relational import Cluster, Relation, in_order, key

Items = Sequence[Collection[str]]
Published = list[list[tuple[str, ...]]]
"""Published symbols of each record, each as the items that it may represent, in canonical order."""
Transform = Callable[[Items], Published]

TOLERANCE = 1e-12


class Unreachable(Exception):  # noqa: N818
    """The loss bound, or the guarantee of a cluster, is infeasible."""

    def __init__(self, achieved: float | None) -> None:
        self.achieved = achieved
        super().__init__(achieved)


def distance(a: Collection[str], b: Collection[str], numerator: str = "xor") -> Fraction:
    """Return the bit-vector transaction distance (BTD) of two records."""
    first, second = set(a), set(b)
    union = first ^ second if numerator == "xor" else first | second
    return Fraction(len(union) + 1, len(first & second) + 1)


def cluster_distance(rows: Items, numerator: str = "xor") -> Fraction:
    """Return the BTD of a set of records, which is the maximum BTD of two of the records."""
    return max((distance(a, b, numerator) for a, b in combinations(rows, 2)), default=Fraction(0))


def record_loss(symbols: Sequence[tuple[str, ...]], ones: bool = False) -> float:
    """Return the UL of a record. Symbols of a single item have weight 0, unless `ones`."""
    sigma = sum(len(s) for s in symbols)
    total = 0.0
    for s in symbols:
        if len(s) > 1 or ones:
            total += ldexp(expm1(-len(s) * log(2)) / expm1(-sigma * log(2)), len(s) - sigma)
    return total


@dataclass
class Frame:
    """An RT-dataset and its parameters."""

    relation: Relation
    items: Items
    transform: Transform
    k: int
    order: str = "btd"
    numerator: str = "xor"
    merges: list[tuple[Cluster, Cluster]] = field(default_factory=list)

    def losses(self, members: Cluster) -> list[float]:
        """Return the UL of each record of a published cluster."""
        rows = [self.items[r] for r in sorted(members)]
        if 0 < sum(bool(row) for row in rows) < self.k:
            raise Unreachable(None)
        return [record_loss(symbols) for symbols in self.transform(rows)]

    def rum(self, clusters: Sequence[Cluster]) -> float:
        return self.relation.total(clusters)

    def tum(self, clusters: Sequence[Cluster]) -> float:
        return fsum(x for c in clusters for x in self.losses(c)) / len(self.items)

    def transaction_key(self, members: Cluster) -> Fraction | float:
        if self.order == "btd":
            return cluster_distance([self.items[r] for r in members], self.numerator)
        losses = self.losses(members)
        return key(fsum(losses) / len(losses))

    def candidates(self, clusters: list[Cluster], seed: Cluster, merge: str) -> list[Cluster]:
        """Return the clusters to merge the seed with, best first."""
        others = [c for c in clusters if c is not seed]
        by_loss = sorted(others, key=lambda c: (key(self.relation.loss(seed + c)), c[0]))
        if merge == "r":
            return by_loss[:1]
        by_items = sorted(others, key=lambda c: (self.transaction_key(seed + c), c[0]))
        if merge == "t":
            return by_items
        u = {c[0]: i for i, c in enumerate(by_loss, 1)}
        v = {c[0]: i for i, c in enumerate(by_items, 1)}
        return sorted(others, key=lambda c: (u[c[0]] + v[c[0]], u[c[0]]))

    def seed(self, clusters: list[Cluster]) -> Cluster:
        return min(clusters, key=lambda c: (key(self.relation.loss(c)), c[0]))

    def repair(self, clusters: list[Cluster]) -> list[Cluster]:
        """Merge clusters with 1 to k - 1 non-empty records, in order."""
        while True:
            poor = [c for c in clusters if 0 < sum(bool(self.items[r]) for r in c) < self.k]
            if not poor:
                return clusters
            if len(clusters) == 1:
                raise Unreachable(None)
            partner = self.candidates(clusters, poor[0], "r")[0]
            self.merges.append((poor[0], partner))
            clusters = merged(clusters, poor[0], partner)


def merged(clusters: list[Cluster], a: Cluster, b: Cluster) -> list[Cluster]:
    """Replace two clusters by their union."""
    return in_order([*(c for c in clusters if c is not a and c is not b), a + b])


def rum_bound(frame: Frame, clusters: list[Cluster], delta: float, merge: str) -> list[Cluster]:
    """Merge while the relational loss is at most `delta`. Publishing may still fail."""
    if frame.rum(clusters) > delta + TOLERANCE:
        raise Unreachable(frame.rum(clusters))
    while len(clusters) > 1:
        seed = frame.seed(clusters)
        for candidate in frame.candidates(clusters, seed, merge):
            after = merged(clusters, seed, candidate)
            if frame.rum(after) <= delta + TOLERANCE:
                frame.merges.append((seed, candidate))
                clusters = after
                break
        else:
            break
    for c in clusters:
        frame.losses(c)
    return clusters


def tum_bound(frame: Frame, clusters: list[Cluster], delta: float, merge: str, scan: bool = False) -> list[Cluster]:
    """Merge until the loss of the items is at most `delta`."""
    while frame.tum(clusters) > delta + TOLERANCE:
        if len(clusters) == 1:
            raise Unreachable(frame.tum(clusters))
        seed = frame.seed(clusters)
        candidates = frame.candidates(clusters, seed, merge)
        chosen = candidates[0]
        if scan:
            tested = (c for c in candidates if frame.tum(merged(clusters, seed, c)) <= delta + TOLERANCE)
            chosen = next(tested, chosen)
        frame.merges.append((seed, chosen))
        clusters = merged(clusters, seed, chosen)
    return clusters
