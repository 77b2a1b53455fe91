"""Set-valued columns from compressed sparse rows of raw codes: canonical vocabulary, sorted rows, no duplicates."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from anonset.data import SetColumn, Vocabulary
from anonset.data.table import Int32, Int64
from anonset.data.vocabulary import canonical_order
from anonset.errors import InputError

MOST_LABELS = 20_000_000
"""Distinct labels of a column above which it is refused: they are held in memory, about 150 bytes each."""


def canonical_codes(labels: Sequence[str]) -> tuple[Vocabulary, Int32]:
    """Return the canonical vocabulary of distinct labels, and the code of each label in it."""
    ordered = canonical_order(labels)
    vocabulary = Vocabulary(tuple(ordered))
    if ordered == list(labels):
        return vocabulary, np.arange(len(ordered), dtype=np.int32)
    index = vocabulary.index
    return vocabulary, np.fromiter((index[label] for label in labels), np.int32, len(labels))


def offsets(lengths: NDArray[np.integer]) -> Int64:
    """Return int64 (n + 1,) offsets of rows with the given lengths."""
    indptr = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, out=indptr[1:])
    return indptr


def tidy_rows(name: str, indptr: Int64, codes: Int32, vocabulary: Vocabulary) -> SetColumn:
    """Build a set-valued column: sort each row and keep each code once. O(nnz + n + M), whatever the row lengths."""
    from anonset_kernels.rows import sort_rows, unsorted_or_repeated

    codes = np.ascontiguousarray(codes, np.int32)
    if unsorted_or_repeated(indptr, codes) < 0:  # true of most files, and takes a tenth of the time
        return SetColumn(name, indptr, codes, vocabulary)
    items = sort_rows(indptr, codes, len(vocabulary))
    fresh = np.ones(len(items), bool)
    fresh[1:] = items[1:] != items[:-1]
    starts = indptr[:-1]
    fresh[starts[starts < len(items)]] = True
    if not fresh.all():
        before = offsets(fresh)
        indptr, items = before[indptr], items[fresh]
    return SetColumn(name, indptr, items, vocabulary)


def encode_sets(name: str, indptr: Int64, codes: Int32, labels: Sequence[str]) -> SetColumn:
    """Encode rows of raw codes, positions in distinct `labels`, over the canonical vocabulary of the labels."""
    vocabulary, image = canonical_codes(labels)
    return tidy_rows(name, indptr, image[codes], vocabulary)


def keep_tokens(lengths: Int64, codes: Int32, kept: NDArray[np.bool_]) -> tuple[Int64, Int32]:
    """Drop the tokens that are not kept; return the new row lengths and codes."""
    rows = np.repeat(np.arange(len(lengths)), lengths)
    return np.bincount(rows[kept], minlength=len(lengths)).astype(np.int64), codes[kept]


class Labels:
    """The labels of a column so far; their codes are provisional."""

    def __init__(self) -> None:
        self.index: dict[str, int] = {}

    def codes_of(self, name: str, vocabulary: Vocabulary) -> Int32:
        """Return the code of each label of a batch, int32, and remember those that are new."""
        index = self.index
        codes = np.fromiter((index.setdefault(x, len(index)) for x in vocabulary.labels), np.int32, len(vocabulary))
        if len(index) > MOST_LABELS:
            msg = f"column {name!r} has more than {MOST_LABELS:,} distinct labels; generalize or drop it"
            raise InputError(msg)
        return codes

    def final(self) -> tuple[Vocabulary, Int32, bool]:
        """Return the vocabulary, the final code of each provisional one, and whether any differs."""
        vocabulary, image = canonical_codes(list(self.index))
        return vocabulary, image, bool((image != np.arange(len(image))).any())
