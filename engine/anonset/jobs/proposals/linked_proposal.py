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
from anonset.data.array_types import UInt64
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
    hash_key = new_key()
    read, unread = _evidence(tables, options, hash_key)
    left_out = {**others, **unread}
    several = composite_keys([*read.values()], options, hash_key, unit)
    found = shared_keys([*(key for one in read.values() for key in one.keys), *several])
    offered = _offered(found, unit)
    checks = [Problem(too_large_problem(one)) for one in read.values() if one.too_large]
    checks += _same_columns(list(read.values()))
    if not offered:
        reason = "no key in common with another table"
        left_out |= {one.input: reason for one in read.values()}
        return LinkedFindings(source, (), left_out, (), bool(unit), k, m, {}, tuple(checks))
    persons = offered[0]
    linked = {
        name: _linked_table(read[name], link, options, k) for name, link in _links([*read], found, persons).items()
    }
    described = _described(linked, persons)
    order = sorted(linked, key=lambda name: name != described)
    findings = {name: _findings_of(linked[name], linked.get(described), options) for name in order}
    for name in order:
        checks += linked[name].checks
        if name != described and (further := linked[name].further_items):
            names = listed([repr(column_of(name, other)) for other in further], "and")
            checks.append(Problem(f"{names}: a table publishes one column of items; name the file twice for both"))
    parents = {above for name, table in findings.items() if table.named("items") for above in _above(name, linked)}
    published = {
        name: table for name, table in findings.items() if table.describes or table.named("items") or name in parents
    }
    without_items = [table for name, table in findings.items() if name not in published]
    left_out |= {table.input: _without_items(linked[table.name], table, described) for table in without_items}
    reason = f"no column contains {persons.name!r}, or a key of a table with it"
    left_out |= {one.input: reason for name, one in read.items() if name not in linked}
    checks += _id_checks([*published.values()])
    keys = tuple(KeyOption(key.name, key.n_ids, key.tables) for key in offered)
    settings = {**options, **_common_settings([*published.values()], linked)}
    if skip := list(dict.fromkeys([*skipped, *settings.get("skip_rows", ())])):
        settings["skip_rows"] = skip
    return LinkedFindings(
        source, tuple(published.values()), left_out, keys, bool(unit), k, m, settings, tuple(checks),
        tuple(without_items),
    )  # fmt: skip


def _evidence(
    tables: Mapping[str, str], options: Mapping[str, Any], hash_key: UInt64
) -> tuple[dict[str, TableEvidence], dict[str, str]]:
    """Return the evidence about each table, and the files of the tables that cannot be read, with the reason."""
    read, unread = dict[str, TableEvidence](), dict[str, str]()
    for name, place in tables.items():
        try:
            one = evidence_of(name, place, options, hash_key)
        except InputError as error:
            unread[place] = plain_text(error.problem.sentence).removeprefix(f"{place}: ")
        else:
            read |= {name: one} if one.rows else {}
            unread |= {} if one.rows else {place: "no rows"}
    return read, unread


def _offered(found: Sequence[SharedKey], unit: Sequence[str]) -> list[SharedKey]:
    """Return the keys that may identify the persons, or the key of the declared unit."""
    if not unit:
        return [key for key in found if key.points >= (LEAST if key.is_unique else LIKELY)][:_MOST_KEYS]
    declared = [key for key in found if name_list(key.name) == list(unit)]
    if not declared:
        names = listed([repr(key.name) for key in found], "or") if found else "none"
        problem = f"no tables share a key of this name; keys of several tables: {names}"
        msg = f"{setting('unit', ','.join(unit))}: {problem}"
        raise InputError(msg)
    return declared


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

    @property
    def may_describe(self) -> bool:
        """True if the table has at most one row for each person."""
        return self.key.is_unique and self.parent is None


@dataclass(frozen=True)
class _LinkedTable(RedactedRepr):
    """Table that refers to persons, with the proposal for its columns if its key is the person."""

    evidence: TableEvidence
    link: _Link
    proposal: Proposal
    checks: tuple[Problem, ...] = ()

    @property
    def further_items(self) -> list[str]:
        """Columns of items that are not published, because a table publishes one."""
        return [column.profile.name for column in self.proposal.columns if column.role == "items"][1:]


def _links(names: Sequence[str], found: Sequence[SharedKey], persons: SharedKey) -> dict[str, _Link]:
    """Return how each table refers to persons: by their key, or by the key of a table that refers to them."""
    links = {name: _Link(own[0]) for name in names if (own := persons.of(name))}
    while added := {name: link for name in names if name not in links and (link := _link(name, found, links))}:
        links |= added
    return {name: links[name] for name in names if name in links}


def _link(name: str, found: Sequence[SharedKey], links: Mapping[str, _Link]) -> _Link | None:
    """Return how a table refers to rows of a linked table, or None."""
    for key in found:
        parents = [parent for parent in key.columns if parent.is_unique and parent.table in links]
        if parents and (own := key.of(name)):
            return _Link(own[0], max(parents, key=own[0].share_in))
    return None


