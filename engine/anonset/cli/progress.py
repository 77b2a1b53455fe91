"""Progress on standard error, on a terminal only: phase, done, rate, time left."""

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from anonset.cli.output import say

Progress = Callable[[str, float, float], None]


@contextmanager
def shown_progress(*, quiet: bool) -> Iterator[Progress | None]:
    """Give a callback that shows progress, or None where nobody looks."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, SpinnerColumn, TaskID, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bars

    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.completed:,.0f}/{task.total:,.0f}"),
        TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(),
    )
    tasks: dict[str, TaskID] = {}
    lock = threading.Lock()  # workers report too
    with Bars(*columns, console=Console(stderr=True), transient=True) as bars:

        def show(phase: str, done: float, total: float) -> None:
            with lock:
                if phase not in tasks:
                    for other in tasks.values():
                        bars.stop_task(other)
                        bars.update(other, visible=False)
                    tasks[phase] = bars.add_task(phase, total=max(total, 1), rate="")
                speed = bars.tasks[tasks[phase]].speed
                rate = "" if not speed else f"{speed:,.0f}/s"
                bars.update(tasks[phase], completed=done, total=max(total, 1), rate=rate)

        yield show


def say_compiling(*, quiet: bool) -> None:
    """Say once, on a terminal, that the first run compiles, or that every run has to."""
    if quiet or not sys.stderr.isatty():
        return
    from anonset_kernels._jit import cache_directory, compiled_before

    if cache_directory() is None:
        say("no cache can be written, so the kernels are compiled in every run (a few seconds)")
    elif not compiled_before():
        say("the first run compiles the kernels (a few seconds)")
