"""Simulate an attack. It draws random persons, and searches the publication for rows that match some of their items and
values.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from anonset.data import Hierarchy, Table
from anonset.data.redacted_repr import RedactedRepr
from anonset.kinds.matching import Matching
from anonset.privacy import PrivacyModel
from anonset.publications import Records

_Met = tuple[int, int, bool]  # matching rows, matching persons, True if the target person is among the matching persons


@dataclass(frozen=True)
class Attempts(RedactedRepr):
    """Success of an attacker with given knowledge."""

    values: bool
    """True if the attacker knows all relational values."""
    items: int
    """Number of known items. All items of the person are known if there are fewer."""
    attempts: int
    """Number of target persons."""
    alone: float
    """Share of targets with exactly one matching row or person (`Risk.unit`)."""
    below_k: float
    """Share of targets with at least one and fewer than k matching rows or persons."""
    none: float
    """Share of targets without a matching row, because a known item or value is suppressed."""
    success: float
    """Expected share of targets that an attacker identifies by choosing one of the matching rows or persons at
    random.
    """
    promised: float | None
    """Largest success per person that the guarantee allows, 1/k. None if the guarantee does not cover the attacker's
    knowledge.
    """
    broken: int
    """Number of targets with fewer matching rows than the model guarantees."""


def attack(
    table: Table,
    publication: Records,
    hierarchies: Mapping[str, Hierarchy],
    model: PrivacyModel,
    *,
    size: int,
    attempts: int = 1000,
    seed: int = 0,
    owner: NDArray[np.int64] | None = None,
) -> tuple[Attempts, ...]:
    """Match random persons of the original with the publication, by items and values that an attacker could know.

    Parameters
    ----------
    table, publication, hierarchies
        Original, publication with the record of each row, and hierarchies.
    model
        Privacy model of the publication.
    size
        Largest number of known items.
    attempts
        Number of target persons.
    seed
        Seed of the draw.
    owner
        Person of each record, int64 (n,), if persons have several records. Matching persons are then counted instead of
        rows. `Attempts.broken` still counts rows, because the guarantee refers to rows.
    """
    draws = np.random.default_rng(seed)
    people = draws.choice(table.n, min(attempts, table.n), replace=False)
    matching = Matching(table, publication, hierarchies)
    row_of = np.full(table.n, -1, np.int64)
    row_of[publication.record] = np.arange(publication.n)
    sets, relational = table.transactions, bool(table.relational)
    ways = [(True, 0)] if relational else []
    if sets is not None:
        ways += [(values, n) for values in ((False, True) if relational else (False,)) for n in range(1, size + 1)]
    counts: dict[tuple[bool, int], list[_Met]] = {way: [] for way in ways}
    owner_of_row = None if owner is None else owner[publication.record]
    for person in people.tolist():
        items = draws.permutation(_items(table, person, model.secrets)).tolist()
        fitting = matching.rows_with_values_of(person)
        for values, n in ways:
            if n and not items:
                continue
            matches = matching.rows_with_items(items[:n]) if n else np.flatnonzero(fitting)
            matches = matches[fitting[matches]] if values and n else matches
            persons = matches if owner_of_row is None else np.unique(owner_of_row[matches])
            target = row_of[person] if owner is None else owner[person]
            counts[values, n].append((len(matches), len(persons), bool(np.any(persons == target))))
    k = model.k or 1
    return tuple(_attempts(way, results, k, model.promises(*way)) for way, results in counts.items() if results)


def _items(table: Table, record: int, secrets: tuple[str, ...]) -> list[str]:
    column = table.transactions
    if column is None:
        return []
    labels = (column.vocabulary.labels[c] for c in column.held_by(record))
    return [label for label in labels if label not in secrets]


def _attempts(way: tuple[bool, int], results: list[_Met], k: int, promised: float | None) -> Attempts:
    n = len(results)
    rows, sizes, is_found = (np.array(part) for part in zip(*results, strict=True))
    below = (sizes > 0) & (sizes < k)
    success = float((is_found / np.maximum(sizes, 1)).mean())
    broken = int(((rows > 0) & (rows < k)).sum()) if promised else 0
    return Attempts(
        way[0], way[1], n, float((sizes == 1).mean()), float(below.mean()), float((sizes == 0).mean()), success,
        promised, broken,
    )  # fmt: skip
