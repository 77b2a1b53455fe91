"""Kernels of bucketization: random orders, runs of equal keys, and the groups of Anatomy.

Tuples are sorted by counting, so that everything before the heaps is linear.
"""

import numpy as np

from anonset_kernels._arrays import DrawKey, Int32Array, Int64Array, UInt64Array
from anonset_kernels._draws import draw, exchanged
from anonset_kernels._heaps import LOW, ONE, packed, sift_down, sift_up
from anonset_kernels._jit import kernel

_DIGIT = 8
"""Bits of a key that one pass sorts by: more places than 2^8 are more memory pages than the processor remembers."""
_SPREAD = 1 << 62
"""Added to the numbers of the draws that spread entries over stretches."""


@kernel()
def shuffled(n: int, draw_key: DrawKey) -> Int32Array:
    """Return 0 .. n - 1 in random order: they are exchanged from the last place on. O(n)."""
    drawn, rest = np.arange(n).astype(np.int32), np.uint64(0)
    for last in range(n - 1, 0, -1):
        other, rest = exchanged(draw_key, last, 0, n, rest)
        drawn[last], drawn[other] = drawn[other], drawn[last]
    return drawn


@kernel()
def draw_again(words: UInt64Array, code_of: Int32Array, draw_key: DrawKey) -> None:
    """Set each of `words`, (n,), to the draw with the number that it makes with `code_of`, (n,), bit by bit: O(n).

    Begun with zeros, and gone on with column by column, it is a keyed hash of the codes of a row.
    """
    for row in range(len(code_of)):
        words[row] = draw(draw_key, words[row] ^ np.uint64(code_of[row]))


@kernel()
def random_by_code(
    code_of: Int32Array, n_codes: int, draw_key: DrawKey, room: int, stretch: Int32Array, order: Int32Array
) -> None:
    """Sort entries by their codes, those of the same code in random order. O(n + n_codes).

    Parameters
    ----------
    code_of
        (n,): code of each entry, from 0 to below `n_codes`.
    room
        How many entries the processor's cache has room for. Those of a code that has more are first spread over
        2^b <= 2^16 stretches, so that each has no more on average; then each stretch is shuffled. Ten million entries
        that were shuffled in one piece took three times as long.
    stretch, order
        (n,): are filled: the stretch of each entry, and the entries in their order.

    Entry `e` goes to the stretch that the last b bits of a sixteen say, the (e mod 4)-th from below of the draw with
    number 2^62 + e div 4; a stretch is shuffled from its last place on.
    """
    size = np.zeros(n_codes, np.int64)
    for code in code_of:
        size[code] += 1
    start = _spread(code_of, _bits(size, room), draw_key, stretch)
    place = start.copy()
    for entry in range(len(code_of)):
        order[place[stretch[entry]]] = entry
        place[stretch[entry]] += 1
    rest = np.uint64(0)
    for number in range(len(start) - 1):
        begin, end = start[number], start[number + 1]
        for last in range(end - 1, begin, -1):
            other, rest = exchanged(draw_key, last, begin, end, rest)
            order[last], order[other] = order[other], order[last]


@kernel()
def random_runs(order: Int32Array, first: Int64Array, draw_key: DrawKey, room: int) -> tuple[Int32Array, Int64Array]:
    """Put runs of `order` one after another by falling length, those of equal length in random order.

    Runs are drawn as the entries of `random_by_code` are, with codes by falling length. O(n).

    Parameters
    ----------
    order
        (n,): the entries, run after run.
    first
        (runs + 1,): where each run starts.
    room
        As for `random_by_code`, of entries of runs.

    Returns
    -------
    The entries in their new order, (n,), and where each run starts, (runs + 1,).
    """
    n_runs = len(first) - 1
    longest = first[1] - first[0]
    for run in range(1, n_runs):
        longest = max(longest, first[run + 1] - first[run])
    code_of, size = np.empty(n_runs, np.int32), np.zeros(longest, np.int64)
    for run in range(n_runs):
        code_of[run] = longest - (first[run + 1] - first[run])
        size[code_of[run]] += longest - code_of[run]
    bits = _bits(size, room)
    stretch = np.empty(n_runs, np.int32)
    first_run = _spread(code_of, bits, draw_key, stretch)
    length, begin = _lengths(first_run, bits)
    gathered, starts, place = np.empty(len(order), np.int32), np.empty(n_runs + 1, np.int64), begin.copy()
    for run in range(n_runs):
        to = place[stretch[run]]
        for at in range(first[run], first[run + 1]):
            gathered[to] = order[at]
            to += 1
        place[stretch[run]] = to
    starts[n_runs], rest = len(order), np.uint64(0)
    for number in range(len(length)):
        low, high = first_run[number], first_run[number + 1]
        for last in range(high - 1, low - 1, -1):
            starts[last] = begin[number] + (last - low) * length[number]
            other, rest = exchanged(draw_key, last, low, high, rest)
            other = begin[number] + (other - low) * length[number]
            for at in range(length[number]):
                gathered[starts[last] + at], gathered[other + at] = gathered[other + at], gathered[starts[last] + at]
    return gathered, starts


@kernel()
def _bits(size: Int64Array, room: int) -> Int64Array:
    """Return over how many bits the entries of each code are spread, `size` saying how much room they take."""
    bits = np.zeros(len(size), np.int64)
    for code in range(len(size)):
        while size[code] >> bits[code] > room and bits[code] < 16:
            bits[code] += 1
    return bits


