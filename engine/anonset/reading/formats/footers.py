"""Search for the end of the rows of a text. Rows of separators, sums and notes below the last record are no rows."""

import re

from anonset.reading.sources.dialect import header_fields

_LONGEST_LINE, _LONGEST_FOOTER_LINE = 1 << 16, 1 << 12
_MOST_LINES = 30
_SUM = re.compile(
    r"(grand |sub-?|zwischen|gesamt|end)?(totals?|summe)( g[ée]n[ée]ral| kosten| cost)?|gesamt(ergebnis)?|insgesamt|sum"
    r"|somme|totale|totaal|summa|suma|razem|celkem|toplam|yhteens[äa]|i alt|anzahl|count|average|mean|mittelwert"
    r"|durchschnitt|moyenne",
    re.IGNORECASE,
)
_NOTE = re.compile(
    r"(stand|quelle|source|erstellt|generated|created|export|report|datens|anzahl|number of|records|rows|hinweis|note"
    r"|legende?|fuente|fecha|date d|seite|page|\*|\()",
    re.IGNORECASE,
)
_SUM_WITH_FIGURE = re.compile(
    r"(grand |sub-?|zwischen|gesamt|end)?(totals?|totale|totaal|summe|summa|suma|somme|razem|celkem|toplam|insgesamt)"
    r"[ :][^\d]{0,40}\d[\d.,' ]*[^\d]{0,40}",
    re.IGNORECASE,
)
"""A sum in a single field, such as ``Total visits: 9000`` or ``Totaal: 9000 zaken``."""
_COUNT_OF = re.compile(
    r"(anzahl|number of|count of|n[uú]mero de|nombre de|numero di|aantal|(grand )?total|(gesamt)?summe)"
    r"( [^\W\d_]+){1,3}",
    re.IGNORECASE,
)
_WORDS = re.compile(r"[^\W\d_]{2,}[: ]|[ (][^\W\d_]{2,}|\*")
_WHOLE_WORD = re.compile(r"(?<![\w./-])[^\W\d_]{2,}(?![\w/-])")
_FIGURE = re.compile(r"[-+]?(([€$£]|EUR|CHF|USD|GBP) ?)?\d[\d.,' \u00a0\u202f]*( ?(%|€|EUR|\$))?")
_OF_THINGS = re.compile(r"( ?[^\W\d_]+\.?){1,3}")
_DIGIT = re.compile(r"\d")
_ROWS_OF_KEYS = 10
"""Number of rows for deciding whether the first column contains keys."""
_FEWEST_FIELDS = 4
"""Minimum number of columns of a text in which a row with a single note or count is a footer."""


def is_figure(field: str) -> bool:
    """Return True if a field contains only a number and signs such as a currency."""
    return _FIGURE.fullmatch(field) is not None


def names_a_sum(field: str) -> bool:
    """Return True if a field is a word for a sum, a count or a mean.

    >>> names_a_sum("Grand total:"), names_a_sum("Mean"), names_a_sum("total loss of memory")
    (True, True, False)
    """
    return _SUM.fullmatch(field.strip(" :")) is not None


def end_of_rows(data: bytes, start: int, delimiter: str, fields: int) -> int:
    r"""Return the end of the rows that begin at `start`, excluding trailing rows of separators.

    Files with at most two columns are not shortened, because a row with only a separator may be a record without items.

    >>> end_of_rows(b"a;b;\n;;\nc;d;\n;;\n;;\n", 0, ";", 3)
    13
    """
    end = len(data)
    while fields > 2 and end > start:
        first, stop = last_line(data, end)
        line, mark = data[first:stop], delimiter.encode()
        if line.count(mark) != fields - 1 or line.replace(mark, b"").replace(b'""', b"").strip():
            break
        end = max(first, start)
    return end


