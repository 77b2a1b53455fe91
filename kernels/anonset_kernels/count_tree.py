"""The count-tree of Terrovitis et al. (VLDB 2008, section 4.1), walked but never materialised.

Nodes take part under a *code*: their position in the order of descending support. Each record is stored as the
codes of its items and their ancestors, ascending, and closed by -1. For the current prefix the walk keeps where
the prefix occurs and counts its extensions into one dense array that stays in cache.
"""

from typing import Any

import numpy as np

from anonset_kernels._bits import bit, trailing_zeros
from anonset_kernels._jit import kernel
from anonset_kernels._prefix import count_extensions, project
from anonset_kernels._tree import is_below

EXACT, LEAVES, MARK = 0, 1, 2
"""What the walk looks for: sets of one size, leaves of the count-tree at any depth, members of rare sets."""

_INSERTION = 48
_MOST_IN_A_CELL = 255


@kernel()
def node_supports(indptr: Any, items: Any, leaf_node: Any, parent: Any) -> Any:
    """Count the records below each node of the hierarchy, int64 (V,). O(nnz times the depth)."""
    support = np.zeros(len(parent), np.int64)
    stamp = np.full(len(parent), -1, np.int32)
    for record in range(len(indptr) - 1):
        for at in range(indptr[record], indptr[record + 1]):
            node = leaf_node[items[at]]
            while node >= 0 and stamp[node] != record:
                stamp[node] = record
                support[node] += 1
                node = parent[node]
    return support