@kernel()
def _spread(code_of: Int32Array, bits: Int64Array, draw_key: DrawKey, stretch: Int32Array) -> Int64Array:
    """Fill in the stretch of each entry, (n,), and return where stretches start, (stretches + 1,)."""
    first = np.zeros(len(bits) + 1, np.int64)
    for code in range(len(bits)):
        first[code + 1] = first[code] + (1 << bits[code])
    start = np.zeros(first[-1] + 1, np.int64)
    drawn, word = -1, np.uint64(0)
    for entry in range(len(code_of)):
        code = code_of[entry]
        stretch[entry] = first[code]
        if bits[code] > 0:
            if drawn != entry // 4:
                drawn, word = entry // 4, draw(draw_key, _SPREAD + entry // 4)
            sixteen = np.int64(word >> np.uint64(16 * (entry % 4)) & np.uint64(0xFFFF))
            stretch[entry] += sixteen & (1 << bits[code]) - 1
        start[stretch[entry] + 1] += 1
    for number in range(first[-1]):
        start[number + 1] += start[number]
    return start


@kernel()
def _lengths(first_run: Int64Array, bits: Int64Array) -> tuple[Int64Array, Int64Array]:
    """Return the length of the runs of each stretch and where its first starts, if they stand by falling length.

    `first_run`, (stretches + 1,), numbers the runs, the longest of which has as many entries as there are `bits`.
    """
    length, begin = np.empty(len(first_run) - 1, np.int64), np.zeros(len(first_run), np.int64)
    number = 0
    for code in range(len(bits)):
        for _ in range(1 << bits[code]):
            length[number] = len(bits) - code
            begin[number + 1] = begin[number] + length[number] * (first_run[number + 1] - first_run[number])
            number += 1
    return length, begin[:-1]


@kernel()
def sorted_runs(keys: Int64Array, n_keys: int) -> tuple[Int32Array, Int64Array]:
    """Sort rows by their keys, stably: rows, (n,), and where each run of equal keys starts, (runs + 1,).

    Parameters
    ----------
    keys
        (n,): below `n_keys`, which is at most 2^31.

    Cost: O(n) for each pass, of which there is one for every eight bits; the key goes along with its row in one
    number, so that each pass reads from the front to the back.
    """
    n, bits = len(keys), 0
    while 1 << bits < n_keys:
        bits += 1
    rows, room = np.empty(n, np.int64), np.empty(n, np.int64)
    n_passes = (bits + _DIGIT - 1) // _DIGIT
    shifts = np.arange(n_passes + 1) * bits // max(1, n_passes)
    places = np.zeros((n_passes, (1 << _DIGIT) + 1), np.int64)
    for row in range(n):
        rows[row] = keys[row] << 32 | row
        for number in range(n_passes):
            digit = keys[row] >> shifts[number] & (1 << shifts[number + 1] - shifts[number]) - 1
            places[number, digit + 1] += 1
    for number in range(n_passes):
        place, shift = places[number], 32 + shifts[number]
        mask = (1 << shifts[number + 1] - shifts[number]) - 1
        for digit in range(mask):
            place[digit + 1] += place[digit]
        for entry in rows:
            room[place[entry >> shift & mask]] = entry
            place[entry >> shift & mask] += 1
        rows, room = room, rows
    order, n_runs = np.empty(n, np.int32), 0
    starts = np.empty(n + 1, np.int64)
    before = -1
    for at in range(n):
        entry = rows[at]
        order[at] = entry & LOW
        starts[n_runs] = at
        n_runs += int(entry >> 32 != before)  # no branch: whether a run ends cannot be foreseen
        before = entry >> 32
    starts[n_runs] = n
    return order, starts[: n_runs + 1].copy()


@kernel()
def anatomize(order: Int32Array, first: Int64Array, l: int, group: Int32Array) -> None:  # noqa: E741
    """Form the groups of Anatomy: fill in the group of each tuple, (n,).

    `order`, (n,), lists the tuples by sensitive value, those of value `v` from ``first[v]`` on, (values + 1,); no value
    may have more than n / l of them. Each group takes the next tuple of each of the l values with most tuples left;
    a tuple that is left over joins the first group that lacks its value. O(n log V), V the number of values.
    """
    n_values = len(first) - 1
    group[:] = -1
    key = np.empty(n_values, np.int64)
    at = np.empty(n_values, np.int64)
    size = 0
    for value in range(n_values):
        if first[value + 1] > first[value]:
            key[size] = packed(first[value + 1] - first[value], value)
            at[size] = first[value]
            sift_up(key, at, size)
            size += 1
    n_groups = 0
    while size >= l:
        # The entries taken for this group stand behind the heap, in the places that it gives up.
        for _ in range(l):
            size -= 1
            taken, cursor = key[0], at[0]
            key[0], at[0] = key[size], at[size]
            sift_down(key, at, size)
            key[size], at[size] = taken - ONE, cursor + 1
            group[order[cursor]] = n_groups
        n_groups += 1
        for place in range(size, size + l):
            if key[place] >= ONE:
                key[size], at[size] = key[place], at[place]
                sift_up(key, at, size)
                size += 1
    for value in range(n_values):
        lacking = 0  # a value's tuples went to ever later groups: the first gap is where they stop being 0, 1, 2, ...
        for cursor in range(first[value], first[value + 1]):
            if group[order[cursor]] == -1:
                group[order[cursor]] = lacking
            elif group[order[cursor]] != lacking:
                continue
            lacking += 1
