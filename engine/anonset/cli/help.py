"""Help and shell completion of commands, which the library cyclopts writes from their options."""

from collections.abc import Callable, Collection, Sequence
from inspect import Parameter as Argument
from inspect import Signature
from itertools import pairwise
from typing import Annotated, Any, Literal, Union

from cyclopts import App, Group, Parameter

from anonset.cli.exit_codes import DONE
from anonset.cli.options import Option, options_of
from anonset.cli.registry import COMMANDS, GROUPS, HELP, Command, named_command

_FIRST_STEPS = (
    "First steps:  \nanonset inspect FILE -o job.toml  \nanonset suggest job.toml  \nanonset anonymize job.toml"
)
_EPILOGUE = (
    "All commands accept --json, --quiet and --log-format. "
    "Exit codes: 0 success, the model holds; 1 the model does not hold or is infeasible; 2 invalid input; "
    "3 undecided; 70 defect of anonset; 130 interrupted (128 + signal number)."
)


def make_app(only: str | None = None, shown: Collection[str] = ()) -> App:
    """Return the application with all commands, and the help of one command, or of all.

    Parameters
    ----------
    shown
        Names of the options in the help. Empty for all options.
    """
    app = App(
        name="anonset",
        help="Anonymize transaction (set-valued), relational and mixed data: fast, verified, reproducible.",
        help_epilogue=_EPILOGUE,
        default_parameter=Parameter(negative=()),
        result_action="return_value",
    )
    for command in COMMANDS.values():
        group, _, inner = command.name.rpartition(" ")
        if group and group not in app:
            app.command(App(name=group, help=GROUPS[group]))
        place = app[group] if group else app
        if only not in (None, command.name):
            place.command(App(name=inner, help=command.about))
        else:
            place.command(_documented(command, shown), name=inner)
    return app


def _documented(command: Command, shown: Collection[str]) -> Callable[..., Any]:
    """Return a function with the docstring of a command, and its options as parameters in the form of cyclopts."""
    from anonset.cli.flags import HEADINGS  # slow: imports the settings

    groups = {heading: Group(heading, sort_key=place) for place, heading in enumerate(HEADINGS)}

    def function(*_: Any, **__: Any) -> None:
        pass

    kinds = {"positional": Argument.POSITIONAL_ONLY, "further": Argument.VAR_POSITIONAL, "named": Argument.KEYWORD_ONLY}
    options = sorted(options_of(command.run), key=lambda option: [*kinds].index(option.kind))
    options = [option for option in options if not shown or option.kind != "named" or option.name in shown]
    parameters = [
        Argument(
            option.name, kinds[option.kind], annotation=_annotation(option, groups),
            default=Argument.empty if option.required or option.kind == "further" else option.default,
        )
        for option in options
    ]  # fmt: skip
    function.__doc__ = command.run.__doc__
    function.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    vars(function)["__signature__"] = Signature(parameters)
    return function


def _annotation(option: Option, groups: dict[str, Group]) -> Any:
    kind: Any = option.type
    grouped: Any = {"group": groups[option.heading]} if option.heading else {}
    if option.names:
        kind = Union[str, Literal[tuple(option.names)]]  # noqa: UP007
        kind = list[kind] if option.type == list[str] else kind
    parameter = Parameter(
        name=option.label, alias=option.alias or None, help=option.help, required=option.required,
        negative=f"--no-{option.label[2:]}" if option.off else (), show_choices=not option.names,
        metavar="NAME" if option.names else None, **grouped,
    )  # fmt: skip
    return Annotated[kind, parameter]


def print_help(arguments: Sequence[str]) -> int:
    """Print the help that arguments request, and return the exit code.

    Raises
    ------
    InputError
        If there is no such command.
    """
    path = [argument for argument in arguments if argument not in HELP]
    if not path:
        app = make_app("")
        app.help_prologue = _FIRST_STEPS
        app.help_print([])
        return DONE
    if path[0] in GROUPS and len(path) == 1:
        make_app("").help_print(path)
        return DONE
    command, rest = named_command(path)
    parameters = _parameters_of_named(rest) if command.name == "anonymize" else ()
    shown = () if "--help-all" in arguments else parameters or command.common
    app = make_app(command.name, shown)
    if shown:  # only an example and the most common options, or the parameters of the named algorithm
        more = f"All options: anonset {command.name} --help-all."
        if command.name == "anonymize":
            more += " Options of an algorithm: anonset anonymize --algorithm NAME --help."
        page = app[command.name]
        page.help, page.help_epilogue = command.about, more
        page.help_prologue = None if parameters else f"Example:  \n{command.example}"
    app.help_print(command.name.split())
    return DONE


def _parameters_of_named(arguments: Sequence[str]) -> Collection[str]:
    from anonset.algorithms.registry import ALGORITHMS
    from anonset.settings.parameters import parameters

    parts = [part for argument in arguments for part in argument.split("=", 1)]
    names = [name for before, name in pairwise(parts) if before == "--algorithm" and name in ALGORITHMS]
    return parameters(names[0]) if names else ()
