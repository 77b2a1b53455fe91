"""Anatomy, safe grouping, their detectors and estimates, as naively as they can be written.

A table is a list of identities and a list of values; a decision is a group per tuple (None: removed) and the set of
starred tuples.
"""

from collections import Counter
from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

Groups = list[int | None]


class Infeasible(Exception):  # noqa: N818
    """The guarantee cannot be reached; the message says by what."""


@dataclass
class Grouping:
    """What a grouping algorithm decided."""

    group: Groups
    starred: set[int] = field(default_factory=set)

    @property
    def removed(self) -> set[int]:
        """Tuples that are not published."""
        return {t for t, group in enumerate(self.group) if group is None}

    def members(self) -> list[list[int]]:
        """Return the tuples of each group."""
        count = len({group for group in self.group if group is not None})
        return [[t for t, group in enumerate(self.group) if group == number] for number in range(count)]


def require_eligible(values: Sequence[str], l: int) -> None:  # noqa: E741
    """Refuse values of which one is in more than 1/l of the tuples."""
    if values and l * max(Counter(values).values()) > len(values):
        msg = "eligible"
        raise Infeasible(msg)


def drawn_order(words: Sequence[int]) -> list[int]:
    """Return the rows in the order that one random number for each gives: the last place draws first."""
    rows = list(range(len(words)))
    for last in reversed(range(1, len(rows))):
        drawn = words[last] % (last + 1)
        rows[last], rows[drawn] = rows[drawn], rows[last]
    return rows


def anatomy(values: Sequence[str], l: int, order: Sequence[int] | None = None) -> Grouping:  # noqa: E741
    """Take the l largest buckets again and again; what is left over joins the first group that lacks its value.

    A bucket gives its tuples in the given order, or as they stand.
    """
    require_eligible(values, l)
    rows = range(len(values)) if order is None else order
    buckets = {v: [t for t in rows if values[t] == v] for v in sorted(set(values))}
    groups: list[list[int]] = []
    while sum(map(bool, buckets.values())) >= l:
        largest = sorted((v for v in buckets if buckets[v]), key=lambda v: (-len(buckets[v]), v))[:l]
        groups.append([buckets[v].pop(0) for v in largest])
    for v, left in buckets.items():
        for t in left:
            next(group for group in groups if v not in {values[u] for u in group}).append(t)
    decided: Groups = [None] * len(values)
    for number, group in enumerate(groups):
        for t in group:
            decided[t] = number
    return Grouping(decided)


def safe_grouping(ids: Sequence[Any], values: Sequence[str], k: int, l: int) -> Grouping:  # noqa: E741
    """Group the tuples of k individuals at a time, remove for diversity, star for equal visibility."""
    require_eligible(values, l)
    grouping = Grouping([None] * len(values))
    count = Counter(ids)
    if values and len(count) < k:
        msg = "individuals"
        raise Infeasible(msg)
    waiting = sorted(count, key=lambda u: (-count[u], u))
    number = 0
    while len(waiting) >= k:
        size = len(waiting) if len(waiting) < 2 * k else k
        chosen, waiting = waiting[:size], waiting[size:]
        group = [t for t, u in enumerate(ids) if u in chosen]
        make_diverse(group, ids, values, l)
        visible = Counter(ids[t] for t in group)
        if len(visible) < k:
            continue
        fewest = min(visible.values())
        for u in visible:
            grouping.starred.update([t for t in group if ids[t] == u][fewest:])
        for t in group:
            grouping.group[t] = number
        number += 1
    if values and number == 0:
        msg = "nothing left"
        raise Infeasible(msg)
    return grouping


def make_diverse(group: list[int], ids: Sequence[Any], values: Sequence[str], l: int) -> None:  # noqa: E741
    """Remove tuples from a group until no value has more than 1/l of it."""
    while group:
        count = Counter(values[t] for t in group)
        value = min(count, key=lambda v: (-count[v], v))
        if l * count[value] <= len(group):
            return
        total = Counter(ids[t] for t in group)
        who = min({ids[t] for t in group if values[t] == value}, key=lambda u: (-total[u], u))
        group.remove(max(t for t in group if ids[t] == who and values[t] == value))


def is_diverse(values: Collection[str], l: int) -> bool:  # noqa: E741
    """Tell whether no value has more than 1/l of the tuples."""
    return all(l * count <= len(values) for count in Counter(values).values())


def is_safe(
    shown: Sequence[Hashable | None],
    group: Sequence[Hashable],
    values: Mapping[Hashable, Sequence[str]],
    k: int,
    l: int,  # noqa: E741
) -> bool:
    """Tell whether a publication is safe, given the identity (None: starred) and group of each QIT row."""
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
    """Return the (group, individual, value) that the pigeonhole principle gives away."""
    found = set()
    for g in values:
        tuples = Counter(u for u, h in zip(shown, group, strict=True) if h == g and u is not None)
        count = Counter(values[g])
        found |= {(g, u, v) for u in tuples for v in count if tuples[u] + count[v] > len(values[g])}
    return found


def inter_group(
    shown: Sequence[Any],
    group: Sequence[Any],
    values: Mapping[Any, Sequence[str]],
    l: int,  # noqa: E741
    alpha: int,
    *,
    require_intersection: bool,
) -> set[tuple[Any, str, int, int, int]]:
    """Return (individual, value, groups with it, groups, values in common) of every violation across groups."""
    found = set()
    for u in set(shown) - {None}:
        groups = {g for v, g in zip(shown, group, strict=True) if v == u}
        if len(groups) < alpha:
            continue
        common = set.intersection(*(set(values[g]) for g in groups))
        for v in set.union(*(set(values[g]) for g in groups)):
            having = sum(v in values[g] for g in groups)
            frequent = Fraction(having, len(groups)) > Fraction(1, l)
            if frequent and (len(common) < l or not require_intersection):
                found.add((u, v, having, len(groups), len(common)))
    return found


def estimate(
    rows: Sequence[Mapping[str, str]],
    group: Sequence[Any],
    values: Mapping[Any, Sequence[str]],
    columns: Mapping[str, Collection[str]],
    sensitive: Collection[str] | None,
) -> Fraction:
    """Sum, over the QIT rows that satisfy the conditions, the share of their group's values that are allowed."""
    total = Fraction(0)
    for row, g in zip(rows, group, strict=True):
        if all(row[name] in allowed and row[name] != "*" for name, allowed in columns.items()):
            matching = len(values[g]) if sensitive is None else sum(v in sensitive for v in values[g])
            total += Fraction(matching, len(values[g]))
    return total
