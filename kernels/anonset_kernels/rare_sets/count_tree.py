"""Walk the count-tree of Terrovitis et al. (VLDB 2008, section 4.1) without building it.

Nodes are identified by a *code*: their rank by descending support. Each record is stored as the codes of its items and
their ancestors, ascending, terminated by -1. For the current prefix, the walk stores the positions of the prefix and
counts its extensions in one dense array that fits into cache.
"""

from typing import NamedTuple

import numpy as np

from anonset_kernels._arrays import (
    Codes,
    Dead,
    ExpandedCodes,
    Float64Array,
    Found,
    FoundSupport,
    Indptr,
    Int32Array,
    Int32Matrix,
    Int64Array,
    Int64Matrix,
    Intervals,
    Items,
    LeafNode,
    Parent,
    Position,
    Stack,
    Together,
    UInt8Array,
    UInt64Array,
    UInt64Matrix,
)
from anonset_kernels._bits import bit, trailing_zeros
from anonset_kernels._jit import kernel
from anonset_kernels._sorted import insert
from anonset_kernels.rare_sets._prefix import count_extensions, project, with_room
from anonset_kernels.rare_sets._rare_sets import (
    RareSearch,
    are_dense,
    next_code,
    rare_dense_pairs,
    report_rare_set,
    room_for_pairs,
)
from anonset_kernels.rare_sets._tree import is_below

EXACT, LEAVES, MARK = 0, 1, 2
"""Modes of `walk`. EXACT reports sets of a given size. LEAVES also reports shorter sets that cannot be extended. MARK
reports the same sets as EXACT, and marks all pairs in rare sets.
"""

_CLOSED = -1
_INSERTION = 48


class SupportRule(NamedTuple):
    """Selects the rare sets that `walk` reports. A set is rare if its support is below k. All fields are int64."""

    size: int
    """Size of the sets (>= 2)."""
    k: int
    """Smallest support of a frequent set."""
    mode: int
    """EXACT, LEAVES or MARK."""


class _Levels(NamedTuple):
    """State of a walk. An *extension* is a code that follows the current prefix in a record. Its *projection* is the
    list of its positions.

    The state contains the extensions of each prefix shorter than `size`, and the position of the walk in them.
    """

    counts: Int32Matrix
    """Number of records with each extension, int32 (size, C)."""
    words: UInt64Matrix
    """Bitmap of the extensions to walk, uint64 (size, W)."""
    place: Int64Matrix
    """End of each extension's projection in the stack, int64 (size, C). -1 for an extension that is skipped."""
    begin: Int64Array
    """Start of the prefix's positions in the stack, int64 (size + 1,)."""
    end: Int64Array
    """End of the prefix's positions in the stack, int64 (size + 1,)."""
    top: Int64Array
    """End of the used part of the stack, int64 (size + 1,)."""
    word: Int64Array
    """First word in `words` with extensions to walk, int64 (size + 1,). -1 before the extensions are counted."""
    skip: UInt8Array
    """1 for codes that never extend the current prefix, uint8 (C,)."""


class _Encoding(NamedTuple):
    """Codes of the nodes above each leaf, as for `expand`, and buffers to encode a record."""

    entry: Int32Array
    parent: Parent
    code: Int32Array
    stamp: Int32Array
    """Last record with each node, int32 (V,)."""
    words: UInt64Array
    """Bitmap of the codes of a record, uint64 (W,). Zero between records."""


@kernel(allocates=True)
def node_supports(indptr: Indptr, items: Items, leaf_node: LeafNode, parent: Parent) -> Int64Array:
    """Count the records below each node of the hierarchy, int64 (V,). O(nnz times the depth)."""
    support = np.zeros(len(parent), np.int64)
    stamp = np.full(len(parent), -1, np.int32)
    for record in range(len(indptr) - 1):
        for entry in range(indptr[record], indptr[record + 1]):
            node = leaf_node[items[entry]]
            while node >= 0 and stamp[node] != record:
                stamp[node] = record
                support[node] += 1
                node = parent[node]
    return support


