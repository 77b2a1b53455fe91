"""Attacks that guess the seed: the order of groups or tuples that each seed would draw."""

import hashlib

import numpy as np
from numpy.typing import NDArray

Words = NDArray[np.uint64]
Ints = NDArray[np.int64]


def keys_of_seeds(seeds: range, purpose: str) -> Words:
    """Return uint64 (seeds, 2): the keys for a purpose if they did not depend on the input's fingerprint."""
    secrets = [hashlib.sha256(f"{seed}\0".encode()).digest() for seed in seeds]
    digests = [hashlib.sha256(secret + purpose.encode()).digest()[:16] for secret in secrets]
    return np.frombuffer(b"".join(digests), "<u8").reshape(-1, 2).astype(np.uint64)


def words_of_keys(keys: Words, n: int) -> Words:
    """Return uint64 (keys, n): draws 0 to n - 1 under each key (SipHash-2-4)."""
    number = np.broadcast_to(np.arange(n, dtype=np.uint64), (len(keys), n))
    k0, k1 = (np.broadcast_to(key[:, np.newaxis], number.shape) for key in keys.T)
    length, end = np.uint64(8 << 56), np.uint64(0xFF)
    v = [k0 ^ np.uint64(0x736F6D6570736575), k1 ^ np.uint64(0x646F72616E646F6D)]
    v += [k0 ^ np.uint64(0x6C7967656E657261), k1 ^ np.uint64(0x7465646279746573)]
    for word in (number, np.broadcast_to(length, number.shape)):
        v[3] = v[3] ^ word
        _mix(v, 2)
        v[0] = v[0] ^ word
    v[2] = v[2] ^ end
    _mix(v, 4)
    return v[0] ^ v[1] ^ v[2] ^ v[3]


def _mix(v: list[Words], rounds: int) -> None:
    for _ in range(rounds):
        for a, b, c, d, first, second in ((0, 1, 2, 3, 13, 16), (2, 1, 0, 3, 17, 21)):
            v[a] = v[a] + v[b]
            v[b] = _turned(v[b], first) ^ v[a]
            v[a] = _turned(v[a], 32)
            v[c] = v[c] + v[d]
            v[d] = _turned(v[d], second) ^ v[c]


def _turned(words: Words, bits: int) -> Words:
    return words << np.uint64(bits) | words >> np.uint64(64 - bits)


def words_of_split_mix(seeds: range, n: int) -> Words:
    """Return uint64 (seeds, n): random numbers of SplitMix64."""
    z = np.array(seeds, np.uint64)[:, np.newaxis] + np.arange(1, n + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


def shuffles(words: Words, n: int, *, paired: bool = False) -> Ints:
    """Return int64 (seeds, n): 0 to n - 1, shuffled by each row of words from the last place.

    Each place uses a separate word. If `paired`, places 2j + 1 and 2j use remainder and quotient of word j.
    """
    drawn = np.repeat(np.arange(n)[:, np.newaxis], len(words), axis=1)  # a row per place
    by_place, each = np.ascontiguousarray(words.T), np.arange(len(words))
    for last in range(n - 1, 0, -1):
        words_of_place = by_place[last // 2 if paired else last]
        if paired and last % 2 == 0 and last + 1 < n:
            words_of_place = words_of_place // np.uint64(last + 2)
        other = (words_of_place % np.uint64(last + 1)).astype(np.int64)
        drawn[other, each], drawn[last] = drawn[last].copy(), drawn[other, each]
    return drawn.T


def correlations(found: Ints) -> NDArray[np.float64]:
    """Return float64 (seeds,): correlation between each row of numbers and the positions, from -1 to 1."""
    place = np.arange(found.shape[1]) - (found.shape[1] - 1) / 2
    centred = found - found.mean(axis=1, keepdims=True)
    return centred @ place / np.sqrt((centred**2).sum(axis=1) * (place**2).sum())


def best_by_chance(n: int) -> float:
    """Return a bound on chance correlations over `n` places among 20,000 tries: 5.5 standard deviations."""
    return float(5.5 / np.sqrt(n - 1))
