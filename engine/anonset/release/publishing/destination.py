"""Destinations of publications: directories, or places at an address.

For an address, the files are verified on local disk, staged under a private prefix, and copied to OUT. Next to
``s3://bucket/out``, the prefix ``.out.tmp`` contains the lease of the run and the staged files. The attestation is
copied last, because a prefix without an attestation is no publication.
"""

import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from anonset.data.progress import Progress, report_progress
from anonset.data.storage.lease import (
    LEASE,
    Tell,
    content_in,
    forget,
    holds,
    in_use,
    require_held,
    seems_live,
    take,
    token_in,
    tokens_in,
)
from anonset.data.storage.removal import remove_place
from anonset.data.storage.store import Files, Store
from anonset.errors import InputError
from anonset.interruption import UNDOING, defer_signals, mark_job_done
from anonset.local_paths import name_in
from anonset.reading.sources.files import digest
from anonset.reading.sources.place import Place, is_address
from anonset.release.documents import ATTESTATION
from anonset.release.publishing.staging import (
    PRIVATE,
    Directories,
    Unfinished,
    private_of,
    stem_of,
    why_exists,
)
from anonset.settings.settings import REPORT
from anonset.spelling import setting

_STAGED = "publication"


@dataclass(frozen=True)
class Places:
    """Destination of a publication of which at least one part is at an address."""

    out: Place
    """New place for the public files."""
    private: Place
    """New place for the private files."""

    @property
    def staged(self) -> Place:
        """Prefix for the lease and the staged files, next to OUT.

        >>> str(Places(Place("s3://bucket/releases/safe"), Place("s3://bucket/own")).staged)
        's3://bucket/releases/.safe.tmp'
        """
        return self.out.parent / f".{stem_of(self.out.name)}.tmp"

    def require_free(self, *, by_command: bool = False) -> None:
        """Reject places that already exist, or that contain objects of a killed run.

        Raises
        ------
        InputError
            The message names the place, and the remedy.
        """
        last, there = content_in(self.staged), _names_at(self.out, ATTESTATION)
        if seems_live(last):
            raise in_use(self.staged, last)
        if last is not None:
            again = "to verify it" if ATTESTATION in there else "to continue"
            resume = f"use {setting('if_exists', 'resume')} {again}"
            clear = resume if by_command else f"delete the objects under {str(self.staged)!r}"
            msg = f"a run that was writing {str(self.out)!r} was killed; {clear}, or use a new address"
            raise InputError(msg, code="unfinished")
        for place, names in (self.out, there), (self.private, _names_at(self.private, REPORT)):
            if names:
                raise InputError(why_exists(place, may_resume=by_command and ATTESTATION in names), code="exists")

    def clear(self, tell: Tell | None = None) -> None:
        """Remove the objects that a killed run left. A complete publication is not removed.

        Raises
        ------
        InputError
            If another run uses the places.
        """
        if content_in(self.staged) is None:
            return
        killed = tokens_in(self.staged)
        take(self.staged, tell)
        try:
            is_of_this_run = token_in(self.private) in killed
            if self.out.size(ATTESTATION) is None:
                self.out.delete_all()
                if is_of_this_run:
                    self.private.delete_all()
            elif is_of_this_run:
                self.private.delete(LEASE)
            remove_place(self.staged)
        finally:
            forget(self.staged)

    def stage(self, store: Store, progress: Progress | None = None) -> "Upload":
        """Return the unfinished publication of a free destination (see `require_free`). Its local files are in the
        directory of the store.
        """
        self.require_free()
        return Upload(self, store, progress)


Destination = Directories | Places
"""Public and private place of a publication. One type of destination is chosen by `destination`."""


