"""When a claim holds: fixed before anything is run, and versioned.

A claim into which something arbitrary or random enters (`factors`) is judged at every level by itself: its criterion is
met there or not. Its verdict follows from the share of drawn levels that meet it. What is counted, enforced or about
growth is taken once; a comparison of times in three runs, in each of which what is compared runs side by side.

Version 2: shares of repetitions in place of one run. (Version 1 judged one leaf order, one sample and one workload.)
Version 3: a cluster is held against threads by CPU and by the clock. (Versions before: by CPU alone.) The studies
of trees and of disassociation have claims of their own since; those of the papers and of other studies are what they
were. Version 4: the cost model of the scalability study must tell runs within 1.25 times. (Before: 1.3.)
Version 5: the study of RT-datasets has claims of its own; all others are unchanged.
"""

VERSION = 5
DIGEST = "ca78e95a84618e4f"
"""Of all claims and their criteria (`verdicts.criteria_digest`): a test holds it, so that none changes by the way."""
HOLDS = 0.9
"""A claim holds where at least this share of the repetitions meets its criterion."""
FAILS = 0.1
"""It fails where at most this share does."""
REPETITIONS = 20
"""There is no verdict from fewer, where anything random or arbitrary enters but the time of a run."""
HOLDS_IN_WORDS, FAILS_IN_WORDS, UNSETTLED = "holds", "fails", "unsettled"
DEPENDS = "depends on the "
"""What the verdict begins with where a named level, or a part of what is claimed, goes the other way throughout."""
NOT_TESTABLE, NOT_MEASURED = "not testable here", "not measured"


def verdict_of(met: int, of: int) -> str:
    """Return the verdict on a claim that `met` of `of` repetitions bear out.

    >>> verdict_of(18, 20), verdict_of(2, 20), verdict_of(12, 20), verdict_of(3, 3)
    ('holds', 'fails', 'unsettled', 'holds')
    """
    if met >= HOLDS * of:
        return HOLDS_IN_WORDS
    return FAILS_IN_WORDS if met <= FAILS * of else UNSETTLED


def sign_test(margins: "list[float]") -> float:
    """Return the two-sided p-value of a sign test: how likely so lopsided a count is where neither side is favoured.

    Ties are left out. Reference: Conover, Practical nonparametric statistics, 3.4.

    >>> sign_test([1.0] * 6), sign_test([0.0, 0.0])
    (0.03125, 1.0)
    """
    from math import comb

    for_it, against = sum(m > 0 for m in margins), sum(m < 0 for m in margins)
    n, less = for_it + against, min(for_it, against)
    one_sided: float = sum(comb(n, i) for i in range(less + 1)) / 2**n
    return min(1.0, 2 * one_sided)


def holm(p_values: "list[float]") -> list[float]:
    """Return p-values corrected for their number by Holm's step-down procedure.

    Reference: Holm, A simple sequentially rejective multiple test procedure, Scand. J. Statistics 6, 1979.

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    corrected, largest = [0.0] * len(p_values), 0.0
    for rank, i in enumerate(order):
        largest = max(largest, min(1.0, (len(p_values) - rank) * p_values[i]))
        corrected[i] = largest
    return corrected
