"""Naive implementation of CAHD (Ghinita, Tao and Kalnis 2008) on records in band order."""

from collections.abc import Collection, Sequence
from fractions import Fraction
from math import ceil

Row = Collection[str]


def groups(rows: Sequence[Row], sensitive: Collection[str], cap: Fraction, alpha: int) -> list[list[int]]:
    """Return the records of each group. The last group contains the records that no other group contains."""
    p, secret, free = ceil(1 / cap), [set(row) & set(sensitive) for row in rows], list(range(len(rows)))
    formed: list[list[int]] = []
    for t in range(len(rows)):
        if t not in free or not secret[t]:
            continue
        own = free.index(t)
        before = [r for r in reversed(free[:own]) if not secret[r] & secret[t]][: alpha * p]
        after = [r for r in free[own + 1 :] if not secret[r] & secret[t]][: alpha * p]
        candidates = [r for turn in range(alpha * p) for side in (before, after) for r in side[turn : turn + 1]]
        public = set(rows[t]) - set(sensitive)
        members = [t]
        for r in sorted(candidates, key=lambda r: -len(public & set(rows[r]))):
            if len(members) < p and not secret[r] & set().union(*(secret[member] for member in members)):
                members.append(r)
        rest = [r for r in free if r not in members]
        if len(members) == p and is_capped([secret[r] for r in rest], cap):
            formed.append(members)
            free = rest
    return [*formed, free] if free else formed


def is_capped(secrets: Sequence[Row], cap: Fraction) -> bool:
    """Return True if at most the share `cap` of the records have the same sensitive item."""
    return all(sum(item in row for row in secrets) <= cap * len(secrets) for item in set().union(*secrets))
