"""Columns of ids that are published, under construction: their texts lie in files, and become codes at the end."""

from contextlib import ExitStack
from types import TracebackType
from typing import Any, Self

import numpy as np

from anonset.data import CategoricalColumn, Vocabulary
from anonset.data.filed import Int64, UInt8
from anonset.data.growing import Growing
from anonset.data.label_order import encode_labels
from anonset.data.mapped import WorkFolder
from anonset.errors import AnonsetError


def text_of(column: Any) -> tuple[Int64, UInt8]:
    """Return where each text of an array begins, int64 (n + 1,), and the bytes (``pyarrow.LargeStringArray``)."""
    _, starts, text = column.buffers()
    n = len(column)
    bounds = np.frombuffer(starts, np.int64)[column.offset : column.offset + n + 1] if n else np.zeros(1, np.int64)
    return bounds, np.empty(0, np.uint8) if text is None else np.frombuffer(text, np.uint8)


class FiledIds:
    """A column of ids whose texts, however many, are never held."""

    def __init__(self, name: str, work: WorkFolder) -> None:
        self.name, self._work, self._end = name, work, 0
        self._scratch = WorkFolder.temporary(work.path)
        self._starts = Growing(self._scratch, "starts", np.int64)
        self._text = Growing(self._scratch, "text", np.uint8)
        self._starts.append(np.zeros(1, np.int64))

    def add(self, column: Any) -> None:
        """Add rows: their texts (``pyarrow.LargeStringArray``)."""
        bounds, text = text_of(column)
        self._starts.append(bounds[1:] - bounds[0] + self._end)
        self._text.append(text[bounds[0] : bounds[-1]])
        self._end += int(bounds[-1] - bounds[0])

    def finished(self) -> CategoricalColumn:
        """Return the column; nothing more is added."""
        codes, labels = encode_labels(self._starts.finished(), self._text.finished(), self._work)
        return CategoricalColumn(self.name, codes, Vocabulary.of_filed(labels))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        with ExitStack() as stack:
            stack.enter_context(self._scratch)
            for array in (self._starts, self._text):
                stack.callback(array.__exit__, kind, error, at)


class ExpectedIds:
    """A column of ids that must be, text by text, one that is known: then it has the codes of that one."""

    def __init__(self, name: str, expected: CategoricalColumn) -> None:
        self.name, self._expected, self._n = name, expected, 0

    def add(self, column: Any) -> None:
        """Compare further rows.

        Raises
        ------
        AnonsetError
            If one differs.
        """
        bounds, text = text_of(column)
        first, end = self._n, self._n + len(column)
        codes, labels = self._expected.codes[first:end], self._expected.vocabulary.filed
        self._n = end
        if labels is None or len(codes) < len(column) or labels.first_other(codes, bounds, text) >= 0:
            self._refuse()

    def finished(self) -> CategoricalColumn:
        """Return the column; nothing more is added.

        Raises
        ------
        AnonsetError
            If rows are missing.
        """
        if self._n != self._expected.n:
            self._refuse()
        return self._expected

    def _refuse(self) -> None:
        msg = f"column {self.name!r}: what was read back differs from what was to be written"
        raise AnonsetError(msg)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        return
