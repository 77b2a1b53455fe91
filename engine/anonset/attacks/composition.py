"""Composition. This attack uses two releases of the same persons.

A person is in two releases with the same record. Each release has one symbol for each item. The attack finds pairs of
rows that may have the same original record. A pair has a row of each release. A row excludes an item if the row lacks
the item's symbol, or if a release without suppression has no symbol for the item. Let U be the set of items that
neither row of a pair excludes. The original record contains only items of U. The record of all items in U has the most
symbols. Therefore both rows may have the same record if and only if the items of U have all symbols of both rows.

Reference: Ganta, Kasiviswanathan, Smith, KDD 2008. The paper intersects equivalence classes. This attack uses records.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy.sparse import csr_matrix, hstack

from anonset.attacks.base import AttackInput, AttackResult, attack_success
from anonset.data import SetColumn
from anonset.data.array_types import Bools, Int64
from anonset.data.redacted_repr import RedactedRepr
from anonset.generalization.other_release import without
from anonset.publications import Records
from anonset.publications.symbols import row_ranks
from anonset.spelling import counted, setting
from anonset.support import SupportIndex

_AT_ONCE = 2048
"""Number of distinct rows of each release that are compared together."""
ENOUGH = 1000
"""Number of remaining rows at which counting stops. The attacker then guesses the correct row with probability at most
1/1000.
"""


def composition(scene: AttackInput) -> tuple[AttackResult, ...] | str:
    """Find the rows of random persons in two releases. The attacker knows as many items as the guarantee permits."""
    both = both_releases(scene)
    if isinstance(both, str):
        return both
    column, pair, rows_of = both
    later, earlier, random = pair.later, pair.earlier, np.random.default_rng(scene.seed)
    in_both = np.flatnonzero((rows_of >= 0).all(axis=1))
    kinds = pair.kinds(rows_of)
    in_both = in_both[pair.compatible_pairs(kinds[in_both, 0], kinds[in_both, 1])]
    kinds[np.setdiff1d(np.arange(len(kinds)), in_both)] = -1
    targets = Targets(column, scene.model.secrets, pair, kinds)
    people = np.sort(random.choice(in_both, min(scene.attempts, len(in_both)), replace=False))
    drawn_items = [
        drawn for person_row in people.tolist() if (drawn := targets.draw(person_row, scene.m, random)) is not None
    ]
    dealt = replace(pair, earlier=earlier.shuffled_symbols(random))
    by_later, by_both, by_chance = list[int](), list[int](), list[int]()
    for person, items in drawn_items:
        rows = later.fitting(items)
        by_later.append(later.weight_of(rows))
        by_both.append(pair.count_candidates(rows, earlier.fitting(items)))
        by_chance.append(dealt.count_candidates(rows, dealt.earlier.fitting(items), int(kinds[person, 0])))
    knows = f"{counted(scene.m, 'item')} of a person in both releases with the same record, and wants to find the row"
    return (
        AttackResult(
            "composition",
            knows,
            len(drawn_items),
            *(attack_success(counts, scene.k) for counts in (by_later, by_both, by_chance)),
        ),
    )


def both_releases(scene: AttackInput) -> "tuple[SetColumn, ReleasePair, Int64] | str":
    """Return the original items, the two releases, and the row of each record in both releases, int64 (n, 2). The row
    is -1 if the record is not published. If an attack on two releases does not apply, return the reason.
    """
    if scene.original is None or scene.other_release is None:
        needs = [
            name for name, value in (("original", scene.original), ("beside", scene.other_release)) if value is None
        ]
        return f"it needs {' and '.join(map(setting, needs))}"
    scene.other_release.require_records(scene.original.n)
    other = scene.other_release.compared_with(scene.original)
    later, earlier = (ReleaseRows.of(x) for x in (without(scene.publication, other.removed), other.publication))
    if later is None or earlier is None or scene.original.transactions is None:
        return "both releases must publish sets of items, each item as a single symbol"
    pair = ReleasePair(later, earlier, other.certain_absence(scene.original, later.symbol_of))
    rows = np.stack((scene.publication.row_of(scene.original.n), other.row), axis=1)
    return scene.original.transactions if other.items is None else other.items, pair, rows


@dataclass(frozen=True, eq=False)
class Targets(RedactedRepr):
    """Persons to attack, and items of these persons that the attacker may know."""

    column: SetColumn
    """Items of the original records."""
    secrets: tuple[str, ...]
    """Items that attackers cannot know."""
    both: "ReleasePair"
    own: Int64
    """Distinct row of each record in the later and the earlier release, int64 (n, 2). -1 if the record is not attacked,
    because it is in only one release, or because the two rows cannot have the same record.
    """

    @cached_property
    def _index(self) -> SupportIndex:
        return SupportIndex(self.column)

    def draw(self, person: int, size: int, random: np.random.Generator) -> tuple[int, list[str]] | None:
        """Draw items from a person's record. Return a random record that contains these items, and the items.

        Return None if the attacker can know no item of the person. The returned record is drawn uniformly from all
        records that contain the items. If the person's own record were returned, short records would be targets too
        often, because each of their item sets is drawn more often.
        """
        column, shown = self.column, self.own[person]
        items = column.held_by(person).tolist()
        labels = [(item, column.vocabulary.labels[item]) for item in items]
        may = [(x, label) for x, label in labels if label not in self.secrets and self.both.is_known(label, shown)]
        chosen = [may[position] for position in random.permutation(len(may))[:size].tolist()]
        if not chosen:
            return None
        holders = self._index.records([item for item, _ in chosen])
        target = int(random.choice(holders[self.own[holders, 0] >= 0]))
        return target, [label for _, label in chosen]


@dataclass(frozen=True, eq=False)
class ReleaseRows(RedactedRepr):
    """Distinct rows of a release with one symbol per item."""

    symbol_of: dict[str, int]
    """Symbol of each item. An item without a symbol is suppressed or occurs in no record."""
    column: SetColumn
    """Symbols of each distinct row."""
    kind: Int64
    """Index of the distinct row that each row equals, int64 (n,)."""

    @classmethod
    def of(cls, publication: Records) -> "ReleaseRows | None":
        """Return the distinct rows of a publication. Return None if it has no set-valued column, or several symbols for
        an item.
        """
        sets, symbol_of = publication.transactions, dict[str, int]()
        for code, symbol in enumerate(publication.symbols):
            for member in symbol.members:
                if symbol_of.setdefault(member, code) != code:
                    return None
        return None if sets is None or publication.cluster is not None else cls.of_rows(symbol_of, sets)

    @classmethod
    def of_rows(cls, symbol_of: dict[str, int], sets: SetColumn) -> "ReleaseRows":
        """Return the distinct rows of a column of symbols."""
        kind = row_ranks(sets)
        return cls(symbol_of, sets.take(np.unique(kind, return_index=True)[1]), kind)

    @cached_property
    def weight(self) -> Int64:
        """Row count of each distinct row, int64 (D,)."""
        return np.bincount(self.kind, minlength=self.column.n).astype(np.int64)

    @cached_property
    def rows(self) -> csr_matrix:
        """Incidence matrix of distinct rows and symbols, int32 (D, S)."""
        shape = self.column.n, len(self.column.vocabulary)
        return csr_matrix((np.ones(len(self.column.codes), np.int32), self.column.items, self.column.indptr), shape)

    @cached_property
    def _index(self) -> SupportIndex:
        return SupportIndex(self.column)

    def fitting(self, items: Sequence[str]) -> Int64:
        """Return the distinct rows that contain the symbol of each item, in ascending order. Items without a symbol are
        ignored.
        """
        return self.rows_containing({self.symbol_of[item] for item in items if item in self.symbol_of})

    def rows_containing(self, symbols: Iterable[int]) -> Int64:
        """Return the distinct rows that contain all `symbols`, in ascending order."""
        return self._index.records(symbols).astype(np.int64)

    def symbols(self, kind: int) -> list[int]:
        """Return the symbols of a distinct row."""
        column = self.column
        shown: list[int] = column.held_by(kind).tolist()
        return shown

    def weight_of(self, kinds: Int64) -> int:
        """Return the number of rows that equal a distinct row in `kinds`."""
        return int(self.weight[kinds].sum())

    def shuffled_symbols(self, random: np.random.Generator) -> "ReleaseRows":
        """Return rows whose symbols are exchanged at random. Row lengths and symbol counts stay approximately
        the same.
        """
        column = self.column.take(self.kind)
        shape = column.n, len(column.vocabulary)
        rows = csr_matrix(
            (np.ones(len(column.codes), np.int32), random.permutation(column.items), column.indptr), shape
        )
        rows.sum_duplicates()
        indptr, items = rows.indptr.astype(np.int64), rows.indices.astype(np.int32)
        return self.of_rows(self.symbol_of, SetColumn(column.name, indptr, items, column.vocabulary))


@dataclass(frozen=True, eq=False)
class ReleasePair(RedactedRepr):
    """Two releases, and the pairs of rows that may have the same record."""

    later: ReleaseRows
    earlier: ReleaseRows
    certain: tuple[bool, bool] = (False, False)
    """A flag for each release. True if an item without a symbol is certainly in no record of the release."""

    def kinds(self, rows: Int64) -> Int64:
        """Return the numbers of the distinct rows of each record in both releases, int64 (n, 2).

        `rows`, int64 (n, 2), contains the row of each record. A record without a row gets any number.
        """
        return np.stack((self.later.kind[rows[:, 0]], self.earlier.kind[rows[:, 1]]), axis=1)

    @cached_property
    def _cells(self) -> csr_matrix:
        """Matrix of the symbol pairs that an item may have in both releases, int32 (S + 1, T + 1). The last row and the
        last column mean no symbol.
        """
        n, other = len(self.later.column.vocabulary), len(self.earlier.column.vocabulary)
        items = [item for item in {**self.later.symbol_of, **self.earlier.symbol_of} if self._may_be(item)]
        pairs = {(self.later.symbol_of.get(item, n), self.earlier.symbol_of.get(item, other)) for item in items}
        later_symbols, earlier_symbols = np.array(sorted(pairs), np.int64).reshape(-1, 2).T
        return csr_matrix((np.ones(len(later_symbols), np.int32), (later_symbols, earlier_symbols)), (n + 1, other + 1))

    @cached_property
    def _allowed(self) -> tuple[csr_matrix, csr_matrix]:
        """Matrices of the symbols that each distinct row allows in the other release, int32 (D, T) and int32 (E, S). An
        element is 1 if the symbol is allowed, otherwise 0.
        """
        cells = self._cells
        return _possible_symbols(self.later.rows, cells), _possible_symbols(self.earlier.rows, cells.T.tocsr())

    def _may_be(self, item: str) -> bool:
        """Return True if an item may be in a record of both releases."""
        sides = zip((self.later, self.earlier), self.certain, strict=True)
        return all(item in side.symbol_of or not certain for side, certain in sides)

    def is_known(self, item: str, kinds: Int64) -> bool:
        """Return True if both rows of a person allow an item, and at least one row contains the symbol of the item."""
        shown = [
            side.symbol_of[item] in side.symbols(kind)
            for side, kind in zip((self.later, self.earlier), kinds.tolist(), strict=True)
            if item in side.symbol_of
        ]
        return bool(shown) and all(shown) and self._may_be(item)

    def compatible(self, later: Sequence[int] | Int64, earlier: Sequence[int] | Int64) -> Bools:
        """Return True for each two rows that may have the same record, bool (len(later), len(earlier)). Rows are given
        as distinct rows.
        """
        later_rows, earlier_rows = self.later.rows[later], self.earlier.rows[earlier]
        allowed_earlier, allowed_later = self._allowed[0][later], self._allowed[1][earlier]
        fits: Bools = (later_rows @ allowed_later.T).toarray() == np.diff(later_rows.indptr)[:, None]
        fits &= (allowed_earlier @ earlier_rows.T).toarray() == np.diff(earlier_rows.indptr)[None, :]
        return fits

    def compatible_pairs(self, later: Int64, earlier: Int64) -> Bools:
        """Return True for each pair whose distinct rows may have the same record, bool (p,)."""
        later_rows, earlier_rows = self.later.rows[later], self.earlier.rows[earlier]
        covered_later = later_rows.multiply(self._allowed[1][earlier]).sum(axis=1) == later_rows.sum(axis=1)
        covered_earlier = earlier_rows.multiply(self._allowed[0][later]).sum(axis=1) == earlier_rows.sum(axis=1)
        covered: Bools = np.asarray(covered_later).ravel() & np.asarray(covered_earlier).ravel()
        return covered

    def count_candidates(self, later: Int64, earlier: Int64, kind: int | None = None, enough: int = ENOUGH) -> int:
        """Return the number of rows of the later release that remain after the attack, at most `enough`.

        Parameters
        ----------
        later, earlier
            Distinct rows that match the known items.
        kind
            Distinct row of the person in the later release. The result is 0 if this row does not remain.
        """
        if kind is not None and not any(self.compatible([kind], part).any() for part in parts_of(earlier)):
            return 0
        count = 0
        for part in parts_of(later):
            matches = np.zeros(len(part), np.bool_)
            for others in parts_of(earlier):
                matches[~matches] = self.compatible(part[~matches], others).any(axis=1)
                if count + self.later.weight_of(part[matches]) >= enough:
                    return enough
            count += self.later.weight_of(part[matches])
        return count


def parts_of(kinds: Int64) -> list[Int64]:
    """Split distinct rows into parts. The rows of a part are compared together."""
    return [kinds[a : a + _AT_ONCE] for a in range(0, len(kinds), _AT_ONCE)]


def _possible_symbols(rows: csr_matrix, cells: csr_matrix) -> csr_matrix:
    """Return the symbols of the other release that are possible for each row. Items without a symbol in the row are
    included.
    """
    nothing = csr_matrix(np.ones((rows.shape[0], 1), np.int32))
    possible = (hstack([rows, nothing], format="csr") @ cells)[:, :-1].tocsr()
    possible.data[:] = 1
    return possible
