"""Operations on item groups: count their support, merge them and suppress them.

A group is identified by its smallest item, the *representative*. In the records, each item is replaced by the
representative of its group. Each item of a group has a chunk of the group's records, and each record is in one chunk. A
merge of two groups therefore only changes the records of the group whose representative disappears. The set-based
algorithms share these operations.
"""

from typing import NamedTuple

import numpy as np

from anonset_kernels._arrays import (
    Image,
    Indptr,
    Int32Array,
    Int32Matrix,
    Int64Array,
    Integer,
    Items,
    Itemset,
    UInt8Array,
)
from anonset_kernels._jit import kernel

N_SUPPRESSED, SUPPRESSED_HEAD, N_STEPS, CULPRIT = 0, 1, 2, 3
"""Indices in `Groups.state`: number of suppressed items; smallest suppressed item, or -1; number of logged steps; group
that caused a failure.
"""


class Groups(NamedTuple):
    """Current partition of V items. All items occur in the records. The arrays are changed in place."""

    row: Int64Array
    """Index in `cells` of each record's first cell, int64 (n + 1,). A cell with the value V ends the record."""
    cells: Int32Array
    """Representatives in each record in ascending order, followed by an end cell, int32 (nnz + n,)."""
    begin: Int64Array
    """Start of each item's chunk in `records`, int64 (V,)."""
    length: Int64Array
    """Number of records in each item's chunk, int64 (V,)."""
    records: Int32Array
    """Chunks of record numbers of all items, int32 (nnz,)."""
    rep: Int32Array
    """Representative of each item's group, int32 (V,). -1 if the item is suppressed."""
    following: Int32Array
    """Next larger member of each item's group, int32 (V,). -1 for the last member. Suppressed items form a separate
    list.
    """
    largest: Int32Array
    """Largest member of each representative's group, int32 (V,)."""
    support: Int64Array
    """Support of each representative's group, int64 (V,). 0 for all other items."""
    size: Int64Array
    """Number of members of each representative's group, int64 (V,)."""
    utility: Int32Array
    """Utility constraint of each item, int32 (V,)."""
    changed: UInt8Array
    """Items of groups that have changed since the flags were last cleared, uint8 (V,)."""
    state: Int64Array
    """State of the search, int64 (4,), indexed by `N_SUPPRESSED`, `SUPPRESSED_HEAD`, `N_STEPS` and `CULPRIT`."""
    log: Int32Matrix
    """Representative, partner and resulting support of each merge, int32 (V + 1, 3). For a suppression, the partner is
    -1.
    """
    count: Int64Array  # type: ignore[assignment]  # the method of this name is not used
    """Counters per group, int64 (V + 1,). Zero between uses."""
    mark: UInt8Array
    """Marks of groups, uint8 (V + 1,). Zero between uses."""


@kernel(allocates=True)
def make_groups(indptr: Indptr, items: Items, n_items: int, utility: Int32Array) -> Groups:
    """Create a group for every item. Each item code from 0 to V - 1 must occur in the records. O(nnz + V).

    `utility` is int32 (V,): utility constraint of each item.
    """
    n = len(indptr) - 1
    row, cells, records = np.empty(n + 1, np.int64), np.empty(len(items) + n, np.int32), np.empty(len(items), np.int32)
    support = np.zeros(n_items, np.int64)
    for item in items:
        support[item] += 1
    groups = open_groups(row, cells, records, support, utility)
    add_records(groups, indptr, items, np.arange(n_items).astype(np.int32), 0)
    return groups


