"""Counts and examples of disclosures through several tuples of an individual, for buckets of any size."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from anonset.data.redacted_repr import RedactedRepr
from anonset.kinds.bucket_people import IndividualRows, by_individuals
from anonset.measures.correlation import IntraGroupViolation, inter_group_violations, intra_group_violations
from anonset.publications import Buckets

MOST_CORRELATED = 20_000_000
"""Maximum number of rows for which correlations are computed. They take about 10 µs per row."""
MOST_LISTED = 10_000
"""Maximum number of listed violations of a kind. Anatomy of 1,000,000 tuples may have two million violations."""


@dataclass(frozen=True)
class Correlations(RedactedRepr):
    """Violations of one kind, ``intra_group`` or ``inter_group``."""

    number: int
    """Total number of violations."""
    listed: list[Any]
    """First `MOST_LISTED` violations in sorted order, or all if there are fewer."""


def correlations(publication: Buckets, l: int) -> dict[str, Correlations]:  # noqa: E741
    """Count the violations inside groups and between groups in buckets with ids.

    The results equal `intra_group_violations` and `inter_group_violations`, but are computed for some individuals at a
    time.
    """
    kinds = ("intra_group", "inter_group")
    numbers = dict.fromkeys(kinds, 0)
    listed: dict[str, list[tuple[tuple[int, ...], Any]]] = {kind: [] for kind in kinds}
    for people in by_individuals(publication):
        part = people.publication
        violations: tuple[list[Any], ...] = intra_group_violations(part), inter_group_violations(part, l)
        for kind, of_kind in zip(kinds, violations, strict=True):
            numbers[kind] += len(of_kind)
            named = _named(publication, people, of_kind[:MOST_LISTED])
            listed[kind] = sorted([*listed[kind], *named], key=lambda listing: listing[0])[:MOST_LISTED]
    return {kind: Correlations(numbers[kind], [listing for _, listing in listed[kind]]) for kind in kinds}


def _named(
    publication: Buckets, people: IndividualRows, violations: Iterable[Any]
) -> Iterable[tuple[tuple[int, ...], Any]]:
    """Yield the violations of a part with their sort keys. Row and group numbers refer to the complete publication."""
    for violation in violations:
        row = int(people.row[violation.row])
        individual = tuple(int(column.codes[row]) for column in publication.ids)
        if isinstance(violation, IntraGroupViolation):
            group = int(publication.group.codes[row])
            yield (group, *individual), replace(violation, row=row, group=publication.group.vocabulary.labels[group])
        else:
            yield individual, replace(violation, row=row)
