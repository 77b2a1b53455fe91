"""Seconds and peak memory of each phase of a run, with compilation as a separate phase."""

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path

from anonset.algorithms.base import Progress
from anonset_kernels._compiling import COMPILATION

COMPILING = "compiling"
"""Name of the compilation phase: it happens during other phases, whose seconds exclude it."""

_SECONDS_BETWEEN = 0.05
_STATUS, _FORGET = Path("/proc/self/status"), Path("/proc/self/clear_refs")


@dataclass(frozen=True)
class Phase:
    """One finished phase of a run."""

    name: str
    """Phase name: ``read``, ``search``, ``write`` and others, or ``compiling``."""
    seconds: float
    """Wall-clock seconds, without compiling and loading kernels."""
    peak_memory: int | None
    """Largest observed memory of the process up to the end of the phase, in bytes.

    See `PeakMemory`; None if unknown.
    """
    cpu_seconds: float | None = None
    """CPU seconds of all threads of this process, with compilation; None for the phase ``compiling``."""


@dataclass
class Stopwatch:
    """Timer of the phases of a run, in order.

    Compilation within a phase becomes a separate phase before it. On a machine that has not run these kernels before,
    it takes many seconds that do not belong to the algorithm.

    >>> watch = Stopwatch()
    >>> with watch.phase("search"):
    ...     pass
    >>> [phase.name for phase in watch.phases]
    ['search']
    """

    phases: list[Phase] = field(default_factory=list)
    """Finished phases."""
    memory: "PeakMemory" = field(default_factory=lambda: PeakMemory(), repr=False)
    """Observed memory of the process."""
    progress: Progress | None = field(default=None, repr=False)
    """Called with the name of each phase when it begins."""

    @contextmanager
    def phase(self, name: str) -> Iterator[None]:
        """Time the body of a ``with`` statement as one phase."""
        start, compiled, aside = time.perf_counter(), COMPILATION.seconds, COMPILATION.aside
        cpu = time.process_time()
        if self.progress is not None:
            self.progress(name, 0, 0)
        with self.memory.watched():
            yield
        compiled = COMPILATION.seconds - compiled
        seconds = time.perf_counter() - start - (COMPILATION.aside - aside)
        if compiled:
            self.compiled(compiled)
        self.phases.append(Phase(name, seconds, self.memory.peak, time.process_time() - cpu))

    def compiled(self, seconds: float) -> None:
        """Add seconds to the compilation phase; there is at most one."""
        position = next(
            (position for position, phase in enumerate(self.phases) if phase.name == COMPILING), len(self.phases)
        )
        seconds += sum(phase.seconds for phase in self.phases[position : position + 1])
        self.phases[position : position + 1] = [Phase(COMPILING, seconds, self.memory.look())]


class PeakMemory:
    """Peak memory of this process: anonymous and shared memory.

    Pages of mapped files are excluded because the system can reclaim them. Linux reports them separately, but without a
    peak value: a thread samples twenty times a second, about 15 µs each. On other systems the peak is the largest
    resident memory.
    """

    def __init__(self) -> None:
        self.peak: int | None = None
        """Peak in bytes; None before the first sample, or if the system does not report it."""
        self._deep = 0

    def look(self) -> int | None:
        """Sample the memory and return the peak."""
        used = own_memory()
        used = peak_memory() if used is None else used
        self.peak = used if used is None or self.peak is None else max(self.peak, used)
        return self.peak

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Sample periodically and at the end of a ``with`` statement, which may be nested."""
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


def report_compilation(progress: Progress | None) -> AbstractContextManager[None]:
    """Report each kernel compilation to `progress`, within a ``with`` statement.

    Calls have the arguments (``compiling``, kernels so far, total). During a compilation the total is 0, because the
    number of kernels is unknown; afterwards it equals the kernels so far.
    """
    if progress is None:
        return nullcontext()
    tell = progress
    return COMPILATION.watched(lambda kernels, finished: tell(COMPILING, kernels, kernels if finished else 0))


def own_memory() -> int | None:
    """Return the anonymous and shared memory of this process, in bytes, or None if the system does not report it."""
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
    """Return the largest resident memory of this process, in bytes, or None if the system does not report it.

    On Linux, VmHWM is preferred: `getrusage` includes the peak of the parent process.
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
