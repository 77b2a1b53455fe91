"""Naive implementation of k^m-anonymity verification: sets and Counters."""

from collections import Counter
from collections.abc import Collection, Sequence
from itertools import combinations

Records = Sequence[Collection[int]]


def supports(rows: Records, size: int) -> Counter[tuple[int, ...]]:
    """Count the records that contain each occurring itemset of `size` codes.

    >>> supports([{1, 2}, {1, 2, 3}], 2)[1, 2]
    2
    """
    return Counter(itemset for row in rows for itemset in combinations(sorted(row), size))


def naive_km(rows: Records, k: int, m: int) -> tuple[int, ...] | None:
    """Return the smallest itemset of at most `m` codes that occurs in 1 to `k` - 1 records, or None.

    >>> naive_km([{1, 2}, {1, 2}, {1}], 3, 2), naive_km([{1, 2}, {1, 2}, {1}], 2, 2)
    ((2,), None)
    """
    for size in range(1, m + 1):
        rare = [itemset for itemset, support in supports(rows, size).items() if support < k]
        if rare:
            return min(rare)
    return None


def alike(rows: Records, n_symbols: int) -> list[frozenset[int]]:
    """Return the rows of each symbol.

    >>> alike([{0, 1}, {0}], 2)
    [frozenset({0, 1}), frozenset({0})]
    """
    return [frozenset(i for i, row in enumerate(rows) if symbol in row) for symbol in range(n_symbols)]
