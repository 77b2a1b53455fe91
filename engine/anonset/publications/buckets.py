"""Bucketized tables. One table contains identities and kept attributes, and a second table contains sensitive values.
Group numbers link the two tables.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np

from anonset.data import CategoricalColumn
from anonset.data.array_types import Bools, Int32, Int64
from anonset.data.distinct import first_of_runs
from anonset.data.redacted_repr import names_shown
from anonset.data.spans import spans
from anonset.data.storage.store import MEMORY, Store
from anonset.errors import AnonsetError, InputError, datum
from anonset.publications.base import Published
from anonset.publications.comparison import same_labels

STAR = "*"
"""Published value of a hidden identity, in every id column."""
GROUP = "group"
"""Name of the column of group numbers in the QIT and the SNT."""


@dataclass(frozen=True, eq=False)
class Buckets(Published):
    """The published quasi-identifier table (QIT) and sensitive table (SNT).

    Every group has as many rows in the QIT as values in the SNT. The publication does not show the sensitive value of a
    row.
    """

    ids: tuple[CategoricalColumn, ...]
    """Id columns of the QIT. A hidden identity is ``*`` in all of these columns."""
    kept: tuple[CategoricalColumn, ...]
    """Columns of the QIT that are published unchanged."""
    group: CategoricalColumn
    """Group of each row of the QIT. The vocabulary contains the published group numbers of the QIT and the SNT."""
    snt_group: Int32
    """Group code of each row of the SNT, ascending, int32 (m,)."""
    snt_value: CategoricalColumn
    """Sensitive value of each row of the SNT. Values are ascending and distinct within a group."""
    snt_count: Int64
    """Number of tuples with the group and value of each row of the SNT, int64 (m,). At least 1."""
    record: Int64
    """Private input tuple of each row of the QIT, int64 (n,)."""
    store: Store = MEMORY
    """Store that owns the files of memory-mapped arrays."""

    def __post_init__(self) -> None:
        names = [column.name for column in (*self.qit, self.snt_value)]
        if twice := next((name for position, name in enumerate(names) if name in names[:position]), None):
            raise InputError(f"column names of a bucketized table must be distinct, got {twice!r} twice")
        if {column.n for column in self.qit} != {len(self.record)}:
            msg = "the columns of the QIT must have the same number of rows, got " + ", ".join(
                f"{column.name}: {column.n}" for column in self.qit
            )
            raise InputError(msg)
        if not len(self.snt_group) == self.snt_value.n == len(self.snt_count):
            raise InputError("the columns of the SNT must have the same number of rows")
        if not self._is_ordered():
            msg = "the SNT must list groups in ascending order, with distinct values in each group and counts >= 1"
            raise InputError(msg)
        n_groups = len(self.group.vocabulary)
        rows = sums_by_code(self.group.codes, None, n_groups)
        # a count above the row count is always an error, so limiting it is safe and keeps the sums exact
        values = sums_by_code(self.snt_group, self.snt_count, n_groups, most=self.n + 1)
        if not np.array_equal(rows, values):
            group = int(np.argmax(rows != values))
            label = self.group.vocabulary.labels[group]
            sizes = f"{rows[group]} and {sum(self.snt_count[self.snt_group == group].tolist())}"
            msg = f"group {datum(label)} must have as many rows in the QIT as values in the SNT, got {sizes}"
            raise InputError(msg)

    def _is_ordered(self) -> bool:
        """Return True if the SNT is sorted by group and value, and all counts are at least 1."""
        width = max(1, len(self.snt_value.vocabulary))
        for first, end in spans(len(self.snt_group)):
            rows = slice(first, end + 1)  # each block includes the first row of the next block
            keys = self.snt_group[rows].astype(np.int64) * width + self.snt_value.codes[rows]
            if bool(np.any(np.diff(keys) <= 0)) or bool(np.any(self.snt_count[first:end] < 1)):
                return False
        return True

    def __repr__(self) -> str:
        hidden = int(self.starred.sum())
        names = names_shown(column.name for column in (*self.qit, self.snt_value))
        return f"Buckets({self.n:,} rows in {self.n_groups:,} groups, {hidden:,} hidden; columns {names})"

    @property
    def n(self) -> int:
        """Number of rows of the QIT. The SNT contains as many sensitive values."""
        return len(self.record)

    @property
    def n_groups(self) -> int:
        """Number of groups."""
        return len(self.group.vocabulary)

    @property
    def qit(self) -> tuple[CategoricalColumn, ...]:
        """Columns of the QIT. They are the id columns, the kept columns and the group."""
        return (*self.ids, *self.kept, self.group)

    @property
    def snt(self) -> tuple[CategoricalColumn, CategoricalColumn]:
        """SNT columns with the group and the sensitive value of each tuple."""
        rows = np.repeat(np.arange(self.snt_value.n), self.snt_count)
        group = CategoricalColumn(GROUP, self.snt_group, self.group.vocabulary)
        return group.take(rows), self.snt_value.take(rows)

    @cached_property
    def sizes(self) -> Int64:
        """Number of tuples of each group, int64 (groups,)."""
        return sums_by_code(self.group.codes, None, self.n_groups)

    @cached_property
    def starred(self) -> Bools:
        """True for each QIT row with a hidden identity, bool (n,)."""
        hidden = np.full(self.n, bool(self.ids))
        for column in self.ids:
            star = column.vocabulary.index.get(STAR, -1)
            for first, end in spans(self.n):
                hidden[first:end] &= column.codes[first:end] == star
        return hidden

    def share_lost(self, n: int) -> float:
        """Return the share of the `n` original tuples that are removed or have a hidden identity. 0 without tuples.

        References: Al Bouna, Clifton, Malluhi, "Using safety constraint for transactional dataset anonymization", DBSec
        2013, section 8.2.2. Deviation: the text of the paper defines the loss as a number of tuples, but the loss in
        its example, 2/13, is a share.
        """
        return (n - self.n + int(np.count_nonzero(self.starred))) / max(1, n)

    def counts(self) -> dict[str, int]:
        """Return the number of tuples and of groups."""
        return {"records": self.n, "groups": self.n_groups}

    def content(self) -> list[Any]:
        """Return the labels of each column of both tables."""
        return [column.labels() for column in (*self.qit, self.snt_value)]

    def with_way_back(self, record: Int64, cluster: Int32 | None) -> Self:
        """Return a copy with the input record of each QIT row. `cluster` is ignored because groups are published."""
        return replace(self, record=record)

    def require_same(self, written: Self) -> Self:
        """Compare the columns of this publication and `written` in blocks. The group numbers must be equal too."""
        if [column.name for column in self.qit] != [column.name for column in written.qit]:
            raise AnonsetError("the columns of the written file differ from the result in memory")
        pairs = [*zip(self.qit, written.qit, strict=True), (self.snt_value, written.snt_value)]
        different = [before.name for before, after in pairs if not same_labels(before, after)]
        for before, after in ((self.snt_group, written.snt_group), (self.snt_count, written.snt_count)):
            blocks = spans(len(before))
            if len(before) != len(after) or any(not np.array_equal(before[a:b], after[a:b]) for a, b in blocks):
                different.append("snt")
        if different:
            raise AnonsetError(f"column {different[0]!r}: the written file differs from the result in memory")
        return written.with_way_back(self.record, None)


def sums_by_code(codes: Int32, values: Int64 | None, n_codes: int, *, most: int | None = None) -> Int64:
    """Return the sum of the values of each code, int64 (n_codes,). If `values` is None, return the frequency of each
    code.

    Processes the arrays in blocks.

    >>> sums_by_code(np.array([2, 0, 2], np.int32), np.array([1, 5, 9]), 3, most=7).tolist()
    [5, 0, 8]

    Parameters
    ----------
    most
        Upper bound applied to each value before summing.
    """
    sums_of_code = np.zeros(n_codes, np.int64)
    for first, end in spans(len(codes)):
        part = codes[first:end]
        low = int(part.min())
        counted = None if values is None else values[first:end] if most is None else np.minimum(values[first:end], most)
        sums = np.bincount(part - low, counted)
        sums_of_code[low : low + len(sums)] += np.rint(sums).astype(np.int64)
    return sums_of_code


def count_values(group: Int32, value: Int32, n_values: int, count: Int64 | None = None) -> tuple[Int32, Int32, Int64]:
    """Count the values of each group.

    Parameters
    ----------
    group, value
        Codes, int32 (n,).
    n_values
        Number of value codes. At least 1 if there are tuples.
    count
        Weight of each pair of group and value, int64 (n,). None if all weights are 1.

    Returns
    -------
    int32 (m,), int32 (m,), int64 (m,)
        Group and value of each distinct pair, in ascending order, and its count.
    """
    pairs = group.astype(np.int64) * n_values + value
    if count is None:
        pairs = np.sort(pairs)
        begin = np.flatnonzero(first_of_runs(pairs))
        keys, counts = pairs[begin], np.diff(np.append(begin, len(pairs)))
    else:
        keys, where = np.unique(pairs, return_inverse=True)
        counts = np.zeros(len(keys), np.int64)
        np.add.at(counts, where, count)
    found_group, found_value = np.divmod(keys, max(1, n_values))
    return found_group.astype(np.int32), found_value.astype(np.int32), counts.astype(np.int64)
