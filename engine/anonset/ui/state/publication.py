"""Publication of the job."""

from collections.abc import Mapping
from pathlib import Path

from anonset.privacy.model import PrivacyModel
from anonset.settings.settings import REPORT
from anonset.ui.state.command_runs import CommandRun, Commands
from anonset.ui.state.examination import Examination
from anonset.ui.state.folder import Folder


class Publication(Commands):
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
        super().__init__(folder)
        Examination(out, folder, REPORT)  # rejects a report outside of the folder before the run
        self.model = model
        self.statements = statements
        self.run = CommandRun(["anonymize", name, "--json"], folder.path)
        self.examined: Examination | None = None
        """Risk and reports, or None before the publication exists."""

    async def finish(self) -> None:
        """Publish, then compute the risk and write the report."""
        if await self.run.finish():
            return
        out, private = self.run.result["out"], str(Path(self.run.result["private"]) / REPORT)
        self.folder.inside(private)
        self.examined = Examination(out, self.folder, private, self.statements)
        await self.examined.finish()

    @property
    def started(self) -> list[CommandRun]:
        """Commands that have started, in order."""
        if self.examined is None:
            return [self.run]
        reports = [one.last for one in self.examined.reports.values() if one.last is not None]
        return [self.run, self.examined.risk, *reports]
