"""Writing results to standard output, for people or as JSON."""

import json
import os
import sys
from typing import TYPE_CHECKING, Any, TextIO

from anonset.report.printable import printable
from anonset.strict_json import dumps

if TYPE_CHECKING:
    from rich.console import RenderableType

_WIDTH = 160  # of tables where no terminal says its own


def show(*parts: "RenderableType") -> None:
    """Show text and tables; markup in them is shown as it is."""
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
    """Write one JSON document."""
    text = dumps(value, indent=2)
    _write("".join(c if c.isprintable() or c == "\n" else json.dumps(c)[1:-1] for c in text) + "\n")


def _write(text: str) -> None:
    """Write to standard output; a reader that has gone away changes no exit code."""
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        _discard(sys.stdout)


def say(message: str) -> None:
    """Write a note to standard error; where that is not possible, as on a terminal that is gone, nobody can be told."""
    try:
        sys.stderr.write(f"anonset: {printable(message)}\n")
        sys.stderr.flush()
    except OSError:
        _discard(sys.stderr)


def warn(message: str) -> None:
    """Write a warning to standard error."""
    say(f"warning: {message}")


def _discard(stream: TextIO) -> None:
    """Let what a stream still holds, and what is yet to come, go nowhere: it would fail again when the process ends."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)
