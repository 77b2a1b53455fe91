"""What is at risk after a publication: how many rows fit what somebody may know, and an attack that tries."""

import os
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anonset.data import CategoricalColumn, Hierarchy, Table
from anonset.data.discreet import Discreet
from anonset.data.exact import require_between_0_and_1
from anonset.data.mapped import WorkFolder
from anonset.errors import InputError
from anonset.generalization import Publication
from anonset.generalization.buckets import BucketPublication
from anonset.jobs.attack import Attempts, attack
from anonset.jobs.bucket_risk import BucketRisk, bucket_risk
from anonset.jobs.evaluate import private_folder, read_publication
from anonset.jobs.matching import Matching
from anonset.jobs.provenance import require_columns, require_private, require_same_content
from anonset.measures.equivalence_classes import class_of
from anonset.measures.known_items import KnownItems, known_items
from anonset.measures.sensitive_values import ObservedDiversity, observed_diversity
from anonset.measures.shares import Share, mean_of, percent, share_of
from anonset.privacy import PrivacyModel
from anonset.release.attested import place_of_parts, read_attestation, require_attested
from anonset.release.documents import Attestation, BucketFiles
from anonset.release.release import Release
from anonset.release.staging import require_apart
from anonset.release.tables import html_table
from anonset.settings.binding import HierarchySpec, bind
from anonset.spelling import setting

THRESHOLD = 0.09
"""Above this a record counts as at risk: strictly below it are groups of 12 (European Medicines Agency, 2014)."""


@dataclass(frozen=True)
class Exposure(Discreet):
    """How far somebody gets who knows something of a person that is in the data."""

    values: bool
    """Whether all published quasi-identifiers of the person are known."""
    items: int
    """Number of published symbols of the person that are known, those that tell the most."""
    smallest: int
    """Fewest rows that fit."""
    mean: float
    """Rows that fit, on average over the persons."""
    highest: float
    """Prosecutor risk: the chance to find the person of whom the fewest rows fit."""
    average: Share
    """Marketer risk: the chance to find a person, on average over all."""
    above: Share
    """Share of the persons whose risk is above the threshold."""
    alone: Share
    """Share of the persons of whom one row fits."""
    guaranteed: bool
    """Whether the guarantee speaks of such knowledge."""


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

    @property
    def broken(self) -> int:
        """Persons of whom the attack found more than is promised; 0 unless something is wrong."""
        return sum(one.broken for one in self.attempts)

    def _repr_html_(self) -> str:
        """Return the risks as tables, for notebooks."""
        return html_table(*exposure_table(self)) + html_table(*attack_table(self))


def exposure_table(found: Risk) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Return how far somebody gets by what is known: the headings, and a row of text each."""
    head = ("who knows", "guaranteed", "fewest rows", "mean rows", "highest", "average", "alone")
    rows: list[tuple[str, ...]] = [
        (knowledge(one.values, one.items), "yes" if one.guaranteed else "no", f"{one.smallest:,}", f"{one.mean:,.1f}",
         f"{one.highest:.3g}", str(one.average), str(one.alone), str(one.above))
        for one in found.exposures
    ]  # fmt: skip
    return (*head, f"above {found.threshold:g}"), rows


def attack_table(found: Risk) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Return what the attack found: the headings, and a row of text by what was known."""
    head = ("who knew", "persons", "one row fits", "none fits", "found by guessing", "promised at most")
    return head, [
        (knowledge(one.values, one.items), f"{one.attempts:,}", percent(one.alone), percent(one.none),
         f"{one.success:.2%}", "" if one.promised is None else f"{one.promised:.2%}")
        for one in found.attempts
    ]  # fmt: skip


def knowledge(values: bool, items: int) -> str:
    """Say what somebody knows.

    >>> knowledge(True, 2)
    'all quasi-identifiers and 2 items'
    """
    parts = (["all quasi-identifiers"] if values else []) + ([f"{items} item{'s' * (items > 1)}"] if items else [])
    return " and ".join(parts)


