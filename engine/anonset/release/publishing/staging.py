"""Atomic publication. Directories are written under temporary names, and then renamed to new paths."""

import hashlib
import os
import re
import secrets
import shlex
import shutil
from abc import ABC, abstractmethod
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from anonset.data.progress import Progress
from anonset.data.storage.lease import LEASE, Tell, content_in, forget, is_lost, release, require_held, seems_live, take
from anonset.data.storage.removal import remove_directory
from anonset.data.storage.store import Store
from anonset.errors import InputError
from anonset.interruption import UNDOING, defer_signals, mark_job_done
from anonset.local_paths import name_in, require_local
from anonset.reading.sources.place import Place, is_address
from anonset.spelling import setting

PRIVATE = ".private"
"""Suffix of a private directory that the owner has not named."""
NOT_OVERWRITTEN = "a publication is never overwritten: use a new directory"
_LONGEST_STEM = 60  # bytes of the OUT name in the temporary name, whose length is also limited


def private_of(out: str | os.PathLike[str], named: str | os.PathLike[str] | None = None) -> Path:
    """Return the private directory of a publication: `named`, or by default `out` with the suffix ``.private``.

    >>> private_of("releases/safe/").as_posix()
    'releases/safe.private'
    """
    out = Path(out)
    return Path(named) if named else out.parent / f"{out.name}{PRIVATE}"


def why_exists(out: Path | Place, *, may_resume: bool) -> str:
    """Return the message that a destination is taken, with the remedy if the same command may have written it."""
    way = f", or use {setting('if_exists', 'resume')} to verify it again if the same command wrote it"
    return f"{str(out)!r} already exists; {NOT_OVERWRITTEN}{way if may_resume else ''}"


def require_new(*folders: Path) -> None:
    """Reject paths that exist, have no parent directory, or are equal.

    Raises
    ------
    InputError
        The message names the path. A publication is never overwritten.
    """
    require_local(*folders)
    if len({os.path.realpath(folder) for folder in folders}) < len(folders):
        raise InputError(f"the publication and the private directory must differ, got {str(folders[0])!r} for both")
    for folder in folders:
        if os.path.lexists(folder):
            raise InputError(why_exists(folder, may_resume=False), code="exists")
        if not folder.parent.is_dir():
            raise InputError(f"cannot create {str(folder)!r}: {str(folder.parent)!r} must be an existing directory")


def require_apart(work_dir: str | os.PathLike[str] | None, *others: str | os.PathLike[str] | None) -> None:
    """Reject a work directory that equals, contains or is inside one of the other paths. Links are resolved.

    If the paths overlapped, removing the work directory could remove other files, or work files could be among the
    published files.

    Raises
    ------
    InputError
        The message names both paths.
    """
    if work_dir is None:
        return

    def real(path: str | os.PathLike[str]) -> Path:
        return Path(os.fspath(path).replace("://", "/", 1) if is_address(path) else os.path.realpath(path))

    work = real(work_dir)
    for other in others:
        if other is None:
            continue
        place = real(other)
        if place == work:
            relation = "is"
        elif place in work.parents:
            relation = "lies in"
        elif work in place.parents:
            relation = "holds"
        else:
            continue
        option = f"{setting('work_dir')}: {os.fspath(work_dir)!r}"
        msg = f"{option} {relation} {os.fspath(other)!r}; use a directory outside it: work files are deleted at the end"
        raise InputError(msg)


def stem_of(name: str) -> str:
    """Return a publication name for use in a temporary name. A long name is replaced by a hash."""
    encoded = os.fsencode(name)
    return name if len(encoded) <= _LONGEST_STEM else hashlib.sha256(encoded).hexdigest()


