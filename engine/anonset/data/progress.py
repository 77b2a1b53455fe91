"""Progress of a run."""

from collections.abc import Callable

Progress = Callable[[str, float, float], None]
"""Function that reports progress. It receives the phase, the amount done and the total amount."""


def report_progress(progress: Progress | None, phase: str, done: float, total: float) -> None:
    """Report progress, unless nobody asked for it.

    >>> report_progress(print, "records", 1, 2)
    records 1.0 2.0
    """
    if progress is not None:
        progress(phase, float(done), float(total))
