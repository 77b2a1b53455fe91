"""Commands that verify an existing publication, compute its risk and write a report."""

from pathlib import Path

from anonset.errors import InputError
from anonset.privacy.model import PrivacyModel
from anonset.release.documents import read_attestation
from anonset.release.guarantee_limits import ranked_limits
from anonset.release.opened import built_model
from anonset.release.publishing.staging import PRIVATE
from anonset.settings.job_files import read_job
from anonset.settings.settings import REPORT
from anonset.spelling import as_typed
from anonset.ui.state.folder import Folder
from anonset.ui.state.runs import CommandRun


class Examination:
    """Verification, risk and report of a publication in the folder.

    The commands also read the original, if the private directory names it.

    Raises
    ------
    InputError
        If the directory or its report is outside of the folder.
    """

    def __init__(self, name: str, folder: Folder) -> None:
        self.name = name
        self.path = folder.inside(name)
        self._folder = folder
        folder.inside(self._page)
        self.subject = _subject(name, folder)
        """Argument of the commands: the private report if the original is available, or else the publication."""
        self.verification = CommandRun(["verify", self.subject, "--json"], folder.path)
        self.risk = CommandRun(["risk", self.subject, "--json"], folder.path)
        self.report: CommandRun | None = None

    @property
    def model(self) -> PrivacyModel:
        """Model that the verification checked."""
        checked = self.verification.result
        return built_model(checked["model"], checked["parameters"])

    @property
    def limits(self) -> tuple[list[str], list[str]]:
        """The three most important limits of the guarantee, and all others. The verification checked them."""
        attested, _ = read_attestation(self.path)
        return ranked_limits(self.model, [attested.limits])

    @property
    def page(self) -> Path | None:
        """Path of the report for the data protection officer, or None if it does not exist."""
        path = self._folder.inside(self._page)
        return path if path.is_file() and not self.reporting else None

    @property
    def reporting(self) -> bool:
        """True while the report is written."""
        return self.report is not None and self.report.code is None

    @property
    def commands(self) -> str:
        """Command lines that users would type, one on each line."""
        checks = [as_typed(command, self.subject) for command in ("verify", "risk")]
        return "\n".join([*checks, as_typed("report", self.subject, {"out": self._page})])

    async def finish(self) -> None:
        """Verify the publication, then compute the risk."""
        await self.verification.finish()
        if self.verification.result is not None:
            await self.risk.finish()

    async def write_report(self) -> None:
        """Write the report for the data protection officer."""
        self.report = CommandRun(["report", self.subject, "--out", self._page], self._folder.path)
        await self.report.finish()

    @property
    def _page(self) -> str:
        return f"{self.name}-report.html"


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
