"""Inspect uniqueness and problems of data before anonymization, and the memory of a run."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from anonset.analysis.attack import typical_sizes
from anonset.columns.kinds import kind_of_values
from anonset.columns.profiles import Profile, statistics
from anonset.columns.roles import GIVEN, ProposedRole
from anonset.data import CategoricalColumn, SetColumn, Table
from anonset.data.equivalence_classes import class_of
from anonset.data.joining import parts_of
from anonset.data.table import Column
from anonset.data.table_facts import KNOWN_VALUE, UnitKind
from anonset.errors import InputError, Problem
from anonset.jobs.findings import ClassFindings, ColumnFindings, Findings, Question, UnitOption, reasons_of_roles
from anonset.jobs.linked_findings import LinkedFindings
from anonset.jobs.proposals.linked_proposal import inspect_linked
from anonset.jobs.proposals.proposal import Proposal
from anonset.jobs.proposals.proposed_reading import proposal_for
from anonset.jobs.reading import read_data, source_to_read
from anonset.jobs.revealing_names import sensitive_items
from anonset.jobs.runs.persons import count_persons, errors_of_persons, further_findings, unit_findings
from anonset.jobs.spellings import spelling_problems
from anonset.measures.distinct_records import DistinctRecords, codes_of
from anonset.measures.risks.known_items import known_items, matching_rows
from anonset.measures.shares import RecordFigures, Share, share_of
from anonset.privacy.model import require_size
from anonset.reading.file_options import ROW, UNKNOWN, Unit
from anonset.reading.options import require_options
from anonset.release.memory import memory_for, require_memory
from anonset.settings.binding import HierarchySpec
from anonset.settings.job import Job
from anonset.settings.job_files import settings_at
from anonset.settings.parameters import SIZES
from anonset.settings.settings import is_job
from anonset.spelling import counted


def inspect(
    source: Any,
    *,
    k: int | None = None,
    m: int | None = None,
    hierarchies: Mapping[str, HierarchySpec] | None = None,
    seed: int = 0,
    **given: Any,
) -> Findings | LinkedFindings:
    """Inspect the columns, persons, uniqueness and problems of data before anonymization, and propose column roles.

    Writes no publication and shows no value of the data.

    Parameters
    ----------
    source
        Source as for `anonset.read`, or a table that it returned. For a folder of tables that share a key, or a job
        file with ``[tables.NAME]``, the findings are `LinkedFindings`. Only `k`, `m`, ``unit`` and reading options
        apply to them, and roles are set in the job file.
    k
        Equivalence classes and groups below this size count as small. Default: 5, or that of the job file.
    m
        Number of known items that the guarantee should cover. Default: 2, or that of the job file. Up to m + 1 known
        items are examined.
    hierarchies
        Hierarchies by column. They are checked against the data.
    seed
        Seed of the samples that estimate shares which cannot be counted within seconds.
    given
        Column roles and reading options, as for `anonset.read`, and ``publish_as_is``. Columns without a given role
        get a proposed role.

    Raises
    ------
    InputError
        If the data cannot be read, or an option does not apply to linked tables. All other problems are reported in
        `Findings.problems`.
    TypeError
        If an option is unknown.

    Examples
    --------
    >>> found = inspect({"name": ["Ann", "Bo", "Cid", "Di"], "codes": ["a b", "a b c", "a", "b c"]}, items="codes")
    >>> [(column.profile.name, column.role) for column in found.columns]
    [('name', 'drop'), ('codes', 'items')]
    >>> [str(known.worst(2)) for known in found.known_items]
    ['0.0%', '25.0%', '25.0%']
    """
    require_options("inspect", given.keys() - {"labels", "publish_as_is"})
    sizes = {name: size for name, size in (("k", k), ("m", m)) if size is not None}
    if isinstance(source, str | Path):
        others = {**({"hierarchy": hierarchies} if hierarchies else {}), **({"seed": seed} if seed else {})}
        if (linked := inspect_several(str(source), Job({**given, **sizes, **others}))) is not None:
            return linked
    return inspect_one(source, hierarchies=hierarchies, seed=seed, **sizes, **given)


def inspect_several(source: str, given: Job) -> LinkedFindings | None:
    """Inspect linked tables (`inspect_linked`), and the records of the persons if a job file joins the tables."""
    linked = inspect_linked(source, given)
    joins = linked is not None and linked.is_declared and is_job(source)
    return replace(linked, joined=_joined(source, given)) if linked is not None and joins else linked


def _joined(source: str, given: Job) -> Findings | None:
    """Return findings about the records that a job file reads. None if a question is open, or the job cannot run."""
    from anonset.settings.commands import InspectSettings

    try:
        place, settings = settings_at(source, "input", given, InspectSettings)
        data = source_to_read(settings, place)
        require_memory(memory_for(data.size), None)
        return inspect_one(read_data(data, settings.read_options()), k=settings.k, m=settings.m, seed=settings.seed)
    except InputError:
        return None


def inspect_one(
    source: Any,
    *,
    k: int = SIZES["k"],
    m: int = SIZES["m"],
    hierarchies: Mapping[str, HierarchySpec] | None = None,
    seed: int = 0,
    **given: Any,
) -> Findings:
    """Inspect a single data set, as `inspect` does."""
    require_size("k", k)
    require_size("m", m)
    if isinstance(source, Table):
        profiles = _profiles_of(source)
        columns = tuple(ColumnFindings(profile, ProposedRole(role, GIVEN)) for role, profile in profiles)
        work = Proposal(None, source.n, columns=columns, table=source)
    else:
        work = proposal_for(source, given, hierarchies or {}, k)
    findings = Findings(
        "the given table" if work.source is None else work.source.where,
        work.columns, work.rows, records=0, persons=None, unit="", k=k, m=m, quasi_identifiers=None,
        known_items=(), items_per_person=(), sensitive_items={}, checks=_distinct(work.problems), memory=None,
        settings=work.settings, hierarchies=hierarchies or {}, recognised=work.recognised, question=_question(work),
        possible_items=work.possible_items, possible_roles=work.possible_roles, obstacle=work.obstacle,
        item_answers=work.item_answers, given=Job(given),
    )  # fmt: skip
    return findings if work.table is None else _with_records(findings, work, work.table, seed)


def _with_records(findings: Findings, work: Proposal, table: Table, seed: int) -> Findings:
    """Return findings with the facts and problems of the records that the proposed settings read."""
    k, m = findings.k, findings.m
    errors = errors_of_persons(table)
    rejection = [Problem(f"would be rejected: {error.problem.sentence}", error.fixes, stops=True) for error in errors]
    unit: UnitKind = "" if work.answers else table.statements.unit
    small = Problem(f"{counted(table.n, 'record')}: fewer than k={k}, so nothing can be published", stops=True)
    few = [] if table.n >= k else [small]
    checks = [*work.problems, *rejection, *_warnings(table, few, unit_open=bool(work.answers))]
    return replace(
        findings,
        records=table.n,
        persons=count_persons(table) if unit in ("person", "row") else None,
        unit=unit,
        quasi_identifiers=_classes(table, k),
        known_items=() if table.transactions is None else known_items(table.transactions, m + 1, k, seed=seed),
        items_per_person=() if table.transactions is None else tuple(typical_sizes(table.transactions)),
        sensitive_items=_sensitive_items(table, [column.profile.name for column in findings.columns]),
        joint=_joint(table, k, m, seed),
        complete=_complete(table, k),
        checks=_distinct(checks),
        memory=None if work.source is None or not work.source.files else memory_for(work.source.size),
        rejected=bool(rejection),
        obstacle=None if table.n else few[0],
    )


def _sensitive_items(table: Table, columns: Sequence[str]) -> dict[str, str]:
    """Return what the items are by column, for items that may be sensitive. Only names of columns are named."""
    if (sets := table.transactions) is None:
        return {}
    labels = sets.vocabulary.labels
    parts = parts_of(table.joined or (sets.name,), labels)
    return sensitive_items({name: [labels[n].removeprefix(of) for n in codes] for name, of, codes in parts}, columns)


def _question(work: Proposal) -> Question | None:
    """Return the open question about the columns that identify a person, with the settings for each answer. None if the
    unit is known.
    """
    if not work.answers:
        return None
    answers = []
    for answer in work.answers:
        classes = None if answer.table is None else _classes(answer.table, 1)
        combinations, unique = (0, None) if classes is None else (classes.classes, classes.unique)
        option = UnitOption(
            Unit(answer.person or (ROW,)), answer.persons, unique, answer.settings, combinations, answer.skipped,
            reasons_of_roles(one for one in answer.columns if not one.proposed.is_given), answer.doubt,
            "" if answer.table is not None else str(answer.obstacle or "no column can be published"),
            tuple(column.profile.name for column in answer.columns if column.proposed.differs), answer.item_answers,
        )  # fmt: skip
        answers.append(option)
        if not answer.person:
            answers.append(replace(option, unit=Unit((UNKNOWN,)), persons=None))
    return Question(work.rows, tuple(answers), work.others)


def _distinct(problems: Sequence[Problem]) -> tuple[Problem, ...]:
    return tuple({str(problem): problem for problem in problems}.values())


def _warnings(table: Table, few: Sequence[Problem], *, unit_open: bool) -> list[Problem]:
    warnings = list[Problem]()
    warnings += () if unit_open else unit_findings(table)
    warnings += further_findings(table)
    warnings += spelling_problems(table)
    warnings += [Problem(str(change)) for change in table.changes if change.rule == KNOWN_VALUE]
    warnings += few
    if table.transactions is not None and (empty := table.n - table.transactions.n_nonempty):
        why = f"the input has none for {'it' if empty == 1 else 'them'}, or only values read as missing"
        warnings.append(Problem(f"{counted(empty, 'record')} without items: {why}"))
    return warnings


def _classes(table: Table, k: int) -> ClassFindings | None:
    if not table.relational or not table.n:
        return None
    classes = class_of(table.relational, table.n)
    per_class = np.bincount(classes)
    sizes = per_class[classes]
    names = tuple(column.name for column in table.relational)
    return ClassFindings(names, len(per_class), int(per_class.min()), share_of(sizes == 1), share_of(sizes < k))


def _joint(table: Table, k: int, m: int, seed: int) -> tuple[Share, Share] | None:
    if table.transactions is None or not table.relational or not table.n:
        return None
    known = codes_of(table.relational)
    *_, least = matching_rows(table.transactions, m, group=known, store=table.store, seed=seed)
    return least.share(least.values == 1), least.share(least.values < k)


def _complete(table: Table, k: int) -> tuple[Share, Share] | None:
    if table.transactions is None or not table.n:
        return None
    with table.store.nested() as scratch:
        distinct = DistinctRecords.of(table.transactions, codes_of(table.relational), scratch)
        matches = RecordFigures.of(distinct.weight, weight=distinct.weight)
    return matches.share(matches.values == 1), matches.share(matches.values < k)


def _profiles_of(table: Table) -> Iterator[tuple[str, Profile]]:
    of_persons = "id" if table.sensitive is not None and not table.relational else "unit"
    roles = {of_persons: table.ids, "relational": table.relational, "keep": table.kept}
    for role, columns in roles.items():
        for column in columns:
            yield role, _profile(column)
    if table.transactions is not None:
        yield "items", _of_sets(table.transactions)
    if table.sensitive is not None:
        yield "sensitive", _profile(table.sensitive)


def _of_sets(column: SetColumn) -> Profile:
    counts = column.occurrences
    items = [label for label, count in zip(column.vocabulary.labels, counts, strict=True) if count]
    return Profile(
        "sets", **statistics(counts), name=column.name, records=column.n, occurrences=len(column.codes),
        items_kind=kind_of_values(items),
    )  # fmt: skip


def _profile(column: Column) -> Profile:
    if isinstance(column, CategoricalColumn):
        counts = np.bincount(column.codes, minlength=len(column.vocabulary)).astype(np.int64)
        kind = kind_of_values(column.vocabulary.labels)
    else:
        counts = np.unique(column.values, return_counts=True)[1].astype(np.int64)
        kind = "integers" if column.values.dtype == np.int64 else "numbers"
    return Profile(kind, **statistics(counts), name=column.name, records=column.n)
