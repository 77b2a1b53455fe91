"""Rows of each individual in buckets of any size, and disclosures through several rows of an individual.

A bucketized table is divided by individual into parts. A part has the rows and the group values of its individuals.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anonset.data import CategoricalColumn
from anonset.data.array_types import Bools, Int32, Int64
from anonset.data.distinct import first_of_runs
from anonset.data.redacted_repr import RedactedRepr
from anonset.data.spans import begins_of, gathered
from anonset.publications import Buckets
from anonset.publications.buckets import sums_by_code
from anonset.verification.shares import shares_of

MOST_CORRELATED = 20_000_000
"""Maximum number of rows for which correlations are computed. They take about 10 µs per row."""
MOST_LISTED = 10_000
"""Maximum number of listed violations of a kind. Anatomy of 1,000,000 tuples may have two million violations."""
VALUES_AT_ONCE = 1 << 19
"""Approximate number of group values per part. A part with a single large individual may have more."""


@dataclass(frozen=True, eq=False)
class IndividualRows(RedactedRepr):
    """All visible rows of some individuals, sorted by individual, and all values of their groups. See
    `VisibleIndividuals`.
    """

    ids: tuple[CategoricalColumn, ...]
    group: CategoricalColumn
    sizes: Int64
    snt_group: Int32
    snt_value: CategoricalColumn
    snt_count: Int64
    row: Int64
    """QIT row number of each row, int64 (r,)."""

    @property
    def n_groups(self) -> int:
        """Number of groups."""
        return len(self.sizes)

    @property
    def starred(self) -> Bools:
        """False for each row, because hidden rows belong to no individual, bool (r,)."""
        return np.zeros(self.group.n, np.bool_)


def by_individuals(publication: Buckets) -> Iterator[IndividualRows]:
    """Yield parts of a publication. Each individual is in one part with all visible rows. There are no parts without
    ids.

    Rows of a publication on disk are distributed into shares. One share is in memory at a time.
    """
    if not publication.ids:
        return
    start = begins_of(sums_by_code(publication.snt_group, None, publication.n_groups))
    for share in shares_of(publication.ids, publication.store):
        rows = share[~publication.starred[share]]
        codes = [column.codes[rows] for column in publication.ids]
        order = np.lexsort(codes[::-1])  # the sort is stable, so the rows of an individual keep their order
        rows = rows[order]
        begins = np.flatnonzero(first_of_runs(*(column_codes[order] for column_codes in codes)))
        group = publication.group.codes[rows]
        for first, end in _cuts(begins, np.cumsum(start[group + 1] - start[group])):
            yield _people(publication, rows[first:end], group[first:end], start)


def _cuts(begins: NDArray[np.intp], values_before: Int64) -> Iterator[tuple[int, int]]:
    """Yield spans of rows with about `VALUES_AT_ONCE` group values. The last row of a span is the last row of an
    individual.

    Parameters
    ----------
    begins
        First row of each individual, int64.
    values_before
        Cumulative number of group values, int64 (n,).
    """
    first, n = 0, len(values_before)
    while first < n:
        done = int(values_before[first - 1]) if first else 0
        last = min(int(np.searchsorted(values_before, done + VALUES_AT_ONCE)), n - 1)
        following = int(np.searchsorted(begins, last, side="right"))
        end = int(begins[following]) if following < len(begins) else n
        yield first, end
        first = end


def _people(publication: Buckets, rows: Int64, group: Int32, start: Int64) -> IndividualRows:
    groups, codes = np.unique(group, return_inverse=True)
    begin, width = start[groups], start[groups + 1] - start[groups]
    _, places = gathered(begin, width)
    numbered = CategoricalColumn(publication.group.name, codes.astype(np.int32), publication.group.vocabulary)
    return IndividualRows(
        tuple(column.take(rows) for column in publication.ids),
        numbered,
        publication.sizes[groups],
        np.repeat(np.arange(len(groups), dtype=np.int32), width),
        publication.snt_value.take(places),
        publication.snt_count[places],
        rows,
    )


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
    from anonset.measures.correlation import inter_group_violations, intra_group_violations

    kinds = ("intra_group", "inter_group")
    numbers = dict.fromkeys(kinds, 0)
    listed: dict[str, list[tuple[tuple[int, ...], Any]]] = {kind: [] for kind in kinds}
    for people in by_individuals(publication):
        violations: tuple[list[Any], ...] = intra_group_violations(people), inter_group_violations(people, l)
        for kind, of_kind in zip(kinds, violations, strict=True):
            numbers[kind] += len(of_kind)
            named = _named(publication, people, of_kind[:MOST_LISTED])
            listed[kind] = sorted([*listed[kind], *named], key=lambda listing: listing[0])[:MOST_LISTED]
    return {kind: Correlations(numbers[kind], [listing for _, listing in listed[kind]]) for kind in kinds}


def _named(
    publication: Buckets, people: IndividualRows, violations: Iterable[Any]
) -> Iterable[tuple[tuple[int, ...], Any]]:
    """Yield the violations of a part with their sort keys. Row and group numbers refer to the complete publication."""
    from anonset.measures.correlation import IntraGroupViolation

    for violation in violations:
        row = int(people.row[violation.row])
        individual = tuple(int(column.codes[row]) for column in publication.ids)
        if isinstance(violation, IntraGroupViolation):
            group = int(publication.group.codes[row])
            yield (group, *individual), replace(violation, row=row, group=publication.group.vocabulary.labels[group])
        else:
            yield individual, replace(violation, row=row)
