"""Publication of the job, with its risk and the report about it."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from anonset.privacy.model import PrivacyModel
from anonset.spelling import arguments_of
from anonset.ui.state.folder import Folder
from anonset.ui.state.runs import CommandRun

_REPORT = "report.json"


class Publication:
    """Commands that publish a job, compute the risk and write the report.

    Parameters
    ----------
    name
        Path of the job file, relative to the folder.
    out
        Path of the publication, as in the job file.
    model
        Model of the job.
    findings
        Findings about the raw data, or None if they are unknown.
    statements
        Statements of the owner that the report prints, by the name of their setting.

    Raises
    ------
    InputError
        If the report would be outside of the folder.
    """

    def __init__(
        self,
        name: str,
        out: str,
        folder: Folder,
        model: PrivacyModel,
        findings: Mapping[str, Any] | None,
        statements: Mapping[str, str],
    ) -> None:
        folder.inside(_page(out))
        self.model = model
        self.findings = findings
        self.statements = dict(statements)
        self.run = CommandRun(["anonymize", name, "--json"], folder.path)
        self.risk: CommandRun | None = None
        self.report: CommandRun | None = None
        self._folder = folder

    async def finish(self) -> None:
        """Publish, then compute the risk and write the report."""
        if await self.run.finish() or self.out is None:
            return
        self.risk = CommandRun(["risk", self._private_report, "--attack", "all", "--json"], self._folder.path)
        await self.risk.finish()
        self.report = self._report_run()
        await self.report.finish()

    async def cancel(self) -> None:
        """Cancel the run. No published file remains."""
        await self.run.cancel()

    @property
    def out(self) -> Path | None:
        """Path of the published directory, or None before it exists."""
        return self._folder.inside(self.run.result["out"]) if self.run.code == 0 else None

    @property
    def private_report(self) -> Path | None:
        """Path of the private report, which leads to the original, or None before it exists."""
        return None if self.out is None else self._folder.inside(self._private_report)

    @property
    def page(self) -> Path | None:
        """Path of the report for the data protection officer, or None before it exists."""
        return None if self.report is None or self.report.code != 0 else self._folder.inside(self.report.arguments[-1])

    def report_again(self, statements: Mapping[str, str]) -> CommandRun | None:
        """Return the command that replaces the report by one with statements of the owner, or None if there is no
        report yet.
        """
        if self.out is None or self.report is None or self.report.code is None:
            return None
        self.statements = {name: text.strip() for name, text in statements.items() if text.strip()}
        self.report = self._report_run()
        self._folder.inside(self.report.arguments[-1]).unlink(missing_ok=True)
        return self.report

    @property
    def _private_report(self) -> str:
        return str(Path(self.run.result["private"]) / _REPORT)

    def _report_run(self) -> CommandRun:
        own, page = arguments_of(self.statements), _page(self.run.result["out"])
        return CommandRun(["report", self._private_report, *own, "--out", page], self._folder.path)


def _page(out: str) -> str:
    return f"{out}-report.html"
