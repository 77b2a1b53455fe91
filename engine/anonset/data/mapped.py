"""Arrays in the files of a work directory, mapped into memory: what is larger than memory is read page by page.

A column over such arrays is a column like any other; whoever goes through it block by block holds no more of it.
"""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

import numpy as np
from numpy.typing import DTypeLike, NDArray

from anonset.data.discreet import Discreet
from anonset.errors import InputError

RUN = "run.json"
"""What says of which run a work directory is, if it is of one that may go on."""
PREFIX = "anonset-"
"""What the names of temporary directories begin with."""
PARTS = "part-"
"""What the names of files begin with that keep what was found of a part."""
INSIDE = "anonset-work"
"""Name of the directory that is made in a named one that is there before."""
DAMAGED = "the work directory is damaged: this is not what was written; begin anew without it"


_temporary: dict[Path, None] = {}  # those of this process that are there


@dataclass(frozen=True)
class WorkFolder(Discreet):
    """A directory of arrays, one a file, which the owner alone may read: it holds raw data.

    >>> with WorkFolder.temporary() as work:
    ...     with work.growing("codes", np.int32) as codes:
    ...         codes.append(np.arange(3, dtype=np.int32))
    ...     work.mapped("codes", np.int32).tolist()
    [0, 1, 2]
    """

    path: Path

    @classmethod
    def temporary(cls, parent: Path | None = None) -> Self:
        """Make a new directory below another one, by default the system's for temporary files.

        In the system's it is marked as that of this process; elsewhere what it lies in is.

        Raises
        ------
        InputError
            If that cannot be written to.
        """
        with _writing(parent or Path(tempfile.gettempdir())):
            made = cls(Path(tempfile.mkdtemp(prefix=PREFIX, dir=parent)))
        _temporary[made.path] = None
        return made.taken() if parent is None else made

    @classmethod
    def at(cls, path: Path) -> Self:
        """Make the directory of a path, or, where that is there and empty, one in it, and leave it as it is.

        Raises
        ------
        InputError
            If it cannot be made, or the path holds something.
        """
        with _writing(path):
            there = path.is_dir()
            if there and any(path.iterdir()):
                raise InputError(_why_taken(path))
            made = cls(path / INSIDE if there else path)
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
        from anonset.data.owners import OWNER, take

        try:
            with _writing(self.path / OWNER):
                take(self.path)
        except BaseException:
            self.remove()
            raise
        return self

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.remove()

    def fresh(self, name: str) -> str:
        """Return a name that no array has yet: the given one, and something behind it.

        Raises
        ------
        InputError
            If the directory cannot be written to.
        """
        with _writing(self.path):
            number, path = tempfile.mkstemp(prefix=f"{name}-", dir=self.path)
            os.close(number)
        return Path(path).name

    def growing(self, name: str, dtype: DTypeLike) -> "GrowingArray":
        """Begin an array of unknown length; an older one of that name is gone."""
        return GrowingArray(self.path / name, np.dtype(dtype))

    def room(self, name: str, dtype: DTypeLike, length: int) -> NDArray[Any]:
        """Return an array of zeros to be written in any order; its place on the disk is taken at once.

        Raises
        ------
        InputError
            If there is no room for it.
        """
        path, size = self.path / name, np.dtype(dtype).itemsize * length
        with _writing(path), path.open("wb") as file:
            if size:
                os.posix_fallocate(file.fileno(), 0, size)  # a full disk shows here, not as a signal in the middle
        return _map(path, dtype, "r+")

    def mapped(self, name: str, dtype: DTypeLike) -> NDArray[Any]:
        """Return a finished array, (n,). What is written to it stays in this process alone.

        Raises
        ------
        InputError
            If there is none, or it is no whole number of elements long.
        """
        return _map(self.path / name, dtype, "c")  # not "r": kernels would be compiled once more for read-only arrays

    def stored(self, name: str, values: NDArray[Any]) -> NDArray[Any]:
        """Write an array at once, and return it mapped: nobody ever sees half of it, whoever else writes the same.

        Raises
        ------
        InputError
            If there is no room for it.
        """
        with self.written(name, synced=False) as file:
            file.write(np.ascontiguousarray(values).data)
        return self.mapped(name, values.dtype)

    @contextmanager
    def written(self, name: str, *, synced: bool = True) -> Iterator[IO[bytes]]:
        """Give a file to write to, which gets its name when all of its bytes are there, and on the disk if `synced`.

        Raises
        ------
        InputError
            If there is no room for it.
        """
        with _writing(self.path / name):
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

    def drop(self, *names: str) -> None:
        """Remove arrays, as far as they are there; those still mapped live on until they are let go."""
        for name in names:
            (self.path / name).unlink(missing_ok=True)

    def remove(self) -> None:
        """Remove the directory with all that is in it."""
        from anonset.data.owners import forget

        shutil.rmtree(self.path, ignore_errors=True)
        _temporary.pop(self.path, None)
        forget(self.path)


