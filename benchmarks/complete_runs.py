"""Cost model of complete runs on a cluster, with the CPU seconds of coordinator and workers in each phase.

``python -m benchmarks.complete_runs DATA`` runs `anonset anonymize` on the first files of a folder of Parquet files, on
a TCP cluster of two workers with one thread. It fits CPU seconds, bytes and tasks of each phase to the number of
records, compares the model with runs that it was not fitted to, and predicts larger runs. All figures come from the
last line of ``--log-format json``.
"""

import json
import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import nnls

FITTED, HELD_OUT = (0.05, 0.1, 0.3, 0.6), (0.2, 1.0)
"""Shares of the files that runs read. The model is fitted to the first runs, and compared with the other runs."""
PREDICTED = tuple((10**n, workers) for n in (9, 10, 11) for workers in (16, 256))
MILLION = 1e6
QUANTITIES = ("coordinator", "workers", "tasks", "bytes_sent", "bytes_written")
JOB = ["--items", "items", "--unit", "row", "--hierarchy", "items=balanced:5", "--model", "km", "--algorithm"]
JOB += ["apriori", "--k", "5", "--m", "2", "--part-rows", "1000000", "--format", "parquet", "--memory-limit", "1G"]
_ROWS_PER_TASK, _MOST_MAPPED = 1 << 20, 65_530
"""Number of records of a task, and the usual Linux limit on memory maps of a process (vm.max_map_count)."""


@dataclass(frozen=True)
class Run:
    """Figures of a complete run."""

    records: int
    phases: Mapping[str, Mapping[str, float]]
    """`QUANTITIES` of each phase. The phase ``start`` contains the CPU seconds outside of all other phases."""

    def total(self, quantity: str) -> float:
        """Return the sum over the phases."""
        return sum(phase[quantity] for phase in self.phases.values())


@contextmanager
def cluster(folder: Path, workers: int = 2) -> Iterator[str]:
    """Start a scheduler and workers, and yield the address of the scheduler."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = str(free.getsockname()[1])
    address = f"tcp://127.0.0.1:{port}"
    options = ["--nthreads", "1", "--no-nanny", "--no-dashboard", "--local-directory", str(folder)]
    programs = [["dask_scheduler", "--host", "127.0.0.1", "--port", port, "--no-dashboard"]]
    programs += [["dask_worker", address, *options]] * workers
    started = [
        subprocess.Popen([sys.executable, "-m", f"distributed.cli.{name}", *more], stderr=subprocess.DEVNULL)
        for name, *more in programs
    ]
    try:
        yield address
    finally:
        for process in started:
            process.kill()
            process.wait()


def run(files: Sequence[Path], address: str, folder: Path) -> Run:
    """Run a job on some files and return its figures."""
    data, out = folder / "data", folder / "out"
    data.mkdir()
    for path in files:
        (data / path.name).symlink_to(path.resolve())
    command = [sys.executable, "-m", "anonset", "anonymize", str(data), *JOB, "-o", str(out), "--cluster", address]
    command += ["--work-dir", str(folder / "work"), "--quiet", "--log-format", "json"]
    before = os.times()
    ended = subprocess.run(command, capture_output=True, text=True, check=True)
    after = os.times()
    end = json.loads(ended.stderr.splitlines()[-1])
    nothing = dict.fromkeys(("count", "cpu_seconds", "bytes_sent", "bytes_written"), 0)
    phases, total = dict[str, Mapping[str, float]](), 0.0
    for phase in end["phases"]:
        cpu, tasks = phase["cpu_seconds"] or 0.0, phase.get("tasks", nothing)
        figures = (cpu, tasks["cpu_seconds"], tasks["count"], tasks["bytes_sent"], tasks["bytes_written"])
        phases[phase["phase"]] = dict(zip(QUANTITIES, figures, strict=True))
        total += cpu
    used = after.children_user + after.children_system - before.children_user - before.children_system
    phases["start"] = {**dict.fromkeys(QUANTITIES, 0.0), "coordinator": max(0.0, used - total)}
    return Run(end["records"], phases)


class Model:
    """Linear model of the time, bytes and tasks of each phase.

    A prediction is a constant plus a cost per record. The prediction for sorting also has a cost per comparison.
    """

    def __init__(self, runs: Sequence[Run]) -> None:
        self.names = list(runs[0].phases)
        self.prices = {
            (name, quantity): self._fitted(runs, name, quantity) for name in self.names for quantity in QUANTITIES
        }

    def _fitted(self, runs: Sequence[Run], name: str, quantity: str) -> NDArray[np.float64]:
        values = np.array([one.phases[name][quantity] for one in runs])
        weight = 1 / np.maximum(values, values.max(initial=0) / 100 + 1e-9)  # minimize relative errors
        terms = np.array([_terms(one.records) for one in runs])
        prices: NDArray[np.float64] = nnls(terms * weight[:, None], values * weight)[0]
        return prices

    def of(self, records: float, name: str, quantity: str) -> float:
        """Return the predicted value of a quantity of a phase, such as ``tasks``."""
        return float(np.dot(_terms(records), self.prices[name, quantity]))

    def total(self, records: float, quantity: str) -> float:
        """Return the predicted sum of a quantity over the phases."""
        return sum(self.of(records, name, quantity) for name in self.names)

    def seconds(self, records: float, workers: int) -> float:
        """Return the elapsed seconds. Assumes that each worker has a core, and reads and writes as fast as measured."""
        return self.total(records, "coordinator") + self.total(records, "workers") / workers


def _terms(records: float) -> tuple[float, float]:
    return 1.0, records / MILLION


def table(head: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """Return a Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(map(str, line))} |" for line in lines)


