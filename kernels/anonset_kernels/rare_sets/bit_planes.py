"""Find rare sets of 2 to 5 codes with counters that stop at k. A word of a bit plane has a bit of 64 counters.

A record contains a set if it contains every code of the set. Sets that differ only in their smallest code form a row. A
row consists of *cells*, with a bit for each of 64 smallest codes. A cell has a uint64 ``closed``, with a bit for each
set of support k, and P planes of type uint64. The bits i of all planes are the support of set i in binary, if the set
is not closed. A record increments the counters of its sets that are not closed, 64 sets at a time. A cell with only
closed sets costs a single read.

A table over C codes stores the rows in sequence. The row of a pair has the cells of all smaller codes. Any other row
has ``width(b)`` cells, for the codes below its second code b::

    2   c          begins at start[c]
    3   (b, c)     begins at start[b] + (c - b - 1) * width(b)
    4   (b, c, d)  begins at start[b * C + c] + (d - c - 1) * width(b)

The table of sets of 5 contains, for each largest code e, a table of sets of 4 over the smaller codes, which begins at
start[e].
"""

import numpy as np

from anonset_kernels._arrays import (
    Csr,
    Int32Array,
    Int64Array,
    UInt64Array,
)
from anonset_kernels._bits import bit
from anonset_kernels._jit import kernel
from anonset_kernels.rare_sets._planes import Planes, add_to_cell, count_pairs, fours_below, width
from anonset_kernels.rare_sets._prefix import with_room
from anonset_kernels.rare_sets._record_codes import Ancestors, Record, room_for_record, take_record

_ALL = ~np.uint64(0)


@kernel(allocates=True)
def count_sets(
    rows: Csr, ancestors: Ancestors, size: int, table: Planes, lengths: Int64Array, adding: UInt64Array
) -> None:
    """Count the sets of `size` (2 to 4) codes of some records.

    Parameters
    ----------
    rows
        (indptr, items): records, as leaf codes.
    table
        Counters, updated.
    lengths
        int64 (C + 1,): number of records with each number of codes; updated. A record with fewer than `size` codes may
        be counted with too many codes, but with fewer than `size`.
    adding
        uint64 ((n + 63) // 64,): bitmap of the records; updated. The bit of a record is set if the record increments a
        counter. This includes all records that contain a rare set.

    Cost: a read for each cell with sets of a record, and P + 1 writes unless all sets are closed. Records with a single
    item, or with certainly fewer than `size` codes, cost almost no time.
    """
    indptr, items = rows
    n_codes = len(lengths) - 1
    record = room_for_record(n_codes)
    for record_number in range(len(indptr) - 1):
        of_record = items[indptr[record_number] : indptr[record_number + 1]]
        most = _most_codes(of_record, ancestors.n_codes, size)
        if len(of_record) < 2 or most < size:
            lengths[most if most >= size else 0] += 1
            continue
        n, n_words = take_record(of_record, ancestors, record)
        lengths[n] += 1
        n_first = n_words if len(of_record) >= size else 0  # a set never contains two nodes above the same item
        while n_first > 0 and record.place[n_first - 1] >= table.n_words:
            n_first -= 1
        if size == 2:
            adds = count_pairs(record, n, n_first, table)
        elif size == 3:
            adds = _count_triples(record, n, n_first, table)
        else:
            adds = _count_fours(record, n, n_first, n_codes, table)
        if adds:
            adding[record_number >> 6] |= bit(record_number & 63)
        for i in range(n_words):
            record.words[record.place[i]] = np.uint64(0)


@kernel()
def _most_codes(of_record: Int32Array, n_codes: Int32Array, size: int) -> int:
    """Return an upper bound of the number of codes of a record, at most `size`. Exact for a single item."""
    most = 0
    for item in of_record:
        most += n_codes[item]
        if most >= size:
            break
    return most


@kernel()
def _count_triples(record: Record, n: int, n_first: int, table: Planes) -> bool:
    """Count the sets of a record; return True if a counter changes."""
    closed, planes, flip, codes = table.closed, table.planes, table.flip, record.codes
    adds = False
    for j in range(1, n - 1 if n_first else 0):
        b = codes[j]
        last, wide = b >> 6, width(b, table.n_words)
        for i in range(n_first):
            w = record.place[i]
            if w > last:
                break
            word = record.words[w]
            if w == last:
                word &= bit(b & 63) - np.uint64(1)
                if word == 0:
                    break
            begin = table.start[b] + w - (b + 1) * wide
            for h in range(j + 1, n):
                cell = begin + codes[h] * wide
                open_bits = word & ~closed[cell]
                if open_bits != 0:
                    adds = True
                    add_to_cell(cell, open_bits, closed, planes, flip)
    return adds


