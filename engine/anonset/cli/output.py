"""Writing results to standard output, for people or as JSON."""

import json
import os
import sys
from typing import TYPE_CHECKING, Any

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
            console.print(part, soft_wrap=isinstance(part, str))
    _write(captured.get())


def show_json(value: Any) -> None:
    """Write one JSON document."""
    _write(json.dumps(value, indent=2, ensure_ascii=False) + "\n")


def _write(text: str) -> None:
    """Write to standard output; a reader that has gone away changes no exit code."""
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def say(message: str) -> None:
    """Write a note to standard error."""
    sys.stderr.write(f"anonset: {message}\n")
    sys.stderr.flush()


def warn(message: str) -> None:
    """Write a warning to standard error."""
    say(f"warning: {message}")
