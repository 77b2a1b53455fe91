"""Publications that the page shows."""

from collections.abc import Mapping
from functools import partial
from itertools import chain, count
from pathlib import Path

from anonset.privacy.model import PrivacyModel
from anonset.settings.settings import REPORT
from anonset.ui.state.command_runs import CommandRun, Commands
from anonset.ui.state.examination import Examination
from anonset.ui.state.open_job import OpenJob
from anonset.ui.state.trial import Trial


class Publication(Commands):
    """Command that publishes a job, and the examination of the result.

    Parameters
    ----------
    model
        Model of the job.
    statements
        Statements of the owner that the report prints, by the name of their setting.

    Raises
    ------
    InputError
        If a report would be outside of the folder.
    """

    def __init__(self, job: OpenJob, model: PrivacyModel, statements: Mapping[str, str]) -> None:
        super().__init__(job.folder)
        Examination(
            job.stated.text("out"), self.folder, REPORT
        )  # rejects a report outside of the folder before the run
        self.model = model
        self.statements = statements
        self.run = CommandRun(["anonymize", job.name, "--json"], self.folder.path)
        self.examined: Examination | None = None
        """Risk and reports, or None before the publication exists."""

    async def finish(self, trial: Trial | None) -> None:
        """Cancel a running trial, publish, then compute the risk and write the report."""
        if trial is not None and trial.busy:
            await trial.cancel()
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


class Publications:
    """Publications that the page shows: that of the job, and another one of the folder."""

    def __init__(self, job: OpenJob) -> None:
        self.new: Publication | None = None
        """Publication that the page makes or has made."""
        self.earlier: Examination | None = None
        """Publication of the job that existed before the page was started."""
        self.opened: Examination | None = None
        """Publication that the owner opened on the screen Open."""
        self._job = job

    @property
    def made(self) -> Examination | None:
        """Risk and reports of the publication of this job, or None before it exists."""
        return self.earlier if self.new is None else self.new.examined

    @property
    def model(self) -> PrivacyModel | None:
        """Model of the publication of this job, or None before it is verified."""
        if self.new is not None:
            return self.new.model if self.new.examined is not None else None
        run = None if self.earlier is None else self.earlier.verification
        return None if self.earlier is None or run is None or run.result is None else self.earlier.model

    def find(self) -> None:
        """Verify the publication in the folder that the job names, if there is one."""
        if self.new is None and self.earlier is None and (out := self.earlier_out):
            self.earlier = Examination(out, self._job.folder)
            self.earlier.start(self.earlier.finish)

    @property
    def earlier_out(self) -> str:
        """Folder that the job names, if it contains a publication. Otherwise empty."""
        out = self._job.folder.with_relative_paths(self._job.stated).text("out")
        return out if out in self._job.folder.publications() else ""

    @property
    def new_out(self) -> str:
        """Folder for the next publication: that of the job, with a number if it exists. The next number replaces a
        number that this property added.
        """
        job, out = self._job.job, str(self._job.raw.get("out", ""))
        place = self._job.folder.path if job is None else job.parent

        def exists(name: str) -> bool:
            return name != "" and (place / name).exists()

        base, _, number = out.rpartition("-")
        was_added = number.isdecimal() and all(map(exists, [base, *(f"{base}-{n}" for n in range(2, int(number)))]))
        names = chain([out], (f"{base if was_added else out}-{n}" for n in count(2)))
        return next(name for name in names if self._job.publishing or not exists(name))

    def publish(self, model: PrivacyModel, trial: Trial | None) -> None:
        """Start to publish the data of the job, and cancel a running trial, which would slow the publication."""
        statements = {} if self.made is None else self.made.statements
        self.new = Publication(self._job, model, statements)
        self.new.start(partial(self.new.finish, trial))

    def open(self, name: str) -> None:
        """Verify a publication of the folder, and compute its risk."""
        self.opened = Examination(name, self._job.folder)
        self.opened.start(self.opened.finish)