@kernel()
def _count_fours(record: Record, n: int, n_first: int, n_codes: int, table: Planes) -> bool:
    """Count the sets of a record; return True if a counter changes."""
    closed, planes, flip, codes = table.closed, table.planes, table.flip, record.codes
    adds = False
    for j in range(1, n - 2 if n_first else 0):
        b = codes[j]
        last, wide = b >> 6, width(b, table.n_words)
        for h in range(j + 1, n - 1):
            c = codes[h]
            row = table.start[b * n_codes + c] - (c + 1) * wide
            for i in range(n_first):
                w = record.place[i]
                if w > last:
                    break
                word = record.words[w]
                if w == last:
                    word &= bit(b & 63) - np.uint64(1)
                    if word == 0:
                        break
                for g in range(h + 1, n):
                    cell = row + codes[g] * wide + w
                    open_bits = word & ~closed[cell]
                    if open_bits != 0:
                        adds = True
                        add_to_cell(cell, open_bits, closed, planes, flip)
    return adds


@kernel(allocates=True)
def count_fives(rows: Csr, ancestors: Ancestors, table: Planes, lengths: Int64Array) -> None:
    """Count the sets of 5 codes of some records. Like `count_sets`, but for each largest code in turn.

    The table for each largest code fits into a cache. During the call the records are stored as codes, with 16 bytes
    per code. `lengths`, int64 (C + 1,), is the number of records with each number of codes and is updated.
    """
    n_codes = len(lengths) - 1
    record, start = room_for_record(n_codes), np.zeros(n_codes + 1, np.int64)
    begin, codes = _as_codes(rows, ancestors, record, lengths)
    for c in codes:
        start[c + 1] += 1
    for after in range(1, n_codes + 1):
        start[after] += start[after - 1]
    fill, place, holder = start[:-1].copy(), np.empty(len(codes), np.int64), np.empty(len(codes), np.int32)
    for record_number in range(len(begin) - 1):
        for i in range(begin[record_number], begin[record_number + 1]):
            place[fill[codes[i]]], holder[fill[codes[i]]] = i, record_number
            fill[codes[i]] += 1
    for e in range(4, n_codes):
        table_of_code = fours_below(table, e)
        for i in range(start[e], start[e + 1]):
            smaller = codes[begin[holder[i]] : place[i]]
            if len(smaller) < 4:
                continue
            n_words = n_first = 0
            for n in range(len(smaller)):
                w = smaller[n] >> 6
                if n_words == 0 or record.place[n_words - 1] != w:
                    record.place[n_words] = w
                    n_words += 1
                    n_first += w < table.n_words
                record.words[w] |= bit(smaller[n] & 63)
                record.codes[n] = smaller[n]
            _count_fours(record, len(smaller), n_first, e, table_of_code)
            for w in record.place[:n_words]:
                record.words[w] = np.uint64(0)


@kernel(allocates=True)
def _as_codes(rows: Csr, ancestors: Ancestors, record: Record, lengths: Int64Array) -> tuple[Int64Array, Int32Array]:
    """Return the codes of the records that may contain sets of 5.

    Returns the first index of each record, int64 (r + 1,), and the codes in ascending order, int32.
    """
    indptr, items = rows
    begin, codes, filled = np.zeros(len(indptr), np.int64), np.empty(1024, np.int32), 0
    for record_number in range(len(indptr) - 1):
        of_record = items[indptr[record_number] : indptr[record_number + 1]]
        n, n_words = take_record(of_record, ancestors, record)
        lengths[n] += 1
        if len(of_record) >= 5:
            codes = with_room(codes, filled, filled + n)
            for i in range(n):
                codes[filled + i] = record.codes[i]
            filled += n
        begin[record_number + 1] = filled
        for i in range(n_words):
            record.words[record.place[i]] = np.uint64(0)
    return begin, codes[:filled]


@kernel()
def merge(table: Planes, other: Planes) -> None:
    """Add the counters of another table with the same rows, and close the sets that reach k. O(cells)."""
    n_planes = len(table.flip)
    for cell in range(len(table.closed)):
        table.closed[cell] |= other.closed[cell]
        plane = cell * n_planes
        more, equal, carry = np.uint64(0), _ALL, np.uint64(0)
        for p in range(n_planes):  # addition from the lowest bit
            x, y = table.planes[plane + p], other.planes[plane + p]
            total = x ^ y ^ carry
            carry = (x & y) | (carry & (x | y))
            table.planes[plane + p] = total
            of_k = ~table.flip[p]
            more = (total & ~of_k) | (more & ~(total ^ of_k))
            equal &= ~(total ^ of_k)
        table.closed[cell] |= carry | more | equal
