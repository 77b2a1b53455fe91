"""Application with all commands. The module of a command is imported when a user calls the command."""

import os
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from tempfile import gettempdir
from typing import Any

from cyclopts import App, CycloptsError, Parameter, UnknownOptionError

from anonset.cli.output import warn
from anonset.cli.refusals import refusal
from anonset.errors import InputError

_COMMANDS = {
    "inspect": "Examine a data set: column roles, re-identification risk and problems.",
    "suggest": "Compare suitable algorithms and recommend one.",
    "anonymize": "Anonymize a data set, verify the result and publish it.",
    "verify": "Check whether a publication satisfies a privacy model.",
    "evaluate": "Measure the information loss of a publication.",
    "risk": "Estimate re-identification risk and simulate attacks.",
    "report": "Write a report about a publication for a data protection officer.",
    "compare": "Compare algorithms or parameters on a data set.",
    "reconstruct": "Generate a table of records that is consistent with a disassociated publication.",
    "ui": "Open a web page to inspect and publish data.",
    "demo": "Generate a data set, anonymize it and explain the result.",
    "clean": "List and remove the work directories of killed runs.",
    "completions": "Print a shell completion script.",
    "warmup": "Compile all kernels, so that later runs start faster.",
}
_ON_DATA = ("inspect", "suggest", "anonymize", "verify", "evaluate", "risk", "compare")
_GROUPS: dict[str, tuple[str, dict[str, str]]] = {
    "hierarchy": (
        "Build, check, print and convert hierarchies.",
        {
            "build": "Build a hierarchy over the items or values of a data set.",
            "check": "Check a hierarchy, and whether it covers a data set.",
            "print": "Print a hierarchy as a tree.",
            "convert": "Convert a hierarchy to the format of anonset.",
            "import": "Build a hierarchy of concepts from a vocabulary of OMOP.",
            "rename": "Rename a node of a hierarchy.",
        },
    ),
    "policy": (
        "Generate, check and convert constraints for the algorithms COAT and PCTA.",
        {
            "generate": "Generate privacy or utility constraints for a data set.",
            "check": "Check constraints, and whether they fit a data set.",
            "convert": "Convert constraints to the format of anonset.",
        },
    ),
    "workload": (
        "Generate and check the queries that measure the accuracy of a publication.",
        {
            "generate": "Generate random queries for a data set.",
            "check": "Check queries, and count the records that match each query.",
        },
    ),
    "datasets": (
        "List, locate and generate data sets for experiments.",
        {
            "list": "List the data sets of the catalogue, and the generators.",
            "make": "Generate a data set.",
            "path": "Print the path of a data set of the catalogue.",
            "check": "Check which data sets of the catalogue are available and unchanged.",
        },
    ),
}


_FUNCTIONS = {"ui": "anonset.ui.command:ui"}
"""Module and function of each command, if the module does not have the name of the command."""
_ACCEPT_URLS = ("anonymize", "verify", "evaluate", "risk", "report")
"""Commands that accept URLs of publications, job files and other files."""
_HELP, _HELP_ALL = frozenset({"--help", "-h"}), "--help-all"
_FIRST_STEPS = (
    "First steps:  \nanonset inspect FILE -o job.toml  \nanonset suggest job.toml  \nanonset anonymize job.toml"
)
_EPILOGUE = (
    "All commands accept --log-format json: progress, warnings and errors as JSON lines on standard error. "
    "Exit codes: 0 success, the model holds; 1 the model does not hold or is infeasible; 2 invalid input; "
    "3 undecided; 70 defect of anonset; 130 interrupted (128 + signal number)."
)


