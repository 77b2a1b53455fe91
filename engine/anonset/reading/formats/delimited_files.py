"""Read CSV and TSV files of any size as batches of rows."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial

from anonset.arrow import ArrowColumns
from anonset.data.storage.workers import Workers
from anonset.data.table_facts import FOOTERS, LABEL_ROWS
from anonset.errors import Fix, InputError
from anonset.reading.batches import (
    HEAD,
    Batch,
    OpenedSource,
    SourcePart,
    first_rows,
    way_to_link,
    with_keys,
    with_more,
)
from anonset.reading.formats.delimited import DelimitedText
from anonset.reading.formats.edge_lines import EdgeLines, without_rows
from anonset.reading.formats.label_lines import LINES, number_of_records, start_of_last
from anonset.reading.formats.text_chunks import TextRange, head_of, pieces
from anonset.reading.formats.text_ranges import Text, text_parts
from anonset.reading.name_lists import names_in
from anonset.reading.options import ReadOptions
from anonset.reading.sources.dialect import Dialect
from anonset.reading.sources.source import DataFile, Source


def open_delimited(source: Source, options: ReadOptions) -> OpenedSource:
    """Open CSV or TSV files with equal headers.

    Raises
    ------
    InputError
        If the headers differ, or a file has none.
    """
    usual = "\t" if source.format == "tsv" else ","
    files = [_File(file, usual, options) for file in source.files]
    first = files[0].head
    for one in files[1:]:
        if one.head.names != first.names:
            msg = f"{one.file.where}: must have the same columns as {source.files[0].where}, in the same order"
            raise InputError(msg, fixes=way_to_link(source, one.head.names, first.names))

    def batches(names: Sequence[str]) -> Iterator[Batch]:
        for one in files:
            yield from one.batches(names)

    def head(names: Sequence[str]) -> ArrowColumns:
        in_header = frozenset(first.names)
        in_file = [name for name in names if name in in_header]
        if not in_file:
            return {}
        loaded = ((one, one.head.head(in_file, HEAD)) for one in files)
        return first_rows(one.edges.without_labels(rows, 0, len(rows[in_file[0]]))[0] for one, rows in loaded)

    def parts(workers: Workers) -> list[SourcePart]:
        dialect = options.dialect
        if dialect.skip_footer or dialect.skip_labels:  # skipped rows are counted only where all files are read
            return []
        texts = [Text(one.file, ord(one.head.delimiter), one.all_rows, one.head.is_row) for one in files]
        # a worker process reads the head of the file again
        return text_parts(
            texts, dialect, workers, lambda file, span: partial(_File(file, usual, options).batches, span=span)
        )

    numeric = () if options.decimal else options.numeric
    decimal = max(one.head.decimal(names_in(one.head.names, numeric), options.null, one.edges.labels) for one in files)
    return OpenedSource(
        source.where, first.names, batches, parts=parts, head=head, first_line=not options.dialect.no_header,
        remedies=first.remedies, decimal=decimal, misread=first.misread,
    )  # fmt: skip


def _refuse_repeated_header(file: DataFile, header: bytes, body: bytes, before: int) -> None:
    """Reject a row that is equal to the header. `before` is the number of lines above the body."""
    at = 0 if body.startswith(header) else body.find(b"\n" + header) + 1 or None
    if at is not None:
        line = before + body.count(b"\n", 0, at) + 1
        msg = f"{file.where}: line {line:,} repeats the first line; if it is the header of a joined file, delete it"
        raise InputError(msg, fixes=[Fix({"no_header": True}, "if the first line is a record")])


@dataclass(frozen=True)
class _File:
    """Text file, whose head is read when it is first needed."""

    file: DataFile
    usual: str
    options: ReadOptions

    @cached_property
    def head(self) -> DelimitedText:
        data = head_of(self.file, self.options.dialect, HEAD)
        lines = data if len(data) < HEAD else data[: data.rfind(b"\n") + 1] or data
        return self._text(lines, self.options.dialect, is_complete=lines is data)

    @cached_property
    def edges(self) -> EdgeLines:
        return EdgeLines.of(self.file.where, self.head, self.options.dialect, self.options.ids)

    @property
    def all_rows(self) -> TextRange:
        return TextRange(self.head.size, self.head.size, None, self.head.lines)

    @property
    def _above(self) -> int:
        """Number of header lines that `_loaded` reads with each body."""
        return 1 if self.options.dialect.no_header else self.head.header_lines

    @cached_property
    def _has_names(self) -> bool:
        dialect, names = self.options.dialect, self.head.names
        return not (dialect.no_header or dialect.exact) and len(names) > 1 and all(name[:1].isalpha() for name in names)

    def _text(self, data: bytes, dialect: Dialect, *, before: int = 0, is_complete: bool = False) -> DelimitedText:
        return DelimitedText(
            self.file.where, data, self.usual, dialect, self.options.absent,
            separator=self.options.separator, before=before, is_complete=is_complete,
        )  # fmt: skip

    def _loaded(self, body: bytes, lines: int, in_file: Sequence[str]) -> tuple[ArrowColumns, int]:
        """Return columns of rows, and the number of rows. `lines` is the number of lines between the header and the
        rows.
        """
        head, dialect = self.head, self.options.dialect
        header = f"{head.delimiter.join(head.names)}\n".encode() if dialect.no_header else head.header
        if self._has_names:
            _refuse_repeated_header(self.file, header, body, self._above + lines)
        as_read = replace(dialect, delimiter=head.delimiter, encoding=None, no_header=False, header_line=1)
        part = self._text(header + body, as_read, before=lines)
        columns = part.load(in_file)
        first = columns[in_file[0]] if in_file else part.load(head.names[:1])[head.names[0]]
        return columns, len(first)

    def batches(self, names: Sequence[str], span: TextRange | None = None) -> Iterator[Batch]:
        """Yield the rows in a part of the file, or all rows, as batches."""
        file, head, edges, skips_footer = self.file, self.head, self.edges, self.options.dialect.skip_footer
        in_header = frozenset(head.names)
        in_file, pending, recent = [name for name in names if name in in_header], b"", b""
        lines, rows, before, yielded = 0, 0, 0, False
        found = pieces(file, self.options.dialect, delimiter=ord(head.delimiter), span=span or self.all_rows)
        for piece, more in with_more(found):
            lines = piece.lines - self._above - pending.count(b"\n")
            data = pending + piece.data
            body = data[: head.certain_rows(data)]
            if skips_footer:  # the last records may be no records
                body = body[: start_of_last(body, LINES)]
            pending = data[len(body) :]  # lines that are rows only if other rows follow
            recent += body
            recent = recent[start_of_last(recent, LINES) :]
            if not (more or skips_footer) and (span is None or span.stop is None):
                last = self._above + lines + body.count(b"\n")
                edges.require_records(
                    recent, last - recent.count(b"\n") + 1, rows + number_of_records(body, head.delimiter)
                )
            if body or not yielded:
                columns, n = self._loaded(body, lines, in_file)
                columns, labels = edges.without_labels(columns, rows, n)
                yield replace(with_keys(file, before, n - labels, columns, names), changed_rows={LABEL_ROWS: labels})
                rows, before, yielded = rows + n, before + n - labels, True
            lines += body.count(b"\n")
        if skips_footer:
            end, footer, wrong = edges.last_rows(head, pending, rows)
        else:
            end, footer, wrong = head.end_of(pending), head.footer(pending), []
        if footer or end:
            # rejects blank lines, unless a footer follows them
            columns, n = self._loaded(pending[:end], lines, in_file)
            columns, labels = edges.without_labels(columns, rows, n)
            columns, _ = without_rows(columns, n - labels, [row - labels for row in wrong])
            n -= labels + len(wrong)
            yield replace(
                with_keys(file, before, n, columns, names), changed_rows={LABEL_ROWS: labels, FOOTERS: footer}
            )
