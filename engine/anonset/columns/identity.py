"""One identity of persons: which texts are spellings of the same id."""

import re
import unicodedata
from collections import Counter
from collections.abc import Collection
from typing import Any

import numpy as np

from anonset import arrow
from anonset.data.array_types import Bools, Int64
from anonset.lazy_arrow import pa

FILL_DOWN = "fill-down"
"""Repair that gives rows without an id the id of the row above."""
_REPAIRS = re.compile(rf"{FILL_DOWN}|\+[1-9]\d{{0,2}}")
"""Repairs of ids: `FILL_DOWN`, and a country code, with which national telephone numbers are written."""
_WITHOUT_ZERO = re.compile(r"[\s(]*[1-9][\d\s()/.-]*")
_APOSTROPHES = frozenset("`\u00b4\u02b9\u02bb\u02bc\u02bd\u2018\u2019\u201b\u2032")
_INVISIBLE = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0")
"""Invisible characters that Unicode counts as letters or marks."""
_PLAIN = np.array([byte < 128 and chr(byte).isalnum() for byte in range(256)])
_BLANKS = r"[\x00-\x20\x7f]+"
"""Blanks and control characters."""
_SPELLED_ONE_WAY = r"@|:|^\D*$|^-\d+$|^\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}$|^\d{1,3}(\.\d{1,3}){3}$"
"""Pattern of ids whose punctuation distinguishes persons, such as e-mail and IP addresses, names, negative numbers and
dates.
"""
_YEAR, _MONTH, _DAY = r"((?:18|19|20)\d\d)", r"0?([1-9]|1[0-2])", r"0?([1-9]|[12]\d|3[01])"
_WHOLE = (".,", r"^(-?\d+)(?:[.,]00?|\.0000+)$", r"\1")
_DATE = (
    "-/.",
    rf"^(?:{_YEAR}[-/.]{_MONTH}[-/.]{_DAY}|{_DAY}\.{_MONTH}\.{_YEAR})(?:[tT ]?00:00(?::00(?:\.0+)?)?)?$",
    r"\1\6-\2\5-\3\4",
)
_REWRITTEN = (
    (
        "/",
        r"^(?:https?://.*/)?((?:patient|person|practitioner|relatedperson)/[a-z0-9.-]{1,64})(?:/_history/.*)?$",
        r"\1",
    ),
    ("(", r"^(\+|00)(\d{1,3})\(0\)", r"\1\2"),
    _WHOLE,
    (".", r"^(-?\d{4,})\.000$", r"\1"),
    _DATE,
    ("-/.", rf"^0?(\d{{1,2}})([-/.])0?(\d{{1,2}})([-/.]){_YEAR}$", r"\1\2\3\4\5"),
)
"""Characters of which such an id has one, a pattern of ids with several forms, and their uniform form.

References of FHIR, telephone numbers with ``(0)``, whole numbers with zeros after the point, dates whose day and
month are certain, and other dates such as ``03/04/1975``, without leading zeros.
"""
_PUNCTUATION, _ASCII_PUNCTUATION = r"[^\pL\pM\pN]+", r"[^0-9A-Za-z]+"
"""Characters that `folded` deletes from keys, in any text and in ASCII text.

Arrow compiles a pattern in each call, which takes 2 ms with Unicode classes.
"""


class _Characters(dict[int, str]):
    """Uniform form of each character, by code point: digits of any script, blanks, hyphens, apostrophes. Invisible
    characters are deleted.
    """

    def __missing__(self, code: int) -> str:
        character = chr(code)
        category = unicodedata.category(character)
        if category == "Nd":
            uniform = str(unicodedata.decimal(character))
        elif category in ("Cc", "Cf", "Zs", "Zl", "Zp") or character in _INVISIBLE or _is_variation(code):
            uniform = ""
        elif category == "Pd" or character == "\u2212":
            uniform = "-"
        elif character in _APOSTROPHES:
            uniform = "'"
        else:
            uniform = "i" if character == "\u0131" else character
        self[code] = uniform
        return uniform


_CHARACTERS = _Characters()


def _is_variation(code: int) -> bool:
    return 0x180B <= code <= 0x180F or 0xFE00 <= code <= 0xFE0F or 0xE0100 <= code <= 0xE01EF


def _without_forms(text: str | None) -> str | None:
    """Return a text in the Unicode form NFKC with full case folding, and with uniform characters (`_Characters`).

    References: Unicode Standard, section 3.13, NFKC_Casefold. Also equal: the Turkish letters i with and without a dot.
    """
    before = None
    while text is not None and text != before:
        before = text
        apart = unicodedata.normalize("NFKD", text.translate(_CHARACTERS)).casefold().replace("i\u0307", "i")
        text = unicodedata.normalize("NFKC", apart)
    return text