@kernel(allocates=True)
def open_groups(
    row: Int64Array, cells: Int32Array, records: Int32Array, support: Int64Array, utility: Int32Array
) -> Groups:
    """Create a group for every item, in arrays that the caller provides. Call `add_records` to add the records.

    `row`, `cells` and `records` are arrays of `Groups` with arbitrary content. `support`, int64 (V,), is the number of
    records that will contain each item. `utility`, int32 (V,), is the utility constraint of each item. O(V).
    """
    n_items = len(support)
    row[0] = 0
    group_of = np.arange(n_items).astype(np.int32)
    begin = np.zeros(n_items, np.int64)
    for item in range(1, n_items):
        begin[item] = begin[item - 1] + support[item - 1]
    return Groups(
        row,
        cells,
        begin,
        np.zeros(n_items, np.int64),
        records,
        group_of,
        np.full(n_items, -1, np.int32),
        group_of.copy(),
        support.copy(),
        np.ones(n_items, np.int64),
        utility,
        np.zeros(n_items, np.uint8),
        np.array([0, -1, 0, -1], np.int64),
        np.empty((n_items + 1, 3), np.int32),
        np.zeros(n_items + 1, np.int64),
        np.zeros(n_items + 1, np.uint8),
    )


@kernel()
def add_records(groups: Groups, indptr: Indptr, items: Items, code_of: Int32Array, first: int) -> bool:
    """Add consecutive records, numbered from `first`, after all earlier records. O(items of these records).

    `code_of`, int32 (M,), is the code of each item, ascending, or -1 if the item has no group. Returns False if an item
    of a record has no code, if items are not ascending, or if more records contain an item than the `support` given to
    `open_groups`. The groups are then invalid, but no array is written out of bounds.
    """
    row, cells, begin, length, records = groups.row, groups.cells, groups.begin, groups.length, groups.records
    support, place = groups.support, row[first]
    for i in range(len(indptr) - 1):
        before = -1
        for entry in range(indptr[i], indptr[i + 1]):
            item = code_of[items[entry]]
            if item <= before or length[item] == support[item]:
                return False
            before = item
            cells[place] = item
            place += 1
            records[begin[item] + length[item]] = first + i
            length[item] += 1
        cells[place] = len(begin)
        place += 1
        row[first + i + 1] = place
    return True


@kernel()
def image_of(groups: Groups, itemset: Itemset, image: Image) -> int:
    """Store the distinct groups of some items in `image`, sorted by (support, representative). Return their number."""
    n = 0
    for item in itemset:
        g = groups.rep[item]
        if g >= 0 and groups.mark[g] == 0:
            groups.mark[g] = 1
            place = n
            while place > 0 and (
                groups.support[image[place - 1]] > groups.support[g]
                or (groups.support[image[place - 1]] == groups.support[g] and image[place - 1] > g)
            ):
                image[place] = image[place - 1]
                place -= 1
            image[place] = g
            n += 1
    for g in image[:n]:
        groups.mark[g] = 0
    return n


@kernel()
def support_of(groups: Groups, image: Image, enough: int) -> int:
    """Count the records that contain all groups in `image`. The first group must be the rarest. Stops at `enough`."""
    if len(image) == 1:
        return min(groups.support[image[0]], enough)
    for g in image:
        groups.mark[g] = 1
    support = count_marked(groups, image[0], 1, len(image), enough)
    for g in image:
        groups.mark[g] = 0
    return support


@kernel()
def count_marked(groups: Groups, rarest: int, mark: int, n_marked: int, enough: int) -> int:
    """Count the records of a group that contain `n_marked` groups with the given mark. Stops at `enough`."""
    begin, length, records, row, cells = groups.begin, groups.length, groups.records, groups.row, groups.cells
    marks, end = groups.mark, len(groups.rep)
    support, item = 0, rarest
    while item >= 0:
        for entry in range(begin[item], begin[item] + length[item]):
            place, n_here = row[records[entry]], 0
            while cells[place] < end:
                n_here += marks[cells[place]] == mark
                place += 1
            if n_here == n_marked:
                support += 1
                if support == enough:
                    return support
        item = groups.following[item]
    return support


@kernel()
def count_partners(groups: Groups, g: Integer) -> None:
    """Count the records that `g` shares with each other group, in `groups.count`.

    The caller must reset the counters.
    """
    begin, length, records, row, cells = groups.begin, groups.length, groups.records, groups.row, groups.cells
    count, end, item = groups.count, len(groups.rep), g
    while item >= 0:
        for entry in range(begin[item], begin[item] + length[item]):
            place = row[records[entry]]
            while cells[place] < end:
                count[cells[place]] += 1
                place += 1
        item = groups.following[item]


