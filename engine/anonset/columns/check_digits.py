"""Recognize national ids, card numbers and device numbers by their check digits or their form."""

import re
from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import partial

_FEWEST, _MOST = 5, 0.95
"""Minimum number and share of the numbers of one length that have a valid check digit. A tenth are valid by chance,
and 91% of the ISBNs of ten digits are valid British numbers.
"""
_SHORTEST = 9
_MARKS = str.maketrans("", "", " .-/")
_NUMBER = re.compile(r"\d[\d ./-]{7,22}\d|(?:\d{9}|\d{17})X").fullmatch
_FORM = re.compile(
    r"\d{3}-\d{2}-\d{4}"  # United States
    r"|[A-CEGHJ-PR-TW-Z]{2} ?\d\d ?\d\d ?\d\d ?[A-D]"  # United Kingdom
    r"|[A-Z]{6}\d\d[A-EHLMPRST]\d\d[A-Z]\d{3}[A-Z]"  # Italy
    r"|(?:0[1-9]|[12]\d|3[01])(?:0[1-9]|1[0-2])\d\d(?:[-+A]\d{3}[0-9A-Y]|-\d{4})"  # Finland, Denmark
    r"|(?:(?:19|20)?\d\d)(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])[-+]\d{4}(?:\d{3})?"  # Sweden, Korea
).fullmatch
_DNI = re.compile(r"[XYZ\d]\d{7}-?[A-HJ-NP-TV-Z]").fullmatch
Check = Callable[[str], bool]


def count_checked(labels: Sequence[str]) -> int:
    """Return how many labels are national ids, card numbers or device numbers.

    Ids of one length count if the same check digits are valid for nearly all of them, and there are at least five.

    >>> count_checked(["943 476 5919", "401 023 2137", "0879428538", "2562981618", "1027152058", "E11"])
    5
    >>> count_checked([str(n) for n in range(10**9, 10**9 + 90)]), count_checked(["078-05-1120"] * 5)
    (0, 5)
    """
    groups = defaultdict[str, list[str]](list)
    for label in labels:
        if len(label) < _SHORTEST:
            continue
        if _FORM(label):
            groups["form"].append(label)
        elif _NUMBER(label):
            digits = label.translate(_MARKS)
            groups[str(len(digits))].append(digits)
        elif _DNI(label):
            groups["DNI"].append(label)
    return sum(len(group) for size, group in groups.items() if len(group) >= _FEWEST and _are_checked(size, group))


def _are_checked(size: str, numbers: Sequence[str]) -> bool:
    return any(sum(map(check, numbers)) >= _MOST * len(numbers) for check in _CHECKS.get(size, ()))


def _is_luhn(number: str) -> bool:
    digits = [int(digit) for digit in reversed(number.replace("X", "0"))]
    return (sum(digits[::2]) + sum(2 * digit - 9 * (digit > 4) for digit in digits[1::2])) % 10 == 0


def _is_weighted(number: str, weights: Sequence[int], modulus: int = 11) -> bool:
    """Return True if the digit after the weighted digits completes their sum to a multiple of the modulus."""
    total = sum(weight * int(digit) for weight, digit in zip(weights, number, strict=False))
    return -total % modulus % 10 == int(number[len(weights)].replace("X", "10"))


def _are_weighted(number: str, *weights: Sequence[int]) -> bool:
    return all(_is_weighted(number, each) for each in weights)


def _is_97(number: str) -> bool:
    """France and Belgium. The two last digits are 97 minus the remainder; since 2000, Belgian numbers follow a 2."""
    return any(97 - int(start + number[:-2]) % 97 == int(number[-2:]) for start in ("", "2"))


def _is_chinese(number: str) -> bool:
    total = sum(int(digit) << (17 - at) for at, digit in enumerate(number[:-1]))
    return (total + int(number[-1].replace("X", "10"))) % 11 == 1


def _is_german(number: str) -> bool:
    product = 10
    for digit in number[:-1]:
        product = ((int(digit) + product) % 10 or 10) * 2 % 11
    return (11 - product) % 10 == int(number[-1])


def _is_turkish(number: str) -> bool:
    digits = list(map(int, number))
    return (7 * sum(digits[:9:2]) - sum(digits[1:8:2])) % 10 == digits[9] and sum(digits[:10]) % 10 == digits[10]


def _is_verhoeff(number: str) -> bool:
    check = 0
    for at, digit in enumerate(reversed(number)):
        turned = int(digit)
        for _ in range(at % 8):
            turned = (1, 5, 7, 6, 2, 8, 3, 0, 9, 4)[turned]
        check = (check + turned if check < 5 else check - turned) % 5 + 5 * ((check < 5) != (turned < 5))
    return check == 0


def _is_dni(label: str) -> bool:
    number = int(label[:-1].rstrip("-").translate(str.maketrans("XYZ", "012")))
    return "TRWAGMYFPDXBNJZSQVHLCKE"[number % 23] == label[-1]


_DOWN = tuple(range(12, 1, -1))
_CHECKS: dict[str, Sequence[Check]] = {
    "9": (_is_luhn, partial(_is_weighted, weights=[-weight for weight in _DOWN[3:]]),
          partial(_is_weighted, weights=_DOWN[3:])),  # Canada, Israel, Netherlands, Portugal
    "10": (partial(_is_weighted, weights=_DOWN[2:]), _is_luhn),  # United Kingdom, Sweden
    "11": (
        partial(_is_weighted, weights=(1, 3, 7, 9, 1, 3, 7, 9, 1, 3), modulus=10),  # Poland
        lambda number: _are_weighted(number, _DOWN[2:], _DOWN[1:]),  # Brazil
        lambda number: _are_weighted(number, (3, 7, 6, 1, 8, 9, 4, 5, 2), (5, 4, 3, 2, 7, 6, 5, 4, 3, 2)),  # Norway
        _is_97, _is_german, _is_turkish, _is_luhn,  # Belgium, Germany, Turkey, Greece
    ),
    "12": (_is_verhoeff,),  # India
    "13": (_is_luhn, lambda number: number[:3] == "756" and _is_weighted(number, (1, 3) * 6, 10)),
    "14": (_is_luhn,), "15": (_is_97, _is_luhn), "16": (_is_luhn,), "18": (_is_chinese,), "19": (_is_luhn,),
    "DNI": (_is_dni,), "form": (bool,),
}  # fmt: skip
"""Checks by the number of digits. Luhn numbers are also South African ids, cards and devices."""
