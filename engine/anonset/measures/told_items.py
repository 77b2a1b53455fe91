"""What is told of the other items of a person who is known by the two rarest, and whom nobody needs to find for that.

Who knows two items of a person, and takes all tables that a publication may stand for as likely as
`anonset.queries` does, concludes another item with the probability E(all three) / E(the two), where E is in how many
records items are expected. No record is linked to anybody.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from anonset.data import SetColumn
from anonset.data.redacted_repr import Discreet
from anonset.measures.item_supports import ColumnSupports, Supports

KNOWN = 2
"""Items that are known of a person: the rarest."""
LIKELY, SURE = 0.5, 0.9
"""Probabilities from which on an item counts as told."""
RARE = 0.1
"""Items of at most this share of the records are rare."""


@dataclass(frozen=True)
class Telling(Discreet):
    """How surely the other items of persons are told."""

    source: str
    """By what: ``publication``, ``frequencies`` (how often each item occurs, and nothing else) or ``original``."""
    persons: int
    """Records that were tried, of more items than are known; each counts as one person."""
    items: int
    """Their other items."""
    likely: float
    """Share of these that are told with a probability of at least `LIKELY`."""
    sure: float
    """With at least `SURE`."""
    rare_items: int
    """Those of them that are rare."""
    rare_likely: float
    """Share of these that are told with a probability of at least `LIKELY`."""
    rare_sure: float
    """With at least `SURE`."""


def told_items(column: SetColumn, supports: Supports, attempts: int, seed: int) -> tuple[Telling, ...]:
    """Return how surely a publication tells other items, beside how surely frequencies alone do, and the original.

    Parameters
    ----------
    column
        The original column.
    supports
        What the publication leads to expect.
    attempts
        How many rows are tried, drawn by the seed.

    Examples
    --------
    >>> column = SetColumn.of([["a", "b", "c"], ["a", "b", "c"], ["a", "b", "d"], ["a"], []])
    >>> [(told.source, told.items, told.likely, told.sure) for told in told_items(column, ColumnSupports(column), 9, 1)]
    [('publication', 3, 1.0, 1.0), ('frequencies', 3, 1.0, 0.0), ('original', 3, 1.0, 1.0)]
    """
    rows = np.flatnonzero(column.lengths > KNOWN)
    if len(rows) > attempts:
        rows = np.sort(np.random.default_rng(seed).choice(rows, attempts, replace=False))
    occurrences, labels = column.occurrences.astype(np.int64), column.vocabulary.labels
    known: list[list[str]] = []
    other: list[str] = []
    often: list[int] = []
    for row in rows.tolist():
        items = column.held_by(row)
        items = items[np.argsort(occurrences[items], kind="stable")].tolist()
        known += [[labels[item] for item in items[:KNOWN]]] * (len(items) - KNOWN)
        other += [labels[item] for item in items[KNOWN:]]
        often += occurrences[items[KNOWN:]].tolist()
    share = np.array(often, np.float64) / max(1, column.n)
    original = ColumnSupports(column)
    chances = {
        "publication": _concluded(supports, known, other),
        "frequencies": share,
        "original": _concluded(original, known, other),
    }
    return tuple(_telling(source, len(rows), chance, share <= RARE) for source, chance in chances.items())


def _telling(source: str, persons: int, chance: np.ndarray, rare: np.ndarray) -> Telling:
    likely, sure = (_share(chance >= bound) for bound in (LIKELY, SURE))
    rare_likely, rare_sure = (_share(chance[rare] >= bound) for bound in (LIKELY, SURE))
    return Telling(source, persons, len(chance), likely, sure, int(rare.sum()), rare_likely, rare_sure)


def _share(holds: np.ndarray) -> float:
    return float(holds.mean()) if len(holds) else 0.0


def _concluded(supports: Supports, known: Sequence[Sequence[str]], other: Sequence[str]) -> np.ndarray:
    """Return the probability of each other item, given what is known, float64 (items,).

    What is nowhere to be seen, or not together, tells nothing: then the rarest that is there is known alone.
    """
    group_of = {label: number for number, labels in enumerate(supports.groups) for label in labels}
    chance = np.zeros(len(other))
    given, expected = tuple[int, ...](), 0.0
    for place, (items, item) in enumerate(zip(known, other, strict=True)):
        if not place or items is not known[place - 1]:
            seen = tuple(group_of[own] for own in items if own in group_of)
            tried = [own for own in (seen, seen[:1]) if own and supports.count(own) > 0]
            given = tried[0] if tried else ()
            expected = supports.count(given) if given else 0.0
        if given and item in group_of:
            chance[place] = supports.count((*given, group_of[item])) / expected
    return chance
