"""Functions that check which data sets of the catalogue are present and identical to the published data."""

import gzip
import hashlib
import os
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Literal

from anonset.errors import InputError
from anonset_datasets.catalogue import VARIABLE, entry, load
from anonset_datasets.entries import ENTRIES, Entry

State = Literal["as published", "different", "missing"]
_READ = 1 << 20


@dataclass(frozen=True, kw_only=True)
class FileState:
    """File of a data set."""

    file: str
    """Path relative to the data folder."""
    state: State
    """State of the file. ``different`` means that the SHA-256 of the uncompressed content differs, or that the file is
    unreadable.
    """


@dataclass(frozen=True, kw_only=True)
class Presence:
    """Data set with the state of its files."""

    entry: Entry
    """Catalogue entry."""
    parts: tuple[FileState, ...]
    """States of the data file and of the hierarchy files, in this order."""

    @property
    def state(self) -> State:
        """Worst state of the files. ``missing`` is worse than ``different``."""
        found = {part.state for part in self.parts}
        return "missing" if "missing" in found else "different" if "different" in found else "as published"

    @property
    def is_wanting(self) -> bool:
        """True if the data set must be provided or replaced before use."""
        return self.state == "different" or (self.state == "missing" and not self.entry.optional)


def look(names: Iterable[str] = ()) -> list[Presence]:
    """Return the presence of the named data sets, or of all data sets. Without a data folder, all files are missing.

    Raises
    ------
    InputError
        If there is no such data set, or `ANONSET_DATA` is not a folder.
    """
    asked = [entry(name) for name in names] or list(ENTRIES.values())
    chosen = os.environ.get(VARIABLE, "")
    if chosen and not Path(chosen).is_dir():
        raise InputError(f"{VARIABLE} must name a folder, got {chosen!r}")
    folder = Path(chosen) if chosen else None
    return [Presence(entry=known, parts=tuple(_state(known, file, folder) for file in known.files)) for known in asked]


@cache
def digests() -> dict[str, str]:
    """Return the published SHA-256 of each data file's uncompressed content.

    >>> digests()["relational/adult.csv.gz"][:8]
    '6f8f2bab'
    """
    lines = files("anonset_datasets").joinpath("SHA256SUMS").read_text(encoding="ascii").splitlines()
    return {f"{file}.gz": digest for digest, file in (line.split("  ") for line in lines)}


def digest_of(path: Path) -> str:
    """Return the SHA-256 of a file's content, decompressed if the name ends in ``.gz``."""
    found = hashlib.sha256()
    with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as source:
        while part := source.read(_READ):
            found.update(part)
    return found.hexdigest()


def _state(known: Entry, file: str, folder: Path | None) -> FileState:
    """Return the state of a file. The data file may have one of several names."""
    names = (file, *known.other_files) if file == known.file else (file,)
    there = [name for name in names if folder is not None and (folder / name).is_file()]
    if folder is None or not there:
        return FileState(file=file, state="missing")
    agrees = _agrees(known, folder / there[0], digests().get(file))
    return FileState(file=there[0], state="as published" if agrees else "different")


def _agrees(known: Entry, path: Path, digest: str | None) -> bool:
    """Return True if a file equals the published file. The digests are compared. If the digest of the published file is
    unknown, the characteristics are compared.
    """
    try:
        if digest is not None:
            return digest_of(path) == digest
        load(known.name)
    except (InputError, OSError, EOFError, zlib.error):  # unreadable, or not in the expected format
        return False
    return True
