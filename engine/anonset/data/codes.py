"""Codes and row numbers in files. They have half the width that kernels need if the values fit.

Narrow storage halves disk space and I/O. Slices are converted to the kernel type on reading, so kernels are compiled
for one type only.
"""

from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from anonset.data.array_types import Int32, Int64
from anonset.data.spans import spans
from anonset.data.storage.growing import ArrayBuilder
from anonset.data.storage.store import MOST_CODES as MOST_CODES
from anonset.data.storage.store import Store, delete_when_collected, store_of

_LONG = 40
"""Mean length of the row of an item from which sorting by insertion takes longer than transposing twice. Measured."""


class _StoredNumbers:
    """Numbers in a file, each stored in fewer bytes than kernels require. Indexing returns a new array of the wider
    type.
    """

    dtype: np.dtype[Any]
    ndim = 1

    def __init__(self, stored: NDArray[Any]) -> None:
        self.base = stored
        """The stored array, (n,)."""

    def __len__(self) -> int:
        return len(self.base)

    def __getitem__(self, key: Any) -> Any:
        return self.base[key].astype(self.dtype)

    def __setitem__(self, key: Any, values: Any) -> None:
        self.base[key] = values


class NarrowCodes(_StoredNumbers):
    """Codes stored in two bytes, read as int32.

    NumPy and kernels reject the object, because it is not an array.

    >>> codes = NarrowCodes(np.array([3, 65535, 4], np.uint16))
    >>> len(codes), codes[1:], codes[np.array([0, 0])].dtype, int(codes[2])
    (3, array([65535,     4], dtype=int32), dtype('int32'), 4)
    """

    dtype = np.dtype(np.int32)

    def __array__(self, *_: Any, **__: Any) -> NDArray[Any]:
        raise TypeError("codes in a file must be read in slices")


class RowNumbers(_StoredNumbers):
    """Row numbers stored in four bytes, read as int64. NumPy accepts the object as an array, kernels do not.

    >>> numbers = RowNumbers(np.array([3, 0, 7], np.int32))
    >>> len(numbers), numbers[1:], np.argsort(numbers), numbers.tolist()
    (3, array([0, 7]), array([1, 0, 2]), [3, 0, 7])
    """

    dtype = np.dtype(np.int64)

    def __array__(self, dtype: DTypeLike = np.int64, copy: bool | None = None) -> NDArray[Any]:
        return self.base.astype(dtype)

    def tolist(self) -> list[int]:
        """Return all numbers as a list."""
        return [int(number) for number in self.base]


Codes = Int32 | NarrowCodes
"""Interface of stored codes, int32 (n,), which are read in slices."""


def as_codes(stored: NDArray[Any]) -> Codes:
    """Prepare stored codes for reading. Two-byte codes become `NarrowCodes`, and int32 codes are returned unchanged."""
    return NarrowCodes(stored) if stored.dtype == np.uint16 else stored


def stored_codes(codes: Codes | RowNumbers | Int64) -> NDArray[Any]:
    """Return codes or row numbers in their stored form, (n,)."""
    return codes.base if isinstance(codes, _StoredNumbers) else codes


def are_narrow(store: Store, n_codes: int) -> bool:
    """Return True if the store uses two bytes per code. Two bytes suffice if the store is in files and all
    codes fit.
    """
    return store.code_type(n_codes) == np.uint16


def codes_array(store: Store, length: int, n_codes: int) -> Codes:
    """Allocate an array for `length` codes below `n_codes`. Elements can be written in any order.

    In files, a code has two bytes if all codes fit.
    """
    return as_codes(store.array("items", store.code_type(n_codes), length))


def code_counts(codes: Codes, size: int) -> Int64:
    """Count the frequency of each of `size` codes, int64 (size,). The memory use is constant."""
    counts = np.zeros(size, np.int64)
    for a, b in spans(len(codes)):
        counts += np.bincount(codes[a:b], minlength=size)
    return counts


def in_full(codes: Codes) -> Int32:
    """Return all codes as an array in memory, int32 (n,), for kernels with random access. Two-byte codes are copied."""
    if not isinstance(codes, NarrowCodes):
        return codes
    wide = delete_when_collected(store_of(codes.base).array("codes", np.int32, len(codes)))
    for first, end in spans(len(codes)):
        wide[first:end] = codes[first:end]
    return wide


def sort_items(indptr: Int64, items: Int32, n_items: int) -> Int32:
    """Return the items with each row in ascending order, int32 (nnz,). `items`, which may be unsorted, is overwritten.

    Rows are sorted by insertion, or transposed twice in O(nnz + n + M) if insertion would take longer.
    """
    from anonset_kernels.records.rows import sort_rows, transpose

    lengths = np.diff(indptr)
    if int(lengths @ lengths) > _LONG * len(items):
        return transpose(*transpose(indptr, items, n_items), len(lengths))[1]
    sort_rows(indptr, items)
    return items


class CodesBuilder:
    """Builder for an unknown number of codes. In files, codes have two bytes each until a code does not fit. Then all
    codes are converted to four bytes.

    >>> from anonset.data.storage.store import Files
    >>> with Files.temporary() as store, CodesBuilder("codes", store) as codes:
    ...     codes.append(np.array([1, 65535], np.int32))
    ...     codes.append(np.array([65536], np.int32))
    ...     codes.finished().tolist()
    [1, 65535, 65536]
    """

    def __init__(self, name: str, store: Store) -> None:
        self._name, self._store = name, store
        self._growing: ArrayBuilder = store.growing(name, store.code_type(0))

    def append(self, codes: Codes) -> None:
        """Append codes. Two-byte codes are not converted.

        Raises
        ------
        InputError
            If the disk is full, or fails.
        """
        narrow = self._growing.dtype == np.uint16
        if isinstance(codes, NarrowCodes):
            self._growing.append(codes.base)
            return
        if narrow and (int(codes.max(initial=0)) >= MOST_CODES or int(codes.min(initial=0)) < 0):
            self._widen()
        self._growing.append(codes)

    def _widen(self) -> None:
        narrow, wide = self._growing, self._store.growing(self._name, np.int32)
        self._growing = wide
        stored = narrow.finished()
        for first, end in spans(len(stored)):
            wide.append(stored[first:end])
        narrow.drop()

    def finished(self) -> Codes:
        """Return the codes. `append` must not be called afterwards."""
        return as_codes(self._growing.finished())

    def drop(self) -> None:
        """Delete the stored codes. Existing memory maps remain valid."""
        self._growing.drop()

    def __enter__(self) -> "CodesBuilder":
        return self

    def __exit__(self, *error: Any) -> None:
        self._growing.__exit__(*error)
