"""Verdicts on the parts and comparisons of a claim, from the findings of its repetitions.

An ordering holds if it is strict in enough repetitions. If some of its comparisons are reversed in enough repetitions,
it is mixed if at least as many hold, and a repetition meets one of its parts. Otherwise it is contradicted, or fails.
If none is reversed, it has no consistent order, or is equal if the values differ by less than 1%, even if no repetition
meets it.
"""

import re
from collections.abc import Collection, Sequence
from math import inf
from statistics import median
from typing import Any

from benchmarks.experiments import criteria
from benchmarks.experiments.cases import JOINTLY, ONLY, Claim, Finding
from benchmarks.experiments.checks import ordering


def sentence_of(claim: Claim) -> str:
    """Return the text of a claim without notes in brackets at the end.

    A sentence of a paper is a claim for each figure, measure of cost, and data set that replaces its data.
    """
    return re.sub(r" \([^()]*\)$", "", claim.text)


_NUMBER = r"\d+(?:\.\d+)?"
_SIZE = rf"(?:a factor of )?(?:(?:half|twice|doubles?|two)\b|{_NUMBER}%?)(?: times)?"
_LIMIT = re.compile(
    rf"\b(?:at (?:most|least) {_SIZE}|(?:less|more) than {_SIZE}|below {_NUMBER}%|within a factor of {_NUMBER}"
    rf"|between {_NUMBER}%? and {_NUMBER}%?|{_NUMBER} to {_NUMBER} times)"
)


def own_limits(claim: Claim) -> list[str]:
    """Return the numeric limits in the criterion of a paper's claim that the claim does not state or print.

    A number and its percentage are the same.

    >>> own_limits(Claim("it grows slightly", "it rises, and is at most twice as high, for at least one k", None))
    ['at most twice']
    >>> own_limits(Claim("it is 7", "it is between 3.5 and 14", None, printed="7"))
    ['between 3.5 and 14']
    >>> own_limits(Claim("it is low", "NCP is at most 0.1", None, printed="below 10 %"))
    []
    """
    found = dict.fromkeys(_LIMIT.findall(claim.criterion)) if claim.kind == "paper" else {}
    stated = re.findall(rf"(?<![a-z]=)\b{_NUMBER}|{_NUMBER}(?=%)", f"{claim.text} {claim.printed}")
    printed = {round(float(number) / of, 9) for number in stated for of in (1, 100)}
    in_limit = {limit: [round(float(number), 9) for number in re.findall(_NUMBER, limit)] for limit in found}
    return [limit for limit, numbers in in_limit.items() if not numbers or not printed.issuperset(numbers)]


def is_about_all(claim: Claim) -> bool:
    """Return True if the sentence of a claim is about all positions or cases, so that it cannot be mixed."""
    return re.search(r"\b(for|in) all\b", sentence_of(claim)) is not None


def meets(finding: Finding, parts: Sequence[str]) -> bool:
    return all(finding.parts.get(part, True) for part in parts) if finding.parts else bool(finding.held)


def times_met(draws: Sequence[Finding], part: str) -> tuple[int, int]:
    answers = [finding.parts.get(part, finding.held) for finding in draws if part in finding.parts or part == ONLY]
    return sum(map(bool, answers)), len(answers)


def differences_of(draws: Sequence[Finding], part: str, without: Collection[str] = ()) -> list[list[float]]:
    """Return the differences over all repetitions, for each comparison of a part."""
    found: dict[Any, list[float]] = {}
    for finding in draws:
        for compared, gap in finding.gaps.get(part, {}).items():
            found.setdefault(compared, []).append(gap)
    return [gaps for compared, gaps in found.items() if compared not in without]


def count_comparisons(draws: Sequence[Finding], parts: Sequence[str]) -> tuple[int, int, int]:
    """Return how many comparisons hold, and are reversed, in enough repetitions, and the number of comparisons."""
    orders = [order_of(gaps) for part in parts for gaps in differences_of(draws, part, {JOINTLY})]
    return orders.count(1), orders.count(-1), len(orders)


def order_of(gaps: Sequence[float]) -> int:
    """Return 1 or -1 if a comparison has the claimed or the reversed order in enough repetitions, and otherwise 0."""
    met = {sign: sum(sign * gap > 0 for gap in gaps) for sign in (1, -1)}
    return next((sign for sign, n in met.items() if criteria.verdict_of(n, len(gaps)) == criteria.HOLDS_IN_WORDS), 0)


def undecided_difference(compared: Sequence[Sequence[float]]) -> float:
    """Return the largest median difference of comparisons without an order.

    If all have an order, return the largest of those whose order is not the same in all repetitions.
    """
    without = [gaps for gaps in compared if not order_of(gaps)]
    return max(median(map(abs, gaps)) for gaps in without or compared if min(gaps) <= 0 <= max(gaps))


def reversed_findings(findings: Sequence[Finding]) -> list[Finding]:
    return [
        ordering(
            {part: {name: -gap for name, gap in gaps.items()} for part, gaps in one.gaps.items()}, one.shown
        )._replace(answered=one.answered)
        for one in findings
    ]


