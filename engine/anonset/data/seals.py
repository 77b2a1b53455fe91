"""Checksums of the files of a mapped table, to prevent publication of data that are damaged during a run."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from anonset.data.codes import stored_codes
from anonset.data.redacted_repr import RedactedRepr
from anonset.data.spans import spans
from anonset.data.store import backing, damage_error
from anonset.data.table import Column, NumericColumn, SetColumn, Table

_WORDS = 1 << 20
Sum = tuple[int, int, int]
"""File size in bytes, and sum and exclusive or of its 64-bit words."""


@dataclass(frozen=True)
class Seal(RedactedRepr):
    """Checksums of the files of a table. They detect damage, but not tampering before they are computed."""

    sums: Mapping[Path, Sum]

    @classmethod
    def of(cls, table: Table) -> "Seal":
        """Compute the checksums of the files of a table; a table in memory has none. Cost: one pass over the files."""
        return cls.over([*_arrays(table), *_labels(table)])

    @classmethod
    def of_labels(cls, table: Table) -> "Seal":
        """Compute the checksums of the files of a table's labels, which are written to the publication and read
        back.
        """
        return cls.over(_labels(table))

    @classmethod
    def over(cls, arrays: Iterable[NDArray[np.generic]]) -> "Seal":
        """Compute the checksums of the files of arrays."""
        files = [file for array in arrays if (file := backing(array)) is not None]
        return cls({path: _sum(path) for path in dict.fromkeys(Path(str(file.filename)) for file in files)})

    def require_unbroken(self) -> None:
        """Reject files that have changed.

        Raises
        ------
        InputError
            The message names the first file that has changed.
        """
        for path, expected in self.sums.items():
            if not path.exists() or _sum(path) != expected:
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
            self.require_unbroken()  # damage is the cause
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


def _sum(path: Path) -> Sum:
    size = path.stat().st_size
    words = np.memmap(path, np.uint64, "r", shape=(size // 8,)) if size >= 8 else np.empty(0, np.uint64)
    total, parity = 0, 0
    for first, end in spans(len(words), _WORDS):
        total += int(np.add.reduce(words[first:end]))
        parity ^= int(np.bitwise_xor.reduce(words[first:end]))
    with path.open("rb") as file:
        file.seek(size - size % 8)
        tail = int.from_bytes(file.read(), "little")
    return size, (total + tail) % (1 << 64), parity ^ tail
