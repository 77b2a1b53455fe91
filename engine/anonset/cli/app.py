"""The application of ``anonset``: its commands by name, none of them imported before it is asked for.

This module must stay light: ``anonset --help`` imports neither numpy nor anything of the engine.
"""

from collections.abc import Sequence
from typing import Any

from cyclopts import App, CycloptsError, Parameter

from anonset.errors import InputError

_COMMANDS = {
    "anonymize": "Anonymize a data set, verify the result and publish it.",
    "verify": "Check a publication against a privacy model.",
    "evaluate": "Measure what a publication lost.",
    "compare": "Compare algorithms or parameters on one input.",
    "demo": "Run the whole job on a generated data set.",
    "completions": "Print what a shell needs to complete commands and options.",
    "warmup": "Compile every kernel, so that no later run has to.",
}
_GROUPS: dict[str, tuple[str, dict[str, str]]] = {
    "hierarchy": (
        "Build, check, print and convert hierarchies.",
        {
            "build": "Build a balanced hierarchy over the items of a data set.",
            "check": "Check a hierarchy, and that it covers a data set.",
            "print": "Print a hierarchy as a tree.",
            "convert": "Write a hierarchy in the house format.",
        },
    ),
    "policy": (
        "Generate, check and convert the constraints of COAT and PCTA.",
        {
            "generate": "Generate privacy or utility constraints for a data set.",
            "check": "Check constraints, and that they fit a data set.",
            "convert": "Write constraints in the house format.",
        },
    ),
    "datasets": (
        "The catalogue of data sets, and generators.",
        {
            "list": "List the catalogue and the generators.",
            "make": "Generate a data set.",
            "path": "Print where a data set of the catalogue lies.",
        },
    ),
}


def make_app() -> App:
    """Return the application with its commands, none of them imported yet."""
    app = App(
        name="anonset",
        help="Anonymize transaction (set-valued), relational and mixed data: fast, verified, reproducible.",
        version=_version,
        default_parameter=Parameter(negative=()),
        exit_on_error=False,
        print_error=False,
        help_on_error=False,
        result_action="return_value",
        suppress_keyboard_interrupt=False,
    )
    for name, text in _COMMANDS.items():
        app.command(f"anonset.cli.{name}:{name}", name=name, help=text)
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
    try:
        return make_app()(list(arguments))
    except CycloptsError as error:
        from anonset.cli.refusals import refusal

        raise InputError(refusal(error, arguments)) from None


def _version() -> str:
    from importlib.metadata import version

    return version("anonset")
