"""Work directory of an out-of-core run. It is a temporary directory, a new named directory, or the directory of a
killed run.
"""

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from contextvars import copy_context
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from anonset.data.resumption.ledger import READ, file_of, files_of_steps, is_step
from anonset.data.resumption.seals import Seal
from anonset.data.spans import Limits
from anonset.data.storage import lease
from anonset.data.storage.checksums import Sum
from anonset.data.storage.exchange import Exchange, exchanging
from anonset.data.storage.lease import RUN, Tell, content_in, in_use, is_lease, seems_live
from anonset.data.storage.removal import remove_directory, remove_place
from anonset.data.storage.store import INSIDE, Files, drop_empty
from anonset.data.storage.workers import THREADS, Workers
from anonset.errors import RAW_DATA_STAY, InputError, LeftoverNote
from anonset.interruption import UNDOING
from anonset.jobs.runs.run_identity import difference, identity
from anonset.local_paths import name_in, writing
from anonset.reading.decisions import ACCEPTANCE
from anonset.reading.sources.place import Place, is_address
from anonset.release.documents import own_file
from anonset.release.publishing.destination import destination
from anonset.settings.paths import with_absolute_paths
from anonset.settings.settings import Settings
from anonset.spelling import setting
from anonset.strict_json import loads

_TABLE = file_of(READ)


def work_place(work_dir: str | None, limits: Limits) -> AbstractContextManager[Files]:
    """Return a work directory for data that a command compares, locked against other runs. It is removed at the end of
    its block.

    Raises
    ------
    InputError
        If a named directory is not empty, or another run uses it.
    """
    if work_dir is None:
        return Files.temporary(limits=limits)
    return _compared_remote(work_dir, limits) if is_address(work_dir) else Files.create(Path(work_dir), limits)


def work_place_of_run(
    settings: Settings, limits: Limits, workers: Workers = THREADS, note: Tell | None = None
) -> AbstractContextManager[Files]:
    """Return the work directory of a run, locked against other runs. It is removed at the end of its block.

    If the run fails after the data are read, a named directory remains, so that the next run can continue from it.

    Raises
    ------
    InputError
        If a named directory is not empty, belongs to another run, or another run uses it.
    """
    if settings.work_dir is None:
        return Files.temporary(limits=limits, workers=workers)
    place = _remote if is_address(settings.work_dir) else _local
    return place(settings.work_dir, settings, limits, workers, note)


@contextmanager
def _local(directory: str, settings: Settings, limits: Limits, workers: Workers, note: Tell | None) -> Iterator[Files]:
    path, killed = Path(directory), killed_run(settings)
    store = (
        Files.create(path, limits, workers)
        if killed is None
        else _taken_over(Files(Path(killed), limits, workers), note)
    )
    UNDOING[path] = partial(copy_context().run, _leave, store)  # which prints options as this run does
    try:
        if killed is not None:
            _clear(store)
        if not os.path.lexists(store.path / RUN):
            _write_identity(store, settings)
        yield store
    except BaseException as error:
        if (kept := _leave(store)) is not None:
            error.add_note(kept)
        raise
    else:
        store.remove()
        if note is not None and store.path.exists():
            note(_what_remains(store.path))
    finally:
        UNDOING.pop(path, None)


def _leave(store: Files) -> LeftoverNote | None:
    """Leave the work directory of a failed run. Remove it if the data are not read. Otherwise, return a note."""
    if not (store.path / _TABLE).exists():
        store.remove()
        return None
    # fails on a full disk, for example; the lease then names a process that no longer owns the directory
    with suppress(OSError):
        lease.mark_unused(store.path)
    return _what_stays(store.path)


def _what_stays(place: Path | Place) -> LeftoverNote:
    """Return the note that raw data stay in the work directory of a failed run."""
    go_on = f"continue with {setting('if_exists', 'resume')}, or remove them with: {lease.clear_command(place)}"
    return LeftoverNote(f"{RAW_DATA_STAY} {str(place)!r}; {go_on}")


