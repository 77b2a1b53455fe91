"""Facts for a report on a publication, from the attestation, the private report and the risks."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, combinations

import numpy as np

from anonset.analysis.attack import typical_sizes
from anonset.analysis.base import analysis_of
from anonset.analysis.risk import RiskReport
from anonset.analysis.summary import ColumnDetail, Summary
from anonset.attacks.registry import ALL
from anonset.columns.headers import is_sensitive
from anonset.columns.kinds import kind_of_values
from anonset.columns.personal_values import KINDS, count_names, personal_kind
from anonset.columns.roles import CODE_LEVELS
from anonset.data import NumericColumn, SetColumn, Table
from anonset.data.hierarchies.hierarchy_rules import OF_LABELS, RANGE, VALUES, is_rule
from anonset.data.joining import prefixed
from anonset.data.redacted_repr import RedactedRepr
from anonset.data.storage.store import Store
from anonset.errors import InputError
from anonset.jobs.original import original_and_persons
from anonset.jobs.risk import risk
from anonset.measures.ambiguous_items import vanished_items
from anonset.measures.countable import CountAccuracy, FrequentItems, accuracy_of
from anonset.measures.distinct_records import DistinctRecords
from anonset.measures.shares import percent
from anonset.privacy import PrivacyModel
from anonset.publications import Published, Records
from anonset.reading.batches import open_source
from anonset.reading.linked import LinkedTables, column_of
from anonset.reading.options import ReadOptions
from anonset.reading.sources.source import Source
from anonset.release.attested import require_statements
from anonset.release.documents import ATTESTATION, Attestation, Report, read_attestation, read_report
from anonset.release.opened import OpenedPublication
from anonset.release.publishing.staging import private_of
from anonset.settings.binding import HierarchySpec
from anonset.settings.publication import OriginalSettings
from anonset.spelling import listed, setting

MOST_NAMED = 8
"""Maximum number of groups or items that a doubt names."""
MOST_OF_RARE = 2
"""Maximum number of records of an item whose name may reveal persons."""


@dataclass(frozen=True)
class RareValues(RedactedRepr):
    """Values of a column of the original that fewer than k records have."""

    column: str
    distinct: int
    """Number of different values of the column."""
    occurrences: Mapping[str, int] = field(repr=False)
    """Number of records of each rare value, the rarest first."""


@dataclass(frozen=True)
class SourceTable(RedactedRepr):
    """Linked table of the original."""

    name: str
    rows: int
    sha256: str
    without_role: tuple[str, ...]
    """Columns that are not published because they have no role or link other tables."""


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
    """Rare values of each protected column. Empty if the original is not available, or if the model has no k."""
    group_names: Mapping[str, str] = field(default_factory=dict, repr=False)
    """Names of published groups that the owner wrote, each with a rare value that it contains, or an empty text
    (`names_of_groups`).
    """
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
    sensitive: Mapping[str, int | None] = field(default_factory=dict)
    """Number of published records with each published sensitive item, by item (`sensitive_counts`)."""
    details: tuple[ColumnDetail, ...] = ()
    """Detail of each column of quasi-identifiers."""
    sha256: str = ""
    """Digest of the attestation."""
    releases: tuple[str, ...] = ()
    """Other publications in the same folder that may be about the same persons. Empty if the private report is not
    available.
    """
    unlike_others: float = 0.0
    """Share of published records whose items and quasi-identifiers together no other record has. 0 without items."""
    items_per_person: tuple[int, ...] = ()
    """Median and 95th percentile of the items of a record (`typical_sizes`); without the original, of its published
    symbols.
    """
    vanished: tuple[str, ...] = ()
    """Items of the original that no published record shows (`vanished_items`)."""
    tables: tuple[SourceTable, ...] = ()
    """Linked tables of the original."""


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
    original, persons = original_and_persons(opened, source, settings, store)
    hierarchies = settings.hierarchy
    if source is None or original is None:
        return replace(public_facts(opened), private=report, releases=_other_releases(opened, report))
    kind, column = analysis_of(opened.publication), original.transactions
    after = risk(opened, original, hierarchies=hierarchies, persons=persons, attacks=[ALL])
    errors = None
    if column is not None and kind.shows_items:
        frequent = FrequentItems.of(column)
        errors = accuracy_of(frequent, *kind.expected_counts(frequent))
    sensitive = kind.sensitive_counts(opened.model.secrets)
    rare = rare_values(original, opened.model)
    return ReportFacts(
        opened.attested, opened.model, kind.summary(), after, errors, rare,
        names_of_groups(opened.publication, original, rare, hierarchies or {}), sensitive_items(opened.publication),
        personal_items(opened.publication), _rare_leaves(opened.publication, column, hierarchies or {}),
        report, sensitive,
        kind.details(original), opened.sha256, _other_releases(opened, report), _unlike_others(opened.publication),
        () if column is None else tuple(typical_sizes(column)), _vanished(column, opened.publication),
        _source_tables(source, settings),
    )  # fmt: skip


def _vanished(original: SetColumn | None, publication: Published) -> tuple[str, ...]:
    return tuple(vanished_items(original, publication)) if isinstance(publication, Records) else ()


def _source_tables(source: Source, settings: OriginalSettings) -> tuple[SourceTable, ...]:
    """Return the linked tables, those that only link others included."""
    if not isinstance(linked := source.given, LinkedTables):
        return ()
    options, tables = ReadOptions(**settings.reading_options()), list[SourceTable]()
    for table in (*linked.tables, *linked.lookups):
        published = {table.items, *chain(*table.attributes.values()), *(() if table.parent else table.key)}
        opened = open_source(table.source, table.reading(options))
        others = tuple(column_of(table.name, name) for name in opened.names if name not in published)
        rows = sum(len(batch.columns[table.key[0]]) for batch in opened.batches(table.key[:1]))
        tables.append(SourceTable(table.name, rows, table.source.sha256, others))
    return tuple(tables)


def _rare_leaves(
    publication: Published, original: SetColumn | None, hierarchies: Mapping[str, HierarchySpec]
) -> dict[str, int]:
    """Return the number of records of each rare leaf that the codebook names in a group of an own hierarchy, those that
    seem sensitive first.
    """
    if not isinstance(publication, Records) or original is None:
        return {}
    own = tuple(prefixed(name, "") for name in publication.joined if _is_own(hierarchies.get(name)))
    own = own if publication.joined else ("",) if _is_own(hierarchies.get(original.name)) else ()
    records = dict(zip(original.vocabulary.labels, original.occurrences.tolist(), strict=True))
    groups = [one.members for one in publication.symbols if one.kind == "node"]
    found = {
        leaf: n
        for leaf in dict.fromkeys(chain(*groups))
        if (n := records.get(leaf, 0)) <= MOST_OF_RARE and leaf.startswith(own) and own and _is_name(leaf)
    }
    return {leaf: found[leaf] for leaf in sorted(found, key=lambda leaf: (not is_sensitive(leaf), found[leaf]))}


def rare_values(original: Table, model: PrivacyModel) -> tuple[RareValues, ...]:
    """Return the rare values of each column that a model protects.

    >>> from anonset.privacy import KmAnonymity
    >>> found, = rare_values(Table.from_sets([{"a", "b"}, {"a"}, {"a", "c"}, {"c"}]), KmAnonymity(2, 1))
    >>> found.column, found.distinct, dict(found.occurrences)
    ('items', 3, {'b': 1})
    """
    columns = [original.transactions] if original.transactions is not None and "items" in model.protects else []
    found = []
    for column in (*columns, *(original.relational if "relational" in model.protects else ())):
        if isinstance(column, NumericColumn):
            values, counts = np.unique(np.asarray(column.values), return_counts=True)
            labels: Sequence[str] = [f"{value:g}" for value in values]
        else:
            labels, counts = column.vocabulary.labels, np.asarray(column.occurrences)
        order = [int(code) for code in np.argsort(counts, kind="stable") if 0 < counts[code] < (model.k or 0)]
        if order:
            rare = {labels[code]: int(counts[code]) for code in order}
            found.append(RareValues(column.name, int(np.count_nonzero(counts)), rare))
    return tuple(found)


def names_of_groups(
    publication: Published,
    original: Table | None = None,
    rare: Sequence[RareValues] = (),
    hierarchies: Mapping[str, HierarchySpec] | None = None,
) -> dict[str, str]:
    """Return the names of published groups that the owner wrote in a hierarchy, those that seem sensitive first, each
    with a rare value that it contains as words, or an empty text.

    Names that a rule writes, or that are the beginning of all items of the group, are left out, because they describe
    all of them. Without the original, values
    of attributes are not told from groups: then all names of item groups and the attribute labels that seem sensitive
    are returned. A name has at least 3 letters.
    """
    if not isinstance(publication, Records):
        return {}
    groups: dict[str, Sequence[str]] = {one.name: one.vocabulary.labels for one in publication.relational}
    if (items := publication.transactions) is not None:
        nodes = tuple(one.label for one in publication.symbols if one.kind == "node")
        groups |= dict.fromkeys(publication.joined or (items.name,), nodes)
    members = {one.label: one.members for one in publication.symbols}
    values = {one.column: {_words(value): value for value in one.occurrences if _is_name(value)} for one in rare}
    known = {} if original is None else {one.name: one for one in original.relational}
    sets, found = {one.label for one in publication.value_sets}, dict[str, str]()
    for column, labels in groups.items():
        is_attribute = items is None or column not in (items.name, *publication.joined)
        if hierarchies is not None and not _is_own(hierarchies.get(column)):
            continue
        before = getattr(known.get(column), "vocabulary", None)
        for label in labels:
            text = label.removeprefix(prefixed(column, "")) if column in publication.joined else label
            if (
                label in sets
                or not _is_name(text)
                or _is_beginning(label, members.get(label, ()))
                or (before is not None and label in before.index)
            ):
                continue
            if hierarchies is None and is_attribute and not is_sensitive(label):
                continue
            words, rarest = _words(label), values.get(column, {})
            parts = (words[a:b] for a, b in combinations(range(len(words) + 1), 2))
            found[label] = next((rarest[part] for part in parts if part in rarest), "")
    return {name: found[name] for name in sorted(found, key=lambda name: (not found[name], not is_sensitive(name)))}


def _is_own(spec: HierarchySpec | None) -> bool:
    """Return True if the owner wrote the names of the groups of a hierarchy."""
    by_program = isinstance(spec, str) and (spec in (RANGE, VALUES) or spec.startswith(OF_LABELS))
    return not (spec is None or is_rule(spec) or by_program)


def _is_beginning(label: str, members: Sequence[str]) -> bool:
    """Return True if the name of a group is the beginning of all its items, and thus reveals nothing more."""
    begin = label.rstrip("*")
    return begin != label and bool(members) and all(one.startswith(begin) for one in members)


def _is_name(text: str) -> bool:
    return text[:1] not in ("(", "[") and len(re.sub(r"[\W\d_]", "", text)) > 2


def sensitive_items(publication: Published) -> dict[str, str]:
    """Return what the items are by column, for published items that are codes of diagnoses or drugs, or have sensitive
    names such as columns of 0 and 1.
    """
    found = {}
    for name, labels in _labels_of(publication).items():
        if (kind := kind_of_values(labels)) in CODE_LEVELS:
            found[name] = f"look like {kind}"
        elif sensitive := [repr(one) for one in labels if is_sensitive(one)]:
            found[name] = f"seem sensitive ({listed(sensitive, 'and', MOST_NAMED)})"
    return found


def personal_items(publication: Published) -> dict[str, str]:
    """Return the kind, number and share of the published items that name or reach persons, by column."""
    found = {}
    for name, labels in _labels_of(publication).items():
        kind, n = personal_kind(labels) or ("name", 0)
        if n := count_names(labels) if kind == "name" else n:
            found[name] = f"{n:,} of the {len(labels):,} items ({percent(n / len(labels))}) are {KINDS[kind].words}"
    return found


def _labels_of(publication: Published) -> dict[str, list[str]]:
    """Return the items that the codebook names, by column. Empty without items."""
    if not isinstance(publication, Records) or publication.transactions is None:
        return {}
    members = dict.fromkeys(name for symbol in publication.symbols for name in symbol.members)
    marks = {name: prefixed(name, "") for name in publication.joined} or {publication.transactions.name: ""}
    return {name: [one.removeprefix(mark) for one in members if one.startswith(mark)] for name, mark in marks.items()}


def _words(text: str) -> tuple[str, ...]:
    return tuple(re.findall(r"\w+", text.casefold()))


def _other_releases(opened: OpenedPublication, report: Report) -> tuple[str, ...]:
    """Return the publications in the same folder that have the same input or the same columns of the person, and that
    this publication does not continue.
    """
    declared, unit = opened.attested.declarations, report.settings.get("unit")
    continued = {declared.earlier_attestation, declared.together_with}
    names, own = [], opened.out.resolve()
    for path in sorted(own.parent.glob(f"*/{ATTESTATION}")):
        try:
            other, digest = read_report(private_of(path.parent), path.parent), read_attestation(path.parent)[1]
        except InputError:  # incomplete or changed: another command reports it
            continue
        if path.parent == own or digest in continued:
            continue
        same_input = other.input.get("sha256") == report.input.get("sha256") is not None
        if same_input or (other.settings.get("unit") == unit and opened.attested.declarations.unit == "person"):
            names.append(path.parent.name)
    return tuple(names)


def public_facts(opened: OpenedPublication) -> ReportFacts:
    """Return the facts that follow from the public files of a publication alone.

    Raises
    ------
    InputError
        If a statement of the attestation does not follow from the model and the data.
    """
    require_statements(opened)
    kind = analysis_of(opened.publication)
    return ReportFacts(
        opened.attested, opened.model, kind.summary(), risk(opened),
        group_names=names_of_groups(opened.publication), sensitive_items=sensitive_items(opened.publication),
        personal_items=personal_items(opened.publication),
        sensitive=kind.sensitive_counts(opened.model.secrets), details=kind.details(None),
        unlike_others=_unlike_others(opened.publication), sha256=opened.sha256,
        items_per_person=_symbols_per_record(opened.publication),
    )  # fmt: skip


def _symbols_per_record(publication: Published) -> tuple[int, ...]:
    sets = publication.transactions if isinstance(publication, Records) else None
    return () if sets is None else tuple(typical_sizes(sets))


def _unlike_others(publication: Published) -> float:
    if not isinstance(publication, Records) or publication.transactions is None:
        return 0.0
    with publication.store.nested() as scratch:
        values = [column.codes for column in publication.relational]
        weight = DistinctRecords.of(publication.transactions, values, scratch).weight
        return float(np.count_nonzero(weight == 1)) / max(1, publication.n)
