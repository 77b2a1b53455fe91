"""Steps that all generators share: arrays of texts, pools with frequent and rare values, distinct values."""

from collections.abc import Callable, Iterable

import numpy as np
from numpy.typing import NDArray

Texts = NDArray[np.object_]
Draw = Callable[[np.random.Generator, int], Texts]


class LayoutError(ValueError):
    """A layout is invalid, or no table can be generated from it."""


def texts(values: Iterable[str]) -> Texts:
    """Return an array of Python texts."""
    listed = list(values)
    result = np.empty(len(listed), dtype=object)
    result[:] = listed
    return result


def ranks(rng: np.random.Generator, size: int, n: int) -> NDArray[np.int64]:
    """Return n numbers below `size`, the number r with a frequency proportional to 1 / (r + 1)."""
    cumulative = np.cumsum(1.0 / np.arange(1, size + 1))
    return np.searchsorted(cumulative, rng.random(n) * cumulative[-1], side="right").clip(max=size - 1)


def by_frequency(rng: np.random.Generator, pool: Texts, n: int) -> Texts:
    """Return n values of a pool, the first ones frequent and the last ones rare."""
    return pool[ranks(rng, len(pool), n)]


def distinct(draw: Draw, rng: np.random.Generator, n: int, *, fewer: bool = False) -> Texts:
    """Return n distinct values in the order in which they are drawn.

    Raises LayoutError if repeated draws give no more values, unless `fewer` values are accepted.
    """
    found: dict[str, None] = {}
    fruitless = 0
    while len(found) < n and fruitless < 30:
        before = len(found)
        found.update(dict.fromkeys(draw(rng, n if fruitless else n - before).tolist()))
        fruitless = fruitless + 1 if len(found) == before else 0
    if len(found) < n and not fewer:
        message = f"{n} distinct values are required, but there are about {len(found)}"
        raise LayoutError(message)
    return texts(list(found)[:n])