def _what_remains(place: str | Path | Place) -> str:
    """Return the note that raw data remain after a successful run, because they could not be deleted."""
    return f"{RAW_DATA_STAY} {str(place)!r}; remove them with: {lease.clear_command(place)}"


@contextmanager
def _compared_remote(address: str, limits: Limits) -> Iterator[Files]:
    with _exchanged(address, limits) as (store, exchange):
        exchange.place.put(RUN, b"{}")  # marks the objects for `anonset clean`; no run continues from them
        yield store


@contextmanager
def _remote(address: str, settings: Settings, limits: Limits, workers: Workers, note: Tell | None) -> Iterator[Files]:
    killed = killed_run(settings) is not None
    with _exchanged(address, limits, workers, note, killed=killed) as (store, exchange):
        if killed:
            _fetch_finished(store, exchange)
        _write_identity(store, settings)
        yield store


@contextmanager
def _exchanged(
    address: str, limits: Limits, workers: Workers = THREADS, note: Tell | None = None, *, killed: bool = False
) -> Iterator[tuple[Files, Exchange]]:
    """Yield a temporary directory whose files the workers of a cluster exchange through an object store.

    The objects are removed at the end. If a run fails after the data are read, its objects remain, so that the next
    run can continue from them. If `killed`, these objects of a killed run exist.

    Raises
    ------
    InputError
        See `_unused`.
    """
    place = _unused(address, killed=killed)
    lease.take(place, note)
    stays = killed
    try:
        with Files.temporary(limits=limits, workers=workers) as made:
            store = replace(made, path=made.path.resolve())
            with exchanging(place, store.path) as exchange:
                try:
                    yield store, exchange
                    stays = False
                except BaseException as error:
                    stays |= (store.path / _TABLE).exists()
                    if stays:
                        error.add_note(_what_stays(place))
                    raise
    finally:
        try:
            if stays:
                lease.mark_unused(place)
            else:
                remove_place(place)
        except InputError as error:  # the store does not answer; the result of the run is not affected
            if note is not None and not stays:
                note(f"{_what_remains(place)} ({error})")


def _unused(address: str, *, killed: bool) -> Place:
    """Return the place of an address that no run uses. If `killed`, it contains objects of a killed run.

    Raises
    ------
    InputError
        If the address contains other objects, or has no part after the bucket. If another run uses it.
    """
    place = Place(address.rstrip("/"))
    place.require_below_bucket("work")
    if seems_live(found := content_in(place)):
        raise in_use(place, found)
    if not killed and not all(map(is_lease, place.names())):
        msg = f"{place}: the work directory must be new or empty; its objects may belong to another run"
        if found is not None:
            msg += f"; to remove the objects of an interrupted run: {lease.clear_command(place)}"
        raise InputError(msg, code="exists")
    return place


def _fetch_finished(store: Files, exchange: Exchange) -> None:
    """Fetch the results of the finished steps of a killed run, and delete its other objects.

    Raises
    ------
    InputError
        If an object is missing or has changed, or another run takes over the place.
    """
    place, by_name = exchange.place, dict[str, Sum | None]()
    names = place.names()
    try:
        if _TABLE in names:
            for name in filter(is_step, names):
                exchange.fetch(store.path / name)
            by_name = files_of_steps(store)
        seal = Seal.restored(store, {name: sums for name, sums in by_name.items() if sums is not None})
        list(store.map(lambda path: exchange.fetch(path, seal.sums[path]), seal.sums))
    except InputError as error:
        name_in(error, store.path, place)
        raise
    store.require_held()
    unfinished = [name for name in names if name not in (RUN, *by_name) and not is_lease(name)]
    list(store.map(place.delete, unfinished))


