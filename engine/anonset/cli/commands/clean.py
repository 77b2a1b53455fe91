"""``anonset clean``: list and remove the work directories of killed runs."""

import shlex
from pathlib import Path
from typing import Annotated

from anonset.cli.options import Option
from anonset.cli.output import Output
from anonset.data.storage.lease import State
from anonset.jobs.runs.leftovers import UnfinishedRun, remove_left, work_directories
from anonset.reading.sources.place import Place, is_address
from anonset.release.memory import format_size

_STATES: dict[State, str] = {
    "left": "the run was killed or failed",
    "in use": "in use by a run",
    "of another user": "owned by another user",
    "of another host": "created on another machine; run anonset clean on that machine",
    "unknown": "does not show which run created it; if no run uses it, remove it yourself",
}


def clean(
    folder: Annotated[
        str | None,
        Option(
            "Work directory, its address such as s3://bucket/work, or a directory that contains work directories. "
            "Default: the temporary directory of the system.",
            "DIR",
        ),
    ] = None,
    /,
    *,
    yes: Annotated[bool, Option("Remove the work directories of killed or failed runs.")] = False,
) -> Output:
    """List and remove the work directories of killed runs.

    Work directories contain raw data. With --yes, clean removes the work directories of killed or failed runs, and in
    DIR also unfinished publications (.OUT.….tmp). It removes only your own directories on this machine, and only if the
    process that created them has ended. If this process cannot be identified, for example after a reboot, clean
    observes each directory for a minute.

    Exit codes: 0 done; 2 a directory cannot be read or removed.
    """
    at = None if folder is None else Place(folder.rstrip("/")) if is_address(folder) else Path(folder)
    directories = work_directories(at)
    removed = [directory for directory in directories if yes and remove_left(directory)]
    lines = [_line(directory, removed=directory in removed) for directory in directories]
    notes = [] if directories else ["no work directory found"]
    if not yes and any(directory.state == "left" for directory in directories):
        where = "" if folder is None else f" {shlex.quote(folder)}"
        notes = [f"To remove directories of killed or failed runs: anonset clean{where} --yes"]
    data = {"directories": [_as_json(directory, removed=directory in removed) for directory in directories]}
    return Output(lambda: data, lambda: lines, lambda: notes)


def _line(directory: UnfinishedRun, *, removed: bool) -> str:
    return f"{directory.path}: {format_size(directory.bytes)}, {'removed' if removed else _STATES[directory.state]}"


def _as_json(directory: UnfinishedRun, *, removed: bool) -> dict[str, str | int | bool]:
    return {
        "path": str(directory.path),
        "state": directory.state,
        "process": directory.process,
        "bytes": directory.bytes,
        "removed": removed,
    }
