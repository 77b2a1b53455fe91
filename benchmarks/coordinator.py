"""Measure the CPU time that coordinator and scheduler need per task, with simulated workers.

``python -m benchmarks.coordinator 256`` starts a scheduler, and a single process that contains 256 workers. Each task
only sleeps, so this machine can simulate many more workers than it has cores. Tasks are sent by
`anonset.data.storage.cluster`, as in a real run. If the measured time is close to ``ideal_seconds``, the coordinator is
fast enough for this number of workers.
"""

import asyncio
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from anonset.data.storage.cluster import ClusterWorkers
from anonset.data.storage.scheduler import cluster_of
from anonset.data.storage.store import Files
from anonset.errors import InputError

TASKS_PER_WORKER = 8
"""Number of tasks per worker."""
SECONDS = 2.0
"""Duration of a task in seconds."""


_QUIET = {
    "DASK_DISTRIBUTED__WORKER__PROFILE__ENABLED": "false",
    "DASK_DISTRIBUTED__ADMIN__TICK__INTERVAL": "5s",
    "DASK_DISTRIBUTED__ADMIN__SYSTEM_MONITOR__INTERVAL": "60s",
}
"""Environment variables that disable the self-monitoring of workers, because a single process contains all workers."""


async def serve(address: str, n: int, folder: str) -> None:
    """Run `n` workers in this process until the process is killed."""
    from distributed import Worker

    options: dict[str, Any] = {"nthreads": 1, "host": "127.0.0.1", "memory_limit": 0, "local_directory": folder}
    workers: list[Any] = [Worker(address, dashboard=False, **options) for _ in range(n)]
    await asyncio.gather(*workers)
    await asyncio.gather(*(worker.finished() for worker in workers))


@contextmanager
def _connected(address: str, n: int) -> Iterator[Any]:
    """Connect to a scheduler, wait for `n` workers, and yield the client. Repeats the connection until the scheduler
    has started.
    """
    with ExitStack() as stack:
        for attempt in range(30):
            try:
                client = stack.enter_context(cluster_of(address))
                break
            except InputError:
                if attempt == 29:
                    raise
        client.wait_for_workers(n, timeout=300)
        yield client


def _cpu(process: int) -> float:
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def measure(n: int) -> dict[str, float]:
    """Run sleeping tasks on `n` workers, and return the wall time and the CPU time per task."""
    started = list[subprocess.Popen[bytes]]()

    def start(*command: str) -> int:
        started.append(
            subprocess.Popen([sys.executable, "-m", *command], stderr=subprocess.DEVNULL, env={**os.environ, **_QUIET})
        )
        return started[-1].pid

    with socket.create_server(("127.0.0.1", 0)) as free:
        port = str(free.getsockname()[1])
    address = f"tcp://127.0.0.1:{port}"
    try:
        scheduler = start("distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", port, "--no-dashboard")
        with Files.temporary() as store:
            start("benchmarks.coordinator", str(n), address, str(store.path))
            with _connected(address, n) as client, ClusterWorkers(client, store) as workers:
                list(workers.map(time.sleep, [0.0] * n))  # the first task of a worker checks its version
                wall, own, other = time.perf_counter(), time.process_time(), _cpu(scheduler)
                tasks = TASKS_PER_WORKER * n
                for _ in workers.map(time.sleep, [SECONDS] * tasks):
                    pass
                return {
                    "workers": n,
                    "tasks": tasks,
                    "ideal_seconds": TASKS_PER_WORKER * SECONDS,
                    "seconds": time.perf_counter() - wall,
                    "coordinator_ms_per_task": 1000 * (time.process_time() - own) / tasks,
                    "scheduler_ms_per_task": 1000 * (_cpu(scheduler) - other) / tasks,
                }
    finally:
        for process in started:
            process.kill()
            process.wait()


if __name__ == "__main__":
    if len(sys.argv) > 2:
        asyncio.run(serve(sys.argv[2], int(sys.argv[1]), sys.argv[3]))
    else:
        for name, value in measure(int(sys.argv[1])).items():
            sys.stdout.write(f"{name} {value:.4g}\n")
