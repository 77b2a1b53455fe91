"""Leases of directories and of places in object stores. A lease is a file in a directory, or an object in a place. It
identifies the process that uses the directory or place, and this process renews it.

A killed process cannot remove its directories. Another process then finds a stale lease and takes over the directory:

- If the lease was written on the same machine since the last boot, it is stale when its process no longer exists.
- Otherwise a lease is stale if it is not renewed for `LASTS` seconds. The observing process measures this time with its
  own monotonic clock, so different or changed clocks do not matter. The field ``expires`` is only used for display.

The first lease of a directory is the file `LEASE`. The successor of the lease with token T is the file
``anonset-lease-T.json``. Files are created exclusively, so if two processes find the same stale lease, only one of them
succeeds. A lease is valid until a successor exists. A process renews its file through the descriptor that created it,
so a process that was suspended and lost its lease never changes another process's lease. File locks are not used.

Objects are created exclusively if the file system can do so (see `anonset.reading.sources.place.Place.put`). Otherwise
two processes may write the same object. The process that then reads the token of the other process has lost the lease.
"""

import json
import os
import platform
import re
import secrets
import shlex
import stat
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar, Literal, get_type_hints

from anonset.data.storage import processes
from anonset.data.storage.object_place import ObjectPlace
from anonset.errors import AnonsetError, InputError
from anonset.strict_json import loads

LEASE = "anonset-lease.json"
"""Name of the first lease of a directory."""
RUN = "run.json"
"""Name of the file that identifies the run of a work directory. Only a run that can be resumed writes the file."""
EVERY = 5.0
"""Seconds between renewals of files."""
EVERY_OBJECT = 20.0
"""Seconds between renewals of objects. Each renewal costs a few requests."""
LASTS = 60.0
"""Seconds without a renewal after which a lease is stale, if the process cannot be checked."""
State = Literal["left", "in use", "of another user", "of another host", "unknown"]
"""State of a directory. ``left`` means that no process uses the directory. ``unknown`` means that the lease is missing
or unreadable.
"""
Tell = Callable[[str], None]
"""Function that shows one line of text to the user."""

_BYTES = 512
"""Lease size in bytes. Leases are padded with blanks, so that each renewal overwrites the previous content."""
_MOST_BYTES = 4096
_OPENED = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK
"""Open flags: never follow a link, and never wait for the other end of a pipe."""
_TOKEN = re.compile("[0-9a-f]{32}")
_NAME = re.compile(r"anonset-lease(-[0-9a-f]{32})?\.json")
_UNREADABLE = "0" * 32
"""Token of an unreadable lease, for example after a power failure."""


@dataclass(frozen=True)
class Lease:
    """Content of a lease."""

    token: str
    process: int
    """Process number. 0 after a failed run, so that other processes can take over the directory."""
    start: int
    """Start of the process in ticks since boot. It distinguishes processes that have one number in succession."""
    processes: str
    """Namespace of the process number."""
    boot: str
    """Boot id of the machine."""
    host: str
    user: int
    renewals: int
    expires: float
    """Time at which the lease expires unless it is renewed. It is in seconds since 1970, by the clock of the host."""


@dataclass
class _OwnLease:
    folder: Any
    name: str
    lease: Lease
    lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def content(self) -> bytes:
        return json.dumps(asdict(self.lease)).encode().ljust(_BYTES)


@dataclass
class _LeaseFile(_OwnLease):
    descriptor: int = -1
    renewal: ClassVar = staticmethod(lambda: EVERY)
    read: ClassVar = staticmethod(lambda folder, name, own_only: _read(folder / name, own_only=own_only))
    how_lost: ClassVar = " while this process was suspended; this run stops"

    def create(self) -> None:
        flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
        self.descriptor = os.open(self.folder / self.name, flags, 0o600)

    def fill(self) -> None:
        self.write(self.lease)
        os.fsync(self.descriptor)

    def write(self, lease: Lease) -> None:
        with self.lock:
            if self.descriptor >= 0:
                self.lease, written = lease, 0
                data = self.content
                while written < len(data):  # on a full disk the first write is short, and the second fails
                    written += os.pwrite(self.descriptor, data[written:], written)

    def close(self) -> None:
        if self.lock.acquire(timeout=1):  # a renewal may be waiting for an unresponsive file system
            descriptor, self.descriptor = self.descriptor, -1
            self.lock.release()
            if descriptor >= 0:
                os.close(descriptor)

    def delete(self) -> None:
        (self.folder / self.name).unlink(missing_ok=True)


