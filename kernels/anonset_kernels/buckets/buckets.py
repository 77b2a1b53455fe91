"""Kernels of bucketization: random orders, runs of equal keys, and the groups of Anatomy.

Tuples are sorted by counting, which takes linear time. Only the heaps of `anatomize` take longer.
"""

import numpy as np

from anonset_kernels._arrays import DrawKey, Int32Array, Int64Array, UInt64Array
from anonset_kernels._jit import kernel
from anonset_kernels.buckets._draws import draw, exchanged
from anonset_kernels.buckets._heaps import LOW, ONE, packed, sift_down, sift_up

_DIGIT = 8
"""Number of key bits that a pass sorts. With more than 2^8 write positions, the processor cannot cache the addresses of
all memory pages.
"""
_SPREAD = 1 << 62
"""Offset of the numbers of draws that distribute entries over stretches."""


@kernel(allocates=True)
def shuffled(n: int, draw_key: DrawKey) -> Int32Array:
    """Return 0 .. n - 1 in random order, by a Fisher-Yates shuffle from the last position. O(n)."""
    drawn, unused_bits = np.arange(n).astype(np.int32), np.uint64(0)
    for last in range(n - 1, 0, -1):
        other, unused_bits = exchanged(draw_key, last, 0, n, unused_bits)
        drawn[last], drawn[other] = drawn[other], drawn[last]
    return drawn


@kernel()
def draw_again(words: UInt64Array, code_of: Int32Array, draw_key: DrawKey) -> None:
    """Replace each word by the draw whose number combines the word bitwise with the code. O(n).

    `words` and `code_of` are (n,). If `words` starts as zeros and the function is called for each column, the result is
    a keyed hash of each row's codes.
    """
    for row in range(len(code_of)):
        words[row] = draw(draw_key, words[row] ^ np.uint64(code_of[row]))


@kernel(allocates=True)
def random_by_code(
    code_of: Int32Array, n_codes: int, draw_key: DrawKey, capacity: int, stretch: Int32Array, order: Int32Array
) -> None:
    """Sort entries by code, with entries of the same code in random order. O(n + n_codes).

    Parameters
    ----------
    code_of
        (n,): code of each entry, in 0 .. `n_codes` - 1.
    capacity
        Number of entries that fit into the processor cache. The entries of a code with more entries are first
        distributed over 2^b <= 2^16 stretches, with at most `capacity` entries on average. Then each stretch is
        shuffled. Shuffling ten million entries without stretches takes three times as long.
    stretch, order
        (n,) each: filled with the stretch of each entry, and with the sorted entries.

    Entry `e` uses bits 16 * (e mod 4) and higher of draw 2^62 + e div 4. The lowest b of these bits select the stretch.
    A stretch is shuffled from the last position.
    """
    size = np.zeros(n_codes, np.int64)
    for code in code_of:
        size[code] += 1
    start = _spread(code_of, _bits(size, capacity), draw_key, stretch)
    place = start.copy()
    for entry in range(len(code_of)):
        order[place[stretch[entry]]] = entry
        place[stretch[entry]] += 1
    unused_bits = np.uint64(0)
    for number in range(len(start) - 1):
        begin, end = start[number], start[number + 1]
        for last in range(end - 1, begin, -1):
            other, unused_bits = exchanged(draw_key, last, begin, end, unused_bits)
            order[last], order[other] = order[other], order[last]


@kernel(allocates=True)
def random_runs(
    order: Int32Array, first: Int64Array, draw_key: DrawKey, capacity: int
) -> tuple[Int32Array, Int64Array]:
    """Sort the runs of `order` by descending length. Runs of equal length are in random order.

    Runs are shuffled like the entries of `random_by_code`, with the length as code. O(n).

    Parameters
    ----------
    order
        (n,): entries, run after run.
    first
        (runs + 1,): first index of each run.
    capacity
        Number of entries of runs that fit into the processor cache, as for `random_by_code`.

    Returns
    -------
    Entries in their new order, (n,), and first index of each run, (runs + 1,).
    """
    n_runs = len(first) - 1
    longest = first[1] - first[0]
    for run in range(1, n_runs):
        longest = max(longest, first[run + 1] - first[run])
    code_of, size = np.empty(n_runs, np.int32), np.zeros(longest, np.int64)
    for run in range(n_runs):
        code_of[run] = longest - (first[run + 1] - first[run])
        size[code_of[run]] += longest - code_of[run]
    bits = _bits(size, capacity)
    stretch = np.empty(n_runs, np.int32)
    first_run = _spread(code_of, bits, draw_key, stretch)
    length, begin = _lengths(first_run, bits)
    gathered, starts, place = np.empty(len(order), np.int32), np.empty(n_runs + 1, np.int64), begin.copy()
    for run in range(n_runs):
        to = place[stretch[run]]
        for i in range(first[run], first[run + 1]):
            gathered[to] = order[i]
            to += 1
        place[stretch[run]] = to
    starts[n_runs], unused_bits = len(order), np.uint64(0)
    for number in range(len(length)):
        low, high = first_run[number], first_run[number + 1]
        for last in range(high - 1, low - 1, -1):
            starts[last] = begin[number] + (last - low) * length[number]
            other, unused_bits = exchanged(draw_key, last, low, high, unused_bits)
            other = begin[number] + (other - low) * length[number]
            for i in range(length[number]):
                gathered[starts[last] + i], gathered[other + i] = gathered[other + i], gathered[starts[last] + i]
    return gathered, starts


