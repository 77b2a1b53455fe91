"""Arrays in files whose parts take their place on the disk when they are written, and give it back when read."""

import mmap
import os
from contextlib import suppress
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from anonset.data.store import backing, writing


def place(array: NDArray[Any], first: int, end: int) -> None:
    """Take the place of elements that are written next, of an array that is all of its file; nothing in memory.

    >>> import numpy as np
    >>> from anonset.data.store import Files
    >>> with Files.temporary() as store:
    ...     codes = store.unplaced("codes", np.int32, 1 << 24)
    ...     place(codes, 0, 1 << 10)
    ...     codes[: 1 << 10] = 7
    ...     int(codes[: 1 << 10].sum()), on_disk(codes) < codes.nbytes
    (7168, True)

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
