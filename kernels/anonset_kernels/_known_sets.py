"""A hash table of ascending sets of codes, and the tests of minimality that ask it.

The sets are int32 (K, width), each filled up with -1; the table, `slots`, is int32 (2^b,) with -1 where it is free.
"""

import numpy as np

from anonset_kernels._arrays import Int32Array, Int32Matrix, KnownSets
from anonset_kernels._jit import kernel


@kernel()
def enter_sets(members: Int32Matrix, first: int, last: int, slots: Int32Array) -> None:
    """Enter the sets of a span of `members` into `slots`. O(last - first)."""
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
def is_known(wanted: Int32Array, length: int, known: KnownSets) -> bool:
    """Tell whether the first `length` codes of `wanted`, int32 (size,), are one of the entered sets. O(length)."""
    members, slots = known
    slot = _slot(wanted, length, len(slots) - 1)
    while slots[slot] >= 0:
        entry = slots[slot]
        same = length == members.shape[1] or members[entry, length] < 0
        j = 0
        while same and j < length:
            same = members[entry, j] == wanted[j]
            j += 1
        if same:
            return True
        slot = (slot + 1) & (len(slots) - 1)
    return False


@kernel()
def is_minimal(members: Int32Array, known: KnownSets, wanted: Int32Array) -> bool:
    """Tell whether no known set of three or more lies in a set of at least four. O(2^size).

    `members` is int32 (size,), the set; `wanted` is int32 (size,): room.
    """
    size = len(members)
    for chosen in range(1, (1 << size) - 1):
        length = 0
        for j in range(size):
            if chosen >> j & 1:
                wanted[length] = members[j]
                length += 1
        if length > 2 and is_known(wanted, length, known):
            return False
    return True


@kernel()
def is_minimal_rare(members: Int32Array, known: KnownSets, wanted: Int32Array) -> bool:
    """Do the same for a set `members` whose subsets without one of its last two members are frequent.

    The known set would hold both of them. `wanted` is int32 (size,): room. O(2^(size - 2)).
    """
    size = len(members)
    for chosen in range(1, (1 << (size - 2)) - 1):
        length = 0
        for j in range(size - 2):
            if chosen >> j & 1:
                wanted[length] = members[j]
                length += 1
        wanted[length], wanted[length + 1] = members[size - 2], members[size - 1]
        if is_known(wanted, length + 2, known):
            return False
    return True
