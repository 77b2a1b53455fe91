"""The signals that end a process: they unwind it once, never within a clean-up, and not at all when the job is done.

Python runs handlers of signals in the main thread alone; in another one nothing here has anything to do.
"""

import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

ENDING = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))
"""Ctrl-C, the end that others ask for, and the loss of the terminal."""


class Unwinding:
    """Handler whose first signal raises KeyboardInterrupt with its number; those close behind it are ignored.

    They are part of the same wish, as of somebody who hits Ctrl-C twice, and must not break into the clean-up.
    """

    def __init__(self, deaf: float = 1.0) -> None:
        self.deaf = deaf
        """Seconds for which further signals are ignored."""
        self.came: int | None = None
        """The signal that unwinds the process."""
        self.settled = False
        """Whether the job is done: then no signal undoes it, nor cuts off its account."""
        self._when = 0.0

    def __call__(self, number: int, _: FrameType | None) -> None:
        """Unwind the process."""
        now = time.monotonic()
        if not self.settled and (self.came is None or now - self._when >= self.deaf):
            self.came, self._when = number, now
            raise KeyboardInterrupt(number)

    def install(self) -> None:
        """Take the ending signals; what the parent had ignored, as ``nohup`` does, stays ignored."""
        for number in ENDING:
            if signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, self)
        sys.unraisablehook = self.retry

    def leave(self) -> None:
        """Ignore the ending signals for good, while the interpreter shuts down."""
        self.settled = True
        for number in ENDING:
            if signal.getsignal(number) is self:
                signal.signal(number, signal.SIG_IGN)

    def retry(self, lost: Any) -> None:
        """Send the signal again, a little later, where Python dropped its exception, as in a callback of an import."""
        if isinstance(lost.exc_value, KeyboardInterrupt) and self.came is not None:
            again = threading.Timer(0.02, os.kill, (os.getpid(), self.came))
            self.came, again.daemon = None, True
            again.start()
        else:
            sys.__unraisablehook__(lost)


def settle() -> None:
    """Tell the process that its job is done, if it is one that unwinds; a caller's own handlers stay."""
    for number in ENDING:
        handler = signal.getsignal(number)
        if isinstance(handler, Unwinding):
            handler.settled = True


@contextmanager
def defer_signals() -> Iterator[None]:
    """Let ending signals wait until the block is left, however it is left."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    waiting = _Waiting({number: handler for number in ENDING if callable(handler := signal.getsignal(number))})
    try:
        for number in waiting.before:
            signal.signal(number, waiting)
        yield
    finally:
        waiting.release()


class _Waiting:
    """Handler that keeps signals until it is released; whatever it replaced takes them then, and from then on."""

    def __init__(self, before: dict[int, Any]) -> None:
        self.before = before
        self._came: list[tuple[int, FrameType | None]] = []
        self._released = False

    def __call__(self, number: int, frame: FrameType | None) -> None:
        if self._released:
            self.before[number](number, frame)
        else:
            self._came.append((number, frame))

    def release(self) -> None:
        """Put the handlers back, and hand on the signals that came."""
        self._released = True  # a signal that breaks in here finds its way through a handler that is not back yet
        for number, handler in self.before.items():
            signal.signal(number, handler)
        for number, frame in self._came:
            self.before[number](number, frame)
