"""Divide a bucketized table into parts by individual. A part has the rows and the group values of its individuals."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from anonset.data import CategoricalColumn
from anonset.data.redacted_repr import RedactedRepr
from anonset.data.spans import begins_of, gathered
from anonset.data.table import Int32, Int64
from anonset.measures.visible_individuals import VisibleIndividuals
from anonset.publications import Buckets
from anonset.publications.buckets import sums_by_code
from anonset.verification.shares import shares_of

VALUES_AT_ONCE = 1 << 19
"""Approximate number of group values per part. A part with a single large individual may have more."""


class IndividualRows(NamedTuple):
    """All visible rows of some individuals."""

    publication: VisibleIndividuals
    """Part of a publication with the rows of some individuals, sorted by individual, and all values of their groups."""
    row: Int64
    """QIT row number of each row, int64 (r,)."""
    group: Int64
    """Original number of each group, ascending, int64 (g,)."""


@dataclass(frozen=True, eq=False)
class _Part(RedactedRepr):
    ids: tuple[CategoricalColumn, ...]
    group: CategoricalColumn
    sizes: Int64
    snt_group: Int32
    snt_value: CategoricalColumn
    snt_count: Int64

    @property
    def n_groups(self) -> int:
        return len(self.sizes)

    @property
    def starred(self) -> NDArray[np.bool_]:
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
        new = np.ones(len(rows), np.bool_)
        new[1:] = np.any([column_codes[order][1:] != column_codes[order][:-1] for column_codes in codes], axis=0)
        group = publication.group.codes[rows]
        for first, end in _cuts(np.flatnonzero(new), np.cumsum(start[group + 1] - start[group])):
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
    part = _Part(
        tuple(column.take(rows) for column in publication.ids),
        numbered,
        publication.sizes[groups],
        np.repeat(np.arange(len(groups), dtype=np.int32), width),
        publication.snt_value.take(places),
        publication.snt_count[places],
    )
    return IndividualRows(part, rows, groups.astype(np.int64))
