"""Storage for the arrays of a run, in memory or in files of a work directory, and the workers of the run.

An array in files is memory-mapped and read page by page. A column of mapped arrays can be used like any other column.
Code that processes the column in blocks keeps only one block in memory.
"""

import os
import secrets
import tempfile
import weakref
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self, TypeVar

import numpy as np
from numpy.typing import DTypeLike, NDArray

from anonset.data.redacted_repr import RedactedRepr
from anonset.data.spans import AT_ONCE, NO_LIMITS, ROWS_PER_TASK, Limits, rows_per_task, spans
from anonset.data.storage.checksums import forget_sums
from anonset.data.storage.exchange import delete, exchange_of, sent
from anonset.data.storage.growing import ArrayBuilder, FileArrayBuilder
from anonset.data.storage.lease import LEASE, RUN, forget, is_lost, require_held, take, why_taken
from anonset.data.storage.removal import remove_directory
from anonset.data.storage.workers import ONE_THREAD, THREADS, Workers
from anonset.errors import InputError
from anonset.local_paths import require_local, writing

MOST_CODES = 1 << 16
"""Maximum number of codes that fit into two bytes."""
PREFIX = "anonset-"
"""Name prefix of temporary directories."""
DONE = "done-"
"""Name prefix of files with results of finished steps."""
INSIDE = "anonset-work"
"""Name of the directory created inside an existing directory given by the user."""

_MADV_COLD = 20  # the module mmap does not define it
_temporary: dict[Path, None] = {}  # temporary directories of this process that still exist


def damage_error(file: object = "", reason: str = "") -> InputError:
    """Return the error for a damaged work directory, or a damaged file in it."""
    parts = [str(part) for part in (file, "the work directory is damaged", reason, "delete it and start again") if part]
    return InputError(": ".join(parts), code="damaged")


_Task = TypeVar("_Task")
_Done = TypeVar("_Done")


