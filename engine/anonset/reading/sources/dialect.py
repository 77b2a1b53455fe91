"""Dialect of a text: encoding and delimiter."""

import codecs
import csv
import io
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, fields
from itertools import islice

from anonset.errors import Fix, InputError, Problem
from anonset.spelling import setting

DELIMITERS = (",", ";", "\t", "|")
"""Delimiters that are detected. The first delimiter is the default."""
_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_WINDOWS = re.compile(r"\\x[89]")  # letters and quotes in Windows-1252, but control characters in Latin-1
_EURO = b"\xa4"  # the euro sign in ISO 8859-15, but a rare character in Latin-1
_CONTROLS = re.compile("[\x80-\x9f]")
_BEYOND_ASCII = re.compile(rb"[^\r\n]*[\x80-\xff][^\r\n]*")
LINE_END = re.compile(rb"\r\n|\n|\r")
_PLAIN_LINE = re.compile(r'[^"\r\n]{1,10000}').fullmatch  # below the limit of Python's reader for a field
_SPELLED = {"\\t": "\t", "tab": "\t"}
NAMES_OF_LOG = "#Fields: "
"""Text before the column names in a log of a web server (W3C extended log file format)."""

Missing = Callable[[Sequence[str]], Collection[str]]
"""Function that takes column names and returns the declared columns that are not among them."""


@dataclass(frozen=True)
class Dialect:
    """Declared dialect of a text. Properties that are None are detected."""

    delimiter: str | None = None
    """Character between fields."""
    encoding: str | None = None
    """Encoding of a text without a byte order mark. None for UTF-8."""
    exact: bool = False
    """True if anonset wrote the text, in UTF-8 and with commas. Blanks are then significant."""
    no_header: bool = False
    """True if the first line is a row. The columns are then called 1, 2, ..."""
    header_line: int = 1
    """Number of the header line, from 1. Lines above it are skipped."""
    skip_rows: tuple[str, ...] = ()
    """Kinds of rows that are skipped."""

    @property
    def skip_footer(self) -> bool:
        """True if sums and notes below the last record are skipped."""
        return "footer" in self.skip_rows

    @property
    def ends_with_records(self) -> bool:
        """True if the last lines are records, even if they look like sums or notes."""
        return "no-other" in self.skip_rows and not self.skip_footer

    @property
    def skip_labels(self) -> bool:
        """True if the lines below the header are skipped that contain labels or units of the columns."""
        return "labels" in self.skip_rows

    @classmethod
    def of(
        cls,
        delimiter: str | None,
        encoding: str | None,
        no_header: bool = False,
        header_line: int = 1,
        skip_rows: Collection[str] = (),
    ) -> "Dialect":
        """Return a validated dialect.

        Raises
        ------
        InputError
            If the delimiter, the encoding or the line number cannot be used.
        """
        if delimiter is not None:
            delimiter = _SPELLED.get(delimiter, delimiter)
            if len(delimiter) != 1 or not delimiter.isascii() or delimiter in '"\r\n\0':
                raise InputError(
                    f"{setting('delimiter')} must be a single character such as ';' or tab, not a quote, got "
                    f"{delimiter!r}"
                )
        if encoding is not None:
            try:
                "a".encode(encoding).decode(encoding)
            except (LookupError, UnicodeError, ValueError):
                msg = f"{setting('encoding')} must be a Python codec name, such as latin-1, got {encoding!r}"
                raise InputError(msg) from None
        if isinstance(header_line, bool) or not isinstance(header_line, int) or header_line < 1:
            raise InputError(f"{setting('header_line')} must be a line number, 1 or more, got {header_line!r}")
        if "labels" in skip_rows and no_header:
            msg = f"{setting('skip_rows', 'labels')} skips lines below the header; remove {setting('no_header', True)}"
            raise InputError(msg)
        return cls(delimiter, encoding, False, no_header, header_line, tuple(skip_rows))


RECOGNISED = Dialect()
"""Dialect without declarations. All properties are detected."""
EXACT = Dialect(",", None, exact=True)
"""Dialect that anonset writes."""
DIALECT_OPTIONS = tuple(option.name for option in fields(Dialect) if option.name != "exact")
"""Reading options that declare a dialect."""


def in_utf8(where: object, data: bytes, dialect: Dialect) -> bytes:
    """Return a text as UTF-8 without a byte order mark. Text in UTF-8 is returned unchecked.

    Raises
    ------
    InputError
        If the text is invalid in the encoding of its byte order mark, or of the dialect.
    """
    mark, encoding = mark_and_encoding(data, dialect)
    if encoding is None:
        return data[len(mark) :] if mark else data
    text = None
    with suppress(UnicodeError):
        text = data[len(mark) :].decode(encoding)
    if text is None:  # raised outside the except block, because a chained decoding error would contain the bytes
        raise InputError(invalid_encoding(where, encoding, marked=bool(mark)))
    if not mark:
        utf8 = False
        with suppress(UnicodeError):
            data.decode()
            utf8 = not data.isascii()
        if problem := encoding_problem(where, encoding, utf8=utf8, controls=_CONTROLS.search(text) is not None):
            raise InputError(problem)
    return text.removeprefix("\ufeff").encode()


