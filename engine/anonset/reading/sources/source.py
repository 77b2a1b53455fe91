"""Resolve an input. It is a file, a folder, a glob, a tree of folders named by keys, an address or an object."""

import hashlib
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from functools import cached_property, partial, singledispatch
from pathlib import Path, PurePosixPath
from pkgutil import resolve_name
from typing import Any
from urllib.parse import unquote

from anonset.data.redacted_repr import RedactedRepr
from anonset.data.storage.workers import ONE_THREAD, Workers
from anonset.errors import InputError
from anonset.lazy_arrow import pa
from anonset.reading.sources.files import (
    ELSEWHERE,
    FORMATS,
    digest,
    digest_of_list,
    files_below,
    format_of,
    reading,
    require_file,
)
from anonset.reading.sources.folders import data_files, is_bookkeeping, names_below
from anonset.reading.sources.place import Place
from anonset.reading.sources.sizes import DataSize, size_in

_MARKS = "*?["
_NULL_KEY = "__HIVE_DEFAULT_PARTITION__"
_JSON_LINES = (".jsonl", ".ndjson")
_BYTES_AT_ONCE = 1 << 20
OBJECT = "object"
"""Value of `Source.format` for objects in memory."""
_LINKED = "anonset.reading.linked:tables_in"
TABLES = "tables"
"""Value of `Source.format` for linked tables."""

Key = tuple[str, str | None]
"""Name of a column, and its value in all rows of a file. None means null."""


FileState = tuple[object, ...]
"""State of a file. It is the size, modification time and inode of a local file, or the size and version of a remote
object.
"""
_VERSIONS = ("etag", "md5hash", "generation", "versionid", "lastmodified", "mtime", "modified", "updated", "created")
"""Names that file systems of the package fsspec use for the version of an object, in lower case without separators."""


def _state_of_file(path: str) -> FileState:
    status = Path(path).stat()
    return status.st_size, status.st_mtime_ns, status.st_ino


def _state_of_object(system: Any, path: str) -> FileState:
    if (fsspec := getattr(getattr(system, "handler", None), "fs", None)) is not None:
        fsspec.invalidate_cache()
        facts = {str(name).lower().replace("-", "").replace("_", ""): v for name, v in fsspec.info(path).items()}
        return facts.get("size"), *(str(facts.get(name)) for name in _VERSIONS)
    info = system.get_file_info(path)
    with system.open_input_file(path) as file:
        metadata = file.metadata() or {}
    tag = next((value for name, value in metadata.items() if name.lower() in (b"etag", "etag")), None)
    return info.size, info.mtime_ns, tag


@dataclass(frozen=True)
class DataFile(RedactedRepr):
    """One file of a data set, local or remote."""

    where: str
    """Path or address."""
    name: str
    """Path relative to the folder. It determines the order of files and the digest of the data set."""
    place: Place | None
    """Place with the file system of the file. None for a local file. Messages to workers contain its address only."""
    path: str
    """Path within the file system."""
    keys: tuple[Key, ...] = ()
    """Columns encoded in the folder names."""
    pinned: list[FileState] = field(default_factory=list, repr=False, compare=False)
    """State of the file when it was first opened."""

    @property
    def system(self) -> Any:
        """File system of the file (``pyarrow.fs.FileSystem``). None for a local file."""
        return None if self.place is None else self.place.system[0]

    @contextmanager
    def opened(self) -> Iterator[Any]:
        """Open the file for random access (``pyarrow.NativeFile``). It must not change after it was first opened.

        Raises
        ------
        InputError
            If the file was replaced or changed since it was first opened.
        """
        self._require_unchanged()
        with reading(self.where):
            file = pa.OSFile(self.path, "rb") if self.system is None else self.system.open_input_file(self.path)
        with file:
            yield file
        self._require_unchanged()

    def _require_unchanged(self) -> None:
        with reading(self.where):
            now = _state_of_file(self.path) if self.system is None else _state_of_object(self.system, self.path)
        if not self.pinned:
            self.pinned.append(now)
        elif self.pinned[0] != now:
            raise InputError(f"{self.where}: the file changed while it was read; run again when it is complete")

    @property
    def size(self) -> int:
        """Size in bytes."""
        with reading(self.where):
            if self.system is None:
                return Path(self.path).stat().st_size
            return int(self.system.get_file_info(self.path).size)

    @property
    def estimated(self) -> DataSize:
        """Estimated content."""
        with self.opened() as file, reading(self.where):
            return size_in(self.name, file, self.size)

    def sha256(self) -> str:
        """Return the SHA-256 of the file in hexadecimal."""
        if self.system is None:
            self._require_unchanged()
            sha256_of_file = digest(self.path)
            self._require_unchanged()
            return sha256_of_file
        sha256 = hashlib.sha256()
        with self.opened() as file, reading(self.where):
            while part := file.read(_BYTES_AT_ONCE):
                sha256.update(part)
        return sha256.hexdigest()


