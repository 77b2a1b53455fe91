"""Read FIMI text (one transaction per line, items separated by blanks) and SPMF's variants of it."""

import re
from codecs import BOM_UTF8
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from anonset.data import SetColumn
from anonset.data.array_types import Int32, Int64
from anonset.data.blocks import encode_sets, keep_tokens
from anonset.data.spans import begins_of
from anonset.data.storage.workers import Workers
from anonset.errors import Fix, InputError
from anonset.reading.batches import Batch, OpenedSource, SourcePart, with_keys
from anonset.reading.cells.input_checks import require_split
from anonset.reading.formats.text_chunks import ALL_RECORDS, TextRange, pieces
from anonset.reading.formats.text_ranges import Text, text_parts
from anonset.reading.options import ReadOptions
from anonset.reading.sources.dialect import Dialect, in_another_encoding
from anonset.reading.sources.source import DataFile, Source

COLUMN = "items"
"""Name of the only column of a FIMI file."""
_META = re.compile(rb"^[@%#].*(?:\r\n|\n|\r|\Z)", re.MULTILINE)
_NAMED = re.compile(rb"^@ITEM=([^=\r\n]+)=([^\r\n]*)", re.MULTILINE)
_FIRST_ROOM = 4096
"""Initial capacity for distinct tokens."""
_ENDS_OF_SPMF = ("-1", "-2")  # end of an itemset, and end of a sequence of itemsets


@dataclass
class FimiLines:
    """Lines of FIMI text, read in pieces. Whether the text has another format is known only after the last line."""

    where: str
    """Name of the file, for messages."""
    dialect: Dialect
    separator: str | None
    """Declared separator of items, or None."""
    sequences: bool = True
    """True if all non-empty lines that were read end with -2, like SPMF's sequences."""
    nonempty: bool = False
    """True if at least one line that was read is not empty."""
    labels: set[str] = field(default_factory=set, repr=False)
    """Distinct items of the lines that were read."""

    def restart(self) -> None:
        """Forget all lines, so that the files can be read again from their first line."""
        self.sequences, self.nonempty = True, False
        self.labels.clear()

    def merge(self, other: "FimiLines", _: int = 0) -> None:
        """Add the facts about another part of the files."""
        self.sequences, self.nonempty = self.sequences and other.sequences, self.nonempty or other.nonempty
        self.labels |= other.labels

    def encoded(self, text: bytes, lines: int = 0) -> SetColumn:
        """Return the records of some lines. `lines` is the number of lines of the file before them.

        Raises
        ------
        InputError
            If a token is not valid UTF-8, or shows that the text has another format.
        """
        if not self.dialect.exact:
            require_no_utilities(self.where, text)
        indptr, codes, labels = _tokens(self.where, text, lines)
        if not self.dialect.exact:
            last = indptr[1:][np.diff(indptr) > 0] - 1
            ended = labels.index("-2") if "-2" in labels else -1
            self.sequences = self.sequences and bool((codes[last] == ended).all())
            self.nonempty = self.nonempty or len(last) > 0
            _require_fimi(self.where, labels)
            self.labels.update(labels)
        return encode_sets(COLUMN, indptr, codes, labels)

    def judge(self) -> None:
        """Reject a text of another format, after the last line.

        Raises
        ------
        InputError
            The message names the option that would help.
        """
        if self.dialect.exact:
            return
        if self.sequences and self.nonempty:
            raise InputError(f"{self.where}: {_SPMF}", fixes=[_AS_SPMF])
        require_split(self.where, self.labels, self.separator, baskets=True)


