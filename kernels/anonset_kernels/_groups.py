"""Operations on item groups: counting the support of groups, merging and suppressing them.

A group is identified by the smallest item, the representative. Records contain representatives. The records of a group
are stored in chunks, a chunk per member item, each record once. Merging two groups therefore only changes the
records of the group whose representative disappears. The set-based algorithms share these operations.
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
"""Indices in `Groups.state`: number of suppressed items, smallest suppressed item (or -1), number of logged steps,
group that caused a failure.
"""


class Groups(NamedTuple):
    """Current partition of the V occurring items. Arrays are changed in place."""

    row: Int64Array
    """int64 (n + 1,): first cell of each record. A cell with the value V ends the record."""
    cells: Int32Array
    """int32 (nnz + n,): representatives, ascending within a record, and end cells."""
    begin: Int64Array
    """int64 (V,): first index of each item's chunk."""
    length: Int64Array
    """int64 (V,): number of records in each item's chunk."""
    records: Int32Array
    """int32 (nnz,): the chunks."""
    rep: Int32Array
    """int32 (V,): representative of each item's group, -1 if suppressed."""
    following: Int32Array
    """int32 (V,): next larger member of the group (or next suppressed item), -1 for the last."""
    largest: Int32Array
    """int32 (V,): largest member of each representative's group."""
    support: Int64Array
    """int64 (V,): support of each representative's group; 0 for other items."""
    size: Int64Array
    """int64 (V,): number of members of each representative's group."""
    utility: Int32Array
    """int32 (V,): utility constraint of each item."""
    changed: UInt8Array
    """uint8 (V,): items of groups that have changed since the flags were last cleared."""
    state: Int64Array
    """int64 (4,): counters, indexed by N_SUPPRESSED, SUPPRESSED_HEAD, N_STEPS and CULPRIT."""
    log: Int32Matrix
    """int32 (V + 1, 3): decisions: representative, partner (-1: suppressed), resulting support."""
    count: Int64Array  # type: ignore[assignment]  # no use is made of the method of this name
    """int64 (V + 1,): counters, zero between uses."""
    mark: UInt8Array
    """uint8 (V + 1,): marks, zero between uses."""


@kernel()
def make_groups(indptr: Indptr, items: Items, n_items: int, utility: Int32Array) -> Groups:
    """Create a group for every occurring item. Item codes must be dense: each of 0 .. V - 1 occurs. O(nnz + V).

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


@kernel()
def open_groups(
    row: Int64Array, cells: Int32Array, records: Int32Array, support: Int64Array, utility: Int32Array
) -> Groups:
    """Create a group for every item, in arrays of the caller. `add_records` then adds the records.

    `row`, `cells` and `records` are arrays of `Groups` with arbitrary content. `support`, int64 (V,), is the number of
    records that will contain each item; `utility`, int32 (V,), is the utility constraint of each item. O(V).
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
    """Add consecutive records, numbered from `first`, after all earlier records. O(their items).

    `code_of`, int32 (M,), is the code of each of `items` among the V occurring items, ascending, or -1. Returns False
    if an item has no code, items are not ascending, or more records contain an item than its announced support. In this
    case all writes stay within the item's range, but the groups are invalid.
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
    """List the distinct groups of some items in `image`, sorted by (support, representative); return their number."""
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
    """Count the records that contain all groups in `image`, the first of which is the rarest; stop at `enough`."""
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
    """Count the records of a group that contain `n_marked` groups with the given mark; stop at `enough`."""
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
    """Count, in `groups.count`, the records that `g` shares with each other group. The caller resets the counters."""
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
    """Merge two groups and log it. O(records of the group with the larger representative, times their length)."""
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
    """Replace `merged` in the record at `place` by `keep` < `merged`; return False if the record contains `keep`."""
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
    """Merge two ascending linked lists (-1: empty list); return the first item."""
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
    """Remove a group from every record and log it. O(records of the group, times their length)."""
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
    """Count the items that an itemset with these groups as image may contain: members and suppressed items.

    `members` is int32 (g,): the representatives.
    """
    n = groups.state[N_SUPPRESSED]
    for g in members:
        n += groups.size[g]
    return n


@kernel()
def is_less(itemset: Itemset, other: Int32Array) -> bool:
    """Return True if `itemset` is lexicographically less than `other`, int32 (m,), of the same length."""
    for j in range(len(itemset)):
        if itemset[j] != other[j]:
            return bool(itemset[j] < other[j])
    return False
