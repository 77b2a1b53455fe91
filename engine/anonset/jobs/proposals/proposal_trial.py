"""Read data with proposed roles and hierarchies for one possible unit of privacy, or collect the problems."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, fields, replace
from functools import partial
from pathlib import Path
from typing import Any

from anonset.columns.coarse_rules import coarse_rule
from anonset.columns.ids import are_values, counted_in, persons_in, rows_that_differ
from anonset.columns.kinds import kind_of_values
from anonset.columns.marks import FILLED
from anonset.columns.person_rules import (
    FEW_DIFFERING,
    last_roles,
    possible_items,
    recognized_roles,
    roles_by_behaviour,
    roles_by_person,
    with_unit,
    without_commas,
)
from anonset.columns.personal_values import KINDS_OF_VALUES
from anonset.columns.profiles import Profile, count_differing
from anonset.columns.rare_texts import are_rare_texts
from anonset.columns.roles import OF_PERSONS, SETS, ProposedRole, settings_of, tree_of
from anonset.columns.set_rules import answers_reading
from anonset.columns.spellings import spelling_problems
from anonset.data import CategoricalColumn, Table
from anonset.data.domains import lists_persons
from anonset.data.hierarchies.hierarchy_rules import PROPOSED, is_rule
from anonset.data.redacted_repr import RedactedRepr
from anonset.data.table import Column, Int64
from anonset.errors import Fix, InputError, Problem
from anonset.jobs.findings import ColumnFindings
from anonset.privacy.km import KmAnonymity
from anonset.reading.batches import OpenedSource, with_null_words, without_missing_ids
from anonset.reading.file_options import ROW, FileOptions, person_columns
from anonset.reading.options import ReadOptions
from anonset.reading.roles import names_in
from anonset.reading.sources.source import Source
from anonset.reading.table_builder import gather
from anonset.release.scan.disclosure_scan import declared
from anonset.release.scan.item_scan import ItemScan
from anonset.release.scan_findings import identifying_kind
from anonset.settings.binding import HierarchySpec, bind_columns
from anonset.settings.remedies import remedy_for
from anonset.spelling import counted, listed, setting

_NOT_READ = ("labels", "sensitive", "hierarchy", "publish_as_is")
_PROPOSED = ("one_hot", "one_code", "missing")
READING = (
    *(option.name for option in fields(FileOptions) if option.name not in _PROPOSED),
    "labels",
    "identifying_as_declared",
)
"""Declared reading settings that a proposal does not change."""


@dataclass
class Proposal(RedactedRepr):
    """Columns with roles, and the table read with them."""

    source: Source | None
    """Source of the columns. None if the source is a table."""
    columns: tuple[ColumnFindings, ...]
    settings: dict[str, Any]
    problems: list[Problem]
    table: Table | None
    rows: int
    unit: tuple[str, ...] = ()
    """Columns that identify the person. Empty if each row is a person."""
    meaning: str = ""
    """Kind of identifier in the columns of the unit, such as ``person id`` (see `PossiblePerson`)."""
    part_of: str = ""
    """Column that may identify the persons, so that the unit counts persons several times (see `PossiblePerson`)."""
    persons: int = 0
    """Number of persons, if the owner must choose the unit."""
    skipped: int = 0
    """Number of rows that are skipped, because they have no value in the columns of the unit."""
    possible_items: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Dropped columns that may contain items, by the setting that publishes them."""
    possible_roles: Mapping[str, list[str]] = field(default_factory=dict)
    """Roles derived from values only, which the owner must check. Empty if a column is recognized."""
    answers: "tuple[Proposal, ...]" = ()
    """Proposals for all possible units if the owner must choose the unit. The first proposal equals this proposal."""
    others: tuple[tuple[str, ...], ...] = ()
    """Further columns that may identify the person, without proposals."""


