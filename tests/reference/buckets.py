"""Naive implementations of Anatomy, safe grouping, their detectors and estimates.

A table is a list of identities and a list of values. A grouping is a group number per tuple (None: removed) and the set
of starred tuples.
"""

from collections import Counter
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from typing import Any

from reference.draws import Draw

Groups = list[int | None]
Number = Callable[[int], int]
"""Random draws for a single purpose."""
SHOWN = "safe grouping: which of an individual's tuples are shown"
GONE = "safe grouping: which of an individual's tuples with the value go"


class Infeasible(Exception):  # noqa: N818
    """The guarantee is infeasible. The message names the condition."""


@dataclass
class Grouping:
    """Result of a grouping algorithm."""

    group: Groups
    starred: set[int] = field(default_factory=set)
    removed_for_diversity: int = 0
    too_frequent: int = 0

    @property
    def removed(self) -> set[int]:
        """Number of tuples that are not published."""
        return {t for t, group in enumerate(self.group) if group is None}

    def members(self) -> list[list[int]]:
        count = len({group for group in self.group if group is not None})
        return [[t for t, group in enumerate(self.group) if group == number] for number in range(count)]


def require_eligible(values: Sequence[str], l: int) -> None:  # noqa: E741
    """Raise Infeasible if a value occurs in more than 1/l of the tuples."""
    if values and l * max(Counter(values).values()) > len(values):
        raise Infeasible("eligible")


