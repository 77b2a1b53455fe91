"""Read CSV and TSV files of any size as batches of rows."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from anonset.data.storage.workers import Workers
from anonset.errors import Fix, InputError
from anonset.reading.batches import (
    HEAD,
    Batch,
    FileProperties,
    OpenedSource,
    SourcePart,
    way_to_link,
    with_keys,
    with_more,
)
from anonset.reading.formats.delimited import DelimitedText
from anonset.reading.formats.edge_lines import EdgeLines, without_rows
from anonset.reading.formats.label_lines import LINES, number_of_records, start_of_last
from anonset.reading.formats.text_chunks import TextRange, head_of, pieces
from anonset.reading.formats.text_ranges import Text, text_parts
from anonset.reading.roles import names_in
from anonset.reading.sources.source import DataFile, Source


def open_delimited(source: Source, properties: FileProperties) -> OpenedSource:
    """Open CSV or TSV files with equal headers.

    Raises
    ------
    InputError
        If the headers differ, or a file has none.
    """
    usual = "\t" if source.format == "tsv" else ","
    heads, edges = list[DelimitedText](), list[EdgeLines]()
    for file in source.files:
        heads.append(_head_of(file, usual, properties))
        if heads[-1].names != heads[0].names:
            msg = f"{file.where}: must have the same columns as {source.files[0].where}, in the same order"
            raise InputError(msg, fixes=way_to_link(source, heads[-1].names, heads[0].names))

    def batches(names: Sequence[str]) -> Iterator[Batch]:
        for file, head, edge in zip(source.files, heads, edges, strict=True):
            yield from _rows(file, head, usual, properties, names, edge)

    def head(names: Sequence[str]) -> Mapping[str, Any]:
        in_header = frozenset(heads[0].names)
        first, in_file = heads[0], [name for name in names if name in in_header]
        if not in_file:
            return {}
        columns = first.head(in_file, HEAD)
        return edges[0].without_labels(columns, 0, len(columns[in_file[0]]))[0]

    edges += [
        EdgeLines.of(file.where, head, properties.dialect) for file, head in zip(source.files, heads, strict=True)
    ]

    def parts(workers: Workers) -> list[SourcePart]:
        dialect = properties.dialect
        if dialect.skip_footer or dialect.skip_labels:  # skipped rows are counted only where all files are read
            return []
        texts = [
            Text(file, ord(head.delimiter), _all_rows(head), head.is_row)
            for file, head in zip(source.files, heads, strict=True)
        ]
        return text_parts(texts, dialect, workers, lambda file, span: _FileBatches(file, usual, properties, span))

    named = not properties.dialect.no_header
    decimal = max(
        head.decimal(names_in(head.names, properties.numeric), properties.null, edge.labels)
        for head, edge in zip(heads, edges, strict=True)
    )
    described: dict[str, Any] = {
        "remedies": heads[0].remedies,
        "decimal": decimal,
        "below": heads[0].below,
        "head": head,
    }
    described["baskets"] = heads[0].of_baskets if heads[0].baskets else {}
    return OpenedSource(source.where, heads[0].names, batches, parts=parts, first_line=named, **described)


def _refuse_repeated_header(file: DataFile, header: bytes, body: bytes, before: int) -> None:
    """Reject a row that is equal to the header. `before` is the number of lines above the body."""
    at = 0 if body.startswith(header) else body.find(b"\n" + header) + 1 or None
    if at is not None:
        line = before + body.count(b"\n", 0, at) + 1
        msg = f"{file.where}: line {line:,} repeats the first line; if it is the header of a joined file, delete it"
        raise InputError(msg, fixes=[Fix({"no_header": True}, "if the first line is a record")])


@dataclass(frozen=True)
class _FileBatches:
    file: DataFile
    usual: str
    properties: FileProperties
    span: TextRange

    def __call__(self, names: Sequence[str]) -> Iterator[Batch]:
        head = _head_of(self.file, self.usual, self.properties)
        edges = EdgeLines.of(self.file.where, head, self.properties.dialect)
        return _rows(self.file, head, self.usual, self.properties, names, edges, self.span)


def _all_rows(head: DelimitedText) -> TextRange:
    return TextRange(head.size, head.size, None, head.lines)


def _head_of(file: DataFile, usual: str, properties: FileProperties) -> DelimitedText:
    data = head_of(file, properties.dialect, HEAD)
    lines = data if len(data) < HEAD else data[: data.rfind(b"\n") + 1] or data
    options: dict[str, Any] = {"separator": properties.separator, "is_complete": lines is data}
    return DelimitedText(file.where, lines, usual, properties.dialect, properties.absent, **options)


def _rows(
    file: DataFile,
    head: DelimitedText,
    usual: str,
    properties: FileProperties,
    names: Sequence[str],
    edges: EdgeLines,
    span: TextRange | None = None,
) -> Iterator[Batch]:
    header, dialect = (
        head.header,
        replace(properties.dialect, delimiter=head.delimiter, encoding=None, no_header=False, header_line=1),
    )
    if properties.dialect.no_header:
        header = f"{head.delimiter.join(head.names)}\n".encode()
    above = 1 if properties.dialect.no_header else head.header_lines
    in_header = frozenset(head.names)
    in_file, pending, recent = [name for name in names if name in in_header], b"", b""
    lines, rows, before, yielded = 0, 0, 0, False
    has_names = (
        not (properties.dialect.no_header or properties.dialect.exact)
        and len(head.names) > 1
        and all(name[:1].isalpha() for name in head.names)
    )

    def loaded(body: bytes) -> tuple[dict[str, Any], int]:
        if has_names:
            _refuse_repeated_header(file, header, body, above + lines)
        options: dict[str, Any] = {"separator": properties.separator, "before": lines, "is_complete": False}
        part = DelimitedText(file.where, header + body, usual, dialect, properties.absent, **options)
        columns = part.load(in_file)
        first = columns[in_file[0]] if in_file else part.load(head.names[:1])[head.names[0]]
        return columns, len(first)

    found = pieces(file, properties.dialect, delimiter=ord(head.delimiter), span=span or _all_rows(head))
    for piece, more in with_more(found):
        lines = piece.lines - above - pending.count(b"\n")
        data = pending + piece.data
        body = data[: head.certain_rows(data)]
        if dialect.skip_footer:  # the last records may be no records
            body = body[: start_of_last(body, LINES)]
        pending = data[len(body) :]  # lines that are rows only if other rows follow
        recent += body
        recent = recent[start_of_last(recent, LINES) :]
        if not (more or dialect.skip_footer) and (span is None or span.stop is None):
            last = above + lines + body.count(b"\n")
            edges.require_records(
                recent, last - recent.count(b"\n") + 1, rows + number_of_records(body, head.delimiter)
            )
        if body or not yielded:
            columns, n = loaded(body)
            columns, labels = edges.without_labels(columns, rows, n)
            yield replace(with_keys(file, before, n - labels, columns, names), labels=labels)
            rows, before, yielded = rows + n, before + n - labels, True
        lines += body.count(b"\n")
    if dialect.skip_footer:
        end, footer, wrong = edges.last_rows(head, pending, rows)
    else:
        end, footer, wrong = head.end_of(pending), head.footer(pending), []
    if footer or end:
        # rejects blank lines, unless a footer follows them
        columns, n = loaded(pending[:end])
        columns, labels = edges.without_labels(columns, rows, n)
        columns, _ = without_rows(columns, n - labels, [row - labels for row in wrong])
        n -= labels + len(wrong)
        yield replace(with_keys(file, before, n, columns, names), labels=labels, footer=footer)
