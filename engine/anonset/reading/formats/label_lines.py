"""Detect lines that are no records: labels, units and import ids below the header, and totals at the end.

The fields of such a line are not the numbers, dates and codes that the other lines contain in the same columns.
"""

import csv
import io
import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from types import MappingProxyType

from anonset.columns.missing import MISSING, NULLS, PROBABLE_NULLS
from anonset.data.redacted_repr import RedactedRepr
from anonset.reading.formats.footers import is_figure, last_line, names_a_sum
from anonset.reading.sources.dialect import any_field_size

LINES = 10
"""Number of records below the header, and at the end, that are examined."""
SAMPLE = 300
"""Number of records that determine the kinds of the columns."""
_MOST_MISFITS = LINES // 2
"""Maximum number of examined records that are no records. If there are more, the data change within the file."""
_FEWEST_EMPTY = 2
_FEWEST_VALUES, _MOST_OTHERS, _SHARE = 5, 3, 0.95
_IMPORT_ID = re.compile(r"\{ ?\"ImportId\" ?:.*\}", re.DOTALL).fullmatch
_MISSING = frozenset(word.casefold() for word in MISSING | NULLS | PROBABLE_NULLS) | {
    "unknown", "none", "missing", "refused", "pending", "not done", "not measured", "not applicable", "not available",
    "unbekannt", "keine", "fehlt", "nicht bekannt", "inconnu", "desconocido", "sconosciuto", "onbekend", "error",
}  # fmt: skip
_UNIT_WORDS = (
    "year years yr yrs month months week weeks day days hour hours h min minutes sec s jahre jahr monate wochen tage "
    "stunden minuten ans mois jours heures años meses días horas kg g mg µg ug lb lbs cm mm m km in inch ft mmhg bpm "
    "/min 1/min kg/m2 kg/m² mg/dl mmol/l g/dl g/l iu/l u/l ml l °c c % percent eur € usd $ gbp £ chf "
    "integer int bigint smallint number numeric numerical decimal float double real date datetime timestamp time "
    "string text varchar char character boolean bool nominal ordinal categorical continuous zahl datum ganzzahl "
    "yyyy-mm-dd yyyy/mm/dd dd.mm.yyyy dd/mm/yyyy mm/dd/yyyy tt.mm.jjjj jjjj-mm-tt hh:mm hh:mm:ss"
)
_UNITS = frozenset(_UNIT_WORDS.split())
_BRACKETS = re.compile(r"[\[(<].*[\])>]").fullmatch
_WORDS = re.compile(r"[^\W\d_]{3,}")
_NUMBER = re.compile(r"[<>≤≥~]?=? ?[-+]?\d*[.,]?\d+([eE][-+]?\d+)?").fullmatch
_CODE = re.compile(r"[^\s\"{}]*\d[^\s\"{}]*").fullmatch
_LONGEST_DATE = 40
_PARTS_OF_DATE = re.compile(r"[-./:,+\s]+|(?<=\d)[TZ](?=\d|$)")


def _is_date(text: str) -> bool:
    """Return True if a text contains two numbers, and at most three words such as a month and ``AM``."""
    if len(text) > _LONGEST_DATE:
        return False
    parts = [part for part in _PARTS_OF_DATE.split(text) if part]
    numbers = sum(map(str.isdecimal, parts))
    return numbers > 1 and len(parts) - numbers <= 3 and all(p.isdecimal() or p.isalpha() for p in parts)


_KINDS: Mapping[str, Callable[[str], object]] = MappingProxyType(
    {
        "logical": lambda text: text.casefold() in ("true", "false"),
        "number": lambda text: is_figure(text) or _NUMBER(text),
        "date": _is_date,
        "code": _CODE,
    }
)
"""Recognizers of the kinds of fields, in order. Text has no kind."""


