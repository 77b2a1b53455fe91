"""Measure CPU seconds of all processes, and counted work, of the out-of-core search of AA."""

import os
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.experiments.cases import Measured, Parameters
from benchmarks.experiments.scaling.counted import Counted

if TYPE_CHECKING:
    from anonset import Table

CpuSeconds = Callable[[], float]
_SMALL = 30_000
"""Number of records of the small search that loads the kernels."""


def measure_by_blocks(parameters: Parameters) -> Measured:
    """Generate baskets in parts, write them to a work directory, and search them, after a small search.

    Parameters
    ----------
    parameters
        ``engine`` (``threads`` or ``cluster``), ``workers``, ``generator``, ``records``, ``k``, ``m`` and ``fanout``;
        others, such as ``n_items`` and ``avg_length``, are passed to the generator.
    """
    own = {"engine", "workers", "generator", "records", "k", "m", "fanout"}
    given = {name: value for name, value in parameters.items() if name not in own}
    with tempfile.TemporaryDirectory() as folder:
        small, table = (_table(Path(folder), parameters, given, n) for n in (_SMALL, parameters["records"]))
        began = time.perf_counter()
        with _engine(parameters, small) as (workers_of, cpu_seconds):
            start_up = time.perf_counter() - began
            before, began = cpu_seconds(), time.perf_counter()
            counted, increments, fixes = _search(parameters, table, workers_of)
            wall, cpu = time.perf_counter() - began, cpu_seconds() - before
    return {
        "seconds": cpu,
        "seconds_of_wall": wall,
        "seconds_of_start_up": start_up,
        "microseconds_per_record": cpu / parameters["records"] * 1e6,
        "increments": increments,
        "records": parameters["records"],
        "items": 0 if table.transactions is None else len(table.transactions.vocabulary),
        "fixes": fixes,
        **counted.figures,
    }


def _table(folder: Path, parameters: Parameters, given: dict[str, Any], records: int) -> "Table":
    from anonset.data.resumption.ledger import READ, Ledger
    from anonset.data.storage.store import Files
    from anonset.reading.options import ReadOptions
    from anonset.reading.table_builder import gather_files
    from anonset_datasets.generators.parts import make_parts

    data = folder / f"{records}"
    make_parts(parameters["generator"], data, {**given, "n": records})
    store = Files.create(folder / f"{records}-work")
    table = gather_files(str(data), ReadOptions(items="items"), store)
    Ledger(store).finish(READ, table)
    return table


def _search(parameters: Parameters, table: "Table", workers_of: Any) -> tuple[Counted, float, int]:
    from anonset import Apriori, Hierarchy
    from anonset.algorithms.transaction.cuts.checkpoints import STEP
    from anonset.data.resumption.ledger import file_of
    from anonset.data.storage.store import Files

    column = table.transactions
    if column is None or not isinstance(table.store, Files):
        msg = "baskets have items, and lie in files"
        raise RuntimeError(msg)
    hierarchy = Hierarchy.balanced(column.vocabulary.labels, parameters["fanout"])
    table.store.drop(file_of(STEP))  # results of the previous search
    with workers_of(table.store) as inner:
        counted = Counted(inner)
        algorithm = Apriori(k=parameters["k"], m=parameters["m"])
        result = algorithm.recode(table.with_workers(counted), {column.name: hierarchy})
    return counted, float(result.figures["increments"]), len(result.trace)


@contextmanager
def _engine(parameters: Parameters, small: "Table") -> Iterator[tuple[Any, CpuSeconds]]:
    """Yield a factory of workers for a work directory, and a function that returns the CPU seconds of all processes.

    First searches a small table in each process.
    """
    from anonset.data.storage.cluster import ClusterWorkers
    from anonset.data.storage.scheduler import cluster_of
    from anonset.data.storage.store import Files
    from anonset.data.storage.workers import Threads

    workers = parameters["workers"]
    _search(parameters, small, lambda _: nullcontext(Threads(workers)))
    if parameters["engine"] == "threads":
        yield lambda _: nullcontext(Threads(workers)), time.process_time
        return
    with cluster_of(f"local:{workers}") as client:
        pids = list(client.run(os.getpid).values())
        client.run(_search_again, dict(parameters), str(small.store.path) if isinstance(small.store, Files) else "")

        yield partial(ClusterWorkers, client), lambda: time.process_time() + sum(map(_cpu_seconds, pids))


def _search_again(parameters: Parameters, work: str) -> None:
    """Search the table that is stored in a work directory. Runs on a worker."""
    from anonset.data.resumption.ledger import READ, Ledger
    from anonset.data.storage.store import Files
    from anonset.data.storage.workers import Threads

    _search(parameters, Ledger(Files(Path(work))).finished(READ), lambda _: nullcontext(Threads(2)))


def _cpu_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
