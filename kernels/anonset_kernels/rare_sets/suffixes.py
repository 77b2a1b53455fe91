"""Copy the suffixes after each code in the records, code by code. A walk below a code then reads adjacent memory."""

from anonset_kernels._arrays import Codes, IndexArray, Int64Array
from anonset_kernels._jit import kernel


@kernel()
def measure_suffixes(codes: Codes, least: int, entries: Int64Array, records: Int64Array) -> None:
    """Count, for each code, the records in which at least `least` codes follow it, and the codes that follow.

    Parameters
    ----------
    least
        Number of codes that must follow.
    entries, records
        int64 (C,) each, updated: number of codes that follow, and number of records. O(entries).
    """
    begin = 0
    for end in range(len(codes)):
        if codes[end] >= 0:
            continue
        for position in range(begin, end - least):
            entries[codes[position]] += end - position - 1
            records[codes[position]] += 1
        begin = end + 1


@kernel()
def gather_suffixes(
    codes: Codes,
    first: int,
    last: int,
    least: int,
    fill: Int64Array,
    suffixes: Codes,
    place: Int64Array,
    position: IndexArray,
) -> None:
    """Copy the suffixes after the codes `first` to ``last - 1``, each terminated by -1.

    Skips suffixes of fewer than `least` codes.

    Parameters
    ----------
    least
        Number of codes that must follow.
    fill, place
        int64 (last - first,) each, updated: index of each code's next suffix in `suffixes`, and of its position in
        `position`.
    suffixes
        int32: filled with the suffixes, code by code.
    position
        int32 or int64: filled with the position before each suffix, as in `count_tree.expand`.

    O(entries + copied codes).
    """
    begin = 0
    for end in range(len(codes)):
        if codes[end] >= 0:
            continue
        for i in range(begin, end - least):
            a = codes[i]
            if a >= last:
                break
            if a >= first:
                to = fill[a - first]
                position[place[a - first]] = to - 1
                place[a - first] += 1
                for follower in range(i + 1, end + 1):
                    suffixes[to] = codes[follower]
                    to += 1
                fill[a - first] = to
        begin = end + 1


@kernel()
def place_codes(codes: Codes, fill: Int64Array, position: IndexArray) -> None:
    """List the positions of each code, as in `count_tree.expand`.

    `fill` is int64 (C,): next free index of each code in `position`, int32 or int64; updated. O(entries).
    """
    for i in range(len(codes)):
        c = codes[i]
        if c >= 0:
            position[fill[c]] = i
            fill[c] += 1
