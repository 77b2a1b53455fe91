"""A publication appears whole or not at all: directories under temporary names, renamed into place."""

import os
import shutil
from pathlib import Path
from types import TracebackType
from typing import Self

from anonset.release.interruption import deferred, settle
from anonset.release.places import UNFINISHED, lock, require_free, require_new, temporary_place


class Staging:
    """Directories of a publication in the making; unless `finish` is reached, leaving the block removes them all.

    Within the block, `folder` takes the files of the publication and `private` those that stay at home. Errors of
    writing are raised with the path that the files were to have. A process that is killed cannot remove anything: what
    it leaves is marked, so that the next run can name it (`require_free`).
    """

    folder: Path
    """Where the publication is written, readable by the owner alone until it is renamed."""

    def __init__(self, out: Path, private: Path) -> None:
        self.out, self.private = out, private
        # a name that nobody else has, so that it can be removed whether it was made yet or not
        self._temporary = temporary_place(out)
        # the inner folder gets the usual permissions; the outer one hides it until the renaming
        self.folder = self._temporary / "publication"
        self._identity: tuple[int, int] | None = None
        self._made_private = self._finished = False
        self._locks: list[int] = []

    def __enter__(self) -> Self:
        require_free(self.out, self.private)
        try:
            with deferred():
                self._make_private()
                self._mark()
                self._temporary.mkdir(mode=0o700)
                self._temporary.chmod(0o700)
                self._locks += lock(self._temporary)
                self.folder.mkdir()
                self._identity = _identity(self.folder)
            return self
        except BaseException as error:
            self._clean(error)
            raise

    def seal(self) -> None:
        """Let the owner alone read the private files, whatever the process lets others do with new ones."""
        for path in self.private.iterdir():
            path.chmod(0o600)

    def rename(self) -> None:
        """Put the publication into its place, once all its bytes are on the disk."""
        sync(self.folder)
        require_new(self.out)
        self.folder.rename(self.out)
        sync_entry(self.out.parent)

    def finish(self) -> None:
        """Declare the publication complete: nothing is removed any more, and no signal unwinds the process."""
        self.seal()
        (self.private / UNFINISHED).unlink()
        sync(self.private)
        settle()
        self._finished = True

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._clean(error)

    def _make_private(self) -> None:
        self._made_private = True  # before it is true: an exception may come between the making and the next line
        try:
            self.private.mkdir(mode=0o700)
        except OSError:  # it may be another's, made meanwhile
            self._made_private = False
            raise
        self.private.chmod(0o700)  # exactly, whatever the process lets others do with what it makes

    def _mark(self) -> None:
        """Say in the private directory that it is one in the making, for as long as this process lives."""
        from anonset.io.files import write_file

        text = f"{self.out}\nis not published yet, or the run that was to publish it was killed.\n"
        path = write_file(self.private / UNFINISHED, [os.fsencode(text)])
        path.chmod(0o600)
        self._locks += lock(path)

    def _clean(self, error: BaseException | None) -> None:
        """Remove what must not stay, and name in an error what the user named."""
        with deferred():
            if not self._finished:
                # whether it was renamed is seen from the folder itself: no interruption can come in between
                if self._identity is not None and _identity(self.out) == self._identity:
                    shutil.rmtree(self.out, ignore_errors=True)
                if self._made_private:
                    shutil.rmtree(self.private, ignore_errors=True)
            shutil.rmtree(self._temporary, ignore_errors=True)
            while self._locks:
                os.close(self._locks.pop())
            name_in(error, self.folder, self.out)
            name_in(error, self._temporary, self.out)


def name_in(error: BaseException | None, written: Path, meant: Path) -> None:
    """Replace in the message of an error the temporary path that was written by the path that was meant."""
    old, new = str(written), str(meant)
    if isinstance(error, OSError) and isinstance(error.filename, (str, os.PathLike)):
        error.filename = str(error.filename).replace(old, new)
    elif error is not None:
        error.args = tuple(part.replace(old, new) if isinstance(part, str) else part for part in error.args)


def sync(folder: Path) -> None:
    """Force the files of a folder, and the folder itself, to the disk."""
    for path in sorted(folder.iterdir()):
        sync_entry(path)
    sync_entry(folder)


def sync_entry(path: Path) -> None:
    """Force one file or directory to the disk.

    Raises
    ------
    OSError
        With the path, as when the disk is full.
    """
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from error
    finally:
        os.close(descriptor)


def _identity(path: Path) -> tuple[int, int] | None:
    """Return what a directory keeps when it is renamed, or None where there is none."""
    try:
        found = path.lstat()
    except OSError:
        return None
    return found.st_dev, found.st_ino
