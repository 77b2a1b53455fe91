"""Re-identification risk of persons by attacker knowledge. It depends on the number of matching rows or persons."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from anonset.data import Table
from anonset.data.array_types import Int64
from anonset.data.redacted_repr import RedactedRepr
from anonset.privacy import PrivacyModel
from anonset.publications import Records
from anonset.settings.publication import THRESHOLD

if TYPE_CHECKING:
    from anonset.measures.shares import RecordFigures, Share


@dataclass(frozen=True)
class Exposure(RedactedRepr):
    """Re-identification risk from an attacker with certain knowledge. The attacker also knows that the person is in the
    data.
    """

    values: bool
    """Whether all published quasi-identifiers of the person are known."""
    items: int
    """Number of published symbols of the person that the attacker knows. They are the most identifying symbols."""
    smallest: int
    """Smallest number of matching rows or persons (`Risk.unit`)."""
    mean: float
    """Average number of matches over the persons."""
    highest: float
    """Prosecutor risk: probability of identifying the person with the fewest matches."""
    average: "Share"
    """Marketer risk: probability of identifying a person, averaged over all persons."""
    above: "Share"
    """Share of persons with a risk above the threshold."""
    alone: "Share"
    """Share of persons with a single match."""
    below: "Share"
    """Share of persons with fewer than k matches. k is 2 for models without k."""
    guaranteed: bool
    """Whether the guarantee covers this knowledge."""
    sizes: "tuple[Share, ...]" = ()
    """Distribution of the number of matches: share of persons for each entry of `MATCHES`."""


_MATCHES_FROM = (1, 2, 5, 10, 100)
"""Smallest number of matches of each part of the distribution."""
MATCHES = ("1", "2 to 4", "5 to 9", "10 to 99", "100 or more")
"""Numbers of matches in each part of the distribution, in words."""


def small_class_text(exposure: Exposure, k: int, persons: int) -> str:
    """Return a sentence on the number of persons with fewer than k matches, for data with several rows per person.

    >>> from anonset.measures.shares import Share
    >>> share = Share(0.25)
    >>> small_class_text(Exposure(True, 0, 1, 6.0, 1.0, share, share, share, share, True), 5, 200)
    'Attacker knows all quasi-identifiers: 50 of 200 persons belong to an equivalence class of fewer than 5 persons'
    """
    affected = (
        f"{round(exposure.below.value * persons):,} of {persons:,} persons"
        if exposure.below.exact
        else f"{exposure.below} of them"
    )
    belong = "belong to an equivalence class of" if not exposure.items else "have a row that matches"
    return f"Attacker knows {knowledge(exposure.values, exposure.items)}: {affected} {belong} fewer than {k} persons"


def knowledge(values: bool, items: int) -> str:
    """Return the attacker's knowledge in words.

    >>> knowledge(True, 2)
    'all quasi-identifiers and 2 items'
    """
    parts = (["all quasi-identifiers"] if values else []) + ([f"{items} item{'s' * (items > 1)}"] if items else [])
    return " and ".join(parts)


def headline(exposures: Sequence[Exposure], m: int) -> Exposure | None:
    """Return the exposure that texts show as the single figure of a risk, or None if there is none. The attacker knows
    as much as the guarantee covers: all quasi-identifiers, up to m items, or both.
    """
    of_m = [exposure for exposure in exposures if exposure.items <= m]
    return max(of_m, key=lambda exposure: (exposure.guaranteed, exposure.values, exposure.items), default=None)


def higher_after(before: Sequence[Exposure], after: Sequence[Exposure], *, above: bool = False) -> list[Exposure]:
    """Return the exposures of a publication with a figure that exceeds the figure of the original.

    The publication can have the higher risk if an item has several symbols, because the attacker knows the symbols, and
    each of them has fewer matches than the item. Removed rows also reduce the number of matches. Estimates count as
    higher only if their confidence intervals do not overlap.

    Parameters
    ----------
    above
        Also compare the share of persons with a risk above the threshold.
    """
    earlier = {(exposure.values, exposure.items): exposure for exposure in before}
    return [
        exposure
        for exposure in after
        if (old := earlier.get((exposure.values, exposure.items))) is not None
        and any(new.exceeds(share) for share, new in zip(_shares(old, above), _shares(exposure, above), strict=True))
    ]


def _shares(exposure: Exposure, above: bool) -> "list[Share]":
    # an estimate of the highest risk has the confidence interval of the average risk
    highest = replace(exposure.average, value=exposure.highest)
    shares = [highest, exposure.average, exposure.alone, exposure.below]
    return [*shares, exposure.above] if above else shares


def exposures(
    rows: Records | Table,
    model: PrivacyModel,
    size: int,
    threshold: float = THRESHOLD,
    seed: int = 0,
    owner: Int64 | None = None,
) -> tuple[Exposure, ...]:
    """Count the matching rows or persons by attacker knowledge, for a publication or for raw data.

    Parameters
    ----------
    size
        Largest number of known items.
    owner
        Person of each row, int64 (n,), to count persons instead of rows. The risk of a person is that of the row with
        the fewest matching persons.
    """
    results = list[Exposure]()
    for values, items, matches in (
        _matching_rows(rows, size, seed) if owner is None else _matching_persons(rows, size, seed, owner)
    ):
        results.append(_exposure(values, items, matches, threshold, model))
    return tuple(results)


def _matching_rows(rows: Records | Table, size: int, seed: int) -> "Iterator[tuple[bool, int, RecordFigures]]":
    """For each kind of knowledge, yield True if relational values are known, the number of known items, and the match
    count of each row.
    """
    from anonset.measures.distinct_records import class_figures, codes_of
    from anonset.measures.risks.known_items import matching_rows

    sets, group = rows.transactions, codes_of(rows.relational)
    if group:
        yield True, 0, class_figures(group, rows.store)
    for grouping in ([], group) if group else ([],):
        if sets is not None:
            counted = matching_rows(sets, size, group=grouping, store=rows.store, seed=seed)
            yield from ((bool(grouping), items, matches) for items, matches in enumerate(counted, 1))


def _matching_persons(
    rows: Records | Table, size: int, seed: int, owner: Int64
) -> "Iterator[tuple[bool, int, RecordFigures]]":
    """For each kind of knowledge, yield True if relational values are known, the number of known items, and the match
    count of each person.
    """
    from anonset.data.equivalence_classes import class_of
    from anonset.measures.risks.known_persons import fewest_persons, matching_persons
    from anonset.measures.shares import RecordFigures

    persons, classes = np.unique(owner, return_inverse=True)[1].ravel(), class_of(rows.relational, rows.n)
    if rows.relational:
        yield True, 0, RecordFigures.of(fewest_persons(classes, persons))
    for values in (False, True) if rows.relational else (False,):
        if rows.transactions is not None:
            counted = matching_persons(rows.transactions, size, persons, group=classes if values else None, seed=seed)
            yield from ((values, matches.size, RecordFigures.of(matches.least, matches.known)) for matches in counted)


def _exposure(values: bool, items: int, matches: "RecordFigures", threshold: float, model: PrivacyModel) -> Exposure:
    least = matches.values
    sure = matches.records if matches.known is None else matches.known.astype(np.int64)
    smallest = int(least[sure > 0].min(initial=int(least.max(initial=0))))
    risks = 1.0 / np.maximum(least, 1)
    mean = int((least * sure).sum()) / max(1, int(sure.sum()))
    average, above, unique = matches.mean(risks), matches.share(risks > threshold), matches.share(least == 1)
    promised = model.promises(values, items) is not None
    below = matches.share(least < (model.k or 2))
    ends = (*_MATCHES_FROM[1:], np.iinfo(np.int64).max)
    sizes = tuple(matches.share((least >= a) & (least < b)) for a, b in zip(_MATCHES_FROM, ends, strict=True))
    return Exposure(values, items, smallest, mean, 1 / max(1, smallest), average, above, unique, below, promised, sizes)
