"""Check two releases about the same persons. An attacker who knows m items of a person and both releases must find at
least k matching persons, or none.

The check is independent of the algorithm. It represents sets of persons as Python integers, and sets of symbols as
frozensets.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, pairwise
from typing import Any

from anonset.data import Table
from anonset.data.redacted_repr import RedactedRepr
from anonset.errors import InputError
from anonset.generalization.other_release import OtherRelease
from anonset.privacy import KmAnonymity, PrivacyModel, Witness
from anonset.publications import Records

_NONE = -1
Row = frozenset[int]
Cells = frozenset[tuple[int, int]]


def few_in_both(table: Table, publication: Any, earlier_release: OtherRelease, model: PrivacyModel) -> Witness | None:
    """Return a witness if up to m items of a person match fewer than k candidates in both releases. Return None if
    there is no violation.

    Parameters
    ----------
    table
        The original table of `publication`.
    earlier_release
        The earlier release. If rows are linked, the candidates are the persons with the known items in their rows of
        both releases. Otherwise, the candidates are the matching rows of a release that may have the same original
        record as some matching row of the other release.

    Raises
    ------
    InputError
        If the publication does not consist of records, or the model is not k^m-anonymity.
    """
    if not isinstance(publication, Records) or not isinstance(model, KmAnonymity):
        msg = f"a joint check of two releases requires records and the model km, got {model.name}"
        raise InputError(msg)
    k, linked = model.k, earlier_release.linked
    later, earlier = _RowsOfRelease.of(publication), _RowsOfRelease.of(earlier_release.publication)
    pairs = _Pairs(later, earlier, *_cells(later, earlier), earlier_release.certain_presence(table, later.symbol_of))
    row_of = {record: row for row, record in enumerate(publication.record.tolist())}
    people = [
        (row_of[record], other, items)
        for record, (other, items) in enumerate(zip(earlier_release.row.tolist(), _items(table), strict=True))
        if other >= 0 and record in row_of
    ]
    masks: tuple[dict[int, int], dict[int, int]] = ({}, {})
    for number, (row, other, _) in enumerate(people):
        for mask, symbols in zip(masks, (later.rows[row], earlier.rows[other]), strict=True):
            for symbol in symbols:
                mask[symbol] = mask.get(symbol, 0) | 1 << number
    checked: dict[Cells, int] = {}
    for row, other, items in people:
        if not linked and not pairs.of_one(later.rows[row], earlier.rows[other]):
            continue
        for knowledge in _sets(_knowledge(later, earlier, earlier.rows[other], items), model.m):
            if knowledge not in checked:
                together = (1 << len(people)) - 1
                for later_symbol, earlier_symbol in knowledge:
                    together &= masks[0][later_symbol] if later_symbol != _NONE else together
                    together &= masks[1][earlier_symbol] if earlier_symbol != _NONE else together
                n_candidates = together.bit_count()
                checked[knowledge] = (
                    n_candidates if linked or n_candidates >= k else pairs.count_candidates(knowledge, k)
                )
            if checked[knowledge] < k:
                return Witness((), checked[knowledge], k, row, "together with the earlier release")
    return None


@dataclass(frozen=True, eq=False)
class _RowsOfRelease(RedactedRepr):
    symbol_of: dict[str, int]
    rows: list[Row]

    @classmethod
    def of(cls, publication: Records) -> "_RowsOfRelease":
        symbol_of = {member: code for code, symbol in enumerate(publication.symbols) for member in symbol.members}
        column = publication.transactions
        if column is None:
            return cls(symbol_of, [frozenset()] * publication.n)
        ends = column.indptr.tolist()
        items = column.items.tolist()
        return cls(symbol_of, [frozenset(items[a:b]) for a, b in pairwise(ends)])

    @cached_property
    def distinct(self) -> dict[Row, int]:
        """Count of each distinct row."""
        counts: dict[Row, int] = {}
        for row in self.rows:
            counts[row] = counts.get(row, 0) + 1
        return counts


@dataclass(frozen=True, eq=False)
class _Pairs(RedactedRepr):
    """Symbols of two releases. For each symbol, the symbols of the other release that may cover the same item."""

    later: _RowsOfRelease
    earlier: _RowsOfRelease
    there: dict[int, Row]
    """Earlier symbols of the items of each later symbol. -1 for an item without an earlier symbol."""
    here: dict[int, Row]
    """Later symbols of the items of each earlier symbol. -1 for an item without a later symbol."""
    certain: tuple[bool, bool]
    """Two flags, for the later and the earlier release. A flag is True if an item without a symbol is certainly in no
    record of the release.
    """

    def of_one(self, row: Row, other: Row) -> bool:
        """Return True if a later row and an earlier row may belong to the same record."""
        shown_here = row if self.certain[0] else row | {_NONE}
        shown_there = other if self.certain[1] else other | {_NONE}
        return all(self.there[symbol] & shown_there for symbol in row) and all(
            self.here[symbol] & shown_here for symbol in other
        )

    def count_candidates(self, knowledge: Cells, k: int) -> int:
        """Return the number of candidates in the release with fewer candidates, at most k."""
        needed = [frozenset(cell[side] for cell in knowledge) - {_NONE} for side in (0, 1)]
        rows = [row for row in self.later.distinct if needed[0] <= row]
        others = [row for row in self.earlier.distinct if needed[1] <= row]
        fits = [(self.later.distinct[row] for row in rows if any(self.of_one(row, other) for other in others))]
        fits += [(self.earlier.distinct[other] for other in others if any(self.of_one(row, other) for row in rows))]
        return min(_up_to(counts, k) for counts in fits)


def _up_to(counts: Iterable[int], k: int) -> int:
    total = 0
    for count in counts:
        total += count
        if total >= k:
            return k
    return total


def _cells(later: _RowsOfRelease, earlier: _RowsOfRelease) -> tuple[dict[int, Row], dict[int, Row]]:
    earlier_symbols: dict[int, set[int]] = {}
    later_symbols: dict[int, set[int]] = {}
    for item in {*later.symbol_of, *earlier.symbol_of}:
        symbol, earlier_symbol = later.symbol_of.get(item, _NONE), earlier.symbol_of.get(item, _NONE)
        earlier_symbols.setdefault(symbol, set()).add(earlier_symbol)
        later_symbols.setdefault(earlier_symbol, set()).add(symbol)
    return {x: frozenset(partners) for x, partners in earlier_symbols.items()}, {
        x: frozenset(partners) for x, partners in later_symbols.items()
    }


def _items(table: Table) -> Iterator[list[str]]:
    column = table.transactions
    return iter([[]] * table.n) if column is None else column.rows()


def _knowledge(later: _RowsOfRelease, earlier: _RowsOfRelease, row: Row, items: Iterable[str]) -> Cells:
    """Return the pairs of later and earlier symbols of a person's items, and the remaining symbols of the earlier
    row.
    """
    shown = {(later.symbol_of.get(item, _NONE), earlier.symbol_of.get(item, _NONE)) for item in items}
    cells = {(symbol, earlier_symbol if earlier_symbol in row else _NONE) for symbol, earlier_symbol in shown}
    cells |= {(_NONE, symbol) for symbol in row - {earlier_symbol for _, earlier_symbol in cells}}
    return frozenset(cells - {(_NONE, _NONE)})


def _sets(cells: Cells, m: int) -> Iterator[Cells]:
    for size in range(1, m + 1):
        yield from map(frozenset, combinations(sorted(cells), size))
