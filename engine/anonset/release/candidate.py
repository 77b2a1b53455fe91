"""What a search ends with: a publication that nobody has verified yet."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from anonset.algorithms.base import Algorithm, Result
from anonset.data import Hierarchy, Table
from anonset.data.discreet import Discreet, figures_shown, shown
from anonset.generalization import Symbol


@dataclass(frozen=True, eq=False)
class Named(Discreet):
    """A publication, with what the short codes of its relational values stand for."""

    publication: Any
    """A `Publication`, or a `BucketPublication`."""
    values: tuple[Symbol, ...] = ()
    """Codes of relational value sets; the symbols of the set-valued column are the publication's own."""


@dataclass(frozen=True, eq=False)
class Candidate(Discreet):
    """A publication that an algorithm made and nobody has verified yet."""

    table: Table
    """The input, its columns bound to their hierarchies."""
    hierarchies: Mapping[str, Hierarchy]
    """Hierarchy of each column that has one."""
    algorithm: Algorithm
    """The algorithm with its parameters."""
    result: Result
    """What the algorithm decided."""
    named: Named
    """What would be published, its rows in their final order."""
    measures: Mapping[str, float]
    """Losses by name; the first is the main one."""
    retention: Mapping[str, Mapping[str, int]]
    """How many item occurrences, relational values and tuples were kept, generalized, suppressed (`retention`)."""
    warnings: tuple[str, ...]
    """What is wrong with a publication that may be safe all the same."""

    def __repr__(self) -> str:
        return f"Candidate({shown(self.algorithm)}, {self.publication!r}, {figures_shown(self.measures)})"

    @property
    def publication(self) -> Any:
        """What would be published: a `Publication`, or a `BucketPublication`."""
        return self.named.publication
