"""Labels stored in files, for columns in which most values are different, such as ids."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from anonset.data.array_types import Bools, Int32, Int64, UInt8
from anonset.data.labels.computed_sequence import ComputedSequence
from anonset.data.spans import spans, spans_up_to
from anonset.data.storage.store import backing, damage_error

if TYPE_CHECKING:
    from anonset_kernels.records.labels import LabelTexts

_BYTES_AT_ONCE = 1 << 22


@dataclass(frozen=True, eq=False, repr=False)
class FiledLabels(ComputedSequence[str]):
    """Distinct labels in canonical order. Each label is read from mapped files when it is accessed.

    >>> labels = FiledLabels(np.array([0, 1, 3]), np.frombuffer(b"abb", np.uint8))
    >>> list(labels), labels[1], list(labels.followed_by("*")), labels.places["bb"], "c" in labels.places
    (['a', 'bb'], 'bb', ['a', 'bb', '*'], 1, False)
    """

    starts: Int64
    """Position of the first byte of each label in `text`, int64 (n + 1,)."""
    text: UInt8
    """Concatenated labels in UTF-8, uint8 (bytes,)."""
    numeric: bool = field(default=False, kw_only=True)
    """True if all labels are integers, in numeric order."""
    last: str | None = field(default=None, kw_only=True)
    """Additional label after the labels in files, at a position that ignores the canonical order. None if there is no
    additional label.
    """

    @property
    def filed(self) -> int:
        """Number of labels in files."""
        return len(self.starts) - 1

    @property
    def arrays(self) -> "LabelTexts":
        """Labels in files, in the format of the kernels."""
        from anonset_kernels.records.labels import LabelTexts

        return LabelTexts(self.starts, self.text)

    @property
    def last_bytes(self) -> UInt8:
        """The additional label in UTF-8."""
        return np.frombuffer((self.last or "").encode(), np.uint8).copy()

    def followed_by(self, label: str) -> "FiledLabels":
        """Return the same labels, followed by another label."""
        return replace(self, last=label)

    def __len__(self) -> int:
        return self.filed + (self.last is not None)

    def member(self, index: int) -> str:
        """Return the label of a code."""
        if index == self.filed:
            return self.last or ""
        return self.text[self.starts[index] : self.starts[index + 1]].tobytes().decode()

    def spans(self) -> Iterator[tuple[int, int]]:
        """Yield the start and end of each block of labels in files. The number and the size of the labels in a block
        are limited.

        >>> list(FiledLabels(np.array([0, 1, 1 << 24, 1 << 25]), np.empty(1 << 25, np.uint8)).spans())
        [(0, 1), (1, 2), (2, 3)]
        """
        for begin, stop in spans(self.filed):
            for first, end in spans_up_to(self.starts[begin : stop + 1], _BYTES_AT_ONCE):
                yield begin + first, begin + end

    def __iter__(self) -> Iterator[str]:
        for first, end in self.spans():
            starts = self.starts[first : end + 1].tolist()
            text = self.text[starts[0] : starts[-1]].tobytes()
            for begin, stop in pairwise(starts):
                yield text[begin - starts[0] : stop - starts[0]].decode()
        if self.last is not None:
            yield self.last

    def __eq__(self, other: object) -> bool:
        if isinstance(other, FiledLabels) and self.starts is other.starts and self.text is other.text:
            return self.last == other.last
        if not isinstance(other, (tuple, FiledLabels)):
            return False
        return len(self) == len(other) and all(map(str.__eq__, self, other))

    def __hash__(self) -> int:
        return hash((FiledLabels, len(self)))

    @property
    def places(self) -> Mapping[str, int]:
        """Position of each label."""
        return _Places(self)

    def lengths(self, codes: Int32) -> Int64:
        """Return the byte lengths of the labels of given codes, int64 (n,).

        Raises
        ------
        InputError
            If a code has no label, because the files are damaged.
        """
        return np.diff(self._gathered_starts(codes))

    def gathered(self, codes: Int32) -> tuple[Int64, UInt8]:
        """Return the labels of given codes as concatenated bytes, with the starts of the labels, int64 (n + 1,).

        Raises
        ------
        InputError
            If a code has no label, because the files are damaged.
        """
        from anonset_kernels.records.labels import gather_text

        starts = self._gathered_starts(codes)
        text = np.empty(int(starts[-1]), np.uint8)
        gather_text(codes, self.arrays, self.last_bytes, starts, text)
        return starts, text

    def _gathered_starts(self, codes: Int32) -> Int64:
        """Return the starts of the labels of given codes in their concatenation, int64 (n + 1,)."""
        from anonset_kernels.records.labels import gathered_starts

        starts = gathered_starts(codes, self.arrays, len(self.last_bytes))
        if not len(starts):
            file = backing(self.starts)
            raise damage_error("labels" if file is None else file.filename)
        return starts

    def beginning(self, marks: bytes, shown: Bools | None = None) -> Iterator[str]:
        """Yield the labels that are stored in files and begin with a byte in `marks`.

        Parameters
        ----------
        shown
            Labels to check, bool (labels,). If None, all labels are checked.

        >>> labels = FiledLabels(np.array([0, 0, 2, 3]), np.frombuffer(b"+1b", np.uint8))
        >>> list(labels.beginning(b"+-"))
        ['+1']
        """
        first_bytes = np.frombuffer(marks, np.uint8)
        for first, end in spans(self.filed):
            starts = self.starts[first : end + 1]
            positions = np.flatnonzero(starts[1:] > starts[:-1])
            if shown is not None:
                positions = positions[shown[first + positions]]
            for position in positions[np.isin(self.text[starts[positions]], first_bytes)].tolist():
                yield self[first + position]

    def first_other(self, codes: Int32, starts: Int64, text: UInt8) -> int:
        """Return the first row whose text differs from the label of its code. Return -1 if all rows agree."""
        from anonset_kernels.records.labels import first_other_text

        return int(first_other_text(codes, self.arrays, self.last_bytes, starts, text))


class _Places(Mapping[str, int]):
    def __init__(self, labels: FiledLabels) -> None:
        self._labels = labels

    def __getitem__(self, label: str) -> int:
        labels = self._labels
        if label == labels.last:
            return labels.filed
        low, high = 0, labels.filed
        if labels.numeric and not label.removeprefix("-").isdecimal():
            raise KeyError
        while low < high:
            middle = (low + high) // 2
            middle_label = labels[middle]
            if int(middle_label) < int(label) if labels.numeric else middle_label < label:
                low = middle + 1
            else:
                high = middle
        if low == labels.filed or labels[low] != label:
            raise KeyError
        return low

    def __len__(self) -> int:
        return len(self._labels)

    def __iter__(self) -> Iterator[str]:
        return iter(self._labels)