@kernel(allocates=True)
def expand(
    indptr: Indptr,
    items: Items,
    entry: Int32Array,
    parent: Parent,
    code: Int32Array,
    start: Int64Array,
    position: Position,
) -> Codes:
    """Encode each record as the ascending codes of its nodes, terminated by -1, and index the positions of each code.

    Parameters
    ----------
    entry
        int32 (M,): lowest published node of each leaf. Leaves with -1 are omitted.
    code
        int32 (V,): code of each node. Nodes with -1 are omitted.
    start
        int64 (C + 1,): running sum of the codes' supports.
    position
        int32 or int64 (start[C],), filled here unless it is empty. ``position[start[c]:start[c + 1]]`` are the indices
        of code `c` in the result, sorted by record.

    Returns
    -------
    int32 (start[C] + n,)
        Encoded records, in sequence.

    O(nnz times the depth). Rows are sorted by insertion, long rows by a bitmap.
    """
    n, n_codes = len(indptr) - 1, len(start) - 1
    codes = np.empty(start[n_codes] + n, np.int32)
    encoding = _Encoding(
        entry, parent, code, np.full(len(parent), -1, np.int32), np.zeros((n_codes + 63) // 64, np.uint64)
    )
    filled = 0
    for record in range(n):
        filled = _expand_record(indptr, items, record, encoding, codes, filled)
    fill = start[:-1].copy()
    for i in range(filled if len(position) > 0 else 0):
        c = codes[i]
        if c >= 0:
            position[fill[c]] = i
            fill[c] += 1
    return codes


@kernel(allocates=True)
def expand_block(
    indptr: Indptr, items: Items, entry: Int32Array, parent: Parent, code: Int32Array, n_codes: int, height: int
) -> Codes:
    """Encode the records of a block like `expand`, without knowing the supports of the codes in the block.

    Parameters
    ----------
    entry, code
        int32 (M,) and int32 (V,), as for `expand`.
    height
        Largest number of nodes per item.
    """
    n = len(indptr) - 1
    codes = np.empty(4 * (indptr[n] - indptr[0]) + n, np.int32)
    encoding = _Encoding(
        entry, parent, code, np.full(len(parent), -1, np.int32), np.zeros((n_codes + 63) // 64, np.uint64)
    )
    filled = 0
    for record in range(n):
        codes = with_room(codes, filled, filled + min(n_codes, (indptr[record + 1] - indptr[record]) * height) + 1)
        filled = _expand_record(indptr, items, record, encoding, codes, filled)
    return codes[:filled]


@kernel()
def _expand_record(indptr: Indptr, items: Items, record: int, encoding: _Encoding, codes: Codes, filled: int) -> int:
    """Append the ascending codes of a record's nodes and -1 to `codes`. Return the new length."""
    entry, parent, code, stamp, words = encoding
    first = filled
    for index in range(indptr[record], indptr[record + 1]):
        node = entry[items[index]]
        while node >= 0 and stamp[node] != record:
            stamp[node] = record
            if code[node] >= 0:
                codes[filled] = code[node]
                filled += 1
            node = parent[node]
    _sort(codes, first, filled, words)
    codes[filled] = -1
    return filled + 1


@kernel()
def _sort(codes: Codes, first: int, last: int, words: UInt64Array) -> None:
    if last - first <= _INSERTION:
        for i in range(first + 1, last):
            insert(codes, first, i, codes[i])
        return
    for i in range(first, last):
        c = codes[i]
        words[c >> 6] |= bit(c & 63)
    for w in range(len(words)):
        word = words[w]
        while word != 0:
            codes[first] = w * 64 + trailing_zeros(word)
            first += 1
            word &= word - np.uint64(1)
        words[w] = np.uint64(0)


@kernel(allocates=True)
def walk_sizes(codes: Codes, n_codes: int, size: int) -> Float64Array:
    """Return the cost of a walk over the sets of `size` that begin with each code, float64 (C,). O(nnz).

    The cost is the number of increments. A code followed by r others in a record is the first member of C(r, size - 1)
    sets. This includes sets with related nodes, because the walk counts these sets before it skips them.
    """
    work = np.zeros(n_codes, np.float64)
    length = 0
    for i in range(len(codes)):
        if codes[i] >= 0:
            length += 1
            continue
        for after in range(length):
            sets = 1.0
            for j in range(size - 1):
                sets = sets * (after - j) / (j + 1)  # always an integer: the order of addition does not matter
                if sets <= 0.0:
                    break
            work[codes[i - 1 - after]] += max(sets, 0.0)
        length = 0
    return work


@kernel(allocates=True)
def walk(
    records: ExpandedCodes,
    intervals: Intervals,
    dead: Dead,
    span: tuple[int, int],
    rule: SupportRule,
    rare_sets: Found,
    found_support: FoundSupport,
    together: Together,
) -> tuple[int, int]:
    """Walk the count-tree below the first codes in `span`, and report the rare sets in lexicographic order.

    Parameters
    ----------
    records
        Codes of `expand` and their start indices.
    intervals
        Leaf intervals by code. Sets with related nodes (an ancestor and a descendant) are skipped.
    dead
        uint8 (C,): codes of generalized nodes. Sets that contain them are not reported.
    span
        (first, last): range of first codes.
    rule
        Sets to report. MARK reports sets of `size` up to the capacity of `rare_sets`, and the pairs of all rare sets in
        `together`.
    rare_sets, found_support
        int32 (F, size) and int32 (F,): reported sets (padded with -1) and their supports.
    together
        uint8 (C, C). MARK sets ``together[a, b]`` if a < b are in a rare set. EXACT extends a first code `a` only by
        codes `b` with ``together[a, b]``, unless the array is empty.

    Returns
    -------
    (number of reported sets, next first code)
        If `rare_sets` is full, the walk stops before the end of `span`. The next call repeats the returned first code
        to report its remaining sets. MARK continues to the end and returns the number of all rare sets.

    Cost: an increment per set of `size` in each record of the span.
    """
    codes, start, position = records
    size, k, mode = rule
    n_codes = len(start) - 1
    search = RareSearch(
        intervals, np.full(size, -1, np.int32), rare_sets, found_support, together,
        room_for_pairs(n_codes if size > 2 and mode != LEAVES else 0),
    )  # fmt: skip
    levels = _Levels(
        np.zeros((size, n_codes), np.int32), np.zeros((size, (n_codes + 63) // 64), np.uint64),
        np.zeros((size, n_codes), np.int64), np.zeros(size + 1, np.int64), np.zeros(size + 1, np.int64),
        np.zeros(size + 1, np.int64), np.full(size + 1, _CLOSED, np.int64),
        np.zeros(n_codes, np.uint8) if mode == LEAVES else dead.copy(),
    )  # fmt: skip
    counts, words, place, begin, end, top, word, skip = levels
    prefix, n_found = search.prefix, 0
    stack, local = np.empty(1024, position.dtype), np.empty(1024, np.int32)
    for first in range(span[0], span[1]):
        if dead[first]:
            continue
        if mode == EXACT and len(together) > 0:
            _skip_codes(dead, together, first, skip)
        support = start[first + 1] - start[first]
        stack = with_room(stack, 0, support)
        for p in range(support):
            stack[p] = position[start[first] + p]
        prefix[0], depth, begin[1], end[1], top[1], word[1] = first, 1, 0, support, support, _CLOSED
        while depth >= 1:
            if word[depth] == _CLOSED:
                word[depth] = 0
                stack, local, n_found = _open(search, levels, depth, rule, codes, stack, local, n_found)
                if n_found < 0:
                    return len(rare_sets), first
            count = counts[depth]
            c = next_code(words[depth], word[depth])
            if c < 0:
                depth -= 1
                continue
            word[depth] = c >> 6  # earlier words are done
            support_here, count[c] = count[c], 0
            if dead[c]:
                continue
            prefix[depth] = c
            if depth < size - 1:
                begin[depth + 1], end[depth + 1] = place[depth, c] - support_here, place[depth, c]
                depth += 1
                word[depth] = _CLOSED
            elif support_here < k:
                if mode != MARK and n_found == len(rare_sets):
                    return n_found, first
                n_found = report_rare_set(
                    rare_sets, found_support, n_found, prefix, size, support_here, mode == MARK, together
                )
        if mode != MARK and 4 * n_found >= len(rare_sets):
            return n_found, first + 1
    return n_found, span[1]


@kernel(allocates=True)
def _open(
    search: RareSearch,
    levels: _Levels,
    depth: int,
    rule: SupportRule,
    codes: Codes,
    stack: Stack,
    local: Int32Array,
    n_found: int,
) -> tuple[Stack, Int32Array, int]:
    """Count the extensions of the prefix of `depth` codes. Project its records, or report its rare sets.

    Returns (stack, local, n_found). The arrays are enlarged if necessary. `n_found` is the number of reported sets, or
    -1 if there is no space left.
    """
    size, k, mode = rule
    source = codes if depth == 1 else local
    starts = stack[levels.begin[depth] : levels.end[depth]]
    count, words, place, top = levels.counts[depth], levels.words[depth], levels.place[depth], levels.top[depth]
    count_extensions(source, starts, count, words)
    n_kept, total = _keep_extensions(search, levels, depth)
    if mode == LEAVES and n_kept == 0:
        if len(starts) < k:
            if n_found == len(search.rare_sets):
                return stack, local, -1
            n_found = report_rare_set(
                search.rare_sets, search.support, n_found, search.prefix, depth, len(starts), False, search.together
            )
    elif depth == size - 2 and mode != LEAVES and are_dense(len(starts), total - top, n_kept, k, search.pairs):
        extensions, pair_rule = (count, words, place), (size, k, mode == MARK)
        n_found = rare_dense_pairs(search, source, starts, extensions, n_kept, pair_rule, n_found, search.pairs)
    elif depth < size - 1:
        stack = with_room(stack, top, total)
        if depth == 1:  # copy the records of a first code together: deeper walks then fit into cache
            local = with_room(local, 0, total)
            _project_first(codes, stack, top, place, local)
        else:
            project(local, stack, levels.begin[depth], levels.end[depth], place)
        levels.top[depth + 1] = total
    return stack, local, n_found


@kernel()
def _skip_codes(dead: Dead, together: Together, first: int, skip: UInt8Array) -> None:
    """Mark the codes that cannot extend `first`: generalized codes, and codes in no rare set together with `first`."""
    for c in range(len(skip)):
        skip[c] = 1 if dead[c] or not together[first, c] else 0


@kernel()
def _keep_extensions(search: RareSearch, levels: _Levels, depth: int) -> tuple[int, int]:
    """Remove the extensions whose node is below a node of the prefix. Allocate the projections of the remaining
    extensions.

    Returns (number of remaining extensions, end of the allocated part).
    """
    count, words, place = levels.counts[depth], levels.words[depth], levels.place[depth]
    intervals, prefix = search.intervals, search.prefix
    total, n_kept = levels.top[depth], 0
    for w in range(len(words)):
        word = words[w]
        while word != 0:
            low = word & (~word + np.uint64(1))
            c = w * 64 + trailing_zeros(word)
            word ^= low
            drop = levels.skip[c] != 0
            for member in prefix[:depth]:
                drop |= is_below(intervals.leaf_lo, intervals.leaf_hi, c, member)
            if drop:
                words[w] ^= low
                place[c], count[c] = -1, 0
            else:
                place[c] = total
                total += count[c]
                n_kept += 1
    return n_kept, total


@kernel()
def _project_first(codes: Codes, stack: Stack, end: int, place: Int64Array, local: Int32Array) -> None:
    """Project like `project`, but copy the rest of each record. The positions refer to the copies."""
    filled = 0
    for p in range(end):
        source = stack[p] + 1
        c = codes[source]
        while c >= 0:
            if place[c] >= 0:
                local[filled] = c
                stack[place[c]] = filled
                place[c] += 1
                filled += 1
            source += 1
            c = codes[source]
        local[filled] = -1
        filled += 1
