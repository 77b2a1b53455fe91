"""Separators of items within the cells of a text column."""

import ast
import json
import re
from collections import Counter
from collections.abc import Collection, Sequence
from itertools import chain, pairwise
from typing import Any

import numpy as np

from anonset import arrow
from anonset.columns.headers import meaning_of, names_items
from anonset.columns.kinds import MOST_LOOKED_AT, are_measured, kind_of_values, with_comma
from anonset.columns.missing import MISSING, PROBABLE_NULLS
from anonset.data.spans import begins_of
from anonset.lazy_arrow import pa

MARKS = (";", "|", "；", "؛", ",", "、", "，", "،")
"""Separators of items within a cell, also of East Asian and Arabic scripts, the most reliable first."""
_COMMAS = (",", "、", "，", "،")
"""Separators that also occur within sentences."""
FURTHER_MARKS = ("/", "+")
"""Separators that also occur within items."""
_CODE = re.compile(r"[A-Za-z]{1,3}\d[\w.+*!-]*|\d{3}\.\d{1,2}")
_FEWEST_SETS, _FEWEST_BOUND = 3, 5
_OFTEN = 3
"""Minimum number of cells that share a word of a phrase."""
_FEWEST_WORDS = 5
"""Minimum number of shared words in a column of phrases."""
_FEWEST_NAMES, _OFTEN_REPEATED = 5, 5
"""Minimum number of distinct names of several words, and minimum average number of cells that contain the same name."""
_SHORTEST_WORD = 3
"""Minimum number of letters of a shared word."""
STOP_WORDS = frozenset(
    {
        "the", "of", "and", "for", "with", "und", "der", "die", "das", "den", "dem", "des", "von", "vom", "mit", "für",
        "aus", "ohne", "les", "aux", "une", "avec", "pour", "sans", "los", "las", "del", "con", "para", "per", "della",
        "het", "een", "van", "voor",
    }
)  # fmt: skip
_TITLE_WORDS = STOP_WORDS - {"der", "die", "den", "dem", "des", "von", "vom", "los", "las", "del", "della", "van"}
_BETWEEN_DIGITS = re.compile(r"\d,\d").search
_ENDS_WITH_NUMBER, _BEGINS_WITH_NUMBER = re.compile(r"(?<!\d)\d{1,3}$").search, re.compile(r"\d{1,3}(?!\d)").match
_UNIT = re.compile(r"\d+\s?(?:[^\W\d_]+$|[^\w\s.:/+*!†-])").match
"""Functions that recognize texts before and after a decimal comma, and texts with a unit, such as ``5%`` or ``5 l``."""
_CUT = ",\0"
"""Text that replaces decimal commas, to find the items that begin after one."""
_WORD = re.compile(r"[^\W\d_]{3}").search
_JOIN_FIELDS, _FEWEST_WITH_FIELDS, _WORDED = ("|", "^", "&", ",", ":"), 5, 0.8
"""Characters between fields, minimum number of distinct values that show them, and minimum difference of the shares of
values with words.
"""
_ANY_MARK = re.compile(r"\s*[;|,/；؛、，،]\s*|\s+")
_MOST_SINGLE = 0.9
_SINGLE = tuple(
    re.compile(pattern).fullmatch
    for pattern in (
        r"[A-Z]{1,2}\d[A-Z\d]? \d[A-Z]{2}",
        r"\d{4} [A-Z]{2}",
        r"[A-Z]\d[A-Z] \d[A-Z]\d",
        r"\d{3} \d{2}|\d{2}-\d{3}",
        r"[-+]?(?:[€$£]|[A-Z]{3})? ?\d{1,3}(?:[ .,'\u00a0\u202f]\d{3})*(?:[.,]\d{2})? ?(?:kr|zł|Kč|Ft|€|[A-Z]{3})",
        r"(?:[^\W\d_a-z]|d[aei]|v[ao]n|l[ae])[^\W\d_]*(?:[ '-][^\W\d_]+){0,3}, ?(?:[^\W\d_]\.? ?-?){1,4}",
    )
)
"""Postcodes with a blank, amounts with a currency, and surnames with initials."""
_MOST_FOR_KIND = 500
_MISSING = MISSING | PROBABLE_NULLS
_OF_SINGLE_VALUES = ("name", "address", "residence", "origin")
"""Meanings of headers above single values, which may contain separators. Only semicolons and bars separate several
languages or nationalities.
"""
_NAMES_OF_FREE_TEXT = re.compile(r"text|comment|note|title|descr|job|occupation", re.IGNORECASE)
_SUREST_MARKS = MARKS[:4]


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
    if separator is None:
        looked_at = [_with_decimals(label, ".") for label in looked_at]
    if separator is None and are_single_values(looked_at):
        return None
    text = "\n".join(looked_at)
    meaning = meaning_of(name)
    usual = not (meaning == "origin" or _NAMES_OF_FREE_TEXT.search(name))
    marks = [mark for mark in marks if mark in text and (usual or mark in _SUREST_MARKS)]
    if not marks or (meaning in _OF_SINGLE_VALUES and meaning != "origin"):
        return None
    if separator is None and not names_items(name) and (with_comma(looked_at) or are_measured(looked_at)):
        return None
    for mark in marks:
        several = [label for label in looked_at if mark in label]
        if (
            len(several) * 20 >= max(1, len(looked_at))
            and several
            and (
                are_sets(looked_at, mark, hint=names_items(name) or _separates_surely(looked_at, several, mark))
                or (mark == " " and recombine(looked_at))
            )
        ):
            other_mark = next((other for other in marks if mark == " " != other and f"{other} " in text), None)
            if other_mark is None:
                return mark
            return other_mark if names_items(name) and _recur(looked_at, other_mark) else None
    return None