def can_access(files: Sequence[DataFile], workers: Workers) -> bool:
    """Return True if workers read these files. Workers need their own credentials for files at an address. If the
    address may contain secrets, it is not sent to workers.

    Raises
    ------
    InputError
        If a worker cannot read the first file at an address. The message names the worker.
    """
    if not files or files[0].place is None:
        return workers.see({file.path for file in files})
    if files[0].place.may_have_secrets:
        return False
    workers.require_readable(partial(_open, files[0]))
    return True


def _open(file: DataFile) -> None:
    with file.opened():  # reads no byte: Arrow does not repeat a failed read of few bytes
        pass


@dataclass(frozen=True, eq=False)
class Source(RedactedRepr):
    """Resolved input, which is all files of a data set in reading order, or an object in memory.

    The size and the digest are computed on first use, and only once.
    """

    where: str
    """Name of the input as the user wrote it, for messages."""
    format: str
    """``csv``, ``tsv``, ``dat``, ``baskets``, ``spmf``, ``jsonl``, ``xlsx``, ``parquet``, one of `STATISTICS`, `TABLES`
    or, in memory, `OBJECT`.
    """
    files: tuple[DataFile, ...] = ()
    """Files, ordered by path."""
    given: Any = field(default=None, repr=False)
    """Object in memory, or the linked tables."""
    labels: Sequence[str] | None = field(default=None, repr=False)
    """Items of the columns of a matrix in memory."""

    @cached_property
    def size(self) -> DataSize:
        """Estimated content of all files."""
        return sum((file.estimated for file in self.files), DataSize())

    @cached_property
    def sha256(self) -> str:
        """SHA-256 of a single file. For several files, SHA-256 of their names and digests, or of their whole folder.
        The names of the files of linked tables contain the declarations of the tables.
        """
        return self.sha256_by(ONE_THREAD)

    def sha256_by(self, workers: Workers) -> str:
        """Return `sha256`, computed by workers, or by workers of this process if others cannot access the files."""
        if "sha256" not in vars(self):
            vars(self)["sha256"] = self._sha256_by(workers)
        return self.sha256

    def _sha256_by(self, workers: Workers) -> str:
        files = self.files
        if not can_access(files, workers):
            workers = workers.local
        elif files and files[0].place is None:  # workers may run in other directories
            files = tuple(replace(file, path=str(Path(file.path).absolute())) for file in files)
        if (folder := Path(self.where)).is_dir():
            paths = [path.absolute() for path in files_below(folder)]
            names = [path.relative_to(folder.absolute()).as_posix() for path in paths]
            folder_digest = digest_of_list(zip(names, workers.map_short(digest, paths), strict=True))
            for file in self.files:
                file._require_unchanged()
            return folder_digest
        digests = list(workers.map_short(DataFile.sha256, files))
        names = [file.name for file in files]
        return (
            digests[0]
            if len(digests) == 1 and self.format != TABLES
            else digest_of_list(zip(names, digests, strict=True))
        )

    @property
    def compared(self) -> str:
        """Name of the content of `sha256`, for messages."""
        return "data or [tables]" if self.format == TABLES else "data"

    def leave_cache(self) -> None:
        """Remove the local files from the page cache, because a run out of core reads them only once."""
        for file in self.files:
            if file.place is None and hasattr(os, "posix_fadvise"):
                with reading(file.path), Path(file.path).open("rb") as opened:
                    os.posix_fadvise(opened.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)

    @property
    def is_one_column(self) -> bool:
        """True if the format has no column names, so that all its content is items."""
        return self.format in ("dat", "baskets", "spmf")

    @property
    def stored_as(self) -> str:
        """Format of the files. For linked tables, that of the first table."""
        return self.given.tables[0].source.format if self.format == TABLES else self.format

    @property
    def places(self) -> tuple[str, ...]:
        """Paths and addresses of the data."""
        if self.format != TABLES:
            return (self.where,)
        return tuple(table.source.where for table in (*self.given.tables, *self.given.lookups))

    @property
    def keys(self) -> tuple[str, ...]:
        """Columns encoded in folder names."""
        return tuple(name for name, _ in self.files[0].keys) if self.files and self.format != TABLES else ()


