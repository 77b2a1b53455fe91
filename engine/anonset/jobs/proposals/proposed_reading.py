"""Propose column roles and settings for data, and read the data with them.

1. `columns_of` reads all columns, with recognized reading options if the declared ones are wrong.
2. `propose` finds the role of each column. Given roles take precedence.
3. `PossibleUnits` makes a proposal for each possible unit of privacy. Its `UnitReader` reads the table, drops the
   columns that a run would reject, and reads again. `try_hierarchies` then tries the hierarchies on the table.
"""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, TypeVar

from anonset import arrow
from anonset.arrow import ArrowColumns
from anonset.columns.headers import PERSON_IDS, are_headers, is_about, is_about_a_person, names_codes
from anonset.columns.id_findings import as_nulls, id_findings, placeholder_counts, placeholder_problem
from anonset.columns.ids import are_values, counted_in, given_texts, holds_sets
from anonset.columns.mentions import are_mentions, names_and_ids, words_of_persons
from anonset.columns.personal_values import nearly_all
from anonset.columns.persons import SURE, PossiblePerson, all_persons
from anonset.columns.profiles import Profile, coded, pattern, profile
from anonset.columns.roles import GIVEN, OF_PERSONS, ROLES, SETS, UNRECOGNIZED, ProposedRole
from anonset.columns.rules import propose
from anonset.columns.set_rules import pair_problems
from anonset.data.hierarchies.hierarchy_rules import RANGE, VALUES
from anonset.data.joining import prefixed
from anonset.errors import Fix, InputError, MisreadError, Problem
from anonset.jobs.proposals.possible_units import PossibleUnits
from anonset.jobs.proposals.proposal import AllColumns, Proposal, distinct_texts
from anonset.jobs.proposals.unit_reader import ProposedRoles, UnitReader
from anonset.jobs.proposals.value_problems import (
    column_person_problem,
    counting_problems,
    list_problems,
    missing_code_problems,
    null_problems,
    null_words,
    odd_codes,
    persons_as_columns,
    separator_problems,
    word_problems,
)
from anonset.personal_text import is_like_id
from anonset.reading.batches import OpenedSource, open_source
from anonset.reading.file_options import OPEN, Unit
from anonset.reading.options import ReadOptions
from anonset.reading.roles import Header, is_selected
from anonset.reading.sources.dialect import DIALECT_OPTIONS
from anonset.reading.sources.source import TABLES, Source, source_of
from anonset.reading.table_builder import read_all_rows
from anonset.settings.binding import HierarchySpec
from anonset.settings.job import Job
from anonset.settings.parameters import SIZES
from anonset.spelling import StatedSettings, counted, name_ranges, setting, spelled

T = TypeVar("T")


