"""What a search by blocks costs, from the work that it counts: fitted on measured runs, and asked about others."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from benchmarks.experiments.cases import Measured
from scipy.optimize import nnls

from anonset.algorithms.transaction.expanded_blocks import tasks_of_pass
from anonset.algorithms.transaction.windows import WINDOWS

_NAMES = ("search", "increment", "gib_read", "task", "mib_returned")


@dataclass(frozen=True)
class Run:
    """One run: its engine, and what was measured."""

    engine: str
    measured: Measured

    @property
    def work(self) -> tuple[float, ...]:
        """The work of a run, in the order of the fields of `CostModel`: to send tasks away costs on a cluster alone."""
        found = self.measured
        sent = (found["tasks"], found["mib_returned"]) if self.engine == "cluster" else (0.0, 0.0)
        return 1.0, found["increments"], found["gib_read"], *sent


@dataclass(frozen=True)
class CostModel:
    """CPU seconds of each kind of work; none is negative."""

    search: float
    """Of a search, whatever its size."""
    increment: float
    """Of an increment."""
    gib_read: float
    """Of reading a GiB of records in a pass over them, and of expanding them."""
    task: float
    """Of sending a task to another process."""
    mib_returned: float
    """Of a MiB of results that comes back from one."""

    @classmethod
    def fitted(cls, runs: Iterable[Run]) -> "CostModel":
        """Return the model whose relative errors have the least sum of squares."""
        rows = [(run.work, float(run.measured["seconds"])) for run in runs]
        found, _ = nnls(np.array([np.array(work) / seconds for work, seconds in rows]), np.ones(len(rows)))
        return cls(**dict(zip(_NAMES, found.tolist(), strict=True)))

    @property
    def costs(self) -> Sequence[float]:
        """The fields."""
        return self.search, self.increment, self.gib_read, self.task, self.mib_returned

    def cpu_seconds(self, run: Run) -> float:
        """Return the CPU seconds of a run."""
        return float(np.dot(run.work, self.costs))

    def wall_seconds(self, measured: Measured, workers: int, *, windows: bool) -> float:
        """Predict the wall-clock seconds of a run on a cluster of so many workers, each with a core and its records.

        What the coordinator does is not divided. Disks and the network are taken to keep up.

        Parameters
        ----------
        windows
            Whether sets are counted in windows, `WINDOWS` at most, as from m=3 on, and not in all tasks of a pass.
        """
        search, increments, read, tasks, returned = (
            amount * cost for amount, cost in zip(Run("cluster", measured).work, self.costs, strict=True)
        )
        counting = increments / (min(workers, WINDOWS) if windows else workers)
        return search + tasks + returned + counting + read / workers


def scaled(measured: Measured, times: int, workers: int) -> dict[str, float]:
    """Return the work of a run over so many times the records on so many workers.

    The passes stay as many; each is divided among the workers, and each of its tasks returns as much as before.
    """
    grows = {name: measured[name] * times for name in ("increments", "gib_read")}
    tasks = measured["passes"] * tasks_of_pass(workers)
    return {**grows, "tasks": tasks, "mib_returned": measured["mib_returned"] * tasks / measured["tasks"]}
