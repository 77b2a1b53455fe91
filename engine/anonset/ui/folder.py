"""Files of the chosen folder. Files outside of the folder are not reachable from the page."""

import os
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

from anonset.errors import InputError, MisreadError
from anonset.reading.files import FORMATS, format_of
from anonset.release.documents import ATTESTATION
from anonset.settings.paths import with_paths

JOB = ".toml"
_BLOCK = 1 << 20
_TEXTS = (".txt", ".text", ".tab")
"""Suffixes of text files that may contain data. The page offers a text file if its lines look like a table or like
sets.
"""


class Folder:
    """Folder that the owner chose when the page was started."""

    def __init__(self, path: Path) -> None:
        self.path = path.resolve()

    def inside(self, name: str | Path) -> Path:
        """Return the path of a file of this folder. Symbolic links are resolved.

        Raises
        ------
        InputError
        If the file is outside of the folder.
        """
        path = (self.path / name).resolve()
        if "://" in str(name) or not path.is_relative_to(self.path):
            msg = f"{name} is outside of {self.path}; start anonset ui with a folder that contains it"
            raise InputError(msg)
        return path

    def relative(self, path: Path) -> str:
        """Return a path relative to the folder."""
        return path.relative_to(self.path).as_posix()

    def require_inside(self, job: Mapping[str, Any]) -> None:
        """Check that all paths in the settings of a job are inside of the folder.

        Raises
        ------
        InputError
            If a path is outside of the folder.
        """
        with_paths(job, lambda _, path: str(self.inside(path)))

    def with_relative_paths(self, job: Mapping[str, Any]) -> dict[str, Any]:
        """Return the settings of a job with paths relative to the folder."""
        return with_paths(job, lambda _, path: self.relative(self.inside(path)))

    def jobs(self) -> list[str]:
        """Return the names of the job files in the folder."""
        return sorted(file.name for file in self.path.iterdir() if file.suffix == JOB and file.is_file())

    def publications(self) -> list[str]:
        """Return the names of the publications in the folder."""
        return sorted(file.parent.name for file in self.path.glob(f"*/{ATTESTATION}"))

    def data(self) -> list[str]:
        """Return the names of the data files in the folder."""
        return sorted(file.name for file in self.path.iterdir() if file.is_file() and _has_format(file))


def require_data(file: Path) -> None:
    """Reject a file that cannot contain data, according to its name and its first lines.

    Raises
    ------
    InputError
        If the file is of another kind.
    """
    if not _has_format(file):
        names = ", ".join((*FORMATS, *_TEXTS))
        msg = f"{file.name}: not a job file ({JOB}) or a data file; names of data files end with {names}"
        raise InputError(msg)


def _has_format(file: Path) -> bool:
    try:
        return bool(format_of(file))
    except MisreadError:  # the lines will show the format, because the suffix does not
        return file.suffix.lower() in _TEXTS
    except InputError:
        return False


def zipped(folder: Path) -> Iterator[bytes]:
    """Yield a ZIP archive of the files in a folder, in blocks."""
    with TemporaryFile() as file:
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            for path in sorted(folder.rglob("*")):
                if path.is_file():
                    archive.write(path, f"{folder.name}/{path.relative_to(folder).as_posix()}")
        file.seek(0)
        while block := file.read(_BLOCK):
            yield block


def replace_text(path: Path, text: str) -> None:
    """Replace the text of a file at once, so that other programs read either the old or the new text."""
    new = path.with_name(f".{path.name}.new")
    descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, path.stat().st_mode & 0o777)
    with os.fdopen(descriptor, "w", encoding="utf-8", newline="") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    new.replace(path)