@dataclass
class ProposalReader:
    """Reader of the data with proposed roles. If reading fails, it records the problem and tries simpler roles."""

    source: OpenedSource
    given: Mapping[str, Any]
    proposed: Mapping[str, ProposedRole]
    profiles: list[Profile]
    loaded: Mapping[str, Any]
    k: int
    counts: dict[tuple[str, ...], tuple[int, int]]
    """For each unit: number of rows with a value in all its columns, and number of persons."""
    of_few: dict[str, ProposedRole] = field(default_factory=dict)
    """Columns that are dropped for all units tried later, because their values belonged to few persons of an earlier
    unit.
    """

    def run(self, work: Proposal, *, asked: bool) -> None:
        """Read the table for a unit, with its settings and column roles. Columns that a run would refuse to publish are
        dropped.

        Parameters
        ----------
        asked
            Whether the owner must choose the unit. The reading settings are then equal for all answers.
        """
        self._run_unrefused(work, asked=asked)
        texts = [name for name, role in self.proposed.items() if _needs_declaration(role.fixes)]
        if texts and not work.possible_roles and not any(work.settings.get(role) for role in SETS):
            work.possible_roles = {"items": texts[:1], "publish_as_is": texts[:1]}
        elif work.table is None and work.possible_roles.keys() & {"relational", "items"}:
            work.possible_roles = self._publishable(work, work.possible_roles, asked=asked)

    def _publishable(self, work: Proposal, possible: Mapping[str, list[str]], *, asked: bool) -> dict[str, list[str]]:
        """Return the possible roles without columns that a run would refuse. Items that look like free text need a
        declaration.
        """
        roles = dict(self.proposed)
        for role in ("relational", "items"):
            for name in possible.get(role, ()):
                rule = (roles[name].hierarchy or "values") if role == "relational" else PROPOSED
                roles[name] = replace(roles[name], role=role, hierarchy=rule)
        given = {**self.given, **({"differing": "first"} if "differing" in possible else {})}
        trial, other = replace(self, given=given, proposed=roles, of_few=dict(self.of_few)), replace(work, problems=[])
        trial._run_unrefused(other, asked=asked)
        found = {column.profile.name: column for column in other.columns}
        texts = [name for name in possible.get("items", ()) if _needs_declaration(found[name].fixes)]
        checked = {
            role: [name for name in possible.get(role, ()) if found[name].role == role or name in texts]
            for role in ("relational", "items")
        }
        if not any(checked.values()):
            return {}
        further = {"differing": ["first"]} if "differing" in possible else {}
        return {**{role: names for role, names in checked.items() if names}, **further} | (
            {"publish_as_is": texts} if texts else {}
        )

    def _run_unrefused(self, work: Proposal, *, asked: bool) -> None:
        problems = list(work.problems)
        self._run(work, asked=asked)
        while refused := self._refused(work):
            self.proposed = {**self.proposed, **refused}
            work.problems, work.table, work.skipped = list(problems), None, 0
            self._run(work, asked=asked)

    def _refused(self, work: Proposal) -> dict[str, ProposedRole]:
        """Return roles that drop the proposed columns that the scan of a publication would refuse."""
        table, refused = work.table, dict[str, ProposedRole]()
        if table is None:
            return {}
        if (sets := table.transactions) is not None:
            names, model = table.joined or (sets.name,), KmAnonymity(k=self.k, m=1)
            for finding in ItemScan(table, model).shown(names, sets.vocabulary.labels):
                named = finding.column.split(",")
                declared_items = Fix({"items": named, "publish_as_is": named}, "if they are not")
                fixes = (declared_items,) if finding.is_text else ()
                refused |= dict.fromkeys(named, ProposedRole("drop", finding.what, fixes=fixes))
        for column in () if table.word.identifying_as_declared else table.relational:
            if isinstance(column, CategoricalColumn) and (kind := identifying_kind(column.vocabulary.labels)):
                refused[column.name] = ProposedRole("drop", f"values look like {KINDS_OF_VALUES[kind[0]]}")
        proposed = [column for column in work.columns if column.reason != "given" and column.role != "drop"]
        return {
            column.profile.name: refused[column.profile.name]
            for column in proposed
            if column.profile.name in refused and (column.role in SETS or column.hierarchy == "values")
        }

    def _run(self, work: Proposal, *, asked: bool) -> None:
        by_name = {column.name: column for column in self.profiles}
        options = {name: self.given[name] for name in (*READING, "missing") if self.given.get(name)}
        if "missing" not in options and (ways := self._missing()):
            options["missing"] = ",".join(ways)
        buckets = are_buckets(self.given, self.proposed)
        roles = with_unit(self.proposed, work.unit, by_name, "id" if buckets else "unit")
        repeats = bool(work.unit) and not buckets and self._repeats(work.unit)
        if repeats:
            ids = {name: self.loaded[name] for name in work.unit}
            persons = persons_in(list(ids.values()))
            work.problems += map(Problem, spelling_problems(ids, persons))
            few: dict[str, int] = {}
            roles = roles_by_person(
                roles, work.unit, by_name, partial(self._differing, persons), few.__setitem__, tree_of,
                most=1.0 if self.given.get("differing") == "first" else FEW_DIFFERING,
            )  # fmt: skip
            few |= self._given_with_first_rows(roles, persons)
            if few:
                options["differing"] = "first"
                work.problems += [self._first_row(work, name, persons) for name, persons in few.items()]
        work.possible_items = possible_items(self.proposed, roles, by_name)
        possible = {} if work.possible_items else roles_by_behaviour(self.proposed, roles, by_name)
        last = {} if work.possible_items else last_roles(self.proposed, roles)
        roles = recognized_roles(without_commas(roles, by_name), by_name, self.k)
        roles |= {name: role for name, role in self.of_few.items() if _lists_values(roles[name])}
        numbers = [
            profile
            for profile in self.profiles
            if (role := roles[profile.name]).role == "relational" and role.hierarchy == "range"
        ]
        if "decimal" not in options and (decimals := [column.look.form for column in numbers if column.look.form]):
            options["decimal"] = decimals[0]
        if asked and not work.unit:
            options["unit"] = [ROW]
        plain = {
            name: replace(role, hierarchy="values") if role.hierarchy == "range" else role
            for name, role in roles.items()
        }
        plain = without_commas(plain, by_name)
        work.settings = options
        for proposed in (roles, plain) if _publish(roles) else ():
            try:
                self._read(work, proposed, options, asked=asked)
                roles = proposed
                if listing := self._dropping_lists_of_persons(work.table, proposed):
                    roles = {**proposed, **listing}
                    self._read(work, roles, options, asked=asked)
                break
            except InputError as error:
                work.problems += [] if error.problem in work.problems else [error.problem]
                if any("differing" in fix.settings for fix in error.fixes):
                    work.possible_roles = {"differing": ["first"]}
        self._conclude(work, roles, possible, last, lost=repeats)

    def _conclude(
        self,
        work: Proposal,
        roles: dict[str, ProposedRole],
        possible: Mapping[str, list[str]],
        last: Mapping[str, list[str]],
        *,
        lost: bool,
    ) -> None:
        """State the roles, and the roles that the owner may give to dropped columns.

        Parameters
        ----------
        possible, last
            Roles derived from values, and roles that remain if nothing else can be published.
        lost
            Whether columns may be dropped because they differ between rows of a person.
        """
        sets = any(role.role in SETS for role in roles.values())
        if work.table is not None and not sets:  # if there are no sets, other columns may be published
            work.possible_roles = {role: names for role, names in possible.items() if "differing" not in possible}
            for name in work.possible_roles.get("items", ()):
                items = Fix({"items": [name]}, "if its values are items")
                roles[name] = replace(roles[name], fixes=(*roles[name].fixes, items))
        if not _publish(roles):
            dropped = [name for name, role in self.proposed.items() if role.role in ("relational", "sensitive")]
            work.table, work.possible_roles = None, possible or last
            differ = f"{', '.join(map(repr, dropped))} differ between rows of the same person, and "
            differ, which = (differ, "no other column is") if lost and dropped else ("", "none is")
            problem = (
                f"no column can be published: {differ}{which} recognized as items, or as an attribute that others "
                f"know; {_dropped(work.possible_items)}name the columns to publish, by {setting('items')}, "
                f"{setting('relational')} or {setting('sensitive')}"
            )
            work.problems.append(Problem(problem, _as_items(work.possible_items)))
        elif work.possible_items:
            work.problems.append(Problem(_dropped(work.possible_items, ""), _as_items(work.possible_items)))
        work.columns = tuple(
            ColumnFindings(column, own.role, own.reason, own.hierarchy, own.fixes)
            for column, own in ((column, roles[column.name]) for column in self.profiles)
        )

    def _read(
        self, work: Proposal, roles: Mapping[str, ProposedRole], options: Mapping[str, Any], *, asked: bool
    ) -> None:
        by_name = {column.name: column for column in self.profiles}
        settings = {**settings_of(roles), **answers_reading(roles, by_name), **options}
        for option, role in (("present", "one_hot"), ("with_header", "one_code")):
            if not settings.get(role):
                settings.pop(option, None)
        settings |= self._separator(by_name, roles, grouped=asked or bool(person_columns(settings.get("unit"))))
        named = names_in(self.source.names, self.given.get("publish_as_is"))
        if as_is := [name for name in named if name in roles and roles[name].role not in ("drop", "unit")]:
            settings["publish_as_is"] = as_is
        self._skip_without_id(settings, work, asked=asked)
        work.table, work.settings = _read_with_settings(self.source, settings), settings

    def _dropping_lists_of_persons(
        self, table: Table | None, roles: Mapping[str, ProposedRole]
    ) -> dict[str, ProposedRole]:
        """Return roles that drop the quasi-identifiers without a hierarchy whose published sets of values would list
        persons.
        """
        dropped = {}
        for column in () if table is None else table.relational:
            role = roles[column.name]
            if _lists_values(role) and _lists_persons(column, self.k):
                distinct = self._distinct(column.name)
                reason = f"many of {distinct:,} distinct values belong to fewer than {self.k} persons"
                dropped[column.name] = ProposedRole("drop", f"{reason}; {setting('relational')} needs a hierarchy")
        self.of_few |= dropped
        return dropped

    def _distinct(self, name: str) -> int:
        return next(column.distinct for column in self.profiles if column.name == name)

    def _repeats(self, unit: Sequence[str]) -> bool:
        if not self._are_plain(unit):
            return False
        rows, persons = self._counted(unit)
        return persons < rows

    def _counted(self, unit: Sequence[str]) -> tuple[int, int]:
        """Return the number of rows with a value in all columns of a unit, and the number of persons. The result is
        cached.
        """
        key = tuple(unit)
        if key not in self.counts:
            self.counts[key] = counted_in([self.loaded[name] for name in unit])
        return self.counts[key]

    def _are_plain(self, names: Sequence[str]) -> bool:
        return all(name in self.loaded and are_values(self.loaded[name]) for name in names)

    def _given_with_first_rows(self, roles: Mapping[str, ProposedRole], persons: Int64) -> dict[str, int]:
        """Return the columns with a given role that are published with the value of the first row of each person, and
        for each column the number of persons whose rows differ.
        """
        if self.given.get("differing") != "first":
            return {}
        single = [n for n, role in roles.items() if role.reason == "given" and role.role in _ONE_VALUE]
        return {name: count for name in single if (count := self._differing(persons, name))}

    def _differing(self, persons: Int64, name: str) -> int:
        return count_differing(persons, self.loaded[name])

    def _first_row(self, work: Proposal, name: str, persons: int) -> Problem:
        """Return the problem that a column has different values within few persons, with the rows to check."""
        rows = rows_that_differ([self.loaded[column] for column in work.unit], self.loaded[name], _MOST_ROWS_NAMED)
        others = " and others" if len(rows) == _MOST_ROWS_NAMED else ""
        return Problem(
            f"column {name!r}: the rows of {counted(persons, 'person')} differ, so the value of the first row is used "
            f"({setting('differing', 'first')}); check row {', '.join(map(str, rows))}{others}"
        )

    def _skip_without_id(self, settings: dict[str, Any], work: Proposal, *, asked: bool) -> None:
        """Skip rows without an id if there are few of these rows, or if the owner chooses the id."""
        skipped, names = names_in((), settings.get("skip_rows")), _ids_in(settings, self.source.names)
        if not names or not self._are_plain(names):
            return
        lacking = work.rows - self._counted(names)[0]
        text = f"column {', '.join(map(repr, names))}: {counted(lacking, 'row')} without an id"
        if "no-id" in skipped:
            problem = Problem(f"{text}, skipped")
            work.problems += [problem] if lacking and problem not in work.problems and not asked else []
            return
        most = _MOST_WITHOUT_ANSWER if asked or _ids_in(self.given, self.source.names) else MOST_WITHOUT_ID
        if not 0 < lacking <= most * work.rows:
            return
        settings["skip_rows"], work.skipped = [*skipped, "no-id"], lacking
        problem = Problem(text, [Fix({"skip_rows": ["no-id"]}, "to skip and count them")])
        work.problems += [problem] if problem not in work.problems and not asked else []

    def _missing(self) -> list[str]:
        """Return the setting for nulls. Empty if the columns that are not dropped contain no null. In a column of 0 and
        1, the empty text counts as null.
        """
        read = [column for column in self.profiles if self.proposed[column.name].role != "drop"]
        if any(column.nulls or (column.null_words and self.given.get("null")) for column in read):
            return ["empty", "value"]
        by_name = {column.name: column for column in self.profiles}
        if answers_reading(self.proposed, by_name).get("present") == FILLED:
            return []
        return (
            ["empty"]
            if any(
                (column.missing and self.proposed[column.name].role == "one_hot")
                or (column.null_words and self.proposed[column.name].role == "items")
                for column in self.profiles
            )
            else []
        )

    def _separator(
        self, by_name: Mapping[str, Profile], proposed: Mapping[str, ProposedRole], *, grouped: bool
    ) -> dict[str, str]:
        """Return the item separator if the settings must contain it. If rows are grouped, a cell is a single item
        unless a separator is set.
        """
        sets = [column for name, column in by_name.items() if proposed[name].role == "items"]
        marks = {column.separator for column in sets if column.separator is not None}
        if len(marks) > 1 and "separator" not in self.given:
            pairs = [f"{column.name}={column.separator}" for column in sets if (column.separator or "").strip()]
            return {"separator": " ".join(pairs)}
        chosen = len(marks) == 1 and (grouped or marks != {" "}) and "separator" not in self.given
        return {"separator": marks.pop()} if chosen else {}


