"""Criteria for claims, with a version. They are fixed before a measurement, but not before all experiments.

An experiment can depend on random or arbitrary choices (`factors`). The criterion is then checked at every level of
each factor, and the verdict follows from the 95% interval of the share of levels that meet it. Counts, enforced
properties and growth are measured once. Times are compared in three runs, each with all compared algorithms side by
side.

Version 1 used a single leaf order, sample and workload. Version 2 uses shares of repetitions. Version 3 compares a
cluster with threads by elapsed time, and not only by CPU time. It also adds claims for the studies of trees and of
disassociation. Since version 4, the cost model of the scalability study must predict runs within a factor of 1.25
instead of 1.3. Version 5 adds claims for the study of RT-datasets. Versions 6 to 10 only reword claims and criteria.
They change no check and no tolerance. Version 11 judges the claim about samples in `optimum`, whose cases contain the
samples. Before, it waited for repetitions that its figure does not have. Version 12 judges each part and each reading
of a claim by itself, uses intervals instead of thresholds on counts, tests linear growth by a line instead of a power
law, and gives no verdict on times that compare implementations. Version 13 judges orderings without tolerance, and
adds the verdicts "equal" and "contradicted". It judges each paper by a single reading, which the paper's words fix,
and each claim that data remain useful against a publication without information. It gives no verdict on any time of a
paper. Version 14 judges all claims of papers about the size of losses or errors against a publication without
information, and limits the loss in a claim that it grows slightly. `rules_text` lists the changes since version 15.
Versions 12 to 27 were written when the results were known, so stored results were judged again.
"""

VERSION = 27
HOLDS = 0.9
"""A claim holds if the interval of the share includes this share or more, and is above `MOST`."""
FAILS = 0.1
"""A claim fails if the interval of the share includes this share or less, and is below `MOST`."""
MOST = 0.5
CONFIDENCE = 0.95
READINGS = frozenset({
    "records", "own items", "domain",  # queries: drawn from records, from the items of records, or from all items
    "items", "occurrences",  # suppressed items, or suppressed occurrences of items
    "same letters", "swapped letters",  # variants of Tum-bound that results "similar" to Rum-bound are about
    "1/2", "1/s",  # probability of an item if a set of s items is published
})  # fmt: skip
"""Readings of claims that papers do not state precisely. A part of a claim belongs to the readings in its name.
`Paper.reading` selects the readings that the paper's words fix.
"""
SIMILAR = ' ("similar")'
"""End of the text of claims of which a paper only says that results are similar to those of other claims."""
REPETITIONS = 20
"""Repetitions required for a verdict on random or arbitrary choices. Times need only three runs."""
HOLDS_IN_WORDS, FAILS_IN_WORDS, UNSETTLED = "holds", "fails", "unsettled"
CONTRADICTED = "contradicted"
"""Used if several repetitions are measured, and none meets the criterion."""
NO_ORDER = "no consistent order"
"""Used for orderings that are not strict in enough repetitions, if no comparison is reversed in enough repetitions.

It takes precedence over `CONTRADICTED`, so it can be the verdict on an ordering that no repetition meets.
"""
EQUAL, ALIKE = "equal", 0.01
"""`EQUAL` is used instead of `NO_ORDER` if the values without an order differ by less than the share `ALIKE`."""
AGAINST = CONTRADICTED, FAILS_IN_WORDS
MIXED = "mixed"
"""Used instead of `AGAINST` for orderings of which at least as many single comparisons hold as are reversed, if
a repetition meets a part of them.
"""
NOT_MET = *AGAINST, MIXED
POSITIONS = frozenset({"k", "m", "number of records", "number of items"})
"""Kinds of parts that are positions on the axis of a figure. A claim about all positions needs all of them."""
ANSWERED = 100
"""A part that compares errors of fewer queries, as a median over repetitions, has no verdict."""
USEFUL = 0.5
"""Published data are useful if the error of answers is at most this share of the error without information."""
LOST = 0.995
"""A publication loses everything if its loss is at least this share of the loss without information."""
DEPENDS = "depends on the "
"""Prefix of a verdict. It is used if the claim holds for some named levels or parts, but not for all."""
SHOWN = "shown, not judged"
"""Used instead of a verdict for times, because our implementations are not those of the papers."""
NOT_TESTABLE, NOT_MEASURED = "not testable here", "not measured"
AGREES, DIFFERS = "agrees on substitute data", "differs on substitute data"
"""Used instead of a verdict on a number that a paper prints for data that are not available."""
WITHOUT_VERDICT = frozenset({SHOWN, NOT_TESTABLE, NOT_MEASURED, AGREES, DIFFERS})
_FEWEST = 6
"""Fewer repetitions, such as three runs, cannot place an interval above or below `MOST`. They must all agree."""


def interval(met: int, of: int) -> tuple[float, float]:
    """Return the 95% interval of a share by Clopper and Pearson, if `met` of `of` repetitions meet the criterion.

    >>> [f"{share:.0%}" for share in interval(18, 20)]
    ['68%', '99%']
    """
    from scipy.special import betaincinv

    tail = (1 - CONFIDENCE) / 2
    low = float(betaincinv(met, of - met + 1, tail)) if met else 0.0
    return low, float(betaincinv(met + 1, of - met, 1 - tail)) if met < of else 1.0


def verdict_of(met: int, of: int) -> str:
    """Return the verdict if `met` of `of` repetitions meet the criterion.

    >>> verdict_of(18, 20), verdict_of(2, 20), verdict_of(0, 20), verdict_of(12, 20), verdict_of(3, 3)
    ('holds', 'fails', 'contradicted', 'unsettled', 'holds')
    """
    if met == 0 and of > 1:
        return CONTRADICTED
    low, high = (met / of, met / of) if of < _FEWEST else interval(met, of)
    if low > MOST and high >= HOLDS:
        return HOLDS_IN_WORDS
    return FAILS_IN_WORDS if high < MOST and low <= FAILS else UNSETTLED


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
