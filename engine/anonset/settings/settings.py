"""The settings of a run, from flags and a file, validated together so that all errors are named at once."""

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError, create_model

from anonset.algorithms.registry import ALGORITHMS
from anonset.errors import InputError
from anonset.settings.binding import numeric_columns
from anonset.settings.parameters import GENERAL, MODELS, Parameter, option, parameters
from anonset.settings.readers import Names, WrittenFloat
from anonset.settings.reading import ReadingSettings
from anonset.spelling import meant, setting

_Settings = TypeVar("_Settings", bound=BaseModel)
_DEFAULTS = ", ".join(f"{name} ({entry.algorithm})" for name, entry in MODELS.items())


class ColumnSettings(BaseModel):
    """The role of each column."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    items: Names = Field([], description="Set-valued column (several are joined into one).")
    relational: Names = Field([], description="Quasi-identifiers, separated by commas.")
    numeric: Names = Field([], description="Columns that hold numbers; all others are text.")
    sensitive: str | None = Field(None, description="Sensitive column.")
    id: Names = Field([], description="Columns that identify the person; not published.")
    keep: Names = Field([], description="Columns to publish as they are: the owner's decision.")
    drop: Names = Field([], description="Columns to leave out.")


class RoleSettings(ReadingSettings, ColumnSettings):
    """How a file is read, the role of each of its columns, and what their owner answers for."""

    rows_are_persons: bool = Field(
        False, description="Each row is a person, although an identifier repeats: declared in the attestation."
    )
    identifying_as_declared: bool = Field(
        False, description="Names, e-mail addresses and IBANs are published as declared: so says the attestation."
    )

    def read_options(self) -> dict[str, Any]:
        """Return the arguments of `anonset.io.read.read`."""
        found = self.model_dump(include=set(RoleSettings.model_fields))
        return {**found, "items": self.items or None}


class InputSettings(RoleSettings):
    """A file with the roles of its columns, and their hierarchies."""

    input: str = Field(description="Data set: CSV, TSV, Parquet or FIMI (.dat); also a folder, a glob or an address.")
    hierarchy: dict[str, str] = Field(
        {},
        description="COL=SPEC: a file, halves:frequency, balanced:F, or a rule (prefix:1,3 mask:3,1 bins:0,18,65 "
        "date:month,year); for a relational column also range or values; repeatable.",
    )

    def read_options(self) -> dict[str, Any]:
        """Return the arguments of `anonset.io.read.read`; a column whose domain is ``range`` holds numbers."""
        found = super().read_options()
        return {**found, "numeric": list(dict.fromkeys([*self.numeric, *numeric_columns(self.hierarchy)]))}


class Settings(InputSettings):
    """The settings of `anonset anonymize`; the parameters of the algorithms are added by `settings_model`."""

    out: str = Field(description="New directory for the publication.")
    model: str | None = Field(None, description=f"What must hold (in parentheses the default algorithm): {_DEFAULTS}.")
    algorithm: str | None = Field(None, description=f"How: {', '.join(ALGORITHMS)}.")
    max_loss: float | None = Field(
        None,
        ge=0,
        le=1,
        description="Refuse to publish above this loss: NCP; Rum of relational data; grouping loss.",
    )
    allow_worthless: bool = Field(
        False, description="Publish although every protected column would show one symbol alone: refused otherwise."
    )
    order: Literal["sorted", "input"] = Field("sorted", description="Order of the published rows.")
    symbols: Literal["auto", "members", "short"] = Field(
        "auto", description="Name sets of items or values by their members, by short codes, or codes above 8 members."
    )
    recoding: str | None = Field(
        None, description="OUT.private of an earlier release, to go on from: its names keep their meaning."
    )
    format: Literal["csv", "parquet", "dat"] | None = Field(
        None, description="Format of the data; default: as the input."
    )
    part_rows: int | None = Field(
        None,
        ge=1,
        description="Write the data in parts of so many rows, OUT/published/part-00000.*; default: one file.",
    )
    seed: int | None = Field(None, ge=0, description="Seed of whatever is random.")
    workers: int | None = Field(None, ge=1, description="Number of threads; default: one a core.")
    private: str | None = Field(None, description="Directory for what must not be handed on; default: OUT.private.")
    if_exists: Literal["error", "skip"] = Field(
        "error", description="Where OUT exists: refuse; or skip, if it is of the same settings, data and versions."
    )
    accept_undecided: bool = Field(False, description="Publish although the check could not be finished.")
    budget: int | None = Field(None, ge=0, description="Largest number of itemset occurrences to count in verifying.")
    trace: bool = Field(False, description="Put the decisions of the search into the private report.")
    memory_limit: str | None = Field(
        None, description="Run by blocks, or refuse, what needs more, such as 8G; default: what is available."
    )
    work_dir: str | None = Field(
        None,
        description="Run by blocks in this directory, new or empty; what is made is removed unless the run fails. "
        "Default: a temporary one.",
    )
    resume: bool = Field(False, description="Go on from what a run that was killed left in the work directory.")
    cluster: str | None = Field(
        None, description="Search on the workers of a dask scheduler at this address, or on N processes: local:N."
    )

    def algorithm_parameters(self) -> dict[str, Any]:
        """Return the given parameters of the algorithm."""
        own = set(type(self).model_fields) - set(Settings.model_fields)
        return self.model_dump(include=own | GENERAL, exclude_none=True)


@cache
def settings_model(*algorithms: str) -> type[Settings]:
    """Return the settings with a field for every parameter of some algorithms, or of all that are registered."""
    return with_parameters(Settings, parameters(*algorithms))


def with_parameters(base: type[Any], found: Mapping[str, Parameter]) -> type[Any]:
    """Return settings with an optional field for every parameter that they do not have yet."""
    added: dict[str, Any] = {
        name: (parameter.type | None, Field(None, description=f"{parameter.text} [{', '.join(parameter.users)}]"))
        for name, parameter in found.items()
        if name not in base.model_fields
    }
    made: type[Any] = create_model(base.__name__, __base__=base, **added)
    return made


def read_config(path: str | Path) -> dict[str, Any]:
    """Read settings from a TOML file; a key is an option's name, with hyphens or underscores.

    Raises
    ------
    InputError
        If there is no such file, or it is no TOML.
    """
    from anonset.io.files import require_file

    require_file(Path(path))
    try:
        with Path(path).open("rb") as file:
            found = tomllib.load(file, parse_float=WrittenFloat)
    except ValueError as error:  # of TOML, of UTF-8, of a number with thousands of digits
        msg = f"config file {str(path)!r} is no valid TOML: {error}"
        raise InputError(msg) from None
    return {key.replace("-", "_"): value for key, value in found.items()}


def make_settings(
    flags: Mapping[str, Any], job: Mapping[str, Any] | None = None, model: type[Settings] | None = None
) -> Settings:
    """Validate flags over the settings of a job file; flags win.

    Parameters
    ----------
    flags
        Settings by name; None stands for a flag that was not given.
    job
        Settings of the file.
    model
        What `settings_model` returned; by default, for all algorithms.

    Raises
    ------
    InputError
        With every error, separated by semicolons.
    """
    merged = dict(job or {})
    merged.update({name: value for name, value in flags.items() if value is not None})
    return validate(model or settings_model(), merged)


def make_roles(given: Mapping[str, Any]) -> RoleSettings:
    """Validate the roles of columns alone.

    Raises
    ------
    InputError
        With every error, separated by semicolons.
    """
    return validate(RoleSettings, given)


PLACES = ("input", "out", "private", "work_dir", "recoding", "original", "records", "codebook", "queries")
"""Settings that are paths."""


def validate(model: type[_Settings], given: Mapping[str, Any]) -> _Settings:
    """Validate settings.

    Raises
    ------
    InputError
        With every error, separated by semicolons.
    """
    if bad := [name for name in PLACES if "\0" in str(given.get(name, ""))]:
        msg = "; ".join(f"{setting(name)}: no path holds a NUL, \\x00" for name in bad)
        raise InputError(msg)
    try:
        return model.model_validate(dict(given))
    except ValidationError as error:
        problems = [_describe(dict(found), model) for found in error.errors()]
    source = given.get("input") if "input" in model.model_fields else None
    if isinstance(source, str) and not (
        set(source) & set("*?[") or "://" in source or Path(source).exists()
    ):  # named first: all else speaks of it
        problems.insert(0, f"{source}: no such file or directory")
    raise InputError("; ".join(problems))


def may_be_many(source: str) -> bool:
    """Tell whether an input may be a glob or an address, which is looked up when it is read."""
    return "://" in source or not set(source).isdisjoint("*?[")


_REQUIRED = {
    "greater_than_equal": "must be at least {ge:g}",
    "less_than_equal": "must be at most {le:g}",
    "int_type": "must be an integer",
    "float_type": "must be a number",
    "bool_type": "must be true or false",
    "string_type": "must be text",
    "list_type": "must be a list of names",
    "dict_type": "must be a table of names and values",
    "literal_error": "must be {expected}",
}
"""What the errors of pydantic require, in our words."""


def _describe(error: dict[str, Any], model: type[BaseModel]) -> str:
    where, *keys = error["loc"]
    name = " ".join(["INPUT" if where == "input" else option(where), *(key for key in keys if isinstance(key, str))])
    if error["type"] == "missing":
        return f"{name} is required"
    if error["type"] == "extra_forbidden":
        near = meant(where, [option(one).removeprefix("--") for one in model.model_fields])
        return f"unknown setting {where!r}" + ("" if near is None else f"; did you mean {near}?")
    required = _REQUIRED.get(error["type"], "must be otherwise: {reason}")
    reason = f"{error['msg'][0].lower()}{error['msg'][1:]}"
    got = (
        str(given).lower() if isinstance(given := error["input"], bool) else repr(given)
    )  # as a file of settings says it
    return f"{name} {required.format(reason=reason, **error.get('ctx', {}))}, got {got}"
