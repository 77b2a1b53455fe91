"""Exact values of numbers as a user writes them, and checks for numbers that floats represent exactly."""

import re
from contextlib import suppress
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING

from anonset.errors import InputError
from anonset.spelling import setting

if TYPE_CHECKING:
    from anonset.data.array_types import Float64, Int64

Written = float | str | Decimal | Fraction
"""A number as a user writes it. The value of a float is the decimal number that Python prints."""

LARGEST_NUMBER = 1e300
"""Maximum absolute value. Differences of two values, and sums over 10^8 records, remain finite."""
_ALL_EXACT = 1 << 53  # a float represents all integers up to this value exactly
_DIGITS = 400  # maximum number of digits and maximum exponent, which exceed the precision of floats
_EXPONENT = re.compile(r"[eE]([+-]?\d+)")


def exact(value: Written) -> Fraction:
    """Return the exact value of a written number.

    >>> exact(0.1), exact("0.9999999999"), exact("1e-12"), exact("1/3")
    (Fraction(1, 10), Fraction(9999999999, 10000000000), Fraction(1, 1000000000000), Fraction(1, 3))

    Raises
    ------
    ValueError
        If the value is not a finite number, or has more than 400 digits.
    """
    if isinstance(value, Fraction):
        return value
    text, fraction = str(value).strip(), None
    shift = _EXPONENT.search(text)
    if not (isinstance(value, bool) or len(text) > _DIGITS or (shift and abs(int(shift[1])) > _DIGITS)):
        with suppress(ValueError, ZeroDivisionError):  # the messages of the original errors contain the value
            fraction = Fraction(text)
    if fraction is None:
        raise ValueError(f"a number of at most {_DIGITS} digits is required")
    return fraction


def shortest_float(value: Fraction) -> float | Fraction:
    """Return the float that Python prints as this number. If there is no such float, return the number itself.

    >>> shortest_float(exact("0.10")), shortest_float(exact("1/3")), shortest_float(exact("0.99999999999999999999"))
    (0.1, Fraction(1, 3), Fraction(99999999999999999999, 100000000000000000000))
    """
    rounded = float(value)
    return rounded if exact(rounded) == value else value


def shortest_text(value: Written) -> str:
    """Return the shortest exact text of a number.

    >>> shortest_text(1.0), shortest_text("0.9999999999"), shortest_text("1/3")
    ('1', '0.9999999999', '1/3')
    """
    number = exact(value)
    short = shortest_float(number)
    return repr(short) if isinstance(short, float) and number.denominator > 1 else str(number)


def require_between_0_and_1(name: str, value: Written, *, above_0: bool = False) -> float | Fraction:
    """Validate a number between 0 and 1, and return it without rounding.

    Raises
    ------
    InputError
        The message contains the name, the value and the requirement.
    """
    try:
        number = exact(value)
        fits = number <= 1 and (number > 0 if above_0 else number >= 0)
    except ValueError:
        fits = False
    if not fits:
        interval = "above 0 and at most 1" if above_0 else "in [0, 1]"
        raise InputError(f"{setting(name)} must be a number {interval}, got {value!r}")
    return shortest_float(number)


def floor_fraction(value: Fraction, most: int) -> Fraction:
    """Return the largest fraction <= `value` (in [0, 1]) with a denominator of at most `most` (>= 1).

    A ratio of counts up to `most` exceeds `value` if and only if the ratio exceeds this fraction. Comparisons therefore
    need only small integers.

    >>> floor_fraction(exact("0.9999999999"), 1000), floor_fraction(exact("1e-12"), 1000)
    (Fraction(999, 1000), Fraction(0, 1))

    The neighbours in the Farey sequence are found by continued fractions, as in Python's
    ``Fraction.limit_denominator``.
    """
    if value.denominator <= most:
        return value
    before, last = (0, 1), (1, 0)
    above, below = value.numerator, value.denominator
    while before[1] + above // below * last[1] <= most:
        quotient = above // below
        before, last = last, (before[0] + quotient * last[0], before[1] + quotient * last[1])
        above, below = below, above - quotient * below
    steps = (most - before[1]) // last[1]
    neighbours = Fraction(before[0] + steps * last[0], before[1] + steps * last[1]), Fraction(*last)
    return min(neighbours)


def unfit(values: "Int64 | Float64") -> "tuple[Int64, str]":
    """Return the positions of unusable numbers, and the requirement that these numbers violate.

    Usable numbers are exact 64-bit floats, small enough that sums do not overflow. Integers are processed as floats.
    With more than 53 significant bits they would be rounded, and different integers could become equal.

    Returns
    -------
    Ascending positions, int64, and the requirement as text. If all numbers are usable, no position is returned, and
        the text is empty. Cost: O(n).

    >>> import numpy as np
    >>> unfit(np.array([0.1, -1e301, np.inf])), unfit(np.array([1, 2**53 + 1, 2**60]))[0]
    ((array([2]), 'a finite number'), array([1]))
    """
    import numpy as np  # slow, and settings use this module

    if values.dtype == np.int64:
        large = np.flatnonzero((values > _ALL_EXACT) | (values < -_ALL_EXACT))
        large_values = values[large].astype(np.int64)
        rounded = large[np.abs(large_values // (large_values & -large_values)) > _ALL_EXACT]
        kinds = [(rounded, "an integer that a 64-bit float represents exactly (up to 2^53)")]
    else:
        infinite = np.flatnonzero(~np.isfinite(values))
        large = np.flatnonzero(np.abs(values) > LARGEST_NUMBER)
        kinds = [(infinite, "a finite number"), (large, f"a number from -{LARGEST_NUMBER:g} to {LARGEST_NUMBER:g}")]
    return next(
        ((rows.astype(np.int64), requirement) for rows, requirement in kinds if len(rows)), (np.empty(0, np.int64), "")
    )
