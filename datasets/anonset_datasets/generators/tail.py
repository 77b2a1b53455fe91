"""Baskets over a large number of items, which are mostly rare. A matrix of all pairs of items would not fit in
memory.
"""

import numpy as np

from anonset.data import SetColumn, Table, Vocabulary
from anonset.data.array_types import Int32, Int64
from anonset_datasets.generators.checks import count, integer, number, records
from anonset_datasets.generators.missions import Stream, blocks, distinct_rows, join, lognormal_lengths, zipf

SHELF = 100
"""Number of items per shelf. The items of a shelf are adjacent in the item order, in order of descending popularity."""
NEAR = 0.7
"""Probability that an item of a basket, except its first item, comes from the shelf of the first item."""
SIGMA = 0.87
"""Standard deviation of the logarithm of the lengths, as in `pos_like`."""


def long_tail(
    n: int = 1_000_000,
    n_items: int = 100_000,
    max_length: int = 60,
    avg_length: float = 6.5,
    exponent: float = 1.05,
    seed: int = 0,
) -> Table:
    """Generate baskets over a large item universe with mostly rare items.

    Items are ``1 .. n_items``, in shelves of 100 adjacent items. Popularity is Zipf-like over all items. Shelves are in
    random order. The first item of a basket is drawn by popularity. Each further item is drawn from the same shelf
    (seven times in ten) or by popularity. Lengths are lognormal. Duplicate items are removed, so baskets have slightly
    fewer items than draws. A smaller table is a prefix of a larger table.

    Parameters
    ----------
    n
        Number of records (0 gives an empty table).
    n_items
        Number of items, at least 100.
    max_length
        Maximum number of draws for a basket.
    avg_length
        Mean number of draws for a basket.
    exponent
        Exponent of the Zipf law.
    seed
        Seed of NumPy's PCG64.

    Raises
    ------
    InputError
        If a parameter is out of range.

    >>> table = long_tail(2_000, n_items=50_000)
    >>> column = table.transactions
    >>> column.n, len(column.vocabulary), int((column.occurrences == 1).sum()) > 2_000
    (2000, 50000, True)
    """
    return long_tail_part(n, n_items, max_length, avg_length, exponent, seed)


def long_tail_part(
    n: int = 1_000_000,
    n_items: int = 100_000,
    max_length: int = 60,
    avg_length: float = 6.5,
    exponent: float = 1.05,
    seed: int = 0,
    only: range | None = None,
) -> Table:
    """Generate only the blocks of `long_tail` with the given numbers. None generates all blocks."""
    records(n, only)
    count("n_items", n_items, SHELF)
    count("max_length", max_length, 2)
    number("avg_length", avg_length, 1, max_length / 2, "half of max_length")
    number("exponent", exponent, 0, 4)
    integer("seed", seed, 0)
    below, item_of_rank = np.cumsum(zipf(n_items, exponent, 3.0)), _item_of_rank(n_items, seed)
    lengths = np.cumsum(lognormal_lengths(avg_length, max_length, SIGMA))
    parts: list[tuple[Int64, Int32]] = []
    for block, size in blocks(n, only=only):
        stream = Stream(seed, 1, block)
        # draw complete blocks, so that a smaller table is a prefix of a larger table
        length = np.minimum(np.searchsorted(lengths, Stream(seed, 2, block).uniform(size), side="right"), max_length)
        rows = np.repeat(np.arange(size, dtype=np.int64), length)
        first = np.cumsum(length) - length
        draws = stream.uniform(2 * len(rows)).reshape(-1, 2)
        items = item_of_rank[np.minimum(np.searchsorted(below, draws[:, 0], side="right"), n_items - 1)]
        near = draws[:, 1] < NEAR
        near[first] = False
        # after division by NEAR, draws below NEAR are uniform in [0, 1). Their squares favor the first items of a shelf
        place = (SHELF * (draws[:, 1] / NEAR) ** 2).astype(np.int64)
        shelf = items[np.repeat(first, length)] // SHELF * SHELF
        items = np.where(near, np.minimum(shelf + place, n_items - 1), items).astype(np.int32)
        parts.append(distinct_rows(rows, items, size, n_items))
    indptr, items = join(parts)
    return Table(
        SetColumn("items", indptr, items, Vocabulary(tuple(map(str, range(1, n_items + 1))))), order=("items",)
    )


def _item_of_rank(n_items: int, seed: int) -> Int32:
    """Return the item of each popularity rank, int32 (M,). Items of the same shelf have adjacent ranks. The order of
    shelves is random.
    """
    moved = n_items // SHELF - 1  # the last shelf contains the remaining items and is not moved
    found = np.arange(n_items)
    found[: moved * SHELF] += SHELF * np.repeat(Stream(seed, 0).permutation(moved) - np.arange(moved), SHELF)
    return found.astype(np.int32)
