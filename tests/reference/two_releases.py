"""Naive attacker with two releases: enumerates all records that a person with an unchanged record may have."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, combinations

Record = frozenset[str]
Row = frozenset[str]


@dataclass(frozen=True)
class Release:
    """What an attacker sees of a release, and the original records behind its rows."""

    records: Sequence[Record]
    rows: Sequence[Row]
    """Published row of each record."""
    members: Mapping[str, Collection[str]]
    """Items of each symbol."""
    certain: bool
    """True if the attacker knows that items without a symbol are in no record."""

    def shown(self, record: Record) -> Row:
        """Return the published row of a record."""
        return frozenset(symbol for symbol, items in self.members.items() if record & set(items))

    def possible(self, universe: Record) -> Record:
        """Return the items that records may have."""
        return frozenset(chain(*self.members.values())) if self.certain else universe


@dataclass(frozen=True, eq=False)
class TwoReleases:
    """A later and an earlier release. `persons` are the record numbers of the persons in both, in each release."""

    later: Release
    earlier: Release
    persons: Sequence[tuple[int, int]]
    universe: Record

    @property
    def unchanged(self) -> list[tuple[int, int]]:
        """Persons with the same record in both releases."""
        return [(a, b) for a, b in self.persons if self.later.records[a] == self.earlier.records[b]]

    @cached_property
    def worlds(self) -> list[tuple[Record, tuple[Row, Row]]]:
        """Records that are possible in both releases, with their two rows: the largest record of each pair of rows.

        Items with the same symbols in both releases change no row once one of them is in the record.
        """
        possible = self.later.possible(self.universe) & self.earlier.possible(self.universe)
        alike = dict[tuple[Row, Row], list[str]]()
        for item in sorted(possible):
            alike.setdefault(self._shown(frozenset({item})), []).append(item)
        unseen = alike.pop((frozenset(), frozenset()), [])  # items without a symbol in both releases
        groups = {items[0]: items for items in alike.values()}
        chosen = subsets(frozenset(groups), len(groups))
        records = [frozenset(chain(unseen, *(groups[first] for first in one))) for one in chosen]
        return [(record, self._shown(record)) for record in records]

    def _shown(self, record: Record) -> tuple[Row, Row]:
        return self.later.shown(record), self.earlier.shown(record)

    def remaining_pairs(self, known: Record) -> set[tuple[Row, Row]]:
        """Return the pairs of rows that the same record with the known items may have."""
        return {pair for record, pair in self.worlds if known <= record}

    def remaining_rows(self, known: Iterable[Record]) -> int:
        """Return the number of later rows that may have a record with one of the items of each known set."""
        sets = list(known)
        pairs = {pair for record, pair in self.worlds if all(record & items for items in sets)}
        return sum(any((row, other) in pairs for other in self.earlier.rows) for row in self.later.rows)

    def fewest_rows(self, persons: Sequence[tuple[int, int]], m: int) -> int | None:
        """Return the smallest number of remaining rows of a release, if an attacker knows up to m items of a person and
        that the record is unchanged. None if no row remains for any person.
        """
        later, earlier = self.later.rows, self.earlier.rows
        return min(
            (
                min(
                    sum(any((row, other) in pairs for other in earlier) for row in later),
                    sum(any((row, other) in pairs for row in later) for other in earlier),
                )
                for pairs in self._attacks(persons, m)
            ),
            default=None,
        )

    def fewest_linked(self, persons: Sequence[tuple[int, int]], m: int) -> int | None:
        """Return the smallest number of remaining persons in both, if the attacker also knows which rows belong to the
        same person. None if nobody remains for any person.
        """
        remaining = (sum(self._own(q) in pairs for q in self.persons) for pairs in self._attacks(persons, m))
        return min(remaining, default=None)

    def fewest_of_changed(self, m: int) -> int | None:
        """Return the smallest number of persons in both whose rows contain up to m items, which the attacker knows from
        the later record, or believes to be in the earlier record, as its row permits. The attacker does not know
        whether the record is unchanged.
        """
        counts = list[int]()
        for a, b in self.persons:
            for here in subsets(self.later.records[a], m):
                for there in subsets(self._permitted(self.earlier, b), m):
                    if len(here | there) <= m:
                        needed = self.later.shown(here), self.earlier.shown(there)
                        rows = map(self._own, self.persons)
                        counts.append(sum(needed[0] <= row and needed[1] <= other for row, other in rows))
        return min(counts, default=None)

    def _permitted(self, release: Release, record: int) -> Record:
        """Return the items that the row of a record permits."""
        items = self.universe | set(chain(*release.members.values()))
        return frozenset(item for item in items if release.shown(frozenset({item})) <= release.rows[record])

    def _own(self, person: tuple[int, int]) -> tuple[Row, Row]:
        return self.later.rows[person[0]], self.earlier.rows[person[1]]

    def _attacks(self, persons: Sequence[tuple[int, int]], m: int) -> Iterator[set[tuple[Row, Row]]]:
        """Yield the remaining pairs of each attack that does not exclude the person's own rows."""
        for person in persons:
            for known in subsets(self.later.records[person[0]], m):
                if self._own(person) in (pairs := self.remaining_pairs(known)):
                    yield pairs


def subsets(items: Record, size: int) -> Iterator[Record]:
    """Yield the subsets of up to `size` items."""
    return map(frozenset, chain(*(combinations(sorted(items), count) for count in range(size + 1))))
