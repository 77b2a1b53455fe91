"""Strict JSON: no NaN, no infinity, and no name twice in an object."""

import json
from typing import Any, NoReturn

from anonset.errors import InputError, datum, require_finite


def dumps(value: Any, *, indent: int | None = None) -> str:
    """Return a JSON value as text, with non-ASCII letters unescaped.

    >>> dumps({"loss": 0.5})
    '{"loss": 0.5}'

    Raises
    ------
    AnonsetError
        If `value` contains NaN or an infinity. The message names the place of the number.
    """
    try:
        return json.dumps(value, indent=indent, ensure_ascii=False, allow_nan=False)
    except ValueError:  # its message lacks the position
        require_finite(value)
        raise


def loads(text: str | bytes) -> Any:
    """Return the value of a JSON text.

    Raises
    ------
    ValueError
        If the text is malformed or too deeply nested, or contains NaN, an infinity or an object with a repeated name.
    """
    try:
        return json.loads(text, parse_constant=_refuse_constant, object_pairs_hook=_named_once)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"it contains {name}, which is not valid JSON")


def _named_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise InputError(f"it contains an object with the name {datum(twice)} twice")
    return members
