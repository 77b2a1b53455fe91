"""Propose a job for tables that share a key: the key, the table of persons, and the items of each other table.

Each table is inspected as a single table is, with its key as the person. Which keys of two tables are the same is
decided by all their ids. The owner declares which key identifies the persons.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from anonset.columns.headers import is_identifier, names_codes
from anonset.columns.person_rules import likely_codes
from anonset.columns.persons import LEAST, LIKELY
from anonset.columns.roles import CODE_LEVELS, SETS, ProposedRole
from anonset.data.redacted_repr import RedactedRepr
from anonset.errors import Fix, InputError, Problem
from anonset.jobs.findings import ColumnFindings
from anonset.jobs.linked_findings import KeyOption, LinkedFindings, TableFindings
from anonset.jobs.proposals.composite_keys import composite_keys
from anonset.jobs.proposals.proposal import Proposal
from anonset.jobs.proposals.proposed_reading import proposal_for
from anonset.jobs.proposals.shared_keys import KeyColumn, SharedKey, shared_keys
from anonset.jobs.proposals.table_evidence import TableEvidence, evidence_of, read_each, tables_in_folder
from anonset.jobs.spellings import spelling_problems
from anonset.privacy.model import require_size
from anonset.reading.file_options import NONE, OPEN
from anonset.reading.linked import TABLE_OPTIONS, column_of
from anonset.reading.persons.id_hashes import new_key
from anonset.reading.sources.place import is_address
from anonset.release.documents import ATTESTATION
from anonset.settings.job import Job
from anonset.settings.parameters import SIZES
from anonset.settings.table_lines import job_with_tables
from anonset.spelling import as_typed, counted, listed, setting

_MOST_KEYS = 4
"""Maximum number of keys that are offered as the person."""
_MOST_WITHOUT_ID = 0.5
"""Maximum share of rows without an id. They are skipped."""
_OF_JOB = ("no-id", "undescribed")
"""Rows that are skipped in all tables together."""
_COMPLETE = 0.5
"""Minimum share of all ids that a table of persons contains."""
_ALLOWED = (*TABLE_OPTIONS, "unit", "k", "m")
"""Settings that apply to several tables."""


def inspect_linked(source: str, given: Job) -> LinkedFindings | None:
    """Inspect the tables of a folder or of a job file, and propose a job. Return None if the source is a single data
    set.

    Parameters
    ----------
    given
        Settings of `anonset inspect`. They replace those of the job file.

    Raises
    ------
    InputError
        If the source is a publication, a setting applies to a single table, or no table has the declared column.
    """
    if (found := _tables_at(source, given)) is None:
        return None
    from anonset.settings.commands import InspectSettings
    from anonset.settings.settings import validate

    tables, others, of_job = found
    if refused := [name for name in given if name not in _ALLOWED]:
        msg = f"{source}: several tables; set {setting(refused[0])} in the job file, in the table of the column"
        raise InputError(msg)
    settings = Job({**of_job, **given})
    sizes = validate(InspectSettings, {**settings, "input": source})
    unit = given.names("unit") or of_job.names("unit")
    return inspect_tables(source, tables, others, unit=unit, k=sizes.k, m=sizes.m, **settings.only(TABLE_OPTIONS))


def _tables_at(source: str, given: Job) -> tuple[Mapping[str, str], Mapping[str, str], Job] | None:
    """Return the path of each table of a folder or of a job, the files that are no tables with the reason, and the
    settings of the job. Return None if the source is a single data set.
    """
    path = Path(source)
    if path.is_dir():
        if (path / ATTESTATION).exists():
            raise InputError(f"{source}: is a publication; to show its risk: {as_typed('risk', source)}")
        found = tables_in_folder(path, given.only(TABLE_OPTIONS))
        return None if found is None else (*found, Job())
    job = job_with_tables(path)
    if job is None or not all("input" in one for one in job["tables"].values()):
        return None
    settings = Job({name: job[name] for name in _ALLOWED if name in job and job[name] != OPEN})
    inputs = {name: str(one["input"]) for name, one in job["tables"].items()}
    placed = {name: place if is_address(place) else str(path.parent / place) for name, place in inputs.items()}
    return placed, {}, settings


def inspect_tables(
    source: str,
    tables: Mapping[str, str],
    others: Mapping[str, str],
    *,
    unit: Sequence[str] = (),
    k: int = SIZES["k"],
    m: int = SIZES["m"],
    **options: Any,
) -> LinkedFindings:
    """Inspect tables that may share keys, and propose a job.

    Parameters
    ----------
    source
        Name of the folder or job file.
    tables
        Path of each table, by its name.
    others
        Files that are no tables, with the reason.
    unit
        Columns that identify the persons. Empty if the owner has not declared them.
    options
        Reading options of all tables.

    Raises
    ------
    InputError
        If no table has the declared column.
    """
    require_size("k", k)
    require_size("m", m)
    stated, hash_key = Job(options), new_key()
    of_tables = stated.with_(skip_rows=[name for name in stated.names("skip_rows") if name not in _OF_JOB])
    found, unread = read_each(tables, lambda name, place: evidence_of(name, place, of_tables, hash_key))
    read = [*found.values()]
    shared = shared_keys([*(key for one in read for key in one.keys), *composite_keys(read, hash_key, unit)])
    keys = _offered(shared, unit)
    left_out = {**others, **{tables[name]: why for name, why in unread.items()}}
    checks = [*(check for one in read for check in one.checks), *_same_columns(read)]
    if not keys:
        apart = {one.input: "no key in common with another table" for one in read}
        return LinkedFindings(source, (), {**left_out, **apart}, (), bool(unit), k, m, Job(), tuple(checks))
    linked = _linked_tables(read, shared, keys[0], k)
    published = _published(linked)
    findings = [one.findings() for one in published]
    without_items = [one for one in linked if one not in published]
    not_linked = {*read} - {one.evidence for one in linked}
    no_key = f"no column contains {keys[0].name!r}, or a key of a table with it"
    return LinkedFindings(
        source,
        tables=tuple(findings),
        left_out={
            **left_out,
            **{one.evidence.input: one.why_left_out() for one in without_items},
            **{one.input: no_key for one in read if one in not_linked},
        },
        keys=tuple(KeyOption(key.name, key.n_ids, key.tables) for key in keys),
        is_declared=bool(unit),
        k=k,
        m=m,
        settings=_common_settings(published, stated),
        checks=(*checks, *(check for one in linked for check in one.checks()), *_id_checks(findings, stated)),
        without_items=tuple(one.findings() for one in without_items),
    )


def _offered(shared: Sequence[SharedKey], unit: Sequence[str]) -> list[SharedKey]:
    """Return the keys that may identify the persons, or the key of the declared unit."""
    if not unit:
        likely = [key for key in shared if key.points >= (LEAST if key.is_unique else LIKELY)]
        return (likely or [key for key in shared if key.is_unique])[:_MOST_KEYS]
    declared = [key for key in shared if key.name == ",".join(unit)]
    if not declared:
        names = listed([repr(key.name) for key in shared], "or") if shared else "none"
        problem = f"no tables share a key of this name; keys of several tables: {names}"
        raise InputError(f"{setting('unit', ','.join(unit))}: {problem}")
    return declared


def _same_columns(tables: Sequence[TableEvidence]) -> list[Problem]:
    """Return a problem for tables with equal columns, which may be parts of one table."""
    names = [(tuple(column.name for column in one.profiles), one.name) for one in tables]
    groups = {columns: [name for other, name in names if other == columns] for columns, _ in names}
    same = "have the same columns; if they are parts of one table, move them to a folder of their own"
    return [
        Problem(f"tables {listed([*map(repr, group)], 'and')} {same}") for group in groups.values() if len(group) > 1
    ]


@dataclass(frozen=True, eq=False)
class _LinkedTable(RedactedRepr):
    """Table that refers to persons, with the proposal for its columns if its key is the person."""

    evidence: TableEvidence
    link: tuple[KeyColumn, ...]
    """Key of the table. If it does not identify the person, the columns of other tables by which it leads to the person
    follow. The first of them contains the key.
    """
    proposal: Proposal
    describing: KeyColumn | None = None
    """Key of the table that describes the persons, or None."""

    @property
    def key(self) -> KeyColumn:
        """Column that identifies the person or a row of another table."""
        return self.link[0]

    @property
    def describes(self) -> bool:
        """True if the table describes the persons. It then publishes attributes instead of items."""
        return self.key is self.describing

    @property
    def is_row_per_person(self) -> bool:
        """True if the table has at most one row for each person."""
        return self.key.is_unique and len(self.link) == 1

    def named(self, role: str) -> list[str]:
        """Return the columns with a role in the proposal."""
        return [column.profile.name for column in self.proposal.columns if column.role == role]

    def findings(self) -> TableFindings:
        """Return the findings about this table."""
        one, key, *parents = self.evidence, *self.link
        parent, parent_key = (parents[0].table, parents[0].name) if parents else ("", "")
        return TableFindings(
            name=one.name,
            input=one.input,
            rows=key.rows,
            key=key.name,
            parent=parent,
            parent_key=parent_key,
            ids=len(key.ids),
            lacking=key.lacking_in((*parents, self.describing or key)[0]),
            without_id=key.rows - key.given,
            columns=tuple(replace(column, proposed=self._role(column)) for column in self.proposal.columns),
            options=self._options(),
            item_answers=tuple(self.answers()),
        )

    def answers(self) -> list[Fix]:
        """Return the possible answers to the question which column contains the items, if none is proposed."""
        asked = [] if self.describes or self.named("items") else self.proposal.item_answers
        own = {names[0]: fix for fix in asked if len(names := Job(fix.settings).names(*SETS, "publish_as_is")) == 1}
        own |= {NONE: Fix({}, "if the table contains no items")} if own else {}
        return [Fix({"items": [column_of(self.evidence.name, name)]}, fix.effect) for name, fix in own.items()]

    def checks(self) -> Iterator[Problem]:
        """Yield what the owner must decide about the items."""
        name, items = self.evidence.name, self.named("items")
        if items and self.proposal.settings.get("separator") == " ":
            way = "if each cell is one item, delete the separator of the table from the job file"
            yield Problem(f"{column_of(name, items[0])}: blanks separate the items; {way}", assumed=True)
        if (table := self.proposal.table) is not None:
            compared = self.named("relational") if self.describes else items[:1]
            yield from spelling_problems(table, names={one: column_of(name, one) for one in compared})
        if items and items[0].endswith("[].code"):
            which = items[0].replace("[]", "[system=NAME]", 1)
            yield Problem(f"{column_of(name, items[0])} contains the codes of all systems; to publish one: {which}")
        if items[1:] and not self.describes:
            names = listed([repr(column_of(name, other)) for other in items[1:]], "and")
            yield Problem(f"{names}: a table publishes one column of items; name the file twice for both")

    def why_left_out(self) -> str:
        """Return the reason why this table is left out if no other table needs it."""
        if self.is_row_per_person and self.describing is not None:
            persons = self.describing.table
            return f"a row per person, as {persons}; to publish its columns, join them to {persons} first"
        names = [column.profile.name for column in self.proposal.columns]
        others = [name for name in names if name not in self.key.columns]
        return f"no column is recognized as items ({', '.join(others)})"

    def _role(self, column: ColumnFindings) -> ProposedRole:
        """Return the role of a column: the key, the published role, or dropped."""
        name, proposed = column.profile.name, column.proposed
        published = "relational" if self.describes else "items"
        if name in self.key.columns:
            return ProposedRole("key", "key")
        if proposed.role == published and name not in self.named("items")[1:]:
            reason = "cells contain sets" if column.profile.kind == "sets" else "a code per row"
            return replace(proposed, reason=reason) if proposed.is_given else proposed
        further = "items, but the table describes the persons" if self.describes else "a further column of items"
        reasons = {
            "drop": proposed.reason,
            "items": further,
            "sensitive": f"{proposed.reason}; models for sets of items do not protect it",
        }
        return ProposedRole("drop", reasons.get(proposed.role, "not the items of the table"))

    def _options(self) -> Job:
        """Return the reading options of this table that are not those of all tables."""
        one, settings = self.evidence, self.proposal.settings
        names = [name for name in TABLE_OPTIONS if name in settings and settings[name] != one.options.get(name)]
        own = Job({name: settings[name] for name in names})
        rows = [name for name in own.names("skip_rows") if name != "no-id"]
        prefix = {"key_prefix": self.key.before} if self.key.before else {}
        return Job({**prefix, **one.recognised, **own.without("skip_rows"), **({"skip_rows": rows} if rows else {})})


def _linked_tables(
    tables: Sequence[TableEvidence], shared: Sequence[SharedKey], persons: SharedKey, k: int
) -> list[_LinkedTable]:
    """Return the tables that refer to persons: by their key, or by the key of a table that refers to them. The table
    that describes the persons comes first.
    """
    linked, keys = dict[str, _LinkedTable](), defaultdict[str, list[SharedKey]](list)
    for key in shared:
        for table in key.tables:
            keys[table].append(key)
    while added := {
        one.name: _linked_table(
            one, link, {own.name for key in keys[one.name] for own in key.columns if own.table == one.name}, k
        )
        for one in tables
        if one.name not in linked and (link := _link(one.name, keys[one.name], persons, linked))
    }:
        linked |= added
    describing = _describing(linked.values(), persons)
    found = [replace(linked[one.name], describing=describing) for one in tables if one.name in linked]
    return sorted(found, key=lambda one: not one.describes)


def _link(
    name: str, keys: Sequence[SharedKey], persons: SharedKey, linked: Mapping[str, _LinkedTable]
) -> tuple[KeyColumn, ...]:
    """Return the columns by which a table with these keys refers to persons (see `_LinkedTable`), or nothing."""
    if (key := persons.of(name)) is not None:
        return (key,)
    for one in keys:
        parents = [parent for parent in one.columns if parent.table in linked and parent.is_unique]
        if parents and (key := one.of(name)) is not None:
            parent = max(parents, key=key.share_in)
            return (key, parent, *linked[parent.table].link[1:])
    return ()


def _linked_table(one: TableEvidence, link: tuple[KeyColumn, ...], keys: Collection[str], k: int) -> _LinkedTable:
    """Return a table with the proposal for its columns.

    If the table has no items and describes nobody, codes of a known system are the items. They are otherwise proposed
    as items only if persons have several, which may not be so in a small table. The only column beside the key is
    also proposed as items, unless it is an id, is one of the `keys` that tables share, or has one value per person.
    """
    declared = {**one.options, **one.recognised, "unit": list(link[0].columns)}
    table = _LinkedTable(one, link, proposal_for(one.input, declared, {}, k))
    if table.named("items") or (table.named("relational") and table.is_row_per_person):
        return table
    profiles = {column.name: column for column in one.profiles}
    codes = likely_codes([name for name, column in profiles.items() if column.kind in CODE_LEVELS], profiles)
    others = [name for name in profiles if name not in link[0].columns]
    alone = len(others) == 1 and (
        names_codes(others[0])
        or profiles[others[0]].kind == "sets"
        or not (is_identifier(others[0]) or others[0] in keys or table.is_row_per_person)
    )
    for path in codes[:1] or (others if alone else ()):
        other = proposal_for(one.input, {**declared, "items": [path]}, {}, k)
        if any(column.role == "items" and column.profile.distinct for column in other.columns):
            return replace(table, proposal=other)
    return table


def _describing(linked: Iterable[_LinkedTable], persons: SharedKey) -> KeyColumn | None:
    """Return the key of the table with a row of attributes for each person, or None."""
    keys = [one.key for one in linked if one.is_row_per_person and one.named("relational")]
    complete = [key for key in keys if len(key.ids) >= _COMPLETE * persons.n_ids]
    return max(complete, key=lambda key: len(key.ids), default=None)


def _published(linked: Sequence[_LinkedTable]) -> list[_LinkedTable]:
    """Return the table of persons, the tables with items, and the tables by which their keys lead to the person."""
    with_items = [one for one in linked if one.named("items") or one.answers()]
    parents = {parent.table for one in with_items for parent in one.link[1:]}
    return [one for one in linked if one.describes or one in with_items or one.evidence.name in parents]


def _id_checks(tables: Sequence[TableFindings], options: Job) -> Iterator[Problem]:
    """Yield what the owner must decide about ids that other tables lack, and about rows without an id."""
    described = next((table.name for table in tables if table.describes), "")
    without_id = ["no-id"] if any(table.without_id for table in tables) else []
    if not described:
        yield Problem("no table describes the persons: everybody who has an item is a record")
    for table in tables:
        if table.lacking and table.parent:
            rows = counted(table.lacking, "id")
            yield Problem(f"{table.name}: {rows} do not occur in {table.parent}; correct the data", stops=True)
        elif table.lacking:
            persons = f"{counted(table.lacking, 'person')} of {table.name} not in {described}"
            if "undescribed" in options.names("skip_rows"):
                yield Problem(f"{persons}, skipped")
            else:
                skipped = Fix({"skip_rows": [*without_id, "undescribed"]}, "to publish the others")
                yield Problem(persons, [skipped], stops=True)
        if table.without_id:
            rows = f"{table.name}: {counted(table.without_id, 'row')} without {table.key!r}"
            yield Problem(f"{rows}, skipped")


def _common_settings(tables: Sequence[_LinkedTable], options: Job) -> Job:
    """Return the settings of the job that apply to all tables: the reading options, and those of the proposals."""
    own = [one.proposal.settings for one in tables]
    keys = [one.key for one in tables]
    skip = ["no-id"] if any(0 < key.rows - key.given <= _MOST_WITHOUT_ID * key.rows for key in keys) else []
    return options.with_(
        missing=",".join(dict.fromkeys(way for one in own for way in one.names("missing"))) or options.get("missing"),
        decimal=next((one["decimal"] for one in own if "decimal" in one), options.get("decimal")),
        skip_rows=list(dict.fromkeys([*options.names("skip_rows"), *skip])),
    )
