"""Messages about invalid arguments.

Each message contains the allowed values, or the option that the user probably meant.
"""

from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

from cyclopts import (
    CoercionError,
    CycloptsError,
    MissingArgumentError,
    UnknownCommandError,
    UnknownOptionError,
    UnusedCliTokensError,
)

from anonset.errors import shortened

_SIMILAR_OPTIONS = {
    "--output": "--out",
    "--qi": "--relational",
    "--quasi-identifiers": "--relational",
    "--seperator": "--separator",
    "--threads": "--workers",
    "--jobs": "--workers",
}
"""Unknown options that users often type, each with the option that they probably mean."""
_OF_EVERY_COMMAND = ("--log-format",)
_WORDS = {int: "an integer", float: "a number", str: "text"}


def refusal(error: CycloptsError, arguments: Sequence[str]) -> str:
    """Return a message about invalid arguments."""
    if isinstance(error, UnknownOptionError):
        return _unknown_option(error, arguments)
    if isinstance(error, UnknownCommandError) and error.app is not None and error.unused_tokens:
        return _unknown_command(error.unused_tokens[0], [name for name in error.app if not name.startswith("-")])
    if isinstance(error, UnusedCliTokensError):
        unused = error.unused_tokens or ()
        flag = next((before for before, after in pairwise(arguments) if unused and after == unused[0]), "")
        problem = f"{flag} accepts no value, got" if flag.startswith("--") else "unexpected argument"
        return f"{problem} {', '.join(map(repr, unused))}"
    if isinstance(error, MissingArgumentError) and error.argument is not None:
        name = error.argument.name
        return f"{name} is required" if error.keyword is None else f"{error.keyword} requires a value"
    if isinstance(error, CoercionError) and error.token is not None:
        return _invalid_value(error, error.token)
    return str(error)


def _unknown_command(typed: str, commands: Sequence[str]) -> str:
    near = get_close_matches(typed, commands, n=1, cutoff=0.6)
    return f"unknown command {typed!r}" + (
        f" (did you mean {near[0]}?)" if near else f"; commands: {', '.join(commands)}"
    )


def _unknown_option(error: UnknownOptionError, arguments: Sequence[str]) -> str:
    typed, _, value = (error.token.keyword or error.token.value).partition("=")
    after_dashes = arguments[arguments.index("--") + 1 :] if "--" in arguments else ()
    if any(argument.partition("=")[0] == typed for argument in after_dashes):
        return f"{typed} follows --, after which no option is read; write the options first"
    of_command = [name for argument in error.argument_collection if argument.parse for name in argument.names]
    accepted = [*of_command, *_OF_EVERY_COMMAND]
    letter = typed[1:2]
    if not typed.startswith("--") and Path(typed).exists():
        return f"unknown option {typed}; for the file of this name: ./{typed}"
    if not typed.startswith("--") and f"--{letter}" in accepted:  # -k 5, -k5, -k=5
        value = value or typed[2:] or next(_following(typed, arguments), "")
        return f"unknown option {typed} (did you mean {f'--{letter} {value}'.rstrip()}?)"
    near = get_close_matches(typed, accepted, n=1, cutoff=0.6)
    suggestion = _SIMILAR_OPTIONS.get(typed) if _SIMILAR_OPTIONS.get(typed) in accepted else next(iter(near), None)
    return f"unknown option {typed}" + ("" if suggestion is None else f" (did you mean {suggestion}?)")


def _following(option: str, arguments: Sequence[str]) -> Iterator[str]:
    """Yield the value that follows an option in a command line, if there is one."""
    for argument, following in pairwise([*arguments, "-"]):
        if argument.startswith(f"{option}="):
            yield argument.removeprefix(f"{option}=")
        elif argument == option and not following.startswith("-"):
            yield following


def _invalid_value(error: CoercionError, token: Any) -> str:
    """Return a message about an invalid value, with the allowed values."""
    name = token.keyword or (error.argument.name if error.argument is not None else "an argument")
    if error.msg is not None:  # the error comes from a converter in `cli.flags`
        return f"{name} {error.msg}"
    kind = error.target_type
    if kind is bool:
        return f"{name} accepts no value, got {shortened(token.value)}"
    if get_origin(kind) is Literal:
        choices = [str(choice) for choice in get_args(kind)]
        near = get_close_matches(token.value.casefold(), choices, n=1, cutoff=0.6)
        hint = f" (did you mean {near[0]}?)" if near else ""
        return (
            f"{name} must be {' or '.join([', '.join(choices[:-1]), choices[-1]])}, got {shortened(token.value)}{hint}"
        )
    if kind in _WORDS:
        return f"{name} must be {_WORDS[kind]}, got {shortened(token.value)}"
    return str(error)