def folded(ids: Any) -> Any:
    r"""Return ids in a uniform spelling (``pyarrow.LargeStringArray``). Ids with equal spelling belong to the same
    person. An id with an empty spelling is missing.

    Case, blanks and invisible characters are removed, and forms of the same letter, digit, hyphen or apostrophe in
    Unicode are equal. In numbers and keys, all punctuation and leading zeros are removed, and ``.0`` at the end of a
    number, which spreadsheets and other programs append. Dates have the same spelling in all formats in which day and
    month are certain, and references of FHIR with and without address and version.

    >>> folded(arrow.text_array([" Ann@B.org", "A 123-4", "a1234", "O'Hara Lee", "10.0.1.12", "0042"])).to_pylist()
    ['ann@b.org', 'a1234', 'a1234', "o'haralee", '10.0.1.12', '42']
    >>> folded(arrow.text_array(["1000", "1000.0", "100.00", "-5.0", "00-0"])).to_pylist()
    ['1000', '1000', '100', '-5', '0']
    >>> folded(arrow.text_array(["1975-04-03", "03.04.1975", "1975/04/03 00:00:00", "03/04/1975"])).to_pylist()
    ['1975-4-3', '1975-4-3', '1975-4-3', '3/4/1975']
    >>> folded(arrow.text_array(["Jose\u0301", "Jos\u00e9", "\uff30\u0661", "Strau\u00df", "STRAUSS"])).to_pylist()
    ['josé', 'josé', 'p1', 'strauss', 'strauss']
    >>> folded(arrow.text_array(["Patient/1", "https://h.org/Patient/1", "Patient/1/_history/2"])).to_pylist()
    ['patient1', 'patient1', 'patient1']
    """
    used = _used_bytes(ids)
    if used[128:].any():
        rows = arrow.matches(ids, r"[^\x00-\x7F]")
        uniform = [_without_forms(text) for text in arrow.filter(ids, rows).to_pylist()]
        ids = arrow.replace_with_mask(ids, rows, arrow.optional_texts(uniform))
        used = _used_bytes(ids)
    lower = arrow.ascii_lower(ids)
    if not used[~_PLAIN].any():
        return _without_leading_zeros(lower)
    if used[: ord(" ") + 1].any() or used[127]:
        lower = arrow.without(lower, _BLANKS)
    if used[ord("`")]:
        lower = arrow.replaced(lower, "`", "'")
    for marks, pattern, form in _REWRITTEN:
        if used[[*marks.encode()]].any() and arrow.any(arrow.matches(lower, pattern)).as_py():
            lower = arrow.substituted(lower, pattern, form)
    key = arrow.without(lower, _PUNCTUATION if used[128:].any() else _ASCII_PUNCTUATION)
    return arrow.if_else(arrow.matches(lower, _SPELLED_ONE_WAY), lower, _without_leading_zeros(key))


def same_values(texts: Any, *, numbers: bool = False) -> Int64:
    """Return the code of each value, int64 (n,). Dates whose day and month are certain have the same code in all
    formats, and with `numbers`, whole numbers with and without zeros after the point.

    >>> same_values(arrow.text_array(["1961-03-05", "05.03.1961", "05/03/1961", "5", "5.0"])).tolist()
    [0, 0, 1, 2, 3]
    >>> same_values(arrow.text_array(["5", "5,0"]), numbers=True).tolist()
    [0, 0]
    """
    coded = arrow.dictionary_encode(texts, nulls=True)
    labels = coded.dictionary
    for _, pattern, form in (_DATE, _WHOLE)[: 1 + numbers]:
        labels = arrow.substituted(labels, pattern, form)
    codes: Int64 = arrow.to_numpy(arrow.dictionary_encode(labels, nulls=True).indices).astype(np.int64)
    values: Int64 = codes[arrow.to_numpy(coded.indices)]
    return values


def is_repair(rule: str) -> bool:
    """Return True if a rule repairs ids. Other rules clean up labels.

    >>> is_repair("fill-down"), is_repair("+49"), is_repair("upper")
    (True, True, False)
    """
    return _REPAIRS.fullmatch(rule) is not None


def international(number: str, country: str, lengths: Collection[int] = ()) -> str:
    """Return a national telephone number with the country code. Other texts are unchanged.

    A national number begins with one 0, or has one of the `lengths` and no country code.

    >>> international("(0170) 12 34", "+49"), international("0049170", "+49")
    ('+49170) 12 34', '0049170')
    >>> [international(number, "+34", {9, 11}) for number in ("612 34 56 78", "34612345678", "61234", "x612345678")]
    ['+34612 34 56 78', '34612345678', '61234', 'x612345678']
    """
    if _WITHOUT_ZERO.fullmatch(number):
        length, code = sum(map(str.isdecimal, number)), country[1:]
        has_code = number.startswith(code) and length - len(code) in lengths
        return country + number.strip() if length in lengths and not has_code else number
    return re.sub(r"^[\s(]*0(?=[\s)]*[1-9])", country, number)


def with_country_code(ids: Any, country: str, lengths: Collection[int]) -> Any:
    """Return ids after `international` (``pyarrow.LargeStringArray``)."""
    return arrow.optional_texts([text and international(text, country, lengths) for text in ids.to_pylist()])


