"""Files of the chosen folder. Files outside of the folder are not reachable from the page."""

import asyncio
import codecs
import os
import tomllib
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import lru_cache
from itertools import combinations
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile

from anonset.columns.headers import PERSON_IDS, is_about_a_person, is_identifier, meaning_of
from anonset.errors import InputError, MisreadError
from anonset.reading.sources.files import FORMATS, TEXTS, format_of
from anonset.reading.sources.source import paths_of
from anonset.release.documents import ATTESTATION
from anonset.settings.job import Job
from anonset.settings.paths import with_paths

JOB = ".toml"
TABLES_JOB = "tables.toml"
"""Name of the job file for linked tables that are the files of the folder of the page."""
_BLOCK = 1 << 20


class Folder:
    """Folder that the owner chose when the page was started."""

    def __init__(self, path: Path) -> None:
        self.path = path.resolve()
        self.tasks: set[asyncio.Task[None]] = set()
        """Sequences of commands that run in the folder."""

    def inside(self, name: str | Path) -> Path:
        """Return the path of a file of this folder. Symbolic links are resolved.

        Raises
        ------
        InputError
            If the file is outside of the folder.
        """
        path = (self.path / name).resolve()
        if "://" in str(name) or not path.is_relative_to(self.path):
            raise InputError(f"{name} is outside of {self.path}; start anonset ui with a folder that contains it")
        return path

    def relative(self, path: Path) -> str:
        """Return a path relative to the folder. A command does not take it for an option."""
        name = path.relative_to(self.path).as_posix()
        return f"./{name}" if name.startswith("-") else name

    def complete(self, name: str | Path) -> Path:
        """Return the path of a file, directory or glob pattern of this folder, whose files are also inside.

        Raises
        ------
        InputError
            If a file is outside of the folder.
        """
        path = self.inside(name)
        for file in paths_of(path):
            self.inside(file)
        return path

    def require_inside(self, job: Job) -> None:
        """Check that a job reads and writes only files of the folder, and connects to no other machine.

        Raises
        ------
        InputError
            If a path is outside of the folder, or the job uses a cluster.
        """
        if job.text("cluster"):
            msg = "the page connects to no cluster; remove cluster from the job file, or run the job in a terminal"
            raise InputError(msg)
        with_paths(job, lambda _, path: str(self.complete(path)))
        if (data := job.text("input")).lower().endswith(JOB):
            self.require_tables_inside(Path(data))

    def require_tables_inside(self, job: Path) -> None:
        """Check that the linked tables of a job file, if it names any, are in the folder.

        Raises
        ------
        InputError
            If a file is outside of the folder, or the job file is not valid TOML.
        """
        for table in tables_of(settings_in(self.inside(job))).values():
            path = table.text("input")
            self.complete(path if "://" in path else self.inside(job).parent / path)

    def job_of(self, data: Path) -> Path:
        """Return the path of the job file that the page writes for data: next to the data, or in this folder."""
        return data / TABLES_JOB if data == self.path else data.with_name(f"{data.name.partition('.')[0]}{JOB}")

    def reads(self, job: Path, data: Path) -> bool:
        """Return True if a job reads these data, or only linked tables of this folder of data."""
        raw = settings_in(job)
        if tables := tables_of(raw):
            files = [self.inside(job.parent / table.text("input")) for table in tables.values()]
            return all(file.is_relative_to(data) for file in files)
        return self.inside(job.parent / str(raw.get("input", ""))) == data

    def with_relative_paths(self, job: Job) -> Job:
        """Return a job with paths relative to the folder."""
        return with_paths(job, lambda _, path: self.relative(self.inside(path)))

    def jobs(self) -> list[str]:
        """Return the names of the job files in the folder."""
        return sorted(file.name for file in self.path.iterdir() if file.suffix == JOB and file.is_file())

    def publications(self) -> list[str]:
        """Return the names of the publications in the folder."""
        return sorted(self.relative(file.parent) for file in self.path.glob(f"*/{ATTESTATION}"))

    def data(self) -> list[str]:
        """Return the names of the data files in the folder."""
        return sorted(file.name for file in self.path.iterdir() if file.is_file() and _has_format(file))

    @staticmethod
    def _may_be_data(folder: Path) -> bool:
        """Return False for hidden folders and private folders of publications."""
        return not folder.name.startswith(".") and folder.suffix != ".private"

    def linked(self) -> dict[str, int]:
        """Return the names of folders whose files may be linked tables, with the number of tables: this folder, as
        ``.``, and the folders in it. Only headers are read: at least two files with different columns share a column,
        in this folder an id, because the page also offers its single files.
        """
        inner = sorted(path for path in self.path.iterdir() if path.is_dir() and self._may_be_data(path))
        keys: dict[Path, Callable[[str], bool]] = {self.path: _is_id, **dict.fromkeys(inner, bool)}
        found = {self.relative(path): _number_of_tables(path, keys[path]) for path in keys if not path.is_symlink()}
        return {name: number for name, number in found.items() if number}