@dataclass
class SpmfLines:
    """Lines of SPMF text, read in pieces. Lines are transactions or sequences. Each sequence becomes one set.

    Lines that begin with ``@``, ``%`` or ``#`` are not transactions. ``@ITEM=1=apple`` names an item, and must precede
    all transactions that contain it.
    """

    where: str
    """Name of the file, for messages."""
    named: dict[str, str] = field(default_factory=dict, repr=False)
    """Names of items from the lines that were read, by token."""
    tokens: set[str] = field(default_factory=set, repr=False)
    """Tokens in the transactions that were read."""

    def restart(self) -> None:
        """Forget all names and transactions, so that the files can be read again from their first line."""
        self.named.clear()
        self.tokens.clear()

    def encoded(self, text: bytes, lines: int = 0) -> SetColumn:
        """Return the records of some lines. `lines` is the number of lines of the file before them.

        Raises
        ------
        InputError
            If the lines contain invalid UTF-8, a colon in an item, two items with the same name, or a name after a
            transaction that contains its item.
        """
        pairs = _NAMED.findall(text)
        names = {number.decode("utf-8", "replace"): name.decode("utf-8", "replace") for number, name in pairs}
        if any(names[token] != self.named.get(token) for token in self.tokens & names.keys()):
            raise InputError(f"{self.where}: item names must precede the transactions that contain the items")
        self.named |= names
        require_no_utilities(self.where, text)
        indptr, codes, tokens = _tokens(self.where, _META.sub(b"", text), lines)
        is_item = np.array([token not in _ENDS_OF_SPMF for token in tokens], bool)
        lengths, codes = keep_tokens(np.diff(indptr), codes, is_item[codes])
        moved = (np.cumsum(is_item) - 1).astype(np.int32)
        items = [token for token in tokens if token not in _ENDS_OF_SPMF]
        self.tokens.update(items)
        if len({self.named.get(token, token) for token in self.tokens}) < len(self.tokens):
            raise InputError(f"{self.where}: two items have the same name; names must be distinct")
        return encode_sets(COLUMN, begins_of(lengths), moved[codes], [self.named.get(item, item) for item in items])

    def judge(self) -> None:
        """Do nothing, because each line is checked when it is read."""


def _tokens(where: str, data: bytes, lines: int = 0) -> tuple[Any, Any, list[str]]:
    indptr, codes, starts, lengths = tokenize(data)
    view, labels, bad = memoryview(data), [], -1
    try:
        for start, length in zip(starts.tolist(), lengths.tolist(), strict=True):
            bad = start
            labels.append(str(view[start : start + length], "utf-8"))
    except UnicodeDecodeError:
        pass
    # raised outside the except block, because a chained decoding error would contain the bytes
    if len(labels) < len(starts):
        raise InputError(
            _bad_token(where, np.frombuffer(data, np.uint8), bad, lines), fixes=[in_another_encoding(data)]
        )
    return indptr, codes, labels


