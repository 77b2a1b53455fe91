"""Steps of a walk over prefixes of expanded records: rows of ascending codes, each closed by a negative value."""

from typing import Any

from anonset_kernels._bits import bit
from anonset_kernels._jit import kernel


@kernel()
def count_extensions(codes: Any, held: Any, count: Any, words: Any) -> None:
    """Count the codes that follow the positions `held` of a prefix, and set their bits. One increment a code."""
    for p in held:
        at = p + 1
        c = codes[at]
        while c >= 0:
            if count[c] == 0:
                words[c >> 6] |= bit(c & 63)
            count[c] += 1
            at += 1
            c = codes[at]


@kernel()
def project(codes: Any, stack: Any, begin: int, end: int, place: Any) -> None:
    """Write for each extension `c` with ``place[c] >= 0`` its positions to ``stack[place[c]:]``; move `place` on.

    ``stack[begin:end]`` are the positions of the prefix.
    """
    for p in range(begin, end):
        at = stack[p] + 1
        c = codes[at]
        while c >= 0:
            if place[c] >= 0:
                stack[place[c]] = at
                place[c] += 1
            at += 1
            c = codes[at]
