"""Atomic publication: directories under temporary names, renamed to paths that are free.

A path is free, taken, or holds leftovers of a killed run.
"""

import hashlib
import os
import re
import secrets
import shlex
import shutil
from pathlib import Path
from types import TracebackType
from typing import Self

from anonset.data.lease import LEASE, forget, is_live, is_lost, release, require_held, take
from anonset.errors import AnonsetError, InputError
from anonset.interruption import UNDOING, defer_signals, settle
from anonset.local_paths import require_local
from anonset.spelling import setting

_NOT_OVERWRITTEN = "a publication is never overwritten: name a new directory"
_LONGEST_STEM = 60  # bytes of the name of OUT in the temporary one, which must not be too long itself


def temporary_place(out: Path) -> Path:
    """Return a new place beside OUT in which to make it: hidden, and named after it."""
    return out.parent / f".{_stem(out)}.{secrets.token_hex(8)}.tmp"


def require_new(*folders: Path) -> None:
    """Refuse paths that exist, or whose parent does not, or that are one and the same.

    Raises
    ------
    InputError
        With the path; a publication is never overwritten.
    """
    require_local(*folders)
    if len({os.path.realpath(folder) for folder in folders}) < len(folders):
        msg = f"the publication and its private directory must differ, got {str(folders[0])!r} for both"
        raise InputError(msg)
    for folder in folders:
        if os.path.lexists(folder):
            msg = f"{str(folder)!r} exists already; {_NOT_OVERWRITTEN}"
            raise InputError(msg, code="exists")
        if not folder.parent.is_dir():
            msg = f"cannot make {str(folder)!r}: {str(folder.parent)!r} must be an existing directory"
            raise InputError(msg)


def require_apart(work_dir: str | os.PathLike[str] | None, *others: str | os.PathLike[str] | None) -> None:
    """Refuse a work directory that is one of other places, lies in one or holds one; links are followed.

    Removing the one would remove files of the other, or its files would lie among the published ones.

    Raises
    ------
    InputError
        With both paths.
    """
    if work_dir is None:
        return
    work = Path(os.path.realpath(work_dir))
    for other in others:
        if other is None:
            continue
        place = Path(os.path.realpath(other))
        if place == work:
            how = "is"
        elif place in work.parents:
            how = "lies in"
        elif work in place.parents:
            how = "holds"
        else:
            continue
        asked = f"{setting('work_dir')}: {os.fspath(work_dir)!r}"
        msg = f"{asked} {how} {os.fspath(other)!r}; name a directory beside it: what is worked on is removed in the end"
        raise InputError(msg)


def require_free(out: Path, private: Path, *, by_command: bool = False) -> None:
    """Refuse paths for a publication that are taken, or where a killed run has left something.

    Parameters
    ----------
    by_command
        Whether the command line runs the job, so that ``--if-exists`` helps.

    Raises
    ------
    InputError
        With what lies there, and how to clear it; files of another run are never removed.
    """
    require_local(out, private)
    left, complete = leftovers(out, private), os.path.lexists(out)
    if busy := [path for path, held in left.items() if held]:
        msg = f"another run is making {str(out)!r} in {str(busy[0])!r} right now; wait for it, or name a new directory"
        raise InputError(msg, code="in-use")
    if left:
        raise InputError(
            _left_behind(out, private, list(left), complete=complete, by_command=by_command), code="unfinished"
        )
    if private.is_dir() and not complete:
        msg = (
            f"{str(private)!r} exists already, without a publication {str(out)!r}; name another private directory, or "
            "remove it if it is left from a publication that is gone"
        )
        raise InputError(msg, code="exists")
    if complete and by_command:
        again = setting("if_exists", "resume")
        msg = f"{str(out)!r} exists already; {_NOT_OVERWRITTEN}, or use {again} to verify what this command has made"
        raise InputError(msg, code="exists")
    require_new(out, private)


def leftovers(out: Path, private: Path) -> dict[Path, bool]:
    """Return the paths that unfinished runs have left, and whether a run is still at work on each.

    A private directory has a lease as long as its publication is not complete.
    """
    own = re.compile(rf"\.{re.escape(_stem(out))}\.[0-9a-f]{{16}}\.tmp")
    live = {private: is_live(private)} if os.path.lexists(private / LEASE) else {}
    beside = sorted(out.parent.iterdir()) if out.parent.is_dir() else []
    return live | {path: is_live(path) for path in beside if own.fullmatch(path.name) and path.is_dir()}