def _number_of_tables(folder: Path, is_key: Callable[[str], bool]) -> int:
    """Return the number of data files in a folder if at least two of them, with different columns, share the name of a
    key. Otherwise return 0.
    """
    from anonset.jobs.proposals.proposed_reading import column_names, with_recognised_options

    try:
        files = [file for file in sorted(folder.iterdir()) if _is_table(file)]
    except OSError:
        return 0
    headers: list[set[str]] = []
    for file in files:
        with suppress(InputError):
            headers.append({*with_recognised_options(str(file), {}, column_names)[0]})
    pairs = combinations(headers, 2)
    shares = any(one != other and any(map(is_key, one & other)) for one, other in pairs)
    return len(headers) if shares else 0


def _is_table(file: Path) -> bool:
    """Return True if a file may be one of several linked tables."""
    return file.is_file() and not file.is_symlink() and not file.name.startswith((".", "_")) and _has_format(file)


def _is_id(header: str) -> bool:
    return meaning_of(header) in PERSON_IDS or is_identifier(header) or is_about_a_person(header)


def settings_in(job: Path) -> Job:
    """Return the settings as written in a job file.

    Raises
    ------
    InputError
        If the file is not valid TOML.
    """
    try:
        return _parsed(job.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InputError(f"job file {job.name} is not valid TOML: {error}") from None


@lru_cache(maxsize=16)  # a screen reads the settings many times
def _parsed(text: str) -> Job:
    return Job(tomllib.loads(text))


def tables_of(raw: Job) -> dict[str, Job]:
    """Return the settings of each linked table of a job by name. Empty if the job reads a single table."""
    tables = raw.get("tables", {})
    named = tables.items() if isinstance(tables, Mapping) else ()
    return {name: Job(table) for name, table in named if isinstance(table, Mapping)}


def require_data(file: Path) -> None:
    """Reject a file that cannot contain data, according to its name and its first lines.

    Raises
    ------
    InputError
        If the file is of another kind.
    """
    if not _has_format(file):
        names = ", ".join((*FORMATS, *TEXTS))
        raise InputError(f"{file.name}: not a job file ({JOB}) or a data file; names of data files end with {names}")
    if file.suffix.lower() in (".csv", ".tsv", ".dat", *TEXTS):
        with file.open("rb") as opened:
            start = opened.read(_BLOCK)
        if b"\0" in start and not start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            raise InputError(
                f"{file.name}: not a table, although its name ends with {file.suffix}: it contains no text"
            )


def _has_format(file: Path) -> bool:
    try:
        return bool(format_of(file))
    except MisreadError:  # the lines will show the format, because the suffix does not
        return file.suffix.lower() in TEXTS
    except InputError:
        return False


def zipped(folder: Path) -> Iterator[bytes]:
    """Yield a ZIP archive of the files in a folder, in blocks. Symbolic links are omitted."""
    with TemporaryFile() as file:
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            for path in sorted(folder.rglob("*")):
                if path.is_file() and not path.is_symlink():
                    archive.write(path, f"{folder.name}/{path.relative_to(folder).as_posix()}")
        file.seek(0)
        while block := file.read(_BLOCK):
            yield block


@contextmanager
def replacement(path: Path) -> Iterator[Path]:
    """Yield the path of a new file that replaces a file at the end, so that other programs read either the old or the
    new content. If there is no new file, the old file remains.

    The new file is in a new directory of this user. A fixed name next to the file could be a link that another user of
    the folder has made.
    """
    with TemporaryDirectory(prefix=f".{path.name}.", dir=path.parent) as place:
        yield (new := Path(place, path.name))
        if new.exists():
            with new.open("rb") as file:
                os.fsync(file.fileno())
            if path.exists():
                new.chmod(path.stat().st_mode & 0o777)
            new.replace(path)
