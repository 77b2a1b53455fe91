"""Measure time, CPU time and peak private memory of a command and of all its child processes.

Private memory is anonymous and shared memory. Pages of mapped files do not count, because the system reclaims them on
demand.

``python -m benchmarks.process_tree BYTES COMMAND ...`` runs a command under a memory limit that includes page cache,
and prints the bytes that it reads from the disk and writes to the disk.
"""

import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

_GROUPS, _PROC = Path("/sys/fs/cgroup"), Path("/proc")
_SECONDS_BETWEEN, _BLOCK = 0.02, 512
_JOIN = 'echo $$ > "$0" && exec "$@"'


@dataclass(frozen=True)
class Took:
    """Resources used by a command."""

    code: int
    """Exit code, or the negative number of the signal that ended the command."""
    seconds: float
    """Wall-clock seconds."""
    cpu_seconds: float
    """CPU seconds of all processes on all cores. Excludes processes that have not ended."""
    read: int
    """Bytes read from the disk."""
    written: int
    """Bytes written to the disk."""
    peak: int
    """Largest observed sum of anonymous and shared memory of all processes, in bytes."""
    output: str
    errors: str


@dataclass(frozen=True)
class Group:
    """A control group that limits the memory of a process tree."""

    path: Path
    first: bool
    """True if the system uses version 1 of control groups."""

    @property
    def own_bytes(self) -> int:
        """Anonymous and shared memory of the processes, in bytes."""
        lines = (line.split() for line in (self.path / "memory.stat").read_text().splitlines())
        stat = {name: int(value) for name, value in lines}
        return stat["total_rss"] + stat["total_shmem"] if self.first else stat["anon"] + stat["shmem"]

    def limit(self, most: int) -> None:
        """Let the kernel kill a process if the group needs more than `most` bytes without the page cache."""
        (self.path / ("memory.limit_in_bytes" if self.first else "memory.max")).write_text(str(most))


@contextmanager
def group() -> Iterator[Group | None]:
    """Yield a control group below the group of this process, and remove it at the end.

    Yield None if the system does not permit control groups.
    """
    found = _own_group()
    if found is None:
        yield None
        return
    parent, first = found
    try:
        path = Path(tempfile.mkdtemp(prefix="anonset-", dir=parent))
    except OSError:
        yield None
        return
    try:
        made = Group(path, first)
        yield made if (path / "memory.stat").exists() and (path / "cgroup.procs").exists() else None
    finally:
        path.rmdir()


def _own_group() -> tuple[Path, bool] | None:
    """Return the memory control group of this process, and whether it has version 1."""
    try:
        lines = [line.split(":", 2) for line in (_PROC / "self/cgroup").read_text().splitlines()]
    except OSError:
        return None
    for _, controllers, path in lines:
        if "memory" in controllers.split(","):
            return _GROUPS / "memory" / path.lstrip("/"), True
    return next((_GROUPS / path.lstrip("/") for _, controllers, path in lines if not controllers), None), False  # type: ignore[return-value]


def run(command: Sequence[str], *, limit: int | None = None, env: Mapping[str, str] | None = None) -> Took:
    """Run a command.

    Parameters
    ----------
    limit
        Memory limit in bytes, enforced by the kernel.

    Raises
    ------
    RuntimeError
        If there is a limit, and control groups are not available.
    """
    with group() as made, tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        if limit is not None:
            if made is None:
                msg = "control groups are not available, so a memory limit cannot be enforced"
                raise RuntimeError(msg)
            made.limit(limit)
        began = time.perf_counter()
        joined = command if made is None else ["sh", "-c", _JOIN, str(made.path / "cgroup.procs"), *command]
        process = subprocess.Popen(joined, stdin=subprocess.DEVNULL, stdout=output, stderr=errors, env=env)
        peak, code, usage = _watched(process.pid, (lambda: made.own_bytes) if made else lambda: tree_bytes(process.pid))
        process.returncode = code
        seconds = time.perf_counter() - began
        for file in (output, errors):
            file.seek(0)
        cpu, read, written = usage.ru_utime + usage.ru_stime, _BLOCK * usage.ru_inblock, _BLOCK * usage.ru_oublock
        return Took(code, seconds, cpu, read, written, peak, output.read().decode(), errors.read().decode())


def _watched(pid: int, own_bytes: Callable[[], int]) -> tuple[int, int, resource.struct_rusage]:
    """Wait for a process. Return the observed peak, the exit code and the used resources."""
    peak = 0
    while True:
        ended, status, usage = os.wait4(pid, os.WNOHANG)
        if ended:
            return peak, os.waitstatus_to_exitcode(status), usage
        peak = max(peak, own_bytes())
        time.sleep(_SECONDS_BETWEEN)


def tree_bytes(pid: int) -> int:
    """Return the anonymous and shared memory of a process and its descendants in bytes. Shared memory counts once."""
    return sum(map(_own_bytes, family(pid)))


def family(pid: int) -> list[int]:
    """Return a process and its descendants."""
    below: dict[int, list[int]] = {}
    for path in _PROC.glob("[0-9]*/stat"):
        try:
            parent = int(path.read_text().rsplit(")", 1)[1].split()[1])
        except (OSError, IndexError):
            continue
        below.setdefault(parent, []).append(int(path.parent.name))
    found = [pid]
    for one in found:
        found += below.get(one, [])
    return found


def _own_bytes(pid: int) -> int:
    try:
        lines = (_PROC / str(pid) / "smaps_rollup").read_text().splitlines()
    except OSError:  # the process has ended
        return 0
    return sum(int(line.split()[1]) << 10 for line in lines if line.startswith(("Pss_Anon:", "Pss_Shmem:")))


if __name__ == "__main__":
    took = run(sys.argv[2:], limit=int(sys.argv[1]))
    print(took.output, took.errors, f"read {took.read:,} bytes, wrote {took.written:,} bytes", sep="\n")  # noqa: T201
    sys.exit(took.code)
