"""Naive implementation of the random draws of bucketization: SipHash-2-4 in Python integers, one draw at a time."""

import hashlib
from collections.abc import Callable

Draw = Callable[[str, int], int]
"""Function from a purpose and a number to an integer below 2^64."""
MASK = (1 << 64) - 1


def siphash(key: bytes, message: bytes) -> int:
    """Return the SipHash-2-4 of a message under a key of 16 bytes."""
    k0, k1 = (int.from_bytes(key[i : i + 8], "little") for i in (0, 8))
    v = [k0 ^ 0x736F6D6570736575, k1 ^ 0x646F72616E646F6D, k0 ^ 0x6C7967656E657261, k1 ^ 0x7465646279746573]
    padded = message + bytes(7 - len(message) % 8) + bytes([len(message) % 256])
    for index in range(0, len(padded), 8):
        word = int.from_bytes(padded[index : index + 8], "little")
        v[3] ^= word
        mix(v, 2)
        v[0] ^= word
    v[2] ^= 0xFF
    mix(v, 4)
    return v[0] ^ v[1] ^ v[2] ^ v[3]


def mix(v: list[int], rounds: int) -> None:
    for _ in range(rounds):
        for a, b, c, d, first, second in ((0, 1, 2, 3, 13, 16), (2, 1, 0, 3, 17, 21)):
            v[a] = (v[a] + v[b]) & MASK
            v[b] = turned(v[b], first) ^ v[a]
            v[a] = turned(v[a], 32)
            v[c] = (v[c] + v[d]) & MASK
            v[d] = turned(v[d], second) ^ v[c]


def turned(word: int, bits: int) -> int:
    """Rotate a word to the left."""
    return (word << bits | word >> 64 - bits) & MASK


def keyed(secret: bytes) -> Draw:
    """Return the draws under a secret, with a separate key per purpose."""

    def draw(purpose: str, number: int) -> int:
        key = hashlib.sha256(secret + purpose.encode()).digest()[:16]
        return siphash(key, number.to_bytes(8, "little"))

    return draw
