"""Where the arrays of a run lie, in memory or in the files of a work directory, and which workers compute.

An array in files is mapped into memory and read page by page. A column over such arrays is a column like any other;
whoever goes through it block by block holds no more of it.
"""

import os
import shutil
import tempfile
import weakref
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self, TypeVar

import numpy as np
from numpy.typing import DTypeLike, NDArray

from anonset.data.lease import LEASE, forget, is_lost, require_held, take, why_taken
from anonset.data.redacted_repr import Discreet
from anonset.data.spans import NO_LIMITS, Limits, spans
from anonset.data.workers import ONE_THREAD, THREADS, Workers
from anonset.errors import InputError
from anonset.local_paths import require_local

RUN = "run.json"
"""Name of the file that says of which run a work directory is, if that run can be resumed."""
PREFIX = "anonset-"
"""What the names of temporary directories begin with."""
PARTS = "part-"
"""What the names of files begin with that keep what was found of a part."""
INSIDE = "anonset-work"
"""Name of the directory that is made in an existing directory that a user names."""

_temporary: dict[Path, None] = {}  # the temporary directories of this process that exist


def damaged(file: object = "", why: str = "") -> InputError:
    """Return the error of a work directory, or of a file in it, that is not as this run has written it."""
    said = [str(part) for part in (file, "the work directory is damaged", why, "delete it and start again") if part]
    return InputError(": ".join(said), code="damaged")


_Task = TypeVar("_Task")
_Done = TypeVar("_Done")