@kernel(allocates=True)
def _bits(size: Int64Array, capacity: int) -> Int64Array:
    """Return the smallest number of bits b of each code for which 2^b stretches of `capacity` hold its entries."""
    bits = np.zeros(len(size), np.int64)
    for code in range(len(size)):
        while size[code] >> bits[code] > capacity and bits[code] < 16:
            bits[code] += 1
    return bits


@kernel(allocates=True)
def _spread(code_of: Int32Array, bits: Int64Array, draw_key: DrawKey, stretch: Int32Array) -> Int64Array:
    """Assign each entry to a stretch in `stretch`, (n,). Return the first entry of each stretch, (stretches + 1,)."""
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


@kernel(allocates=True)
def _lengths(first_run: Int64Array, bits: Int64Array) -> tuple[Int64Array, Int64Array]:
    """Return the run length and the first entry of each stretch. Runs are sorted by descending length.

    `first_run`, (stretches + 1,), is the first run of each stretch. The longest run has ``len(bits)`` entries.
    """
    length, begin = np.empty(len(first_run) - 1, np.int64), np.zeros(len(first_run), np.int64)
    number = 0
    for code in range(len(bits)):
        for _ in range(1 << bits[code]):
            length[number] = len(bits) - code
            begin[number + 1] = begin[number] + length[number] * (first_run[number + 1] - first_run[number])
            number += 1
    return length, begin[:-1]


@kernel(allocates=True)
def sorted_runs(keys: Int64Array, n_keys: int) -> tuple[Int32Array, Int64Array]:
    """Sort rows by key. The sort is stable.

    Returns the sorted rows, (n,), and the first index of each run of equal keys, (runs + 1,).

    Parameters
    ----------
    keys
        (n,): keys below `n_keys`, which is at most 2^31.

    Cost: O(n) for each eight bits of a key. A key and its row are stored in one number, so each pass reads memory
    sequentially.
    """
    n, bits = len(keys), 0
    while 1 << bits < n_keys:
        bits += 1
    rows, sorted_rows = np.empty(n, np.int64), np.empty(n, np.int64)
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
            sorted_rows[place[entry >> shift & mask]] = entry
            place[entry >> shift & mask] += 1
        rows, sorted_rows = sorted_rows, rows
    order, n_runs = np.empty(n, np.int32), 0
    starts = np.empty(n + 1, np.int64)
    before = -1
    for i in range(n):
        entry = rows[i]
        order[i] = entry & LOW
        starts[n_runs] = i
        n_runs += int(entry >> 32 != before)  # no branch, because the processor cannot predict the end of a run
        before = entry >> 32
    starts[n_runs] = n
    return order, starts[: n_runs + 1].copy()


@kernel(allocates=True)
def anatomize(order: Int32Array, first: Int64Array, l: int, group: Int32Array) -> None:  # noqa: E741
    """Form the groups of Anatomy. Fill `group`, (n,), with the group of each tuple.

    `order`, (n,), lists the tuples by sensitive value. The tuples of value `v` start at ``first[v]``, (values + 1,). No
    value may have more than n / l tuples. Each group receives the next tuple of each of the l values with the most
    remaining tuples. A remaining tuple joins the first group without its value. O(n log V) for V values.
    """
    n_values = len(first) - 1
    group[:] = -1
    key = np.empty(n_values, np.int64)
    cursors = np.empty(n_values, np.int64)
    size = 0
    for value in range(n_values):
        if first[value + 1] > first[value]:
            key[size] = packed(first[value + 1] - first[value], value)
            cursors[size] = first[value]
            sift_up(key, cursors, size)
            size += 1
    n_groups = 0
    while size >= l:
        # Entries removed from the heap for this group are stored after the heap, in the slots that become free.
        for _ in range(l):
            size -= 1
            top, cursor = key[0], cursors[0]
            key[0], cursors[0] = key[size], cursors[size]
            sift_down(key, cursors, size)
            key[size], cursors[size] = top - ONE, cursor + 1
            group[order[cursor]] = n_groups
        n_groups += 1
        for place in range(size, size + l):
            if key[place] >= ONE:
                key[size], cursors[size] = key[place], cursors[place]
                sift_up(key, cursors, size)
                size += 1
    for value in range(n_values):
        lacking = 0  # the groups of a value's tuples ascend: the first gap is the first group without it
        for cursor in range(first[value], first[value + 1]):
            if group[order[cursor]] == -1:
                group[order[cursor]] = lacking
            elif group[order[cursor]] != lacking:
                continue
            lacking += 1
