"""Convert Arrow columns to exact numbers. Values that a float would round are rejected."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anonset import arrow
from anonset.columns.kinds import NO_CURRENCY, NUMBER, SIGNS_WITHOUT_VALUE, WRITTEN, decimals_of
from anonset.data.array_types import Float64, Int64, UInt64
from anonset.data.decimals import unfit
from anonset.data.redacted_repr import RedactedRepr
from anonset.errors import Fix, InputError
from anonset.lazy_arrow import pa

Values = Int64 | Float64

_INTEGER = r"^-?[0-9]+$"


ONE_CURRENCY = "the column contains several currencies; convert all amounts to the same currency"
_EXACT_IN_FLOAT = 2.0**53
_SAFE_LENGTH = 15  # floats represent every number of up to 15 digits
_LONGEST = 400  # maximum characters of a number


@dataclass(frozen=True)
class Numbers(RedactedRepr):
    """Numbers of a column or of a batch of a column. The type of the column is known only after the last batch."""

    values: Float64
    """Exact numbers, float64 (n,)."""
    integers: bool
    """True if all numbers are written as integers, or have an integer type."""
    whole: bool
    """True if no number has a fraction, and a float represents every integer up to the largest."""
    currency: str = ""
    """Currency of the numbers. Empty if the numbers are not amounts of money."""


def others(rows: int, until: int | None = None) -> str:
    """Return a text that states how many further rows have the fault of the first row. If more rows follow, the text
    also names the last row that was read.

    >>> others(1), others(3), others(3, until=1000)
    ('', ' (and 2 more)', ' (and 2 more up to row 1000)')
    """
    where = "" if until is None else f" up to row {until}"
    return f" (and {rows - 1} more{where})" if rows > 1 else ""


_EMPTY = "the field is empty; fill in a number, or publish intervals, as with the hierarchy bins:width=10"


def read_numbers(
    where: str, name: str, column: Any, before: int = 0, until: int | None = None, decimal: str = ""
) -> Numbers:
    """Read numbers, or text, without nulls.

    A float represents every text of up to 15 digits, and every number that programs print for a float. Integers that a
    float cannot represent are rejected.

    Parameters
    ----------
    before
        Number of rows before the given rows, for messages.
    until
        Number of the last given row, for messages. None if no rows follow.
    decimal
        Decimal sign of a text that may have a currency and thousands separators. Empty for numbers with a
        decimal point, without currency and separators.

    Raises
    ------
    InputError
        If a value is not a number, not finite, too large, or not represented exactly. The message contains the column
        and the row.
    """
    numbers = _Numbers(where, name, before, until)
    kind = column.type
    if pa.types.is_floating(kind):
        return numbers.checked(arrow.to_numpy(arrow.cast(column, pa.float64())).astype(np.float64))
    if kind == pa.uint64():
        return numbers.checked(numbers.unsigned(arrow.to_numpy(column)))
    if pa.types.is_integer(kind):
        return numbers.checked(arrow.to_numpy(arrow.cast(column, pa.int64())).astype(np.int64))
    if not decimal:
        return numbers.parsed(column)
    plain, currency = numbers.plain(column, decimal)
    return replace(numbers.parsed(plain), currency=currency)


class _Numbers:
    def __init__(self, where: str, name: str, before: int, until: int | None) -> None:
        self.where, self.name, self.before, self.until = where, name, before, until

    def plain(self, text: Any, decimal: str) -> tuple[Any, str]:
        """Return numbers with a decimal point, and their currency. Currency and thousands separators are removed from
        the numbers.
        """
        if arrow.all(arrow.matches(text, NUMBER.replace(r"\.", re.escape(decimal)))).as_py() is not False:
            return arrow.replaced(text, ",", "."), ""
        wrong = np.flatnonzero(~arrow.to_numpy(arrow.matches(text, WRITTEN[decimal])))
        sign = "comma" if decimal == "," else "point"
        other, remedy = ("point", ".") if decimal == "," else ("comma", ",")
        self.refuse(
            wrong,
            f"not a number with a decimal {sign}",
            [Fix({"decimal": remedy}, f"if its decimal sign is the {other}")],
        )
        currency = arrow.without(text, NO_CURRENCY)
        currencies = [symbol for symbol in arrow.unique(currency).to_pylist() if symbol]
        mixed = (
            np.flatnonzero(arrow.to_numpy(arrow.is_in(currency, currencies[1:])))
            if len(currencies) > 1
            else np.empty(0, int)
        )
        self.refuse(mixed, ONE_CURRENCY)
        return arrow.replaced(arrow.without(text, SIGNS_WITHOUT_VALUE[decimal]), ",", "."), "".join(currencies)

    def parsed(self, text: Any) -> Numbers:
        wrong = np.flatnonzero(~arrow.to_numpy(arrow.matches(text, NUMBER)))
        if len(wrong):
            first = text[int(wrong[0])].as_py()
            reason = "" if first.strip() == first else ": remove the blanks around it"
            required = "not a number" + reason if first.strip() else _EMPTY
            self.refuse(wrong, required, _notations(first.strip()))
        if arrow.all(arrow.matches(text, _INTEGER)).as_py() is not False:
            try:
                integers = arrow.to_numpy(arrow.cast(text, pa.int64())).astype(np.int64)
            except pa.ArrowInvalid:  # beyond 64 bits
                pass
            else:
                signed = arrow.to_numpy(arrow.cast(text, pa.float64())).astype(np.float64)  # -0 is not an integer
                return replace(self.checked(integers), values=signed)
        values = arrow.cast(text, pa.float64())
        numbers = self.checked(arrow.to_numpy(values).astype(np.float64))
        self.refuse(
            _rounded(text, values),
            "more digits than a 64-bit float can store exactly (15); round the numbers, or read the column as text",
        )
        return numbers

    def unsigned(self, values: UInt64) -> Int64:
        large = np.flatnonzero(values > np.iinfo(np.int64).max)
        self.refuse(large, "integer above the maximum 2^63 - 1")
        return values.astype(np.int64)

    def checked(self, values: Values) -> Numbers:
        rows, required = unfit(values)
        self.refuse(rows, f"must be {required}")
        floats = values.astype(np.float64)
        are_integers = bool(np.all(floats == np.floor(floats)) and np.all(np.abs(floats) <= _EXACT_IN_FLOAT))
        return Numbers(floats, values.dtype == np.int64, are_integers)

    def refuse(self, rows: NDArray[np.integer], required: str, fixes: Sequence[Fix] = ()) -> None:
        """Reject the given rows. Return if there are none. The message shows no values."""
        if len(rows):
            first = self.before + rows[0] + 1
            place = f"row {first}{others(len(rows), self.until)}"
            msg = f"{self.where}: numeric column {self.name!r}: {place}: {required}"
            raise InputError(msg, fixes=fixes, column=self.name, row=first)


def _notations(value: str) -> list[Fix]:
    """Return the remedies for a number in another notation. Empty if the text is not a number."""
    signs = decimals_of([value])
    meanings = {",": "if the comma is the decimal sign", ".": "if it separates thousands"}
    if len(signs) == 1:
        notation = "a decimal comma" if signs == [","] else "thousands separators or a currency"
        return [Fix({"decimal": signs[0]}, f"for {notation}")]
    return [Fix({"decimal": sign}, meanings[sign]) for sign in (",", ".") if sign in signs]


def _rounded(text: Any, values: Any) -> NDArray[np.integer]:
    """Return the rows in which the float differs from the text, ascending.

    If Arrow prints the float as the text, no further check is needed.
    """
    long = arrow.or_(
        arrow.greater(arrow.binary_length(text), arrow.number_array([_SAFE_LENGTH])[0]), arrow.matches(text, "[eE]")
    )
    if not arrow.any(long).as_py():
        return np.empty(0, np.int64)
    doubted = np.flatnonzero(arrow.to_numpy(long))
    written, floats = arrow.chosen(text, doubted), arrow.chosen(values, doubted)
    differing = np.flatnonzero(arrow.to_numpy(arrow.not_equal(arrow.cast(floats, written.type), written)))
    pairs = zip(arrow.chosen(written, differing).to_pylist(), arrow.chosen(floats, differing).to_pylist(), strict=True)
    wrong = [row for row, (digits, number) in enumerate(pairs) if not _is_held(digits, number)]
    return doubted[differing[wrong]]


def _is_held(text: str, number: float) -> bool:
    """Return True if a float represents a number exactly. This is the case if the float is printed as the text, or if
    the float rounded to the precision of the text equals the text.

    >>> [_is_held(text, 0.1) for text in ("0.100", "0.10000000000000001", "0.1000000000000000000001")]
    [True, True, False]
    """
    if text == f"{number:.17g}":  # the form that most programs print; this test is ten times as fast as the next
        return True
    if len(text) > _LONGEST:
        return False
    try:
        meant = Decimal(text)
    except InvalidOperation:  # exponent out of range
        return False
    if meant == Decimal(repr(number)):
        return True
    last = meant.as_tuple().exponent  # exponent of the last digit of the text
    if not isinstance(last, int) or abs(last) > 2 * _LONGEST:
        return False
    return 2 * abs(Fraction(meant) - Fraction(number)) <= Fraction(10) ** last
