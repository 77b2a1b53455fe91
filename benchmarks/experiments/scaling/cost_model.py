"""What a search by blocks costs, from the work that it counts: fitted on measured runs, and asked about others."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields

import numpy as np
from benchmarks.experiments.cases import Measured
from scipy.optimize import nnls

from anonset.data.cluster import tasks_of_pass


@dataclass(frozen=True)
class Run:
    """One run: its engine, and what was measured."""

    engine: str
    measured: Measured

    @property
    def work(self) -> tuple[float, ...]:
        """The work of a run, in the order of the fields of `CostModel`: to send tasks away costs on a cluster alone."""
        found = self.measured
        counted = [found[name] for name in ("codes", "cells_of_larger_sets", "raised", "gib_of_records")]
        return 1.0, *counted, found["items"], found["mib_returned"], found["tasks"] if self.engine == "cluster" else 0.0


@dataclass(frozen=True)
class CostModel:
    """CPU seconds of each kind of work; none is negative."""

    search: float
    """Of a search, whatever its size."""
    code: float
    """Of a node of a record of which sets are counted, in each pass."""
    cell_of_larger_sets: float
    """Of a look at a cell of a table of sets of 3 and more."""
    raised: float
    """Of raising a counter of a table."""
    gib_of_records: float
    """Of reading a GiB of records in a pass over them."""
    item: float
    """Of an item of the universe, with its nodes."""
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
        search, codes, cells, raised, records, *undivided = (
            amount * cost for amount, cost in zip(Run("cluster", measured).work, self.costs, strict=True)
        )
        return search + sum(undivided) + (codes + cells + raised + records) / workers


def scaled(measured: Measured, times: int, workers: int) -> dict[str, float]:
    """Return the work of a run over so many times the records on so many workers.

    The passes stay as many; each is divided among the workers, and each of its tasks returns as much as before, and
    raises as many counters: these stop at k.
    """
    grown = {name: measured[name] * times for name in ("codes", "cells_of_larger_sets", "gib_of_records")}
    tasks = measured["passes"] * tasks_of_pass(workers)
    of_tasks = {name: measured[name] * tasks / measured["tasks"] for name in ("raised", "mib_returned")}
    return {**grown, "items": measured["items"], "tasks": tasks, **of_tasks}
