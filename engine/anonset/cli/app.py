"""The commands of the application; cyclopts imports the module of a command when it is called."""

import os
from collections.abc import Sequence
from tempfile import gettempdir
from typing import Any

from cyclopts import App, CycloptsError, Parameter

from anonset.cli.output import warn
from anonset.cli.refusals import refusal
from anonset.errors import InputError
from anonset.jobs.leftovers import warning_of_what_is_left

_COMMANDS = {
    "inspect": "Look at a data set before anonymizing it: what is in it, and who is at risk.",
    "suggest": "Compare suitable algorithms and recommend one.",
    "anonymize": "Anonymize a data set, verify the result and publish it.",
    "verify": "Check a publication against a privacy model.",
    "evaluate": "Measure what a publication lost.",
    "risk": "Estimate re-identification risk, and simulate an attack.",
    "report": "Write a page about a publication for a data protection officer.",
    "compare": "Compare algorithms or parameters on one data set.",
    "reconstruct": "Write one possible table behind a disassociated publication.",
    "import": "Make a job from a project of ARX or a template of Amnesia.",
    "demo": "Try everything on a generated data set.",
    "clean": "List what killed jobs left behind, and remove it.",
    "completions": "Print the completion script of a shell.",
    "warmup": "Compile everything now, so that no later job has to.",
}
_ON_DATA = ("inspect", "suggest", "anonymize", "verify", "evaluate", "risk", "compare")
_GROUPS: dict[str, tuple[str, dict[str, str]]] = {
    "hierarchy": (
        "Build, check, print and convert hierarchies.",
        {
            "build": "Build a balanced hierarchy over the items of a data set.",
            "check": "Check a hierarchy, and that it covers a data set.",
            "print": "Print a hierarchy as a tree.",
            "convert": "Write a hierarchy in the format of anonset.",
        },
    ),
    "policy": (
        "Generate, check and convert the constraints of COAT and PCTA.",
        {
            "generate": "Generate privacy or utility constraints for a data set.",
            "check": "Check constraints, and that they fit a data set.",
            "convert": "Write constraints in the format of anonset.",
        },
    ),
    "datasets": (
        "Find or generate data sets.",
        {
            "list": "List the catalogue and the generators.",
            "make": "Generate a data set.",
            "path": "Print the path of a data set of the catalogue.",
            "check": "Check which data sets are here and unchanged, and how to get the rest.",
        },
    ),
}


_PLACES = {"import": ("import_project", "import_project")}
"""Modules and functions whose names differ from their commands."""
_HELP, _HELP_ALL = frozenset({"--help", "-h"}), "--help-all"
_EPILOGUE = (
    "Every command takes --log-format json: progress, warnings and errors as lines of JSON on standard error. "
    "Exit codes: 0 done, the model holds; 1 it does not hold or cannot be reached; 2 bad input; 3 undecided; "
    "70 a defect of anonset; 130 interrupted (128 + the number of the signal)."
)


def make_app() -> App:
    """Return the application with its commands."""
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
        module, function = _PLACES.get(name, (name, name))
        app.command(f"anonset.cli.{module}:{function}", name=name, help=text)
    for group, (about, commands) in _GROUPS.items():
        inner = App(name=group, help=about)
        for name, text in commands.items():
            inner.command(f"anonset.cli.{group}:{name}_{group}", name=name, help=text)
        app.command(inner)
    return app


def run_command(arguments: Sequence[str]) -> Any:
    """Run a command and return what it returns.

    Raises
    ------
    InputError
        If the arguments are none of a command.
    """
    if arguments and arguments[0] in _ON_DATA:
        _name_what_killed_runs_left()
    app = make_app()
    if not _HELP.isdisjoint(arguments[1:]):
        from anonset.cli.short_help import shorten_help  # imports the formatters of help

        shorten_help(app, arguments)
    try:
        return app(["--help" if argument == _HELP_ALL else argument for argument in arguments])
    except CycloptsError as error:
        raise InputError(refusal(error, arguments)) from None


def _name_what_killed_runs_left() -> None:
    """Warn of raw data that killed runs left in the temporary directory."""
    place = gettempdir()
    if not (os.access(place, os.R_OK) and any(name.startswith("anonset-") for name in os.listdir(place))):  # noqa: PTH208
        return
    if warning := warning_of_what_is_left():
        warn(warning)


def _version() -> str:
    from importlib.metadata import version

    return version("anonset")
