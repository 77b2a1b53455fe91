"""Find minimal privacy threats: sets that occur and are threats, and of which no subset is a threat.

There are two kinds of threats: rare sets of unrelated nodes (Liu and Wang 2010, section 4.1), and sets of public items
that are rare or disclose a private item (the moles of Xu et al. 2008). Threats are found in order of size.

Nodes are identified by a *code*, their rank by descending support. Records are encoded as in `count_tree.expand`:
ascending codes, terminated by -1. A private item ``e`` is encoded as ``-2 - e``, between the codes and the -1. Only
frequent prefixes are extended, because a superset of a rare set is never minimal. If the records of a prefix are dense,
its extensions are searched in a bit matrix.
"""

from typing import NamedTuple

import numpy as np

from anonset_kernels._arrays import (
    Allowed,
    Codes,
    Count,
    ExpandedCodes,
    Found,
    IndexArray,
    Int32Array,
    Int32Matrix,
    Int64Array,
    Int64Matrix,
    KnownSets,
    LeafHi,
    LeafLo,
    Position,
    Prefix,
    Stack,
    Tally,
    UInt64Array,
    UInt64Matrix,
)
from anonset_kernels._bits import bit, trailing_zeros
from anonset_kernels._jit import kernel
from anonset_kernels.rare_sets._prefix import count_extensions, project, with_room
from anonset_kernels.suppression._dense_threats import DenseTask, bit_matrix, is_dense, search_dense
from anonset_kernels.suppression._known_sets import enter_sets, is_known, is_minimal, is_minimal_rare


@kernel()
def allow_antichains(leaf_lo: LeafLo, leaf_hi: LeafHi, first: int, last: int, allowed: Allowed) -> None:
    """For each code of a range, set the bits of all codes that are unrelated to it.

    Parameters
    ----------
    leaf_lo, leaf_hi
        int32 (C,): leaf interval of each code.
    first, last
        Range of codes.
    allowed
        uint64 (C, W): bitmap of codes for each code. Zero in the range before the call, and filled there. O((last -
        first) C).
    """
    for a in range(first, last):
        for b in range(len(leaf_lo)):
            if leaf_hi[b] <= leaf_lo[a] or leaf_hi[a] <= leaf_lo[b]:
                allowed[a, b >> 6] |= bit(b & 63)


@kernel()
def forbid_pairs(pairs: Int32Matrix, allowed: Allowed) -> None:
    """Clear the bits of rare pairs, int32 (P, 2), in the result of `allow_antichains`. O(P)."""
    for p in range(len(pairs)):
        a, b = pairs[p, 0], pairs[p, 1]
        allowed[a, b >> 6] &= ~bit(b & 63)
        allowed[b, a >> 6] &= ~bit(a & 63)


@kernel()
def hash_sets(members: Int32Matrix, first: int, last: int, slots: Int32Array) -> None:
    """Insert a range of the sets in `members` into the hash table `slots`. O(K).

    `members` is int32 (K, width), padded with -1. `slots` is int32 (2^b,), with -1 in free slots.
    """
    enter_sets(members, first, last, slots)


class ThreatRule(NamedTuple):
    """Search parameters of a call of `mine`. All fields are int64."""

    size: int
    """Size of the threats (>= 2)."""
    k: int
    """Smallest support of a frequent set."""
    budget: int
    """Number of steps after which the call stops."""


class DisclosureRule(NamedTuple):
    """Disclosure condition for a private item, given a set of public items. All fields are int64.

    A set discloses a private item if the share of the set's records that contain the item is above ``numerator /
    denominator``.
    """

    number: int
    """Number of private items."""
    numerator: int
    denominator: int


