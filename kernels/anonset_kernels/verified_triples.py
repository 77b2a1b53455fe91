"""Count the rows that contain each set of three symbols, up to k, for 64 sets per word with multi-word counters.

Symbols are numbered. The sets with largest number c and middle number b are stored together: a bit per smaller
number, packed into words. A word of ``full`` marks the sets with support k. The corresponding P words of ``digits`` are
the binary digits, lowest first, of the supports of the other sets. In most rows all sets are soon full and cost only
a read per word.
"""

from typing import NamedTuple

import numpy as np

from anonset_kernels._arrays import Csr, Int32Array, Int64Array, Integer, UInt64Array
from anonset_kernels._counted_bits import number_of_bits
from anonset_kernels._jit import kernel


class TripleWindow(NamedTuple):
    """Counters of the sets of three symbols with the largest number in a window."""

    before: Int64Array
    """int64 (N + 1,): number of words, for any largest number, of sets with a middle number below each number."""
    first: int
    """First largest number in the window."""
    begin: Int64Array
    """int64 (window + 1,): first word of each largest number."""
    of_k: UInt64Array
    """uint64 (P,): all bits set if the digit of k is 1, else zero."""
    full: UInt64Array
    """uint64 (words,): sets with support k."""
    digits: UInt64Array
    """uint64 (words * P,): supports below k."""


class RareTriple(NamedTuple):
    """Number of sets that occur, and the first rare set, in symbol order. All fields are int64."""

    distinct: Integer
    """Number of sets that occur."""
    a: Integer
    """First symbol of the first set with fewer than k records; -1 if there is none."""
    b: Integer
    """Second symbol of this set."""
    c: Integer
    """Third symbol of this set."""
    support: Integer
    """Number of records that contain this set."""


@kernel()
def count_triples(
    rows: Csr, weight: Int64Array, k: int, number: Int32Array, longest: int, triples: TripleWindow
) -> np.int64:
    """Count, up to `k`, the sets of three symbols of some rows; return their number of occurrences.

    Parameters
    ----------
    rows
        Pair (int64 indptr, int32 codes).
    weight
        int64 (rows,): number of records equal to each row.
    number
        int32 (V,): number of each symbol.
    longest
        Largest number of symbols in a row.

    Cost: for each pair of symbols, the larger in the window, a read per word of the row's smaller symbols.
    """
    indptr, items = rows
    numbers, words, place = np.empty(longest, np.int32), np.empty(longest, np.uint64), np.empty(longest, np.int32)
    end, looked = triples.first + len(triples.begin) - 1, np.int64(0)
    for row in range(len(indptr) - 1):
        length = _take_numbers(items[indptr[row] : indptr[row + 1]], number, triples.first, end, numbers)
        if length < 3 or numbers[length - 1] < triples.first:
            continue
        n_words = 0
        for i in range(length):
            if n_words == 0 or place[n_words - 1] != numbers[i] >> 6:
                place[n_words], words[n_words] = numbers[i] >> 6, np.uint64(0)
                n_words += 1
            words[n_words - 1] |= np.uint64(1) << np.uint64(numbers[i] & 63)
        within = 0
        while numbers[within] < triples.first:
            within += 1
        for j in range(1, length - 1):
            b, largest = numbers[j], max(j + 1, within)
            for w in range(n_words):
                if place[w] > b >> 6:
                    break
                word = words[w]
                if place[w] == b >> 6:
                    word &= (np.uint64(1) << np.uint64(b & 63)) - np.uint64(1)
                    if word == 0:
                        break
                looked += number_of_bits(word) * (length - largest)
                for h in range(largest, length):
                    cell = triples.begin[numbers[h] - triples.first] + triples.before[b] + place[w]
                    if word & ~triples.full[cell] != 0:
                        _add(triples, cell, word, weight[row], k)
    return looked


@kernel()
def _take_numbers(of_row: Int32Array, number: Int32Array, first: int, end: int, numbers: Int32Array) -> int:
    """Store the numbers below `end` of a row's symbols, ascending, if any is at least `first`; return their count.

    ``of_row`` is int32 (length,), ``number`` int32 (V,), ``numbers`` int32 (longest,).
    """
    length, within = 0, False
    for symbol in of_row:
        symbol_number = number[symbol]
        if symbol_number < end:
            numbers[length] = symbol_number
            length += 1
            within |= symbol_number >= first
    for i in range(1, length if within else 0):
        symbol_number, place = numbers[i], i
        while place > 0 and numbers[place - 1] > symbol_number:
            numbers[place] = numbers[place - 1]
            place -= 1
        numbers[place] = symbol_number
    return length if within else 0


@kernel()
def _add(triples: TripleWindow, cell: int, sets: np.uint64, weight: np.int64, k: int) -> None:
    """Add the weight of a row to the counters of a word's sets that are not full."""
    if weight >= k:
        triples.full[cell] |= sets
        return
    for _ in range(weight):
        carry = sets & ~triples.full[cell]
        reach = carry
        for p in range(len(triples.of_k)):
            digit = triples.digits[cell * len(triples.of_k) + p]
            triples.digits[cell * len(triples.of_k) + p] = digit ^ carry
            reach &= ~(digit ^ carry ^ triples.of_k[p])
            carry &= digit
        triples.full[cell] |= reach


@kernel()
def read_triples(triples: TripleWindow, symbols: Int32Array) -> RareTriple:
    """Return the number of sets that occur, and the first set, in symbol order, with fewer than k records.

    Parameters
    ----------
    symbols
        int32 (N,): symbol of each number.

    Cost: a step per word.
    """
    distinct, n_digits, members = np.int64(0), len(triples.of_k), np.empty(3, np.int64)
    rare, support_of_rare = np.full(3, -1, np.int64), np.int64(0)
    for c in range(triples.first, triples.first + len(triples.begin) - 1):
        for b in range(c):
            for w in range(triples.before[b + 1] - triples.before[b]):
                cell = triples.begin[c - triples.first] + triples.before[b] + w
                some = np.uint64(0)
                for p in range(n_digits):
                    some |= triples.digits[cell * n_digits + p]
                distinct += number_of_bits(some | triples.full[cell])
                some &= ~triples.full[cell]
                while some != 0:
                    low = some & (~some + np.uint64(1))
                    some ^= low
                    members[0] = symbols[w * 64 + number_of_bits(low - np.uint64(1))]
                    members[1], members[2] = symbols[b], symbols[c]
                    members.sort()
                    if rare[0] < 0 or _is_before(members, rare):
                        support = np.int64(0)
                        for p in range(n_digits):
                            support += (triples.digits[cell * n_digits + p] & low != 0) << p
                        rare[0], rare[1], rare[2] = members[0], members[1], members[2]
                        support_of_rare = support
    return RareTriple(distinct, rare[0], rare[1], rare[2], support_of_rare)


@kernel()
def _is_before(members: Int64Array, other: Int64Array) -> bool:
    """Return True if three symbols are lexicographically less than others."""
    for i in range(3):
        if members[i] != other[i]:
            return bool(members[i] < other[i])
    return False
