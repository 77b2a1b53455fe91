"""Workers on a dask cluster.

Tasks contain no records. Arrays in files of the work directory are sent as file names. Large arrays of a result, and
large objects shared by all tasks of a pass, are written to the work directory. Only counts and file names pass through
the scheduler. Without a shared work directory, files are exchanged through an object store
(`anonset.data.storage.exchange`). If a worker is lost, its task is repeated on another worker, which writes new files.
Each result is used once.
"""

import io
import mmap
import os
import secrets
import sys
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from pkgutil import resolve_name
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from anonset.data.storage.exchange import SentFile, delete, exchange_of, join, leave, received, sent
from anonset.data.storage.store import Files, backing
from anonset.data.storage.usage import REMOTE_TASKS, TaskUsage, measured
from anonset.data.storage.worker_faults import named_worker, require_importable, version_here
from anonset.data.storage.workers import Workers, run_task
from anonset.errors import AnonsetError, InputError
from anonset.local_paths import writing
from anonset.spelling import setting

_EMBEDDED, _ARRAY_IN_RESULT = 1 << 10, 1 << 16
"""Size limits in bytes. The first limit applies to functions, tasks and results that pass through the scheduler. The
second limit applies to arrays in the file of a result. Larger objects are written to files of their own in the work
directory.
"""
_FUNCTIONS = 4
_MAP_ALL_PAGES = 22
"""MADV_POPULATE_READ of Linux. It halves the CPU time of copying an array from a mapped file."""
_MESSAGE_PREFIX = "message-"
TASKS_PER_WORKER, MOST_TASKS = 2, 16
"""Number of tasks per worker in a pass, and maximum number of tasks per pass. If there are more workers than this
maximum, each worker gets one task.
"""
_SECONDS_WITHOUT_WORKERS = 60
"""Waiting time for new workers in seconds, after all workers are lost."""


