"""Attacks on Anatomy: neither row order nor a guessed seed reveals the group of a tuple."""

from functools import lru_cache

import numpy as np
import pytest
from numpy.typing import NDArray

from anonset.algorithms.buckets.anatomy import Anatomy
from anonset.generalization import Bucketized
from attacks.bucket_views import patients
from attacks.guessed_seeds import (
    best_by_chance,
    correlations,
    keys_of_seeds,
    shuffles,
    words_of_keys,
    words_of_split_mix,
)
from reference.buckets import anatomy

TRIED = range(1000)
TABLE = patients(0, 1500)


@lru_cache(maxsize=1)
def orders(tried: range) -> NDArray[np.int64]:
    """Return the order of all tuples for each seed, by SplitMix64 and by a key derived from the seed only."""
    keys = keys_of_seeds(tried, "anatomy: order of the tuples of a value")
    first, other = words_of_split_mix(tried, TABLE.n), words_of_keys(keys, TABLE.n)
    return np.concatenate([shuffles(first, TABLE.n), shuffles(other, TABLE.n, paired=True)])


def best_fit(group: NDArray[np.integer], tried: range = TRIED) -> tuple[float, int]:
    """Return the best fit of any seed's order to the group numbers, in units of the best by chance."""
    rise = correlations(group[orders(tried)])
    return float(rise.max()) / best_by_chance(TABLE.n), tried[int(rise.argmax()) % len(tried)]


@pytest.mark.long
@pytest.mark.compiled
def test_guessing_seeds_reveals_no_order() -> None:
    for seed in (0, 123, 999):
        buckets = Anatomy(l=4, seed=seed).recode(TABLE, {}).recoding
        assert isinstance(buckets, Bucketized)
        assert best_fit(buckets.group)[0] < 1


@pytest.mark.compiled
def test_guessing_seeds_reveals_the_order_if_it_depends_only_on_the_seed() -> None:
    assert TABLE.sensitive is not None
    order = shuffles(words_of_split_mix(range(123, 124), TABLE.n), TABLE.n)[0]
    fit, seed = best_fit(np.array(anatomy(TABLE.sensitive.labels(), 4, order.tolist()).group), range(100, 200))
    assert fit > 3
    assert seed == 123
