"""Files of a work directory on machines without a shared file system.

Each machine has a directory of its own. Messages contain names of files. The sender copies each named file to an object
store, and the receiver fetches it from there. Each file is copied and fetched only once. A message also contains
checksums. They let a receiver reject a damaged object, and fetch a file again if the sender has changed it.
"""

import secrets
import shutil
import threading
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from anonset.data.storage.checksums import Sum, sums_of
from anonset.data.storage.lease import TOKENS, own_token
from anonset.data.storage.object_place import ObjectPlace
from anonset.errors import InputError
from anonset.local_paths import writing


class SentFile(NamedTuple):
    """Name of a file or directory in a message."""

    token: str
    name: str
    """Path in the directory of each machine, and name of the object."""
    sums: Sum | None
    """Checksums of the file, None for a directory."""


class Exchange:
    """Exchanges the files of a directory with other machines.

    Parameters
    ----------
    token
        Identifies the run.
    place
        Place of the objects.
    root
        Directory on this machine, without symbolic links.
    """

    def __init__(self, token: str, place: ObjectPlace, root: Path) -> None:
        self.token, self.place, self.root = token, place, root
        self._sums: dict[str, Sum] = {}  # checksums of the objects that this machine has put or received
        self._locks: defaultdict[str, threading.Lock] = defaultdict(threading.Lock)

    def send(self, path: Path, *, may_change: bool = False) -> SentFile:
        """Put a file into the object store, unless it was put before. Return its name for a message.

        Parameters
        ----------
        may_change
            True if this process may have changed the file since it was put. A changed file is put again.

        Raises
        ------
        InputError
            If the place or the file fails.
        """
        name = path.relative_to(self.root).as_posix()
        if path.is_dir():
            return SentFile(self.token, name, None)
        with self._locks[name]:
            known = self._sums.get(name)
            if known is not None and not may_change:
                return SentFile(self.token, name, known)
            with writing(path, "cannot be read"):
                sums = sums_of(path)
            if known != sums:
                self.place.put(name, path, replace=True)
                self._sums[name] = sums
            return SentFile(self.token, name, sums)

    def receive(self, sent: SentFile) -> Path:
        """Return the path of a file that a message names. The file is fetched unless it is on this machine.

        Raises
        ------
        InputError
            If the file cannot be fetched, or is damaged.
        """
        path = self.root / sent.name
        if sent.sums is None:
            with writing(path):
                path.mkdir(mode=0o700, parents=True, exist_ok=True)
            return path
        self.fetch(path, sent.sums)
        return path

    def fetch(self, path: Path, sums: Sum | None = None) -> None:
        """Fetch a file by its path on this machine, unless it is there. Without `sums`, the object is not checked."""
        name = path.relative_to(self.root).as_posix()
        with self._locks[name]:
            if path.exists() and (sums is None or self._sums.get(name, sums) == sums):
                return
            temporary = path.with_name(f".{secrets.token_hex(8)}.fetched")
            try:
                with writing(path):
                    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                    self.place.fetch(name, temporary)
                    temporary.chmod(0o600)
                    fetched = sums_of(temporary)
                    if sums not in (None, fetched):
                        msg = f"{self.place}: {name}: the object is damaged; delete all objects and start again"
                        raise InputError(msg, code="damaged")
                    temporary.replace(path)
            finally:
                temporary.unlink(missing_ok=True)
            self._sums[name] = fetched

    def forget(self, path: Path) -> None:
        """Delete the objects of a file or directory that this machine has put or received."""
        name = path.relative_to(self.root).as_posix()
        for known in [other for other in self._sums.copy() if other == name or other.startswith(f"{name}/")]:
            del self._sums[known]
            self.place.delete(known)


_exchanges: dict[str, Exchange] = {}
_superseded: set[str] = set()
"""Tokens of killed runs whose place another run uses."""


@contextmanager
def exchanging(place: ObjectPlace, root: Path) -> Iterator[Exchange]:
    """Exchange the files of a directory with other machines until the end of the block."""
    exchange = Exchange(own_token(place) or secrets.token_hex(8), place, root)
    _exchanges[exchange.token] = exchange
    try:
        yield exchange
    finally:
        del _exchanges[exchange.token]


def join(token: str, place: ObjectPlace, folder: Path) -> Exchange:
    """Return the exchange of a run on a worker. The first call creates a directory in `folder` for its files, and
    deletes the files of all killed runs at the same place.

    Raises
    ------
    InputError
        If another run at the place has begun since, or the directory cannot be created.
    """
    if token in _superseded:
        raise InputError(f"another run took over {str(place)!r}; this run stops", code="in-use")
    if token not in _exchanges:
        for other in tuple(_exchanges.values()):
            if other.place == place and other.token not in TOKENS:
                _superseded.add(other.token)
                leave(other.token)
        root = folder.resolve() / f"anonset-{token}"
        with writing(root):
            root.mkdir(mode=0o700, parents=True, exist_ok=True)
        _exchanges.setdefault(token, Exchange(token, place, root))
    return _exchanges[token]


def leave(token: str) -> None:
    """End the exchange of a run on a worker, and delete its files. Do nothing if the worker has none."""
    if (exchange := _exchanges.pop(token, None)) is not None:
        shutil.rmtree(exchange.root, ignore_errors=True)


def exchange_of(path: Path | str) -> Exchange | None:
    """Return the exchange of a file or directory. None if all machines share the file, or no other machine needs it."""
    if not _exchanges:
        return None
    return next((exchange for exchange in tuple(_exchanges.values()) if Path(path).is_relative_to(exchange.root)), None)


def sent(path: Path, *, may_change: bool = False) -> Path | SentFile:
    """Return the name of a file or directory in a message. The file is put if other machines do not share it."""
    exchange = exchange_of(path)
    return path if exchange is None else exchange.send(path, may_change=may_change)


def received(name: Path | SentFile) -> Path:
    """Return the path of a file or directory that a message names. The file is fetched if it is not on this machine."""
    return _exchanges[name.token].receive(name) if isinstance(name, SentFile) else name


def delete(path: Path) -> None:
    """Delete a file, here and in the place of its exchange."""
    path.unlink(missing_ok=True)
    if (exchange := exchange_of(path)) is not None:
        exchange.forget(path)
