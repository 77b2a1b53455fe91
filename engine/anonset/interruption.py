"""Handlers of signals that end the process. The first signal raises KeyboardInterrupt. Further signals are ignored
during the clean-up, and after a job is finished.

Python runs signal handlers only in the main thread, and not while that thread runs compiled code. In that case a
watching thread, woken by the signal, removes unfinished files and ends the process.
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
"""Signals that end the process: Ctrl-C, a request to terminate, and the loss of the terminal."""


UNDOING: dict[object, Callable[[], str | None]] = {}
"""Functions that undo unfinished work of this process, by the object that registered them. A function returns a note
if files remain.
"""
PATIENCE = 1.2
"""Seconds that the main thread has for its clean-up before the watching thread ends the process."""
_DEAF = 1.0
"""Seconds after a signal for which further signals are ignored."""
_WORDS = 0.3
"""Maximum number of seconds for writing the final message, because writing to a stopped terminal could block."""


class RaisingHandler:
    """Signal handler that raises KeyboardInterrupt with the signal number.

    Signals soon after the first signal are ignored. They usually repeat the request, such as a second Ctrl-C, and must
    not interrupt the clean-up.
    """

    def __init__(self) -> None:
        self.came: int | None = None
        """Signal that ends the process. None if no signal was received."""
        self.settled = False
        """True if the job is done. Signals are then ignored, so that the summary is complete."""
        self._when = 0.0
        self._ending = False

    def __call__(self, number: int, _: FrameType | None) -> None:
        """Raise KeyboardInterrupt, unless signals are ignored at this moment."""
        while self._ending:  # the watching thread ends the process
            time.sleep(PATIENCE)
        now = time.monotonic()
        if not self.settled and (self.came is None or now - self._when >= _DEAF):
            self.came, self._when = number, now
            raise KeyboardInterrupt(number)

    def install(self) -> None:
        """Handle the ending signals, except signals that the parent process ignores, as under ``nohup``."""
        for number in ENDING:
            if signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, self)
        sys.unraisablehook = self.retry

    def watch(self, end: Callable[[KeyboardInterrupt], object]) -> None:
        """End the process within about two seconds of a signal, even if the main thread runs compiled code.

        Parameters
        ----------
        end
            Called after the clean-up, to print a message. The argument has the signal number, and a note for all files
            that remain. Then the process exits.
        """
        heard, woken = os.pipe()
        os.set_blocking(woken, False)
        signal.set_wakeup_fd(woken, warn_on_full_buffer=False)
        threading.Thread(target=self._watch, args=(heard, end), name="anonset-signals", daemon=True).start()

    def _watch(self, heard: int, end: Callable[[KeyboardInterrupt], object]) -> None:
        while True:
            number = os.read(heard, 1)[0]
            if number not in ENDING or signal.getsignal(number) in (signal.SIG_IGN, signal.SIG_DFL):
                continue
            self._wait()
            if self.settled:
                return
            self._ending = True
            interruption = KeyboardInterrupt(number)
            for note in _undo():
                interruption.add_note(note)
            words = threading.Thread(target=end, args=(interruption,), daemon=True)
            with suppress(RuntimeError):  # the interpreter is shutting down
                words.start()
                words.join(_WORDS)
            os._exit(_BY_SIGNAL + number)

    def _wait(self) -> None:
        """Wait for the clean-up of the main thread. Time within `defer_signals` does not count."""
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            time.sleep(PATIENCE / 10)
            if isinstance(signal.getsignal(ENDING[0]), _DeferringHandler):
                until = time.monotonic() + PATIENCE

    def leave(self) -> None:
        """Ignore the signals in `ENDING` while the interpreter shuts down."""
        self.settled = True
        for number in ENDING:
            if signal.getsignal(number) is self:
                signal.signal(number, signal.SIG_IGN)

    def retry(self, lost: Any) -> None:
        """Send the signal again if Python dropped the exception, for example in a callback during an import."""
        if isinstance(lost.exc_value, KeyboardInterrupt) and self.came is not None:
            again = threading.Timer(0.02, os.kill, (os.getpid(), self.came))
            self.came, again.daemon = None, True
            again.start()
        else:
            sys.__unraisablehook__(lost)


def _undo() -> list[str]:
    """Undo all unfinished work of this process. Return the notes on files that remain."""
    notes: list[str | None] = []
    while UNDOING:
        with suppress(KeyError, OSError):
            notes.append(UNDOING.popitem()[1]())
    if store := sys.modules.get("anonset.data.storage.store"):  # no import, because this module must load fast
        store.remove_temporary()
    return [note for note in notes if note]


def mark_job_done() -> None:
    """Tell the installed `RaisingHandler` handlers that the job is done. Other handlers are not changed."""
    for number in ENDING:
        handler = signal.getsignal(number)
        if isinstance(handler, RaisingHandler):
            handler.settled = True


@contextmanager
def defer_signals() -> Iterator[None]:
    """Delay ending signals until the block ends, normally or by an exception."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    waiting = _DeferringHandler({number: handler for number in ENDING if callable(handler := signal.getsignal(number))})
    try:
        for number in waiting.before:
            signal.signal(number, waiting)
        yield
    finally:
        waiting.release()


class _DeferringHandler:
    """Handler that stores signals until `release`, and then forwards them to the replaced handlers."""

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
        self._released = True  # a signal that arrives now is forwarded at once
        for number, handler in self.before.items():
            signal.signal(number, handler)
        for number, frame in self._came:
            self.before[number](number, frame)
