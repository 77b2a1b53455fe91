"""Log for programs: a JSON object per line on standard error (``--log-format json``).

Log files may have many readers. The lines therefore contain no data values. A part of a message that
`anonset.errors.datum` marks as a data value appears as ``…``.
"""

import os
import sys
import threading
import time
from collections.abc import Sequence
from dataclasses import replace
from math import isfinite
from typing import TYPE_CHECKING, Any, TextIO

from anonset.cli.output import discard, utc_time
from anonset.errors import Fix, public_text, require_known
from anonset.strict_json import dumps

if TYPE_CHECKING:
    from anonset.data.storage.usage import TaskUsage

OPTION = "--log-format"
SCHEMA = 1
_EVERY = 1.0
"""Minimum number of seconds between progress lines."""
_LONGEST_SILENCE = 9.0
"""Maximum number of seconds between progress lines."""
_own: list[TextIO] = []  # standard error of this process, if the log alone may write to it


def taken_from(arguments: Sequence[str]) -> tuple[list[str], bool]:
    """Return the arguments without ``--log-format``, and True if the option requests JSON.

    >>> taken_from(["verify", "out", "--log-format", "json"]), taken_from(["--log-format=text", "demo"])
    ((['verify', 'out'], True), (['demo'], False))

    Raises
    ------
    InputError
        If the format is not ``text`` or ``json``.
    """
    others, log_format, remaining = [], "text", iter(arguments)
    for argument in remaining:
        name, equals, value = argument.partition("=")
        if name == OPTION:
            log_format = value if equals else next(remaining, "nothing")
            require_known(OPTION, log_format, ("text", "json"))
        else:
            others.append(argument)
            if argument == "--":
                others += remaining
    return others, log_format == "json"


def take_standard_error() -> None:
    """Reserve standard error for the log.

    Text from libraries, child processes and Python is discarded, because it may show data and is not JSON.
    """
    _own[:] = [os.fdopen(os.dup(2), "w", encoding="utf-8", errors="backslashreplace")]
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 2)
    os.close(nowhere)


class JsonLog:
    """Writes the events of a command as lines of JSON, from ``start`` to ``end``."""

    def __init__(self, command: str | None, run_id: str) -> None:
        self._command = command
        self._began = time.monotonic()
        self._lock = threading.Lock()  # worker threads also report progress
        self._shown: dict[str, tuple[float, float]] = {}
        self._result: dict[str, Any] = {}
        self._when = self._began
        self._run_id = run_id
        self._latest: tuple[str, float, float] | None = None
        self._ended = threading.Event()
        self._before: TaskUsage | None = None

    def start(self) -> None:
        """Write the start line with the command."""
        from importlib.metadata import version

        self._write("start", schema=SCHEMA, version=version("anonset"), command=self._command, run_id=self._run_id)
        threading.Thread(target=self._repeat_progress, name="anonset-log", daemon=True).start()

    def progress(self, stage: str, done: float, total: float) -> None:
        """Write the progress of a stage: at the start, at the end, and about once a second."""
        with self._lock:
            now, state = time.monotonic(), (done, total)
            self._latest = stage, done, total
            shown = self._shown.get(stage)
            if shown == state or (shown is not None and now - self._when < _EVERY and not 0 < total <= done):
                return
            self._shown[stage], self._when = state, now
            self._write_progress(stage, done, total)

    def message(self, level: str, text: str, fixes: Sequence[Fix] = (), **more: Any) -> None:
        """Write a ``note``, a ``warning`` or an ``error`` without values of the data. `fixes` may contain values."""
        self._write("message", level=level, message=public_text(text), **more)

    def result(self, **values: Any) -> None:
        """Store figures and paths for the end line. They must contain no data."""
        self._result |= values

    def end(self, code: int) -> None:
        """Write the end line with the exit code and the results."""
        with self._lock:
            self._ended.set()
            seconds = round(time.monotonic() - self._began, 3)
            self._write("end", exit_code=code, seconds=seconds, run_id=self._run_id, **self._result)

    def _repeat_progress(self) -> None:
        """Repeat the latest progress line whenever no line was written for `_LONGEST_SILENCE` seconds."""
        while not self._ended.wait(_EVERY):
            with self._lock:
                now = time.monotonic()
                if self._latest is not None and now - self._when >= _LONGEST_SILENCE and not self._ended.is_set():
                    self._when = now
                    self._write_progress(*self._latest)

    def _write_progress(self, stage: str, done: float, total: float) -> None:
        from anonset.data.storage.usage import REMOTE_TASKS  # slow: the package imports NumPy

        self._before = self._before or replace(REMOTE_TASKS)
        usage = REMOTE_TASKS.since(self._before)
        tasks = {"tasks": usage.figures()} if usage.count else {}
        self._write("progress", stage=stage, done=_number(done), total=_number(total) or None, **tasks)

    def _write(self, event: str, **values: Any) -> None:
        line = dumps({"time": utc_time(time.time()), "event": event, **values})
        stream = _own[-1] if _own else sys.stderr
        try:
            stream.write(f"{line}\n")
            stream.flush()
        except OSError:  # standard error is closed
            discard(stream)


def _number(value: float) -> float | None:
    if not isfinite(value):
        return None
    return int(value) if value == int(value) else float(value)
