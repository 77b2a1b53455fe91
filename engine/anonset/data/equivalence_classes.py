"""Equivalence classes, which are sets of records with equal values in some columns."""

from collections.abc import Sequence

import numpy as np

from anonset.data.array_types import Int64
from anonset.data.table import CategoricalColumn, Column

_MOST_KEYS = 1 << 62
"""Maximum number of value combinations that a key distinguishes."""


def class_of(columns: Sequence[Column], n: int) -> Int64:
    """Return the equivalence class of each record, int64 (n,).

    Classes are numbered from 0, in the order of their values. If there are no columns, all records are in one class.

    >>> class_of([CategoricalColumn.of("sex", "fmf"), CategoricalColumn.of("race", "121")], 3).tolist()
    [0, 1, 0]
    """
    return np.unique(keys_of(columns, n), return_inverse=True)[1].astype(np.int64)


def keys_of(columns: Sequence[Column], n: int) -> Int64:
    """Return a number for the values of each record, int64 (n,). Only equal values have equal numbers. Numbers have the
    order of the values, by the first column, then by the next.

    Cost: a sort of each numeric column, and a sort of the records each time the keys exceed 62 bits.

    >>> keys_of([CategoricalColumn.of("sex", "fmf"), CategoricalColumn.of("race", "121")], 3).tolist()
    [0, 3, 0]
    """
    keys, n_keys = np.zeros(n, np.int64), 1
    for column in columns:
        codes, n_codes = _codes(column)
        if n_keys * n_codes > _MOST_KEYS:
            distinct, keys = np.unique(keys, return_inverse=True)
            n_keys = len(distinct)
        keys = keys * n_codes + codes
        n_keys *= n_codes
    return keys


def _codes(column: Column) -> tuple[Int64, int]:
    if isinstance(column, CategoricalColumn):
        return column.codes.astype(np.int64), max(1, len(column.vocabulary))
    distinct, codes = np.unique(column.values, return_inverse=True)
    return codes.astype(np.int64), max(1, len(distinct))
