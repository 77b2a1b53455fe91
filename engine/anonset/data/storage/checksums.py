"""Checksums of files."""

from pathlib import Path
from typing import Any

import numpy as np

from anonset.data.spans import spans

Sum = tuple[int, int, int]
"""Checksums of a file: size in bytes, sum of its 64-bit words, and exclusive or of the words."""
_WORDS_AT_ONCE = 1 << 20


def sums_of(path: Path, start: int = 0, stop: int | None = None) -> Sum:
    """Return the checksums of a range of a file. The first position must be a multiple of 8."""
    stop, total, parity = path.stat().st_size if stop is None else stop, 0, 0
    n_words = (stop - start) // 8
    words: Any = np.memmap(path, np.uint64, "r", start, (n_words,)) if n_words else np.empty(0, np.uint64)
    for first, end in spans(n_words, _WORDS_AT_ONCE):
        total += int(np.add.reduce(words[first:end]))
        parity ^= int(np.bitwise_xor.reduce(words[first:end]))
    with path.open("rb") as file:
        file.seek(start + 8 * n_words)
        tail = int.from_bytes(file.read(stop - start - 8 * n_words), "little")
    return stop - start, (total + tail) % (1 << 64), parity ^ tail
