"""Going through many records a span at a time, so that nothing on the way is as long as the table."""

from collections.abc import Iterator

AT_ONCE = 1 << 18
"""Records, or elements of an array, in a span."""


def spans(n: int, at_once: int | None = None) -> Iterator[tuple[int, int]]:
    """Yield the first and the end of each span of 0 .. n - 1; the last one may be short.

    >>> list(spans(5, 2))
    [(0, 2), (2, 4), (4, 5)]
    """
    size = AT_ONCE if at_once is None else at_once
    for first in range(0, n, size):
        yield first, min(first + size, n)
