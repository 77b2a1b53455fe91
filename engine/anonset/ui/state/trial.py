"""Trial of a job.

``anonset suggest`` tries algorithms. ``anonset compare`` runs `joint-split` with several weights, and the best
algorithms with several k.
"""

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from anonset.reading.decisions import MACHINE, decisions
from anonset.settings.job import Job
from anonset.settings.model_choices import comparison_flags, item_trees, tuned
from anonset.settings.parameters import SIZES
from anonset.settings.settings import InputSettings
from anonset.spelling import as_typed
from anonset.ui.state.runs import CANCELLED, CommandRun

_COMPARED = 3
"""Maximum number of candidates that are run with several k."""
_BASIS = {
    *(name for name, decides in decisions(InputSettings).items() if decides is not MACHINE),
    *("publish_as_is", "model", "round_ends", *SIZES),
} - {"hierarchy"}
"""Settings on which the result of a trial depends, in addition to the hierarchies of attributes."""
_BALANCED = "joint-split"
"""Algorithm with a weight between the loss of the attributes and the loss of the items."""
_STOPS = 7
"""Maximum number of weights that are run."""
_LARGEST_LOSS = 0.5
"""Largest relational loss of the frontier for which a weight is run. Above, little of the attributes remains."""
_COUNTS = "record:200x1"
"""Workload that measures the counts of items if the owner gives no queries."""
_PRECISION = 3
"""Decimals of the shares that the page shows. Results that look equal are shown once."""


class Trial:
    """Trial of algorithms for a job. Nothing is published."""

    def __init__(self, name: str, settings: Mapping[str, Any], folder: Path) -> None:
        self._name = name
        self._folder = folder
        self._settings = settings
        self.trees = item_trees(Job(settings))
        """Hierarchies of the items for the candidates."""
        self.suggestion = CommandRun(["suggest", name, "--json"], folder)
        self.balance: CommandRun | None = None
        """Run of ``anonset compare`` with several weights of `joint-split`, or None if there is no frontier."""
        self.comparisons: list[CommandRun] = []
        """Runs of ``anonset compare`` with several k. Each run belongs to a candidate."""
        self.code: int | None = None
        """Exit code, or None during the trial."""

    def suits(self, settings: Mapping[str, Any]) -> bool:
        """Return True if the trial used the model and the data of the settings. A candidate may change the hierarchies
        of items.
        """
        same = all(settings.get(name) == self._settings.get(name) for name in _BASIS)
        return same and _attribute_trees(settings) == _attribute_trees(self._settings)

    async def finish(self) -> None:
        """Try the candidates, then run several weights of `joint-split`, and the best candidates with several k."""
        code = await self.suggestion.finish()
        if code != CANCELLED and (command := self.balance_command):
            self.balance = CommandRun([*shlex.split(command)[1:], "--json"], self._folder)
            code = await self.balance.finish()
        for candidate in self.candidates[:_COMPARED] if "k" in self._settings else ():
            if code == CANCELLED:
                break
            run = CommandRun([*shlex.split(self.comparison(candidate))[1:], "--json"], self._folder)
            self.comparisons.append(run)
            code = await run.finish()
        self.code = code

    async def cancel(self) -> None:
        """Cancel the trial."""
        for run in (self.suggestion, self.balance, *self.comparisons):
            if run is not None:
                await run.cancel()

    @property
    def running(self) -> CommandRun:
        """Current command."""
        return self.comparisons[-1] if self.comparisons else self.balance or self.suggestion

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

    @property
    def recommended_detail(self) -> float | None:
        """Share of the detail of the attributes that the recommended candidate keeps, or None if it is unknown."""
        best = (self.suggestion.result or {}).get("recommended")
        return None if best is None else best["ranges_kept"]

    def comparison(self, candidate: Mapping[str, Any]) -> str:
        """Return the command that runs a candidate with several k."""
        flags = comparison_flags(Job(self._settings), Job(candidate["settings"]), self.trees)
        return as_typed("compare", self._name, flags.settings)

    @property
    def balance_command(self) -> str:
        """Command that runs several weights of `joint-split`, or an empty text if there are fewer than two weights."""
        weights = _weights((self.suggestion.result or {}).get("frontier", ()))
        if len(weights) < 2 or not (own := self._balanced) or "k" not in self._settings:
            return ""
        flags = comparison_flags(Job(self._settings), Job({**own, "w": ",".join(weights)}), self.trees)
        measured = {} if self.has_queries else {"workload": _COUNTS}
        return as_typed("compare", self._name, flags.with_(k=None, **measured).settings)

    @property
    def has_queries(self) -> bool:
        """True if the queries of the job measure the errors of `stops`, and not counts of items."""
        return bool(self._settings.get("queries") or self._settings.get("workload"))

    @property
    def stops(self) -> list[dict[str, Any]]:
        """Results of `joint-split`, from the most detail of the items to the most detail of the attributes.

        Each result contains the settings that publish it, the error of counts, and the share of the detail of the
        attributes that is kept. A result is omitted if another one has more detail of the attributes and no larger
        error.
        """
        if self.balance is None or self.balance.code != 0:
            return []
        own = self._balanced
        rows = [row for row in self.balance.result if row["outcome"] == "holds" and row.get("are") is not None]
        stops: list[dict[str, Any]] = []
        for row in sorted(rows, key=lambda row: (row["rum"], row["are"])):
            error, kept = round(row["are"], _PRECISION), round(1 - row["rum"], _PRECISION)
            if not stops or error < stops[-1]["error"]:
                stops.append({"settings": {**own, "w": row["w"]}, "error": error, "ranges_kept": kept})
        return stops[::-1]

    @property
    def _balanced(self) -> dict[str, Any]:
        """Settings of `joint-split` without its weight: those of the first successful candidate, and others of the job,
        which `compare` also uses. The mapping is empty if there is no such candidate.
        """
        job = self._settings
        tried = [one["settings"] for one in self.candidates if one["settings"]["algorithm"] == _BALANCED]
        own = {name: job[name] for name in tuned(Job(job))} if tried and job.get("algorithm") == _BALANCED else {}
        settings = {**own, **tried[0]} if tried else {}
        return {name: value for name, value in settings.items() if name not in ("w", "point")}


def _attribute_trees(settings: Mapping[str, Any]) -> dict[str, str]:
    trees = item_trees(Job(settings))
    return {column: spec for column, spec in settings.get("hierarchy", {}).items() if column not in trees}


def _weights(frontier: Sequence[Mapping[str, float]]) -> list[str]:
    """Return weights of a frontier whose relational losses are about evenly spaced.

    >>> points = [{"w": 0.5, "relational_ncp": 0.1}, {"w": 0.00002, "relational_ncp": 0.4}]
    >>> _weights([*points, {"w": 0.0, "relational_ncp": 1.0}]), _weights([])
    (['0.500000', '0.000020'], [])
    """
    points = [point for point in frontier if point["relational_ncp"] <= _LARGEST_LOSS]
    if not points:
        return []
    first, last = (points[end]["relational_ncp"] for end in (0, -1))
    wanted = [first + step * (last - first) / (_STOPS - 1) for step in range(_STOPS)]
    nearest = (min(points, key=lambda point: abs(point["relational_ncp"] - loss)) for loss in wanted)
    return list(dict.fromkeys(f"{point['w']:.6f}" for point in nearest))
