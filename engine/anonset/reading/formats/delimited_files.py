"""Read CSV and TSV files of any size as batches of rows."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from anonset.errors import InputError
from anonset.reading.batches import HEAD, Batch, FileProperties, OpenedSource, with_keys
from anonset.reading.formats.delimited import DelimitedText
from anonset.reading.formats.text_chunks import head_of, pieces
from anonset.reading.source import DataFile, Source


def open_delimited(source: Source, how: FileProperties) -> OpenedSource:
    """Open CSV or TSV files with equal headers.

    Raises
    ------
    InputError
        If the headers differ, or a file has none.
    """
    usual = "\t" if source.format == "tsv" else ","
    heads = []
    for file in source.files:
        data = head_of(file, how.dialect, HEAD)
        whole = data if len(data) < HEAD else data[: data.rfind(b"\n") + 1] or data
        heads.append(
            DelimitedText(
                file.where, whole, usual, how.dialect, how.absent, separator=how.separator, whole=whole is data
            )
        )
        if heads[-1].names != heads[0].names:
            msg = f"{file.where}: must have the same columns as {source.files[0].where}, in the same order"
            raise InputError(msg)

    def batches(names: Sequence[str]) -> Iterator[Batch]:
        for file, head in zip(source.files, heads, strict=True):
            yield from _rows(file, head, usual, how, names)

    def head(names: Sequence[str]) -> Mapping[str, Any]:
        known = frozenset(heads[0].names)
        first, own = heads[0], [name for name in names if name in known]
        return first.head(own, HEAD) if own else {}

    named = not how.dialect.no_header
    decimal = max(head.decimal(how.numeric, how.null) for head in heads)
    described: dict[str, Any] = {"hint": heads[0].hint, "decimal": decimal, "below": heads[0].below, "head": head}
    return OpenedSource(source.where, heads[0].names, batches, first_line=named, **described)


def _rows(
    file: DataFile, head: DelimitedText, usual: str, how: FileProperties, names: Sequence[str]
) -> Iterator[Batch]:
    header, known = (
        head.header,
        replace(how.dialect, delimiter=head.delimiter, encoding=None, no_header=False, header_line=1),
    )
    if how.dialect.no_header:
        header = f"{head.delimiter.join(head.names)}\n".encode()
    above = 1 if how.dialect.no_header else head.header_lines
    own = frozenset(head.names)
    wanted, before, held = [name for name in names if name in own], 0, b""
    with_quotes = {"delimiter": ord(head.delimiter), "skip": head.size, "lines": head.lines}
    lines, yielded = 0, False

    def loaded(body: bytes) -> DelimitedText:
        return DelimitedText(
            file.where, header + body, usual, known, how.absent, separator=how.separator, before=lines, whole=False
        )

    for piece in pieces(file, how.dialect, **with_quotes):
        lines = piece.lines - above - held.count(b"\n")
        data = held + piece.data
        body = data[: head.certain_rows(data)]
        held = data[len(body) :]  # blank lines, rows of separators, or a footer: rows only if other rows follow
        if body or not yielded:
            part = loaded(body)
            columns = part.load(wanted)
            n = len(columns[wanted[0]]) if wanted else len(part.load(head.names[:1])[head.names[0]])
            yield with_keys(file, before, n, columns, names)
            before, yielded = before + n, True
        lines += body.count(b"\n")
    footer = head.footer(held)
    if footer or head.end_of(held):
        rest = loaded(held[: head.end_of(held)]).load(wanted)  # rejects blank lines that precede no footer
        yield replace(with_keys(file, before, 0, rest, names), footer=footer)