@dataclass(frozen=True)
class Directories:
    """Destination of a publication on local disk."""

    out: Path
    """New directory for the public files."""
    private: Path
    """New directory for the private files."""

    def require_free(self, *, by_command: bool = False) -> None:
        """Reject paths that are taken or contain leftovers of a killed run.

        Parameters
        ----------
        by_command
            Whether a command runs the job, so that the message may recommend ``--if-exists``.

        Raises
        ------
        InputError
            The message describes what the path contains, and the remedy. Files of another run are never removed.
        """
        require_local(self.out, self.private)
        unfinished, complete = self.leftovers(), os.path.lexists(self.out)
        if busy := [path for path, in_use in unfinished.items() if in_use]:
            msg = f"another run is writing {str(self.out)!r} in {str(busy[0])!r}; wait for it, or use a new directory"
            raise InputError(msg, code="in-use")
        if unfinished:
            msg = self._left_behind(list(unfinished), complete=complete, by_command=by_command)
            raise InputError(msg, code="unfinished")
        if self.private.is_dir() and not complete:
            msg = (
                f"{str(self.private)!r} already exists, but its publication {str(self.out)!r} does not; use another "
                "private directory, or remove this directory if you deleted the publication"
            )
            raise InputError(msg, code="exists")
        if complete and by_command:
            raise InputError(why_exists(self.out, may_resume=True), code="exists")
        require_new(self.out, self.private)

    def leftovers(self) -> dict[Path, bool]:
        """Return the paths that unfinished runs have created. The value is True if a run still uses the path. A private
        directory has a lease until its publication is complete.
        """
        temporary_name = re.compile(rf"\.{re.escape(stem_of(self.out.name))}\.[0-9a-f]{{16}}\.tmp")
        live = {self.private: seems_live(content_in(self.private))} if os.path.lexists(self.private / LEASE) else {}
        siblings = sorted(self.out.parent.iterdir()) if self.out.parent.is_dir() else []
        return live | {
            path: seems_live(content_in(path))
            for path in siblings
            if temporary_name.fullmatch(path.name) and path.is_dir()
        }

    def clear(self, tell: Tell | None = None) -> None:
        """Remove the leftovers of a killed run. A complete publication is not removed.

        The lease of the private directory is taken over first. Then the folders that a suspended run would publish are
        removed. If that run has published in the meantime, the publication and the private directory remain.

        Raises
        ------
        InputError
            If another run uses them.
        """
        unfinished = self.leftovers()
        for path in unfinished:
            take(path, tell)
        for path in sorted(unfinished, key=lambda path: path == self.private):
            if path == self.private and os.path.lexists(self.out):
                release(path)
                continue
            with suppress(OSError):
                remove_directory(path)
            forget(path)
        if self.private not in unfinished and not os.path.lexists(self.out):
            with suppress(OSError):  # the directory is empty because the run was killed just after creating it
                self.private.rmdir()

    def stage(self, store: Store, progress: Progress | None = None) -> "Staging":
        """Return the unfinished publication of a free destination (see `require_free`)."""
        self.require_free()
        return Staging(self.out, self.private)

    def _left_behind(self, unfinished: list[Path], *, complete: bool, by_command: bool) -> str:
        """Return the message that a killed run left files, with the remedy."""
        if by_command:
            clear = f"use {setting('if_exists', 'resume')}"
            clear += " to verify it" if complete else " to continue"
        else:
            # in a complete publication, only leases remain in the private directory
            paths = [path / LEASE if complete and path == self.private else path for path in unfinished]
            clear = "remove the leftover files: rm -r -- " + " ".join(shlex.quote(str(path)) for path in paths)
        if complete:
            return f"{str(self.out)!r} already exists, but its run was killed; {clear}, or use a new directory"
        return f"a run that was writing {str(self.out)!r} was killed; {clear}, or use a new directory"