@dataclass(frozen=True)
class ColumnKinds(RedactedRepr):
    """Kinds of the columns of a text, derived from its first records."""

    names: Sequence[str]
    """Column names."""
    fields: int
    """Number of fields of a record."""
    kinds: Mapping[int, str]
    """Kind of each column with numbers, dates, codes or logical values, by position."""
    recurring: Mapping[int, Collection[str]] = field(repr=False)
    """Values of these columns that are no single exceptions, by position."""
    always_filled: frozenset[int] = frozenset()
    """Columns, by position, that are filled in all records between the first and the last."""
    values: frozenset[str] = field(default=frozenset(), repr=False)
    """Values of these records. Empty if there are fewer than ten."""

    @classmethod
    def of(cls, names: Sequence[str], fields: int, rows: Sequence[Sequence[str]], *, are_all: bool) -> "ColumnKinds":
        """Determine the kinds of columns.

        Parameters
        ----------
        rows
            First records.
        are_all
            Whether these are all records, so that the last records may be totals.
        """
        inner = rows[LINES : len(rows) - LINES if are_all else len(rows)]
        whole = len(inner) < LINES
        examined = [row for row in (rows if whole else inner) if len(row) == fields]
        kinds, recurring = dict[int, str](), dict[int, Collection[str]]()
        for n in range(len(names)):
            times = Counter(row[n] for row in examined if row[n] and not _is_missing(row[n]))
            if kind := _kind_of(times, whole=whole):
                kinds[n] = kind
                recurring[n] = frozenset(value for value, count in times.items() if count > int(whole))
        if whole:
            return cls(names, fields, kinds, recurring)
        filled = frozenset(n for n in range(len(names)) if all(row[n] for row in examined))
        return cls(names, fields, kinds, recurring, filled, frozenset(value for row in examined for value in row))

    def are_misfits(self, rows: Sequence[Sequence[str]], *, are_last: bool = False) -> list[bool]:
        """Return True for each record that fits the kinds of fewer than half of the columns with kinds that it fills,
        or that contains other words than all records and leaves half of the columns empty that these always fill. At
        the end of a text, a record with a word for a sum that is no value of other records is a total.

        If these are most records, the kinds are not reliable, and the result is False for all of them. At the end of a
        text (`are_last`), codes fit columns of numbers, because sorted codes may begin with numbers.
        """
        found = [self._is_misfit(row, are_last=are_last) for row in rows]
        return found if sum(found) <= min(_MOST_MISFITS, len(rows) - 1) else [False] * len(rows)

    def label_rows(self, rows: Sequence[Sequence[str]]) -> list[int]:
        """Return the positions of the records below the header that are no records.

        Import ids are labels, and so are records above a label that fill no column with a kind, and records directly
        below the header, such as maximum points, that leave some columns empty that are always filled.
        """
        looked_at = rows[:LINES]
        found = {n for n, is_misfit in enumerate(self.are_misfits(looked_at)) if is_misfit}
        found |= {n for n, row in enumerate(looked_at) if any(row) and all(map(_IMPORT_ID, filter(None, row)))}
        leading = (n for n, row in enumerate(looked_at) if n not in found and not self._is_incomplete(row, share=0))
        found |= {*range(next(leading, 0))}
        last = max(found, default=0)
        return sorted(found | {n for n in range(last) if not any(self._filled(looked_at[n]))})

    def _filled(self, row: Sequence[str]) -> list[int]:
        return [n for n in self.kinds if row[n] and not _is_missing(row[n])] if len(row) == self.fields else []

    def _is_incomplete(self, row: Sequence[str], *, share: float = 0.5, are_last: bool = False) -> bool:
        """Return True if a record contains a word that no other record contains, and leaves a share of the columns
        empty that are always filled. In the last records, a word for a sum suffices. With a share of 0, the word is in
        a column of text.
        """
        texts = [value for n, value in enumerate(row) if share or n not in self.kinds]
        words = [value for value in texts if value not in self.values and value.replace(" ", "").isalpha()]
        empty = sum(not row[n] for n in self.always_filled) if len(row) == self.fields else 0
        lacks = empty >= max(_FEWEST_EMPTY, share * len(self.always_filled))
        return self.values != frozenset() and ((lacks and words != []) or (are_last and any(map(names_a_sum, words))))

    def _is_misfit(self, row: Sequence[str], *, are_last: bool) -> bool:
        if len(row) == self.fields and self._is_incomplete(row, are_last=are_last):
            return True
        filled = self._filled(row)
        wrong = [n for n in filled if not (_KINDS[self.kinds[n]](row[n]) or row[n] in self.recurring[n])]
        wrong = [n for n in wrong if not (are_last and _CODE(row[n]))]
        if 2 * len(wrong) <= len(filled):
            return False
        return len({row[n] for n in wrong}) > 1 or any(_describes(row[n], self.names[n]) for n in wrong)


def _is_missing(text: str) -> bool:
    return text.casefold() in _MISSING


def _kind_of(times: Counter[str], *, whole: bool) -> str:
    """Return the kind of nearly all values. Empty if there is none.

    `whole` states that the values include those of lines that may be no records.
    """
    total = sum(times.values())
    for kind, fits in _KINDS.items():
        others = sum(count for value, count in times.items() if not fits(value))
        most = max(min(_MOST_OTHERS, total // 2 - 1), 0) if whole else int((1 - _SHARE) * total)
        if total - others >= _FEWEST_VALUES and others <= most:
            return kind
    return ""


def _describes(text: str, name: str) -> bool:
    """Return True if a field is a unit, a type or a word for a sum, is in brackets, or contains a word of the column
    name.

    >>> [_describes(text, "age_at_visit") for text in ("years", "[a]", "Age of patient", "about 40")]
    [True, True, True, False]
    """
    words = {word.casefold() for word in _WORDS.findall(name.replace("_", " "))}
    own = {word.casefold() for word in _WORDS.findall(text)}
    known = text.casefold() in _UNITS or names_a_sum(text) or _BRACKETS(text) is not None
    return known or not words.isdisjoint(own)


def records_of(data: bytes, delimiter: str, most: int | None = None) -> list[tuple[int, list[str]]]:
    r"""Return the first line (from 1) and the stripped fields of the first records of a text.

    >>> records_of(b'1;"a\nb"\n2; c\n', ";")
    [(1, ['1', 'a\nb']), (3, ['2', 'c'])]
    """
    text = io.StringIO(data.decode("utf-8", "replace"), newline="")
    reader, found, line = csv.reader(text, delimiter=delimiter, skipinitialspace=True), [], 1
    with any_field_size():
        try:
            for row in islice(reader, most):
                found.append((line, [value.strip() for value in row]))
                line = reader.line_num + 1
        except csv.Error:  # reading reports the line
            return found
    return found


def number_of_records(data: bytes, delimiter: str) -> int:
    """Return the number of records of a text, or 20 if there are more."""
    return len(records_of(data, delimiter, 2 * LINES))


def start_of_last(data: bytes, count: int) -> int:
    r"""Return the position of the last `count` records of a text that consists of complete records.

    Return the end of the text if the last 1,000 lines contain fewer records, because a quote is part of a field.

    >>> start_of_last(b'1;a\n2;"b\nb"\n3;c\n', 2), start_of_last(b"1;a\n", 5)
    (4, 0)
    """
    quotes, at, lines = data.count(b'"'), len(data), 0
    while at > 0 and count:
        if lines == _MOST_LINES:
            return len(data)
        first = last_line(data, at)[0]
        quotes -= data.count(b'"', first, at)
        at, lines = first, lines + 1
        count -= quotes % 2 == 0
    return at


_MOST_LINES = 1_000
