"""The work directory of a run by blocks: a temporary one, a new one of a given name, or that of a killed run."""

import json
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from anonset.algorithms.transaction.rounds import NAME as ROUNDS
from anonset.data import owners
from anonset.data.saved import saved_files
from anonset.data.spans import Limits
from anonset.data.store import INSIDE, PARTS, RUN, Files
from anonset.errors import RAW_DATA_STAY, InputError
from anonset.release.documents import own_file
from anonset.release.staging import leftovers
from anonset.spelling import setting
from anonset.strict_json import loads

if TYPE_CHECKING:  # pydantic takes its time, and is needed for files alone
    from anonset.settings.settings import Settings

_NOT_OF_THE_RESULT = (
    "workers", "cluster", "if_exists", "memory_limit", "work_dir", "resume", "out", "private", "input"
)  # fmt: skip
"""Settings on which the result does not depend, or depends by what the file of that name holds."""


@contextmanager
def work_place(settings: "Settings", limits: Limits) -> Iterator[Files]:
    """Give the work directory of a run, which nobody else uses meanwhile; it is gone when the run has succeeded.

    One that was named stays where the run failed, so that ``resume`` goes on from it.

    Raises
    ------
    InputError
        If a named directory is not empty, or, to resume, not that of such a run, or another run is at work in it.
    """
    if settings.work_dir is None:
        with Files.temporary(limits=limits) as store:
            yield store
        return
    path = Path(settings.work_dir)
    store = _taken_up(path, settings, limits) if settings.resume else Files.at(path, limits)
    try:
        if settings.resume:
            _clear(store)
        else:
            with store.written(RUN) as file:
                file.write(json.dumps(_identity(settings)).encode())
        yield store
    except BaseException as error:
        with suppress(OSError):  # as on a full disk: the mark then names this process, which ends
            owners.leave(store.path)
        go_on = f"go on by {setting('resume', True)}, or clear them by: {owners.clear_command(store.path)}"
        error.add_note(f"{RAW_DATA_STAY} {str(store.path)!r}; {go_on}")
        raise
    store.remove()


def clear_leftovers(out: Path, private: Path) -> None:
    """Remove what a run that was killed has left beside a publication that it did not finish."""
    for place, held in leftovers(out, private).items():
        if not held and not os.path.lexists(out):
            shutil.rmtree(place, ignore_errors=True)


def _taken_up(path: Path, settings: "Settings", limits: Limits) -> Files:
    """Take the work directory of a run that was killed, if it was one of the same settings and version."""
    path = path / INSIDE if (path / INSIDE / RUN).exists() else path
    asked = f"{setting('resume', True)}: {str(path)!r}"
    found = _manifest(path, asked)
    now = json.loads(json.dumps(_identity(settings)))
    if found != now:
        what = next((part for part in now if found.get(part) != now[part]), "settings")
        which = differing(now[what], found.get(what, {})) if what in ("settings", "side files") else ""
        msg = f"{asked} is of a run with other {what}{which}; start again in another directory"
        raise InputError(msg)
    owners.take(path)
    return Files(path, limits)


def _manifest(path: Path, asked: str) -> dict[str, Any]:
    """Read which run a work directory is of.

    Raises
    ------
    InputError
        If it cannot be read; its message begins with `asked`.
    """
    if not os.path.lexists(path / RUN):
        msg = f"{asked} is no work directory of a run that can go on"
        raise InputError(msg)
    try:
        found = loads(own_file(path / RUN).read_bytes())
        if isinstance(found, dict) and all(
            isinstance(found.get(part, {}), dict) for part in ("settings", "side files")
        ):
            return found
    except (OSError, ValueError):
        pass
    msg = f"{asked} is damaged: {RUN} cannot be read; start again in another directory"
    raise InputError(msg)


def _identity(settings: "Settings") -> dict[str, Any]:
    from anonset.release.statements import versions
    from anonset.settings.paths import side_digests, with_absolute_paths

    # a declaration answers the scan at the end of a run: what was searched before stays
    given = with_absolute_paths(settings.model_dump(exclude_none=True, exclude={"publish_as_is"}))
    return {
        "settings": relevant(given),
        "side files": side_digests(given),
        "places": [given["input"], given["out"]],
        "versions": versions(),
    }


def _clear(store: Files) -> None:
    """Remove what a run that was killed has not finished."""
    kept = saved_files(store)
    read = bool(kept)
    kept |= {owners.OWNER, RUN, ROUNDS} if read else {owners.OWNER, RUN}
    for path in store.path.iterdir():
        if path.is_dir():
            shutil.rmtree(path)
        elif path.name not in kept and not (read and path.name.startswith(PARTS)):
            path.unlink()


def differing(asked: Mapping[str, Any], made: Mapping[str, Any]) -> str:
    """Return the names of entries that differ, in parentheses."""
    return f" ({', '.join(sorted(name for name in asked.keys() | made.keys() if asked.get(name) != made.get(name)))})"


def relevant(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return those settings on which the result depends, in plain types."""
    from anonset.release.statements import plain

    plain_settings: dict[str, Any] = plain(settings)
    return {name: value for name, value in plain_settings.items() if name not in _NOT_OF_THE_RESULT}
