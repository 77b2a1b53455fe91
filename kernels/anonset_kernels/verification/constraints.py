"""Verification kernel for privacy constraints. It shares no code with the search that it checks.

A constraint is satisfied if at least k records contain all its symbols. Otherwise, a word encodes which of the symbols
a record contains, with a bit per symbol. The words of all records are sorted, and the records that contain the symbols
of each distinct word are counted.
"""

from typing import NamedTuple

import numpy as np

from anonset_kernels._arrays import Csr, Image, Int32Array, Int64Array, UInt8Array
from anonset_kernels._jit import kernel

WIDEST = 62
"""Maximum number of symbols in a constraint that can be decided."""


class UnsatisfiedConstraint(NamedTuple):
    """First unsatisfied constraint. All fields are int64."""

    constraint: int
    """Constraint number, or the end of the range if all are satisfied."""
    word: int
    """Symbols of the constraint that are rare together, with a bit per symbol. 0 if the constraint has more than
    `WIDEST` symbols and is undecided.
    """
    support: int
    """Number of rows that contain all symbols of `word`."""
    row: int
    """Row that contains the symbols of `word` and no other symbol of the constraint."""


@kernel(allocates=True)
def first_unsatisfied(
    constraints: Csr,
    postings: Csr,
    published: Csr,
    scratch: tuple[Int64Array, UInt8Array, Int32Array],
    k: int,
    begin: int,
    end: int,
) -> UnsatisfiedConstraint:
    """Check the constraints `begin` to `end`. Return the first unsatisfied constraint.

    Parameters
    ----------
    constraints
        (start, symbols): int64 (P + 1,) and int32, distinct published symbols of each constraint. Each constraint has
        at least one symbol.
    postings
        (start, rows): int64 (V + 1,) and int32, published rows of each symbol.
    published
        (start, symbols): int64 (n + 1,) and int32, symbols of each published row.
    scratch
        Buffers. The first two, int64 (n,) and uint8 (V,), are zero before and after the call. The third, int32 (n,),
        may contain any values.

    Cost per constraint: the rows of its rarest symbol until k rows contain all symbols. If fewer rows contain all
    symbols, the rows of all its symbols are sorted. In the worst case, the cost is the square of the number of distinct
    words.
    """
    start, symbols = constraints
    first, rows = postings
    words, in_image, touched = scratch
    for p in range(begin, end):
        if _is_held(symbols[start[p] : start[p + 1]], postings, published, in_image, k):
            continue
        if start[p + 1] - start[p] > WIDEST:
            return UnsatisfiedConstraint(p, 0, 0, 0)
        n_touched = 0
        for j in range(start[p + 1] - start[p]):
            symbol = symbols[start[p] + j]
            for entry in range(first[symbol], first[symbol + 1]):
                row = rows[entry]
                if words[row] == 0:
                    touched[n_touched] = row
                    n_touched += 1
                words[row] |= np.int64(1) << np.int64(j)
        shown = np.sort(words[touched[:n_touched]])
        word, support = _rare_word(shown, k)
        rare_row = 0
        if word != 0:
            for row in touched[:n_touched][::-1]:
                if words[row] == word:
                    rare_row = row
        words[touched[:n_touched]] = 0
        if word != 0:
            return UnsatisfiedConstraint(p, word, support, rare_row)
    return UnsatisfiedConstraint(end, 0, 0, 0)


@kernel()
def _is_held(image: Image, postings: Csr, published: Csr, in_image: UInt8Array, k: int) -> bool:
    """Return True if at least k rows contain all symbols of an image."""
    first, rows = postings
    start, symbols = published
    rarest = image[0]
    for symbol in image:
        in_image[symbol] = 1
        if first[symbol + 1] - first[symbol] < first[rarest + 1] - first[rarest]:
            rarest = symbol
    n_holding = 0
    for row in rows[first[rarest] : first[rarest + 1]]:
        n_wanted = 0
        for symbol in symbols[start[row] : start[row + 1]]:
            n_wanted += in_image[symbol]
        n_holding += n_wanted == len(image)
        if n_holding >= k:
            break
    for symbol in image:
        in_image[symbol] = 0
    return n_holding >= k


@kernel()
def _rare_word(shown: Int64Array, k: int) -> tuple[int, int]:
    """Return the smallest of the ascending words `shown` with fewer than k supersets, or 0, and the number of
    supersets.
    """
    i = 0
    while i < len(shown):
        word, n_equal = shown[i], i
        while i < len(shown) and shown[i] == word:
            i += 1
        n_equal = i - n_equal
        if n_equal < k:
            n_holding = n_equal
            for other in shown[i:]:  # the word of a superset is at least as large
                n_holding += (other & word) == word
                if n_holding >= k:
                    break
            if n_holding < k:
                return word, n_holding
    return 0, 0
