"""What another tool was set up to do, as a job: roles, hierarchies, what must hold, and the data if they are there."""

import os
import re
import shutil
from dataclasses import dataclass
from pathlib import Path

from anonset.errors import InputError
from anonset.reading.files import write_file
from anonset.reading.hierarchies.files import hierarchy_of_labels
from anonset.reading.projects import Project, read_project
from anonset.release.staging import require_new
from anonset.settings.job_text import job_text, relative_to
from anonset.settings.project_jobs import job_of


@dataclass(frozen=True)
class ImportedJob:
    """A job that was written from another tool's settings."""

    job: Path
    left: tuple[str, ...]
    """What of the settings is not taken, in words."""


def import_project(path: str | Path, out: str | Path, data: str | None = None) -> ImportedJob:
    """Write a job from a project of ARX or a template of Amnesia into a new folder, with its hierarchies and data.

    Parameters
    ----------
    data
        The data, which the job then names where they lie; default: those in the project.

    Raises
    ------
    InputError
        If the file is neither, no data are named, or the folder exists.
    """
    folder = Path(out)
    require_new(folder)
    project = read_project(path)
    if data is None and not project.has_data:
        msg = f"{path}: the data are not in it; name them, too"
        raise InputError(msg)
    folder.mkdir(0o700)
    try:
        return _written(project, folder, data)
    except BaseException:
        shutil.rmtree(folder)
        raise


def _written(project: Project, folder: Path, data: str | None) -> ImportedJob:
    taken = job_of(project)
    left = list(taken.left)
    hierarchies, written = {}, 0
    for column, name in taken.trees.items():
        if place := _hierarchy(project, folder, column, name, left):
            hierarchies[column] = place
            written += (folder / place).stat().st_size
            if written > _MOST_BYTES:
                msg = f"{project.path}: its hierarchies are larger than {_MOST_BYTES:,} bytes together"
                raise InputError(msg)
    guarantee = dict(taken.guarantee)
    if guarantee.get("t_distance") == "hierarchical":
        sensitive = taken.settings["sensitive"]
        if sensitive not in hierarchies:
            msg = f"{project.path}: the hierarchy of {sensitive!r}, which its t-closeness goes by, is not in it"
            raise InputError(msg)
        guarantee["t_tree"] = hierarchies.pop(sensitive)
    if data is None:
        write_file(folder / _DATA, project.data())
    source = _DATA if data is None else relative_to(folder, data)
    text = job_text(
        source,
        f"{folder.name}-safe",
        taken.settings | ({"hierarchy": hierarchies} if hierarchies else {}),
        guarantee,
        {},
        [f"not taken: {one}" for one in left],
        origin=f"Made from {project.path.name}. Whether a row is a person, and what others know, you alone can tell.",
    )
    return ImportedJob(write_file(folder / "job.toml", [text.encode()]), tuple(left))


_FOLDER, _DATA = "hierarchies", "data.csv"
_MOST_LETTERS = 40
"""Maximum length of a column name in a file name."""
_MOST_BYTES = 200 * 2**20
"""Maximum size of all hierarchies: many columns can name one file of an archive."""


def _hierarchy(project: Project, folder: Path, column: str, name: str, left: list[str]) -> str | None:
    """Write the hierarchy of a column, and return its place in the folder; None, and say why, if it is none."""
    content = project.hierarchy(name)
    if content is None:
        left.append(f"{column!r}: its hierarchy {name!r}, which is not there")
        return None
    (folder / _FOLDER).mkdir(exist_ok=True)
    number = len(os.listdir(folder / _FOLDER)) + 1  # noqa: PTH208
    short = re.sub(r"[^A-Za-z0-9_-]+", "-", column)[:_MOST_LETTERS]
    path = write_file(folder / _FOLDER / f"{number}-{short}.csv", [content])
    try:
        hierarchy_of_labels(path)
    except InputError as error:
        left.append(f"{column!r}: its hierarchy is not read as it is: {error!s}; mend {path.name}")
    return f"{_FOLDER}/{path.name}"
