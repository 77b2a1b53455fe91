"""Read text larger than memory. It is decompressed, converted to UTF-8, and read in pieces that end at record
boundaries.
"""

import codecs
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from anonset.data.redacted_repr import RedactedRepr
from anonset.errors import InputError
from anonset.lazy_arrow import pa
from anonset.reading.sources.dialect import Dialect, encoding_problem, invalid_encoding, mark_and_encoding
from anonset.reading.sources.files import LEAST_READ, compression_of, reading
from anonset.reading.sources.source import DataFile

BYTES_AT_ONCE = 1 << 24
"""Approximate size of a piece in bytes."""
_LONGEST_RECORD = 1 << 26
"""Maximum size of a record in bytes. It bounds memory and time, because each piece is scanned from the start of the
record.
"""
_LONGEST_MARK = 4


@dataclass(frozen=True)
class TextPiece(RedactedRepr):
    """Piece of a text that consists of complete records."""

    data: bytes = field(repr=False)
    lines: int
    """Number of lines of the text before this piece."""


@dataclass(frozen=True)
class TextRange:
    """Range of a text that consists of complete records. Positions are bytes of the decoded text."""

    begin: int = 0
    """Start of the first record."""
    read_from: int = 0
    """Start of the first piece. It is `begin`, or later if pieces are counted from the start of an earlier range."""
    stop: int | None = None
    """End of the range. The last record of the range ends before it. None for the end of the text."""
    lines: int = 0
    """Number of lines of the text before the range."""


ALL_RECORDS = TextRange()
"""All records of a text, from its first line."""


class DecodedText:
    """Decoded text of a file, without byte order mark, in UTF-8.

    UTF-8 is not validated. Any other encoding is checked for plausibility at the end.
    """

    def __init__(self, where: str, stream: Any, dialect: Dialect) -> None:
        self.where = where
        self._stream, self._head = stream, b""
        while len(self._head) < _LONGEST_MARK and (more := bytes(stream.read(LEAST_READ))):
            self._head += more
        mark, encoding = mark_and_encoding(self._head, dialect)
        self.mark = len(mark)
        """Size of the byte order mark in bytes."""
        self._head = self._head[self.mark :]
        self._recoder = None if encoding is None else _Recoder(where, encoding, marked=bool(mark))

    @property
    def is_seekable(self) -> bool:
        """True if the text is stored in UTF-8 and not compressed."""
        return self._recoder is None and bool(self._stream.seekable())

    def seek(self, position: int) -> None:
        """Continue at a byte of a seekable text."""
        self._head = b""
        self._stream.seek(self.mark + position)

    def read(self, size: int) -> bytes:
        """Return about `size` further bytes of the text. Empty at the end of the text."""
        while True:
            raw = self._raw(size)
            if self._recoder is None or (not raw and self._recoder.ended):
                return raw
            if text := self._recoder.recoded(raw):
                return text

    def _raw(self, size: int) -> bytes:
        head, self._head = self._head, b""
        return head or bytes(self._stream.read(size))


class _Recoder:
    def __init__(self, where: str, encoding: str, *, marked: bool) -> None:
        self.where, self.encoding, self.marked = where, encoding, marked
        self.ended = False
        self._decoder = codecs.getincrementaldecoder(encoding)()
        self._as_utf8 = codecs.getincrementaldecoder("utf-8")()
        self._ascii = self._utf8 = True
        self._controls = False
        self._first = True

    def recoded(self, raw: bytes) -> bytes:
        """Return a piece of text in UTF-8. An empty piece marks the end of the text."""
        self.ended = not raw
        text = None
        with suppress(UnicodeError):
            text = self._decoder.decode(raw, final=self.ended)
        if text is None:  # raised outside the except block, because a chained decoding error would contain the bytes
            raise InputError(invalid_encoding(self.where, self.encoding, marked=self.marked))
        self._look(raw, text)
        if self._first and text:
            self._first = False
            text = text.removeprefix("\ufeff")
        return text.encode()

    def _look(self, raw: bytes, text: str) -> None:
        """Collect evidence on the encoding. At the end of the text, reject an encoding that is probably wrong."""
        if self.marked:
            return
        self._ascii = self._ascii and raw.isascii()
        self._controls = self._controls or any("\x80" <= mark <= "\x9f" for mark in set(text))
        if self._utf8:
            try:
                self._as_utf8.decode(raw, final=self.ended)
            except UnicodeError:
                self._utf8 = False
        if self.ended:
            problem = encoding_problem(
                self.where, self.encoding, utf8=self._utf8 and not self._ascii, controls=self._controls
            )
            if problem:
                raise InputError(problem)


