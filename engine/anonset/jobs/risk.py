"""Risk job for a release in memory or a publication in a directory."""

import os
from collections.abc import Hashable, Mapping, Sequence
from contextlib import ExitStack
from typing import Any

from numpy.typing import NDArray

from anonset.analysis.base import analysis_of
from anonset.analysis.risk import RiskContext, RiskReport
from anonset.attacks.registry import require_attacks
from anonset.data import Hierarchy, Table
from anonset.data.decimals import require_between_0_and_1
from anonset.errors import InputError
from anonset.generalization.other_release import OtherRelease
from anonset.jobs.original import require_columns, require_same_content
from anonset.publications import Published
from anonset.reading.file_options import Unit
from anonset.release.opened import OpenedPublication, open_in_blocks
from anonset.release.release import Release
from anonset.settings.binding import HierarchySpec, bind
from anonset.settings.publication import THRESHOLD
from anonset.spelling import StatedSettings, listed


def risk(
    published: Release | OpenedPublication | str | os.PathLike[str],
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
    beside: OtherRelease | None = None,
) -> RiskReport:
    """Count the rows of a publication that match attacker knowledge, and try to re-identify persons.

    If `persons` assigns several rows to a person, matching persons are counted. For buckets, the result is the
    confidence about the sensitive value of a row, and of a person with several rows. For itemsets with an original, the
    result includes the confidence about other items of a row whose two rarest items are known. For a disassociated
    publication, the result contains no other figure.

    Parameters
    ----------
    published
        A release, or the directory of a publication.
    original
        Published data, for the attack; a release includes them.
    hierarchies
        Hierarchies that the publication was made with.
    private
        Private directory. The default is ``OUT.private``.
    m
        Attackers with up to m + 2 known items are examined. The default is m of the guarantee.
    threshold
        Risk above which a record counts as at risk.
    sensitive
        Kept columns whose disclosure is measured. The default is all kept columns.
    population
        Population for the journalist risk. It must include the people in the data, and have the quasi-identifiers of
        the data.
    attempts
        Number of target persons.
    seed
        Seed of the draw of targets.
    work_dir
        Parent of a temporary directory that stores the publication in blocks. By default the publication is read into
        memory, unless it was published in parts. With an original, records are always in memory.
    persons
        Person of each record of the original, in order. By default, each record is a different person.
    attacks
        Names of attacks to run, or ``all``: see `anonset.attacks.registry`.
    beside
        Another release of the same persons, from `anonset.beside`, for a composition attack.

    Raises
    ------
    InputError
        If it is no publication of records, the original or the persons belong to other data, or a named attack is not
        possible.
    """
    require_between_0_and_1("threshold", threshold)
    require_attacks(attacks)
    with ExitStack() as stack:
        if isinstance(published, Release):
            publication, model = published.publication, published.verdict.model
            table, doubted = published.unverified.table, published.unverified.contradictions
            unit = unit_of(table.persons, doubted) if table.by_person else "row"
            raw, original, trees = None, published.unverified.table, dict(published.unverified.hierarchies)
            made_by = _sole_algorithm(published.algorithm.name, vars(published.algorithm), published.figures)
        else:
            opened = stack.enter_context(open_in_blocks(published, private, work_dir, records=original is None))
            model, unit = opened.model, "row"
            if opened.attested.declarations.unit == "person":
                run = opened.report
                unit = (
                    "person" if run is None else unit_of(Unit.of(run.settings.get("unit")).columns, run.contradictions)
                )
            raw, (publication, original, trees) = original, _read(opened, original, hierarchies or {})
            run = opened.report if attacks else None
            made_by = "" if run is None else _sole_algorithm(run.algorithm, run.parameters, run.figures)
        context = RiskContext(
            model, original, trees, m, threshold, sensitive, population, attempts, seed, persons, unit, attacks,
            beside, raw, made_by,
        )  # fmt: skip
        return analysis_of(publication).risk(context)


def unit_of(columns: Sequence[str], contradictions: Sequence[str]) -> str:
    """Return the unit of records that are persons as declared, unless the data contradict the declaration."""
    return f"value of {listed([*map(repr, columns)], 'with')}" if columns and contradictions else "person"


def _sole_algorithm(algorithm: str, parameters: StatedSettings, figures: Mapping[str, float]) -> str:
    """Return the name of the algorithm that made a publication. Empty if the result of the algorithm was refined, or
    joined from parts.
    """
    return "" if parameters.get("refine") or "parts" in figures else algorithm


def _read(
    opened: OpenedPublication, original: Table | None, specs: Mapping[str, HierarchySpec]
) -> tuple[Published, Table | None, dict[str, Hierarchy]]:
    """Return the data of a publication, the original or None, and the hierarchies. With an original, the data contain
    the record of each row.
    """
    if original is None:
        return opened.publication, None, {}
    way_back = opened.way_back(opened.store)
    msg = f"an attack needs the private directory of {str(opened.out)!r}, which maps published rows to records"
    report = opened.require_report(msg)
    if way_back is None:
        raise InputError(msg)
    require_columns(original, opened.attested)
    table, trees = bind(original, specs, opened.model)
    require_same_content(table, report)
    return opened.publication.with_way_back(*way_back), table, trees
