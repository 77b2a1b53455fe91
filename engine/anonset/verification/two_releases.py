"""Check two releases about the same persons, from the published rows and the original records of the later release.

Let g2 and g1 be the codebooks of the later and the earlier release. A codebook maps an item to its symbol, or to none.
g(D) is the row that a release publishes for a record D: the set of the symbols of its items. A record is *possible* if
it has no item that is certainly in no record of one of the releases. For a set X of known items, the pairs of rows

    C(X) = {(r2, r1) : r2 = g2(D) and r1 = g1(D) for a possible record D that contains X}

remain for a person whose record is the same in both releases. Let p be a person in both releases, with the later record
D2, the earlier record D1 and the rows r2(p), r1(p). The guarantee holds for all p and all X:

    rows:    If X ⊆ D2, |X| ≤ m and (r2(p), r1(p)) ∈ C(X), then at least k rows of each release are in a pair of C(X).
    linked:  If X ⊆ D2, |X| ≤ m and (r2(p), r1(p)) ∈ C(X), then (r2(q), r1(q)) ∈ C(X) for at least k persons q in both.
             If X2 ⊆ D2, g1(X1) ⊆ r1(p) and |X2 ∪ X1| ≤ m, then g2(X2) ⊆ r2(q) and g1(X1) ⊆ r1(q) for at least k
             persons q.

X may be empty. If the record of p has not changed, then (r2(p), r1(p)) ∈ C(X) for each X ⊆ D2, so the guarantee covers
all known items of p. The check does not read D1, but its symbols in r1(p), so X1 may be any part of D1. It therefore
also covers changed records whose rows do not show the change.

Let U be the items that neither r2 nor r1 excludes. A row excludes an item if it lacks the symbol of the item, or if an
item without a symbol is certainly absent. A record D with the rows r2 and r1 is a subset of U, and U has at least the
symbols of D. Therefore (r2, r1) ∈ C(X) if and only if X ⊆ U, g2(U) = r2 and g1(U) = r1.

The check is independent of the algorithm. It represents sets of persons and of rows as Python integers.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, pairwise
from typing import Any

from anonset.data import Table
from anonset.data.redacted_repr import RedactedRepr
from anonset.errors import InputError
from anonset.generalization.other_release import OtherRelease, require_unpublished
from anonset.privacy import KmAnonymity, PrivacyModel, Witness
from anonset.publications import Records

_NONE = -1
Row = frozenset[int]
Known = tuple[tuple[int, int], ...]
"""Later and earlier symbol of each known item, ascending. -1 if a release shows no symbol of the item."""


def few_in_both(table: Table, publication: Any, earlier_release: OtherRelease, model: PrivacyModel) -> Witness | None:
    """Return a witness if two releases violate the guarantee of this module. Return None if there is no violation.

    Parameters
    ----------
    table
        The original table of `publication`, the later release.
    earlier_release
        The earlier release, compared with the table. `linked` selects the guarantee *linked* instead of *rows*.

    Raises
    ------
    InputError
        If a publication does not consist of records with one symbol per item, if a symbol stands for an item that
        reading removed, or if the model is not k^m-anonymity.
    """
    if not isinstance(publication, Records) or not isinstance(model, KmAnonymity):
        raise InputError(f"a joint check of two releases requires records and the model km, got {model.name}")
    require_unpublished(publication, earlier_release.removed)
    k, linked = model.k, earlier_release.linked
    later, earlier = (
        _RowsOfRelease.of(publication),
        _RowsOfRelease.of(earlier_release.publication),
    )
    pairs = _Pairs.of(later, earlier, earlier_release.certain_absence(table, later.symbol_of))
    row_of = {record: row for row, record in enumerate(publication.record.tolist())}
    column = table.transactions if earlier_release.items is None else earlier_release.items
    records = [[]] * table.n if column is None else column.rows()
    people = [
        (row_of[record], other, items)
        for record, (other, items) in enumerate(zip(earlier_release.row.tolist(), records, strict=True))
        if other >= 0 and record in row_of
    ]
    rows_of_people = [later.rows[row] for row, _, _ in people], [earlier.rows[other] for _, other, _ in people]
    holders = _holders(rows_of_people[0]), _holders(rows_of_people[1])
    fits = [pairs.is_possible(row, other) for row, other in zip(*rows_of_people, strict=True)]
    everyone, fitting = (1 << len(people)) - 1, _bits(number for number, fit in enumerate(fits) if fit)
    counts: tuple[dict[Known, int], dict[Known, int]] = ({}, {})
    for fit, (number, other, items) in zip(fits, people, strict=True):
        row, earlier_row = later.rows[number], earlier.rows[other]
        known = pairs.known_if_unchanged(row, earlier_row, items) if fit else None
        of_either = pairs.known_of_either(earlier_row, items) if linked else known
        checks = [(counts[0], fitting, known)] * fit + [(counts[1], everyone, of_either)] * (of_either != known)
        for checked, candidates, cells in checks:
            for knowledge in _sets(cells or (), model.m):
                if knowledge not in checked:
                    checked[knowledge] = _matching(candidates, holders, knowledge).bit_count()
                    if checked[knowledge] < k and not linked:
                        checked[knowledge] = pairs.count_candidates(knowledge, k)
                if checked[knowledge] < k:
                    return Witness((), checked[knowledge], k, number, "together with the earlier release")
    return None


@dataclass(frozen=True, eq=False)
class _RowsOfRelease(RedactedRepr):
    symbol_of: dict[str, int]
    rows: list[Row]

    @classmethod
    def of(cls, publication: Records) -> "_RowsOfRelease":
        symbols = [(member, code) for code, symbol in enumerate(publication.symbols) for member in symbol.members]
        symbol_of, column = dict(symbols), publication.transactions
        if len(symbol_of) < len(symbols) or publication.cluster is not None:
            raise InputError("a joint check of two releases requires one symbol per item")
        if column is None:
            return cls(symbol_of, [frozenset()] * publication.n)
        ends = column.indptr.tolist()
        items = column.items.tolist()
        return cls(symbol_of, [frozenset(items[a:b]) for a, b in pairwise(ends)])

    @cached_property
    def counts(self) -> dict[Row, int]:
        """Count of each distinct row."""
        counts: dict[Row, int] = {}
        for row in self.rows:
            counts[row] = counts.get(row, 0) + 1
        return counts

    @cached_property
    def distinct(self) -> list[Row]:
        return list(self.counts)

    @cached_property
    def holders(self) -> dict[int, int]:
        """Set of the distinct rows that contain each symbol."""
        return _holders(self.distinct)


@dataclass(frozen=True, eq=False)
class _Pairs(RedactedRepr):
    """Pairs of rows of two releases. Each attribute is for the later and the earlier release, in this order."""

    sides: tuple[_RowsOfRelease, _RowsOfRelease]
    partners: tuple[dict[int, Row], dict[int, Row]]
    """For each symbol, the symbols of its items in the other release. -1 for an item without a symbol."""
    nothing: tuple[Row, Row]
    """{-1} if a record may have items that the release does not show, otherwise empty."""

    @classmethod
    def of(cls, later: _RowsOfRelease, earlier: _RowsOfRelease, certain: tuple[bool, bool]) -> "_Pairs":
        symbols = [(later.symbol_of.get(item, _NONE), earlier.symbol_of.get(item, _NONE))
                   for item in {*later.symbol_of, *earlier.symbol_of}]  # fmt: skip
        partners: tuple[dict[int, set[int]], dict[int, set[int]]] = ({}, {})
        for symbol, other in symbols:
            partners[0].setdefault(symbol, set()).add(other)
            partners[1].setdefault(other, set()).add(symbol)
        frozen = [{symbol: frozenset(others) for symbol, others in side.items()} for side in partners]
        nothing = [Row() if sure else Row({_NONE}) for sure in certain]
        return cls((later, earlier), (frozen[0], frozen[1]), (nothing[0], nothing[1]))

    def is_possible(self, row: Row, other: Row) -> bool:
        """Return True if a later row and an earlier row are in C(∅)."""
        return self._covers(1, row, other) and self._covers(0, other, row)

    def _covers(self, side: int, row: Row, other: Row) -> bool:
        """Return True if the row `other` of a side permits an item of each symbol of `row`, a row of the other side."""
        shown = other | self.nothing[side]
        return all(not self.partners[1 - side][symbol].isdisjoint(shown) for symbol in row)

    def known_if_unchanged(self, row: Row, other: Row, items: Iterable[str]) -> Known:
        """Return the symbols of the items of a later record that neither row of the person excludes."""
        shown = row | self.nothing[0], other | self.nothing[1]
        return tuple(sorted({(a, b) for a, b in self._symbols(items) if a in shown[0] and b in shown[1]}))

    def known_of_either(self, other: Row, items: Iterable[str]) -> Known:
        """Return the symbols of the items of a later record, and the symbols that only the earlier row contains."""
        cells = {(a, b if b in other else _NONE) for a, b in self._symbols(items)}
        cells |= {(_NONE, b) for b in other - {b for _, b in cells}}
        return tuple(sorted(cells - {(_NONE, _NONE)}))

    def _symbols(self, items: Iterable[str]) -> set[tuple[int, int]]:
        symbol_of, earlier_symbol_of = self.sides[0].symbol_of, self.sides[1].symbol_of
        cells = {(symbol_of.get(item, _NONE), earlier_symbol_of.get(item, _NONE)) for item in items}
        return cells - {(_NONE, _NONE)}

    def count_candidates(self, knowledge: Known, k: int) -> int:
        """Return the number of rows in pairs of C(X), in the release with fewer such rows. Stop at k."""
        matching = []
        for side, release in enumerate(self.sides):
            everything = (1 << len(release.distinct)) - 1
            needed = [symbols[side] for symbols in knowledge if symbols[side] != _NONE]
            for symbol in needed:
                everything &= release.holders.get(symbol, 0)
            matching.append(everything)
        fewest = k
        for side, release in enumerate(self.sides):
            count = 0
            for number in _numbers(matching[side]):
                row = release.distinct[number]
                count += release.counts[row] * self._has_partner(side, row, matching[1 - side])
                if count >= k:
                    break
            fewest = min(fewest, count)
        return fewest

    def _has_partner(self, side: int, row: Row, others: int) -> bool:
        """Return True if one of the distinct rows `others` of the other release forms a possible pair with `row`."""
        release, hidden = self.sides[1 - side], self.nothing[1 - side]
        for symbol in row:
            partners = self.partners[side][symbol]
            if hidden.isdisjoint(partners):
                holders = 0
                for partner in partners:
                    holders |= release.holders.get(partner, 0)
                others &= holders
        shown = row | self.nothing[side]
        while others:
            other = release.distinct[(others & -others).bit_length() - 1]
            excluded = next((x for x in other if self.partners[1 - side][x].isdisjoint(shown)), None)
            if excluded is None:
                return True
            others &= ~release.holders[excluded]
        return False


def _holders(rows: list[Row]) -> dict[int, int]:
    """Return the set of the rows that contain each symbol. Bit i is row i."""
    numbers: dict[int, list[int]] = {}
    for number, row in enumerate(rows):
        for symbol in row:
            numbers.setdefault(symbol, []).append(number)
    return {symbol: _bits(of_symbol) for symbol, of_symbol in numbers.items()}


def _bits(numbers: Iterable[int]) -> int:
    ascending = list(numbers)
    octets = bytearray(ascending[-1] // 8 + 1 if ascending else 0)
    for number in ascending:
        octets[number // 8] |= 1 << number % 8
    return int.from_bytes(octets, "little")


def _numbers(bits: int) -> Iterator[int]:
    while bits:
        lowest = bits & -bits
        yield lowest.bit_length() - 1
        bits ^= lowest


def _matching(persons: int, holders: tuple[dict[int, int], dict[int, int]], knowledge: Known) -> int:
    """Return the persons whose rows contain the known symbols."""
    for symbols in knowledge:
        for symbol, of_side in zip(symbols, holders, strict=True):
            persons &= persons if symbol == _NONE else of_side.get(symbol, 0)
    return persons


def _sets(cells: Known, m: int) -> Iterator[Known]:
    for size in range(m + 1):
        yield from combinations(cells, size)
