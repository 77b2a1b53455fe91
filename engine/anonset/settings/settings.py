"""Settings of a run, from flags and a job file. All settings are validated together, so that all errors are reported at
once.
"""

from collections.abc import Iterable, Mapping
from dataclasses import fields, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar, get_type_hints

from pydantic import BaseModel, ConfigDict, Field, ValidationError, create_model
from pydantic.fields import FieldInfo

from anonset.algorithms.registry import ALGORITHMS
from anonset.errors import InputError, shortened
from anonset.local_paths import require_local
from anonset.publications.presentation import Format, Order, Symbols
from anonset.reading.decisions import ACCEPTANCE, MACHINE, PUBLICATION, decisions
from anonset.reading.file_options import FileOptions, RoleOptions
from anonset.reading.sources.place import Place, is_address, may_have_data
from anonset.settings.fetched_files import with_local_copies
from anonset.settings.job import Job
from anonset.settings.parameters import (
    GENERAL,
    MODELS,
    Parameter,
    parameters,
    type_and_text,
)
from anonset.settings.paths import PLACES
from anonset.settings.ranges import out_of_range
from anonset.settings.readers import FORMS, Accepted, Names
from anonset.spelling import StatedSettings, setting, similar_name

_Settings = TypeVar("_Settings", bound=BaseModel)
_OTHERS = f"Other models: {', '.join(name for name in MODELS if name not in ('km', 'k', 'kkm'))}."


CEILING: Any = Field(
    {},
    description="COL=N or COL=FILE: values of column COL are not generalized above these nodes of the hierarchy. N is "
    "the column of the hierarchy file that contains the nodes, counted from the root (0). FILE lists the nodes, one "
    "per line. Repeatable.",
)
"""Setting for ceilings, of the commands that support them."""
ROUND_ENDS: Any = Field(
    True,
    description="Round the ends of number ranges outward. Without rounding, the ends are exact values of "
    "single records.",
)
"""Setting for rounded range ends, of the commands that publish ranges."""


_CONFIG = ConfigDict(extra="forbid", strict=True, frozen=True, defer_build=True)


def _fields_of(options: type[FileOptions | RoleOptions]) -> dict[str, Any]:
    """Return the fields of options as fields of settings. Column names become lists."""
    types, decided, made = get_type_hints(options, include_extras=True), decisions(options), {}
    for option in fields(options):
        kind, text = type_and_text(types[option.name])
        kind, default = (Names, []) if option.default == () else (kind, option.default)
        made[option.name] = (Annotated[kind, decided[option.name]], Field(default, description=text, **option.metadata))
    return made


if TYPE_CHECKING:
    from anonset.privacy import PrivacyModel
    from anonset.reading.options import ReadOptions
    from anonset.reading.sources.source import Source

    _FileSettings = BaseModel  # type checkers see the fields in `file`

    class _RoleSettings(BaseModel):
        items: Names
        relational: Names
        numeric: Names
        sensitive: str | None
        id: Names
        keep: Names
        drop: Names
else:
    _FileSettings = create_model("_FileSettings", __config__=_CONFIG, **_fields_of(FileOptions))
    _RoleSettings = create_model("_RoleSettings", __config__=_CONFIG, **_fields_of(RoleOptions))


class ReadingSettings(_FileSettings):
    """Settings for reading a file that do not name columns: the fields of `FileOptions`."""

    model_config = _CONFIG

    @property
    def file(self) -> FileOptions:
        """These settings as `FileOptions`."""
        return FileOptions(**self.reading_options())

    def source(self, named: str) -> "Source":
        """Return the data at a path or address, as a source that is read with these settings.

        Raises
        ------
        InputError
            If there are no data.
        """
        from anonset.reading.sources.source import source_of

        return source_of(named, self.file.input_format, no_header=self.file.no_header, unit=self.file.unit)

    def reading_options(self) -> Job:
        """Return the fields of `FileOptions`."""
        return Job(self.model_dump(include=set(ReadingSettings.model_fields)))

    @classmethod
    def of_job(cls, job: Job, flags: Job) -> Job:
        """Return the settings that a command takes from a job file. By default, these are the settings that the command
        has.
        """
        return job.only(cls.model_fields)


