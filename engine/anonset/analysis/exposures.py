"""Re-identification risk of persons by attacker knowledge. It depends on the number of matching rows or persons."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from anonset.data import SetColumn, Table
from anonset.data.array_types import Int64
from anonset.data.redacted_repr import RedactedRepr
from anonset.data.table import Column
from anonset.privacy import PrivacyModel
from anonset.publications import Records
from anonset.settings.publication import THRESHOLD
from anonset.spelling import counted, listed, name_ranges

if TYPE_CHECKING:
    from anonset.measures.shares import RecordFigures, Share


@dataclass(frozen=True)
class AttackerKnowledge(RedactedRepr):
    """Knowledge of an attacker about a person."""

    values: bool
    """Whether all quasi-identifiers are known."""
    items: int
    """Number of known items."""
    as_is: tuple[str, ...]
    """Names of the known columns that are published as is and that the guarantee does not cover."""
    non_sensitive: bool = field(default=False, kw_only=True)
    """Whether the known items are none of the items that must not be inferred."""

    @property
    def words(self) -> str:
        """The knowledge in words.

        >>> AttackerKnowledge(True, 2, ()).words, AttackerKnowledge(True, 2, ("zip",)).words
        ('all quasi-identifiers and 2 items', 'all quasi-identifiers, zip as published, and 2 items')
        """
        parts = ["all quasi-identifiers"] if self.values else []
        parts += [f"{listed(name_ranges(self.as_is), 'and')} as published"] if self.as_is else []
        parts += [counted(self.items, "non-sensitive item" if self.non_sensitive else "item")] if self.items else []
        return (
            ", and ".join([", ".join(parts[:-1]), *parts[-1:]][len(parts) < 2 :]) if self.as_is else " and ".join(parts)
        )

    def limit(self, model: PrivacyModel) -> float | None:
        """Return the largest success per person that a model allows. None if it does not cover the knowledge."""
        is_other = bool(self.as_is) or (self.items > 0 and bool(model.beside) and not self.non_sensitive)
        return None if is_other else model.promises(self.values, self.items)


@dataclass(frozen=True)
class Exposure(AttackerKnowledge):
    """Re-identification risk from an attacker with certain knowledge. The attacker also knows that the person is in the
    data, and knows the most identifying published symbols of the person.
    """

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
    >>> small_class_text(Exposure(False, 2, (), 1, 6.0, 1.0, share, share, share, share, True), 5, 200)
    '50 of 200 persons have a row that matches fewer than 5 persons, if an attacker knows 2 items'
    """
    affected = (
        f"{round(exposure.below.value * persons):,} of {persons:,} persons"
        if exposure.below.exact
        else f"{exposure.below} of them"
    )
    belong = "belong to an equivalence class of" if not exposure.items else "have a row that matches"
    return f"{affected} {belong} fewer than {k} persons, if an attacker knows {exposure.words}"


def headline(exposures: Sequence[Exposure], m: int) -> Exposure | None:
    """Return the exposure that texts show as the single figure of a risk, or None if there is none. The attacker knows
    as much as the guarantee covers: all quasi-identifiers, up to m items, or both; and the columns published as is.
    """
    of_m = [one for one in exposures if one.items <= m]
    return max(of_m, key=lambda one: (len(one.as_is), one.guaranteed, one.values, one.items), default=None)


def higher_after(before: Sequence[Exposure], after: Sequence[Exposure], *, above: bool = False) -> list[str]:
    """Return the kinds of attacker knowledge with a figure that is higher in a publication than in the original.

    The publication can have the higher risk if an item has several symbols, because the attacker knows the symbols, and
    each of them has fewer matches than the item. Removed rows also reduce the number of matches. Estimates count as
    higher only if their confidence intervals do not overlap.

    Parameters
    ----------
    above
        Also compare the share of persons with a risk above the threshold.
    """
    earlier = {exposure.words: exposure for exposure in before}
    return [
        exposure.words
        for exposure in after
        if (old := earlier.get(exposure.words)) is not None
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
    as_is: tuple[str, ...] = (),
) -> tuple[Exposure, ...]:
    """Count the matching rows or persons by attacker knowledge, for a publication or for raw data.

    If items must not be inferred, the attacker knows other items, as in the guarantee, or any items.

    Parameters
    ----------
    size
        Largest number of known items.
    owner
        Person of each row, int64 (n,), to count persons instead of rows. The risk of a person is that of the row with
        the fewest matching persons.
    as_is
        Columns published as is. The attacker knows none of them, or all.
    """
    known = [(AttackerKnowledge(values, 0, ()), rows.relational if values else ()) for values in (False, True)]
    known = known if rows.relational else known[:1]
    if as_is:
        unchanged = [column for column in rows.kept if column.name in as_is]
        known.append((AttackerKnowledge(bool(rows.relational), 0, as_is), (*rows.relational, *unchanged)))
    matches = (
        _matching_rows(rows, known, size, seed, model.beside)
        if owner is None
        else _matching_persons(rows, known, size, seed, owner, model.beside)
    )
    return tuple(_exposure(one, figures, threshold, model) for one, figures in matches)


