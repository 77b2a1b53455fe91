"""Publication of the job."""

from collections.abc import Mapping
from pathlib import Path

from anonset.privacy.model import PrivacyModel
from anonset.settings.settings import REPORT
from anonset.ui.state.examination import Examination
from anonset.ui.state.folder import Folder
from anonset.ui.state.runs import CommandRun


class Publication:
    """Command that publishes a job, and the examination of the result.

    Parameters
    ----------
    name
        Path of the job file, relative to the folder.
    out
        Path of the publication, as in the job file.
    model
        Model of the job.
    statements
        Statements of the owner that the report prints, by the name of their setting.

    Raises
    ------
    InputError
        If a report would be outside of the folder.
    """

    def __init__(
        self,
        name: str,
        out: str,
        folder: Folder,
        model: PrivacyModel,
        statements: Mapping[str, str],
    ) -> None:
        Examination(out, folder, REPORT)  # rejects a report outside of the folder before the run
        self.model = model
        self.statements = statements
        self.run = CommandRun(["anonymize", name, "--json"], folder.path)
        self.examined: Examination | None = None
        """Risk and reports, or None before the publication exists."""
        self._folder = folder

    async def finish(self) -> None:
        """Publish, then compute the risk and write the report."""
        if await self.run.finish():
            return
        out, private = self.run.result["out"], str(Path(self.run.result["private"]) / REPORT)
        self._folder.inside(private)
        self.examined = Examination(out, self._folder, private, self.statements)
        await self.examined.finish()

    @property
    def runs(self) -> list[CommandRun]:
        """Commands that have started, in order."""
        further = [] if self.examined is None else [self.examined.risk, *self.examined.reports.values()]
        return [self.run, *further]
