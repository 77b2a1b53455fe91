"""Count the records that contain each set of a record's items. Someone who knows these items finds these records.

If the records are larger than memory, the caller searches prefix by prefix, and stores only the suffixes after a
prefix.
"""

from typing import NamedTuple

import numpy as np

from anonset_kernels._arrays import (
    BoolArray,
    Indptr,
    Int32Array,
    Int32Matrix,
    Int64Array,
    Int64Matrix,
    ItemRecords,
    Items,
    ItemStart,
)
from anonset_kernels._jit import kernel


class GroupedRecords(NamedTuple):
    """Distinct records, sorted by group. Only records of the same group are compared."""

    begin: Int64Array
    """Start of each record in `codes`, int64 (D + 1,)."""
    codes: Int32Array
    """Codes of each record in ascending order, int32. The search is fastest if code 0 is the rarest."""
    weight: Int64Array
    """Multiplicity of each distinct record, int64 (D,)."""
    groups: Int64Array
    """First record of each group, int64 (G + 1,)."""
    owner: Int64Array
    """Owner of each record, int64 (D,). Owners are ascending in each group and not negative. Records of the same owner
    count as a single record.
    """


class _Walk(NamedTuple):
    """Current prefix of each length, the records that contain the prefix, and the suffixes of these records."""

    record: Int32Array
    place: Int64Array
    met: Int64Array
    by: Int64Array
    fill: Int64Array
    touched: Int32Matrix
    bounds: Int64Matrix
    at: Int64Array
    end: Int64Array


@kernel(allocates=True)
def count_known_sets(records: GroupedRecords, n_codes: int, upto: int, k: int, figures: Int64Matrix) -> None:
    """Count, for each itemset in each record, the records of the same group that contain the itemset.

    Parameters
    ----------
    upto
        Upper limit (exclusive) of the smallest code of a set. All sets are counted if it is `n_codes`.
    figures
        int64 (D, 3 size), updated. For each record and each number of items (1, 2, …), three figures about the sets of
        this size: their smallest support, the number of sets with a support below k, and the number of sets with
        support 1. Records with an owner must have weight 1.

    The search is depth-first and projects the records of each prefix. Cost: two steps per set and record. If a single
    distinct record contains a prefix, the extensions are not enumerated, because their number is known.
    """
    size, n_records = figures.shape[1] // 3, len(records.weight)
    capacity = n_records + max(1, size - 1) * len(records.codes)
    walk = _Walk(
        np.empty(capacity, np.int32), np.empty(capacity, np.int64), np.zeros(n_codes, np.int64),
        np.full(n_codes, -1, np.int64), np.zeros(n_codes, np.int64),
        np.empty((size, n_codes), np.int32), np.zeros((size, n_codes + 1), np.int64), np.zeros(size, np.int64),
        np.zeros(size + 1, np.int64),
    )  # fmt: skip
    n_touched = np.zeros(size, np.int64)
    for group in range(len(records.groups) - 1):
        filled = 0
        for r in range(records.groups[group], records.groups[group + 1]):
            walk.record[filled], walk.place[filled] = r, records.begin[r]
            filled += 1
        walk.end[0] = filled
        n_touched[0] = _extend(records, walk, 0, (0, filled), upto, k, figures)
        walk.at[0] = 0
        level = 0
        while level >= 0:
            if level == size - 1 or walk.at[level] == n_touched[level]:
                level -= 1
                continue
            child = walk.at[level]
            walk.at[level] += 1
            first, last = walk.bounds[level, child], walk.bounds[level, child + 1]
            if last - first == 1:
                record = walk.record[first]
                n_behind = records.begin[record + 1] - walk.place[first]
                _add_all(figures[record], records.weight[record], n_behind, level + 1, size, k)
                continue
            level += 1
            n_touched[level] = _extend(records, walk, level, (first, last), n_codes, k, figures)
            walk.at[level] = 0