def _further_separator(name: str, labels: Sequence[str]) -> str | None:
    """Return ``/`` or ``+`` if this character separates items in cells of text."""
    looked_at = [label for label in labels[:MOST_LOOKED_AT] if label not in _MISSING]
    if (
        meaning_of(name) in _OF_SINGLE_VALUES
        or _NAMES_OF_FREE_TEXT.search(name)
        or kind_of_values(looked_at[:_MOST_FOR_KIND]) != "text"
    ):
        return None
    return mark_of_sets(looked_at)


def _with_decimals(text: str, sign: str) -> str:
    """Return a text in which another sign replaces decimal commas. These are between digits, next to a word or a unit.

    >>> [_with_decimals(text, ".") for text in ("Milk 3,5%,Tea", "0,5 l", "E10,E11", "1,2,3", "250.00,401.9")]
    ['Milk 3.5%,Tea', '0.5 l', 'E10,E11', '1,2,3', '250.00,401.9']
    """
    if not _BETWEEN_DIGITS(text):
        return text
    parts = text.split(",")
    return parts[0] + "".join((sign if _are_one_number(*pair) else ",") + pair[1] for pair in pairwise(parts))


def _are_one_number(before: str, after: str) -> bool:
    worded = any(len(part.split()) > 1 and any(map(str.isalpha, part)) for part in (before, after))
    return bool(_ENDS_WITH_NUMBER(before) and _BEGINS_WITH_NUMBER(after) and (worded or _UNIT(after.rstrip())))


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


def other_marks(items: Collection[str], mark: str) -> list[str]:
    """Return the characters that probably separate further items within the items, which were split at `mark`. Each
    part between these characters is usually also an item of another cell.

    >>> other_marks(["E11", "I10", "E11/I10", "J45,I10", "N/A"], ";"), other_marks(["Wine, red", "Wine, white"], ";")
    (['/'], [])
    """
    others = [other for other in (*MARKS, *FURTHER_MARKS) if other != mark and _parts_recur(other, items)]
    plain = [item for item in items if not any(other in item for other in others)]  # a blank often follows a comma
    return [*others, " "] if mark != " " and _parts_recur(" ", plain) else others


def _parts_recur(mark: str, items: Collection[str]) -> bool:
    """Return True if at least half of the items that contain a separator consist of parts that recur."""
    items = [_with_decimals(item, ".") for item in items]
    parts_of_items = [{part.strip() for part in item.split(mark)} - {""} for item in items if mark in item]
    if not parts_of_items:
        return False
    times = Counter(part for parts in parts_of_items for part in parts)
    times.update(item for item in items if mark not in item)
    n_recurring = sum(all(times[part] > 1 for part in parts) for parts in parts_of_items)
    return 2 * n_recurring >= len(parts_of_items)


def mark_of_fields(values: Sequence[str]) -> str:
    """Return the character that joins different fields in nearly all values, such as a code and its name. Empty if
    there is none.

    Fields have names, or nearly all values have the same number of fields, and words in one of them but not in another.

    >>> mark_of_fields([f"name:{word}|quantity:{len(word)}" for word in ("tea", "milk", "bread", "butter", "rice")])
    '|'
    >>> codes = ["E10", "I10", "J45", "M54", "K21"]
    >>> mark_of_fields([f"{code}^Disease {code}" for code in codes]), mark_of_fields([f"{code}|E66" for code in codes])
    ('^', '')
    """
    some = values[:_MOST_FOR_KIND]
    if len(some) < _FEWEST_WITH_FIELDS or kind_of_values(some) != "text":
        return ""
    return next((mark for mark in _JOIN_FIELDS if _are_fields([value.split(mark) for value in some], mark)), "")


