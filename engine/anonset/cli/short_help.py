"""The help of a command with many options: first an example, then the few options that nearly everyone needs."""

from collections.abc import Collection
from typing import TYPE_CHECKING, Any, NamedTuple

from cyclopts.help import HelpPanel
from cyclopts.help.formatters import DefaultFormatter

from anonset.settings.parameters import parameters

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions


class Short(NamedTuple):
    """What the help of a command begins with."""

    example: str
    """A command line that most readers can start from."""
    options: tuple[str, ...]
    """The options that it shows."""


SHORT = {
    "inspect": Short(
        "anonset inspect a.csv -o job.toml",
        ("items", "relational", "id", "hierarchy", "k", "m", "out"),
    ),
    "suggest": Short(
        "anonset suggest a.csv --id id --items codes --model km --k 5 --m 2",
        ("items", "relational", "id", "model", "k", "m", "seconds"),
    ),
    "anonymize": Short(
        "anonset anonymize a.csv --id id --items codes --model km --k 5 --m 2 -o out",
        ("items", "relational", "id", "model", "k", "m", "out"),
    ),
    "verify": Short(
        "anonset verify out --original a.csv --id id",
        ("original", "id", "items", "relational", "model", "k", "m"),
    ),
    "evaluate": Short(
        "anonset evaluate a.csv out --id id --items codes --workload record:100x2",
        ("items", "relational", "id", "hierarchy", "workload", "queries", "json"),
    ),
    "risk": Short(
        "anonset risk out --original a.csv --id id",
        ("original", "id", "drop", "m", "threshold", "attempts", "json"),
    ),
    "report": Short(
        "anonset report out --original a.csv --id id -o report.html",
        ("out", "original", "id", "shareable", "recipient", "purpose", "title"),
    ),
    "compare": Short(
        "anonset compare a.csv --id id --items codes --model km --k 2,5,10 --m 2",
        ("items", "relational", "id", "model", "algorithms", "k", "m"),
    ),
}
"""By command, what nearly everyone needs of it."""


def short_help(command: str, algorithms: Collection[str] = ()) -> dict[str, Any]:
    """Return how an application shows the help of a command: an example, few options, and where the others are.

    Parameters
    ----------
    algorithms
        Algorithms whose parameters are shown in place of what nearly everyone needs.
    """
    short = SHORT[command]
    more = f"All options: anonset {command} --help-all."
    if command == "anonymize":
        more += " Those of an algorithm: anonset anonymize --algorithm NAME --help."
    options = parameters(*algorithms) if algorithms else short.options
    return {
        "help_prologue": None if algorithms else f"Example:  \n{short.example}",
        "help_epilogue": more,
        "help_formatter": _OnlySome({f"--{name.replace('_', '-')}" for name in options}),
    }


class _OnlySome(DefaultFormatter):
    """Shows the arguments, and of the options some."""

    def __init__(self, options: Collection[str]) -> None:
        super().__init__()
        self._shown = frozenset(options)

    def __call__(self, console: "Console", options: "ConsoleOptions", panel: HelpPanel) -> None:
        left = [one for one in panel.entries if one.positional_label or not self._shown.isdisjoint(one.names)]
        if left:
            super().__call__(console, options, panel.copy(entries=left))