class Store(Discreet, ABC):
    """Where the arrays of a run lie, `Memory` or `Files`, and its workers. A job makes it; a table has it.

    Code that makes an array as long as the table asks the store for it, and never asks which of the two it is, unless
    the algorithm differs: then `in_files` tells. A name only helps to recognize a file: each array is a new one. All
    methods raise InputError if the disk is full, or cannot be written to. A store that travels has no workers.
    """

    limits: Limits
    """How much is held at once."""
    workers: Workers
    """What computes."""
    in_files: bool
    """Whether the arrays are mapped from files; then nobody should hold arrays as long as the table."""

    def map(self, work: Callable[[_Task], _Done], tasks: Iterable[_Task], ahead: int | None = None) -> Iterator[_Done]:
        """Run `work` over independent tasks on the workers; see `Workers.map`."""
        return self.workers.map(work, tasks, ahead)

    def on(self, workers: Workers) -> Self:
        """Return the same store with other workers."""
        store: Any = self
        return self if workers is self.workers else replace(store, workers=workers)

    def here(self) -> Self:
        """Return the same store with workers of this process."""
        return self.on(self.workers.here)

    def in_memory(self) -> "Memory":
        """Return a store in memory with the same limits and workers."""
        return Memory(self.limits, self.workers)

    @abstractmethod
    def array(self, name: str, dtype: DTypeLike, length: int) -> NDArray[Any]:
        """Return a new array of zeros, (length,), to be written in any order."""

    @abstractmethod
    def unplaced(self, name: str, dtype: DTypeLike, length: int) -> NDArray[Any]:
        """Return a new array of zeros, (length,), of which in files all but the first element wait for `place`."""

    @abstractmethod
    def growing(self, name: str, dtype: DTypeLike) -> "Growing":
        """Begin a new array of unknown length."""

    def spans(self, n: int) -> Iterable[tuple[int, int]]:
        """Return the first and the end of each span of n rows that is held at once: in memory, all of them are."""
        return spans(n) if self.in_files else [(0, n)]

    def buckets(self, n: int) -> int:
        """Return the number of buckets that n rows are divided into: in memory one."""
        return self.limits.buckets(n) if self.in_files else 1

    def require_held(self) -> None:
        """Refuse a work directory that another process has taken over."""
        return

    @abstractmethod
    def keep(self, name: str, values: NDArray[Any]) -> NDArray[Any]:
        """Return an array as it lies in the store, under exactly this name."""

    @abstractmethod
    def drop(self, *names: str) -> None:
        """Remove arrays that were kept under these names; existing memory maps stay valid."""

    @abstractmethod
    def below(self) -> Self:
        """Return a store within this one, whose arrays are removed with it; as a context manager, at its end."""

    @abstractmethod
    def remove(self) -> None:
        """Remove the store with all that lies in it."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
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

    def array(self, name: str, dtype: DTypeLike, length: int) -> NDArray[Any]:
        """Return a new array of zeros."""
        return np.zeros(length, dtype)

    def unplaced(self, name: str, dtype: DTypeLike, length: int) -> NDArray[Any]:
        """Return a new array of zeros."""
        return self.array(name, dtype, length)

    def growing(self, name: str, dtype: DTypeLike) -> "Growing":
        """Begin a new array of unknown length."""
        return Growing(dtype)

    def keep(self, name: str, values: NDArray[Any]) -> NDArray[Any]:
        """Return the array itself."""
        return values

    def drop(self, *names: str) -> None:
        """Do nothing: an array goes with the last reference to it."""

    def below(self) -> Self:
        """Return this store."""
        return self

    def remove(self) -> None:
        """Do nothing."""


MEMORY = Memory()
"""Memory without limits."""


class Token:
    """Lives as long as one of the stores that share it."""


@dataclass(frozen=True)
class Files(Store):
    """A store in the files of a work directory, one array a file. The owner alone may read it: it holds raw data.

    >>> with Files.temporary() as store:
    ...     with store.growing("codes", np.int32) as codes:
    ...         codes.append(np.arange(3, dtype=np.int32))
    ...     codes.finished().tolist(), store_of(codes.finished()) == store
    ([0, 1, 2], True)
    """

    path: Path
    limits: Limits = field(default=NO_LIMITS, repr=False)
    workers: Workers = field(default=THREADS, repr=False, compare=False)
    token: Token = field(default_factory=Token, repr=False, compare=False)
    """Shared by this store and its copies with other workers, but by no array."""
    in_files = True

    @classmethod
    def temporary(cls, parent: Path | None = None, limits: Limits = NO_LIMITS, workers: Workers = THREADS) -> Self:
        """Make a new directory below another one, by default the system's for temporary files.

        In the system's it is marked as that of this process; elsewhere what it lies in is.

        Raises
        ------
        InputError
            If that cannot be written to.
        """
        with writing(parent or Path(tempfile.gettempdir())):
            made = cls(Path(tempfile.mkdtemp(prefix=PREFIX, dir=parent)), limits, workers)
        _temporary[made.path] = None
        return made.taken() if parent is None else made

    @classmethod
    def at(cls, path: Path, limits: Limits = NO_LIMITS, workers: Workers = THREADS) -> Self:
        """Make the directory of a path, or, where that is there and empty, one in it, and leave it as it is.

        Raises
        ------
        InputError
            If it cannot be made, or the path holds something.
        """
        require_local(path)
        with writing(path):
            there = path.is_dir()
            if there and any(path.iterdir()):
                raise InputError(why_taken(path), code="exists")
            made = cls(path / INSIDE if there else path, limits, workers)
            made.path.parent.mkdir(parents=True, exist_ok=True)
            made.path.mkdir(mode=0o700)
            made.path.chmod(0o700)  # exactly, whatever the process lets others do with what it makes
        return made.taken()

    def taken(self) -> Self:
        """Mark the directory, just made, as that of this process.

        Raises
        ------
        InputError
            If that cannot be written; the directory is gone then.
        """
        try:
            with writing(self.path / LEASE):
                take(self.path)
        except BaseException:
            self.remove()
            raise
        return self

    def fresh(self, name: str) -> str:
        """Return a name that no array has yet: the given one, and something behind it."""
        with writing(self.path):
            number, path = tempfile.mkstemp(prefix=f"{name}-", dir=self.path)
            os.close(number)
        return Path(path).name

    def growing(self, name: str, dtype: DTypeLike) -> "Growing":
        """Begin a new array of unknown length."""
        return _GrowingFile(self, self.fresh(name), dtype)

    def array(self, name: str, dtype: DTypeLike, length: int) -> NDArray[Any]:
        """Return a new array of zeros; its place on the disk is taken at once."""
        if not length:
            return np.empty(0, dtype)
        path = self.path / self.fresh(name)
        with writing(path), path.open("wb") as file:
            os.posix_fallocate(file.fileno(), 0, np.dtype(dtype).itemsize * length)  # a full disk shows here
        return self._map(path, dtype, "r+")

    def unplaced(self, name: str, dtype: DTypeLike, length: int) -> NDArray[Any]:
        """Return a new array of zeros; its place on the disk is taken by `place`, but for the first element."""
        if not length:
            return np.empty(0, dtype)
        path, size = self.path / self.fresh(name), np.dtype(dtype).itemsize
        with writing(path), path.open("r+b") as file:
            file.truncate(size * length)
            os.posix_fallocate(file.fileno(), 0, size)
        return self._map(path, dtype, "r+")

    def require_held(self) -> None:
        """Refuse the directory if another process has taken it over."""
        require_held(self.path)

    def mapped(self, name: str, dtype: DTypeLike, mode: str = "c") -> NDArray[Any]:
        """Return a finished array, (n,). What is written to it stays in this process alone, unless `mode` is ``r+``."""
        return self._map(self.path / name, dtype, mode)  # with "r", kernels would be compiled for read-only arrays too

    def keep(self, name: str, values: NDArray[Any]) -> NDArray[Any]:
        """Write an array at once, and return it mapped: nobody ever sees half of it, whoever else writes the same."""
        with self.written(name, synced=False) as file:
            file.write(np.ascontiguousarray(values).data)
        return self.mapped(name, values.dtype)

    @contextmanager
    def written(self, name: str, *, synced: bool = True) -> Iterator[IO[bytes]]:
        """Give a file to write to, which gets its name when all of its bytes are there, and on the disk if `synced`."""
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

    def below(self) -> Self:
        """Return a new store in a directory in this one."""
        return type(self).temporary(self.path, self.limits, self.workers)

    def drop(self, *names: str) -> None:
        """Remove arrays, as far as they are there; existing memory maps stay valid."""
        for name in names:
            (self.path / name).unlink(missing_ok=True)

    def remove(self) -> None:
        """Remove the directory with all that is in it, unless another process has taken it over."""
        if not is_lost(self.path):
            shutil.rmtree(self.path, ignore_errors=True)
        _temporary.pop(self.path, None)
        forget(self.path)

    def _map(self, path: Path, dtype: DTypeLike, mode: Any) -> NDArray[Any]:
        """Map a file as an array, which knows its store; an empty file, which cannot be mapped, is an empty array."""
        with writing(path, "cannot be read"):
            size = path.stat().st_size
            if size % np.dtype(dtype).itemsize:
                raise damaged(path, f"{size} bytes are no whole number of elements")
            if not size:
                return np.empty(0, dtype)
            mapped: Any = np.memmap(path, dtype, mode)
        mapped.store = Files(self.path, self.limits, self.workers.here)
        return np.asarray(mapped)


def remove_temporary() -> None:
    """Remove the temporary directories that this process has made."""
    for path in tuple(_temporary):
        Files(path).remove()


class Closing:
    """Ends what it holds at the end of its block."""

    def __init__(self) -> None:
        self.held = ExitStack()
        """What goes with it."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.held.__exit__(kind, error, at)


