"""What killed runs left in temporary and work directories, and beside what they were to publish: raw data of theirs."""

import os
import shutil
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from anonset.data.owners import OWNER, State, looked_at, owner_of
from anonset.data.store import PREFIX
from anonset.errors import InputError

_NAMED = 3  # directories in a warning
_KEPT = f"{PREFIX}demo-"  # a result, and no raw data


@dataclass(frozen=True)
class WorkFound:
    """A work directory that was found, and whether a run is at work in it."""

    path: Path
    state: State
    process: int
    """Of the run whose it is or was; 0: unknown."""
    bytes: int
    """Size of its files; 0 for another user's."""


def work_directories(place: Path | None = None) -> list[WorkFound]:
    """Return the work directories in a directory, or the directory itself if it is one, in the order of their paths.

    Parameters
    ----------
    place
        By default the system's directory for temporary files.

    Raises
    ------
    InputError
        If it is no directory, or cannot be read.
    """
    found = []
    for path in _places(Path(tempfile.gettempdir()) if place is None else place):
        try:
            with looked_at(path) as state:
                own = state != "of another user"
                owner = owner_of(path) if own else None
                found.append(WorkFound(path, state, 0 if owner is None else owner.process, _size(path) if own else 0))
        except FileNotFoundError:  # its run ended meanwhile
            continue
    return found


def warning_of_what_is_left() -> str:
    """Return a warning of raw data that killed runs left among the temporary files; empty where there are none."""
    left = [str(path) for path in _places(Path(tempfile.gettempdir())) if _is_left(path)]
    if not left:
        return ""
    which = ", ".join(left[:_NAMED]) + (f" and {len(left) - _NAMED} more" if len(left) > _NAMED else "")
    return f"killed runs left raw data in {which}; anonset clean lists them, anonset clean --yes removes them"


def remove_left(found: WorkFound) -> bool:
    """Remove a work directory if its run is still dead; tell whether it was.

    Raises
    ------
    OSError
        If something in it cannot be removed.
    """
    with looked_at(found.path) as state:
        if state == "left":
            shutil.rmtree(found.path)
        return state == "left"


def _places(place: Path) -> list[Path]:
    """Return the paths of the work directories in a directory, sorted, or the directory itself if it is one."""
    try:
        if _is_marked(place):
            return [place]
        with os.scandir(place) as entries:
            return sorted(Path(entry) for entry in entries if _is_work(entry))
    except OSError as error:
        msg = f"{place}: cannot be read: {error.strerror}"
        raise InputError(msg) from error


def _is_work(entry: "os.DirEntry[str]") -> bool:
    named = entry.name.startswith(PREFIX) and not entry.name.startswith(_KEPT)
    return entry.is_dir(follow_symlinks=False) and (named or _is_marked(Path(entry)))


def _is_marked(folder: Path) -> bool:
    return os.path.lexists(folder / OWNER)  # also false where another user's cannot be looked into


def _is_left(path: Path) -> bool:
    try:
        with looked_at(path) as state:
            return state == "left"
    except FileNotFoundError:
        return False


def _size(folder: Path) -> int:
    """Return the size of the files in a directory; files that are removed meanwhile do not count."""
    total = 0
    for place, _, names in os.walk(folder):
        for name in names:
            with suppress(OSError):
                total += (Path(place) / name).lstat().st_size
    return total
