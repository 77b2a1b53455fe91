"""The verification's kernel for privacy constraints: it shares no code with the search that it checks.

A constraint is satisfied if k records hold all of it. Otherwise the part of it that a record shows is a word of bits:
the words of all records are sorted, and each distinct one is looked for in the others.
"""

from typing import NamedTuple

import numpy as np

from anonset_kernels._arrays import Csr, Image, Int32Array, Int64Array, UInt8Array
from anonset_kernels._jit import kernel

WIDEST = 62
"""Most symbols of a constraint whose parts fit a word."""


class Unsatisfied(NamedTuple):
    """The first constraint that is not satisfied. All fields are int64."""

    constraint: int
    """Its number, or the end of the span if all are satisfied."""
    word: int
    """The rare part of its symbols, one bit for each; 0 if it is undecided, for a constraint of more than `WIDEST`."""
    support: int
    """Number of rows that contain the rare part."""
    row: int
    """A row that contains just the rare part."""


@kernel()
def first_unsatisfied(
    constraints: Csr,
    postings: Csr,
    published: Csr,
    scratch: tuple[Int64Array, UInt8Array, Int32Array],
    k: int,
    begin: int,
    end: int,
) -> Unsatisfied:
    """Check the constraints `begin` to `end`; return the first that is not satisfied.

    Parameters
    ----------
    constraints
        (start, symbols): int64 (P + 1,) and int32, the distinct published symbols of each, at least one.
    postings
        (start, rows): int64 (V + 1,) and int32, the published rows of each symbol.
    published
        (start, symbols): int64 (n + 1,) and int32, the symbols of each published row.
    scratch
        int64 (n,) and uint8 (V,), all zero, before and after; int32 (n,).

    Cost: the rows of a constraint's rarest symbol until k hold it; where too few do, the rows of all its symbols,
    sorted, in the worst case the square of their distinct words.
    """
    start, symbols = constraints
    first, rows = postings
    words, wanted, touched = scratch
    for p in range(begin, end):
        if _is_held(symbols[start[p] : start[p + 1]], postings, published, wanted, k):
            continue
        if start[p + 1] - start[p] > WIDEST:
            return Unsatisfied(p, 0, 0, 0)
        n_touched = 0
        for j in range(start[p + 1] - start[p]):
            symbol = symbols[start[p] + j]
            for at in range(first[symbol], first[symbol + 1]):
                row = rows[at]
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
            return Unsatisfied(p, word, support, rare_row)
    return Unsatisfied(end, 0, 0, 0)


@kernel()
def _is_held(image: Image, postings: Csr, published: Csr, wanted: UInt8Array, k: int) -> bool:
    """Tell whether at least k rows hold all symbols of an image."""
    first, rows = postings
    start, symbols = published
    rarest = image[0]
    for symbol in image:
        wanted[symbol] = 1
        if first[symbol + 1] - first[symbol] < first[rarest + 1] - first[rarest]:
            rarest = symbol
    n_holding = 0
    for row in rows[first[rarest] : first[rarest + 1]]:
        n_wanted = 0
        for symbol in symbols[start[row] : start[row + 1]]:
            n_wanted += wanted[symbol]
        n_holding += n_wanted == len(image)
        if n_holding >= k:
            break
    for symbol in image:
        wanted[symbol] = 0
    return n_holding >= k


@kernel()
def _rare_word(shown: Int64Array, k: int) -> tuple[int, int]:
    """Return the smallest word that fewer than k of the sorted words contain, or 0, and the number of these words."""
    i = 0
    while i < len(shown):
        word, n_equal = shown[i], i
        while i < len(shown) and shown[i] == word:
            i += 1
        n_equal = i - n_equal
        if n_equal < k:
            n_holding = n_equal
            for other in shown[i:]:  # a word that contains another one is not smaller
                n_holding += (other & word) == word
                if n_holding >= k:
                    break
            if n_holding < k:
                return word, n_holding
    return 0, 0
