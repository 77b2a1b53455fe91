"""Matching: an attack on two releases of the same persons, with all their rows together.

Composition tests each pair of rows separately. If both releases contain the same persons with the same records, the
true pairs are a perfect matching of all rows. A pair that is in no perfect matching is therefore excluded. Any perfect
matching suffices to find these pairs: walk from a row to a compatible row of the other release, and back along the
matching. A pair is in some perfect matching if and only if such walks connect its rows in both directions (Dulmage,
Mendelsohn, Canadian Journal of Mathematics 1958). The implementation starts from the true matching, which the owner
knows. An attacker computes another matching and excludes the same pairs.

This attack extends Ganta, Kasiviswanathan, Smith, KDD 2008 (composition), who consider one person at a time.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import connected_components

from anonset.attacks.base import AttackInput, AttackResult, attack_success
from anonset.attacks.composition import ReleasePair, ReleaseRows, Targets, parts_of
from anonset.data.redacted_repr import RedactedRepr
from anonset.data.table import Int64
from anonset.spelling import counted, setting

_MOST_PAIRS = 100_000_000
"""Maximum number of pairs of distinct rows."""


def matching(scene: AttackInput) -> tuple[AttackResult, ...] | str:
    """Find random persons in two releases of the same persons, by pairs of rows that can all be true together."""
    if scene.original is None or scene.beside is None:
        needs = [name for name, there in (("original", scene.original), ("beside", scene.beside)) if there is None]
        return f"it needs {' and '.join(map(setting, needs))}"
    here, there = ReleaseRows.of(scene.publication), ReleaseRows.of(scene.beside.publication)
    if here is None or there is None or scene.original.transactions is None:
        return "both releases must publish sets of items, each item as a single symbol"
    scene.beside.require_records(scene.original.n)
    sides = here, there
    both = ReleasePair(here, there, scene.beside.certain_presence(scene.original, here.symbol_of))
    random = np.random.default_rng(scene.seed)
    row_of = np.full(scene.original.n, -1, np.int64)
    row_of[scene.publication.record] = np.arange(scene.publication.n)
    rows = np.stack((row_of, scene.beside.row), axis=1)
    if (rows < 0).any() or not len(rows) == scene.publication.n == scene.beside.publication.n:
        return "both releases must contain the same persons, and no others"
    kinds = np.stack([side.kind[rows[:, at]] for at, side in enumerate(sides)], axis=1)
    if not both.compatible_pairs(kinds[:, 0], kinds[:, 1]).all():
        return "the records must be the same in both releases"
    if here.column.n * there.column.n > _MOST_PAIRS:
        return f"there are more than {_MOST_PAIRS:,} pairs of distinct rows"
    pairs = RowPairs.of(both, kinds)
    targets = Targets(scene.original.transactions, scene.model.secrets, both, kinds)
    people = np.sort(random.choice(len(kinds), min(scene.attempts, len(kinds)), replace=False))
    met = [drawn for each in people.tolist() if (drawn := targets.draw(each, scene.m, random)) is not None]
    pairings = (pairs.all, pairs.matched, pairs.as_many_at_random(random))
    left: tuple[list[int], ...] = ([], [], [])
    for _, known in met:
        later, earlier = (side.fitting(known) for side in sides)
        for found, allowed in zip(left, pairings, strict=True):
            shown = np.diff(allowed[later][:, earlier].indptr) > 0
            found.append(here.weight_of(later[shown]))
    knows = (
        f"{counted(scene.m, 'item')} of a person, and that both releases contain the same persons with the same "
        "records; wants the row, and has composition without it"
    )
    return (AttackResult("matching", knows, len(met), *(attack_success(one, scene.k) for one in left)),)


@dataclass(frozen=True, eq=False)
class RowPairs(RedactedRepr):
    """Pairs of distinct rows of two releases that may have the same record."""

    all: csr_matrix
    """All compatible pairs, bool (D, E)."""
    true: csr_matrix
    """Pairs of an actual person, bool (D, E)."""

    @classmethod
    def of(cls, both: ReleasePair, own: NDArray[np.int64]) -> "RowPairs":
        """Compare all distinct rows of two releases.

        Parameters
        ----------
        own
            int64 (n, 2): the distinct rows of each person.
        """
        shape = both.later.column.n, both.earlier.column.n
        found = list[Int64]()
        for later in parts_of(np.arange(shape[0])):
            for earlier in parts_of(np.arange(shape[1])):
                here, there = np.nonzero(both.compatible(later, earlier))
                found.append(np.stack((later[here], earlier[there])))
        return cls(_pairs(np.concatenate(found, axis=1), shape), _pairs(own.T, shape))

    @cached_property
    def matched(self) -> csr_matrix:
        """Pairs in some perfect matching of the rows of all persons, bool (D, E)."""
        n = sum(self.all.shape)
        here, there = self.all.nonzero()
        mine, theirs = self.true.nonzero()
        first = self.all.shape[0]
        steps = np.concatenate([here, theirs + first]), np.concatenate([there + first, mine])
        graph = csr_matrix((np.ones(len(steps[0]), np.bool_), steps), (n, n))
        part = connected_components(graph, directed=True, connection="strong")[1]
        together = part[here] == part[there + first]
        return _pairs(np.stack((here[together], there[together])), self.all.shape)

    def as_many_at_random(self, random: np.random.Generator) -> csr_matrix:
        """Return the true pairs and random others, bool (D, E), as many as `matched`."""
        pairs = np.stack(self.all.nonzero())
        is_true = np.asarray(self.true[pairs[0], pairs[1]]).ravel()
        others = random.permutation(np.flatnonzero(~is_true))[: self.matched.nnz - int(is_true.sum())]
        return _pairs(pairs[:, np.concatenate([np.flatnonzero(is_true), others])], self.all.shape)


def _pairs(pairs: Int64, shape: tuple[int, int]) -> csr_matrix:
    ones = np.ones(pairs.shape[1], np.bool_)
    return csr_matrix((ones, (pairs[0], pairs[1])), shape)
