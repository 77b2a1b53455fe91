"""Kernels of bucketization: forming the groups of Anatomy and of safe grouping.

Tuples are sorted by counting, so that everything before the heaps is linear. A heap is a stretch of two parallel
arrays, the largest key first: `key` packs an amount (high 32 bits) and, inverted, a code (low 32 bits), so that of
equal amounts the smallest code comes first; `at` goes along and says where the entry's tuples are.
"""

from typing import Any

import numpy as np

from anonset_kernels._jit import kernel

_ONE = 1 << 32
_LOW = _ONE - 1
_DIGIT = 8
"""Bits of a key that one pass sorts by: more places than 2^8 are more memory pages than the processor remembers."""


@kernel()
def counting_order(codes: Any, n_codes: int, before: Any) -> Any:
    """Sort the rows listed in `before` by their codes, stably: int32 (n,) rows. O(n + n_codes)."""
    start = np.zeros(n_codes + 1, np.int64)
    for code in codes:
        start[code + 1] += 1
    for code in range(n_codes):
        start[code + 1] += start[code]
    order = np.empty(len(before), np.int32)
    for row in before:
        code = codes[row]
        order[start[code]] = row
        start[code] += 1
    return order


@kernel()
def shuffled(words: Any) -> Any:
    """Return the rows in random order, int32 (n,), by one random word of uint64 (n,) each (Fisher, Yates). O(n)."""
    rows = np.arange(len(words)).astype(np.int32)
    for last in range(len(words) - 1, 0, -1):
        drawn = np.int64(words[last] % np.uint64(last + 1))
        rows[last], rows[drawn] = rows[drawn], rows[last]
    return rows