CLUSTER: str | None = Field(
    None,
    description="Run the tasks on dask workers: the address of their scheduler, or local:N for N "
    "processes on this machine.",
)
WORKERS: int | None = Field(None, ge=1, description="Number of threads. Default: one per core.")
MAX_WORK: float | None = Field(None, ge=0, description=FORMS["max_increments"].text)
CLUSTER_TLS: str | None = Field(
    None,
    description="Directory with the files ca.pem, cert.pem and key.pem, for a scheduler with a tls:// address. "
    "Default: the configuration of dask.",
)


class ComparedSettings(ReadingSettings):
    """Settings for comparing a publication with the original, in memory or in blocks."""

    private: str | None = Field(None, description="Private directory of the publication. Default: OUT.private.")
    memory_limit: str | None = Field(
        None,
        description="Memory limit, such as 8G. Data that need more memory are processed in blocks on "
        "disk. Default: 80% of the free memory.",
    )
    work_dir: str | None = Field(
        None,
        description="New or empty directory for temporary files, which are deleted at the end. With --cluster, this "
        "may be an address such as s3://bucket/work. Default: a temporary directory.",
    )
    cluster: str | None = CLUSTER
    cluster_tls: str | None = CLUSTER_TLS


AS_IS = (
    "Declare that these columns are published although they show exact values of few persons, make records unique, "
    "or name persons. The attestation states this."
)


class RoleSettings(ReadingSettings, _RoleSettings):
    """Reading options and column roles."""

    def read_options(self) -> "ReadOptions":
        """Return the options with which the data are read."""
        from anonset.reading.options import ReadOptions

        return ReadOptions(**self.model_dump(include=set(RoleSettings.model_fields)))


class InputSettings(RoleSettings):
    """Settings of a file with column roles and hierarchies."""

    input: Annotated[str, MACHINE] = Field(
        description="Data set in one of the formats CSV, TSV, Parquet, JSON Lines, .xlsx and FIMI. The value "
        "may be a file, a folder, a glob pattern or a URL."
    )
    hierarchy: Annotated[dict[str, str], PUBLICATION] = Field(
        {},
        description="COL=SPEC: how to generalize a column. SPEC is a hierarchy file, refine:FILE, halves:frequency, "
        "balanced:F, a rule (prefix:1,3 mask:3,1 bins:0,18,65 date:month,year), or, for a relational "
        "column, range or values. Repeatable.",
    )

    def read_options(self) -> "ReadOptions":
        """Return the options with which the data are read. Columns that generalize to ranges contain numbers."""
        from anonset.settings.binding import numeric_columns

        numeric = dict.fromkeys([*self.numeric, *numeric_columns(self.hierarchy)])
        return replace(super().read_options(), numeric=tuple(numeric))


