"""Equivalence classes, which are sets of records with equal quasi-identifiers."""

from collections.abc import Sequence

import numpy as np

from anonset.data import CategoricalColumn
from anonset.data.array_types import Int64
from anonset.data.table import Column


def class_of(columns: Sequence[Column], n: int) -> Int64:
    """Return the equivalence class of each record, int64 (n,).

    Classes are numbered from 0. If there are no columns, all records are in one class.

    >>> class_of([CategoricalColumn.of("sex", "fmf"), CategoricalColumn.of("race", "121")], 3).tolist()
    [0, 1, 0]

    Cost: one sort of the records, and another sort each time the combined codes exceed 63 bits.
    """
    classes, n_classes = np.zeros(n, np.int64), 1
    for column in columns:
        codes, n_codes = _codes(column)
        if n_classes * max(1, n_codes) > 1 << 62:
            values, classes = np.unique(classes, return_inverse=True)
            n_classes = len(values)
        classes, n_classes = classes * max(1, n_codes) + codes, n_classes * max(1, n_codes)
    return np.unique(classes, return_inverse=True)[1].astype(np.int64)


def _codes(column: Column) -> tuple[Int64, int]:
    if isinstance(column, CategoricalColumn):
        return column.codes.astype(np.int64), len(column.vocabulary)
    values, codes = np.unique(column.values, return_inverse=True)
    return codes.astype(np.int64), len(values)
