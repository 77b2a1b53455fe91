"""Matching. This attack uses two releases of the same persons, and considers all rows together.

Composition tests each pair of rows separately. If both releases contain the same persons with the same records, the
true pairs are a perfect matching of all rows. A pair that is in no perfect matching is therefore excluded. Any perfect
matching suffices to find these pairs. Consider walks from a row to a compatible row of the other release, and back
along the matching. A pair is in some perfect matching if and only if such walks connect its rows in both directions
(Dulmage, Mendelsohn, Canadian Journal of Mathematics 1958). The implementation starts from the true matching, which the
owner knows. An attacker computes another matching and excludes the same pairs.

This attack extends the composition attack of Ganta, Kasiviswanathan, Smith, KDD 2008, which considers one person at a
time.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import connected_components

from anonset.attacks.base import AttackInput, AttackResult, attack_success
from anonset.attacks.composition import ReleasePair, Targets, both_releases, parts_of
from anonset.data.array_types import Int64
from anonset.data.redacted_repr import RedactedRepr
from anonset.spelling import counted

_MOST_PAIRS = 100_000_000
"""Maximum number of pairs of distinct rows."""


def matching(scene: AttackInput) -> tuple[AttackResult, ...] | str:
    """Find the rows of random persons in two releases of the same persons. Pairs of rows that are in no perfect
    matching are excluded.
    """
    both = both_releases(scene)
    if isinstance(both, str):
        return both
    column, pair, rows = both
    sides, random = (pair.later, pair.earlier), np.random.default_rng(scene.seed)
    if (rows < 0).any() or any(len(rows) != len(side.kind) for side in sides):
        return "both releases must contain the same persons, and no others"
    kinds = pair.kinds(rows)
    if not pair.compatible_pairs(kinds[:, 0], kinds[:, 1]).all():
        return "the records must be the same in both releases"
    if pair.later.column.n * pair.earlier.column.n > _MOST_PAIRS:
        return f"there are more than {_MOST_PAIRS:,} pairs of distinct rows"
    pairs = RowPairs.of(pair, kinds)
    targets = Targets(column, scene.model.secrets, pair, kinds)
    people = np.sort(random.choice(len(kinds), min(scene.attempts, len(kinds)), replace=False))
    drawn_items = [drawn for person in people.tolist() if (drawn := targets.draw(person, scene.m, random)) is not None]
    pairings = (pairs.all, pairs.matched, pairs.as_many_at_random(random))
    counts: tuple[list[int], ...] = ([], [], [])
    for _, items in drawn_items:
        later, earlier = (side.fitting(items) for side in sides)
        for counts_of_pairing, allowed in zip(counts, pairings, strict=True):
            shown = np.diff(allowed[later][:, earlier].indptr) > 0
            counts_of_pairing.append(pair.later.weight_of(later[shown]))
    knows = (
        f"{counted(scene.m, 'item')} of a person, and that both releases contain the same persons with the same "
        "records, and wants to find the row; the line 'without it' is the attack composition"
    )
    return (
        AttackResult(
            "matching", knows, len(drawn_items), *(attack_success(counts_of, scene.k) for counts_of in counts)
        ),
    )


@dataclass(frozen=True, eq=False)
class RowPairs(RedactedRepr):
    """Pairs of distinct rows of two releases that may have the same record."""

    all: csr_matrix
    """All compatible pairs, bool (D, E)."""
    true: csr_matrix
    """Pairs of the two rows of a person, bool (D, E)."""

    @classmethod
    def of(cls, pair: ReleasePair, kinds: Int64) -> "RowPairs":
        """Compare all distinct rows of two releases.

        Parameters
        ----------
        kinds
            The distinct rows of each person, int64 (n, 2).
        """
        shape = pair.later.column.n, pair.earlier.column.n
        compatible = list[Int64]()
        for later in parts_of(np.arange(shape[0])):
            for earlier in parts_of(np.arange(shape[1])):
                later_index, earlier_index = np.nonzero(pair.compatible(later, earlier))
                compatible.append(np.stack((later[later_index], earlier[earlier_index])))
        return cls(_pairs(np.concatenate(compatible, axis=1), shape), _pairs(kinds.T, shape))

    @cached_property
    def matched(self) -> csr_matrix:
        """Pairs that are in at least one perfect matching of the rows of all persons, bool (D, E)."""
        n = sum(self.all.shape)
        later_index, earlier_index = self.all.nonzero()
        mine, theirs = self.true.nonzero()
        first = self.all.shape[0]
        steps = np.concatenate([later_index, theirs + first]), np.concatenate([earlier_index + first, mine])
        graph = csr_matrix((np.ones(len(steps[0]), np.bool_), steps), (n, n))
        part = connected_components(graph, directed=True, connection="strong")[1]
        together = part[later_index] == part[earlier_index + first]
        return _pairs(np.stack((later_index[together], earlier_index[together])), self.all.shape)

    def as_many_at_random(self, random: np.random.Generator) -> csr_matrix:
        """Return the true pairs and random other pairs, bool (D, E). The number of pairs is the same as in
        `matched`.
        """
        pairs = np.stack(self.all.nonzero())
        is_true = np.asarray(self.true[pairs[0], pairs[1]]).ravel()
        others = random.permutation(np.flatnonzero(~is_true))[: self.matched.nnz - int(is_true.sum())]
        return _pairs(pairs[:, np.concatenate([np.flatnonzero(is_true), others])], self.all.shape)


def _pairs(pairs: Int64, shape: tuple[int, int]) -> csr_matrix:
    ones = np.ones(pairs.shape[1], np.bool_)
    return csr_matrix((ones, (pairs[0], pairs[1])), shape)