def risk(
    published: Release | str | os.PathLike[str],
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
) -> Risk | BucketRisk:
    """Count how many rows of a publication fit what somebody may know, and try to find persons.

    Of buckets, how surely they tell the sensitive value of a row, and of a person with several, is counted instead.

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
        Directory in which buckets are to lie, block by block, below a temporary one; by default they are read into
        memory, unless they were published in parts.

    Raises
    ------
    InputError
        If it is no publication of records, or the original is not its own.
    """
    require_between_0_and_1("threshold", threshold)
    place = None if work_dir is None else Path(work_dir)
    with ExitStack() as stack:
        if isinstance(published, Release):
            publication, model = published.publication, published.verdict.model
            original, trees = published.unverified.table, dict(published.unverified.hierarchies)
        else:
            require_apart(work_dir, published, private or f"{published}.private")
            out, attested = Path(published), attested_publication(Path(published))
            buckets = isinstance(attested.data, BucketFiles)
            work = stack.enter_context(place_of_parts(attested, place)) if buckets else None
            publication, model, original, trees = _read(out, attested, private, original, hierarchies or {}, work)
        if isinstance(publication, BucketPublication):
            if population is not None:
                msg = f"{setting('population')} is about generalized quasi-identifiers, of which buckets have none"
                raise InputError(msg)
            return bucket_risk(publication, model, original, threshold=threshold, attempts=attempts, seed=seed)
    most = int(getattr(model, "m", 0) or 2) if m is None else m
    classes = class_of(publication.relational, publication.n)
    names = [column.name for column in publication.kept] if sensitive is None else list(sensitive)
    found = Risk(
        publication.n, model, threshold, exposures(publication, model, most + 2, threshold, seed),
        {name: observed_diversity(classes, _kept(publication, name)) for name in names},
    )  # fmt: skip
    if original is None:
        if population is not None:
            msg = f"{setting('population')} needs {setting('original')}, which tells what the published values cover"
            raise InputError(msg)
        return found
    if population is not None:
        found = replace(found, journalist=_journalist(original, publication, trees, population, threshold))
    tried = attack(original, publication, trees, model, size=most + 2, attempts=attempts, seed=seed)
    return replace(found, attempts=tried)


def attested_publication(out: Path) -> Attestation:
    """Return what is attested of a publication, if its files are those that were.

    Raises
    ------
    InputError
        If it is no publication, or a file is another one.
    """
    attested = read_attestation(out)
    if attested is None:
        msg = f"{str(out)!r} must be a directory made by anonset anonymize, with its attestation.json"
        raise InputError(msg)
    require_attested(out, attested)
    return attested


def _read(
    out: Path,
    attested: Attestation,
    private: str | os.PathLike[str] | None,
    original: Table | None,
    given: Mapping[str, HierarchySpec],
    work: WorkFolder | None,
) -> tuple[Any, PrivacyModel, Table | None, dict[str, Hierarchy]]:
    """Read a publication, and the way back to the original where that is given."""
    from anonset.jobs.verify import promised_by

    publication, model = read_publication(out, attested, work), promised_by(attested)
    if original is None:
        return publication, model, None, {}
    home = private_folder(out, None if private is None else Path(private))
    from anonset.io.records import read_records, records_file

    records = None if home is None else records_file(home)
    if home is None or records is None:
        msg = f"an attack needs the private directory of {str(out)!r}, which tells the record of each row"
        raise InputError(msg)
    require_columns(original, attested)
    table, trees = bind(original, given, model)
    require_same_content(table, require_private(out, home))
    record, cluster = read_records(records, work)
    if isinstance(publication, BucketPublication):
        return replace(publication, record=record), model, table, trees
    return replace(publication, record=record, cluster=cluster), model, table, trees


def exposures(
    rows: Publication | Table, model: PrivacyModel, size: int, threshold: float = THRESHOLD, seed: int = 0
) -> tuple[Exposure, ...]:
    """Count the rows that fit, by what is known: of a publication, or of data as they are.

    Parameters
    ----------
    size
        Known items up to which it is looked.
    """
    k, found = int(getattr(model, "k", 2)), list[Exposure]()
    classes = class_of(rows.relational, rows.n)
    if rows.relational:
        sizes = np.bincount(classes)[classes]
        found.append(_exposure(True, 0, sizes, None, threshold, model))
    sets = rows.transactions
    for values in (False, True) if rows.relational else (False,):
        if sets is not None:
            group = classes if values else None
            counted = known_items(sets, size, k, group=group, seed=seed)
            found += [_exposure(values, one.size, one.least, one, threshold, model) for one in counted]
    return tuple(found)


def _exposure(
    values: bool, items: int, least: NDArray[np.int64], known: KnownItems | None, threshold: float, model: PrivacyModel
) -> Exposure:
    from anonset.jobs.attack import is_promised_to

    sure = None if known is None else known.known
    counted = least if sure is None else least[sure]
    risks = 1.0 / np.maximum(least, 1)
    smallest = int(counted.min(initial=int(least.max(initial=0))))
    average, above, alone = mean_of(risks, sure), share_of(risks > threshold, sure), share_of(least == 1, sure)
    mean = float(counted.mean()) if len(counted) else 0.0
    promised = is_promised_to(model, values, items)
    return Exposure(values, items, smallest, mean, 1 / max(1, smallest), average, above, alone, promised)


def _kept(publication: Publication, name: str) -> CategoricalColumn:
    for column in publication.kept:
        if column.name == name:
            return column
    there = ", ".join(repr(column.name) for column in publication.kept) or "none"
    msg = f"{setting('sensitive')}: {name!r} must be a column that is published as it is; there are: {there}"
    raise InputError(msg)


def _journalist(
    original: Table, publication: Publication, trees: Mapping[str, Hierarchy], population: Table, threshold: float
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
