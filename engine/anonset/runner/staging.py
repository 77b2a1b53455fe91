"""A publication appears whole or not at all: directories under temporary names, renamed into place."""

import os
import shutil
import tempfile
from pathlib import Path
from types import TracebackType
from typing import Self

from anonset.errors import InputError


class Staging:
    """Directories of a publication in the making; unless `finish` is reached, leaving the block removes them all.

    Within the block, `folder` takes the files of the publication and `private` those that stay at home.
    """

    folder: Path
    """Where the publication is written, readable by the owner alone until it is renamed."""

    def __init__(self, out: Path, private: Path) -> None:
        self.out, self.private = out, private
        self._temporary: Path | None = None
        self._made_private = self._renamed = self._finished = False

    def __enter__(self) -> Self:
        require_new(self.out, self.private)
        try:
            self.private.mkdir(mode=0o700)
            self._made_private = True
            # the inner folder gets the usual permissions; the outer one hides it until the renaming
            self._temporary = Path(tempfile.mkdtemp(prefix=f".{self.out.name}.", suffix=".tmp", dir=self.out.parent))
            self.folder = self._temporary / "publication"
            self.folder.mkdir()
        except BaseException:
            self._remove()
            raise
        return self

    def rename(self) -> None:
        """Put the publication into its place, once all its bytes are on the disk."""
        sync(self.folder)
        require_new(self.out)
        self.folder.rename(self.out)
        self._renamed = True
        sync_entry(self.out.parent)

    def finish(self) -> None:
        """Declare the publication complete: nothing is removed any more."""
        sync(self.private)
        self._finished = True

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if not self._finished:
            self._remove()
        elif self._temporary is not None:
            shutil.rmtree(self._temporary, ignore_errors=True)

    def _remove(self) -> None:
        made = [self._temporary, self.private if self._made_private else None, self.out if self._renamed else None]
        for folder in made:
            if folder is not None:
                shutil.rmtree(folder, ignore_errors=True)


def require_new(*folders: Path) -> None:
    """Refuse directories that exist, or whose parent does not, or that are one and the same.

    Raises
    ------
    InputError
        With the path; a publication is never overwritten.
    """
    if len({folder.absolute() for folder in folders}) < len(folders):
        msg = f"the publication and its private directory must differ, got {str(folders[0])!r} for both"
        raise InputError(msg)
    for folder in folders:
        if os.path.lexists(folder):
            msg = f"{str(folder)!r} exists already; a publication is never overwritten: name a new directory"
            raise InputError(msg)
        if not folder.parent.is_dir():
            msg = f"cannot make {str(folder)!r}: {str(folder.parent)!r} must be an existing directory"
            raise InputError(msg)


def sync(folder: Path) -> None:
    """Force the files of a folder, and the folder itself, to the disk."""
    for path in sorted(folder.iterdir()):
        sync_entry(path)
    sync_entry(folder)


def sync_entry(path: Path) -> None:
    """Force one file or directory to the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