@singledispatch
def source_of(given: Any, declared: str | None = None, *, no_header: bool = False, unit: Sequence[str] = ()) -> Source:
    """Resolve an input. A `Source` is returned unchanged.

    Parameters
    ----------
    given
        A path of a file or a folder, a glob (``visits/*.parquet``, ``visits/**/*.csv``) or an address
        (``s3://bucket/visits``). Folders named ``key=value`` add a column. A job file with ``[tables]`` is the linked
        tables that it names. Anything else is an object in memory.
    declared
        Format of the files, independent of their names.
    no_header
        Whether the first line is a row. A single file of any name is then CSV.
    unit
        Columns that identify the person of linked tables. By default, the job file declares them.

    Raises
    ------
    InputError
        If there are no files, or some file would be left out.
    """
    return Source(f"the given {type(given).__name__}", OBJECT, given=given)


@source_of.register
def _(given: Source, declared: str | None = None, *, no_header: bool = False, unit: Sequence[str] = ()) -> Source:
    return given


@source_of.register(str)
@source_of.register(os.PathLike)
def _(
    given: str | os.PathLike[str], declared: str | None = None, *, no_header: bool = False, unit: Sequence[str] = ()
) -> Source:
    named = os.fspath(given)
    if "://" in named:
        return _at_address(named, declared)
    path = Path(named)
    if path.exists() and not path.is_dir():
        require_file(path)
        if path.suffix.lower() == ".toml" and declared is None:
            joined: Source = resolve_name(_LINKED)(named, unit).source
            return replace(joined, where=named)
        return Source(named, format_of(path, declared, no_header=no_header), (_local(path, path.name),))
    root, pattern = _split(path)
    names = [below.relative_to(root).as_posix() for below in paths_of(path)]
    if not pattern and not path.is_dir():
        raise InputError(f"{path}: no such file or directory")
    if pattern and not names:
        raise InputError(_nothing(named))
    kept = data_files(str(root), names, _endings(names, declared))
    return _together(named, declared, [_local(root / name, name) for name in kept])


def paths_of(path: Path) -> list[Path]:
    """Return the paths of all local files that a directory or a glob pattern contains. Empty for other paths.

    Raises
    ------
    InputError
        If a directory cannot be read, or contains a link to another directory.
    """
    root, pattern = _split(path)
    if path.is_dir():
        return [path / name for name in names_below(path)]
    return [below for below in root.glob(pattern) if below.is_file()] if pattern else []


def _split(path: Path) -> tuple[Path, str]:
    """Return the folder of a path, and the pattern below it. The pattern is empty if the path exists."""
    if path.exists():
        return path, ""
    first = next((n for n, part in enumerate(path.parts) if any(mark in part for mark in _MARKS)), len(path.parts))
    return Path(*path.parts[:first]), "/".join(path.parts[first:])