def proposal_for(
    source: Any,
    declared: StatedSettings,
    hierarchies: Mapping[str, HierarchySpec],
    k: int = SIZES["k"],
) -> Proposal:
    """Propose column roles and read the data with these roles.

    If the owner must choose the unit of privacy, the proposal has an answer for each possible unit.

    Raises
    ------
    InputError
        If the data cannot be read, or can only be read with settings other than the given settings.
    """
    misread = list[Problem]()
    data, recognised = with_recognised_options(source, declared, columns_of, misread)
    names = data.opened.names
    profiles = [profile(name, data.columns[name], data.declared.get("separator")) for name in names]
    if not any(one.records for one in profiles):
        raise InputError(f"{data.opened.where}: no rows")
    for one in [one for one in profiles if one.kind == "nested values" and names_codes(one.name)]:
        paths = [name for name in data.opened.names if name.endswith(_CODE)]
        with suppress(InputError):  # its members are not codes
            data = columns_of(data.source, Job({**declared, **recognised}), [*paths, f"{one.name}{_CODE}"])
            names = data.opened.names
            profiles = [profile(name, data.columns[name], data.declared.get("separator")) for name in names]
    words = {} if data.declared.get("null") else null_words(profiles)
    data = data.with_nulls(words)
    candidates, named = with_counts(data.columns, names)
    placeholders = _placeholders(data, candidates)
    if id_nulls := [word for name, counts in placeholders.items() for word in as_nulls(name, [*counts])]:
        data = data.with_nulls(id_nulls)
        candidates, named = with_counts(data.columns, names)
    stated = data.declared

    roles = propose(
        profiles, lambda name: pattern(data.columns[name]), identifying_columns(candidates, profiles),
        mentioning(data.columns, profiles, candidates),
    )  # fmt: skip
    roles = _with_given(names, roles, stated)
    roles |= _with_hierarchies(roles, hierarchies, stated.names("numeric"))

    by_name = {column.name: column for column in profiles}
    problems = [*([_to_check(recognised)] if recognised.keys() - {"skip_rows"} else []), *misread]
    wide: Sequence[Fix] = ()
    texts = [distinct_texts(data.columns[one.name]) for one in profiles if one.kind == "text" and one.distinct]
    of_variants = any(nearly_all(_is_variant, labels) for labels in texts)
    unknown = [one for one in profiles if not roles[one.name].is_given]
    if persons := persons_as_columns(unknown, of_variants=of_variants):
        problem = column_person_problem([by_name[name] for name in persons])
        wide = () if of_variants else problem.fixes
        problems.append(replace(problem, fixes=wide))
        of_sets = [roles[name] for name in persons if roles[name].role in SETS]  # a set without these columns is none
        rest = [n for n, own in roles.items() if own in of_sets or not (wide or own.is_given or own.role == "drop")]
        roles |= dict.fromkeys(rest, ProposedRole("drop", "read with columns that may be persons"))
        roles |= dict.fromkeys(persons, ProposedRole("drop", "may be a person in a column; if so, transpose the table"))
        candidates = tuple(one for one in candidates if not {*one.columns}.intersection(persons))
        named = tuple(columns for columns in named if not {*columns}.intersection(persons))
    problems += _value_problems(profiles, roles, hierarchies, words, stated.names("drop"))
    problems += [
        replace(placeholder_problem(name, [*counts], sum(counts.values())), assumed=True)
        for name, counts in placeholders.items()
    ]
    likely = _likely(candidates)
    problems += counting_problems(data.columns, profiles) if not likely else ()
    ids = Unit(stated.names("unit")).columns or [one.columns[0] for one in likely if len(one.columns) == 1]
    problems += id_findings(data.columns, ids)
    others = [name for name, role in roles.items() if not role.is_given and role.role == "sensitive"]
    others += [name for name, role in roles.items() if role.reason == _NO_SETS]
    if others and (secret := stated.get("sensitive")):
        why = f"{setting('sensitive', secret)}: models protect one sensitive column, and then no items"
        problems.append(Problem(f"{why}; not published: {', '.join(name_ranges(others))}"))

    counts = {candidate.columns: (candidate.given, candidate.persons) for candidate in candidates}
    keys = _keys(data.columns, by_name, candidates, named)
    reader = UnitReader(data, by_name, k, counts, keys, tuple(wide))
    units = PossibleUnits(reader, roles, candidates, hierarchies, problems, named)
    return replace(units.proposal(), recognised=recognised)