@kernel()
def _extend(
    records: GroupedRecords, walk: _Walk, level: int, span: tuple[int, int], upto: int, k: int, figures: Int64Matrix
) -> int:
    """Count the extensions of a prefix of `level` codes. Update the figures, and list the records of each extension.

    `span` is the range of records that contain the prefix in the walk. Codes from `upto` on are ignored.
    """
    n_touched, size = 0, figures.shape[1] // 3
    for entry in range(span[0], span[1]):
        record = walk.record[entry]
        owner, weight = records.owner[record], records.weight[record]
        for position in range(walk.place[entry], records.begin[record + 1]):
            code = records.codes[position]
            if code >= upto:
                break
            if walk.met[code] == 0:
                walk.touched[level, n_touched] = code
                n_touched += 1
            if walk.by[code] != owner:
                walk.met[code] += weight
                walk.by[code] = owner
            walk.fill[code] += 1
    to_list = level < size - 1
    if to_list:
        fill = walk.end[level]
        for j in range(n_touched):
            code = walk.touched[level, j]
            walk.bounds[level, j] = fill
            fill += walk.fill[code]
            walk.fill[code] = walk.bounds[level, j]
        walk.bounds[level, n_touched] = fill
        walk.end[level + 1] = fill
    for entry in range(span[0], span[1]):
        record = walk.record[entry]
        row, below, unique = figures[record], 0, 0
        least = row[level]
        for position in range(walk.place[entry], records.begin[record + 1]):
            code = records.codes[position]
            if code >= upto:
                break
            support = walk.met[code]
            least = min(least, support)
            below += support < k
            unique += support == 1
            if to_list:
                to = walk.fill[code]
                walk.fill[code] += 1
                walk.record[to], walk.place[to] = record, position + 1
        row[level] = least
        row[size + level] += below
        row[2 * size + level] += unique
    for j in range(n_touched):
        walk.met[walk.touched[level, j]] = 0
        walk.by[walk.touched[level, j]] = -1
        walk.fill[walk.touched[level, j]] = 0
    return n_touched


@kernel()
def _add_all(row: Int64Array, weight: int, n_behind: int, level: int, size: int, k: int) -> None:
    """Add the sets that begin with a prefix of `level` codes to the figures of the only distinct record with the
    prefix.
    """
    n_sets = 1
    for more in range(1, min(n_behind, size - level) + 1):
        n_sets = n_sets * (n_behind - more + 1) // more
        column = level + more - 1
        row[column] = min(row[column], weight)
        row[size + column] += n_sets if weight < k else 0
        row[2 * size + column] += n_sets if weight == 1 else 0


@kernel(allocates=True)
def project(
    indptr: Indptr, items: Items, start: ItemStart, item_records: ItemRecords, record: int, of_group: Int64Array,
    number_of: Int32Array,
) -> tuple[Int64Array, Int32Array, Int64Array]:  # fmt: skip
    """Return the items that each record of the same group shares with `record`.

    Parameters
    ----------
    record
        Record to compare with. It is the first record of the result.
    of_group
        int64 (n,): group of each record.
    number_of
        int32 (n,): zero before and after the call.

    Returns
    -------
    Start of each record's shared items, int64 (R + 1,); place of each shared item in `record`, int32; number of each
    record, int64 (R,). O(sum of the supports of the items in `record`).
    """
    first, last = indptr[record], indptr[record + 1]
    n_found, n_entries = 1, 0
    number_of[record] = 1
    for i in range(first, last):
        for j in range(start[items[i]], start[items[i] + 1]):
            other = item_records[j]
            if of_group[other] == of_group[record]:
                n_entries += 1
                if number_of[other] == 0:
                    n_found += 1
                    number_of[other] = n_found
    begin, places = np.zeros(n_found + 2, np.int64), np.empty(n_entries, np.int32)
    sharing = np.full(n_found, record, np.int64)
    for i in range(first, last):
        for j in range(start[items[i]], start[items[i] + 1]):
            other = item_records[j]
            if of_group[other] == of_group[record]:
                begin[number_of[other] + 1] += 1
                sharing[number_of[other] - 1] = other
    for r in range(n_found):
        begin[r + 2] += begin[r + 1]
    for i in range(first, last):
        for j in range(start[items[i]], start[items[i] + 1]):
            other = item_records[j]
            if of_group[other] == of_group[record]:
                places[begin[number_of[other]]] = i - first
                begin[number_of[other]] += 1
    for i in range(first, last):
        for j in range(start[items[i]], start[items[i] + 1]):
            number_of[item_records[j]] = 0
    number_of[record] = 0
    return begin[: n_found + 1].copy(), places, sharing


