"""Progress of a command on standard error or in the log."""

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from anonset.cli.output import log_progress, say
from anonset.data.progress import Progress
from anonset.release.stopwatch import COMPILING, report_compilation

if TYPE_CHECKING:
    from rich.progress import Progress as Bars
    from rich.progress import TaskID

_PREPARING = "prepare"
"""Name of the stage that the log reports until the first phase of a run begins."""


@contextmanager
def progress_bars(*, quiet: bool) -> Iterator[Progress | None]:
    """Yield a callback that shows progress and compilation, or None if the command is quiet."""
    if quiet:
        yield None
        return

    logged = log_progress()
    if logged is not None or not sys.stderr.isatty():
        if logged is not None:
            logged(_PREPARING, 0, 0)
        with report_compilation(_say_uncached()), report_compilation(logged):
            yield logged
        return
    from rich.console import Console
    from rich.progress import BarColumn, SpinnerColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bars

    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.fields[amount]}"),
        TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(),
    )
    with Bars(*columns, console=Console(stderr=True), transient=True) as bars:
        phases = _PhaseDisplay(bars)
        with report_compilation(phases.show):
            yield phases.show


class _PhaseDisplay:
    """Display of the current phase. After a compilation, it shows the interrupted phase again."""

    def __init__(self, bars: "Bars") -> None:
        self._compiling = COMPILING
        self._bars = bars
        self._tasks: dict[str, TaskID] = {}
        self._visible: str | None = None
        self._interrupted: str | None = None
        self._lock = threading.Lock()  # worker threads also report progress

    def show(self, phase: str, done: float, total: float) -> None:
        """Show the progress of a phase. A total of 0 means that the total is unknown."""
        with self._lock:
            if phase == self._compiling and phase not in self._tasks:
                note_compilation()
            self._update(phase, done, total)
            if phase != self._compiling:
                self._show_phase(phase)
                self._interrupted = phase
            else:
                self._show_phase(self._interrupted if done == total else phase)

    def _update(self, phase: str, done: float, total: float) -> None:
        if phase not in self._tasks:
            self._tasks[phase] = self._bars.add_task(phase, visible=False, amount="", rate="")
        task = self._tasks[phase]
        speed = self._bars.tasks[task].speed
        rate = f"{speed:,.0f}/s" if speed and total else ""
        amount = f"{done:,.0f}/{total:,.0f}" if total else f"{done:,.0f}" if done else ""
        self._bars.update(task, completed=done, total=total or None, amount=amount, rate=rate)

    def _show_phase(self, phase: str | None) -> None:
        if phase == self._visible:
            return
        if self._visible is not None:
            self._bars.update(self._tasks[self._visible], visible=False)
        if phase is not None:
            self._bars.update(self._tasks[phase], visible=True)
        self._visible = phase


def _say_uncached() -> Progress:
    """Return a callback for compilations. The first compilation prints a note if kernels cannot be cached."""
    from anonset.jobs.warmup import kernel_cache

    silent = [False]

    def note(_phase: str, _done: float, _total: float) -> None:
        if not silent[0] and kernel_cache() is None:
            note_compilation()
        silent[0] = True

    return note


def note_compilation() -> None:
    """Print a note that kernels are being compiled, with the cache folder that later runs use."""
    from anonset.jobs.warmup import kernel_cache

    if (folder := kernel_cache()) is None:
        say(
            "compiling kernels; every run repeats this, because no cache folder is writable. To avoid it, set "
            "NUMBA_CACHE_DIR to a writable folder"
        )
    else:
        say(f"compiling kernels; later runs use the cache in {folder}")
