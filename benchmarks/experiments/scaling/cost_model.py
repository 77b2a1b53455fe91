"""Cost model of an out-of-core search. It predicts CPU seconds from counted work, and is fitted to measured runs."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields

import numpy as np
from benchmarks.experiments.cases import Measured
from scipy.optimize import nnls

from anonset.data.storage.cluster import tasks_of_pass


@dataclass(frozen=True)
class Run:
    """Engine and measured quantities of a run."""

    engine: str
    measured: Measured

    @property
    def work(self) -> tuple[float, ...]:
        """Amounts of work of the run, in the order of the fields of `CostModel`. Tasks cost time only on clusters."""
        found = self.measured
        counted = [found[name] for name in ("codes", "cells_of_larger_sets", "raised", "gib_of_records")]
        return 1.0, *counted, found["items"], found["mib_returned"], found["tasks"] if self.engine == "cluster" else 0.0


@dataclass(frozen=True)
class CostModel:
    """CPU seconds per unit of each kind of work. All fields are non-negative."""

    search: float
    """CPU seconds per search, independent of the data size."""
    code: float
    """CPU seconds per node of a record, in each pass that counts sets of this record."""
    cell_of_larger_sets: float
    """CPU seconds per access to a cell in a table of sets of size 3 or more."""
    raised: float
    """CPU seconds per increment of a table counter."""
    gib_of_records: float
    """CPU seconds per GiB of records that a pass reads."""
    item: float
    """CPU seconds per item or inner node of the hierarchy."""
    mib_of_tables: float
    """CPU seconds per MiB of results, such as tables, that tasks return and the coordinator merges."""
    task: float
    """CPU seconds per task that is sent to another process, including the transfer of its results."""

    @classmethod
    def fitted(cls, runs: Iterable[Run]) -> "CostModel":
        """Return the model with the smallest sum of squared relative errors."""
        rows = [(run.work, float(run.measured["seconds"])) for run in runs]
        found, _ = nnls(np.array([np.array(work) / seconds for work, seconds in rows]), np.ones(len(rows)))
        return cls(*found.tolist())

    @property
    def costs(self) -> Sequence[float]:
        """All costs in the order of the fields."""
        return tuple(getattr(self, field.name) for field in fields(self))

    def cpu_seconds(self, run: Run) -> float:
        """Return the predicted CPU seconds of a run."""
        return float(np.dot(run.work, self.costs))

    def wall_seconds(self, measured: Measured, workers: int) -> float:
        """Predict the wall-clock seconds of a run on a cluster of `workers` single-core workers with their own records.

        Work of the coordinator is not divided. Assumes that disks and the network are fast enough.
        """
        search, codes, cells, raised, records, *undivided = (
            amount * cost for amount, cost in zip(Run("cluster", measured).work, self.costs, strict=True)
        )
        return search + sum(undivided) + (codes + cells + raised + records) / workers


def scaled(measured: Measured, times: int, workers: int) -> dict[str, float]:
    """Return the work of a run with `times` times as many records on `workers` workers.

    The number of passes does not change. Each pass is divided among the workers. The number of
    returned bytes and increments per task does not change, because counters stop at k.
    """
    grown = {name: measured[name] * times for name in ("codes", "cells_of_larger_sets", "gib_of_records")}
    tasks = measured["passes"] * tasks_of_pass(workers)
    of_tasks = {name: measured[name] * tasks / measured["tasks"] for name in ("raised", "mib_returned")}
    return {**grown, "items": measured["items"], "tasks": tasks, **of_tasks}
