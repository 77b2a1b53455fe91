"""Hash table of ascending code sets, and minimality tests that use it.

The sets are int32 (K, width), each padded with -1. The table, `slots`, is int32 (2^b,). Free slots contain -1.
"""

import numpy as np

from anonset_kernels._arrays import Int32Array, Int32Matrix, KnownSets
from anonset_kernels._jit import kernel


@kernel()
def enter_sets(members: Int32Matrix, first: int, last: int, slots: Int32Array) -> None:
    """Insert a range of the sets in `members` into `slots`. O(last - first)."""
    for entry in range(first, last):
        slot = _slot(members[entry], members.shape[1], len(slots) - 1)
        while slots[slot] >= 0:
            slot = (slot + 1) & (len(slots) - 1)
        slots[slot] = entry


@kernel()
def _slot(members: Int32Array, length: int, mask: int) -> int:
    key = np.int64(7)
    for j in range(length):
        if members[j] < 0:
            break
        key = (key * 1000003 + members[j] + 1) & 0x7FFFFFFF
    return int((key ^ (key >> 15)) & mask)


@kernel()
def is_known(subset: Int32Array, length: int, known_sets: KnownSets) -> bool:
    """Return True if the first `length` codes of `subset`, int32 (size,), are a known set. O(length)."""
    members, slots = known_sets
    slot = _slot(subset, length, len(slots) - 1)
    while slots[slot] >= 0:
        entry = slots[slot]
        same = length == members.shape[1] or members[entry, length] < 0
        j = 0
        while same and j < length:
            same = members[entry, j] == subset[j]
            j += 1
        if same:
            return True
        slot = (slot + 1) & (len(slots) - 1)
    return False


@kernel()
def is_minimal(members: Int32Array, known_sets: KnownSets, subset: Int32Array) -> bool:
    """Return True if a set of at least four codes contains no known set of three or more codes. O(2^size).

    `members`, int32 (size,), is the set. `subset`, int32 (size,), is a buffer.
    """
    size = len(members)
    for chosen in range(1, (1 << size) - 1):
        length = 0
        for j in range(size):
            if chosen >> j & 1:
                subset[length] = members[j]
                length += 1
        if length > 2 and is_known(subset, length, known_sets):
            return False
    return True


@kernel()
def is_minimal_rare(members: Int32Array, known_sets: KnownSets, subset: Int32Array) -> bool:
    """Return True if a set contains no known set.

    The caller guarantees that the subsets without the last or the second to last member are frequent. Therefore only
    subsets with both of these members are looked up: with `is_minimal`, HgHs takes 1.6 to 1.8 times as long for
    baskets and clicks. `members`, int32 (size,), is the set. `subset`, int32 (size,), is a buffer. O(2^(size - 2)).
    """
    size = len(members)
    for chosen in range(1, (1 << (size - 2)) - 1):
        length = 0
        for j in range(size - 2):
            if chosen >> j & 1:
                subset[length] = members[j]
                length += 1
        subset[length], subset[length + 1] = members[size - 2], members[size - 1]
        if is_known(subset, length + 2, known_sets):
            return False
    return True
