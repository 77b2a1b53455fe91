"""Job files: the settings of `anonset anonymize`, which every command takes in place of the data set."""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from anonset.errors import InputError
from anonset.settings.parameters import parameters
from anonset.settings.paths import placed_below
from anonset.settings.readers import WrittenFloat
from anonset.settings.settings import REPORT, ReadingSettings, Settings, is_job, over, unknown_setting
from anonset.strict_json import loads


def _config(path: Path) -> dict[str, Any]:
    """Read settings from a TOML file; a key is an option's name, with hyphens or underscores.

    Raises
    ------
    InputError
        If there is no such file, or it is no TOML.
    """
    from anonset.io.files import require_file

    require_file(path)
    try:
        with path.open("rb") as file:
            found = tomllib.load(file, parse_float=WrittenFloat)
    except ValueError as error:  # of TOML, of UTF-8, of a number with thousands of digits
        msg = f"config file {str(path)!r} is no valid TOML: {error}"
        raise InputError(msg) from None
    return {key.replace("-", "_"): value for key, value in found.items()}


def read_job(path: str) -> dict[str, Any]:
    """Read a job file; its paths are relative to itself. Of a private report, read the settings that it holds.

    Raises
    ------
    InputError
        If there is no such file, or it is no TOML, or no report.
    """
    if Path(path).name == REPORT:
        return _settings_of_report(Path(path))
    return placed_below(_config(Path(path)), Path(path).parent)


def _settings_of_report(path: Path) -> dict[str, Any]:
    from anonset.io.files import require_file

    require_file(path)
    try:
        settings = loads(path.read_text(encoding="utf-8"))["settings"]
    except (ValueError, KeyError, TypeError) as error:
        msg = f"{path}: the private report of a job is required: {type(error).__name__}"
        raise InputError(msg) from None
    if not settings:
        ways = "give its directory OUT and --original, or write a job file"
        msg = f"{path}: the job was run from Python, whose settings are not kept; {ways}"
        raise InputError(msg)
    return dict(settings)


def _require_settings(source: str, job: Mapping[str, Any], model: type[ReadingSettings]) -> None:
    """Refuse a key that is neither a setting of ``anonymize`` nor one of the command that takes the job."""
    known: dict[str, Any] = {**Settings.model_fields, **model.model_fields}
    if known.keys() >= job.keys():
        return
    known |= parameters()
    if unknown := [unknown_setting(name, known) for name in job if name not in known]:
        msg = f"{source}: {'; '.join(unknown)}"
        raise InputError(msg)


def over_job(
    source: str, place: str, flags: Mapping[str, Any], model: type[ReadingSettings]
) -> tuple[str, dict[str, Any]]:
    """Return what a command works on, and its settings: its flags over those of a job file, where `source` is one.

    Parameters
    ----------
    source
        A data set, a publication, or the job file that stands in its place.
    place
        The setting of the job file that names it: ``input`` or ``out``.
    flags
        Settings by name, without those that were not given.
    model
        The settings of the command.

    Raises
    ------
    InputError
        If the file cannot be read, names no such place, or holds what is no setting.
    """
    if not is_job(source):
        return source, dict(flags)
    job = read_job(source)
    if Path(source).name != REPORT:  # which was written by a version that knew its settings
        _require_settings(source, job, model)
    if not isinstance(job.get(place), str):
        msg = f"{source}: {place} must be there, as text"
        raise InputError(msg)
    taken = {name: value for name, value in model.of_job(job, flags).items() if name != place}
    return job[place], over(taken, flags)