class Store(RedactedRepr):
    """Storage for the arrays of a run (`Memory` or `Files`), and the workers of the run. A job creates the store, and
    each table of the job has a reference to it.

    Arrays of table length are always allocated in a store. Code that needs a different algorithm for files checks
    `in_files`, never the type of the store. Each call allocates a new array. The name only appears in the file name.
    All methods raise InputError if the disk is full or not writable. Serialized stores have no workers. The methods of
    this class keep arrays in memory, and `Files` overrides them.
    """

    limits: Limits
    """Limits on the data in memory."""
    workers: Workers
    """Workers that run the tasks."""
    path: Path | None = None
    """Directory of the files, None in memory."""
    in_files: bool
    """True if arrays are mapped from files. If so, code should not keep arrays of table length in memory."""

    def map(self, work: Callable[[_Task], _Done], tasks: Iterable[_Task], ahead: int | None = None) -> Iterator[_Done]:
        """Run `work` on independent tasks. The workers of the store run the tasks (see `Workers.map`)."""
        return self.workers.map(work, tasks, ahead)

    def with_workers(self, workers: Workers) -> Self:
        """Return the same store with other workers."""
        store: Any = self
        return self if workers is self.workers else replace(store, workers=workers)

    def with_local_workers(self) -> Self:
        """Return the same store with the workers of this process."""
        return self.with_workers(self.workers.local)

    def in_memory(self) -> "Memory":
        """Return a store in memory with the same limits and workers."""
        return Memory(self.limits, self.workers)

    def array(self, name: str, dtype: DTypeLike, length: int) -> NDArray[Any]:
        """Allocate a zero-filled array, (length,). Elements can be written in any order."""
        return np.zeros(length, dtype)

    def growing(self, name: str, dtype: DTypeLike) -> ArrayBuilder:
        """Create an array of unknown length."""
        return ArrayBuilder(dtype)

    def rows_at_once(self, n: int, most: int) -> int:
        """Return how many of `n` rows are processed together. A store in memory returns `n`, and a store in files at
        most `most`.
        """
        return n

    def rows_per_task(self, size: tuple[int, int], bytes_per_row: int) -> int:
        """Return the number of rows per task. `size` is the number of rows and items of the table. `bytes_per_row` is
        the memory that a task needs per row. Tasks on threads share the memory limit of this process.
        """
        rows = rows_per_task(size, self.workers.count)
        if self.workers.remote:
            return rows
        return min(rows, max(AT_ONCE, self.limits.at_once_within(ROWS_PER_TASK, bytes_per_row * self.workers.count)))

    def spans(self, n: int, at_once: int | None = None) -> Iterable[tuple[int, int]]:
        """Return the start and end of each block of `n` rows. A store in memory returns a single block."""
        return [(0, n)]

    def buckets(self, n: int) -> int:
        """Return the number of buckets for `n` rows. A store in memory returns 1."""
        return 1

    def code_type(self, n_codes: int) -> DTypeLike:
        """Return the stored type of codes below `n_codes`. It is uint16 in files if all codes fit, and
        otherwise int32.
        """
        return np.int32

    def require_held(self) -> None:
        """Reject a work directory that another process has taken over."""
        return

    @property
    def of_run(self) -> "Files | None":
        """Work directory of a run that can be resumed, or None."""
        return None

    def nested_on_disk(self) -> "Files":
        """Return a nested store in files. If this store is in memory, the files are in a temporary directory."""
        return Files.temporary()

    def keep(self, name: str, values: NDArray[Any]) -> NDArray[Any]:
        """Store an array under exactly this name, and return the stored array."""
        return values

    def drop(self, *names: str) -> None:
        """Delete the arrays with the given names. Existing memory maps remain valid."""

    def nested(self) -> Self:
        """Return a nested store. Removing it deletes its arrays. As a context manager, it is removed on exit."""
        return self

    def remove(self) -> None:
        """Delete the store with all arrays."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.remove()

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "workers": ONE_THREAD}


@dataclass(frozen=True)
class Memory(Store):
    """A store in memory.

    >>> with MEMORY.growing("codes", np.int32) as codes:
    ...     codes.append(np.arange(2))
    ...     codes.append(np.arange(3))
    >>> codes.finished().tolist(), MEMORY.array("codes", np.int32, 2).tolist()
    ([0, 1, 0, 1, 2], [0, 0])
    """

    limits: Limits = field(default=NO_LIMITS, repr=False)
    workers: Workers = field(default=THREADS, repr=False, compare=False)
    in_files = False


MEMORY = Memory()
"""Memory without limits."""


class DirectoryToken:
    """Reference to a temporary directory. The directory is deleted when no store refers to this object."""


@dataclass(frozen=True)
class Files(Store):
    """Storage in files of a work directory, one per array. The directory contains raw data and is private to the owner.

    >>> with Files.temporary() as store:
    ...     with store.growing("codes", np.int32) as codes:
    ...         codes.append(np.arange(3, dtype=np.int32))
    ...     codes.finished().tolist(), store_of(codes.finished()) == store
    ([0, 1, 2], True)
    """

    path: Path
    limits: Limits = field(default=NO_LIMITS, repr=False)
    workers: Workers = field(default=THREADS, repr=False, compare=False)
    token: DirectoryToken = field(default_factory=DirectoryToken, repr=False, compare=False)
    """Token of the directory. This store and its copies with other workers share the token. Arrays do not keep the
    token alive.
    """
    in_files = True

    @classmethod
    def temporary(cls, parent: Path | None = None, limits: Limits = NO_LIMITS, workers: Workers = THREADS) -> Self:
        """Create a directory in `parent`, by default in the system's directory for temporary files.

        In the system's directory, a lease marks the new directory as used by this process. In another parent directory,
        the lease of the enclosing store protects it.

        Raises
        ------
        InputError
            If the parent directory is not writable.
        """
        with writing(parent or Path(tempfile.gettempdir())):
            files = cls(Path(tempfile.mkdtemp(prefix=PREFIX, dir=parent)), limits, workers)
        _temporary[files.path] = None
        return files.acquire() if parent is None else files

    @classmethod
    def create(cls, path: Path, limits: Limits = NO_LIMITS, workers: Workers = THREADS) -> Self:
        """Create a directory at a path. If the path is an existing empty directory, create the directory inside it.

        Raises
        ------
        InputError
            If the directory cannot be created, or the path exists and is not empty.
        """
        require_local(path)
        with writing(path):
            drop_empty(path)
            is_directory = path.is_dir()
            if is_directory and any(path.iterdir()):
                raise InputError(why_taken(path), code="exists")
            files = cls(path / INSIDE if is_directory else path, limits, workers)
            files.path.parent.mkdir(parents=True, exist_ok=True)
            files.path.mkdir(mode=0o700)
            files.path.chmod(0o700)  # set the mode regardless of the umask
        return files.acquire()

    def acquire(self) -> Self:
        """Write a lease into the new directory, which marks it as used by this process.

        Raises
        ------
        InputError
            If the lease cannot be written. The directory is then deleted.
        """
        try:
            with writing(self.path / LEASE):
                take(self.path)
        except BaseException:
            self.remove()
            raise
        return self

    def reserve_name(self, name: str) -> str:
        """Return an unused file name, which is the given name with a suffix."""
        with writing(self.path):
            path = self.path / f"{name}-{secrets.token_hex(8)}"  # unique on all machines
            path.touch(0o600, exist_ok=False)
        return path.name

    def rows_at_once(self, n: int, most: int) -> int:
        """Return the smaller of `most` and `n`."""
        return min(n, most)

    def spans(self, n: int, at_once: int | None = None) -> Iterable[tuple[int, int]]:
        """Return blocks of `at_once` rows."""
        return spans(n, at_once)

    def buckets(self, n: int) -> int:
        """Return the number of buckets within the limits."""
        return self.limits.buckets(n)

    def code_type(self, n_codes: int) -> DTypeLike:
        """Return uint16 if all codes fit."""
        return np.uint16 if n_codes <= MOST_CODES else np.int32

    def growing(self, name: str, dtype: DTypeLike) -> ArrayBuilder:
        """Create an array of unknown length."""
        path = self.path / self.reserve_name(name)
        return FileArrayBuilder(path, dtype, partial(self._map, path, dtype, "c"))

    def array(self, name: str, dtype: DTypeLike, length: int) -> NDArray[Any]:
        """Allocate a zero-filled array. Disk space is reserved immediately."""
        if not length:
            return np.empty(0, dtype)
        path = self.path / self.reserve_name(name)
        with writing(path), path.open("wb") as file:
            os.posix_fallocate(file.fileno(), 0, np.dtype(dtype).itemsize * length)  # fails now if the disk is full
        return self._map(path, dtype, "r+")

    def require_held(self) -> None:
        """Reject the directory if another process has taken it over, or if another run has taken over the place of its
        files.
        """
        require_held(self.path)
        if (exchange := exchange_of(self.path)) is not None:
            require_held(exchange.place)

    def send(self, names: Iterable[str]) -> None:
        """Put files into the place through which machines exchange them, so that a later run finds them there. If
        machines do not exchange files, do nothing.
        """
        if exchange_of(self.path) is not None:
            list(self.workers.local.map(lambda name: sent(self.path / name, may_change=True), names))

    def mapped(self, name: str, dtype: DTypeLike) -> NDArray[Any]:
        """Map a complete file as an array, (n,). Changes are private to this process."""
        # mode "r" would trigger a second compilation, for read-only arrays
        return self._map(self.fetched(name), dtype, "c")

    def fetched(self, name: str) -> Path:
        """Return the path of a file. If machines exchange files, fetch the file first."""
        if (exchange := exchange_of(self.path)) is not None:
            exchange.fetch(self.path / name)
        return self.path / name

    def keep(self, name: str, values: NDArray[Any]) -> NDArray[Any]:
        """Write an array atomically and return it mapped. Concurrent writers of the same content do no harm."""
        with self.written(name, synced=False) as file:
            file.write(np.ascontiguousarray(values).data)
        return self.mapped(name, values.dtype)

    @contextmanager
    def written(self, name: str, *, synced: bool = True) -> Iterator[IO[bytes]]:
        """Yield a temporary file that is renamed to `name` when it is complete. With `synced`, it is first flushed to
        the disk.
        """
        with writing(self.path / name):
            descriptor, temporary = tempfile.mkstemp(dir=self.path)
            try:
                with os.fdopen(descriptor, "wb") as file:
                    yield file
                    if synced:
                        file.flush()
                        os.fsync(file.fileno())
                os.replace(temporary, self.path / name)  # noqa: PTH105
            except BaseException:
                Path(temporary).unlink(missing_ok=True)
                raise
        sent(self.path / name, may_change=True)  # other machines may open the file by its name

    def nested(self) -> Self:
        """Return a new store in a subdirectory."""
        return type(self).temporary(self.path, self.limits, self.workers)

    nested_on_disk = nested

    @property
    def of_run(self) -> "Files | None":
        """Work directory if it identifies its run, or None."""
        return self if (self.path / RUN).exists() else None

    def drop(self, *names: str) -> None:
        """Delete arrays, if they exist. Existing memory maps remain valid."""
        for name in names:
            delete(self.path / name)

    def remove(self) -> None:
        """Delete the directory with all content, unless another process has taken it over. If a file cannot be deleted,
        the directory remains with a stale lease.
        """
        if not is_lost(self.path):
            with suppress(OSError):
                remove_directory(self.path)
            if (exchange := exchange_of(self.path)) is not None:
                exchange.forget(self.path)
        _temporary.pop(self.path, None)
        forget(self.path)
        forget_sums(self.path)

    def _map(self, path: Path, dtype: DTypeLike, mode: Any) -> NDArray[Any]:
        """Map a file as an array with a reference to its store. For an empty file, which cannot be mapped, return an
        empty array.
        """
        with writing(path, "cannot be read"):
            size = path.stat().st_size
            if size % np.dtype(dtype).itemsize:
                raise damage_error(path, f"{size} bytes are not a multiple of the element size")
            if not size:
                return np.empty(0, dtype)
            mapped: Any = np.memmap(path, dtype, mode)
        mapped.store = Files(self.path, self.limits, self.workers.local)
        return np.asarray(mapped)


def drop_empty(path: Path) -> None:
    """Delete the directory `INSIDE` of a directory if it is empty, because a run was killed when it had no lease."""
    with suppress(OSError):
        (path / INSIDE).rmdir()


def remove_temporary() -> None:
    """Delete the temporary directories created by this process."""
    for path in tuple(_temporary):
        Files(path).remove()


def store_of(array: NDArray[Any]) -> Store:
    """Return the store of an array. If the array is in memory, or its directory was deleted, return `MEMORY`."""
    file: Any = backing(array)
    if file is None or not (folder := Path(str(file.filename)).parent).exists():
        return MEMORY
    return getattr(file, "store", None) or Files(folder)


def delete_when_collected(array: NDArray[Any]) -> NDArray[Any]:
    """Return the array, and delete its file when the array is garbage collected. Arrays in memory have no file."""
    if (file := backing(array)) is not None:
        weakref.finalize(file, Path(str(file.filename)).unlink, missing_ok=True)
    return array


def backing(array: NDArray[Any]) -> np.memmap[Any, Any] | None:
    """Return the mapped file that an array is a view of, or None if the array is in memory."""
    base: Any = array
    while base is not None and not isinstance(base, np.memmap):
        base = getattr(base, "base", None)
    return base if isinstance(base, np.memmap) and base.filename is not None else None


def fetch(array: NDArray[Any], first: int, end: int) -> None:
    """Ask the operating system to load the elements from `first` to `end` - 1 before random access. The array must
    cover its complete file.
    """
    file, size = backing(array), array.itemsize
    if file is None or not hasattr(os, "posix_fadvise"):
        return
    with Path(str(file.filename)).open("rb") as opened:
        os.posix_fadvise(opened.fileno(), first * size, (end - first) * size, os.POSIX_FADV_WILLNEED)


def not_needed_now(*arrays: NDArray[Any]) -> None:
    """Tell the operating system to evict mapped files first, because later steps read other files. Nothing is lost."""
    for array in arrays:
        file: Any = backing(array)
        with suppress(AttributeError, OSError):  # other systems than Linux
            if file is not None:
                file.base.madvise(_MADV_COLD)
