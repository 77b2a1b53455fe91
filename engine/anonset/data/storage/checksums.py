"""Checksums of files."""

import os
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anonset.data.spans import spans

Sum = tuple[int, int, int]
"""Checksums of a file: size in bytes, sum of its 64-bit words, and exclusive or of the words."""
_WORDS_AT_ONCE, _WORDS_IN_CACHE = 1 << 20, 1 << 15
_written = dict[str, Sum]()  # checksums of files that this process has written, by path


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


class RunningSum:
    """Checksums of bytes, computed while the bytes are written to a file."""

    def __init__(self) -> None:
        self._size = self._total = self._parity = 0
        self._tail = b""  # bytes of the last, incomplete word

    def add(self, values: NDArray[Any]) -> None:
        """Add the bytes of an array, (n,), in C order."""
        data = values.view(np.uint8)
        head = -self._size % 8
        self._size += len(data)
        self._tail += data[:head].tobytes()
        if len(self._tail) == 8:
            self._add(int.from_bytes(self._tail, "little"), int.from_bytes(self._tail, "little"))
            self._tail = b""
        n_words = len(data[head:]) // 8
        words = data[head : head + 8 * n_words].view(np.uint64)
        for first, end in spans(n_words, _WORDS_IN_CACHE):
            self._add(int(np.add.reduce(words[first:end])), int(np.bitwise_xor.reduce(words[first:end])))
        self._tail += data[head + 8 * n_words :].tobytes()

    def _add(self, total: int, parity: int) -> None:
        self._total, self._parity = (self._total + total) % (1 << 64), self._parity ^ parity

    def finish(self, path: Path) -> None:
        """Remember the checksums of the finished file `path`, which is not changed afterwards."""
        tail = int.from_bytes(self._tail, "little")
        _written[os.path.realpath(path)] = self._size, (self._total + tail) % (1 << 64), self._parity ^ tail


def sums_when_written(path: Path) -> Sum | None:
    """Return the checksums of a file that this process has written with `RunningSum`, or None. The file is not read."""
    return _written.get(os.path.realpath(path))


def forget_sums(folder: Path) -> None:
    """Forget the checksums of all files in a folder."""
    prefix = os.path.join(os.path.realpath(folder), "")  # noqa: PTH118
    for path in [path for path in _written.copy() if path.startswith(prefix)]:
        _written.pop(path, None)
