"""Select the data files of a folder. Files that may contain rows are never skipped silently."""

import os
from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from typing import NoReturn

from anonset.errors import InputError
from anonset.spelling import listed

_WITHOUT_ROWS = (".crc", ".toml")
"""Endings of checksums and of job files."""


def names_below(folder: Path) -> list[str]:
    """Return the relative paths of all files below a folder.

    Raises
    ------
    InputError
        If a folder cannot be read, or is a link to another folder.
    """

    def refuse(error: OSError) -> NoReturn:
        raise InputError(f"{error.filename}: cannot be read: {error.strerror}") from error

    paths: list[str] = []
    for place, inner, names in os.walk(folder, onerror=refuse):
        parent = Path(place)
        for name in inner:
            if (path := parent / name).is_symlink():
                msg = f"{path}: links to folders are not followed; use the target as the input, or remove the link"
                raise InputError(msg)
        paths += [(parent / name).relative_to(folder).as_posix() for name in names]
    return paths


def data_files(where: str, names: Sequence[str], endings: tuple[str, ...]) -> list[str]:
    """Return the data files of a folder, sorted by path. No rows are silently left out.

    Files without rows are ignored. They are hidden files (``.part-0.parquet.crc``, ``.DS_Store``), files whose names
    begin with ``_`` (``_SUCCESS``, ``_metadata``), checksums (``.crc``), and job files (``.toml``). Files that may
    contain rows are rejected instead of ignored. They are data files whose name, or the name of a folder above, begins
    with ``.`` or ``_`` (an unfinished write leaves such files), and files of other kinds.

    Parameters
    ----------
    where
        Name of the folder, for messages.
    names
        Paths relative to the folder.
    endings
        Suffixes of data files. If there are none, all files except bookkeeping files are data.

    Raises
    ------
    InputError
        The message names the file or folder.
    """
    data: list[str] = []
    rejected: list[tuple[str, str]] = []
    for name in sorted(names, key=lambda name: PurePosixPath(name).parts):
        place, reason = _odd(name, endings)
        if reason:
            rejected.append((place, reason))
        elif _is_data(name, endings):
            data.append(name)
    if not data and not any(_is_data(place, endings) for place, _ in rejected):
        others = sorted({PurePosixPath(name).suffix.lower() or name for name in names if not is_bookkeeping(name)})
        found = f"only {listed(others)}" if others else "no file"
        way = "; write its .json files that have the same fields to one file: jq -c '.[]' FILE ... > ALL.jsonl"
        raise InputError(
            f"{where}: the directory contains {found}, and no data file ({', '.join(endings) or 'of any name'})"
            f"{way if '.json' in others else ''}"
        )
    if rejected:
        place, reason = min(rejected)
        raise InputError(f"{where.rstrip('/')}/{place}: {reason}")
    return data


def _odd(name: str, endings: tuple[str, ...]) -> tuple[str, str]:
    """Return the part of a path that prevents reading, and the reason. The reason is empty if the file can be read."""
    parts = PurePosixPath(name).parts
    if _is_data(name, endings):
        aside = next((part for part in parts if _is_hidden_or_bookkeeping(part)), None)
        reason = f"names that begin with . or _ are skipped, as {aside!r}; rename it, or remove it"
        return name, "" if aside is None else reason
    if is_bookkeeping(name):
        return name, ""
    return name, f"not a {endings[0]} file, so it would be skipped; rename it to end with {endings[0]}, or remove it"


def _is_data(name: str, endings: tuple[str, ...]) -> bool:
    return name.lower().endswith(endings) if endings else not is_bookkeeping(name)


def is_bookkeeping(name: str) -> bool:
    """Return True if a file contains no rows, by its path: a hidden file, a checksum, a job file or the like."""
    return _is_hidden_or_bookkeeping(PurePosixPath(name).name) or name.lower().endswith(_WITHOUT_ROWS)


def _is_hidden_or_bookkeeping(name: str) -> bool:
    return name.startswith((".", "_"))
