"""Job file that is open in the page."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

from anonset.settings.job import Job
from anonset.spelling import StatedSettings
from anonset.ui.state.folder import Folder


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
