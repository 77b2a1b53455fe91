"""List the rules with antecedents of a given size that infer a sensitive item with too high a confidence."""

import numpy as np

from anonset_kernels._arrays import Csr, Int32Array, Int32Matrix, Int64Array
from anonset_kernels._jit import kernel


@kernel(allocates=True)
def list_rules(rows: Csr, secrets: Csr, n_codes: int, size: int, share: tuple[int, int, int], most: int) -> Int32Matrix:
    """Return the rules whose confidence is too high and whose antecedent has `size` items and occurs in a record.

    Visits the sets of `size` items in code order, and finds the records that contain each set.

    Parameters
    ----------
    rows
        Compressed rows, int64 (n + 1,) and int32: codes of each record in ascending order.
    secrets
        Compressed rows of the sensitive codes only.
    share
        Numerator and denominator of the maximum confidence, and 1 if a confidence equal to the maximum is too high,
        else 0.
    most
        The walk stops when there are more rules than this.

    Returns
    -------
    Antecedent and sensitive code of each rule, int32 (T, size + 1). T is at most `most` + 1. Cost: for each record, its
    sets of `size` items times its sensitive items.
    """
    indptr, n = rows[0], len(rows[0]) - 1
    frequency, occurring = np.zeros(n_codes, np.int64), np.empty(n_codes, np.int32)
    rules, n_rules = np.empty((1024, size + 1), np.int32), 0
    record = [np.empty(0, np.int32) for _ in range(size + 1)]
    place = [np.empty(0, np.int64) for _ in range(size + 1)]
    start = [np.empty(0, np.int64) for _ in range(size + 1)]
    codes = [np.empty(0, np.int32) for _ in range(size + 1)]
    record[0], place[0] = np.arange(n).astype(np.int32), indptr[:-1].copy()
    start[0], codes[0] = np.array([0, n], np.int64), np.zeros(1, np.int32)
    cursor, chosen, level = np.zeros(size + 1, np.int64), np.full(size + 1, -1, np.int32), 0
    while level >= 0:
        if cursor[level] == len(codes[level]):
            level -= 1
            continue
        branch = cursor[level]
        begin, end = start[level][branch], start[level][branch + 1]
        if level > 0:
            chosen[level - 1] = codes[level][branch]
        cursor[level] += 1
        if level < size:
            level += 1
            cursor[level] = 0
            record[level], place[level], start[level], codes[level] = _extend(
                rows, record[level - 1][begin:end], place[level - 1][begin:end], frequency, occurring
            )
            continue
        n_seen = 0
        for e in range(begin, end):
            r = record[level][e]
            for q in range(secrets[0][r], secrets[0][r + 1]):
                code = secrets[1][q]
                if frequency[code] == 0:
                    occurring[n_seen] = code
                    n_seen += 1
                frequency[code] += 1
        for s in range(n_seen):
            code = occurring[s]
            too_large = frequency[code] * share[1] + share[2] > (end - begin) * share[0]
            frequency[code] = 0
            for c in range(size):
                too_large = too_large and chosen[c] != code
            if too_large and n_rules <= most:
                if n_rules == len(rules):
                    rules = _doubled(rules)
                for c in range(size):
                    rules[n_rules, c] = chosen[c]
                rules[n_rules, size] = code
                n_rules += 1
        if n_rules > most:
            break
    return rules[:n_rules].copy()


@kernel(allocates=True)
def _extend(
    rows: Csr, record: Int32Array, place: Int64Array, frequency: Int64Array, occurring: Int32Array
) -> tuple[Int32Array, Int64Array, Int64Array, Int32Array]:
    """Return the records that contain a set and one of the codes that follow the set, code by code.

    `frequency` is zero before and after the call.

    Parameters
    ----------
    record, place
        int32 (E,), int64 (E,): records that contain the set, and their positions after the set.

    Returns
    -------
    Records of each code, int32 (F,); positions after the code, int64 (F,); start of each code in these arrays, int64 (C
    + 1,); codes in order of first occurrence, int32 (C,).
    """
    indptr, items, n_seen, total = rows[0], rows[1], 0, 0
    for e in range(len(record)):
        for q in range(place[e], indptr[record[e] + 1]):
            if frequency[items[q]] == 0:
                occurring[n_seen] = items[q]
                n_seen += 1
            frequency[items[q]] += 1
            total += 1
    codes, start = occurring[:n_seen].copy(), np.zeros(n_seen + 1, np.int64)
    for c in range(n_seen):
        start[c + 1] = start[c] + frequency[codes[c]]
        frequency[codes[c]] = start[c]
    records, places = np.empty(total, np.int32), np.empty(total, np.int64)
    for e in range(len(record)):
        for q in range(place[e], indptr[record[e] + 1]):
            to = frequency[items[q]]
            records[to], places[to] = record[e], q + 1
            frequency[items[q]] = to + 1
    for c in range(n_seen):
        frequency[codes[c]] = 0
    return records, places, start, codes


@kernel(allocates=True)
def _doubled(rules: Int32Matrix) -> Int32Matrix:
    larger = np.empty((2 * len(rules), rules.shape[1]), np.int32)
    for t in range(len(rules)):
        for c in range(rules.shape[1]):
            larger[t, c] = rules[t, c]
    return larger