@dataclass
class _LeaseObject(_OwnLease):
    renewal: ClassVar = staticmethod(lambda: EVERY_OBJECT)
    read: ClassVar = staticmethod(lambda place, name, own_only: None if place.size(name) is None else place.read(name))
    how_lost: ClassVar = "; this run publishes nothing"

    def create(self) -> None:
        try:
            self.folder.put(self.name, self.content)
        except InputError as error:
            if error.code == "exists":
                raise FileExistsError from error
            raise

    def fill(self) -> None:
        return  # an object is created with its content

    def write(self, lease: Lease) -> None:
        with self.lock:
            if holds(self.folder):  # neither replaces the lease of another process nor creates a deleted object
                self.lease = lease
                self.folder.put(self.name, self.content, replace=True)

    def close(self) -> None:
        if self.lock.acquire(timeout=LASTS):  # an object must not be renewed after its deletion
            self.lock.release()

    def delete(self) -> None:
        if _token(self.read(self.folder, self.name, own_only=False) or b"") == self.lease.token:
            self.folder.delete(self.name)


def _kind(folder: Path | ObjectPlace) -> type[_LeaseFile] | type[_LeaseObject]:
    return _LeaseFile if isinstance(folder, Path) else _LeaseObject


_held: dict[Path | ObjectPlace, _LeaseFile | _LeaseObject] = {}  # leases of this process
TOKENS: set[str] = set()
"""Tokens of the leases of this process."""
_renewing: dict[type, int] = {}  # processes whose threads renew the leases of a kind


def take(folder: Path | ObjectPlace, tell: Tell | None = None) -> None:
    """Acquire the lease of a directory or place for this process. Create a lease, or take over a stale lease.

    Raises
    ------
    InputError
        If another process uses the directory, or the object cannot be written.
    OSError
        If the file cannot be written, or the directory does not exist.
    """
    last = content_in(folder)
    if last is not None and not _is_stale(folder, last, tell):
        raise in_use(folder, last)
    kind = _kind(folder)
    own_lease = kind(folder, LEASE if last is None else _successor(last), new_lease())
    try:
        own_lease.create()
    except FileExistsError:
        raise in_use(folder, content_in(folder)) from None
    _held[folder] = own_lease
    TOKENS.add(own_lease.lease.token)
    try:
        own_lease.fill()
        if not holds(folder):  # another process that had the lease has removed and recreated the directory
            raise in_use(folder, content_in(folder))
    except BaseException as error:
        forget(folder)
        own_lease.delete()
        if isinstance(error, OSError):
            error.filename = str(folder / own_lease.name)
        raise
    if _renewing.get(kind) != os.getpid():
        _renewing[kind] = os.getpid()
        threading.Thread(target=_renew, args=(kind,), name="anonset-leases", daemon=True).start()


def new_lease() -> Lease:
    """Return a lease of this process with a new token."""
    process = os.getpid()
    place = processes.namespace(), processes.boot(), platform.node()
    expires = time.time() + LASTS
    return Lease(secrets.token_hex(16), process, processes.start_of(process), *place, os.getuid(), 0, expires)


def renewed(lease: Lease) -> Lease:
    """Return a lease that is valid from now on."""
    return replace(lease, renewals=lease.renewals + 1, expires=time.time() + LASTS)


def holds(folder: Path | ObjectPlace) -> bool:
    """Return True if this process has the lease of a directory or place, and no other process has taken it over."""
    token = own_token(folder)
    return token is not None and token_in(folder) == token


def own_token(folder: Path | ObjectPlace) -> str | None:
    """Return the token of the lease of a directory or place that this process has taken. None without a lease."""
    own_lease = _held.get(folder)
    return None if own_lease is None else own_lease.lease.token


