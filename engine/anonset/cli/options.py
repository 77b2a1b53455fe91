"""Options of commands, from their signatures and the fields of settings, and the parser of arguments."""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from inspect import Parameter, signature
from itertools import pairwise
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from anonset.errors import InputError, shortened
from anonset.settings.ranges import out_of_range

Kind = Literal["positional", "further", "named"]
"""Whether an option is a positional argument, any number of positional arguments, or has a name."""


@dataclass(frozen=True)
class Option:
    """Option or positional argument of a command."""

    help: str = ""
    label: str = ""
    """Name on the command line, such as ``--max-work`` or ``INPUT``."""
    alias: str = ""
    """Short name, such as ``-o``."""
    off: bool = False
    """Whether the help shows ``--no-NAME``, because the option is on by default."""
    heading: str = ""
    """Heading in the help. Empty for the first one."""
    names: tuple[str, ...] = ()
    """Values that shells complete. Other values are also accepted, so that an error message can suggest a value."""
    name: str = ""
    """Name of the parameter or setting."""
    kind: Kind = "named"
    type: Any = str
    default: Any = None
    required: bool = False

    def spellings(self) -> Iterator[tuple[str, bool]]:
        """Yield each name of the option, and True unless the name turns the option off."""
        if self.kind == "named":
            yield self.label, True
            if self.alias:
                yield self.alias, True
            if self.type is bool:
                yield f"--no-{self.label[2:]}", False


OF_EVERY_COMMAND = (
    Option("Print the result as JSON.", "--json", name="json", type=bool, default=False),
    Option("Print only the result. Commands that write or verify files print nothing.", "--quiet", name="quiet",
           type=bool, default=False),
    Option("text, or json: progress, warnings and errors as JSON lines on standard error.", "--log-format",
           name="log_format", type=Literal["text", "json"], default="text"),
)  # fmt: skip
PASSED = ("progress", "json", "quiet")
"""Parameters of commands that are no options of their own: the callback for progress, and options of every command."""


def plain_type(annotation: Any) -> Any:
    """Return the type of one value of an option: a mapping is written as a list of texts.

    >>> plain_type(int | None), plain_type(dict[str, str]), plain_type(Literal["a", "b"])
    (<class 'int'>, list[str], typing.Literal['a', 'b'])
    """
    if get_origin(annotation) is Annotated:
        return plain_type(get_args(annotation)[0])
    if get_origin(annotation) in (Union, UnionType):
        (plain, *_) = [part for part in get_args(annotation) if part is not NoneType]
        return plain_type(plain)
    return list[str] if get_origin(annotation) in (list, dict) else annotation


def options_of(command: Callable[..., Any]) -> list[Option]:
    """Return the options of a command: its annotated parameters, its settings, and the options of every command."""
    found = list[Option]()
    for name, parameter in signature(command).parameters.items():
        if parameter.kind is Parameter.VAR_KEYWORD:
            found += parameter.annotation
        elif name not in PASSED:
            found.append(_option(name, parameter))
    return [*found, *OF_EVERY_COMMAND]


def _option(name: str, parameter: Parameter) -> Option:
    annotation, option = get_args(parameter.annotation)
    kind: Kind = "named"
    if parameter.kind is not Parameter.KEYWORD_ONLY:
        kind = "further" if parameter.kind is Parameter.VAR_POSITIONAL else "positional"
    label = option.label or (f"--{name.replace('_', '-')}" if kind == "named" else name.upper())
    required = parameter.default is Parameter.empty and kind != "further"
    default = None if parameter.default is Parameter.empty else parameter.default
    found: Option = replace(
        option, label=label, name=name, kind=kind, type=plain_type(annotation), default=default, required=required
    )
    return found


def parse(options: Sequence[Option], arguments: Sequence[str]) -> tuple[list[str], dict[str, Any]]:
    """Return the positional arguments and the values of the options that the arguments of a command contain.

    Raises
    ------
    InputError
        If the arguments are invalid. The message contains the allowed values, or the option that the user probably
        meant.

    >>> options = [Option(label="FILE", kind="positional"), Option(label="--k", name="k", type=int)]
    >>> parse(options, ["a.csv", "--k=5"])
    (['a.csv'], {'k': 5})
    """
    named = {spelling: (option, on) for option in options for spelling, on in option.spellings()}
    texts, values, at = list[str](), dict[str, Any](), 0
    while at < len(arguments):
        argument, at = arguments[at], at + 1
        if argument == "--":
            texts += arguments[at:]
            break
        if not _is_option(argument):
            texts.append(argument)
            continue
        typed, value = _parted(argument, named)
        if typed not in named:
            raise InputError(_unknown_option(argument, named, arguments))
        option, on = named[typed]
        if option.type is bool:
            if value not in (None, "true", "false"):
                raise InputError(f"{typed} accepts no value, got {shortened(value)}")
            new: Any = on == (value != "false")
        else:
            if value is None and at < len(arguments) and not _is_option(arguments[at]):
                value, at = arguments[at], at + 1
            if value is None:
                raise InputError(f"{typed} requires a value")
            new = _converted(option, typed, value)
        if option.name in values and option.type != list[str]:
            raise InputError(f"{typed} is given twice")
        values[option.name] = [*values.get(option.name, []), new] if option.type == list[str] else new
    _require_all(options, texts, values, arguments)
    places = [option for option in options if option.kind == "positional"]
    converted = [_converted(option, option.label, text) for option, text in zip(places, texts, strict=False)]
    in_order = {option.name: values[option.name] for option in options if option.name in values}
    return [*converted, *texts[len(places) :]], in_order


