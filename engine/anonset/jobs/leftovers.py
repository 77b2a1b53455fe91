"""What killed runs left in temporary and work directories, and beside what they were to publish: raw data of theirs."""

import os
import shutil
import tempfile
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
    """Of the files that can be seen."""


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
    place = Path(tempfile.gettempdir()) if place is None else place
    try:
        beside = [place] if _is_marked(place) else [Path(entry) for entry in os.scandir(place) if _is_work(entry)]
    except OSError as error:
        msg = f"{place}: cannot be read: {error.strerror}"
        raise InputError(msg) from error
    found = []
    for path in sorted(beside):
        try:
            found.append(_looked_at(path))
        except FileNotFoundError:  # its run ended meanwhile
            continue
    return found


def warning_of_what_is_left() -> str:
    """Return a warning of raw data that killed runs left among the temporary files; empty where there are none."""
    left = [str(found.path) for found in work_directories() if found.state == "left"]
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


def _is_work(entry: "os.DirEntry[str]") -> bool:
    named = entry.name.startswith(PREFIX) and not entry.name.startswith(_KEPT)
    return entry.is_dir(follow_symlinks=False) and (named or _is_marked(Path(entry)))


def _is_marked(folder: Path) -> bool:
    return os.path.exists(folder / OWNER)  # noqa: PTH110  # also false where another user's cannot be looked into


def _looked_at(path: Path) -> WorkFound:
    owner = owner_of(path)
    with looked_at(path) as state:
        held = sum((Path(place) / name).lstat().st_size for place, _, names in os.walk(path) for name in names)
        return WorkFound(path, state, 0 if owner is None else owner.process, held)
