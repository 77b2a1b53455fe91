"""A set-valued column under construction, part by part: in memory, or in the files of a work directory."""

from types import TracebackType
from typing import Any, Self

import numpy as np
from numpy.typing import DTypeLike, NDArray

from anonset.data.mapped import GrowingArray, WorkFolder
from anonset.data.table import SetColumn
from anonset.data.vocabulary import Vocabulary


class Growing:
    """An array of unknown length: in memory a list of its parts, else a file of the directory.

    >>> with Growing(None, "codes", np.int32) as codes:
    ...     codes.append(np.arange(2))
    ...     codes.append(np.arange(3))
    >>> codes.finished().tolist()
    [0, 1, 0, 1, 2]
    """

    def __init__(self, work: WorkFolder | None, name: str, dtype: DTypeLike) -> None:
        self._work, self._dtype = work, np.dtype(dtype)
        self._parts: list[NDArray[Any]] = []
        self._name = "" if work is None else work.fresh(name)
        self._file: GrowingArray | None = None if work is None else work.growing(self._name, dtype)

    def append(self, values: NDArray[Any]) -> None:
        """Add elements at the end.

        Raises
        ------
        InputError
            If the disk is full, or fails.
        """
        if self._file is None:
            self._parts.append(np.ascontiguousarray(values, self._dtype))
        else:
            self._file.append(values)

    def finished(self) -> NDArray[Any]:
        """Return the array, (n,); nothing more is added."""
        if self._work is None:
            return np.concatenate([np.empty(0, self._dtype), *self._parts])
        self.__exit__(None, None, None)
        return self._work.mapped(self._name, self._dtype)

    def drop(self) -> None:
        """Forget it; what is mapped lives on until it is let go."""
        self._parts = []
        if self._work is not None:
            self._work.drop(self._name)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._file is not None:
            self._file.__exit__(kind, error, at)


class GrowingSets:
    """A set-valued column of unknown length, whose vocabulary is known at the end.

    >>> with GrowingSets("items") as sets:
    ...     sets.append(SetColumn.of([{"a"}, {"b"}]))
    ...     sets.append(SetColumn.of([set(), {"a", "b"}]))
    >>> list(sets.finished(Vocabulary(("a", "b"))).rows())
    [['a'], ['b'], [], ['a', 'b']]
    """

    def __init__(self, name: str, work: WorkFolder | None = None) -> None:
        self.name = name
        self._end = 0
        self._indptr, self._items = Growing(work, "indptr", np.int64), Growing(work, "items", np.int32)
        self._indptr.append(np.zeros(1, np.int64))

    def append(self, part: SetColumn) -> None:
        """Add records at the end; of the part's vocabulary nothing is kept.

        Raises
        ------
        InputError
            If the disk is full, or fails.
        """
        self._indptr.append(part.indptr[1:] + self._end)
        self._items.append(part.items)
        self._end += len(part.items)

    def finished(self, vocabulary: Vocabulary) -> SetColumn:
        """Return the column under its vocabulary; nothing more is added."""
        return SetColumn(self.name, self._indptr.finished(), self._items.finished(), vocabulary)

    def drop_items(self) -> None:
        """Forget the items, but not where those of each record began."""
        self._items.drop()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        for array in (self._indptr, self._items):
            array.__exit__(kind, error, at)
