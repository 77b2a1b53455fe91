"""Data without declared roles, read by proposed ones: a proposal for each possible unit of privacy."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from anonset.data import CategoricalColumn, Table
from anonset.data.domains import lists_persons
from anonset.data.hierarchy_rules import PROPOSED, is_rule
from anonset.data.redacted_repr import Discreet
from anonset.data.table import Column
from anonset.data.table_facts import CUT
from anonset.errors import InputError, MisreadError
from anonset.io.batches import OpenedSource, Reading, open_source, without_missing_ids
from anonset.io.columns import with_nulls
from anonset.io.dialect import Dialect
from anonset.io.header_words import is_numbered, is_quantity, meaning_of
from anonset.io.kinds import kind_of_values
from anonset.io.options import ReadOptions
from anonset.io.person_candidates import AGREEING, KEY, NAMED, Candidate, candidates_in, counted_in, holds_sets
from anonset.io.profiles import Profile, coded, count_differing, pattern, profile
from anonset.io.roles import Header, names_in
from anonset.io.source import Source, source_of
from anonset.io.table_builder import gather, whole
from anonset.jobs.findings import ColumnFindings
from anonset.jobs.value_problems import null_problems, null_words, odd_codes, word_problems
from anonset.personal_text import is_like_id
from anonset.settings.binding import HierarchySpec, bind_columns
from anonset.settings.coarse_rules import coarse_rule
from anonset.settings.person_columns import Proposed, settled_sensitive, united, with_unit, without_commas
from anonset.settings.proposal import propose, settings_of, tree_of
from anonset.settings.remedies import Remedy, remedy_for
from anonset.spelling import counted, setting

READING = (
    "separator",
    "delimiter",
    "encoding",
    "no_header",
    "header_line",
    "skip_rows",
    "decimal",
    "null",
    "input_format",
    "labels",
    "normalize",
    "unknown",
    "inner_items",
    "unit",
    "rows_are_persons",
    "identifying_as_declared",
)
ROLES = ("items", "one_hot", "one_code", "relational", "sensitive", "id", "keep", "drop")


@dataclass
class Proposal(Discreet):
    """Columns with roles, and the table that they make."""

    source: Source | None
    """Where they come from; None: from a table."""
    columns: tuple[ColumnFindings, ...]
    settings: dict[str, Any]
    problems: list[str]
    table: Table | None
    rows: int
    unit: tuple[str, ...] = ()
    """The columns that identify the person; empty: each row is a person."""
    meaning: str = ""
    """How these columns are recognized, as in `Candidate`."""
    skipped: int = 0
    """Rows without a value in these columns, which are skipped."""
    answers: "tuple[Proposal, ...]" = ()
    """A proposal for each possible unit, if the owner must say which it is; the first is this one."""


def proposal_for(
    source: Any, given: Mapping[str, Any], hierarchies: Mapping[str, HierarchySpec], k: int = 5
) -> Proposal:
    """Propose roles, and read the data by them; where they are misread, by the settings that were recognised.

    Raises
    ------
    InputError
        If they cannot be read, or only by others than those given.
    """
    recognised: dict[str, Any] = {}
    while True:
        try:
            options = {**given, **recognised}
            resolved = source_of(source, options.get("input_format"), no_header=bool(options.get("no_header")))
            work = _proposal_for(resolved, options, hierarchies, k)
        except MisreadError as error:
            if error.settings.keys() & {*given, *recognised}:
                raise
            recognised |= error.settings
        else:
            ways = " ".join(setting(name, value) for name, value in recognised.items())
            what = f"read with {ways}, which was recognised: check the names of the columns"
            for one in work.answers or (work,):
                one.problems = [*([what] if ways else []), *one.problems]
            return work


def _proposal_for(
    source: Source, given: Mapping[str, Any], hierarchies: Mapping[str, HierarchySpec], k: int
) -> Proposal:
    """Profile the columns, propose roles for those that have none, and try to read the data by them."""
    opened, null = _opened(source, given)
    loaded = {name: coded(column) for name, column in whole(opened, opened.names).items()}
    if opened.first_line and not any(given.get(role) for role in ROLES):
        _require_names(opened.where, not _occur_as_values(loaded))
    profiles = [profile(name, loaded[name], given.get("separator")) for name in opened.names]
    words = null_words(profiles) if not null else {}
    loaded = with_nulls(loaded, words) if words else loaded
    opened = opened.held(loaded)  # read once
    candidates = _candidates(loaded, opened.names)
    identifying = {name for one in candidates if one.repeats or one.persons == one.given for name in one.columns}
    proposed = propose(profiles, lambda name: pattern(loaded[name]), identifying)
    proposed = _with_given(opened, proposed, given)
    if words:
        given = {**given, "null": list(words)}
    problems = [*null_problems(profiles), *odd_codes(profiles), *word_problems(words)]
    rows = profiles[0].records if profiles else 0
    trial = _Trial(opened, given, proposed, profiles, loaded, k)

    def worked_out(unit: tuple[str, ...], meaning: str, *, asked: bool = True) -> Proposal:
        work = Proposal(source, (), {}, list(problems), None, rows, unit, meaning)
        trial.run(work, asked=asked)
        _try_hierarchies(work, hierarchies, opened, k)
        return work

    ids = names_in(opened.names, given.get("id"))
    if given.get("sensitive") and not ids and candidates:  # of buckets, say, where ids repeat by nature
        ids = candidates[0].columns
    stated = any(given.get(name) for name in ("unit", "rows_are_persons", "group", "sensitive"))
    if ids or stated or all(own.role in ("items", "one_hot", "one_code") for own in proposed.values()):
        return worked_out(ids, "given", asked=False)
    taken = {name for name, own in proposed.items() if own.reason == "given" and own.role != "drop"}
    free = [one for one in candidates if taken.isdisjoint(one.columns)]
    repeated = [candidate for candidate in free if candidate.repeats]
    enough = (1 - _MOST_WITHOUT_ID) * rows
    distinct = [one for one in free if one.persons == one.given >= enough and one.given and one.meaning not in _OF_ROWS]
    if distinct and not any(one.repeats for one in candidates):
        return worked_out(distinct[0].columns, distinct[0].meaning, asked=False)
    if cut := [one.columns[0] for one in candidates if one.cut]:
        fault = f"column {cut[0]!r} identifies people, and {CUT}; export the file anew with this column as text"
        return replace(worked_out((), "", asked=False), table=None, problems=[*problems, fault])
    tried = [worked_out(one.columns, one.meaning) for one in (*repeated, *distinct)[:_MOST_ANSWERS]]
    sure = any(one.meaning != NAMED for one in repeated)  # different persons may have the same name
    if sure and not any(one.table is not None for one in tried):  # rows alone are no answer
        return tried[0]
    by_rows = worked_out((), "")
    able = [one for one in tried if one.table is not None]
    if by_rows.table is not None or not able:
        able.append(by_rows)
    lost = [f"unit {', '.join(map(repr, one.unit))}: {one.problems[-1]}" for one in tried if one.table is None]
    able[0].problems += lost
    able[0].answers = tuple(able)
    return able[0]


_OF_ROWS = ("case id", AGREEING, KEY)
"""Candidates that, if distinct, tell rows apart, and nothing about persons."""
_MOST_ANSWERS = 4


def _opened(source: Source, given: Mapping[str, Any]) -> tuple[OpenedSource, tuple[str, ...]]:
    """Open a source by what is given, and return the texts that are null."""
    roles = {role: given.get(role) for role in ROLES if given.get(role)}
    dialect = Dialect.of(
        given.get("delimiter"),
        given.get("encoding"),
        bool(given.get("no_header")),
        given.get("header_line", 1),
        "footer" in names_in((), given.get("skip_rows")),
    )
    named = [name for names in roles.values() for name in names_in((), names)]

    def lacking(names: Sequence[str]) -> list[str]:
        return [name for name in named if name not in names and not name.endswith("*")]

    null = names_in((), given.get("null"))
    how = Reading(None, dialect, given.get("separator"), lacking, given.get("labels"), null=null)
    opened = open_source(source, how)
    if opened.below and not named:
        what = f"the first line names {counted(len(opened.names), 'column')}, and the lines below hold others"
        way = f"if line {opened.below} holds the names: {setting('header_line', opened.below)}"
        msg = f"{opened.where}: {what}; {way}"
        raise MisreadError(msg, {"header_line": opened.below})
    if opened.first_line and not named:
        _require_names(opened.where, not any(map(is_like_id, opened.names)))
    Header(opened.where, opened.names, genuine=not opened.first_line).require_distinct()
    return opened, null


def _candidates(loaded: Mapping[str, Any], names: Sequence[str]) -> tuple[Candidate, ...]:
    """Return the candidates for the unit, with their counts over all rows."""
    plain = [name for name in names if not (meaning_of(name) or is_quantity(name))]
    found = candidates_in(loaded, names, keys=plain, numbers=list(filter(is_numbered, plain)))
    counts = [counted_in([loaded[name] for name in one.columns]) for one in found]
    return tuple(
        replace(one, given=given, persons=persons) for one, (given, persons) in zip(found, counts, strict=True)
    )


def _require_names(where: str, genuine: bool) -> None:
    """Refuse a first line that is a record."""
    if not genuine:
        way = f"if it is one: {setting('no_header', True)}"
        msg = f"{where}: the first line looks like a record, not like names of columns; {way}"
        raise MisreadError(msg, {"no_header": True})


def _occur_as_values(loaded: Mapping[str, Any]) -> bool:
    """Return True if some names of columns, but not all, are values in the first rows of their columns."""
    held = [name in column.slice(0, _FIRST_ROWS).to_pylist() for name, column in loaded.items() if name]
    return any(held) and not all(held)


def _with_given(opened: OpenedSource, proposed: dict[str, Proposed], given: Mapping[str, Any]) -> dict[str, Proposed]:
    """Put the roles that were given in the place of those that were proposed."""
    roles = dict(proposed)
    for role in ROLES:
        for name in names_in(opened.names, given.get(role)):
            matching = [n for n in opened.names if name.endswith("*") and n.startswith(name[:-1])] or [name]
            for match in matching:
                spec = proposed[match].hierarchy if match in proposed and proposed[match].role == role else None
                numeric = match in names_in(opened.names, given.get("numeric"))
                spec = "range" if numeric else spec or (PROPOSED if role == "items" else "values")
                roles[match] = Proposed(role, "given", spec if role in ("items", "relational") else None)
    if any(given.get(role) for role in ("items", "one_hot", "one_code")):  # one shape of sets is enough
        for name, own in roles.items():
            if own.role == "items" and own.reason != "given":
                roles[name] = Proposed("drop", "cells hold sets, and other columns are given as those of sets")
            elif own.role in ("one_hot", "one_code") and own.reason != "given":
                roles[name] = Proposed("relational", "may be known of a person", "values")
    return roles


@dataclass
class _Trial:
    """Reads the data by proposed roles; where that is refused, notes why and goes another way."""

    source: OpenedSource
    given: Mapping[str, Any]
    proposed: Mapping[str, Proposed]
    profiles: list[Profile]
    loaded: Mapping[str, Any]
    k: int

    def run(self, work: Proposal, *, asked: bool) -> None:
        """Read the table for a unit, with its settings and the roles of the columns.

        Parameters
        ----------
        asked
            Whether the owner is asked for the unit: then no way of reading depends on the answer.
        """
        by_name = {column.name: column for column in self.profiles}
        options = {name: self.given[name] for name in (*READING, "missing", "group") if self.given.get(name)}
        if "missing" not in options and (ways := self._missing()):
            options["missing"] = ",".join(ways)
        roles = with_unit(self.proposed, work.unit, by_name)
        group = bool(work.unit) and "sensitive" not in self.given and self._repeats(work.unit)
        if group and not self.given.get("rows_are_persons"):
            roles = united(roles, work.unit, by_name, lambda name: self._differing(work.unit, name), tree_of)
            options["group"] = True
        roles = settled_sensitive(without_commas(roles, by_name), by_name, self.k)
        numbers = [column for column in self.profiles if roles[column.name].hierarchy == "range"]
        if "decimal" not in options and (decimals := [column.look.form for column in numbers if column.look.form]):
            options["decimal"] = decimals[0]
        if asked and not work.unit:
            options["rows_are_persons"] = True
        plain = {
            name: replace(own, hierarchy="values") if own.hierarchy == "range" else own for name, own in roles.items()
        }
        work.settings = options
        for proposed in (roles, plain):
            try:
                self._read(work, proposed, options, asked=asked)
                roles = proposed
                if listing := self._listing(work.table, proposed):
                    roles = {**proposed, **listing}
                    self._read(work, roles, options, asked=asked)
                break
            except InputError as error:
                work.problems.append(str(error))
        if work.table is not None and all(own.role in ("id", "drop") for own in roles.values()):
            work.table = None
            work.problems.append(
                "no column is left to publish: each identifies people, varies within a person, or is dropped; give one "
                f"a role, such as {setting('items', '...')} or {setting('relational', '...')}"
            )
        work.columns = tuple(
            ColumnFindings(column, roles[column.name].role, roles[column.name].reason, roles[column.name].hierarchy)
            for column in self.profiles
        )

    def _read(self, work: Proposal, roles: Mapping[str, Proposed], options: Mapping[str, Any], *, asked: bool) -> None:
        """Read the table by roles."""
        settings = {**settings_of(roles), **options}
        by_name = {column.name: column for column in self.profiles}
        settings |= self._separator(by_name, roles, grouped=asked or bool(settings.get("group")))
        self._skip_without_id(settings, work, asked=asked)
        work.table, work.settings = _gather(self.source, settings), settings

    def _listing(self, table: Table | None, roles: Mapping[str, Proposed]) -> dict[str, Proposed]:
        """Return the quasi-identifiers without hierarchy that are dropped, since sets of their values list persons."""
        found = {}
        for column in () if table is None else table.relational:
            own = roles[column.name]
            if own.hierarchy == "values" and own.reason != "given" and _lists_persons(column, self.k):
                distinct = self._distinct(column.name)
                what = f"many of {distinct:,} different values are those of fewer than {self.k} persons"
                found[column.name] = Proposed("drop", f"{what}; as {setting('relational')} it needs a hierarchy")
        return found

    def _distinct(self, name: str) -> int:
        return next(column.distinct for column in self.profiles if column.name == name)

    def _repeats(self, unit: Sequence[str]) -> bool:
        if not self._are_plain(unit):
            return False
        given, persons = counted_in([self.loaded[name] for name in unit])
        return persons < given

    def _are_plain(self, names: Sequence[str]) -> bool:
        return all(name in self.loaded and not holds_sets(self.loaded[name]) for name in names)

    def _differing(self, unit: Sequence[str], name: str) -> int:
        return count_differing([self.loaded[one] for one in unit], self.loaded[name])

    def _skip_without_id(self, settings: dict[str, Any], work: Proposal, *, asked: bool) -> None:
        """Skip rows without an id, if they are few, or the owner is told how many when asked for the unit."""
        skipped, names = names_in((), settings.get("skip_rows")), names_in((), settings.get("id"))
        if "no-id" in skipped or not names or not self._are_plain(names):
            return
        lacking = work.rows - counted_in([self.loaded[name] for name in names])[0]
        if not 0 < lacking <= (_MOST_WITHOUT_ANSWER if asked else _MOST_WITHOUT_ID) * work.rows:
            return
        settings["skip_rows"], work.skipped = [*skipped, "no-id"], lacking
        way = f"{setting('skip_rows', 'no-id')} skips and counts them"
        problem = f"column {', '.join(map(repr, names))}: {counted(lacking, 'row')} without an id; {way}"
        work.problems += [problem] if problem not in work.problems and not asked else []

    def _missing(self) -> list[str]:
        """Return what null becomes, where there is any; in a column of 0 and 1, the empty text is one."""
        if any(column.nulls or (column.null_words and self.given.get("null")) for column in self.profiles):
            return ["empty", "value"]
        return (
            ["empty"]
            if any(column.missing and self.proposed[column.name].role == "one_hot" for column in self.profiles)
            else []
        )

    def _separator(
        self, by_name: Mapping[str, Profile], proposed: Mapping[str, Proposed], *, grouped: bool
    ) -> dict[str, str]:
        """Return what separates items within a cell, where it must be said: of grouped rows a cell is one item else."""
        sets = [column for name, column in by_name.items() if proposed[name].role == "items"]
        marks = {column.separator for column in sets if column.separator is not None}
        if len(marks) > 1 and "separator" not in self.given:
            pairs = [f"{one.name}={one.separator}" for one in sets if (one.separator or "").strip()]
            return {"separator": " ".join(pairs)}
        chosen = len(marks) == 1 and (grouped or marks != {" "}) and "separator" not in self.given
        return {"separator": marks.pop()} if chosen else {}


def _gather(source: OpenedSource, settings: Mapping[str, Any]) -> Table:
    """Read a source by settings."""
    options = _options(settings)
    if options.skip_without_id:
        source = without_missing_ids(source, names_in(source.names, settings.get("id")))
    return gather(source, options, with_ids=True)


def _options(settings: Mapping[str, Any]) -> ReadOptions:
    sensitive = settings.get("sensitive")
    name = sensitive[0] if isinstance(sensitive, list) else sensitive
    others = {name: value for name, value in settings.items() if name not in ("labels", "sensitive", "hierarchy")}
    if name is not None and others.get("relational"):  # a model of classes publishes it as it is
        return ReadOptions.of(**{**others, "keep": [*names_in((), others.get("keep")), name]})
    return ReadOptions.of(**others, sensitive=name)


def _try_hierarchies(work: Proposal, given: Mapping[str, HierarchySpec], opened: OpenedSource, k: int) -> None:
    """Hold the hierarchies against the data: those that were given, and those that are proposed."""
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
    with suppress(InputError):  # each column by itself, beside those before it, is quadratic in their number
        bind_columns(work.table, wanted)
        fitting = dict(wanted)
    for name, spec in () if fitting else wanted.items():
        others: dict[str, Any] = {other: PROPOSED for other in sets if name in sets and other != name} | fitting
        try:
            bind_columns(work.table, {**others, name: spec})
            fitting[name] = spec
        except InputError as error:
            if (remedy := _mended(work, opened, name, spec, others)) is not None:
                work.problems.append(str(remedy))
                fitting[name] = spec
                continue
            work.problems.append(str(error))
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


def _lists_persons(column: Column, k: int) -> bool:
    """Return True if sets of the values of a column list persons."""
    if not isinstance(column, CategoricalColumn) or column.vocabulary.filed is not None:
        return False
    return lists_persons(column.occurrences, k, column.n)


def _coarse_enough(table: Table, fitting: Mapping[str, Any], given: Mapping[str, Any], k: int) -> dict[str, Any]:
    """Return hierarchies in which rules are so coarse that sets of leaves, which (k,km) publishes, list no persons."""
    coarse = dict(fitting)
    for column in () if table.transactions is None else table.relational:
        rule = fitting.get(column.name)
        if is_rule(rule) and column.name not in given and isinstance(column, CategoricalColumn):
            labels, counts = column.vocabulary.labels, column.occurrences.tolist()
            if _lists_persons(column, k) and (better := coarse_rule(column.name, labels, counts, k, str(rule))):
                coarse[column.name] = better
    return coarse


def _tree_of_wide(table: Table) -> str:
    """Return the hierarchy of items that several columns hold together, by what the items look like."""
    return PROPOSED if table.transactions is None else tree_of(kind_of_values(table.transactions.vocabulary.labels))


def _mended(work: Proposal, opened: OpenedSource, name: str, spec: Any, others: Mapping[str, Any]) -> Remedy | None:
    """Read the data anew by what makes their codes fit a hierarchy, if that leaves most of them in."""
    if work.table is None:
        return None
    try:
        remedy = remedy_for(work.table, name, spec)
        if remedy is None or remedy.lost > _MOST_LEFT_OUT:
            return None
        rules = [*names_in((), work.settings.get("normalize")), *remedy.settings.get("normalize", ())]
        settings = {**work.settings, **remedy.settings, **({"normalize": rules} if rules else {})}
        table = _gather(opened, settings)
        bind_columns(table, {**others, name: spec})
    except InputError:
        return None
    work.table, work.settings = table, settings
    return remedy


_FIRST_ROWS = 200
_MOST_WITHOUT_ID, _MOST_WITHOUT_ANSWER = 0.05, 0.5
"""Share of the rows that may have no id, so that they are skipped: without a question, and by its answer."""
_MOST_LEFT_OUT = 0.25
"""Share of the occurrences that unknown codes may have, to be left out for a hierarchy's sake."""


def _spelled(spec: Any) -> str | None:
    return spec if spec is None or isinstance(spec, str) else str(spec) if isinstance(spec, Path) else "given"
