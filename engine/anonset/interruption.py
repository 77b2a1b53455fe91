"""Signals that end a process: they unwind it once, never during a clean-up, and not at all when the job is done.

Python runs signal handlers only in the main thread, between its own instructions: not while that thread runs compiled
code. In that case a watching thread, woken by the signal, removes unfinished files and ends the process.
"""

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Any

_BY_SIGNAL = 128
ENDING = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))
"""Ctrl-C, a request to terminate, and the loss of the terminal."""


UNDOING: dict[object, Callable[[], object]] = {}
"""Functions that undo unfinished work of this process, by its owner."""
PATIENCE = 1.2
"""Seconds that the main thread has to unwind, before the process is ended without it."""
_WORDS = 0.3
"""Seconds that the final message may take: its reader may be gone."""


class Unwinding:
    """Handler whose first signal raises KeyboardInterrupt with its number; signals soon after it are ignored.

    These repeat the same request, as when somebody hits Ctrl-C twice, and must not interrupt the clean-up.
    """

    def __init__(self, deaf: float = 1.0) -> None:
        self.deaf = deaf
        """Seconds for which further signals are ignored."""
        self.came: int | None = None
        """The signal that unwinds the process."""
        self.settled = False
        """Whether the job is done: then no signal undoes it or cuts its account short."""
        self._when = 0.0
        self._ending = False

    def __call__(self, number: int, _: FrameType | None) -> None:
        """Unwind the process."""
        while self._ending:  # the watching thread ends it
            time.sleep(PATIENCE)
        now = time.monotonic()
        if not self.settled and (self.came is None or now - self._when >= self.deaf):
            self.came, self._when = number, now
            raise KeyboardInterrupt(number)

    def install(self) -> None:
        """Handle the ending signals; those that the parent ignores, as under ``nohup``, stay ignored."""
        for number in ENDING:
            if signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, self)
        sys.unraisablehook = self.retry

    def watch(self, end: Callable[[int], object]) -> None:
        """End the process within about two seconds of a signal, whatever the main thread is doing.

        Parameters
        ----------
        end
            Called with the signal when all is undone, to print a message; then the process exits.
        """
        heard, woken = os.pipe()
        os.set_blocking(woken, False)
        signal.set_wakeup_fd(woken, warn_on_full_buffer=False)
        threading.Thread(target=self._watch, args=(heard, end), name="anonset-signals", daemon=True).start()

    def _watch(self, heard: int, end: Callable[[int], object]) -> None:
        while True:
            number = os.read(heard, 1)[0]
            if number not in ENDING or signal.getsignal(number) in (signal.SIG_IGN, signal.SIG_DFL):
                continue
            self._wait()
            if self.settled:
                return
            self._ending = True
            _undo()
            words = threading.Thread(target=end, args=(number,), daemon=True)
            with suppress(RuntimeError):  # the interpreter is shutting down
                words.start()
                words.join(_WORDS)
            os._exit(_BY_SIGNAL + number)

    def _wait(self) -> None:
        """Wait as long as the main thread may take to unwind, not counting blocks that signals wait for."""
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            time.sleep(PATIENCE / 10)
            if isinstance(signal.getsignal(ENDING[0]), _Waiting):
                until = time.monotonic() + PATIENCE

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


def _undo() -> None:
    """Undo all unfinished work, the latest first, and remove temporary work directories."""
    while UNDOING:
        with suppress(KeyError, OSError):
            UNDOING.popitem()[1]()
    if store := sys.modules.get("anonset.data.store"):  # not imported here: this module must stay light
        store.remove_temporary()


def settle() -> None:
    """Tell the process that its job is done, if it is one that unwinds; a caller's own handlers stay."""
    for number in ENDING:
        handler = signal.getsignal(number)
        if isinstance(handler, Unwinding):
            handler.settled = True


@contextmanager
def defer_signals() -> Iterator[None]:
    """Delay ending signals until the block is left, normally or not."""
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
    """Handler that keeps signals until it is released; the handlers that it replaces get them then."""

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
        """Restore the handlers, and forward the signals that arrived."""
        self._released = True  # a signal that arrives here is forwarded by the handler that is not yet restored
        for number, handler in self.before.items():
            signal.signal(number, handler)
        for number, frame in self._came:
            self.before[number](number, frame)
