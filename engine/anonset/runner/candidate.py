"""What a search ends with: a publication that nobody has verified yet."""

from collections.abc import Mapping
from dataclasses import dataclass

from anonset.algorithms.base import Algorithm, Result
from anonset.data import Table
from anonset.generalization import Publication


@dataclass(frozen=True, eq=False)
class Candidate:
    """A publication that an algorithm made and nobody has verified yet."""

    table: Table
    """The input, its set-valued column bound to its hierarchy."""
    algorithm: Algorithm
    """The algorithm with its parameters."""
    result: Result
    """What the algorithm decided."""
    publication: Publication
    """What would be published, its rows in their final order."""
    order: str
    """Order of the rows: ``sorted`` or ``input``."""
    measures: Mapping[str, float]
    """Losses by name."""
    warnings: tuple[str, ...]
    """What is wrong with a publication that may be safe all the same."""