@contextmanager
def text_of(file: DataFile, dialect: Dialect) -> Iterator[DecodedText]:
    """Open a file as text, decompressed according to the name.

    Raises
    ------
    InputError
        If the file cannot be read.
    """
    packing = compression_of(file.name)
    with file.opened() as raw:
        if packing is None:
            with reading(file.where):
                text = DecodedText(file.where, raw, dialect)
            yield text
            return
        if not file.size:
            raise InputError(f"{file.where}: not valid {packing}: the file is empty")
        with reading(file.where, f"not valid {packing}"):
            stream = pa.CompressedInputStream(raw, packing)
            text = DecodedText(file.where, stream, dialect)
        yield text


def head_of(file: DataFile, dialect: Dialect, size: int) -> bytes:
    """Return at least `size` first bytes of a text, or the whole text."""
    with text_of(file, dialect) as text:
        return _more(file, text, b"", size)


def pieces(
    file: DataFile, dialect: Dialect, *, delimiter: int = -1, span: TextRange = ALL_RECORDS
) -> Iterator[TextPiece]:
    """Yield the text of a range in pieces of whole records. If there is no text, yield one empty piece.

    Parameters
    ----------
    delimiter
        Delimiter of fields that may be quoted. -1 if every line is a record.

    Raises
    ------
    InputError
        If the text cannot be read, or a record exceeds 64 MiB.
    """
    with text_of(file, dialect) as text:
        skip, lines, yielded = span.begin, span.lines, False
        until = _within(span.read_from + BYTES_AT_ONCE, span.stop)
        if text.is_seekable:
            text.seek(skip)
            data = _more(file, text, b"", until - skip)
        else:
            data = _more(file, text, b"", until)[skip:]
        while True:
            end, ends = last_record_end(data, delimiter)
            if end:
                yield TextPiece(data[:end], lines)
                yielded = True
                data, lines = data[end:], lines + ends
            if until == span.stop:
                return
            if len(data) > _LONGEST_RECORD:
                problem = f"line {lines + 1}: the record exceeds {_LONGEST_RECORD >> 20} MiB"
                msg = f"{file.where}: {problem}; check the line ends{' and the quotes' if delimiter >= 0 else ''}"
                raise InputError(msg, line=lines + 1)
            before, size = len(data), _within(until + BYTES_AT_ONCE, span.stop) - until
            data = _more(file, text, data, before + size)
            until += size
            if len(data) == before:
                break
        if data or not yielded:
            yield TextPiece(data, lines)


def last_record_end(data: bytes, delimiter: int) -> tuple[int, int]:
    """Return the end of the last complete record in a text that begins with a record, and the number of line ends
    before it. See the kernel of the same name. Text without quotes needs no compiled code.
    """
    if delimiter >= 0 and b'"' in data:
        from anonset_kernels.records import text

        end, lines = text.last_record_end(np.frombuffer(data, np.uint8), delimiter)
        return end, lines
    last = len(data) - data.endswith(b"\r")  # it may be the first half of a line end
    end = max(data.rfind(b"\n", 0, last), data.rfind(b"\r", 0, last)) + 1
    return end, line_ends(data, 0, end)


def line_ends(data: bytes, begin: int, end: int) -> int:
    """Return the number of line ends from `begin` to `end`. CR LF counts as one."""
    feeds = data.count(b"\n", begin, end)
    if data.find(b"\r", begin, end) < 0:
        return feeds
    return feeds + data.count(b"\r", begin, end) - data.count(b"\r\n", begin, end)


def _within(size: int, stop: int | None) -> int:
    return size if stop is None else min(size, stop)


def _more(file: DataFile, text: DecodedText, data: bytes, size: int) -> bytes:
    problem = "cannot be read" if compression_of(file.name) is None else f"not valid {compression_of(file.name)}"
    parts, have = [data], len(data)
    with reading(file.where, problem):
        while have < size and (more := text.read(size - have)):
            parts.append(more)
            have += len(more)
    return b"".join(parts)
