"""An attack that tries: random persons, of whom some items and values are known, looked for in the publication."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from anonset.data import Hierarchy, Table
from anonset.data.redacted_repr import Discreet
from anonset.jobs.matching import Matching
from anonset.privacy import PrivacyModel
from anonset.publications import Records

_Met = tuple[int, int, bool]  # rows that fit, whose they are, and whether the person that is looked for is among these


@dataclass(frozen=True)
class Attempts(Discreet):
    """How often persons were found by what was known of them."""

    values: bool
    """Whether all relational values were known."""
    items: int
    """Number of known items, of persons who have so many; of others all."""
    attempts: int
    """Persons that were looked for."""
    alone: float
    """Share of them of whom one row, or person (`Risk.unit`), fits: found."""
    below_k: float
    """Share of them of whom fewer than k fit, but some."""
    none: float
    """Share of whom no row fits: something that was known is suppressed."""
    success: float
    """Share that would be found by picking one of the fitting rows, or persons, at random."""
    promised: float | None
    """What the guarantee allows of that for each person: 1/k; None where it says nothing of such knowledge."""
    broken: int
    """Persons of whom fewer rows fit than is promised."""


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
    """Look for random persons of the original in a publication of it, by what could be known of them.

    Parameters
    ----------
    table, publication, hierarchies
        The original, its publication with the record of each row, and the hierarchies.
    model
        What was promised.
    size
        Largest number of known items.
    attempts
        Persons to look for.
    seed
        Seed of the choice.
    owner
        int64 (n,): whose each record is, where several are one person's: then persons are counted of whom a row fits,
        but in `Attempts.broken`, for a guarantee that speaks of rows.
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
        known = draws.permutation(_items(table, person, model.secrets)).tolist()
        fitting = matching.rows_with_values_of(person)
        for values, n in ways:
            if n and not known:
                continue
            found = matching.rows_with_items(known[:n]) if n else np.flatnonzero(fitting)
            found = found[fitting[found]] if values and n else found
            persons = found if owner_of_row is None else np.unique(owner_of_row[found])
            own = row_of[person] if owner is None else owner[person]
            counts[values, n].append((len(found), len(persons), bool(np.any(persons == own))))
    k = model.k or 1
    return tuple(_attempts(way, met, k, model.promises(*way)) for way, met in counts.items() if met)


def _items(table: Table, record: int, secrets: tuple[str, ...]) -> list[str]:
    """Return the items that may be known of a person: those that are not sensitive."""
    column = table.transactions
    if column is None:
        return []
    labels = (column.vocabulary.labels[c] for c in column.held_by(record))
    return [label for label in labels if label not in secrets]


def _attempts(way: tuple[bool, int], met: list[_Met], k: int, promised: float | None) -> Attempts:
    n = len(met)
    rows, sizes, there = (np.array(part) for part in zip(*met, strict=True))
    below = (sizes > 0) & (sizes < k)
    success = float((there / np.maximum(sizes, 1)).mean())
    broken = int(((rows > 0) & (rows < k)).sum()) if promised else 0
    return Attempts(
        way[0], way[1], n, float((sizes == 1).mean()), float(below.mean()), float((sizes == 0).mean()), success,
        promised, broken,
    )  # fmt: skip
