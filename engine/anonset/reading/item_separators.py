"""Separators of items within the cells of a text column."""

import re
from collections import Counter
from collections.abc import Sequence

from anonset.reading.input_checks import MARKS, MISSING, PROBABLE_NULLS, are_sets, are_single_values, mark_of_sets
from anonset.reading.kinds import MOST_LOOKED_AT, are_measured, kind_of_values, with_comma

_MOST_FOR_KIND = 500
_MISSING = MISSING | PROBABLE_NULLS
_NAMES_WITHOUT_SETS = re.compile(r"name|address|street|country|city", re.IGNORECASE)
_NAMES_OF_FREE_TEXT = re.compile(r"text|comment|note|title|descr|job|occupation", re.IGNORECASE)
_SUREST_MARKS = MARKS[:4]

_OF_SETS = re.compile(
    r"codes|items|products|diagnos|drugs|medic|basket|tags|genres|symptoms|(^|_)dx|prozedur|medik|artikel"
    r"|(^|_)(icd|atc|ops)($|[_\d])",
    re.IGNORECASE,
)


def separator_of_items(name: str, labels: Sequence[str], separator: str | None) -> str | None:
    """Return the separator of items in cells. None if cells contain one value each.

    Parameters
    ----------
    name
        Column name. It may show that the column contains sets, or text.
    separator
        Declared separator, or None.
    """
    mark = _usual_separator(name, labels, separator)
    return _further_separator(name, labels) if mark is None and separator is None else mark


def _usual_separator(name: str, labels: Sequence[str], separator: str | None) -> str | None:
    """Return the declared separator or one of `MARKS`. None if each cell contains one value.

    Columns of free text are detected by name, and only semicolons and bars separate their items. A decimal comma is not
    a separator. A blank after another separator is not a separator.
    """
    marks: Sequence[str] = (separator,) if separator else (*MARKS, " ")
    looked_at = [label for label in labels[:MOST_LOOKED_AT] if label not in _MISSING]
    if separator is None and are_single_values(looked_at):
        return None
    text = "\n".join(looked_at)
    marks = [mark for mark in marks if mark in text and (not _NAMES_OF_FREE_TEXT.search(name) or mark in _SUREST_MARKS)]
    if not marks or _NAMES_WITHOUT_SETS.search(name):
        return None
    if separator is None and not _OF_SETS.search(name) and (with_comma(looked_at) or are_measured(looked_at)):
        return None
    for mark in marks:
        several = [label for label in looked_at if mark in label]
        if (
            len(several) * 20 >= max(1, len(looked_at))
            and several
            and are_sets(looked_at, mark, hint=_OF_SETS.search(name) or _separates_surely(looked_at, several, mark))
        ):
            other_mark = next((other for other in marks if mark == " " != other and f"{other} " in text), None)
            if other_mark is None:
                return mark
            return other_mark if _OF_SETS.search(name) and _recur(looked_at, other_mark) else None
    return None


def _further_separator(name: str, labels: Sequence[str]) -> str | None:
    """Return ``/`` or ``+`` if this character separates items in cells of text."""
    looked_at = [label for label in labels[:MOST_LOOKED_AT] if label not in _MISSING]
    if (
        _NAMES_WITHOUT_SETS.search(name)
        or _NAMES_OF_FREE_TEXT.search(name)
        or kind_of_values(looked_at[:_MOST_FOR_KIND]) != "text"
    ):
        return None
    return mark_of_sets(looked_at)


def _separates_surely(labels: Sequence[str], several: Sequence[str], mark: str) -> bool:
    """Return True if a semicolon or bar separates codes, or if some of the separated parts also occur as complete
    cells.
    """
    if mark not in _SUREST_MARKS:
        return False
    parts = [{part.strip() for part in label.split(mark)} for label in several]
    if kind_of_values(sorted(set[str]().union(*parts) - {""})) in ("ICD-10 codes", "ATC codes"):
        return True
    single = {label.strip() for label in labels if mark not in label}
    return 2 * sum(not single.isdisjoint(cell) for cell in parts) > len(parts)


def _recur(labels: Sequence[str], mark: str) -> bool:
    """Return True if some parts between separators occur in several cells. Parts of product names rarely recur."""
    cells = Counter(part for label in labels for part in {text.strip() for text in label.split(mark)})
    return any(count > 1 for count in cells.values())