def _as_items(possible_items: Mapping[str, Sequence[str]]) -> list[Fix]:
    """Return the settings that publish dropped columns with possible items."""
    if marked := possible_items.get("one_hot"):
        return [Fix({"one_hot": list(marked)}, "if each of these columns is an item")]
    return [Fix({"items": [name]}, f"if each value of {name!r} is an item") for name in possible_items.get("items", ())]


def _dropped(possible_items: Mapping[str, Sequence[str]], end: str = "; ") -> str:
    """Return the problem that columns with possible items are dropped. Empty if there are none."""
    if marked := possible_items.get("one_hot"):
        return f"{len(marked)} columns of 0 and 1 are dropped{end}"
    names = possible_items.get("items", ())
    if not names:
        return ""
    columns = f"column {names[0]!r} is" if len(names) == 1 else f"columns {listed([*map(repr, names)])} are"
    return f"{columns} dropped, because a person may have several values{end}"


def _needs_declaration(fixes: Sequence[Fix]) -> bool:
    """Return True if the owner can publish a column only by declaring it."""
    return any("publish_as_is" in fix.settings for fix in fixes)


def are_buckets(settings: Mapping[str, Any], roles: Mapping[str, ProposedRole]) -> bool:
    """Return True if the owner links ids to a sensitive column. The ids of these buckets repeat by design."""
    return bool(settings.get("sensitive") and settings.get("id")) and not any(
        role.role == "relational" for role in roles.values()
    )


