"""Hash ids, so that equal ids are found without storing the ids."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anonset import arrow
from anonset.data.table import Int64

UInt64 = NDArray[np.uint64]


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