class _Walk(NamedTuple):
    """Buffers of a walk. The first dimension is the length of the prefix. An *extension* is a code that follows the
    current prefix in a record. Its *projection* is the list of its positions.
    """

    count: Count  # type: ignore[assignment]  # the method of this name is not used
    """Number of records with each extension of the current prefix, int32 (C,). Zero between prefixes."""
    seen: UInt64Array
    """Bitmap of the extensions with a non-zero count, uint64 (W,)."""
    words: UInt64Matrix
    """Bitmap of the extensions that were not yet visited, uint64 (size, W)."""
    word_at: Int64Array
    """First word in `words` that may be non-zero, int64 (size + 1,). -1 before the extensions of the prefix are
    counted.
    """
    place: Int64Matrix
    """End of each extension's projection in the stack, int64 (size, C). -1 if the extension has no projection."""
    support: Int32Matrix
    """Length of each projection, int32 (size, C)."""
    begin: Int64Array
    """Start of the prefix's projection in the stack, int64 (size + 1,). `end` is its end (exclusive)."""
    end: Int64Array
    top: Int64Array
    """Start of the projections of the prefix's extensions, int64 (size + 1,)."""


@kernel(allocates=True)
def _room(size: int, n_codes: int) -> _Walk:
    n_words = (n_codes + 63) // 64
    words = np.zeros((size, n_words), np.uint64)
    words[0] = ~np.uint64(0)
    return _Walk(
        np.zeros(n_codes, np.int32),
        np.zeros(n_words, np.uint64),
        words,
        np.zeros(size + 1, np.int64),
        np.full((size, n_codes), -1, np.int64),
        np.zeros((size, n_codes), np.int32),
        np.zeros(size + 1, np.int64),
        np.zeros(size + 1, np.int64),
        np.zeros(size + 1, np.int64),
    )


@kernel(allocates=True)
def mine(
    records: ExpandedCodes,
    allowed: Allowed,
    known_sets: KnownSets,
    resume: Int32Array,
    last: int,
    rule: ThreatRule,
    private: DisclosureRule,
    threat_sets: Found,
) -> tuple[int, int]:
    """Find minimal threats of a given size. Stops after about `rule.budget` steps. The next call continues.

    Parameters
    ----------
    records
        Records of `count_tree.expand`. No single code is a threat.
    allowed
        uint64 (C, W): codes that can be combined with each code, without rare pairs.
    known_sets
        (members, slots): minimal threats of 3 to size - 1 members, int32 (K, size - 1), and the hash table filled by
        `hash_sets`.
    resume, last
        `resume`, int32 (size,), is the prefix at which the search continues, padded with -1. It is updated. The search
        ends before the first code `last`. It is complete when ``resume[0] == last``.
    rule
        Size, k, and number of steps after which to stop.
    private
        Disclosure condition for private items.
    threat_sets
        int32 (F, size): filled with the threats. F must be at least C.

    Returns
    -------
    (number of threats found, steps taken)

    Cost: for each set of `size` whose members except the last form a frequent set, a step per record. If the prefix is
    dense and stored in a bit matrix, the set costs only a few words. Private items need a further step for each private
    item in the records of a frequent set. A rare set needs up to 2^size further steps to check that it is minimal.
    """
    codes, start, position = records
    size, k, budget = rule
    n_codes = len(start) - 1
    walk, tally = _room(size, n_codes), np.zeros(private.number, np.int64)
    prefix, stack = np.full(size, -1, np.int32), np.empty(1024, position.dtype)
    goal, n_found, steps = 0, 0, 0
    for code in resume:
        goal += 1 if code >= 0 else 0
    while resume[0] < last:
        stack, depth = _begin(start, position, resume[0], walk, prefix, stack), 1
        while depth >= 1:
            row = walk.words[depth]
            if walk.word_at[depth] < 0:
                if goal == 0 and (steps > budget or n_found + n_codes > len(threat_sets)):
                    resume[depth:] = -1
                    for j in range(depth):
                        resume[j] = prefix[j]
                    return n_found, steps
                goal, walk.word_at[depth] = (0 if goal == depth else goal), 0
                starts = stack[walk.begin[depth] : walk.end[depth]]
                _count(codes, starts, allowed, walk, depth, prefix)
                n_kept, entries = 0, 0
                if depth == size - 1:
                    n_found, more = _report_rare(
                        prefix, walk.count, row, known_sets, (k, private.number), threat_sets, n_found
                    )
                    steps += more
                if depth < size - 1 or private.number > 0:
                    n_kept, entries = _keep_frequent(walk, depth, k)
                steps += len(starts) + _clear(walk)
                if private.number == 0 and depth < size - 1 and is_dense(len(starts), entries, n_kept, k):
                    members, matrix = bit_matrix(codes, starts, row, walk.place[depth])
                    task = DenseTask(size, k, depth, goal, n_found, budget - steps)
                    n_found, more, finished = search_dense(
                        matrix, members, allowed, known_sets, prefix, task, resume, threat_sets
                    )
                    steps += more
                    if not finished:
                        return n_found, steps
                    goal = n_kept = 0
                elif n_kept > 0:
                    stack = with_room(stack, walk.top[depth], walk.top[depth + 1])
                    project(codes, stack, walk.begin[depth], walk.end[depth], walk.place[depth])
                    if depth == size - 1:
                        heap = (codes, stack)
                        n_found = _report_disclosing(
                            prefix, walk, heap, known_sets, private, tally, threat_sets, n_found
                        )
                    elif private.number > 0:
                        _drop_known(prefix, depth, walk, known_sets)
                    if depth < goal:
                        _drop_below(walk, depth, resume[depth])
                if n_kept == 0 or depth == size - 1:
                    walk.word_at[depth] = len(row)
            depth = _descend(walk, depth, prefix)
        resume[0], resume[1:] = resume[0] + 1, -1
    return n_found, steps


