"""Options of commands, derived from the fields of settings, and parsers of their values."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from anonset.algorithms.registry import ALGORITHMS, OFFERED
from anonset.cli.options import Option, plain_type
from anonset.errors import InputError
from anonset.reading.file_options import COLUMN_OPTIONS
from anonset.reading.name_lists import name_list
from anonset.reading.sources.files import INPUT_FORMATS
from anonset.settings.job import Job
from anonset.settings.parameters import MODELS
from anonset.settings.settings import ReadingSettings, parameter_of
from anonset.spelling import JOB_KEYS

INPUT = Option(f"Data set ({', '.join(INPUT_FORMATS)}), or a job file (.toml).", "INPUT")


def flags_of(model: type[BaseModel], leave_out: Iterable[str] = ()) -> Any:
    """Return the annotation of the ``**flags`` of a command: an option for each field of a settings model."""
    left_out = {*leave_out}
    return [
        _option(name, info)
        for name, info in model.model_fields.items()
        if name not in left_out and not (name in JOB_KEYS and _of_anonset(info))
    ]


def _of_anonset(info: FieldInfo) -> bool:
    """Return False for a parameter of an algorithm from an installed package."""
    parameter = parameter_of(info)
    return parameter is None or OFFERED.keys().isdisjoint(parameter.users)


def given_flags(flags: Mapping[str, Any]) -> Job:
    """Return the settings that the flags of a command line contain. Lists and mappings are parsed.

    Raises
    ------
    InputError
        If a ``COL=SPEC`` is malformed, or names a column twice.
    """
    parsed = dict(flags)
    columns = Job(parsed).names(*COLUMN_OPTIONS)
    for name in {"hierarchy", "ceiling"} & parsed.keys():
        parsed[name] = pairs(f"--{name}", parsed[name], columns)
    if "relational_weights" in parsed:
        weights = [one for value in parsed["relational_weights"] for one in _WEIGHTS.findall(value) or [value]]
        weighted = [one.rpartition("=")[0] for one in weights]  # a weight contains no equals sign
        parsed["relational_weights"] = pairs("--relational-weights", weights, weighted)
    return Job({name: split(value) if isinstance(value, list) else value for name, value in parsed.items()})


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
    values_of = dict[str, str]()
    named = f",{','.join(columns)},"  # a name may contain commas, and so may a list of names
    for value in values:
        before = [value[:at] for at, character in enumerate(value) if character == "="]
        name = max((name for name in before if f",{name}," in named), key=len, default="")
        pair = (name, value[len(name) + 1 :]) if name else (match := _PAIR.fullmatch(value)) and match.groups()
        if not pair or not pair[1]:
            raise InputError(f"{option} must be COL=SPEC, got {value!r}")
        name, spec = pair
        if name in values_of:
            raise InputError(f"{option} names {name!r} twice")
        values_of[name] = spec
    return values_of


_NAMED = {"model": MODELS, "algorithm": ALGORITHMS, "algorithms": ALGORITHMS}
"""Valid names of each setting with shell completion."""


def _option(name: str, info: FieldInfo) -> Option:
    parameter = parameter_of(info)
    rest = _REST[1] if parameter is None else _REST[0]
    heading = next((heading for heading, names in _HELP_GROUPS.items() if name in names), rest)
    heading = _STATEMENTS if info.title else heading
    is_on = info.default is True if parameter is None else parameter.on_by_default
    alias = "-o" if name == "out" else ""
    return Option(
        info.description or "", f"--{name.replace('_', '-')}", alias, is_on, heading, tuple(_NAMED.get(name, ())), name,
        type=plain_type(info.annotation),
    )  # fmt: skip


_STATEMENTS = "Statements of the owner"
"""Heading of the settings that have a title, and of the title of the report."""
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
    _STATEMENTS: ("title",),
}  # fmt: skip
_REST = ("Algorithm parameters", "Execution")
HEADINGS = (*_HELP_GROUPS, *_REST)
"""Headings of options in the help, in their order."""