def mark_and_encoding(data: bytes, dialect: Dialect) -> tuple[bytes, str | None]:
    """Return the byte order mark of a text, and its encoding. None for UTF-8."""
    mark, encoding = next(((mark, name) for mark, name in _BOMS if data.startswith(mark)), (b"", dialect.encoding))
    return mark, None if encoding is None or codecs.lookup(encoding).name == "utf-8" else encoding


def invalid_encoding(where: object, encoding: str, *, marked: bool) -> Problem:
    """Return the problem of a text that is not valid in its encoding. `marked` states that a byte order mark declares
    the encoding.
    """
    remedy = ", although the byte order mark says so" if marked else f"; use {setting('encoding')}"
    return Problem(f"{where}: the text is not valid {encoding}{remedy}")


def encoding_problem(where: object, encoding: str, *, utf8: bool, controls: bool) -> Problem | None:
    """Return the reason why an encoding is probably wrong, so that it would change letters, or None if the encoding is
    plausible.

    Parameters
    ----------
    utf8
        Whether the text is also valid UTF-8, but not ASCII.
    controls
        Whether the text contains control characters.
    """
    if utf8 and not codecs.lookup(encoding).name.startswith("utf"):
        problem = f"{where}: the text is UTF-8; {encoding} would change its characters"
        return Problem(problem, [Fix({"encoding": "utf-8"})])
    problem = f"{where}: read as {encoding}, the text contains control characters"
    return Problem(problem, [Fix({"encoding": "cp1252"})]) if controls else None


def numbered(fields: Sequence[str]) -> list[str]:
    """Return names for columns without a header.

    >>> numbered(["1961-03-02", "47677"])
    ['1', '2']
    """
    return [str(number) for number, _ in enumerate(fields, 1)]


def invalid_utf8(where: object, data: bytes, lines: int) -> Problem:
    """Return the problem of a text that is not UTF-8.

    Parameters
    ----------
    where
        Name of the text, or an empty text.
    lines
        Number of lines before `data`.
    """
    where = f"{where}: " if where else ""
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = lines + data.count(b"\n", 0, error.start) + 1
        column = error.start - data.rfind(b"\n", 0, error.start)
        place = f"{where}line {line}, column {column} (in bytes): the text is not valid UTF-8"
        return Problem(place, [in_another_encoding(data)])
    return Problem(f"{where}the text is not valid UTF-8")


def utf8_text(where: object, data: bytes, lines: int) -> str:
    """Return a text in UTF-8. `invalid_utf8` documents the parameters.

    Raises
    ------
    InputError
        If the text is not UTF-8.
    """
    with suppress(UnicodeError):
        return data.decode()
    raise InputError(invalid_utf8(where, data, lines))  # a chained decoding error would contain the bytes


def in_another_encoding(data: bytes) -> Fix:
    """Return the remedy for a text that is not UTF-8."""
    return Fix({"encoding": probable_encoding(data)}, "if it is in another encoding, name it")


def probable_encoding(data: bytes) -> str:
    """Return the probable encoding of a text that is not UTF-8.

    The result is a western encoding, unless another encoding turns the first lines with non-ASCII letters into a text
    in one of its languages.
    """
    windows = _WINDOWS.search(data.decode("utf-8", "backslashreplace")) is not None
    western = "cp1252" if windows else "iso-8859-15" if _EURO in data else "latin-1"
    lines = islice((found[0] for found in _BEYOND_ASCII.finditer(data)), _LINES_OF_LANGUAGE)
    return _encoding_of_language(b"\n".join(dict.fromkeys(lines))) or western


def _encoding_of_language(text: bytes) -> str:
    """Return the non-western encoding whose language the text resembles most. Empty if the text resembles no
    language.
    """
    from charset_normalizer import CharsetMatch, from_bytes  # used only for texts that are not UTF-8
    from charset_normalizer.constant import FREQUENCIES

    def evidence(match: CharsetMatch) -> tuple[float, float, bool]:
        signs = [sign for sign in str(match).lower() if not sign.isascii()]
        letters = max(sum(sign in alphabet for sign in signs) for alphabet in FREQUENCIES.values())
        share = letters / len(signs) if len(signs) >= _FEWEST_SIGNS else 0.0
        return share, match.coherence, match.encoding == _WESTERN

    matches = list(from_bytes(_SIGN.sub(b"", text), cp_isolation=[_WESTERN, *_OF_LANGUAGES]))
    least = min((match.chaos for match in matches), default=0.0)
    clean = [match for match in matches if match.chaos <= least + _AS_CLEAN and not _mixes_scripts(str(match))]
    best = max(clean, key=evidence, default=None)
    if best is None or not any(evidence(best)[:2]) or str(best) == best.raw.decode(_WESTERN, "replace"):
        return ""
    return best.encoding if best.encoding != _WESTERN else ""


