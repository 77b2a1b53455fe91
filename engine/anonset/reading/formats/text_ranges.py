"""Divide a large text into ranges of whole records, which tasks read independently.

A quoted field may contain line ends, so only the text before a line end shows whether a record ends there. Tasks scan
all sections of the text, each under two assumptions: its first line begins a record, or is within quotes. In the order
of the sections, the results show which assumption is right.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from anonset.data.redacted_repr import RedactedRepr
from anonset.data.workers import Workers
from anonset.reading.dialect import Dialect
from anonset.reading.files import reading
from anonset.reading.formats.text_chunks import BYTES_AT_ONCE, TextRange, text_of
from anonset.reading.source import DataFile

SECTION = 4 * BYTES_AT_ONCE
"""Size of a section in bytes: a whole number of pieces, so that errors are found in the same pieces as in one range."""
_LONGEST_LINE = 1 << 20


@dataclass(frozen=True)
class SectionEnd:
    """Last end of a record in a section, under one assumption about its first line."""

    end: int
    """Number of bytes of the text before the end. 0 if no record ends in the section."""
    lines: int
    """Number of line ends between the first line of the section and the end."""
    quoted: bool
    """Whether the first line of the next section is within quotes."""


@dataclass(frozen=True)
class ScannedSection:
    """Ends of a section under both assumptions."""

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
    """Delimiter of fields that may be quoted; -1: every line is a record."""
    first: int
    """Start of the first section, where a record begins."""

    def __call__(self, section: tuple[int, int]) -> ScannedSection | None:
        """Return the ends of a section, given its start and stop in bytes of the text. None if a line is too long."""
        begin, stop = section
        with self.file.opened() as raw, reading(self.file.where):
            raw.seek(self.mark + begin)
            data = bytes(raw.read(stop - begin + _LONGEST_LINE))
        line = 0 if begin == self.first else data.find(b"\n") + 1
        following = data.find(b"\n", stop - begin) + 1
        if (not line and begin != self.first) or line >= stop - begin or not following:
            return None
        at_record = self._end(data[line:following], begin + line, stop - begin - line)
        within = SectionEnd(0, 0, quoted=True)
        if data.find(b'"', line, following) >= 0:
            within = self._end(b'"' + data[line:following], begin + line - 1, stop - begin - line + 1)
        lines = sum(data.count(mark, line, following) * n for mark, n in _LINE_ENDS)
        return ScannedSection(at_record, within, lines)

    def _end(self, text: bytes, begin: int, limit: int) -> SectionEnd:
        """Return the end of the last record in the first `limit` bytes; `begin` is their place in the whole text."""
        from anonset_kernels.text import last_record_end

        data = np.frombuffer(text, np.uint8)
        end, lines = last_record_end(data[:limit], self.delimiter)
        quoted = end + last_record_end(data[end:], self.delimiter)[0] < len(data)
        return SectionEnd(begin + end if end else 0, lines, quoted)


_LINE_ENDS = ((b"\n", 1), (b"\r", 1), (b"\r\n", -1))
"""Line ends, and how often each occurrence counts."""


def ranges_of(
    file: DataFile,
    dialect: Dialect,
    delimiter: int,
    start: TextRange,
    workers: Workers,
    is_row: Callable[[bytes], bool] = lambda _: True,
) -> list[TextRange]:
    """Divide a text into ranges. Only a text in UTF-8, not compressed, of several sections has several ranges.

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
    """Return the last line of a text before `end`, with its line end; without its first part if it is too long."""
    begin = max(0, end - _LONGEST_LINE)
    with file.opened() as raw, reading(file.where):
        raw.seek(mark + begin)
        data = bytes(raw.read(end - begin))
    stop = len(data) - (2 if data.endswith(b"\r\n") else 1)
    return data[max(data.rfind(b"\n", 0, stop), data.rfind(b"\r", 0, stop)) + 1 :]