@kernel(allocates=True)
def _begin(start: Int64Array, position: Position, first: int, walk: _Walk, prefix: Prefix, stack: Stack) -> IndexArray:
    """Start the walk over the sets that begin with a code. Return the stack, enlarged if necessary."""
    n_held = start[first + 1] - start[first]
    stack = with_room(stack, 0, n_held)
    for p in range(n_held):
        stack[p] = position[start[first] + p]
    prefix[0], walk.word_at[1] = first, -1
    walk.begin[1], walk.end[1], walk.top[1] = 0, n_held, n_held
    return stack


@kernel()
def _descend(walk: _Walk, depth: int, prefix: Prefix) -> int:
    """Add the next extension to the current prefix, or remove its last member. Return the new length."""
    row, w = walk.words[depth], walk.word_at[depth]
    while w < len(row) and row[w] == 0:
        w += 1
    walk.word_at[depth] = w
    if w == len(row):
        return depth - 1
    c = w * 64 + trailing_zeros(row[w])
    row[w] &= row[w] - np.uint64(1)
    walk.begin[depth + 1], walk.end[depth + 1] = walk.place[depth, c] - walk.support[depth, c], walk.place[depth, c]
    prefix[depth], walk.place[depth, c], walk.word_at[depth + 1] = c, -1, -1
    return depth + 1


@kernel()
def _count(codes: Codes, starts: IndexArray, allowed: Allowed, walk: _Walk, depth: int, prefix: Prefix) -> None:
    """Count the extensions of the current prefix, and mark the extensions that can be combined with it."""
    count_extensions(codes, starts, walk.count, walk.seen)
    row, last = walk.words[depth], prefix[depth - 1]
    for w in range(len(row)):
        row[w] = walk.seen[w] & walk.words[depth - 1, w] & allowed[last, w]


@kernel()
def _clear(walk: _Walk) -> int:
    """Clear the counts. Return their sum."""
    total = 0
    for w in range(len(walk.seen)):
        word = walk.seen[w]
        while word != 0:
            c = w * 64 + trailing_zeros(word)
            total += walk.count[c]
            walk.count[c] = 0
            word &= word - np.uint64(1)
        walk.seen[w] = np.uint64(0)
    return total


