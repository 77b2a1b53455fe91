"""Progress of a run in a single updated line, below a notebook cell or on a terminal."""

import sys
import threading
import time
from typing import Any

_SECONDS = 0.1
"""Minimum seconds between updates within a phase."""


class ProgressLine:
    """Callback for `progress=` that shows phase, share done and counts in one line.

    >>> line = ProgressLine()
    >>> line.text("search", 50, 200)
    'search: 25% (50 of 200)'
    """

    def __init__(self) -> None:
        self._handle: Any = None
        self._phase, self._shown = "", 0.0
        self._lock = threading.Lock()  # worker threads also report progress

    def __call__(self, phase: str, done: float, total: float) -> None:
        """Show the progress of a phase. A total of 0 means that the total is unknown."""
        with self._lock:
            now = time.monotonic()
            if phase == self._phase and now - self._shown < _SECONDS and done != total:
                return
            self._phase, self._shown = phase, now
            self._show(self.text(phase, done, total))

    def text(self, phase: str, done: float, total: float) -> str:
        """Return the progress line."""
        if total:
            return f"{phase}: {done / total:.0%} ({done:,.0f} of {total:,.0f})"
        return f"{phase}: {done:,.0f}" if done else phase

    def _show(self, text: str) -> None:
        display = _display()
        if display is None:
            sys.stderr.write(f"\r\x1b[K{text}")
            sys.stderr.flush()
        elif self._handle is None:
            self._handle = display({"text/plain": text}, raw=True, display_id=True)
        else:
            self._handle.update({"text/plain": text}, raw=True)


def _display() -> Any:
    """Return IPython's display function, or None outside notebooks."""
    shell = sys.modules.get("IPython")
    running = None if shell is None else shell.get_ipython()
    return None if running is None or not hasattr(running, "kernel") else sys.modules["IPython.display"].display
