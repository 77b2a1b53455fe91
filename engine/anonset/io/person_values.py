"""Patterns of values that name or reach a person: e-mail addresses, IBANs, telephone numbers, names."""

import re
from collections.abc import Callable, Mapping, Sequence

_EMAIL = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+")
_PHONE = re.compile(r"(?=.*[+ /()-])(\+|00?|\()[\d /().-]{6,19}\d")
_IBAN = re.compile(r"[A-Z]{2}\d{2}[A-Z0-9]{11,30}")
_SHORTEST_IBAN = 15
_NAME = re.compile(r"[^\W\d_a-z][^\W\d_]*[.]?([ '-]+[^\W\d_]+[.]?)*")
_KEY = re.compile(r"(?=.*\d)(?=.*[^\W\d_])[\w-]+").fullmatch
_LONG = 6
_MOST = 0.9


def is_iban(value: str) -> bool:
    """Tell whether a value is an IBAN: its check digits must be right (ISO 13616, ISO 7064 MOD 97-10).

    >>> is_iban("GB82 WEST 1234 5698 7654 32"), is_iban("GB83 WEST 1234 5698 7654 32")
    (True, False)
    """
    if len(value) < _SHORTEST_IBAN:
        return False
    text = value.replace(" ", "").upper()
    return _IBAN.fullmatch(text) is not None and int("".join(str(int(c, 36)) for c in text[4:] + text[:4])) % 97 == 1


PATTERNS: Mapping[str, Callable[[str], object]] = {
    "e-mail": _EMAIL.fullmatch,
    "IBAN": is_iban,
    "phone": _PHONE.fullmatch,
}
"""The pattern of a value, by the meaning of a header that says the same."""


def pattern_of(labels: Sequence[str], patterns: Sequence[str] = tuple(PATTERNS)) -> str:
    """Return which of the patterns nearly all labels have: ``e-mail``, ``IBAN``, ``phone``; empty if none.

    >>> pattern_of(["ann@b.org", "bo@c.net"]), pattern_of(["+49 30 123456", "030/123-456"]), pattern_of(["2020-01-01"])
    ('e-mail', 'phone', '')
    """
    bare = [label.strip() for label in labels]
    return next((name for name in patterns if bare and _nearly_all(PATTERNS[name], bare)), "")


def _nearly_all(is_one: Callable[[str], object], labels: Sequence[str]) -> bool:
    left = len(labels)
    for label in labels:
        if not is_one(label):
            left -= 1
            if left < _MOST * len(labels):
                return False
    return True


def are_keys(labels: Sequence[str]) -> bool:
    """Tell whether all labels are letters with digits, or long numbers of one width, as keys are.

    >>> are_keys(["q10", "q1234"]), are_keys(["100234", "992345"]), are_keys(["1500", "93000"]), are_keys(["E11 J45"])
    (True, True, False, False)
    """
    long = {len(label) for label in labels if label.isdecimal()}
    return bool(labels) and (
        all(map(_KEY, labels)) or (all(map(str.isdecimal, labels)) and len(long) == 1 and min(long) >= _LONG)
    )


def are_capitalised(labels: Sequence[str]) -> bool:
    """Tell whether nearly all labels are capitalised words without digits, and few of them capitals alone.

    >>> are_capitalised(["Ann Lee", "Bo", "Müller-Lüden"]), are_capitalised(["E11", "J45"]), are_capitalised(["f"])
    (True, False, False)
    """
    like = [label for label in labels if _NAME.fullmatch(label.strip())]
    return bool(labels) and len(like) >= _MOST * len(labels) and sum(map(str.isupper, like)) * 2 <= len(like) + 1