@kernel()
def expand(indptr: Any, items: Any, entry: Any, parent: Any, code: Any, start: Any, position: Any) -> Any:
    """Store each record as the ascending codes of its nodes, closed by -1, and where each code occurs.

    Parameters
    ----------
    entry
        int32 (M,): the lowest node that stands for each leaf; -1 drops the leaf.
    code
        int32 (V,): code of each node; -1 leaves it out.
    start
        int64 (C + 1,): running sum of the codes' supports.
    position
        int32 or int64 (start[C],), filled here unless it is empty: ``position[start[c]:start[c + 1]]`` are the
        indices in the result at which code `c` stands, by record.

    Returns
    -------
    int32 (start[C] + n,)
        The records, one after the other.

    O(nnz times the depth); rows are sorted by insertion, long ones by a bitmap.
    """
    n, n_codes = len(indptr) - 1, len(start) - 1
    codes = np.empty(start[n_codes] + n, np.int32)
    stamp = np.full(len(parent), -1, np.int32)
    words = np.zeros((n_codes + 63) // 64, np.uint64)
    filled = 0
    for record in range(n):
        first = filled
        for at in range(indptr[record], indptr[record + 1]):
            node = entry[items[at]]
            while node >= 0 and stamp[node] != record:
                stamp[node] = record
                if code[node] >= 0:
                    codes[filled] = code[node]
                    filled += 1
                node = parent[node]
        _sort(codes, first, filled, words)
        codes[filled] = -1
        filled += 1
    fill = start[:-1].copy()
    for at in range(filled if len(position) > 0 else 0):
        c = codes[at]
        if c >= 0:
            position[fill[c]] = at
            fill[c] += 1
    return codes


@kernel()
def _sort(codes: Any, first: int, last: int, words: Any) -> None:
    if last - first <= _INSERTION:
        for at in range(first + 1, last):
            moved = codes[at]
            place = at
            while place > first and codes[place - 1] > moved:
                codes[place] = codes[place - 1]
                place -= 1
            codes[place] = moved
        return
    for at in range(first, last):
        c = codes[at]
        words[c >> 6] |= bit(c & 63)
    for w in range(len(words)):
        word = words[w]
        while word != 0:
            codes[first] = w * 64 + trailing_zeros(word)
            first += 1
            word &= word - np.uint64(1)
        words[w] = np.uint64(0)


@kernel()
def walk_sizes(codes: Any, n_codes: int, size: int) -> Any:
    """Count the increments of the walk over sets of `size` that begin at each code, float64 (C,). O(nnz).

    A code followed by r others in a record begins C(r, size - 1) sets there. The figure counts sets with an
    ancestor and its descendant too: the walk counts these before it drops them.
    """
    work = np.zeros(n_codes, np.float64)
    length = 0
    for at in range(len(codes)):
        if codes[at] >= 0:
            length += 1
            continue
        for after in range(length):
            sets = 1.0
            for j in range(size - 1):
                sets *= (after - j) / (j + 1)
                if sets <= 0.0:
                    break
            work[codes[at - 1 - after]] += max(sets, 0.0)
        length = 0
    return work


@kernel()
def walk(
    records: Any, intervals: Any, dead: Any, span: Any, rule: Any, found: Any, found_support: Any, together: Any
) -> Any:
    """Walk the count-tree below the first codes of `span` and report its rare sets, in lexicographic order.

    Parameters
    ----------
    records
        (codes, start, position) of `expand`.
    intervals
        (leaf_lo, leaf_hi): int32 (C,) leaf intervals by code; sets with an ancestor and its descendant are no sets.
    dead
        uint8 (C,): codes of generalised nodes; no set that holds one is reported.
    span
        (first, last): the first codes to walk below.
    rule
        (size, k, mode): report sets with support below k: EXACT those of `size` (>= 2); LEAVES those that cannot be
        extended or have `size`; MARK none, but mark their pairs in `together`.
    found, found_support
        int32 (F, size) and int32 (F,): the reported sets (filled up with -1) and their supports.
    together
        uint8 (C, C): for MARK, ``together[a, b]`` is set where a < b are in a rare set; for EXACT, a set that begins
        with `a` is looked for only among the `b` with ``together[a, b]``, unless the array is empty.

    Returns
    -------
    (number of reported sets, next first code)
        Where `found` is full the walk stops before the end of `span`. The next code is then to be walked again,
        for what it still has to report.

    Cost: one increment for each set of `size` in each record below the span.
    """
    codes, start, position = records
    size, k, mode = rule
    n_codes = len(start) - 1
    counts, place = np.zeros((size, n_codes), np.int32), np.zeros((size, n_codes), np.int64)
    words = np.zeros((size, (n_codes + 63) // 64), np.uint64)
    begin, end, top = np.zeros(size + 1, np.int64), np.zeros(size + 1, np.int64), np.zeros(size + 1, np.int64)
    opened = np.zeros(size + 1, np.uint8)
    prefix = np.full(size, -1, np.int32)
    skip = np.zeros(n_codes, np.uint8)
    stack, local = np.empty(1024, position.dtype), np.empty(1024, np.int32)
    n_found = 0
    for first in range(span[0], span[1]):
        if dead[first]:
            continue
        if mode != LEAVES:
            _skip_codes(dead, together, first, mode, skip)
        support = start[first + 1] - start[first]
        stack = _with_room(stack, 0, support)
        stack[:support] = position[start[first] : start[first + 1]]
        prefix[0], depth = first, 1
        begin[1], end[1], top[1], opened[1] = 0, support, support, 0
        while depth >= 1:
            row, count = words[depth], counts[depth]
            if not opened[depth]:
                opened[depth] = 1
                source = codes if depth == 1 else local
                held = stack[begin[depth] : end[depth]]
                count_extensions(source, held, count, row)
                n_kept, total = _keep_extensions(prefix, depth, count, row, place[depth], top[depth], intervals, skip)
                if mode == LEAVES and n_kept == 0 and len(held) < k:
                    if n_found == len(found):
                        return n_found, first
                    n_found = _take(found, found_support, n_found, prefix, depth, len(held), mode, together)
                entries = total - top[depth]
                if depth == size - 2 and mode != LEAVES and _is_dense(len(held), entries, n_kept, k):
                    n_found = _rare_dense_pairs(
                        source, held, (count, row, place[depth]), n_kept, intervals,
                        (size, k, mode), prefix, found, found_support, n_found, together,
                    )  # fmt: skip
                    if n_found < 0:
                        return len(found), first
                elif depth < size - 1:
                    stack = _with_room(stack, top[depth], total)
                    if depth == 1:  # the records of one first code, side by side: deeper walks then stay in cache
                        local = _with_room(local, 0, entries + support)
                        _project_first(codes, stack, support, place[1], local)
                    else:
                        project(local, stack, begin[depth], end[depth], place[depth])
                    top[depth + 1] = total
            c = _next_code(row)
            if c < 0:
                depth -= 1
                continue
            support_here, count[c] = count[c], 0
            if dead[c]:
                continue
            prefix[depth] = c
            if depth < size - 1:
                begin[depth + 1], end[depth + 1] = place[depth, c] - support_here, place[depth, c]
                depth += 1
                opened[depth] = 0
            elif support_here < k:
                if mode != MARK and n_found == len(found):
                    return n_found, first
                n_found = _take(found, found_support, n_found, prefix, size, support_here, mode, together)
        if mode != MARK and 4 * n_found >= len(found):
            return n_found, first + 1
    return n_found, span[1]


@kernel()
def _skip_codes(dead: Any, together: Any, first: int, mode: int, skip: Any) -> None:
    """Set the codes that are no extension of a first code: generalised ones, and those in no rare set with it."""
    for c in range(len(skip)):
        skip[c] = dead[c]
        if mode == EXACT and len(together) > 0 and not together[first, c]:
            skip[c] = 1


@kernel()
def _with_room(array: Any, used: int, length: int) -> Any:
    """Return the array, or a larger copy of its first `used` values if it is shorter than `length`."""
    if length <= len(array):
        return array
    grown = np.empty(length + length // 2, array.dtype)
    grown[:used] = array[:used]
    return grown


@kernel()
def _next_code(words: Any) -> int:
    """Take the smallest code out of a bitmap; -1 if it is empty."""
    for w in range(len(words)):
        if words[w] != 0:
            code = w * 64 + trailing_zeros(words[w])
            words[w] &= words[w] - np.uint64(1)
            return code
    return -1


@kernel()
def _keep_extensions(
    prefix: Any, depth: int, count: Any, words: Any, place: Any, top: int, intervals: Any, skip: Any
) -> Any:
    """Drop extensions below a member of the prefix, lay out the projections of the others from `top` on.

    Returns (number of extensions kept, end of the layout).
    """
    total, n_kept = top, 0
    for w in range(len(words)):
        word = words[w]
        while word != 0:
            low = word & (~word + np.uint64(1))
            c = w * 64 + trailing_zeros(word)
            word ^= low
            drop = skip[c] != 0
            for member in prefix[:depth]:
                drop |= is_below(intervals[0], intervals[1], c, member)
            if drop:
                words[w] ^= low
                place[c], count[c] = -1, 0
            else:
                place[c] = total
                total += count[c]
                n_kept += 1
    return n_kept, total


@kernel()
def _project_first(codes: Any, stack: Any, end: int, place: Any, local: Any) -> None:
    """Project as `project`, and copy what is left of the records, so that the positions are those in the copy."""
    filled = 0
    for p in range(end):
        at = stack[p] + 1
        c = codes[at]
        while c >= 0:
            if place[c] >= 0:
                local[filled] = c
                stack[place[c]] = filled
                place[c] += 1
                filled += 1
            at += 1
            c = codes[at]
        local[filled] = -1
        filled += 1


@kernel()
def _is_dense(n_records: int, entries: int, n_kept: int, k: int) -> bool:
    """Tell whether a matrix of all pairs of extensions is smaller than the number of pairs to be counted."""
    return k <= _MOST_IN_A_CELL and n_kept > 1 and entries * entries > 4 * n_records * n_kept * n_kept


@kernel()
def _rare_dense_pairs(
    codes: Any, held: Any, extensions: Any, n_kept: int, intervals: Any, rule: Any, prefix: Any,
    found: Any, found_support: Any, n_found: int, together: Any,
) -> int:  # fmt: skip
    """Take the rare sets of a prefix and two extensions, counting all pairs at once; -1 where `found` is full.

    Cells stop at `k`, which keeps them in a byte and the matrix in cache. Empties the extensions' bitmap.
    """
    count, words, place = extensions
    size, k, mode = rule
    kept, row = np.empty(n_kept, np.int32), np.empty(n_kept, np.int64)
    for i in range(n_kept):
        c = _next_code(words)
        kept[i], place[c], count[c] = c, i, 0
    pairs = np.zeros((n_kept, n_kept), np.uint8)
    for p in held:
        length, at = 0, p + 1
        while codes[at] >= 0:
            if place[codes[at]] >= 0:
                row[length] = place[codes[at]]
                length += 1
            at += 1
        for i in range(length - 1):
            cells = pairs[row[i]]
            for j in range(i + 1, length):
                if cells[row[j]] < k:
                    cells[row[j]] += 1
    for i in range(n_kept):
        for j in range(i + 1, n_kept):
            if 0 < pairs[i, j] < k and not is_below(intervals[0], intervals[1], kept[j], kept[i]):
                if mode != MARK and n_found == len(found):
                    return -1
                prefix[size - 2], prefix[size - 1] = kept[i], kept[j]
                n_found = _take(found, found_support, n_found, prefix, size, pairs[i, j], mode, together)
    return n_found


@kernel()
def _take(
    found: Any, found_support: Any, n_found: int, prefix: Any, length: int, support: int, mode: int, together: Any
) -> int:
    """Report a rare set, or mark its pairs; return the number of reported sets."""
    if mode == MARK:
        for i in range(length):
            for j in range(i + 1, length):
                together[prefix[i], prefix[j]] = 1
        return n_found
    for j in range(found.shape[1]):
        found[n_found, j] = prefix[j] if j < length else -1
    found_support[n_found] = support
    return n_found + 1