class Settings(InputSettings):
    """Settings of `anonset anonymize`. `settings_model` adds the parameters of the algorithms."""

    out: Annotated[str, MACHINE] = Field(
        description="New directory for the publication, or an address such as s3://bucket/safe."
    )
    model: Annotated[str | None, PUBLICATION] = Field(
        None,
        description="Privacy model: km protects items, k protects relational columns, and kkm protects both. "
        f"{_OTHERS}",
    )
    algorithm: Annotated[str | None, PUBLICATION] = Field(
        None, description=f"Algorithm. Default: chosen by the model. One of {', '.join(ALGORITHMS)}."
    )
    ceiling: Annotated[dict[str, str], PUBLICATION] = CEILING
    round_ends: Annotated[bool, PUBLICATION] = ROUND_ENDS
    max_loss: Annotated[float | None, ACCEPTANCE] = Field(
        None,
        ge=0,
        le=1,
        description="Maximum loss, from 0 to 1. If the result loses more, nothing is published. The loss is "
        "NCP for items, Rum for relational columns, and the grouping loss for buckets.",
    )
    publish_as_is: Annotated[Names, ACCEPTANCE] = Field([], description=AS_IS)
    order: Annotated[Order, PUBLICATION] = Field(
        "sorted",
        description="Order of the published rows: sorted by content, which hides the original order, "
        "or as in the input.",
    )
    symbols: Annotated[Symbols, PUBLICATION] = Field(
        "auto",
        description="Names of published item groups. members lists the items of a group, and short uses codes such as "
        "G1. auto uses codes for groups of more than 8 items and for groups whose items contain commas.",
    )
    recoding: Annotated[str | None, PUBLICATION] = Field(
        None,
        description="Private directory of an earlier release. The new release uses the same published "
        "names with the same meaning.",
    )
    after: Annotated[str | None, PUBLICATION] = Field(
        None,
        description="Private directory of an earlier release of the same persons, who are matched by --unit. Both "
        "releases together then satisfy the model km.",
    )
    format: Annotated[Format | None, PUBLICATION] = Field(
        None, description="Format of the published data. Default: the format of the input."
    )
    part_rows: Annotated[int | None, PUBLICATION] = Field(
        None, ge=1, description="Maximum number of rows per published file. Default: all rows in one file."
    )
    seed: Annotated[int | None, PUBLICATION] = Field(None, ge=0, description="Random seed.")
    workers: Annotated[int | None, MACHINE] = WORKERS
    private: Annotated[str | None, MACHINE] = Field(
        None, description="New directory or address for the files that must not be shared. Default: OUT.private."
    )
    if_exists: Annotated[Literal["error", "resume"], MACHINE] = Field(
        "error",
        description="What to do if OUT exists. error: the run fails. resume: OUT is verified again if settings, data "
        "and versions are unchanged. resume also continues a killed run, so you can repeat the same "
        "command.",
    )
    accept: Annotated[Accepted, ACCEPTANCE] = Field(
        [],
        description="Publish even if the data contain no records (empty), every protected column shows a single symbol "
        "(worthless), or the verification could not finish (undecided). Several words are separated by commas.",
    )
    max_work: Annotated[float | None, PUBLICATION] = MAX_WORK
    trace: Annotated[bool, PUBLICATION] = Field(
        False, description="Record each decision of the search in the private report."
    )
    memory_limit: Annotated[str | None, MACHINE] = Field(
        None,
        description="Memory limit, such as 8G. Jobs that need more memory are processed in blocks on disk, or "
        "fail. Default: 80% of the free memory.",
    )
    work_dir: Annotated[str | None, MACHINE] = Field(
        None,
        description="New or empty directory for temporary files. To continue a killed run, use the directory of that "
        "run. The files are deleted when the job succeeds. With --cluster, this may be an address such as "
        "s3://bucket/work. Default: a temporary directory.",
    )
    cluster: Annotated[str | None, MACHINE] = CLUSTER
    cluster_tls: Annotated[str | None, MACHINE] = CLUSTER_TLS

    @property
    def stated(self) -> Job:
        """The settings that are not None, with defaults."""
        return Job(self.model_dump(exclude_none=True))

    def algorithm_parameters(self) -> Job:
        """Return the given parameters of the algorithm."""
        return self.stated.only(type(self).model_fields.keys() - Settings.model_fields.keys() | GENERAL)


_Roles = TypeVar("_Roles", bound=InputSettings)


def with_sensitive_kept(settings: _Roles, model: "PrivacyModel") -> _Roles:
    """Return settings in which the sensitive column of a model has the role of a kept column, because it is published
    unchanged.
    """
    name = model.sensitive_column
    if name is None or name != settings.sensitive:
        return settings
    return settings.model_copy(update={"sensitive": None, "keep": list(dict.fromkeys([*settings.keep, name]))})


@cache
def settings_model() -> type[Settings]:
    """Return the settings with a field for every parameter of a registered algorithm."""
    return with_decisions(with_parameters(Settings, parameters()))


def with_decisions(model: type[_Settings]) -> type[_Settings]:
    """Return settings in which each field declares what it decides.

    Raises
    ------
    TypeError
        If a field declares nothing.
    """
    decisions(model)
    return model


