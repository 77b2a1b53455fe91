"""Entry point of ``anonset``: commands by name, and exit codes for every way in which one can end.

This module must stay light: ``anonset --help`` imports neither numpy nor anything of the engine.
"""

import io
import signal
import sys
from collections.abc import Sequence
from typing import Any

from cyclopts import App, CycloptsError, MissingArgumentError, Parameter

from anonset.errors import AnonsetError, InfeasibleError, UndecidedError, VerificationError

DONE, FAILED, BAD_INPUT, UNDECIDED, INTERRUPTED = 0, 1, 2, 3, 130
_DEFECT, _TERMINATED = 70, 143
_COMMANDS = {
    "anonymize": "Anonymize a data set, verify the result and publish it.",
    "verify": "Check a publication against a privacy model.",
    "evaluate": "Measure what a publication lost.",
    "compare": "Compare algorithms or parameters on one input.",
    "demo": "Run the whole job on a generated data set.",
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


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code; an error becomes one line on standard error."""
    try:
        code: Any = make_app()(list(sys.argv[1:] if arguments is None else arguments))
    except (CycloptsError, AnonsetError, OSError, MemoryError, KeyboardInterrupt) as error:
        _say(error)
        return exit_code(error)
    return code if isinstance(code, int) else DONE


def exit_code(error: BaseException) -> int:
    """Return the exit code of an error."""
    if isinstance(error, UndecidedError):
        return UNDECIDED
    if isinstance(error, (InfeasibleError, VerificationError)):
        return FAILED
    return INTERRUPTED if isinstance(error, KeyboardInterrupt) else BAD_INPUT


def describe(error: BaseException) -> str:
    """Say in one line what went wrong."""
    if isinstance(error, KeyboardInterrupt):
        return "interrupted; nothing was published"
    if isinstance(error, MemoryError):
        return f"not enough memory: {error}".rstrip(": ")
    if isinstance(error, MissingArgumentError) and error.argument is not None and error.keyword is None:
        return f"{error.argument.name} is required"
    if isinstance(error, OSError) and error.strerror:
        where = f": {error.filename!r}" if error.filename is not None else ""
        return f"{error.strerror}{where}"
    return " ".join(str(error).split())


def run() -> None:
    """Run the command line of this process and exit."""
    signal.signal(signal.SIGTERM, _terminate)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # a label must not break the account on a narrow terminal
    try:
        sys.exit(main())
    except Exception:  # a defect of ours, and no statement about the data: not the exit code of a failed model
        sys.excepthook(*sys.exc_info())
        sys.exit(_DEFECT)


def _terminate(*_: object) -> None:
    """End in the way that cleans up behind itself."""
    raise SystemExit(_TERMINATED)


def _say(error: BaseException) -> None:
    sys.stderr.write(f"anonset: error: {describe(error)}\n")
    sys.stderr.flush()


def _version() -> str:
    from importlib.metadata import version

    return version("anonset")
