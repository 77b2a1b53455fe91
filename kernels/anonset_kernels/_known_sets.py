"""A hash table of ascending sets of codes, and the tests of minimality that ask it.

The sets are int32 (K, width), each filled up with -1; the table, `slots`, is int32 (2^b,) with -1 where it is free.
"""

from typing import Any

import numpy as np

from anonset_kernels._jit import kernel


@kernel()
def enter_sets(members: Any, first: int, last: int, slots: Any) -> None:
    """Enter the sets of a span. O(last - first)."""
    for entry in range(first, last):
        slot = _slot(members[entry], members.shape[1], len(slots) - 1)
        while slots[slot] >= 0:
            slot = (slot + 1) & (len(slots) - 1)
        slots[slot] = entry


@kernel()
def _slot(members: Any, length: int, mask: int) -> Any:
    key = np.int64(7)
    for j in range(length):
        if members[j] < 0:
            break
        key = (key * 1000003 + members[j] + 1) & 0x7FFFFFFF
    return (key ^ (key >> 15)) & mask


@kernel()
def is_known(wanted: Any, length: int, known: Any) -> bool:
    """Tell whether the first `length` codes are one of the entered sets; `known` is (members, slots)."""
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
def is_minimal(members: Any, known: Any, wanted: Any) -> bool:
    """Tell whether no known set of three or more lies in a set of at least four. `wanted` is room for its length."""
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
def is_minimal_rare(members: Any, known: Any, wanted: Any) -> bool:
    """Do the same for a set whose subsets without one of its last two members are frequent.

    The known set would hold both of them.
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