def with_recognised_options(
    source: Any,
    declared: StatedSettings,
    read: Callable[[Source, Job], T],
    misread: list[Problem] | None = None,
) -> tuple[T, Job]:
    """Return the result of `read` for the source and its settings, and the recognized settings. If the settings are
    detected to be wrong, `read` is called again. The lines that are then skipped are added to `misread`, because they
    may be persons.

    Raises
    ------
    InputError
        If the data cannot be read, or can only be read with settings other than the given settings.
    """
    recognised = Job()
    while True:
        try:
            options = Job({**declared, **recognised})
            resolved = source_of(source, options.get("input_format"), no_header=bool(options.get("no_header")))
            return read(resolved, options), recognised
        except MisreadError as error:
            found, skipped = Job(error.fixes[-1].settings), options.names("skip_rows")
            more = found.names("skip_rows")
            if {*skipped} & {*more} or found.keys() & {*options} - {"skip_rows"}:
                raise
            if more and misread is not None:
                where = f"{resolved.where}: "
                lines = error.problem.sentence.removeprefix(where)
                records = f"; if they are records: {setting('skip_rows', 'no-other')}"
                misread.append(Problem(f"{lines}; skipped: check that no person is among them{records}", assumed=True))
            rows = {"skip_rows": ",".join([*skipped, *more])} if more else {}
            recognised = Job({**recognised, **found, **rows})


def _to_check(recognised: Job) -> Problem:
    """Return what the owner must check if the data are read with detected settings."""
    read = f"read with {spelled(recognised)} (detected)"
    if recognised.get("input_format") in ("baskets", "spmf"):
        return Problem(f"{read}: check that each line is a set of items", assumed=True)
    characters = ["check the characters of names and values"] if "encoding" in recognised else []
    check = "; ".join([*characters, *(["check the column names"] if recognised.keys() - {"encoding"} else [])])
    if above := recognised.get("header_line", 1) - 1:
        check += f"; {counted(above, 'line')} above the header {'is' if above == 1 else 'are'} skipped"
    names = Fix({"header_line": 1}, "if line 1 contains the names")
    return Problem(f"{read}: {check}", [names] if "no_header" in recognised else [], assumed=True)


def columns_of(source: Source, declared: Job, paths: Sequence[str] = ()) -> AllColumns:
    """Read all columns, and `paths` into nested columns. Raise MisreadError if the header is a record."""
    if source.format == TABLES:
        raise InputError(f"{source.where}: the job names linked tables; inspect the file of each table")
    opened, uncertain = _opened(source, declared, paths)
    columns = {name: coded(column) for name, column in read_all_rows(opened, opened.names).items()}
    if uncertain:
        is_record = any(is_like_id(name) and _is_above_ids(column) for name, column in columns.items())
        _require_names(opened.where, not is_record or _are_above_figures(columns))
    if uncertain and not any(_declared(declared, role) for role in ROLES):
        _require_names(opened.where, not _occur_as_values(columns) or _are_above_figures(columns))
    stated = {name: value for name, value in declared.items() if value is not None}
    if Unit.of(stated.get("unit")) == (OPEN,):
        del stated["unit"]
    lists = {name: Job(stated).names(name, header=opened.names) for name in _OF_COLUMNS if stated.get(name)}
    return AllColumns(source, opened, columns, Job({**stated, **lists}))


def _value_problems(
    profiles: Sequence[Profile],
    roles: ProposedRoles,
    hierarchies: Mapping[str, HierarchySpec],
    null_words: Mapping[str, Sequence[str]],
    unread: Collection[str],
) -> list[Problem]:
    """Return the problems of the values. Columns in `unread` are not examined for nulls."""
    dropped = {name for name, role in roles.items() if role.role in (*OF_PERSONS, "drop", UNRECOGNIZED)}
    rules = {**{name: role.hierarchy or "" for name, role in roles.items()}, **hierarchies}
    sets = {name for name, role in roles.items() if role.role in SETS}
    shown = [column for column in profiles if column.name not in dropped or column.fields_by]
    return [
        *null_problems([column for column in profiles if column.name not in unread], dropped, rules, sets),
        *odd_codes(profiles),
        *word_problems(null_words),
        *missing_code_problems([column for column in profiles if roles[column.name].role != "drop"]),
        *pair_problems(profiles, roles),
        *list_problems(shown),
        *separator_problems(shown),
    ]


def _declared(declared: Job, role: str) -> Sequence[str]:
    """Return the columns to which settings give a role."""
    return Unit.of(declared.get(role)).columns if role == "unit" else declared.names(role)


