"""What follows each code in the records, side by side for each code: what a walk below that code looks at."""

from anonset_kernels._arrays import Codes, IndexArray, Int64Array
from anonset_kernels._jit import kernel


@kernel()
def measure_suffixes(codes: Codes, least: int, entries: Int64Array, records: Int64Array) -> None:
    """Add up how much follows each code, where at least so many codes do.

    Parameters
    ----------
    least
        Number of codes that must follow.
    entries, records
        int64 (C,) and int64 (C,): added to; the codes that follow, and the records. O(entries).
    """
    begin = 0
    for end in range(len(codes)):
        if codes[end] >= 0:
            continue
        for at in range(begin, end - least):
            entries[codes[at]] += end - at - 1
            records[codes[at]] += 1
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
    """Copy what follows the codes from `first` to ``last - 1``, each closed by -1, where at least so many codes do.

    Parameters
    ----------
    least
        Number of codes that must follow.
    fill, place
        int64 (last - first,): where the next suffix of each code goes, and its position; moved on.
    suffixes
        int32: filled with the suffixes, those of a code side by side.
    position
        int32 or int64: filled with the place before each suffix, as `count_tree.expand` does.

    O(entries + what is copied).
    """
    begin = 0
    for end in range(len(codes)):
        if codes[end] >= 0:
            continue
        for at in range(begin, end - least):
            a = codes[at]
            if a >= last:
                break
            if a >= first:
                to = fill[a - first]
                position[place[a - first]] = to - 1
                place[a - first] += 1
                for follower in range(at + 1, end + 1):
                    suffixes[to] = codes[follower]
                    to += 1
                fill[a - first] = to
        begin = end + 1


@kernel()
def place_codes(codes: Codes, fill: Int64Array, position: IndexArray) -> None:
    """List where each code stands, as `count_tree.expand` does.

    `fill` is int64 (C,): where the positions of each code go in `position`, int32 or int64; moved on. O(entries).
    """
    for at in range(len(codes)):
        c = codes[at]
        if c >= 0:
            position[fill[c]] = at
            fill[c] += 1
