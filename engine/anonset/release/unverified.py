"""What a search ends with: a publication that nobody has verified yet."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

from anonset.algorithms.base import Algorithm, Result
from anonset.data import Hierarchy, Table
from anonset.data.discreet import Discreet, figures_shown, shown
from anonset.generalization import Publication
from anonset.generalization.buckets import BucketPublication

P = TypeVar("P", Publication, BucketPublication)
"""Records, or buckets."""


@dataclass(frozen=True, eq=False)
class Unverified(Discreet, Generic[P]):
    """A publication that an algorithm made and nobody has verified yet."""

    table: Table
    """The input, its columns bound to their hierarchies."""
    hierarchies: Mapping[str, Hierarchy]
    """Hierarchy of each column that has one."""
    algorithm: Algorithm
    """The algorithm with its parameters."""
    result: Result
    """What the algorithm decided."""
    publication: P
    """What would be published, its rows in their final order."""
    measures: Mapping[str, float]
    """Losses by name; the first is the main one."""
    retention: Mapping[str, Mapping[str, int]]
    """How many item occurrences, relational values and tuples were kept, generalized, suppressed (`retention`)."""
    warnings: tuple[str, ...]
    """What is wrong with a publication that may be safe all the same."""

    def __repr__(self) -> str:
        return f"Unverified({shown(self.algorithm)}, {self.publication!r}, {figures_shown(self.measures)})"
