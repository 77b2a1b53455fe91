"""Reserve and release disk space for parts of arrays in files."""

import mmap
import os
from contextlib import suppress
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from anonset.data.store import backing
from anonset.local_paths import writing


def place(array: NDArray[Any], first: int, end: int) -> None:
    """Reserve disk space for the elements that are written next. The array must cover its complete file.

    No effect in memory.

    >>> import numpy as np
    >>> from anonset.data.store import Files
    >>> with Files.temporary() as store:
    ...     codes = store.unplaced("codes", np.int32, 1 << 24)
    ...     place(codes, 0, 1 << 10)
    ...     codes[: 1 << 10] = 7
    ...     int(codes[: 1 << 10].sum())
    7168

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
    """Release the disk space of elements that are not read again, in complete pages, if the system supports it.

    The array must cover its complete file, and only this process may write to it. Released elements read as zeros.
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
    """Ask the system to load elements before random access. The array must cover its complete file."""
    file, size = backing(array), array.itemsize
    if file is None or not hasattr(os, "posix_fadvise"):
        return
    with Path(str(file.filename)).open("rb") as opened:
        os.posix_fadvise(opened.fileno(), first * size, (end - first) * size, os.POSIX_FADV_WILLNEED)
