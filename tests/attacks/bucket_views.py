"""What an attacker sees of a bucketized table, and what attackers conclude from it: who lost a tuple, and its value."""

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
    """The groups of a publication and the persons that they show."""

    number: Ints
    """int64 (groups,): number of each group."""
    shown: Ints
    """int64 (groups,): tuples that each person of it shows."""
    starred: Ints
    """int64 (groups,): tuples without identity."""
    larger: Bools
    """bool (groups,): whether it has more persons than others."""
    top: Ints
    """int64 (groups,): its most frequent value, -1 where there are two."""
    person: Ints
    """int64 (persons,): the persons that are shown."""
    group: Ints
    """int64 (persons,): group of each."""
    name: Ints
    """int64 (persons,): place of each person's name in the alphabet."""

    @classmethod
    def of(cls, publication: Buckets) -> "View":
        """Look at the QIT and the SNT alone."""
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
        """Draw anew what must say nothing: numbers, larger groups, the names of who have equally many tuples."""
        shuffled = random.permutation(len(self.name))
        name = np.empty_like(self.name)
        original = counts[self.person]
        by_count = np.argsort(original, kind="stable")
        name[by_count] = self.name[shuffled[np.argsort(original[shuffled], kind="stable")]]
        return replace(self, number=random.permutation(self.number), larger=random.permutation(self.larger), name=name)


Attack = Callable[[View, Ints], Bools]
"""From what is seen, and the number of tuples of everybody where it is known: who has lost one of the top value."""


def by_numbers(view: View, _: Ints) -> Bools:
    """Groups fall in the number of tuples: who shows fewer than somebody of a later group has lost one."""
    order = np.argsort(view.number)
    at_least = np.empty_like(view.shown)
    at_least[order] = np.maximum.accumulate(view.shown[order][::-1])[::-1]
    return _claims(view, view.shown + view.starred < at_least)


def by_larger_groups(view: View, _: Ints) -> Bools:
    """A larger group holds who is left over, who have fewest tuples: who shows fewer than they do has lost one."""
    at_least = view.shown[view.larger].max(initial=0)
    return _claims(view, view.shown + view.starred < at_least)


def by_names(view: View, _: Ints) -> Bools:
    """Of persons with equally many tuples, groups take one by name after the other.

    A group whose span of names crosses those of groups that show as many, and none of those that show one more, has
    its place among these, and has lost a tuple of each.
    """
    low, high = np.full(len(view.shown), np.iinfo(np.int64).max), np.full(len(view.shown), -1)
    np.minimum.at(low, view.group, view.name)
    np.maximum.at(high, view.group, view.name)
    even = view.starred == 0
    lost = np.zeros(len(view.shown), np.bool_)
    for shown in range(1, int(view.shown.max())):
        own, above = (np.flatnonzero(even & (view.shown == tuples)) for tuples in (shown, shown + 1))
        if len(above) >= 10:
            crossed = _crossing(low, high, own, own) > 1  # each crosses itself
            lost[own] = crossed & (_crossing(low, high, own, above) == 0)
    return _claims(view, lost)


def by_first_names(view: View, counts: Ints) -> Bools:
    """Who knows how many tuples everybody has replays who loses them: who has most, the first by name of several."""
    claims = np.zeros(len(view.person), np.bool_)
    total = np.bincount(view.group, counts[view.person], len(view.shown)).astype(np.int64)
    n_persons = np.bincount(view.group, minlength=len(view.shown))
    missing = total - view.starred - view.shown * n_persons
    begin = np.searchsorted(view.group, np.arange(len(view.shown) + 1))
    for group in np.flatnonzero((missing > 0) & (view.top >= 0)).tolist():
        members = range(begin[group], begin[group + 1])
        left = {at: int(counts[view.person[at]]) for at in members}
        for _ in range(int(missing[group])):
            loser = max(left, key=lambda at: (left[at], -view.name[at]))
            left[loser] -= 1
            claims[loser] = True
    return claims


