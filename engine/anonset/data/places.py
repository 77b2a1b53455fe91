"""Arrays in files that take little room: in parts, or as numbers of four bytes.

Parts take their place on the disk when they are written, and give it back once they are read.
"""

import mmap
import os
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from anonset.data.store import Files, Store, backing, writing


class RowNumbers:
    """Numbers of rows that lie in a file in four bytes each, and are read as int64.

    A slice of them, or some of them, is an array of its own; NumPy takes them as a whole, kernels do not.

    >>> numbers = RowNumbers(np.array([3, 0, 7], np.int32))
    >>> len(numbers), numbers[1:], np.argsort(numbers), numbers.tolist()
    (3, array([0, 7]), array([1, 0, 2]), [3, 0, 7])
    """

    dtype = np.dtype(np.int64)
    ndim = 1

    def __init__(self, stored: NDArray[np.int32]) -> None:
        self.base = stored
        """int32 (n,): as they lie in the file."""

    def __len__(self) -> int:
        return len(self.base)

    def __getitem__(self, key: Any) -> Any:
        return self.base[key].astype(np.int64)

    def __setitem__(self, key: Any, values: Any) -> None:
        self.base[key] = values

    def __array__(self, dtype: DTypeLike = np.int64, copy: bool | None = None) -> NDArray[Any]:
        return self.base.astype(dtype)

    def tolist(self) -> list[int]:
        """Return them all."""
        return [int(number) for number in self.base]


def unplaced(store: Store, name: str, dtype: DTypeLike, length: int) -> NDArray[Any]:
    """Return a new array of zeros, (length,), as `Store.array` does; in files all but the first wait for `place`.

    >>> with Files.temporary() as store:
    ...     codes = unplaced(store, "codes", np.int32, 1 << 20)
    ...     place(codes, 0, 1 << 10)
    ...     codes[: 1 << 10] = 7
    ...     int(codes.sum()), on_disk(codes)
    (7168, 4096)
    """
    if not isinstance(store, Files) or not length:
        return store.array(name, dtype, length)
    fresh = store.fresh(name)
    with writing(store.path / fresh):
        os.truncate(store.path / fresh, np.dtype(dtype).itemsize * length)
    array = store.mapped(fresh, dtype, "r+")
    place(array, 0, 1)
    return array


def place(array: NDArray[Any], first: int, end: int) -> None:
    """Take the place of elements that are written next, of an array that is all of its file; nothing in memory.

    Raises
    ------
    InputError
        If the disk is full.
    """
    file = backing(array)
    if file is None or first >= end:
        return
    path = Path(str(file.filename))
    with writing(path), path.open("r+b") as opened:
        os.posix_fallocate(opened.fileno(), first * array.itemsize, (end - first) * array.itemsize)


def vacate(array: NDArray[Any], first: int, end: int) -> None:
    """Give back the place of elements that nobody reads again, whole pages of them, where the system can.

    The array is all of its file, and written by this process alone. What is given back reads as zeros.
    """
    file, size, page = backing(array), array.itemsize, mmap.ALLOCATIONGRANULARITY
    low, high = -(-first * size // page) * page, end * size // page * page
    if file is None or low >= high or not hasattr(mmap, "MADV_REMOVE"):
        return
    with (
        suppress(OSError),
        Path(str(file.filename)).open("r+b") as opened,
        mmap.mmap(opened.fileno(), high - low, offset=low) as part,
    ):
        part.madvise(mmap.MADV_REMOVE)


def fetch(array: NDArray[Any], first: int, end: int) -> None:
    """Have the system read elements, of an array that is all of its file, before they are asked for in any order."""
    file, size = backing(array), array.itemsize
    if file is None or not hasattr(os, "posix_fadvise"):
        return
    with Path(str(file.filename)).open("rb") as opened:
        os.posix_fadvise(opened.fileno(), first * size, (end - first) * size, os.POSIX_FADV_WILLNEED)


def on_disk(array: NDArray[Any]) -> int:
    """Return the bytes that the file of an array takes on the disk; 0 in memory."""
    file = backing(array)
    return 0 if file is None else 512 * Path(str(file.filename)).stat().st_blocks
