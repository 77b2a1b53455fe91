"""Places: local directories and addresses of object stores. A place contains named objects."""

import hashlib
import os
import re
import secrets
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property
from glob import iglob
from importlib import import_module
from pathlib import Path
from typing import IO, Any, Self

from anonset.errors import InputError, foreign
from anonset.lazy_arrow import pa
from anonset.reading.sources.files import digest, reading

BYTES_AT_ONCE = 1 << 23
"""Bytes per read and write of an object."""
PAUSES = (0.2, 1.0, 5.0)
"""Seconds to wait before each repetition of a failed read at an address."""
MOST_COPIED = 5 << 30
"""Maximum size in bytes of an object that S3 copies in one request. Larger objects are read and written again."""

_PASSWORD = re.compile("://[^/@]*:[^@]*@")


def is_address(path: str | os.PathLike[str]) -> bool:
    """Return True for an address such as ``s3://bucket/out``."""
    return "://" in os.fspath(path)


def may_have_data(named: str) -> bool:
    """Return True if there are data at a path or a pattern of paths. Addresses count as existing until they are
    read.
    """
    return is_address(named) or Path(named).exists() or any(iglob(named, recursive=True))  # noqa: PTH207


@dataclass(frozen=True)
class Place:
    """Local directory, or address such as ``s3://bucket/out``, with objects under relative names.

    An object appears complete or not at all, and is never changed. Creating a place contacts no server. All methods
    raise InputError if the system fails.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     place = Place(f"{folder}/out")
    ...     place.put("parts/a.csv", b"codes")
    ...     place.names(), place.read("parts/a.csv", 1, 3)
    (['parts/a.csv'], b'ode')
    """

    address: str

    def __str__(self) -> str:
        return self.address

    def __fspath__(self) -> str:
        return self.address

    def __truediv__(self, name: str) -> Self:
        return type(self)(f"{self.address.rstrip('/')}/{name}")

    def __reduce__(self) -> tuple[type[Self], tuple[str]]:
        """Serialize the address only, so that no credentials are sent to another process."""
        return type(self), (self.address,)

    @property
    def parent(self) -> Self:
        """Place that contains this place."""
        return type(self)(self.address.rstrip("/").rpartition("/")[0])

    @property
    def name(self) -> str:
        """Last part of the address."""
        return self.address.rstrip("/").rpartition("/")[2]

    def require_below_bucket(self, example: str) -> None:
        """Reject the address of a bucket, because runs create and delete all objects of a place.

        Raises
        ------
        InputError
            The message contains the address with `example` as the missing part.
        """
        if not self.is_local and not self.address.partition("://")[2].partition("/")[2]:
            raise InputError(f"{str(self)!r} must name a place in the bucket, such as {str(self / example)!r}")

    @property
    def is_local(self) -> bool:
        """True for a directory of this machine."""
        return not is_address(self.address)

    @property
    def has_password(self) -> bool:
        """True if the address contains a password."""
        return _PASSWORD.search(self.address) is not None

    @property
    def may_have_secrets(self) -> bool:
        """True if the address contains a password or a query."""
        return self.has_password or "?" in self.address

    def names(self) -> list[str]:
        """Return the sorted names of all objects, including objects in subdirectories. Empty if there is no object."""
        return sorted(self.sizes())

    def sizes(self) -> dict[str, int]:
        """Return the size of each object in bytes by name, including objects in subdirectories.

        Raises
        ------
        InputError
            If a name would leave the directory that it is fetched into.
        """
        from pyarrow import fs

        system, base = self.system
        with reading(self):
            found = system.get_file_info(fs.FileSelector(base, recursive=True, allow_not_found=True))
        start = f"{base.rstrip('/')}/"
        sizes = {entry.path.removeprefix(start): int(entry.size) for entry in found if entry.type == fs.FileType.File}
        if bad := next((name for name in sizes if {"", ".", ".."}.intersection(name.split("/"))), None):
            raise InputError(f"{self}: the object name {foreign(bad)} is not supported")
        return sizes

    def size(self, name: str) -> int | None:
        """Return the size of an object in bytes. None if the object does not exist."""
        system, base = self.system
        with reading(self / name):
            size = system.get_file_info(f"{base}/{name}").size
        return None if size is None else int(size)

    def put(self, name: str, content: bytes | Path, *, replace: bool = False) -> None:
        """Write an object from bytes or from a local file. A local place keeps the permissions of the file.

        File systems of fsspec that support the mode ``xb`` create objects from bytes exclusively. In other file
        systems, another process may create the object after the check that it does not exist.

        Parameters
        ----------
        replace
            Whether an existing object may be replaced.

        Raises
        ------
        InputError
            If the object exists, or cannot be written.
        """
        if not replace:
            created = False if self.size(name) is not None else self._created(name, content)
            if created is False:
                raise InputError(f"{self / name}: already exists", code="exists")
            if created:
                return
        with reading(self / name, "cannot be written"), self._written(name) as target:
            if isinstance(content, bytes):
                target.write(content)
            else:
                with content.open("rb") as file:
                    shutil.copyfileobj(file, target, BYTES_AT_ONCE)
        if self.is_local and isinstance(content, Path):
            shutil.copymode(content, self._local(name))

    def read(self, name: str, start: int = 0, size: int | None = None) -> bytes:
        """Return `size` bytes of an object from `start` on. Return all further bytes if `size` is None.

        Raises
        ------
        InputError
            If the object does not exist, or cannot be read.
        """
        if size is None and not start:
            return b"".join(self._parts(name))
        system, base = self.system
        with reading(self / name), system.open_input_file(f"{base}/{name}") as file:
            file.seek(start)
            found: bytes = file.read(size)
            return found

    def fetch(self, name: str, path: Path) -> None:
        """Copy an object to a local file."""
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("wb") as file:
            for part in self._parts(name):
                file.write(part)

    def sha256(self, name: str) -> str:
        """Return the SHA-256 of the stored bytes in hexadecimal."""
        if self.is_local:
            return digest(self._local(name))
        checksum = hashlib.sha256()
        for part in self._parts(name):
            checksum.update(part)
        return checksum.hexdigest()

    def copy(self, name: str, to: "Place") -> None:
        """Copy an object to another place of the same file system, under the same name. The store copies it without a
        transfer if possible.
        """
        (system, base), (other, target) = self.system, to.system
        if not self.is_local and system.equals(other) and (self.size(name) or 0) <= MOST_COPIED:
            with reading(to / name, "cannot be written"):
                system.copy_file(f"{base}/{name}", f"{target}/{name}")
            return
        with reading(to / name, "cannot be written"), to._written(name) as file:
            for part in self._parts(name):
                file.write(part)
        if self.is_local and to.is_local:
            shutil.copymode(self._local(name), to._local(name))

    def delete(self, name: str) -> None:
        """Delete an object, if it exists."""
        system, base = self.system
        with reading(self / name, "cannot be deleted"), suppress(FileNotFoundError):
            system.delete_file(f"{base}/{name}")

    def delete_all(self) -> None:
        """Delete all objects and the place itself, if they exist."""
        system, base = self.system
        with reading(self, "cannot be deleted"), suppress(FileNotFoundError):
            system.delete_dir(base)

    @cached_property
    def system(self) -> tuple[Any, str]:
        """File system (``pyarrow.fs.FileSystem``), and the path within it.

        Raises
        ------
        InputError
            See `system_of`.
        """
        return system_of(self.address if is_address(self.address) else os.path.abspath(self.address))  # noqa: PTH100

    def _local(self, name: str) -> Path:
        return Path(self.address) / name

    def _parts(self, name: str) -> Iterator[bytes]:
        """Yield the bytes of an object. Repeat failed reads after a pause, because Arrow does not repeat all failed
        reads.
        """
        system, base = self.system
        start, pauses = 0, iter(() if self.is_local else PAUSES)
        with reading(self / name):
            while True:
                try:
                    with system.open_input_file(f"{base}/{name}") as file:
                        file.seek(start)
                        while part := file.read(BYTES_AT_ONCE):
                            start += len(part)
                            yield part
                    return
                except FileNotFoundError:
                    raise
                except OSError:
                    if (pause := next(pauses, None)) is None:
                        raise
                    time.sleep(pause)

    def _created(self, name: str, content: bytes | Path) -> bool | None:
        """Create an object from bytes exclusively. Return False if it exists, and None if this is not supported."""
        from pyarrow import fs

        system, base = self.system
        if not isinstance(system, fs.PyFileSystem) or isinstance(content, Path):
            return None
        with reading(self / name, "cannot be written"):
            try:
                with system.handler.fs.open(f"{base}/{name}", "xb") as file:
                    file.write(content)
            except FileExistsError:
                return False
            except (NotImplementedError, ValueError):
                return None
        return True

    @contextmanager
    def _written(self, name: str) -> Iterator[IO[bytes]]:
        """Yield a stream to write an object. If the block fails, no object is created."""
        system, base = self.system
        if not self.is_local:
            try:
                with system.open_output_stream(f"{base}/{name}") as stream:
                    yield stream
            except BaseException:
                with suppress(Exception):  # closing the stream has stored an incomplete object
                    system.delete_file(f"{base}/{name}")
                raise
            return
        path = self._local(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = path.with_name(f".{secrets.token_hex(8)}.tmp")
        try:
            with temporary.open("xb") as file:
                yield file
                file.flush()
                os.fsync(file.fileno())
            temporary.replace(path)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise


_RETRIES = "retry_limit_seconds=60"
"""Time limit of requests to Google Cloud Storage. By default, they are repeated for 15 minutes without credentials or
network."""


def system_of(address: str) -> tuple[Any, str]:
    """Return the file system of an address (``pyarrow.fs.FileSystem``), and the path within it.

    Raises
    ------
    InputError
        If the server does not answer, or a package is missing.
    """
    from pyarrow import fs

    scheme = address.partition("://")[0]
    uri = address
    if scheme in ("gs", "gcs") and "retry_limit_seconds=" not in address:
        uri += ("&" if "?" in address else "?") + _RETRIES
    try:
        system, path = fs.FileSystem.from_uri(uri)
    except pa.ArrowInvalid:
        pass
    except OSError as error:
        raise InputError(f"{address}: cannot be reached: {foreign(error)}") from error
    else:
        return system, path
    try:
        fsspec = import_module("fsspec")
    except ImportError:
        raise InputError(f"{address}: {scheme!r} addresses need the package fsspec: pip install fsspec") from None
    with reading(address, "cannot be reached", values=True):
        try:
            system, path = fsspec.core.url_to_fs(address)
        except ImportError as error:  # the message names the package and how to install it
            raise InputError(f"{address}: {scheme!r} addresses need a package that is not installed: {error}") from None
        except ValueError:
            msg = f"{address}: {scheme!r} is unknown to fsspec, which reads addresses such as s3://bucket/folder"
            raise InputError(msg) from None
    return fs.PyFileSystem(fs.FSSpecHandler(system)), path