def footer_of(data: bytes, start: int, delimiter: str, fields: int, *, keyed: bool = False) -> tuple[int, int]:
    r"""Return the end of the rows that begin at `start`, excluding a footer, and the number of footer lines.

    A footer is a sum, a note, or, if `keyed`, a row of few fields with a word in the key column. A sum is a word such
    as ``Total`` with numbers, or a count of things. A note is a line of text that is not a row. Blank lines and rows of
    separators above and below it are part of the footer.

    >>> footer_of(b"1;x;3\n;;\nSumme;;12,5\nStand: 1. Mai 2024\n", 0, ";", 3)
    (6, 2)
    >>> footer_of(b'1;x;3;4;5\nNumber of visits;;"2,574";;\n', 0, ";", 5)
    (10, 1)
    >>> footer_of(b"1;x;3;4\nSumme;;;\n", 0, ";", 4)
    (8, 1)
    >>> footer_of(b"T1;x;3;4\n;;;\nAs of 30/09/2023;;;\n", 0, ";", 4, keyed=True)
    (9, 1)
    >>> footer_of(b"1;x;3\n2;y\n", 0, ";", 3), footer_of(b'1;x;"a\nNote: b"\n', 0, ";", 3)
    ((10, 0), (16, 0))
    """
    end, lines = end_of_rows(data, start, delimiter, fields), 0
    at = end
    while fields > 1 and at > start and lines < _MOST_LINES:
        first, stop = last_line(data, at)
        if first < start or stop - first > _LONGEST_FOOTER_LINE:
            break
        line = data[first:stop]
        row = [field.strip() for field in header_fields(line.decode("utf-8", "replace"), delimiter)]
        if any(row):
            quoted = data.count(b'"', start, first) % 2 or line.count(b'"') % 2
            if quoted or not (_is_footer(row, fields) or (keyed and _is_below_keys(row, fields))):
                break
            end, lines = first, lines + 1
        elif first == at:
            break
        at = first
    if not lines:
        return end, 0
    stop = start + len(data[start:end].rstrip(b"\r\n"))
    if stop > start:
        stop = min(end, stop + (2 if data[stop : stop + 2] == b"\r\n" else 1))
    return end_of_rows(data[:stop], start, delimiter, fields), lines


def _is_footer(row: list[str], fields: int) -> bool:
    held = [field for field in row if field]
    words = [field for field in held if names_a_sum(field)]
    rest = [field for field in held if field not in words]
    few = len(row) != fields or len(held) <= len(row) // 2
    figures = all(is_figure(field) or (few and _is_counted(field)) for field in rest)
    if len(words) == 1 and figures and (len(held) > 1 or len(row) != fields):
        return True
    if fields >= _FEWEST_FIELDS and 1 < len(held) <= len(row) // 2 and _COUNT_OF.fullmatch(held[0].rstrip(" :")):
        return all(map(is_figure, held[1:]))
    if len(held) == 1 and fields >= _FEWEST_FIELDS and _SUM_WITH_FIGURE.fullmatch(held[0]):
        return True
    if len(row) != fields:
        return (len(held) == 1 or _NOTE.match(held[0]) is not None) and _WORDS.search(held[0]) is not None
    return len(held) == 1 and fields >= _FEWEST_FIELDS and (bool(words) or _NOTE.match(held[0]) is not None)


def _is_counted(field: str) -> bool:
    number = _FIGURE.match(field)
    return number is not None and _OF_THINGS.fullmatch(field[number.end() :]) is not None


def has_keys(data: bytes, start: int, delimiter: str, fields: int) -> bool:
    r"""Return True if the first fields of the first ten rows from `start` all contain a digit.

    >>> has_keys(b"P1;x\n" * 12, 0, ";", 2), has_keys(b"P1;x\nAnn;x\n" * 9, 0, ";", 2), has_keys(b"P1;x\n", 0, ";", 2)
    (True, False, False)
    """
    lines = data[start : start + _LONGEST_LINE].decode("utf-8", "replace").splitlines()
    rows = [row for line in lines[: 2 * _ROWS_OF_KEYS] if len(row := header_fields(line, delimiter)) == fields]
    return len(rows) >= _ROWS_OF_KEYS and all(_DIGIT.search(row[0]) for row in rows[:_ROWS_OF_KEYS])


def _is_below_keys(row: list[str], fields: int) -> bool:
    """Return True if a row with few fields is not a record. Such a row has a sum or note in the key column, or only an
    amount in another column.
    """
    held = [field for field in row if field]
    if len(held) == 1 and not row[0] and fields >= _FEWEST_FIELDS and is_figure(held[0]):
        return True
    if len(held) == 1 and row[0] and fields >= _FEWEST_FIELDS and len(_WHOLE_WORD.findall(row[0])) > 1:
        return True
    if not row[0] or _DIGIT.search(row[0]) or fields < _FEWEST_FIELDS or len(held) > fields // 2:
        return False
    if len(row) != fields or (len(held) == 1 and _WORDS.search(row[0])):
        return True
    return len(held) == 2 and (is_figure(held[1]) or _is_counted(held[1]))


def last_line(data: bytes, end: int) -> tuple[int, int]:
    """Return the start and end of the last line of the first `end` bytes, without the line end."""
    stop = end
    if stop and data[stop - 1] == ord("\n"):
        stop -= 1
    if stop and data[stop - 1] == ord("\r"):
        stop -= 1
    low = max(0, stop - _LONGEST_LINE)
    return max(data.rfind(b"\n", low, stop), data.rfind(b"\r", low, stop)) + 1, stop
