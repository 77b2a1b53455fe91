"""The job of counting what is at risk after a publication, a release in memory or a directory."""

import os
from collections.abc import Hashable, Mapping, Sequence
from contextlib import ExitStack
from typing import Any

from numpy.typing import NDArray

from anonset.attacks.registry import require_attacks
from anonset.data import Hierarchy, Table
from anonset.data.decimals import require_between_0_and_1
from anonset.errors import InputError
from anonset.generalization.beside import Beside
from anonset.jobs.original import require_columns, require_same_content
from anonset.jobs.risk.base import RiskContext, RiskReport, risk_of
from anonset.publications import Published
from anonset.release.opened import Opened, opening
from anonset.release.release import Release
from anonset.settings.binding import HierarchySpec, bind
from anonset.settings.publication import THRESHOLD


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
) -> RiskReport:
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
            model, by_person = opened.model, opened.attested.declarations.unit == "person"
            publication, original, trees = _read(opened, original, hierarchies or {})
            run = opened.report if attacks else None
            made_by = "" if run is None else _alone(run.algorithm, run.parameters, run.figures)
        context = RiskContext(
            model, original, trees, m, threshold, sensitive, population, attempts, seed, persons, by_person, attacks,
            beside, made_by,
        )  # fmt: skip
        return risk_of(publication, context)


def _alone(algorithm: str, parameters: Mapping[str, Any], figures: Mapping[str, float]) -> str:
    """Return the algorithm that made a publication; nothing where its result was refined, or united from parts."""
    return "" if parameters.get("refine") or "parts" in figures else algorithm


def _read(
    opened: Opened, original: Table | None, given: Mapping[str, HierarchySpec]
) -> tuple[Published, Table | None, dict[str, Hierarchy]]:
    """Return the data of a publication, and the original where that is given, with the way back to it."""
    if original is None:
        return opened.publication, None, {}
    way_back = opened.way_back(opened.store)
    if way_back is None or opened.report is None:
        msg = f"an attack needs the private directory of {str(opened.out)!r}, which tells the record of each row"
        raise InputError(msg)
    require_columns(original, opened.attested)
    table, trees = bind(original, given, opened.model)
    require_same_content(table, opened.report)
    return opened.publication.with_way_back(*way_back), table, trees
