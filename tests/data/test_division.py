"""Dividing rows by keys, in memory and in files: each row is in the share of the key, in order."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.facts import refused

from anonset.data.division import Division
from anonset.data.storage.store import MEMORY, Files
from anonset.errors import InputError
from anonset.verification.shares import divided

batches = st.lists(st.lists(st.integers(0, 2**64 - 1), max_size=9), max_size=5)


def numbered(keys):
    """Yield the keys of each batch, and the rows: (number, number squared)."""
    first = 0
    for batch in keys:
        number = np.arange(first, first + len(batch), dtype=np.int64)
        yield np.array(batch, np.uint64), np.stack([number, number**2], axis=1)
        first += len(batch)


@pytest.mark.long
@given(batches, st.sampled_from([1, 2, 7, 300]), st.booleans())
def test_rows_are_in_the_share_of_their_key(keys, count, in_files):
    with Files.temporary() as files:
        store = files if in_files else MEMORY
        with Division(store, count, np.int64) as division:
            for key, rows in numbered(keys):
                division.add(key, rows)
            actual = [share.reshape(-1, 2).tolist() for share in division.shares()]
        assert list(files.path.iterdir()) == [files.path / "anonset-lease.json"]
    expected = [[] for _ in range(count)]
    for number, key in enumerate(key for batch in keys for key in batch):
        expected[key % count].append([number, number**2])
    assert actual == expected


@given(batches, st.sampled_from([1, 3]))
def test_shares_together_equal_the_input(keys, count):
    shares = list(divided(numbered(keys), count, MEMORY, np.int64))
    assert sorted(row for share in shares for row in share.tolist()) == [[n, n * n] for n in range(sum(map(len, keys)))]
    assert all(map(len, shares))


@pytest.mark.parametrize("damage", [lambda share: share[1:], lambda share: share[[0, 0, 1]], lambda share: share + 1])
def test_a_share_that_differs_from_its_input_is_rejected(monkeypatch, damage):
    shares = Division.shares
    monkeypatch.setattr(Division, "shares", lambda division: map(damage, shares(division)))
    with refused(InputError, code="damaged"):
        list(divided(numbered([[5, 6, 9]]), 1, MEMORY, np.int64))
