"""Places for publications: free, taken, or holding what a run that was killed has left."""

import fcntl
import hashlib
import os
import re
import secrets
import shlex
from pathlib import Path

from anonset.errors import InputError

UNFINISHED = "unfinished.txt"
"""Name of the file that marks a private directory as long as its publication is not complete."""
_LONGEST_STEM = 60  # bytes of the name of OUT in the temporary one, which must not be too long itself


def temporary_place(out: Path) -> Path:
    """Return a new place beside OUT in which to make it: hidden, and named after it."""
    return out.parent / f".{_stem(out)}.{secrets.token_hex(8)}.tmp"


def require_new(*folders: Path) -> None:
    """Refuse paths that exist, or whose parent does not, or that are one and the same.

    Raises
    ------
    InputError
        With the path; a publication is never overwritten.
    """
    if len({folder.absolute() for folder in folders}) < len(folders):
        msg = f"the publication and its private directory must differ, got {str(folders[0])!r} for both"
        raise InputError(msg)
    for folder in folders:
        if os.path.lexists(folder):
            msg = f"{str(folder)!r} exists already; a publication is never overwritten: name a new directory"
            raise InputError(msg)
        if not folder.parent.is_dir():
            msg = f"cannot make {str(folder)!r}: {str(folder.parent)!r} must be an existing directory"
            raise InputError(msg)


def require_free(out: Path, private: Path) -> None:
    """Refuse places for a publication that are taken, or where a run that was killed has left something.

    Raises
    ------
    InputError
        With what lies there, and how to clear it; nothing is ever removed that another run made.
    """
    found, complete = leftovers(out, private), os.path.lexists(out)
    if busy := [path for path, held in found.items() if held]:
        msg = f"another run is making {str(out)!r} in {str(busy[0])!r} right now; wait for it, or name a new directory"
        raise InputError(msg)
    if found:
        raise InputError(_left_behind(out, private, list(found), complete=complete))
    if private.is_dir() and not complete:
        msg = (
            f"{str(private)!r} exists already, without a publication {str(out)!r}; name another private directory, or "
            "remove it if it is left from a publication that is gone"
        )
        raise InputError(msg)
    require_new(out, private)


def leftovers(out: Path, private: Path) -> dict[Path, bool]:
    """Return what lies there of runs that did not finish, and of each path whether a run is still at work on it."""
    own = re.compile(rf"\.{re.escape(_stem(out))}\.[0-9a-f]{{16}}\.tmp")
    found = {private: _is_held(private / UNFINISHED)} if (private / UNFINISHED).is_file() else {}
    beside = sorted(out.parent.iterdir()) if out.parent.is_dir() else []
    return found | {path: _is_held(path) for path in beside if own.fullmatch(path.name) and path.is_dir()}


def _left_behind(out: Path, private: Path, found: list[Path], *, complete: bool) -> str:
    """Say what a run that was killed has left, and the command that clears it."""
    clear = "rm -r -- " + " ".join(shlex.quote(str(path)) for path in found)
    if not complete:
        return f"a run that was to make {str(out)!r} was killed; what it left tells of the data, and must go: {clear}"
    if private in found:
        which = f"{str(out)!r} is complete, but the run that made it was killed before {str(private)!r} was"
        return f"{which}; to make both anew: {clear} {shlex.quote(str(out))}"
    taken = f"{str(out)!r} exists already; a publication is never overwritten: name a new directory"
    return f"{taken} (what a killed run left beside it can go: {clear})"


def lock(path: Path) -> list[int]:
    """Lock a file or directory for as long as this process lives; return the descriptor that holds the lock.

    None where the file system knows no locks: there a run at work looks like one that was killed.
    """
    descriptor = os.open(path, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        return []
    return [descriptor]


def _stem(out: Path) -> str:
    """Return what stands for the name of OUT in the temporary one."""
    name = os.fsencode(out.name)
    return out.name if len(name) <= _LONGEST_STEM else hashlib.sha256(name).hexdigest()


def _is_held(path: Path) -> bool:
    """Tell whether a process that is alive holds the lock of a file or directory."""
    try:
        descriptor = os.open(path, os.O_RDONLY)
    except OSError:  # gone meanwhile, or another's
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    finally:
        os.close(descriptor)
    return False
