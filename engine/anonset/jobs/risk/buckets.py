"""Remaining risks of buckets: confidence about sensitive values, and an empirical attack."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from anonset.data import Table
from anonset.data.redacted_repr import RedactedRepr
from anonset.data.table import Int64
from anonset.errors import InputError
from anonset.jobs.bucket_people import by_individuals
from anonset.jobs.risk.base import RiskContext, RiskReport, risk_of
from anonset.measures import bucket_inference
from anonset.measures.correlation import inter_group_violations, intra_group_violations
from anonset.measures.sensitive_values import ObservedDiversity
from anonset.measures.shares import Share
from anonset.publications import Buckets
from anonset.publications.buckets import sums_by_code
from anonset.spelling import setting

CERTAIN = 1 - 1e-9
_HALF = 1 << 30


@dataclass(frozen=True)
class Inference(RedactedRepr):
    """Confidence with which an attacker infers the most probable sensitive value of a person."""

    known: str
    """Rows that the attacker finds: ``one row``, or ``all rows of a person``."""
    persons: int
    """Number of rows, or of persons with several rows."""
    highest: float
    """Highest confidence."""
    average: Share
    """Average confidence."""
    above: Share
    """Share of rows or persons for which the confidence is above the threshold."""
    certain: Share
    """Share of rows or persons whose sensitive value is inferred with certainty."""
    promised: float | None
    """Highest confidence that the guarantee allows. None if the guarantee does not cover the known rows."""


@dataclass(frozen=True)
class Guesses(RedactedRepr):
    """Success rate of guessing the sensitive values of random rows of the original."""

    known: str
    """Values from which the guess is drawn: ``the values of its group``, or ``the values of all rows`` as the
    baseline.
    """
    attempts: int
    """Number of guessed rows."""
    success: float
    """Expected success rate if the guess is drawn at random."""
    likeliest: float
    """Success rate if the guess is the most frequent value."""
    promised: float | None
    """Highest success per row that the guarantee allows."""
    broken: int
    """Number of rows inferred with a higher confidence than guaranteed."""


@dataclass(frozen=True)
class BucketRisk(RiskReport):
    """Remaining risks of buckets."""

    groups: int
    """Number of groups."""
    hidden: int
    """Number of rows with a hidden identity."""
    threshold: float
    """Confidence above which a row or a person counts as at risk."""
    inferences: tuple[Inference, ...]
    """Confidence of an attacker, by the rows that the attacker finds."""
    observed: ObservedDiversity
    """l and t of the sensitive values in the groups."""
    correlations: dict[str, int]
    """Number of violations through the shared values of a person's rows, inside groups and between groups."""
    attempts: tuple[Guesses, ...] = ()
    """Results of the attack, if the original is available."""

    @property
    def broken(self) -> int:
        """Number of rows for which the attack was more successful than guaranteed. A number above 0 indicates an error
        of anonset.
        """
        return sum(guesses.broken for guesses in self.attempts)


@risk_of.register
def _of_buckets(publication: Buckets, context: RiskContext) -> BucketRisk:
    context.require_no_attacks()
    if context.population is not None:
        msg = f"{setting('population')} needs generalized quasi-identifiers; buckets publish them unchanged"
        raise InputError(msg)
    model, threshold, original = context.model, context.threshold, context.original
    promised = 1 / model.diversity
    rows = _Chances()
    rows.add(bucket_inference.of_groups(publication), publication.sizes, threshold)
    inferences = [rows.inference("one row", promised)]
    several, numbers = _of_individuals(publication, model.diversity, threshold)
    if several.number:
        inferences.append(several.inference("all rows of a person", None))
    guesses = () if original is None else _attack(publication, original, promised, context.attempts, context.seed)
    return BucketRisk(
        publication.n, model, publication.n_groups, int(publication.starred.sum()), threshold, tuple(inferences),
        bucket_inference.bucket_diversity(publication), numbers, guesses,
    )  # fmt: skip


class _Chances:
    """Sums of inference confidences. The sums are exact, so they do not depend on the order of addition."""

    def __init__(self) -> None:
        self.number, self.certain, self.above, self.highest = 0, 0, 0, 0.0
        self.total = 0
        """Sum of the confidences, in units of 2 to the -60."""

    def add(self, chance: bucket_inference.Float64, times: Int64, threshold: float) -> None:
        """Add confidences in [0, 1], each for `times` rows or persons."""
        scaled = chance * _HALF
        high = np.floor(scaled)
        low = np.floor((scaled - high) * _HALF)
        sums = [int((part.astype(np.int64) * times).sum()) for part in (high, low)]
        self.total += sums[0] * _HALF + sums[1]
        self.number += int(times.sum())
        self.highest = max(self.highest, float(chance.max(initial=0.0)))
        self.above += int(times[chance > threshold].sum())
        self.certain += int(times[chance >= CERTAIN].sum())

    def inference(self, knowledge: str, promised: float | None) -> Inference:
        n = max(1, self.number)
        average = Share(self.total / (n * _HALF * _HALF))
        shares = Share(self.above / n), Share(self.certain / n)
        return Inference(knowledge, self.number, self.highest, average, *shares, promised)


def _of_individuals(publication: Buckets, l: int, threshold: float) -> tuple[_Chances, dict[str, int]]:  # noqa: E741
    """Return the confidences for individuals with several rows, and the number of correlations."""
    risks, inside, between = _Chances(), 0, 0
    for people in by_individuals(publication):
        part = people.publication
        several = np.bincount(bucket_inference.persons(part)[1]) > 1
        if several.any():
            chance = bucket_inference.of_persons(part)[several]
            risks.add(chance, np.ones(len(chance), np.int64), threshold)
        inside += len(intra_group_violations(part))
        between += len(inter_group_violations(part, l))
    return risks, {"inside groups": inside, "between groups": between} if publication.ids else {}


def _attack(publication: Buckets, original: Table, promised: float, attempts: int, seed: int) -> tuple[Guesses, ...]:
    """Guess the values of random rows, first by the values of their groups, then by the values of all rows."""
    if original.sensitive is None:
        msg = "the original must have the published sensitive column"
        raise InputError(msg)
    chosen = np.random.default_rng(seed).choice(publication.n, min(attempts, publication.n), replace=False)
    code_of = publication.snt_value.vocabulary.index
    image = np.array([code_of.get(label, -1) for label in original.sensitive.vocabulary.labels], np.int64)
    true = image[original.sensitive.codes[publication.record[chosen]]]
    share = bucket_inference.of_values(publication, chosen, true)
    likeliest = bucket_inference.likeliest(publication, chosen) == true
    overall = sums_by_code(publication.snt_value.codes, publication.snt_count, len(code_of))
    base = np.where(true >= 0, overall[true], 0) / max(1, publication.n)
    most = true == int(overall.argmax()) if len(overall) else likeliest
    broken = int((share > promised + 1e-12).sum())
    n = len(chosen)
    return (
        Guesses("the values of its group", n, _mean(share), _mean(likeliest), promised, broken),
        Guesses("the values of all rows", n, _mean(base), _mean(most), None, 0),
    )


def _mean(values: Any) -> float:
    return float(values.mean()) if len(values) else 0.0
