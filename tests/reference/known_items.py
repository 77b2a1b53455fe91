"""Naive implementation of the risk from known items: compare every itemset of every record with all records."""

from fractions import Fraction
from itertools import combinations


def known_items(rows, size, k, groups=None):
    """Return (smallest support, share of sets below k, share of unique sets) of each record, as Fractions."""
    groups = groups or [0] * len(rows)
    result = []
    for row, group in zip(rows, groups, strict=True):
        others = [set(other) for other, of in zip(rows, groups, strict=True) if of == group]
        sets = list(combinations(sorted(row), min(size, len(row))))
        support = [sum(set(chosen) <= other for other in others) for chosen in sets]
        n = len(support) if row else 1
        below, unique = (sum(s < least for s in support) if row else 0 for least in (k, 2))
        result.append((min(support), Fraction(below, n), Fraction(unique, n)))
    return result


def class_sizes(columns, n):
    """Return the number of records that agree with each record in all columns."""
    tuples = [tuple(column[i] for column in columns) for i in range(n)]
    return [tuples.count(one) for one in tuples]


def matching_persons(rows, size, owners, groups=None):
    """Return, by person, the smallest number of persons who match an itemset of one of the person's rows."""
    groups = groups or [0] * len(rows)
    least = {}
    for row, group, owner in zip(rows, groups, owners, strict=True):
        others = [(set(other), who) for other, of, who in zip(rows, groups, owners, strict=True) if of == group]
        for chosen in combinations(sorted(row), min(size, len(row))):
            who = {who for other, who in others if set(chosen) <= other}
            least[owner] = min(least.get(owner, len(rows)), len(who))
    return [least[owner] for owner in sorted(least)]