@kernel()
def sorted_runs(keys: Any, n_keys: int) -> Any:
    """Sort rows by their keys, stably: int32 (n,) rows, and int64 (runs + 1,) where each run of equal keys starts.

    Parameters
    ----------
    keys
        int64 (n,): below `n_keys`, which is at most 2^31.

    Cost: O(n) for each pass, of which there is one for every eight bits; the key goes along with its row in one
    number, so that each pass reads from the front to the back.
    """
    n, bits = len(keys), 0
    while 1 << bits < n_keys:
        bits += 1
    rows, room = np.empty(n, np.int64), np.empty(n, np.int64)
    for row in range(n):
        rows[row] = keys[row] << 32 | row
    n_passes = (bits + _DIGIT - 1) // _DIGIT
    for number in range(n_passes):
        shift = 32 + number * bits // n_passes
        mask = (1 << (32 + (number + 1) * bits // n_passes - shift)) - 1
        place = np.zeros(mask + 2, np.int64)
        for packed in rows:
            place[(packed >> shift & mask) + 1] += 1
        for digit in range(mask):
            place[digit + 1] += place[digit]
        for packed in rows:
            room[place[packed >> shift & mask]] = packed
            place[packed >> shift & mask] += 1
        rows, room = room, rows
    order, n_runs = np.empty(n, np.int32), 0
    starts = np.empty(n + 1, np.int64)
    before = -1
    for at in range(n):
        packed = rows[at]
        order[at] = packed & _LOW
        starts[n_runs] = at
        n_runs += int(packed >> 32 != before)  # no branch: whether a run ends cannot be foreseen
        before = packed >> 32
    starts[n_runs] = n
    return order, starts[: n_runs + 1].copy()


@kernel()
def gather_runs(order: Any, first: Any, runs: Any) -> Any:
    """Put runs of `order` one after another, run `r` being ``order[first[r]:first[r + 1]]``.

    Returns int32 (n,) and int64 (runs + 1,): the gathered entries and where each run starts now. O(n).
    """
    gathered = np.empty(len(order), np.int32)
    start = np.zeros(len(runs) + 1, np.int64)
    filled = 0
    for number in range(len(runs)):
        for at in range(first[runs[number]], first[runs[number] + 1]):
            gathered[filled] = order[at]
            filled += 1
        start[number + 1] = filled
    return gathered, start


@kernel()
def _packed(amount: Any, code: Any) -> Any:
    """Return the key of an amount and a code (int64)."""
    return np.int64(amount) * _ONE + (_LOW - np.int64(code))


@kernel()
def _sift_up(key: Any, at: Any, place: int) -> None:
    """Move an entry of a heap up to where it belongs."""
    moved, cursor = key[place], at[place]
    while place > 0:
        parent = (place - 1) // 2
        if key[parent] >= moved:
            break
        key[place] = key[parent]
        at[place] = at[parent]
        place = parent
    key[place] = moved
    at[place] = cursor


@kernel()
def _sift_down(key: Any, at: Any, size: int) -> None:
    """Move the first entry of a heap down to where it belongs."""
    place = 0
    moved, cursor = key[0], at[0]
    while 2 * place + 1 < size:
        child = 2 * place + 1
        if child + 1 < size and key[child + 1] > key[child]:
            child += 1
        if key[child] <= moved:
            break
        key[place] = key[child]
        at[place] = at[child]
        place = child
    key[place] = moved
    at[place] = cursor


@kernel()
def anatomize(order: Any, first: Any, l: int) -> Any:  # noqa: E741
    """Form the groups of Anatomy: int32 (n,) group of each tuple.

    `order` int32 (n,) lists the tuples by sensitive value, those of value `v` from ``first[v]`` on; no value may
    have more than n / l of them. Each group takes the next tuple of each of the l values with most tuples left;
    a tuple that is left over joins the first group that lacks its value. O(n log V), V the number of values.
    """
    n_values = len(first) - 1
    group = np.full(len(order), -1, np.int32)
    key = np.empty(n_values, np.int64)
    at = np.empty(n_values, np.int64)
    size = 0
    for value in range(n_values):
        if first[value + 1] > first[value]:
            key[size] = _packed(first[value + 1] - first[value], value)
            at[size] = first[value]
            _sift_up(key, at, size)
            size += 1
    n_groups = 0
    while size >= l:
        # The entries taken for this group stand behind the heap, in the places that it gives up.
        for _ in range(l):
            size -= 1
            taken, cursor = key[0], at[0]
            key[0], at[0] = key[size], at[size]
            _sift_down(key, at, size)
            key[size], at[size] = taken - _ONE, cursor + 1
            group[order[cursor]] = n_groups
        n_groups += 1
        for place in range(size, size + l):
            if key[place] >= _ONE:
                key[size], at[size] = key[place], at[place]
                _sift_up(key, at, size)
                size += 1
    for value in range(n_values):
        lacking = 0  # a value's tuples went to ever later groups: the first gap is where they stop being 0, 1, 2, ...
        for cursor in range(first[value], first[value + 1]):
            if group[order[cursor]] == -1:
                group[order[cursor]] = lacking
            elif group[order[cursor]] != lacking:
                continue
            lacking += 1
    return group


@kernel()
def diversify(value: Any, person: Any, identity: Any, bounds: Any, n_values: int, l: int) -> Any:  # noqa: E741
    """Choose the tuples to remove so that no value has more than 1/l of its group: bool (n,), True where kept.

    Parameters
    ----------
    value, person
        int32 (n,): sensitive value and person of each tuple, in the order of the groups; a person's tuples stand
        together, ascending.
    identity
        int32 (persons,): rank of each person's id.
    bounds
        int64 (groups + 1,): where each group's tuples start.

    Cost: O(n), and in groups that violate the bound O(size (log(size) + l)).
    """
    kept = np.ones(len(value), np.bool_)
    count = np.zeros(n_values, np.int32)
    for number in range(len(bounds) - 1):
        begin, end = bounds[number], bounds[number + 1]
        most = 0
        for at in range(begin, end):
            count[value[at]] += 1
            most = max(most, count[value[at]])
        for at in range(begin, end):
            count[value[at]] = 0
        if l * most > end - begin:
            _make_diverse(value[begin:end], person[begin:end], identity, kept[begin:end], l)
    return kept


@kernel()
def _make_diverse(value: Any, person: Any, identity: Any, kept: Any, l: int) -> None:  # noqa: E741
    """Remove tuples of a group, always one of the most frequent value, until that has at most 1/l of what is left.

    Values are lowered level by level: those that are most frequent lose a tuple each, smallest value first. There
    are fewer than l of them as long as anything has to be removed.
    """
    size = len(value)
    order = np.argsort(value, kind="mergesort")  # positions, value after value, persons together in each
    first = np.empty(size + 1, np.int64)
    n_values = 0
    for at in range(size):
        if at == 0 or value[order[at]] != value[order[at - 1]]:
            first[n_values] = at
            n_values += 1
    first[n_values] = size
    count = first[1 : n_values + 1] - first[:n_values]
    total = np.zeros(person[size - 1] - person[0] + 1, np.int64)
    for at in range(size):
        total[person[at] - person[0]] += 1
    by_count = np.argsort(-count, kind="mergesort")
    heap_size = np.zeros(n_values, np.int64)
    key, last = np.empty(size, np.int64), np.empty(size, np.int64)
    active = np.empty(n_values, np.int64)
    n_active, n_left, level = 0, size, count[by_count[0]]
    while l * level > n_left:
        while n_active < n_values and count[by_count[n_active]] == level:
            run = by_count[n_active]
            place = n_active
            while place > 0 and active[place - 1] > run:
                active[place] = active[place - 1]
                place -= 1
            active[place] = run
            n_active += 1
            begin, end = first[run], first[run + 1]
            heap_size[run] = _heap_of_persons(
                order[begin:end], person, identity, total, key[begin:end], last[begin:end]
            )
        for place in range(n_active):
            run = active[place]
            if l * level > n_left:
                begin, end = first[run], first[run + 1]
                positions = order[begin:end]
                heap_size[run] = _remove_one(
                    positions, person, identity, total, key[begin:end], last[begin:end], heap_size[run], kept
                )
                n_left -= 1
        level -= 1


@kernel()
def _heap_of_persons(positions: Any, person: Any, identity: Any, total: Any, key: Any, last: Any) -> int:
    """Fill the heap of the persons who have a value, by their tuples in the group; return their number."""
    size = 0
    for at in range(len(positions)):
        who = person[positions[at]]
        if at + 1 == len(positions) or person[positions[at + 1]] != who:
            key[size] = _packed(total[who - person[0]], identity[who])
            last[size] = at
            _sift_up(key, last, size)
            size += 1
    return size


@kernel()
def _remove_one(
    positions: Any, person: Any, identity: Any, total: Any, key: Any, last: Any, size: int, kept: Any
) -> int:
    """Remove the last tuple of a value from the person with most tuples; return the new size of the value's heap.

    Keys may be out of date, since a person loses tuples of other values too, but then they are too large: the
    first entry is put right until it is true.
    """
    who = person[positions[last[0]]]
    now = _packed(total[who - person[0]], identity[who])
    while now != key[0]:
        key[0] = now
        _sift_down(key, last, size)
        who = person[positions[last[0]]]
        now = _packed(total[who - person[0]], identity[who])
    at = last[0]
    kept[positions[at]] = False
    total[who - person[0]] -= 1
    if at > 0 and person[positions[at - 1]] == who:
        key[0], last[0] = key[0] - _ONE, at - 1
    else:
        size -= 1
        key[0], last[0] = key[size], last[size]
    _sift_down(key, last, size)
    return size


@kernel()
def settle(kept: Any, start: Any, bounds: Any, k: int) -> Any:
    """Drop groups with fewer than k persons, and star what one person shows more than another of the group.

    `start` int64 (persons + 1,) says where each person's tuples start, `bounds` int64 (groups + 1,) where each
    group's persons do. Returns int32 (n,) group of each tuple (-1: removed), bool (n,) starred, and the number of
    kept tuples that go with dropped groups. O(n).
    """
    group = np.full(len(kept), -1, np.int32)
    starred = np.zeros(len(kept), np.bool_)
    n_groups, n_dropped = 0, 0
    for number in range(len(bounds) - 1):
        n_persons, fewest, n_kept = 0, len(kept), 0
        for who in range(bounds[number], bounds[number + 1]):
            shown = 0
            for at in range(start[who], start[who + 1]):
                shown += int(kept[at])
            if shown > 0:
                n_persons += 1
                fewest = min(fewest, shown)
                n_kept += shown
        if n_persons < k:
            n_dropped += n_kept
            continue
        for who in range(bounds[number], bounds[number + 1]):
            shown = 0
            for at in range(start[who], start[who + 1]):
                if kept[at]:
                    group[at] = n_groups
                    starred[at] = shown >= fewest
                    shown += 1
        n_groups += 1
    return group, starred, n_dropped
