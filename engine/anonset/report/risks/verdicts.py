"""Verdicts on simulated attacks, in words."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import sqrt

from anonset.attacks.base import AttackResult
from anonset.data.redacted_repr import RedactedRepr
from anonset.measures.risks.item_inference import LIKELY, ItemInference
from anonset.measures.shares import percent
from anonset.spelling import counted, setting

_QUANTILE = 1.96
"""Quantile of the normal distribution for a 95% confidence interval."""
FEWEST_TARGETS = 30
"""Number of targets below which a failure says nothing."""


@dataclass(frozen=True)
class AttackVerdict(RedactedRepr):
    """Verdict on a simulated attack."""

    attack: str
    """Name of the attack."""
    knowledge: str
    """Knowledge and aim of the attacker."""
    verdict: str
    """The verdict in words, with the success rate and the success rate by chance."""
    succeeds: bool | None = None
    """Whether the attack is more successful than by chance, or than the guarantee allows. None if it was not run."""
    success: float = 0.0
    """Success rate."""
    rates: str = ""
    """Success rate, and success rate by chance or that the guarantee allows, in words."""
    beyond: float = 0.0
    """Success rate minus the success rate by chance."""


def attack_verdicts(outcomes: Sequence[AttackResult], not_tried: Mapping[str, str]) -> list[AttackVerdict]:
    """Return the verdicts on requested attacks.

    An attack succeeds if it is more successful than its control and than the same knowledge without the attack, beyond
    the 95% confidence interval of the difference.

    >>> from anonset.attacks.base import AttackSuccess
    >>> control, *won = (AttackSuccess(None, success) for success in (0.265, 0.265, 0.274, 0.4))
    >>> outcomes = [AttackResult("guess", "the class", 585, control, success, control) for success in won]
    >>> [verdict.succeeds for verdict in attack_verdicts(outcomes, {})]
    [False, False, True]
    """
    return [
        *(_compared(outcome) for outcome in outcomes),
        *(AttackVerdict(name, "", f"not run: {_in_words(reason)}") for name, reason in not_tried.items()),
    ]


def _compared(outcome: AttackResult) -> AttackVerdict:
    chance = max(outcome.without.success, outcome.control.success)
    n = outcome.targets
    return _verdict(outcome.attack, outcome.knowledge, outcome.won.success, chance, _variance(chance, n), n)


def _variance(share: float, n: int) -> float:
    """Return the variance of a share of `n` targets, after one success and one failure are added (Agresti and Caffo,
    2000).
    """
    added = (share * n + 1) / (n + 2)
    return added * (1 - added) / (n + 2)


def _verdict(
    attack: str, known: str, success: float, chance: float, variance_of_chance: float, targets: int, least: float = 0.0
) -> AttackVerdict:
    needed = max(chance, least) + _QUANTILE * sqrt(_variance(success, targets) + variance_of_chance)
    rates, succeeds = _measured(success, needed, f" against {percent(chance)} by chance"), success > needed
    if targets < FEWEST_TARGETS and not succeeds:
        rates += f", {counted(targets, 'target')}, too few to judge"
    verdict = f"{'succeeds' if succeeds else 'does not succeed'}: {rates}"
    return AttackVerdict(attack, known, verdict, succeeds, success, rates, success - chance)


def _measured(share: float, needed: float, compared: str) -> str:
    """Return a share with the share that it must exceed, with as many digits as tell both apart.

    >>> _measured(0.2741, 0.3012, " against 26.5% by chance"), _measured(0.2741, 0.2742, "")
    ('27.4% against 26.5% by chance, not above the needed 30.1%', '27.41%, not above the needed 27.42%')
    """
    needed, above = min(needed, 1.0), "above" if share > needed else "not above"
    digits = next((n for n in range(1, 4) if f"{share:.{n}%}" != f"{needed:.{n}%}"), 1)
    one, other = (percent(share), percent(needed)) if digits == 1 else (f"{x:.{digits}%}" for x in (share, needed))
    return f"{one}{compared}, {above} the needed {other}"


def verdict_on_limit(
    attack: str,
    known: str,
    success: float,
    chance: float,
    targets: int,
    limit: float | None,
    *,
    allowed: float = 0.0,
    alone: float = 0.0,
    every: bool = False,
    broken: bool,
) -> AttackVerdict:
    """Return the verdict on an attack whose success the guarantee limits. If `limit` is None, the guarantee does not
    cover the attack. Then the attack succeeds if it singles out persons, a share of `alone`, or if its success is
    beyond the success `allowed` to covered attackers. Both are beyond the confidence interval, unless `every` person is
    a target.

    >>> verdict_on_limit("search", "2 items", 0.146, 0.004, 1000, 0.2, broken=False).verdict
    'within the guarantee: 14.6% against 0.4% by chance, at most 20.0%'
    >>> beyond = verdict_on_limit("search", "4 items", 0.146, 0.004, 1000, None, allowed=0.2, alone=0.02, broken=False)
    >>> beyond.succeeds, beyond.rates
    (True, '14.6% against 0.4% by chance, not above the needed 22.2%; 2.0% singled out, above the needed 0.9%')
    """
    verdict = _verdict(attack, known, success, chance, 0.0, targets, allowed)
    if limit is None:
        needed = 0.0 if every else _QUANTILE * sqrt(_variance(alone, targets))
        succeeds = verdict.succeeds or alone > needed
        rates = f"{verdict.rates}; {_measured(alone, needed, ' singled out')}"
        text = f"{'succeeds' if succeeds else 'does not succeed'}: {rates}; not covered by the guarantee"
        return replace(verdict, verdict=text, succeeds=succeeds, rates=rates)
    within = "EXCEEDS THE GUARANTEE" if broken else "within the guarantee"
    rates = f"{verdict.rates.partition(', ')[0]}, at most {percent(limit)}"
    return replace(verdict, verdict=f"{within}: {rates}", succeeds=broken, rates=rates)


def verdicts_on_inference(inferences: Sequence[ItemInference]) -> list[AttackVerdict]:
    """Return the verdict on the inference of other items, if it was tried. It succeeds if the publication makes more of
    them likely, or more rare ones, than the item frequencies alone, beyond the confidence interval of a share of
    persons.

    >>> found = (("publication", 0.61), ("frequencies", 0.2))
    >>> (one,) = verdicts_on_inference([ItemInference(name, 400, 900, x, 0.0, 90, 0.0, 0.0) for name, x in found])
    >>> one.verdict.partition("; ")[0]
    'succeeds: 61.0% of the other items against 20.0% by item frequencies, above the needed 26.2%'
    """
    if not any(one.persons for one in inferences):
        return []
    of = {one.source: one for one in inferences}
    won, rates, persons = False, list[str](), of["publication"].persons
    for with_it, alone, n, what in (
        (of["publication"].likely, of["frequencies"].likely, of["publication"].items, "other items"),
        (of["publication"].rare_likely, of["frequencies"].rare_likely, of["publication"].rare_items, "rare ones"),
    ):
        if not (targets := min(n, persons)):
            continue
        needed = alone + _QUANTILE * sqrt(_variance(with_it, targets) + _variance(alone, targets))
        won |= with_it > needed
        rates.append(_measured(with_it, needed, f" of the {what} against {percent(alone)} by item frequencies"))
    if persons < FEWEST_TARGETS and not won:
        rates.append(f"{counted(persons, 'target')}, too few to judge")
    text = f"{'succeeds' if won else 'does not succeed'}: {(told := '; '.join(rates))}"
    known = f"the two rarest items of a person, and infers others with a probability of at least {LIKELY:.0%}"
    likely, beyond = of["publication"].likely, of["publication"].likely - of["frequencies"].likely
    return [AttackVerdict("item-inference", known, text, won, likely, told, beyond)]


_ATTACKS = {
    "item-inference": "inference of other items",
    "noisy-linkage": "search with partly wrong knowledge",
    "definetti": "inference by learned patterns",
    "composition": "comparison with another release",
    "matching": "matching with the records of another release",
    "homogeneity": "inference of a value that all matching records share",
    "skewness": "inference of the most frequent value of the matching records",
    "minimality": "exclusion of values by the search method of the algorithm",
    "tightness": "inference from the ends of published ranges",
    "downcoding": "reversal of the generalization",
    "combinatorial-refinement": "reversal of the rounds of the algorithm",
}


def successes_in_words(tried: Sequence[AttackVerdict], *, broken: bool) -> str:
    """Return how many of the simulated attacks succeed, and the most successful one, in a sentence.

    Parameters
    ----------
    broken
        Whether an attack succeeds more often than the guarantee allows.
    """
    won = [verdict for verdict in tried if verdict.succeeds]
    if not won:
        best = max(tried, key=lambda verdict: verdict.beyond)
        result = best.verdict.removeprefix("does not succeed: ")
        return (
            f"No simulated attack succeeds ({len(tried)} tried); the best is {attack_in_words(best.attack)} ({result})."
        )
    worst = max(won, key=lambda verdict: verdict.beyond)
    bounded = "" if broken else "; the guarantee does not cover this"
    succeed = "succeeds" if len(won) == 1 else "succeed"
    return (
        f"{len(won)} of {counted(len(tried), 'simulated attack')} {succeed}; the most successful is "
        f"{in_a_clause(worst)}{bounded}."
    )


def in_a_clause(verdict: AttackVerdict) -> str:
    """Return the name of an attack in words, what its attacker knows, and its rates."""
    return f"{attack_in_words(verdict.attack)}: the attacker knows {verdict.knowledge} ({verdict.rates})"


def attack_in_words(name: str) -> str:
    """Return the name of a simulated attack in words.

    >>> attack_in_words("downcoding"), attack_in_words("group-reidentification")
    ('reversal of the generalization', 'group reidentification')
    """
    return _ATTACKS.get(name, name.replace("-", " "))


def _in_words(reason: str) -> str:
    """Return why an attack was not run, with words in place of settings."""
    return reason.replace(setting("original"), "the original").replace(setting("beside"), "another release")
