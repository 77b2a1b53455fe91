"""Check whether ids are distinct, for any number of rows.

Ids are hashed, and divided into shares that fit into memory.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anonset.data.division import Division
from anonset.data.spans import spans
from anonset.data.store import Store
from anonset.data.table import Int64
from anonset.data.table_facts import RepeatedIdentifiers
from anonset.errors import InputError
from anonset.reading import arrow
from anonset.reading.persons.grouping import repeated_ids
from anonset.reading.persons.missing_values import given_texts, texts_of_all
from anonset.reading.persons.unit_candidate import UnitCandidate

_SHARES = 64
_DENSE = 16
"""Maximum size of a lookup table over all numbers from the smallest to the largest key, in bytes per key."""
_LOOKED_AT = 300
"""Number of values examined to decide whether all may be numbers."""
_WORDS = 3  # 64-bit words per id: two words of the hash, and the row number

_KEYS_AT_ONCE = 1 << 24
_ODD = np.uint64(0x9E3779B97F4A7C15)

Again = Callable[[Sequence[str]], Iterable[Mapping[str, Any]]]
"""Function that yields the named columns again, in batches of rows."""
UInt64 = NDArray[np.uint64]


class PersonIds(ExitStack):
    """Ids of the rows that were added, as hashes of 128 bits.

    Hashes are divided into shares. Equal ids are in the same share and adjacent after sorting.

    With negligible probability two different ids have the same hash and are rejected. Equal ids are never missed. The
    ids themselves are not stored.
    """

    def __init__(self, names: tuple[str, ...], store: Store) -> None:
        super().__init__()
        self.names, self.n = names, 0
        self._shares = self.enter_context(Division(store, _SHARES, np.uint64))

    def add(self, hashes: UInt64) -> None:
        """Add rows, given the hashes of their ids, uint64 (n, 2) (see `hash_words`)."""
        n = len(hashes)
        keyed = np.empty((n, _WORDS), np.uint64)
        keyed[:, :2] = hashes
        keyed[:, 2] = np.arange(self.n, self.n + n, dtype=np.uint64)
        self._shares.add(keyed[:, 0], keyed)
        self.n += n

    def refuse_repeated(self, where: str) -> None:
        """Reject two rows with the same id.

        Raises
        ------
        InputError
            The message contains the rows, but not the id, which identifies a person.
        """
        first, repeating = self.repeated()
        if len(repeating):
            earliest = int(np.argmin(repeating))
            rows = int(first[earliest]), int(repeating[earliest])
            raise InputError(repeated_ids(where, ", ".join(map(repr, self.names)), rows, len(repeating)))

    def repeated(self) -> tuple[Int64, Int64]:
        """Return the rows whose id occurs in an earlier row, int64. For each of these rows, also return the first row
        with the same id, int64.
        """
        firsts, repeated = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
        for words in self._shares.shares() if self.n else ():
            hashed = np.sort(words[:, 0])
            if (hashed[1:] == hashed[:-1]).any():
                first, repeating = _repeated(words)
                firsts.append(first)
                repeated.append(repeating)
        return np.concatenate(firsts), np.concatenate(repeated)


class WatchedCandidates(ExitStack):
    """Candidates for the unit that do not repeat in the first rows, checked in all rows.

    Rows with a missing value are ignored. One number, or one hash of 64 bits, is stored for each row. If all numbers
    differ, all values differ. If some numbers are equal, `again` yields the rows again, and `PersonIds` compares their
    values.
    """

    def __init__(self, candidates: Sequence[UnitCandidate], store: Store, read_again: Again) -> None:
        super().__init__()
        self._keys = [(candidate, _Keys(store)) for candidate in candidates]
        self._store, self._again = store, read_again
        for _, keys in self._keys:
            self.enter_context(keys.kept)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the checked columns."""
        return tuple(dict.fromkeys(name for candidate, _ in self._keys for name in candidate.columns))

    def add(self, columns: Mapping[str, Any]) -> None:
        """Add rows that include the checked columns (``pyarrow.ChunkedArray``)."""
        for candidate, keys in self._keys:
            keys.add([columns[name] for name in candidate.columns])

    def repeated(self) -> tuple[RepeatedIdentifiers, ...]:
        """Return the candidates that repeat."""
        return tuple(
            RepeatedIdentifiers(",".join(candidate.columns))
            for candidate, keys in self._keys
            if keys.may_repeat() and self._repeats(candidate)
        )

    def _repeats(self, candidate: UnitCandidate) -> bool:
        with PersonIds(candidate.columns, self._store) as persons:
            for columns in self._again(candidate.columns):
                persons.add(hash_words(texts_of_all([columns[name] for name in candidate.columns])))
            distinct = persons.n - len(persons.repeated()[1])
            return replace(candidate, given=persons.n, persons=distinct, beyond_chance=True).repeats


