"""Synthetic transactions like those of the IBM Quest generator (Agrawal, Srikant, VLDB 1994, section 2.4.3)."""

from dataclasses import dataclass

import numpy as np

from anonset.data import SetColumn, Table, Vocabulary
from anonset.data.array_types import Float64, Int32, Int64
from anonset_datasets.generators.checks import count, integer, number
from anonset_datasets.generators.missions import blocks, distinct_rows, first_rows, join

_BLOCK = 1 << 14  # number of transactions that share a random stream


@dataclass(frozen=True)
class _Patterns:
    """Patterns (potentially large itemsets) from which transactions are generated."""

    indptr: Int64
    """First item of each pattern, int64 (L + 1,)."""
    items: Int32
    """Items of all patterns, int32."""
    below: Float64
    """Cumulative weights, float64 (L,)."""
    corruption: Float64
    """Corruption level of each pattern, float64 (L,)."""


def quest(
    n: int = 100_000,
    n_items: int = 1_000,
    avg_length: float = 10.0,
    n_patterns: int = 2_000,
    avg_pattern: float = 4.0,
    correlation: float = 0.25,
    corruption: float = 0.5,
    seed: int = 0,
) -> Table:
    """Generate transactions as unions of corrupted patterns, like IBM Quest. The defaults generate T10.I4.D100K.

    Lengths and pattern sizes are Poisson distributed. A pattern shares an exponentially distributed part of its items
    with the previous pattern; the other items are random. Pattern weights are exponentially distributed. Patterns are
    drawn by weight and added to a transaction, without the items that corruption drops. If a pattern does not fit, it
    is still added in half of the cases. Items are ``1 .. n_items``. A smaller table is a prefix of a larger table.

    Deviations from IBM Quest:

    - In the other half of the cases, the pattern that does not fit is discarded instead of being saved for the next
      transaction, and the transaction ends unless it is empty.
    - The remaining items of a corrupted pattern are adjacent in the random order of the pattern.
    - Overlapping patterns make a transaction shorter than its Poisson length.
    - No transaction is empty.

    Parameters
    ----------
    n
        Number of transactions, D (0 gives an empty table).
    n_items
        Size of the item universe, N.
    avg_length
        Mean number of items per transaction, T.
    n_patterns
        Number of potentially large itemsets, L.
    avg_pattern
        Mean number of items per pattern, I.
    correlation
        Mean share of a pattern's items that come from the previous pattern.
    corruption
        Mean corruption level: the probability of dropping another item of a pattern.
    seed
        Seed of NumPy's PCG64. Random variates are drawn with NumPy's Generator.

    Raises
    ------
    InputError
        If a parameter is out of range.

    >>> table = quest(1_000, 100, 5.0)
    >>> table.n, len(table.transactions.vocabulary), int(table.transactions.lengths.min())
    (1000, 100, 1)
    """
    count("n", n, 0)
    count("n_items", n_items, 1)
    number("avg_length", avg_length, 1, n_items, "n_items")
    count("n_patterns", n_patterns, 1)
    number("avg_pattern", avg_pattern, 1, n_items, "n_items")
    number("correlation", correlation, 0, 1)
    number("corruption", corruption, 0, 1)
    integer("seed", seed, 0)
    patterns = _patterns(n_items, n_patterns, avg_pattern, correlation, corruption, seed)
    parts = (_block(n_items, avg_length, patterns, _generator(seed, 1, number)) for number, _ in blocks(n, _BLOCK))
    indptr, items = join([first_rows(*part, size) for part, (_, size) in zip(parts, blocks(n, _BLOCK), strict=True)])
    return Table(
        SetColumn("items", indptr, items, Vocabulary(tuple(map(str, range(1, n_items + 1))))), order=("items",)
    )


def _generator(seed: int, *path: int) -> np.random.Generator:
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence([seed, *path])))


def _patterns(
    n_items: int, n_patterns: int, avg_pattern: float, correlation: float, corruption: float, seed: int
) -> _Patterns:
    random = _generator(seed, 0)
    sizes = np.clip(random.poisson(avg_pattern, n_patterns), 1, n_items)
    shares = np.minimum(random.exponential(correlation, n_patterns), 1.0)
    weights = random.exponential(1.0, n_patterns)
    levels = np.clip(random.normal(corruption, np.sqrt(0.1), n_patterns), 0.0, 1.0)
    found: list[Int64] = []
    for size, share in zip(sizes.tolist(), shares.tolist(), strict=True):
        common = np.zeros(0, np.int64)
        if found:
            common = random.permutation(found[-1])[: round(share * size)]
        others = random.choice(n_items, size=min(size + len(common), n_items), replace=False)
        new = others[~np.isin(others, common)][: size - len(common)]
        found.append(random.permutation(np.concatenate((common, new))))
    indptr = np.zeros(n_patterns + 1, np.int64)
    np.cumsum([len(pattern) for pattern in found], out=indptr[1:])
    return _Patterns(indptr, np.concatenate(found).astype(np.int32), np.cumsum(weights) / weights.sum(), levels)


def _block(n_items: int, avg_length: float, patterns: _Patterns, random: np.random.Generator) -> tuple[Int64, Int32]:
    """Fill a block of transactions. Every round adds a pattern to each transaction that is not full."""
    room = np.clip(random.poisson(avg_length, _BLOCK), 1, n_items)
    filled = np.zeros(_BLOCK, np.int64)
    active = np.arange(_BLOCK)
    rows: list[Int64] = []
    items: list[Int32] = []
    while len(active):
        chosen = np.searchsorted(patterns.below, random.random(len(active)), side="right")
        chosen = np.minimum(chosen, len(patterns.corruption) - 1)
        length = np.diff(patterns.indptr)[chosen]
        kept = length - _dropped(length, patterns.corruption[chosen], random)
        fits = filled[active] + kept <= room[active]
        taken = np.where(fits | (random.random(len(active)) < 0.5), kept, 0)
        first = (random.random(len(active)) * length).astype(np.int64)
        within = np.arange(taken.sum()) - np.repeat(np.cumsum(taken) - taken, taken)
        spot = (np.repeat(first, taken) + within) % np.repeat(length, taken)
        items.append(patterns.items[np.repeat(patterns.indptr[chosen], taken) + spot])
        rows.append(np.repeat(active, taken))
        filled[active] += taken
        full = (filled[active] >= room[active]) | ~fits
        active = active[~full | (filled[active] == 0)]
    return distinct_rows(np.concatenate(rows), np.concatenate(items), _BLOCK, n_items)


def _dropped(length: Int64, level: Float64, random: np.random.Generator) -> Int64:
    """Return the number of items to drop, int64.

    The number is increased by one until a uniform random number exceeds the corruption level.

    At least one item remains.
    """
    with np.errstate(divide="ignore"):  # at level 0 the logarithm is minus infinity, and no item is dropped
        drops = np.log(1 - random.random(len(level))) / np.log(np.minimum(level, 1 - 1e-12))
    return np.minimum(np.floor(drops), length - 1).astype(np.int64)
