"""Job file that is open in the page."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

from anonset.settings.job import Job
from anonset.spelling import StatedSettings
from anonset.ui.state.folder import Folder


class JobReader:
    """Reads job files. Parsing takes milliseconds, and a screen asks for settings dozens of times."""

    def __init__(self) -> None:
        self._read: dict[tuple[object, Path], Job] | None = None

    @contextmanager
    def once(self) -> Iterator[None]:
        """Read each job file once in the ``with`` block, unless the page changes it."""
        self._read = {}
        try:
            yield
        finally:
            self._read = None

    def settings(self, read: Callable[[Path], Job], job: Path) -> Job:
        """Return the settings that `read` returns for a job file."""
        if self._read is None:
            return read(job)
        if (read, job) not in self._read:
            self._read[read, job] = read(job)
        return self._read[read, job]

    def forget(self) -> None:
        """Read job files again, because the page has changed one."""
        if self._read is not None:
            self._read.clear()


class OpenJob(Protocol):
    """Interface of the page state for the commands about the open job."""

    folder: Folder
    job: Path | None

    @property
    def file(self) -> Path | None:
        """Path of the job file, or None if it does not exist."""

    @property
    def name(self) -> str:
        """Path of the job file, relative to the folder."""

    @property
    def raw(self) -> Job:
        """Settings as written in the job file."""

    @property
    def stated(self) -> Job:
        """Settings of the job for the declared unit."""

    @property
    def tables(self) -> Mapping[str, Job]:
        """Settings of each linked table by name."""

    @property
    def unit(self) -> str:
        """Unit in the job file: ``row``, ``unknown``, columns that identify a person, or ``?`` if the owner has not
        declared it yet.
        """

    @property
    def answered(self) -> bool:
        """True if the job declares who is a person, or if no declaration is needed."""

    @property
    def findings(self) -> Mapping[str, Any] | None:
        """Findings of the inspection about a single table."""

    @property
    def publishing(self) -> bool:
        """True while the publication is made."""

    def change(self, after: Job) -> None:
        """Write the settings in which another job differs to the job file, as the owner chose."""

    def write(self, changes: StatedSettings) -> None:
        """Write settings to the job file."""

    def store(self, text: str) -> None:
        """Replace the job file."""

    def require_not_publishing(self) -> None:
        """Reject changes of the job while it is running."""
