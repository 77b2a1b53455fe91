"""An attacker's view of a bucketized table, and attacks that infer removed tuples and their values."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from anonset.data import CategoricalColumn, Table, Vocabulary
from anonset.generalization import Bucketized
from anonset.generalization.bucketizing import bucketize
from anonset.publications import Buckets

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
N_VALUES = 12


@dataclass(frozen=True, eq=False)
class View:
    """The groups of a publication and their visible persons."""

    number: Ints
    """int64 (groups,): group numbers."""
    shown: Ints
    """int64 (groups,): visible tuples per person."""
    starred: Ints
    """int64 (groups,): number of starred tuples."""
    larger: Bools
    """bool (groups,): True for groups with more persons than others."""
    top: Ints
    """int64 (groups,): most frequent value, -1 in case of a tie."""
    person: Ints
    """int64 (persons,): visible persons."""
    group: Ints
    """int64 (persons,): group of each person."""
    name: Ints
    """int64 (persons,): alphabetical rank of each person's name."""

    @classmethod
    def of(cls, publication: Buckets) -> "View":
        """Derive the view from the QIT and the SNT only."""
        n_groups, n_ids = publication.n_groups, len(publication.ids[0].vocabulary)
        visible = ~publication.starred
        pairs, times = np.unique(
            publication.group.codes[visible].astype(np.int64) * n_ids + publication.ids[0].codes[visible],
            return_counts=True,
        )
        group, person = np.divmod(pairs, n_ids)
        shown = np.zeros(n_groups, np.int64)
        shown[group] = times
        persons = np.bincount(group, minlength=n_groups)
        counts = np.zeros((n_groups, len(publication.snt_value.vocabulary)), np.int64)
        counts[publication.snt_group, publication.snt_value.codes] = publication.snt_count
        alone = (counts == counts.max(axis=1, keepdims=True)).sum(axis=1) == 1
        top = np.where(alone, counts.argmax(axis=1), -1)
        starred = publication.sizes - shown * persons
        return cls(np.arange(n_groups), shown, starred, persons > persons.min(), top, person, group, person)

    def redrawn(self, random: np.random.Generator, counts: Ints) -> "View":
        """Randomize the parts that must be uninformative: numbers, larger groups, names among equal tuple counts."""
        shuffled = random.permutation(len(self.name))
        name = np.empty_like(self.name)
        original = counts[self.person]
        by_count = np.argsort(original, kind="stable")
        name[by_count] = self.name[shuffled[np.argsort(original[shuffled], kind="stable")]]
        return replace(self, number=random.permutation(self.number), larger=random.permutation(self.larger), name=name)


Attack = Callable[[View, Ints], Bools]
"""From a view, and everyone's tuple count if known, to the persons claimed to have lost a tuple with the top value."""


def by_numbers(view: View, _: Ints) -> Bools:
    """If groups are numbered by descending tuple count, a person with fewer tuples than a later group has lost a
    tuple.
    """
    order = np.argsort(view.number)
    at_least = np.empty_like(view.shown)
    at_least[order] = np.maximum.accumulate(view.shown[order][::-1])[::-1]
    return _claims(view, view.shown + view.starred < at_least)


def by_larger_groups(view: View, _: Ints) -> Bools:
    """If larger groups contain the persons with fewest tuples, anyone with fewer has lost a tuple."""
    at_least = view.shown[view.larger].max(initial=0)
    return _claims(view, view.shown + view.starred < at_least)


def by_names(view: View, _: Ints) -> Bools:
    """If persons with equal tuple counts are grouped by name, name ranges reveal a group's true count.

    A group has lost a tuple per person if its name range overlaps groups with the same count, but none with one more.
    """
    low, high = np.full(len(view.shown), np.iinfo(np.int64).max), np.full(len(view.shown), -1)
    np.minimum.at(low, view.group, view.name)
    np.maximum.at(high, view.group, view.name)
    even = view.starred == 0
    lost = np.zeros(len(view.shown), np.bool_)
    for shown in range(1, int(view.shown.max())):
        same_count, above = (np.flatnonzero(even & (view.shown == tuples)) for tuples in (shown, shown + 1))
        if len(above) >= 10:
            crossed = _crossing(low, high, same_count, same_count) > 1  # a group overlaps itself
            lost[same_count] = crossed & (_crossing(low, high, same_count, above) == 0)
    return _claims(view, lost)


