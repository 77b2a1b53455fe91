"""Progress on standard error, on a terminal only: phase, done, rate, time left."""

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from anonset.cli.output import say

if TYPE_CHECKING:
    from rich.progress import Progress as Bars
    from rich.progress import TaskID

Progress = Callable[[str, float, float], None]


@contextmanager
def shown_progress(*, quiet: bool) -> Iterator[Progress | None]:
    """Give a callback that shows progress, or None where nobody looks. What is compiled meanwhile is shown too."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, SpinnerColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bars

    from anonset.release.phases import compiling_told

    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.fields[amount]}"),
        TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(),
    )
    with Bars(*columns, console=Console(stderr=True), transient=True) as bars:
        phases = _Phases(bars)
        with compiling_told(phases.show):
            yield phases.show


class _Phases:
    """Shows one phase at a time: the last that was heard of; after compiling, the one that it interrupted."""

    def __init__(self, bars: "Bars") -> None:
        from anonset.release.phases import COMPILING

        self._compiling = COMPILING
        self._bars = bars
        self._tasks: dict[str, TaskID] = {}
        self._visible: str | None = None
        self._interrupted: str | None = None
        self._lock = threading.Lock()  # workers report too

    def show(self, phase: str, done: float, total: float) -> None:
        """Show how far a phase is; a total of 0 stands for one that nobody knows."""
        with self._lock:
            if phase == self._compiling and phase not in self._tasks:
                say_compiling()
            self._update(phase, done, total)
            if phase != self._compiling:
                self._bring_up(phase)
                self._interrupted = phase
            else:
                self._bring_up(self._interrupted if done == total else phase)

    def _update(self, phase: str, done: float, total: float) -> None:
        if phase not in self._tasks:
            self._tasks[phase] = self._bars.add_task(phase, visible=False, amount="", rate="")
        task = self._tasks[phase]
        speed = self._bars.tasks[task].speed
        rate = f"{speed:,.0f}/s" if speed and total else ""
        amount = f"{done:,.0f}/{total:,.0f}" if total else f"{done:,.0f}" if done else ""
        self._bars.update(task, completed=done, total=total or None, amount=amount, rate=rate)

    def _bring_up(self, phase: str | None) -> None:
        """Show this phase in the place of the one that is visible."""
        if phase == self._visible:
            return
        if self._visible is not None:
            self._bars.update(self._tasks[self._visible], visible=False)
        if phase is not None:
            self._bars.update(self._tasks[phase], visible=True)
        self._visible = phase


def say_compiling() -> None:
    """Say that kernels are being compiled, and whether this will be so again."""
    from anonset.jobs.warmup import kernel_cache

    if (folder := kernel_cache()) is None:
        say("compiling kernels, in every run anew: there is no folder to keep them in; name one by NUMBA_CACHE_DIR")
    else:
        say(f"compiling kernels, once: their machine code is kept in {folder}")