def national_lengths(ids: Any, country: str) -> set[int]:
    """Return the lengths of the telephone numbers with a country code, without this code.

    >>> national_lengths(arrow.text_array(["+34 612 345 678", "0034612345678", "612345678", "+49170"]), "+34")
    {9}
    """
    _, abroad = _telephone_numbers(ids)
    return {len(number) - len(country) + 1 for number in abroad if number.startswith(country[1:])}


def home_country(ids: Any) -> tuple[str, int]:
    """Return the country code with which most national telephone numbers among `ids` are also written, and their
    number. Empty if there are fewer than two.

    >>> home_country(arrow.text_array(["0170123456", "+49170123456", "0049 171 123456", "0171/123456", "+33170123456"]))
    ('+49', 2)
    >>> home_country(arrow.text_array(["612345678", "+34612345678", "0034 712 345 678", "712 345 678", "812345678"]))
    ('+34', 2)
    """
    numbers, abroad = _telephone_numbers(ids)
    national = {number.removeprefix("0") for number in numbers if abroad and re.fullmatch(r"0?[1-9]\d{6,}", number)}
    same = {(number[:n], number[n:]) for number in abroad for n in (1, 2, 3) if number[n:] in national}
    country, shared = Counter(code for code, _ in same).most_common(1)[0] if same else ("", 0)
    return (f"+{country}", shared) if shared > 1 else ("", 0)


def _telephone_numbers(ids: Any) -> tuple[list[str], list[str]]:
    """Return the ids that may be telephone numbers, without punctuation, and those with a country code, without + and
    00.
    """
    numbers = arrow.unique(arrow.without(arrow.filter(ids, arrow.matches(ids, r"^[\d\s()/.+-]+$")), r"[^0-9+]"))
    numbers = numbers.to_pylist()
    return numbers, [re.sub(r"^\+|^00", "", number) for number in numbers if re.match(r"(\+|00)[1-9]", number)]


def _used_bytes(ids: Any) -> Bools:
    """Return True for each byte that occurs in texts, bool (256,)."""
    bounds, text = arrow.text_of(ids)
    used = np.zeros(256, np.bool_)
    used[text[bounds[0] : bounds[-1]]] = True
    return used


def _without_leading_zeros(keys: Any) -> Any:
    starts, text = arrow.text_of(keys)
    first = starts[:-1][starts[1:] > starts[:-1]]
    if not (text[first] == ord("0")).any():
        return keys
    trimmed = arrow.without(keys, "^0+")
    of_zeros = arrow.and_(arrow.equal(trimmed, arrow.text_scalar("")), arrow.not_equal(keys, arrow.text_scalar("")))
    return arrow.if_else(of_zeros, arrow.text_scalar("0"), trimmed)


def same_ids(ids: Any) -> Int64:
    """Return a code of each id, int64 (n,), numbered by first appearance. Ids that `folded` makes equal have the same
    code.

    >>> same_ids(arrow.text_array(["p1", "p2", "P1 "])).tolist()
    [0, 1, 0]
    """
    codes: Int64 = arrow.to_numpy(arrow.dictionary_encode(folded(ids), nulls=True).indices).astype(np.int64)
    return codes


def are_given(column: Any) -> Bools:
    """Return True for each value of a column that is an id, bool (n,). Null, blanks and invisible characters are none.

    >>> are_given(arrow.optional_texts(["p1", None, " ", "\u200b"])).tolist()
    [True, False, False, False]
    """
    plain = arrow.cast(column, column.type.value_type) if pa.types.is_dictionary(column.type) else column
    text = arrow.fill_null(arrow.cast(plain, pa.large_string()), "")
    text = text.combine_chunks() if isinstance(text, pa.ChunkedArray) else text
    maybe = possibly_blank(text)
    given = np.ones(len(text), np.bool_)
    given[maybe] = arrow.to_numpy(arrow.not_equal(folded(arrow.chosen(text, maybe)), arrow.text_scalar("")))
    return given


def possibly_blank(text: Any) -> Int64:
    """Return the rows of a text array that are empty or do not begin with a visible ASCII character, int64."""
    n = len(text)
    bounds, letters = arrow.text_of(text)
    if not letters.size:
        return np.arange(n)
    first = letters[np.minimum(bounds[:-1], letters.size - 1)]
    return np.flatnonzero((bounds[1:] == bounds[:-1]) | (first <= ord(" ")) | (first > ord("~")))


def without_prefix(ids: Any, prefix: str) -> tuple[Any, int]:
    """Return ids without a declared prefix, and the number of ids that may have another prefix.

    Case does not matter, nor an address before the prefix and a version after the id, as in references of FHIR. Ids
    without a prefix do not contain its last character, or are numbers if this is a letter or a digit.
    """
    cut = arrow.without(ids, rf"(?i)^[\pZ\p{{Cf}}\s]*(?:https?://.*/)?{re.escape(prefix)}")
    other = r"[^\d\s]" if prefix[-1].isalnum() else re.escape(prefix[-1])
    others = arrow.and_(arrow.equal(cut, ids), arrow.matches(ids, other))
    return arrow.without(cut, "/_history/.*$"), int(arrow.to_numpy(others).sum())
