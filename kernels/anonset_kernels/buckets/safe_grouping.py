"""Kernels of safe grouping: form groups of individuals at random, remove tuples, and replace identities by a star.

Tuples are sorted by individual. The random numbers of a tuple depend on its position in this order.
"""

from typing import NamedTuple

import numpy as np

from anonset_kernels._arrays import BoolArray, DrawKey, Int32Array, Int64Array, Integer, UInt64Matrix
from anonset_kernels._jit import kernel
from anonset_kernels.buckets._draws import draw, draw_below
from anonset_kernels.buckets._heaps import ONE, sift_down, sift_up

VALUE, PERSON, TUPLE = 0, 1, 2
"""Indices of the draw keys of `diversify`. The draws choose among equally frequent values, among persons, and among the
tuples of a person.
"""


class _Group(NamedTuple):
    """Group that loses tuples. The tuples of a person with the same value are a *share*.

    A share is identified by its first index in `order`.
    """

    base: np.int64
    """Position of the group's first tuple."""
    order: Int64Array
    """Positions of the group's tuples, sorted by value and then by person, (size,)."""
    who: Int32Array
    """Person of each tuple, (size,)."""
    total: Int64Array
    """Number of remaining tuples of each person, (persons,)."""
    heap_size: Int64Array
    """Number of shares in the heap of each value, (values,). The heap occupies the same slice as the value's tuples in
    `order`.
    """
    key: Int64Array
    """Key of each heap entry, (size,). It consists of the person's remaining tuples and a draw."""
    at: Int64Array
    """Share of each heap entry, (size,)."""
    held: Int64Array
    """Number of tuples in each share, (size,)."""
    gone: Int64Array
    """Number of removed tuples in each share, (size,)."""


@kernel(allocates=True)
def group_bounds(n_persons: int, k: int, draw_key: DrawKey) -> Int64Array:
    """Divide `n_persons` (>= k) into groups of at least k. Return the first person of each group, (groups + 1,).

    Fewer than 2k persons form a single group. Otherwise group sizes differ by at most one. Draw number `g` decides
    whether group `g` is larger, so the sizes disclose nothing about the number of tuples per person. O(groups).
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


@kernel(allocates=True)
def diversify(
    value: Int32Array,
    start: Int64Array,
    bounds: Int64Array,
    n_values: int,
    l: int,  # noqa: E741
    draw_keys: UInt64Matrix,
) -> tuple[BoolArray, int]:
    """Choose the tuples to remove so that no value has more than 1/l of the tuples of its group.

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
    True for each tuple that is not removed, bool (n,), and the number of tuples above 1/l of their group if removed
    tuples are counted as members of the group.

    Cost: O(n), and O(size (log(size) + l)) in each group that violates the bound.
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


@kernel(allocates=True)
def _make_diverse(
    value: Int32Array,
    start: Int64Array,
    l: int,  # noqa: E741
    draw_keys: UInt64Matrix,
    is_kept: BoolArray,
) -> None:
    """Remove tuples of the most frequent value of a group until it has at most 1/l of the remaining tuples.

    In each round, each of the most frequent values loses a tuple, in the order of their draws. The order matters
    because every removal changes the bound. Fewer than l values are the most frequent.
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


@kernel(allocates=True)
def _group_of(value: Int32Array, start: Int64Array) -> tuple[_Group, Int64Array]:
    """Return the `_Group` of some persons, and the start of each value in its `order`, (values + 1,)."""
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
    """Return the key of a share. If persons have equally many remaining tuples, the largest draw is first."""
    position = group.order[share]
    total = group.total[group.who[position]]
    word = draw(draw_key, total * ONE + group.base + position)
    return total * ONE + np.int64(word >> np.uint64(32))


@kernel()
def _heap_of_shares(group: _Group, begin: Integer, end: Integer, draw_key: DrawKey) -> int:
    """Build the heap of the value with the tuples `begin` to `end` (exclusive). Return its size."""
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
    """Remove a tuple from the first share of the heap of `size` entries at `begin`. Return the new size.

    Keys may be outdated, because a person also loses tuples of other values. Outdated keys are too large. The first key
    is therefore corrected until it is current.
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
    """Choose the tuples to remove from each share uniformly at random."""
    for share in range(len(group.order)):
        n_removed = group.gone[share]
        for n_left in range(group.held[share], 0, -1):
            if n_removed == 0:
                break
            position = group.order[share + group.held[share] - n_left]
            if draw_below(draw_key, group.base + position, n_left) < n_removed:
                is_kept[position] = False
                n_removed -= 1


@kernel(allocates=True)
def fewest_shown(is_kept: BoolArray, start: Int64Array, bounds: Int64Array, k: int) -> tuple[Int64Array, int]:
    """Return the smallest number of remaining tuples of a person in each group.

    All persons of a group show this number of tuples. `is_kept`, (n,), is the result of `diversify`. See `diversify`
    for `start` and `bounds`. Persons without remaining tuples are ignored.

    Returns
    -------
    Number of tuples that each person of a group shows, (groups,), or 0 for a group with fewer than k remaining persons;
    and the number of remaining tuples in groups with too few persons. O(n).
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


@kernel(allocates=True)
def assign_groups(
    is_kept: BoolArray,
    tuples: Int32Array,
    start: Int64Array,
    bounds: Int64Array,
    shown: Int64Array,
    number_of: Int32Array,
    draw_key: DrawKey,
) -> tuple[Int32Array, BoolArray]:
    """Return the group of each tuple, and True for each tuple whose identity is replaced by a star.

    Parameters
    ----------
    is_kept
        (n,): True if the tuple at a position is not removed for diversity.
    tuples
        (n,): tuple at each position. All persons of a group have the same number of tuples without a star. These tuples
        are *shown*.
    start, bounds
        As in `diversify`.
    shown
        (groups,): number of tuples that each person of a group shows. 0 for a removed group.
    number_of
        (groups,): number of each group in the result.
    draw_key
        Key of the draws that choose a person's shown tuples. Position `p` uses draw number `p`.

    Returns
    -------
    Group of each tuple in the table, (n,), or -1 if the tuple is removed, and True if it has a star, (n,). O(n).
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
