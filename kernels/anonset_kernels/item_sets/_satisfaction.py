"""Check whether a privacy constraint is satisfied.

The image of a constraint is the set of groups of its items. The constraint is satisfied if each subset of the image
occurs in no record or in at least k records.
"""

import numpy as np

from anonset_kernels._arrays import Image, Int32Array, Int64Array
from anonset_kernels._jit import kernel
from anonset_kernels.item_sets._groups import Groups, count_marked, support_of


@kernel()
def is_satisfied(groups: Groups, image: Image, k: int) -> bool:
    """Return True if each subset of an image occurs in no record or in at least k.

    The image begins with the rarest group.
    """
    if len(image) == 0:
        return True
    if groups.support[image[0]] < k:
        return False
    support = support_of(groups, image, k)
    if support > 0 or len(image) <= 2:
        return support == 0 or support >= k
    return _traces_are_frequent(groups, image, k)


@kernel(allocates=True)
def _traces_are_frequent(groups: Groups, image: Image, k: int) -> bool:
    """Return True if the groups that any record shares with the image are in at least k records.

    The shared groups of a record are its *trace*. Cost: hashing the records of all groups in the image.
    """
    n_records = np.int64(0)
    for g in image:
        groups.mark[g] = 1
        n_records += groups.support[g]
    n_traces = min(n_records, np.int64(1) << min(len(image), 62))
    n_slots = 2
    while n_slots < 2 * n_traces:
        n_slots *= 2
    slots = np.full(n_slots, -1, np.int64)
    trace, other = np.empty(len(image), np.int32), np.empty(len(image), np.int32)
    frequent = True
    for g in image:
        item = g
        while item >= 0 and frequent:
            for entry in range(groups.begin[item], groups.begin[item] + groups.length[item]):
                n_trace = _trace(groups, groups.records[entry], trace)
                if (
                    n_trace > 1
                    and trace[0] == g
                    and _is_new(groups, slots, groups.records[entry], trace[:n_trace], other)
                ):
                    frequent = _is_frequent(groups, trace[:n_trace], k)
                    if not frequent:
                        break
            item = groups.following[item]
    for g in image:
        groups.mark[g] = 0
    return frequent


@kernel()
def _trace(groups: Groups, record: int, trace: Int32Array) -> int:
    """Store the marked groups of a record in `trace` in ascending order. Return their number."""
    n, place = 0, groups.row[record]
    while groups.cells[place] < len(groups.rep):
        if groups.mark[groups.cells[place]] > 0:
            trace[n] = groups.cells[place]
            n += 1
        place += 1
    return n


@kernel()
def _is_new(groups: Groups, slots: Int64Array, record: int, trace: Int32Array, other: Int32Array) -> bool:
    """Insert a record by its trace. Return False if an earlier record has the same trace."""
    key = 7
    for g in trace:
        key = (key * 1000003 + int(g) + 1) % 2147483647
    slot = key & (len(slots) - 1)
    while slots[slot] >= 0:
        if _trace(groups, slots[slot], other) == len(trace):
            same = True
            for j in range(len(trace)):
                same &= trace[j] == other[j]
            if same:
                return False
        slot = (slot + 1) & (len(slots) - 1)
    slots[slot] = record
    return True


@kernel()
def _is_frequent(groups: Groups, trace: Int32Array, k: int) -> bool:
    """Return True if at least k records contain all groups of the trace.

    These groups must be marked 1, and remain marked.
    """
    rarest = trace[0]
    for g in trace:
        groups.mark[g] = 2
        if groups.support[g] < groups.support[rarest]:
            rarest = g
    support = count_marked(groups, rarest, 2, len(trace), k)
    for g in trace:
        groups.mark[g] = 1
    return support >= k