@kernel()
def merge_groups(groups: Groups, g: Integer, partner: int) -> None:
    """Merge two groups and log the merge. O(items of the records of the group with the larger representative)."""
    begin, length, records, row, cells = groups.begin, groups.length, groups.records, groups.row, groups.cells
    keep, merged = min(g, partner), max(g, partner)
    item = merged
    while item >= 0:
        filled = begin[item]
        for entry in range(begin[item], begin[item] + length[item]):
            record = records[entry]
            if _rename(cells, row[record], keep, merged, len(groups.rep)):
                records[filled] = record
                filled += 1
        groups.length[item] = filled - groups.begin[item]
        groups.support[keep] += groups.length[item]
        groups.rep[item] = keep
        item = groups.following[item]
    groups.support[merged] = 0
    groups.size[keep] += groups.size[merged]
    groups.largest[keep] = max(groups.largest[keep], groups.largest[merged])
    _unite(groups.following, keep, merged)
    item = keep
    while item >= 0:
        groups.changed[item] = 1
        item = groups.following[item]
    _note(groups, g, partner, groups.support[keep])


@kernel()
def _note(groups: Groups, g: Integer, partner: int, support: int) -> None:
    step = groups.state[N_STEPS]
    groups.log[step, 0], groups.log[step, 1], groups.log[step, 2] = g, partner, support
    groups.state[N_STEPS] += 1


@kernel()
def _rename(cells: Int32Array, place: int, keep: Integer, merged: Integer, end: int) -> bool:
    """Replace `merged` in the record at `place` by the smaller `keep`, or remove it if the record contains `keep`.

    Returns False if the record contains `keep`.
    """
    while cells[place] < keep:
        place += 1
    if cells[place] == keep:
        while cells[place] != merged:
            place += 1
        while cells[place] < end:
            cells[place] = cells[place + 1]
            place += 1
        return False
    carried = np.int32(keep)
    while carried != merged:
        cells[place], carried = carried, cells[place]
        place += 1
    return True


@kernel()
def _unite(following: Int32Array, first: Integer, second: Integer) -> Integer:
    """Merge two ascending linked lists. Return the first item. -1 is the empty list."""
    if first < 0 or second < 0:
        return max(first, second)
    x, y = min(first, second), max(first, second)
    head = tail = x
    x = following[x]
    while x >= 0 and y >= 0:
        if x < y:
            following[tail] = x
            tail, x = x, following[x]
        else:
            following[tail] = y
            tail, y = y, following[y]
    following[tail] = max(x, y)
    return head


@kernel()
def suppress_group(groups: Groups, g: Integer) -> None:
    """Remove a group from every record and log the suppression. O(items of the records of the group)."""
    _note(groups, g, -1, groups.support[g])
    item = g
    while item >= 0:
        for entry in range(groups.begin[item], groups.begin[item] + groups.length[item]):
            place = groups.row[groups.records[entry]]
            while groups.cells[place] != g:
                place += 1
            while groups.cells[place] < len(groups.rep):
                groups.cells[place] = groups.cells[place + 1]
                place += 1
        groups.rep[item] = -1
        groups.changed[item] = 1
        item = groups.following[item]
    groups.state[CULPRIT] = g
    groups.state[N_SUPPRESSED] += groups.size[g]
    groups.support[g] = 0
    groups.state[SUPPRESSED_HEAD] = _unite(groups.following, groups.state[SUPPRESSED_HEAD], g)


@kernel()
def n_items_within(groups: Groups, members: Int32Array) -> int:
    """Return the number of items whose group is in `members`, plus the number of suppressed items.

    An itemset with the image `members` contains at most this number of items. `members`, int32 (g,), contains
    representatives.
    """
    n = groups.state[N_SUPPRESSED]
    for g in members:
        n += groups.size[g]
    return n
