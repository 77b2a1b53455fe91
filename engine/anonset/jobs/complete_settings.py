"""Complete settings for a rejected run: the stated settings, corrected by the proposal of `inspect`.

A run stops at its first fault. The complete settings correct all faults visible in options and data: the unit of
privacy, columns that differ within a person, the model for the remaining columns, and their hierarchies.
"""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

from anonset.data import Table
from anonset.errors import AnonsetError, InputError, MisreadError, foreign
from anonset.jobs.beside import read_after
from anonset.jobs.input import input_of, request_of, require_disk
from anonset.jobs.job import Job
from anonset.jobs.proposal_trial import READING, Proposal
from anonset.jobs.proposed_reading import ROLES, proposal_for
from anonset.reading.persons.candidates import ASKED_FROM
from anonset.reading.roles import names_in
from anonset.reading.source import source_of
from anonset.release.continuation import read_earlier
from anonset.release.disclosure_scan import declared
from anonset.release.memory import memory_for, memory_limit
from anonset.release.staging import require_apart
from anonset.release.upload import destination, require_free_destination
from anonset.settings.job_text import guarantee_for
from anonset.settings.overriding import make_settings
from anonset.settings.parameters import MODELS, default_algorithm, make_algorithm
from anonset.settings.settings import Settings
from anonset.spelling import as_typed, counted

_SETS = ("items", "one_hot", "one_code")
_SINGLE = ("baskets", "dat", "spmf")
"""Formats with a single set-valued column, which needs no role."""
_RECOGNISED = ("encoding", "header_line", "input_format", "skip_rows")
"""Reading settings that are recognized."""
_PROPOSED_ANEW = ("relational", "sensitive", "keep", "numeric", "hierarchy")
"""Stated settings that the proposal may change; `--drop`, sets and ids stay."""


def complete_commands(settings: Settings, given: Mapping[str, Any], error: InputError) -> list[str]:
    """Return complete commands for a rejected run, one per possible unit, each with its assumptions.

    Commands that would fail with the same error, or repeat the rejected run, are left out.

    Parameters
    ----------
    settings, given
        Settings of the rejected run, and its flags with ``input``.
    error
        Error of the rejected run.
    """
    if settings.cluster or not Path(settings.out).parent.is_dir():  # whether a cluster answers is not known here
        return []
    with suppress(InputError):  # the run reports its own error; without a proposal there is nothing to add
        require_apart(settings.work_dir, *destination(settings.out, settings.private), settings.input)
        name = settings.algorithm or default_algorithm(settings.model, relational=bool(settings.relational))
        algorithm = make_algorithm(settings.model, name, settings.algorithm_parameters())
        try:
            source = source_of(given["input"], given.get("input_format"), no_header=bool(given.get("no_header")))
        except MisreadError as misread:
            source = source_of(given["input"], misread.settings.get("input_format"))
        request = request_of(settings, algorithm, source.format)
        require_free_destination(request.out, request.private_folder, by_command=True)
        require_disk(settings, input_of(source, settings, algorithm), request, None)
        size, limit = source.size, memory_limit(given.get("memory_limit"))
        if limit is None or memory_for(size) <= limit:
            return _commands(given, error)
    return []


def _commands(given: Mapping[str, Any], error: InputError) -> list[str]:
    model = MODELS.get(str(given.get("model")))
    if model is not None and "sensitive" in model.model.protects:  # ids of buckets repeat by design
        return []
    found = _readable(given) or _readable({**given, "rows_are_persons": True})
    lines = []
    for one in found:
        asked = len(found) > 1 or (one.table is not None and bool(one.table.repeated) and not one.unit)
        many = one.table is not None and one.table.n >= ASKED_FROM
        beside = many and any(one.settings.get(role) for role in ("relational", "keep", "drop"))
        asked = asked or (beside and not one.unit and not given.get("rows_are_persons"))
        if not (asked or given.get("rows_are_persons")):  # the run needs no declaration
            one.settings.pop("rows_are_persons", None)
        if asked and one.unit and one.table is not None and one.table.repeated:  # another identifier repeats
            one.settings["rows_are_persons"] = True
        columns = [column.profile.name for column in one.columns]
        given = {**given, **{role: list(names_in(columns, given[role])) for role in ROLES if given.get(role)}}
        settings = _complete(given, one)
        stated = given if any(given.get(role) for role in ROLES) else {**given, **_only_column(one)}
        if settings is not None and not _are_same(settings, stated) and not _repeats(error, settings, one.table):
            own = {name: value for name, value in settings.items() if name not in ("input", "hierarchy")}
            command = as_typed("anonymize", given["input"], own, settings["hierarchy"])
            who = f", {_unit_text(one)}" if asked else ""
            lines.append(f"complete command{who}{_moved(given, settings)}: {foreign(command)}")
    return lines


def _repeats(error: InputError, complete: Mapping[str, Any], table: Table | None) -> bool:
    """Return True if a run with complete settings fails with the same error before its search."""
    try:
        settings = make_settings(complete)
        parameters = settings.algorithm_parameters()
        name = settings.algorithm or default_algorithm(settings.model, relational=bool(settings.relational))
        algorithm = make_algorithm(settings.model, name, parameters)
        source = settings.source(settings.input)
        if settings.after is not None:
            read_after(settings, source, algorithm.model)
        if table is not None:
            earlier = None if settings.recoding is None else read_earlier(settings.recoding)
            layout = request_of(settings, algorithm, source.format).layout
            job = Job(layout, earlier=earlier, ceilings=settings.ceiling)
            job.prepare(declared(table, settings.publish_as_is), settings.hierarchy, algorithm)
    except AnonsetError as again:
        return str(again) == str(error)
    return False


