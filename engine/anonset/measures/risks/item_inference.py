"""Inference of further items of a person from two known items, without finding the record of the person.

An attacker knows two items of a person, and uses the probabilities of `anonset.queries`. Let E(S) be the expected
number of records that contain the items S. The probability of another item c, given the known items a and b, is E(a, b,
c) / E(a, b). No record is linked to a person.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from anonset.data import SetColumn
from anonset.data.redacted_repr import RedactedRepr
from anonset.measures.item_supports import ColumnSupports, Supports

KNOWN = 2
"""Number of known items of a person. The known items are the rarest items of the person."""
LIKELY, SURE = 0.5, 0.9
"""Probability thresholds for likely and for almost certain inferences."""
RARE = 0.1
"""Maximum share of the records that contain a rare item."""


@dataclass(frozen=True)
class ItemInference(RedactedRepr):
    """Success of inferring unknown items of persons."""

    source: str
    """Data that the attacker uses: ``publication``, ``frequencies`` (item frequencies only) or ``original``."""
    persons: int
    """Number of attacked records with more than `KNOWN` items. Each record is treated as one person."""
    items: int
    """Number of unknown items of the attacked persons. An item is unknown unless it is one of the `KNOWN` rarest items
    of a person.
    """
    likely: float
    """Share of the unknown items that are inferred with probability at least `LIKELY`."""
    sure: float
    """Share of the unknown items that are inferred with probability at least `SURE`."""
    rare_items: int
    """Number of unknown items that are rare."""
    rare_likely: float
    """Share of the rare items that are inferred with probability at least `LIKELY`."""
    rare_sure: float
    """Share of the rare items that are inferred with probability at least `SURE`."""


def infer_items(column: SetColumn, supports: Supports, attempts: int, seed: int) -> tuple[ItemInference, ...]:
    """Return the success of inferring unknown items from a publication, from item frequencies, and from the original.

    Parameters
    ----------
    column
        The original column.
    supports
        Expected supports of the publication.
    attempts
        Maximum number of records to attack. They are drawn with `seed`.

    Examples
    --------
    >>> column = SetColumn.of([["a", "b", "c"], ["a", "b", "c"], ["a", "b", "d"], ["a"], []])
    >>> [(got.source, got.items, got.likely, got.sure) for got in infer_items(column, ColumnSupports(column), 9, 1)]
    [('publication', 3, 1.0, 1.0), ('frequencies', 3, 1.0, 0.0), ('original', 3, 1.0, 1.0)]
    """
    rows = np.flatnonzero(column.lengths > KNOWN)
    if len(rows) > attempts:
        rows = np.sort(np.random.default_rng(seed).choice(rows, attempts, replace=False))
    occurrences, labels = column.occurrences.astype(np.int64), column.vocabulary.labels
    known_items: list[list[str]] = []
    other: list[str] = []
    often: list[int] = []
    for row in rows.tolist():
        items = column.held_by(row)
        items = items[np.argsort(occurrences[items], kind="stable")].tolist()
        known_items += [[labels[item] for item in items[:KNOWN]]] * (len(items) - KNOWN)
        other += [labels[item] for item in items[KNOWN:]]
        often += occurrences[items[KNOWN:]].tolist()
    share = np.array(often, np.float64) / max(1, column.n)
    original = ColumnSupports(column)
    chances = {
        "publication": _inferred_probabilities(supports, known_items, other),
        "frequencies": share,
        "original": _inferred_probabilities(original, known_items, other),
    }
    return tuple(_inference_success(source, len(rows), chance, share <= RARE) for source, chance in chances.items())


def _inference_success(source: str, persons: int, chance: np.ndarray, rare: np.ndarray) -> ItemInference:
    likely, sure = (_share(chance >= bound) for bound in (LIKELY, SURE))
    rare_likely, rare_sure = (_share(chance[rare] >= bound) for bound in (LIKELY, SURE))
    return ItemInference(source, persons, len(chance), likely, sure, int(rare.sum()), rare_likely, rare_sure)


def _share(holds: np.ndarray) -> float:
    return float(holds.mean()) if len(holds) else 0.0


def _inferred_probabilities(
    supports: Supports, known_items: Sequence[Sequence[str]], other: Sequence[str]
) -> np.ndarray:
    """Return the probability of each other item given the known items, float64 (items,).

    If the known items are never published together, the attacker uses only the rarest published item. If no known item
    is published, the probability is 0.
    """
    group_of = {label: number for number, labels in enumerate(supports.groups) for label in labels}
    chance = np.zeros(len(other))
    condition, expected = tuple[int, ...](), 0.0
    for place, (items, item) in enumerate(zip(known_items, other, strict=True)):
        if not place or items is not known_items[place - 1]:
            groups = tuple(group_of[label] for label in items if label in group_of)
            conditions = [codes for codes in (groups, groups[:1]) if codes and supports.count(codes) > 0]
            condition = conditions[0] if conditions else ()
            expected = supports.count(condition) if condition else 0.0
        if condition and item in group_of:
            chance[place] = supports.count((*condition, group_of[item])) / expected
    return chance