def _are_fields(rows: Sequence[Sequence[str]], mark: str) -> bool:
    ((width, _),) = Counter(map(len, rows)).most_common(1)
    regular = [row for row in rows if len(row) == width]
    if width < 2 or len(regular) < _MOST_SINGLE * len(rows):
        return False
    fields = [*zip(*regular, strict=True)]
    names = [{value.partition(":")[0].partition("=")[0].strip() for value in field} for field in fields]
    if mark != ":" and all(len(name) == 1 < len({*field}) for name, field in zip(names, fields, strict=True)):
        return True
    worded = [sum(map(bool, map(_WORD, field))) / len(field) for field in fields if len({*field}) > 1]
    return mark not in _COMMAS and len(worded) > 1 and max(worded) - min(worded) > _WORDED


def count_bound(cells: Collection[str], mark: str) -> int:
    """Count the items that occur only directly after one other item, in at least five different cells, or that end
    within parentheses, or begin after a decimal comma. Both items may be one value that contains the separator.

    >>> count_bound([f"{first}SAS, on a server{last}" for first in ("", "R, ", "C, ") for last in ("", ", Go")], ",")
    1
    >>> count_bound(["Stata (any version, old or new), R", "R"], ","), count_bound(["Milk 3,5%,Tea", "Tea"], ",")
    (1, 1)
    """
    before: dict[str, set[str]] = {}
    times = Counter[str]()
    for cell in cells:
        parts = [part.strip() for part in _with_decimals(cell, _CUT).split(mark)]
        for last, part in zip(("", *parts), parts, strict=False):
            before.setdefault(part, set()).add(last)
            times[part] += 1
    return sum(
        part.startswith(_CUT[1:])
        or part.count("(") < part.count(")")
        or (len(found) == 1 and "" not in found and times[part] >= _FEWEST_BOUND)
        for part, found in before.items()
    )


def mark_of_mixed_codes(labels: Collection[str]) -> str | None:
    """Return the most reliable separator in labels that several separators split into codes. None for other labels."""
    some = [_ANY_MARK.sub(MARKS[0], label) for label in sorted(labels)[:MOST_LOOKED_AT]]
    held = (mark for mark in (*MARKS, "/", " ") if any(mark in label for label in labels))
    return next(held, None) if hold_codes(some, MARKS[0]) else None


def mark_of_sets(labels: Collection[str], *usual: str) -> str | None:
    """Return the separator (one of `usual`, ``/`` or ``+``) that splits many labels into codes. None if no separator
    does.
    """
    some = [_with_decimals(label, ".") for label in sorted(labels)[:MOST_LOOKED_AT]]
    return next((mark for mark in (*usual, *FURTHER_MARKS) if _are_split(some, mark)), None)


def _are_split(labels: Sequence[str], mark: str) -> bool:
    several = sum(mark in label for label in labels)
    is_usual = 5 * several >= len(labels) and several >= _FEWEST_SETS
    return is_usual and (hold_codes(labels, mark) or (mark != " " and are_sets(labels, mark, hint=None)))


def are_sets(labels: Sequence[str], mark: str, *, hint: object) -> bool:
    """Return True if values are sets of items separated by `mark`.

    In a column of sets, most items occur in several cells, and a cell contains each item once. The number of items
    differs from cell to cell, unless the items are codes. Names, titles and sentences rarely satisfy all three
    conditions.

    Parameters
    ----------
    hint
        Truthy if there is other evidence for sets.
    """
    rows = [[part.strip() for part in label.split(mark) if part.strip()] for label in labels]
    lengths = {len(row) for row in rows}
    total, items = sum(map(len, rows)), {item for row in rows for item in row}
    different, codes = len(items), all(map(_CODE.fullmatch, items))
    if sum(len(set(row)) < len(row) for row in rows) * 10 > len(rows) or not different:
        return False
    if len(lengths) < 2 and (not codes or max(lengths) < 2):
        return False
    if mark in (" ", *_COMMAS) and _are_words(rows) and ((mark == " " and not hint) or are_phrases(rows)):
        return False
    if total >= 6 * len(rows):
        return 5 * total > 6 * different
    return total > different if hint else total >= 2 * different and len(rows) >= 2 * different


