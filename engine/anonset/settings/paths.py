"""Paths in settings: data, directories, and side files such as hierarchies, lists and policies."""

import os
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from anonset.errors import InputError
from anonset.reading.sources.place import Place, is_address
from anonset.settings.job import Job
from anonset.settings.readers import FORMS

DATA = ("input", "out", "private", "work_dir", "cluster_tls", "recoding", "after", "beside", "original")
"""Settings that are paths of data sets or directories."""
FILES = ("records", "codebook", "queries", "population")
"""Settings that are paths of single files, in addition to algorithm parameters (`FORMS`)."""
PLACES = (*DATA, *FILES)
"""Settings that are paths."""
_WORDS: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(PLACES, ()),
    **{form.setting: form.words for form in FORMS.values() if form.words is not None},
}
"""For each setting that is a path: keywords that the setting accepts instead of a path."""
ADDRESS_OF: dict[str, str] = {}
"""Addresses of side files, by the path of the local copy (see `anonset.settings.fetched_files`)."""
Replace = Callable[[str, str], str]
"""Function that receives the name of a setting and its path, and returns another path."""


def with_absolute_paths(settings: Job) -> Job:
    """Return settings with absolute paths, and with addresses instead of local copies. They are valid in any
    directory.
    """
    return placed_below(with_paths(settings, lambda _, path: ADDRESS_OF.get(path, path)), Place(str(Path.cwd())))


def placed_below(settings: Job, folder: Place) -> Job:
    """Return settings with relative paths placed below a directory or an address. Absolute paths remain unchanged."""

    def placed(_: str, path: str) -> str:
        if is_address(path):
            return path
        is_below = not folder.is_local and not Path(path).is_absolute()
        return str(folder / path) if is_below else str(Path(folder.address) / path)

    return with_paths(settings, placed)


def side_files(settings: Job) -> dict[str, str]:
    """Return the paths of files in settings, except data and directories, by the name of the setting.

    >>> side_files(Job({"input": "a.dat", "hierarchy": {"items": "refine:t.csv"}, "sensitive_items": ["@list"]}))
    {'hierarchy items': 't.csv', 'sensitive_items': 'list'}
    """
    paths = dict[str, str]()

    def collect(name: str, path: str) -> str:
        if name not in DATA:
            paths[name] = path
        return path

    with_paths(settings, collect)
    return paths


def require_unchanged(settings: Job, before: Mapping[str, str]) -> None:
    """Reject side files that changed since the given digests.

    Raises
    ------
    InputError
        The message names the settings that name the files.
    """
    if changed := [name for name, file_digest in side_digests(settings).items() if before.get(name) != file_digest]:
        raise InputError(f"the file named by {', '.join(changed)} changed during the run; repeat the run")


def side_digests(settings: Job) -> dict[str, str]:
    """Return the SHA-256 of the content of each side file, by setting.

    Raises
    ------
    InputError
        If a file cannot be read.
    """
    return {name: content_digest(path) for name, path in side_files(settings).items()}


def content_digest(path: str) -> str:
    """Return the SHA-256 of a file, or of all files of a folder, a glob pattern or an address. Return an empty text if
    there is no such file.

    Raises
    ------
    InputError
        If the content cannot be read.
    """
    from anonset.reading.sources.files import digest
    from anonset.reading.sources.source import source_of

    if os.path.exists(path):  # noqa: PTH110
        return digest(path)
    if is_address(path) and (place := Place(path)).parent.size(place.name) is not None:
        return place.parent.sha256(place.name)
    is_pattern = is_address(path) or not {*"*?["}.isdisjoint(path)
    return source_of(path).sha256 if is_pattern else ""  # the reader has a better message for a missing file


def with_paths(settings: Job, replace: Replace) -> Job:
    """Return settings with each path replaced."""
    made = dict(settings)
    for name, value in settings.items():
        if name in _WORDS and isinstance(value, str) and _is_path(value, _WORDS[name]):
            made[name] = replace(name, value)
    if isinstance(specs := settings.get("hierarchy"), dict):
        made["hierarchy"] = {
            column: with_path(spec, partial(replace, f"hierarchy {column}")) for column, spec in specs.items()
        }
    if isinstance(ceilings := settings.get("ceiling"), dict):
        made["ceiling"] = {
            column: replace(f"ceiling {column}", x) if isinstance(x, str) and not x.isdecimal() else x
            for column, x in ceilings.items()
        }
    named = settings.get("sensitive_items")
    match [named] if isinstance(named, str) else named:
        case [str(file)] if file.startswith("@"):
            made["sensitive_items"] = [f"@{replace('sensitive_items', file[1:])}"]
    return Job(made)


def with_path(spec: Any, placed: Callable[[str], str]) -> Any:
    """Replace the path in the specification of a hierarchy, if it contains one."""
    from anonset.reading.hierarchies.specs import split_spec

    if not isinstance(spec, str):
        return spec
    prefix, path = split_spec(spec)
    return f"{prefix}{placed(path)}" if path else spec


def _is_path(value: str, words: tuple[str, ...]) -> bool:
    """Return True if a value is a path. Keywords, ``keyword:number`` and texts with several lines are not paths."""
    word, colon, number = value.partition(":")
    return "\n" not in value and not (word in words and (not colon or number.isdecimal()))
