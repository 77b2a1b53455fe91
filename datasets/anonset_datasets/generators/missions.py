"""Baskets drawn from shopping missions, stored directly as compressed sparse rows.

A mission is a distribution over items that are bought for the same purpose. For each record, the generator draws a
length and a mission, and then items from the mission with repetition. Duplicate items are removed. The number of draws
is computed such that the mean number of distinct items is as requested.

Random numbers are the raw 64-bit output of NumPy's PCG64. NumPy guarantees that this output is identical on all
platforms and versions. Records are generated in blocks of `BLOCK` records. Each block has a separate random stream, so
that a smaller table is a prefix of a larger table.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from anonset.data.array_types import Int32, Int64
from anonset.errors import InputError

BLOCK = 1 << 17
"""Number of records that share a random stream."""
_RESOLUTION = 13
"""Number of bits of a mission's quantized distribution. A table contains 2^13 items, so that a draw is a table look-up.
"""

Float64 = NDArray[np.float64]
UInt64 = NDArray[np.uint64]


@dataclass(frozen=True)
class Mission:
    """Items that are bought together, with weights, popularity and basket lengths."""

    items: Int32
    """Distinct items, int32 (s,)."""
    weights: Float64
    """Relative weights of the items, float64 (s,)."""
    popularity: float
    """Weight of the mission, relative to other missions for the same basket length."""
    shortest: int
    """Smallest basket length of the mission."""
    longest: int
    """Largest basket length of the mission. It must be well below the number of items."""


class Stream:
    """Random bits and uniform numbers from PCG64, identical on every platform."""

    def __init__(self, seed: int, *path: int) -> None:
        self._bits = np.random.PCG64(np.random.SeedSequence([seed, *path]))

    def raw(self, n: int) -> UInt64:
        """Return random bits, uint64 (n,)."""
        return self._bits.random_raw(n) if n else np.zeros(0, np.uint64)

    def uniform(self, n: int) -> Float64:
        """Return uniform numbers in [0, 1), float64 (n,)."""
        return (self.raw(n) >> np.uint64(11)).astype(np.float64) * 2.0**-53

    def permutation(self, n: int) -> Int64:
        """Return the numbers 0..n-1 in random order, int64 (n,)."""
        return np.argsort(self.raw(n), kind="stable")


def blocks(n: int, block: int = BLOCK, only: range | None = None) -> Iterator[tuple[int, int]]:
    """Yield pairs (block number, number of records in the block) for `n` records. `only` selects blocks."""
    for number in range(-(-n // block)) if only is None else only:
        yield number, min(block, n - number * block)


def zipf(n: int, exponent: float, offset: float) -> Float64:
    """Return Zipf-Mandelbrot weights ``(rank + offset)^-exponent``, scaled to sum 1, float64 (n,). Ranks begin at 1."""
    weights: Float64 = np.power(np.arange(1, n + 1) + offset, -exponent, dtype=np.float64)
    return weights / np.sum(weights)


def lognormal_lengths(average: float, longest: int, sigma: float) -> Float64:
    """Return lognormal probabilities of the lengths 1..longest with the given mean, float64 (longest + 1,).

    The lognormal variable is rounded up and truncated at `longest`. Bisection determines its location parameter.
    """
    probabilities = np.zeros(longest + 1)
    if average <= 1:
        probabilities[1] = 1.0
        return probabilities
    low, high = -20.0, float(np.log(longest)) + 20.0
    for _ in range(100):
        middle = (low + high) / 2
        probabilities = _discrete_lognormal(middle, longest, sigma)
        if probabilities @ np.arange(longest + 1) < average:
            low = middle
        else:
            high = middle
    return probabilities


def _discrete_lognormal(location: float, longest: int, sigma: float) -> Float64:
    from scipy.special import ndtr

    below: Float64 = ndtr((np.log(np.arange(1, longest + 1)) - location) / sigma)
    below[-1] = 1.0
    return np.concatenate(([0.0], np.diff(below, prepend=0.0)))


def draw(
    n: int,
    n_items: int,
    lengths: Float64,
    missions: Sequence[Mission],
    seed: int,
    only: range | None = None,
) -> Iterator[tuple[Int64, Int32, Int64]]:
    """Draw baskets, block by block.

    Parameters
    ----------
    n, n_items
        Number of records, and number of items.
    lengths
        Probability of each length, float64 (longest + 1,).
    missions
        Missions of the baskets. Every length must be in the range of at least one mission.
    only
        Numbers of the blocks to draw. Blocks are independent of each other. None draws all blocks.

    Yields
    ------
    int64 (b + 1,), int32, int64 (b,)
        Offsets and items of a block's records, and the mission of each record.
    """
    plan = _Plan(lengths, missions)
    shift = np.uint64(64 - _RESOLUTION)
    for number, size in blocks(n, only=only):
        stream = Stream(seed, 1, number)
        mission, draws = (drawn[:size] for drawn in plan.choose(stream))
        rows = np.repeat(np.arange(size, dtype=np.int64), draws)
        spots = (stream.raw(len(rows)) >> shift).astype(np.int64)
        indptr, items = distinct_rows(rows, plan.tables[mission[rows], spots], size, n_items)
        indptr, items = _shorten(indptr, items, len(lengths) - 1, Stream(seed, 2, number))
        yield indptr, items, mission


def distinct_rows(rows: Int64, items: Int32, n_rows: int, n_items: int) -> tuple[Int64, Int32]:
    """Sort pairs (row, item) into rows of distinct ascending items.

    Return offsets, int64 (n_rows + 1,), and items, int32.
    """
    keys = rows * n_items + items
    if n_rows * n_items < 2**31:  # 32-bit keys sort twice as fast
        keys = keys.astype(np.int32)
    keys.sort()
    if len(keys):
        keys = keys[np.concatenate(([True], keys[1:] != keys[:-1]))]
    row = keys // n_items
    indptr = np.zeros(n_rows + 1, np.int64)
    np.cumsum(np.bincount(row, minlength=n_rows), out=indptr[1:])
    return indptr, (keys - row * n_items).astype(np.int32)


def replace_row(indptr: Int64, items: Int32, row: int, new: Int32) -> tuple[Int64, Int32]:
    """Return the rows after `new` replaces the row with number `row`."""
    start, end = int(indptr[row]), int(indptr[row + 1])
    moved = indptr.copy()
    moved[row + 1 :] += len(new) - (end - start)
    return moved, np.concatenate((items[:start], np.sort(new), items[end:])).astype(np.int32)


def first_rows(indptr: Int64, items: Int32, n: int) -> tuple[Int64, Int32]:
    """Return the first `n` rows."""
    return indptr[: n + 1], items[: indptr[n]]


def join(parts: Sequence[tuple[Int64, Int32]]) -> tuple[Int64, Int32]:
    """Concatenate compressed sparse rows."""
    lengths = [np.diff(indptr) for indptr, _ in parts]
    indptr = np.zeros(sum(map(len, lengths)) + 1, np.int64)
    if parts:
        np.cumsum(np.concatenate(lengths), out=indptr[1:])
    return indptr, np.concatenate([items for _, items in parts]) if parts else np.zeros(0, np.int32)


def _shorten(indptr: Int64, items: Int32, longest: int, stream: Stream) -> tuple[Int64, Int32]:
    """Drop random items from the few rows that exceed the maximum length."""
    for row in np.flatnonzero(np.diff(indptr) > longest).tolist():
        found = items[indptr[row] : indptr[row + 1]]
        indptr, items = replace_row(indptr, items, row, found[stream.permutation(len(found))[:longest]])
    return indptr, items


class _Plan:
    """Look-up tables for drawing the mission of a length, the number of draws, and the items of a mission."""

    def __init__(self, lengths: Float64, missions: Sequence[Mission]) -> None:
        self.below = np.cumsum(lengths)
        self.tables = np.stack([_quantized(mission) for mission in missions])
        serves = np.array([[m.shortest <= k <= m.longest for k in range(len(lengths))] for m in missions])
        unserved = [k for k in np.flatnonzero(lengths).tolist() if not serves[:, k].any()]
        if unserved:
            msg = f"missions: no mission has baskets of {unserved[0]} items; each basket length needs a mission"
            raise InputError(msg)
        chance = serves * np.array([[m.popularity] for m in missions])
        self.chosen = np.cumsum(chance / np.maximum(chance.sum(axis=0), 1e-300), axis=0).T.copy()
        self.draws = np.stack(
            [_draws_for_length(table, len(lengths), m.longest) for table, m in zip(self.tables, missions, strict=True)]
        )

    def choose(self, stream: Stream) -> tuple[Int64, Int64]:
        """Draw the mission and the number of draws of each record in a full block, int64 (BLOCK,) each."""
        last = len(self.below) - 1
        length = np.minimum(np.searchsorted(self.below, stream.uniform(BLOCK), side="right"), last)
        chance = stream.uniform(BLOCK)
        mission = np.zeros(BLOCK, np.int64)
        for k in np.unique(length).tolist():
            of_length = np.flatnonzero(length == k)
            mission[of_length] = np.searchsorted(self.chosen[k], chance[of_length], side="right")
        mission = np.minimum(mission, len(self.tables) - 1)
        wanted = self.draws[mission, length]
        whole = np.floor(wanted)
        return mission, (whole + (stream.uniform(BLOCK) < wanted - whole)).astype(np.int64)


def _quantized(mission: Mission) -> Int32:
    """Return the item at each index, int32 (2^13,).

    The number of indices of an item is proportional to its weight, but at least 1.
    """
    size = 1 << _RESOLUTION
    share = mission.weights / mission.weights.sum() * (size - len(mission.items))
    spots = 1 + np.floor(share).astype(np.int64)
    spots[np.argsort(-(share - np.floor(share)), kind="stable")[: size - int(spots.sum())]] += 1
    return np.repeat(mission.items, spots).astype(np.int32)


def _draws_for_length(table: Int32, n_lengths: int, longest: int) -> Float64:
    """Return the number of draws for each length, float64 (n_lengths,). The number is 0 for lengths above `longest`."""
    p = np.unique(table, return_counts=True)[1] / len(table)
    expected = [0.0]
    while expected[-1] < longest:
        expected.append(float((1 - (1 - p) ** len(expected)).sum()))
        if len(expected) > 100 * len(p):
            msg = f"mission of {len(p)} items: the longest basket must be well below that number, got {longest}"
            raise InputError(msg)
    draws = np.interp(np.arange(n_lengths), expected, np.arange(len(expected)))
    draws[longest + 1 :] = 0.0
    return draws
