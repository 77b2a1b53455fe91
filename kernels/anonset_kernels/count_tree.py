"""The count-tree of Terrovitis et al. (VLDB 2008, section 4.1), walked but never materialised.

Nodes take part under a *code*: their position in the order of descending support. Each record is stored as the
codes of its items and their ancestors, ascending, and closed by -1. For the current prefix the walk keeps where
the prefix occurs and counts its extensions into one dense array that stays in cache.
"""

from typing import Any

import numpy as np

from anonset_kernels._bits import bit, trailing_zeros
from anonset_kernels._jit import kernel
from anonset_kernels._tree import is_below

EXACT, LEAVES, MARK = 0, 1, 2
"""What the walk looks for: sets of one size, leaves of the count-tree at any depth, members of rare sets."""

_INSERTION = 48


@kernel()
def node_supports(indptr: Any, items: Any, leaf_node: Any, parent: Any) -> Any:
    """Count the records below each node of the hierarchy, int64 (V,). O(nnz times the depth), less what is shared."""
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
        int32 or int64 (start[C],), filled here: ``position[start[c]:start[c + 1]]`` are the indices in the result
        at which code `c` stands, by record.

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
    for at in range(filled):
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
    records: Any, intervals: Any, dead: Any, span: Any, rule: Any, found: Any, found_support: Any, mark: Any
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
        (size, k, mode): report sets with support below k: EXACT those of `size`; LEAVES those that cannot be
        extended or have `size`; MARK none, but mark their members.
    found, found_support
        int32 (F, size) and int32 (F,): the reported sets (filled up with -1) and their supports.
    mark
        uint8 (C,): members of the rare sets, for MARK.

    Returns
    -------
    (number of reported sets, next first code)
        Where `found` is full the walk stops before the end of `span`. The next code is then to be walked again,
        for what it still has to report.

    Cost: one increment for each set of `size` in each record below the span.
    """
    codes, start, position = records
    leaf_lo, leaf_hi = intervals
    size, k, mode = rule
    n_codes = len(start) - 1
    counts = np.zeros((size, n_codes), np.int32)
    words = np.zeros((size, (n_codes + 63) // 64), np.uint64)
    place = np.zeros((size, n_codes), np.int64)
    begin, end, top = np.zeros(size + 1, np.int64), np.zeros(size + 1, np.int64), np.zeros(size + 1, np.int64)
    word_at, opened = np.zeros(size + 1, np.int64), np.zeros(size + 1, np.uint8)
    prefix = np.full(size, -1, np.int32)
    stack = np.empty(1024, position.dtype)
    n_found = 0
    for first in range(span[0], span[1]):
        if dead[first]:
            continue
        support = start[first + 1] - start[first]
        if support > len(stack):
            stack = np.empty(support + support // 2, position.dtype)
        stack[:support] = position[start[first] : start[first + 1]]
        prefix[0] = first
        depth, begin[1], end[1], top[1], opened[1] = 1, 0, support, support, 0
        while depth >= 1:
            row, count = words[depth], counts[depth]
            if not opened[depth]:
                _count_extensions(codes, stack, begin[depth], end[depth], count, row)
                alive, total = _keep_extensions(prefix, depth, count, row, place[depth], top[depth], (leaf_lo, leaf_hi))
                if mode == LEAVES and not alive and end[depth] - begin[depth] < k:
                    if n_found == len(found):
                        return n_found, first
                    _report(found, found_support, n_found, prefix, depth, end[depth] - begin[depth])
                    n_found += 1
                if depth < size - 1:
                    if total > len(stack):
                        grown = np.empty(total + total // 2, position.dtype)
                        grown[: top[depth]] = stack[: top[depth]]
                        stack = grown
                    _project(codes, stack, begin[depth], end[depth], place[depth])
                opened[depth], word_at[depth], top[depth + 1] = 1, 0, total
            w = word_at[depth]
            while w < len(row) and row[w] == 0:
                w += 1
            word_at[depth] = w
            if w == len(row):
                depth -= 1
                continue
            c = w * 64 + trailing_zeros(row[w])
            row[w] &= row[w] - np.uint64(1)
            support, count[c] = count[c], 0
            if dead[c]:
                continue
            prefix[depth] = c
            if depth < size - 1:
                begin[depth + 1], end[depth + 1], opened[depth + 1] = (
                    place[depth, c] - support,
                    place[depth, c],
                    0,
                )
                depth += 1
            elif support < k:
                if mode == MARK:
                    for member in prefix:
                        mark[member] = 1
                    continue
                if n_found == len(found):
                    return n_found, first
                _report(found, found_support, n_found, prefix, size, support)
                n_found += 1
        if mode != MARK and 4 * n_found >= len(found):
            return n_found, first + 1
    return n_found, span[1]


@kernel()
def _count_extensions(codes: Any, stack: Any, begin: int, end: int, count: Any, words: Any) -> None:
    for p in range(begin, end):
        at = stack[p] + 1
        c = codes[at]
        while c >= 0:
            if count[c] == 0:
                words[c >> 6] |= bit(c & 63)
            count[c] += 1
            at += 1
            c = codes[at]


@kernel()
def _keep_extensions(prefix: Any, depth: int, count: Any, words: Any, place: Any, top: int, intervals: Any) -> Any:
    """Drop extensions below a member of the prefix, and lay out the projections of the others from `top` on."""
    total, alive = top, False
    for w in range(len(words)):
        word = words[w]
        while word != 0:
            low = word & (~word + np.uint64(1))
            c = w * 64 + trailing_zeros(word)
            word ^= low
            related = False
            for member in prefix[:depth]:
                related |= is_below(intervals[0], intervals[1], c, member)
            if related:
                words[w] ^= low
                place[c], count[c] = -1, 0
            else:
                place[c], alive = total, True
                total += count[c]
    return alive, total


@kernel()
def _project(codes: Any, stack: Any, begin: int, end: int, place: Any) -> None:
    for p in range(begin, end):
        at = stack[p] + 1
        c = codes[at]
        while c >= 0:
            if place[c] >= 0:
                stack[place[c]] = at
                place[c] += 1
            at += 1
            c = codes[at]


@kernel()
def _report(found: Any, found_support: Any, n_found: int, prefix: Any, length: int, support: int) -> None:
    for j in range(found.shape[1]):
        found[n_found, j] = prefix[j] if j < length else -1
    found_support[n_found] = support
