"""What an attack has before it, and what it wins."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from anonset.data import Hierarchy, Table
from anonset.data.redacted_repr import Discreet
from anonset.generalization.beside import Beside
from anonset.measures.skewness import Skewness
from anonset.privacy import PrivacyModel
from anonset.publications import Records


@dataclass(frozen=True)
class Won(Discreet):
    """What is won of the targets."""

    certain: float | None
    """Share of them of whom one row, or one value, is left, and it is theirs; None where only guesses count."""
    success: float
    """Chance to be right by picking one of the rows, or values, that are left, on average."""
    below_k: float | None = None
    """Share of them of whom fewer than k rows are left, theirs among these; None where values are looked for."""


@dataclass(frozen=True)
class Outcome(Discreet):
    """What an attack wins from a publication, beside what the same knowledge wins without it."""

    attack: str
    """Its name."""
    knowledge: str
    """What the attacker knows, and wants."""
    targets: int
    """Rows, or persons, that were tried."""
    without: Won
    """What the same knowledge wins without what the attack uses."""
    won: Won
    """What the attack wins."""
    control: Won
    """What it wins where that which it uses is random."""


@dataclass(frozen=True, eq=False)
class Scene(Discreet):
    """A publication with what its owner knows, who tries attacks on it."""

    publication: Records
    """What is published; where the original is there, with the record of each row."""
    model: PrivacyModel
    """What was promised."""
    original: Table | None = None
    """The data that were published."""
    hierarchies: Mapping[str, Hierarchy] = field(default_factory=dict)
    """Those that it was made with, where the original is there."""
    beside: Beside | None = None
    """Another release of the same persons."""
    skews: Mapping[str, Skewness] = field(default_factory=dict)
    """How often the values of each kept column are guessed by the quasi-identifiers."""
    attempts: int = 1000
    """Targets, at most."""
    seed: int = 0
    """Seed of their choice, and of controls."""
    algorithm: str = ""
    """The algorithm that made it, where that is known and nothing was done to its result."""

    @property
    def k(self) -> int:
        """Rows that must be left; of models without k, 2."""
        return self.model.k or 2

    @property
    def m(self) -> int:
        """Items that are known; of models without m, 2."""
        return self.model.m or 2


Attack = Callable[[Scene], tuple[Outcome, ...] | str]
"""Tries an attack; a text says why it cannot be tried here."""


def won(left: list[int], k: int) -> Won:
    """Return what is won where so many rows are left of each target; 0 where its own is not among them.

    >>> won([1, 2, 0, 10], 3)
    Won(certain=0.25, success=0.4, below_k=0.5)
    """
    rows = np.array(left, np.int64)
    if not len(rows):
        return Won(0.0, 0.0, 0.0)
    chance = np.where(rows > 0, 1 / np.maximum(rows, 1), 0.0)
    return Won(float((rows == 1).mean()), float(chance.mean()), float(((rows > 0) & (rows < k)).mean()))
