"""Findings about the data of the job, and the warnings that the owner has checked."""

from collections.abc import Mapping, Sequence
from typing import Any

from anonset.columns.roles import GIVEN
from anonset.errors import Fix
from anonset.ui.state.runs import CommandRun


class Inspection:
    """Findings of the runs of ``anonset inspect`` about a job or a data set."""

    def __init__(self) -> None:
        self.run: CommandRun | None = None
        """Last run."""
        self.findings: Mapping[str, Any] | None = None
        """Output of the command about a single table."""
        self.linked: Mapping[str, Any] | None = None
        """Output of the command about linked tables."""
        self.proposed: dict[str, str] = {}
        """Reason for the role of each column that the first run proposes."""
        self.comments: dict[str, str] = {}
        """Comment of a job file about each warning."""
        self.assumed: dict[str, list[Fix]] = {}
        """Warnings about settings that the first run wrote to the job file, with the fixes. Later runs take these
        settings for the owner's.
        """
        self.checked: set[str] = set()
        """Warnings that the owner has checked."""
        self.answers: list[Mapping[str, Any]] = []
        """Possible units that count as a person, with the number of persons for each unit."""
        self.others: list[str] = []
        """Less likely units."""
        self.fixes: Sequence[Fix] = ()
        """Settings that the error of the last run recommends."""
        self.failure = ""
        """Message of a run without findings."""

    @property
    def busy(self) -> bool:
        """True while the data are inspected."""
        return self.run is not None and self.run.code is None

    @property
    def warnings(self) -> dict[str, list[Fix]]:
        """All warnings about the data and the roles, with the settings that remedy them."""
        found = self.findings or self.linked or {"problems": [], "fixes": []}
        latest = zip(found["problems"], found["fixes"], strict=True)
        return {**self.assumed, **{problem: [Fix(**fix) for fix in fixes] for problem, fixes in latest}}

    @property
    def columns(self) -> Sequence[Mapping[str, Any]]:
        """Columns of a single table."""
        return self.findings["columns"] if self.findings is not None else ()

    @property
    def error(self) -> str:
        """Problem with which no record can be read, or the message of a failed run. Empty if there is none."""
        found = self.findings
        return self.failure if found is None or found["obstacle"] is None else found["problems"][found["obstacle"]]

    @property
    def unchecked(self) -> list[str]:
        """Warnings that apply and that the owner has not checked. An error is not a warning."""
        return [warning for warning in self.warnings if warning not in (*self.checked, self.error)]

    def check(self, warning: str, *, checked: bool = True) -> None:
        """Store whether the owner has checked a warning."""
        (self.checked.add if checked else self.checked.discard)(warning)

    @property
    def contradictions(self) -> list[str]:
        """Warnings that the data contradict the declared person. They remain until the end, even if checked."""
        return [warning for warning, fixes in self.warnings.items() if any("unit" in fix.settings for fix in fixes)]

    def settle(self, fix: Fix) -> None:
        """Forget the warnings that a fix remedies, because the owner has chosen it."""
        self.assumed = {warning: fixes for warning, fixes in self.assumed.items() if fix not in fixes}

    async def repeat(self, run: CommandRun) -> bool:
        """Run the command and store its findings. Return False if a later run has started in the meantime."""
        before, self.run = self.run, run
        if before is not None:
            await before.cancel()
        if self.run is run:
            await run.finish()
        if self.run is not run:
            return False
        if run.result is not None:
            self._store(run.result)
        self.failure = run.errors[0] if run.errors else ""  # then follow commands for a terminal
        self.fixes = run.fixes
        return True

    def _store(self, found: Mapping[str, Any]) -> None:
        self.answers = (found["question"] or {}).get("answers") or self.answers
        self.comments |= dict(zip(found["problems"], found["comments"], strict=True))
        if "tables" in found:
            self.linked = found
            return
        self.findings = found
        warned = zip(found["problems"], found["assumed"], strict=True)
        self.assumed |= {warning: self.warnings[warning] for warning, is_assumed in warned if is_assumed}
        self.others = (found["question"] or {}).get("others") or self.others
        self.proposed = self.proposed or {
            column["name"]: column["why"] for column in found["columns"] if column["reason"] != GIVEN
        }
