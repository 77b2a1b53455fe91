"""Vocabularies: the labels of an attribute in canonical order. A code is the position of a label."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from anonset.data.array_types import Int32
from anonset.data.labels.computed_sequence import ComputedSequence
from anonset.data.labels.file_labels import FiledLabels
from anonset.data.redacted_repr import RedactedRepr
from anonset.errors import InputError

MOST_LABELS = 20_000_000
"""Maximum number of distinct labels of a column. Labels are kept in memory, at about 150 bytes each. Columns with more
labels are rejected.
"""
_INTEGER = re.compile(r"0|-?[1-9][0-9]*")


def canonical_order(labels: Iterable[str]) -> list[str]:
    """Sort labels canonically. Sort numerically if all labels are plain integers, and by code point if not.

    >>> canonical_order(["10", "9", "-1"])
    ['-1', '9', '10']
    >>> canonical_order(["10", "9", "008"])
    ['008', '10', '9']
    """
    listed = list(labels)
    if all(map(_INTEGER.fullmatch, listed)):
        return sorted(listed, key=int)
    return sorted(listed)


@dataclass(frozen=True, eq=False, repr=False)
class NumberedLabels(RedactedRepr, ComputedSequence[str]):
    """The labels 1, 2, ..., n. They are computed when accessed and use constant memory.

    >>> labels = NumberedLabels(12)
    >>> len(labels), labels[11], list(labels[:2]), labels == ("1", "2")
    (12, '12', ['1', '2'], False)
    """

    n: int

    def __len__(self) -> int:
        return self.n

    def member(self, index: int) -> str:
        """Return the label of a code."""
        return str(index + 1)

    def __iter__(self) -> Iterator[str]:
        return map(str, range(1, self.n + 1))

    def __eq__(self, other: object) -> bool:
        if isinstance(other, NumberedLabels):
            return len(self) == len(other)
        return isinstance(other, tuple) and len(self) == len(other) and all(map(str.__eq__, self, other))

    def __hash__(self) -> int:
        return hash((NumberedLabels, self.n))


class _PlaceOfNumber(Mapping[str, int]):
    def __init__(self, labels: NumberedLabels) -> None:
        self._labels = labels

    def __getitem__(self, label: str) -> int:
        if not (_INTEGER.fullmatch(label) and 1 <= int(label) <= len(self._labels)):
            raise KeyError
        return int(label) - 1

    def __len__(self) -> int:
        return len(self._labels)

    def __iter__(self) -> Iterator[str]:
        return iter(self._labels)


@dataclass(frozen=True, eq=False)
class Vocabulary(RedactedRepr):
    """Distinct labels in canonical order. Code `c` means ``labels[c]``."""

    labels: Sequence[str]
    """Labels by code. They are a tuple, or a sequence that keeps no labels in memory (`NumberedLabels`, `FiledLabels`).
    """

    def __post_init__(self) -> None:
        if isinstance(self.labels, (NumberedLabels, FiledLabels)):
            return
        if len(self.index) != len(self.labels):
            code = next(code for code, label in enumerate(self.labels) if self.index[label] != code)
            raise InputError(
                f"labels {code} and {self.index[self.labels[code]]} of the vocabulary are equal; labels must be "
                "distinct"
            )

    @cached_property
    def index(self) -> Mapping[str, int]:
        """Map from label to code."""
        if isinstance(self.labels, NumberedLabels):
            return _PlaceOfNumber(self.labels)
        if isinstance(self.labels, FiledLabels):
            return self.labels.places
        return {label: code for code, label in enumerate(self.labels)}

    def __repr__(self) -> str:
        return f"Vocabulary({len(self):,} labels)"

    def __len__(self) -> int:
        return len(self.labels)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Vocabulary) and self.labels == other.labels

    def __hash__(self) -> int:
        return hash(self.labels)

    @property
    def is_numbered(self) -> bool:
        """True if the labels are the numbers 1, 2, ..., which are not stored."""
        return isinstance(self.labels, NumberedLabels)

    @property
    def filed(self) -> FiledLabels | None:
        """The labels if they are stored in files, otherwise None."""
        return self.labels if isinstance(self.labels, FiledLabels) else None

    @classmethod
    def of_filed(cls, labels: FiledLabels) -> "Vocabulary":
        """Build the vocabulary of labels in files."""
        return cls(labels)

    @classmethod
    def numbered(cls, n: int) -> "Vocabulary":
        """Build the vocabulary of the labels 1, 2, ..., n.

        >>> Vocabulary.numbered(12).index["12"]
        11
        """
        return cls(NumberedLabels(n))

    @classmethod
    def of(cls, labels: Iterable[str]) -> "Vocabulary":
        """Build the vocabulary of the distinct labels among `labels`, in canonical order."""
        return cls(tuple(canonical_order(set(labels))))


def canonical_codes(labels: Sequence[str]) -> tuple[Vocabulary, Int32]:
    """Return the canonical vocabulary of distinct labels, and the code of each label."""
    ordered = canonical_order(labels)
    vocabulary = Vocabulary(tuple(ordered))
    if ordered == list(labels):
        return vocabulary, np.arange(len(ordered), dtype=np.int32)
    index = vocabulary.index
    return vocabulary, np.fromiter((index[label] for label in labels), np.int32, len(labels))


class LabelCollector:
    """Collector of the labels of a column, which are added in batches. Codes are provisional until `final`."""

    def __init__(self) -> None:
        self.index: dict[str, int] = {}
        self._last: tuple[Sequence[str], Int32] = (), np.empty(0, np.int32)

    def codes_of(self, name: str, vocabulary: Vocabulary) -> Int32:
        """Return the code of each label of a batch, int32, and add new labels."""
        index, labels = self.index, vocabulary.labels
        if labels == self._last[0]:  # most batches have the same labels as the previous batch
            return self._last[1]
        codes = np.fromiter((index.setdefault(label, len(index)) for label in labels), np.int32, len(labels))
        if len(index) > MOST_LABELS:
            raise InputError(f"column {name!r} has more than {MOST_LABELS:,} distinct labels; generalize or drop it")
        self._last = labels, codes
        return codes

    def final(self) -> tuple[Vocabulary, Int32, bool]:
        """Return the vocabulary, the final code of each provisional code, and True if any code has changed."""
        vocabulary, image = canonical_codes(list(self.index))
        return vocabulary, image, bool((image != np.arange(len(image))).any())
