"""Read data with proposed roles for one possible unit of privacy, or collect the problems."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import partial
from typing import Any

from anonset.columns.ids import are_values, counted_in, persons_in, rows_that_differ
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
from anonset.columns.roles import OF_PERSONS, SETS, ProposedRole, settings_of, tree_of
from anonset.columns.set_rules import answers_reading, reading_by_words
from anonset.columns.spellings import spelling_problems
from anonset.data import CategoricalColumn, Table
from anonset.data.array_types import Int64
from anonset.data.hierarchies.hierarchy_rules import PROPOSED, RANGE, VALUES
from anonset.errors import Fix, InputError, Problem
from anonset.jobs.findings import ColumnFindings
from anonset.jobs.proposals.hierarchy_trial import sets_list_persons
from anonset.jobs.proposals.proposal import Proposal, ids_in, read_with_settings
from anonset.privacy.km import KmAnonymity
from anonset.reading.batches import OpenedSource
from anonset.reading.file_options import ROW, FileOptions, person_columns
from anonset.reading.roles import names_in
from anonset.release.scan.item_scan import ItemScan
from anonset.release.scan_findings import identifying_kind
from anonset.spelling import counted, listed, setting

_PROPOSED = ("one_hot", "one_code", "missing")
READING = (
    *(option.name for option in fields(FileOptions) if option.name not in _PROPOSED),
    "labels",
    "identifying_as_declared",
)
"""Declared reading settings that a proposal does not change."""


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
                rule = (roles[name].hierarchy or VALUES) if role == "relational" else PROPOSED
                roles[name] = replace(roles[name], role=role, hierarchy=rule)
        given = {**self.given, **({"differing": "first"} if "differing" in possible else {})}
        trial, other = replace(self, given=given, proposed=roles, of_few=dict(self.of_few)), replace(work, problems=[])
        trial._run_unrefused(other, asked=asked)
        found = {column.profile.name: column.proposed for column in other.columns}
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
            names, model = table.item_columns, KmAnonymity(k=self.k, m=1)
            for finding in ItemScan(table, model).shown(names, sets.vocabulary.labels):
                named = finding.column.split(",")
                declared_items = Fix({"items": named, "publish_as_is": named}, "if they are not")
                fixes = (declared_items,) if finding.is_text else ()
                refused |= dict.fromkeys(named, ProposedRole("drop", finding.what, fixes=fixes))
        for column in () if table.word.identifying_as_declared else table.relational:
            if isinstance(column, CategoricalColumn) and (kind := identifying_kind(column.vocabulary.labels)):
                refused[column.name] = ProposedRole("drop", f"values look like {KINDS_OF_VALUES[kind[0]]}")
        proposed = [column for column in work.columns if not column.proposed.is_given and column.role != "drop"]
        return {
            column.profile.name: refused[column.profile.name]
            for column in proposed
            if column.profile.name in refused and (column.role in SETS or column.hierarchy == VALUES)
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
            if (role := roles[profile.name]).role == "relational" and role.hierarchy == RANGE
        ]
        if "decimal" not in options and (decimals := [column.look.form for column in numbers if column.look.form]):
            options["decimal"] = decimals[0]
        if asked and not work.unit:
            options["unit"] = [ROW]
        plain = {
            name: replace(role, hierarchy=VALUES) if role.hierarchy == RANGE else role for name, role in roles.items()
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
                work.obstacle = error.problem
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
            work.obstacle = Problem(problem, _as_items(work.possible_items))
            work.problems.append(work.obstacle)
        elif work.possible_items:
            work.problems.append(Problem(_dropped(work.possible_items, ""), _as_items(work.possible_items)))
        work.columns = tuple(
            ColumnFindings(column, replace(own, fixes=(*own.fixes, *reading_by_words(column, own))))
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
        work.table, work.settings = read_with_settings(self.source, settings), settings

    def _dropping_lists_of_persons(
        self, table: Table | None, roles: Mapping[str, ProposedRole]
    ) -> dict[str, ProposedRole]:
        """Return roles that drop the quasi-identifiers without a hierarchy whose published sets of values would list
        persons.
        """
        dropped = {}
        for column in () if table is None else table.relational:
            role = roles[column.name]
            if _lists_values(role) and sets_list_persons(column, self.k):
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
        single = [n for n, role in roles.items() if role.is_given and role.role in _ONE_VALUE]
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
        skipped, names = names_in((), settings.get("skip_rows")), ids_in(settings, self.source.names)
        if not names or not self._are_plain(names):
            return
        lacking = work.rows - self._counted(names)[0]
        text = f"column {', '.join(map(repr, names))}: {counted(lacking, 'row')} without an id"
        if "no-id" in skipped:
            problem = Problem(f"{text}, skipped")
            work.problems += [problem] if lacking and problem not in work.problems and not asked else []
            return
        most = _MOST_WITHOUT_ANSWER if asked or ids_in(self.given, self.source.names) else MOST_WITHOUT_ID
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


def _lists_values(role: ProposedRole) -> bool:
    """Return True if a proposed quasi-identifier has no hierarchy, so that published sets would list its values."""
    return role.role == "relational" and role.hierarchy == VALUES and not role.is_given


_MOST_ROWS_NAMED = 5
_ONE_VALUE = ("relational", "sensitive", "keep")
MOST_WITHOUT_ID = 0.05
"""Maximum share of rows without an id, for an id column that anonset detected. Rows without an id are skipped."""
_MOST_WITHOUT_ANSWER = 0.5
"""Maximum share of rows without an id, for an id column that the owner chose. Rows without an id are skipped."""
