"""Hash ids with a secret key, so that equal ids are found without storing the ids."""

import secrets
from collections.abc import Sequence
from typing import Any

import numpy as np

from anonset import arrow
from anonset.columns.identity import folded
from anonset.data.array_types import UInt64


def new_key() -> UInt64:
    """Return a random key of 128 bits, uint64 (2,). Without the key, nobody can construct two ids of equal hash."""
    return np.frombuffer(bytearray(secrets.token_bytes(16)), np.uint64)  # writable, as kernels are compiled for it


def hash_ids(key: UInt64, columns: Sequence[Any]) -> UInt64:
    """Return hashes of the ids (``pyarrow.LargeStringArray``) of each row, and a hash of their spelling, uint64 (n, 3).

    The first two columns are equal for spellings of the same id, the third is not.
    """
    uniform = list(map(folded, columns))
    hashes = _hashes(key, uniform)
    unchanged = all(one.equals(column) for one, column in zip(uniform, columns, strict=True))
    return np.column_stack([hashes, (hashes if unchanged else _hashes(key, columns))[:, 0]])


def _hashes(key: UInt64, columns: Sequence[Any]) -> UInt64:
    from anonset_kernels.records.text import hash_fields

    state = np.zeros((len(columns[0]), 2), np.uint64)
    with np.errstate(over="ignore"):  # sums of SipHash wrap around
        for column in columns:
            hash_fields(key, *arrow.text_of(column), state)
    return state
