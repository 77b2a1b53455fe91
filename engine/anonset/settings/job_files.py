"""Job files: the settings of `anonset anonymize` in TOML, which every command takes in place of the data set."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from anonset.data.hierarchy_rules import RULES
from anonset.errors import InputError
from anonset.settings.settings import read_config

_PLACES = ("input", "out", "private", "original", "records", "codebook", "queries")
"""Settings that are paths."""
_FILES_OR_WORDS: Mapping[str, tuple[str, ...]] = {
    "privacy_constraints": ("km", "pgen"),
    "utility_constraints": (),
    "item_weights": ("lca", "uniform", "ones"),
}
"""Settings that are paths, unless they are one of some words."""
_NO_FILES = ("range", "values")
_MADE = ("balanced", *RULES)


def is_job(path: str | None) -> bool:
    """Tell whether what stands in place of a data set is a job file: its name ends with ``.toml``.

    >>> is_job("visits.toml"), is_job("visits.csv"), is_job(None)
    (True, False, False)
    """
    return path is not None and path.lower().endswith(".toml")


def read_job(path: str) -> dict[str, Any]:
    """Read a job file; its paths are relative to itself.

    Raises
    ------
    InputError
        If there is no such file, or it is no TOML.
    """
    folder = Path(path).parent
    found = read_config(path)

    def placed(value: Any) -> Any:
        return str(folder / value) if isinstance(value, str) else value

    for name, value in found.items():
        if name in _PLACES or (name in _FILES_OR_WORDS and value not in _FILES_OR_WORDS[name]):
            found[name] = placed(value)
    if isinstance(specs := found.get("hierarchy"), dict):
        found["hierarchy"] = {column: spec if _is_made(spec) else placed(spec) for column, spec in specs.items()}
    if isinstance(named := found.get("sensitive_items"), str) and named.startswith("@"):
        found["sensitive_items"] = f"@{placed(named[1:])}"
    return found


def _is_made(spec: Any) -> bool:
    """Tell whether a hierarchy is no file."""
    return spec in _NO_FILES or (isinstance(spec, str) and spec.partition(":")[0] in _MADE and ":" in spec)


def of_job(path: str, name: str, settings: Iterable[str]) -> tuple[str, dict[str, Any]]:
    """Return one setting of a job file, which must be there, and those of some others that are there.

    Raises
    ------
    InputError
        If the file cannot be read, or lacks the setting.
    """
    found = read_job(path)
    if not isinstance(found.get(name), str):
        msg = f"{path}: {name} must be there, as text"
        raise InputError(msg)
    return found[name], {setting: found[setting] for setting in settings if setting in found}