def with_parameters(base: type[Any], new_parameters: Mapping[str, Parameter]) -> type[Any]:
    """Add an optional field for each parameter that the settings lack."""
    added: dict[str, Any] = {
        name: (
            Annotated[parameter.type | None, parameter, PUBLICATION],
            Field(None, description=parameter.description),
        )
        for name, parameter in new_parameters.items()
        if name not in base.model_fields
    }
    made: type[Any] = create_model(base.__name__, __base__=base, **added)
    return made


def parameter_of(field: FieldInfo) -> Parameter | None:
    """Return the parameter that a field of settings states. None for all fields that `with_parameters` did not add."""
    return next((fact for fact in field.metadata if isinstance(fact, Parameter)), None)


_WRITTEN = ("out", "private", "work_dir")
"""Settings that are paths to write to."""
REPORT = "report.json"
"""Name of the private report."""


def is_job(path: str | None) -> bool:
    """Return True if `path` is a job file (``.toml``), or the private report of a job, which replaces a job file.

    >>> is_job("visits.toml"), is_job("out.private/report.json"), is_job("visits.csv"), is_job(None)
    (True, True, False, False)
    """
    return path is not None and (path.lower().endswith(".toml") or Path(path).name == REPORT)


def validate(model: type[_Settings], values: StatedSettings, *, fetch: bool = True, job: str = "") -> _Settings:
    """Validate settings.

    Parameters
    ----------
    fetch
        Whether side files at addresses may be fetched (see `fetching_side_files`).
    job
        Job file that contains the settings, for messages on unknown settings. Empty if there is none.

    Raises
    ------
    InputError
        The message contains every error, separated by semicolons.
    """
    if bad := [name for name in PLACES if "\0" in str(values.get(name, ""))]:
        raise InputError("; ".join(f"{setting(name)}: the path contains a NUL character (\\x00)" for name in bad))
    written = {name: path for name in _WRITTEN if isinstance(path := values.get(name), str)}
    require_local(*(path for path in written.values() if not is_address(path)))
    _require_usable(values)
    values = with_local_copies(Job(values)) if fetch else values
    try:
        validated = model.model_validate(dict(values))
        if not (problems := out_of_range({name: getattr(validated, name) for name in model.model_fields})):
            return validated
    except ValidationError as error:
        problems = [_describe(dict(detail), model, job) for detail in error.errors()]
    source = values.get("input") if "input" in model.model_fields else None
    if isinstance(source, str) and not may_have_data(source):
        problems.insert(0, f"{source}: no such file or directory")  # first, because all other settings depend on it
    raise InputError("; ".join(problems))


def _require_usable(values: StatedSettings) -> None:
    work_dir = values.get("work_dir")
    if not isinstance(work_dir, str) or not is_address(work_dir):
        return
    if Place(work_dir).has_password:
        msg = f"{setting('work_dir')}: the address contains a password, which would be sent to the workers; set the "
        msg += "credentials in the environment of each machine"
        raise InputError(msg)
    if values.get("cluster") is None:
        option = setting("work_dir", work_dir)
        raise InputError(f"{option}: an address requires {setting('cluster')}, whose workers exchange files through it")


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
"""Requirements in messages about invalid settings, by the error type of pydantic."""


def unknown_setting(name: str, names: Iterable[str]) -> str:
    """Return the message on an unknown setting, with the most similar known setting."""
    near = similar_name(name, [known.replace("_", "-") for known in names])
    return f"unknown setting {name!r}" + ("" if near is None else f"; did you mean {near}?")


def _describe(error: dict[str, Any], model: type[BaseModel], job: str) -> str:
    where, *keys = error["loc"]
    name = " ".join(["INPUT" if where == "input" else setting(where), *(key for key in keys if isinstance(key, str))])
    if error["type"] == "missing":
        return f"{name} is required"
    if error["type"] == "extra_forbidden":
        problem = unknown_setting(where, model.model_fields)
        return f"{job}: {problem}" if job else problem
    required = _REQUIRED.get(error["type"], "is invalid: {reason}")
    reason = f"{error['msg'][0].lower()}{error['msg'][1:]}"
    value = error["input"]
    got = str(value).lower() if isinstance(value, bool) else shortened(value)  # as written in a settings file
    return f"{name} {required.format(reason=reason, **error.get('ctx', {}))}, got {got}"