def clear_finished(settings: Settings) -> None:
    """Remove the leftovers of a run that was killed after the publication was complete. Files of another job remain.

    Raises
    ------
    InputError
        If another run uses the publication, or a file cannot be deleted.
    """
    destination(settings.out, settings.private).clear()
    if settings.work_dir is None:
        return
    try:
        if is_address(settings.work_dir):
            place = Place(settings.work_dir.rstrip("/"))
            names = place.names()
            if (names and all(map(is_lease, names))) or killed_run(settings) is not None:
                lease.take(place)
                remove_place(place)
        else:
            _clear_directory(settings.work_dir, settings)
    except InputError as error:
        if error.code not in ("other-run", "in-use"):
            raise InputError(f"{_what_remains(settings.work_dir)} ({error})") from error


def _clear_directory(path: str, settings: Settings) -> None:
    if (found := _place_of_run(path)) is not None:
        work = Path(found)
        if set(os.listdir(work)) != lease.lease_files(work):  # noqa: PTH208
            _require_same_run(work, settings)
        _taken_over(Files(work), None)
        try:
            with writing(work, "cannot be deleted"):
                remove_directory(work)
        finally:
            lease.forget(work)
    drop_empty(Path(path))


def _place_of_run(work_dir: str) -> Path | Place | None:
    """Return the work directory of a run. It is `work_dir` or a directory inside it. None if no run has used it."""
    if is_address(work_dir):
        place = Place(work_dir.rstrip("/"))
        return None if place.size(RUN) is None else place
    path = Path(work_dir)
    return next((place for place in (path / INSIDE, path) if os.path.lexists(place / lease.LEASE)), None)


def killed_run(settings: Settings) -> Path | Place | None:
    """Return the work directory of the run to continue, or None.

    Raises
    ------
    InputError
        If the work directory belongs to another run.
    """
    if settings.work_dir is None or settings.if_exists != "resume":
        return None
    killed = _place_of_run(settings.work_dir)
    if isinstance(killed, Place) or (killed is not None and os.path.lexists(killed / RUN)):
        _require_same_run(killed, settings)
    return killed


def _taken_over(store: Files, note: Tell | None) -> Files:
    with writing(store.path / lease.LEASE):
        lease.take(store.path, note)
    return store


def _require_same_run(place: Path | Place, settings: Settings) -> None:
    """Reject the work directory of a run with other settings or versions. The error names the difference."""
    directory = f"{setting('if_exists', 'resume')}: {str(place)!r}"
    if other := difference(json.loads(json.dumps(_identity(settings))), _manifest(place, directory)):
        msg = f"{directory} belongs to a run with other {other}; start again in another directory"
        raise InputError(msg, code="other-run")


def _manifest(place: Path | Place, directory: str) -> dict[str, Any]:
    """Read the identity of the run that a work directory belongs to. The error message begins with `directory`."""
    content = place.read(RUN) if isinstance(place, Place) else None
    try:
        recorded = loads(own_file(Path(place) / RUN).read_bytes() if content is None else content)
        if isinstance(recorded, dict) and all(
            isinstance(recorded.get(part, {}), dict) for part in ("settings", "side files")
        ):
            return recorded
    except (OSError, ValueError):
        pass
    raise InputError(f"{directory} is damaged: {RUN} cannot be read; start again in another directory", code="damaged")


def _write_identity(store: Files, settings: Settings) -> None:
    with store.written(RUN) as file:
        file.write(json.dumps(_identity(settings)).encode())


def _identity(settings: Settings) -> dict[str, Any]:
    options = with_absolute_paths(settings.stated)
    return identity(options, ACCEPTANCE) | {"places": [options["input"], options["out"]]}


def _clear(store: Files) -> None:
    saved = {RUN}
    if (store.path / _TABLE).exists():
        saved |= files_of_steps(store).keys()
    for path in store.path.iterdir():
        if path.is_dir():
            shutil.rmtree(path)
        elif path.name not in saved and not lease.is_lease(path.name):
            path.unlink()
