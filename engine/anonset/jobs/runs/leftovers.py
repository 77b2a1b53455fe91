"""Leftovers of killed runs in temporary, work and output directories. Leftovers contain raw data."""

import os
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from anonset.data.storage.lease import (
    LEASE,
    RUN,
    State,
    content_in,
    forget,
    is_lease,
    lease_of,
    mark_unused,
    parsed_lease,
    seems_live,
    state_of,
    take,
)
from anonset.data.storage.removal import remove_directory, remove_place
from anonset.data.storage.store import PREFIX
from anonset.errors import InputError
from anonset.reading.sources.place import Place
from anonset.settings.settings import REPORT

_NAMED = 3  # directories named in a warning
_KEPT = f"{PREFIX}demo-"  # result of a demo, without raw data


@dataclass(frozen=True)
class UnfinishedRun:
    """Work directory and state of the run."""

    path: Path | Place
    """Local directory, or address."""
    state: State
    process: int
    """Process id of the run. 0 if it is unknown."""
    bytes: int
    """Total file size in bytes. 0 for another user's directory."""


def work_directories(place: Path | Place | None = None) -> list[UnfinishedRun]:
    """Return the work directories in a directory, or the directory itself if it is a work directory, sorted by path.

    Parameters
    ----------
    place
        Directory to search, or address of a work directory. The default is the system's directory for temporary files.

    Raises
    ------
    InputError
        If `place` is no directory, or cannot be read.
    """
    if isinstance(place, Place):
        return _runs_at(place)
    runs = []
    for path in _places(Path(tempfile.gettempdir()) if place is None else place):
        try:
            state = state_of(path)
            is_own = state != "of another user"
            lease = lease_of(path) if is_own else None
            runs.append(UnfinishedRun(path, state, 0 if lease is None else lease.process, _size(path) if is_own else 0))
        except FileNotFoundError:  # the run has just ended
            continue
    return runs


def warning_of_what_is_left() -> str:
    """Return a warning about raw data that killed runs left in the temporary directory. Empty if no run left
    raw data.
    """
    paths = [str(path) for path in _places(Path(tempfile.gettempdir())) if _is_left(path)]
    if not paths:
        return ""
    named = ", ".join(paths[:_NAMED]) + (f" and {len(paths) - _NAMED} more" if len(paths) > _NAMED else "")
    ways = "list them with anonset clean, and remove them with anonset clean --yes"
    return f"interrupted runs left raw data in {named}; {ways}"


def remove_left(run: UnfinishedRun) -> bool:
    """Take over and remove the work directory of a run that has ended. Return True if the directory was removed.

    Raises
    ------
    OSError
        If a file in the directory cannot be removed.
    """
    path = run.path
    states = [found.state for found in _runs_at(path)] if isinstance(path, Place) else [state_of(path)]
    if states != ["left"]:
        return False
    try:
        take(path)
    except FileNotFoundError:  # another process has already removed the directory
        return False
    except InputError as error:
        if error.code == "in-use":
            return False
        raise
    if isinstance(path, Place):
        remove_place(path)
        return True
    try:
        remove_directory(path)
    except OSError:
        mark_unused(path)
        raise
    forget(path)
    return True


def _runs_at(place: Place) -> list[UnfinishedRun]:
    """Return the run whose work directory is at an address. Empty if the address is no work directory."""
    found = content_in(place)
    if found is None or (place.size(RUN) is None and not all(map(is_lease, place.names()))):
        return []
    lease = parsed_lease(found)
    state: State = "unknown" if lease is None else "in use" if seems_live(found) else "left"
    return [UnfinishedRun(place, state, 0 if lease is None else lease.process, sum(place.sizes().values()))]


def _places(place: Path) -> list[Path]:
    """Return the sorted paths of the work directories in a directory, or of the directory itself if it is one."""
    try:
        if _is_marked(place):
            return [place]
        with os.scandir(place) as entries:
            return sorted(Path(entry) for entry in entries if _is_work(entry))
    except OSError as error:
        raise InputError(f"{place}: cannot be read: {error.strerror}") from error


def _is_work(entry: os.DirEntry[str]) -> bool:
    named = entry.name.startswith(PREFIX) and not entry.name.startswith(_KEPT)
    return entry.is_dir(follow_symlinks=False) and (named or _is_marked(Path(entry)))


def _is_marked(folder: Path) -> bool:
    """Return True if a directory has a lease, unless it may be the private directory of a complete publication.

    If another user's directory cannot be read, return False.
    """
    if not os.path.lexists(folder / LEASE):
        return False

    return not os.path.lexists(folder / REPORT)


def _is_left(path: Path) -> bool:
    try:
        return state_of(path) == "left"
    except FileNotFoundError:
        return False


def _size(folder: Path) -> int:
    """Return the total size of the files in a directory. Files that are removed meanwhile do not count."""
    total = 0
    for place, _, names in os.walk(folder):
        for name in names:
            with suppress(OSError):
                total += (Path(place) / name).lstat().st_size
    return total
