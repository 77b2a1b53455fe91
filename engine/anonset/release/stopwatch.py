"""Time, memory and data transfer of each phase of a run. Kernel compilation is a separate phase."""

import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path

from anonset.data.progress import Progress, report_progress
from anonset.data.storage.usage import REMOTE_TASKS, PeakMemory, TaskUsage, disk_usage, transferred
from anonset_kernels._compiling import COMPILATION

COMPILING = "compiling"
"""Name of the compilation phase. Kernels are compiled during other phases, but the seconds of these phases do not
include compilation.
"""


@dataclass(frozen=True)
class Phase:
    """One finished phase of a run."""

    name: str
    """Phase name, such as ``read``, ``search``, ``write`` or ``compiling``."""
    seconds: float
    """Wall-clock seconds, without compiling and loading kernels."""
    peak_memory: int | None
    """Largest observed memory of the process up to the end of the phase, in bytes.

    See `PeakMemory`. None if unknown.
    """
    cpu_seconds: float | None = None
    """CPU seconds of all threads of this process, including compilation, or None for the phase ``compiling``."""
    tasks: TaskUsage = field(default_factory=TaskUsage)
    """Resources of the tasks in other processes."""
    interval: tuple[float, float] | None = None
    """Begin and end in seconds since the epoch, or None for the phase ``compiling``, which interrupts other phases."""
    bytes_read: int = 0
    """Bytes that this process read by system calls (see `transferred`)."""
    bytes_written: int = 0
    """Bytes that this process wrote by system calls."""
    bytes_held: int | None = None
    """Size in bytes of the work directory at the end of the phase, or None if there is no work directory."""


@dataclass
class Stopwatch:
    """Timer of the phases of a run, in order.

    Compilation of kernels within a phase is timed as a separate phase before it. Compilation takes many seconds on a
    machine that has not run these kernels before.

    >>> watch = Stopwatch()
    >>> with watch.phase("search"):
    ...     pass
    >>> [phase.name for phase in watch.phases]
    ['search']
    """

    phases: list[Phase] = field(default_factory=list)
    """Finished phases."""
    memory: PeakMemory = field(default_factory=PeakMemory, repr=False)
    """Observed memory of the process."""
    progress: Progress | None = field(default=None, repr=False)
    """Called with the name of each phase when it begins."""
    folder: Path | None = field(default=None, repr=False)
    """Work directory of the run."""

    @contextmanager
    def phase(self, name: str) -> Iterator[None]:
        """Time the body of a ``with`` statement as one phase."""
        began, start, compiled, aside = time.time(), time.perf_counter(), COMPILATION.seconds, COMPILATION.aside
        cpu, tasks, (read, written) = time.process_time(), replace(REMOTE_TASKS), transferred()
        report_progress(self.progress, name, 0, 0)
        with self.memory.watched():
            yield
        compiled = COMPILATION.seconds - compiled
        seconds = time.perf_counter() - start - (COMPILATION.aside - aside)
        if compiled:
            self.compiled(compiled)
        now_read, now_written = transferred()
        self.phases.append(
            Phase(
                name, seconds, self.memory.peak, time.process_time() - cpu, REMOTE_TASKS.since(tasks),
                (began, time.time()), now_read - read, now_written - written,
                None if self.folder is None else disk_usage(self.folder),
            )
        )  # fmt: skip

    def compiled(self, seconds: float) -> None:
        """Add seconds to the compilation phase. There is at most one compilation phase."""
        position = next(
            (position for position, phase in enumerate(self.phases) if phase.name == COMPILING), len(self.phases)
        )
        seconds += sum(phase.seconds for phase in self.phases[position : position + 1])
        self.phases[position : position + 1] = [Phase(COMPILING, seconds, self.memory.look())]


def report_compilation(progress: Progress | None) -> AbstractContextManager[None]:
    """Report each kernel compilation to `progress`, within a ``with`` statement.

    `progress` is called with ``compiling``, the number of compiled kernels, and a total. During a compilation the total
    is 0, because the number of kernels is unknown. Afterwards it equals the number of compiled kernels.
    """
    if progress is None:
        return nullcontext()
    tell = progress
    return COMPILATION.watched(lambda kernels, finished: tell(COMPILING, kernels, kernels if finished else 0))
