"""Reject input that is probably misread. A misread input would break the privacy guarantee without notice."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence

from anonset.data.hierarchy_rules import NO_VALUE
from anonset.errors import Fix, InputError, datum, typed
from anonset.reading.dialect import DELIMITERS
from anonset.reading.presence_words import words_for_marks
from anonset.spelling import counted, setting

MARKS = (";", "|", "；", "؛", ",", "、", "，", "،")
"""Separators of items within a cell, also of East Asian and Arabic scripts, the most reliable first."""
_COMMAS = (",", "、", "，", "،")
"""Separators that also occur within sentences."""
_FURTHER_MARKS = ("/", "+")
"""Separators that also occur within items."""
ABSENT = frozenset({"0", "0.0", "false", "False", "FALSE"})
PRESENT = frozenset({"1", "1.0", "true", "True", "TRUE"})
"""Values that mark an item as present in a 0/1 column."""
NULLS = frozenset({"NULL", "null", "\\N", "NaN", "nan", "<NA>", "NA", "N/A", "None"})
"""Texts that programs write for null."""
SIGNS_OF_NULL = frozenset({"-", "--", "."})
PROBABLE_NULLS = SIGNS_OF_NULL | {
    "k.A.", "k. A.", "k.a.", "kA", "keine Angabe", "n/a", "n.a.", "n. a.", "#N/A", "#NV", "#NULL!",
    "(null)", "(NULL)", "Null",
}  # fmt: skip
"""Texts that people and spreadsheets write for null, but that may also be values."""
MISSING = NULLS | NO_VALUE
"""Texts that certainly mean a missing value."""
_CODE = re.compile(r"[A-Za-z]{1,3}\d[\w.+*!-]*|\d{3}\.\d{1,2}")
_MOST_LOOKED_AT, _FEWEST_SETS = 20_000, 3
_OFTEN = 3
"""Minimum number of cells that share a word of a phrase."""
_FEWEST_WORDS = 5
"""Minimum number of shared words in a column of phrases."""
_SHORTEST_WORD = 3
"""Minimum number of letters of a shared word."""
_STOP_WORDS = frozenset(
    {
        "the", "of", "and", "for", "with", "und", "der", "die", "das", "den", "dem", "des", "von", "vom", "mit", "für",
        "aus", "ohne", "les", "aux", "une", "avec", "pour", "sans", "los", "las", "del", "con", "para", "per", "della",
        "het", "een", "van", "voor",
    }
)  # fmt: skip
_TITLE_WORDS = _STOP_WORDS - {"der", "die", "den", "dem", "des", "von", "vom", "los", "las", "del", "della", "van"}
_ANY_MARK = re.compile(r"\s*[;|,/；؛、，،]\s*|\s+")
_ENDS = (("[", "]"), ("{", "}"))
_PAIRS = ({"yes", "no"}, {"y", "n"}, {"t", "f"}, {"ja", "nein"}, {"j", "n"}, {"x"})
_ABSENT_WORDS = ("no", "n", "f", "nein")
_PRINTED = (("['", "'"), ('["', '"'), ("{'", "'"), ('{"', '"'))


def require_split(
    where: str, labels: Collection[str], separator: str | None, *, baskets: bool = False, one_code: str = ""
) -> None:
    """Reject items that look like several items in one, unless a separator is declared.

    Parameters
    ----------
    where
        Name of the source, for messages.
    labels
        The distinct items.
    separator
        Declared separator of items. None if no separator is declared, and items are separated by blanks.
    baskets
        Whether the format separates items by blanks, so that any other separator must be declared.
    one_code
        Name of a column in which no cell contains several items. Empty for other columns.

    Raises
    ------
    InputError
        The message names the option that would help.
    """
    if any(label.startswith(begin) for label in labels for begin, _ in _PRINTED):
        msg = (
            f"{where}: the cells contain printed lists ([...] with quotes), so brackets and quotes would become part "
            "of "
            "items; write the items with a separator, or pass the lists to anonset.read in Python"
        )
        raise InputError(msg)
    if not baskets and (ends := next((ends for ends in _ENDS if _torn(labels, *ends)), None)) is not None:
        marks = f"{ends[0]} and {ends[1]}"
        msg = f"{where}: the cells are enclosed in {marks}, which would become part of items; remove {marks}"
        raise InputError(msg)
    if not baskets and separator is None and sum(label.casefold() in _STOP_WORDS for label in labels) > 2:
        msg = (
            f"{where}: the cells look like titles or sentences, and each word would become an item; "
            f"if each cell is an item: {setting('one_code')}"
        )
        raise InputError(msg, fixes=[Fix({"separator": " "}, "if each word is an item")])
    if not baskets and separator is None and (list_text := next(filter(_is_printed_list, labels), None)) is not None:
        msg = (
            f"{where}: {datum(list_text)} looks like a list but would become a single item; remove {list_text[0]} and "
            f"{list_text[-1]}"
        )
        raise InputError(msg, fixes=[Fix({"separator": " "}, "if it is an item")])
    mark = (_mark_within(labels) or (None if baskets else mark_of_sets(labels))) if separator is None else None
    if separator is not None and baskets and separator.strip() and any(separator in label for label in labels):
        mark = separator
    if mark is None:
        return
    count = sum(mark in label for label in labels)
    problem = f"{where}: items were split at blanks, but {count:,} of {len(labels):,} items contain {mark!r}"
    way, fixes = _ways_to_split(labels, mark)
    if baskets:
        further = {} if mark in DELIMITERS else {"separator": mark}
        way, fixes = "", [Fix({"input_format": "baskets", **further}, f"if {mark!r} separates items")]
    whole = {"one_code": [one_code]} if one_code else {"separator": " "}
    msg = f"{problem}{way}"
    raise InputError(msg, fixes=[*fixes, Fix(whole, "if not")])


def are_printed_lists(texts: Collection[str]) -> bool:
    """Return True if most texts are lists that a program printed.

    >>> are_printed_lists(['["a", "b"]', "['c']", "d"]), are_printed_lists(["[a]", "b"])
    (True, False)
    """
    return 2 * sum(text.startswith(begin) for text in texts for begin, _ in _PRINTED) > len(texts)


def require_whole(where: str, name: str, labels: Collection[str], separator: str | None = None) -> None:
    """Reject cells that look like sets of items but would be read as a single item.

    Parameters
    ----------
    separator
        Declared separator, which splits no cell. None if no separator is declared.

    Raises
    ------
    InputError
        The message names the option that splits cells, and the option that declares that each cell is one item.
    """
    if (mark := mark_of_sets(labels, *MARKS, " ") or _mark_of_mixed_codes(labels)) is not None:
        some = f"{sum(mark in label for label in labels):,} of {len(labels):,} distinct cells"
        reason = "each cell would be one item" if separator is None else f"{separator!r} separates no items"
        problem = f"{where}: column {name!r}: {reason}, but {some} contain {mark!r}"
        way, fixes = _ways_to_split(labels, mark)
        msg = f"{problem}{way}"
        raise InputError(msg, fixes=[*fixes, Fix({"one_code": [name]}, "if not")])


def _ways_to_split(labels: Collection[str], mark: str) -> tuple[str, list[Fix]]:
    """Return advice, or a setting, for labels that a separator splits into items, and other characters perhaps too."""
    others = other_marks({part.strip() for label in labels for part in label.split(mark)}, mark)
    if others:
        further = " and ".join(map(repr, others))
        return f"; if {mark!r} and {further} separate items: replace {further} by {mark!r} in the file", []
    return "", [Fix({"separator": mark}, f"if {mark!r} separates items")]


def other_marks(items: Collection[str], mark: str) -> list[str]:
    """Return the characters that probably separate further items within the items, which were split at `mark`. Each
    part between these characters is usually also an item of another cell.

    >>> other_marks(["E11", "I10", "E11/I10", "J45,I10", "N/A"], ";"), other_marks(["Wine, red", "Wine, white"], ";")
    (['/'], [])
    """
    others = [other for other in (*MARKS, *_FURTHER_MARKS) if other != mark and _parts_recur(other, items)]
    plain = [item for item in items if not any(other in item for other in others)]  # a blank often follows a comma
    return [*others, " "] if mark != " " and _parts_recur(" ", plain) else others


def _parts_recur(mark: str, items: Collection[str]) -> bool:
    """Return True if at least half of the items that contain a separator consist of parts that recur."""
    parts_of_items = [{part.strip() for part in item.split(mark)} - {""} for item in items if mark in item]
    if not parts_of_items:
        return False
    times = Counter(part for parts in parts_of_items for part in parts)
    times.update(item for item in items if mark not in item)
    n_recurring = sum(all(times[part] > 1 for part in parts) for parts in parts_of_items)
    return 2 * n_recurring >= len(parts_of_items)


def _mark_of_mixed_codes(labels: Collection[str]) -> str | None:
    """Return the most reliable separator in labels that several separators split into codes. None for other labels."""
    some = [_ANY_MARK.sub(MARKS[0], label) for label in sorted(labels)[:_MOST_LOOKED_AT]]
    held = (mark for mark in (*MARKS, "/", " ") if any(mark in label for label in labels))
    return next(held, None) if _hold_codes(some, MARKS[0]) else None


def mark_of_sets(labels: Collection[str], *usual: str) -> str | None:
    """Return the separator (one of `usual`, ``/`` or ``+``) that splits many labels into codes. None if no separator
    does.
    """
    some = sorted(labels)[:_MOST_LOOKED_AT]
    return next((mark for mark in (*usual, *_FURTHER_MARKS) if _are_split(some, mark)), None)


def _are_split(labels: Sequence[str], mark: str) -> bool:
    several = sum(mark in label for label in labels)
    is_usual = 5 * several >= len(labels) and several >= _FEWEST_SETS
    return is_usual and (_hold_codes(labels, mark) or (mark != " " and are_sets(labels, mark, hint=None)))


def _torn(labels: Collection[str], begin: str, end: str) -> bool:
    """Return True if some items begin with one bracket or quote, and others end with its counterpart."""
    opened = (label for label in labels if label.startswith(begin) and not label.endswith(end))
    return any(True for _ in opened) and any(x.endswith(end) and not x.startswith(begin) for x in labels)


def _is_printed_list(label: str) -> bool:
    return "," in label and (label[0] + label[-1]) in ("[]", "{}")


def says_present(labels: Collection[str]) -> dict[str, bool | None]:
    """Return the meaning of each value. True marks an item as present, False marks it as absent, and None is another
    value.

    >>> says_present(["1", "0"]), says_present(["yes", "NO"]), says_present(["x", "y"])
    ({'1': True, '0': False}, {'yes': True, 'NO': False}, {'x': None, 'y': None})
    """
    words = {label.casefold() for label in labels} - {""}
    if any(words <= pair for pair in _PAIRS):
        return {label: None if not label else label.casefold() not in _ABSENT_WORDS for label in labels}
    return {label: True if label in PRESENT else False if label in ABSENT else None for label in labels}


def _mark_within(labels: Collection[str]) -> str | None:
    """Return the probable separator of items. It ends a label, occurs in most labels, or separates parts that are also
    labels.
    """
    for mark in MARKS:
        if any(len(label) > 1 and label.endswith(mark) for label in labels):
            return mark
    # published sets such as (a,b) contain separators
    plain = [label for label in labels if not (label.startswith("(") and label.endswith(")"))]
    return next((mark for mark in MARKS if _separates(mark, plain)), None)


def _separates(mark: str, labels: Collection[str]) -> bool:
    """Return True if most labels contain the separator, or if the parts between separators also occur in other
    labels.
    """
    parts_of_labels = [{part.strip() for part in label.split(mark)} for label in labels if mark in label]
    if 2 * len(parts_of_labels) > len(labels):
        return True
    times = Counter(part for parts in parts_of_labels for part in parts)
    times.update(label for label in labels if mark not in label)
    n_recurring = sum(any(times[part] > 1 for part in parts) for parts in parts_of_labels)
    return 2 * n_recurring >= len(parts_of_labels) > 0


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


def are_phrases(rows: Sequence[Sequence[str]]) -> bool:
    """Return True if words form phrases, such as titles or product names, and not sets of words.

    Phrases contain words such as ``of``, or their first words rarely occur elsewhere (``Whole Milk``, ``Whole Cream``).

    >>> are_phrases([["The", "Lost", "City"], ["House", "of", "Fire"]]), are_phrases([["milk", "rice"], ["rice"]])
    (True, False)
    """
    several = [row for row in rows if len(row) > 1]
    if 20 * sum(any(word.casefold() in _STOP_WORDS for word in row) for row in several) > len(several) > 0:
        return True
    first, later = Counter(row[0] for row in rows if row), Counter(word for row in several for word in row[1:])
    often = [word for word in {*first, *later} if first[word] + later[word] >= _OFTEN]
    return len(often) >= _FEWEST_WORDS and 10 * sum(first[word] > 0 < later[word] for word in often) < 3 * len(often)


def _are_words(rows: Sequence[Sequence[str]]) -> bool:
    items = {item for row in rows if len(row) > 1 for item in row}
    words = sum(len(item) >= _SHORTEST_WORD and item.replace(" ", "").isalpha() for item in items)
    return 2 * words > len(items)


def are_titles(labels: Sequence[str]) -> bool:
    """Return True if labels are titles. Titles contain words that do not occur in names of persons.

    >>> are_titles(["The Lost City", "House of Fire"]), are_titles(["Vincent van Gogh", "Ann Lee"])
    (True, False)
    """
    n_titles = sum(not _TITLE_WORDS.isdisjoint(label.casefold().split()) for label in labels)
    return 20 * n_titles > len(labels)


def require_single(where: str, name: str, labels: Sequence[str]) -> None:
    """Reject a relational column of code sets, because each set would be read as a single value.

    Only the first of many values are examined.

    Raises
    ------
    InputError
        The message names the column, and the options that would help.
    """
    mark = next((mark for mark in (*MARKS, *_FURTHER_MARKS, " ") if _hold_codes(labels[:_MOST_LOOKED_AT], mark)), None)
    if mark is not None:
        split = {"separator": mark} if mark.strip() else {}
        sets = Fix({"items": [name], **split}, "if its cells are sets")
        msg = (
            f"{where}: relational column {name!r} seems to contain sets of codes, and each set would be a single value"
        )
        raise InputError(msg, fixes=[sets, Fix({"drop": [name]}, "otherwise")])


def are_single_values(labels: Sequence[str]) -> bool:
    """Return True if most values have the form of a postcode, an amount of money, or a surname with initials.

    >>> [are_single_values(labels) for labels in (["LS14 5BG", "BD1 1AA"], ["3549 GF"], ["1 453 kr", "90 kr"])]
    [True, True, True]
    >>> are_single_values(["Jansen, P.A.", "de Vries, K."]), are_single_values(["E10 I10", "J45"])
    (True, False)
    """
    return any(_MOST_SINGLE * len(labels) <= sum(map(bool, map(form, labels))) > 0 for form in _SINGLE)


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


def _hold_codes(labels: Sequence[str], mark: str) -> bool:
    """Return True if many values contain several codes, and these codes also occur in other values."""
    if are_single_values(labels):
        return False
    several = [label for label in labels if mark in label]
    if len(several) < _FEWEST_SETS or 5 * len(several) < len(labels):
        return False
    parts = (part.strip() for label in several for part in label.split(mark))
    return all(_CODE.fullmatch(part) for part in parts if part) and are_sets(labels, mark, hint=True)


def require_items(where: str, columns: Iterable[tuple[str, Collection[str]]]) -> None:
    """Reject set-valued columns whose cells mark an item as present or absent, because their column names are the
    items.

    Parameters
    ----------
    columns
        Name and distinct items of each column in which no cell contains several items.

    Raises
    ------
    InputError
        The message names the columns, and the option that would help.
    """
    labels_of = [(name, set(labels)) for name, labels in columns]
    indicators = [name for name, labels in labels_of if labels and labels <= PRESENT | ABSENT]
    if any(labels & ABSENT for name, labels in labels_of if name in indicators):
        columns_text = ", ".join(map(repr, indicators[:5])) + (
            f" and {len(indicators) - 5} more" if len(indicators) > 5 else ""
        )
        msg = f"{where}: {columns_text} contain only 0 and 1, which would become items"
        raise InputError(msg, fixes=[Fix({"one_hot": indicators}, "if each column is an item")])
    marks = [(name, words) for name, labels in labels_of if (words := words_for_marks([*labels])) and all(words)]
    if len(marks) > 1:
        (column, (chosen, other)), *_ = marks
        problem = (
            f"{column!r} and {counted(len(marks) - 1, 'other column')} contain only {typed(chosen)} and {typed(other)}"
        )
        fix = Fix({"one_hot": [name for name, _ in marks], "present": chosen}, "if each column is an item")
        msg = f"{where}: {problem}, which would become items"
        raise InputError(msg, fixes=[fix])
