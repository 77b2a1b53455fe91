"""Publish at an address. The files are verified on local disk, staged under a private prefix, and copied to OUT.

`OUT` and the private directory are places (`anonset.reading.place`). Next to ``s3://bucket/out``, the prefix
``.out.tmp`` contains the lease of the run and the staged files. The attestation is copied last, because a prefix
without an attestation is no publication.
"""

import os
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from anonset.algorithms.base import Progress
from anonset.data.lease import (
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
from anonset.data.removal import remove_place
from anonset.data.store import Files, Store
from anonset.errors import InputError
from anonset.interruption import UNDOING, defer_signals, mark_job_done
from anonset.local_paths import name_in
from anonset.reading.files import digest
from anonset.reading.place import Place, is_address
from anonset.release.documents import ATTESTATION, REPORT
from anonset.release.staging import (
    NOT_OVERWRITTEN,
    PRIVATE,
    Staging,
    private_of,
    require_free,
    restrict_to_owner,
    stem_of,
)
from anonset.spelling import setting

_STAGED = "publication"


def places_of(out: str | os.PathLike[str], private: str | os.PathLike[str] | None) -> tuple[Place, Place] | None:
    """Return the places of a publication and its private directory, or None if both are local paths.

    >>> places_of("s3://bucket/safe", None)
    (Place(address='s3://bucket/safe'), Place(address='s3://bucket/safe.private'))
    >>> places_of("safe", None) is None
    True

    Raises
    ------
    InputError
        If the places are equal, one contains the other, or an address has no part after the bucket.
    """
    if not is_address(out) and (private is None or not is_address(private)):
        return None
    at = os.fspath(out).rstrip("/")
    places = Place(at), Place(at + PRIVATE if private is None else os.fspath(private).rstrip("/"))
    for place in places:
        place.require_below_bucket("safe")
    first, second = sorted(f"{place}/" for place in places)
    if second.startswith(first):
        msg = (
            f"the publication and its private directory must be separate, got {str(places[0])!r} and {str(places[1])!r}"
        )
        raise InputError(msg)
    return places


def destination(
    out: str | os.PathLike[str], private: str | os.PathLike[str] | None = None
) -> tuple[Path | Place, Path | Place]:
    """Return a publication and its private directory, as paths, or as places if one of them is an address.

    Raises
    ------
    InputError
        See `places_of`.
    """
    return places_of(out, private) or (Path(out), private_of(out, private))


def require_free_destination(
    out: str | os.PathLike[str], private: str | os.PathLike[str], *, by_command: bool = False
) -> None:
    """Reject a destination that already exists, or that contains files of a killed run.

    Raises
    ------
    InputError
        The message names the path or address, and the remedy.
    """
    if places := places_of(out, private):
        require_free_places(*places, by_command=by_command)
    else:
        require_free(Path(out), Path(private), by_command=by_command)


def staging_for(
    out: str | os.PathLike[str], private: str | os.PathLike[str], store: Store, progress: Progress | None = None
) -> "Staging | Upload":
    """Return the unfinished publication for a destination."""
    places = places_of(out, private)
    return Staging(Path(out), Path(private)) if places is None else Upload(*places, store, progress)


def staged_place(out: Place) -> Place:
    """Return the prefix for the lease and the staged files, next to OUT.

    >>> str(staged_place(Place("s3://bucket/releases/safe")))
    's3://bucket/releases/.safe.tmp'
    """
    return out.parent / f".{stem_of(out.name)}.tmp"


def require_free_places(out: Place, private: Place, *, by_command: bool = False) -> None:
    """Reject places that already exist, or that contain objects of a killed run.

    Raises
    ------
    InputError
        The message names the place, and the remedy.
    """
    found, there = content_in(staged_place(out)), _names_at(out, ATTESTATION)
    resume = f"use {setting('if_exists', 'resume')}"
    if found is not None and seems_live(found):
        raise in_use(staged_place(out), found)
    if found is not None:
        again = "to verify it" if ATTESTATION in there else "to continue"
        clear = f"{resume} {again}" if by_command else f"delete the objects under {str(staged_place(out))!r}"
        msg = f"a run that was writing {str(out)!r} was killed; {clear}, or use a new address"
        raise InputError(msg, code="unfinished")
    for place, names in (out, there), (private, _names_at(private, REPORT)):
        if names:
            way = (
                f", or {resume} to verify it again if the same command wrote it"
                if by_command and ATTESTATION in names
                else ""
            )
            msg = f"{str(place)!r} already exists; {NOT_OVERWRITTEN}{way}"
            raise InputError(msg, code="exists")


def clear_places(out: Place, private: Place, tell: Tell | None = None) -> None:
    """Remove the objects that a killed run left. A complete publication is not removed.

    Raises
    ------
    InputError
        If another run uses the places.
    """
    staged = staged_place(out)
    killed = tokens_in(staged)
    if content_in(staged) is None:
        return
    take(staged, tell)
    try:
        is_of_this_run = token_in(private) in killed
        if out.size(ATTESTATION) is None:
            out.delete_all()
            if is_of_this_run:
                private.delete_all()
        elif is_of_this_run:
            private.delete(LEASE)
        remove_place(staged)
    finally:
        forget(staged)


class Upload:
    """Unfinished publication at an address. Leaving the block before `finish` removes all objects.

    Within the block, `folder` contains the public files and `private` the private files, on local disk. Errors name the
    places. A killed process cannot remove objects. The lease becomes stale, and a later run removes the objects.

    Parameters
    ----------
    store
        Store of the run, whose directory contains the local files.
    """

    def __init__(self, out: Place, private: Place, store: Store, progress: Progress | None = None) -> None:
        self._out, self._private, self._staged = out, private, staged_place(out)
        self._store, self._progress = store, progress
        self._local: Files | None = None
        self._began = self._finished = False

    def __enter__(self) -> Self:
        require_free_places(self._out, self._private)
        try:
            with defer_signals():
                UNDOING[self] = lambda: self._clean(None)
                self._local = self._store.nested_on_disk()
                self.folder, self.private = (self._local.path / name for name in (_STAGED, "private"))
                self.folder.mkdir()
                self.private.mkdir(mode=0o700)
                take(self._staged)
            return self
        except BaseException as error:
            self._clean(error)
            raise

    def seal(self) -> None:
        """Restrict the private files to the owner."""
        restrict_to_owner(self.private)

    def rename(self) -> None:
        """Stage the files, compare the stored bytes with the verified files, and copy them to OUT.

        Raises
        ------
        InputError
            If another run has taken over the place, the place is taken, or stored bytes differ.
        """
        self.seal()
        public, private = _names(self.folder, ATTESTATION), _names(self.private, REPORT)
        self._put(public, self.folder, self._staged / _STAGED)
        require_held(self._staged)
        self._private.put(LEASE, content_in(self._staged) or b"")
        if self._private.is_local:
            Path(self._private.address).chmod(0o700)
        self._put(private, self.private, self._private)
        if _names_at(self._out, ATTESTATION):
            msg = f"{str(self._out)!r} already exists; {NOT_OVERWRITTEN}"
            raise InputError(msg, code="exists")
        self._began = True
        for name in public:
            require_held(self._staged)
            (self._staged / _STAGED).copy(name, self._out)

    def finish(self) -> None:
        """Mark the publication as complete, and remove the staged files. Afterwards signals no longer interrupt the
        job.
        """
        mark_job_done()
        self._finished = True
        with suppress(InputError):  # the publication is complete, so a later run can remove the rest
            self._private.delete(LEASE)
            remove_place(self._staged)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._clean(error)

    def _put(self, names: list[str], folder: Path, place: Place) -> None:
        def put(name: str) -> int:
            place.put(name, folder / name, replace=True)  # the lease excludes other runs
            if place.sha256(name) != digest(folder / name):
                msg = f"{place / name}: the stored bytes differ from the file; run again"
                raise InputError(msg)
            return (folder / name).stat().st_size

        done, total = 0, sum((folder / name).stat().st_size for name in names)
        for size in self._store.with_local_workers().map(put, names):
            done += size
            if self._progress is not None:
                self._progress("upload", done, total)

    def _clean(self, error: BaseException | None) -> None:
        with defer_signals():
            if not self._finished:
                with suppress(InputError):  # the store does not answer: the next run removes the objects
                    self._remove_unfinished()
            forget(self._staged)
            if self._local is not None:
                self._local.remove()
                name_in(error, self.folder, self._out)
                name_in(error, self.private, self._private)
            UNDOING.pop(self, None)

    def _remove_unfinished(self) -> None:
        if not holds(self._staged):  # the objects belong to the run that took over
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