def _publish(roles: Mapping[str, ProposedRole]) -> bool:
    return any(role.role not in (*OF_PERSONS, "drop") for role in roles.values())


def _ids_in(settings: Mapping[str, Any], names: Sequence[str]) -> tuple[str, ...]:
    """Return the columns that identify the person in settings."""
    return names_in(names, settings.get("id")) or person_columns(settings.get("unit"), names)


def _read_with_settings(source: OpenedSource, settings: Mapping[str, Any]) -> Table:
    options = _options(settings)
    if options.skip_without_id:
        source = without_missing_ids(source, _ids_in(settings, source.names))
    return declared(gather(source, options, with_ids=True), settings.get("publish_as_is"))


def _options(settings: Mapping[str, Any]) -> ReadOptions:
    sensitive = settings.get("sensitive")
    name = sensitive[0] if isinstance(sensitive, list) else sensitive
    others = {name: value for name, value in settings.items() if name not in _NOT_READ}
    if name is not None and others.get("relational"):  # published classes show the sensitive column
        return ReadOptions(**{**others, "keep": [*names_in((), others.get("keep")), name]})
    return ReadOptions(**others, sensitive=name)


def try_hierarchies(work: Proposal, given: Mapping[str, HierarchySpec], opened: OpenedSource, k: int) -> None:
    """Check the given and the proposed hierarchies against the data."""
    if work.table is None:
        return
    fitting, proposed = (
        dict[str, Any](),
        {column.profile.name: column.hierarchy for column in work.columns if column.hierarchy},
    )
    sets = work.table.joined or (() if work.table.transactions is None else (work.table.transactions.name,))
    relational = [column.name for column in work.table.relational]
    wanted: dict[str, Any] = {name: given.get(name, proposed.get(name, _tree_of_wide(work.table))) for name in sets}
    wanted |= {name: given.get(name, proposed.get(name, "values")) for name in relational}
    wanted |= {name: spec for name, spec in given.items() if name not in wanted}
    with suppress(InputError):  # this check is faster than comparing all pairs of columns
        bind_columns(work.table, wanted)
        fitting = dict(wanted)
    for name, spec in () if fitting else wanted.items():
        others: dict[str, Any] = {other: PROPOSED for other in sets if name in sets and other != name} | fitting
        try:
            bind_columns(work.table, {**others, name: spec})
            fitting[name] = spec
        except InputError as error:
            if (problem := _read_with_remedy(work, opened, name, spec, others)) is not None:
                work.problems.append(problem)
                fitting[name] = spec
                continue
            work.problems.append(error.problem)
            if name in sets or name in relational:
                fitting[name] = PROPOSED if name in sets else "values"
    fitting = _coarse_enough(work.table, fitting, given, k)
    work.settings = {**work.settings, "hierarchy": fitting}
    spelled = {name: _spelled(spec) for name, spec in fitting.items()}
    work.columns = tuple(
        column
        if column.hierarchy == spelled.get(column.profile.name)
        else replace(column, hierarchy=spelled.get(column.profile.name))
        for column in work.columns
    )