def remove_temporary() -> None:
    """Remove the temporary directories that this process has made."""
    for path in tuple(_temporary):
        WorkFolder(path).remove()


def _why_taken(path: Path) -> str:
    """Say why a directory that holds something is not worked in, and how to clear it if a run left it."""
    from anonset.data.owners import OWNER, clear_command

    told = f"{path}: the work directory must be empty, or a new one: what it holds may be another run's"
    return f"{told}; what runs left there is cleared by: {clear_command(path)}" if (path / OWNER).exists() else told


def space(work: WorkFolder | None, name: str, dtype: DTypeLike, length: int) -> NDArray[Any]:
    """Return an array to be written to: in memory, or, where a directory is given, a new one in its files.

    Raises
    ------
    InputError
        If there is no room for it.
    """
    return np.empty(length, dtype) if work is None else work.room(work.fresh(name), dtype, length)


class GrowingArray:
    """An array under construction, appended to block by block; leaving the block with an error removes it."""

    def __init__(self, path: Path, dtype: np.dtype[Any]) -> None:
        self.path, self.dtype = path, dtype
        self.length = 0
        """Number of elements so far."""
        with _writing(path):
            self._file = path.open("wb")

    def append(self, values: NDArray[Any]) -> None:
        """Add elements at the end.

        Raises
        ------
        InputError
            If the disk is full, or fails.
        """
        with _writing(self.path):
            self._file.write(np.ascontiguousarray(values, self.dtype).data)
        self.length += len(values)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        try:
            with _writing(self.path):
                self._file.close()
        finally:
            if kind is not None:
                self.path.unlink(missing_ok=True)


def folder_of(array: NDArray[Any]) -> WorkFolder | None:
    """Return the work directory in whose files an array lies, None where it is in memory."""
    found = backing(array)
    return None if found is None else WorkFolder(Path(str(found.filename)).parent)


def backing(array: NDArray[Any]) -> "np.memmap[Any, Any] | None":
    """Return the mapped file that an array is a view of; None where it is in memory."""
    found: Any = array
    while found is not None and not isinstance(found, np.memmap):
        found = getattr(found, "base", None)
    return found if isinstance(found, np.memmap) and found.filename is not None else None


def _map(path: Path, dtype: DTypeLike, mode: Any) -> NDArray[Any]:
    """Map a file as an array; an empty one, which cannot be mapped, is an empty array."""
    with _writing(path, "cannot be read"):
        size = path.stat().st_size
        if size % np.dtype(dtype).itemsize:
            msg = f"{path}: the work directory is damaged: {size} bytes are no whole number of elements"
            raise InputError(msg)
        return np.asarray(np.memmap(path, dtype, mode)) if size else np.empty(0, dtype)


@contextmanager
def _writing(path: Path, what: str = "cannot be written") -> Iterator[None]:
    """Turn a failure of the operating system into one line that names the file."""
    try:
        yield
    except OSError as error:
        msg = f"{path}: {what}: {error.strerror or type(error).__name__}"
        raise InputError(msg) from error