def combine_words(labels: Collection[str]) -> bool:
    """Return True if blanks separate words that occur in at least twice as many combinations as there are words, or
    codes.

    Few words of a set form many combinations. Names, such as product names, add about one word for each further name.

    Parameters
    ----------
    labels
        Distinct texts of the cells.

    >>> combine_words(["whole milk", "white wine", "soda"]), combine_words(["a1 b2", "c3 d4"])
    (False, True)
    >>> combine_words(["cash", "food", "bike", "cash food", "bike cash", "bike food"])
    True
    """
    rows = [label.split() for label in labels]
    return not _are_words(rows) or len(set(map(frozenset, rows))) >= 2 * len({word for row in rows for word in row})


def recombine(labels: Collection[str]) -> bool:
    """Return True if blanks separate words that usually occur alone, and that form many combinations.

    >>> recombine(["cough", "fever", "rash", "cough fever", "fever rash", "rash cough"]), recombine(["red wine", "red"])
    (True, False)
    """
    rows = [label.split() for label in labels]
    several, alone = [row for row in rows if len(row) > 1], {row[0] for row in rows if len(row) == 1}
    return 2 * sum(map(alone.issuperset, several)) >= len(several) > 0 and combine_words(labels)


def are_names_of_things(cells: Collection[str]) -> bool:
    """Return True if cells of several words are names, such as product names: the complete cells repeat, and there are
    fewer different cells than words.

    >>> are_names_of_things(["whole milk", "butter milk", "white wine", "soft cheese", "pip fruit"] * 5)
    True
    >>> are_names_of_things(["cash food", "bike food"] * 50), are_names_of_things(["whole milk", "white wine"])
    (False, False)
    """
    several = [cell for cell in cells if " " in cell]
    different = len(set(several))
    rows = [label.split() for label in set(cells)]
    return (
        different >= _FEWEST_NAMES
        and len(several) >= _OFTEN_REPEATED * different
        and _are_words(rows)
        and len(rows) < len({word for row in rows for word in row})
    )


def are_phrases(rows: Sequence[Sequence[str]]) -> bool:
    """Return True if words form phrases, such as titles or product names, and not sets of words.

    Phrases contain words such as ``of``, or their first words rarely occur elsewhere (``Whole Milk``, ``Whole Cream``).

    >>> are_phrases([["The", "Lost", "City"], ["House", "of", "Fire"]]), are_phrases([["milk", "rice"], ["rice"]])
    (True, False)
    """
    several = [row for row in rows if len(row) > 1]
    if 20 * sum(any(word.casefold() in STOP_WORDS for word in row) for row in several) > len(several) > 0:
        return True
    first, later = Counter(row[0] for row in rows if row), Counter(word for row in several for word in row[1:])
    often = [word for word in {*first, *later} if first[word] + later[word] >= _OFTEN]
    return len(often) >= _FEWEST_WORDS and 10 * sum(first[word] > 0 < later[word] for word in often) < 3 * len(often)


def _are_words(rows: Sequence[Sequence[str]]) -> bool:
    """Return True if most cells of several parts contain a word, as in ``Milk 1l``, and not only codes."""
    several = [row for row in rows if len(row) > 1]
    worded = sum(
        any(len(item) >= _SHORTEST_WORD and item.replace(" ", "").isalpha() for item in row) for row in several
    )
    return 2 * worded > len(several)


def are_titles(labels: Sequence[str]) -> bool:
    """Return True if labels are titles. Titles contain words that do not occur in names of persons.

    >>> are_titles(["The Lost City", "House of Fire"]), are_titles(["Vincent van Gogh", "Ann Lee"])
    (True, False)
    """
    n_titles = sum(not _TITLE_WORDS.isdisjoint(label.casefold().split()) for label in labels)
    return 20 * n_titles > len(labels)


def are_single_values(labels: Sequence[str]) -> bool:
    """Return True if most values have the form of a postcode, an amount of money, or a surname with initials.

    >>> [are_single_values(labels) for labels in (["LS14 5BG", "BD1 1AA"], ["3549 GF"], ["1 453 kr", "90 kr"])]
    [True, True, True]
    >>> are_single_values(["Jansen, P.A.", "de Vries, K."]), are_single_values(["E10 I10", "J45"])
    (True, False)
    """
    return any(_MOST_SINGLE * len(labels) <= sum(map(bool, map(form, labels))) > 0 for form in _SINGLE)


