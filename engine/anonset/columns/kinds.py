"""Detect the kind of a column from the values, such as dates and their format, numbers, codes, crosses and damaged
values.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from math import floor, log10
from typing import Any

from anonset.columns.headers import is_about_a_person, is_identifier
from anonset.columns.marks import says_present
from anonset.data.hierarchies.hierarchy_rules import EITHER, FROM, date_rule, is_date
from anonset.data.redacted_repr import RedactedRepr
from anonset.errors import Fix
from anonset.spelling import counted

MONTH = (
    r"(?:jan|ene|gen|feb|f[eé]v|mar|m[aä]r|mrz|maa|apr|avr|abr|may|mai|maj|mei|mag|jun|juin|giu|jul|juil|lug|aug|ao[uû]"
    r"|ago|sep|set|oct|okt|ott|nov|dec|dez|dic|d[eé]c)[^\W\d_]{0,6}\.?"
)
"""A month name."""
WEEKDAY = r"(?:[^\W\d_]{2,10}\.?,? )?"
"""An optional weekday name."""
_DAY, _YEAR, _OF = r"(?:0?[1-9]|[12]\d|3[01])", r"(?:(?:18|19|20)\d\d)", r"(?:de |of |del )?"
NAMED_MONTH = (
    rf"{WEEKDAY}(?:{_DAY}(?:\.|st|nd|rd|th|er|º)?[- /]?{_OF}{MONTH}[- /,]{{1,2}}{_OF}(?:{_YEAR}|\d\d)"
    rf"|{MONTH} {_DAY}(?:st|nd|rd|th)?,? {_YEAR}|{_YEAR}[- ]{MONTH}[- ]{_DAY})"
)
"""A date with a day and a month name."""
PLAIN_DAY = r"(?:(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])|(?:0[1-9]|[12]\d|3[01])(?:0[1-9]|1[0-2]))(?:18|19|20)\d\d"
"""A date of eight digits that ends with the year."""
_WITHIN = re.compile(
    rf"(?<![\d.])(?:{_YEAR}([-/.])\d\d?\1{_DAY}|{_DAY}([-/.]){_DAY}\2(?:{_YEAR}|\d\d))(?![\d.])|\b{NAMED_MONTH}\b",
    re.IGNORECASE,
)
is_time = re.compile(r"\d{1,2}(?::\d\d(:\d\d)?(\.\d+)?| ?[hH] ?\d\d)").fullmatch
"""Matches a time of the day."""


def contains_date(text: str) -> bool:
    """Return True if a text contains a date that includes the day.

    >>> contains_date("seen on 3.4.2021, again"), contains_date("since 4 May 2020"), contains_date("v1.2.3")
    (True, True, False)
    >>> contains_date("EC_4.2.1.11"), contains_date("ONC-14/82/19")
    (False, False)
    """
    return _WITHIN.search(text) is not None


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


MOST_LOOKED_AT = 20_000
"""Maximum number of distinct values examined."""
MARKS = ("0/1", "crosses")
"""Kinds of columns that mark whether a property is present."""
_FEW_ODD = 0.05
"""Maximum share of distinct values of another kind in a column."""
_FEWEST_FOR_ODD = 10
"""Minimum number of distinct values of a column in which a value may have another kind."""

_RECOGNIZERS: Mapping[str, Callable[[str], Any]] = {
    "0/1": frozenset({"0", "1"}).__contains__,
    "integers": re.compile(r"[+-]?\d{1,18}").fullmatch,
    "numbers": re.compile(r"[+-]?\d{1,18}(\.\d+)?([eE][+-]?\d+)?").fullmatch,
    "dates": re.compile(
        rf"({WEEKDAY}(\d{{4}}([-./])\d{{1,2}}\3\d{{1,2}}|\d{{1,2}}([-./])\d{{1,2}}\4(\d{{4}}|\d\d))"
        r"|\d{4}[-./]\d{1,2}|\d{1,2}/\d{4}|\d{4}[年년] ?\d{1,2}[月월] ?\d{1,2}[日일]"
        rf"|{NAMED_MONTH}|(18|19|20)\d{{2}}(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])|{PLAIN_DAY})"
        r"((T|,? |:)\d{1,2}:\d{2}(:\d{2}(\.\d{1,6})?)?( ?[AaPp][Mm])?( ?(Z|[+-]\d{2}:?\d{2}))?)?",
        re.IGNORECASE,
    ).fullmatch,
    "zip codes": re.compile(r"\d{5}(-\d{4})?|\d{2}-\d{3}|\d{4}-\d{3}").fullmatch,
    "ATC codes": re.compile(r"[A-DGHJLMNPRSV]\d{2}([A-Z]([A-Z](\d{2})?)?)?").fullmatch,
    "ICD-10 codes": re.compile(r"[A-Z]\d[0-9A-Z](\.?[0-9A-Z]{1,4}|\.-)?[*†+!]?").fullmatch,
    "ICD-9 codes": re.compile(r"(\d{1,3}|V\d{1,2})(\.?\d{1,2})?|E\d{3}(\.?\d)?").fullmatch,
    "e-mail addresses": re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+").fullmatch,
}
_ORDER = ("zip codes", "dates", "ICD-9 codes", "integers", "numbers", "ATC codes", "ICD-10 codes", "e-mail addresses")
_DAY_FORMATS = (
    "%Y-%m-%d", "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y", "%m-%d-%Y", "%Y/%m/%d", "%Y.%m.%d", "%Y%m%d",
    "%m%d%Y", "%d%m%Y",
    "%d-%b-%Y", "%d %b %Y", "%d/%b/%Y", "%d %B %Y", "%d-%B-%Y", "%b %d, %Y", "%B %d, %Y", "%d. %b %Y", "%d. %B %Y",
    "%Y-%b-%d", "%Y %b %d", "%Y年%m月%d日", "%Y년 %m월 %d일",
    "%d.%m.%y", "%d/%m/%y", "%m/%d/%y", "%d-%m-%y", "%m-%d-%y", "%d-%b-%y", "%d %b %y",
    "%Y-%m", "%Y/%m", "%Y.%m", "%m/%Y",
)  # fmt: skip
_WEEKDAY_FORMATS = ("", "%a ", "%a, ", "%A ", "%A, ")
_TIME_FORMATS = tuple(
    time + zone
    for time in ("%H:%M", "%H:%M:%S", "%H:%M:%S.%f", "%I:%M %p", "%I:%M:%S %p", "%I:%M%p", "%I:%M:%S%p")
    for zone in ("", "%z", " %z")
)
_DAY_AND_TIME = re.compile(r"(.+?)(T|,? |:)(\d{1,2}:\d{2}.*)").fullmatch
_ISO = re.compile(r"\d{4}-\d{2}-\d{2}").fullmatch
_WITH_COMMA = re.compile(r"[+-]?\d{1,18}(,\d+)?").fullmatch
_DECIMAL = re.compile(r"\D{0,3}\d{1,18}[,.]\d+").fullmatch
_LIMIT = re.compile(r"([<>≤≥~+-]|[<>]=)? ?\d{1,18}([,.]\d+)?").fullmatch
"""A number, optionally with the sign of a limit."""
_MOST_RESULTS, _FEWEST_MEASURED, _MOST_MEASURED = 12, 10, 0.9
_SIGNS = (
    re.compile(r"\b(pos|positi[vf][eo]?|positief|reaktiv|reactive|detected)\b", re.IGNORECASE).search,
    re.compile(r"\b(neg|negati[vf][eo]?|negatief|not detected|non-?reactive|nicht reaktiv)\b", re.IGNORECASE).search,
)
"""Functions that recognize positive and negative test results."""
_THOUSAND = re.compile(r"[+-]?[1-9]\d{0,2}[,.]\d{3}").fullmatch
_CUT = re.compile(r"[1-9]([.,]\d{1,14})?E\+\d{2}").fullmatch
_OF_PLACES = re.compile(
    r"(^|[_\W])(plz|zip|postleitzahl|post(al)?[_\W]?code|postnr|cap|cp)($|[_\W])|zip", re.IGNORECASE
)
_LETTERED_PLACE = re.compile(
    r"[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}|\d{4} ?[A-Z]{2}|[A-Z]\d[A-Z][ -]?\d[A-Z]\d|[A-Z]{1,2}[- ]\d{4,5}", re.IGNORECASE
).fullmatch
"""Matches postal codes with letters: British, Dutch, Canadian, and with the code of the country."""
_LABELS_FOR_DATE_FORMATS, _MOST_DATE_FORMATS = 3, 3
_LONGEST_WITHOUT_DOT = 4
"""Length of a WHO ICD-10 code without the dot."""


@dataclass(frozen=True)
class ValueFormat(RedactedRepr):
    """Kind and format of the values of a column."""

    kind: str
    """``integers``, ``numbers``, ``dates``, ``0/1``, ``crosses``, ``zip codes``, ``ICD-9 codes``, … or ``text``."""
    form: str = ""
    """Format of dates for `datetime.strptime`, or decimal sign of numbers. Empty for plain numbers."""
    doubt: str = ""
    """Fault or ambiguity in the notation of the values, and how to correct it. Empty if there is none."""
    usable: bool = True
    """True if the values can be used as they are written."""
    width: str = ""
    """Interval width for numbers. The values span about twenty intervals."""
    odd: int = 0
    """Number of distinct values that are not of this kind."""
    fixes: tuple[Fix, ...] = field(default=(), repr=False)
    """Settings that resolve the doubt."""

    @property
    def has_days(self) -> bool:
        """Whether the values contain the day, if they are dates."""
        return not self.form or "%d" in self.form


def look_at(name: str, labels: Sequence[str]) -> ValueFormat:
    """Return the kind and format of the values of a column. Only the first 20,000 distinct values are examined.

    At most 5% of the distinct values may be of another kind. If there are at least 10, one value may always be of
    another kind.

    >>> look_at("KodPocztowy", ["00-001", "31-512"]).kind, look_at("codigo postal", ["1000-205", "4050-123"]).kind
    ('zip codes', 'zip codes')
    >>> look_at("postcode", ["SW1A 1AA", "M1 1AE"]).kind, look_at("code", ["K1A 0B1"]).kind
    ('postal codes', 'text')
    >>> look_at("birth", ["24.12.1950", "1.2.1960"]).form, look_at("n", ["1,5", "2"])
    ('%d.%m.%Y', ValueFormat(kind='numbers', form=',', width='0.05'))
    >>> look_at("dx", [*(f"U{n}.1" for n in range(10, 30)), "unknown"])
    ValueFormat(kind='ICD-10 codes', odd=1)
    """
    looked_at = labels[:MOST_LOOKED_AT]
    kind = kind_of_values(looked_at)
    regular = _regular(looked_at, kind)
    look = _look(name, regular, kind)
    irregular = look.odd + len(looked_at) - len(regular)
    if irregular and look.kind == "numbers":
        look = replace(look, doubt=look.doubt or _both_signs(looked_at, look.form or "."))
    return replace(look, odd=irregular) if irregular else look


def _both_signs(labels: Sequence[str], decimal: str) -> str:
    """Return a warning if numbers have two decimal signs, and the empty text otherwise.

    >>> _both_signs(["1.5", "2.5", "3,5"], "."), _both_signs(["1.5", "1,000.5"], ".")
    ('1 number with a decimal comma among numbers with a point; write all of them with the same sign', '')
    """
    other = "," if decimal == "." else "."
    mixed = sum(bool(_FITS[other].match(label)) and not _FITS[decimal].match(label) for label in labels)
    if not mixed:
        return ""
    names = {",": "comma", ".": "point"}
    return (
        f"{counted(mixed, 'number')} with a decimal {names[other]} among numbers with a {names[decimal]}; write all of "
        "them with the same sign"
    )


def _look(name: str, looked_at: Sequence[str], kind: str) -> ValueFormat:
    if kind == "dates":
        return _dates(name, looked_at)
    if _OF_PLACES.search(name):
        if kind in ("integers", "zip codes"):
            return _places(looked_at)
        odd = sum(_LETTERED_PLACE(label) is None for label in looked_at)
        if looked_at and odd <= _most_odd(len(looked_at)):
            return ValueFormat("postal codes", odd=odd)
    if kind == "zip codes" and (is_identifier(name) or is_about_a_person(name)):
        kind = "integers" if all(map(str.isdecimal, looked_at)) else "text"
    others = [label for label in looked_at if not label.isdecimal()]
    if kind in ("text", "integers", "numbers") and others and all(map(_CUT, others)):
        doubt = "long numbers that a spreadsheet rounded (E+11); export the file again with this column as text"
        return ValueFormat("cut numbers", doubt=doubt, usable=False)
    if kind in ("integers", "numbers"):
        return ValueFormat(kind, doubt=_thousands(looked_at), width=_width([float(label) for label in looked_at]))
    return _numbers_as_text(looked_at) if kind == "text" else ValueFormat(kind)


def _regular(labels: Sequence[str], kind: str) -> Sequence[str]:
    """Return the labels that match the pattern of a kind. Return all labels if the kind has no pattern."""
    form = _RECOGNIZERS.get(kind)
    return labels if form is None else [label for label in labels if form(label)]


def with_comma(labels: Sequence[str]) -> bool:
    """Return True if all values are numbers, and some have a decimal comma."""
    return all(map(_WITH_COMMA, labels)) and any("," in label for label in labels)


def are_measured(labels: Sequence[str]) -> bool:
    """Return True if values are numbers with decimals, some of them possibly limits, mixed with words and remarks.

    >>> are_measured(["14,2", "9,8", "< 0,5", "n.g."]), are_measured(["1,2", "2,3,4"]), are_measured(["E10", "J45"])
    (True, False, False)
    >>> are_measured([*(f"1,{n}" for n in range(10)), "1,69 (korr.)"])
    True
    """
    numbers = [label.strip() for label in labels if any(map(str.isdigit, label))]
    decimals, limits = (sum(map(bool, map(form, numbers))) for form in (_DECIMAL, _LIMIT))
    return limits >= _MOST_MEASURED * len(numbers) and 2 * decimals > len(numbers) and 2 * len(numbers) > len(labels)


def are_results(labels: Sequence[str]) -> bool:
    """Return True if values are test results. They are words such as positive and negative, or numbers of which some
    are limits.

    >>> are_results(["TB neg", "TB pos", "n.d."]), are_results([*"123456789", "< 5"]), are_results(["pos1", "neg2"])
    (True, True, False)
    """
    looked_at = labels[:MOST_LOOKED_AT]
    if len(looked_at) <= _MOST_RESULTS and all(any(map(sign, looked_at)) for sign in _SIGNS):
        return True
    limits = [label for label in looked_at if _LIMIT(label) and label[0] in "<>≤≥"]
    numbers = sum(map(bool, map(_LIMIT, looked_at)))
    return bool(limits) and numbers >= _FEWEST_MEASURED and 2 * numbers > len(looked_at)


def kind_of_values(labels: Sequence[str]) -> str:
    """Return the kind of the values, except for a few odd values. Only the first 20,000 values are examined."""
    looked_at = labels[:MOST_LOOKED_AT]
    if not looked_at:
        return "text"
    if all(map(_RECOGNIZERS["0/1"], looked_at)):
        return "0/1"
    if len(looked_at) <= 4 and _are_crosses(looked_at):
        return "crosses"
    tests = {"ICD-9 codes": _are_icd9, "ATC codes": _are_atc, "ICD-10 codes": _are_icd10}
    for name in _ORDER:
        if all(map(_RECOGNIZERS[name], looked_at)) and tests.get(name, bool)(looked_at):
            return name
    for name in _ORDER:
        regular = [label for label in looked_at if _RECOGNIZERS[name](label)]
        if len(looked_at) - len(regular) <= _most_odd(len(looked_at)) and tests.get(name, bool)(regular):
            return name
    return "text"


def _most_odd(n: int) -> int:
    """Return how many of `n` distinct values may be of another kind than their column."""
    return max(int(_FEW_ODD * n), int(n >= _FEWEST_FOR_ODD))


def _are_icd10(labels: Sequence[str]) -> bool:
    """Return False if possible ICD-10 codes look like keys. Keys have a common letter before digits, no dots, and equal
    width.
    """
    first, longest = {label[0] for label in labels}, max(map(len, labels), default=0)
    dotted = any("." in label for label in labels)
    return not (len(first) == 1 and len(labels) > 1 and longest > _LONGEST_WITHOUT_DOT and not dotted)


def _are_crosses(labels: Sequence[str]) -> bool:
    presence = says_present(labels).values()
    return None not in presence and True in presence


def _are_icd9(labels: Sequence[str]) -> bool:
    """Return True if some labels begin with E or V, or if all labels have at least three digits and more than 5% have a
    decimal point.
    """
    if any(label[0] in "EV" for label in labels):
        return True
    three_digits = all(len(label.partition(".")[0]) >= 3 for label in labels)
    return three_digits and sum("." in label for label in labels) * 20 > len(labels)


def _are_atc(labels: Sequence[str]) -> bool:
    """Return True if most labels have 5 or 7 characters. ATC codes of this length never look like ICD-10 codes."""
    return 2 * sum(len(label) in (5, 7) for label in labels) > len(labels)


def _dates(name: str, labels: Sequence[str]) -> ValueFormat:
    """Return the format of dates. If day and month are ambiguous, return the first format that parses all dates.

    >>> _dates("born", ["24.12.1950", "1960-02-01"]).form, _dates("", ["3/4/1950", "1960-02-01"]).usable
    ('%Y-%m-%d|%d.%m.%Y', False)
    """
    read = {form: days for form in _formats_of(labels) if len(days := _parsed(labels, form)) > len(labels) // 2}
    most = max(map(len, read.values()), default=0)
    if not most or len(labels) - most > _most_odd(len(labels)):
        return _dates_in_several_formats(labels)
    forms = [form for form, days in read.items() if len(days) == most]
    form, irregular = forms[0], len(labels) - most
    days = read[form]
    if "%y" in form and any(max(read[candidate]) > date.today() for candidate in forms):
        doubt = "years of two digits without a clear century; write them with four"
        return ValueFormat("dates", form, doubt, usable=False)
    if len(forms) > 1:
        doubt = "day and month are ambiguous, so only the year is used"
        ways = {one: "day" if one.find("%d") < one.find("%m") else "month" for one in forms}
        fixes = tuple(
            Fix({"hierarchy": {name: date_rule(one, f"{FROM}month,year,decade")}}, f"if the {first} comes first")
            for one, first in ways.items()
        )
        return ValueFormat("dates", form, doubt, odd=irregular, fixes=fixes)
    iso = form == "%Y-%m-%d" and sum(map(bool, map(_ISO, labels))) == most
    return ValueFormat("dates", "" if iso else form, odd=irregular)


def _dates_in_several_formats(labels: Sequence[str]) -> ValueFormat:
    """Return the formats of dates that no single format parses. They are usable if no date is ambiguous."""
    left, forms = list(labels), list[str]()
    while left and len(forms) < _MOST_DATE_FORMATS:
        read = {form: [label for label in left if is_date(label, form)] for form in _formats_of(left[:1])}
        most = max(map(len, read.values()), default=0)
        best = [form for form, own in read.items() if len(own) == most]
        if len({tuple(_parsed(read[form], form)) for form in best}) != 1 or "%y" in best[0]:
            break
        forms.append(best[0])
        left = [label for label in left if not is_date(label, best[0])]
    form = EITHER.join(sorted(forms, key=_rank))
    odd = sum(not is_date(label, form) for label in labels)
    if not forms[1:] or odd > _most_odd(len(labels)):
        doubt = "dates in several formats that can be confused; write all of them as YYYY-MM-DD"
        return ValueFormat("dates", doubt=doubt, usable=False)
    return ValueFormat("dates", form, odd=odd)


def _formats_of(labels: Sequence[str]) -> list[str]:
    formats: dict[str, None] = {}
    for label in labels[:_LABELS_FOR_DATE_FORMATS]:
        if (split := _DAY_AND_TIME(label)) is None:
            formats.update(dict.fromkeys(_formats_of_day(label)))
            continue
        day, between, time = split.groups()
        days = _formats_of_day(day)
        times = [form for form in _TIME_FORMATS if _parsed([time], form)]
        formats.update(dict.fromkeys(f"{day_format}{between}{other}" for day_format in days for other in times))
    return sorted(formats, key=_rank)


def _formats_of_day(label: str) -> list[str]:
    """Return the formats that parse a date without a time. A weekday name may precede the date."""
    weekdays = _WEEKDAY_FORMATS if label[0].isalpha() else _WEEKDAY_FORMATS[:1]
    return [form for weekday in weekdays for day in _DAY_FORMATS if _parsed([label], form := weekday + day)]


def _rank(form: str) -> int:
    """Return the rank of a date format. If several formats fit, the format with the lowest rank is used."""
    return next((n for n, day in enumerate(_DAY_FORMATS) if day in form), len(_DAY_FORMATS))


def _parsed(labels: Sequence[str], form: str) -> list[date]:
    days, irregular = [], 0
    for label in labels:
        try:
            days.append(datetime.strptime(label, form).date())
        except ValueError:
            irregular += 1
            if irregular > _most_odd(len(labels)):
                break
    return days


def _places(labels: Sequence[str]) -> ValueFormat:
    lengths = {len(label) for label in labels}
    doubt = ""
    if lengths == {4, 5} and not any(label.startswith("0") for label in labels):
        doubt = (
            "postal codes of 4 and 5 digits: a spreadsheet may have removed leading zeros; export the column as text"
        )
    return ValueFormat("postal codes", doubt=doubt)


def _thousands(labels: Sequence[str]) -> str:
    """Return a warning if points may separate thousands, and the empty text otherwise.

    Points may separate thousands if each point precedes three digits, and all other numbers are integers.
    """
    pointed = [label for label in labels if "." in label]
    if pointed and len(pointed) < len(labels) and all(map(_THOUSAND, pointed)):
        return "each point precedes three digits; if points separate thousands, remove them"
    return ""


def _numbers_as_text(labels: Sequence[str]) -> ValueFormat:
    """Return the format of numbers that are written in another notation than programs use."""
    decimals = decimals_of(labels)
    if len(decimals) == 1:
        numbers = [float(plain_number(label, decimals[0])) for label in labels]
        return ValueFormat("numbers", decimals[0], width=_width(numbers))
    if decimals:
        doubt = "numbers with commas or points that may be decimal signs or thousands separators"
        fixes = tuple(Fix({"decimal": sign}) for sign in decimals)
        return ValueFormat("grouped numbers", doubt=doubt, usable=False, fixes=fixes)
    if are_measured(labels) and any("," in label and _WITH_COMMA(label) for label in labels):
        return ValueFormat("numbers", ",", odd=sum(_WITH_COMMA(label) is None for label in labels))
    return ValueFormat("text")


def _width(numbers: Sequence[float]) -> str:
    """Return an interval width of 1, 2 or 5 times a power of ten, such that about 20 intervals cover `numbers`."""
    target = (max(numbers) - min(numbers)) / 20
    if not 1e-6 < target < 1e12:
        return ""
    power = floor(log10(target))
    digit = next(leading for leading in (1, 2, 5, 10) if leading * 10.0**power >= target * 0.999)
    return f"{digit * 10.0**power:.12g}"