@kernel()
def _keep_frequent(walk: _Walk, depth: int, k: int) -> tuple[int, int]:
    """Remove the extensions in fewer than k records with the prefix, and allocate the projections of all other
    extensions.

    Returns the number of remaining extensions and the total length of their projections.
    """
    words, n_kept, top = walk.words[depth], 0, walk.top[depth]
    for w in range(len(words)):
        word = words[w]
        while word != 0:
            low = word & (~word + np.uint64(1))
            c = w * 64 + trailing_zeros(word)
            word ^= low
            if walk.count[c] < k:
                words[w] ^= low
            else:
                walk.place[depth, c], walk.support[depth, c] = top, walk.count[c]
                top += walk.count[c]
                n_kept += 1
    walk.top[depth + 1] = top
    return n_kept, top - walk.top[depth]


@kernel()
def _drop_below(walk: _Walk, depth: int, lowest: int) -> None:
    for c in range(lowest):
        walk.words[depth, c >> 6] &= ~bit(c & 63)
        walk.place[depth, c] = -1


@kernel(allocates=True)
def _report_rare(
    prefix: Prefix,
    count: Count,
    words: UInt64Array,
    known_sets: KnownSets,
    rule: tuple[int, int],
    threat_sets: Found,
    n_found: int,
) -> tuple[int, int]:
    """Append the rare extensions of a frequent prefix that are minimal threats. Return (n_found, steps)."""
    k, n_private = rule
    depth, steps = len(prefix) - 1, 0
    subset = np.empty(len(prefix), np.int32)
    for w in range(len(words)):
        word = words[w]
        while word != 0:
            c = w * 64 + trailing_zeros(word)
            word &= word - np.uint64(1)
            if count[c] >= k:
                continue
            steps += 1 << depth
            prefix[depth] = c
            if depth < 3 or (
                is_minimal_rare(prefix, known_sets, subset)
                if n_private == 0
                else is_minimal(prefix, known_sets, subset)
            ):
                for j in range(len(prefix)):
                    threat_sets[n_found, j] = prefix[j]
                n_found += 1
    return n_found, steps


@kernel(allocates=True)
def _report_disclosing(
    prefix: Prefix,
    walk: _Walk,
    heap: tuple[Codes, Stack],
    known_sets: KnownSets,
    private: DisclosureRule,
    tally: Tally,
    threat_sets: Found,
    n_found: int,
) -> int:
    """Append the frequent extensions that are minimal and disclose a private item. Clear all extensions."""
    codes, stack = heap
    depth = len(prefix) - 1
    place, support, words = walk.place[depth], walk.support[depth], walk.words[depth]
    subset = np.empty(len(prefix), np.int32)
    for w in range(len(words)):
        while words[w] != 0:
            c = w * 64 + trailing_zeros(words[w])
            words[w] &= words[w] - np.uint64(1)
            worst = _most_frequent_private(codes, stack, place[c] - support[c], place[c], tally)
            place[c] = -1
            prefix[depth] = c
            too_much = worst * private.denominator > np.int64(support[c]) * private.numerator
            if too_much and (depth < 3 or is_minimal(prefix, known_sets, subset)):
                for j in range(len(prefix)):
                    threat_sets[n_found, j] = prefix[j]
                n_found += 1
    return n_found


@kernel()
def _most_frequent_private(codes: Codes, stack: Stack, begin: int, end: int, tally: Tally) -> int:
    """Return the largest number of records at the given positions that contain the same private item."""
    worst = np.int64(0)
    for clear in range(2):
        for p in range(begin, end):
            position = stack[p]
            while codes[position] != -1:
                if codes[position] < -1:
                    e = -2 - codes[position]
                    tally[e] = 0 if clear else tally[e] + 1
                    worst = max(worst, tally[e])
                position += 1
    return int(worst)


@kernel(allocates=True)
def _drop_known(prefix: Prefix, depth: int, walk: _Walk, known_sets: KnownSets) -> None:
    """Remove the extensions of a prefix that complete a known threat of three or more members."""
    if depth < 2:
        return
    subset, words = prefix.copy(), walk.words[depth]
    for w in range(len(words)):
        word = words[w]
        while word != 0:
            low = word & (~word + np.uint64(1))
            c = w * 64 + trailing_zeros(word)
            word ^= low
            subset[depth] = c
            if is_known(subset, depth + 1, known_sets):
                words[w] ^= low
                walk.place[depth, c] = -1