def is_lost(folder: Path | ObjectPlace) -> bool:
    """Return True if another process has taken over the lease of a directory or place from this process."""
    return folder in _held and not holds(folder)


def require_held(*folders: Path | ObjectPlace) -> None:
    """Reject publication if another process has taken over the lease of a directory or place from this process.

    Raises
    ------
    InputError
        The message names the directory or place.
    """
    for folder in filter(is_lost, folders):
        raise InputError(f"another run took over {str(folder)!r}{_kind(folder).how_lost}", code="in-use")


def mark_unused(folder: Path | ObjectPlace) -> None:
    """Mark the directory as unused in the lease, and stop renewing the lease."""
    own_lease = _held.get(folder)
    if own_lease is not None:
        try:
            own_lease.write(replace(own_lease.lease, process=0, start=0, expires=0.0))
        finally:
            forget(folder)


def forget(folder: Path | ObjectPlace) -> None:
    """Stop renewing the lease of a directory that is removed or about to be removed."""
    own_lease = _held.pop(folder, None)
    if own_lease is not None:
        TOKENS.discard(own_lease.lease.token)
        own_lease.close()


def release(folder: Path) -> None:
    """Give up the lease of a directory and delete the lease files. The directory and other processes' leases remain."""
    lost = is_lost(folder)
    forget(folder)
    if not lost:
        for name in lease_files(folder):
            (folder / name).unlink(missing_ok=True)


def lease_files(folder: Path) -> set[str]:
    """Return the file names of the leases in a directory."""
    return {name for name in os.listdir(folder) if is_lease(name)}  # noqa: PTH208


def is_lease(name: str) -> bool:
    """Return True if a file name is a lease name."""
    return _NAME.fullmatch(name) is not None


def lease_of(folder: Path) -> Lease | None:
    """Return the last lease of a directory that this user owns. Return None if the lease is missing or unreadable.

    Raises
    ------
    FileNotFoundError
        If the directory does not exist.
    """
    if folder.lstat().st_uid != os.getuid():
        return None
    content = content_in(folder, own_only=True)
    return None if content is None else parsed_lease(content)


def state_of(folder: Path) -> State:
    """Return the state of a directory, as far as this process can determine it without waiting.

    Raises
    ------
    FileNotFoundError
        If the directory does not exist.
    """
    if folder.lstat().st_uid != os.getuid():
        return "of another user"
    lease = lease_of(folder)
    if lease is None:
        return "unknown"
    if lease.user != os.getuid():
        return "of another user"
    if lease.host != platform.node():
        return "of another host"
    return "in use" if _is_valid(lease) else "left"


def clear_command(folder: str | os.PathLike[str]) -> str:
    """Return the command that deletes the leftovers of runs in a directory or at an address."""
    return f"anonset clean {shlex.quote(os.fspath(folder))} --yes"


def why_taken(folder: Path) -> str:
    """Return the error message for a directory that is not empty. If it contains leftovers of a run, the message
    includes the cleanup command.
    """
    reason = f"{folder}: the work directory must be new or empty; its files may belong to another run"
    return (
        f"{reason}; to remove the files of an interrupted run: {clear_command(folder)}"
        if lease_files(folder)
        else reason
    )


def _is_valid(lease: Lease) -> bool:
    """Return True if the process of a lease is running. If the process cannot be checked, return True if the lease has
    not expired.

    If this process gave up a lease but could not write this to the file, for example on a full disk, the lease is not
    valid.
    """
    if lease.process == 0:
        return False
    if _is_here(lease) and lease.process == os.getpid():
        return lease.token in TOKENS
    return processes.start_of(lease.process) == lease.start if _is_here(lease) else time.time() < lease.expires


def _is_stale(folder: Path | ObjectPlace, content: bytes, tell: Tell | None) -> bool:
    """Return True if no process renews the lease with this content. If the process cannot be checked, the lease is
    observed for `LASTS` seconds.
    """
    lease = parsed_lease(content)
    if lease is not None and (lease.process == 0 or _is_here(lease)):
        return not _is_valid(lease)
    if tell is not None:
        by = "" if lease is None else f" by a run on {lease.host}"
        tell(f"{folder} was in use{by}: waiting up to {LASTS:.0f} seconds to see if that run is still alive")
    end = time.monotonic() + LASTS
    while (left := end - time.monotonic()) > 0:
        time.sleep(min(left, EVERY / 5))
        if content_in(folder) != content:
            return False
    return True


