"""Naive implementations of rho-uncertainty (Cao et al. 2010) and SuppressControl."""

from collections.abc import Collection, Iterator, Sequence
from fractions import Fraction
from itertools import combinations

Rows = Sequence[Collection[str]]
Rule = tuple[tuple[str, ...], str]


def rules(
    rows: Rows, sensitive: Collection[str], rho: Fraction, sizes: Collection[int], *, strict: bool
) -> Iterator[Rule]:
    """Yield the rules with antecedents of given sizes whose confidence for a sensitive item is too high."""
    items = sorted({item for row in rows for item in row})
    for size in sizes:
        for known in combinations(items, size):
            cohort = [row for row in rows if set(known) <= set(row)]
            for secret in sorted(set(sensitive) - set(known)):
                holders = sum(secret in row for row in cohort)
                if holders and (holders >= rho * len(cohort) if strict else holders > rho * len(cohort)):
                    yield known, secret


def largest_share(rows: Rows, sensitive: Collection[str]) -> Fraction:
    """Return the largest confidence of any rule, from closed sets only.

    Among the sets contained in the same records, the largest (an intersection of records) gives the rule with the
    smallest antecedent support.
    """
    closed = {frozenset(row) for row in rows}
    while True:
        more = {a & b for a, b in combinations(closed, 2)} - closed
        if not more:
            break
        closed |= more
    shares = [Fraction(0)]
    for closed_set in closed:
        support = sum(closed_set <= set(row) for row in rows)
        for secret in closed_set & set(sensitive):
            rest = closed_set - {secret}
            shares.append(Fraction(support, sum(rest <= set(row) for row in rows)))
    return max(shares)


def suppress_control(
    rows: Rows, sensitive: Collection[str], rho: Fraction, sizes: range, order: Sequence[str], *, strict: bool
) -> list[str]:
    """Return the suppressed items in order. Ties are broken in favour of the last item of `order`."""
    gone: list[str] = []
    for size in sizes:
        while True:
            remaining = [set(row) - set(gone) for row in rows]
            bad = list(rules(remaining, sensitive, rho, [size], strict=strict))
            if not bad:
                break
            worst, most = "", Fraction(0)
            for item in order:
                n_rules = sum(item in known or item == secret for known, secret in bad)
                rate = Fraction(n_rules, max(1, sum(item in row for row in rows)))
                if n_rules and rate >= most:
                    worst, most = item, rate
            gone.append(worst)
    return gone
