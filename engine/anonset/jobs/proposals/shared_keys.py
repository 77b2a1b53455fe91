"""Keys that several tables share, by the words of their headers and by all their ids.

Two columns contain the same key if their headers agree and most ids of one occur in the other, or if nearly all ids of
one occur in the other and cannot be there by chance. Row numbers occur in every longer list of numbers, so for them the
headers must agree.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from anonset.columns.headers import PERSON_IDS, meaning_of, words_of
from anonset.columns.words import word_meanings
from anonset.data.array_types import UInt64
from anonset.data.redacted_repr import RedactedRepr

_AGREEING, _NEARLY_ALL = 0.5, 0.9
"""Minimum share of the ids of a column that another column must contain, with and without agreeing headers."""
_LONGEST_ENDING = 2
"""Largest number of letters by which two forms of a word differ, such as ``patient`` and ``Patienten``."""
_OF_KEYS = frozenset({"number", "filler"})


@dataclass(frozen=True, eq=False)
class KeyColumn(RedactedRepr):
    """Column that may contain the key of a table, or refer to a row of another table."""

    table: str
    name: str
    ids: UInt64 = field(repr=False)
    """Sorted hashes of the distinct ids, uint64 (n,)."""
    given: int
    """Number of rows with an id."""
    rows: int
    points: int
    """Evidence that each id is a person (see `PossiblePerson`)."""
    is_dense: bool
    """True if the ids are most of the numbers between the smallest and the largest, such as row numbers."""
    before: str = ""
    """Text before each id, such as ``Patient/``."""

    @property
    def is_unique(self) -> bool:
        """True if each row has its own id."""
        return 0 < self.rows == self.given == len(self.ids)

    @property
    def header(self) -> str:
        """Name of the column, if necessary with the name of the table."""
        return header_with_table(self.table, self.name)

    @cached_property
    def topic(self) -> tuple[str, ...]:
        """Words of the header that name what the ids identify."""
        return _topic(self.before or self.header)

    def share_in(self, other: "KeyColumn") -> float:
        """Return the share of the ids that another column contains."""
        return 1.0 - self.lacking_in(other) / max(1, len(self.ids))

    def lacking_in(self, other: "KeyColumn") -> int:
        """Return the number of ids that another column does not contain."""
        return len(self.ids) - len(np.intersect1d(self.ids, other.ids, assume_unique=True))


@dataclass(frozen=True, eq=False)
class SharedKey(RedactedRepr):
    """Columns of several tables that contain the same key."""

    columns: tuple[KeyColumn, ...]

    @property
    def points(self) -> float:
        """Mean evidence that each id is a person."""
        return sum(column.points for column in self.columns) / len(self.columns)

    @property
    def is_unique(self) -> bool:
        """True if a table has a row for each id."""
        return any(column.is_unique for column in self.columns)

    @property
    def name(self) -> str:
        """Name of most of the columns. Among equally frequent names, one that says more than ``id``."""
        names = [column.name for column in self.columns]
        return max(dict.fromkeys(names), key=lambda name: (names.count(name), bool(_topic(name))))

    @property
    def tables(self) -> tuple[str, ...]:
        """Names of the tables, each once."""
        return tuple(dict.fromkeys(column.table for column in self.columns))

    @cached_property
    def n_ids(self) -> int:
        """Number of distinct ids in all tables."""
        return len(np.unique(np.concatenate([column.ids for column in self.columns])))

    def of(self, table: str) -> KeyColumn | None:
        """Return the column of a table, or None. If it has several, prefer the most common name, then the most evidence
        of persons, then the largest number of ids.
        """
        own = [column for column in self.columns if column.table == table]
        return min(own, key=lambda one: (one.name != self.name, -one.points, -len(one.ids)), default=None)


def shared_keys(columns: Sequence[KeyColumn]) -> list[SharedKey]:
    """Return the keys that at least two tables share. The key with the most evidence of persons comes first.

    A key that repeats in a single table is also returned if its header names ids, and other tables refer to the rows of
    this table.
    """
    keys = _groups(columns)
    shared = [key for key in keys if len(key.tables) > 1]
    parents = {column.table for key in shared for column in key.columns if column.is_unique}
    single = [key for key in keys if key.tables[0] in parents and len(key.tables) == 1 and not key.is_unique]
    single = [key for key in single if meaning_of(key.columns[0].header) in PERSON_IDS]
    return sorted([*shared, *single], key=lambda key: (-key.points, -len(key.tables)))


def _groups(columns: Sequence[KeyColumn]) -> list[SharedKey]:
    """Return the columns in groups. Each column is in the group of the column that it refers to."""
    group_of = {column: number for number, column in enumerate(columns)}
    for column in columns:
        if (target := _target(column, columns)) is not None:
            own, other = group_of[column], group_of[target]
            group_of = {one: other if number == own else number for one, number in group_of.items()}
    numbers = dict.fromkeys(group_of.values())
    return [SharedKey(tuple(one for one in columns if group_of[one] == number)) for number in numbers]


def _target(column: KeyColumn, columns: Sequence[KeyColumn]) -> KeyColumn | None:
    """Return the column of another table to which a column refers by the strongest evidence, or None."""
    others = [other for other in columns if other.table != column.table]
    evidence = {other: found for other in others if (found := _evidence(column, other)) is not None}
    targets = [other for other in evidence if other.is_unique] or [*evidence]
    return max(targets, key=evidence.__getitem__, default=None)


def _evidence(column: KeyColumn, other: KeyColumn) -> tuple[int, float] | None:
    """Return the strength of the evidence that a column contains ids of another, and the share of its ids that the
    other column contains. None if there is no evidence.
    """
    agree, by_chance = _agree(column, other), column.is_dense or other.is_dense
    if not agree and (by_chance or not other.is_unique):
        return None
    share = column.share_in(other)
    if agree and not other.is_unique:
        share = max(share, other.share_in(column))
    return (agree or 1, share) if share >= (_AGREEING if agree else _NEARLY_ALL) else None


def _agree(one: KeyColumn, other: KeyColumn) -> int:
    """Return 3 if two headers are about the same thing, 2 if both identify persons, else 0."""
    if one.topic and len(one.topic) == len(other.topic) and all(map(_are_forms, one.topic, other.topic)):
        return 3
    return 2 if meaning_of(one.header) == meaning_of(other.header) == "person id" else 0


def _are_forms(word: str, other: str) -> bool:
    """Return True if two words are forms of one word.

    >>> _are_forms("order", "orders"), _are_forms("patienten", "patient"), _are_forms("ward", "wage")
    (True, True, False)
    """
    short, long = sorted((word, other), key=len)
    return long.startswith(short) and len(long) - len(short) <= _LONGEST_ENDING


def _topic(header: str) -> tuple[str, ...]:
    """Return the words of a header that are no words for a number or an id.

    >>> _topic("visit_occurrence_id"), _topic("PatientenNr"), _topic("Id"), _topic("Patient/")
    (('visit', 'occurrence'), ('patienten',), (), ('patient',))
    """
    return tuple(word for word in words_of(header) if not word_meanings().get(word, frozenset()) & _OF_KEYS)


def header_with_table(table: str, name: str) -> str:
    """Return the name of a column, with the name of the table if the name alone says only that it is an id."""
    return name if _topic(name) else f"{table} {name}"
