"""Random numbers that cannot be predicted without their 128-bit key. A draw is the SipHash-2-4 of its number.

Each draw is identified by a number, so the order of the draws does not affect the results. A generator with a 64-bit
state would be insecure: published groups reveal some of the numbers, from which an attacker could compute the state and
all other numbers.

Sums wrap around. If kernels run as plain Python, NumPy's overflow warnings must be disabled
(``np.errstate(over="ignore")``).

References: Aumasson, Bernstein, "SipHash: a fast short-input PRF", INDOCRYPT 2012.
"""

import numpy as np

from anonset_kernels._arrays import DrawKey, Integer
from anonset_kernels._jit import kernel
from anonset_kernels.records._siphash import A, B, C, D, sip_round

_LENGTH = np.uint64(8 << 56)
"""Final block of an eight-byte message."""
_END = np.uint64(0xFF)
MOST_PAIRED = 1 << 16
"""Two positions share one draw if both have at most this many possible results. The probability bias of each result is
then below 2^32 / 2^64.
"""
ALONE = 1 << 61
"""Draws that determine the exchange of a single position have numbers from here on."""


@kernel(allocates=True)
def draw(draw_key: DrawKey, number: Integer) -> np.uint64:
    """Return draw `number` (>= 0), the SipHash-2-4 of its eight bytes. Draws are uniform in 0 .. 2^64 - 1.

    O(1), about 15 ns.

    >>> key = np.array([0x0706050403020100, 0x0F0E0D0C0B0A0908], np.uint64)
    >>> with np.errstate(over="ignore"):
    ...     f"{draw(key, 0x0706050403020100):x}"
    '93f5f5799a932462'
    """
    word = np.uint64(number)
    a, b, c, d = draw_key[0] ^ A, draw_key[1] ^ B, draw_key[0] ^ C, draw_key[1] ^ D ^ word
    a, b, c, d = sip_round(a, b, c, d)
    a, b, c, d = sip_round(a, b, c, d)
    a, d = a ^ word, d ^ _LENGTH
    a, b, c, d = sip_round(a, b, c, d)
    a, b, c, d = sip_round(a, b, c, d)
    a, c = a ^ _LENGTH, c ^ _END
    a, b, c, d = sip_round(a, b, c, d)
    a, b, c, d = sip_round(a, b, c, d)
    a, b, c, d = sip_round(a, b, c, d)
    a, b, c, d = sip_round(a, b, c, d)
    return a ^ b ^ c ^ d


@kernel()
def draw_below(draw_key: DrawKey, number: Integer, n: Integer) -> np.int64:
    """Return a draw modulo n, an int64 in 0 .. n - 1. The bias is at most n / 2^64."""
    return np.int64(draw(draw_key, number) % np.uint64(n))


@kernel()
def exchanged(
    draw_key: DrawKey, place: Integer, begin: Integer, end: Integer, unused_bits: np.uint64
) -> tuple[np.int64, np.uint64]:
    """Return the position with which `place` is exchanged in a shuffle of `begin` to `end` (exclusive).

    The shuffle proceeds from the last position to the first. The result is between `begin` and `place`, inclusive.
    Positions 2j + 1 and 2j share draw j. Position 2j + 1 uses the remainder of the draw, and position 2j uses the
    quotient. If there are more than 2^16 possible results, draw 2^61 + `place` is used.

    Parameters
    ----------
    unused_bits
        Unused part of the draw of the next higher position. Any value for the last position.

    Returns
    -------
    Position to exchange with, and unused part of the draw.
    """
    span = place - begin + 1
    if span > MOST_PAIRED:
        return begin + draw_below(draw_key, ALONE + place, span), np.uint64(0)
    word = unused_bits
    if place % 2 == 1 or place + 1 == end or span == MOST_PAIRED:
        word = draw(draw_key, place // 2)
    return begin + np.int64(word % np.uint64(span)), word // np.uint64(span)