def identifying_columns(candidates: Sequence[PossiblePerson], profiles: Sequence[Profile]) -> set[str]:
    """Return the columns that identify persons according to the candidates for the unit."""
    dates = {described.name for described in profiles if described.kind == "dates"}
    return {
        name
        for candidate in candidates
        if candidate.points >= SURE
        for name in candidate.columns
        if len(candidate.columns) == 1 or name not in dates  # a date identifies a person only together with a name
    }


def _keys(
    loaded: ArrowColumns,
    profiles: Mapping[str, Profile],
    candidates: Sequence[PossiblePerson],
    named: Sequence[tuple[str, ...]],
) -> frozenset[str]:
    """Return the columns that alone may identify a person, and the columns that correspond to them one to one."""
    repeated = [one.columns for one in candidates if one.repeats]
    of_persons = [
        columns for columns in named if any(is_about_a_person(name) or profiles[name].is_key for name in columns)
    ]
    keys = {columns[0] for columns in (*repeated, *of_persons) if len(columns) == 1}
    counts = {profiles[name].distinct for name in keys}
    alike = {name for name, one in profiles.items() if one.distinct in counts and are_values(loaded[name])}
    patterns = {pattern(loaded[name]) for name in keys & alike}
    return frozenset(name for name in alike if name in keys or pattern(loaded[name]) in patterns)


def column_names(source: Source, declared: Job) -> tuple[str, ...]:
    """Return the column names of a source. Raise MisreadError if other settings are recognized."""
    return tuple(_opened(source, declared)[0].names)


def head_of(source: Source, declared: Job) -> ArrowColumns:
    """Return the first rows of all columns. Raise MisreadError if other settings are recognized."""
    opened, _ = _opened(source, declared)
    return opened.head(opened.names)


def _opened(source: Source, declared: Job, paths: Sequence[str] = ()) -> tuple[OpenedSource, bool]:
    """Open a source with the given settings. Return the source, and True if the header may be a record."""
    stated = declared.only((*DIALECT_OPTIONS, "separator", "null", "normalize"))
    skipped = [kind for kind in declared.names("skip_rows") if kind != "no-id"]  # ids may be undeclared
    named = [name for role in ROLES for name in _declared(declared, role)]
    options = ReadOptions(**{**stated, "skip_rows": skipped}, keep=[*named, *paths])
    opened = open_source(source, options, declared.get("labels"))
    are_named = bool(named) and not options.absent(opened.names)
    if opened.misread and not are_named:
        raise MisreadError(f"{opened.where}: {opened.misread.sentence}", fixes=opened.misread.fixes)
    uncertain = opened.first_line and "header_line" not in declared and not are_named
    if uncertain and len(set(opened.names)) < len(opened.names):
        _require_names(opened.where, not any(map(is_like_id, opened.names)))
    genuine = not opened.first_line or are_headers(opened.names)
    Header(opened.where, opened.names, genuine).require_distinct()
    return opened, uncertain


def with_counts(
    loaded: ArrowColumns, names: Sequence[str]
) -> tuple[tuple[PossiblePerson, ...], tuple[tuple[str, ...], ...]]:
    """Return the columns that are offered as the person, with their counts over all rows, and the columns that are only
    named.
    """
    found = all_persons(loaded, names)
    offered = [one for one in found if one.is_offered]
    counts = [counted_in([loaded[name] for name in one.columns]) for one in offered]
    counted = [replace(one, given=rows, persons=persons) for one, (rows, persons) in zip(offered, counts, strict=True)]
    return tuple(counted), tuple(one.columns for one in found if one.repeats and not one.is_offered)


def _likely(candidates: Sequence[PossiblePerson]) -> Sequence[PossiblePerson]:
    """Return the candidates without the columns of recurring values under another header, if there are others."""
    return [one for one in candidates if one.meaning or one.precedes_rows(candidates)] or candidates


