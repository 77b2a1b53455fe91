"""Read CSV and TSV files of any size as batches of rows."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from anonset.data.workers import Workers
from anonset.errors import InputError
from anonset.reading.batches import HEAD, Batch, FileProperties, OpenedSource, SourcePart, with_keys
from anonset.reading.formats.delimited import DelimitedText
from anonset.reading.formats.text_chunks import TextRange, head_of, pieces
from anonset.reading.formats.text_ranges import Text, text_parts
from anonset.reading.roles import names_in
from anonset.reading.source import DataFile, Source
from anonset.spelling import setting


def open_delimited(source: Source, properties: FileProperties) -> OpenedSource:
    """Open CSV or TSV files with equal headers.

    Raises
    ------
    InputError
        If the headers differ, or a file has none.
    """
    usual = "\t" if source.format == "tsv" else ","
    heads = []
    for file in source.files:
        heads.append(_head_of(file, usual, properties))
        if heads[-1].names != heads[0].names:
            msg = f"{file.where}: must have the same columns as {source.files[0].where}, in the same order"
            raise InputError(msg)

    def batches(names: Sequence[str]) -> Iterator[Batch]:
        for file, head in zip(source.files, heads, strict=True):
            yield from _rows(file, head, usual, properties, names)

    def head(names: Sequence[str]) -> Mapping[str, Any]:
        in_header = frozenset(heads[0].names)
        first, in_file = heads[0], [name for name in names if name in in_header]
        return first.head(in_file, HEAD) if in_file else {}

    for each in heads:
        each.require_records()

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
    decimal = max(head.decimal(names_in(head.names, properties.numeric), properties.null) for head in heads)
    described: dict[str, Any] = {"hint": heads[0].hint, "decimal": decimal, "below": heads[0].below, "head": head}
    described["baskets"] = heads[0].of_baskets if heads[0].baskets else {}
    return OpenedSource(source.where, heads[0].names, batches, parts=parts, first_line=named, **described)


def _refuse_repeated_header(file: DataFile, header: bytes, body: bytes, before: int) -> None:
    """Reject a row that is equal to the header. `before` is the number of lines above the body."""
    at = 0 if body.startswith(header) else body.find(b"\n" + header) + 1 or None
    if at is not None:
        line = before + body.count(b"\n", 0, at) + 1
        msg = (
            f"{file.where}: line {line:,} repeats the first line; if it is the header of a joined file, delete it; "
            f"if the first line is a record: {setting('no_header', True)}"
        )
        raise InputError(msg)


@dataclass(frozen=True)
class _FileBatches:
    file: DataFile
    usual: str
    properties: FileProperties
    span: TextRange

    def __call__(self, names: Sequence[str]) -> Iterator[Batch]:
        head = _head_of(self.file, self.usual, self.properties)
        return _rows(self.file, head, self.usual, self.properties, names, self.span)


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
    in_file, before, pending = [name for name in names if name in in_header], 0, b""
    lines, yielded = 0, False
    has_names = (
        not (properties.dialect.no_header or properties.dialect.exact)
        and len(head.names) > 1
        and all(name[:1].isalpha() for name in head.names)
    )

    def loaded(body: bytes) -> DelimitedText:
        return DelimitedText(
            file.where,
            header + body,
            usual,
            dialect,
            properties.absent,
            separator=properties.separator,
            before=lines,
            is_complete=False,
        )

    for piece in pieces(file, properties.dialect, delimiter=ord(head.delimiter), span=span or _all_rows(head)):
        lines = piece.lines - above - pending.count(b"\n")
        data = pending + piece.data
        body = data[: head.certain_rows(data)]
        pending = data[len(body) :]  # lines that are rows only if other rows follow
        if body or not yielded:
            if has_names:
                _refuse_repeated_header(file, header, body, above + lines)
            part = loaded(body)
            columns = part.load(in_file)
            n = len(columns[in_file[0]]) if in_file else len(part.load(head.names[:1])[head.names[0]])
            labels = int(properties.dialect.skip_labels and not yielded)
            yield replace(with_keys(file, before, n, columns, names), labels=labels)
            before, yielded = before + n, True
        lines += body.count(b"\n")
    footer = head.footer(pending)
    if footer or head.end_of(pending):
        # rejects blank lines, unless a footer follows them
        checked = loaded(pending[: head.end_of(pending)]).load(in_file)
        yield replace(with_keys(file, before, 0, checked, names), footer=footer)