def _claims(view: View, lost: Bools) -> Bools:
    return (lost & (view.top >= 0))[view.group]


def _crossing(low: Ints, high: Ints, own: Ints, others: Ints) -> Ints:
    """Return with how many of the others' spans each own one crosses."""
    ended = np.searchsorted(np.sort(high[others]), low[own])
    begun = np.searchsorted(np.sort(low[others]), high[own], side="right")
    return (begun - ended).astype(np.int64)


def patients(seed: int, n: int = 3000, fewest: int = 1) -> Table:
    """Make tuples of `n` persons, each with `fewest` or more, most of them with the person's usual value."""
    random = np.random.default_rng(seed)
    counts = fewest + np.minimum(random.geometric(0.45, n) - 1, 7)
    person = random.permutation(np.repeat(np.arange(n, dtype=np.int32), counts))
    usual = random.integers(0, N_VALUES, n)
    value = np.where(random.random(len(person)) < 0.6, usual[person], random.integers(0, N_VALUES, len(person)))
    names = Vocabulary(tuple(f"p{at:04}" for at in range(n)))
    drugs = Vocabulary(tuple(f"v{at:02}" for at in range(N_VALUES)))
    ids = (CategoricalColumn("patient", person, names),)
    return Table(sensitive=CategoricalColumn("drug", value.astype(np.int32), drugs), ids=ids)


def removed(table: Table, buckets: Bucketized) -> Bools:
    """Return bool (persons, values): who lost a tuple with which value."""
    assert table.sensitive is not None
    lost = np.zeros((len(table.ids[0].vocabulary), N_VALUES), np.bool_)
    gone = buckets.group < 0
    lost[table.ids[0].codes[gone], table.sensitive.codes[gone]] = True
    return lost


@dataclass(frozen=True)
class Hits:
    """How often an attack named somebody, and rightly."""

    named: float
    right: float

    @classmethod
    def of(cls, attack: Attack, view: View, counts: Ints, lost: Bools) -> "Hits":
        """Hold what an attack says against what was removed."""
        claims = attack(view, counts)
        return cls(int(claims.sum()), int(lost[view.person[claims], view.top[view.group[claims]]].sum()))

    def above(self, rate: float) -> float:
        """How many more are named rightly than at a rate, in standard deviations of so many independent claims."""
        return (self.right - rate * self.named) / max(1e-9, self.named * rate * (1 - rate)) ** 0.5

    def __add__(self, other: "Hits") -> "Hits":
        return Hits(self.named + other.named, self.right + other.right)


@dataclass(frozen=True)
class Score:
    """An attack beside the same attack on what was drawn anew."""

    hits: Hits
    chance: list[Hits]

    @property
    def above_chance(self) -> float:
        """How far the share that is named rightly is above the control's, in standard deviations.

        Those are of so many independent claims, or larger by what the control's own shares vary more than that:
        the persons of a group lose tuples together.
        """
        named, right = (sum(getattr(hits, what) for hits in self.chance) for what in ("named", "right"))
        rate = (right + 1) / (named + 2)
        own = [hits.above(rate) for hits in self.chance]
        return self.hits.above(rate) / max(1.0, float(np.std(own)))


def score(attack: Attack, published: list[tuple[Table, Bucketized]], redraws: int = 20) -> Score:
    """Run an attack on publications of tables, and on each as it might have been drawn as well."""
    hits, chance = Hits(0, 0), [Hits(0, 0)] * redraws
    for seed, (table, buckets) in enumerate(published):
        view, lost = View.of(bucketize(table, buckets)), removed(table, buckets)
        counts = np.bincount(table.ids[0].codes, minlength=len(lost))
        hits += Hits.of(attack, view, counts, lost)
        random = np.random.default_rng(seed)
        chance = [sum_ + Hits.of(attack, view.redrawn(random, counts), counts, lost) for sum_ in chance]
    return Score(hits, chance)
