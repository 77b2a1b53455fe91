"""Checksums of the files of a mapped table, to prevent publication of data that are damaged during a run."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import reduce
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from anonset.data.codes import stored_codes
from anonset.data.redacted_repr import RedactedRepr
from anonset.data.spans import spans
from anonset.data.store import Store, backing, damage_error
from anonset.data.table import Column, NumericColumn, SetColumn, Table

_WORDS = 1 << 20
_BYTES_PER_TASK = 1 << 26
"""Bytes of a file that a task reads."""
_T = TypeVar("_T")
FileRange = tuple[Path, int, int]
"""File, position of the first byte of a part, and position after its last byte."""
Sum = tuple[int, int, int]
"""File size in bytes, and sum and exclusive or of its 64-bit words."""


@dataclass(frozen=True)
class Seal(RedactedRepr):
    """Checksums of the files of a table. They detect damage, but not tampering before they are computed."""

    sums: Mapping[Path, Sum]
    store: Store
    """Store with the workers that read the files."""

    @classmethod
    def of(cls, table: Table) -> "Seal":
        """Compute the checksums of the files of a table; a table in memory has none. Cost: one pass over the files."""
        return cls.over([*_arrays(table), *_labels(table)], table.store)

    @classmethod
    def of_labels(cls, table: Table) -> "Seal":
        """Compute the checksums of the files of a table's labels, which are written to the publication and read
        back.
        """
        return cls.over(_labels(table), table.store)

    @classmethod
    def over(cls, arrays: Iterable[NDArray[np.generic]], store: Store) -> "Seal":
        """Compute the checksums of the files of arrays."""
        files = [file for array in arrays if (file := backing(array)) is not None]
        return cls(_sums(dict.fromkeys(Path(str(file.filename)) for file in files), store), store)

    def require_unbroken(self) -> None:
        """Reject files that have changed.

        Raises
        ------
        InputError
            The message names the first file that has changed.
        """
        for path in self.sums:
            if not path.exists():
                raise damage_error(path)
        for path, found in _sums(self.sums, self.store).items():
            if found != self.sums[path]:
                raise damage_error(path)

    @contextmanager
    def kept(self) -> Iterator[None]:
        """Check the files at the end of the block, and also if the block fails, because damage may be the cause.

        Raises
        ------
        InputError
            The message names the first file that has changed.
        """
        try:
            yield
        except Exception:
            local = replace(self, store=self.store.with_local_workers())  # the failure may be a lost cluster
            local.require_unbroken()  # damage is the cause
            raise
        self.require_unbroken()


def _labels(table: Table) -> list[NDArray[np.generic]]:
    """Return the label arrays that are stored in files."""
    filed = [column.vocabulary.filed for column in (*table.ids, *table.kept)]
    return [array for labels in filed if labels is not None for array in (labels.starts, labels.text)]


def _arrays(table: Table) -> list[NDArray[np.generic]]:
    columns: list[SetColumn | Column | None] = [table.transactions, table.sensitive]
    columns += [*table.relational, *table.ids, *table.kept]
    arrays: list[NDArray[np.generic]] = []
    for column in columns:
        if isinstance(column, SetColumn):
            arrays += [column.indptr, stored_codes(column.codes)]
        elif column is not None:
            arrays.append(column.values if isinstance(column, NumericColumn) else column.codes)
    return arrays


def by_ranges(work: Callable[[FileRange], _T], paths: Collection[Path], store: Store) -> dict[Path, list[_T]]:
    """Return the results of `work` for the consecutive ranges of each file; for an empty file, of an empty range."""
    sizes = {path: path.stat().st_size for path in paths}
    if sum(sizes.values()) <= _BYTES_PER_TASK:
        store = store.with_local_workers()
    tasks = [
        (path, first, min(first + _BYTES_PER_TASK, size))
        for path, size in sizes.items()
        for first in range(0, max(1, size), _BYTES_PER_TASK)
    ]
    results = {path: list[_T]() for path in paths}
    for (path, _, _), result in zip(tasks, store.map(work, tasks), strict=True):
        results[path].append(result)
    return results


def _sums(paths: Collection[Path], store: Store) -> dict[Path, Sum]:
    """Return the checksums of files."""
    return {path: reduce(_added, sums) for path, sums in by_ranges(_sum, paths, store).items()}


def _added(one: Sum, other: Sum) -> Sum:
    return one[0] + other[0], (one[1] + other[1]) % (1 << 64), one[2] ^ other[2]


def _sum(part: FileRange) -> Sum:
    """Return the checksums of a range of a file; its first position is a multiple of 8."""
    (path, start, stop), total, parity = part, 0, 0
    n_words = (stop - start) // 8
    words = np.memmap(path, np.uint64, "r", start, (n_words,)) if n_words else np.empty(0, np.uint64)
    for first, end in spans(n_words, _WORDS):
        total += int(np.add.reduce(words[first:end]))
        parity ^= int(np.bitwise_xor.reduce(words[first:end]))
    with path.open("rb") as file:
        file.seek(start + 8 * n_words)
        tail = int.from_bytes(file.read(stop - start - 8 * n_words), "little")
    return stop - start, (total + tail) % (1 << 64), parity ^ tail
