"""Memory and CPU time of this process, and of its tasks in other processes."""

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, Self

_SECONDS_BETWEEN = 0.05
_STATUS, _FORGET = Path("/proc/self/status"), Path("/proc/self/clear_refs")
_PROCESS_IO, _THREAD_IO = Path("/proc/self/io"), Path("/proc/thread-self/io")


@dataclass
class TaskUsage:
    """Resources of tasks that ran in other processes.

    >>> total = TaskUsage(1, 0.5, peak_memory=7)
    >>> total.add(TaskUsage(1, 0.25, peak_memory=5))
    >>> total.since(TaskUsage(1, 0.5))
    TaskUsage(count=1, cpu_seconds=0.25, bytes_read=0, bytes_written=0, bytes_sent=0, peak_memory=7)
    """

    count: int = 0
    """Number of finished tasks."""
    cpu_seconds: float = 0.0
    bytes_read: int = 0
    """Bytes read by system calls, without mapped files."""
    bytes_written: int = 0
    """Bytes written by system calls, without mapped files."""
    bytes_sent: int = 0
    """Bytes of the functions, tasks and results that passed through the scheduler."""
    peak_memory: int = 0
    """Largest memory of a worker process in bytes (see `PeakMemory`)."""

    def add(self, other: "TaskUsage") -> None:
        """Add the resources of other tasks."""
        for field in fields(self):
            mine, theirs = getattr(self, field.name), getattr(other, field.name)
            setattr(self, field.name, max(mine, theirs) if field.name == "peak_memory" else mine + theirs)

    def figures(self) -> dict[str, Any]:
        """Return all values by name. CPU seconds are rounded to milliseconds."""
        return {**asdict(self), "cpu_seconds": round(self.cpu_seconds, 3)}

    def since(self, before: "TaskUsage") -> Self:
        """Return the resources used since an earlier measurement. The peak memory also covers tasks before that
        measurement.
        """
        values = {f.name: getattr(self, f.name) - getattr(before, f.name) for f in fields(self)}
        return type(self)(**{**values, "peak_memory": self.peak_memory})


REMOTE_TASKS = TaskUsage()
"""Resources used by all tasks that other processes ran for this process."""


@contextmanager
def measured(*, alone: bool) -> Iterator[TaskUsage]:
    """Yield an object for the resources of a task. Its values are set at the end of the block.

    Parameters
    ----------
    alone
        True if the process runs one task at a time. CPU time and data transfer are then measured for all threads. If
        False, they are measured only for the current thread.
    """
    usage, memory, clock = TaskUsage(1), PeakMemory(), time.process_time if alone else time.thread_time
    cpu, (read, written) = clock(), transferred(thread=not alone)
    with memory.watched():
        yield usage
    usage.cpu_seconds, usage.peak_memory = clock() - cpu, memory.peak or 0
    now_read, now_written = transferred(thread=not alone)
    usage.bytes_read, usage.bytes_written = now_read - read, now_written - written


def transferred(*, thread: bool = False) -> tuple[int, int]:
    """Return the bytes that this process or thread has read and written by system calls. Return zeros if they are
    unknown.

    Mapped files are not counted.
    """
    try:
        counts = dict(line.split(": ") for line in (_THREAD_IO if thread else _PROCESS_IO).read_text().splitlines())
    except OSError:
        return 0, 0
    return int(counts["rchar"]), int(counts["wchar"])


def disk_usage(folder: Path) -> int:
    """Return the disk usage of a directory with its subdirectories, in bytes."""
    sizes = list[int]()
    for path in folder.rglob("*"):
        with suppress(FileNotFoundError):  # threads or workers may delete files at the same time
            sizes.append(path.lstat().st_blocks * 512)
    return sum(sizes)


class PeakMemory:
    """Peak memory of this process: anonymous and shared memory.

    Pages of mapped files are excluded because the system can reclaim them. Linux reports anonymous and shared memory
    without a peak value. A thread therefore reads the memory twenty times a second, which takes about 15 µs each time.
    On other systems the peak is the largest resident memory.
    """

    def __init__(self) -> None:
        self.peak: int | None = None
        """Peak in bytes. None before the first sample, or if the system does not report memory."""
        self._deep = 0

    def look(self) -> int | None:
        """Sample the memory and return the peak."""
        used = own_memory()
        used = peak_memory() if used is None else used
        self.peak = used if used is None or self.peak is None else max(self.peak, used)
        return self.peak

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Sample the memory periodically and at the end of the ``with`` statement. The statements may be nested."""
        ended, watcher = threading.Event(), None
        if not self._deep and own_memory() is not None:
            watcher = threading.Thread(target=self._watch, args=(ended,), name="anonset-memory", daemon=True)
            watcher.start()
        self._deep += 1
        try:
            yield
        finally:
            self._deep -= 1
            ended.set()
            if watcher is not None:
                watcher.join()
            self.look()

    def _watch(self, ended: threading.Event) -> None:
        while not ended.wait(_SECONDS_BETWEEN):
            self.look()


def own_memory() -> int | None:
    """Return the anonymous and shared memory of this process in bytes, or None if the system does not report memory."""
    try:
        lines = [line.split() for line in _STATUS.read_text().splitlines()]
    except OSError:
        return None
    sizes = [int(line[1]) * 1024 for line in lines if line[:1] in (["RssAnon:"], ["RssShmem:"])]
    return sum(sizes) if sizes else None


def forget_peak() -> None:
    """Reset the peak memory to the current memory, if the system supports it (Linux)."""
    try:
        _FORGET.write_text("5")
    except OSError:
        return


def peak_memory() -> int | None:
    """Return the largest resident memory of this process in bytes, or None if the system does not report memory.

    On Linux, VmHWM is used, because `getrusage` includes the peak of the parent process.
    """
    if _STATUS.exists():
        for line in _STATUS.read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    try:
        import resource
    except ImportError:
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
