"""Propose a job for tables that share a key: the key, the table of persons, and the items of each other table.

Each table is inspected as a single table is, with its key as the person. Which keys of two tables are the same is
decided by all their ids. The owner declares which key identifies the persons.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from anonset.columns.person_rules import likely_codes
from anonset.columns.persons import LEAST, LIKELY
from anonset.columns.roles import CODE_LEVELS, ProposedRole
from anonset.data.redacted_repr import RedactedRepr
from anonset.errors import Fix, InputError, Problem, plain_text
from anonset.jobs.findings import ColumnFindings
from anonset.jobs.linked_findings import KeyOption, LinkedFindings, TableFindings
from anonset.jobs.proposals.composite_keys import composite_keys
from anonset.jobs.proposals.proposal import Proposal
from anonset.jobs.proposals.proposed_reading import proposal_for
from anonset.jobs.proposals.shared_keys import KeyColumn, SharedKey, shared_keys
from anonset.jobs.proposals.table_evidence import TableEvidence, evidence_of, tables_in_folder, too_large_problem
from anonset.privacy.model import require_size
from anonset.reading.file_options import OPEN
from anonset.reading.linked import TABLE_OPTIONS, column_of
from anonset.reading.persons.id_hashes import new_key
from anonset.reading.roles import name_list, names_in
from anonset.reading.sources.place import is_address
from anonset.release.documents import ATTESTATION
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


def inspect_linked(source: str, given: Mapping[str, Any]) -> LinkedFindings | None:
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
    settings = {**of_job, **given}
    sizes = validate(InspectSettings, {**settings, "input": source})
    options = {name: value for name, value in settings.items() if name in TABLE_OPTIONS}
    unit = name_list(given.get("unit") or of_job.get("unit") or ())
    return inspect_tables(source, tables, others, unit=unit, k=sizes.k, m=sizes.m, **options)


def _tables_at(
    source: str, given: Mapping[str, Any]
) -> tuple[Mapping[str, str], Mapping[str, str], Mapping[str, Any]] | None:
    """Return the path of each table of a folder or of a job, the files that are no tables with the reason, and the
    settings of the job. Return None if the source is a single data set.
    """
    path = Path(source)
    if path.is_dir():
        if (path / ATTESTATION).exists():
            msg = f"{source}: is a publication; to show its risk: {as_typed('risk', source)}"
            raise InputError(msg)
        found = tables_in_folder(path, {name: value for name, value in given.items() if name in TABLE_OPTIONS})
        return None if found is None else (*found, {})
    job = job_with_tables(path)
    if job is None or not all("input" in one for one in job["tables"].values()):
        return None
    settings = {name: job[name] for name in _ALLOWED if name in job and job[name] != OPEN}
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
    skipped = names_in((), options.get("skip_rows"))
    options |= {"skip_rows": [rows for rows in skipped if rows not in _OF_JOB]} if skipped else {}
    hash_key, left_out, read = new_key(), dict(others), dict[str, TableEvidence]()
    for name, place in tables.items():
        try:
            one = evidence_of(name, place, options, hash_key)
            if one.rows:
                read[name] = one
            else:
                left_out[place] = "no rows"
        except InputError as error:
            left_out[place] = plain_text(error.problem.sentence).removeprefix(f"{place}: ")
    several = composite_keys([*read.values()], options, hash_key, unit)
    found = shared_keys([*(key for one in read.values() for key in one.keys), *several])
    offered = [key for key in found if key.points >= (LEAST if key.is_unique else LIKELY)][:_MOST_KEYS]
    if unit:
        offered = [key for key in found if name_list(key.name) == list(unit)]
        if not offered:
            names = listed([repr(key.name) for key in found], "or") if found else "none"
            problem = f"no tables share a key of this name; keys of several tables: {names}"
            msg = f"{setting('unit', ','.join(unit))}: {problem}"
            raise InputError(msg)
    checks = [Problem(too_large_problem(one)) for one in read.values() if one.too_large]
    checks += _same_columns(list(read.values()))
    if not offered:
        reason = "no key in common with another table"
        left_out |= {one.input: reason for one in read.values()}
        return LinkedFindings(source, (), left_out, (), bool(unit), k, m, {}, tuple(checks))
    work = _Work(read, found, offered[0], options, k, left_out, checks)
    proposed = work.tables()
    keys = tuple(KeyOption(key.name, key.n_ids, key.tables) for key in offered)
    settings = {**options, **work.settings(proposed)}
    if skip := list(dict.fromkeys([*skipped, *settings.get("skip_rows", ())])):
        settings["skip_rows"] = skip
    return LinkedFindings(
        source, proposed, left_out, keys, bool(unit), k, m, settings, tuple(work.checks), tuple(work.without_items)
    )


def _same_columns(tables: Sequence[TableEvidence]) -> list[Problem]:
    """Return a problem for tables with equal columns, which may be parts of one table."""
    names = [(tuple(column.name for column in one.profiles), one.name) for one in tables]
    groups = {columns: [name for other, name in names if other == columns] for columns, _ in names}
    same = "have the same columns; if they are parts of one table, move them to a folder of their own"
    return [
        Problem(f"tables {listed([*map(repr, group)], 'and')} {same}") for group in groups.values() if len(group) > 1
    ]


@dataclass(frozen=True)
class _Link(RedactedRepr):
    """How a table refers to persons."""

    key: KeyColumn
    parent: KeyColumn | None = None
    """Column of another table that contains the key."""


@dataclass
class _Work(RedactedRepr):
    """Tables for which one shared key identifies the persons."""

    read: Mapping[str, TableEvidence]
    found: Sequence[SharedKey]
    persons: SharedKey
    options: Mapping[str, Any]
    k: int
    left_out: dict[str, str]
    checks: list[Problem]

    def __post_init__(self) -> None:
        self.links = {name: _Link(own[0]) for name in self.read if (own := self.persons.of(name))}
        while found := {name: link for name in self.read if (link := self._link(name)) is not None}:
            self.links |= found
        self.links = {name: self.links[name] for name in self.read if name in self.links}
        self.proposals = dict[str, Proposal]()
        self.without_items = list[TableFindings]()

    def tables(self) -> tuple[TableFindings, ...]:
        """Return the tables of the proposal, first the table of persons."""
        described = self._described()
        made = dict[str, TableFindings]()
        for name in sorted(self.links, key=lambda name: name != described):
            made[name] = self._table(name, described)
        parents = {above for name, table in made.items() if table.named("items") for above in self._above(name)}
        for name, table in list(made.items()):
            if not (table.describes or table.named("items") or name in parents):
                self.left_out[table.input] = self._without_items(table)
                self.without_items.append(table)
                del made[name]
        for name, one in self.read.items():
            if name not in self.links:
                self.left_out[one.input] = f"no column contains {self.persons.name!r}, or a key of a table with it"
        self._check_ids(made)
        return tuple(made.values())

    def settings(self, tables: Sequence[TableFindings]) -> dict[str, Any]:
        """Return the settings of the job that apply to all tables."""
        own = [self.proposals[table.name].settings for table in tables]
        settings: dict[str, Any] = {}
        if missing := list(dict.fromkeys(way for one in own for way in names_in((), one.get("missing")))):
            settings["missing"] = ",".join(missing)
        if decimals := [one["decimal"] for one in own if "decimal" in one]:
            settings["decimal"] = decimals[0]
        lacking = [table for table in tables if 0 < table.without_id <= _MOST_WITHOUT_ID * table.rows]
        if lacking:
            settings["skip_rows"] = ["no-id"]
        return settings

    def _link(self, name: str) -> _Link | None:
        """Return how a table that is not linked yet refers to rows of a linked table, or None."""
        for key in () if name in self.links else self.found:
            parents = [parent for parent in key.columns if parent.is_unique and parent.table in self.links]
            if parents and (own := key.of(name)):
                return _Link(own[0], max(parents, key=own[0].share_in))
        return None

    def _above(self, name: str) -> Iterator[str]:
        """Yield the tables by which the key of a table leads to the person."""
        while parent := self.links[name].parent:
            yield (name := parent.table)

    def _described(self) -> str:
        """Return the table with a row of attributes for each person. Empty if there is none."""
        unique = [name for name, link in self.links.items() if link.key.is_unique and link.parent is None]
        for name in sorted(unique, key=lambda name: -len(self.links[name].key.ids)):
            complete = len(self.links[name].key.ids) >= _COMPLETE * self.persons.n_ids
            if complete and any(column.role == "relational" for column in self._proposal(name).columns):
                return name
        return ""

    def _proposal(self, name: str) -> Proposal:
        """Return the proposal for a table whose key is the person."""
        if name not in self.proposals:
            one, key = self.read[name], self.links[name].key.name
            declared = {**self.options, **one.recognised, "unit": name_list(key)}
            work = proposal_for(one.input, declared, {}, self.k)
            self.proposals[name] = self._with_items(name, declared, work)
        return self.proposals[name]

    def _with_items(self, name: str, declared: Mapping[str, Any], work: Proposal) -> Proposal:
        """Return the proposal with codes of a known system as items, if the table has no items and describes nobody.

        Codes are proposed as items only if persons have several, which may not be so in a small table. Codes in a
        nested column are read by a path.
        """
        one, link, roles = self.read[name], self.links[name], {column.role for column in work.columns}
        if "items" in roles or ("relational" in roles and link.key.is_unique and link.parent is None):
            return work
        known = [column.name for column in one.profiles if column.kind in CODE_LEVELS]
        codes = likely_codes(known, {column.name: column for column in one.profiles})
        for path in [*codes[:1], *one.paths]:
            with suppress(InputError):
                other = proposal_for(one.input, {**declared, "items": [path]}, {}, self.k)
                if any(column.role == "items" and column.profile.distinct for column in other.columns):
                    if path in one.paths:
                        which = path.replace("[]", "[system=NAME]", 1)
                        problem = f"{column_of(name, path)} contains the codes of all systems; to publish one: {which}"
                        self.checks.append(Problem(problem))
                    return _because_codes(other, path)
        return work

    def _table(self, name: str, described: str) -> TableFindings:
        one, link, work = self.read[name], self.links[name], self._proposal(name)
        role = "relational" if name == described else "items"
        published = [column.profile.name for column in work.columns if column.role == role]
        others = published[1:] if role == "items" else []
        if others:
            names = listed([repr(column_of(name, other)) for other in others], "and")
            self.checks.append(Problem(f"{names}: a table publishes one column of items; name the file twice for both"))
        columns = tuple(_with_role(column, link.key.name, role, others) for column in work.columns)
        parent = link.parent
        lacking = 0
        if parent is not None:
            lacking = link.key.lacking_in(parent)
        elif described and name != described:
            lacking = link.key.lacking_in(self.links[described].key)
        return TableFindings(
            name,
            one.input,
            one.rows,
            link.key.name,
            "" if parent is None else parent.table,
            "" if parent is None else parent.name,
            len(link.key.ids),
            lacking,
            one.rows - link.key.given,
            columns,
            {
                **({"key_prefix": link.key.before} if link.key.before else {}),
                **one.recognised,
                **_reading(work.settings, self.options),
            },
        )

    def _without_items(self, table: TableFindings) -> str:
        names = [column.profile.name for column in table.columns if column.role != "key"]
        link = self.links[table.name]
        if link.key.is_unique and link.parent is None and (described := self._described()):
            return f"a row per person, as {described}; to publish its columns, join them to {described} first"
        return f"no column is recognized as items ({', '.join(names)})"

    def _check_ids(self, made: Mapping[str, TableFindings]) -> None:
        """Add what the owner must decide about ids that other tables lack, and about rows without an id."""
        described = next((table.name for table in made.values() if table.describes), "")
        without_id = ["no-id"] if any(table.without_id for table in made.values()) else []
        if not described:
            self.checks.append(Problem("no table describes the persons: everybody who has an item is a record"))
        for table in made.values():
            if table.lacking and table.parent:
                rows = counted(table.lacking, "id")
                self.checks.append(Problem(f"{table.name}: {rows} do not occur in {table.parent}; correct the data"))
            elif table.lacking:
                persons = f"{counted(table.lacking, 'person')} of {table.name} not in {described}"
                fix = Fix({"skip_rows": [*without_id, "undescribed"]}, "to publish the others")
                self.checks.append(Problem(persons, [fix]))
            if table.without_id:
                rows = f"{table.name}: {counted(table.without_id, 'row')} without {table.key!r}"
                self.checks.append(Problem(f"{rows}, skipped"))


def _because_codes(work: Proposal, items: str) -> Proposal:
    """Return a proposal that states why a column contains the items."""
    columns = [
        replace(column, proposed=replace(column.proposed, reason="a code per row"))
        if column.profile.name == items
        else column
        for column in work.columns
    ]
    return replace(work, columns=tuple(columns))


def _with_role(column: ColumnFindings, key: str, role: str, others: Sequence[str]) -> ColumnFindings:
    """Return a column with its role in a linked table: the key, the published role, or dropped."""
    name = column.profile.name
    if name in name_list(key):
        return replace(column, proposed=ProposedRole("key", "key"))
    if column.role == role and name not in others:
        return column
    why = column.proposed.reason if column.role == "drop" else _why_dropped(column, role)
    return replace(column, proposed=ProposedRole("drop", why))


def _why_dropped(column: ColumnFindings, role: str) -> str:
    if column.role == "items":
        return "items, but the table describes the persons" if role == "relational" else "a further column of items"
    if column.role == "sensitive":
        return f"{column.proposed.reason}; models for sets of items do not protect it"
    return "not the items of the table"


def _reading(settings: Mapping[str, Any], common: Mapping[str, Any]) -> dict[str, Any]:
    """Return the reading options that a proposal adds to those of all tables."""
    own = {name: settings[name] for name in TABLE_OPTIONS if name in settings and settings[name] != common.get(name)}
    if "skip_rows" in own:
        lines = [name for name in names_in((), own.pop("skip_rows")) if name != "no-id"]
        own |= {"skip_rows": lines} if lines else {}
    return own
