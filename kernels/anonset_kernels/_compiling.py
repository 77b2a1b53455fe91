"""How long this process has compiled kernels, and who is told when it does.

This file imports no Numba, so that whoever takes times can read it before the first kernel is there. `_jit` keeps the
count: Numba compiles under one lock, so that at most one kernel with its callees is compiled at a time.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

Watcher = Callable[[int, bool], None]
"""Called with the number of kernels compiled so far, the present one included, and whether it is finished."""


class Compilation:
    """Counts kernels and sums the seconds in which one is compiled; a kernel's callees are part of it."""

    def __init__(self) -> None:
        self.kernels = 0
        self.depth = 0  # a kernel within the compilation of another counts
        self.loaded = 0.0
        """Seconds spent in loading machine code that was compiled before."""
        self._seconds = 0.0
        self._began = 0.0
        self._watchers: list[Watcher] = []

    @property
    def seconds(self) -> float:
        """Seconds spent in compiling, one that is going on included."""
        return self._seconds + (time.perf_counter() - self._began if self.depth else 0.0)

    @property
    def aside(self) -> float:
        """Seconds spent in readying kernels, compiled or loaded, which are no algorithm's."""
        return self.seconds + self.loaded

    def begin(self) -> None:
        """Note that a kernel is being compiled, or one that is called by it."""
        if self.depth == 0:
            self._began = time.perf_counter()
            self.kernels += 1
        self.depth += 1
        if self.depth == 1:
            self._tell(finished=False)

    def end(self) -> None:
        """Note that it is finished, or was given up."""
        if self.depth == 0:  # an interruption came before it was noted
            return
        self.depth -= 1
        if self.depth == 0:
            self._seconds += time.perf_counter() - self._began
            self._tell(finished=True)

    @contextmanager
    def storing(self) -> Iterator[None]:
        """Count the body of a ``with`` statement, which puts machine code into the cache, as compiling too."""
        start, within = time.perf_counter(), self.depth > 0
        try:
            yield
        finally:
            if not within:
                self._seconds += time.perf_counter() - start

    @contextmanager
    def loading(self) -> Iterator[None]:
        """Count the body of a ``with`` statement, which loads machine code, unless it is part of compiling."""
        start, within = time.perf_counter(), self.depth > 0
        try:
            yield
        finally:
            if not within:
                self.loaded += time.perf_counter() - start

    @contextmanager
    def watched(self, watcher: Watcher) -> Iterator[None]:
        """Tell a watcher of every kernel that is compiled within a ``with`` statement."""
        self._watchers.append(watcher)
        try:
            yield
        finally:
            self._watchers.remove(watcher)

    def _tell(self, *, finished: bool) -> None:
        for watcher in tuple(self._watchers):
            watcher(self.kernels, finished)


COMPILATION = Compilation()
"""The one of this process."""