class ClusterWorkers(Workers):
    """Workers of a dask cluster that can access a work directory.

    On exit, the files of all tasks are deleted. Tasks that are started later run on the local workers.

    Parameters
    ----------
    client
        A `distributed.Client`.
    store
        Store of the records, on a file system that all workers share, or with an exchange.

    Raises
    ------
    InputError
        If there is no worker. If a worker cannot access the directory, or runs another version of anonset.
    """

    def __init__(self, client: Any, store: Files) -> None:
        self.client, self.store, self._ended = client, store, False
        self._functions: OrderedDict[int, tuple[Any, _Sent]] = OrderedDict()
        self._files = list[str]()
        require_workers(client, store)
        with _connected(client):
            self._count = sum(client.nthreads().values())

    @property
    def remote(self) -> bool:  # type: ignore[override]
        """True until exit."""
        return not self._ended

    @property
    def count(self) -> int:
        """Number of threads of all workers."""
        return self.local.count if self._ended else int(self._count)

    @property
    def local(self) -> Workers:
        """Workers of the store in this process."""
        return self.store.workers

    def see(self, paths: Collection[str]) -> bool:
        """Return True if all workers can access the files `paths`. The result is False if a worker is lost during the
        check.
        """
        absolute = [os.path.abspath(path) for path in paths]  # noqa: PTH100
        with _connected(self.client):
            answers = self.client.run(_see, absolute, on_error="return")
        return all(answer is True for answer in answers.values())

    def require_readable(self, open_input: Callable[[], None]) -> None:
        """Require that `open_input` succeeds on each worker. A worker that is lost during the check is ignored.

        Raises
        ------
        InputError
            The message names the worker.
        """
        with _connected(self.client):
            answers = self.client.run(open_input, on_error="return")
        for worker, answer in sorted(answers.items()):
            if isinstance(answer, AnonsetError):
                need = "it needs its own credentials and access"
                raise InputError(f"{setting('cluster')}: worker {worker} cannot read the input; {need}: {answer}")

    def at_once(self, tasks: int) -> int:
        """Return the number of tasks that run at the same time. `tasks` is ignored."""
        return self.count

    def tasks(self, requested: int) -> int:
        """Return the number of tasks of a pass. The number is small because starting a task costs some milliseconds. A
        task adds up the results of its blocks and returns a single result.
        """
        return tasks_of_pass(self.count)

    def begin(self, work: Callable[[Any], Any], task: Any, ended: threading.Event) -> Any:
        """Submit a task."""
        if self._ended:
            return self.local.begin(work, task, ended)
        packed = _sendable(_packed(task), str(self.store.path))
        with _connected(self.client):
            message = self._sent(work), packed, _shared(self.store), version_here()
            REMOTE_TASKS.bytes_sent += sum(len(value) for value in message if isinstance(value, bytes))
            return _Pending(self.client.submit(_run, *message, pure=False), self.client, self._check, packed)

    def _check(self) -> None:
        """Reject workers that joined after the first check if they run another version."""
        require_workers(self.client, self.store)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Delete the files that were sent. The cluster itself is not changed."""
        self.store.drop(*self._files)
        self._functions.clear()
        self._ended = True
        if (exchange := exchange_of(self.store.path)) is not None:
            with suppress(AnonsetError), _connected(self.client):  # without a scheduler, the copies remain
                self.client.run(leave, exchange.token, on_error="ignore")

    def _sent(self, fn: Callable[..., Any]) -> "_Sent":
        if id(fn) not in self._functions:
            packed: _Sent = _packed(fn)
            if isinstance(packed, bytes) and len(packed) > _EMBEDDED:
                name = f"task-{secrets.token_hex(8)}"
                self.store.keep(name, np.frombuffer(packed, np.uint8))
                self._files.append(name)  # the file remains until exit, because tasks may still wait for a worker
                packed = sent(self.store.path / name)
            self._functions[id(fn)] = fn, packed  # keep a reference: id() is reused after garbage collection
            while len(self._functions) > _FUNCTIONS:
                self._functions.popitem(last=False)
        return self._functions[id(fn)][1]


def tasks_of_pass(workers: int) -> int:
    """Return the number of tasks of a pass over many blocks, given the worker count.

    >>> [tasks_of_pass(workers) for workers in (1, 2, 8, 10, 64)]
    [2, 4, 16, 16, 64]
    """
    return max(workers, min(TASKS_PER_WORKER * workers, MOST_TASKS))


def require_workers(client: Any, store: Files) -> None:
    """Reject a cluster without workers. Reject workers that cannot access the work directory or run another version.

    Raises
    ------
    InputError
        The message names the worker.
    """
    token = secrets.token_hex(8)
    mark = store.path / f"seen-{token}"
    mark.write_text(token)
    try:
        with _connected(client):
            answers = client.run(_introduce, sent(mark), _shared(store), on_error="return")
    finally:
        delete(mark)
    require_importable(answers)
    responses = {worker: answer for worker, answer in answers.items() if not isinstance(answer, BaseException)}
    if not responses:
        raise InputError(f"{setting('cluster')}: the scheduler {client.scheduler.address} has no workers")
    version = version_here()
    for worker, (worker_version, sees) in sorted(responses.items()):
        if worker_version != version:
            versions = f"({worker_version}, here {version})"
            raise InputError(f"{setting('cluster')}: worker {worker} runs another version of anonset {versions}")
        if not sees:
            need = f"set {setting('work_dir')} on a file system that all workers share"
            if (exchange := exchange_of(store.path)) is not None:
                need = f"it must be able to read and write {exchange.place}"
            raise InputError(f"{setting('cluster')}: worker {worker} cannot access the work directory; {need}")


@contextmanager
def _connected(client: Any) -> Iterator[None]:
    """Convert a lost scheduler connection into a one-line AnonsetError."""
    from concurrent.futures import CancelledError

    from distributed.comm.core import CommClosedError

    try:
        yield
    except AnonsetError:
        raise
    except Exception as error:
        if isinstance(error, (CancelledError, CommClosedError)) or client.status != "running":
            # the note about the work directory, if data remain in it, names the way to continue
            msg = f"{setting('cluster')}: lost the connection to the scheduler ({type(error).__name__})"
            raise AnonsetError(msg) from None
        raise


class _Pending:
    def __init__(self, future: Any, client: Any, check: Callable[[], None], task: "_Sent") -> None:
        self._future, self._client, self._check, self._task = future, client, check, task

    def result(self, timeout: float | None = None) -> Any:
        with _connected(self._client):
            return self._result(timeout)

    def _result(self, timeout: float | None) -> Any:
        from distributed.scheduler import KilledWorker

        wait, alone_since = timeout or _SECONDS_WITHOUT_WORKERS / 4, None
        while True:
            try:
                result, usage = self._future.result(wait)
                REMOTE_TASKS.add(replace(usage, bytes_sent=len(result) if isinstance(result, bytes) else 0))
                self._forget_task()
                return _unpacked(_content(result, last=True))
            except KilledWorker as error:
                raise AnonsetError(
                    f"{setting('cluster')}: {error.allowed_failures + 1} workers died on the same task; check their "
                    "memory limit"
                ) from None
            except (ImportError, AttributeError, TypeError):
                self._check()
                raise
            except TimeoutError:
                if timeout is not None:
                    raise
                alone_since = None if self._client.nthreads() else alone_since or time.monotonic()
                if alone_since is not None and time.monotonic() - alone_since > _SECONDS_WITHOUT_WORKERS:
                    raise AnonsetError(f"{setting('cluster')}: all workers have stopped") from None

    def cancel(self) -> bool:
        with suppress(AnonsetError), _connected(self._client):  # without a scheduler, there is nothing to cancel
            self._future.cancel()
        self._forget_task()
        return True

    def _forget_task(self) -> None:
        if not isinstance(self._task, bytes):
            delete(received(self._task))


def _packed(value: Any, folder: str | None = None) -> bytes:
    """Serialize a value. Arrays in files are replaced by their file names.

    Parameters
    ----------
    folder
        Directory for the large arrays of a result. Each array is written to a new file. If None, arrays are serialized
        in memory.
    """
    from cloudpickle import Pickler

    class ByName(Pickler):  # type: ignore[misc]
        def reducer_override(self, value: Any) -> Any:
            if isinstance(value, np.ndarray) and value.size and (file := backing(value)) is not None:
                offset = file.offset + value.ctypes.data - file.ctypes.data
                if value.flags.c_contiguous:
                    name = sent(Path(str(file.filename)), may_change=file.mode == "r+")
                    return _in_file, (name, value.dtype.str, offset, value.shape)
            if folder is not None and isinstance(value, np.ndarray) and value.nbytes > _ARRAY_IN_RESULT:
                return _read_and_delete, (_written(value, folder), value.dtype.str, value.shape)
            if isinstance(value, Path) and exchange_of(value) is not None:
                return received, (sent(value),)
            if type(value).__module__ == "anonset_kernels._jit":  # the worker would recompile a copy of a kernel
                return resolve_name, (f"{value.__module__}:{value.__qualname__}",)
            return super().reducer_override(value)

    buffer = io.BytesIO()
    ByName(buffer, protocol=5).dump(value)
    return buffer.getvalue()


_Sent = bytes | Path | SentFile
"""Serialized value, or the name of a file that contains it."""


def _sendable(packed: bytes, folder: str) -> _Sent:
    if len(packed) <= _EMBEDDED:
        return packed
    return _written(np.frombuffer(packed, np.uint8), folder)


def _content(message: _Sent, *, last: bool = False) -> bytes:
    """Return the bytes of a serialized value. Its file is deleted if `last` is True."""
    if isinstance(message, bytes):
        return message
    path = received(message)
    with writing(path, "cannot be read"):
        packed = path.read_bytes()
        if last:
            delete(path)
    return packed


def _unpacked(data: bytes) -> Any:
    from cloudpickle import loads

    return loads(data)


def _in_file(name: Path | SentFile, dtype: str, offset: int, shape: tuple[int, ...]) -> Any:
    return np.asarray(np.memmap(received(name), dtype, "c", offset, shape))


def _written(array: NDArray[Any], folder: str) -> Path | SentFile:
    path = Path(folder) / f"{_MESSAGE_PREFIX}{secrets.token_hex(16)}"
    with writing(path):
        path.touch(0o600, exist_ok=False)
        path.write_bytes(np.ascontiguousarray(array).data)
    return sent(path)


def _read_and_delete(name: Path | SentFile, dtype: str, shape: tuple[int, ...]) -> NDArray[Any]:
    path = received(name)
    with writing(path, "cannot be read"), path.open("rb") as file:
        mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY)
        delete(path)
    if sys.platform == "linux":
        with suppress(OSError):  # Linux before 5.14 maps the pages one by one when they are read
            mapped.madvise(_MAP_ALL_PAGES)
    return np.frombuffer(mapped, dtype).reshape(shape)


_Shared = str | tuple[str, Any]
"""Work directory that all machines share, or token and place of the exchange."""


def _shared(store: Files) -> _Shared:
    exchange = exchange_of(store.path)
    return str(store.path) if exchange is None else (exchange.token, exchange.place)


def _folder_on(worker: Any, shared: _Shared) -> str:
    """Return the directory for the files of a run on a worker. Without a shared directory, it is inside the local
    directory of the worker, which dask removes when the worker ends.
    """
    if isinstance(shared, str):
        return shared
    return str(join(*shared, Path(worker.local_directory)).root)


def _run(work: _Sent, task: _Sent, shared: _Shared, version: str) -> tuple[_Sent, TaskUsage]:
    """Run a task on a worker. Return its result and the resources that the task used.

    Raises
    ------
    InputError
        If the worker runs another version, or a file cannot be read or written. The message names the worker.
    """
    from distributed import get_worker

    with named_worker(version), measured(alone=get_worker().state.nthreads == 1) as usage:
        result = _result_of(work, task, _folder_on(get_worker(), shared))
    return result, usage


def _result_of(work: _Sent, task: _Sent, folder: str) -> _Sent:
    function = _unpacked(work) if isinstance(work, bytes) else _function(work)
    result = run_task(function, _unpacked(_content(task)), threading.Event())
    return _sendable(_packed(result, folder), folder)


@lru_cache(_FUNCTIONS)
def _function(name: Path | SentFile) -> Callable[..., Any]:
    function: Callable[..., Any] = _unpacked(received(name).read_bytes())
    return function


def _introduce(mark: Path | SentFile, shared: _Shared, dask_worker: Any = None) -> tuple[str, bool]:
    """Return the version of this worker, and True if the worker can access the file `mark`."""
    folder = Path(_folder_on(dask_worker, shared))
    try:
        seen = received(mark).exists()
        if isinstance(mark, SentFile):
            delete(received(_written(np.zeros(1, np.uint8), str(folder))))
    except AnonsetError:
        seen = False
    return version_here(), seen


def _see(paths: list[str]) -> bool:
    return all(map(os.path.exists, paths))
