"""Criteria for claims. The criteria were fixed before the experiments ran, and have a version.

An experiment can depend on random or arbitrary choices (`factors`). The criterion is then checked at every level of
each factor, and the verdict follows from the share of randomly drawn levels that meet the criterion. Counts, enforced
properties and growth are measured once. Times are compared in three runs, each with all compared algorithms side by
side.

Version 1 used a single leaf order, sample and workload. Version 2 uses shares of repetitions. Version 3 compares a
cluster with threads by elapsed time, and not only by CPU time. It also adds claims for the studies of trees and of
disassociation. Since version 4, the cost model of the scalability study must predict runs within a factor of 1.25
instead of 1.3. Version 5 adds claims for the study of RT-datasets. Versions 6 to 10 only reword claims and criteria.
They change no check and no tolerance. Version 11 judges the claim about samples in `optimum`, whose cases contain the
samples. Before, it waited for repetitions that its figure does not have.
"""

VERSION = 11
DIGEST = "194ce80ae0ae6c3e"
"""Digest of all claims and criteria (`verdicts.criteria_digest`). A test fails if a claim changes without this digest.
"""
HOLDS = 0.9
"""A claim holds if at least this share of the repetitions meets the criterion."""
FAILS = 0.1
"""A claim fails if at most this share of the repetitions meets the criterion."""
REPETITIONS = 20
"""Repetitions required for a verdict on random or arbitrary choices. Times need only three runs."""
HOLDS_IN_WORDS, FAILS_IN_WORDS, UNSETTLED = "holds", "fails", "unsettled"
DEPENDS = "depends on the "
"""Prefix of a verdict. It is used if a named level, or a part of the claim, always contradicts the other repetitions.
"""
NOT_TESTABLE, NOT_MEASURED = "not testable here", "not measured"


def verdict_of(met: int, of: int) -> str:
    """Return the verdict if `met` of `of` repetitions meet the criterion.

    >>> verdict_of(18, 20), verdict_of(2, 20), verdict_of(12, 20), verdict_of(3, 3)
    ('holds', 'fails', 'unsettled', 'holds')
    """
    if met >= HOLDS * of:
        return HOLDS_IN_WORDS
    return FAILS_IN_WORDS if met <= FAILS * of else UNSETTLED


def sign_test(margins: "list[float]") -> float:
    """Return the two-sided p-value of a sign test.

    The p-value is the probability, if both signs are equally likely, that the counts of both signs differ at least as
    much as observed. Ties are ignored. Reference: Conover, Practical nonparametric statistics, 3.4.

    >>> sign_test([1.0] * 6), sign_test([0.0, 0.0])
    (0.03125, 1.0)
    """
    from math import comb

    for_it, against = sum(m > 0 for m in margins), sum(m < 0 for m in margins)
    n, less = for_it + against, min(for_it, against)
    one_sided: float = sum(comb(n, i) for i in range(less + 1)) / 2**n
    return min(1.0, 2 * one_sided)


def holm(p_values: "list[float]") -> list[float]:
    """Return p-values corrected for multiple tests by Holm's step-down procedure.

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