def _lists_values(role: ProposedRole) -> bool:
    """Return True if a proposed quasi-identifier has no hierarchy, so that published sets would list its values."""
    return role.role == "relational" and role.hierarchy == "values" and role.reason != "given"


def _lists_persons(column: Column, k: int) -> bool:
    if not isinstance(column, CategoricalColumn) or column.vocabulary.filed is not None:
        return False
    counts = column.occurrences
    return lists_persons(counts, k, column.n) or are_rare_texts(column.vocabulary.labels, counts.tolist(), k)


def _coarse_enough(table: Table, fitting: Mapping[str, Any], given: Mapping[str, Any], k: int) -> dict[str, Any]:
    """Replace each proposed rule by a coarser rule if its published sets of leaves would list persons."""
    coarse = dict(fitting)
    for column in () if table.transactions is None else table.relational:
        rule = fitting.get(column.name)
        if is_rule(rule) and column.name not in given and isinstance(column, CategoricalColumn):
            labels, counts = column.vocabulary.labels, column.occurrences.tolist()
            if _lists_persons(column, k) and (better := coarse_rule(column.name, labels, counts, k, str(rule))):
                coarse[column.name] = better
    return coarse


def _tree_of_wide(table: Table) -> str:
    return PROPOSED if table.transactions is None else tree_of(kind_of_values(table.transactions.vocabulary.labels))


