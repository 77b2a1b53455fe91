"""Remaining risks of records: rows or persons that match attacker knowledge, and attacks."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anonset.attacks.base import AttackInput, AttackResult
from anonset.attacks.registry import run_attacks
from anonset.data import CategoricalColumn, Hierarchy, Table
from anonset.errors import InputError
from anonset.jobs.attack import Attempts, attack
from anonset.jobs.exposures import Exposure, exposures
from anonset.jobs.matching import Matching
from anonset.jobs.risk.base import RiskContext, RiskReport, risk_of
from anonset.measures.distinct_records import codes_of
from anonset.measures.equivalence_classes import class_of
from anonset.measures.item_inference import ItemInference, infer_items
from anonset.measures.item_supports import supports_of
from anonset.measures.sensitive_values import ObservedDiversity, observed_diversity
from anonset.measures.skewness import Skewness, skewness
from anonset.publications import Records
from anonset.release.symbols import spell_out
from anonset.spelling import setting

_BYTES_A_ROW = 100
"""Approximate memory for guessing, in bytes per row."""


@dataclass(frozen=True)
class Risk(RiskReport):
    """Remaining risks of published records."""

    threshold: float
    """Risk above which a record counts as at risk."""
    exposures: tuple[Exposure, ...]
    """Results by knowledge. The attacker knows the quasi-identifiers, or 1, 2, … items, or the quasi-identifiers and
    the items.
    """
    disclosures: Mapping[str, ObservedDiversity]
    """Disclosure of each sensitive column by the classes of equal quasi-identifiers."""
    before: tuple[Exposure, ...] = ()
    """Results for the original data, with the knowledge and the unit of `exposures`. Empty if the original is not
    available.
    """
    journalist: tuple[float, float] | None = None
    """Journalist risk, for attackers who do not know who is in the data. It consists of the highest risk, and the share
    of records above the threshold.
    """
    attempts: tuple[Attempts, ...] = ()
    """Results of the matching attack, if the original is available."""
    unit: str = "row"
    """Unit that is counted: ``row`` if each row counts as one person, or ``person``."""
    persons: int | None = None
    """Number of persons. None if each row is a person."""
    skews: Mapping[str, Skewness] = field(default_factory=dict)
    """Success of guessing each sensitive column by class. Empty if memory is too small for all rows."""
    told: tuple[ItemInference, ...] = ()
    """Success of an attacker who knows the two rarest items of a row and infers the other items. Empty without
    original.
    """
    outcomes: tuple[AttackResult, ...] = ()
    """Results of the requested attacks."""
    not_tried: Mapping[str, str] = field(default_factory=dict)
    """Reason why an attack was not possible, by attack name, if all attacks were requested."""

    @property
    def broken(self) -> int:
        """Number of persons for whom the attack was more successful than guaranteed. A number above 0 indicates an
        error of anonset.
        """
        return sum(attempts.broken for attempts in self.attempts)


@risk_of.register
def _of_records(publication: Records, context: RiskContext) -> Risk:
    model, original, trees, seed = context.model, context.original, context.hierarchies, context.seed
    most = (model.m or 2) if context.m is None else context.m
    owner = None if context.persons is None else owners_of(context.persons, original)
    names = [column.name for column in publication.kept] if context.sensitive is None else list(context.sensitive)
    record = None if owner is None else publication.record
    expose = partial(exposures, model=model, size=most + 2, threshold=context.threshold, seed=seed)
    risk = Risk(
        publication.n, model, context.threshold, expose(publication, owner=None if owner is None else owner[record]),
        _disclosures(publication, names),
        before=() if original is None else expose(original, owner=owner),
        unit="row" if owner is None and not context.by_person else "person",
        persons=None if owner is None else int(owner.max(initial=-1)) + 1,
        skews=_skews(publication, names, seed),
    )  # fmt: skip
    other_release, attempts = context.beside, context.attempts
    scene = AttackInput(
        publication, model, original, trees, other_release, risk.skews, attempts, seed, context.algorithm
    )
    if publication.value_sets and original is not None:
        spelled = spell_out(publication.relational, publication.value_sets)
        scene = replace(scene, publication=replace(publication, relational=spelled))
    outcomes, reasons = run_attacks(
        scene, context.attacks if other_release is None else [*context.attacks, "composition"]
    )
    risk = replace(risk, outcomes=outcomes, not_tried=reasons)
    if original is None:
        if context.population is not None:
            msg = (
                f"{setting('population')} needs {setting('original')} to determine the original values that published "
                "values cover"
            )
            raise InputError(msg)
        return risk
    if context.population is not None:
        risk = replace(
            risk, journalist=_journalist(original, publication, trees, context.population, context.threshold)
        )
    looked_for = attack(original, publication, trees, model, size=most + 2, attempts=attempts, seed=seed, owner=owner)
    inferences = tuple[ItemInference, ...]()
    if original.transactions is not None:
        inferences = infer_items(original.transactions, supports_of(publication), attempts, seed)
    return replace(risk, attempts=looked_for, told=inferences)


def _disclosures(publication: Records, names: Sequence[str]) -> dict[str, ObservedDiversity]:
    group = codes_of(publication.relational)
    return {name: observed_diversity(group, _kept(publication, name), publication.store) for name in names}


def _skews(publication: Records, names: Sequence[str], seed: int) -> dict[str, Skewness]:
    """Return the success of guessing kept columns by quasi-identifiers. Empty if the rows do not fit into memory."""
    fits_memory = publication.n <= publication.store.limits.at_once_within(publication.n, _BYTES_A_ROW)
    if not names or not publication.relational or not fits_memory:
        return {}
    classes = class_of(publication.relational, publication.n)
    return {name: skewness(classes, _kept(publication, name), seed) for name in names}


def owners_of(persons: Sequence[Hashable] | NDArray[Any], original: Table | None) -> NDArray[np.int64]:
    """Return the person number of each record, from 0, int64 (n,).

    Raises
    ------
    InputError
        If there is no original, or the number of persons differs from its record count.
    """
    if original is None or len(persons) != original.n:
        records = "no original is given" if original is None else f"the original has {original.n:,} records"
        msg = f"persons must have an entry for each record of the original, got {len(persons):,} entries; {records}"
        raise InputError(msg)
    numbers: dict[Hashable, int] = {}
    return np.array([numbers.setdefault(person, len(numbers)) for person in persons], np.int64)


def _kept(publication: Records, name: str) -> CategoricalColumn:
    for column in publication.kept:
        if column.name == name:
            return column
    names = ", ".join(repr(column.name) for column in publication.kept) or "none"
    msg = f"{setting('sensitive')}: column {name!r} is not published unchanged; choose from {names}"
    raise InputError(msg)


def _journalist(
    original: Table, publication: Records, trees: Mapping[str, Hierarchy], population: Table, threshold: float
) -> tuple[float, float]:
    missing = {column.name for column in original.relational} - {column.name for column in population.relational}
    if missing or not original.relational:
        name = min(missing, default="quasi-identifiers")
        msg = f"{setting('population')} must contain the quasi-identifiers of the data; {name!r} is missing"
        raise InputError(msg)
    classes, people = Matching(original, publication, trees).classes_covering(population)
    at_least = np.maximum(people, np.bincount(classes, minlength=len(people)))
    risks = 1.0 / at_least[classes]
    return float(risks.max(initial=0.0)), float((risks > threshold).mean()) if len(risks) else 0.0