def account(fitted: Sequence[Run], held_out: Sequence[Run]) -> str:
    """Return the measured runs, the model, the predictions and the limits of the predictions as Markdown."""
    model = Model(fitted)
    measured = [
        (f"{one.records:,}", use, *(f"{one.total(name):.1f}" for name in QUANTITIES[:2]), int(one.total("tasks")),
         f"{one.total('bytes_sent') / MILLION:.2f}",
         *(f"{model.total(one.records, name) / one.total(name):.2f}" for name in QUANTITIES[:2]))
        for use, runs in (("fitted", fitted), ("held out", held_out)) for one in runs
    ]  # fmt: skip
    prices = [
        (name, *(f"{model.prices[name, quantity][term]:.3f}" for quantity in QUANTITIES[:2] for term in (0, 1)))
        for name in model.names
    ]
    predicted = []
    for records, workers in PREDICTED:
        cpu = sum(model.total(records, name) for name in QUANTITIES[:2])
        predicted.append(
            (f"{records:.0e}", workers, f"{cpu:,.0f}", f"{model.seconds(records, workers):,.0f}",
             f"{model.total(records, 'workers') / cpu:.1%}", f"{model.total(records, 'tasks'):,.0f}",
             f"{model.total(records, 'bytes_sent') / MILLION:,.0f}")
        )  # fmt: skip
    ratios = [model.total(one.records, name) / one.total(name) for one in held_out for name in QUANTITIES[:2]]
    return "\n\n".join(
        (
            table(
                ("records", "use", "coordinator s", "workers s", "tasks", "MB sent", "model/coordinator",
                 "model/workers"), measured,
            ),
            "For runs that were not used to fit it, the model is wrong by at most a factor of "
            f"{max(max(r, 1 / r) for r in ratios):.2f}.",
            table(
                ("phase", "coordinator s", "s per 10^6 records", "workers s", "s per 10^6 records"), prices,
            ),
            table(
                ("records", "workers", "CPU s", "elapsed s", "share of parallel work", "tasks", "MB sent"), predicted
            ),
            f"Sorting needs a memory map for each task. Above {_MOST_MAPPED * _ROWS_PER_TASK:.1e} records, "
            "the number of maps exceeds the usual limit of Linux.",
        )
    )  # fmt: skip


def main(source: Path, results: Path | None) -> None:
    """Measure the runs, print the tables with the cost model, and store the figures in `results`."""
    files = sorted(source.glob("*.parquet"))
    runs = dict[float, Run]()
    with tempfile.TemporaryDirectory() as name, cluster(Path(name)) as address:
        for share in sorted((*FITTED, *HELD_OUT)):
            folder = Path(name) / f"{share}"
            folder.mkdir()
            runs[share] = run(files[: max(1, round(share * len(files)))], address, folder)
            if results is not None:
                with results.open("a") as file:
                    file.write(f"{json.dumps(asdict(runs[share]))}\n")
    fitted, held_out = ([runs[share] for share in shares] for shares in (FITTED, HELD_OUT))
    sys.stdout.write(account(fitted, held_out) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]) if len(sys.argv) > 2 else None)