def _read_with_remedy(
    work: Proposal, opened: OpenedSource, name: str, spec: Any, others: Mapping[str, Any]
) -> Problem | None:
    """Read the data again with normalization rules that turn codes into leaves of a hierarchy. Return None unless the
    rules keep most codes.
    """
    if work.table is None:
        return None
    try:
        problem, lost = remedy_for(work.table, name, spec) or (None, 1.0)
        if problem is None or lost > _MOST_LEFT_OUT:
            return None
        changes = problem.fixes[0].settings
        rules = [*names_in((), work.settings.get("normalize")), *changes.get("normalize", ())]
        settings = {**work.settings, **changes, **({"normalize": rules} if rules else {})}
        if "null" in changes:
            opened = with_null_words(opened, changes["null"])
            settings["null"] = [*names_in((), work.settings.get("null")), *changes["null"]]
            settings["missing"] = ",".join({**dict.fromkeys(names_in((), work.settings.get("missing"))), "value": None})
        table = _read_with_settings(opened, settings)
        bind_columns(table, {**others, name: spec})
    except InputError:
        return None
    work.table, work.settings = table, settings
    return problem


_MOST_ROWS_NAMED = 5
_ONE_VALUE = ("relational", "sensitive", "keep")
MOST_WITHOUT_ID = 0.05
"""Maximum share of rows without an id, for an id column that anonset detected. Rows without an id are skipped."""
_MOST_WITHOUT_ANSWER = 0.5
"""Maximum share of rows without an id, for an id column that the owner chose. Rows without an id are skipped."""
_MOST_LEFT_OUT = 0.25
"""Maximum share of code occurrences that may be dropped because a hierarchy does not contain their codes."""


def _spelled(spec: Any) -> str | None:
    return spec if spec is None or isinstance(spec, str) else str(spec) if isinstance(spec, Path) else "given"