class Unfinished(ABC):
    """Files of an unfinished publication. Leaving the block before `finish` removes them.

    Within the block, `folder` contains the public files and `private` the private files. Write errors name the final
    path of the file. A killed process cannot remove files. Its lease becomes stale, and the next run names or removes
    the files.
    """

    folder: Path
    """Temporary folder of the public files."""
    private: Path
    """Folder of the private files."""
    _finished = False

    def __enter__(self) -> Self:
        try:
            with defer_signals():
                UNDOING[self] = lambda: self._clean(None)
                self._begin()
            return self
        except BaseException as error:
            self._clean(error)
            raise

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._clean(error)

    def seal(self) -> None:
        """Restrict the private files to the owner, whatever the umask of the process is."""
        for path in self.private.rglob("*"):
            path.chmod(0o700 if path.is_dir() else 0o600)

    @abstractmethod
    def _begin(self) -> None:
        """Create the folders and the lease."""

    @abstractmethod
    def rename(self) -> None:
        """Publish the files, after all bytes are stored.

        Raises
        ------
        InputError
            If another run has taken over the lease, the destination is taken, or stored bytes differ.
        """

    @abstractmethod
    def finish(self) -> None:
        """Mark the publication as complete. Afterwards no file is removed, and signals no longer interrupt the job."""

    @abstractmethod
    def _clean(self, error: BaseException | None) -> None:
        """Remove the folders, and the publication unless it is finished."""


class Staging(Unfinished):
    """Directories of an unfinished publication on local disk. `folder` is hidden until it is renamed."""

    def __init__(self, out: Path, private: Path) -> None:
        self.out, self.private = out, private
        # a unique name can be removed whether it exists or not
        self._temporary = out.parent / f".{stem_of(out.name)}.{secrets.token_hex(8)}.tmp"
        # the inner folder has the usual permissions; the outer folder hides it until renaming
        self.folder = self._temporary / "publication"
        self._identity: tuple[int, int] | None = None
        self._made_private = False

    def _begin(self) -> None:
        self._make_private()
        self._temporary.mkdir(mode=0o700)
        self._temporary.chmod(0o700)
        take(self._temporary)
        self.folder.mkdir()
        self._identity = _identity(self.folder)

    def rename(self) -> None:
        """Rename the publication into place, after all bytes of both directories are on disk.

        A process that was suspended and lost its lease to another run does not publish. If a process loses the lease
        between the check and the renaming, the renaming fails because the other run has removed the folder.

        Raises
        ------
        InputError
            If the lease is lost, or the path is taken.
        """
        self.seal()
        sync(self.private)
        sync(self.folder)
        require_new(self.out)
        require_held(self.private, self._temporary)
        try:
            self.folder.rename(self.out)
        except FileNotFoundError:
            require_held(self.private, self._temporary)
            raise
        sync_entry(self.out.parent)

    def finish(self) -> None:
        """Remove the leases, and mark the publication as complete."""
        self.seal()
        release(self.private)
        sync(self.private)
        mark_job_done()
        self._finished = True

    def _make_private(self) -> None:
        self._made_private = True  # set first: an exception may occur between mkdir and the next line
        try:
            self.private.mkdir(mode=0o700)
        except OSError:  # another process may have created the directory in the meantime
            self._made_private = False
            raise
        self.private.chmod(0o700)  # exact permissions for any umask
        take(self.private)

    def _clean(self, error: BaseException | None) -> None:
        with defer_signals():
            if not self._finished and not is_lost(self.private):  # without the lease: files of another run
                # the folder identity shows whether it is renamed: no interruption can occur in between
                if self._identity is not None and _identity(self.out) == self._identity:
                    shutil.rmtree(self.out, ignore_errors=True)
                if self._made_private:
                    with suppress(OSError):
                        remove_directory(self.private)
            shutil.rmtree(self._temporary, ignore_errors=True)
            UNDOING.pop(self, None)
            forget(self._temporary)
            forget(self.private)
            name_in(error, self.folder, self.out)
            name_in(error, self._temporary, self.out)


def sync(folder: Path) -> None:
    """Flush the files of a folder tree, and the folders themselves, to disk."""
    for path in sorted(folder.rglob("*")):
        sync_entry(path)
    sync_entry(folder)


def sync_entry(path: Path) -> None:
    """Flush one file or directory to disk.

    Raises
    ------
    OSError
        If writing fails, for example because the disk is full.
    """
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from error
    finally:
        os.close(descriptor)


def _identity(path: Path) -> tuple[int, int] | None:
    """Return the device and inode of a directory, which renaming does not change. Return None if there is no
    directory.
    """
    try:
        status = path.lstat()
    except OSError:
        return None
    return status.st_dev, status.st_ino
