"""Large point-of-sale data set similar to BMS-POS."""

from itertools import pairwise

import numpy as np

from anonset.data import SetColumn, Table, Vocabulary
from anonset.data.array_types import Int32, Int64
from anonset_datasets.generators.checks import count, integer, number, records
from anonset_datasets.generators.missions import Mission, Stream, draw, join, lognormal_lengths, replace_row, zipf

CATEGORY = 25
"""Number of items per category.

The items of a category are adjacent in the item order, in order of descending popularity.
"""
AISLE = 5
"""Number of categories per aisle."""
HEAD = 5
"""Number of staples per popular category. Staples are the items of long baskets."""
SHORT = 12
"""Largest length of a basket from one or two categories. Longer baskets consist of staples."""
STROLLS = 0.1
"""Frequency of baskets from a complete aisle, relative to the frequency of baskets from one category of the aisle."""
OUTINGS = 3
"""Number of random pairs of categories that are bought together, relative to the number of categories."""
OUTING_SHARE = 0.1
"""Frequency of baskets from a random pair of categories, relative to the frequency of baskets from a single category.
"""
SIGMA = 0.87
"""Standard deviation of the logarithm of the lengths.

With the default mean, the expected maximum of 515,597 lengths is about 164.
"""
SPARE = 1.15
"""Number of staples, relative to the length of the longest basket."""


def pos_like(
    n: int = 515_597, n_items: int = 1_657, max_length: int = 164, avg_length: float = 6.5, seed: int = 0
) -> Table:
    """Generate point-of-sale baskets similar to BMS-POS.

    Items are ``1 .. n_items``. Runs of 25 consecutive items are categories, and five categories are an aisle, as in a
    ``balanced:5`` hierarchy over the item order. Popularity is Zipf-like within a category and between categories.
    Lengths are lognormal. A short basket usually comes from one category, possibly with popular items of the adjacent
    category in the aisle. Less often, it comes from the complete aisle or from two random categories. A long basket
    consists of staples. Item combinations do not depend on `n`, and a smaller table is a prefix of a larger table, so
    that results for different `n` are comparable. The first record has the maximum length.

    Rare pairs are infrequent by design, so that k=5 costs an NCP of about 1 % at the default `n` (0.007 for m=2, 0.012
    for m=3 with ``balanced:5``). Losses measured on these data are not representative of real data.

    Parameters
    ----------
    n
        Number of records (0 gives an empty table).
    n_items
        Number of items. With the default `n`, all items occur.
    max_length
        Number of items in the longest basket.
    avg_length
        Mean number of items per basket.
    seed
        Seed of NumPy's PCG64.

    Raises
    ------
    InputError
        If a parameter is out of range.

    >>> table = pos_like(2_000)
    >>> table.n, len(table.transactions.vocabulary), int(table.transactions.lengths.max())
    (2000, 1657, 164)
    """
    return pos_like_part(n, n_items, max_length, avg_length, seed)


def pos_like_part(
    n: int = 515_597,
    n_items: int = 1_657,
    max_length: int = 164,
    avg_length: float = 6.5,
    seed: int = 0,
    only: range | None = None,
) -> Table:
    """Generate only the blocks of `pos_like` with the given numbers. None generates all blocks."""
    records(n, only)
    _check(n_items, max_length, avg_length, seed)
    missions, staples = _missions(n_items, max_length, seed)
    lengths = lognormal_lengths(avg_length, max_length, SIGMA)
    parts: list[tuple[Int64, Int32]] = []
    first = only.start if only else 0
    for indptr, items, _ in draw(n, n_items, lengths, missions, seed, only):
        rows = indptr, items
        if not parts and not first:
            longest = staples[Stream(seed, 3).permutation(len(staples))[:max_length]]
            rows = replace_row(indptr, items, 0, longest)
        parts.append(rows)
    indptr, items = join(parts)
    return Table(
        SetColumn("items", indptr, items, Vocabulary(tuple(map(str, range(1, n_items + 1))))), order=("items",)
    )


def _check(n_items: int, max_length: int, avg_length: float, seed: int) -> None:
    count("max_length", max_length, 1)
    integer("seed", seed, 0)
    count("n_items", n_items, staple_count(max_length))
    number("avg_length", avg_length, 1, max(1.0, max_length / 2), "half of max_length")


def staple_count(max_length: int) -> int:
    """Return the number of staples for baskets of up to `max_length` items, rounded up to a multiple of `HEAD`."""
    return -(-max(int(SPARE * max_length), 2 * SHORT) // HEAD) * HEAD


def _missions(n_items: int, max_length: int, seed: int) -> tuple[list[Mission], Int32]:
    """Return the missions, and the item codes of the staples, int32."""
    n_categories = max(1, n_items // CATEGORY)
    starts = np.arange(n_categories + 1) * CATEGORY
    starts[-1] = n_items  # the last category contains the remaining items
    shelves = [np.arange(a, b, dtype=np.int32) for a, b in pairwise(starts)]
    stream = Stream(seed, 0)
    place = np.argsort(stream.permutation(n_categories))
    popularity = zipf(n_categories, 1.0, 3.0)[place].tolist()
    short = min(SHORT, max_length)
    missions = []
    for c in range(n_categories):
        aisle = range(c - c % AISLE, min(c - c % AISLE + AISLE, n_categories))
        neighbour = aisle[(c + 1 - aisle[0]) % len(aisle)]
        missions.append(_mission([shelves[c]], [1.0], popularity[c], short))
        if neighbour != c:
            missions.append(
                _mission([shelves[c], shelves[neighbour][: 2 * HEAD]], [3.0, 1.0], popularity[c] / 2, short)
            )
        if c == aisle[0]:
            weights = [popularity[d] for d in aisle]
            missions.append(_mission([shelves[d] for d in aisle], weights, STROLLS * sum(weights), short))
    n_outings = OUTINGS * n_categories
    for _ in range(n_outings):
        two = stream.permutation(n_categories)[:2].tolist()
        missions.append(_mission([shelves[d] for d in two], [1.0] * len(two), OUTING_SHARE / n_outings, short))
    staples = _staples(shelves, place, staple_count(max_length))
    if max_length > short:
        missions.append(Mission(staples, zipf(len(staples), 0.3, 10.0), 1.0, short + 1, max_length))
    return missions, staples


def _mission(shelves: list[Int32], weights: list[float], popularity: float, longest: int) -> Mission:
    """Return the mission that draws from shelves with the given weights. Popularity within a shelf is Zipf-like."""
    shares = [weight * zipf(len(shelf), 1.0, 3.0) for shelf, weight in zip(shelves, weights, strict=True)]
    return Mission(np.concatenate(shelves), np.concatenate(shares), popularity, 1, longest)


def _staples(shelves: list[Int32], place: Int64, count: int) -> Int32:
    """Return the staples, int32 (count,).

    Staples are the most popular items of the most popular categories. If these categories have too few items, more
    popular items are added.
    """
    category = np.repeat(np.arange(len(shelves)), [len(shelf) for shelf in shelves])
    within = np.concatenate([np.arange(len(shelf)) for shelf in shelves])
    return np.lexsort((within, place[category], within // HEAD))[:count].astype(np.int32)
