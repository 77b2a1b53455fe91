"""What is at risk after a publication: how many rows, or persons, fit what is known, and an attack that tries."""

import os
from collections.abc import Hashable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anonset.attacks.base import Outcome, Scene
from anonset.attacks.registry import require_attacks, tried
from anonset.data import CategoricalColumn, Hierarchy, Table
from anonset.data.decimals import require_between_0_and_1
from anonset.data.redacted_repr import Discreet
from anonset.errors import InputError
from anonset.generalization.beside import Beside
from anonset.jobs.attack import Attempts, attack
from anonset.jobs.bucket_risk import BucketRisk, bucket_risk
from anonset.jobs.chunk_risk import ChunkRisk, chunk_risk, require_about_chunks, telling_table
from anonset.jobs.exposures import Exposure, exposures, knowledge
from anonset.jobs.matching import Matching
from anonset.jobs.original import require_columns, require_same_content
from anonset.measures.distinct_records import codes_of
from anonset.measures.equivalence_classes import class_of
from anonset.measures.sensitive_values import ObservedDiversity, diversity_by_blocks, observed_diversity
from anonset.measures.shares import percent
from anonset.measures.skewness import Skewness, skewness
from anonset.measures.told_items import Telling
from anonset.privacy import PrivacyModel
from anonset.publications import Buckets, Chunks, Records
from anonset.release.opened import Opened, opening
from anonset.release.release import Release
from anonset.release.symbols import spell_out
from anonset.release.tables import html_table
from anonset.settings.binding import HierarchySpec, bind
from anonset.settings.publication import THRESHOLD
from anonset.spelling import setting

_BYTES_A_ROW = 100
"""Memory that guessing takes for each row, about."""


@dataclass(frozen=True)
class Risk(Discreet):
    """What is at risk after a publication."""

    records: int
    """Published rows."""
    model: PrivacyModel
    """What was promised."""
    threshold: float
    """Above this a record counts as at risk."""
    exposures: tuple[Exposure, ...]
    """By what is known: the quasi-identifiers, 1, 2, … items, and both."""
    disclosures: Mapping[str, ObservedDiversity]
    """What the classes of rows with the same quasi-identifiers give away of each sensitive column."""
    journalist: tuple[float, float] | None = None
    """Highest risk, and share above the threshold, where it is not known who of a given population is in the data."""
    attempts: tuple[Attempts, ...] = ()
    """The attack, where the original was there."""
    unit: str = "row"
    """Unit that is counted: ``row`` if each row counts as one person, or ``person``."""
    persons: int | None = None
    """Persons behind the rows, who have several, where the original tells them; None: each row is one."""
    skews: Mapping[str, Skewness] = field(default_factory=dict)
    """How often the values of each sensitive column are guessed by classes; nothing of rows that memory cannot hold."""
    told: tuple[Telling, ...] = ()
    """How surely other items of rows are told whose two rarest are known, where the original was there."""
    outcomes: tuple[Outcome, ...] = ()
    """What the attacks win that were asked for."""
    not_tried: Mapping[str, str] = field(default_factory=dict)
    """By the names of other attacks why they could not be tried, where all were asked for."""

    @property
    def broken(self) -> int:
        """Persons of whom the attack found more than is promised; 0 unless something is wrong."""
        return sum(attempts.broken for attempts in self.attempts)

    def _repr_html_(self) -> str:
        """Return the risks as tables, for notebooks."""
        return (
            html_table(*exposure_table(self)) + html_table(*attack_table(self)) + html_table(*telling_table(self.told))
        )


def exposure_table(found: Risk) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Return how far somebody gets by what is known: the headings, and a row of text each."""
    counted = (f"fewest {found.unit}s", f"mean {found.unit}s")
    head = ("who knows", "guaranteed", *counted, "highest", "average", "alone")
    rows: list[tuple[str, ...]] = [
        (knowledge(exposure.values, exposure.items), "yes" if exposure.guaranteed else "no",
         f"{exposure.smallest:,}", f"{exposure.mean:,.1f}", f"{exposure.highest:.3g}",
         str(exposure.average), str(exposure.alone), str(exposure.above))
        for exposure in found.exposures
    ]  # fmt: skip
    return (*head, f"above {found.threshold:g}"), rows


def attack_table(found: Risk) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Return what the attack found: the headings, and a row of text by what was known."""
    head = ("who knew", "persons", f"one {found.unit} fits", "none fits", "found by guessing", "promised at most")
    return head, [
        (knowledge(tried.values, tried.items), f"{tried.attempts:,}", percent(tried.alone), percent(tried.none),
         f"{tried.success:.2%}", "" if tried.promised is None else f"{tried.promised:.2%}")
        for tried in found.attempts
    ]  # fmt: skip


