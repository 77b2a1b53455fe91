"""A scheduler and workers that run as programs, so that a test decides when a worker ends and is replaced."""

import os
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Self

import distributed  # noqa: F401  # Dask's settings are complete before a test changes them

from anonset.data.storage.scheduler import CERTIFICATES, cluster_of


def free_port() -> int:
    """Return a port that no program uses."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        return int(free.getsockname()[1])


class Programs:
    """A scheduler, and the workers that a test starts. Leaving the block kills them.

    Parameters
    ----------
    folder
        Directory for files of the workers.
    port
        Port of the scheduler. By default a free port.
    certificates
        Directory with certificates for TLS. By default without TLS.
    """

    def __init__(self, folder: Path, port: int | None = None, certificates: Path | None = None) -> None:
        self._folder, self._certificates = folder, certificates
        self._port = free_port() if port is None else port
        protocol = "tcp" if certificates is None else "tls"
        self.address = f"{protocol}://127.0.0.1:{self._port}"
        options = ("--protocol", protocol, "--host", "127.0.0.1", "--port", f"{self._port}")
        self.scheduler = self._start("scheduler", *options)
        self.workers = list[subprocess.Popen[bytes]]()

    def _start(self, program: str, *options: str, **environment: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", f"distributed.cli.dask_{program}", *options, "--no-dashboard"]
        if self._certificates is not None:
            names = ("--tls-ca-file", "--tls-cert", "--tls-key")
            for name, file in zip(names, CERTIFICATES, strict=True):
                command += [name, str(self._certificates / file)]
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        return subprocess.Popen(command, **quiet, env={**os.environ, **environment})

    def worker(self, **environment: str) -> subprocess.Popen[bytes]:
        """Start a worker with one thread."""
        options = ("--nthreads", "1", "--no-nanny", "--local-directory", str(self._folder))
        self.workers.append(self._start("worker", self.address, *options, **environment))
        return self.workers[-1]

    def complete(self, workers: int) -> None:
        """Start workers until this many run, and wait for them."""
        for _ in range(workers - sum(worker.poll() is None for worker in self.workers)):
            self.worker()
        self.wait(workers)

    def wait(self, workers: int) -> None:
        """Wait until the scheduler answers and knows some workers."""
        end = time.monotonic() + 120
        while True:
            try:
                socket.create_connection(("127.0.0.1", self._port), 1).close()
                break
            except OSError:
                if time.monotonic() > end:
                    raise
                time.sleep(0.1)
        certificates = None if self._certificates is None else str(self._certificates)
        with cluster_of(self.address, certificates) as client:
            client.wait_for_workers(workers, timeout=120)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for process in (self.scheduler, *self.workers):
            process.kill()
            process.wait()
