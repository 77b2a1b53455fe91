"""How far somebody gets who knows something of a person: the rows, or persons, that fit."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from anonset.data import Table
from anonset.data.redacted_repr import Discreet
from anonset.measures.distinct_records import class_figures, codes_of
from anonset.measures.equivalence_classes import class_of
from anonset.measures.known_items import rows_left
from anonset.measures.known_persons import fewest_persons, persons_left
from anonset.measures.shares import Figures, Share
from anonset.privacy import PrivacyModel
from anonset.publications import Records
from anonset.settings.publication import THRESHOLD


@dataclass(frozen=True)
class Exposure(Discreet):
    """How far somebody gets who knows something of a person that is in the data."""

    values: bool
    """Whether all published quasi-identifiers of the person are known."""
    items: int
    """Number of published symbols of the person that are known, those that tell the most."""
    smallest: int
    """Fewest rows, or persons (`Risk.unit`), that fit."""
    mean: float
    """How many fit, on average over the persons."""
    highest: float
    """Prosecutor risk: the chance to find the person of whom the fewest fit."""
    average: Share
    """Marketer risk: the chance to find a person, on average over all."""
    above: Share
    """Share of the persons whose risk is above the threshold."""
    alone: Share
    """Share of the persons of whom one fits."""
    below: Share
    """Share of the persons of whom fewer fit than k, of models without it 2."""
    guaranteed: bool
    """Whether the guarantee speaks of such knowledge."""


def few_persons(exposure: Exposure, k: int, persons: int) -> str:
    """Say how many persons are below k, who have several rows.

    >>> share = Share(0.25)
    >>> few_persons(Exposure(True, 0, 1, 6.0, 1.0, share, share, share, share, True), 5, 200)
    'By all quasi-identifiers, 50 of 200 persons stand in a class of fewer than 5 persons'
    """
    few = (
        f"{round(exposure.below.value * persons):,} of {persons:,} persons"
        if exposure.below.exact
        else f"{exposure.below} of them"
    )
    stand = "stand in a class of" if not exposure.items else "have a row that fits"
    return f"By {knowledge(exposure.values, exposure.items)}, {few} {stand} fewer than {k} persons"


def knowledge(values: bool, items: int) -> str:
    """Say what somebody knows.

    >>> knowledge(True, 2)
    'all quasi-identifiers and 2 items'
    """
    parts = (["all quasi-identifiers"] if values else []) + ([f"{items} item{'s' * (items > 1)}"] if items else [])
    return " and ".join(parts)


def exposures(
    rows: Records | Table,
    model: PrivacyModel,
    size: int,
    threshold: float = THRESHOLD,
    seed: int = 0,
    owner: NDArray[np.int64] | None = None,
) -> tuple[Exposure, ...]:
    """Count the rows, or persons, that fit, by what is known: of a publication, or of data as they are.

    Parameters
    ----------
    size
        Known items up to which it is looked.
    owner
        int64 (n,): whose each row is, where persons are to be counted; of a person's rows, that tells which the fewest
        persons fit.
    """
    found = list[Exposure]()
    for values, items, left in _left(rows, size, seed) if owner is None else _persons_left(rows, size, seed, owner):
        found.append(_exposure(values, items, left, threshold, model))
    return tuple(found)


def _left(rows: Records | Table, size: int, seed: int) -> Iterator[tuple[bool, int, Figures]]:
    """Yield how many rows are left of each one by what is known: the values, so many items."""
    sets, group = rows.transactions, codes_of(rows.relational)
    if group:
        yield True, 0, class_figures(group, rows.store)
    for known in ([], group) if group else ([],):
        if sets is not None:
            counted = rows_left(sets, size, group=known, store=rows.store, seed=seed)
            yield from ((bool(known), items, left) for items, left in enumerate(counted, 1))


def _persons_left(
    rows: Records | Table, size: int, seed: int, owner: NDArray[np.int64]
) -> Iterator[tuple[bool, int, Figures]]:
    """Yield how many persons are left of each one by what is known: the values, so many items."""
    own, classes = np.unique(owner, return_inverse=True)[1].ravel(), class_of(rows.relational, rows.n)
    if rows.relational:
        yield True, 0, Figures.of(fewest_persons(classes, own))
    for values in (False, True) if rows.relational else (False,):
        if rows.transactions is not None:
            counted = persons_left(rows.transactions, size, own, group=classes if values else None, seed=seed)
            yield from ((values, left.size, Figures.of(left.least, left.known)) for left in counted)


def _exposure(values: bool, items: int, left: Figures, threshold: float, model: PrivacyModel) -> Exposure:
    least = left.values
    sure = left.records if left.known is None else left.known.astype(np.int64)
    smallest = int(least[sure > 0].min(initial=int(least.max(initial=0))))
    risks = 1.0 / np.maximum(least, 1)
    mean = int((least * sure).sum()) / max(1, int(sure.sum()))
    average, above, alone = left.mean(risks), left.share(risks > threshold), left.share(least == 1)
    promised = model.promises(values, items) is not None
    below = left.share(least < (model.k or 2))
    return Exposure(values, items, smallest, mean, 1 / max(1, smallest), average, above, alone, below, promised)
