"""Fetch publications at an address to local disk, for commands that read them."""

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from anonset.data.storage.store import Files
from anonset.errors import InputError
from anonset.local_paths import name_in
from anonset.reading.sources.place import Place, is_address
from anonset.release.documents import ATTESTATION, Attestation, read_attestation
from anonset.release.publishing.staging import PRIVATE, private_of


@contextmanager
def fetched_publication(
    out: str | os.PathLike[str], private: str | os.PathLike[str] | None, *, with_private: bool
) -> Iterator[tuple[Path, Path]]:
    """Yield a publication and its private directory as local directories. Errors name the given paths.

    Attested files and all private files at an address are fetched into a temporary directory, which is removed on exit.

    The parameters and errors are those of `anonset.release.opened.open_publication`.
    """
    if not is_address(out) and (private is None or not is_address(private)):
        yield Path(out), private_of(out, private)
        return
    with Files.temporary() as local:
        folders = local.path / "publication", local.path / "publication.private"
        try:
            if is_address(out):
                _fetch_attested(Place(os.fspath(out).rstrip("/")), folders[0])
            if private is not None and is_address(private):
                place = Place(os.fspath(private).rstrip("/"))
                _fetch(place, place.names(), folders[1])
            elif private is None and with_private:
                place, names = Place(f"{os.fspath(out).rstrip('/')}{PRIVATE}"), list[str]()
                with suppress(InputError):  # not every reader of a publication may list the private files
                    names = place.names()
                _fetch(place, names, folders[1])
            own = folders[1] if private is None or is_address(private) else Path(private)
            yield folders[0] if is_address(out) else Path(out), own
        except BaseException as error:
            name_in(error, folders[1], private or f"{out}.private")
            name_in(error, folders[0], out)
            raise


def _fetch(place: Place, names: Iterable[str], folder: Path) -> None:
    for name in names:
        place.fetch(name, folder / name)


def attestation_at(out: str | os.PathLike[str]) -> tuple[Attestation, str]:
    """Return the attestation of a publication in a directory or at an address, and the SHA-256 of the file."""
    if not is_address(out):
        return read_attestation(Path(out))
    with Files.temporary() as local:
        Place(os.fspath(out)).fetch(ATTESTATION, local.path / ATTESTATION)
        return read_attestation(local.path)


def _fetch_attested(out: Place, folder: Path) -> None:
    names = out.names()
    if out.size(ATTESTATION) is None:
        why = f"no {ATTESTATION}" if names else "no such publication"
        raise InputError(f"{out}: {why}; only a publication that contains {ATTESTATION} is complete")
    out.fetch(ATTESTATION, folder / ATTESTATION)
    attested = {*read_attestation(folder)[0].data.files}
    for name in sorted(attested):  # a list can lack new objects
        if is_below(name):
            out.fetch(name, folder / name)
    for name in {*names} - attested - {ATTESTATION}:  # `OpenedPublication` rejects the name
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).touch()


def is_below(name: str) -> bool:
    """Return True if a file name leads to a file in the directory or in a subdirectory. Other names are not read.

    >>> [is_below(name) for name in ("a", "records/a", "../a", "records/../../a", "/a", "")]
    [True, True, False, False, False, False]
    """
    parts = name.split("/")
    return all(part and Path(part).name == part and part != ".." for part in parts)
