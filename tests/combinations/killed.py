"""Kill a run in a forked process at one of its stages, and start one cluster for all jobs."""

import atexit
import os
import random
import signal
import time
from collections.abc import Callable
from typing import Any

STAGES = 8
"""A run is killed at one of its first stages: begins of phases, stored steps, the renaming."""
PATIENCE = 120.0
"""Seconds after which a forked process is killed in any case."""


def kill_within(run: Callable[[], Any], seed: object) -> None:
    """Call a function in a forked process that is killed at a stage drawn by the seed."""
    number = random.Random(f"killed {seed}").randint(1, STAGES)
    if not (child := os.fork()):
        code = 1
        try:
            _count_down(number)
            code = 0
            run()
        finally:
            os._exit(code)
    end = time.monotonic() + PATIENCE
    while (ended := os.waitpid(child, os.WNOHANG)) == (0, 0):
        if time.monotonic() > end:
            os.kill(child, signal.SIGKILL)
        time.sleep(0.01)
    assert os.waitstatus_to_exitcode(ended[1]) != 1, "the stages of a run cannot be counted"


def _count_down(number: int) -> None:
    from anonset.data.resumption.ledger import Ledger
    from anonset.release.publishing.staging import Staging
    from anonset.release.stopwatch import Stopwatch

    left = [number]
    for where, name in ((Stopwatch, "phase"), (Ledger, "finish"), (Staging, "rename")):
        real: Any = getattr(where, name)

        def counted(*given: Any, real: Any = real, **more: Any) -> Any:
            result = real(*given, **more)
            left[0] -= 1
            if not left[0]:
                os._exit(9)
            return result

        setattr(where, name, counted)


_ADDRESS: list[str] = []
"""Address of the cluster for all jobs. Empty if there is none yet."""


def prepare(address: str) -> None:
    """Prepare a process that judges jobs, with a cluster for all of them."""
    os.fsync = os.fstat  # type: ignore[assignment]  # only a power failure shows the difference
    _ADDRESS[:] = [address]


def scheduler() -> str:
    """Return the address of the cluster for all jobs. By default, start one with two processes."""
    if _ADDRESS:
        return _ADDRESS[0]
    from distributed import LocalCluster

    cluster = LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0")  # type: ignore[no-untyped-call]
    atexit.register(cluster.close)
    _ADDRESS[:] = [str(cluster.scheduler_address)]
    return _ADDRESS[0]
