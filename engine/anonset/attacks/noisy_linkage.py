"""Noisy linkage. This attack finds the row of a person although some of the known items are wrong.

Each row gets a score. It is the sum of the weights of the known items that the row contains. An item is contained if
the row shows a symbol that covers it, and its weight is 1/log(support of this symbol), because rare symbols identify
better. A suppressed item has no weight. The attacker claims the rows with the highest score if this score exceeds the
second highest score by more than 1.5 standard deviations of all scores (the eccentricity). Otherwise the attacker makes
no claim. Identical rows have the same score, so the attacker guesses one of them.

The control uses the knowledge about another target, whose row is removed. This other target is a person who is not in
the publication, so every claim about this person is false. The claim is correct by chance if it names the row of the
target. The eccentricities of the control also calibrate a test of the hypothesis that a person is not in the
publication. With the rank of a target's eccentricity among those of the control as the p-value, the test is exact for
persons who are drawn as the targets are (Barnard, Journal of the Royal Statistical Society B 25, 1963).

Reference: Narayanan, Shmatikov, IEEE S&P 2008, algorithm Scoreboard.
Deviations: the scores do not include ratings or dates. A support of 1 is treated as 2, because log(1) is 0. Weights are
rounded to 1/65,536, so that equal sums are equal in any order. Supports include the removed row of the control.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import sqrt

import numpy as np
from scipy.sparse import csc_matrix

from anonset.attacks.base import AttackInput, AttackResult, AttackSuccess, attack_success
from anonset.attacks.composition import ReleaseRows
from anonset.data import SetColumn
from anonset.data.array_types import Bools, Float64, Int64
from anonset.data.redacted_repr import RedactedRepr
from anonset.measures.shares import wilson
from anonset.publications import Records
from anonset.spelling import counted, setting

ECCENTRICITY = 1.5
"""Smallest eccentricity of a claim, as in the paper."""
FALSE_CLAIMS = 0.05
"""Largest rate of claims about persons who are not in the publication, in `AttackResult.tested`."""
_PAPER = 8, 2
"""Known items and wrong items of the paper's main experiment."""
_UNIT = 1 << 16
"""Resolution of the weights."""


def noisy_linkage(scene: AttackInput) -> tuple[AttackResult, ...] | str:
    """Find the rows of random persons. The attacker knows m + 1 items of a person, and one of them is wrong. In a
    second experiment, the attacker knows 8 items, and two of them are wrong.
    """
    board = Scoreboard.of(scene.publication)
    if scene.original is None or (column := scene.original.transactions) is None or board is None:
        return f"it needs {setting('original')} with sets of items"
    outcomes = (_result(scene, column, board, size, wrong) for size, wrong in ((scene.m + 1, 1), _PAPER))
    results = tuple(outcome for outcome in outcomes if outcome is not None)
    return results or f"no person has {counted(min(scene.m, _PAPER[0] - _PAPER[1]), 'item')} that an attacker may know"


def _result(scene: AttackInput, column: SetColumn, board: "Scoreboard", size: int, wrong: int) -> AttackResult | None:
    """Return the success of an attacker who knows `size` items, of which `wrong` are wrong. None if no person has
    enough items.
    """
    random = np.random.default_rng(scene.seed)
    row_of = scene.publication.row_of(column.n)
    knowledge = NoisyKnowledge(column, scene.model.secrets)
    people = np.flatnonzero((row_of >= 0) & knowledge.suffices(size - wrong, wrong))
    if not len(people):
        return None
    people = random.choice(people, min(scene.attempts, len(people)), replace=False)
    own = board.rows.kind[row_of[people]]
    matches, claims, absent = list[int](), list[Claim](), list[Claim]()
    for person, kind in zip(people.tolist(), own.tolist(), strict=True):
        items = knowledge.draw(person, size - wrong, wrong, random)
        scores = board.scores(items)
        matches.append(board.exact_matches(items, kind))
        claims.append(board.claim(scores))
        absent.append(board.claim(scores, without=kind))
    others = np.roll(own, 1).tolist()  # the knowledge about a person is used against the next person
    eccentric = [claim.eccentricity > ECCENTRICITY for claim in claims]
    is_false = [claim.eccentricity > ECCENTRICITY for claim in absent]
    knows = f"{counted(size, 'item')} of a person, {wrong} of them wrong, and wants to find the row"
    without = attack_success(matches, scene.k)
    return AttackResult(
        "noisy-linkage",
        knows,
        len(people),
        replace(without, certain=None),
        _success(claims, own.tolist(), eccentric, scene.k),
        _success(absent, others, is_false, scene.k),
        tested=_success(claims, own.tolist(), rejects(claims, absent), scene.k),
        false_claims=FALSE_CLAIMS,
    )


@dataclass(frozen=True)
class Claim(RedactedRepr):
    """Rows with the highest score."""

    kind: int
    """Distinct row. -1 if no row has a positive score."""
    rows: int
    """Number of identical rows."""
    eccentricity: float
    """Difference of the highest and the second highest score, in standard deviations. 0 if there is no other distinct
    row.
    """


def rejects(claims: Sequence[Claim], absent: Sequence[Claim]) -> list[bool]:
    """Return True for each claim for which the hypothesis is rejected that the person is not in the publication.

    A person who is not in the publication is claimed with a probability of at most `FALSE_CLAIMS`.

    >>> others = [Claim(0, 1, eccentricity) for eccentricity in range(19)]
    >>> rejects([Claim(0, 1, 18.5), Claim(0, 1, 18.0), Claim(0, 1, 2.0)], others)
    [True, False, False]
    """
    ranked = np.sort([claim.eccentricity for claim in absent])
    at_least = len(ranked) - np.searchsorted(ranked, [claim.eccentricity for claim in claims])
    rejected: list[bool] = (1 + at_least <= FALSE_CLAIMS * (len(ranked) + 1)).tolist()
    return rejected


