"""Count, up to k, the records that contain each set of three symbols. A word has a bit of 64 counters.

Symbols are numbered. The sets with the largest number c and the middle number b are stored together, with a bit per
smaller number, packed into words. A word of ``full`` marks the sets with support k. The corresponding P words of
``digits`` contain the binary digits of the supports of all other sets, with the lowest digit first. For most c and b,
all sets are soon full, and a record costs only a read per word.
"""

from typing import NamedTuple

import numpy as np

from anonset_kernels._arrays import Csr, Int32Array, Int64Array, Integer, UInt64Array
from anonset_kernels._jit import kernel


class TripleWindow(NamedTuple):
    """Counters of the sets of three symbols whose largest number is in a window."""

    before: Int64Array
    """Number of words of the sets with a middle number below each number, int64 (N + 1,). It is the same for every
    largest number.
    """
    first: int
    """First largest number in the window."""
    begin: Int64Array
    """First word of the sets with each largest number, int64 (window + 1,)."""
    of_k: UInt64Array
    """Mask of each binary digit, uint64 (P,). All bits are set if the digit of k is 1, otherwise no bit."""
    full: UInt64Array
    """Bitmap of the sets with support k, uint64 (words,)."""
    digits: UInt64Array
    """Binary digits of the supports below k, uint64 (words * P,)."""


class RareTriple(NamedTuple):
    """Number of sets that occur, and the first rare set in symbol order. All fields are int64."""

    distinct: Integer
    """Number of sets that occur."""
    a: Integer
    """First symbol of the first set with fewer than k records. -1 if there is none."""
    b: Integer
    """Second symbol of the first set with fewer than k records."""
    c: Integer
    """Third symbol of the first set with fewer than k records."""
    support: Integer
    """Number of records that contain the first set with fewer than k records."""


@kernel(allocates=True)
def count_triples(
    rows: Csr, weight: Int64Array, k: int, number: Int32Array, longest: int, triples: TripleWindow
) -> np.int64:
    """Count, up to `k`, the records of each set of three symbols in some rows. Return the number of occurrences.

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

    Cost: for each pair of symbols in a row, if the larger is in the window, a read per word of the smaller symbols.
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
def number_of_bits(word: np.uint64) -> np.int64:
    """Return the number of set bits of a word. Adds neighboring bit fields of increasing width."""
    word -= (word >> np.uint64(1)) & np.uint64(0x5555555555555555)
    word = (word & np.uint64(0x3333333333333333)) + ((word >> np.uint64(2)) & np.uint64(0x3333333333333333))
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    word += word >> np.uint64(8)
    word += word >> np.uint64(16)
    return np.int64((word + (word >> np.uint64(32))) & np.uint64(0x7F))


@kernel()
def _take_numbers(of_row: Int32Array, number: Int32Array, first: int, end: int, numbers: Int32Array) -> int:
    """Store the numbers of a row's symbols that are below `end`, in ascending order. Return how many there are.

    Nothing is stored if all numbers are below `first`.

    ``of_row`` is int32 (length,), ``number`` is int32 (V,), and ``numbers`` is int32 (longest,).
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
    """Add the weight of a row to the counters of some sets of a word. Full counters do not change."""
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


@kernel(allocates=True)
def read_triples(triples: TripleWindow, symbols: Int32Array) -> RareTriple:
    """Return the number of sets that occur, and the first set in symbol order with fewer than k records.

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
    """Return True if `members`, three symbols, is lexicographically less than `other`."""
    for i in range(3):
        if members[i] != other[i]:
            return bool(members[i] < other[i])
    return False
