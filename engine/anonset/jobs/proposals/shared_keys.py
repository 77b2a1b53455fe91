"""Keys that several tables share, by the words of their headers and by all their ids.

Two columns contain the same key if their headers agree and most ids of one occur in the other, or if nearly all ids of
one occur in the other and cannot be there by chance. Row numbers occur in every longer list of numbers, so for them the
headers must agree.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeVar

import numpy as np

from anonset.columns.headers import PERSON_IDS, meaning_of, words_of
from anonset.columns.words import word_meanings
from anonset.data.array_types import Int64, UInt64
from anonset.data.redacted_repr import RedactedRepr
from anonset.data.spans import spans

_AGREEING, _NEARLY_ALL = 0.5, 0.9
"""Minimum share of the ids of a column that another column must contain, with and without agreeing headers."""
_GIVEN = 0.95
"""Minimum share of the rows of a table that have an id, if the ids are a key of the table."""
_LONGEST_ENDING = 2
"""Largest number of letters by which two forms of a word differ, such as ``patient`` and ``Patienten``."""
_AT_ONCE = 1 << 24  # maximum number of pairs of an id and a column in memory
_OF_KEYS = frozenset({"number", "filler"})

T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class KeyColumn(RedactedRepr):
    """Column, or columns, that may contain the key of a table, or refer to a row of another table."""

    table: str
    columns: tuple[str, ...]
    """Names of the columns. A key of several columns is unique only together."""
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
    part_of: str = ""
    """Column of the table of which each id has one value, such as the customer of each receipt. Empty if none."""

    @property
    def name(self) -> str:
        """Names of the columns, separated by commas."""
        return ",".join(self.columns)

    @property
    def is_unique(self) -> bool:
        """True if each row with an id has its own id, and nearly all rows have one."""
        return 0 < self.given == len(self.ids) and self.given >= _GIVEN * self.rows

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

    def is_case_of(self, other: "SharedKey") -> bool:
        """Return True if each id belongs to one id of another key, as each receipt belongs to one customer."""
        return any((one.table, one.part_of) == (of.table, of.name) for one in self.columns for of in other.columns)

    def of(self, table: str) -> KeyColumn | None:
        """Return the column of a table, or None. If it has several, prefer the most common name, then the most evidence
        of persons, then the largest number of ids.
        """
        own = [column for column in self.columns if column.table == table]
        return min(own, key=lambda one: (one.name != self.name, -one.points, -len(one.ids)), default=None)


def shared_keys(columns: Sequence[KeyColumn]) -> list[SharedKey]:
    """Return the keys that at least two tables share. The key with the most evidence of persons comes first, after the
    keys of whose persons it is a case.

    A key that repeats in a single table is also returned if its header names ids, and this table shares a key.
    """
    keys = _groups(columns)
    shared = [key for key in keys if len(key.tables) > 1]
    linked = {table for key in shared for table in key.tables}
    single = [key for key in keys if key.tables[0] in linked and len(key.tables) == 1 and not key.is_unique]
    single = [key for key in single if meaning_of(key.columns[0].header) in PERSON_IDS]
    placed: list[SharedKey] = []
    for key in sorted([*shared, *single], key=lambda key: (-key.points, -len(key.tables))):
        at = next((i for i, other in enumerate(placed) if other.is_case_of(key)), len(placed))
        placed.insert(at, key)
    return placed


def _groups(columns: Sequence[KeyColumn]) -> list[SharedKey]:
    """Return the columns in groups. Each column is in the group of the column that it refers to."""
    comparison, place = _Comparison(columns), {column: number for number, column in enumerate(columns)}
    group_of = {column: [column] for column in columns}
    for number, column in enumerate(columns):
        small, large = sorted((group_of[column], group_of[columns[comparison.target(number)]]), key=len)
        if small is not large:
            large += small
            group_of |= dict.fromkeys(small, large)
    groups = {id(group): group for group in group_of.values()}
    return [SharedKey(tuple(sorted(group, key=place.__getitem__))) for group in groups.values()]


class _Comparison:
    """Comparison of each column with all others. It takes seconds for thousands of columns, because their ids are in
    one sorted array, and only headers whose first words begin alike are compared.
    """

    def __init__(self, columns: Sequence[KeyColumn]) -> None:
        self._columns, self._mask = columns, np.uint64((1 << len(columns).bit_length()) - 1)
        # the number of the column replaces the lowest bits of each id
        ids = [column.ids & ~self._mask | np.uint64(number) for number, column in enumerate(columns)]
        self._ids = np.concatenate([np.empty(0, np.uint64), *ids])
        self._ids.sort()
        self._n_ids = np.array([len(column.ids) for column in columns])
        self._is_unique = np.array([column.is_unique for column in columns], bool)
        self._is_dense = np.array([column.is_dense for column in columns], bool)
        self._is_person = np.array([meaning_of(column.header) == "person id" for column in columns], bool)
        self._table, _ = _numbered(column.table for column in columns)
        self._topic, self._topics = _numbered(column.topic for column in columns)
        self._alike = defaultdict[tuple[int, str], list[int]](list)
        for number, topic in enumerate(self._topics):
            for beginning in _beginnings(topic):
                self._alike[beginning].append(number)

    def target(self, number: int) -> int:
        """Return the column of another table to which a column refers by the strongest evidence, or the column itself.

        Agreeing headers are stronger evidence than other headers, and then a larger share of the ids. A column with a
        row for each id precedes all others.
        """
        agree, n_common = self._agreement(number), self._n_common(self._columns[number].ids)
        share = 1.0 - (self._n_ids[number] - n_common) / max(1, self._n_ids[number])
        reverse = 1.0 - (self._n_ids - n_common) / np.maximum(1, self._n_ids)
        share = np.where((agree > 0) & ~self._is_unique, np.maximum(share, reverse), share)
        by_chance = self._is_dense | self._is_dense[number] | ~self._is_unique
        refers = np.where(agree > 0, share >= _AGREEING, (share >= _NEARLY_ALL) & ~by_chance)
        refers &= self._table != self._table[number]
        strength = np.where(refers, 10 * self._is_unique + 2 * np.maximum(agree, 1) + share, 0)
        return int(np.argmax(strength)) if refers.any() else number

    def _agreement(self, number: int) -> Int64:
        """Return 3 for each column whose header is about the same thing, 2 if both headers identify persons, else 0."""
        topic = self._topics[self._topic[number]]
        of_topic = np.zeros(len(self._topics), np.int64)
        for other in {other for beginning in _beginnings(topic) for other in self._alike[beginning]}:
            of_topic[other] = 3 * all(map(_are_forms, topic, self._topics[other]))
        agreement: Int64 = np.maximum(of_topic[self._topic], 2 * (self._is_person & self._is_person[number]))
        return agreement

    def _n_common(self, ids: UInt64) -> Int64:
        """Return the number of ids that each column contains."""
        n_common = np.zeros(len(self._columns), np.int64)
        for a, b in spans(len(ids), 1 + _AT_ONCE // len(self._columns)):
            begins = np.searchsorted(self._ids, ids[a:b] & ~self._mask)
            lengths = np.searchsorted(self._ids, ids[a:b] | self._mask, side="right") - begins
            places = np.arange(lengths.sum()) + np.repeat(begins - np.cumsum(lengths) + lengths, lengths)
            n_common += np.bincount((self._ids[places] & self._mask).view(np.int64), minlength=len(n_common))
        return n_common


def _numbered(values: Iterable[T]) -> tuple[Int64, list[T]]:
    """Return the number of each value, int64 (n,), and the distinct values in the order of their numbers."""
    numbers: dict[T, int] = {}
    return np.array([numbers.setdefault(value, len(numbers)) for value in values], np.int64), [*numbers]


def _beginnings(topic: tuple[str, ...]) -> list[tuple[int, str]]:
    """Return the number of words with each beginning of the first word. Topics that agree have one in common."""
    return [(len(topic), topic[0][: len(topic[0]) - cut]) for cut in range(_LONGEST_ENDING + 1)] if topic else []


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
