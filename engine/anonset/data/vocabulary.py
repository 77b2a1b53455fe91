"""The labels of one attribute, in canonical order: a code is a label's position."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from anonset.data.discreet import Discreet
from anonset.errors import InputError

_INTEGER = re.compile(r"0|-?[1-9][0-9]*")


def canonical_order(labels: Iterable[str]) -> list[str]:
    """Sort labels canonically: numerically if every one is a plain integer, else by code point.

    >>> canonical_order(["10", "9", "-1"])
    ['-1', '9', '10']
    >>> canonical_order(["10", "9", "008"])
    ['008', '10', '9']
    """
    found = list(labels)
    if all(map(_INTEGER.fullmatch, found)):
        return sorted(found, key=int)
    return sorted(found)


@dataclass(frozen=True, eq=False)
class Vocabulary(Discreet):
    """Distinct labels in canonical order; code `c` stands for ``labels[c]``."""

    labels: tuple[str, ...]
    """The labels; their positions are the codes."""

    def __post_init__(self) -> None:
        if len(self.index) != len(self.labels):
            again = next(code for code, label in enumerate(self.labels) if self.index[label] != code)
            msg = f"labels {again} and {self.index[self.labels[again]]} of the vocabulary must differ, but are the same"
            raise InputError(msg)

    @cached_property
    def index(self) -> dict[str, int]:
        """Map each label to its code."""
        return {label: code for code, label in enumerate(self.labels)}

    def __repr__(self) -> str:
        return f"Vocabulary({len(self):,} labels)"

    def __len__(self) -> int:
        return len(self.labels)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Vocabulary) and self.labels == other.labels

    def __hash__(self) -> int:
        return hash(self.labels)

    @classmethod
    def of(cls, labels: Iterable[str]) -> "Vocabulary":
        """Build the vocabulary of the distinct labels among `labels`, in canonical order."""
        return cls(tuple(canonical_order(set(labels))))