class Growing:
    """An array of unknown length under construction, its parts held in memory until an error leaves its block."""

    def __init__(self, dtype: DTypeLike) -> None:
        self.dtype = np.dtype(dtype)
        self.length = 0
        """Number of elements so far."""
        self._parts: list[NDArray[Any]] = []

    def append(self, values: NDArray[Any]) -> None:
        """Add elements at the end.

        Raises
        ------
        InputError
            If the disk is full, or fails.
        """
        self._parts.append(np.ascontiguousarray(values, self.dtype))
        self.length += len(values)

    def finished(self) -> NDArray[Any]:
        """Return the array, (length,); nothing more is added."""
        self._parts = [np.concatenate([np.empty(0, self.dtype), *self._parts])]
        return self._parts[0]

    def drop(self) -> None:
        """Remove what is stored; existing memory maps stay valid."""
        self._parts = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if kind is not None:
            self.drop()


class _GrowingFile(Growing):
    """An array of unknown length under construction in a file."""

    def __init__(self, store: Files, name: str, dtype: DTypeLike) -> None:
        super().__init__(dtype)
        self._store, self._name, self._path = store, name, store.path / name
        with writing(self._path):
            self._file = self._path.open("wb")

    def append(self, values: NDArray[Any]) -> None:
        with writing(self._path):
            self._file.write(np.ascontiguousarray(values, self.dtype).data)
        self.length += len(values)

    def finished(self) -> NDArray[Any]:
        self.__exit__(None, None, None)
        return self._store.mapped(self._name, self.dtype)

    def drop(self) -> None:
        self._store.drop(self._name)

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        try:
            with writing(self._path):
                self._file.close()
        finally:
            super().__exit__(kind, error, at)


def store_of(array: NDArray[Any]) -> Store:
    """Return the store in which an array lies; memory without limits where that is in memory."""
    file: Any = backing(array)
    return MEMORY if file is None else getattr(file, "store", None) or Files(Path(str(file.filename)).parent)


def released(array: NDArray[Any]) -> NDArray[Any]:
    """Return an array whose file, if it lies in one, is removed when nothing refers to it any more."""
    if (file := backing(array)) is not None:
        weakref.finalize(file, Path(str(file.filename)).unlink, missing_ok=True)
    return array


def backing(array: NDArray[Any]) -> np.memmap[Any, Any] | None:
    """Return the mapped file that an array is a view of; None where it is in memory."""
    base: Any = array
    while base is not None and not isinstance(base, np.memmap):
        base = getattr(base, "base", None)
    return base if isinstance(base, np.memmap) and base.filename is not None else None


@contextmanager
def writing(path: Path, what: str = "cannot be written") -> Iterator[None]:
    """Turn a failure of the operating system into one line that names the file."""
    try:
        yield
    except OSError as error:
        msg = f"{path}: {what}: {error.strerror or type(error).__name__}"
        raise InputError(msg) from error