def _readable(given: Mapping[str, Any]) -> list[Proposal]:
    """Return the proposals with which the data can be read, one per possible unit."""
    work = _proposed(given)
    return [one for one in work.answers or (work,) if one.table is not None and one.table.n]


def _only_column(one: Proposal) -> dict[str, list[str]]:
    """Return the role of the column in a format that has a single set-valued column."""
    single = one.source is not None and one.source.format in _SINGLE
    return {"items": [column.profile.name for column in one.columns]} if single else {}


def _unit_text(one: Proposal) -> str:
    persons = "" if one.table is None else f" ({counted(one.table.n, 'person')})"
    return f"if each {' with '.join(map(repr, one.unit)) or 'row'} is a person{persons}"


def _moved(given: Mapping[str, Any], settings: Mapping[str, Any]) -> str:
    """Describe the stated columns that a command drops or uses as the id."""
    stated = [name for role in ROLES if role not in ("id", "drop") for name in names_in((), given.get(role))]
    dropped, ids = ([repr(name) for name in stated if name in settings.get(role, ())] for role in ("drop", "id"))
    return (f", dropping {', '.join(dropped)}" if dropped else "") + (
        f", with {', '.join(ids)} as the id" if ids else ""
    )


def _proposed(given: Mapping[str, Any]) -> Proposal:
    """Return the proposal for the named columns; other columns are dropped."""
    k, specs = int(given.get("k") or 5), given.get("hierarchy", {})
    reading = {name: given[name] for name in (*READING, "missing") if given.get(name)}
    recognised = _recognised(given["input"], reading, k)
    reading |= {name: recognised.settings[name] for name in _RECOGNISED if name in recognised.settings}
    reading["skip_rows"] = [rows for rows in names_in((), reading.get("skip_rows")) if rows != "no-id"]
    columns = [column.profile.name for column in recognised.columns]
    given = {**given, **{role: list(names_in(columns, given[role])) for role in ROLES if given.get(role)}}
    named = [name for role in ROLES for name in given.get(role, ())]
    dropped = [name for name in names_in((), given.get("drop")) if name in columns]
    unnamed = [name for name in columns if not any(_matches(name, one) for one in named)]
    stated = {name: given[name] for name in (*_SETS, "id", "group") if given.get(name)}
    sets = names_in(columns, given.get("items"))
    if len(sets) > 1 and {*sets} <= {*recognised.settings.get("one_code", ())} - {*specs}:
        stated = {name: value for name, value in stated.items() if name != "items"} | {"one_code": sets}
    drop = {} if set(named) <= {*dropped, *names_in((), given.get("id"))} else {"drop": [*dropped, *unnamed]}
    published = {name: "relational" for role in ("relational", "keep") for name in names_in((), given.get(role))}
    published |= dict.fromkeys(names_in((), given.get("sensitive")), "sensitive")
    return proposal_for(given["input"], {**reading, **stated, **drop}, specs, k, published)


def _recognised(source: Any, reading: Mapping[str, Any], k: int) -> Proposal:
    """Return the proposal for all columns, with the recognized reading settings."""
    try:
        return proposal_for(source, reading, {}, k)
    except MisreadError as error:  # a footer, in addition to rows already skipped
        rows = [*names_in((), reading.get("skip_rows")), *names_in((), error.settings.get("skip_rows"))]
        return proposal_for(source, {**reading, **error.settings, **({"skip_rows": rows} if rows else {})}, {}, k)


def _matches(column: str, name: str) -> bool:
    return column == name or (name.endswith("*") and column.startswith(name[:-1]))


def _complete(given: Mapping[str, Any], one: Proposal) -> dict[str, Any] | None:
    """Return the settings of a run for a proposal; None if they would omit a stated hierarchy."""
    settings = dict(one.settings)
    if settings.get("relational") and not any(given.get(role) for role in _SETS):  # no sets other than the stated ones
        made = [name for role in _SETS for name in settings.pop(role, [])]
        settings["drop"] = [*settings.get("drop", ()), *made]
    published = {name for role in (*_SETS, "relational") for name in settings.get(role, ())}
    trees = settings.pop("hierarchy", {})
    stated: Mapping[str, Any] = given.get("hierarchy", {})
    if any(trees.get(name) != spec for name, spec in stated.items() if name in published or name == "items"):
        return None
    must = guarantee_for(settings, int(given.get("k") or 5), int(given.get("m") or 2), tuples=0)
    kept = {name: value for name, value in given.items() if name not in (*ROLES, *_PROPOSED_ANEW)}
    if _shape(must["model"]) != _shape(given.get("model")):
        general = Settings.model_fields.keys() - {"model", "algorithm"}
        kept = {name: value for name, value in kept.items() if name in general} | must
    hierarchies = {n: str(spec) for n, spec in trees.items() if spec != "values" and (n in published or n == "items")}
    return {**kept, **settings, "hierarchy": hierarchies}


def _shape(model: str | None) -> tuple[frozenset[str], bool] | None:
    """Return the parts of the data that a model protects, and whether it has one sensitive column."""
    if model not in MODELS:
        return None
    found = MODELS[model].model
    return found.protects, is_dataclass(found) and any(field.name == "sensitive" for field in fields(found))


def _are_same(settings: Mapping[str, Any], given: Mapping[str, Any]) -> bool:
    """Return True if two settings read and publish the columns in the same way, apart from hierarchies."""
    return _comparable(settings) == _comparable(given)


def _comparable(settings: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: frozenset(value) if isinstance(value, list) else str(value)
        for name, value in settings.items()
        if value not in (None, False, [], {}) and name not in ("hierarchy", "numeric")
    }
