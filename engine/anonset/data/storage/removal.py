"""Removal of the directory or place of a run, such that a killed process leaves one that later commands recognize."""

import errno
import os
import shutil
from pathlib import Path

from anonset.data.storage.lease import LEASE, RUN, forget, is_lease, is_lost
from anonset.data.storage.object_place import ObjectPlace
from anonset.data.storage.workers import THREADS


def remove_directory(path: Path) -> None:
    """Delete a directory with all content. `RUN` and the leases are deleted last, after all other files are gone.

    Raises
    ------
    OSError
        If a file cannot be deleted. Then `RUN` and the leases remain.
    """
    failure: OSError | None = None
    for entry in _unmarked(path):
        try:
            if entry.is_dir(follow_symlinks=False):
                shutil.rmtree(entry.path)
            else:
                Path(entry).unlink(missing_ok=True)
        except OSError as error:
            failure = error
    if left := _unmarked(path):  # without an error, for example, a network file system keeps an opened file
        raise failure or OSError(errno.ENOTEMPTY, os.strerror(errno.ENOTEMPTY), left[0].path)
    for name in sorted(os.listdir(path), key=_rank):  # noqa: PTH208
        (path / name).unlink(missing_ok=True)
    path.rmdir()


def remove_place(place: ObjectPlace) -> None:
    """Give up the lease of a place, and delete all objects, unless another process has taken over the place.

    `RUN` and the leases are deleted last, as in `remove_directory`.
    """
    lost = is_lost(place)
    forget(place)
    if lost:
        return
    names = place.names()
    for _ in THREADS.map(place.delete, [name for name in names if name != RUN and not is_lease(name)]):
        pass
    for name in sorted({RUN, LEASE, *filter(is_lease, names)}, key=_rank):  # a listing may lack new objects
        place.delete(name)
    place.delete_all()


def _rank(name: str) -> tuple[bool, bool]:
    return name == LEASE, is_lease(name)


def _unmarked(path: Path) -> list[os.DirEntry[str]]:
    """Return the entries of a directory except `RUN` and the leases."""
    with os.scandir(path) as entries:
        return [entry for entry in entries if entry.name != RUN and not is_lease(entry.name)]