def destination(out: str | os.PathLike[str], private: str | os.PathLike[str] | None = None) -> Destination:
    """Return the destination for the paths or addresses of a publication and its private directory.

    >>> destination("s3://bucket/safe").private
    Place(address='s3://bucket/safe.private')
    >>> destination("safe").private.as_posix()
    'safe.private'

    Raises
    ------
    InputError
        If the places are equal, one contains the other, or an address has no part after the bucket.
    """
    if not is_address(out) and (private is None or not is_address(private)):
        return Directories(Path(out), private_of(out, private))
    at = os.fspath(out).rstrip("/")
    places = Place(at), Place(at + PRIVATE if private is None else os.fspath(private).rstrip("/"))
    for place in places:
        place.require_below_bucket("safe")
    first, second = sorted(f"{place}/" for place in places)
    if second.startswith(first):
        raise InputError(
            f"the publication and its private directory must be separate, got {str(places[0])!r} and {str(places[1])!r}"
        )
    return Places(*places)


class Upload(Unfinished):
    """Local files of an unfinished publication at an address."""

    def __init__(self, destination: Places, store: Store, progress: Progress | None = None) -> None:
        self._out, self._private, self._staged = destination.out, destination.private, destination.staged
        self._store, self._progress = store, progress
        self._local: Files | None = None
        self._leased = self._began = False

    def _begin(self) -> None:
        self._local = self._store.nested_on_disk()
        self.folder, self.private = (self._local.path / name for name in (_STAGED, "private"))
        self.folder.mkdir()
        self.private.mkdir(mode=0o700)
        take(self._staged)
        self._leased = True  # another run of this process may hold the lease

    def rename(self) -> None:
        """Stage the files, compare the stored bytes with the verified files, and copy them to OUT."""
        self.seal()
        public, private = _names(self.folder, ATTESTATION), _names(self.private, REPORT)
        self._put(public, self.folder, self._staged / _STAGED)
        require_held(self._staged)
        self._private.put(LEASE, content_in(self._staged) or b"")
        if self._private.is_local:
            Path(self._private.address).chmod(0o700)
        self._put(private, self.private, self._private)
        if _names_at(self._out, ATTESTATION):
            raise InputError(why_exists(self._out, may_resume=False), code="exists")
        self._began = True
        for name in public:
            require_held(self._staged)
            (self._staged / _STAGED).copy(name, self._out)

    def finish(self) -> None:
        """Mark the publication as complete, and remove the staged files."""
        mark_job_done()
        self._finished = True
        with suppress(InputError):  # the publication is complete, so a later run can remove the rest
            self._private.delete(LEASE)
            remove_place(self._staged)

    def _put(self, names: list[str], folder: Path, place: Place) -> None:
        def put(name: str) -> int:
            place.put(name, folder / name, replace=True)  # the lease excludes other runs
            if place.sha256(name) != digest(folder / name):
                raise InputError(f"{place / name}: the stored bytes differ from the file; run again")
            return (folder / name).stat().st_size

        done, total = 0, sum((folder / name).stat().st_size for name in names)
        for size in self._store.with_local_workers().map(put, names):
            done += size
            report_progress(self._progress, "upload", done, total)

    def _clean(self, error: BaseException | None) -> None:
        with defer_signals():
            if self._leased:
                with suppress(InputError):  # the store does not answer: the next run removes the objects
                    self._remove_unfinished()
                forget(self._staged)
            if self._local is not None:
                self._local.remove()
                name_in(error, self.folder, self._out)
                name_in(error, self.private, self._private)
            UNDOING.pop(self, None)

    def _remove_unfinished(self) -> None:
        if self._finished or not holds(self._staged):  # the objects are published, or of the run that took over
            return
        if self._began:
            self._out.delete_all()
        if token_in(self._private) == token_in(self._staged):
            self._private.delete_all()
        remove_place(self._staged)


def _names_at(place: Place, last: str) -> list[str]:
    """Return the names of the objects of a place. A listing may lack new objects, so the object `last` is checked
    separately.
    """
    names = place.names()
    return names if last in names or place.size(last) is None else [*names, last]


def _names(folder: Path, last: str) -> list[str]:
    names = (path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
    return sorted(names, key=lambda name: (name == last, name))
