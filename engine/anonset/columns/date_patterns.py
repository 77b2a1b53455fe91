"""Patterns of dates with a month name, in six languages, and of dates and contact details within other text."""

import re

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
_WITHIN = re.compile(
    rf"(?<![\d.])(?:{_YEAR}([-/.])\d\d?\1{_DAY}|{_DAY}([-/.]){_DAY}\2(?:{_YEAR}|\d\d))(?![\d.])|\b{NAMED_MONTH}\b",
    re.IGNORECASE,
)


_PHONE = re.compile(r"(?<![\w.,-])(\+|00?)[1-9]\d[\d /()-]{5,16}\d(?![\w.,])")
MAIL = re.compile(r"(?<![^@\s])[^@\s]+@[^@\s]+\.[a-z]{2,}", re.IGNORECASE)
"""An e-mail address within other text."""


is_time = re.compile(r"\d{1,2}:\d\d(:\d\d)?(\.\d+)?").fullmatch
"""Matches a time of the day."""


def contains_contact(text: str) -> bool:
    """Return True if a text contains a telephone number or an e-mail address.

    >>> contains_contact("call 07700 900123"), contains_contact("mail a@b.org"), contains_contact("0341 123456")
    (True, True, False)
    """
    match = _PHONE.search(text) or MAIL.search(text)
    return match is not None and any(map(str.isalpha, text[: match.start()] + text[match.end() :]))


def contains_date(text: str) -> bool:
    """Return True if a text contains a date that includes the day.

    >>> contains_date("seen on 3.4.2021, again"), contains_date("since 4 May 2020"), contains_date("v1.2.3")
    (True, True, False)
    >>> contains_date("EC_4.2.1.11"), contains_date("ONC-14/82/19")
    (False, False)
    """
    return _WITHIN.search(text) is not None
