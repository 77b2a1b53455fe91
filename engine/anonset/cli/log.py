"""What a command says to a program: a JSON object a line on standard error (``--log-format json``).

Lines may be kept where many read them. So they show no label of the data: what a message quotes stands there only if it
was said on the command line or in the job file, or is a mark such as a semicolon.
"""

import re
import sys
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from math import isfinite
from typing import Any

from anonset.cli.output import discard
from anonset.errors import AnonsetError, InputError
from anonset.strict_json import dumps

OPTION = "--log-format"
SCHEMA = 1
_EVERY = 1.0
_WITHHELD = "…"
_QUOTED = re.compile(r"(?<!\w)b?('(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\")(?!\w)")
_FIGURES = re.compile(r"\d+\.\d+")
_SETS = re.compile(r"\{[^{}]*\}")
_BETWEEN = re.compile(r"[=,\s]")
_OF_A_COLUMN = re.compile(r"(?:columns?|--[a-z-]+),? $")


def taken_from(arguments: Sequence[str]) -> tuple[list[str], bool]:
    """Return the arguments without ``--log-format``, wherever it stands, and whether it asks for JSON.

    >>> taken_from(["verify", "out", "--log-format", "json"]), taken_from(["--log-format=text", "demo"])
    ((['verify', 'out'], True), (['demo'], False))

    Raises
    ------
    InputError
        If it is neither ``text`` nor ``json``.
    """
    left, given, rest = [], "text", iter(arguments)
    for argument in rest:
        name, equals, value = argument.partition("=")
        if name == OPTION:
            given = value if equals else next(rest, "nothing")
            if given not in ("text", "json"):
                msg = f"{OPTION} must be text or json, got {given!r}"
                raise InputError(msg)
        else:
            left.append(argument)
            if argument == "--":
                left += rest
    return left, given == "json"


class JsonLog:
    """Writes what happens in a command as lines of JSON: one ``start``, at last one ``end``."""

    def __init__(self, arguments: Sequence[str]) -> None:
        self._said = arguments
        self._began = time.monotonic()
        self._lock = threading.Lock()  # workers report too
        self._shown: dict[str, tuple[float, float]] = {}
        self._when = self._began

    def start(self) -> None:
        """Tell which command this is."""
        from importlib.metadata import version

        command = next((one for one in self._said if not one.startswith("-")), None)
        self._write("start", schema=SCHEMA, version=version("anonset"), command=command)

    def progress(self, stage: str, done: float, total: float) -> None:
        """Tell how far a stage is: when it begins, when it is finished, and between about once a second."""
        stage = _FIGURES.sub(_WITHHELD, stage)  # a loss is an equation about the data
        with self._lock:
            now, state = time.monotonic(), (done, total)
            known = self._shown.get(stage)
            if known == state or (known is not None and now - self._when < _EVERY and not 0 < total <= done):
                return
            self._shown[stage], self._when = state, now
            self._write("progress", stage=stage, done=_number(done), total=_number(total) or None)

    def message(self, level: str, text: str, **more: Any) -> None:
        """Tell a ``note``, a ``warning`` or an ``error``, without labels of the data."""
        self._write("message", level=level, message=without_labels(text, self._said), **more)

    def end(self, code: int) -> None:
        """Tell how the command ended."""
        self._write("end", exit_code=code, seconds=round(time.monotonic() - self._began, 3))

    def _write(self, event: str, **values: Any) -> None:
        when = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        line = dumps({"time": when, "event": event, **values})
        try:
            sys.stderr.write(f"{line}\n")
            sys.stderr.flush()
        except OSError:  # nobody can be told
            discard(sys.stderr)


def without_labels(text: str, arguments: Iterable[str]) -> str:
    """Return a message whose quoted parts are withheld, but those that the user said, names of columns, and marks.

    >>> without_labels("column 'codes': item 'E10.15' must be a leaf; --delimiter ';'", ["--items", "codes"])
    "column 'codes': item '…' must be a leaf; --delimiter ';'"
    """
    said: set[str] | None = None

    def shown(found: re.Match[str]) -> str:
        nonlocal said
        whole = found[1]
        inner = whole[1:-1]
        if not any(c.isalnum() for c in inner) or _OF_A_COLUMN.search(text, 0, found.start()):
            return whole
        said = set(_words(arguments)) if said is None else said
        if inner in said or any(inner.startswith((f"{word}/", f"{word}.")) for word in said):
            return whole
        return f"{whole[0]}{_WITHHELD}{whole[-1]}"

    return _SETS.sub(f"{{{_WITHHELD}}}", _QUOTED.sub(shown, text))


def _words(arguments: Iterable[str]) -> Iterator[str]:
    """Yield what a user said: the arguments and their parts, and the settings of the job files among them."""
    from anonset.settings.job_files import is_job, read_job

    for argument in arguments:
        yield from _parts(argument)
        if is_job(argument):
            try:
                settings = read_job(argument)
            except (AnonsetError, OSError):
                continue
            for value in settings.values():
                for one in [*value, *value.values()] if isinstance(value, dict) else _as_list(value):
                    yield from _parts(one)


def _parts(text: Any) -> Iterator[str]:
    yield from (str(text), *filter(None, _BETWEEN.split(str(text))))


def _as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _number(value: float) -> float | None:
    """Return a number as JSON knows it, whole ones without a point."""
    if not isfinite(value):
        return None
    return int(value) if value == int(value) else float(value)
