"""Facts for a report on a publication, from the attestation, the private report and the risks."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path

import numpy as np

from anonset.analysis.attack import typical_sizes
from anonset.analysis.base import analysis_of
from anonset.analysis.exposures import Exposure, complete_exposure
from anonset.analysis.risk import Risk, RiskReport
from anonset.analysis.summary import ColumnDetail, Summary
from anonset.attacks.registry import ALL
from anonset.columns.headers import is_identifier
from anonset.columns.rules import are_personal
from anonset.data import SetColumn, Table
from anonset.data.joining import codes_by_column
from anonset.data.redacted_repr import RedactedRepr
from anonset.data.spans import spans
from anonset.data.storage.store import Store
from anonset.errors import InputError
from anonset.jobs.original import original_and_persons
from anonset.jobs.revealing_names import (
    RareValues,
    labels_of,
    names_of_groups,
    personal_items,
    rare_leaves,
    rare_values,
    sensitive_items,
)
from anonset.jobs.risk import risk, unit_of
from anonset.measures.ambiguous_items import vanished_items
from anonset.measures.countable import CountAccuracy, FrequentItems, accuracy_of
from anonset.privacy import PrivacyModel
from anonset.publications import Published, Records
from anonset.reading.batches import open_source
from anonset.reading.file_options import Unit
from anonset.reading.linked import LinkedTables, column_of
from anonset.reading.options import ReadOptions
from anonset.reading.sources.source import Source
from anonset.release.attested import require_statements
from anonset.release.documents import ATTESTATION, UNDECLARED, Attestation, Report, read_attestation, read_report
from anonset.release.opened import OpenedPublication
from anonset.release.publishing.staging import private_of
from anonset.release.release import Release
from anonset.settings.binding import HierarchySpec
from anonset.settings.publication import THRESHOLD, OriginalSettings
from anonset.spelling import listed, name_ranges, setting


@dataclass(frozen=True)
class SourceTable(RedactedRepr):
    """Linked table of the original."""

    name: str
    rows: int
    key: str
    """Columns that join the table, and the table that they join if it is not that of the persons."""
    sha256: str
    without_role: tuple[str, ...]
    """Columns that are not published because they have no role or link other tables."""


@dataclass(frozen=True)
class EmptyRecords(RedactedRepr):
    """Number of records without items."""

    published: int
    original: int | None
    """Number in the original. None if it is not available."""
    of_column: Mapping[str, int]
    """Number without an item of each column, in the original if it is available."""
    records: int
    """Number of all these records."""


@dataclass(frozen=True)
class ReportFacts(RedactedRepr):
    """Facts about a publication."""

    attested: Attestation
    """Public attestation."""
    model: PrivacyModel
    """Attested privacy model."""
    summary: Summary
    """First rows and figures from the public files."""
    after: RiskReport
    """Risks of the publication, and of the original if it is available."""
    errors: CountAccuracy | None = None
    """Errors of counts of frequent items. None if the original is not available."""
    rare: tuple[RareValues, ...] = ()
    """Rare values of each column. Those of generalized columns need the original (`rare_values`)."""
    group_names: Mapping[str, str] = field(default_factory=dict, repr=False)
    """Names of published groups that the owner wrote, each with a rare value that it contains, or an empty text
    (`names_of_groups`).
    """
    empty: EmptyRecords = field(default_factory=lambda: EmptyRecords(0, None, {}, 0))
    """Number of records without items."""
    sensitive_items: Mapping[str, str] = field(default_factory=dict)
    """What the items are by column, for items that may be sensitive (`sensitive_items`)."""
    personal_items: Mapping[str, str] = field(default_factory=dict)
    """Kind, number and share of the items that name or reach persons, by column (`personal_items`)."""
    rare_leaves: Mapping[str, int] = field(default_factory=dict, repr=False)
    """Number of original records of each leaf of an own hierarchy that the codebook names as a word, and that no or
    few records have.
    """
    private: Report | None = None
    """Private report. None if the report is not available."""
    compared: bool = False
    """Whether the publication is compared with its original."""
    sensitive: Mapping[str, int | None] = field(default_factory=dict)
    """Number of published records with each published sensitive item, by item (`sensitive_counts`)."""
    details: tuple[ColumnDetail, ...] = ()
    """Detail of each column of quasi-identifiers."""
    sha256: str = ""
    """Digest of the attestation."""
    releases: Mapping[str, str] = field(default_factory=dict)
    """Other publications in the same folder that may be about the same persons, each with what is the same. Empty if
    the private report is not available.
    """
    items_per_person: tuple[int, ...] = ()
    """Median and 95th percentile of the items of a record (`typical_sizes`); without the original, of its published
    symbols.
    """
    vanished: tuple[str, ...] = ()
    """Items of the original that no published record shows (`vanished_items`)."""
    tables: tuple[SourceTable, ...] = ()
    """Linked tables of the original."""
    frequent: Mapping[str, Sequence[tuple[str, int]]] = field(default_factory=dict, repr=False)
    """Published labels of each attribute of records without items, the most frequent first, with their records
    (`frequent_labels`).
    """
    counted_by: tuple[str, ...] = ()
    """Columns whose values are the persons that the risk counts. Empty if it counts records."""
    confirmed_against_data: bool = False
    """Whether the owner confirms the declared person in a shareable report although the data contradict it."""

    @property
    def contradicted(self) -> bool:
        """True if the data contradict the declared person, as far as the report may say so."""
        declared = self.attested.declarations.unit not in UNDECLARED
        found = self.private is not None and bool(self.private.contradictions)
        ids = getattr(self.attested.data, "id", [])  # a model for published ids protects rows
        return declared and not ids and (found or self.confirmed_against_data)

    def confirmed(self) -> "ReportFacts":
        """Return the facts of a shareable report in which the owner confirms the declared person against the data.
        Records are not called persons.
        """
        facts = replace(self, confirmed_against_data=True)
        if facts.contradicted and isinstance(self.after, Risk):
            return replace(facts, after=replace(self.after, unit="record"))
        return facts

    @property
    def complete(self) -> Mapping[str, Exposure]:
        """Risk from an attacker who knows all quasi-identifiers and the complete set of items (`Risk.complete`)."""
        return self.after.complete if isinstance(self.after, Risk) else {}

    @property
    def unlike_others(self) -> float:
        """Share of published records, or of their persons, whose items and quasi-identifiers together no other has. 0
        without items.
        """
        return self.complete["after"].alone.value if self.complete else 0.0


def report_facts(
    opened: OpenedPublication,
    source: Source | None,
    settings: OriginalSettings,
    store: Store,
) -> ReportFacts:
    """Read the private report and the original of a publication, and count the risks before and after anonymization.

    Parameters
    ----------
    source
        The original. None if it is not available.
    store
        Store of the original.

    Raises
    ------
    InputError
        If the private directory or the original belongs to another publication.
    """
    ways = f"name it with {setting('private')}, or use {setting('shareable', True)}"
    msg = f"an internal report needs the private directory of {str(opened.out)!r}; {ways}"
    report = opened.require_report(msg)
    original, persons, counted_by = original_and_persons(opened, source, settings, store)
    if source is None or original is None:
        return public_facts(opened, report)
    after = risk(opened, original, hierarchies=settings.hierarchy, persons=persons, attacks=[ALL])
    facts = facts_about(opened, after, report, original, settings.hierarchy)
    return replace(facts, tables=source_tables(source, settings), counted_by=counted_by)


def facts_about(
    opened: OpenedPublication,
    after: RiskReport,
    report: Report | None = None,
    original: Table | None = None,
    hierarchies: Mapping[str, HierarchySpec] | None = None,
) -> ReportFacts:
    """Return the facts about a publication whose risks are counted.

    Parameters
    ----------
    after
        The risks.
    report
        Private report. None for facts that follow from the public files alone.
    """
    publication, kind = opened.publication, analysis_of(opened.publication)
    column, errors, rare = None, None, rare_values(publication, original, opened.model)
    sets = publication.transactions if isinstance(publication, Records) else None
    if original is not None:
        column, hierarchies = original.transactions, hierarchies or {}
        sets = column
    if column is not None and kind.shows_items:
        frequent = FrequentItems.of(column)
        errors = accuracy_of(frequent, *kind.expected_counts(frequent))
    facts = _of_labels((opened.attested, report), publication, after, original, hierarchies, rare)
    return replace(
        facts, summary=kind.summary(), errors=errors, sensitive=kind.sensitive_counts(opened.model.secrets),
        details=kind.details(original), sha256=opened.sha256, frequent=frequent_labels(publication),
        compared=original is not None,
        releases={} if report is None else other_releases(opened.attested, report, opened.out),
        items_per_person=() if sets is None else tuple(typical_sizes(sets)),
    )  # fmt: skip


def facts_of_release(release: Release) -> ReportFacts | None:
    """Return the facts about a new publication that need no attack. None if it is not written.

    Records that are alike are counted only in memory, because the work directory of the run no longer exists.
    """
    unverified, documents, place = release.unverified, release.documents, release.published
    if documents is None or place is None:
        return None
    table, publication, model = unverified.table, unverified.publication, release.verdict.model
    after, specs = RiskReport(publication.n, model), documents[1].settings.get("hierarchy", {})
    is_counted = isinstance(publication, Records) and not (table.ids or publication.store.in_files)
    if is_counted and (known := complete_exposure(publication, model)):
        unit = unit_of(table.persons, unverified.contradictions) if table.by_person else "row"
        after = Risk(publication.n, model, THRESHOLD, (), {}, complete={"after": known}, unit=unit)
    facts = _of_labels(documents, publication, after, table, specs)
    sets, out = table.transactions, place.out
    return replace(
        facts,
        details=analysis_of(publication).details(table),
        releases=other_releases(*documents, out) if isinstance(out, Path) else {},
        items_per_person=() if sets is None else tuple(typical_sizes(sets)),
    )


def _of_labels(
    documents: tuple[Attestation, Report | None],
    publication: Published,
    after: RiskReport,
    original: Table | None,
    hierarchies: Mapping[str, HierarchySpec] | None,
    rare: tuple[RareValues, ...] = (),
) -> ReportFacts:
    """Return the facts that follow from the documents, and from the items and values of a publication."""
    column, as_is = None if original is None else original.transactions, documents[0].declarations.published_as_is
    vanished = tuple(vanished_items(column, publication)) if isinstance(publication, Records) else ()
    shown = publication.transactions if isinstance(publication, Records) else None
    empty, before = (None if one is None else one.n - one.n_nonempty for one in (shown, column))
    sets, of_column = shown if column is None else column, dict[str, int]()
    if sets is not None and shown is not None:
        of_column = without_items(sets, getattr(documents[0].data, "items", ()))
    return ReportFacts(
        documents[0], after.model, Summary(after.records, ()), after, private=documents[1], rare=rare,
        group_names=names_of_groups(publication, original, rare),
        sensitive_items=sensitive_items(labels_of(publication)),
        personal_items=personal_items(publication, as_is or (), shown=documents[1] is not None),
        rare_leaves=rare_leaves(publication, column, hierarchies or {}), vanished=vanished,
        empty=EmptyRecords(empty or 0, before, of_column, 0 if sets is None else sets.n),
    )  # fmt: skip


def frequent_labels(publication: Published) -> dict[str, list[tuple[str, int]]]:
    """Return the published labels of each attribute, the most frequent first, with their numbers of records. Empty for
    records with items. Labels that are names, contact data or free text are left out.
    """
    if not isinstance(publication, Records) or publication.transactions is not None:
        return {}
    found = dict[str, list[tuple[str, int]]]()
    for column in (*publication.relational, *publication.kept):
        labels, counts = column.vocabulary.labels, np.asarray(column.occurrences)
        if not are_personal(column.name, labels, counts, may_differ=True):
            order = np.argsort(-counts, kind="stable").tolist()
            found[column.name] = [(labels[code], int(counts[code])) for code in order if counts[code]]
    return found


def without_items(sets: SetColumn, columns: Sequence[str]) -> dict[str, int]:
    """Return the number of records without an item of each column that is joined into `sets`, or of `sets` itself.

    >>> without_items(SetColumn.of([["drug:7"], ["drug:8", "code:x"], []]), ["drug", "code"])
    {'drug': 1, 'code': 2}
    """
    if len(columns) < 2:
        return dict.fromkeys(columns, sets.n - sets.n_nonempty)
    codes = codes_by_column(columns, sets.vocabulary.labels)
    column_of, found = np.full(len(sets.vocabulary), len(columns), np.int64), np.zeros(len(columns) + 1, np.int64)
    for position, name in enumerate(columns):
        column_of[codes.get(name, [])] = position
    for a, b in spans(sets.n):
        part = sets.slice(a, b)
        rows = np.repeat(np.arange(part.n), np.diff(part.indptr))
        pairs = np.unique(rows * len(found) + column_of[part.codes])
        found += np.bincount(pairs % len(found), minlength=len(found))
    return {name: sets.n - int(n) for name, n in zip(columns, found, strict=False)}


def source_tables(source: Source, settings: OriginalSettings) -> tuple[SourceTable, ...]:
    """Return the linked tables, those that only link others included."""
    if not isinstance(linked := source.given, LinkedTables):
        return ()
    options, tables = ReadOptions(**settings.reading_options()), list[SourceTable]()
    for table in (*linked.tables, *linked.lookups):
        published = {table.items, *chain(*table.attributes.values()), *(() if table.parent else table.key)}
        opened = open_source(table.source, table.reading(options))
        others = tuple(column_of(table.name, name) for name in opened.names if name not in published)
        rows = sum(len(batch.columns[table.key[0]]) for batch in opened.batches(table.key[:1]))
        key = listed(table.key, "with") + (f" in {table.parent}" if table.parent else "")
        tables.append(SourceTable(table.name, rows, key, table.source.sha256, others))
    return tuple(tables)


def other_releases(attested: Attestation, report: Report, out: str | Path) -> dict[str, str]:
    """Return the publications in the same folder that have the same input, the same columns of the person, or the same
    published columns, and that this publication does not continue, each with what is the same.

    A single published column is the same only if it identifies persons, because many data sets have one column of
    items.
    """
    declared, unit = attested.declarations, report.settings.get("unit")
    continued = {declared.earlier_attestation, declared.together_with}
    found, own, columns = dict[str, str](), Path(out).resolve(), attested.data.columns
    for path in sorted(own.parent.glob(f"*/{ATTESTATION}")):
        try:
            other, (public, digest) = read_report(private_of(path.parent), path.parent), read_attestation(path.parent)
        except InputError:  # incomplete or changed: another command reports it
            continue
        if path.parent == own or digest in continued:
            continue
        if other.input.get("sha256") == report.input.get("sha256") is not None:
            found[path.parent.name] = "the same input"
        elif other.settings.get("unit") == unit and declared.unit == "person":
            found[path.parent.name] = f"the same person ({listed(Unit.of(unit).columns, 'with') or 'id'})"
        elif {*public.data.columns} == {*columns} and (len(columns) > 1 or any(map(is_identifier, columns))):
            found[path.parent.name] = f"the same published columns ({listed(name_ranges(columns), 'and')})"
    return found


def public_facts(opened: OpenedPublication, report: Report | None = None) -> ReportFacts:
    """Return the facts that follow from the public files of a publication, and from the private report, if given.

    Raises
    ------
    InputError
        If a statement of the attestation does not follow from the model and the data.
    """
    require_statements(opened)
    opened = replace(opened, with_private=report is not None)
    return facts_about(opened, risk(opened), report)
