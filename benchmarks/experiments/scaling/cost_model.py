"""What a search by blocks costs, from the work that it counts: fitted on measured runs, and asked about others."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from benchmarks.experiments.cases import Measured
from scipy.optimize import nnls

from anonset.algorithms.transaction.windows import WINDOWS
from anonset.data.spans import tasks_of_pass

_NAMES = ("search", "increment", "increment_of_larger_sets", "gib_of_records", "gib_stored", "task", "mib_returned")


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
        larger = found["increments_of_larger_sets"]
        return 1.0, found["increments"] - larger, larger, found["gib_of_records"], found["gib_stored"], *sent


@dataclass(frozen=True)
class CostModel:
    """CPU seconds of each kind of work; none is negative."""

    search: float
    """Of a search, whatever its size."""
    increment: float
    """Of an increment, of an item or a pair."""
    increment_of_larger_sets: float
    """Of one of a set of 3 or more, which is walked."""
    gib_of_records: float
    """Of reading a GiB of records in a pass over them, and of expanding them."""
    gib_stored: float
    """Of reading a GiB of records that were stored as they are expanded."""
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
        return tuple(getattr(self, name) for name in _NAMES)

    def cpu_seconds(self, run: Run) -> float:
        """Return the CPU seconds of a run."""
        return float(np.dot(run.work, self.costs))

    def wall_seconds(self, measured: Measured, workers: int) -> float:
        """Predict the wall-clock seconds of a run on a cluster of so many workers, each with a core and its records.

        What the coordinator does is not divided, and larger sets are counted in `WINDOWS` tasks at most. Disks and the
        network are taken to keep up.
        """
        search, pairs, larger, records, stored, tasks, returned = (
            amount * cost for amount, cost in zip(Run("cluster", measured).work, self.costs, strict=True)
        )
        counting = pairs / workers + larger / min(workers, WINDOWS)
        return search + tasks + returned + counting + (records + stored) / workers


def scaled(measured: Measured, times: int, workers: int) -> dict[str, float]:
    """Return the work of a run over so many times the records on so many workers.

    The passes stay as many; each is divided among the workers, and each of its tasks returns as much as before.
    """
    grown = "increments", "increments_of_larger_sets", "gib_of_records", "gib_stored"
    grows = {name: measured[name] * times for name in grown}
    tasks = measured["passes"] * tasks_of_pass(workers)
    return {**grows, "tasks": tasks, "mib_returned": measured["mib_returned"] * tasks / measured["tasks"]}
