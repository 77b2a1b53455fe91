"""Divide a large text into ranges of complete records, which tasks read independently.

A quoted field may contain line ends, so only the text before a line end shows whether a record ends there. Tasks scan
the sections of the text. Each section is scanned under two assumptions: its first line begins a record, or its first
line is within quotes. The result of the previous section shows which assumption is right.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from anonset.data.redacted_repr import RedactedRepr
from anonset.data.storage.workers import Workers
from anonset.reading.batches import Batch, SourcePart
from anonset.reading.formats.text_chunks import (
    ALL_RECORDS,
    BYTES_AT_ONCE,
    TextRange,
    last_record_end,
    line_ends,
    text_of,
)
from anonset.reading.sources.dialect import Dialect
from anonset.reading.sources.files import compression_of, reading
from anonset.reading.sources.source import DataFile, can_access

SECTION = 4 * BYTES_AT_ONCE
"""Size of a section in bytes. It is a whole number of pieces, so that errors are found in the same pieces as in one
range.
"""
_LONGEST_LINE = 1 << 20
_NEAR = 1 << 16
"""Number of bytes before the end of a section that are scanned first. The end of the last record rarely depends on
whether the first line of the section is within quotes.
"""

_MOST_OF_PART, _MOST_COMPRESSED = 1 << 29, 1 << 26
"""Maximum size of an undivided file that a task reads, in bytes. The encoded rows of the file are in memory."""
_SMALLER = 8
"""Assumed ratio of the size of a text to its compressed size."""


@dataclass(frozen=True)
class Text:
    """Text file that can be divided."""

    file: DataFile
    delimiter: int = -1
    """Delimiter of fields that may be quoted. -1 if every line is a record."""
    records: TextRange = ALL_RECORDS
    """Range of all records."""
    is_row: Callable[[bytes], bool] = lambda _: True
    """Returns True if a line is certainly the end of a record, so that the next range begins with another record."""


def text_parts(
    texts: Sequence[Text],
    dialect: Dialect,
    workers: Workers,
    batches_of: Callable[[DataFile, TextRange], Callable[[Sequence[str]], Iterator[Batch]]],
) -> list[SourcePart]:
    """Return the parts of texts. There are no parts if workers cannot access the files, or if a file is large and
    cannot be divided.
    """
    if not can_access([text.file for text in texts], workers):
        return []
    found = list[SourcePart]()
    for text in texts:
        file, first, is_compressed = text.file, text.records, compression_of(text.file.name) is not None
        ranges = ranges_of(file, dialect, text.delimiter, first, workers, text.is_row)
        if ranges == [first] and file.size > (_MOST_COMPRESSED if is_compressed else _MOST_OF_PART):
            return []
        for span in ranges:
            size = (span.stop or file.size * (_SMALLER if is_compressed else 1)) - span.begin
            before = 0 if span.begin == first.begin else None
            found.append(SourcePart(file.path, None, batches_of(file, span), before, size))
    return found


@dataclass(frozen=True)
class SectionEnd:
    """End of the last record that ends in a section, under one assumption about the first line of the section."""

    end: int
    """Position after the last byte of the record in the text. 0 if no record ends in the section."""
    lines: int
    """Number of line ends between the first line of the section and the end of the record."""
    quoted: bool
    """Whether the first line of the next section is within quotes."""


@dataclass(frozen=True)
class ScannedSection:
    """Ends of the last record in a section, under both assumptions about the first line of the section."""

    at_record: SectionEnd
    within_quotes: SectionEnd
    lines: int
    """Number of line ends between the first lines of this section and of the next section."""


@dataclass(frozen=True)
class SectionTask(RedactedRepr):
    """Task that scans a section of a text in UTF-8."""

    file: DataFile
    mark: int
    """Size of the byte order mark in bytes."""
    delimiter: int
    """Delimiter of fields that may be quoted. -1 if every line is a record."""
    first: int
    """Start of the first section, where a record begins."""

    def __call__(self, section: tuple[int, int]) -> ScannedSection | None:
        """Scan a section, given its start and stop in bytes of the text. Return None if a line is too long."""
        begin, stop = section
        with self.file.opened() as raw, reading(self.file.where):
            raw.seek(self.mark + begin)
            data = bytes(raw.read(stop - begin + _LONGEST_LINE))
        line = 0 if begin == self.first else data.find(b"\n") + 1
        following = data.find(b"\n", stop - begin) + 1
        if (not line and begin != self.first) or line >= stop - begin or not following:
            return None
        near = max(line, data.rfind(b"\n", line, max(line, stop - begin - _NEAR)) + 1)
        data = data[:following]
        at_record, within = (self._end(data, near, stop - begin, quoted) for quoted in (False, True))
        # equal results do not depend on the assumption about the first line
        if at_record != within or not at_record[0]:
            if data.find(b'"', line, following) < 0:
                within = 0, True
            else:
                at_record, within = (self._end(data, line, stop - begin, quoted) for quoted in (False, True))
        lines = line_ends(data, line, len(data))
        found = [
            SectionEnd(begin + end if end else 0, lines - line_ends(data, end, len(data)) if end else 0, is_open)
            for end, is_open in (at_record, within)
        ]
        return ScannedSection(found[0], found[1], lines)

    def _end(self, data: bytes, line: int, limit: int, quoted: bool) -> tuple[int, bool]:
        """Return the end of the last record before `limit` (0 if there is none), and True if the data end within
        quotes. `quoted` states whether the line at `line` begins within quotes.
        """
        opened = b'"' if quoted else b""
        text, before = opened + data[line:], line - len(opened)
        end, _ = last_record_end(text[: limit - before], self.delimiter)
        is_open = end + last_record_end(text[end:], self.delimiter)[0] < len(text)
        return before + end if end else 0, is_open


def ranges_of(
    file: DataFile,
    dialect: Dialect,
    delimiter: int,
    start: TextRange,
    workers: Workers,
    is_row: Callable[[bytes], bool] = lambda _: True,
) -> list[TextRange]:
    """Divide a text into ranges. A text that is compressed, not in UTF-8, or smaller than two sections has a single
    range.

    Parameters
    ----------
    start
        Range of all records.
    is_row
        Returns True if a line is certainly the end of a record, so that the next range begins with another record.
    """
    with text_of(file, dialect) as text:
        mark, size = text.mark, file.size - text.mark
        if not text.is_seekable:
            return [start]
    sections = [(begin, begin + SECTION) for begin in range(start.begin, size - SECTION, SECTION)]
    ranges, lines, quoted = [start], start.lines, False
    task = SectionTask(file, mark, delimiter, start.begin)
    for (_, stop), scanned in zip(sections, workers.map(task, sections), strict=True):
        if scanned is None:
            return [start]
        found = scanned.within_quotes if quoted else scanned.at_record
        if found.end and is_row(_last_line(file, mark, found.end)):
            ranges[-1] = replace(ranges[-1], stop=stop)
            ranges.append(TextRange(found.end, stop, None, lines + found.lines))
        lines, quoted = lines + scanned.lines, found.quoted
    return ranges


def _last_line(file: DataFile, mark: int, end: int) -> bytes:
    """Return the last line of a text before `end`, with its line end. Omit the beginning of a long line."""
    begin = max(0, end - _LONGEST_LINE)
    with file.opened() as raw, reading(file.where):
        raw.seek(mark + begin)
        data = bytes(raw.read(end - begin))
    stop = len(data) - (2 if data.endswith(b"\r\n") else 1)
    return data[max(data.rfind(b"\n", 0, stop), data.rfind(b"\r", 0, stop)) + 1 :]
