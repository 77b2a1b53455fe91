"""Check, with exact integers, whether equivalence classes satisfy a rule on a sensitive column.

Rules: distinct, entropy and recursive l-diversity (Machanavajjhala et al., ICDE 2006), and t-closeness with the equal
distance or with path lengths between values (Li et al., ICDE 2007). The entropy is computed in floating point. If
rounding makes the result uncertain, a class satisfies the rule only if its values are equally frequent, which is
checked exactly. A class that violates the rule is therefore never accepted.
"""

import numpy as np

from anonset_kernels._arrays import Int32Array, Int64Array, Int64Matrix, Integer, UInt8Array
from anonset_kernels._jit import kernel

NONE, DISTINCT, ENTROPY, RECURSIVE, EQUAL, WAYS = range(6)
KIND, L, C_OVER, C_UNDER, RECORDS, T_WHOLE, T_OVER, T_UNDER = range(8)
"""Indices in the terms of a rule."""
_ROUNDING = 4e-16


@kernel(allocates=True)
def break_rule(
    terms: Int64Array,
    overall: Int64Array,
    ways: Int64Matrix,
    group: Int32Array,
    value: Int32Array,
    weight: Int64Array,
    broken: UInt8Array,
) -> int:
    """Fill ``broken[g]`` with 1 for each group that violates a rule, otherwise 0. Return the number of violations.

    Groups without values never violate a rule.

    Parameters
    ----------
    terms
        int64 (8,), indexed by `KIND` and the following constants: kind of the rule; l; c as a fraction; number of
        values in the table; integer part of ``t * records * scale``, and the remainder as a fraction. The scale is 1,
        or the longest path length.
    overall
        int64 (M,): number of records with each value in the table.
    ways
        int64 (W, 3): rows (from, to, length). The surplus of the values from `from` to ``to - 1`` is moved over this
        length.
    group, value, weight
        int32 (E,), int32 (E,) and int64 (E,): `weight` records of the group have the value. Entries with a negative
        group or value are ignored.

    Cost: O(E). Path lengths need O(E + (M + W) groups), and recursive diversity O(E log E).
    """
    n_groups, n_broken = len(broken), 0
    start = np.zeros(n_groups + 1, np.int64)
    for e in range(len(group)):
        if group[e] >= 0 and value[e] >= 0:
            start[group[e] + 1] += 1
    for g in range(n_groups):
        start[g + 1] += start[g]
    place, entries = start[:n_groups].copy(), np.empty(start[n_groups], np.int64)
    for e in range(len(group)):
        if group[e] >= 0 and value[e] >= 0:
            entries[place[group[e]]] = e
            place[group[e]] += 1
    count, values = np.zeros(len(overall), np.int64), np.empty(len(overall), np.int32)
    for g in range(n_groups):
        n_seen, size = 0, 0
        for i in range(start[g], start[g + 1]):
            e = entries[i]
            if weight[e] > 0 and count[value[e]] == 0:
                values[n_seen] = value[e]
                n_seen += 1
            count[value[e]] += weight[e]
            size += weight[e]
        broken[g] = 1 if size > 0 and not _keeps(terms, overall, ways, count, values[:n_seen], size) else 0
        n_broken += broken[g]
        for s in values[:n_seen]:
            count[s] = 0
    return n_broken


@kernel(allocates=True)
def _keeps(
    terms: Int64Array,
    overall: Int64Array,
    ways: Int64Matrix,
    frequency: Int64Array,
    values: Int32Array,
    size: Integer,
) -> bool:
    """Return True if a class of `size` records with a value satisfies a rule.

    Parameters
    ----------
    frequency
        int64 (M,): number of records in the class with each value.
    values
        int32 (d,): values that occur in the class.
    """
    kind, l = terms[KIND], terms[L]  # noqa: E741
    if kind == NONE:
        return True
    if kind == DISTINCT:
        return bool(len(values) >= l)
    if kind == ENTROPY:
        return _has_entropy(frequency, values, size, l)
    if kind == RECURSIVE:
        often = np.sort(frequency[values])[::-1]
        n_rarer = 0
        for v in range(l - 1, len(often)):
            n_rarer += often[v]
        return bool(often[0] * terms[C_UNDER] < n_rarer * terms[C_OVER])
    most = size * terms[T_WHOLE] + size * terms[T_OVER] // terms[T_UNDER]
    n, moved = terms[RECORDS], 0
    if kind == EQUAL:
        for s in values:
            moved += max(0, frequency[s] * n - overall[s] * size)
        return bool(moved <= most)
    more = np.zeros(len(overall) + 1, np.int64)
    for v in range(len(overall)):
        more[v + 1] = more[v] + frequency[v] * n - overall[v] * size
    for way in range(len(ways)):
        moved += ways[way, 2] * abs(more[ways[way, 1]] - more[ways[way, 0]])
    return bool(moved <= most)


@kernel()
def _has_entropy(frequency: Int64Array, values: Int32Array, size: Integer, l: Integer) -> bool:  # noqa: E741
    """Return True if the entropy of a class is certainly at least the entropy of `l` equally frequent values."""
    sum_of_logs, alike = 0.0, True
    for s in values:
        sum_of_logs += frequency[s] * np.log(frequency[s])
        if frequency[s] != frequency[values[0]]:
            alike = False
    if alike:
        return bool(len(values) >= l)
    beyond = size * np.log(size) - sum_of_logs - size * np.log(l)
    return bool(beyond > _ROUNDING * (len(values) + 8) * size * (1.0 + np.log(size)))