def _placeholders(data: AllColumns, candidates: Sequence[PossiblePerson]) -> dict[str, dict[str, int]]:
    """Return the values of ids that may mean a missing id, with their row counts, for each column that contains such
    values.
    """
    ids = {*data.declared.names("id"), *Unit(data.declared.names("unit")).columns}
    if not (ids or data.declared.get("unit")):
        ids = {
            name for candidate in _likely(candidates) for name in candidate.columns if not is_about(name, "quantities")
        }
    counts = {
        name: placeholder_counts(column) for name, column in data.columns.items() if name in ids and are_values(column)
    }
    return {name: of_column for name, of_column in counts.items() if of_column}


def mentioning(
    loaded: ArrowColumns, profiles: Sequence[Profile], candidates: Sequence[PossiblePerson]
) -> dict[str, str]:
    """Return the text and set columns that mention persons. Each is mapped to the column that contains the mentioned
    names or ids.
    """
    named = {
        candidate.columns[0]
        for candidate in candidates
        if len(candidate.columns) == 1 and candidate.meaning in PERSON_IDS
    }
    named |= {described.name for described in profiles if described.reaches == "name"}
    named.update(names_and_ids(described.name for described in profiles))
    plain = [name for name, column in loaded.items() if name in named and not holds_sets(column)]
    words = {name: words_of_persons(distinct_texts(loaded[name])) for name in plain}
    mentions = {}
    for described in profiles if words else ():
        column = loaded[described.name]
        if (
            described.kind in ("text", "sets")
            and described.name not in named
            and not (described.reaches or holds_sets(column))
        ):
            labels = distinct_texts(column)
            if one := next((name for name, names in words.items() if are_mentions(labels, names)), ""):
                mentions[described.name] = one
    return mentions


def _is_variant(label: str) -> bool:
    """Return True for the number or the place of a variant of a gene, such as ``rs1003`` and ``chr7:117559590``."""
    return re.match(r"[rs]s\d+$|chr\w{1,2}[:_]\d", label) is not None


def _require_names(where: str, genuine: bool) -> None:
    if not genuine:
        msg = f"{where}: the first line looks like a record, not a header"
        raise MisreadError(msg, fixes=[Fix({"no_header": True}, "if it is a record")])


def _is_above_ids(column: Any) -> bool:
    """Return True if the first rows of a column contain texts like ids, or contain no values."""
    values = [] if holds_sets(column) else arrow.unique(given_texts(column.slice(0, _FIRST_ROWS))).to_pylist()
    return not values or any(map(is_like_id, values))


def _are_above_figures(loaded: ArrowColumns) -> bool:
    """Return True if the first line is probably a header. In a header, the column names that are words above numbers,
    dates or codes outnumber the column names that also occur as values of their columns.
    """
    above, equal = 0, 0
    for name, column in loaded.items():
        values = [] if holds_sets(column) else column.slice(0, _FIRST_ROWS).to_pylist()
        equal += name in values and not _are_labels(name, values)
        texts = [str(value) for value in values if value not in (None, "")]
        figures = sum(any(map(str.isdigit, text)) for text in texts)
        above += any(map(str.isalpha, name)) and not any(map(str.isdigit, name)) and 2 * figures > len(texts)
    return above > equal


def _occur_as_values(loaded: ArrowColumns) -> bool:
    """Return True if column names occur as values in the first rows of their columns, in rows that do not repeat the
    header. A column may contain its name or blanks, if it is an answer that several persons choose.
    """
    first = {name: column.slice(0, _FIRST_ROWS).to_pylist() for name, column in loaded.items() if name}
    values = {name: column for name, column in first.items() if not _are_labels(name, column)}
    names = [*values]
    rows = zip(*values.values(), strict=True)
    return any(name == value for row in rows if [*row] != names for name, value in zip(names, row, strict=True))


