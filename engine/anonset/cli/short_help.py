"""Short help of commands with many options: an example and the most common options."""

from collections.abc import Collection, Sequence
from itertools import pairwise
from typing import NamedTuple

from cyclopts import App
from cyclopts.help import HelpPanel
from cyclopts.help.formatters import DefaultFormatter
from rich.console import Console, ConsoleOptions

from anonset.algorithms.registry import ALGORITHMS
from anonset.settings.parameters import parameters


class ShortHelp(NamedTuple):
    """Example and options that the short help of a command shows."""

    example: str
    """Command that fits on a line of 80 characters and follows the examples of the commands before it."""
    options: tuple[str, ...]


SHORT = {
    "inspect": ShortHelp(
        "anonset inspect a.csv --unit id -o job.toml",
        ("items", "relational", "unit", "hierarchy", "k", "m", "out"),
    ),
    "suggest": ShortHelp(
        "anonset suggest job.toml --k 5 --m 2",
        ("items", "relational", "unit", "model", "k", "m", "seconds"),
    ),
    "anonymize": ShortHelp(
        "anonset anonymize job.toml --k 5 --m 2 -o out",
        ("items", "relational", "unit", "model", "k", "m", "out"),
    ),
    "verify": ShortHelp(
        "anonset verify out --original a.csv --unit id",
        ("original", "unit", "items", "relational", "model", "k", "m"),
    ),
    "evaluate": ShortHelp(
        "anonset evaluate a.csv out --unit id --items codes --workload record:100x2",
        ("items", "relational", "unit", "hierarchy", "workload", "queries", "json"),
    ),
    "risk": ShortHelp(
        "anonset risk out --original a.csv --unit id",
        ("original", "unit", "drop", "m", "threshold", "attempts", "json"),
    ),
    "report": ShortHelp(
        "anonset report out --original a.csv --unit id -o report.html",
        ("out", "original", "unit", "shareable", "recipient", "purpose", "title"),
    ),
    "compare": ShortHelp(
        "anonset compare job.toml --k 2,5,10 --m 2",
        ("items", "relational", "unit", "model", "algorithms", "k", "m"),
    ),
}
"""Short help of each command."""


def shorten_help(app: App, arguments: Sequence[str]) -> None:
    """Show only an example and the most common options in the help of a command.

    If the arguments of ``anonset anonymize`` name an algorithm, show the parameters of the algorithm instead.
    """
    name = arguments[0]
    command, short, more = app[name], SHORT[name], f"All options: anonset {name} --help-all."
    options: Collection[str] = short.options
    if name == "anonymize":
        more += " Options of an algorithm: anonset anonymize --algorithm NAME --help."
    if name == "anonymize" and (algorithm := _algorithm_in(arguments)) is not None:
        options = parameters(algorithm)
    else:
        command.help_prologue = f"Example:  \n{short.example}"
    command.help_epilogue = more
    command.help_formatter = _SelectedOptions({f"--{option.replace('_', '-')}" for option in options})


def _algorithm_in(arguments: Sequence[str]) -> str | None:
    parts = [part for argument in arguments for part in argument.split("=", 1)]
    return next((name for before, name in pairwise(parts) if before == "--algorithm" and name in ALGORITHMS), None)


class _SelectedOptions(DefaultFormatter):
    """Format help with all positional arguments but only the selected options."""

    def __init__(self, options: Collection[str]) -> None:
        super().__init__()
        self._shown = frozenset(options)

    def __call__(self, console: Console, options: ConsoleOptions, panel: HelpPanel) -> None:
        entries = [
            entry for entry in panel.entries if entry.positional_label or not self._shown.isdisjoint(entry.names)
        ]
        if entries:
            super().__call__(console, options, panel.copy(entries=entries))
