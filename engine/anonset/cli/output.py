"""Output of a command. Results go to standard output, and notes go to standard error."""

import json
import os
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TextIO

from anonset.cli.exit_codes import DONE
from anonset.data.redacted_repr import RedactedRepr
from anonset.errors import AnonsetError, Fix, plain_text
from anonset.spelling import printable, shown

if TYPE_CHECKING:
    from rich.console import RenderableType

    from anonset.data.progress import Progress


class Log(Protocol):
    """Destination of the messages of a command for programs (``--log-format json``)."""

    def progress(self, stage: str, done: float, total: float) -> None:
        """Report the progress of a stage."""
        ...

    def message(self, level: str, text: str, fixes: Sequence[Fix], **more: Any) -> None:
        """Report a note, a warning or an error."""
        ...

    def result(self, **values: Any) -> None:
        """Store results, which the last line of the log contains."""
        ...

    def end(self, code: int) -> None:
        """Report the exit code."""
        ...


_log: list[Log] = []  # log of this process, only if --log-format is json
_WIDTH = 160  # width of tables in characters if the output is not a terminal


@dataclass(frozen=True)
class Output(RedactedRepr):
    """Result of a command, and how it is printed."""

    data: Callable[[], Any]
    """Returns the result as JSON data."""
    text: "Callable[[], Iterable[RenderableType]]" = tuple
    """Returns the result as text and tables."""
    notes: "Callable[[], Iterable[RenderableType]]" = tuple
    """Returns text that ``--quiet`` omits."""
    code: int = DONE
    """Exit code."""
    error: AnonsetError | None = None
    """Error that is raised once the result is printed."""
    complete: str = ""
    """What is complete even if printing fails. Empty if the result is only printed."""

    def show(self, *, json: bool, quiet: bool) -> None:
        """Print the result. If an error follows from the result, raise it."""
        try:
            if json:
                show_json(self.data())
            else:
                show(*self.text(), *(() if quiet else self.notes()))
        except OSError as error:
            if not self.complete:
                raise
            warn(f"{self.complete} is complete, but the summary could not be printed: {error}")
        if self.error is not None:
            raise self.error


def written(out: object, notes: Sequence[str] = (), **more: Any) -> Output:
    """Return the output of a command that wrote a file or a directory."""
    return Output(lambda: {"out": str(out), **more}, notes=lambda: notes)


def show(*parts: "RenderableType") -> None:
    """Print text and tables. Text such as ``[bold]`` is printed as it is."""
    from rich.console import Console

    width = None if sys.stdout.isatty() else _WIDTH
    console = Console(file=sys.stdout, width=width, markup=False, highlight=False, emoji=False)
    with console.capture() as captured:
        for part in parts:
            if isinstance(part, str):
                console.print("\n".join(map(printable, part.split("\n"))), soft_wrap=True)
            else:
                console.print(part)
    _write(captured.get())


def show_json(value: Any) -> None:
    """Write a JSON document."""
    from anonset.strict_json import dumps

    lines = shown(dumps(value, indent=2), lambda words: dumps(words)[1:-1]).split("\n")
    _write("\n".join(line if line.isprintable() else "".join(map(_escaped, line)) for line in lines) + "\n")


def _escaped(letter: str) -> str:
    return letter if letter.isprintable() else json.dumps(letter)[1:-1]


def _write(text: str) -> None:
    """Write to standard output. Discard the text if the reader has closed the pipe."""
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        discard(sys.stdout)


def log_to(log: Log) -> None:
    """Send messages to a log instead of standard error."""
    _log[:] = [log]


def has_log() -> bool:
    """Return True if messages go to a log."""
    return bool(_log)


def log_progress() -> "Progress | None":
    """Return the callback for progress of the log, or None if messages go to standard error."""
    return _log[0].progress if _log else None


def store_result(**values: Any) -> None:
    """Store results for the last line of the log. They are figures and paths, and contain no data."""
    for log in _log:
        log.result(**values)


def end_log(code: int) -> None:
    """Write the exit code to the log, and stop logging."""
    if _log:
        _log.pop().end(code)


def say(message: str, level: str = "note", fixes: Sequence[Fix] = (), **more: Any) -> None:
    """Write a message to standard error. If standard error is closed, the message is discarded.

    Parameters
    ----------
    message
        Text in which data values are marked (see `anonset.errors`). The JSON log omits the values.
    fixes
        Settings that the message recommends. The JSON log omits them, because they may contain data values.
    more
        Additional fields of the JSON log.
    """
    if _log:
        _log[0].message(level, message, fixes, **more)
        return
    mark = "" if level == "note" else f"{level}: "
    try:
        sys.stderr.write(f"anonset: {mark}{printable(plain_text(message))}\n")
        sys.stderr.flush()
    except OSError:
        discard(sys.stderr)


def warn(message: str) -> None:
    """Write a warning to standard error."""
    say(message, "warning")


def utc_time(seconds: float) -> str:
    """Return seconds since the epoch as a UTC time with milliseconds.

    >>> utc_time(0.5)
    '1970-01-01T00:00:00.500Z'
    """
    from datetime import UTC, datetime

    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def discard(stream: TextIO) -> None:
    """Redirect a broken stream to the null device, because Python would fail if it flushed the stream at exit."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)