class _Keys:
    """One number for each row of a candidate. The number is the value if the candidate is a single numeric column, and
    otherwise a hash of the values.
    """

    def __init__(self, store: Store) -> None:
        self.kept = store.growing("keys", np.int64)
        self._numbers: bool | None = None
        self._mixed = False

    def add(self, columns: Sequence[Any]) -> None:
        if self._mixed:
            return
        if len(columns) > 1:
            texts = texts_of_all(columns)
            if len(texts[0]):
                self.kept.append(_hashed(texts))
            return
        column = columns[0]
        numbers = None if self._numbers is False else _as_numbers(column)
        if numbers is None and self._numbers is not False:
            numbers = _as_numbers(given_texts(column))
        if len(column) == column.null_count:
            return
        self._mixed = numbers is None and self._numbers is True
        self._numbers = numbers is not None
        if not self._mixed:
            self.kept.append(_hashed([given_texts(column)]) if numbers is None else numbers)

    def may_repeat(self) -> bool:
        """Return False if all values certainly differ, and True otherwise."""
        keys = self.kept.finished()
        may_be_equal = self._mixed or _has_equal(keys)
        self.kept.drop()
        return may_be_equal


def _as_numbers(texts: Any) -> NDArray[np.int64] | None:
    import pyarrow as pa

    if pa.types.is_integer(texts.type):
        return arrow.to_numpy(arrow.cast(arrow.drop_null(texts), pa.int64()))
    if not (pa.types.is_string(texts.type) or pa.types.is_large_string(texts.type)):
        return None
    first = [text for text in texts.slice(0, _LOOKED_AT).to_pylist() if text is not None]
    if not all(map(str.isdecimal, first)):  # this check is faster than a failing cast
        return None
    try:
        return arrow.to_numpy(arrow.cast(arrow.drop_null(texts) if texts.null_count else texts, pa.int64()))
    except pa.ArrowInvalid:
        return None


def _hashed(texts: Sequence[Any]) -> NDArray[np.int64]:
    hashes = hashes_of(texts)
    joined: NDArray[np.int64] = hashes[:, 0] << 32 | hashes[:, 1]
    return joined


def _has_equal(keys: NDArray[np.int64], at_once: int = _KEYS_AT_ONCE) -> bool:
    """Return True if two keys are equal. Large inputs are sorted in parts."""
    if not len(keys):
        return False
    least, most = int(keys.min()), int(keys.max())
    if most - least < min(_DENSE * len(keys), _DENSE * at_once):
        present = np.zeros(most - least + 1, np.bool_)
        for a, b in spans(len(keys)):
            present[keys[a:b] - least] = True
        return int(np.count_nonzero(present)) < len(keys)
    count = -(-len(keys) // at_once)
    for share in range(count):
        keys_of_share = [
            keys[a:b] if count == 1 else keys[a:b][_share_of(keys[a:b], count) == share] for a, b in spans(len(keys))
        ]
        ordered = np.sort(np.concatenate(keys_of_share))
        if (ordered[1:] == ordered[:-1]).any():
            return True
    return False


def _share_of(keys: NDArray[np.int64], count: int) -> NDArray[np.uint64]:
    mixed = keys.view(np.uint64) * _ODD >> np.uint64(32)
    number: NDArray[np.uint64] = mixed % np.uint64(count)
    return number


def hash_words(columns: Sequence[Any]) -> UInt64:
    """Return hashes of the ids (``pyarrow.LargeStringArray``) of each row, uint64 (n, 2)."""
    hashes = hashes_of(columns).astype(np.uint64)
    return hashes[:, ::2] << np.uint64(32) | hashes[:, 1::2]


def hashes_of(columns: Sequence[Any]) -> Int64:
    """Return hashes of the ids (``pyarrow.LargeStringArray``) of each row, int64 (n, 4), with 32 bits per number."""
    from anonset_kernels.text import hash_fields

    n = len(columns[0])
    state = np.zeros((n, 4), np.int64)
    for column in columns:
        hash_fields(*arrow.text_of(arrow.folded(column)), state)
    return state


def _repeated(words: UInt64) -> tuple[Int64, Int64]:
    """Return the rows whose id occurs in an earlier row, int64. For each of these rows, also return the first row with
    the same id, int64.
    """
    words = words[np.lexsort((words[:, 2], words[:, 1], words[:, 0]))]
    same = np.zeros(len(words), bool)
    same[1:] = (words[1:, :2] == words[:-1, :2]).all(axis=1)
    begin = np.maximum.accumulate(np.where(same, 0, np.arange(len(words))))
    rows = words[:, 2].astype(np.int64)
    return rows[begin[same]], rows[same]
