"""Job file that is open in the page."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

from anonset.settings.job import Job
from anonset.ui.state.folder import Folder
from anonset.ui.state.inspection import Inspection


class OpenJob(Protocol):
    """Interface of the page state for hierarchies, policies and workloads."""

    folder: Folder
    job: Path | None
    inspection: Inspection

    @property
    def name(self) -> str:
        """Path of the job file, relative to the folder."""

    @property
    def raw(self) -> Mapping[str, Any]:
        """Settings as written in the job file."""

    @property
    def stated(self) -> Job:
        """Settings of the job for the declared unit."""

    @property
    def unit(self) -> str:
        """Unit in the job file: ``row``, ``unknown``, columns that identify a person, or ``?`` if the owner has not
        declared it yet.
        """

    def start(self, work: Any) -> None:
        """Run a coroutine until it ends or the job file is closed."""

    def change(self, after: Job) -> None:
        """Write the settings in which another job differs to the job file."""

    def require_not_publishing(self) -> None:
        """Reject changes of the job while it is running."""