def by_first_names(view: View, counts: Ints) -> Bools:
    """Replay the removals, given everyone's tuple count: most tuples first, ties by name."""
    claims = np.zeros(len(view.person), np.bool_)
    total = np.bincount(view.group, counts[view.person], len(view.shown)).astype(np.int64)
    n_persons = np.bincount(view.group, minlength=len(view.shown))
    missing = total - view.starred - view.shown * n_persons
    begin = np.searchsorted(view.group, np.arange(len(view.shown) + 1))
    for group in np.flatnonzero((missing > 0) & (view.top >= 0)).tolist():
        members = range(begin[group], begin[group + 1])
        remaining = {i: int(counts[view.person[i]]) for i in members}
        for _ in range(int(missing[group])):
            loser = max(remaining, key=lambda at: (remaining[at], -view.name[at]))
            remaining[loser] -= 1
            claims[loser] = True
    return claims


def _claims(view: View, lost: Bools) -> Bools:
    return (lost & (view.top >= 0))[view.group]


def _crossing(low: Ints, high: Ints, own: Ints, others: Ints) -> Ints:
    """Return the number of `others` that each group of `own` overlaps."""
    ended = np.searchsorted(np.sort(high[others]), low[own])
    begun = np.searchsorted(np.sort(low[others]), high[own], side="right")
    return (begun - ended).astype(np.int64)


def patients(seed: int, n: int = 3000, fewest: int = 1) -> Table:
    """Draw tuples of `n` persons, each with at least `fewest` tuples, mostly with the person's usual value."""
    random = np.random.default_rng(seed)
    counts = fewest + np.minimum(random.geometric(0.45, n) - 1, 7)
    person = random.permutation(np.repeat(np.arange(n, dtype=np.int32), counts))
    usual = random.integers(0, N_VALUES, n)
    value = np.where(random.random(len(person)) < 0.6, usual[person], random.integers(0, N_VALUES, len(person)))
    names = Vocabulary(tuple(f"p{i:04}" for i in range(n)))
    drugs = Vocabulary(tuple(f"v{i:02}" for i in range(N_VALUES)))
    ids = (CategoricalColumn("patient", person, names),)
    return Table(sensitive=CategoricalColumn("drug", value.astype(np.int32), drugs), ids=ids)


def removed(table: Table, buckets: Bucketized) -> Bools:
    """Return bool (persons, values): True if the person lost a tuple with the value."""
    assert table.sensitive is not None
    lost = np.zeros((len(table.ids[0].vocabulary), N_VALUES), np.bool_)
    gone = buckets.group < 0
    lost[table.ids[0].codes[gone], table.sensitive.codes[gone]] = True
    return lost


@dataclass(frozen=True)
class Hits:
    """Number of claims of an attack, and of correct claims."""

    named: float
    right: float

    @classmethod
    def of(cls, attack: Attack, view: View, counts: Ints, lost: Bools) -> "Hits":
        """Compare an attack's claims with the removed tuples."""
        claims = attack(view, counts)
        return cls(int(claims.sum()), int(lost[view.person[claims], view.top[view.group[claims]]].sum()))

    def above(self, rate: float) -> float:
        """Return the excess of correct claims over a rate, in standard deviations for independent claims."""
        return (self.right - rate * self.named) / max(1e-9, self.named * rate * (1 - rate)) ** 0.5

    def __add__(self, other: "Hits") -> "Hits":
        return Hits(self.named + other.named, self.right + other.right)


@dataclass(frozen=True)
class Score:
    """Result of an attack, and of the same attack on randomized views."""

    hits: Hits
    chance: list[Hits]

    @property
    def above_chance(self) -> float:
        """Excess of correct claims over the control, in standard deviations.

        The deviation is that of independent claims, or of the control if larger: persons of a group lose tuples
        together.
        """
        named, right = (sum(getattr(hits, what) for hits in self.chance) for what in ("named", "right"))
        rate = (right + 1) / (named + 2)
        control = [hits.above(rate) for hits in self.chance]
        return self.hits.above(rate) / max(1.0, float(np.std(control)))


def score(attack: Attack, published: list[tuple[Table, Bucketized]], redraws: int = 20) -> Score:
    """Run an attack on publications, and on randomized views of them."""
    hits, chance = Hits(0, 0), [Hits(0, 0)] * redraws
    for seed, (table, buckets) in enumerate(published):
        view, lost = View.of(bucketize(table, buckets)), removed(table, buckets)
        counts = np.bincount(table.ids[0].codes, minlength=len(lost))
        hits += Hits.of(attack, view, counts, lost)
        random = np.random.default_rng(seed)
        chance = [sum_ + Hits.of(attack, view.redrawn(random, counts), counts, lost) for sum_ in chance]
    return Score(hits, chance)
