"""Workers of a run: the threads of this process, or the workers of a cluster.

A job creates the workers with the store, and code calls `store.map`. Inside a task every `map` runs serially, because a
task that waits for other tasks of the same pool may wait forever.
"""

import os
import threading
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextvars import copy_context
from functools import partial
from itertools import islice
from typing import TypeVar

from anonset.data import spans
from anonset.errors import InputError

_Task = TypeVar("_Task")
_Done = TypeVar("_Done")
_Part = TypeVar("_Part")
_TASKS_AHEAD, _TASKS_AT_ONCE = 4, 8
"""Tasks per worker that `map` starts in advance, and the maximum number of short tasks that a worker gets at once."""


class Workers(ABC):
    """A worker count and a `map` function."""

    remote = False
    """True if tasks run in other processes. Their inputs are then serialized, and tasks cannot write to arrays of this
    process.
    """

    @property
    @abstractmethod
    def count(self) -> int:
        """Number of tasks that run at the same time."""

    def see(self, paths: Collection[str]) -> bool:
        """Return True if all workers can access the files `paths`."""
        return True

    def require_readable(self, open_input: Callable[[], None]) -> None:
        """Require that `open_input` succeeds on each worker.

        Raises
        ------
        InputError
            The message names the worker.
        """
        open_input()

    @property
    @abstractmethod
    def local(self) -> "Workers":
        """Workers in this process."""

    def at_once(self, tasks: int) -> int:
        """Return the number of tasks that run simultaneously in a pass of `tasks` tasks."""
        return min(self.count, tasks)

    def divided(self, parts: Sequence[_Part], tasks: int | None = None) -> list[Sequence[_Part]]:
        """Distribute blocks over `tasks` tasks. By default, each block is a task. On a cluster, each worker gets a few
        tasks.

        >>> Threads(1).divided("abcde", 2), Threads(1).divided("ab"), Threads(1).divided("ab", 9)
        (['ace', 'bd'], ['a', 'b'], ['a', 'b'])
        """
        tasks = min(self.tasks(len(parts) if tasks is None else tasks), len(parts))
        return [parts[first::tasks] for first in range(tasks)]

    def tasks(self, requested: int) -> int:
        """Return the number of tasks of a pass over many blocks, given the requested number."""
        return requested

    def map(self, work: Callable[[_Task], _Done], tasks: Iterable[_Task], ahead: int | None = None) -> Iterator[_Done]:
        """Run `work` on independent tasks, and yield the results in task order.

        If a task fails or the iterator is closed, the remaining tasks are cancelled. When the iterator ends, no thread
        of this process runs a task anymore.

        Parameters
        ----------
        ahead
            Number of tasks that are started before the first result is read. If None, a few tasks per
            worker are started.
        """
        if is_task() or (self.count == 1 and not self.remote):
            yield from map(work, tasks)
            return
        waiting, ended, futures = iter(tasks), threading.Event(), deque[Future[_Done]]()

        def begin(n: int) -> None:
            futures.extend(self.begin(work, task, ended) for task in islice(waiting, n))

        try:
            begin(_TASKS_AHEAD * self.count if ahead is None else ahead)
            while futures:
                done = futures[0].result()  # if interrupted, the task is still in `futures` and is waited for
                futures.popleft()
                begin(1)
                yield done
        finally:
            ended.set()
            wait([task for task in futures if not task.cancel()])

    def map_short(self, work: Callable[[_Task], _Done], tasks: Sequence[_Task]) -> Iterator[_Done]:
        """Run `work` on independent tasks that take less than a second and return small results. Yield the results in
        task order.

        On a cluster, workers get several tasks at once, because each submission costs the coordinator milliseconds.
        """
        if not self.remote:
            yield from self.map(work, tasks)
            return
        size = max(1, min(_TASKS_AT_ONCE, len(tasks) // (_TASKS_AHEAD * self.count)))
        for results in self.map(partial(_each, work), [tasks[n : n + size] for n in range(0, len(tasks), size)]):
            yield from results

    @abstractmethod
    def begin(self, work: Callable[[_Task], _Done], task: _Task, ended: threading.Event) -> "Future[_Done]":
        """Start a task. `ended` is set when the result is no longer needed."""


def _each(work: Callable[[_Task], _Done], tasks: Sequence[_Task]) -> list[_Done]:
    return [work(task) for task in tasks]


class Threads(Workers):
    """Threads of this process. They start with the first tasks and end when this object is deleted.

    >>> list(Threads(2).map(len, ["a", "bc", ""]))
    [1, 2, 0]

    Parameters
    ----------
    n
        Number of threads. None creates one thread per core.

    Raises
    ------
    InputError
        If the number is below 1.
    """

    def __init__(self, n: int | None = None) -> None:
        if n is not None and n < 1:
            raise InputError(f"workers must be at least 1, got {n}")
        self._n = n
        self._pool: ThreadPoolExecutor | None = None
        self._made_for = (0, 0)

    @property
    def count(self) -> int:
        """Number of tasks that run at the same time. Inside a task, the number is 1."""
        return 1 if is_task() else self._size

    @property
    def _size(self) -> int:
        return spans.cores() if self._n is None else self._n

    @property
    def local(self) -> "Workers":
        """The object itself, because its threads are in this process."""
        return self

    def begin(self, work: Callable[[_Task], _Done], task: _Task, ended: threading.Event) -> "Future[_Done]":
        """Start a task in a thread. After a fork, the new process creates its own threads."""
        pool_key = self._size, os.getpid()
        if self._pool is None or self._made_for != pool_key:
            self._pool, self._made_for = ThreadPoolExecutor(self._size, thread_name_prefix="anonset-worker"), pool_key
        return self._pool.submit(copy_context().run, run_task, work, task, ended)


class _CurrentTask(threading.local):
    ended: threading.Event | None = None
    """Event that is set when the results of the current tasks are no longer needed. None outside of tasks."""


_here = _CurrentTask()
THREADS = Threads()
"""One thread per core."""
ONE_THREAD = Threads(1)
"""The calling thread only."""


def run_task(work: Callable[[_Task], _Done], task: _Task, ended: threading.Event) -> _Done:
    """Run a task in a thread. Every `map` inside the task runs serially."""
    _here.ended = ended
    try:
        return work(task)
    finally:
        _here.ended = None


def is_task() -> bool:
    """Return True inside a task."""
    return _here.ended is not None


def is_unwanted() -> bool:
    """Return True inside a task if the result is no longer needed, so that long tasks can stop."""
    return _here.ended is not None and _here.ended.is_set()
