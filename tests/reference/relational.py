"""Naive implementations of relational losses and cluster formation over lists, one record at a time."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from heapq import nsmallest
from math import fsum
from typing import Protocol

from reference.hierarchy_model import HierarchyModel

Value = str | int | float
Row = tuple[Value, ...]
Cluster = list[int]
MASK = (1 << 64) - 1
NEAR = 1e-7
"""Losses with a larger difference are ordered like their fractions, each of which is within 1e-8 of the float."""


class Attribute(Protocol):
    """Generalization of a column's values."""

    def loss(self, values: Sequence[Value]) -> float: ...

    def publish(self, values: Sequence[Value]) -> str: ...

    def split(self, values: Sequence[Value]) -> Callable[[Value], int]: ...


@dataclass(frozen=True)
class RangeModel:
    """Numbers of a column, published as the smallest range that contains all numbers of the class."""

    low: float
    high: float

    def loss(self, values: Sequence[Value]) -> float:
        numbers = [v for v in values if not isinstance(v, str)]
        if self.high == self.low:
            return 0.0
        return (max(numbers) - min(numbers)) / (self.high - self.low)

    def publish(self, values: Sequence[Value]) -> str:
        numbers = sorted(v for v in values if not isinstance(v, str))
        return f"{numbers[0]}" if numbers[0] == numbers[-1] else f"[{numbers[0]}:{numbers[-1]}]"

    def split(self, values: Sequence[Value]) -> Callable[[Value], int]:
        numbers = sorted(v for v in values if not isinstance(v, str))
        median = numbers[(len(numbers) - 1) // 2]
        return lambda value: int(not isinstance(value, str) and value > median)


@dataclass(frozen=True)
class SetModel:
    """A category without hierarchy, published as a set of values. `order` is the domain in canonical order.

    Values are split by descending frequency in `column`, the values of all records.
    """

    order: tuple[str, ...]
    column: tuple[str, ...]

    def loss(self, values: Sequence[Value]) -> float:
        return len(set(values)) / len(self.order) if len(set(values)) > 1 else 0.0

    def publish(self, values: Sequence[Value]) -> str:
        result = [v for v in self.order if v in set(values)]
        return result[0] if len(result) == 1 else "(" + ",".join(result) + ")"

    def split(self, values: Sequence[Value]) -> Callable[[Value], int]:
        # a stable sort: ties remain in canonical order
        ranked = sorted(self.order, key=lambda v: -self.column.count(v))
        position = {v: i for i, v in enumerate(ranked)}
        places = sorted(position[str(v)] for v in values)
        median = places[(len(places) - 1) // 2]
        return lambda value: int(position[str(value)] > median)


@dataclass(frozen=True)
class TreeModel:
    """A category with a hierarchy, published as the lowest common ancestor."""

    tree: HierarchyModel

    def node(self, values: Sequence[Value]) -> str:
        chains = [self.tree.chain[str(v)] for v in set(values)]
        return next(v for v in chains[0] if all(v in chain for chain in chains))

    def loss(self, values: Sequence[Value]) -> float:
        leaves = len(self.tree.below[self.node(values)])
        return leaves / len(self.tree.leaves) if leaves > 1 else 0.0

    def publish(self, values: Sequence[Value]) -> str:
        return self.node(values)

    def split(self, values: Sequence[Value]) -> Callable[[Value], int]:
        children = self.tree.children[self.node(values)]
        return lambda value: next(i for i, child in enumerate(children) if value in self.tree.below[child])


def key(value: float) -> float:
    """Round to twelve decimals to ignore rounding noise."""
    return round(value * 1e12)


@lru_cache(maxsize=1 << 16)
def rational(value: float) -> Fraction:
    """Return the nearest fraction with a small denominator, so that equal losses compare equal."""
    return Fraction(value).limit_denominator(10**8)


@dataclass(frozen=True)
class Relation:
    """Rows, the columns' generalizations, and the columns' weights."""

    rows: Sequence[Row]
    attributes: Sequence[Attribute]
    weights: Sequence[float]

    @classmethod
    def of(cls, rows: Sequence[Row], attributes: Sequence[Attribute]) -> "Relation":
        """Create a relation with equal weights."""
        return cls(rows, attributes, [1 / len(attributes)] * len(attributes))

    def loss(self, members: Sequence[int]) -> float:
        """Return N: the loss per record if all members are generalized to a common tuple."""
        total = 0.0
        for i, (attribute, weight) in enumerate(zip(self.attributes, self.weights, strict=True)):
            total += weight * attribute.loss([self.rows[r][i] for r in members])
        return total

    def publish(self, members: Sequence[int]) -> tuple[str, ...]:
        """Return the common tuple as text."""
        return tuple(a.publish([self.rows[r][i] for r in members]) for i, a in enumerate(self.attributes))

    def total(self, clusters: Sequence[Cluster]) -> float:
        """Return the average loss of a record."""
        return fsum(len(c) * self.loss(c) for c in clusters) / len(self.rows)


def split_mix(seed: int) -> Iterator[int]:
    """Yield the random numbers of SplitMix64."""
    state = seed
    while True:
        state = (state + 0x9E3779B97F4A7C15) & MASK
        z = state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        yield z ^ (z >> 31)


def in_order(clusters: Sequence[Sequence[int]]) -> list[Cluster]:
    """Sort the members of each cluster, and the clusters by their first member."""
    return sorted(sorted(c) for c in clusters)


def cluster(relation: Relation, k: int, seed: int | None = None) -> list[Cluster]:
    """CLUSTER: repeatedly form a cluster from a seed and the k-1 cheapest records."""
    remaining = list(range(len(relation.rows)))
    random = split_mix(seed or 0)
    clusters: list[Cluster] = []
    while len(remaining) >= k:
        s = remaining[0] if seed is None else remaining[next(random) % len(remaining)]
        losses = {r: relation.loss([s, r]) for r in remaining if r != s}
        limit = max(nsmallest(k - 1, losses.values()), default=0.0) + NEAR
        others = nsmallest(k - 1, ((rational(loss), r) for r, loss in losses.items() if loss <= limit))
        chosen = [s, *(r for _, r in others)]
        clusters.append(chosen)
        remaining = [r for r in remaining if r not in chosen]
    for r in remaining:
        best = min(range(len(clusters)), key=lambda i: (rational(relation.loss([*clusters[i], r])), i))
        clusters[best].append(r)
    merged: dict[tuple[str, ...], Cluster] = {}
    for members in clusters:
        merged.setdefault(relation.publish(members), []).extend(members)
    return in_order(list(merged.values()))


def k_member(relation: Relation, k: int) -> list[Cluster]:
    """k-member: start with the record farthest from the last added record, then add the cheapest records."""
    remaining = list(range(len(relation.rows)))
    clusters: list[Cluster] = []
    start = 0

    def increase(members: Cluster, r: int) -> Fraction:
        grown = [*members, r]
        return rational(len(grown) * relation.loss(grown) - len(members) * relation.loss(members))

    while len(remaining) >= k:
        before = start
        start = max(remaining, key=lambda x: (rational(relation.loss([before, x])), -x))
        members = [start]
        remaining.remove(start)
        while len(members) < k:
            best = min(remaining, key=lambda x: (increase(members, x), x))
            members.append(best)
            remaining.remove(best)
            start = best
        clusters.append(members)
    for r in remaining:
        best = min(range(len(clusters)), key=lambda i: (increase(clusters[i], r), i))
        clusters[best].append(r)
    return in_order(clusters)


def mondrian(
    relation: Relation, k: int, members: Cluster | None = None, keeps: Callable[[Cluster], bool] = bool
) -> list[Cluster]:
    """Split by the widest attribute for which both parts have k records and satisfy the rule."""
    members = list(range(len(relation.rows))) if members is None else members
    widths = []
    for i, attribute in enumerate(relation.attributes):
        width = attribute.loss([relation.rows[r][i] for r in members])
        if width > 0:
            widths.append((-key(width), i))
    for _, i in sorted(widths):
        part_of = relation.attributes[i].split([relation.rows[r][i] for r in members])
        parts: dict[int, Cluster] = {}
        for r in members:
            parts.setdefault(part_of(relation.rows[r][i]), []).append(r)
        if len(parts) >= 2 and all(len(part) >= k and keeps(part) for part in parts.values()):
            return in_order([c for part in parts.values() for c in mondrian(relation, k, part, keeps)])
    return [members]


def xu_bottom_up(relation: Relation, k: int) -> list[Cluster]:
    """Merge undersized clusters with their cheapest partners, then split oversized clusters."""
    clusters = [[r] for r in range(len(relation.rows))]
    while any(len(c) < k for c in clusters):
        for members in [c for c in clusters if len(c) < k]:
            if members not in clusters:
                continue
            others = [c for c in clusters if c != members]
            partner = min(
                others, key=lambda c: (rational((len(c) + len(members)) * relation.loss(members + c)), min(c))
            )
            clusters = in_order([*(c for c in others if c != partner), members + partner])
    done: list[Cluster] = []
    for members in clusters:
        pieces = len(members) // k
        if pieces < 2:
            done.append(members)
            continue
        first = members[0]
        ranked = sorted(members, key=lambda x: (rational(relation.loss([first, x])), x))
        done += [ranked[i * k : (i + 1) * k if i < pieces - 1 else None] for i in range(pieces)]
    return in_order(done)


def xu_top_down(relation: Relation, k: int, members: Cluster | None = None) -> list[Cluster]:
    """Split in two around distant seeds until clusters have fewer than 2k records."""
    members = list(range(len(relation.rows))) if members is None else members
    if len(members) < 2 * k:
        return [members]

    def furthest(x: int) -> int:
        return max((y for y in members if y != x), key=lambda y: (rational(relation.loss([x, y])), -y))

    u = members[0]
    for _ in range(3):
        v = furthest(u)
        before, u = u, furthest(v)
        if u == before:
            break
    sides = [[u], [v]]
    for x in members:
        if x not in (u, v):
            keys = [rational(relation.loss([*side, x])) for side in sides]
            sides[int(keys[1] < keys[0])].append(x)
    for small, large in (sides, sides[::-1]):
        while len(small) < k:
            pulled = min(large, key=lambda x: (rational(relation.loss([*small, x])), x))
            large.remove(pulled)
            small.append(pulled)
    return in_order([c for side in sides for c in xu_top_down(relation, k, sorted(side))])
