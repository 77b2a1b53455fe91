"""Parameters of the algorithms as options: they come from the fields of the algorithms' dataclasses."""

import ast
import inspect
import textwrap
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields
from functools import cache
from itertools import pairwise
from typing import Any, get_type_hints

from anonset.algorithms.base import Algorithm
from anonset.algorithms.registry import ALGORITHMS
from anonset.errors import InputError

DEFAULT_ALGORITHM = {"km": "apriori"}
"""The algorithm that serves a privacy model when none is named."""


@dataclass(frozen=True)
class Parameter:
    """One parameter of one or several algorithms."""

    name: str
    """Name of the field; the option is the same with hyphens."""
    type: Any
    """Type of the field."""
    text: str
    """The field's line of documentation."""
    algorithms: tuple[str, ...]
    """Names of the algorithms that have it."""


@cache
def parameters() -> dict[str, Parameter]:
    """Return the parameters of all registered algorithms by name, in order of first appearance."""
    found: dict[str, Parameter] = {}
    for name, algorithm in ALGORITHMS.items():
        cls: type[Any] = algorithm
        types, texts = get_type_hints(algorithm), field_texts(algorithm)
        for field in fields(cls):
            known = found.get(field.name)
            users = (name,) if known is None else (*known.algorithms, name)
            text = texts.get(field.name, "") if known is None else known.text
            found[field.name] = Parameter(field.name, types[field.name], text, users)
    return found


def field_texts(cls: type) -> dict[str, str]:
    """Return the line of documentation under each field of a class and of its bases."""
    found: dict[str, str] = {}
    for base in reversed(cls.__mro__):
        try:
            tree = ast.parse(textwrap.dedent(inspect.getsource(base)))
        except (OSError, TypeError):  # no source: a builtin, or a frozen installation
            continue
        body = tree.body[0].body if isinstance(tree.body[0], ast.ClassDef) else []
        for node, below in pairwise(body):
            if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and isinstance(below, ast.Expr):
                text = below.value
                if isinstance(text, ast.Constant) and isinstance(text.value, str):
                    found[node.target.id] = " ".join(text.value.split())
    return found


def option(name: str) -> str:
    """Return the command-line option of a setting.

    >>> option("max_cuts")
    '--max-cuts'
    """
    return "--" + name.replace("_", "-")


def make_algorithm(model: str | None, algorithm: str | None, given: Mapping[str, Any]) -> Algorithm:
    """Make the algorithm that a model's or an algorithm's name and parameters ask for.

    Raises
    ------
    InputError
        If a name is unknown, a parameter does not apply or is missing, or the algorithm guarantees another model.
    """
    if algorithm is None and model is None:
        msg = "one of --model and --algorithm is required"
        raise InputError(msg)
    if model is not None and model not in DEFAULT_ALGORITHM:
        msg = f"--model must be one of {', '.join(sorted(DEFAULT_ALGORITHM))}, got {model!r}"
        raise InputError(msg)
    name = DEFAULT_ALGORITHM[str(model)] if algorithm is None else algorithm
    if name not in ALGORITHMS:
        msg = f"--algorithm must be one of {', '.join(sorted(ALGORITHMS))}, got {name!r}"
        raise InputError(msg)
    cls: type[Any] = ALGORITHMS[name]
    problems = _misfits(name, cls, given)
    if problems:
        raise InputError("; ".join(problems))
    made: Algorithm = cls(**given)
    if model is not None and made.model.name != model:
        msg = f"--algorithm {name} guarantees the model {made.model.name}, not {model}"
        raise InputError(msg)
    return made


def _misfits(name: str, cls: type[Any], given: Mapping[str, Any]) -> list[str]:
    own = {field.name: field for field in fields(cls)}
    needed = [n for n, f in own.items() if f.default is MISSING and f.default_factory is MISSING]
    listed = ", ".join(map(option, own)) or "none"
    problems = [
        f"{option(n)} does not apply to algorithm {name} (its parameters: {listed})" for n in given if n not in own
    ]
    if missing := [option(n) for n in needed if n not in given]:
        problems.append(f"algorithm {name} requires {' and '.join(missing)}")
    return problems