def _success(claims: Sequence[Claim], targets: Sequence[int], made: Sequence[bool], k: int) -> AttackSuccess:
    """Return the success of the claims that are made. `targets` contains the distinct row of each target."""
    rows = [
        claim.rows if is_made and claim.kind == kind else 0
        for claim, kind, is_made in zip(claims, targets, made, strict=True)
    ]
    success = attack_success(rows, k)
    low, high = wilson(success.success * len(rows), len(rows))
    return replace(success, certain=None, claimed=sum(made) / len(made), low=low, high=high)


@dataclass(frozen=True, eq=False)
class NoisyKnowledge(RedactedRepr):
    """Items that an attacker may know, right and wrong."""

    column: SetColumn
    """Items of the original records."""
    secrets: tuple[str, ...]
    """Items that attackers cannot know."""

    @cached_property
    def _frequency(self) -> Float64:
        """Number of records of each item, float64 (M,). 0 if attackers cannot know the item."""
        often = self.column.occurrences.astype(np.float64)
        often[[self.column.vocabulary.index[item] for item in self.secrets if item in self.column.vocabulary.index]] = 0
        return often

    def suffices(self, right: int, wrong: int) -> Bools:
        """Return True for each person with `right` items that an attacker may know, and without `wrong` such items,
        bool (n,).
        """
        known = self._frequency > 0
        before = np.concatenate([[0], np.cumsum(known[self.column.items])])
        held = before[self.column.indptr[1:]] - before[self.column.indptr[:-1]]
        enough: Bools = (held >= right) & (int(known.sum()) - held >= wrong)
        return enough

    def draw(self, person: int, right: int, wrong: int, random: np.random.Generator) -> list[str]:
        """Draw items of a person, and other items. Frequent items are more likely to be confused."""
        held = self.column.held_by(person)
        may = held[self._frequency[held] > 0]
        others = self._frequency.copy()
        others[held] = 0
        chosen = random.choice(may, right, replace=False).tolist()
        chosen += random.choice(len(others), wrong, replace=False, p=others / others.sum()).tolist()
        return [self.column.vocabulary.labels[item] for item in chosen]


@dataclass(frozen=True, eq=False)
class Scoreboard(RedactedRepr):
    """Scores of the distinct rows of a publication."""

    rows: ReleaseRows
    symbols: Mapping[str, list[int]]
    """Symbols that cover each item, by ascending weight. Several if clusters have separate recodings."""
    weight: Int64
    """Weight of each symbol, int64 (S,)."""

    @classmethod
    def of(cls, publication: Records) -> "Scoreboard | None":
        """Return the scoreboard of a publication. None if it has no set-valued column."""
        sets = publication.transactions
        if sets is None:
            return None
        support = np.maximum(sets.occurrences, 2)
        weight = np.rint(_UNIT / np.log(support)).astype(np.int64)
        symbols: dict[str, list[int]] = {}
        for code in np.argsort(weight, kind="stable").tolist():
            for member in publication.symbols[code].members:
                symbols.setdefault(member, []).append(code)
        return cls(ReleaseRows.of_rows({}, sets), symbols, weight)

    @cached_property
    def _holders(self) -> csc_matrix:
        """Incidence matrix of distinct rows and symbols, int32 (D, S)."""
        return self.rows.rows.tocsc()

    def _holders_of(self, symbol: int) -> Int64:
        matrix = self._holders
        holders: Int64 = matrix.indices[matrix.indptr[symbol] : matrix.indptr[symbol + 1]]
        return holders

    def scores(self, items: Sequence[str]) -> Int64:
        """Return the score of each distinct row, int64 (D,)."""
        scores = np.zeros(self.rows.column.n, np.int64)
        for item in items:
            symbols = self.symbols.get(item, [])
            if len(symbols) == 1:
                scores[self._holders_of(symbols[0])] += self.weight[symbols[0]]
                continue
            of_item = np.zeros(len(scores), np.int64)
            for symbol in symbols:
                of_item[self._holders_of(symbol)] = self.weight[symbol]
            scores += of_item
        return scores

    def exact_matches(self, items: Sequence[str], kind: int) -> int:
        """Return the number of rows that contain all items that are not suppressed. 0 if `kind` is not among them."""
        own = set(self.rows.symbols(kind))
        known = [self.symbols[item] for item in items if item in self.symbols]
        if any(own.isdisjoint(symbols) for symbols in known):
            return 0
        fits = np.ones(self.rows.column.n, np.bool_)
        for symbols in known:
            has = np.zeros(len(fits), np.bool_)
            for symbol in symbols:
                has[self._holders_of(symbol)] = True
            fits &= has
        return int(self.rows.weight[fits].sum())

    def claim(self, scores: Int64, without: int | None = None) -> Claim:
        """Return the rows with the highest score. If `without` is given, one row of this distinct row is removed."""
        scored = np.flatnonzero(scores > 0)  # faster than of integers
        score, rows = scores[scored], self.rows.weight[scored]
        n = len(self.rows.kind)
        if without is not None:
            rows[scored == without] -= 1
            n -= 1
        remaining = np.where(rows > 0, score, -1)
        if not (remaining > 0).any():
            return Claim(-1, 0, 0.0)
        best = int(remaining.argmax())
        highest = int(remaining[best])
        remaining[best] = -1
        gap = highest - max(int(remaining.max()), 0)  # a row without known items has score 0
        weighted = rows * score
        variance = n * int(weighted @ score) - int(weighted.sum()) ** 2
        # all rows have the same score if the variance is 0
        return Claim(int(scored[best]), int(rows[best]), n * gap / sqrt(variance) if variance else 0.0)
