"""Numbers that no command accepts."""

from math import isfinite
from typing import Any

from anonset.errors import shortened
from anonset.spelling import LARGEST, StatedSettings, setting

_LARGEST = {"workers": 4096, "k": 2**31 - 1, "m": 2**31 - 1}
"""Maximum values of integer settings, if they are below the maximum for 64 bits."""
_MOST_DIGITS = 18
"""Maximum number of digits of a number in a text. `int` rejects thousands."""


def whole_number(text: str) -> int | None:
    """Return the number that a text of digits contains, or None for any other text.

    >>> whole_number("12"), whole_number("-1"), whole_number("9" * 19)
    (12, None, None)
    """
    return int(text) if text.isdecimal() and len(text) <= _MOST_DIGITS else None


def out_of_range(settings: StatedSettings) -> list[str]:
    """Return messages about numbers out of range in validated settings.

    >>> out_of_range({"workers": 4097, "gap": float("nan"), "k": 2**31 - 1})
    ['workers must be an integer of at most 4096, got 4097', 'gap must be a finite number, got nan']
    """
    problems = (_wrong(name, value) for name, value in settings.items())
    return [f"{setting(name)} {wrong}" for name, wrong in zip(settings, problems, strict=True) if wrong]


def _wrong(name: str, value: Any) -> str:
    most = _LARGEST.get(name, LARGEST)
    if isinstance(value, int) and abs(value) > most:
        bound = f"at most {most}" if value > 0 else f"at least {-most}"
        return f"must be an integer of {bound}, got {shortened(value)}"
    if isinstance(value, float) and not isfinite(value):
        return f"must be a finite number, got {value}"
    return ""
