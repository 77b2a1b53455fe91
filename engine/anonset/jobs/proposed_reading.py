"""Data that nobody has described, read by roles that are proposed: what is refused is noted, and another way taken."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from anonset.data import Table
from anonset.data.hierarchy_rules import PROPOSED
from anonset.data.redacted_repr import Discreet
from anonset.errors import InputError, MisreadError
from anonset.io.batches import OpenedSource, Reading, open_source, without_missing_ids
from anonset.io.columns import with_nulls
from anonset.io.dialect import Dialect
from anonset.io.kinds import kind_of_values
from anonset.io.options import ReadOptions
from anonset.io.person_signs import repeated_in
from anonset.io.profiles import Profile, coded, differs_within, pattern, profile
from anonset.io.roles import Header, names_in
from anonset.io.source import Source, source_of
from anonset.io.table_builder import gather, whole
from anonset.jobs.findings import ColumnFindings
from anonset.personal_text import is_like_id
from anonset.settings.binding import HierarchySpec, bind_columns
from anonset.settings.person_columns import Proposed, united
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


def proposal_for(source: Any, given: Mapping[str, Any], hierarchies: Mapping[str, HierarchySpec]) -> Proposal:
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
            work = _proposal_for(resolved, options, hierarchies)
        except MisreadError as error:
            if error.settings.keys() & {*given, *recognised}:
                raise
            recognised |= error.settings
        else:
            ways = " ".join(setting(name, value) for name, value in recognised.items())
            what = f"read with {ways}, which was recognised: check the names of the columns"
            work.problems = [*([what] if ways else []), *work.problems]
            return work


def _proposal_for(source: Source, given: Mapping[str, Any], hierarchies: Mapping[str, HierarchySpec]) -> Proposal:
    """Profile the columns, propose roles for those that have none, and try to read the data by them."""
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
    if len(opened.names) == 1 and opened.below and not named:
        what = "the first line names one column, and others below hold several"
        way = f"if line {opened.below} holds the names: {setting('header_line', opened.below)}"
        msg = f"{opened.where}: {what}; {way}"
        raise MisreadError(msg, {"header_line": opened.below})
    if opened.first_line and not named and _is_record(opened):
        way = f"if it is one: {setting('no_header', True)}"
        msg = f"{opened.where}: the first line looks like a record, not like names of columns; {way}"
        raise MisreadError(msg, {"no_header": True})
    Header(opened.where, opened.names, genuine=not opened.first_line).require_distinct()
    loaded = {name: coded(column) for name, column in whole(opened, opened.names).items()}
    profiles = [profile(name, loaded[name], given.get("separator")) for name in opened.names]
    words = _null_words(profiles) if not how.null else {}
    loaded = with_nulls(loaded, words) if words else loaded
    opened = opened.held(loaded)  # read once
    persons = [sign.column for sign in repeated_in(loaded, opened.names)]
    proposed = propose(profiles, lambda name: pattern(loaded[name]), persons)
    proposed = _with_given(opened, proposed, given)
    problems = [*_null_problems(profiles), *_odd_codes(profiles), *_word_problems(words)]
    work = Proposal(source, (), {}, problems, None, profiles[0].records if profiles else 0)
    if words:
        given = {**given, "null": list(words)}
    trial = _Trial(opened, given, dict(proposed), profiles)
    work.table, proposed, more = trial.run(work.problems)
    work.settings = more
    work.columns = tuple(
        ColumnFindings(
            column, proposed[column.name].role, proposed[column.name].reason, proposed[column.name].hierarchy
        )
        for column in profiles
    )
    _try_hierarchies(work, hierarchies, opened)
    return work


def _is_record(opened: OpenedSource) -> bool:
    """Return True if the names of columns look like values: ids or dates, or values of some of their columns."""
    if any(is_like_id(name) for name in opened.names):
        return True
    first = opened.head(opened.names)
    held = [name in set(map(str, first[name].slice(0, _FIRST_ROWS).to_pylist())) for name in first if name]
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
    for name, own in roles.items():
        if given.get("id") and own.role == "id" and own.reason != "given":
            roles[name] = Proposed("drop", "another identifier than the given one")
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
    proposed: dict[str, Proposed]
    profiles: list[Profile]

    def run(self, problems: list[str]) -> tuple[Table | None, dict[str, Proposed], dict[str, Any]]:
        """Return the table, the roles by which it was read, and the settings."""
        by_name = {column.name: column for column in self.profiles}
        options = {name: self.given[name] for name in (*READING, "missing", "group") if self.given.get(name)}
        if "missing" not in options and (ways := self._missing()):
            options["missing"] = ",".join(ways)
        numbers = [column for column in self.profiles if self.proposed[column.name].hierarchy == "range"]
        if "decimal" not in options and (decimals := [column.look.form for column in numbers if column.look.form]):
            options["decimal"] = decimals[0]
        ids = [name for name, proposed in self.proposed.items() if proposed.role == "id"]
        repeated = len(ids) == 1 and by_name[ids[0]].uniqueness < 1 and "sensitive" not in self.given
        for proposed, more in self._ways(ids, by_name, repeated=repeated):
            try:
                settings = {**settings_of(proposed), **options, **more}
                settings |= self._separator(by_name, grouped=bool(settings.get("group")))
                self._skip_without_id(settings, by_name, problems)
                return _gather(self.source, settings), proposed, settings
            except InputError as error:
                problems.append(str(error))
        return None, self.proposed, options

    def _skip_without_id(self, settings: dict[str, Any], by_name: Mapping[str, Profile], problems: list[str]) -> None:
        """Skip rows without an id, if they are few."""
        skipped = names_in((), settings.get("skip_rows"))
        lacking = {
            name: by_name[name].missing + by_name[name].nulls
            for name in names_in((), settings.get("id"))
            if name in by_name
        }
        name = max(lacking, key=lambda name: lacking[name], default="")
        if "no-id" in skipped or not name or not 0 < lacking[name] <= _MOST_WITHOUT_ID * by_name[name].records:
            return
        settings["skip_rows"] = [*skipped, "no-id"]
        way = f"{setting('skip_rows', 'no-id')} skips and counts them"
        problem = f"column {name!r}: {counted(lacking[name], 'row')} without an id; {way}"
        problems += [problem] if problem not in problems else []

    def _missing(self) -> list[str]:
        """Return what null becomes, where there is any; in a column of 0 and 1, the empty text is one."""
        if any(column.nulls or (column.null_words and self.given.get("null")) for column in self.profiles):
            return ["empty", "value"]
        return (
            ["empty"]
            if any(column.missing and self.proposed[column.name].role == "one_hot" for column in self.profiles)
            else []
        )

    def _separator(self, by_name: Mapping[str, Profile], *, grouped: bool) -> dict[str, str]:
        """Return what separates items within a cell, where it must be said: of grouped rows a cell is one item else."""
        sets = [column for name, column in by_name.items() if self.proposed[name].role == "items"]
        marks = {column.separator for column in sets if column.separator is not None}
        if len(marks) > 1 and "separator" not in self.given:
            pairs = [f"{one.name}={one.separator}" for one in sets if (one.separator or "").strip()]
            return {"separator": " ".join(pairs)}
        chosen = len(marks) == 1 and (grouped or marks != {" "}) and "separator" not in self.given
        return {"separator": marks.pop()} if chosen else {}

    def _ways(
        self, ids: list[str], by_name: Mapping[str, Profile], *, repeated: bool
    ) -> list[tuple[dict[str, Proposed], dict[str, Any]]]:
        """Return in which ways the data may be read: rows of a person as one record, where they repeat, or apart."""
        ways: list[tuple[dict[str, Proposed], dict[str, Any]]] = []
        if repeated and self.given.get("rows_are_persons"):
            apart = replace(self.proposed[ids[0]], role="drop", reason="repeats; rows are persons, as given")
            ways.append(({**self.proposed, ids[0]: apart}, {}))
        elif repeated:
            loaded = whole(self.source, self.source.names)

            def varies(name: str) -> bool:
                return differs_within(loaded[ids[0]], loaded[name])

            ways.append((united(self.proposed, ids[0], by_name, varies, tree_of), {"group": True}))
        else:
            ways.append((self.proposed, {}))
        plain = {
            name: replace(proposed, hierarchy="values") if proposed.hierarchy == "range" else proposed
            for name, proposed in ways[-1][0].items()
        }
        return [*ways, (plain, ways[-1][1])]


def _gather(source: OpenedSource, settings: Mapping[str, Any]) -> Table:
    """Read a source by settings."""
    options = _options(settings)
    if options.skip_without_id:
        source = without_missing_ids(source, names_in(source.names, settings.get("id")))
    return gather(source, options, with_ids=True)


def _options(settings: Mapping[str, Any]) -> ReadOptions:
    sensitive = settings.get("sensitive")
    name = sensitive[0] if isinstance(sensitive, list) else sensitive
    others = {name: value for name, value in settings.items() if name not in ("labels", "sensitive")}
    return ReadOptions.of(**others, sensitive=name)


def _try_hierarchies(work: Proposal, given: Mapping[str, HierarchySpec], opened: OpenedSource) -> None:
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
    work.settings = {**work.settings, "hierarchy": fitting}
    spelled = {name: _spelled(spec) for name, spec in fitting.items()}
    work.columns = tuple(
        column
        if column.hierarchy == spelled.get(column.profile.name)
        else replace(column, hierarchy=spelled.get(column.profile.name))
        for column in work.columns
    )


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
_MOST_WITHOUT_ID = 0.05
"""Share of the rows that may have no id, so that they are skipped."""
_MOST_LEFT_OUT = 0.25
"""Share of the occurrences that unknown codes may have, to be left out for a hierarchy's sake."""


