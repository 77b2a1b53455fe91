"""``anonset clean``: name what killed runs left of their data, and remove it."""

import shlex
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from anonset.cli.exit_codes import DONE
from anonset.cli.output import show, show_json
from anonset.data.lease import State
from anonset.jobs.leftovers import WorkFound, remove_left, work_directories
from anonset.release.memory import format_size

_SAID: dict[State, str] = {
    "left": "its run was killed or failed",
    "in use": "a run is at work in it",
    "of another user": "another user's",
    "of another host": "of a run on another machine; clean it there",
    "unknown": "no readable lease; remove it by hand if no run is at work in it",
}


def clean(
    folder: Annotated[
        str | None,
        Parameter(name="DIR", help="A work directory, or one that holds some; default: that of temporary files."),
    ] = None,
    /,
    *,
    yes: Annotated[bool, Parameter(help="Remove what killed or failed jobs left.")] = False,
    json: Annotated[bool, Parameter(help="Print the list as JSON.")] = False,
) -> int:
    """Name the work directories, which hold raw data, and with --yes remove those that killed or failed runs left.

    In DIR also what killed runs left of a publication in the making (.OUT.….tmp). Only directories of the same user and
    machine are removed, and only if their process is gone. If that cannot be looked up, as after a reboot, each is
    watched for a minute. Exit codes: 0 done; 2 a directory cannot be read or removed.
    """
    directories = work_directories(None if folder is None else Path(folder))
    removed = [directory for directory in directories if yes and remove_left(directory)]
    if json:
        show_json({"directories": [_as_json(directory, removed=directory in removed) for directory in directories]})
        return DONE
    show(*(_line(directory, removed=directory in removed) for directory in directories))
    if not directories:
        show("no work directory is there")
    elif not yes and any(directory.state == "left" for directory in directories):
        where = "" if folder is None else f" {shlex.quote(folder)}"
        show(f"Remove what was left: anonset clean{where} --yes")
    return DONE


def _line(directory: WorkFound, *, removed: bool) -> str:
    return f"{directory.path}: {format_size(directory.bytes)}, {'removed' if removed else _SAID[directory.state]}"


def _as_json(directory: WorkFound, *, removed: bool) -> dict[str, str | int | bool]:
    return {
        "path": str(directory.path),
        "state": directory.state,
        "process": directory.process,
        "bytes": directory.bytes,
        "removed": removed,
    }
