"""What a search by blocks costs, from the work that it counts: fitted on measured runs, and asked about others."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields

import numpy as np
from benchmarks.experiments.cases import Measured
from scipy.optimize import nnls

from anonset.data.spans import tasks_of_pass


@dataclass(frozen=True)
class Run:
    """One run: its engine, and what was measured."""

    engine: str
    measured: Measured

    @property
    def work(self) -> tuple[float, ...]:
        """The work of a run, in the order of the fields of `CostModel`: to send tasks away costs on a cluster alone."""
        found = self.measured
        sent = found["tasks"] if self.engine == "cluster" else 0.0
        larger, records = found["increments_of_larger_sets"], found["records"]
        codes = (2 * (found["increments"] - larger) * records) ** (1 / 2)
        of_larger = (6 * larger * records**2) ** (1 / 3)
        at_once = found["items"], found["fixes"], found["mib_returned"]
        return 1.0, codes, of_larger, found["gib_of_records"], *at_once, sent


@dataclass(frozen=True)
class CostModel:
    """CPU seconds of each kind of work; none is negative."""

    search: float
    """Of a search, whatever its size."""
    code: float
    """Of a code of a record: of as many as make the pairs that are counted, were all records equally long."""
    code_of_larger_sets: float
    """Of one of as many as make the larger sets that are counted, as if these were sets of 3."""
    gib_of_records: float
    """Of reading a GiB of records in a pass over them."""
    item: float
    """Of an item of the universe, with its nodes."""
    fix: float
    """Of a rare set that is fixed."""
    mib_of_tables: float
    """Of a MiB of tables, or of other results, that tasks make and that are put together."""
    task: float
    """Of sending a task to another process, and its results back."""

    @classmethod
    def fitted(cls, runs: Iterable[Run]) -> "CostModel":
        """Return the model whose relative errors have the least sum of squares."""
        rows = [(run.work, float(run.measured["seconds"])) for run in runs]
        found, _ = nnls(np.array([np.array(work) / seconds for work, seconds in rows]), np.ones(len(rows)))
        return cls(*found.tolist())

    @property
    def costs(self) -> Sequence[float]:
        """The fields."""
        return tuple(getattr(self, field.name) for field in fields(self))

    def cpu_seconds(self, run: Run) -> float:
        """Return the CPU seconds of a run."""
        return float(np.dot(run.work, self.costs))

    def wall_seconds(self, measured: Measured, workers: int) -> float:
        """Predict the wall-clock seconds of a run on a cluster of so many workers, each with a core and its records.

        What the coordinator does is not divided. Disks and the network are taken to keep up.
        """
        search, codes, larger, records, *undivided = (
            amount * cost for amount, cost in zip(Run("cluster", measured).work, self.costs, strict=True)
        )
        return search + sum(undivided) + (codes + larger + records) / workers


def scaled(measured: Measured, times: int, workers: int) -> dict[str, float]:
    """Return the work of a run over so many times the records on so many workers.

    The passes stay as many; each is divided among the workers, and each of its tasks returns as much as before.
    """
    grown = "increments", "increments_of_larger_sets", "gib_of_records", "records"
    grows = {name: measured[name] * times for name in grown}
    tasks = measured["passes"] * tasks_of_pass(workers)
    same = {name: measured[name] for name in ("items", "fixes")}
    return {**grows, **same, "tasks": tasks, "mib_returned": measured["mib_returned"] * tasks / measured["tasks"]}
