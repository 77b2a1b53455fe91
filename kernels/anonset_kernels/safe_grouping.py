"""Kernels of safe grouping: form groups of individuals, remove tuples, and replace identities by a star, at random.

Tuples are sorted by individual. The position of a tuple in this order determines its random numbers.
"""

from typing import NamedTuple

import numpy as np

from anonset_kernels._arrays import BoolArray, DrawKey, Int32Array, Int64Array, Integer, UInt64Matrix
from anonset_kernels._draws import draw, draw_below
from anonset_kernels._heaps import ONE, sift_down, sift_up
from anonset_kernels._jit import kernel

VALUE, PERSON, TUPLE = 0, 1, 2
"""Draw keys of `diversify`: they select, among equally frequent values, a value, then a person, then a tuple."""


class _Group(NamedTuple):
    """Group that loses tuples. A share is a person's tuples with one value, named by the first index in `order`."""

    base: np.int64
    """Position of the group's first tuple."""
    order: Int64Array
    """(size,): positions of the group's tuples, grouped by value and then by person."""
    who: Int32Array
    """(size,): person at each position."""
    total: Int64Array
    """(persons,): number of remaining tuples of each person."""
    heap_size: Int64Array
    """(values,): number of shares in each value's heap, which occupies the slice of the value's tuples."""
    key: Int64Array
    """(size,): heap keys: a person's remaining tuples, and a draw."""
    at: Int64Array
    """(size,): shares in the heaps."""
    held: Int64Array
    """(size,): number of tuples in each share."""
    gone: Int64Array
    """(size,): number of removed tuples in each share."""


@kernel()
def group_bounds(n_persons: int, k: int, draw_key: DrawKey) -> Int64Array:
    """Return the first person of each group of `n_persons` (>= k), (groups + 1,). Groups have k persons or more.

    With fewer than 2k persons there is one group; otherwise sizes differ by at most one. Draw number `g` decides
    whether group `g` is larger, so group sizes disclose nothing about the number of tuples per person. O(groups).
    """
    n_groups = n_persons // k
    bounds = np.zeros(n_groups + 1, np.int64)
    larger = n_persons % n_groups
    for number in range(n_groups):
        bounds[number + 1] = bounds[number] + n_persons // n_groups
        if draw_below(draw_key, number, n_groups - number) < larger:
            bounds[number + 1] += 1
            larger -= 1
    return bounds


