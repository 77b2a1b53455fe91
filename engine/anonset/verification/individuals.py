"""Whether each individual of a bucketized table is in one group; of many individuals, share by share."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from anonset.data.redacted_repr import Discreet
from anonset.data.store import Store
from anonset.data.table import Int32, Int64
from anonset.verification.shares import divided, hashed

_MOST_SHARES = 400


class Rows(NamedTuple):
    """Some rows of a bucketized table."""

    codes: list[Int32]
    """The individual of each row: int32 (r,), the codes of each id column."""
    group: Int32
    """int32 (r,): its group."""
    row: Int64
    """int64 (r,): its number."""


@dataclass(frozen=True)
class Divided(Discreet):
    """An individual in several groups."""

    groups: tuple[int, int]
    """Its first two groups."""
    rows: tuple[int, int]
    """Its first row in each of them."""
    n_groups: int


def find_divided(parts: Iterable[Rows], n: int, store: Store) -> tuple[int, Divided | None]:
    """Return how many individuals there are, and the first one, by its codes, that is in several groups; or None.

    Parameters
    ----------
    parts
        All rows, some at a time.
    n
        How many there are, at most.
    store
        Where shares of them lie; in memory they are one.
    """
    count = min(_MOST_SHARES, store.buckets(n))
    n_individuals = 0
    divided_ones: list[tuple[tuple[int, ...], Divided]] = []
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


def _divided(share: Int32, new: NDArray[np.bool_], further: int) -> tuple[tuple[int, ...], Divided]:
    """Return the codes of an individual who is in a further group from a place in a share on, and the groups."""
    begin = int(np.flatnonzero(new[: further + 1])[-1])
    behind = np.flatnonzero(new[further:])
    end = further + int(behind[0]) if len(behind) else share.shape[1]
    groups, rows = share[-2], share[-1]
    division = Divided(
        (int(groups[begin]), int(groups[further])),
        (int(rows[begin]), int(rows[further])),
        len(np.unique(groups[begin:end])),
    )
    return tuple(share[:-2, begin].tolist()), division


def _with_keys(parts: Iterable[Rows]) -> Iterator[tuple[NDArray[np.uint64], Int32]]:
    """Yield a hash of the individual of each row, and the rows, int32 (r, id columns + 2): codes, group and row."""
    for part in parts:
        rows = np.stack([*part.codes, part.group, part.row.astype(np.int32)], axis=1)
        yield hashed(part.codes, len(part.row)), rows


def one_of_each_run(rows: Rows) -> Rows:
    """Leave out rows of the same individual and group as the row before."""
    kept = np.ones(len(rows.row), np.bool_)
    kept[1:] = rows.group[1:] != rows.group[:-1]
    for codes in rows.codes:
        kept[1:] |= codes[1:] != codes[:-1]
    return Rows([codes[kept] for codes in rows.codes], rows.group[kept], rows.row[kept])
