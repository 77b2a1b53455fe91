"""Compilation time of this process, and callbacks for compilations.

This file does not import Numba, so timers can read it before the first kernel is loaded. `_jit` updates the counters.
Numba compiles under a lock, so at most one kernel with its callees is compiled at a time.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

Watcher = Callable[[int, bool], None]
"""Callback for compilations. Its arguments are the number of kernels compiled so far, including the current kernel, and
whether the current kernel is finished.
"""


class Compilation:
    """Counts compiled kernels and measures compilation time.

    The time of a kernel includes the kernels that it calls.
    """

    def __init__(self) -> None:
        self.kernels = 0
        self.depth = 0  # nesting level: callees are compiled within the compilation of their caller
        self.loaded = 0.0
        """Seconds spent loading machine code from the cache."""
        self._seconds = 0.0
        self._began = 0.0
        self._watchers: list[Watcher] = []

    @property
    def seconds(self) -> float:
        """Seconds spent compiling, including a compilation in progress."""
        return self._seconds + (time.perf_counter() - self._began if self.depth else 0.0)

    @property
    def aside(self) -> float:
        """Seconds spent compiling or loading kernels, to be subtracted from an algorithm's time."""
        return self.seconds + self.loaded

    def begin(self) -> None:
        """Record that the compilation of a kernel or of a callee started."""
        if self.depth == 0:
            self._began = time.perf_counter()
            self.kernels += 1
        self.depth += 1
        if self.depth == 1:
            self._tell(finished=False)

    def end(self) -> None:
        """Record that the compilation finished or failed."""
        if self.depth == 0:  # interrupted before `begin`
            return
        self.depth -= 1
        if self.depth == 0:
            self._seconds += time.perf_counter() - self._began
            self._tell(finished=True)

    @contextmanager
    def storing(self) -> Iterator[None]:
        """Count the body of a ``with`` statement, which writes machine code to the cache, as compilation time."""
        start, within = time.perf_counter(), self.depth > 0
        try:
            yield
        finally:
            if not within:
                self._seconds += time.perf_counter() - start

    @contextmanager
    def loading(self) -> Iterator[None]:
        """Count the body of a ``with`` statement as loading time, unless it is part of a compilation."""
        start, within = time.perf_counter(), self.depth > 0
        try:
            yield
        finally:
            if not within:
                self.loaded += time.perf_counter() - start

    @contextmanager
    def watched(self, watcher: Watcher) -> Iterator[None]:
        """Call `watcher` for every kernel that is compiled within a ``with`` statement."""
        self._watchers.append(watcher)
        try:
            yield
        finally:
            self._watchers.remove(watcher)

    def _tell(self, *, finished: bool) -> None:
        for watcher in tuple(self._watchers):
            watcher(self.kernels, finished)


COMPILATION = Compilation()
"""Compilation counters of this process."""
