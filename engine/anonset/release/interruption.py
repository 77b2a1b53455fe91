"""The signals that end a process: they unwind it once, never within a clean-up, and not at all when the job is done.

Python runs handlers of signals in the main thread alone, and between its own instructions: not while that thread is in
compiled code. There a watching thread, woken by the signal itself, ends the process instead, once it has removed what
must not stay.
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
"""Ctrl-C, the end that others ask for, and the loss of the terminal."""


UNDOING: dict[object, Callable[[], object]] = {}
"""What takes back what this process is in the middle of, by whatever it belongs to."""
PATIENCE = 1.2
"""Seconds that the main thread has to unwind, before the process is ended without it."""
_WORDS = 0.3
"""Seconds that the last words may take: whoever was to hear them may not listen."""


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
        """Take the ending signals; what the parent had ignored, as ``nohup`` does, stays ignored."""
        for number in ENDING:
            if signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, self)
        sys.unraisablehook = self.retry

    def watch(self, end: Callable[[int], object]) -> None:
        """End the process within about two seconds of a signal, whatever the main thread is at.

        Parameters
        ----------
        end
            Called with the signal when all is undone, to say so; the process exits then.
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
            with suppress(RuntimeError):  # the interpreter shuts down
                words.start()
                words.join(_WORDS)
            os._exit(_BY_SIGNAL + number)

    def _wait(self) -> None:
        """Wait as long as the main thread may take to unwind, not counting what signals wait for."""
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
    """Take back all that is unfinished, the last first, and remove temporary work directories."""
    while UNDOING:
        with suppress(KeyError, OSError):
            UNDOING.popitem()[1]()
    if store := sys.modules.get("anonset.data.store"):  # not imported here, which must stay light
        store.remove_temporary()


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
