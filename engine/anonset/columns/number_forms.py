"""Notations of numbers: decimal signs, thousands separators and currencies."""

import re
from collections.abc import Iterable

NUMBER = r"^-?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$"
_CURRENCY = r"(€|\$|£|¥|zł|kr\.?|Kč|Fr\.|EUR|USD|GBP|CHF|SEK|NOK|DKK|PLN|CZK)"
_BLANK = "[ \u00a0\u202f]"
NO_CURRENCY = "[-0-9.,'’ \u00a0\u202f]|[eE][-+]?[0-9]+"


def _written(decimal: str) -> str:
    point, comma = re.escape(decimal), re.escape("." if decimal == "," else ",")
    groups = "|".join(f"[0-9]{{1,3}}({mark}[0-9]{{3}})+" for mark in (comma, "['’]", _BLANK))
    number = rf"(([0-9]+|{groups})({point}[0-9]*)?|{point}[0-9]+)([eE][+-]?[0-9]+)?"
    return rf"^-?({_CURRENCY}{_BLANK}?)?-?{number}({_BLANK}?{_CURRENCY})?$"


WRITTEN = {decimal: _written(decimal) for decimal in (",", ".")}
SIGNS_WITHOUT_VALUE = {decimal: f"{_CURRENCY}|['’ \u00a0\u202f{other}]" for decimal, other in ((",", "."), (".", ","))}
_FITS = {decimal: re.compile(pattern) for decimal, pattern in WRITTEN.items()}


def recognised_decimal(values: Iterable[str]) -> str:
    """Return the decimal sign of numbers that are not in the notation of programs. Empty if the sign is ambiguous.

    >>> recognised_decimal(["70", "70,5"]), recognised_decimal(["70", "1,000"]), recognised_decimal(["1.5", "2,5"])
    (',', '', '')
    >>> recognised_decimal(["€ 1.234,50", "€ 7"]), recognised_decimal(["$1,234.50"]), recognised_decimal(["7", "1.5"])
    (',', '.', '')
    """
    signs = decimals_of(values)
    return signs[0] if len(signs) == 1 else ""


def decimals_of(values: Iterable[str]) -> list[str]:
    """Return the decimal signs under which all values are numbers. Empty if all values are plain numbers."""
    filled = [value for value in values if value]
    if all(re.match(NUMBER, value) for value in filled):
        return []
    signs = [
        decimal for decimal, form in _FITS.items() if all(map(form.match, filled)) and len(_currencies(filled)) <= 1
    ]
    same = len(signs) > 1 and all(plain_number(value, ",") == plain_number(value, ".") for value in filled)
    return signs[1:] if same else signs


def plain_number(value: str, decimal: str) -> str:
    """Return a number with a decimal point, without currency and thousands separators.

    >>> plain_number("-1.234,50 €", ","), plain_number("$1,234.50", ".")
    ('-1234.50', '1234.50')
    """
    return re.sub(SIGNS_WITHOUT_VALUE[decimal], "", value).replace(",", ".")


def _currencies(values: Iterable[str]) -> set[str]:
    return {re.sub(NO_CURRENCY, "", value) for value in values} - {""}