def _left_behind(out: Path, private: Path, left: list[Path], *, complete: bool, by_command: bool) -> str:
    """Return the message on what a killed run has left, with what clears it."""
    if by_command:
        clear = f"use {setting('if_exists', 'resume')}"
        clear += " to verify it" if complete else " to continue"
    else:
        # of a complete publication, the leases are all that is left in the private directory
        paths = [path / LEASE if complete and path == private else path for path in left]
        clear = "remove what it left: rm -r -- " + " ".join(shlex.quote(str(path)) for path in paths)
    if complete:
        return f"{str(out)!r} exists already, but its run was killed before it ended; {clear}, or name a new directory"
    return f"a run that was to make {str(out)!r} was killed; {clear}, or name a new directory"


def _stem(out: Path) -> str:
    """Return what stands for the name of OUT in the temporary one."""
    name = os.fsencode(out.name)
    return out.name if len(name) <= _LONGEST_STEM else hashlib.sha256(name).hexdigest()


class Staging:
    """Directories of a publication in the making; unless `finish` is reached, leaving the block removes all of them.

    Within the block, `folder` takes the files of the publication and `private` those that stay at home. Errors of
    writing are raised with the path that the files were to have. A process that is killed cannot remove anything: the
    leases of the directories that it leaves become stale, and the next run names or removes them.
    """

    folder: Path
    """Where the publication is written, readable by the owner alone until it is renamed."""

    def __init__(self, out: Path, private: Path) -> None:
        self.out, self.private = out, private
        # a unique name, so that it can be removed whether it exists yet or not
        self._temporary = temporary_place(out)
        # the inner folder gets the usual permissions; the outer one hides it until the renaming
        self.folder = self._temporary / "publication"
        self._identity: tuple[int, int] | None = None
        self._made_private = self._finished = False

    def __enter__(self) -> Self:
        require_free(self.out, self.private)
        try:
            with defer_signals():
                UNDOING[self] = lambda: self._clean(None)
                self._make_private()
                self._temporary.mkdir(mode=0o700)
                self._temporary.chmod(0o700)
                take(self._temporary)
                self.folder.mkdir()
                self._identity = _identity(self.folder)
            return self
        except BaseException as error:
            self._clean(error)
            raise

    def seal(self) -> None:
        """Let only the owner read the private files, whatever the umask of the process."""
        for path in self.private.iterdir():
            path.chmod(0o600)

    def rename(self) -> None:
        """Put the publication into its place, once all bytes of both directories are on the disk.

        A process that was suspended, and has lost its lease to another run, does not publish. If it loses the lease
        between the check and the renaming, that fails: the other run removes the folder before it does anything else.

        Raises
        ------
        InputError
            If the lease is lost, or the place is taken.
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
        """Declare the publication complete: from then on nothing is removed, and no signal unwinds the process."""
        self.seal()
        release(self.private)
        sync(self.private)
        settle()
        self._finished = True

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._clean(error)

    def _make_private(self) -> None:
        self._made_private = True  # set before: an exception may come between mkdir and the next line
        try:
            self.private.mkdir(mode=0o700)
        except OSError:  # another process may have made it meanwhile
            self._made_private = False
            raise
        self.private.chmod(0o700)  # exactly, whatever the umask
        take(self.private)

    def _clean(self, error: BaseException | None) -> None:
        """Remove what must not stay, and name the user's path in an error."""
        with defer_signals():
            if not self._finished and not is_lost(self.private):  # else they are those of the run that took over
                # the folder itself shows whether it is renamed: no interruption can come between
                if self._identity is not None and _identity(self.out) == self._identity:
                    shutil.rmtree(self.out, ignore_errors=True)
                if self._made_private:
                    shutil.rmtree(self.private, ignore_errors=True)
            shutil.rmtree(self._temporary, ignore_errors=True)
            UNDOING.pop(self, None)
            forget(self._temporary)
            forget(self.private)
            name_in(error, self.folder, self.out)
            name_in(error, self._temporary, self.out)


def name_in(error: BaseException | None, written: Path, meant: Path) -> None:
    """Replace the temporary path in the message of an error by the user's path."""
    old, new = str(written), str(meant)
    if isinstance(error, OSError) and isinstance(error.filename, (str, os.PathLike)):
        error.filename = str(error.filename).replace(old, new)
    elif isinstance(error, AnonsetError):
        error.reword(old, new)
    elif error is not None:
        error.args = tuple(part.replace(old, new) if isinstance(part, str) else part for part in error.args)


def sync(folder: Path) -> None:
    """Force the files of a folder and those below it, and the folders themselves, to the disk."""
    for path in sorted(folder.rglob("*")):
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
    """Return the device and inode of a directory, which renaming keeps; None if there is none."""
    try:
        status = path.lstat()
    except OSError:
        return None
    return status.st_dev, status.st_ino