def _spelled(spec: Any) -> str | None:
    return spec if spec is None or isinstance(spec, str) else str(spec) if isinstance(spec, Path) else "given"


def _null_problems(profiles: Sequence[Profile]) -> list[str]:
    """Say where values are missing."""
    problems = []
    for column in profiles:
        if column.nulls:
            way = setting("missing", "empty,value")
            problems.append(f"column {column.name!r}: {counted(column.nulls, 'null')}, refused unless {way}")
        if column.missing and column.kind in ("integers", "numbers"):
            what = counted(column.missing, "row")
            problems.append(
                f"column {column.name!r}: no number in {what}: as text it goes into intervals, or fill it in"
            )
        if column.look.doubt:
            problems.append(f"column {column.name!r}: {column.look.doubt}")
    return problems


def _odd_codes(profiles: Sequence[Profile]) -> list[str]:
    """Report the columns of codes in which a few values are none."""
    odd = [column for column in profiles if column.look.odd and column.kind.endswith("codes")]
    few = [f"{column.look.odd:,} of {column.distinct:,} in {column.name!r}" for column in odd[:3]]
    more = f" and {len(odd) - 3} more columns" if len(odd) > 3 else ""
    rest = f"they are generalized by their first characters; if they mean no value: {setting('null', 'TEXT')}"
    return [f"different values that are no codes: {', '.join(few)}{more}; {rest}"] if odd else []


def _null_words(profiles: Sequence[Profile]) -> dict[str, list[str]]:
    """Return the texts that probably say that there is no value, each with the columns in which it stands."""
    words: dict[str, list[str]] = {}
    for column in profiles:
        for word in column.null_words:
            words.setdefault(word, []).append(column.name)
    return words


def _word_problems(words: Mapping[str, Sequence[str]]) -> list[str]:
    """Say which texts are taken for null."""
    return [
        f"{word!r} probably says that there is no value ({', '.join(map(repr, names[:5]))}"
        f"{' and others' if len(names) > 5 else ''}): {setting('null', word)}"
        for word, names in words.items()
    ]
