"""Checksums of the files in a work directory. Data that are damaged during a run, or before a run is resumed, are not
published.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields, is_dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anonset.data.codes import NarrowCodes, RowNumbers, stored_codes
from anonset.data.redacted_repr import RedactedRepr
from anonset.data.storage.checksums import Sum, sums_of, sums_when_written
from anonset.data.storage.exchange import exchange_of
from anonset.data.storage.store import Files, Store, backing, damage_error
from anonset.data.table import Table

_BYTES_PER_TASK = 1 << 26
_FileRange = tuple[Path, int, int]
"""Range of a file: path, position of the first byte, and position after the last byte."""


@dataclass(frozen=True)
class Seal(RedactedRepr):
    """Checksums of files. They detect only changes that were made after the checksums were computed.

    The checksums of a file that this process has written in parts were computed while it was written. Other files are
    read.
    """

    sums: Mapping[Path, Sum]
    store: Store
    """Store with the workers that read the files."""

    @classmethod
    def of(cls, table: Table) -> "Seal":
        """Compute the checksums of the files of a table. Without files, the result is empty."""
        return cls.over(_arrays(table), table.store)

    @classmethod
    def of_labels(cls, table: Table) -> "Seal":
        """Compute the checksums of the files that contain the labels of a table."""
        return cls.over(_arrays(tuple(column.vocabulary for column in (*table.ids, *table.kept))), table.store)

    @classmethod
    def over(cls, arrays: Iterable[NDArray[np.generic]], store: Store) -> "Seal":
        """Compute the checksums of the files that contain the given arrays."""
        files = [file for array in arrays if (file := backing(array)) is not None]
        return cls(_first_sums(dict.fromkeys(Path(str(file.filename)) for file in files), store), store)

    @classmethod
    def of_files(cls, store: Files, names: Iterable[str]) -> "Seal":
        """Compute the checksums of files of a work directory."""
        return cls(_first_sums(dict.fromkeys(store.path / name for name in names), store), store)

    @classmethod
    def restored(cls, store: Files, by_name: Mapping[str, Sequence[int]]) -> "Seal":
        """Return the checksums that were stored as `by_name`.

        Raises
        ------
        InputError
            If a file is not in the work directory.
        ValueError, TypeError
            If the checksums are malformed.
        """
        sums = dict[Path, Sum]()
        for name, (size, total, parity) in by_name.items():
            path = store.path / name
            if path.parent != store.path:
                raise damage_error(path)
            sums[path] = int(size), int(total), int(parity)
        return cls(sums, store)

    @property
    def by_name(self) -> dict[str, Sum]:
        """Checksums by file name."""
        return {path.name: numbers for path, numbers in self.sums.items()}

    def require_unbroken(self) -> None:
        """Reject files that have changed.

        Raises
        ------
        InputError
            The message names the first file that has changed.
        """
        for path in self.sums:
            if not path.is_file():
                raise damage_error(path)
        for path, found in _sums(self.sums, self.store).items():
            if found != self.sums[path]:
                raise damage_error(path)

    @contextmanager
    def kept(self) -> Iterator[None]:
        """Check the files at the end of the block. The files are also checked if the block fails, because damage may be
        the cause.

        Raises
        ------
        InputError
            The message names the first file that has changed.
        """
        with self.checked_on_failure():
            yield
        self.require_unbroken()

    @contextmanager
    def checked_on_failure(self) -> Iterator[None]:
        """Check the files if the block fails, because damage may be the cause."""
        try:
            yield
        except Exception:
            local = replace(self, store=self.store.with_local_workers())  # the cluster may be lost
            local.require_unbroken()  # report the damage as the cause of the failure
            raise


def _arrays(value: Any) -> Iterator[NDArray[np.generic]]:
    """Yield the arrays in the fields of an object, and in the objects that it contains."""
    if isinstance(value, np.ndarray):
        yield value
    elif isinstance(value, (NarrowCodes, RowNumbers)):
        yield stored_codes(value)
    elif isinstance(value, tuple) and not (value and isinstance(value[0], str)):
        for part in value:
            yield from _arrays(part)
    elif is_dataclass(value) and not isinstance(value, Store):
        for field in fields(value):
            yield from _arrays(getattr(value, field.name))


def _first_sums(paths: Collection[Path], store: Store) -> dict[Path, Sum]:
    written = {path: sums for path in paths if (sums := sums_when_written(path)) is not None}
    return written | _sums([path for path in paths if path not in written], store)


def _sums(paths: Collection[Path], store: Store) -> dict[Path, Sum]:
    sizes = {path: path.stat().st_size for path in paths}
    # with an exchange, workers would check their own copies
    if sum(sizes.values()) <= _BYTES_PER_TASK or any(map(exchange_of, sizes)):
        store = store.with_local_workers()
    tasks = [
        (path, first, min(first + _BYTES_PER_TASK, size))
        for path, size in sizes.items()
        for first in range(0, max(1, size), _BYTES_PER_TASK)
    ]
    sums = dict[Path, Sum]()
    for (path, _, _), found in zip(tasks, store.map(_sum, tasks), strict=True):
        sums[path] = _added(sums.get(path, (0, 0, 0)), found)
    return sums


def _added(one: Sum, other: Sum) -> Sum:
    return one[0] + other[0], (one[1] + other[1]) % (1 << 64), one[2] ^ other[2]


def _sum(part: _FileRange) -> Sum:
    return sums_of(*part)
