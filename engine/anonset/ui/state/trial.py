"""Trial of a job.

``anonset suggest`` tries algorithms, and ``anonset compare`` runs the best algorithms with several k.
"""

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from anonset.settings.job_changes import ROLES
from anonset.settings.model_choices import SIZES, comparison_flags, item_trees
from anonset.spelling import as_typed
from anonset.ui.state.runs import CANCELLED, CommandRun

_COMPARED = 3
"""Maximum number of candidates that are run with several k."""
_BASIS = (*ROLES, "unit", "model", *SIZES)
"""Settings on which the result of a trial depends."""


class Trial:
    """Trial of algorithms for a job. Nothing is published."""

    def __init__(self, name: str, settings: Mapping[str, Any], folder: Path) -> None:
        self._name = name
        self._folder = folder
        self._settings = settings
        self.trees = item_trees(settings)
        """Hierarchies of the items for the candidates."""
        self.suggestion = CommandRun(["suggest", name, "--json"], folder)
        self.comparisons: list[CommandRun] = []
        """Runs of ``anonset compare``. Each run belongs to a candidate."""
        self.code: int | None = None
        """Exit code, or None during the trial."""

    def suits(self, settings: Mapping[str, Any]) -> bool:
        """Return True if the trial used the roles and the model of the settings."""
        return all(settings.get(name) == self._settings.get(name) for name in _BASIS)

    async def finish(self) -> None:
        """Try the candidates, then run the best candidates with several k."""
        code = await self.suggestion.finish()
        for candidate in self.candidates[:_COMPARED] if "k" in self._settings else ():
            if code == CANCELLED:
                break
            run = CommandRun([*shlex.split(self.comparison(candidate))[1:], "--format", "json"], self._folder)
            self.comparisons.append(run)
            code = await run.finish()
        self.code = code

    async def cancel(self) -> None:
        """Cancel the trial."""
        for run in (self.suggestion, *self.comparisons):
            await run.cancel()

    @property
    def running(self) -> CommandRun:
        """Current command."""
        return self.comparisons[-1] if self.comparisons else self.suggestion

    @property
    def candidates(self) -> list[Mapping[str, Any]]:
        """Successful candidates with the guarantee of the job. The most useful candidate is the first."""
        found = self.suggestion.result
        return [one for one in (found or {}).get("candidates", ()) if one["outcome"] == "holds" and not one["beside"]]

    @property
    def recommended(self) -> dict[str, Any]:
        """Algorithm and parameters of the recommended candidate. The mapping is empty if there is none."""
        best = (self.suggestion.result or {}).get("recommended")
        return {} if best is None else best["settings"]

    def comparison(self, candidate: Mapping[str, Any]) -> str:
        """Return the command that runs a candidate with several k."""
        flags = comparison_flags(self._settings, candidate["settings"], self.trees)
        return as_typed("compare", self._name, flags)
