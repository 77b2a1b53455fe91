"""Read data with proposed roles for one possible unit of privacy, or collect the problems."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from itertools import chain
from types import MappingProxyType

import numpy as np

from anonset import arrow
from anonset.columns.headers import is_identifier, names_codes, names_items
from anonset.columns.id_findings import ids_above, without_rows
from anonset.columns.ids import are_values, counted_in, holds_sets, persons_in, rows_that_differ
from anonset.columns.marks import FILLED
from anonset.columns.person_rules import (
    FEW_DIFFERING,
    item_candidates,
    last_roles,
    marked_columns,
    may_be_items,
    numbered_like,
    numbers_agents,
    possible_items,
    recognized_roles,
    roles_by_behaviour,
    roles_by_person,
    with_unit,
    without_commas,
)
from anonset.columns.personal_values import KINDS, are_words_of_texts, personal_kind
from anonset.columns.profiles import Profile, count_differing
from anonset.columns.roles import OF_PERSONS, SETS, UNRECOGNIZED, ProposedRole, settings_of, tree_of
from anonset.columns.set_rules import answers_reading, further_marks, pair_problems, reading_by_words
from anonset.data import CategoricalColumn, Table
from anonset.data.hierarchies.hierarchy_rules import RANGE, VALUES
from anonset.data.redacted_repr import RedactedRepr
from anonset.data.table import Column
from anonset.errors import Fix, InputError, Problem
from anonset.jobs.findings import ColumnFindings
from anonset.jobs.proposals.hierarchy_trial import sets_list_persons
from anonset.jobs.proposals.proposal import AllColumns, Proposal, distinct_texts, read_with_settings
from anonset.jobs.proposals.value_problems import bound_in, no_item_problems
from anonset.privacy.km import KmAnonymity
from anonset.reading.file_options import NONE, OPEN, ROW, FileOptions, Unit
from anonset.release.scan.item_scan import ItemScan
from anonset.settings.column_rules import OPTIONS_OF_ROLES
from anonset.settings.job import Job
from anonset.spelling import counted, listed, setting

ProposedRoles = Mapping[str, ProposedRole]
"""Roles by column name."""
_PROPOSED = ("one_hot", "one_code", "missing")
MAY_IDENTIFY = ProposedRole("drop", "may identify the person")
"""Role of columns that identify persons more probably than those of the unit. They are not offered as items."""
READING = (
    *(option.name for option in fields(FileOptions) if option.name not in _PROPOSED),
    "labels",
)
"""Declared reading settings that a proposal does not change."""


@dataclass(frozen=True)
class UnitReader(RedactedRepr):
    """Reader of a data set with proposed roles, for one possible unit of privacy."""

    data: AllColumns
    profiles: Mapping[str, Profile]
    """Profiles by column name, in data order."""
    k: int
    counts: dict[tuple[str, ...], tuple[int, int]]
    """Cache. For columns that identify persons: number of rows with a value in all of them, and number of persons."""
    keys: frozenset[str] = frozenset()
    """Columns that identify persons for one of the possible units. They are not published."""
    wide: tuple[Fix, ...] = ()
    """Settings that read columns which may be persons as items."""
    person: tuple[str, ...] = ()
    """Columns that identify the person. Empty if each row is a person."""
    is_open: bool = False
    """True if the owner must choose the unit. The reading settings are then equal for all units."""
    rejected: frozenset[str] = frozenset()
    """Columns that a run would reject."""
    continued: Problem | None = None
    """Problem that rows without an id continue other rows. None if there are no such rows."""

    @property
    def rows(self) -> int:
        """Number of rows of the data."""
        return next((profile.records for profile in self.profiles.values()), 0)

    def proposal(self, roles: ProposedRoles, problems: Sequence[Problem]) -> tuple[Proposal, ProposedRoles]:
        """Read the data with proposed roles. Drop the columns that a run would reject, and read again.

        Returns the proposal for the unit, and the roles without the rejected columns.

        Parameters
        ----------
        roles
            Roles before the rows of each person are merged.
        problems
            Problems that are independent of the unit.
        """
        reader = self._with_ids_above()
        proposal = reader._read(roles, problems)
        while rejected := self._rejected(proposal):
            roles = {**roles, **rejected}
            reader = replace(reader, rejected=reader.rejected | rejected.keys())
            proposal = reader._read(roles, problems)
        texts = [name for name, role in roles.items() if any("publish_as_is" in fix.settings for fix in role.fixes)]
        possible = proposal.possible_roles
        if known := possible.get("relational"):
            shown = [name for name in known if not personal_kind(distinct_texts(self.data.columns[name]))]
            possible = {**possible, "relational": shown} if shown else {}
        if texts and not possible and not any(proposal.settings.get(role) for role in SETS):
            possible = {"items": texts[:1], "publish_as_is": texts[:1]}
        elif proposal.table is None and (
            texts := [*filter(self._is_text, possible.get("items", possible.get("one_code", [])))]
        ):
            possible = {**possible, "publish_as_is": texts}
        columns = [  # what may be the items is published only if the owner chooses it
            replace(one, proposed=replace(one.proposed, role="drop"))
            if one.role in SETS and one.proposed.differs > 0
            else one
            for one in proposal.columns
        ]
        return replace(proposal, possible_roles=possible, columns=tuple(columns)), roles

    def _is_text(self, name: str) -> bool:
        """Return True if the values of a column are words of texts, so that the owner must declare items."""
        column = self.data.columns[name]
        return not holds_sets(column) and are_words_of_texts(distinct_texts(column))

    def _rejected(self, proposal: Proposal) -> dict[str, ProposedRole]:
        """Return roles that drop the proposed columns that a run would reject: identifying values, free text, and
        quasi-identifiers without a hierarchy whose published sets of values would list persons.
        """
        table, rejected = proposal.table, dict[str, ProposedRole]()
        proposed = [column for column in proposal.columns if not column.proposed.is_given]
        sets = {column.profile.name for column in proposed if column.role in SETS}
        lists = {
            column.profile.name for column in proposed if column.role == "relational" and column.hierarchy == VALUES
        }
        if table is None:
            return {}
        if sets and table.transactions is not None:
            labels, scan = table.transactions.vocabulary.labels, ItemScan(table, KmAnonymity(k=self.k, m=1))
            for finding in scan.shown(table.item_columns, labels):
                named = finding.column.split(",")
                declared_items = Fix({"items": named, "publish_as_is": named}, "if they are not")
                fixes = (declared_items,) if finding.is_text or all(map(self._are_shared_keys, named)) else ()
                rejected |= dict.fromkeys(sets.intersection(named), ProposedRole("drop", finding.what, fixes=fixes))
        for column in table.relational:
            if column.name in lists and (reason := self._reason_to_reject(column, table)):
                rejected[column.name] = ProposedRole("drop", reason)
        return rejected

    def _are_shared_keys(self, name: str) -> bool:
        """Return True if many persons share each key of a column, whose header names no ids. False for the name of a
        set that several columns form.
        """
        profile, is_id = self.profiles.get(name), is_identifier(name)
        return profile is not None and profile.keys and not is_id and bool(self.person) and self._recurs(name)

    def _reason_to_reject(self, column: Column, table: Table) -> str:
        """Return the reason why a run would reject a quasi-identifier without a hierarchy. Empty if there is none."""
        if sets_list_persons(column, self.k):
            distinct = f"{self.profiles[column.name].distinct:,} distinct values"
            few = f"many of {distinct} belong to fewer than {self.k} persons"
            return f"{few}; {setting('relational')} needs a hierarchy"
        if column.name in table.statements.publish_as_is or not isinstance(column, CategoricalColumn):
            return ""
        kind = personal_kind(column.vocabulary.labels)
        return f"values look like {KINDS[kind[0]].words}" if kind else ""

    def _read(self, roles: ProposedRoles, problems: Sequence[Problem]) -> Proposal:
        """Merge the roles of the rows of a person, and read the table with them. Problems are recorded."""
        roles = {**roles, **self._without_information(roles)}
        merged, first_rows, more = self._merged(roles)
        published = recognized_roles(without_commas(merged, self.profiles), self.profiles, self.k, self.keys)
        is_known = self.data.columns.keys() >= {*self.person}
        is_empty = is_known and all(role.role in (*OF_PERSONS, "drop") for role in published.values())
        for names in self._item_series(merged)[:1] if is_empty else ():
            tree, role = tree_of(self.profiles[names[0]].kind), next(iter(self._read_together(names)))
            published |= {name: replace(merged[name], role=role, hierarchy=tree, differs=1.0) for name in names}
        settings = self._reading(roles, published, first_rows=first_rows)
        proposal = Proposal(
            self.data.source, self.rows, self.person, settings=settings, problems=(*problems, *more),
            possible_items=possible_items(roles, merged, self.profiles),
        )  # fmt: skip
        if not is_known:  # reading names the missing column
            proposal, as_read = self._with_table(proposal, published)
            return replace(proposal, columns=self._columns(as_read))
        if all(role.role in (*OF_PERSONS, "drop") for role in published.values()):
            return self._unpublished(proposal, roles, merged, published)
        proposal, as_read = self._with_table(proposal, published)
        return self._concluded(proposal, roles, merged, as_read)

    def _merged(self, roles: ProposedRoles) -> tuple[ProposedRoles, bool, list[Problem]]:
        """Return the roles after the rows of each person are merged, True if a column is published with the value of
        the first row, and the problems of the ids and of these columns.
        """
        buckets = are_buckets(self.data.declared, roles)
        merged = with_unit(roles, self.person, self.profiles, "id" if buckets else "unit")
        if not self._repeats(roles):
            return merged, False, []
        ids = {name: self.data.columns[name] for name in self.person}
        persons = persons_in(list(ids.values()))

        def differing(name: str) -> int:
            return count_differing(persons, self.data.columns[name])

        given = [name for name in self.data.columns if merged[name].is_given and merged[name].role in _ONE_VALUE]
        differ = {name: count for name in given if (count := differing(name))}
        use_first = self.data.declared.get("differing") == "first" or (self.is_open and bool(differ))
        most = 1.0 if use_first else FEW_DIFFERING
        repeated = int((np.bincount(persons[persons >= 0]) > 1).sum())
        merged, first_rows = roles_by_person(
            merged, self.person, self.profiles, differing, repeated=repeated, most=most
        )
        first_rows |= differ if use_first else {}
        return merged, bool(first_rows), [self._first_row(name, count) for name, count in first_rows.items()]

    def _without_information(self, roles: ProposedRoles) -> ProposedRoles:
        """Return roles that drop unrecognized columns: the ids of cases, such as receipts, if nearly no value belongs
        to another person, and names of fields, if nearly every person has each of them.
        """
        if not self._repeats(roles):
            return {}
        most = self._counted(self.person)[1]
        unknown = [n for n, own in roles.items() if own.role == UNRECOGNIZED and self._are_plain([n])]
        plain = [n for n in unknown if self.profiles[n].kind not in _MEASURED]
        many = [n for n in plain if self.profiles[n].distinct > most]
        cases = [n for n in many if self._pairs(n) <= _OF_ONE_PERSON * self.profiles[n].distinct]
        case = ProposedRole("drop", "nearly every value belongs to one person")
        return dict.fromkeys(cases, case) | {
            n: ProposedRole("drop", _FIELDS, fixes=(Fix({"items": [n]}, "if each value is an item"),))
            for n in filter(self._name_fields, plain)
        }

    def _repeats(self, roles: ProposedRoles) -> bool:
        """Return True if a person may have several rows that are merged into one record."""
        if not self.person or are_buckets(self.data.declared, roles) or not self._are_plain(self.person):
            return False
        rows, persons = self._counted(self.person)
        return persons < rows

    def _reading(self, roles: ProposedRoles, published: ProposedRoles, *, first_rows: bool) -> Job:
        """Return the reading settings that are independent of the table."""
        settings = {name: self.data.declared[name] for name in (*READING, "missing") if self.data.declared.get(name)}
        settings.setdefault("missing", ",".join(self._missing(roles)))
        if first_rows:
            settings["differing"] = "first"
        numbers = {name for name, role in published.items() if role.role == "relational" and role.hierarchy == RANGE}
        decimals = [form for name, one in self.profiles.items() if name in numbers and (form := one.form)]
        if "decimal" not in settings and decimals:
            settings["decimal"] = decimals[0]
        if self.is_open and not self.person:
            settings["unit"] = [ROW]
            if "no-id" in (kinds := self.data.declared.names("skip_rows")):  # rows have no ids
                settings["skip_rows"] = [kind for kind in kinds if kind != "no-id"]
        return Job().with_(**settings)

    def _with_table(self, proposal: Proposal, roles: ProposedRoles) -> tuple[Proposal, ProposedRoles]:
        """Return the proposal with the table, and the roles with which it was read. If numbers cannot be read, they are
        read as text. If no record can be read, the proposal has the obstacle.
        """
        as_text = {
            name: replace(role, hierarchy=VALUES) if role.hierarchy == RANGE else role for name, role in roles.items()
        }
        as_text = without_commas(as_text, self.profiles)
        for tried in (roles, as_text) if as_text != roles else (roles,):
            settings, skipped, problems = self._complete(tried, proposal.settings)
            proposal = replace(_with_problems(proposal, *problems), skipped=skipped)
            try:
                table = read_with_settings(self.data.loaded, settings)
            except InputError as error:
                problem = replace(error.problem, stops=bool(self.data.declared.get("numeric")))
                proposal = replace(_with_problems(proposal, problem), obstacle=problem)
                if any("differing" in fix.settings for fix in error.fixes):
                    proposal = replace(proposal, possible_roles={"differing": ["first"]})
            else:
                return replace(proposal, table=table, settings=settings), tried
        return proposal, roles

    def _complete(self, roles: ProposedRoles, reading: Job) -> tuple[Job, int, list[Problem]]:
        """Return the settings that read a table, the number of rows that they skip, and the problems of these rows."""
        settings = Job({**settings_of(roles), **answers_reading(roles, self.profiles), **reading})
        settings = settings.without(*(option for option, role in OPTIONS_OF_ROLES.items() if not settings.get(role)))
        separator = self._separator(roles, grouped=self.is_open or bool(Unit(settings.names("unit")).columns))
        named = [name for name in self.data.declared.names("publish_as_is") if name in roles]
        as_is = [name for name in named if roles[name].role not in ("drop", "unit")]
        skipping, skipped, problems = self._skipping()
        return settings.with_(**separator, publish_as_is=as_is, **skipping), skipped, problems

    def _skipping(self) -> tuple[Job, int, list[Problem]]:
        """Return the setting that skips rows without an id, if there are not too many, with the number of these rows
        and the problem.
        """
        stated = self.data.declared.names("skip_rows")
        ids = tuple(self.data.declared.names("id")) or self.person
        lacking = self.rows - self._counted(ids)[0] if ids and self._are_plain(ids) else 0
        if self.continued is not None:
            return Job(), lacking, [self.continued]
        if not 0 < lacking <= (self.rows if "no-id" in stated else _MOST_WITHOUT_ID * self.rows):
            return Job(), 0, []
        text = f"column {', '.join(map(repr, ids))}: {counted(lacking, 'row')} without an id"
        if "no-id" in stated:
            return Job(), lacking, [] if self.is_open else [Problem(f"{text}, skipped")]
        problem = Problem(text, [without_rows(lacking)])
        return Job({"skip_rows": [*stated, "no-id"]}), lacking, [] if self.is_open else [problem]

    def _with_ids_above(self) -> "UnitReader":
        """Return a reader that reads the ids of rows without one, if they are those of the rows above."""
        skips = "no-id" in self.data.declared.names("skip_rows")
        found = None if skips else ids_above(self.data.columns, self.person)
        if found is None:
            return self
        problem, rows = found
        if not problem.fixes:
            return replace(self, continued=problem)
        read = {name: arrow.chosen(self.data.columns[name], rows) for name in self.person}
        data = replace(self.data, columns={**self.data.columns, **read})
        return replace(self, data=data, counts={}, continued=problem)

    def _unpublished(
        self, proposal: Proposal, roles: ProposedRoles, merged: ProposedRoles, published: ProposedRoles
    ) -> Proposal:
        """Return the proposal if no column can be published, with the roles that the owner may give to columns."""
        items = proposal.possible_items
        known = [name for name, role in roles.items() if role.role in ("relational", "sensitive")]
        differ, which = "", "none is"
        if known and self._repeats(roles):
            differ = f"{', '.join(map(repr, known))} differ between rows of the same person, and "
            which = "no other column is"
        problem = (
            f"no column can be published: {differ}{which} recognized as items, or as an attribute that others "
            f"know; name the columns to publish, by {setting('items')}, "
            f"{setting('relational')} or {setting('sensitive')}"
        )
        for name in [n for n, own in merged.items() if own.differs and self.profiles[n].kind == "numbers"][:1]:
            problem += f"; {name!r} and the like: write one number for each person, such as the mean"
        obstacle = Problem(problem, self._as_items(merged, items.get("one_hot", ()))[0])
        possible = {} if items else roles_by_behaviour(roles, merged, self.profiles)
        possible = possible or ({} if items else last_roles(roles, merged) or last_roles(roles, published))
        if "items" in possible:
            others = {role: names for role, names in possible.items() if role != "items"}
            possible = {**others, **self._read_together(self._series(possible["items"][0], merged))}
        proposal = replace(_with_problems(proposal, obstacle), obstacle=obstacle, possible_roles=possible)
        return replace(proposal, columns=self._columns(published))

    def _concluded(
        self, proposal: Proposal, roles: ProposedRoles, merged: ProposedRoles, published: ProposedRoles
    ) -> Proposal:
        """Return the proposal with the roles that the owner may give to dropped columns, and with its columns."""
        items = proposal.possible_items
        proposal = self._which_items(proposal, merged, published, marked_columns(roles, self.profiles))
        sets = [one for name, one in self.profiles.items() if name in published and published[name].role in SETS]
        proposal = _with_problems(proposal, *no_item_problems(sets))
        if proposal.table is not None and not any(role.role in SETS for role in published.values()):
            possible = {} if items else roles_by_behaviour(roles, merged, self.profiles)
            possible = {} if "differing" in possible else possible
            for name in possible.get("items", ()):
                fix = Fix({"items": [name]}, "if its values are items")
                published = {**published, name: replace(published[name], fixes=(*published[name].fixes, fix))}
            proposal = replace(proposal, possible_roles=possible)
        return replace(proposal, columns=self._columns(published))

    def _which_items(
        self, proposal: Proposal, merged: ProposedRoles, published: ProposedRoles, marked: Sequence[str]
    ) -> Proposal:
        """Return the proposal with the question which columns contain the items, if others than the proposed ones may
        contain them, or if the proposed ones are only candidates.
        """
        sets = {role: [name for name, own in published.items() if own.role == role] for role in SETS}
        chosen = [name for names in sets.values() for name in names if merged[name].role in SETS]
        is_declared = any(published[name].is_given for name in chosen) or bool(self.data.declared.get("sensitive"))
        marked = () if sets["one_hot"] else marked
        nested = [fix for n, one in self.profiles.items() if not merged[n].is_given for fix in one.fixes]
        ways, further = ([], []) if is_declared else self._as_items(merged, marked, sets if chosen else {})
        ways += [] if is_declared else nested
        others = [fix for fix in ways if Job(fix.settings).names(*SETS)]
        if not others:
            return proposal
        shapes = [self._with_items(name) for name in sets["items"][:_MOST_ITEMS]]
        shapes += [f"{counted(len(sets[role]), 'column')} {shape}" for role, shape in _SHAPES.items() if sets[role]]
        named = f"{listed(shapes)} {'is' if len(chosen) == 1 else 'are'}" if chosen else "no column is"
        rest = [repr(names[0]) for names in self._item_series(merged)[_MOST_ITEMS:]]
        rest += [repr(n) for n, own in merged.items() if own.differs and numbers_agents(self.profiles[n])]
        less = f" (less likely: {', '.join(rest[:_MOST_LESS_LIKELY])})" if rest else ""
        problem = Problem(f"{named} proposed as the items{less}", others)
        answers = [Fix({role: names for role, names in sets.items() if names}, f"{named} proposed")] if chosen else []
        items = [Job(fix.settings).names("items") for fix in (*answers, *others, *further)]
        asked = [
            self._as_declared(fix)
            for fix, names in zip((*answers, *others, *further), items, strict=True)
            if names not in ([NONE], [OPEN])
        ]
        problems = unnamable("items", sorted({NONE, OPEN}.intersection(chain(*items))), "contain the items")
        return replace(_with_problems(proposal, problem, *problems), item_answers=tuple(asked))

    def _as_declared(self, fix: Fix) -> Fix:
        """Return settings for the columns of items that also publish the values that the owner declares as they are."""
        columns = Job(fix.settings).names(*SETS)
        as_is = [name for name in self.data.declared.names("publish_as_is") if name in columns]
        return replace(fix, settings={**fix.settings, "publish_as_is": as_is}) if as_is else fix

    def _as_items(
        self, merged: ProposedRoles, marked: Sequence[str], chosen: Mapping[str, Sequence[str]] = MappingProxyType({})
    ) -> tuple[list[Fix], list[Fix]]:
        """Return the settings that publish dropped columns as items, the most probable first, and those of less
        probable columns. `chosen` are the proposed columns by role.
        """
        hot = further_marks([*self.profiles.values()], merged, chosen.get("one_hot") or marked)
        if marked:
            items = {name: replace(merged[name], role="one_hot") for name in marked}
            others = {name: replace(one, role="drop") for name, one in merged.items()}
            missing = self._missing({**merged, **items}) if self._missing({**others, **items}) else ()
            settings: dict[str, str | list[str]] = {"one_hot": [*marked]}
            settings |= {"missing": ",".join(missing)} if missing else {}
            hot.append(Fix(settings, f"if each of {len(marked)} columns of 0 and 1 is an item"))
        if not chosen and (pairs := pair_problems([*self.profiles.values()], merged)):
            return [*hot, *(fix for problem in pairs for fix in problem.fixes)], []

        def separated(names: Sequence[str]) -> dict[str, str]:
            own = self.profiles[names[0]]
            return {"separator": own.separator} if own.bound_items and own.separator else {}

        series = self._item_series(merged)
        single = [
            Fix({**self._read_together(names), **separated(names)}, f"if {self._with_items(*names)} contains the items")
            for names in series
        ]
        proposed, fixes = [*chain(*chosen.values())], [*self.wide, *single[:_MOST_ITEMS]]
        likely = [
            names
            for names in series[:_MOST_ITEMS]
            if self.keys.isdisjoint(names)
            and (self.profiles[names[0]].kind != "integers" or names_codes(names[0]))
            and not self._name_fields(names[0])
            and self.profiles[names[0]].kind != "sets"
        ]
        columns = [*chain(*likely)]
        if columns and len(likely) + len(proposed) > 1 and not chosen.get("one_hot"):
            role = "one_code" if chosen.get("one_code") else "items"
            fixes.append(Fix({role: [*proposed, *columns]}, "if each of these columns does"))
        stated = [(n, fix) for n in self.rejected for fix in merged[n].fixes if "publish_as_is" in fix.settings]
        shared = [replace(fix, effect=f"if {self._with_items(n)} contains items, and no persons") for n, fix in stated]
        return [*hot, *fixes, *shared], single[_MOST_ITEMS:]

    def _item_series(self, merged: ProposedRoles) -> list[tuple[str, ...]]:
        """Return the dropped columns that may contain the items, with the columns of their series, the most probable
        first.
        """
        able = [n for n, own in merged.items() if not own.is_given and own != MAY_IDENTIFY]
        free = [n for n in able if n not in self.rejected]
        dropped = [n for n in free if merged[n].role in ("drop", UNRECOGNIZED)]
        names = [name for name in dropped if merged[name].differs or self._recurs(name)]
        able = [name for name in dropped if self.profiles[name].bound_items]
        able += sorted(item_candidates(names, self.profiles), key=self._name_fields)
        return [*dict.fromkeys(tuple(self._series(name, merged)) for name in able)]

    def _recurs(self, name: str) -> bool:
        """Return True if several persons share a value of a column, and persons have several values. If each person
        has one row, True if the header names items.
        """
        profile, (rows, persons) = self.profiles[name], self._counted(self.person)
        if not (may_be_items(profile) and self._are_plain([name])) or name in self.person:
            return False
        if rows == persons:
            return names_items(name) or names_codes(name)
        return self._pairs(name) >= max(_SHARED * profile.distinct, _SEVERAL * persons)

    def _name_fields(self, name: str) -> bool:
        """Return True if nearly every person has each value of a column, like names of fields."""
        (rows, persons), n = self._counted(self.person), self.profiles[name].distinct
        return (
            persons >= _FEWEST_PERSONS
            and 1 < n <= rows / persons
            and self._pairs(name) >= _OF_EACH_PERSON * persons * n
        )

    def _pairs(self, name: str) -> int:
        """Return the number of distinct pairs of a person and a value of a column."""
        return self._counted((*self.person, name))[1]

    def _series(self, name: str, merged: ProposedRoles) -> list[str]:
        """Return the columns of a numbered series that may contain items like a column of it."""
        no_items = {n for n, own in merged.items() if own.role in (*OF_PERSONS, "drop") and not own.differs}
        return [n for n in numbered_like(name, self.profiles) if n == name or n not in no_items]

    def _read_together(self, names: Sequence[str]) -> dict[str, list[str]]:
        """Return the role of the columns of a series. The same value is the same item in all of them."""
        return {"one_code" if len(names) > 1 and self.profiles[names[0]].kind != "sets" else "items": [*names]}

    def _with_items(self, name: str, *series: str) -> str:
        """Return a column with its shape, and the numbers of its items and items per person, as text. Other columns of
        its series are only counted.
        """
        profile, (_, persons) = self.profiles[name], self._counted(self.person)
        pairs = profile.occurrences if profile.kind == "sets" else self._pairs(name)
        more = f", with {counted(len(series), 'column')} numbered alike," if series else ""
        shape = "lists" if profile.kind == "sets" else "one item a row"
        items = f"{counted(profile.distinct, 'item')}, {pairs / max(1, persons):.1f} per person"
        fields = f"; {_FIELDS}" if profile.kind != "sets" and self._name_fields(name) else ""
        keys = "; may be ids of persons" if name in self.keys else ""
        keys += f"; {bound_in(profile)}" if profile.bound_items else ""
        return f"{name!r} ({shape}, {items}{fields}{keys}){more}"

    def _columns(self, roles: ProposedRoles) -> tuple[ColumnFindings, ...]:
        """Return the columns with their roles, and with the settings that read their words as items."""

        def described(profile: Profile, role: ProposedRole) -> ColumnFindings:
            return ColumnFindings(profile, replace(role, fixes=(*role.fixes, *reading_by_words(profile, role))))

        return tuple(described(profile, roles[name]) for name, profile in self.profiles.items())

    def _counted(self, names: Sequence[str]) -> tuple[int, int]:
        """Return the number of rows with a value in all these columns, and the number of persons. Without columns, each
        row is a person.
        """
        key = tuple(names)
        if not key:
            return self.rows, self.rows
        if key not in self.counts:
            self.counts[key] = counted_in([self.data.columns[name] for name in names])
        return self.counts[key]

    def _are_plain(self, names: Sequence[str]) -> bool:
        return all(name in self.data.columns and are_values(self.data.columns[name]) for name in names)

    def _first_row(self, name: str, persons: int) -> Problem:
        """Return the problem that a column has different values within few persons, with the rows to check."""
        ids = [self.data.columns[column] for column in self.person]
        rows = rows_that_differ(ids, self.data.columns[name], _MOST_ROWS_NAMED)
        others = " and others" if len(rows) == _MOST_ROWS_NAMED else ""
        return Problem(
            f"column {name!r}: the rows of {counted(persons, 'person')} differ, so the value of the first row is used "
            f"({setting('differing', 'first')}); check row {', '.join(map(str, rows))}{others}"
        )

    def _missing(self, roles: ProposedRoles) -> list[str]:
        """Return the setting for nulls. Empty if the columns that are not dropped contain no null. In a column of 0 and
        1, the empty text counts as null.
        """
        read = [profile for name, profile in self.profiles.items() if roles[name].role != "drop"]
        if any(column.nulls or (column.null_words and self.data.declared.get("null")) for column in read):
            return ["empty", "value"]
        if answers_reading(roles, self.profiles).get("present") == FILLED:
            return []
        empty = any(
            (column.missing and roles[column.name].role == "one_hot")
            or (column.null_words and roles[column.name].role == "items")
            for column in read
        )
        return ["empty"] if empty else []

    def _separator(self, roles: ProposedRoles, *, grouped: bool) -> dict[str, str]:
        """Return the item separator if the settings must contain it. If rows are grouped, a cell is a single item
        unless a separator is set.
        """
        if "separator" in self.data.declared:
            return {}
        sets = [profile for name, profile in self.profiles.items() if roles[name].role == "items"]
        marks = {column.separator for column in sets if column.separator is not None}
        if len(marks) > 1:
            pairs = [f"{column.name}={column.separator}" for column in sets if (column.separator or "").strip()]
            return {"separator": " ".join(pairs)}
        return {"separator": marks.pop()} if marks and (grouped or marks != {" "}) else {}


def _with_problems(proposal: Proposal, *problems: Problem) -> Proposal:
    """Return a proposal with further problems, each once."""
    added = tuple(problem for problem in problems if problem not in proposal.problems)
    return replace(proposal, problems=(*proposal.problems, *added))


def unnamable(option: str, names: Iterable[str], role: str) -> list[Problem]:
    """Return a problem for each column that may have a role, and is named like another value of its setting."""
    return [
        Problem(f"column {name!r} may {role}, but {setting(option, name)} means something else; rename it")
        for name in names
    ]


def are_buckets(given: Job, roles: ProposedRoles) -> bool:
    """Return True if the owner links ids to a sensitive column. The ids of these buckets repeat by design."""
    sensitive = any(role.role == "sensitive" and role.is_given for role in roles.values())
    return bool(given.get("id")) and sensitive and not any(role.role == "relational" for role in roles.values())


_MOST_ROWS_NAMED, _MOST_ITEMS, _MOST_LESS_LIKELY = 5, 5, 10
_OF_ONE_PERSON, _OF_EACH_PERSON, _MEASURED = 1.02, 0.95, ("numbers", "dates")
"""Maximum mean number of persons per id of a case, minimum share of persons with a value that names a field, and kinds
of values that are neither.
"""
_FEWEST_PERSONS = 20
"""Minimum number of persons that show which values name fields."""
_FIELDS = "nearly every person has each value, like names of fields; if they are, write a column for each"
_SHARED, _SEVERAL = 1.5, 1.1
"""Minimum mean numbers of persons per value, and of different values per person, in a column of items."""
_SHAPES = {"one_hot": "that each mark an item", "one_code": "with one item each"}
"""Shapes of sets that several columns form together."""
_ONE_VALUE = ("relational", "sensitive", "keep")
_MOST_WITHOUT_ID = 0.5
"""Maximum share of rows without an id. They are skipped."""
