"""Counts of the papers' claims by verdict, by reading, and in both directions."""

from collections.abc import Iterable

from benchmarks.experiments import criteria
from benchmarks.experiments.judging import SUBSTITUTE, Judged, is_work
from benchmarks.experiments.verdict_rules import sentence_of

UNDECIDED = criteria.NO_ORDER, criteria.EQUAL


def holding(judged: Iterable[Judged]) -> tuple[int, int, int]:
    """Count the papers' claims that hold under the reading of the paper, under every reading, and under any reading."""
    claims = [one for one in judged if one.claim.kind == "paper"]
    each = [(one.verdict, set(one.readings.values()) or {one.verdict}) for one in claims]
    holds = criteria.HOLDS_IN_WORDS
    return (
        sum(verdict == holds for verdict, _ in each),
        sum(found == {holds} for _, found in each),
        sum(holds in found for _, found in each),
    )


def counts(judged: Iterable[Judged]) -> dict[str, int]:
    """Count the papers' claims by verdict, by reading, and in both directions, and those that need no information.

    Derived claims are counted separately.
    """
    judged = list(judged)
    claims = [one for one in judged if one.claim.kind == "paper"]
    following = [one for one in judged if one.claim.kind == "derived" and one.verdict == criteria.HOLDS_IN_WORDS]
    here, every, kindest = holding(claims)
    holds = [one for one in claims if one.verdict == criteria.HOLDS_IN_WORDS]
    return {
        "claims": len(claims),
        "different sentences of claims": sentences(claims),
        "depend on a condition, and no repetition meets them as stated": never_met(claims, criteria.DEPENDS),
        "equal or without a consistent order, and no repetition meets them": never_met(claims, *UNDECIDED),
        "numbers printed for missing data that agree on substitute data": sum(
            one.verdict == criteria.AGREES for one in claims
        ),
        "numbers printed for missing data that differ on substitute data": sum(
            one.verdict == criteria.DIFFERS for one in claims
        ),
        "hold under the reading of each paper": here,
        "different sentences that hold under the reading of each paper": sentences(holds),
        "hold, and fewer than nine of ten repetitions meet them": sum(
            one.met < criteria.HOLDS * one.of for one in holds
        ),
        "hold under every reading": every,
        "hold under the kindest reading": kindest,
        "orderings": sum(bool(one.reverse) for one in claims),
        "hold, and also reversed": sum(one.reverse == criteria.HOLDS_IN_WORDS for one in holds),
        "about the size of losses or errors, or about violated constraints": sum(
            one.null is not None for one in claims
        ),
        "hold, and also without information": sum(bool(one.null) and not one.claim.high for one in holds),
        "hold, and say that a loss is high or that constraints are violated": sum(
            bool(one.null) and one.claim.high for one in holds
        ),
        "hold, but follow from the data or from other claims: not counted above": len(following),
    }


def sentences(claims: Iterable[Judged]) -> int:
    """Return the number of different sentences of the papers' claims."""
    return len({sentence_of(one.claim) for one in claims if one.claim.kind == "paper"})


def never_met(claims: Iterable[Judged], *verdicts: str) -> int:
    """Return the number of the papers' claims with one of the verdicts that no repetition meets as stated."""
    return sum(one.claim.kind == "paper" and one.verdict.startswith(verdicts) and one.met == 0 for one in claims)


def by_work(claims: Iterable[Judged], *verdicts: str) -> int:
    """Return the number of the papers' claims about time that have one of the verdicts by counted work."""
    return sum(is_work(one.claim) and one.verdict in verdicts for one in claims)


def times(claims: Iterable[Judged]) -> tuple[int, int, int]:
    """Count the papers' claims about times that are met in all runs, in some, and in none."""
    of_times = [one for one in claims if one.verdict == criteria.SHOWN]
    every, none = sum(one.met == one.of for one in of_times), sum(not one.met for one in of_times)
    return every, len(of_times) - every - none, none


def on_substitutes(claims: Iterable[Judged], *verdicts: str) -> int:
    """Return the number of the papers' claims that have one of the verdicts and are judged on substitute data."""
    return sum(one.claim.kind == "paper" and one.verdict in verdicts and one.basis == SUBSTITUTE for one in claims)