def _are_labels(name: str, values: Sequence[Any]) -> bool:
    """Return True if some values are the column name, and the others are blank."""
    return {value or "" for value in values} == {name, ""}


def _with_given(names: Sequence[str], proposed: ProposedRoles, declared: Job) -> dict[str, ProposedRole]:
    """Return the roles that settings give to columns, and the proposed roles of the other columns."""
    roles, numeric = dict(proposed), frozenset(declared.names("numeric"))
    for role in ROLES:
        for name in _declared(declared, role):
            matching = [n for n in names if is_selected(n, name)] if name.endswith("*") else []
            for match in matching or [name]:
                before = proposed.get(match)
                alike = _SINGLE if role == "relational" else (role,)
                spec = before.hierarchy if before is not None and before.role in alike else None
                spec = RANGE if match in numeric else spec or (None if role == "items" else VALUES)
                roles[match] = ProposedRole(role, GIVEN, spec if role in ("items", "relational") else None)
    if any(declared.get(role) for role in SETS):  # the declared columns are the only sets
        for name, proposal in roles.items():
            if proposal.role == "items" and not proposal.is_given:
                roles[name] = ProposedRole("drop", "contains sets, but other columns are declared as the sets")
            elif proposal.role == "one_code" and not proposal.is_given:
                roles[name] = ProposedRole(
                    "drop", "contains a code per row, but other columns are declared as the sets"
                )
            elif proposal.role == "one_hot" and not proposal.is_given:
                roles[name] = ProposedRole(UNRECOGNIZED, "0 and 1, or crosses, which others may not know", VALUES)
    _settle_sensitive(roles)
    if declared.get("id") and declared.get("sensitive") and not declared.get("relational"):
        for name in [name for name, role in roles.items() if role.role == "relational"]:
            keep = Fix({"keep": [name]}, "to publish it unchanged")
            roles[name] = ProposedRole("drop", "buckets generalize no column", fixes=(keep,))
    return roles


def _with_hierarchies(
    roles: ProposedRoles, hierarchies: Mapping[str, HierarchySpec], numeric: Sequence[str]
) -> dict[str, ProposedRole]:
    """Return roles with the given hierarchies. A numeric column with a hierarchy other than ranges is then text."""
    texts = {name: spec if isinstance(spec, str) else "given" for name, spec in hierarchies.items()}
    return {
        name: replace(roles[name], hierarchy=text)
        for name, text in texts.items()
        if name in roles and name not in numeric and text != RANGE and roles[name].hierarchy in (RANGE, VALUES)
    }


def _settle_sensitive(roles: dict[str, ProposedRole]) -> None:
    """Drop proposed sets if the owner declares a sensitive column. Drop the sensitive column if the owner also declares
    sets.

    Models of a sensitive column do not protect sets, and models of sets do not protect a sensitive column.
    """
    sensitive = [name for name, role in roles.items() if role.is_declared_sensitive]
    sets = [name for name, role in roles.items() if role.role in SETS]
    stated = [name for name in sets if roles[name].is_given]
    for name in sensitive if stated else ():
        options = [setting("model", "klm"), setting("items", f"{','.join(stated)},{name}"), setting("sensitive_items")]
        way = f"to protect it: {' '.join(options)} {prefixed(name, 'VALUE')},..."
        roles[name] = ProposedRole("drop", f"sensitive, but models for sets of items do not protect it; {way}")
    for name in sets if sensitive and not stated else ():
        roles[name] = ProposedRole("drop", _NO_SETS)


_NO_SETS = "contains items, but models that protect a sensitive column do not protect sets"
_SINGLE = ("relational", "sensitive", UNRECOGNIZED)
"""Proposed roles with hierarchies that also suit a quasi-identifier."""
_CODE = "[].code"
"""Path of the codes in a nested column, after its name."""
_FIRST_ROWS = 200
_OF_COLUMNS = (*ROLES, "numeric", "publish_as_is")
"""Settings that name columns."""
