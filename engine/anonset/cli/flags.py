"""Command-line flags, derived from the fields of settings, and parsers of their values."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import wraps
from types import NoneType
from typing import Annotated, Any, Literal, TypedDict, Union, Unpack, get_args, get_origin

from cyclopts import Group, Parameter, Token
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from anonset.algorithms.registry import ALGORITHMS, OFFERED
from anonset.errors import InputError, shortened
from anonset.reading.file_options import COLUMN_OPTIONS
from anonset.reading.roles import name_list
from anonset.reading.sources.files import INPUT_FORMATS
from anonset.settings.parameters import MODELS
from anonset.settings.settings import ReadingSettings, parameter_of
from anonset.spelling import JOB_KEYS, LARGEST

ALIASES = {"out": "-o"}
"""Short names of flags."""
INPUT = Parameter(name="INPUT", help=f"Data set ({', '.join(INPUT_FORMATS)}), or a job file (.toml).")
Input = Annotated[str, INPUT]
Quiet = Annotated[bool, Parameter(help="Print only the result.")]


def flags_of(model: type[BaseModel], leave_out: Iterable[str] = ()) -> Any:
    """Return the type of the ``**flags`` of a command, with an optional flag for each field of a settings model."""
    left_out = {*leave_out}
    types = {
        name: Annotated[_flag_type(name, info.annotation), _option(name, info)]
        for name, info in model.model_fields.items()
        if name not in left_out and not (name in JOB_KEYS and _of_anonset(info))
    }
    return Unpack[TypedDict("Flags", types, total=False)]  # type: ignore[operator]


def _of_anonset(info: FieldInfo) -> bool:
    """Return False for a parameter of an algorithm from an installed package."""
    parameter = parameter_of(info)
    return parameter is None or OFFERED.keys().isdisjoint(parameter.users)


def accepting(command: Callable[..., Any], arguments: Iterable[str]) -> Callable[..., Any]:
    """Return a command that accepts only those of its flags that the arguments name, and flags with a short name.

    The library cyclopts examines every flag of a command before it parses any argument. This takes several times as
    long as the rest of the command line.
    """
    if "flags" not in command.__annotations__:
        return command
    named = {argument.partition("=")[0].replace("_", "-") for argument in arguments}
    (every,) = get_args(command.__annotations__["flags"])
    types = {
        name: annotation
        for name, annotation in every.__annotations__.items()
        if name in ALIASES or not named.isdisjoint(_spellings(name, annotation))
    }

    @wraps(command)
    def result(*positional: Any, **options: Any) -> Any:
        return command(*positional, **options)

    narrow = Unpack[TypedDict("Flags", types, total=False)]  # type: ignore[operator]
    result.__annotations__ = {**command.__annotations__, "flags": narrow}
    return result


def _spellings(name: str, annotation: Any) -> tuple[str, ...]:
    option = next(part for part in annotation.__metadata__ if isinstance(part, Parameter))
    return (f"--{name.replace('_', '-')}", *(option.negative or ()))


def whole_number(_: Any, tokens: Sequence[Token]) -> int:
    """Parse an integer. Replaces the parser of the library cyclopts, which would round 5.7 to 6.

    Raises
    ------
    ValueError
        If the text is not an integer.
    """
    try:
        return int(tokens[0].value)
    except ValueError:
        msg = f"must be an integer, got {shortened(tokens[0].value)}"
        raise ValueError(msg) from None


def number_of_64_bits(_: Any, tokens: Sequence[Token]) -> int:
    """Parse an integer of at most 64 bits, for commands without a settings model.

    Raises
    ------
    ValueError
        If the text is not an integer of at most 64 bits.
    """
    number = whole_number(_, tokens)
    if abs(number) > LARGEST:
        msg = f"must be an integer of at most {LARGEST}, got {shortened(tokens[0].value)}"
        raise ValueError(msg)
    return number


def given_flags(flags: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings that the flags of a command line contain. Lists and mappings are parsed.

    Raises
    ------
    InputError
        If a ``COL=SPEC`` is malformed, or names a column twice.
    """
    parsed = dict(flags)
    columns = [name for role in COLUMN_OPTIONS for name in name_list(parsed.get(role, ()))]
    for name in {"hierarchy", "ceiling"} & parsed.keys():
        parsed[name] = pairs(f"--{name}", parsed[name], columns)
    if "relational_weights" in parsed:
        weights = [one for value in parsed["relational_weights"] for one in _WEIGHTS.findall(value) or [value]]
        weighted = [one.rpartition("=")[0] for one in weights]  # a weight contains no equals sign
        parsed["relational_weights"] = pairs("--relational-weights", weights, weighted)
    return {name: split(value) if isinstance(value, list) else value for name, value in parsed.items()}


