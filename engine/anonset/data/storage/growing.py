"""Arrays of unknown length that are built from parts, in memory or in a file."""

from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np
from numpy.typing import DTypeLike, NDArray

from anonset.data.storage.checksums import RunningSum
from anonset.local_paths import writing


class ArrayBuilder:
    """Builder of an array of unknown length. The parts remain in memory and are deleted if the ``with`` block fails."""

    def __init__(self, dtype: DTypeLike) -> None:
        self.dtype = np.dtype(dtype)
        self.length = 0
        """Number of elements that were appended."""
        self._parts: list[NDArray[Any]] = []

    def append(self, values: NDArray[Any]) -> None:
        """Append elements.

        Raises
        ------
        InputError
            If the disk is full, or fails.
        """
        self._parts.append(np.ascontiguousarray(values, self.dtype))
        self.length += len(values)

    def finished(self) -> NDArray[Any]:
        """Return the array, (length,). `append` must not be called afterwards."""
        self._parts = [np.concatenate([np.empty(0, self.dtype), *self._parts])]
        return self._parts[0]

    def drop(self) -> None:
        """Delete the stored elements. Existing memory maps remain valid."""
        self._parts = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is not None:
            self.drop()


class FileArrayBuilder(ArrayBuilder):
    """Builder of an array of unknown length in a new file. The complete file is mapped by `mapped`."""

    def __init__(self, path: Path, dtype: DTypeLike, mapped: Callable[[], NDArray[Any]]) -> None:
        super().__init__(dtype)
        self._path, self._mapped, self._sum = path, mapped, RunningSum()
        with writing(self._path):
            self._file = self._path.open("wb")

    def append(self, values: NDArray[Any]) -> None:
        """Append elements to the file."""
        stored = np.ascontiguousarray(values, self.dtype)
        with writing(self._path):
            self._file.write(stored.data)
        self._sum.add(stored)
        self.length += len(values)

    def finished(self) -> NDArray[Any]:
        """Close the file and return it as an array, (length,)."""
        self.__exit__(None, None, None)
        self._sum.finish(self._path)
        return self._mapped()

    def drop(self) -> None:
        """Delete the file."""
        self._path.unlink(missing_ok=True)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            with writing(self._path):
                self._file.close()
        finally:
            super().__exit__(kind, error, trace)
