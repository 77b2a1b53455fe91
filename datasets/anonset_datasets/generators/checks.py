"""Checks of generator parameters."""

from anonset.errors import InputError

LARGEST = 100_000_000
"""Largest number of records, items or patterns."""
MOST_IN_PARTS = 10_000_000_000
"""Largest number of records if blocks are generated separately. In this case, not all records are in memory."""


def records(n: int, only: range | None) -> None:
    """Reject an invalid number of records. If `only` selects blocks, the limit is higher.

    Raises
    ------
    InputError
        The message contains the name, the value and the requirement.
    """
    count("n", n, 0, LARGEST if only is None else MOST_IN_PARTS)


def count(name: str, value: int, least: int, most: int = LARGEST) -> None:
    """Reject a count that is not an integer from `least` to `most`.

    Raises
    ------
    InputError
        The message contains the name, the value and the requirement.
    """
    integer(name, value, least)
    if value > most:
        raise InputError(f"{name} must be an integer of at most {most}, got {value}")


def integer(name: str, value: int, least: int) -> None:
    """Reject a parameter that is not an integer or is below `least`.

    Raises
    ------
    InputError
        The message contains the name, the value and the requirement.
    """
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise InputError(f"{name} must be an integer of at least {least}, got {value!r}")


def number(name: str, value: float, low: float, high: float, why: str = "") -> None:
    """Reject a parameter that is not a number between `low` and `high`.

    Raises
    ------
    InputError
        The message contains the name, the value and the requirement.
    """
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not low <= value <= high:
        raise InputError(f"{name} must be between {low} and {high}{why and f' ({why})'}, got {value!r}")
