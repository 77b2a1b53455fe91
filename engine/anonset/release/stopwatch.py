"""Seconds and peak memory of each phase of a run, compiling apart."""

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
"""Name of the phase in which kernels are compiled: it is part of other phases, whose seconds exclude it."""

_SECONDS_BETWEEN = 0.05
_STATUS, _FORGET = Path("/proc/self/status"), Path("/proc/self/clear_refs")


@dataclass(frozen=True)
class Phase:
    """One finished phase of a run."""

    name: str
    """Its name: ``read``, ``search``, ``write``, and the like, or ``compiling``."""
    seconds: float
    """Wall-clock seconds, without those in which kernels were compiled or loaded."""
    peak_memory: int | None
    """Most memory of its own that the process was seen to hold up to the end of the phase, in bytes: see `PeakMemory`;
    None where it is unknown."""


@dataclass
class Stopwatch:
    """Records the phases of a run, in order.

    Compiling within a phase becomes a phase of its own, before it: on a machine that has not run these kernels yet it
    takes many seconds that are not the algorithm's.

    >>> watch = Stopwatch()
    >>> with watch.phase("search"):
    ...     pass
    >>> [phase.name for phase in watch.phases]
    ['search']
    """

    phases: list[Phase] = field(default_factory=list)
    """The finished phases."""
    memory: "PeakMemory" = field(default_factory=lambda: PeakMemory(), repr=False)
    """What the process was seen to hold."""

    @contextmanager
    def phase(self, name: str) -> Iterator[None]:
        """Time the body of a ``with`` statement as one phase."""
        start, compiled, aside = time.perf_counter(), COMPILATION.seconds, COMPILATION.aside
        with self.memory.watched():
            yield
        compiled = COMPILATION.seconds - compiled
        seconds = time.perf_counter() - start - (COMPILATION.aside - aside)
        if compiled:
            self.compiled(compiled)
        self.phases.append(Phase(name, seconds, self.memory.peak))

    def compiled(self, seconds: float) -> None:
        """Add to the phase of compiling, of which there is one at most."""
        position = next(
            (position for position, phase in enumerate(self.phases) if phase.name == COMPILING), len(self.phases)
        )
        seconds += sum(phase.seconds for phase in self.phases[position : position + 1])
        self.phases[position : position + 1] = [Phase(COMPILING, seconds, self.memory.look())]


class PeakMemory:
    """The most memory of its own that this process is seen to hold: anonymous and shared memory.

    Pages of mapped files are not counted, for the system takes them back. Linux tells them apart, but keeps no mark of
    the most: a thread looks twenty times a second, for some 15 µs. Elsewhere it is the largest resident memory so far.
    """

    def __init__(self) -> None:
        self.peak: int | None = None
        """Bytes; None where the system does not say, or nobody has looked."""
        self._deep = 0

    def look(self) -> int | None:
        """Look once more, and return the peak."""
        held = own_memory()
        held = peak_memory() if held is None else held
        self.peak = held if held is None or self.peak is None else max(self.peak, held)
        return self.peak

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Look from time to time, and at the end, within a ``with`` statement, which may stand within another."""
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


def tell_compiling(progress: Progress | None) -> AbstractContextManager[None]:
    """Report to `progress`, within a ``with`` statement, each kernel that is compiled.

    It is called with (``compiling``, kernels so far, total): a total of 0 while one is compiled, for the
    number is unknown, and of the kernels so far when it is finished.
    """
    if progress is None:
        return nullcontext()
    tell = progress
    return COMPILATION.watched(lambda kernels, finished: tell(COMPILING, kernels, kernels if finished else 0))


def own_memory() -> int | None:
    """Return the anonymous and shared memory of this process, in bytes, or None where the system does not say."""
    try:
        lines = [line.split() for line in _STATUS.read_text().splitlines()]
    except OSError:
        return None
    held = [int(line[1]) * 1024 for line in lines if line[:1] in (["RssAnon:"], ["RssShmem:"])]
    return sum(held) if held else None


def forget_peak() -> None:
    """Let the peak of the memory start again from what is held now, where the system can do that (Linux)."""
    try:
        _FORGET.write_text("5")
    except OSError:
        return


def peak_memory() -> int | None:
    """Return the largest resident memory of this process so far, in bytes, or None where the system does not say.

    Linux's own mark is preferred: `getrusage` hands a process the peak of the one that started it.
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