def _is_option(argument: str) -> bool:
    return argument.startswith("-") and len(argument) > 1 and not _is_number(argument)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _parted(argument: str, named: Iterable[str]) -> tuple[str, str | None]:
    """Return the name and the value of an argument: ``--k=5``, ``--max_work=2``, ``-o=out`` or ``-oout``."""
    typed, equals, value = argument.partition("=")
    if typed.startswith("--"):
        return typed.replace("_", "-"), value if equals else None
    if typed[:2] in named:
        return typed[:2], (argument[2:].removeprefix("=") or None)
    return typed, value if equals else None


def _require_all(options: Sequence[Option], texts: Sequence[str], values: Iterable[str], given: Sequence[str]) -> None:
    places = [option for option in options if option.kind == "positional"]
    if (unused := list(texts[len(places) :])) and not any(option.kind == "further" for option in options):
        if (option := unused[0].partition("=")[0]).startswith("--"):
            raise InputError(f"{option} follows --, after which no option is read; write the options first")
        flag = next((before for before, after in pairwise(given) if after == unused[0]), "")
        problem = f"{flag} accepts no value, got" if flag.startswith("--") and flag != "--" else "unexpected argument"
        raise InputError(f"{problem} {', '.join(map(repr, unused))}")
    lacking = [option for option in places[len(texts) :] if option.required]
    lacking += [option for option in options if option.kind == "named" and option.required]
    if missing := [option.label for option in lacking if option.name not in values]:
        raise InputError(f"{missing[0]} is required")


def _converted(option: Option, typed: str, text: str) -> Any:
    """Return the value of an option."""
    if get_origin(option.type) is Literal:
        choices = get_args(option.type)
        if text in choices:
            return text
        hint = f" (did you mean {near[0]}?)" if (near := get_close_matches(text.casefold(), choices, n=1)) else ""
        raise InputError(f"{typed} must be {', '.join(choices[:-1])} or {choices[-1]}, got {shortened(text)}{hint}")
    if option.type in (str, list[str]):
        return text
    try:
        number = option.type(text)
    except ValueError:
        msg = f"{typed} must be {'an integer' if option.type is int else 'a number'}, got {shortened(text)}"
        raise InputError(msg) from None
    if option.type is int and (problems := out_of_range({option.name: number})):
        raise InputError(problems[0])
    return number


_LEAST_SIMILAR = 0.7
"""Minimum similarity of an option that a message suggests. ``--l`` and ``--null`` are less similar."""
_SIMILAR_OPTIONS = {
    "--output": "--out",
    "--qi": "--relational",
    "--quasi-identifiers": "--relational",
    "--seperator": "--separator",
    "--threads": "--workers",
    "--jobs": "--workers",
}
"""Unknown options that users often type, each with the option that they probably mean."""


def _unknown_option(argument: str, accepted: Collection[str], arguments: Sequence[str]) -> str:
    typed, _, value = argument.partition("=")
    if not typed.startswith("--"):
        if Path(typed).exists():
            return f"unknown option {typed}; for the file of this name: ./{typed}"
        if f"--{typed[1]}" in accepted:  # -k 5, -k5, -k=5
            following = next((after for before, after in pairwise(arguments) if before == argument), "")
            value = value or typed[2:] or ("" if following.startswith("-") else following)
            return f"unknown option {typed} (did you mean {f'--{typed[1]} {value}'.rstrip()}?)"
    near = get_close_matches(typed, accepted, 1, _LEAST_SIMILAR)
    meant = _SIMILAR_OPTIONS.get(typed)
    suggestion = meant if meant in accepted else next(iter(near), None)
    return f"unknown option {typed}" + ("" if suggestion is None else f" (did you mean {suggestion}?)")