def outcome_table(outcomes: Sequence[Outcome]) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Return what attacks win: the headings, and three rows of text an attack."""
    head = ("attack", "", "targets", "below k", "certain", "right by guessing")
    rows = list[tuple[str, ...]]()
    for one in outcomes:
        for name, won in (("without it", one.without), ("with it", one.won), ("control", one.control)):
            first = (one.attack, name, f"{one.targets:,}") if name == "without it" else ("", name, "")
            below = "" if won.below_k is None else percent(won.below_k)
            certain = "" if won.certain is None else percent(won.certain)
            rows.append((*first, below, certain, f"{won.success:.2%}"))
    return head, rows


def risk(
    published: Release | Opened | str | os.PathLike[str],
    original: Table | None = None,
    *,
    hierarchies: Mapping[str, HierarchySpec] | None = None,
    private: str | os.PathLike[str] | None = None,
    m: int | None = None,
    threshold: float = THRESHOLD,
    sensitive: Sequence[str] | None = None,
    population: Table | None = None,
    attempts: int = 1000,
    seed: int = 0,
    work_dir: str | os.PathLike[str] | None = None,
    persons: Sequence[Hashable] | NDArray[Any] | None = None,
    attacks: Sequence[str] = (),
    beside: Beside | None = None,
) -> Risk | BucketRisk | ChunkRisk:
    """Count how many rows of a publication fit what somebody may know, and try to find persons.

    Where several rows are one person's, and `persons` tells whose they are, the persons are counted whose rows fit.

    Of buckets, how surely they tell the sensitive value of a row, and of a person with several, is counted instead. Of
    sets of items, with the original, also how surely other items of a row are told whose two rarest are known: of a
    disassociated publication, that alone.

    Parameters
    ----------
    published
        A release, or the directory of a publication.
    original
        The data that were published, for the attack; a release has them.
    hierarchies
        Those that the publication was made with.
    private
        Its private directory; by default ``OUT.private``.
    m
        Known items up to which it is looked, plus 2; by default those of the guarantee.
    threshold
        Above this a record counts as at risk.
    sensitive
        Kept columns of which others may learn; by default all of them.
    population
        All people among whom those in the data may be, with the same quasi-identifiers, for the journalist risk.
    attempts
        Persons that are looked for.
    seed
        Seed of their choice.
    work_dir
        Directory in which the publication is to lie, block by block, below a temporary one; by default it is read into
        memory, unless it was published in parts. Where the original is given, records are in memory in any case.
    persons
        Whose each record of the original is, in its order; by default each is another person's.
    attacks
        Names of attacks to try, or ``all``: see `anonset.attacks.registry`.
    beside
        What `anonset.beside` returned: another release of the same persons, with which composition is tried.

    Raises
    ------
    InputError
        If it is no publication of records, the original or the persons are not its own, or an attack that is named
        cannot be tried.
    """
    require_between_0_and_1("threshold", threshold)
    require_attacks(attacks)
    with ExitStack() as stack:
        if isinstance(published, Release):
            publication, model = published.publication, published.verdict.model
            by_person = published.unverified.table.by_person
            original, trees = published.unverified.table, dict(published.unverified.hierarchies)
            made_by = _alone(published.algorithm.name, vars(published.algorithm), published.figures)
        else:
            opened = stack.enter_context(opening(published, private, work_dir, records=original is None))
            publication, model, original, trees = _read(opened, original, hierarchies or {})
            by_person = opened.attested.declarations.unit == "person"
            run = opened.report if attacks else None
            made_by = "" if run is None else _alone(run.algorithm, run.parameters, run.figures)
        if isinstance(publication, Buckets | Chunks):
            _require_no_attacks(attacks, beside)
        if isinstance(publication, Buckets):
            if population is not None:
                msg = f"{setting('population')} is about generalized quasi-identifiers, of which buckets have none"
                raise InputError(msg)
            return bucket_risk(publication, model, original, threshold=threshold, attempts=attempts, seed=seed)
        if isinstance(publication, Chunks):
            require_about_chunks(population=population, sensitive=sensitive, persons=persons)
            return chunk_risk(publication, model, original, attempts=attempts, seed=seed)
    most = (model.m or 2) if m is None else m
    owner = None if persons is None else owners_of(persons, original)
    names = [column.name for column in publication.kept] if sensitive is None else list(sensitive)
    behind = None if owner is None else publication.record
    found = Risk(
        publication.n, model, threshold,
        exposures(publication, model, most + 2, threshold, seed, None if owner is None else owner[behind]),
        _disclosures(publication, names),
        unit="row" if owner is None and not by_person else "person",
        persons=None if owner is None else int(owner.max(initial=-1)) + 1,
        skews=_skews(publication, names, seed),
    )  # fmt: skip
    scene = Scene(publication, model, original, trees, beside, found.skews, attempts, seed, made_by)
    if publication.value_sets and original is not None:
        spelled = spell_out(publication.relational, publication.value_sets)
        scene = replace(scene, publication=replace(publication, relational=spelled))
    outcomes, reasons = tried(scene, attacks if beside is None else [*attacks, "composition"])
    found = replace(found, outcomes=outcomes, not_tried=reasons)
    if original is None:
        if population is not None:
            msg = f"{setting('population')} needs {setting('original')}, which tells what the published values cover"
            raise InputError(msg)
        return found
    if population is not None:
        found = replace(found, journalist=_journalist(original, publication, trees, population, threshold))
    looked_for = attack(original, publication, trees, model, size=most + 2, attempts=attempts, seed=seed, owner=owner)
    told = tuple[Telling, ...]()
    if original.transactions is not None:
        from anonset.measures.told_items import told_items
        from anonset.measures.top_itemsets import supports_of

        told = told_items(original.transactions, supports_of(publication), attempts, seed)
    return replace(found, attempts=looked_for, told=told)


def _alone(algorithm: str, parameters: Mapping[str, Any], figures: Mapping[str, float]) -> str:
    """Return the algorithm that made a publication; nothing where its result was refined, or united from parts."""
    return "" if parameters.get("refine") or "parts" in figures else algorithm


def _require_no_attacks(attacks: Sequence[str], beside: Beside | None) -> None:
    """Refuse attacks on what is not published as records.

    Raises
    ------
    InputError
        If any is asked for.
    """
    if attacks or beside is not None:
        asked = setting("attack" if attacks else "beside")
        msg = f"{asked} is tried on records; what buckets and chunks tell is counted without it"
        raise InputError(msg)


def _disclosures(publication: Records, names: Sequence[str]) -> dict[str, ObservedDiversity]:
    """Return what the classes of rows with the same quasi-identifiers give away of kept columns."""
    columns = {name: _kept(publication, name) for name in names}
    if publication.store.in_files:
        group = codes_of(publication.relational)
        return {name: diversity_by_blocks(group, column, publication.store) for name, column in columns.items()}
    classes = class_of(publication.relational, publication.n) if columns else np.zeros(0, np.int64)
    return {name: observed_diversity(classes, column) for name, column in columns.items()}


def _skews(publication: Records, names: Sequence[str], seed: int) -> dict[str, Skewness]:
    """Return how often values of kept columns are guessed by the quasi-identifiers, where memory holds all rows."""
    few = publication.n <= publication.store.limits.held(publication.n, _BYTES_A_ROW)
    if not names or not publication.relational or not few:
        return {}
    classes = class_of(publication.relational, publication.n)
    return {name: skewness(classes, _kept(publication, name), seed) for name in names}


def owners_of(persons: Sequence[Hashable] | NDArray[Any], original: Table | None) -> NDArray[np.int64]:
    """Return int64 (n,): the number of the person of each record, from 0.

    Raises
    ------
    InputError
        If there is no original, or another number of persons than it has records.
    """
    if original is None or len(persons) != original.n:
        records = "no original is given" if original is None else f"the original has {original.n:,}"
        msg = f"persons must tell whose each record of the original is; it tells of {len(persons):,}, and {records}"
        raise InputError(msg)
    numbers: dict[Hashable, int] = {}
    return np.array([numbers.setdefault(person, len(numbers)) for person in persons], np.int64)


def _read(
    opened: Opened, original: Table | None, given: Mapping[str, HierarchySpec]
) -> tuple[Any, PrivacyModel, Table | None, dict[str, Hierarchy]]:
    """Return the data of a publication, its model, and the original where that is given, with the way back to it."""
    if original is None:
        return opened.publication, opened.model, None, {}
    way_back = opened.way_back(opened.store)
    if way_back is None or opened.report is None:
        msg = f"an attack needs the private directory of {str(opened.out)!r}, which tells the record of each row"
        raise InputError(msg)
    require_columns(original, opened.attested)
    table, trees = bind(original, given, opened.model)
    require_same_content(table, opened.report)
    return opened.publication.with_way_back(*way_back), opened.model, table, trees


def _kept(publication: Records, name: str) -> CategoricalColumn:
    for column in publication.kept:
        if column.name == name:
            return column
    there = ", ".join(repr(column.name) for column in publication.kept) or "none"
    msg = f"{setting('sensitive')}: {name!r} must be a column that is published as it is; there are: {there}"
    raise InputError(msg)


def _journalist(
    original: Table, publication: Records, trees: Mapping[str, Hierarchy], population: Table, threshold: float
) -> tuple[float, float]:
    missing = {column.name for column in original.relational} - {column.name for column in population.relational}
    if missing or not original.relational:
        name = min(missing, default="quasi-identifiers")
        msg = f"{setting('population')} must have the quasi-identifiers of the data, but lacks {name!r}"
        raise InputError(msg)
    classes, people = Matching(original, publication, trees).classes_covering(population)
    at_least = np.maximum(people, np.bincount(classes, minlength=len(people)))
    risks = 1.0 / at_least[classes]
    return float(risks.max(initial=0.0)), float((risks > threshold).mean()) if len(risks) else 0.0
