"""First rows of a column as codes, with the meaning of the header or of the values."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anonset.data.table import Int64
from anonset.reading import arrow
from anonset.reading.input_checks import MISSING
from anonset.reading.kinds import look_at
from anonset.reading.persons.header_words import (
    ADDRESS,
    NAMED,
    PERSON_IDS,
    is_about_a_person,
    is_about_a_thing,
    meaning_of,
)
from anonset.reading.persons.placeholders import are_placeholders
from anonset.reading.persons.values import are_capitalised, are_keys, attribute_of, identifying, is_full_date, year_of

_MOST_ROWS = 50_000
_MISSING = tuple(sorted(MISSING))
_CODES = re.compile(r"[A-Z]\d{2}(\.[0-9A-Z]{1,4}|\d{1,2}|[A-Z]([A-Z](\d\d)?)?)?[*+!]?").fullmatch
_AMOUNT = re.compile(r"\D{0,4}\d+([.,]\d{3})*[.,](\d{1,2}|\d{4,})\D{0,4}").fullmatch
_TIME = re.compile(r"[T ](?=\d{1,2}:\d\d)")
_NUMBER = re.compile(r"\d\d?")
"""Part of a date. Years of four digits consist of two parts."""
_LABELS = 300
_MOST_DATES = 0.9
_YEARS_OF_BIRTH = 5
_CELL = "cell"
"""Header that may name a mobile phone or a network cell."""
_FEWEST_DIGITS = 6
"""Minimum number of digits of a telephone number."""
_MOST_NUMBERS = 50
"""Maximum number of distinct numbers of persons within a household. If a column has more distinct values, they are not
such numbers.
"""
_LONGER = 3
"""Minimum number of digits of numbers that cannot be the number of a person within a household."""


@dataclass(frozen=True)
class CodedColumn:
    """Column of the first rows."""

    codes: Int64
    """Value of each row, int64 (n,). -1 if the value is missing."""
    kind: str
    """Meaning of the header, as returned by `meaning_of`, or of the values."""
    cut: bool = False
    """True if the values are long numbers that a spreadsheet truncated."""
    dates: bool = False
    """True if the values are full dates."""
    keys: bool = False
    """True if the values are opaque keys."""
    amounts: bool = False
    """True if most values are numbers with decimals."""
    addresses: bool = False
    """True if the values are street addresses."""
    thing: bool = False
    """True if the header names something other than a person, such as a ward, a physician or a shop."""
    small: bool = False
    """True if there are few distinct values, all numbers of one or two digits."""
    times: bool = False
    """True if nearly all values are full dates, with or without a time of day."""
    years: bool = False
    """True if the values are full dates that span at least five years."""
    in_other_formats: NDArray[np.bool_] = field(default_factory=lambda: np.empty(0, np.bool_))
    """True for each code of a date that is written in another format than most dates of birth of the column. Empty for
    other columns.
    """

    @property
    def comparable(self) -> Int64:
        """Value of each row, int64 (n,). -1 if it is missing, or cannot be compared with the values of other rows."""
        if not self.in_other_formats.any():
            return self.codes
        return np.where(self.in_other_formats[self.codes] | (self.codes < 0), -1, self.codes)


def coded_column(name: str, column: Any) -> CodedColumn:
    """Return the first rows of a column as codes, with the meaning of the header or the values."""
    import pyarrow as pa

    chunk = column.slice(0, _MOST_ROWS).combine_chunks()
    if not pa.types.is_dictionary(chunk.type):
        chunk = arrow.dictionary_encode(chunk)
    labels = arrow.cast(chunk.dictionary, pa.string()) if not pa.types.is_binary(chunk.dictionary.type) else None
    codes = arrow.to_numpy(arrow.coalesce(chunk.indices, arrow.number_array([-1])[0])).astype(np.int64)
    if labels is not None and len(labels):
        lacking = np.flatnonzero(arrow.to_numpy(arrow.is_in(labels, _MISSING)))
        codes = np.where(np.isin(codes, lacking), -1, codes) if len(lacking) else codes
        counts = np.bincount(codes[codes >= 0], minlength=len(labels)).astype(np.int64)
        if (placeholders := are_placeholders(arrow.fill_null(labels, ""), counts)).any():
            codes = np.where((codes >= 0) & placeholders[codes], -1, codes)
        spelled = arrow.dictionary_encode(arrow.folded(arrow.cast(arrow.fill_null(labels, ""), pa.large_string())))
        codes = np.where(codes >= 0, arrow.to_numpy(spelled.indices).astype(np.int64)[codes], -1)
    first = (
        []
        if labels is None
        else [label for label in labels.slice(0, _LABELS).to_pylist() if label not in (None, *_MISSING)]
    )
    dates = all(map(is_full_date, first))
    keys = not dates and are_keys(first) and (is_about_a_person(name) or not all(map(_CODES, first)))
    amounts = 2 * sum(_AMOUNT(label) is not None for label in first) > len(first)
    meaning = _meaning(name, first, dates=dates)
    addresses = not dates and identifying(first) == ADDRESS
    small = 1 < len(first) <= _MOST_NUMBERS and all(label.isdecimal() and len(label) < _LONGER for label in first)
    times = sum(is_full_date(_TIME.split(label)[0]) for label in first) >= _MOST_DATES * len(first)
    years = {year_of(label) for label in first} if dates else set()
    births = spelled.dictionary.to_pylist() if first and dates and meaning in ("birth", "born") else ()
    return CodedColumn(
        codes, meaning, _are_cut(first), dates, keys, amounts, addresses, is_about_a_thing(name), small, times,
        len(years) >= _YEARS_OF_BIRTH, _in_other_formats(births, codes),
    )  # fmt: skip


def _in_other_formats(dates: Sequence[str], codes: Int64) -> NDArray[np.bool_]:
    """Return True for each date whose format is not the most frequent format in the rows, bool (n,)."""
    formats = arrow.to_numpy(
        arrow.dictionary_encode(arrow.text_array([_NUMBER.sub("9", date) for date in dates])).indices
    )
    frequencies = np.bincount(formats[codes[codes >= 0]]) if len(dates) else np.zeros(1, np.int64)
    in_other: NDArray[np.bool_] = formats != frequencies.argmax()
    return in_other


def _meaning(name: str, labels: Sequence[str], *, dates: bool) -> str:
    """Return the meaning of a header, or of the values. E-mail addresses and IBANs are detected under any header."""
    by_header = meaning_of(name)
    if dates or not labels:
        return by_header or attribute_of(labels)
    by_values = identifying(labels)
    if name.strip().lower() == _CELL and not any(sum(map(str.isdigit, label)) >= _FEWEST_DIGITS for label in labels):
        return by_values or attribute_of(labels)
    if by_header in PERSON_IDS:
        words = by_header == "person id" and len(labels) > _MOST_NUMBERS and are_capitalised(labels)
        return NAMED if words or by_values == NAMED else by_header
    return by_values if by_values in ("e-mail", "IBAN") else by_header or by_values or attribute_of(labels)


def _are_cut(labels: Sequence[str]) -> bool:
    if not any("E+" in label for label in labels):
        return False

    return look_at("", labels).kind == "cut numbers"
