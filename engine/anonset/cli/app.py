"""The commands of the application, and their flags, which come from the fields of settings."""

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import fields
from itertools import pairwise
from pkgutil import resolve_name
from types import FunctionType
from typing import Annotated, Any, get_args

from cyclopts import App, CycloptsError, Parameter

from anonset.algorithms.registry import ALGORITHMS
from anonset.cli.flags import ALIASES, flags_class
from anonset.cli.output import warn
from anonset.cli.refusals import refusal
from anonset.errors import InputError
from anonset.jobs.leftovers import warning_of_what_is_left
from anonset.settings.parameters import MODELS
from anonset.settings.settings import is_job, settings_model

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
_SHORT = (*_ON_DATA, "report")
"""Commands whose help begins with what nearly everyone needs."""
_PLACES = {
    "anonymize": "anonset.cli.anonymize_any:anonymize",
    "import": "anonset.cli.import_project:import_project",
}
"""Commands that do not lie in the file of their name."""
_WHOLE = ("-h", "--help", "--config")
"""What calls for the options of all algorithms."""
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


_EPILOGUE = (
    "Every command takes --log-format json: progress, warnings and errors as lines of JSON on standard error. "
    "Exit codes: 0 done, the model holds; 1 it does not hold or cannot be reached; 2 bad input; 3 undecided; "
    "70 a defect of anonset; 130 interrupted (128 + the number of the signal)."
)


def make_app(
    few: Mapping[str, Callable[..., int]] | None = None, helped: Mapping[str, Mapping[str, Any]] | None = None
) -> App:
    """Return the application with its commands, which are imported when they are called.

    Parameters
    ----------
    few
        Commands that take fewer options than there are.
    helped
        How help of some commands is shown.
    """
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
        app.command((few or {}).get(name, place_of(name)), name=name, help=text, **(helped or {}).get(name, {}))
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
    if _HELP_ALL in arguments:
        return make_app()(["--help" if argument == _HELP_ALL else argument for argument in arguments])
    if arguments and arguments[0] in _SHORT and not _HELP.isdisjoint(arguments):
        return make_app(helped={arguments[0]: _short_help(arguments)})(list(arguments))
    if arguments and arguments[0] in _SHORT:
        with suppress(CycloptsError):  # raised before anything is done; what is wrong is said below
            return make_app({arguments[0]: with_options_of(arguments)})(list(arguments))
    try:
        return make_app()(list(arguments))
    except CycloptsError as error:
        raise InputError(refusal(error, arguments)) from None


def place_of(command: str) -> str:
    """Return module and name of the function behind a command."""
    return _PLACES.get(command, f"anonset.cli.{command}:{command}")


def with_options_of(arguments: Sequence[str]) -> Callable[..., int]:
    """Return the command that arguments call, with no options but theirs: to make all takes longer than a small job."""
    algorithms = algorithms_asked(arguments)
    if algorithms:
        made = settings_model(*algorithms, described=False)
        whole = resolve_name("anonset.cli.anonymize:anonymize_command")(made)
    else:
        whole = resolve_name(place_of(arguments[0]))
    named = {argument.partition("=")[0].lstrip("-").replace("-", "_") for argument in arguments}
    kept = {*named, *(name.removeprefix("no_") for name in named), *ALIASES}
    flags_type, *of_flags = get_args(whole.__annotations__["flags"])
    command = FunctionType(whole.__code__, whole.__globals__, whole.__name__, closure=whole.__closure__)
    flags = flags_class(tuple((flag.name, flag.type) for flag in fields(flags_type) if flag.name in kept))
    command.__doc__, command.__defaults__ = whole.__doc__, whole.__defaults__
    command.__annotations__ = {**whole.__annotations__, "flags": Annotated[flags, *of_flags]}
    command.__kwdefaults__ = {**(whole.__kwdefaults__ or {}), "flags": flags()}
    return command


def _name_what_killed_runs_left() -> None:
    """Warn of raw data that killed runs left among the temporary files."""
    from tempfile import gettempdir

    place = gettempdir()
    if not (os.access(place, os.R_OK) and any(name.startswith("anonset-") for name in os.listdir(place))):  # noqa: PTH208
        return

    if warning := warning_of_what_is_left():
        warn(warning)


def algorithms_asked(arguments: Sequence[str]) -> tuple[str, ...]:
    """Return the names of the algorithms that may serve a call of ``anonymize``; none where that cannot be told.

    Then their options alone need to be known. If the arguments hold any other, parsing fails, and is done once more
    with all of them, so that its error names what is meant.

    >>> algorithms_asked(["anonymize", "shop.dat", "--algorithm", "apriori", "--k", "5"])
    ('apriori',)
    >>> algorithms_asked(["anonymize", "shop.dat", "--model=kkm"]), algorithms_asked(["anonymize", "job.toml"])
    (('joint-split',), ())
    """
    if not arguments or arguments[0] != "anonymize":
        return ()

    if any(argument.partition("=")[0] in _WHOLE or is_job(argument) for argument in arguments):
        return ()
    algorithms, models = _values(arguments, "--algorithm"), _values(arguments, "--model")
    if len(algorithms) > 1 or len(models) > 1:
        return ()
    return _known(algorithms, models)


def _short_help(arguments: Sequence[str]) -> Mapping[str, Any]:
    """Return how help is shown if it is asked for: what nearly everyone needs, or the parameters of an algorithm."""
    from anonset.cli.short_help import short_help  # it imports the formatters of help

    asked = _values(arguments, "--algorithm") if arguments[0] == "anonymize" else ()
    return short_help(arguments[0], _known(asked, ()) if asked else ())


_HELP, _HELP_ALL = frozenset({"--help", "-h"}), "--help-all"


def _known(algorithms: Sequence[str], models: Sequence[str]) -> tuple[str, ...]:
    if algorithms:
        return tuple(name for name in algorithms if name in ALGORITHMS)
    entries = [MODELS[model] for model in models if model in MODELS]
    return tuple(name for entry in entries for name in (entry.algorithm, entry.alone) if name is not None)


def _values(arguments: Sequence[str], option: str) -> list[str]:
    """Return the values that stand behind an option."""
    behind = [after for before, after in pairwise(arguments) if before == option]
    return behind + [argument.partition("=")[2] for argument in arguments if argument.startswith(f"{option}=")]


def _version() -> str:
    from importlib.metadata import version

    return version("anonset")