_Known = Sequence[tuple[AttackerKnowledge, Sequence[Column]]]
"""Knowledge of attackers who know no items, with the columns that they know."""


def complete_exposure(
    rows: Records | Table, model: PrivacyModel, threshold: float = THRESHOLD, owner: Int64 | None = None
) -> Exposure | None:
    """Count the records that match all quasi-identifiers and the complete set of items, or the sensitive value; or the
    persons of these records (`exposures`). None without items and sensitive values.
    """
    from anonset.measures.distinct_records import DistinctRecords, codes_of, without_items
    from anonset.measures.risks.known_persons import fewest_persons
    from anonset.measures.shares import RecordFigures

    sensitive = [column for column in rows.kept if column.name == model.sensitive_column]
    if rows.transactions is None and not sensitive:
        return None
    with rows.store.nested() as scratch:
        sets = without_items(rows.n, scratch) if rows.transactions is None else rows.transactions
        distinct = DistinctRecords.of(sets, codes_of([*rows.relational, *sensitive]), scratch)
        figures = (
            RecordFigures.of(distinct.weight, weight=distinct.weight)
            if owner is None
            else RecordFigures.of(fewest_persons(distinct.of_each_record, owner))
        )
    return _exposure(AttackerKnowledge(bool(rows.relational), 0, ()), figures, threshold, model)


def _matching_rows(
    rows: Records | Table, known: _Known, size: int, seed: int, secrets: Sequence[str]
) -> "Iterator[tuple[AttackerKnowledge, RecordFigures]]":
    """Yield each kind of knowledge with the match count of each row."""
    from anonset.measures.distinct_records import class_figures, codes_of
    from anonset.measures.risks.known_items import matching_rows

    groups = [(one, codes_of(columns)) for one, columns in known]
    yield from ((one, class_figures(group, rows.store)) for one, group in groups if group)
    for (sets, other), (one, group) in product(_sets_of(rows, secrets), groups):
        matches = matching_rows(sets, size, group=group, store=rows.store, seed=seed)
        of_sets = replace(one, non_sensitive=other)
        yield from ((replace(of_sets, items=items), figures) for items, figures in enumerate(matches, 1))


def _sets_of(rows: Records | Table, secrets: Sequence[str]) -> list[tuple[SetColumn, bool]]:
    """Return the sets without the items that must not be inferred, if there are any, and the sets of all items. The
    second value is True for the former.
    """
    sets = rows.transactions
    if sets is None:
        return []
    return [*([(without_secrets(sets, secrets), True)] if secrets else []), (sets, False)]


def without_secrets(sets: SetColumn, secrets: Sequence[str]) -> SetColumn:
    """Return sets without the items that must not be inferred."""
    return sets.only(~np.isin(sets.vocabulary.labels, secrets))


def _matching_persons(
    rows: Records | Table, known: _Known, size: int, seed: int, owner: Int64, secrets: Sequence[str]
) -> "Iterator[tuple[AttackerKnowledge, RecordFigures]]":
    """Yield each kind of knowledge with the match count of each person."""
    from anonset.data.equivalence_classes import class_of
    from anonset.measures.risks.known_persons import fewest_persons, matching_persons
    from anonset.measures.shares import RecordFigures

    persons = np.unique(owner, return_inverse=True)[1].ravel()
    groups = [(one, class_of(of, rows.n) if of else None) for one, of in known]
    yield from ((one, RecordFigures.of(fewest_persons(group, persons))) for one, group in groups if group is not None)
    for (sets, other), (one, group) in product(_sets_of(rows, secrets), groups):
        matches = matching_persons(sets, size, persons, group=group, seed=seed)
        of_sets = replace(one, non_sensitive=other)
        yield from (
            (replace(of_sets, items=found.size), RecordFigures.of(found.least, found.known)) for found in matches
        )


def _exposure(known: AttackerKnowledge, matches: "RecordFigures", threshold: float, model: PrivacyModel) -> Exposure:
    least = matches.values
    sure = matches.records if matches.known is None else matches.known.astype(np.int64)
    smallest = int(least[sure > 0].min(initial=int(least.max(initial=0))))
    risks = 1.0 / np.maximum(least, 1)
    mean = int((least * sure).sum()) / max(1, int(sure.sum()))
    average, above, unique = matches.mean(risks), matches.share(risks > threshold), matches.share(least == 1)
    below = matches.share(least < (model.k or 2))
    ends = (*_MATCHES_FROM[1:], np.iinfo(np.int64).max)
    sizes = tuple(matches.share((least >= a) & (least < b)) for a, b in zip(_MATCHES_FROM, ends, strict=True))
    return Exposure(
        known.values, known.items, known.as_is, smallest, mean, 1 / max(1, smallest), average, above, unique, below,
        known.limit(model) is not None, sizes, non_sensitive=known.non_sensitive,
    )  # fmt: skip
