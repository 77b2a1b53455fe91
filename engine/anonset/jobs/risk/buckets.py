"""What is at risk after buckets are published: how surely they tell a sensitive value, and an attack that tries."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from anonset.data import Table
from anonset.data.redacted_repr import Discreet
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
class Inference(Discreet):
    """How surely the likeliest value of somebody is told."""

    known: str
    """What somebody finds of a person: ``one row``, or ``all rows of a person``."""
    persons: int
    """Rows, or persons with several rows, that it is told of."""
    highest: float
    """Of the one of whom it is told most surely."""
    average: Share
    """On average over all."""
    above: Share
    """Share of those above the threshold."""
    certain: Share
    """Share of those whose value is certain."""
    promised: float | None
    """What the guarantee allows; None where it says nothing of this."""


@dataclass(frozen=True)
class Guesses(Discreet):
    """How often the sensitive values of random rows of the original are guessed."""

    known: str
    """By what: ``the values of its group``, or ``the values of all rows``, which needs no publication of groups."""
    attempts: int
    """Rows that were tried."""
    success: float
    """Share that is right if one of these values is picked at random."""
    likeliest: float
    """Share that is right if the most frequent one is."""
    promised: float | None
    """What the guarantee allows for each row."""
    broken: int
    """Rows whose value is told more surely than is promised."""


@dataclass(frozen=True)
class BucketRisk(RiskReport):
    """What is at risk after buckets are published."""

    groups: int
    """Their groups."""
    hidden: int
    """Rows whose identity is hidden."""
    threshold: float
    """Above this, a row or a person counts as at risk."""
    inferences: tuple[Inference, ...]
    """By what is found of a person."""
    observed: ObservedDiversity
    """l and t of the sensitive values in the groups."""
    correlations: dict[str, int]
    """Violations through what several rows of a person have in common: inside groups, and between groups."""
    attempts: tuple[Guesses, ...] = ()
    """The attack, where the original was there."""

    @property
    def broken(self) -> int:
        """Rows of which the attack found more than is promised; 0 unless something is wrong."""
        return sum(guesses.broken for guesses in self.attempts)


@risk_of.register
def _of_buckets(publication: Buckets, context: RiskContext) -> BucketRisk:
    """Count how surely a bucketized table tells sensitive values, and guess some of the original."""
    context.require_no_attacks()
    if context.population is not None:
        msg = f"{setting('population')} is about generalized quasi-identifiers, of which buckets have none"
        raise InputError(msg)
    model, threshold, original = context.model, context.threshold, context.original
    promised = 1 / model.diversity
    rows = _Chances()
    rows.add(bucket_inference.of_groups(publication), publication.sizes, threshold)
    found = [rows.inference("one row", promised)]
    several, numbers = _of_individuals(publication, model.diversity, threshold)
    if several.number:
        found.append(several.inference("all rows of a person", None))
    tried = () if original is None else _attack(publication, original, promised, context.attempts, context.seed)
    return BucketRisk(
        publication.n, model, publication.n_groups, int(publication.starred.sum()), threshold, tuple(found),
        bucket_inference.observed(publication), numbers, tried,
    )  # fmt: skip


class _Chances:
    """How surely values are told, summed up exactly, so that the order of the parts changes nothing."""

    def __init__(self) -> None:
        self.number, self.certain, self.above, self.highest = 0, 0, 0, 0.0
        self.total = 0
        """Sum of the chances, in units of 2 to the -60."""

    def add(self, chance: bucket_inference.Float64, times: Int64, threshold: float) -> None:
        """Add chances in [0, 1], each of so many rows or persons."""
        scaled = chance * _HALF
        high = np.floor(scaled)
        low = np.floor((scaled - high) * _HALF)
        sums = [int((part.astype(np.int64) * times).sum()) for part in (high, low)]
        self.total += sums[0] * _HALF + sums[1]
        self.number += int(times.sum())
        self.highest = max(self.highest, float(chance.max(initial=0.0)))
        self.above += int(times[chance > threshold].sum())
        self.certain += int(times[chance >= CERTAIN].sum())

    def inference(self, known: str, promised: float | None) -> Inference:
        """Return what was added."""
        n = max(1, self.number)
        average = Share(self.total / (n * _HALF * _HALF))
        shares = Share(self.above / n), Share(self.certain / n)
        return Inference(known, self.number, self.highest, average, *shares, promised)


def _of_individuals(publication: Buckets, l: int, threshold: float) -> tuple[_Chances, dict[str, int]]:  # noqa: E741
    """Return how surely a value of those with several rows is told, and how many correlations there are."""
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
    """Guess the values of random rows by those of their groups, and by those of all rows."""
    if original.sensitive is None:
        msg = "the original must have the sensitive column that was published"
        raise InputError(msg)
    chosen = np.random.default_rng(seed).choice(publication.n, min(attempts, publication.n), replace=False)
    known = publication.snt_value.vocabulary.index
    image = np.array([known.get(label, -1) for label in original.sensitive.vocabulary.labels], np.int64)
    true = image[original.sensitive.codes[publication.record[chosen]]]
    share = bucket_inference.of_values(publication, chosen, true)
    likeliest = bucket_inference.likeliest(publication, chosen) == true
    overall = sums_by_code(publication.snt_value.codes, publication.snt_count, len(known))
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
