"""Local copies of side files such as ``s3://bucket/icd.csv``, which exist while a command runs."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from anonset.errors import InputError
from anonset.local_paths import name_in
from anonset.reading.sources.place import Place, is_address
from anonset.settings.job import Job
from anonset.settings.paths import ADDRESS_OF, DATA, with_paths

_DIRECTORY = "recoding"
"""Setting that names a directory whose files are fetched."""
_READ_AT_ADDRESS = ("population", *(name for name in DATA if name != _DIRECTORY))
"""Settings whose readers or writers accept an address."""
_commands: list[ExitStack] = []
"""One stack for each running command that fetches side files. The exit of a stack removes the local copies."""


@contextmanager
def fetching_side_files() -> Iterator[None]:
    """Accept addresses of side files in all settings that are validated within the block. Errors name the addresses
    instead of the local copies.
    """
    with ExitStack() as stack:
        _commands.append(stack)
        stack.callback(_commands.pop)
        try:
            yield
        except BaseException as error:
            for path, address in ADDRESS_OF.items():
                name_in(error, Path(path), address)
            raise


def with_local_copies(settings: Job) -> Job:
    """Replace addresses of side files in settings by local copies, within `fetching_side_files`.

    Raises
    ------
    InputError
        If a file cannot be fetched.
    """
    return with_paths(settings, _local_copy) if _commands else settings


def _local_copy(name: str, path: str) -> str:
    """Return the local copy of a file at an address. Return `path` if it is local, or if its reader accepts
    addresses.
    """
    from anonset.data.storage.store import Files

    kind = name.partition(" ")[0]
    if not is_address(path) or kind in _READ_AT_ADDRESS:
        return path
    if copy := next((copy for copy, address in ADDRESS_OF.items() if address == path), None):
        return copy
    folder = _commands[-1].enter_context(Files.temporary()).path
    place = Place(path.rstrip("/"))
    copy = str(folder / place.name)
    _commands[-1].callback(ADDRESS_OF.pop, copy)
    ADDRESS_OF[copy] = path
    if kind != _DIRECTORY:
        place.parent.fetch(place.name, Path(copy))
        return copy
    if not (names := place.names()):
        raise InputError(f"{place}: no such release")
    for name in names:
        place.fetch(name, Path(copy) / name)
    return copy
