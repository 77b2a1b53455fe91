"""Several arrays in one file of a work directory."""

import math
import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anonset.data.redacted_repr import RedactedRepr
from anonset.data.storage.store import Files, damage_error
from anonset.local_paths import writing


@dataclass(frozen=True, eq=False)
class StoredArrays(RedactedRepr):
    """Arrays in a file. A message contains only the name of the file, so that the arrays are not sent between machines.

    >>> with Files.temporary() as store:
    ...     stored = StoredArrays.written("pair", [np.array([1, 2]), np.zeros((1, 2), np.uint8)], store)
    ...     [array.tolist() for array in stored.read()]
    [[1, 2], [[0, 0]]]
    """

    store: Files
    name: str
    """File name."""
    layout: Sequence[tuple[str, tuple[int, ...]]]
    """Type and shape of each array."""

    @classmethod
    def written(cls, name: str, arrays: Sequence[NDArray[Any]], store: Files) -> "StoredArrays":
        """Write arrays to a new file. The file name begins with `name`.

        Raises
        ------
        InputError
            If the disk is full, or fails.
        """
        reserved = store.reserve_name(name)
        with store.written(reserved, synced=False) as file:
            for array in arrays:
                file.write(np.ascontiguousarray(array).reshape(-1).data)
        return cls(store, reserved, [(array.dtype.str, array.shape) for array in arrays])

    def read(self) -> list[NDArray[Any]]:
        """Return the arrays, mapped from the file.

        Raises
        ------
        InputError
            If the file is shorter than the arrays.
        """
        arrays, end, file = list[NDArray[Any]](), 0, self.store.mapped(self.name, np.uint8)
        for dtype, shape in self.layout:
            begin, end = end, end + np.dtype(dtype).itemsize * math.prod(shape)
            if end > len(file):
                raise damage_error(self.store.path / self.name)
            arrays.append(file[begin:end].view(dtype).reshape(shape))
        return arrays

    def between(self, *spans: tuple[int, int]) -> list[NDArray[Any]]:
        """Read elements into memory: from each array, the rows of a span. Arrays without a span are not read.

        The operating system is told to drop the pages, because a shuffle reads each byte once. A mapped file would also
        read the neighbours of each page.

        >>> with Files.temporary() as store:
        ...     stored = StoredArrays.written("pair", [np.arange(3), np.arange(8).reshape(4, 2)], store)
        ...     [array.tolist() for array in stored.between((1, 2), (0, 1))]
        [[1], [[0, 1]]]

        Raises
        ------
        InputError
            If the file is shorter than the arrays.
        """
        arrays, begin, path = list[NDArray[Any]](), 0, self.store.fetched(self.name)
        with writing(path, "cannot be read"), path.open("rb", buffering=0) as file:
            for (dtype, shape), (first, end) in zip(self.layout, spans, strict=False):
                element = np.dtype(dtype).itemsize * math.prod(shape[1:])
                array = np.empty((end - first, *shape[1:]), dtype)
                file.seek(begin + element * first)
                if file.readinto(array.reshape(-1).view(np.uint8).data) != array.nbytes:
                    raise damage_error(path)
                if hasattr(os, "posix_fadvise"):
                    place = begin + element * first
                    os.posix_fadvise(file.fileno(), place, array.nbytes, os.POSIX_FADV_DONTNEED)
                arrays.append(array)
                begin += element * shape[0]
        return arrays