class RecordSpan(NamedTuple):
    """Records of a range, and a prefix. Only records that contain the prefix are counted or copied."""

    begin: Int64Array
    """Start of each record in `codes`, int64 (D + 1,)."""
    codes: Int32Array
    """Ascending codes of each record, int32."""
    weight: Int64Array
    """Multiplicity of each record, int64 (D,)."""
    prefix: Int32Array
    """Codes of the prefix in ascending order, int32 (any,)."""


@kernel()
def _behind(span: RecordSpan, record: int) -> int:
    """Return the position after the prefix codes in a record, or -1 if the record lacks a code of the prefix."""
    position, end = span.begin[record], span.begin[record + 1]
    for code in span.prefix:
        while position < end and span.codes[position] < code:
            position += 1
        if position == end or span.codes[position] != code:
            return -1
        position += 1
    return position


@kernel()
def measure_behind(span: RecordSpan, first: int, last: int, supports: Int64Array, entries: Int64Array) -> None:
    """Count the records with the prefix and each code, and the codes that follow, in records `first` to ``last - 1``.

    Parameters
    ----------
    supports, entries
        int64 (C,) each, updated: number of records with each code, and total length of the suffixes that begin with the
        code.
    """
    for record in range(first, last):
        after = _behind(span, record)
        if after < 0:
            continue
        end = span.begin[record + 1]
        for place in range(after, end):
            supports[span.codes[place]] += span.weight[record]
            entries[span.codes[place]] += end - place


@kernel()
def lower_to_supports(span: RecordSpan, first: int, last: int, supports: Int64Array, least: Int64Array) -> None:
    """Reduce `least`, int64 (D,), to the smallest support of the codes that follow the prefix in each record.

    `supports`, int64 (codes,), is the support of each code. Records without the prefix do not change.
    """
    for record in range(first, last):
        after = _behind(span, record)
        if after < 0:
            continue
        for place in range(after, span.begin[record + 1]):
            least[record] = min(least[record], supports[span.codes[place]])


@kernel()
def gather_behind(
    span: RecordSpan,
    rows: tuple[int, int],
    codes: tuple[int, int],
    begin: Int64Array,
    suffixes: Int32Array,
    origin: Int64Array,
    filled: int,
) -> int:
    """Copy the suffix of each record from each code of a range on. Skips suffixes of a single code.

    Parameters
    ----------
    rows, codes
        Ranges (from, to) of records and of codes.
    begin, suffixes, origin
        int64 (room + 1,), int32 (entries,) and int64 (room,): start, codes and record of each copy. New copies are
        appended.
    filled
        Number of copies before the call.

    Returns
    -------
    New number of copies.
    """
    for record in range(rows[0], rows[1]):
        position, end = _behind(span, record), span.begin[record + 1]
        if position < 0:
            continue
        while position < end and span.codes[position] < codes[0]:
            position += 1
        if position + 1 >= end or span.codes[position] >= codes[1]:
            continue
        to = begin[filled]
        for place in range(position, end):
            suffixes[to] = span.codes[place]
            to += 1
        origin[filled] = record
        filled += 1
        begin[filled] = to
    return filled


@kernel()
def mark_distinct(
    indptr: Indptr, items: Items, apart: BoolArray, first: int, last: int, is_distinct: BoolArray
) -> None:
    """Mark the records from `first` to ``last - 1`` that differ from the previous record.

    Parameters
    ----------
    apart, is_distinct
        bool (last - first,) each. `apart` is True if the record is the first of a group. `is_distinct` is filled with
        True for each record that differs from the previous record of its group.
    """
    for record in range(first, last):
        length = indptr[record + 1] - indptr[record]
        differs = record == 0 or apart[record - first] or length != indptr[record] - indptr[record - 1]
        for place in range(indptr[record], indptr[record + 1]):
            differs = differs or items[place] != items[place - length]
        is_distinct[record - first] = differs
