"""What a command takes together with all processes that it starts: seconds, CPU seconds, and peak memory of their own.

Memory of their own is anonymous and shared memory. Pages of mapped files are not counted: the system takes them back
whenever it needs room.
"""

import os
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

_GROUPS, _PROC = Path("/sys/fs/cgroup"), Path("/proc")
_SECONDS_BETWEEN = 0.02
_JOIN = 'echo $$ > "$0" && exec "$@"'


@dataclass(frozen=True)
class Took:
    """What a command took."""

    code: int
    """Its exit code; below 0: the signal that ended it."""
    seconds: float
    """Wall-clock seconds."""
    cpu_seconds: float
    """Seconds on all cores, of all processes that were waited for."""
    peak: int
    """Largest sum of anonymous and shared memory of all processes that was seen, in bytes."""
    output: str
    errors: str


@dataclass(frozen=True)
class Group:
    """A control group that holds the memory of some processes to a limit."""

    path: Path
    first: bool
    """Whether it is of the first version of control groups."""

    @property
    def own_bytes(self) -> int:
        """Anonymous and shared memory of its processes, in bytes."""
        lines = (line.split() for line in (self.path / "memory.stat").read_text().splitlines())
        stat = {name: int(value) for name, value in lines}
        return stat["total_rss"] + stat["total_shmem"] if self.first else stat["anon"] + stat["shmem"]

    def limit(self, most: int) -> None:
        """Let the kernel end whoever takes more than so many bytes, once the page cache is given back."""
        (self.path / ("memory.limit_in_bytes" if self.first else "memory.max")).write_text(str(most))


@contextmanager
def group() -> Iterator[Group | None]:
    """Give a control group below the one of this process, which is empty in the end; None where none can be made."""
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
    """Return the directory of this process's control group of memory, and whether it is of the first version."""
    try:
        lines = [line.split(":", 2) for line in (_PROC / "self/cgroup").read_text().splitlines()]
    except OSError:
        return None
    for _, controllers, path in lines:
        if "memory" in controllers.split(","):
            return _GROUPS / "memory" / path.lstrip("/"), True
    return next((_GROUPS / path.lstrip("/") for _, controllers, path in lines if not controllers), None), False  # type: ignore[return-value]


def run(command: Sequence[str], *, limit: int | None = None, env: Mapping[str, str] | None = None) -> Took:
    """Run a command to its end.

    Parameters
    ----------
    limit
        Bytes above which the kernel ends it.

    Raises
    ------
    RuntimeError
        If there is to be a limit, and no control group can be made here.
    """
    with group() as made, tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        if limit is not None:
            if made is None:
                msg = "no control group can be made here: a limit cannot be held"
                raise RuntimeError(msg)
            made.limit(limit)
        began = time.perf_counter()
        joined = command if made is None else ["sh", "-c", _JOIN, str(made.path / "cgroup.procs"), *command]
        process = subprocess.Popen(joined, stdin=subprocess.DEVNULL, stdout=output, stderr=errors, env=env)
        peak, code, cpu = _watched(process.pid, (lambda: made.own_bytes) if made else lambda: tree_bytes(process.pid))
        process.returncode = code
        seconds = time.perf_counter() - began
        for file in (output, errors):
            file.seek(0)
        return Took(code, seconds, cpu, peak, output.read().decode(), errors.read().decode())


def _watched(pid: int, own_bytes: Callable[[], int]) -> tuple[int, int, float]:
    """Wait for a process; return the peak of what is measured meanwhile, its exit code, and its CPU seconds."""
    peak = 0
    while True:
        ended, status, usage = os.wait4(pid, os.WNOHANG)
        if ended:
            return peak, os.waitstatus_to_exitcode(status), usage.ru_utime + usage.ru_stime
        peak = max(peak, own_bytes())
        time.sleep(_SECONDS_BETWEEN)


def tree_bytes(pid: int) -> int:
    """Return the anonymous and shared memory of a process and all below it, in bytes; what they share counts once."""
    return sum(map(_own_bytes, family(pid)))


def family(pid: int) -> list[int]:
    """Return a process and all below it."""
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
    except OSError:  # it has ended meanwhile
        return 0
    return sum(int(line.split()[1]) << 10 for line in lines if line.startswith(("Pss_Anon:", "Pss_Shmem:")))