def _nothing(where: str) -> str:
    return f"{where}: no file matches"


def of_files(paths: Sequence[Path]) -> Source:
    """Return local files as a source, in the given order. The first file determines the format.

    Raises
    ------
    InputError
        If a path is not a regular file.
    """
    return Source(str(paths[0]), format_of(paths[0]), tuple(_local(path, path.name) for path in paths))


def _local(path: Path, name: str) -> DataFile:
    require_file(path)
    return DataFile(str(path), name, None, str(path), _keys(name))


def _at_address(address: str, declared: str | None) -> Source:
    from pyarrow import fs

    plain = address[: min((position for mark in _MARKS if (position := address.find(mark)) >= 0), default=len(address))]
    root = plain if plain == address else plain.rpartition("/")[0]
    place = Place(root)
    system, base = place.system
    with reading(address):
        info = system.get_file_info(base)
    if info.type == fs.FileType.NotFound:
        raise InputError(f"{address}: no such file or directory")
    if info.type == fs.FileType.File:
        name = PurePosixPath(base).name
        return Source(address, format_of(Path(name), declared), (DataFile(address, name, place, base),))
    with reading(address):
        below = system.get_file_info(fs.FileSelector(base, recursive=True))
    start = base.rstrip("/") + "/"
    names = [entry.path.removeprefix(start) for entry in below if entry.type == fs.FileType.File]
    if root != address:
        pattern = address[len(root) + 1 :]
        names = [name for name in names if fnmatchcase(name, pattern.replace("**/", "*"))]
        if not names:
            raise InputError(_nothing(address))
    data_names = data_files(root, names, _endings(names, declared))
    files = [DataFile(f"{root}/{name}", name, place, f"{start}{name}", _keys(name)) for name in data_names]
    return _together(address, declared, files)


def _endings(names: Sequence[str], declared: str | None) -> tuple[str, ...]:
    """Return the suffixes of data files in a folder: those of the declared format, or of the last known format, such as
    Parquet. If no file has one, all files are data if the format is declared, and those with the only other suffix if
    it is not.
    """
    low = [PurePosixPath(name.lower().removesuffix(".gz").removesuffix(".zst")) for name in names]
    suffixes = {path.suffix for path in low if not is_bookkeeping(path.name)}
    stated = "" if declared is None else f".{format_of(Path('x'), declared)}"
    known = FORMATS if declared is None else _JSON_LINES if stated in _JSON_LINES else (stated,)
    suffix = next((end for end in reversed(known) if end in suffixes), "")
    if not suffix and (declared is not None or len(suffixes) != 1 or suffixes.intersection(ELSEWHERE)):
        return known if declared is None else ()
    suffix = suffix or suffixes.pop()
    plain = _JSON_LINES if suffix in _JSON_LINES else (suffix,)
    return plain if suffix == ".parquet" else tuple(end + packed for end in plain for packed in ("", ".gz", ".zst"))


def _together(where: str, declared: str | None, files: Sequence[DataFile]) -> Source:
    first = files[0]
    for file in files:
        names, expected = ([name for name, _ in one_file.keys] for one_file in (file, first))
        if names != expected:
            shown = [", ".join(map(repr, keys)) or "none" for keys in (expected, names)]
            raise InputError(
                f"{file.where}: the folder names contain the columns {shown[1]}, and those of other files {shown[0]}; "
                "they must agree"
            )
        if len(set(names)) < len(names):
            raise InputError(f"{file.where}: two of the folder names contain the same column name")
    return Source(where, format_of(Path(first.path), declared), tuple(files))


def _keys(name: str) -> tuple[Key, ...]:
    """Return the columns that folder names encode.

    >>> _keys("year=2020/ward=a%2Fb/part-0.parquet")
    (('year', '2020'), ('ward', 'a/b'))
    """
    pairs = [part.partition("=") for part in PurePosixPath(name).parts[:-1] if "=" in part]
    return tuple((unquote(key), None if value == _NULL_KEY else unquote(value)) for key, _, value in pairs)
