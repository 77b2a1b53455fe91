"""Composition: two releases of the same persons, and what both of them allow.

Somebody is in two releases, each of which publishes each item in one way, and their record is the same in both. A row
of the one and a row of the other can be theirs only if there is a record that would be published as both. Let U be the
items that neither row excludes: every other item would show a symbol that one of them lacks, or is in no record of a
release that suppresses nothing. A record may hold all of U, and one that holds less shows no more; so there is such a
record if and only if U shows every symbol of both rows.

Reference: Ganta, Kasiviswanathan, Smith, KDD 2008 (intersection attacks; ours speaks of records, not of classes).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, hstack

from anonset.attacks.base import Outcome, Scene, won
from anonset.data import SetColumn
from anonset.data.redacted_repr import Discreet
from anonset.data.table import Int64
from anonset.publications import Records
from anonset.publications.symbols import row_ranks
from anonset.spelling import counted, setting
from anonset.support import SupportIndex

_AT_ONCE = 2048
"""Distinct rows of each release that are held against each other at once."""
ENOUGH = 1000
"""Rows left of a target at which counting ends: its chance is at most 1/1000 then."""


def composition(scene: Scene) -> tuple[Outcome, ...] | str:
    """Look for random persons of two releases in both, by as many items as the guarantee names."""
    if scene.original is None or scene.beside is None:
        needs = [name for name, there in (("original", scene.original), ("beside", scene.beside)) if there is None]
        return f"it needs {' and '.join(map(setting, needs))}"
    later, earlier = (Side.of(one) for one in (scene.publication, scene.beside.publication))
    if later is None or earlier is None or scene.original.transactions is None:
        return "both releases must publish sets of items, and each item in one way"
    scene.beside.require_records(scene.original.n)
    certain = scene.beside.certain(scene.original, later.symbol_of)
    both, random = Both(later, earlier, certain), np.random.default_rng(scene.seed)
    row_of = np.full(scene.original.n, -1, np.int64)
    row_of[scene.publication.record] = np.arange(scene.publication.n)
    there = np.flatnonzero((row_of >= 0) & (scene.beside.row >= 0))
    own = np.stack((later.kind[row_of], earlier.kind[scene.beside.row]), axis=1)  # of others, no matter what
    there = there[both.of_one(own[there, 0], own[there, 1])]
    own[np.setdiff1d(np.arange(len(own)), there)] = -1
    targets = Targets(scene.original.transactions, scene.model.secrets, both, own)
    people = np.sort(random.choice(there, min(scene.attempts, len(there)), replace=False))
    met = [drawn for each in people.tolist() if (drawn := targets.draw(each, scene.m, random)) is not None]
    dealt = Both(later, earlier.dealt(random), certain)
    alone, left, by_chance = list[int](), list[int](), list[int]()
    for person, known in met:
        rows = later.fitting(known)
        alone.append(later.weight_of(rows))
        left.append(both.left(rows, earlier.fitting(known)))
        by_chance.append(dealt.left(rows, dealt.earlier.fitting(known), int(own[person, 0])))
    knows = f"{counted(scene.m, 'item')} of somebody who is in both releases with the same record; wants the row"
    return (Outcome("composition", knows, len(met), *(won(one, scene.k) for one in (alone, left, by_chance))),)


@dataclass(frozen=True, eq=False)
class Targets(Discreet):
    """Who is looked for, and what is known of them."""

    column: SetColumn
    """The original."""
    secrets: tuple[str, ...]
    """Items that nobody knows."""
    both: "Both"
    own: NDArray[np.int64]
    """int64 (n, 2): the distinct row of each record in the later and in the earlier release; -1: it is no target."""

    @cached_property
    def _index(self) -> SupportIndex:
        return SupportIndex(self.column)

    def draw(self, person: int, size: int, random: np.random.Generator) -> tuple[int, list[str]] | None:
        """Return one of those who hold items that are drawn from a person, and the items; None where none is known.

        The one who is looked for is as likely any of those: short records, of which a set is drawn more often, would
        be guessed by their shortness.
        """
        column, shown = self.column, self.own[person]
        items = column.held_by(person).tolist()
        labels = [(item, column.vocabulary.labels[item]) for item in items]
        may = [(x, label) for x, label in labels if label not in self.secrets and self.both.is_known(label, shown)]
        chosen = [may[at] for at in random.permutation(len(may))[:size].tolist()]
        if not chosen:
            return None
        holders = self._index.records([item for item, _ in chosen])
        target = int(random.choice(holders[self.own[holders, 0] >= 0]))
        return target, [label for _, label in chosen]


@dataclass(frozen=True, eq=False)
class Side(Discreet):
    """The distinct rows of a release that publishes each item in one way."""

    symbol_of: dict[str, int]
    """The symbol of each item; an item without one is suppressed, or in no record."""
    column: SetColumn
    """The symbols of each distinct row."""
    kind: Int64
    """int64 (n,): the distinct row of each row."""

    @classmethod
    def of(cls, publication: Records) -> "Side | None":
        """Return the distinct rows of a publication; None where it has no sets, or an item several symbols."""
        sets, symbol_of = publication.transactions, dict[str, int]()
        for code, symbol in enumerate(publication.symbols):
            for member in symbol.members:
                if symbol_of.setdefault(member, code) != code:
                    return None
        return None if sets is None or publication.cluster is not None else cls.of_rows(symbol_of, sets)

    @classmethod
    def of_rows(cls, symbol_of: dict[str, int], sets: SetColumn) -> "Side":
        """Return the distinct rows of a column of symbols."""
        kind = row_ranks(sets)
        return cls(symbol_of, sets.take(np.unique(kind, return_index=True)[1]), kind)

    @cached_property
    def weight(self) -> Int64:
        """int64 (D,): how many rows each distinct one is."""
        return np.bincount(self.kind, minlength=self.column.n).astype(np.int64)

    @cached_property
    def rows(self) -> csr_matrix:
        """int32 (D, S): 1 where a distinct row shows a symbol."""
        shape = self.column.n, len(self.column.vocabulary)
        return csr_matrix((np.ones(len(self.column.codes), np.int32), self.column.items, self.column.indptr), shape)

    @cached_property
    def _index(self) -> SupportIndex:
        return SupportIndex(self.column)

    def fitting(self, items: Sequence[str]) -> Int64:
        """Return the distinct rows, ascending, that show each of the items that have a symbol."""
        return self.showing({self.symbol_of[item] for item in items if item in self.symbol_of})

    def showing(self, symbols: Iterable[int]) -> Int64:
        """Return the distinct rows, ascending, that show each of some symbols."""
        return self._index.records(symbols).astype(np.int64)

    def symbols(self, kind: int) -> list[int]:
        """Return the symbols of a distinct row."""
        column = self.column
        shown: list[int] = column.held_by(kind).tolist()
        return shown

    def weight_of(self, kinds: Int64) -> int:
        """Return how many rows some distinct ones are."""
        return int(self.weight[kinds].sum())

    def dealt(self, random: np.random.Generator) -> "Side":
        """Return rows over which the symbols are dealt at random, each to about as many as show it."""
        column = self.column.take(self.kind)
        shape = column.n, len(column.vocabulary)
        rows = csr_matrix(
            (np.ones(len(column.codes), np.int32), random.permutation(column.items), column.indptr), shape
        )
        rows.sum_duplicates()
        indptr, items = rows.indptr.astype(np.int64), rows.indices.astype(np.int32)
        return self.of_rows(self.symbol_of, SetColumn(column.name, indptr, items, column.vocabulary))


@dataclass(frozen=True, eq=False)
class Both(Discreet):
    """Two releases, and which of their rows may be of one record."""

    later: Side
    earlier: Side
    certain: tuple[bool, bool] = (False, False)
    """Of each release, whether an item without a symbol is certainly in none of its records."""

    @cached_property
    def _cells(self) -> csr_matrix:
        """int32 (S + 1, T + 1): 1 where an item is published as both; in the last row and column, as nothing."""
        n, other = len(self.later.column.vocabulary), len(self.earlier.column.vocabulary)
        items = [item for item in {**self.later.symbol_of, **self.earlier.symbol_of} if self._may_be(item)]
        pairs = {(self.later.symbol_of.get(item, n), self.earlier.symbol_of.get(item, other)) for item in items}
        here, there = np.array(sorted(pairs), np.int64).reshape(-1, 2).T
        return csr_matrix((np.ones(len(here), np.int32), (here, there)), (n + 1, other + 1))

    @cached_property
    def _allowed(self) -> tuple[csr_matrix, csr_matrix]:
        """What each distinct row allows the other release to show: int32 (D, T) and int32 (E, S), 1 or 0."""
        cells = self._cells
        return _reached(self.later.rows, cells), _reached(self.earlier.rows, cells.T.tocsr())

    def _may_be(self, item: str) -> bool:
        """Return True if an item may be in a record that is the same in both releases."""
        sides = zip((self.later, self.earlier), self.certain, strict=True)
        return all(item in side.symbol_of or not certain for side, certain in sides)

    def is_known(self, item: str, own: Int64) -> bool:
        """Tell whether both rows of a person may be of a record with an item, and one of them shows it."""
        shown = [
            side.symbol_of[item] in side.symbols(kind)
            for side, kind in zip((self.later, self.earlier), own.tolist(), strict=True)
            if item in side.symbol_of
        ]
        return bool(shown) and all(shown) and self._may_be(item)

    def fit(self, later: Sequence[int] | Int64, earlier: Sequence[int] | Int64) -> NDArray[np.bool_]:
        """Return bool (len(later), len(earlier)): whether two distinct rows may be of one record."""
        here, there = self.later.rows[later], self.earlier.rows[earlier]
        allowed_there, allowed_here = self._allowed[0][later], self._allowed[1][earlier]
        fits: NDArray[np.bool_] = (here @ allowed_here.T).toarray() == np.diff(here.indptr)[:, None]
        fits &= (allowed_there @ there.T).toarray() == np.diff(there.indptr)[None, :]
        return fits

    def of_one(self, later: Int64, earlier: Int64) -> NDArray[np.bool_]:
        """Return bool (p,): whether the two distinct rows of each pair may be of one record."""
        here, there = self.later.rows[later], self.earlier.rows[earlier]
        covered_here = here.multiply(self._allowed[1][earlier]).sum(axis=1) == here.sum(axis=1)
        covered_there = there.multiply(self._allowed[0][later]).sum(axis=1) == there.sum(axis=1)
        covered: NDArray[np.bool_] = np.asarray(covered_here).ravel() & np.asarray(covered_there).ravel()
        return covered

    def left(self, later: Int64, earlier: Int64, own: int | None = None, enough: int = ENOUGH) -> int:
        """Return how many rows of the later release are left; `enough` and more count as that.

        Parameters
        ----------
        later, earlier
            The distinct rows that fit what is known.
        own
            The person's distinct row of the later release: where it is not left, 0 is returned.
        """
        if own is not None and not any(self.fit([own], part).any() for part in parts_of(earlier)):
            return 0
        found = 0
        for part in parts_of(later):
            left = np.zeros(len(part), np.bool_)
            for others in parts_of(earlier):
                left[~left] = self.fit(part[~left], others).any(axis=1)
                if found + self.later.weight_of(part[left]) >= enough:
                    return enough
            found += self.later.weight_of(part[left])
        return found


def parts_of(kinds: Int64) -> list[Int64]:
    """Return distinct rows in parts that are held against others at once."""
    return [kinds[a : a + _AT_ONCE] for a in range(0, len(kinds), _AT_ONCE)]


def _reached(rows: csr_matrix, cells: csr_matrix) -> csr_matrix:
    """Return which symbols of the other release items may show that a row shows, or that show nothing here."""
    nothing = csr_matrix(np.ones((rows.shape[0], 1), np.int32))
    found = (hstack([rows, nothing], format="csr") @ cells)[:, :-1].tocsr()
    found.data[:] = 1
    return found
