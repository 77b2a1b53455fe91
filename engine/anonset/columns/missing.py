"""Texts and numbers that mean a missing value."""

import re
from collections.abc import Sequence

from anonset.data.hierarchies.hierarchy_rules import NO_VALUE

NULLS = frozenset({"NULL", "null", "\\N", "NaN", "nan", "<NA>", "NA", "N/A", "None"})
"""Texts that programs write for null."""
SIGNS_OF_NULL = frozenset({"-", "--", "."})
PROBABLE_NULLS = SIGNS_OF_NULL | {
    "k.A.", "k. A.", "k.a.", "kA", "keine Angabe", "n/a", "n.a.", "n. a.", "#N/A", "#NV", "#NULL!",
    "(null)", "(NULL)", "Null", "s/d", "S/D", "n/d", "N/D",
}  # fmt: skip
"""Texts that people and spreadsheets write for null, but that may also be values."""
MISSING = NULLS | NO_VALUE
"""Texts that certainly mean a missing value."""
_CODES = (7, 8, 9, 66, 77, 88, 97, 98, 99, 777, 888, 999, 7777, 8888, 9999)
_NEGATIVE_CODES = frozenset(str(-code) for code in _CODES)
_POSITIVE_CODES = frozenset(str(code) for code in _CODES if code > 66)
"""Numbers that surveys write for a missing answer."""
_NO_ITEM = frozenset(
    {
        "none", "nothing", "nil", "not applicable", "keine", "keiner", "keines", "nichts", "aucun", "aucune", "rien",
        "ninguna", "ninguno", "nada", "no aplica", "nenhum", "nenhuma", "nessuna", "nessuno", "niente", "cap", "geen",
        "ingen", "inga", "intet", "ei mitään", "brak", "żadne", "žádné", "žádný", "nič", "nincs", "niciuna", "yok",
        "καμία", "нет", "немає", "няма", "なし", "无", "無", "없음", "tidak ada", "không", "-1",
    }
)  # fmt: skip
"""Words without case, and a number, that may state that a person has no item."""
_FAR = 4
"""Minimum ratio of a positive number to all other numbers if it may mean a missing value."""
_NUMBER = re.compile(r"\d{1,18}([.,]\d+)?").fullmatch


def words_for_no_item(items: Sequence[str]) -> tuple[str, ...]:
    """Return the items that may state that a person has none, as words from a fixed list.

    >>> words_for_no_item(["asma", "Ninguna"]), words_for_no_item(["E11.9", "-1"]), words_for_no_item(["tea"])
    (('Ninguna',), ('-1',), ())
    """
    return tuple(sorted(item for item in items if item.casefold() in _NO_ITEM or item in _NEGATIVE_CODES))


def missing_codes(labels: Sequence[str]) -> tuple[str, ...]:
    """Return the numbers that may mean a missing value. They are negative, or at least four times as large as all other
    numbers.

    >>> missing_codes(["0", "1", "-99"]), missing_codes(["1", "2", "98", "99"]), missing_codes(["16", "61", "99"])
    (('-99',), ('98', '99'), ())
    """
    negative, positive = _NEGATIVE_CODES.intersection(labels), _POSITIVE_CODES.intersection(labels)
    if not (negative or positive):
        return ()
    others = [label for label in labels if label not in negative and label not in positive]
    if len(others) < 2 or not all(map(_NUMBER, others)):
        return ()
    found, largest = sorted(negative), max(float(label.replace(",", ".")) for label in others)
    for code in sorted(map(int, positive)):
        if code >= _FAR * largest:
            found.append(str(code))
        else:  # the number is a value of the column
            largest = max(largest, code)
    return tuple(found)
