"""Propose complete commands for a rejected run, which correct all faults visible in options and data.

A run stops at its first fault. A complete command states the settings of the user, corrected by a proposal of `inspect`
for the same data:

* If only the unit of privacy is missing, there is a command for each possible unit (`_with_unit`).
* If roles are missing, or the data contradict them, the roles of the proposal are used (`_with_roles`). A column may
  differ within a person, for example. The model then follows from the roles.
* If the declared sets of items would disclose persons, the other declared columns are published without them.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from anonset.columns.roles import OF_PERSONS, ROLES, SETS
from anonset.data import Table
from anonset.data.hierarchies.hierarchy_rules import VALUES
from anonset.data.redacted_repr import RedactedRepr
from anonset.errors import (
    AnonsetError,
    DisclosureError,
    InputError,
    MisreadError,
    MissingRoleError,
    Problem,
    UndeclaredUnitError,
    foreign,
)
from anonset.jobs.proposals.proposal import Proposal
from anonset.jobs.proposals.proposed_reading import proposal_for
from anonset.jobs.proposals.unit_reader import READING
from anonset.jobs.reading import to_inspect
from anonset.jobs.runs.run import FileRun
from anonset.personal_text import is_like_id
from anonset.reading.file_options import ROW, UNKNOWN
from anonset.reading.roles import is_selected, names_in
from anonset.reading.sources.source import source_of
from anonset.release.memory import memory_for, memory_limit
from anonset.settings.model_choices import BY_ROLES, guarantee_for, sizes_of, takes_sensitive
from anonset.settings.overriding import OPTIONS_OF_ROLES, make_settings
from anonset.settings.parameters import MODELS, SIZES
from anonset.settings.settings import InputSettings, Settings, is_job
from anonset.spelling import as_typed, counted

_MOST_COLUMNS = 500
_OF_UNITS = ("drop", "unit", "separator", "numeric", "null", "skip_rows")
"""Settings that depend on the unit."""
_PROPOSED_ANEW = ("relational", "sensitive", "keep", "numeric", "hierarchy")
"""Declared settings that the proposal may change. `--drop`, sets and ids remain."""


def complete_commands(settings: Settings, options: Mapping[str, Any], error: InputError) -> list[str]:
    """Return complete commands for a rejected run, one per possible unit, each with its assumptions.

    Commands that would be rejected before the search, or repeat the rejected run, are left out. If no command
    remains, the reason is returned, unless the error concerns the options.

    Parameters
    ----------
    settings, options
        Settings of the rejected run, and its flags with ``input``.
    error
        Error of the rejected run.
    """
    if settings.cluster or not Path(settings.out).parent.is_dir():  # whether a cluster is reachable is not known here
        return []
    with suppress(InputError):  # the run itself reports errors in the data
        typed, options = options, _with_parameters(options)
        settings = settings if options == typed else make_settings(options)
        run = FileRun(settings)
        run.require_apart()
        run.destination.require_free(by_command=True)
        run.require_disk()
        limit = memory_limit(options.get("memory_limit"))
        if limit is None or memory_for(run.source.size) <= limit:
            return _commands(options, typed, error)
    return []


@contextmanager
def naming_units(command: str, source: str, options: Mapping[str, Any], more: str = "") -> Iterator[None]:
    """Add complete commands to the error that the unit is not declared, one per possible unit.

    Parameters
    ----------
    command
        Command that publishes nothing, such as ``suggest``.
    options
        Flags of the command.
    more
        Further flags, quoted for a shell.
    """
    try:
        yield
    except UndeclaredUnitError as error:
        if not is_job(source):
            error.commands = [f"{line}{foreign(more)}" for line in _unit_commands(command, source, options)]
        raise


def _unit_commands(command: str, source: str, options: Mapping[str, Any]) -> list[str]:
    roles = {name: value for name, value in options.items() if name in InputSettings.model_fields}
    run = _with_parameters({"input": source, "out": f"{source}-safe", **roles})
    lines = list[str]()
    with suppress(AnonsetError):  # the command itself reports errors in the data
        data = _inspected(run)
        run = data.with_names(run)
        for proposal in _readable(data.proposal(run), run):
            if (settings := _with_unit(run, proposal)) is None:
                continue
            found = {name: value for name, value in settings.items() if name in _OF_UNITS and value}
            for unit, condition in _units(proposal):
                flags = {name: value for name, value in options.items() if name not in (*_OF_UNITS, "hierarchy")}
                typed = as_typed(command, source, {**flags, **found, "unit": unit}, settings["hierarchy"])
                lines.append(f"complete command{condition}: {foreign(typed)}")
    return lines


def _with_parameters(options: Mapping[str, Any]) -> dict[str, Any]:
    """Add the missing parameters of the model to the options. If no model is named, add the model that fits the column
    roles.

    If a model of sensitive items is named, but no item is sensitive, use the model for sets instead.
    """
    sizes = _sizes(options)
    stated = {name: value for name, value in options.items() if value is not None}
    if options.get("model") == "klm" and options.get("sensitive") and not options.get("sensitive_items"):
        stated = {name: value for name, value in stated.items() if name not in ("algorithm", "l", "delta")}
        stated["model"] = "kkm"
    if not (stated.get("model") or stated.get("algorithm")):
        added = guarantee_for(stated, sizes["k"], sizes["m"], tuples=0)
    elif stated.get("model") in BY_ROLES and not stated.get("algorithm"):
        added = {name: sizes[name] for name in sizes_of(stated["model"])}
    else:
        added = {}
    return stated | {name: n for name, n in added.items() if name not in stated}


def _sizes(options: Mapping[str, Any]) -> dict[str, int]:
    """Return the stated size parameters of the model, and the defaults of the others."""
    return {name: int(options.get(name) or size) for name, size in SIZES.items()}


def _commands(options: Mapping[str, Any], typed: Mapping[str, Any], error: InputError) -> list[str]:
    model = MODELS.get(str(options.get("model")))
    if model is not None and "sensitive" in model.model.protects:  # in buckets, ids repeat by design
        return []
    data = _inspected(options)
    options = data.with_names(options)
    first = data.proposal(options)
    work = first if _readable(first, options) else data.proposal({**options, "differing": "first"})
    lines, faults = _lines(options, typed, work)
    others = any(options.get(role) for role in ("relational", "sensitive", "keep"))
    if not lines and others and any(isinstance(fault, DisclosureError) for fault in faults):
        lines = _lines(options, typed, data.proposal(_without_sets(options)))[0]
    reasons = [fault.problem for fault in faults] if _readable(work, options) else _problems(first)
    of_columns = isinstance(error, MisreadError | MissingRoleError)
    if not lines and (of_columns or not (typed.get("model") or typed.get("algorithm"))):
        lines = [f"no complete command: {reason}" for reason in reasons[:1] if of_columns and reason != error.problem]
        lines += to_inspect(options["input"], typed)
    return lines


@dataclass(frozen=True)
class _Inspected(RedactedRepr):
    """Columns of the input of a rejected run, as `inspect` reads them without roles."""

    columns: tuple[str, ...]
    one_code: frozenset[str]
    """Columns that contain a code each, and are proposed as a set together."""
    reading: Mapping[str, Any]
    """Stated and recognized reading options."""

    def with_names(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """Return options in which each given role is a list of column names."""
        given = [name for name in (*ROLES, "publish_as_is") if options.get(name)]
        return {**options, **{name: [*names_in(self.columns, options[name])] for name in given}}

    def proposal(self, options: Mapping[str, Any]) -> Proposal:
        """Return the proposal of `inspect` for the columns that the user names in any role. It may change the role of a
        column, except for sets, ids and dropped columns. If the user names no column, it is for all columns.
        """
        specs, items = options.get("hierarchy", {}), options.get("items", ())
        stated = {name: options[name] for name in (*SETS, "id", "unit", "differing") if options.get(name)}
        if len(items) > 1 and {*items} <= self.one_code - {*specs}:
            stated = {name: value for name, value in stated.items() if name != "items"} | {"one_code": items}
        named = [name for role in ROLES for name in options.get(role, ())]
        dropped = [name for name in options.get("drop", ()) if name in self.columns]
        if not {*named} <= {*dropped, *options.get("id", ()), *options.get("unit", ())}:
            unnamed = [name for name in self.columns if not any(is_selected(name, pattern) for pattern in named)]
            stated["drop"] = [*dropped, *unnamed]
        published = {name: "relational" for role in ("relational", "keep") for name in options.get(role, ())}
        published |= dict.fromkeys(options.get("sensitive", ()), "sensitive")
        return proposal_for(options["input"], {**self.reading, **stated}, specs, _sizes(options)["k"], published)


def _inspected(options: Mapping[str, Any]) -> _Inspected:
    """Inspect the input of a rejected run without roles."""
    _require_few_columns(options)
    reading = {name: options[name] for name in (*READING, "missing") if options.get(name)}
    found = proposal_for(options["input"], reading, {}, _sizes(options)["k"])
    reading |= found.recognised
    reading["skip_rows"] = [rows for rows in names_in((), reading.get("skip_rows")) if rows != "no-id"]
    columns = tuple(column.profile.name for column in found.columns)
    return _Inspected(columns, frozenset(found.settings.get("one_code", ())), reading)


def _lines(
    options: Mapping[str, Any], typed: Mapping[str, Any], work: Proposal
) -> tuple[list[str], list[AnonsetError]]:
    """Return a line for each complete command, and the errors of the commands that would be rejected."""
    lines, faults = list[str](), list[AnonsetError]()
    for proposal in _readable(work, options):
        is_open = bool(work.answers)
        settings = _with_unit(options, proposal) if is_open else None
        if settings is None:
            settings = _with_roles(options, proposal)
            if settings is None or _are_same(settings, _stated(options, typed, proposal)):
                continue
            if fault := _fault_of(settings, proposal.table if _reads_as(proposal, settings) else None):
                faults.append(fault)
                continue
        other = (typed.get("model") or typed.get("algorithm")) and settings.get("model") != options.get("model")
        model_text = f", with model {settings['model']}" if other else ""
        for unit, condition in _units(proposal) if is_open else [(settings.get("unit", []), "")]:
            changed = {name: value for name, value in settings.items() if name not in ("input", "hierarchy")}
            command = as_typed("anonymize", options["input"], {**changed, "unit": unit}, settings["hierarchy"])
            lines.append(f"complete command{condition}{_moved(options, settings)}{model_text}: {foreign(command)}")
    return lines, faults


def _with_unit(options: Mapping[str, Any], proposal: Proposal) -> dict[str, Any] | None:
    """Return the settings of the user with the unit of a proposal.

    None if the proposal does not publish the same columns, or the run would be rejected before the search. Kept columns
    next to relational columns can be scanned only after the search, and must be declared.
    """
    roles = ("relational", *SETS, "sensitive")
    if any(not {*options.get(role, ())} <= {*names_in((), proposal.settings.get(role))} for role in roles):
        return None
    if options.get("relational") and not {*options.get("keep", ())} <= {*options.get("publish_as_is", ())}:
        return None
    unit = _units(proposal)[0][0]
    separator = ("separator",) if any(options.get(role) for role in SETS) else ()
    added = (*separator, "numeric", *(("null", "skip_rows") if proposal.skipped else ()))
    found = {name: proposal.settings[name] for name in added if proposal.settings.get(name)}
    drop = [name for name in options.get("drop", ()) if name not in unit]
    hierarchies = {**_hierarchies(proposal.settings), **options.get("hierarchy", {})}
    settings = {**options, **found, "drop": drop, "unit": unit, "hierarchy": hierarchies}
    return None if _fault_of(settings) else settings


def _with_roles(options: Mapping[str, Any], proposal: Proposal) -> dict[str, Any] | None:
    """Return the settings of the user with the roles of a proposal, and the model that fits them. None if the settings
    would omit a hierarchy that the user declared.
    """
    settings, columns = dict(proposal.settings), [column.profile.name for column in proposal.columns]
    # publish only the sets that the user declared
    if settings.get("relational") and not any(options.get(role) for role in SETS):
        sets = [name for role in SETS for name in settings.pop(role, [])]
        made = [name for name in columns if any(is_selected(name, pattern) for pattern in sets)]
        settings["drop"] = [*settings.get("drop", ()), *made]
        settings = {name: value for name, value in settings.items() if name not in OPTIONS_OF_ROLES}
    if not any(settings.get(role) for role in SETS):
        settings.pop("separator", None)
    published = {name for role in (*SETS, "relational") for name in settings.get(role, ())}
    trees = settings.pop("hierarchy", {})
    stated: Mapping[str, Any] = options.get("hierarchy", {})
    if any(trees.get(name) != spec for name, spec in stated.items() if name in published or name not in columns):
        return None
    sizes = _sizes(options)
    must = guarantee_for(settings, sizes["k"], sizes["m"], tuples=0)
    remaining = {name: value for name, value in options.items() if name not in (*ROLES, *_PROPOSED_ANEW)}
    if _shape(must["model"]) != _shape(options.get("model")):
        general = Settings.model_fields.keys() - {"model", "algorithm"}
        remaining = {name: value for name, value in remaining.items() if name in general} | must
    return {**remaining, **settings, "hierarchy": _hierarchies({**settings, "hierarchy": trees})}


def _hierarchies(settings: Mapping[str, Any]) -> dict[str, str]:
    """Return the hierarchies of the published sets and relational columns, except those that list the values."""
    published = {name for role in (*SETS, "relational") for name in settings.get(role, ())}
    published |= {"items"} if any(settings.get(role) for role in SETS) else set()
    trees = settings.get("hierarchy", {})
    return {name: str(spec) for name, spec in trees.items() if spec != VALUES and name in published}


def _reads_as(proposal: Proposal, settings: Mapping[str, Any]) -> bool:
    """Return True if settings read the table of the proposal, and drop none of its sets."""
    return all(settings.get(role) == proposal.settings.get(role) for role in SETS)


def _fault_of(complete: Mapping[str, Any], table: Table | None = None) -> AnonsetError | None:
    """Return the error that a run with complete settings would raise before the search. None if the run would not
    fail.

    Parameters
    ----------
    table
        Table of the proposal. If None, the input is read with the settings.
    """
    try:
        FileRun(make_settings(complete)).check(table)
    except AnonsetError as error:
        return error
    return None


def _readable(work: Proposal, options: Mapping[str, Any]) -> list[Proposal]:
    """Return the proposals for all possible units that read records."""
    if not options.get("separator") and any(
        column.role == "items" and column.profile.other_separators for column in work.columns
    ):
        return []  # no separator splits all cells, so the file must be changed first
    return [proposal for proposal in work.answers or (work,) if proposal.table is not None and proposal.table.n]


def _problems(work: Proposal) -> list[Problem]:
    """Return the last problem of the proposal as a list. If a column name looks like a data value, return an empty
    list, because the problem could show the value.
    """
    unnamed = any(is_like_id(column.profile.name) for column in work.columns)
    return [] if unnamed else [*work.problems[-1:]]


def _without_sets(options: Mapping[str, Any]) -> dict[str, Any]:
    sets = [name for role in SETS for name in options.get(role, ())]
    remaining = {name: value for name, value in options.items() if name not in SETS}
    return {**remaining, "drop": [*options.get("drop", ()), *sets]}


def _stated(options: Mapping[str, Any], typed: Mapping[str, Any], proposal: Proposal) -> dict[str, Any]:
    """Return the settings of the rejected run: those that were typed, and the role of the only column of a format
    without column names.
    """
    stated = {name: value for name, value in options.items() if typed.get(name) is not None or name in ROLES}
    single = proposal.source is not None and proposal.source.is_one_column
    if single and not any(options.get(role) for role in ROLES):
        stated["items"] = [column.profile.name for column in proposal.columns]
    return stated


def _units(one: Proposal) -> list[tuple[list[str], str]]:
    """Return the values of the setting `unit` for which a proposal holds, each with its condition."""
    n = 0 if one.table is None else one.table.n
    if one.unit:
        named = " with ".join(map(repr, one.unit))
        return [(list(one.unit), f", if each {named} is a person ({counted(n, 'person')})")]
    by_row = f", if each of the {counted(n, 'row')} is a different person"
    return [([ROW], by_row), ([UNKNOWN], ", if the data do not say who is a person")]


def _moved(options: Mapping[str, Any], settings: Mapping[str, Any]) -> str:
    """Return a note about the declared columns that a command drops or uses as the id."""
    stated = [name for role in ROLES if role not in (*OF_PERSONS, "drop") for name in options.get(role, ())]
    dropped, persons = ([repr(name) for name in stated if name in settings.get(role, ())] for role in ("drop", "unit"))
    return (f", dropping {', '.join(dropped)}" if dropped else "") + (
        f", with {', '.join(persons)} as the person" if persons else ""
    )


def _require_few_columns(options: Mapping[str, Any]) -> None:
    """Reject data for whose columns a proposal would take long, and whose complete command nobody would read.

    Raises
    ------
    InputError
        If the first rows have many values, or the data cannot be read.
    """
    with suppress(MisreadError):  # the proposal finds the settings
        source = source_of(options["input"], options.get("input_format"), no_header=bool(options.get("no_header")))
        if not source.is_one_column and source.size.values > _MOST_COLUMNS * source.size.records:
            msg = f"{source.where}: more than {_MOST_COLUMNS} columns"
            raise InputError(msg)


def _shape(model: str | None) -> tuple[frozenset[str], bool] | None:
    """Return the kinds of columns that a model protects, and True if the model has a parameter for a sensitive
    column.
    """
    if model not in MODELS:
        return None
    return MODELS[model].model.protects, takes_sensitive(model)


def _are_same(settings: Mapping[str, Any], options: Mapping[str, Any]) -> bool:
    """Return True if two settings are equal except for hierarchies."""
    return _comparable(settings) == _comparable(options)


def _comparable(settings: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: frozenset(value) if isinstance(value, list) else str(value)
        for name, value in settings.items()
        if value not in (None, False, [], {}) and name not in ("hierarchy", "numeric")
    }
