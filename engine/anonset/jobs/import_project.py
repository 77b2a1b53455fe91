"""Import an ARX project or an Amnesia template as a job. The job has the roles, hierarchies and privacy model of the
project, and its data if the project contains them.
"""

import os
import re
import shutil
from dataclasses import dataclass
from pathlib import Path

from anonset.errors import InputError
from anonset.reading.file_options import ROW, UNKNOWN
from anonset.reading.hierarchies.specs import hierarchy_of_labels
from anonset.reading.projects import Project, read_project
from anonset.reading.sources.files import write_file
from anonset.release.publishing.staging import require_new
from anonset.settings.job_text import job_text, relative_to, unit_line
from anonset.settings.project_jobs import job_of


@dataclass(frozen=True)
class ImportedJob:
    """Job written from another tool's settings."""

    job: Path
    left: tuple[str, ...]
    """Settings that were not converted, as text."""


def import_project(path: str | Path, out: str | Path, data: str | None = None) -> ImportedJob:
    """Convert an ARX project or an Amnesia template to a job in a new folder, with hierarchies and data.

    Parameters
    ----------
    data
        Path of the data. The data are not copied. By default, the data in the project are used.

    Raises
    ------
    InputError
        If the file is neither a project nor a template, data are missing, or the folder exists.
    """
    folder = Path(out)
    require_new(folder)
    project = read_project(path)
    if data is None and not project.has_data:
        msg = f"{path}: the project contains no data; also pass the data file"
        raise InputError(msg)
    folder.mkdir(0o700)
    try:
        return _written(project, folder, data)
    except BaseException:
        shutil.rmtree(folder)
        raise


def _written(project: Project, folder: Path, data: str | None) -> ImportedJob:
    job = job_of(project)
    skipped = list(job.left)
    hierarchies, written = {}, 0
    for column, name in job.trees.items():
        if place := _hierarchy(project, folder, column, name, skipped):
            hierarchies[column] = place
            written += (folder / place).stat().st_size
            if written > _MOST_BYTES:
                msg = f"{project.path}: the hierarchies together exceed {_MOST_BYTES:,} bytes"
                raise InputError(msg)
    guarantee = dict(job.guarantee)
    if guarantee.get("t_distance") == "hierarchical":
        sensitive = job.settings["sensitive"]
        if sensitive not in hierarchies:
            msg = f"{project.path}: t-closeness needs a hierarchy of {sensitive!r}, but the project contains none"
            raise InputError(msg)
        guarantee["t_tree"] = hierarchies.pop(sensitive)
    if data is None:
        write_file(folder / _DATA, project.data())
    source = _DATA if data is None else relative_to(folder, data)
    text = job_text(
        source,
        f"{folder.name}-safe",
        job.settings | ({"hierarchy": hierarchies} if hierarchies else {}),
        guarantee,
        {},
        [f"not converted: {note}" for note in skipped],
        origin=f"Made from {project.path.name}. Declare who is a person, and check what an attacker may know.",
        question=[unit_line(name) for name in (*job.identifying, ROW, UNKNOWN)],
    )
    return ImportedJob(write_file(folder / "job.toml", [text.encode()]), tuple(skipped))


_FOLDER, _DATA = "hierarchies", "data.csv"
_MOST_LETTERS = 40
_MOST_BYTES = 200 * 2**20
"""Maximum total size of the hierarchies in bytes. A small archive can refer to one large file from many columns."""


def _hierarchy(project: Project, folder: Path, column: str, name: str, skipped: list[str]) -> str | None:
    content = project.hierarchy(name)
    if content is None:
        skipped.append(f"{column!r}: hierarchy {name!r} (missing in the project)")
        return None
    (folder / _FOLDER).mkdir(exist_ok=True)
    number = len(os.listdir(folder / _FOLDER)) + 1  # noqa: PTH208
    short = re.sub(r"[^A-Za-z0-9_-]+", "-", column)[:_MOST_LETTERS]
    path = write_file(folder / _FOLDER / f"{number}-{short}.csv", [content])
    try:
        hierarchy_of_labels(path)
    except InputError as error:
        skipped.append(f"{column!r}: hierarchy not valid: {error!s}; correct {path.name}")
    return f"{_FOLDER}/{path.name}"