def hold_codes(labels: Sequence[str], mark: str) -> bool:
    """Return True if many values contain several codes, and these codes also occur in other values."""
    if are_single_values(labels):
        return False
    several = [label for label in labels if mark in label]
    if len(several) < _FEWEST_SETS or 5 * len(several) < len(labels):
        return False
    parts = (part.strip() for label in several for part in label.split(mark))
    return all(_CODE.fullmatch(part) for part in parts if part) and are_sets(labels, mark, hint=True)


LIST = "list"
"""Value of the setting ``separator`` for cells that contain printed lists."""
_ENDS = {"[": "]", "{": "}", "(": ")"}
_NO_ITEMS = ("", "set()", "frozenset()")
_ELEMENT = re.compile(
    r"""\s*(?:(?P<double>"(?:[^"\\]|\\.)*")|(?P<single>'(?:[^'\\]|\\.)*')|(?P<bare>[^\s,"'\[\]{}()](?:[^,"\[\]{}()]*[^\s,"'\[\]{}()])?))\s*(?P<end>,|$)""",
    re.DOTALL,
)
_NULLS = frozenset({"null", "none", "nan", "<na>"})


def listed_items(cell: str) -> list[str | None] | None:
    """Return the items of a printed list, with None for null. Return None if the cell is not a list of plain values.

    JSON, Python and PostgreSQL arrays are recognized. Numbers keep their spelling.

    >>> listed_items("['E10', 'I10', 3]"), listed_items('["E10", null]'), listed_items('{a,"b, c"}')
    (['E10', 'I10', '3'], ['E10', None], ['a', 'b, c'])
    >>> listed_items("[]"), listed_items("('a',)")
    ([], ['a'])
    >>> listed_items("a, b"), listed_items("['a' 'b']"), listed_items("[[1]]")
    (None, None, None)
    """
    text = cell.strip()
    if text in _NO_ITEMS:
        return []
    if _ENDS.get(text[0]) != text[-1] or len(text) < 2:
        return None
    inner = text[1:-1].strip().removesuffix("," if text[0] == "(" else "")
    items, place, more = list[str | None](), 0, bool(inner)
    while more:
        match = _ELEMENT.match(inner, place)
        if match is None:
            return None
        try:
            item = _item(match)
            (item or "").encode()  # a lone surrogate is no text
        except (ValueError, SyntaxError):
            return None
        items.append(item)
        place, more = match.end(), match["end"] == ","
    return items


def _item(match: re.Match[str]) -> str | None:
    if (bare := match["bare"]) is not None:
        return None if bare.strip().casefold() in _NULLS else bare.strip()
    if (double := match["double"]) is not None:
        try:
            return str(json.loads(double, strict=False))
        except ValueError:
            return str(ast.literal_eval(double))
    return str(ast.literal_eval(match["single"]))


def are_printed_lists(texts: Collection[str]) -> bool:
    """Return True if most texts are lists that a program printed.

    A list in brackets without quotes is recognized only if some list has several items.

    >>> are_printed_lists(['["a", "b"]', "['c']", "d"]), are_printed_lists(["{a,b}", "{}"])
    (True, True)
    >>> are_printed_lists(["[a]", "b"])
    False
    """
    lists = [text for text in texts if text[:1] in ("[", "{") and listed_items(text) is not None]
    if 2 * len(lists) <= len(texts):
        return False
    return any(text[1:2] in ("'", '"') or "," in text for text in lists)


def items_of_lists(texts: Any) -> Any:
    """Return printed lists as lists of text (``pyarrow.LargeListArray``). Null remains null.

    Raises
    ------
    NoListError
        If a text is not a printed list.
    """
    whole = texts.combine_chunks() if isinstance(texts, pa.ChunkedArray) else texts
    coded = whole if pa.types.is_dictionary(whole.type) else arrow.dictionary_encode(whole)
    parsed = [listed_items(cell) for cell in coded.dictionary.to_pylist()]
    wrong = [code for code, items in enumerate(parsed) if items is None]
    rows = np.flatnonzero(np.isin(arrow.to_numpy(arrow.coalesce(coded.indices, arrow.number_array([-1])[0])), wrong))
    if len(rows):
        raise NoListError(int(rows[0]))
    begins = arrow.number_array(begins_of([len(items or ()) for items in parsed]))
    values = pa.array(list(chain.from_iterable(items or () for items in parsed)), pa.large_string())
    return arrow.take(pa.LargeListArray.from_arrays(begins, values), coded.indices)


class NoListError(ValueError):
    """A cell is not a printed list."""

    def __init__(self, row: int) -> None:
        super().__init__(row)
        self.row = row
        """Number of the row, from 0."""
