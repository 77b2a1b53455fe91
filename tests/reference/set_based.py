"""Naive implementations of COAT, PCTA and Pgen: sets, big integers and every subset of every constraint."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from itertools import chain, combinations

Rows = Sequence[Collection[str]]
Group = tuple[str, ...]
Weight = Callable[[frozenset[str]], Fraction]
Step = tuple[Group, Group | None, int]
"""A group, the group that it is merged with (None: suppressed), and the resulting support."""


class Infeasible(Exception):  # noqa: N818
    """The constraints cannot be satisfied within the bounds."""


def uniform(group: frozenset[str]) -> Fraction:
    """Return weight 0 for an item, 1 for a group."""
    return Fraction(int(len(group) > 1))


def cheapest_around(entries: Sequence[tuple[Collection[str], Fraction]]) -> Weight:
    """Return weight 0 for an item, and for a group the smallest weight of an entry that contains it, or 1."""

    def weigh(group: frozenset[str]) -> Fraction:
        result = [weight for items, weight in entries if group <= set(items)]
        return min(result, default=Fraction(1)) if len(group) > 1 else Fraction(0)

    return weigh


def subsets(found: Collection[frozenset[str]]) -> list[frozenset[frozenset[str]]]:
    """Return the non-empty subsets of a set of groups."""
    members = list(found)
    sizes = (combinations(members, size) for size in range(1, len(members) + 1))
    return [frozenset(subset) for subset in chain.from_iterable(sizes)]


@dataclass
class State:
    """Groups under construction, over a universe in canonical order."""

    rows: list[set[str]]
    universe: Sequence[str]
    k: int
    utility: Sequence[Collection[str]]
    weight: Weight
    limit: Fraction
    image: dict[str, frozenset[str] | None] = field(default_factory=dict)
    steps: list[Step] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.holders = cache(lambda group: frozenset(r for r, row in enumerate(self.rows) if group & row))
        self.occurring = [x for x in self.universe if any(x in row for row in self.rows)]
        self.image = {x: frozenset([x]) for x in self.universe}

    def pos(self, group: Collection[str]) -> int:
        return min(map(self.universe.index, group))

    def ordered(self, group: Collection[str]) -> Group:
        return tuple(sorted(group, key=self.universe.index))

    def groups(self) -> list[frozenset[str]]:
        """Return the groups that occur, in canonical order."""
        return sorted({g for x in self.occurring if (g := self.image[x]) is not None}, key=self.pos)

    def published(self, row: Collection[str]) -> set[frozenset[str]]:
        return {g for x in row if (g := self.image[x]) is not None}

    def support(self, found: Collection[frozenset[str]]) -> int:
        return len(frozenset(range(len(self.rows))).intersection(*map(self.holders, found)))

    def image_of(self, constraint: Collection[str]) -> list[frozenset[str]]:
        result = {g for x in constraint if x in self.occurring and (g := self.image[x]) is not None}
        return sorted(result, key=lambda g: (self.support([g]), self.pos(g)))

    def satisfied(self, constraint: Collection[str]) -> bool:
        """Return True if a constraint is satisfied (Definition 3.4)."""
        image = frozenset(self.image_of(constraint))
        if not image or self.support(image) >= self.k:
            return True
        if self.support(image) > 0:
            return False
        return all(self.support(s) >= self.k or self.support(s) == 0 for s in subsets(image) if s != image)

    def choose(self, constraints: Sequence[Collection[str]]) -> Collection[str] | None:
        """Return the first unsatisfied constraint of largest support."""
        violated = [p for p in constraints if not self.satisfied(p)]
        return max(violated, key=lambda p: self.support(self.image_of(p)), default=None)

    def partners(self, group: frozenset[str]) -> list[frozenset[str]]:
        allowed = next(u for u in self.utility if group <= set(u))
        return [g for g in self.groups() if g != group and g <= set(allowed)]

    def loss(self, group: frozenset[str]) -> Fraction:
        """Return UL without the factors that all groups share."""
        subsets_of_items: int = 2 ** len(group) - 1
        return subsets_of_items * self.weight(group) * self.support([group])

    def merge(self, group: frozenset[str], partner: frozenset[str]) -> None:
        both = group | partner
        self.image.update(dict.fromkeys(both, both))
        self.steps.append((self.ordered(group), self.ordered(partner), self.support([both])))

    def suppress(self, group: frozenset[str]) -> None:
        self.steps.append((self.ordered(group), None, self.support([group])))
        self.image.update(dict.fromkeys(group))
        if sum(g is None for g in self.image.values()) > self.limit * len(self.universe):
            raise Infeasible

    def partition(self) -> list[Group]:
        """Return all groups, in canonical order."""
        result = {g for g in self.image.values() if g is not None}
        return [self.ordered(g) for g in sorted(result, key=self.pos)]

    def suppressed(self) -> list[str]:
        return [x for x in self.universe if self.image[x] is None]


def all_itemsets(rows: Rows, universe: Sequence[str], m: int) -> list[Group]:
    """Return every m-itemset of occurring items, in lexicographic order. `m` is capped at the number of these items."""
    occurring = [x for x in universe if any(x in row for row in rows)]
    return list(combinations(occurring, min(m, len(occurring)))) if occurring else []


def coat(state: State, constraints: Sequence[Collection[str]], *, suppress_single: bool = False) -> State:
    """COAT (ALGORITHM 1 of its paper, as interpreted in the specification)."""
    while (p := state.choose(constraints)) is not None:
        while not state.satisfied(p):
            image = state.image_of(p)
            if suppress_single and len(image) == 1:
                state.suppress(image[0])
                continue
            for group in image:
                if partners := state.partners(group):
                    state.merge(group, min(partners, key=lambda g: (state.loss(group | g), state.pos(g))))
                    break
                if state.support([group]) < state.k:
                    state.suppress(group)
                    break
            else:
                state.suppress(image[0])
    return state


def pcta(state: State, constraints: Sequence[Collection[str]]) -> State:
    """PCTA: the cheapest merge of any group of the constraint."""
    while (p := state.choose(constraints)) is not None:
        while not state.satisfied(p):
            pairs = [(g, other) for g in state.image_of(p) for other in state.partners(g)]
            if not pairs:
                raise Infeasible
            cheapest = min(pairs, key=lambda pair: (state.loss(pair[0] | pair[1]), sorted(map(state.pos, pair))))
            state.merge(*sorted(cheapest, key=state.pos))
    return state


def pgen(rows: Rows, universe: Sequence[str], k: int) -> list[Group]:
    """Pgen: quadratic, as published."""
    pos = {x: i for i, x in enumerate(universe)}
    ordered = sorted(
        (sorted(row, key=pos.__getitem__) for row in rows), key=lambda row: (-len(row), [pos[x] for x in row])
    )
    maximal: list[list[str]] = []
    for row in ordered:
        if row and not any(set(row) <= set(other) for other in maximal):
            maximal.append(row)
    return [tuple(row) for row in maximal if sum(1 for other in rows if set(row) <= set(other)) < k]