def drawn_order(
    codes: Sequence[int], draw: Number, room: int = 1 << 15, weights: Counter[int] | None = None
) -> list[int]:
    """Return the entries by code, in random order within a code.

    If the entries of a code weigh more than `room` (1 each by default), b bits of a quarter draw spread them over 2^b
    stretches. Each stretch is then shuffled from the last place to the first.
    """
    bits = dict.fromkeys(codes, 0)
    for code, size in Counter(codes).items():
        while size * (1 if weights is None else weights[code]) >> bits[code] > room and bits[code] < 16:
            bits[code] += 1
    stretches: dict[tuple[int, int], list[int]] = {}
    for entry, code in enumerate(codes):
        quarter = draw((1 << 62) + entry // 4) >> 16 * (entry % 4) if bits[code] else 0
        stretches.setdefault((code, quarter % (1 << bits[code])), []).append(entry)
    order: list[int] = []
    for _, entries in sorted(stretches.items()):
        begin, end = len(order), len(order) + len(entries)
        for last in reversed(range(1, len(entries))):
            other = exchanged(begin + last, begin, end, draw) - begin
            entries[last], entries[other] = entries[other], entries[last]
        order += entries
    return order


def exchanged(place: int, begin: int, end: int, draw: Number) -> int:
    """Return the place to swap with. An odd place and the place before it share a draw."""
    span = place - begin + 1
    if span > 1 << 16:
        return begin + draw((1 << 61) + place) % span
    first = place % 2 == 1 or place + 1 == end or span == 1 << 16
    word = draw(place // 2)
    return begin + (word if first else word // (span + 1)) % span


def order_by_value(values: Sequence[str], draw: Draw) -> list[int]:
    """Return the order in which Anatomy processes tuples."""
    known = sorted(set(values))
    return drawn_order([known.index(v) for v in values], partial(draw, "anatomy: order of the tuples of a value"))


def chosen(places: Sequence[int], wanted: int, draw: Number) -> set[int]:
    """Choose `wanted` places uniformly at random, by sequential sampling with a draw per place."""
    result: set[int] = set()
    for i, place in enumerate(places):
        if draw(place) % (len(places) - i) < wanted - len(result):
            result.add(place)
    return result


def anatomy(values: Sequence[str], l: int, order: Sequence[int] | None = None) -> Grouping:  # noqa: E741
    """Repeatedly form a group from the l largest buckets. Each residual tuple joins the first group without its value.

    Tuples leave a bucket in `order`, or in input order.
    """
    require_eligible(values, l)
    rows = range(len(values)) if order is None else order
    buckets = {v: [t for t in rows if values[t] == v] for v in sorted(set(values))}
    groups: list[list[int]] = []
    while sum(map(bool, buckets.values())) >= l:
        largest = sorted((v for v in buckets if buckets[v]), key=lambda v: (-len(buckets[v]), v))[:l]
        groups.append([buckets[v].pop(0) for v in largest])
    for v, remaining in buckets.items():
        for t in remaining:
            next(group for group in groups if v not in {values[u] for u in group}).append(t)
    decided: Groups = [None] * len(values)
    for number, group in enumerate(groups):
        for t in group:
            decided[t] = number
    return Grouping(decided)


def safe_grouping(ids: Sequence[Any], values: Sequence[str], k: int, l: int, draw: Draw) -> Grouping:  # noqa: E741
    """Group the tuples of individuals by descending count, remove tuples for diversity, star tuples for equal
    visibility.
    """
    grouping = Grouping([None] * len(values))
    tuples: dict[Any, list[int]] = {u: [] for u in sorted(set(ids))}
    for t, u in enumerate(ids):
        tuples[u].append(t)
    if values and len(tuples) < k:
        raise Infeasible("individuals")
    people = by_falling_count(tuples, partial(draw, "safe grouping: order of individuals with equally many tuples"))
    place = {t: i for i, t in enumerate(t for u in people for t in tuples[u])}
    formed = []
    for members in groups_of(people, k, partial(draw, "safe grouping: groups of one individual more")):
        group = [t for u in members for t in tuples[u]]
        grouping.too_frequent += sum(max(0, c - len(group) // l) for c in Counter(values[t] for t in group).values())
        remaining = diverse(group, ids, values, l, place, draw)
        grouping.removed_for_diversity += len(group) - len(remaining)
        if len({ids[t] for t in remaining}) >= k:
            formed.append(remaining)
    if values and not formed:
        raise Infeasible("nothing left")
    numbers = drawn_order([0] * len(formed), partial(draw, "safe grouping: numbers of the groups"), len(formed))
    for number, group in zip(numbers, formed, strict=True):
        for t in group:
            grouping.group[t] = number
        fewest = min(Counter(ids[t] for t in group).values())
        for u in {ids[t] for t in group}:
            tuple_at = {place[t]: t for t in group if ids[t] == u}
            shown = chosen(sorted(tuple_at), fewest, partial(draw, SHOWN))
            grouping.starred |= {tuple_at[i] for i in tuple_at.keys() - shown}
    return grouping


def by_falling_count(tuples: Mapping[Any, Sequence[int]], draw: Number) -> list[Any]:
    """Return the individuals by descending number of tuples, in random order for equal numbers."""
    people, counts = list(tuples), [len(tuples_of_person) for tuples_of_person in tuples.values()]
    return [people[i] for i in drawn_order([-c for c in counts], draw, weights=Counter({-c: c for c in counts}))]


def groups_of(people: Sequence[Any], k: int, draw: Number) -> list[Sequence[Any]]:
    """Partition into groups of k. Randomly chosen groups receive the remaining individuals. Fewer than 2k form a single
    group.
    """
    n = len(people) // k
    larger = chosen(range(n), len(people) % n, draw) if n else set()
    sizes = [len(people) // n + (i in larger) for i in range(n)]
    return [people[sum(sizes[:i]) : sum(sizes[: i + 1])] for i in range(n)]


def diverse(
    group: Sequence[int],
    ids: Sequence[Any],
    values: Sequence[str],
    l: int,  # noqa: E741
    place: Mapping[int, int],
    draw: Draw,
) -> list[int]:
    """Return the tuples of a group that remain if no value may exceed 1/l of them.

    Repeatedly draw one of the most frequent values, then one of its individuals with most tuples. Counts are fixed
    before the removed tuples are drawn.
    """
    of: dict[tuple[Any, str], list[int]] = {}
    for t in sorted(group, key=lambda t: place[t]):
        of.setdefault((ids[t], values[t]), []).append(t)
    gone: Counter[tuple[Any, str]] = Counter()
    while True:
        count, total = Counter[str](), Counter[Any]()
        for (u, v), own in of.items():
            count[v] += len(own) - gone[u, v]
            total[u] += len(own) - gone[u, v]
        most = max(count.values(), default=0)
        if l * most <= count.total():
            break
        first = {v: min(place[t] for t in group if values[t] == v) for v in count if count[v] == most}
        purpose = partial(draw, "safe grouping: which of equally frequent values loses a tuple")
        value = max(first, key=lambda v: purpose((most << 32) + first[v]))
        have = [u for (u, v), own in of.items() if v == value and gone[u, v] < len(own)]
        fullest = max(total[u] for u in have)
        purpose_of = partial(draw, "safe grouping: which of the individuals with most tuples loses one")
        share = {u: place[of[u, value][0]] for u in have if total[u] == fullest}
        gone[max(share, key=lambda u: purpose_of((fullest << 32) + share[u]) >> 32), value] += 1
    removed: set[int] = set()
    for key, n in gone.items():
        own = {place[t]: t for t in of[key]}
        picked = chosen(sorted(own), n, partial(draw, GONE))
        removed |= {own[i] for i in picked}
    return [t for t in group if t not in removed]


def is_diverse(values: Collection[str], l: int) -> bool:  # noqa: E741
    """Return True if no value exceeds 1/l of the tuples."""
    return all(l * count <= len(values) for count in Counter(values).values())


def is_safe(
    shown: Sequence[Hashable | None],
    group: Sequence[Hashable],
    values: Mapping[Hashable, Sequence[str]],
    k: int,
    l: int,  # noqa: E741
) -> bool:
    """Return True if a publication is safe, given the identity (None: starred) and group of each QIT row."""
    visible = [(u, g) for u, g in zip(shown, group, strict=True) if u is not None]
    if any(len({g for v, g in visible if v == u}) > 1 for u, _ in visible):
        return False
    for g in set(group):
        tuples = Counter(u for u, h in visible if h == g)
        if len(tuples) < k or len(set(tuples.values())) > 1 or not is_diverse(values[g], l):
            return False
    return True


def loss(grouping: Grouping) -> Fraction:
    """Return the share of tuples that are starred or removed."""
    return Fraction(len(grouping.starred | grouping.removed), max(1, len(grouping.group)))


def intra_group(
    shown: Sequence[Any], group: Sequence[Any], values: Mapping[Any, Sequence[str]]
) -> set[tuple[Any, Any, str]]:
    """Return the (group, individual, value) triples disclosed by the pigeonhole principle."""
    result = set()
    for g in values:
        tuples = Counter(u for u, h in zip(shown, group, strict=True) if h == g and u is not None)
        count = Counter(values[g])
        result |= {(g, u, v) for u in tuples for v in count if tuples[u] + count[v] > len(values[g])}
    return result


def inter_group(
    shown: Sequence[Any],
    group: Sequence[Any],
    values: Mapping[Any, Sequence[str]],
    l: int,  # noqa: E741
    alpha: int,
) -> set[tuple[Any, str, int, int, int]]:
    """Return all violations across groups: (individual, value, groups with the value, groups, common values)."""
    result = set()
    for u in set(shown) - {None}:
        groups = {g for v, g in zip(shown, group, strict=True) if v == u}
        if len(groups) < alpha:
            continue
        common = set.intersection(*(set(values[g]) for g in groups))
        for v in set.union(*(set(values[g]) for g in groups)):
            having = sum(v in values[g] for g in groups)
            frequent = Fraction(having, len(groups)) > Fraction(1, l)
            if frequent and len(common) < l:
                result.add((u, v, having, len(groups), len(common)))
    return result


def estimate(
    rows: Sequence[Mapping[str, str]],
    group: Sequence[Any],
    values: Mapping[Any, Sequence[str]],
    columns: Mapping[str, Collection[str]],
    sensitive: Collection[str] | None,
) -> Fraction:
    """Sum the share of allowed values in the groups of all QIT rows that satisfy the conditions."""
    total = Fraction(0)
    for row, g in zip(rows, group, strict=True):
        if all(row[name] in allowed and row[name] != "*" for name, allowed in columns.items()):
            matching = len(values[g]) if sensitive is None else sum(v in sensitive for v in values[g])
            total += Fraction(matching, len(values[g]))
    return total