@kernel()
def diversify(
    value: Int32Array,
    start: Int64Array,
    bounds: Int64Array,
    n_values: int,
    l: int,  # noqa: E741
    draw_keys: UInt64Matrix,
) -> tuple[BoolArray, int]:
    """Choose the tuples to remove so that no value has more than 1/l of its group.

    Parameters
    ----------
    value
        (n,): sensitive value of the tuple at each position.
    start
        (persons + 1,): first tuple of each person.
    bounds
        (groups + 1,): first person of each group.
    draw_keys
        (3, 2): keys of `VALUE`, `PERSON` and `TUPLE`.

    Returns
    -------
    Bools (n,), True for tuples that are not removed, and the number of tuples beyond 1/l of their group, counting
    removed tuples as group members.

    Cost: O(n), and in groups that violate the bound O(size (log(size) + l)).
    """
    is_kept = np.ones(len(value), np.bool_)
    count = np.zeros(n_values, np.int32)
    n_too_frequent = 0
    for number in range(len(bounds) - 1):
        begin, end = start[bounds[number]], start[bounds[number + 1]]
        most = 0
        for i in range(begin, end):
            count[value[i]] += 1
            most = max(most, count[value[i]])
        if l * most > end - begin:
            for i in range(begin, end):
                n_too_frequent += max(0, count[value[i]] - (end - begin) // l)
                count[value[i]] = 0
            persons = start[bounds[number] : bounds[number + 1] + 1]
            _make_diverse(value[begin:end], persons, l, draw_keys, is_kept[begin:end])
        for i in range(begin, end):
            count[value[i]] = 0
    return is_kept, n_too_frequent


@kernel()
def _make_diverse(
    value: Int32Array,
    start: Int64Array,
    l: int,  # noqa: E741
    draw_keys: UInt64Matrix,
    is_kept: BoolArray,
) -> None:
    """Remove tuples of a group, always of the most frequent value, until it has at most 1/l of the remaining tuples.

    Values are reduced level by level: each of the most frequent values loses one tuple, in the order of their draws.
    The order matters because every removal changes the bound. There are fewer than l such values.
    """
    group, first = _group_of(value, start)
    count = first[1:] - first[:-1]
    by_count = np.argsort(-count, kind="mergesort")
    words = np.empty(len(count), np.uint64)
    n_active, n_left, level = 0, len(value), count[by_count[0]]
    while l * level > n_left:
        while n_active < len(count) and count[by_count[n_active]] == level:
            run = by_count[n_active]
            group.heap_size[run] = _heap_of_shares(group, first[run], first[run + 1], draw_keys[PERSON])
            n_active += 1
        for place in range(n_active):
            begin = first[by_count[place]]
            words[place] = draw(draw_keys[VALUE], level * ONE + group.base + group.order[begin])
        for place in np.argsort(words[:n_active], kind="mergesort")[::-1]:
            run = by_count[place]
            group.heap_size[run] = _take_one(group, first[run], group.heap_size[run], draw_keys[PERSON])
        n_left -= n_active
        level -= 1
    _remove(group, draw_keys[TUPLE], is_kept)


@kernel()
def _group_of(value: Int32Array, start: Int64Array) -> tuple[_Group, Int64Array]:
    """Return the group of the persons with tuples from `start` on, and each value's first index, (values + 1,)."""
    size = len(value)
    order = np.argsort(value, kind="mergesort")
    person_of = np.empty(size, np.int32)
    for person in range(len(start) - 1):
        person_of[start[person] - start[0] : start[person + 1] - start[0]] = person
    share_size = np.zeros(size, np.int64)
    first = np.empty(size + 1, np.int64)
    n_values, share = 0, 0
    for i in range(size):
        new = i == 0 or value[order[i]] != value[order[i - 1]]
        if new:
            first[n_values] = i
            n_values += 1
        if new or person_of[order[i]] != person_of[order[share]]:
            share = i
        share_size[share] += 1
    first[n_values] = size
    heap_size, total = np.zeros(n_values, np.int64), start[1:] - start[:-1]
    key, at_share, n_removed = np.empty(size, np.int64), np.empty(size, np.int64), np.zeros(size, np.int64)
    return _Group(start[0], order, person_of, total, heap_size, key, at_share, share_size, n_removed), first[
        : n_values + 1
    ]


@kernel()
def _key(group: _Group, share: Integer, draw_key: DrawKey) -> np.int64:
    """Return the key of a share. Among persons with equally many remaining tuples, the largest draw is first."""
    position = group.order[share]
    total = group.total[group.who[position]]
    word = draw(draw_key, total * ONE + group.base + position)
    return total * ONE + np.int64(word >> np.uint64(32))


@kernel()
def _heap_of_shares(group: _Group, begin: Integer, end: Integer, draw_key: DrawKey) -> int:
    """Build the heap of the value with the tuples `begin` to `end`; return its size."""
    key, shares = group.key[begin:end], group.at[begin:end]
    share, size = begin, 0
    while share < end:
        key[size], shares[size] = _key(group, share, draw_key), share
        sift_up(key, shares, size)
        size += 1
        share += group.held[share]
    return size


@kernel()
def _take_one(group: _Group, begin: Integer, size: Integer, draw_key: DrawKey) -> Integer:
    """Remove a tuple from the first share of the heap of `size` at `begin`; return the new size.

    Keys may be outdated, because a person also loses tuples of other values. Outdated keys are too large, so the first
    key is corrected until it is current.
    """
    key, shares = group.key[begin : begin + size], group.at[begin : begin + size]
    while key[0] >> 32 != group.total[group.who[group.order[shares[0]]]]:
        key[0] = _key(group, shares[0], draw_key)
        sift_down(key, shares, size)
    share = shares[0]
    group.total[group.who[group.order[share]]] -= 1
    group.gone[share] += 1
    if group.gone[share] < group.held[share]:
        key[0] = _key(group, share, draw_key)
    else:
        size -= 1
        key[0], shares[0] = key[size], shares[size]
    sift_down(key, shares, size)
    return size


@kernel()
def _remove(group: _Group, draw_key: DrawKey, is_kept: BoolArray) -> None:
    """Choose, uniformly at random, the tuples to remove from each share."""
    for share in range(len(group.order)):
        n_removed = group.gone[share]
        for n_left in range(group.held[share], 0, -1):
            if n_removed == 0:
                break
            position = group.order[share + group.held[share] - n_left]
            if draw_below(draw_key, group.base + position, n_left) < n_removed:
                is_kept[position] = False
                n_removed -= 1


@kernel()
def fewest_shown(is_kept: BoolArray, start: Int64Array, bounds: Int64Array, k: int) -> tuple[Int64Array, int]:
    """Compute, for each group, the smallest number of remaining tuples of a person: all its persons keep so many.

    `is_kept` (n,), `start` and `bounds` are those of `diversify`. Persons without remaining tuples do not count.

    Returns
    -------
    (groups,) tuples shown per person, 0 for a group with fewer than k remaining persons; and the number of remaining
    tuples in such groups. O(n).
    """
    shown = np.zeros(len(bounds) - 1, np.int64)
    n_dropped = 0
    for number in range(len(bounds) - 1):
        n_persons, fewest, n_kept = 0, len(is_kept), 0
        for person in range(bounds[number], bounds[number + 1]):
            of_person = 0
            for i in range(start[person], start[person + 1]):
                of_person += int(is_kept[i])
            if of_person > 0:
                n_persons += 1
                fewest = min(fewest, of_person)
                n_kept += of_person
        if n_persons < k:
            n_dropped += n_kept
        else:
            shown[number] = fewest
    return shown, n_dropped


@kernel()
def assign_groups(
    is_kept: BoolArray,
    tuples: Int32Array,
    start: Int64Array,
    bounds: Int64Array,
    shown: Int64Array,
    number_of: Int32Array,
    draw_key: DrawKey,
) -> tuple[Int32Array, BoolArray]:
    """Return each tuple's group and whether it is starred. All persons of a group have the same number of tuples
    without a star (*shown* tuples).

    Parameters
    ----------
    is_kept
        (n,): True if the tuple at a position is not removed for diversity.
    tuples
        (n,): tuple at each position.
    start, bounds
        As in `diversify`.
    shown
        (groups,): number of tuples that each person of a group shows; 0 for a dropped group.
    number_of
        (groups,): number of each group.
    draw_key
        Key of the draws that choose a person's shown tuples; position `p` uses draw number `p`.

    Returns
    -------
    Group of each tuple in the table, (n,), -1 if removed, and whether it is starred, (n,). O(n).
    """
    group, starred = np.empty(len(is_kept), np.int32), np.zeros(len(is_kept), np.bool_)
    for number in range(len(bounds) - 1):
        for person in range(bounds[number], bounds[number + 1]):
            n_left, n_shown = 0, shown[number]
            for i in range(start[person], start[person + 1]):
                n_left += int(is_kept[i])
            for i in range(start[person], start[person + 1]):
                row = tuples[i]
                if not is_kept[i] or shown[number] == 0:
                    group[row] = -1
                    continue
                group[row] = number_of[number]
                if n_left > n_shown and draw_below(draw_key, i, n_left) >= n_shown:
                    starred[row] = True
                else:
                    n_shown -= 1
                n_left -= 1
    return group, starred
