"""HorPart of Terrovitis et al., PVLDB 2012, which divides records by their most frequent items."""

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from anonset.data import SetColumn
from anonset.data.array_types import Int64
from anonset.data.spans import begins_of


def near_equal(n: int, size: int) -> list[int]:
    """Return the boundaries of pieces of `size` records. The last two pieces have about equal sizes.

    >>> near_equal(14, 4), near_equal(12, 4), near_equal(3, 4)
    ([0, 4, 8, 11, 14], [0, 4, 8, 12], [0, 3])
    """
    n_pieces, remainder = divmod(n, size)
    borders = [size * number for number in range(n_pieces + 1)]
    if remainder and n_pieces:
        borders[-1:] = [borders[-2] + (size + remainder) // 2]
    return [*borders, n] if remainder else borders


def horizontal_parts(rows: SetColumn, k: int, size: int) -> list[Int64]:
    """Divide the records recursively by their most frequent item and return the records of each part.

    Parts of at most `size` records are not divided further. An item is used to divide a part only if at least k records
    of the part contain the item and at least k records do not. If no item remains, the part is divided into pieces in
    the given order. Cost: each record is read once for each item that divides its part.

    >>> rows = SetColumn.of(text.split() for text in ("a b", "a", "a b", "b", "c", "c"))
    >>> [part.tolist() for part in horizontal_parts(rows, 1, 2)]
    [[0, 2], [1], [4, 5], [3]]

    Parameters
    ----------
    rows
        Records in an order that depends only on their contents.
    size
        At least 2 k.
    """
    parts = list[Int64]()
    dividing = [_parted(rows, np.arange(rows.n), k, size)]
    while dividing:
        part = next(dividing[-1], None)
        if part is None:
            dividing.pop()
        elif len(part) <= size:
            parts.append(part)
        else:
            dividing.append(_parted(rows, part, k, size))
    return parts


def _parted(rows: SetColumn, records: Int64, k: int, size: int) -> Iterator[Int64]:
    """Yield the records with the most frequent item. Repeat with the other records until none remain."""
    part = rows.take(records)
    _, item = np.unique(part.items, return_inverse=True)
    row = np.repeat(np.arange(part.n), part.lengths)
    counts = np.bincount(item)
    by_item = row[np.argsort(item, kind="stable")]
    begin = begins_of(counts)
    remains, n = np.ones(part.n, np.bool_), part.n
    while n > size:
        divides = np.where((counts >= k) & (counts <= n - k), counts, 0)
        most = int(np.argmax(divides)) if len(divides) else 0
        if not len(divides) or not divides[most]:
            break
        members = by_item[begin[most] : begin[most + 1]]
        members = members[remains[members]]
        remains[members] = False
        n -= len(members)
        removed_items = np.concatenate(
            [item[part.indptr[member] : part.indptr[member + 1]] for member in members.tolist()]
        )
        counts = counts - np.bincount(removed_items, minlength=len(counts))
        yield records[members]
    remaining = records[remains]
    yield from (remaining[first:end] for first, end in pairwise(near_equal(n, size)))