def _mixes_scripts(text: str) -> bool:
    """Return True if most words with letters of another script than Latin also have ASCII letters.

    >>> _mixes_scripts("Correo electrуnico"), _mixes_scripts("фамилия, имя, ICD"), _mixes_scripts("prénom")
    (True, False, False)
    """
    words = [word for word in set(_WORD.findall(text)) if max(word) > _LAST_LATIN]
    return 2 * sum(any(map(str.isascii, word)) for word in words) > len(words)


_LAST_LATIN = "\u024f"
_WORD = re.compile(r"[^\W\d_]+")
_SIGN = re.compile(rb"(?<![A-Za-z\x80-\xff])[\x80-\xff](?![A-Za-z\x80-\xff])")  # a currency sign is no letter
_WESTERN = "cp1252"
_OF_LANGUAGES = (
    "cp1250", "cp1254", "cp1251", "koi8_r", "cp1253", "cp1255", "cp1256", "cp1257", "cp932", "euc_jp",
    "gb18030", "big5", "cp949",
)  # fmt: skip
_LINES_OF_LANGUAGE, _FEWEST_SIGNS, _AS_CLEAN = 1_000, 5, 0.03


def header_fields(line: str, delimiter: str) -> list[str]:
    r"""Return the stripped names of a header line. The list is empty if the line is not valid CSV.

    As in rows, a quote may follow blanks.

    >>> header_fields('"id"\t "a,"\t "b,"', "\t")
    ['id', 'a,', 'b,']
    """
    line = line.removeprefix(NAMES_OF_LOG)
    if delimiter != " " and _PLAIN_LINE(line):  # Python's reader takes three times as long
        return [name.strip() for name in line.split(delimiter)]
    try:
        row = next(csv.reader(io.StringIO(line, newline=""), delimiter=delimiter, skipinitialspace=True), [])
        return [name.strip() for name in row]
    except csv.Error:
        return []


def delimiter_of(header: str, usual: str, absent: Missing, separator: str | None, data: bytes) -> str:
    """Return the delimiter that splits a header into the declared columns. If several delimiters do so, return `usual`.

    If no delimiter does so, return the delimiter with the fewest missing columns. If several delimiters miss equally
    few columns, return the delimiter with the most columns, and one that separates no items if there is one.

    Parameters
    ----------
    header
        The first line of a text.
    usual
        The delimiter that the format name implies.
    absent
        Function that takes column names and returns the declared columns that are not among them.
    separator
        Separator of items within a field, or ``COLUMN=SEPARATOR``. A file with one column does not use it as the
        delimiter.
    data
        The whole text.
    """
    order = [usual, *(mark for mark in DELIMITERS if mark != usual)]
    names_by_mark, declared = (
        {mark: header_fields(header, mark) for mark in order},
        f"={separator} ".replace("\\t", "\t"),
    )
    of_items = {mark for mark in order if f"={mark} " in declared}
    if usual in of_items and all(len(names) <= 1 for names in names_by_mark.values()):
        others = [mark for mark in order if mark not in of_items] or order
        return next((mark for mark in others if mark.encode() not in data), others[0])

    def key(mark: str) -> tuple[int, bool, int, int]:
        names = names_by_mark[mark]
        return len(absent(names)), mark in of_items, -len(names), order.index(mark)

    return min(order, key=key)


def lines_above(where: str, data: bytes, line: int, separator_end: int) -> tuple[int, int]:
    """Return the size in bytes and the number of lines above the header.

    `separator_end` is the size of a line ``sep=;``.

    Raises
    ------
    InputError
        If the text has no line with this number.
    """
    lines = 1 if separator_end else 0
    end = separator_end
    if line > lines + 1:
        end = next((line_end.end() for line_end in islice(LINE_END.finditer(data), line - 2, None)), len(data))
        if end == len(data):
            raise InputError(f"{where}: {setting('header_line', line)}: the file is shorter")
        lines = line - 1
    return end + (len(NAMES_OF_LOG) if data.startswith(NAMES_OF_LOG.encode(), end) else 0), lines


def other_delimiter(header: str, absent: Missing) -> list[Fix]:
    """Return the remedy for a header that an unusual delimiter splits into the declared columns. Empty for others."""
    for mark in dict.fromkeys(header):
        if mark.isascii() and not mark.isalnum() and mark not in '"_\r\n' and mark not in DELIMITERS:
            names = header_fields(header, mark)
            if len(names) > 1 and not absent(names):
                return [Fix({"delimiter": mark}, f"if {mark!r} separates the fields")]
    return []


@contextmanager
def any_field_size() -> Iterator[None]:
    """Let Python's CSV reader accept fields of any size within the block. Its default limit is 131,072."""
    before = csv.field_size_limit((1 << 31) - 1)
    try:
        yield
    finally:
        csv.field_size_limit(before)
