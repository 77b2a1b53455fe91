"""Which data sets of the catalogue are there, and whether they are the published ones."""

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
    """One file of a data set."""

    file: str
    """Relative to the data folder."""
    state: State
    """``different``: its bytes, uncompressed, have another SHA-256, or it cannot be read."""


@dataclass(frozen=True, kw_only=True)
class Presence:
    """A data set, and the files that it consists of."""

    entry: Entry
    """Its entry in the catalogue."""
    parts: tuple[FileState, ...]
    """Its data first, then the hierarchies."""

    @property
    def state(self) -> State:
        """The worst of the files; missing before different."""
        found = {part.state for part in self.parts}
        return "missing" if "missing" in found else "different" if "different" in found else "as published"

    @property
    def is_wanting(self) -> bool:
        """Whether something must be done before what needs the data set can run."""
        return self.state == "different" or (self.state == "missing" and not self.entry.optional)


def look(names: Iterable[str] = ()) -> list[Presence]:
    """Return what is there of data sets, of all without names; none is, if no folder is named.

    Raises
    ------
    InputError
        If there is no such data set, or `ANONSET_DATA` names no folder.
    """
    asked = [entry(name) for name in names] or list(ENTRIES.values())
    chosen = os.environ.get(VARIABLE, "")
    if chosen and not Path(chosen).is_dir():
        msg = f"{VARIABLE} must name a folder, got {chosen!r}"
        raise InputError(msg)
    folder = Path(chosen) if chosen else None
    return [Presence(entry=known, parts=tuple(_state(known, file, folder) for file in known.files)) for known in asked]


@cache
def digests() -> dict[str, str]:
    """Return the SHA-256 of each file of the data folder: of its bytes uncompressed, whoever compressed it.

    >>> digests()["relational/adult.csv.gz"][:8]
    '6f8f2bab'
    """
    lines = files("anonset_datasets").joinpath("SHA256SUMS").read_text(encoding="ascii").splitlines()
    return {f"{file}.gz": digest for digest, file in (line.split("  ") for line in lines)}


def digest_of(path: Path) -> str:
    """Return the SHA-256 of a file, uncompressed if its name ends in ``.gz``."""
    found = hashlib.sha256()
    with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as source:
        while part := source.read(_READ):
            found.update(part)
    return found.hexdigest()


def _state(known: Entry, file: str, folder: Path | None) -> FileState:
    """Look at a file; of the data, under all names that it may have."""
    names = (file, *known.other_files) if file == known.file else (file,)
    there = [name for name in names if folder is not None and (folder / name).is_file()]
    if folder is None or not there:
        return FileState(file=file, state="missing")
    agrees = _agrees(known, folder / there[0], digests().get(file))
    return FileState(file=there[0], state="as published" if agrees else "different")


def _agrees(known: Entry, path: Path, digest: str | None) -> bool:
    """Tell whether a file is the published one: by its digest, or, where none is known, by its characteristics."""
    try:
        if digest is not None:
            return digest_of(path) == digest
        load(known.name)
    except (InputError, OSError, EOFError, zlib.error):  # cannot be read, or read as what it should be
        return False
    return True
