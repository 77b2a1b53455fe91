"""Which files of a folder are read: all that hold rows, or none, so that nobody's rows are left out silently."""

import os
from pathlib import Path
from typing import NoReturn

from anonset.errors import InputError

_ENDING = ".parquet"
_CHECKSUM = ".crc"
_READ = "a folder is read by its files that end with .parquet (in capitals, too), and those below it"


def parquet_files(folder: Path) -> list[Path]:
    """Return the Parquet files of a folder and the folders below it, in the order of their paths.

    Left out are files that hold no rows: hidden ones (``.part-0.parquet.crc``, ``.DS_Store``), those that begin with
    ``_`` (``_SUCCESS``, ``_metadata``), and checksums (``.crc``). Whatever may hold rows and would be left out is
    refused: Parquet files that are hidden or begin with ``_``, or lie in such a folder (an unfinished write leaves
    them there), files of other kinds, links to folders, and folders named ``key=value``, whose keys are a column.

    Raises
    ------
    InputError
        With the file or folder.
    """
    found: list[Path] = []
    odd: list[tuple[Path, str]] = []

    def refuse(error: OSError) -> NoReturn:
        msg = f"{error.filename}: cannot be read: {error.strerror}"
        raise InputError(msg) from error

    for place, inner, names in os.walk(folder, onerror=refuse):
        here = Path(place)
        for path, is_folder in [*((here / name, True) for name in inner), *((here / name, False) for name in names)]:
            reason = _odd_folder(path) if is_folder else _odd_file(path, folder)
            if reason:
                odd.append((path, reason))
            elif not is_folder and _is_parquet(path):
                found.append(path)
    if not found and not any(_is_parquet(path) for path, _ in odd):
        msg = f"{folder}: the directory holds no .parquet file"
        raise InputError(msg)
    for path, reason in sorted(odd):
        msg = f"{path}: {reason}"
        raise InputError(msg)
    return sorted(found)


def _odd_folder(path: Path) -> str:
    """Say why a folder cannot be read as it stands."""
    if path.is_symlink():
        return "a link to a folder is not followed; name its target as the input, or remove it"
    if "=" in path.name and not _is_set_aside(path.name):
        return "the key in the name of a folder is not read as a column; write it into the files"
    return ""


def _odd_file(path: Path, folder: Path) -> str:
    """Say why it is unclear whether a file is to be read."""
    if _is_parquet(path):
        aside = next((part for part in path.relative_to(folder).parts if _is_set_aside(part)), None)
        return "" if aside is None else f"{aside!r} is set aside by its name; rename it to have it read, or remove it"
    if _is_set_aside(path.name) or path.name.lower().endswith(_CHECKSUM):
        return ""
    return f"it would be left out: {_READ}; remove it, or name it so"


def _is_parquet(path: Path) -> bool:
    return path.name.lower().endswith(_ENDING)


def _is_set_aside(name: str) -> bool:
    """Tell whether a name is one of files that are hidden, or of bookkeeping."""
    return name.startswith((".", "_"))