def split(values: Iterable[str]) -> list[str]:
    """Parse ``A,B`` and repeated flags as a list of names."""
    return [name for value in values for name in name_list(value)]


_PAIR = re.compile(r"((?:\[[^\[\]=]+=[^\]]*\]|[^=])+)=(.+)", re.DOTALL)
_WEIGHTS = re.compile(r"(.+?=[^=,]+)(?:,|$)", re.DOTALL)
"""A column, whose name may contain commas and equals signs, and its weight."""


def pairs(option: str, values: Iterable[str], columns: Sequence[str] = ()) -> dict[str, str]:
    """Parse repeated ``NAME=VALUE`` as a mapping. A name may be a path such as ``params[key=page].value``, or a name in
    `columns`, which are names or lists of names separated by commas.

    >>> pairs("--hierarchy", ["items=balanced:5", "a[key=x].b=tree.csv", "p=q=values"], ["age,p=q"])
    {'items': 'balanced:5', 'a[key=x].b': 'tree.csv', 'p=q': 'values'}

    Raises
    ------
    InputError
        If there is no ``=``, or a name occurs twice.
    """
    values_of, named = (
        dict[str, str](),
        f",{','.join(columns)},",
    )  # a name may contain commas, and so may a list of names
    for value in values:
        before = [value[:at] for at, character in enumerate(value) if character == "="]
        name = max((name for name in before if f",{name}," in named), key=len, default="")
        pair = (name, value[len(name) + 1 :]) if name else (match := _PAIR.fullmatch(value)) and match.groups()
        if not pair or not pair[1]:
            msg = f"{option} must be COL=SPEC, got {value!r}"
            raise InputError(msg)
        name, spec = pair
        if name in values_of:
            msg = f"{option} names {name!r} twice"
            raise InputError(msg)
        values_of[name] = spec
    return values_of


_WITH_COMPLETION = ("model", "algorithm", "algorithms")
"""Valid names of each setting with shell completion. The parser also accepts unknown names, so that an error message
can suggest a valid name.
"""


def name_of(names: Iterable[str]) -> Any:
    """Return a text type with shell completion."""
    return Union[str, Literal[tuple(names)]]  # noqa: UP007


def _flag_type(name: str, annotation: Any) -> Any:
    if name in _WITH_COMPLETION:
        names: Any = name_of(MODELS if name == "model" else ALGORITHMS)
        return list[names] if get_origin(annotation) is list else names
    plain: Any = annotation
    if NoneType in get_args(annotation):
        plain = Union[tuple(part for part in get_args(annotation) if part is not NoneType)]  # noqa: UP007
    inner = get_args(plain)[0] if get_origin(plain) is Annotated else plain
    return list[str] if get_origin(inner) in (list, dict) else plain


def _option(name: str, info: FieldInfo) -> Parameter:
    integer = info.annotation is int or int in get_args(info.annotation)
    converter = whole_number if integer else None
    parameter = parameter_of(info)
    rest = _REST[1] if parameter is None else _REST[0]
    heading = next((heading for heading, names in _HELP_GROUPS.items() if name in names), rest)
    alias, group = ALIASES.get(name), _GROUPS[heading]
    choices = name not in _WITH_COMPLETION  # the descriptions of these flags list the names
    is_on = info.default is True if parameter is None else parameter.on_by_default
    off = f"--no-{name.replace('_', '-')}" if is_on else ()
    return Parameter(
        alias=alias, help=info.description, converter=converter, group=group, show_choices=choices,
        metavar=None if choices else "NAME", negative=off,
    )  # fmt: skip


_HELP_GROUPS: dict[str, tuple[str, ...]] = {  # the first heading that lists a setting is used
    "Data and roles": (*COLUMN_OPTIONS, "present", "with_header", "unit", "hierarchy", "ceiling", "original"),
    "Reading": (*ReadingSettings.model_fields, "records", "codebook"),
    "Guarantee": ("model", "k", "m", "l", "sensitive_items", "max_loss", "max_suppressed"),
    "Output": ("out", "private", "format", "order", "symbols", "if_exists", "part_rows"),
    "Safety": (
        "publish_as_is", "round_ends", "accept", "max_work", "memory_limit",
    ),
    "Algorithm": ("algorithm", "algorithms", "vary", "recoding", "after"),
    "Measures": (
        "queries", "workload", "width", "reading", "top", "bound", "population", "threshold", "attempts",
        "attack", "beside", "seconds",
    ),
    "Statements of the owner": (
        "title", "owner", "purpose", "recipient", "legal_basis", "retention", "access",
    ),
}  # fmt: skip
_REST = ("Algorithm parameters", "Execution")
_GROUPS = {heading: Group(heading, sort_key=place) for place, heading in enumerate((*_HELP_GROUPS, *_REST))}