def verdict_of_part(draws: Sequence[Finding], part: str) -> str:
    met, of = times_met(draws, part)
    verdict = criteria.verdict_of(met, of)
    compared = differences_of(draws, part)
    if verdict == criteria.HOLDS_IN_WORDS or not compared:
        return verdict
    if any(order_of(gaps) < 0 for gaps in compared):
        return verdict
    return _without_order(undecided_difference(compared))


def _without_order(difference: float) -> str:
    return criteria.EQUAL if difference < criteria.ALIKE else criteria.NO_ORDER


def difference_without_order(draws: Sequence[Finding], parts: Sequence[str]) -> float | None:
    """Return the undecided difference over all parts that are equal or have no consistent order. None if none is."""
    undecided = [part for part in parts if verdict_of_part(draws, part) in (criteria.EQUAL, criteria.NO_ORDER)]
    compared = [gaps for part in undecided for gaps in differences_of(draws, part)]
    return undecided_difference(compared) if compared else None


def verdict_of_reading(claim: Claim, draws: Sequence[Finding], named: Sequence[Finding], parts: Sequence[str]) -> str:
    """Return the verdict that follows from the parts of a reading, and from its outcomes at named levels.

    A claim does not hold if a part of it has too few answered queries for a verdict. An ordering that is not met is
    mixed if at least as many of its comparisons hold as are reversed, and some repetition meets one of its parts,
    unless its sentence is about all cases.
    """
    testable = testable_parts(draws, parts)
    verdict = verdict_of_testable(claim, draws, named, testable) if testable else criteria.NOT_TESTABLE
    hold, against, of = count_comparisons(draws, testable)
    some_met = any(times_met(draws, part)[0] for part in testable)
    if verdict in criteria.AGAINST and of and hold >= against and some_met and not is_about_all(claim):
        return criteria.MIXED
    return criteria.NOT_TESTABLE if verdict == criteria.HOLDS_IN_WORDS and testable != list(parts) else verdict


def queries_answered(draws: Sequence[Finding], part: str) -> float:
    """Return the number of queries with an answer behind the errors of a part, as a median over repetitions."""
    return median([finding.answered[part] for finding in draws if part in finding.answered] or [inf])


def testable_parts(draws: Sequence[Finding], parts: Sequence[str]) -> list[str]:
    return [part for part in parts if queries_answered(draws, part) >= criteria.ANSWERED]


def verdict_of_testable(claim: Claim, draws: Sequence[Finding], named: Sequence[Finding], parts: Sequence[str]) -> str:
    """Return the first verdict whose rule applies, in the order of `findings.RULES`.

    An ordering of which no comparison is reversed in most repetitions has no consistent order, or is equal, even if no
    repetition meets it.
    """
    verdicts = {verdict_of_part(draws, part) for part in parts}
    verdict = _of_different_parts(claim, draws, parts, verdicts) if len(verdicts) > 1 else next(iter(verdicts))
    against = verdict in criteria.AGAINST
    settled = against or verdict == criteria.HOLDS_IN_WORDS
    whole = claim.over in criteria.POSITIONS or len(verdicts) > 1
    separate = [parts] if whole else [[part] for part in parts]
    if claim.factor and settled and any(meets(finding, one) == against for finding in named for one in separate):
        return criteria.DEPENDS + claim.factor.name
    return verdict


def _of_different_parts(claim: Claim, draws: Sequence[Finding], parts: Sequence[str], verdicts: Collection[str]) -> str:
    """Return the verdict on parts that have different verdicts, from the random draws."""
    met = sum(meets(finding, parts) for finding in draws)
    if criteria.HOLDS_IN_WORDS in verdicts:
        if claim.over not in criteria.POSITIONS:
            return criteria.DEPENDS + (claim.over or "part")
        if not any(finding.gaps for finding in draws):
            return criteria.verdict_of(met, len(draws))
    worst = min(verdicts, key=rank)
    if worst in (criteria.NO_ORDER, criteria.EQUAL):
        return _without_order(difference_without_order(draws, parts) or 0.0)
    return worst if met else criteria.CONTRADICTED


def reading_of(part: str) -> str:
    """Return the reading that a part of a claim belongs to. Empty if its name contains none.

    >>> reading_of("q=3, own items"), reading_of("m=2")
    ('own items', '')
    """
    return ", ".join(piece for piece in part.split(", ") if piece in criteria.READINGS)


def rank(verdict: str) -> int:
    """Return the order of verdicts, from contradicted to holds."""
    undecided = criteria.UNSETTLED, criteria.NO_ORDER, criteria.EQUAL, criteria.DEPENDS
    order = (criteria.CONTRADICTED, criteria.FAILS_IN_WORDS, *undecided, criteria.HOLDS_IN_WORDS)
    return order.index(criteria.DEPENDS if verdict.startswith(criteria.DEPENDS) else verdict)
