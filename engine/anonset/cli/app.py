"""Run a command of the command line."""

import os
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from inspect import signature
from tempfile import gettempdir
from typing import Any

from anonset.cli.exit_codes import DONE
from anonset.cli.output import Output, show, warn
from anonset.cli.registry import GROUPS, HELP, Command, named_command


def run_command(arguments: Sequence[str]) -> int:
    """Run a command and return the exit code.

    Raises
    ------
    InputError
        If the arguments are invalid.
    """
    if not HELP.isdisjoint(arguments) or not arguments or [*arguments] in [[group] for group in GROUPS]:
        from anonset.cli.help import print_help  # slow: imports cyclopts

        return print_help(arguments)
    if arguments[0] == "--version":
        from importlib.metadata import version

        show(version("anonset"))
        return DONE
    command, rest = named_command(arguments)
    if command.reads_data:
        _warn_of_leftovers()
    fetching: AbstractContextManager[None] = nullcontext()
    if command.fetches:
        from anonset.settings.fetched_files import fetching_side_files  # slow: imports the readers

        fetching = fetching_side_files()
    with fetching:
        return _run(command, rest)


def _run(command: Command, arguments: Sequence[str]) -> int:
    """Run a command, print its output, and return the exit code."""
    from anonset.cli.options import options_of, parse

    function = command.run
    texts, values = parse(options_of(function), arguments)
    accepted = signature(function).parameters
    json, quiet = values.pop("json", False), values.pop("quiet", False)
    values |= {name: value for name, value in (("json", json), ("quiet", quiet)) if name in accepted}
    progress: Any = nullcontext()
    if "progress" in accepted:
        from anonset.cli.progress import progress_bars

        progress = progress_bars(quiet=quiet)
    with progress as callback:
        output: Output = function(*texts, **values, **({"progress": callback} if "progress" in accepted else {}))
    output.show(json=json, quiet=quiet)
    return output.code


def _warn_of_leftovers() -> None:
    place = gettempdir()
    names = os.listdir(place) if os.access(place, os.R_OK) else []  # noqa: PTH208
    if not any(name.startswith("anonset-") and not name.startswith("anonset-demo-") for name in names):
        return
    from anonset.jobs.runs.leftovers import warning_of_what_is_left  # slow: imports the readers

    if warning := warning_of_what_is_left():
        warn(warning)
