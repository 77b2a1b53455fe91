"""Checks of generator parameters."""

from anonset.errors import InputError


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
