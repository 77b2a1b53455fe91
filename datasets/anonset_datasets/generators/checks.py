"""Checks of generator parameters."""

from anonset.errors import InputError

LARGEST = 100_000_000
"""Largest number of records, items or patterns: two hundred times the largest data set that the generators imitate."""


def count(name: str, value: int, least: int) -> None:
    """Refuse a number of things to generate that is no integer from `least` to `LARGEST`.

    Raises
    ------
    InputError
        With the name, the value and the requirement.
    """
    integer(name, value, least)
    if value > LARGEST:
        msg = f"{name} must be an integer of at most {LARGEST}, got {value}"
        raise InputError(msg)


def integer(name: str, value: int, least: int) -> None:
    """Refuse a parameter that is no integer or is below `least`.

    Raises
    ------
    InputError
        With the name, the value and the requirement.
    """
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        msg = f"{name} must be an integer of at least {least}, got {value!r}"
        raise InputError(msg)


def number(name: str, value: float, low: float, high: float, why: str = "") -> None:
    """Refuse a parameter that is no number between `low` and `high`.

    Raises
    ------
    InputError
        With the name, the value and the requirement.
    """
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not low <= value <= high:
        msg = f"{name} must be between {low} and {high}{why and f' ({why})'}, got {value!r}"
        raise InputError(msg)