def make_app(only: str = "") -> App:
    """Return the application with all commands, or with one command or one group of commands."""
    app = App(
        name="anonset",
        help="Anonymize transaction (set-valued), relational and mixed data: fast, verified, reproducible.",
        help_epilogue=_EPILOGUE,
        version=_version,
        default_parameter=Parameter(negative=()),
        exit_on_error=False,
        print_error=False,
        help_on_error=False,
        result_action="return_value",
        suppress_keyboard_interrupt=False,
    )
    for name, text in _COMMANDS.items():
        if only in ("", name):
            app.command(_FUNCTIONS.get(name, f"anonset.cli.commands.{name}:{name}"), name=name, help=text)
    for group, (about, commands) in _GROUPS.items():
        if only not in ("", group):
            continue
        inner = App(name=group, help=about)
        for name, text in commands.items():
            inner.command(f"anonset.cli.commands.{group}:{name}_{group}", name=name, help=text)
        app.command(inner)
    return app


def _with_dashes(arguments: Sequence[str]) -> list[str]:
    """Join a single dash to the option before it, as in ``--null -``. The library cyclopts accepts it only so."""
    joined = list[str]()
    for argument in arguments:
        if argument == "-" and joined and joined[-1].startswith("--") and "=" not in joined[-1]:
            joined[-1] += "=-"
        else:
            joined.append(argument)
    return joined


def run_command(arguments: Sequence[str]) -> Any:
    """Run a command and return the result.

    Raises
    ------
    InputError
        If the arguments are invalid.
    """
    arguments = _with_dashes(arguments)
    asks_for_help = not {*_HELP, _HELP_ALL}.isdisjoint(arguments)
    if arguments and arguments[0] in _ON_DATA and not asks_for_help:
        _warn_of_leftovers()
    try:
        with _fetching_files(arguments):
            if arguments and not asks_for_help:
                with suppress(UnknownOptionError):  # the message suggests one of all options
                    return _app_for(arguments)(arguments)
            app = _app_with_help(arguments)
            return app(["--help" if argument == _HELP_ALL else argument for argument in arguments])
    except CycloptsError as error:
        raise InputError(refusal(error, arguments)) from None


def _app_for(arguments: Sequence[str]) -> App:
    """Return the application with the command that the arguments name. The command accepts only the flags that they
    name.
    """
    app = make_app(arguments[0] if arguments[0] in _COMMANDS or arguments[0] in _GROUPS else "")
    command = _command_in(app, arguments)
    if command.default_command is not None:
        from anonset.cli.flags import accepting  # slow: imports the settings

        command.default_command = accepting(command.default_command, arguments)
    return app


def _app_with_help(arguments: Sequence[str]) -> App:
    """Return the application with all commands, and the help that the arguments request."""
    app = make_app()
    if not arguments or arguments[0] in _HELP:
        app.help_prologue = _FIRST_STEPS  # commands would inherit it
    if not {*_HELP, _HELP_ALL}.isdisjoint(arguments[1:]):
        from anonset.cli.short_help import SHORT, shorten_help  # slow: imports the help formatters

        if arguments[0] in SHORT and _HELP_ALL not in arguments:
            shorten_help(app, arguments)
        else:
            show_docstring(app, arguments)
    return app


def _command_in(app: App, arguments: Sequence[str]) -> App:
    for argument in arguments:
        if argument.startswith("-") or argument not in app:
            break
        app = app[argument]
    return app


def _fetching_files(arguments: Sequence[str]) -> AbstractContextManager[None]:
    """Return a context manager that downloads files that options name by a URL."""
    if not (arguments and arguments[0] in _ACCEPT_URLS):
        return nullcontext()
    from anonset.settings.fetched_files import fetching_side_files  # slow: imports the readers

    return fetching_side_files()


def show_docstring(app: App, arguments: Sequence[str]) -> None:
    """Show the complete docstring in the help of a command. The list of commands shows only the first line."""
    command = _command_in(app, arguments)
    if command.default_command is not None:
        command.help = None


def _warn_of_leftovers() -> None:
    place = gettempdir()
    names = os.listdir(place) if os.access(place, os.R_OK) else []  # noqa: PTH208
    if not any(name.startswith("anonset-") and not name.startswith("anonset-demo-") for name in names):
        return
    from anonset.jobs.runs.leftovers import warning_of_what_is_left  # slow: imports the readers

    if warning := warning_of_what_is_left():
        warn(warning)


def _version() -> str:
    from importlib.metadata import version

    return version("anonset")
