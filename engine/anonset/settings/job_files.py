"""Job files: the settings of `anonset anonymize`, which every command takes in place of the data set."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from anonset.errors import InputError
from anonset.settings.parameters import parameters
from anonset.settings.readers import FORMS
from anonset.settings.settings import PLACES, ReadingSettings, Settings, over, read_config, unknown_setting
from anonset.strict_json import loads

_REPORT = "report.json"
_WORDS = {
    **dict.fromkeys(PLACES, ()),
    **{form.setting: form.words for form in FORMS.values() if form.words is not None},
}
"""By settings that are paths, the words that are none."""


def is_job(path: str | None) -> bool:
    """Tell whether what stands in place of a data set is a job file: ``.toml``, or the private report of a job.

    >>> is_job("visits.toml"), is_job("out.private/report.json"), is_job("visits.csv"), is_job(None)
    (True, True, False, False)
    """
    return path is not None and (path.lower().endswith(".toml") or Path(path).name == _REPORT)


def read_job(path: str) -> dict[str, Any]:
    """Read a job file; its paths are relative to itself. Of a private report, read the settings that it holds.

    Raises
    ------
    InputError
        If there is no such file, or it is no TOML, or no report.
    """
    if Path(path).name == _REPORT:
        return _settings_of_report(Path(path))
    return _placed(read_config(path), Path(path).parent)


def with_absolute_paths(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings that mean the same wherever they are read."""
    return _placed(dict(settings), Path.cwd())


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


def _placed(settings: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Return settings with their paths below a folder; absolute ones stay."""

    def placed(value: Any) -> Any:
        return str(folder / value) if isinstance(value, str) and "://" not in value else value

    for name, value in settings.items():
        if name in _WORDS and str(value).partition(":")[0] not in _WORDS[name]:
            settings[name] = placed(value)
    if isinstance(specs := settings.get("hierarchy"), dict):
        settings["hierarchy"] = {column: with_path(spec, placed) for column, spec in specs.items()}
    if isinstance(ceilings := settings.get("ceiling"), dict):
        settings["ceiling"] = {column: x if str(x).isdecimal() else placed(x) for column, x in ceilings.items()}
    named = settings.get("sensitive_items")
    match [named] if isinstance(named, str) else named:
        case [str(file)] if file.startswith("@"):
            settings["sensitive_items"] = [f"@{placed(file[1:])}"]
    return settings


def with_path(spec: Any, placed: Callable[[str], str]) -> Any:
    """Return the specification of a hierarchy with the path that it names, if any, in another place."""
    from anonset.io.hierarchies import split_spec

    if not isinstance(spec, str):
        return spec
    how, path = split_spec(spec)
    return f"{how}{placed(path)}" if path else spec


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
    if Path(source).name != _REPORT:  # which was written by a version that knew its settings
        _require_settings(source, job, model)
    if not isinstance(job.get(place), str):
        msg = f"{source}: {place} must be there, as text"
        raise InputError(msg)
    taken = {name: value for name, value in model.of_job(job, flags).items() if name != place}
    return job[place], over(taken, flags)
