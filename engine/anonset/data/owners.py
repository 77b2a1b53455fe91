"""The owner of a work directory: a mark in it names the process at work there, which holds the mark locked.

A process that is killed cannot remove its directory. The mark lets another one tell that nobody is at work there.
"""

import fcntl
import json
import os
import platform
import shlex
import stat
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal, get_type_hints

from anonset.errors import InputError
from anonset.strict_json import loads

OWNER = "owner.json"
"""Name of the file that marks a work directory."""
State = Literal["left", "in use", "of another user", "of another host", "unknown"]
"""``left``: nobody is at work there any more; ``unknown``: there is no mark, or it does not tell."""

_MOST_BYTES = 4096
"""Maximum size of a mark; a larger file is no mark."""
_OPENED = os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK
"""Never follow a link, and never wait for the other end of a pipe."""

_locks: dict[Path, int] = {}  # descriptors of marks that this process holds locked, by their directories


@dataclass(frozen=True)
class Owner:
    """What the mark of a work directory says."""

    process: int
    """0: none, as the run failed, and leaves the directory to another one."""
    start: int
    """When the process began, in ticks since the machine started; another process of the same number began later."""
    processes: str
    """Among which processes the number is unique: those of a container count from 1."""
    boot: str
    """Since which start of the machine it runs."""
    host: str
    user: int
    locked: bool
    """Whether the file system knows locks: then the mark is locked as long as the process lives."""


def take(folder: Path) -> None:
    """Mark a work directory as that of this process, and lock the mark.

    Raises
    ------
    InputError
        If another process is at work there, or the mark is not a regular file.
    OSError
        If the mark cannot be written.
    """
    descriptor = os.open(folder / OWNER, _OPENED | os.O_CREAT, 0o600)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        msg = f"{str(folder / OWNER)!r} must be a regular file; name another directory"
        raise InputError(msg)
    try:
        locked = _lock(descriptor)
    except BlockingIOError:
        os.close(descriptor)
        msg = f"another run is at work in {str(folder)!r}; wait for it, or name another directory"
        raise InputError(msg) from None
    _locks[folder] = descriptor
    _write(descriptor, _here(locked=locked))


def leave(folder: Path) -> None:
    """Say in the mark of a work directory that no process is at work there, and unlock it."""
    descriptor = _locks.pop(folder, None)
    if descriptor is not None:
        try:
            _write(descriptor, Owner(**{**asdict(_here(locked=True)), "process": 0, "start": 0}))
        finally:
            os.close(descriptor)


def forget(folder: Path) -> None:
    """Unlock the mark of a work directory that is gone."""
    descriptor = _locks.pop(folder, None)
    if descriptor is not None:
        os.close(descriptor)


def owner_of(folder: Path) -> Owner | None:
    """Return the mark of a directory of this user; None if there is none, or it cannot be read.

    Raises
    ------
    FileNotFoundError
        If the directory is gone.
    """
    descriptor = _open_mark(folder)
    if descriptor is None:
        return None
    try:
        return _read(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def looked_at(folder: Path) -> Iterator[State]:
    """Return whether a run is at work in a directory, as far as this can be determined here.

    Within the block no run can take the directory.

    Raises
    ------
    FileNotFoundError
        If the directory is gone.
    """
    with ExitStack() as opened:
        yield _state_of(folder, opened)


def _state_of(folder: Path, opened: ExitStack) -> State:
    """Return the state of a directory, and keep its mark locked while `opened` is open."""
    if folder.lstat().st_uid != os.getuid():
        return "of another user"
    descriptor = _open_mark(folder)
    if descriptor is None:
        return "unknown"
    opened.callback(os.close, descriptor)
    owner = _read(descriptor)
    if owner is None:
        return "unknown"
    if owner.user != os.getuid():
        return "of another user"
    try:
        _lock(descriptor)
    except BlockingIOError:
        return "in use"
    return _state(owner)


def _open_mark(folder: Path) -> int | None:
    """Open the mark of a directory; None unless both belong to this user and the mark is a small regular file.

    Other users can put anything into a directory for temporary files: a pipe or a link must not stop a run.
    """
    try:
        place = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except FileNotFoundError:
        raise
    except OSError:
        return None
    try:
        if os.fstat(place).st_uid != os.getuid():
            return None
        descriptor = os.open(OWNER, _OPENED, dir_fd=place)
    except OSError:
        return None
    finally:
        os.close(place)
    if _is_own_file(descriptor):
        return descriptor
    os.close(descriptor)
    return None


def _is_own_file(descriptor: int) -> bool:
    """Return True if an open file is a regular one of this user that is small enough for a mark."""
    found = os.fstat(descriptor)
    return stat.S_ISREG(found.st_mode) and found.st_uid == os.getuid() and found.st_size <= _MOST_BYTES


def _read(descriptor: int) -> Owner | None:
    """Parse an open mark; None unless it has exactly the fields of an `Owner`, each of its type."""
    types = get_type_hints(Owner)
    try:
        said = loads(os.pread(descriptor, _MOST_BYTES, 0))
    except (OSError, ValueError):
        return None
    if not isinstance(said, dict) or {name: type(value) for name, value in said.items()} != types:
        return None
    return Owner(**said) if min(said["process"], said["start"]) >= 0 else None


def _state(owner: Owner) -> State:
    """Tell whether the process of a mark that nobody holds locked is dead."""
    if owner.host != platform.node():
        return "of another host"
    boot = _boot()
    if owner.process == 0 or (boot and owner.boot and owner.boot != boot):
        return "left"
    if owner.processes != _processes():
        return "left" if owner.locked else "unknown"  # whose lock is gone is dead, wherever its number counts
    return "left" if _start(owner.process) != owner.start else "in use"


def clear_command(folder: Path) -> str:
    """Return the command that removes what runs left in a directory."""
    return f"anonset clean {shlex.quote(str(folder))} --yes"


def why_taken(folder: Path) -> str:
    """Say why a directory that holds something is not worked in, and how to clear it if a run left it."""
    reason = f"{folder}: the work directory must be empty, or a new one: what it holds may be another run's"
    cleared = f"; what runs left there is cleared by: {clear_command(folder)}"
    return reason + (cleared if os.path.lexists(folder / OWNER) else "")


def _lock(descriptor: int) -> bool:
    """Lock an open file; tell whether its file system knows locks.

    Raises
    ------
    BlockingIOError
        If another process holds the lock.
    """
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise
    except OSError:
        return False
    return True


def _write(descriptor: int, owner: Owner) -> None:
    with open(descriptor, "wb", closefd=False) as file:
        file.seek(0)
        file.truncate()
        file.write(json.dumps(asdict(owner)).encode())


def _here(*, locked: bool) -> Owner:
    process = os.getpid()
    return Owner(process, _start(process), _processes(), _boot(), platform.node(), os.getuid(), locked)


def _start(process: int) -> int:
    """Return when a process began, in ticks since the machine started; -1 if there is none, or it is dead."""
    fields = _shown(f"/proc/{process}/stat").rpartition(")")[2].split()  # behind the name, whatever that holds
    return -1 if not fields or fields[0] in "ZX" else int(fields[19])


def _processes() -> str:
    try:
        return str(Path("/proc/self/ns/pid").readlink())
    except OSError:
        return ""


def _boot() -> str:
    return _shown("/proc/sys/kernel/random/boot_id").strip()


def _shown(path: str) -> str:
    """Return what the system shows at a path of its own; nothing where it does not."""
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
