"""Commands that verify a publication, compute its risk and write reports about it."""

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any

from anonset.errors import InputError
from anonset.privacy.model import PrivacyModel
from anonset.release.documents import read_attestation
from anonset.release.guarantee_limits import ranked_limits
from anonset.release.opened import built_model
from anonset.release.publishing.staging import PRIVATE
from anonset.report.conclusion import with_columns
from anonset.settings.job_files import read_job
from anonset.settings.settings import REPORT
from anonset.spelling import arguments_of
from anonset.ui.state.command_runs import CommandRun, Commands
from anonset.ui.state.folder import Folder


class Examination(Commands):
    """Verification, risk and reports of a publication in the folder.

    The commands also read the original, if the private directory names it.

    Parameters
    ----------
    name
        Path of the publication, relative to the folder.
    private
        Path of the private report of a publication that was just made, and therefore verified. Empty for another
        publication.
    statements
        Statements of the owner that the reports print, by the name of their setting.

    Raises
    ------
    InputError
        If the directory or a report is outside of the folder.
    """

    def __init__(
        self, name: str, folder: Folder, private: str = "", statements: Mapping[str, str] = MappingProxyType({})
    ) -> None:
        super().__init__(folder)
        self.name = name
        self.path = folder.inside(name)
        self.statements = dict(statements)
        for shareable in (False, True):
            self.page_of(shareable=shareable)
        self.subject = private or _subject(name, folder)
        """Argument of the commands: the private report if the original is available, or else the publication."""
        self.verification = None if private else CommandRun(["verify", self.subject, "--json"], folder.path)
        attacks = ["--attack", "all"] if self.subject != name else []
        self.risk = CommandRun(["risk", self.subject, *attacks, "--json"], folder.path)
        self.reports = {shareable: Commands(folder) for shareable in (False, True)}
        """Command that writes the internal report (False) or the shareable report (True)."""

    @property
    def model(self) -> PrivacyModel:
        """Model that the verification checked."""
        checked = {} if self.verification is None else self.verification.result
        return built_model(checked["model"], checked["parameters"])

    @property
    def limits(self) -> tuple[list[str], list[str]]:
        """The three most important limits of the guarantee, and all others. The verification checked them."""
        attested, _ = read_attestation(self.path)
        return ranked_limits(self.model, [attested.limits])

    def in_words(self, text: str) -> str:
        """Return a text about the guarantee with the names of columns in place of terms of the field."""
        return with_columns(text, read_attestation(self.path)[0].data.quasi_identifiers)

    @property
    def report(self) -> CommandRun | None:
        """Command that writes the internal report, or None if it has not started."""
        return self.reports[False].last

    @property
    def doubts(self) -> list[str] | None:
        """Doubts about the publication, the most harmful first. None before the risk is counted."""
        found: Mapping[str, Any] | None = self.risk.result
        return None if found is None else found["doubts"]

    def page_of(self, *, shareable: bool) -> Path:
        """Return the path of a report. The file may not exist."""
        return self.folder.inside(f"{self.name}-{'shareable' if shareable else 'report'}.html")

    def page(self, *, shareable: bool = False) -> Path | None:
        """Return the path of a report, or None if it does not exist."""
        path, run = self.page_of(shareable=shareable), self.reports[shareable].last
        return path if path.is_file() and (run is None or run.code == 0) else None

    @property
    def commands(self) -> str:
        """Command lines that users would type, one on each line."""
        reports = [one.last for one in self.reports.values() if one.last is not None]
        runs = [self.verification, self.risk, *(reports or [CommandRun(self._report(shareable=False), self.path)])]
        return "\n".join(run.command for run in runs if run is not None)

    async def finish(self) -> None:
        """Verify the publication and compute the risk. A report follows if the publication was just made."""
        if self.verification is not None:
            await self.verification.finish()
        if self.verification is None or self.verification.result is not None:
            await self.risk.finish()
        if self.verification is None:
            self.write_report()

    def write_report(self, statements: Mapping[str, str] | None = None, *, shareable: bool = False) -> None:
        """Start to write a report in place of the former one, with statements of the owner."""
        if statements is not None:
            self.statements = {name: text.strip() for name, text in statements.items() if text.strip()}
        if not self.reports[shareable].busy:
            self.page_of(shareable=shareable).unlink(missing_ok=True)
            self.reports[shareable].start(partial(self.reports[shareable].execute, *self._report(shareable=shareable)))

    def _report(self, *, shareable: bool) -> list[str]:
        """Return the arguments of the command that writes a report."""
        page = self.folder.relative(self.page_of(shareable=shareable))
        whole = [self.name, "--shareable"] if shareable else [self.subject]
        return ["report", *whole, *arguments_of(self.statements), "--out", page, "--json"]


def _subject(name: str, folder: Folder) -> str:
    private = f"{name}{PRIVATE}/{REPORT}"
    if not (folder.path / private).is_file():
        return name
    try:
        folder.inside(private)
        folder.require_inside(read_job(str(folder.path / private)))
    except InputError:  # the original is unknown or outside of the folder
        return name
    return private
