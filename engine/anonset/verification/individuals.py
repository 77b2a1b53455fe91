"""Check that each individual of a bucketized table is in a single group. Large tables are divided into shares of
individuals.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from anonset.data.array_types import Bools, Int32, Int64, UInt64
from anonset.data.distinct import first_of_runs
from anonset.data.redacted_repr import RedactedRepr
from anonset.data.storage.store import Store
from anonset.verification.shares import divided, hashed

_MOST_SHARES = 400


class BucketRows(NamedTuple):
    """Rows of a bucketized table."""

    codes: list[Int32]
    """Codes of each id column, int32 (r,). The codes of a row identify the individual."""
    group: Int32
    """Group of each row, int32 (r,)."""
    row: Int64
    """Number of each row, int64 (r,)."""


@dataclass(frozen=True)
class DividedIndividual(RedactedRepr):
    """An individual in several groups."""

    groups: tuple[int, int]
    """First two groups of the individual."""
    rows: tuple[int, int]
    """First row of the individual in each of the two groups."""
    n_groups: int


def find_divided(parts: Iterable[BucketRows], n: int, store: Store) -> tuple[int, DividedIndividual | None]:
    """Return the number of individuals, and the first individual in several groups, by its codes. The second value is
    None if each individual is in a single group.

    Parameters
    ----------
    parts
        All rows, in blocks.
    n
        Maximum number of rows.
    store
        Store of the shares. In memory there is a single share.
    """
    count = min(_MOST_SHARES, store.buckets(n))
    n_individuals = 0
    divided_ones: list[tuple[tuple[int, ...], DividedIndividual]] = []
    for rows in divided(_with_keys(parts), count, store, np.int32):
        share = np.ascontiguousarray(rows.T)
        codes, group, row = share[:-2], share[-2], share[-1]
        order = np.lexsort((row, group, *codes[::-1]))
        share = share[:, order]
        new = np.ones(share.shape[1], np.bool_)
        new[1:] = (share[:-2, 1:] != share[:-2, :-1]).any(axis=0)
        n_individuals += int(np.count_nonzero(new))
        other = np.flatnonzero(~new[1:] & (share[-2, 1:] != share[-2, :-1])) + 1
        if len(other):
            divided_ones.append(_divided(share, new, int(other[0])))
    return n_individuals, min(divided_ones, key=lambda entry: entry[0])[1] if divided_ones else None


def _divided(share: Int32, new: Bools, further: int) -> tuple[tuple[int, ...], DividedIndividual]:
    """Return the codes of an individual in several groups, and the individual. The first row of its second group is at
    position `further`.
    """
    begin = int(np.flatnonzero(new[: further + 1])[-1])
    next_individual = np.flatnonzero(new[further:])
    end = further + int(next_individual[0]) if len(next_individual) else share.shape[1]
    groups, rows = share[-2], share[-1]
    division = DividedIndividual(
        (int(groups[begin]), int(groups[further])),
        (int(rows[begin]), int(rows[further])),
        len(np.unique(groups[begin:end])),
    )
    return tuple(share[:-2, begin].tolist()), division


def _with_keys(parts: Iterable[BucketRows]) -> Iterator[tuple[UInt64, Int32]]:
    """Yield a hash of the individual of each row, and the codes, group and number of each row, int32 (r, id columns +
    2).
    """
    for part in parts:
        rows = np.stack([*part.codes, part.group, part.row.astype(np.int32)], axis=1)
        yield hashed(part.codes, len(part.row)), rows


def one_of_each_run(rows: BucketRows) -> BucketRows:
    """Drop rows with the same individual and group as the previous row."""
    is_first = first_of_runs(rows.group, *rows.codes)
    return BucketRows([codes[is_first] for codes in rows.codes], rows.group[is_first], rows.row[is_first])