def _linked_table(one: TableEvidence, link: _Link, options: Mapping[str, Any], k: int) -> _LinkedTable:
    """Return a table with the proposal for its columns.

    If the table has no items and describes nobody, codes of a known system are the items. They are otherwise proposed
    as items only if persons have several, which may not be so in a small table. Codes in a nested column are read by a
    path.
    """
    declared = {**options, **one.recognised, "unit": name_list(link.key.name)}
    proposal = proposal_for(one.input, declared, {}, k)
    roles = {column.role for column in proposal.columns}
    if "items" in roles or ("relational" in roles and link.may_describe):
        return _LinkedTable(one, link, proposal)
    known = [column.name for column in one.profiles if column.kind in CODE_LEVELS]
    codes = likely_codes(known, {column.name: column for column in one.profiles})
    for path in [*codes[:1], *one.paths]:
        with suppress(InputError):
            other = proposal_for(one.input, {**declared, "items": [path]}, {}, k)
            if any(column.role == "items" and column.profile.distinct for column in other.columns):
                which = path.replace("[]", "[system=NAME]", 1)
                problem = f"{column_of(one.name, path)} contains the codes of all systems; to publish one: {which}"
                checks = (Problem(problem),) if path in one.paths else ()
                return _LinkedTable(one, link, _because_codes(other, path), checks)
    return _LinkedTable(one, link, proposal)


def _described(linked: Mapping[str, _LinkedTable], persons: SharedKey) -> str:
    """Return the table with a row of attributes for each person. Empty if there is none."""
    able = {
        name: len(table.link.key.ids)
        for name, table in linked.items()
        if table.link.may_describe
        and len(table.link.key.ids) >= _COMPLETE * persons.n_ids
        and any(column.role == "relational" for column in table.proposal.columns)
    }
    return max(able, key=able.__getitem__, default="")


def _above(name: str, linked: Mapping[str, _LinkedTable]) -> Iterator[str]:
    """Yield the tables by which the key of a table leads to the person."""
    while parent := linked[name].link.parent:
        yield (name := parent.table)


def _findings_of(table: _LinkedTable, described: _LinkedTable | None, options: Mapping[str, Any]) -> TableFindings:
    """Return the findings about a table, if the table `described` describes the persons."""
    one, key, parent = table.evidence, table.link.key, table.link.parent
    role, lacking = "relational" if table is described else "items", 0
    if parent is not None:
        lacking = key.lacking_in(parent)
    elif described is not None and table is not described:
        lacking = key.lacking_in(described.link.key)
    return TableFindings(
        one.name,
        one.input,
        one.rows,
        key.name,
        "" if parent is None else parent.table,
        "" if parent is None else parent.name,
        len(key.ids),
        lacking,
        one.rows - key.given,
        tuple(_with_role(column, key.name, role, table.further_items) for column in table.proposal.columns),
        {
            **({"key_prefix": key.before} if key.before else {}),
            **one.recognised,
            **_reading(table.proposal.settings, options),
        },
    )


def _without_items(table: _LinkedTable, findings: TableFindings, described: str) -> str:
    """Return the reason why a table is left out."""
    if table.link.may_describe and described:
        return f"a row per person, as {described}; to publish its columns, join them to {described} first"
    names = [column.profile.name for column in findings.columns if column.role != "key"]
    return f"no column is recognized as items ({', '.join(names)})"


def _id_checks(tables: Sequence[TableFindings]) -> list[Problem]:
    """Return what the owner must decide about ids that other tables lack, and about rows without an id."""
    described = next((table.name for table in tables if table.describes), "")
    without_id = ["no-id"] if any(table.without_id for table in tables) else []
    checks = [] if described else [Problem("no table describes the persons: everybody who has an item is a record")]
    for table in tables:
        if table.lacking and table.parent:
            rows = counted(table.lacking, "id")
            checks.append(Problem(f"{table.name}: {rows} do not occur in {table.parent}; correct the data"))
        elif table.lacking:
            persons = f"{counted(table.lacking, 'person')} of {table.name} not in {described}"
            fix = Fix({"skip_rows": [*without_id, "undescribed"]}, "to publish the others")
            checks.append(Problem(persons, [fix]))
        if table.without_id:
            rows = f"{table.name}: {counted(table.without_id, 'row')} without {table.key!r}"
            checks.append(Problem(f"{rows}, skipped"))
    return checks


def _common_settings(tables: Sequence[TableFindings], linked: Mapping[str, _LinkedTable]) -> dict[str, Any]:
    """Return the settings of the job that apply to all tables."""
    own = [linked[table.name].proposal.settings for table in tables]
    settings: dict[str, Any] = {}
    if missing := list(dict.fromkeys(way for one in own for way in name_list(one.get("missing", ())))):
        settings["missing"] = ",".join(missing)
    if decimals := [one["decimal"] for one in own if "decimal" in one]:
        settings["decimal"] = decimals[0]
    if any(0 < table.without_id <= _MOST_WITHOUT_ID * table.rows for table in tables):
        settings["skip_rows"] = ["no-id"]
    return settings


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
        lines = [name for name in name_list(own.pop("skip_rows")) if name != "no-id"]
        own |= {"skip_rows": lines} if lines else {}
    return own
