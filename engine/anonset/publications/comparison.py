"""Comparison of columns by label, independent of their codes."""

import numpy as np

from anonset.data import CategoricalColumn, NumericColumn, SetColumn, Vocabulary
from anonset.data.array_types import Int32
from anonset.data.spans import spans


def same_labels(
    meant: SetColumn | CategoricalColumn, written: SetColumn | CategoricalColumn | NumericColumn | None
) -> bool:
    """Return True if two columns contain the same labels in every row, even if their codes differ."""
    if meant is written:  # the reader has already compared the labels of this column
        return True
    if isinstance(meant, SetColumn) and isinstance(written, SetColumn) and meant.codes is written.codes:
        # the reader has compared the labels of this column, so only the name can differ
        return meant.indptr is written.indptr and meant.vocabulary is written.vocabulary
    if type(meant) is not type(written) or isinstance(written, NumericColumn) or written is None:
        return False
    if meant.n != written.n:
        return False
    codes = _codes(written.vocabulary, meant.vocabulary)
    if codes is None:
        return False
    return all(_same_rows(meant.slice(*rows), written.slice(*rows), codes) for rows in spans(meant.n))


def _same_rows(meant: SetColumn | CategoricalColumn, written: SetColumn | CategoricalColumn, codes: Int32) -> bool:
    """Compare all rows. `codes` maps each code of `written` to a code of `meant`."""
    if isinstance(written, SetColumn) and isinstance(meant, SetColumn):
        moved = written.recoded(codes, len(meant.vocabulary))
        return np.array_equal(written.indptr, meant.indptr) and np.array_equal(moved, meant.items)
    if isinstance(written, CategoricalColumn) and isinstance(meant, CategoricalColumn):
        return np.array_equal(codes[written.codes], meant.codes)
    return False


def _codes(written: Vocabulary, meant: Vocabulary) -> Int32 | None:
    """Return the code in `meant` of each label of `written`, int32. Return None if a label is not in `meant`."""
    if meant.is_numbered and meant == written:
        return np.arange(len(written), dtype=np.int32)
    index = meant.index
    try:
        return np.array([index[label] for label in written.labels], np.int32)
    except KeyError:
        return None
