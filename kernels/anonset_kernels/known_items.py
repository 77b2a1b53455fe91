"""How many records each set of a record's items leaves: what somebody who knows so many items can tell apart.

Records that are too many to be walked at once are walked by what goes on behind a prefix with some codes.
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


class Records(NamedTuple):
    """Distinct records, group by group; only those of one group are confused with each other."""

    begin: Int64Array
    """int64 (D + 1,): where each record begins in `codes`."""
    codes: Int32Array
    """int32: ascending codes of each record; fastest where 0 is the rarest."""
    weight: Int64Array
    """int64 (D,): how many records are like it."""
    groups: Int64Array
    """int64 (G + 1,): where the records of each group begin."""
    owner: Int64Array
    """int64 (D,), ascending within each group, >= 0: whose each record is; those of an owner count as one."""


class _Walk(NamedTuple):
    """The prefixes at hand, and for each size the records that hold them, with what follows in each."""

    record: Int32Array
    place: Int64Array
    met: Int64Array
    by: Int64Array
    fill: Int64Array
    touched: Int32Matrix
    bounds: Int64Matrix
    at: Int64Array
    end: Int64Array


@kernel()
def count_known_sets(records: Records, n_codes: int, upto: int, k: int, figures: Int64Matrix) -> None:
    """Count the records of the same group that hold each set of items of each of the `records`.

    Parameters
    ----------
    upto
        One past the largest code that a set may begin with: `n_codes`, for all of them.
    figures
        int64 (D, 3 size): of each record, for its sets of 1, 2, … items: the records that hold the set which the fewest
        hold, the sets that fewer than k records hold, the sets that one holds. Lowered, and added to. The records of an
        owner count as one, of which the weight must be 1.

    Depth first over prefixes, which are projections of the records. Cost: two steps for each set of each record, but
    for the sets behind a prefix that one distinct record holds, of which the number is known.
    """
    size, n_records = figures.shape[1] // 3, len(records.weight)
    room = n_records + max(1, size - 1) * len(records.codes)
    walk = _Walk(
        np.empty(room, np.int32), np.empty(room, np.int64), np.zeros(n_codes, np.int64),
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
    records: Records, walk: _Walk, level: int, held: tuple[int, int], upto: int, k: int, figures: Int64Matrix
) -> int:
    """Count what follows a prefix of `level` codes, note it at each record, and list the records behind each code.

    `held` are the first and the end of the records with the prefix in the walk; codes from `upto` on are passed over.
    """
    n_touched, size = 0, figures.shape[1] // 3
    for entry in range(held[0], held[1]):
        record = walk.record[entry]
        owner, weight = records.owner[record], records.weight[record]
        for at in range(walk.place[entry], records.begin[record + 1]):
            code = records.codes[at]
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
    for entry in range(held[0], held[1]):
        record = walk.record[entry]
        row, below, unique = figures[record], 0, 0
        least = row[level]
        for at in range(walk.place[entry], records.begin[record + 1]):
            code = records.codes[at]
            if code >= upto:
                break
            found = walk.met[code]
            least = min(least, found)
            below += found < k
            unique += found == 1
            if to_list:
                to = walk.fill[code]
                walk.fill[code] += 1
                walk.record[to], walk.place[to] = record, at + 1
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
    """Add all sets that begin with a prefix of `level` codes which no other distinct record holds."""
    n_sets = 1
    for more in range(1, min(n_behind, size - level) + 1):
        n_sets = n_sets * (n_behind - more + 1) // more
        at = level + more - 1
        row[at] = min(row[at], weight)
        row[size + at] += n_sets if weight < k else 0
        row[2 * size + at] += n_sets if weight == 1 else 0


@kernel()
def project(
    indptr: Indptr, items: Items, start: ItemStart, item_records: ItemRecords, record: int, of_group: Int64Array,
    seen: Int32Array,
) -> tuple[Int64Array, Int32Array, Int64Array]:  # fmt: skip
    """Return what each record of the same group shares with one of them, which comes first: offsets, places, records.

    Parameters
    ----------
    record
        The record with which others are held.
    of_group
        int64 (n,): the group of each record.
    seen
        int32 (n,): zeros, and zeros again after.

    Returns
    -------
    int64 (R + 1,), int32, int64 (R,): where the shared items of each record begin, each item's place in the record, and
    which records these are. O of the supports of its items.
    """
    first, last = indptr[record], indptr[record + 1]
    n_found, n_entries = 1, 0
    seen[record] = 1
    for at in range(first, last):
        for j in range(start[items[at]], start[items[at] + 1]):
            other = item_records[j]
            if of_group[other] == of_group[record]:
                n_entries += 1
                if seen[other] == 0:
                    n_found += 1
                    seen[other] = n_found
    begin, places = np.zeros(n_found + 2, np.int64), np.empty(n_entries, np.int32)
    sharing = np.full(n_found, record, np.int64)
    for at in range(first, last):
        for j in range(start[items[at]], start[items[at] + 1]):
            other = item_records[j]
            if of_group[other] == of_group[record]:
                begin[seen[other] + 1] += 1
                sharing[seen[other] - 1] = other
    for r in range(n_found):
        begin[r + 2] += begin[r + 1]
    for at in range(first, last):
        for j in range(start[items[at]], start[items[at] + 1]):
            other = item_records[j]
            if of_group[other] == of_group[record]:
                places[begin[seen[other]]] = at - first
                begin[seen[other]] += 1
    for at in range(first, last):
        for j in range(start[items[at]], start[items[at] + 1]):
            seen[item_records[j]] = 0
    seen[record] = 0
    return begin[: n_found + 1].copy(), places, sharing


class Span(NamedTuple):
    """Some records, and what they must begin with."""

    begin: Int64Array
    """int64 (D + 1,): where each record begins in `codes`."""
    codes: Int32Array
    """int32: ascending codes of each record."""
    weight: Int64Array
    """int64 (D,): how many records are like it."""
    prefix: Int32Array
    """int32 (any,): ascending codes; only records that hold all of them take part."""


@kernel()
def _behind(span: Span, record: int) -> int:
    """Return where a record goes on behind the codes of the prefix; -1 where it lacks one."""
    at, end = span.begin[record], span.begin[record + 1]
    for wanted in span.prefix:
        while at < end and span.codes[at] < wanted:
            at += 1
        if at == end or span.codes[at] != wanted:
            return -1
        at += 1
    return at


@kernel()
def measure_behind(span: Span, first: int, last: int, supports: Int64Array, entries: Int64Array) -> None:
    """Add up, of the records from `first` to ``last - 1``, how many hold the prefix and each code, and what follows.

    Parameters
    ----------
    supports, entries
        int64 (C,) each: added to; the records with each code, and the codes from it on to the end of these records.
    """
    for record in range(first, last):
        at = _behind(span, record)
        if at < 0:
            continue
        end = span.begin[record + 1]
        for place in range(at, end):
            supports[span.codes[place]] += span.weight[record]
            entries[span.codes[place]] += end - place


@kernel()
def lower_to_supports(span: Span, first: int, last: int, supports: Int64Array, least: Int64Array) -> None:
    """Lower `least`, int64 (D,), to the least of `supports`, int64 (codes,), behind the prefix, where it is held."""
    for record in range(first, last):
        at = _behind(span, record)
        if at < 0:
            continue
        for place in range(at, span.begin[record + 1]):
            least[record] = min(least[record], supports[span.codes[place]])


@kernel()
def gather_behind(
    span: Span, first: int, last: int, low: int, high: int, begin: Int64Array, behind: Int32Array, origin: Int64Array,
    filled: int,
) -> int:  # fmt: skip
    """Copy what goes on behind the prefix, from the first code of `low` to ``high - 1`` on, where another follows it.

    Parameters
    ----------
    begin, behind, origin
        int64 (room + 1,), int32 (entries,), int64 (room,): filled on; where each copy begins, its codes, its record.
    filled
        How many there are already.

    Returns
    -------
    How many there are then.
    """
    for record in range(first, last):
        at, end = _behind(span, record), span.begin[record + 1]
        if at < 0:
            continue
        while at < end and span.codes[at] < low:
            at += 1
        if at + 1 >= end or span.codes[at] >= high:
            continue
        to = begin[filled]
        for place in range(at, end):
            behind[to] = span.codes[place]
            to += 1
        origin[filled] = record
        filled += 1
        begin[filled] = to
    return filled


@kernel()
def mark_distinct(indptr: Indptr, items: Items, apart: BoolArray, first: int, last: int, fresh: BoolArray) -> None:
    """Mark the records from `first` to ``last - 1`` that differ from the one before.

    Parameters
    ----------
    apart, fresh
        bool (last - first,): whether a group begins with the record; and, filled, whether it is the first of its kind.
    """
    for record in range(first, last):
        length = indptr[record + 1] - indptr[record]
        differs = record == 0 or apart[record - first] or length != indptr[record] - indptr[record - 1]
        for place in range(indptr[record], indptr[record + 1]):
            differs = differs or items[place] != items[place - length]
        fresh[record - first] = differs