def tokenize(data: bytes) -> tuple[Int64, Int32, Int64, Int64]:
    """Split text into lines and tokens, and number the distinct tokens by first appearance. Expected cost: O(bytes).

    Items are separated by spaces and tabs; a line ends with LF, CRLF or a lone CR. An empty line is an empty record, a
    final line end adds no record, and a byte order mark at the start is skipped. UTF-8 is not validated.

    Returns
    -------
    First token of each line, int64 (n + 1,); code of each token, int32 (tokens,); first byte and length of each
    distinct token's first appearance, int64 (distinct,) each.
    """
    from anonset_kernels.records.fimi import Scanned, fill_table, scan

    text, tokens = np.frombuffer(data, np.uint8), np.empty((_FIRST_ROOM, 3), np.int64)
    indptr = np.zeros(data.count(b"\n") + data.count(b"\r") + 2, np.int64)
    items = np.empty((len(data) + 1) // 2, np.int32)
    first = len(BOM_UTF8) if data.startswith(BOM_UTF8) else 0
    scanned, table = Scanned(first, 0, 0, 0), np.full(4 * len(tokens), -1, np.int32)
    while (scanned := scan(text, scanned, indptr, items, tokens, table)).at < len(data):
        tokens = np.concatenate([tokens, np.empty((3 * len(tokens), 3), np.int64)])
        table = np.full(4 * len(tokens), -1, np.int32)
        fill_table(tokens, scanned.n_tokens, table)
    n_lines = scanned.lines
    if len(data) > first and data[-1:] not in (b"\n", b"\r"):
        n_lines += 1
        indptr[n_lines] = scanned.filled
    spans = tokens[: scanned.n_tokens]
    return indptr[: n_lines + 1].copy(), items[: scanned.filled].copy(), spans[:, 0].copy(), spans[:, 1].copy()


_KEEP_ITEMS = "the lines contain utilities of the items, which are not supported; keep only the items"
_UTILITIES = re.compile(rb"^[ \t]*([^:\r\n]+):([-+.\d]+):([-+.\d \t]+)\r?$", re.MULTILINE)
_SPMF, _AS_SPMF = "this is an SPMF file", Fix({"input_format": "spmf"})


def require_no_utilities(where: object, text: bytes) -> None:
    """Reject lines of items with utilities, because the utilities would become items.

    Raises
    ------
    InputError
        If the utilities of a line with several items add up to its total.
    """
    for items, total, utilities in _UTILITIES.findall(text):
        each = [float(number) for number in utilities.split()]
        if 1 < len(each) == len(items.split()) and abs(float(total) - sum(each)) < 1e-6:
            raise InputError(f"{where}: {_KEEP_ITEMS} (items:total:utilities)")


def _require_fimi(where: str, labels: list[str]) -> None:
    """Reject UTF-16, and SPMF files, because their markers would become items."""
    problem, fixes = "", list[Fix]()
    if any(label.startswith(("@CONVERTED_FROM", "@ITEM=")) for label in labels):
        problem, fixes = _SPMF, [_AS_SPMF]
    elif any(label.startswith("SUtility:") for label in labels):
        problem = f"{_KEEP_ITEMS} (SUtility)"
    elif any("\0" in label for label in labels):
        problem, fixes = "the text contains NUL bytes", [Fix({"encoding": "utf-16-le"}, "if it is UTF-16")]
    if problem:
        raise InputError(f"{where}: {problem}", fixes=fixes)


def _bad_token(where: str, text: Any, start: int, lines: int) -> str:
    before = text[:start].tobytes().replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    line, column = lines + before.count(b"\n") + 1, len(before) - (before.rfind(b"\n") + 1) + 1
    return f"{where}: line {line}, column {column} (in bytes): the token is not valid UTF-8"


def open_fimi(source: Source, options: ReadOptions) -> OpenedSource:
    """Open FIMI files."""
    lines = FimiLines(source.where, options.dialect, options.one_separator)

    def parts(workers: Workers) -> list[SourcePart]:
        lines.restart()
        texts = [Text(file) for file in source.files]
        return text_parts(texts, options.dialect, workers, partial(_RangeBatches, options))

    return replace(_of_lines(source, options, lines), parts=parts, merge=lines.merge)


@dataclass(frozen=True)
class _RangeBatches:
    options: ReadOptions
    file: DataFile
    span: TextRange

    def __call__(self, names: Sequence[str]) -> Iterator[Batch]:
        lines = FimiLines(self.file.where, self.options.dialect, self.options.one_separator)
        return _rows(self.file, self.options.dialect, lines, names, self.span)


def open_spmf(source: Source, options: ReadOptions) -> OpenedSource:
    """Open SPMF files."""
    return _of_lines(source, options, SpmfLines(source.where))


def _of_lines(source: Source, options: ReadOptions, lines: FimiLines | SpmfLines) -> OpenedSource:
    """Open files in which each line is a transaction."""

    def batches(names: Sequence[str]) -> Iterator[Batch]:
        lines.restart()
        for file in source.files:
            lines.where = file.where
            yield from _rows(file, options.dialect, lines, names)
        lines.where = source.where

    return OpenedSource(source.where, (COLUMN,), batches, sets_only=True, printed=True, judge=lines.judge)


def _rows(
    file: DataFile,
    dialect: Dialect,
    lines: FimiLines | SpmfLines,
    names: Sequence[str],
    span: TextRange = ALL_RECORDS,
) -> Iterator[Batch]:
    before = 0
    for piece in pieces(file, dialect, span=span):
        column = lines.encoded(piece.data, piece.lines)
        yield replace(with_keys(file, before, column.n, {COLUMN: column}, names), facts=lines)
        before += column.n
