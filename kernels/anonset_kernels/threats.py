"""Mining minimal privacy threats: supported sets that are no threat in any of their subsets.

Two kinds of them: antichains of nodes that are rare (Liu and Wang 2010, section 4.1), and sets of public items
that are rare or give a private item away (the moles of Xu et al. 2008). Both are mined one size after the other.

Nodes take part under a *code*, their position in the order of descending support; records are stored as by the
count-tree (`count_tree.expand`): ascending codes, closed by -1. A private item ``e`` stands as ``-2 - e`` between
the codes and the -1. A set is extended through frequent prefixes alone, since a superset of a rare set is never
minimal.
"""

from typing import Any

import numpy as np

from anonset_kernels._bits import bit, trailing_zeros
from anonset_kernels._jit import kernel
from anonset_kernels._prefix import count_extensions, project


@kernel()
def allow_pairs(leaf_lo: Any, leaf_hi: Any, pairs: Any) -> Any:
    """Mark, for each code, the codes that may stand with it: neither above nor below it, and no rare pair.

    Parameters
    ----------
    leaf_lo, leaf_hi
        int32 (C,): leaf interval of each code.
    pairs
        int32 (P, 2): the rare pairs.

    Returns
    -------
    uint64 (C, W)
        Bit rows over the codes. O(C^2 + P).
    """
    n_codes = len(leaf_lo)
    allowed = np.zeros((n_codes, (n_codes + 63) // 64), np.uint64)
    for a in range(n_codes):
        for b in range(n_codes):
            if leaf_hi[b] <= leaf_lo[a] or leaf_hi[a] <= leaf_lo[b]:
                allowed[a, b >> 6] |= bit(b & 63)
    for p in range(len(pairs)):
        a, b = pairs[p, 0], pairs[p, 1]
        allowed[a, b >> 6] &= ~bit(b & 63)
        allowed[b, a >> 6] &= ~bit(a & 63)
    return allowed


@kernel()
def hash_sets(members: Any, slots: Any) -> None:
    """Enter ascending sets of codes, int32 (K, width) filled up with -1, into free `slots` (-1), int32 (2^b,). O(K)."""
    for entry in range(len(members)):
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
def _is_known(wanted: Any, length: int, known: Any, slots: Any) -> bool:
    """Tell whether a set is among the entered ones."""
    slot = _slot(wanted, length, len(slots) - 1)
    while slots[slot] >= 0:
        entry = slots[slot]
        same = length == known.shape[1] or known[entry, length] < 0
        j = 0
        while same and j < length:
            same = known[entry, j] == wanted[j]
            j += 1
        if same:
            return True
        slot = (slot + 1) & (len(slots) - 1)
    return False


@kernel()
def _is_minimal(members: Any, known: Any, slots: Any, wanted: Any) -> bool:
    """Tell whether no known threat of three or more lies in a set of at least four."""
    size = len(members)
    for chosen in range(1, (1 << size) - 1):
        length = 0
        for j in range(size):
            if chosen >> j & 1:
                wanted[length] = members[j]
                length += 1
        if length > 2 and _is_known(wanted, length, known, slots):
            return False
    return True


@kernel()
def _is_minimal_rare(members: Any, known: Any, slots: Any, wanted: Any) -> bool:
    """Do the same for a set without private items, whose subsets without one of its last two members are frequent.

    The known threat would hold both of them.
    """
    size = len(members)
    for chosen in range(1, (1 << (size - 2)) - 1):
        length = 0
        for j in range(size - 2):
            if chosen >> j & 1:
                wanted[length] = members[j]
                length += 1
        wanted[length], wanted[length + 1] = members[size - 2], members[size - 1]
        if _is_known(wanted, length + 2, known, slots):
            return False
    return True


@kernel()
def mine(records: Any, allowed: Any, known: Any, slots: Any, span: Any, rule: Any, private: Any) -> Any:
    """Find the minimal threats of one size whose most frequent member is in `span`.

    Parameters
    ----------
    records
        (codes, start, position) of `count_tree.expand`; no code is a threat by itself.
    allowed
        uint64 (C, W): codes that may stand with each code, from `allow_pairs`.
    known, slots
        int32 (K, size - 1): the minimal threats of 3 to size - 1 members, as entered by `hash_sets`.
    span
        (first, last): the first codes to begin with.
    rule
        (size, k, limit): size >= 2; no more than `limit` threats are returned.
    private
        (number, a, b): a set gives a private item away if b times the records of both exceed a times its own.

    Returns
    -------
    (int32 (F, size), bool)
        The threats, and whether there are more than `limit`.

    Cost: one increment for each set of `size` in each record whose members but the last form a frequent set; with
    private items, also one for each private item in the records of each frequent set of `size`.
    """
    codes, start, position = records
    size, k, limit = rule
    tally = np.zeros(private[0], np.int64)
    n_codes = len(start) - 1
    count, seen = np.zeros(n_codes, np.int32), np.zeros((n_codes + 63) // 64, np.uint64)
    words = np.zeros((size, len(seen)), np.uint64)
    place, support = np.full((size, n_codes), -1, np.int64), np.zeros((size, n_codes), np.int32)
    begin, end, top = np.zeros(size + 1, np.int64), np.zeros(size + 1, np.int64), np.zeros(size + 1, np.int64)
    word_at, prefix = np.zeros(size + 1, np.int64), np.full(size, -1, np.int32)
    stack, found, n_found = np.empty(1024, position.dtype), np.empty((1024, size), np.int32), 0
    words[0] = ~np.uint64(0)
    for first in range(span[0], span[1]):
        held = start[first + 1] - start[first]
        stack = _with_room(stack, 0, held)
        stack[:held] = position[start[first] : start[first + 1]]
        prefix[0] = first
        depth, begin[1], end[1], top[1], word_at[1] = 1, 0, held, held, -1
        while depth >= 1:
            row = words[depth]
            if word_at[depth] < 0:
                count_extensions(codes, stack[begin[depth] : end[depth]], count, seen)
                for w in range(len(seen)):
                    row[w] = seen[w] & words[depth - 1, w] & allowed[prefix[depth - 1], w]
                if depth == size - 1:
                    found, n_found = _report_rare(prefix, count, row, known, slots, found, n_found, (k, private[0]))
                    if private[0] == 0 or n_found > limit:
                        _clear(count, seen)
                        if n_found > limit:
                            return found[:limit].copy(), True
                        depth -= 1
                        continue
                top[depth + 1] = _keep_frequent(count, row, k, place[depth], support[depth], top[depth])
                _clear(count, seen)
                stack = _with_room(stack, top[depth], top[depth + 1])
                project(codes, stack, begin[depth], end[depth], place[depth])
                word_at[depth] = 0
                if depth == size - 1:
                    heap = (codes, stack, place[depth], support[depth])
                    found, n_found = _report_disclosing(
                        prefix, row, heap, known, slots, found, n_found, (private, tally)
                    )
                    if n_found > limit:
                        return found[:limit].copy(), True
                    depth -= 1
                    continue
                if private[0] > 0:
                    _drop_known(prefix, depth, row, known, slots, place[depth])
            w = word_at[depth]
            while w < len(row) and row[w] == 0:
                w += 1
            word_at[depth] = w
            if w == len(row):
                depth -= 1
                continue
            c = w * 64 + trailing_zeros(row[w])
            row[w] &= row[w] - np.uint64(1)
            begin[depth + 1], end[depth + 1] = place[depth, c] - support[depth, c], place[depth, c]
            prefix[depth], place[depth, c] = c, -1
            depth += 1
            word_at[depth] = -1
    return found[:n_found].copy(), False


@kernel()
def _with_room(stack: Any, used: int, needed: int) -> Any:
    if needed <= len(stack):
        return stack
    grown = np.empty(needed + needed // 2, stack.dtype)
    grown[:used] = stack[:used]
    return grown


@kernel()
def _clear(count: Any, words: Any) -> None:
    for w in range(len(words)):
        word = words[w]
        while word != 0:
            count[w * 64 + trailing_zeros(word)] = 0
            word &= word - np.uint64(1)
        words[w] = np.uint64(0)


@kernel()
def _keep_frequent(count: Any, words: Any, k: int, place: Any, support: Any, top: int) -> Any:
    """Drop rare extensions, and lay out the projections of the others from `top` on; return where they end."""
    for w in range(len(words)):
        word = words[w]
        while word != 0:
            low = word & (~word + np.uint64(1))
            c = w * 64 + trailing_zeros(word)
            word ^= low
            if count[c] < k:
                words[w] ^= low
            else:
                place[c], support[c] = top, count[c]
                top += count[c]
    return top


@kernel()
def _report_rare(
    prefix: Any, count: Any, words: Any, known: Any, slots: Any, found: Any, n_found: int, rule: Any
) -> Any:
    """Add the rare extensions of a frequent prefix that are minimal threats to `found`, which grows."""
    k, n_private = rule
    depth = len(prefix) - 1
    wanted = np.empty(len(prefix), np.int32)
    for w in range(len(words)):
        word = words[w]
        while word != 0:
            c = w * 64 + trailing_zeros(word)
            word &= word - np.uint64(1)
            if count[c] >= k:
                continue
            prefix[depth] = c
            if depth < 3 or (
                _is_minimal_rare(prefix, known, slots, wanted)
                if n_private == 0
                else _is_minimal(prefix, known, slots, wanted)
            ):
                found = _append(found, n_found, prefix)
                n_found += 1
    return found, n_found


@kernel()
def _report_disclosing(
    prefix: Any, words: Any, heap: Any, known: Any, slots: Any, found: Any, n_found: int, private: Any
) -> Any:
    """Add the frequent extensions that are minimal and give a private item away to `found`; forget them all."""
    codes, stack, place, support = heap
    (_, numerator, denominator), tally = private
    depth = len(prefix) - 1
    wanted = np.empty(len(prefix), np.int32)
    for w in range(len(words)):
        word = words[w]
        while word != 0:
            c = w * 64 + trailing_zeros(word)
            word &= word - np.uint64(1)
            worst = _most_frequent_private(codes, stack, place[c] - support[c], place[c], tally)
            place[c] = -1
            prefix[depth] = c
            if worst * denominator > support[c] * numerator and (
                depth < 3 or _is_minimal(prefix, known, slots, wanted)
            ):
                found = _append(found, n_found, prefix)
                n_found += 1
    return found, n_found


@kernel()
def _most_frequent_private(codes: Any, stack: Any, begin: int, end: int, tally: Any) -> Any:
    """Return the number of records, of those at the given positions, that hold the private item most of them hold."""
    worst = np.int64(0)
    for clear in range(2):
        for p in range(begin, end):
            at = stack[p]
            while codes[at] != -1:
                if codes[at] < -1:
                    e = -2 - codes[at]
                    tally[e] = 0 if clear else tally[e] + 1
                    worst = max(worst, tally[e])
                at += 1
    return worst


@kernel()
def _drop_known(prefix: Any, depth: int, words: Any, known: Any, slots: Any, place: Any) -> None:
    """Drop the extensions of a prefix that are known threats of three or more."""
    if depth < 2:
        return
    wanted = prefix.copy()
    for w in range(len(words)):
        word = words[w]
        while word != 0:
            low = word & (~word + np.uint64(1))
            c = w * 64 + trailing_zeros(word)
            word ^= low
            wanted[depth] = c
            if _is_known(wanted, depth + 1, known, slots):
                words[w] ^= low
                place[c] = -1


@kernel()
def _append(found: Any, n_found: int, members: Any) -> Any:
    if n_found == len(found):
        grown = np.empty((2 * n_found, len(members)), np.int32)
        grown[:n_found] = found
        found = grown
    found[n_found] = members
    return found
