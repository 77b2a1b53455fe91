"""Trial of a job.

``anonset suggest`` tries algorithms. ``anonset compare`` runs `joint-split` with several weights, and the best
algorithms with several k.
"""

import shlex
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from anonset.reading.decisions import MACHINE, decisions
from anonset.settings.job import Job
from anonset.settings.model_choices import comparison_flags, item_trees, tuned
from anonset.settings.parameters import SIZES
from anonset.settings.settings import InputSettings
from anonset.spelling import as_typed
from anonset.ui.state.command_runs import CANCELLED, CommandRun, Commands
from anonset.ui.state.folder import Folder

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


class Trial(Commands):
    """Trial of algorithms for a job. Nothing is published."""

    def __init__(self, name: str, job: Job, folder: Folder) -> None:
        super().__init__(folder)
        self._name = name
        self._job = job
        self.trees = item_trees(job)
        """Hierarchies of the items for the candidates."""
        self.phase = ""
        """What the running command compares, in words. Empty during ``anonset suggest``."""
        self.balance: CommandRun | None = None
        """Finished run of ``anonset compare`` with several weights of `joint-split`, or None if there is none."""
        self.comparisons: list[CommandRun] = []
        """Finished runs of ``anonset compare`` with several k. Each run belongs to a candidate."""

    @property
    def found(self) -> Mapping[str, Any] | None:
        """Output of ``anonset suggest``, or None before its end."""
        return self.runs[0].result if self.runs else None

    def suits(self, job: Job) -> bool:
        """Return True if the trial used the model and the data of a job. A candidate may change the hierarchies
        of items.
        """
        now, before = (one.without(*tuned(one)).only(_BASIS) for one in (job, self._job))
        return now == before and _attribute_trees(job) == _attribute_trees(self._job)

    async def finish(self) -> None:
        """Try the candidates, then run several weights of `joint-split`, and the best candidates with several k."""
        last = await self.execute("suggest", self._name, "--json")
        if last.code != CANCELLED and (command := self.balance_command):
            self.phase = "Comparing balances of items and attributes"
            self.balance = last = await self._compare(command)
        for number, candidate in enumerate(self.candidates[:_COMPARED] if "k" in self._job.settings else (), 1):
            if last.code == CANCELLED:
                break
            self.phase = f"Comparing result {number} with several k"
            self.comparisons.append(last := await self._compare(self.comparison(candidate)))

    async def _compare(self, command: str) -> CommandRun:
        return await self.execute(*shlex.split(command)[1:], "--json")

    @property
    def candidates(self) -> list[Mapping[str, Any]]:
        """Successful candidates with the guarantee of the job. The most useful candidate is the first."""
        return [
            one for one in (self.found or {}).get("candidates", ()) if one["outcome"] == "holds" and not one["beside"]
        ]

    @property
    def recommended(self) -> Job | None:
        """Algorithm and parameters of the recommended candidate, or None if there is none."""
        best = (self.found or {}).get("recommended")
        return None if best is None else Job(best["settings"])

    @property
    def recommended_detail(self) -> float | None:
        """Share of the detail of the attributes that the recommended candidate keeps, or None if it is unknown."""
        best = (self.found or {}).get("recommended")
        return None if best is None else best["ranges_kept"]

    def name_of(self, candidate: Mapping[str, Any]) -> str:
        """Return the name of a candidate: its place in the order of usefulness."""
        order = [one["settings"] for one in (self.found or {})["candidates"]]
        return f"Result {order.index(candidate['settings']) + 1}"

    def comparison(self, candidate: Mapping[str, Any]) -> str:
        """Return the command that runs a candidate with several k."""
        flags = comparison_flags(self._job, Job(candidate["settings"]), self.trees)
        return as_typed("compare", self._name, flags.settings)

    @property
    def balance_command(self) -> str:
        """Command that runs several weights of `joint-split`, or an empty text if there are fewer than two weights."""
        weights = _weights((self.found or {}).get("frontier", ()), self.recommended_detail)
        if len(weights) < 2 or (own := self._balanced) is None or "k" not in self._job.settings:
            return ""
        flags = comparison_flags(self._job, own.with_(w=",".join(weights)), self.trees)
        measured = {} if self.has_queries else {"workload": _COUNTS}
        return as_typed("compare", self._name, flags.with_(k=None, **measured).settings)

    @property
    def has_queries(self) -> bool:
        """True if the queries of the job measure the errors of `stops`, and not counts of items."""
        return bool(self._job.text("queries") or self._job.text("workload"))

    @property
    def stops(self) -> list["Stop"]:
        """Results of `joint-split`, from the most detail of the items to the most detail of the attributes.

        A result is omitted if another one has more detail of the attributes and no larger
        error.
        """
        if self.balance is None or self.balance.code != 0:
            return []
        own = self._balanced or Job()
        rows = [row for row in self.balance.result if row["outcome"] == "holds" and row.get("are") is not None]
        stops = list[Stop]()
        for row in sorted(rows, key=lambda row: (row["rum"], row["are"])):
            error, kept = round(row["are"], _PRECISION), round(1 - row["rum"], _PRECISION)
            if not stops or error < stops[-1].error:
                stops.append(Stop(own.with_(w=row["w"]), error, kept))
        return stops[::-1]

    @property
    def _balanced(self) -> Job | None:
        """Settings of `joint-split` without its weight: those of the first successful candidate, and others of the job,
        which `compare` also uses. None if there is no such candidate.
        """
        tried = [one["settings"] for one in self.candidates if one["settings"]["algorithm"] == _BALANCED]
        if not tried:
            return None
        names = tuned(self._job) if self._job.text("algorithm") == _BALANCED else ()
        own = {name: self._job.settings[name] for name in names}
        return Job({**own, **tried[0]}).with_(w=None, point=None)


class Stop(NamedTuple):
    """Result of `joint-split` with a weight."""

    job: Job
    """Algorithm and parameters that publish it."""
    error: float
    """Mean error of counts."""
    ranges_kept: float
    """Share of the detail of the attributes that is kept."""


def _attribute_trees(job: Job) -> dict[str, str]:
    return {column: spec for column, spec in job.entries("hierarchy").items() if column not in job.sets}


def _weights(frontier: Sequence[Mapping[str, float]], recommended: float | None) -> list[str]:
    """Return weights of a frontier whose relational losses are about evenly spaced. One of them keeps the recommended
    share of the detail of the attributes.

    >>> points = [{"w": w / 100, "relational_ncp": 0.5 - w / 200} for w in range(100)]
    >>> _weights(points, None)[:3], _weights(points, 0.6)[:3], _weights([], None)
    (['0.000000', '0.160000', '0.330000'], ['0.000000', '0.200000', '0.330000'], [])
    """
    points = [point for point in frontier if point["relational_ncp"] <= _LARGEST_LOSS]
    if not points:
        return []
    first, last = (points[end]["relational_ncp"] for end in (0, -1))
    wanted = [first + step * (last - first) / (_STOPS - 1) for step in range(_STOPS)]
    if recommended is not None:
        lost = 1 - recommended
        wanted[min(range(_STOPS), key=lambda step: abs(wanted[step] - lost))] = lost
    nearest = (min(points, key=lambda point: abs(point["relational_ncp"] - loss)) for loss in wanted)
    return list(dict.fromkeys(f"{point['w']:.6f}" for point in nearest))