def seems_live(content: bytes | None) -> bool:
    """Return True if a run seems to renew a lease. For runs on other hosts, the expiry time decides."""
    lease = None if content is None else parsed_lease(content)
    return lease is not None and _is_valid(lease)


def in_use(folder: object, content: bytes | None) -> InputError:
    """Return the error that another run uses a directory or an address."""
    lease = None if content is None else parsed_lease(content)
    whose = "" if lease is None else f" (process {lease.process} on {lease.host})"
    msg = f"another run uses {str(folder)!r}{whose}; wait for it, or name another directory"
    return InputError(msg, code="in-use")


def content_in(folder: Path | ObjectPlace, *, own_only: bool = False) -> bytes | None:
    """Return the content of the last lease of a directory or place, or None without a lease.

    Parameters
    ----------
    own_only
        Read only files of this user.
    """
    return next(reversed(_contents(folder, own_only=own_only)), None)


def token_in(folder: Path | ObjectPlace) -> str | None:
    """Return the token of the last lease of a directory or place. None without a lease."""
    content = content_in(folder)
    return None if content is None else _token(content)


def tokens_in(folder: Path | ObjectPlace) -> set[str]:
    """Return the tokens of all readable leases of a directory or place, in succession."""
    return {_token(content) for content in _contents(folder)} - {_UNREADABLE}


def _contents(folder: Path | ObjectPlace, *, own_only: bool = False) -> list[bytes]:
    name, content_of = LEASE, dict[str, bytes]()
    while name not in content_of and (data := _kind(folder).read(folder, name, own_only=own_only)) is not None:
        content_of[name], name = data, _successor(data)
    return list(content_of.values())


def _read(path: Path, *, own_only: bool) -> bytes | None:
    """Return the content of a lease. It is None if the file is missing, and empty if the file is large or not a regular
    file.
    """
    try:
        descriptor = os.open(path, _OPENED)
    except FileNotFoundError:
        return None
    except OSError:
        return b""
    try:
        status = os.fstat(descriptor)
        foreign = own_only and status.st_uid != os.getuid()
        if foreign or not stat.S_ISREG(status.st_mode) or status.st_size > _MOST_BYTES:
            return b""
        return os.pread(descriptor, _MOST_BYTES, 0)
    except OSError:  # for example, another host removed the file on a network file system
        return b""
    finally:
        os.close(descriptor)


def parsed_lease(data: bytes) -> Lease | None:
    """Parse the content of a lease. Return None unless it has exactly the fields of `Lease`, with the correct types."""
    try:
        said = loads(data)
    except ValueError:
        return None
    if not isinstance(said, dict) or {name: type(value) for name, value in said.items()} != get_type_hints(Lease):
        return None
    lease = Lease(**said)
    return lease if _TOKEN.fullmatch(lease.token) and min(lease.process, lease.start) >= 0 else None


def _token(data: bytes) -> str:
    lease = parsed_lease(data)
    return _UNREADABLE if lease is None else lease.token


def _successor(data: bytes) -> str:
    return f"anonset-lease-{_token(data)}.json"


def _renew(kind: type[_LeaseFile] | type[_LeaseObject]) -> None:
    """Renew the leases of one kind. A slow object store does not delay the renewal of files."""
    while True:
        time.sleep(kind.renewal())
        for own_lease in tuple(_held.values()):
            if type(own_lease) is kind:
                with suppress(OSError, AnonsetError):  # for example, the disk is full; `holds` detects a lost lease
                    own_lease.write(renewed(own_lease.lease))


for _own in (_held, TOKENS):
    os.register_at_fork(after_in_child=_own.clear)  # after a fork, the parent process keeps the leases


def _is_here(lease: Lease) -> bool:
    """Return True if the process of a lease can be checked, because it has the host, boot and process namespace of this
    process.
    """
    identity = (platform.node(), processes.boot(), processes.namespace())
    return all(identity) and (lease.host, lease.boot, lease.processes) == identity
