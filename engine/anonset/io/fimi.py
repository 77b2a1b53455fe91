"""FIMI text, one transaction a line, items separated by blanks; and SPMF's variants of it."""

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from anonset.data import SetColumn
from anonset.errors import InputError
from anonset.io.dialect import EXACT, Dialect, in_another_encoding, in_utf8
from anonset.io.files import read_bytes
from anonset.io.input_checks import require_split
from anonset.io.sets import encode_sets, keep_tokens, offsets
from anonset.spelling import setting

COLUMN = "items"
"""Name of a FIMI file's only column."""
_META = re.compile(rb"^[@%#].*(?:\r\n|\n|\r|\Z)", re.MULTILINE)
_NAMED = re.compile(rb"^@ITEM=([^=\r\n]+)=([^\r\n]*)", re.MULTILINE)
_ENDS_OF_SPMF = ("-1", "-2")  # of an itemset, and of a sequence of them


def read_fimi(path: Path, dialect: Dialect = EXACT, *, separator: str | None = " ") -> SetColumn:
    """Read a FIMI file. Any UTF-8 token is an item; an empty line is an empty record.

    Parameters
    ----------
    separator
        The declared separator of items; None: none is declared, and an item that looks like several is refused.

    Raises
    ------
    InputError
        If the file cannot be read, or a token is not valid UTF-8 (with its line and column), or it has another format.
    """
    lines = FimiLines(str(path), dialect, separator)
    column = lines.encoded(in_utf8(path, read_bytes(path), dialect))
    lines.judge()
    return column


@dataclass
class FimiLines:
    """Lines of FIMI text, which may come in pieces: only the last one shows whether the format is another."""

    where: str
    """Name of the file, for messages."""
    dialect: Dialect
    separator: str | None
    """The declared separator of items, if any."""
    sequences: bool = True
    """Whether all lines so far that hold something end with -2, as those of SPMF's sequences do."""
    nonempty: bool = False
    """Whether any line so far holds something."""
    labels: set[str] = field(default_factory=set, repr=False)
    """The distinct items so far."""

    def encoded(self, text: bytes, lines: int = 0) -> SetColumn:
        """Return the records of some lines, which follow a number of others.

        Raises
        ------
        InputError
            If a token is not valid UTF-8, or shows that the text has another format.
        """
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
        """Refuse, after the last line, a text of another format.

        Raises
        ------
        InputError
            With the option that would help.
        """
        if self.dialect.exact:
            return
        if self.sequences and self.nonempty:
            msg = f"{self.where}: {_spmf()}"
            raise InputError(msg)
        require_split(self.where, self.labels, self.separator, baskets=True)


def read_spmf(path: Path, dialect: Dialect) -> SetColumn:
    """Read a file of SPMF: transactions, or sequences, whose items become one set each.

    Lines that begin with ``@``, ``%`` or ``#`` are no transactions; ``@ITEM=1=apple`` names an item.

    Raises
    ------
    InputError
        If the file cannot be read, holds utilities, or names two items alike.
    """
    data = in_utf8(path, read_bytes(path), dialect)
    named = {number.decode("utf-8", "replace"): name for number, name in _NAMED.findall(data)}
    indptr, codes, labels = _tokens(str(path), _META.sub(b"", data))
    if any(":" in label for label in labels):
        msg = f"{path}: these are transactions with utilities (items:total:utilities); keep the items alone"
        raise InputError(msg)
    kept = np.array([label not in _ENDS_OF_SPMF for label in labels], bool)
    lengths, codes = keep_tokens(np.diff(indptr), codes, kept[codes])
    moved = (np.cumsum(kept) - 1).astype(np.int32)
    names = [named.get(label, label.encode()).decode() for label in labels if label not in _ENDS_OF_SPMF]
    if len(set(names)) < len(names):
        msg = f"{path}: two items have the same name; names must be distinct"
        raise InputError(msg)
    return encode_sets(COLUMN, offsets(lengths), moved[codes], names)


def _tokens(where: str, data: bytes, lines: int = 0) -> tuple[Any, Any, list[str]]:
    """Return where each line's tokens start, their codes, and the distinct tokens."""
    from anonset_kernels.fimi import tokenize

    text = np.frombuffer(data, np.uint8)
    indptr, codes, starts, lengths = tokenize(text)
    view, labels, bad = memoryview(data), [], -1
    try:
        for start, length in zip(starts.tolist(), lengths.tolist(), strict=True):
            bad = start
            labels.append(str(view[start : start + length], "utf-8"))
    except UnicodeDecodeError:
        pass
    if len(labels) < len(starts):  # raised here, so that the decoding error, which holds the bytes, is not chained
        raise InputError(_bad_token(where, text, bad, lines) + in_another_encoding(data))
    return indptr, codes, labels


def _spmf() -> str:
    return f"these are lines of SPMF: {setting('input_format', 'spmf')}"


def _require_fimi(where: str, labels: list[str]) -> None:
    """Refuse SPMF's files, whose marks would become items, and UTF-16."""
    problem = ""
    if any(label.startswith(("@CONVERTED_FROM", "@ITEM=")) for label in labels):
        problem = _spmf()
    elif any("\0" in label for label in labels):
        problem = f"the text holds NUL; of UTF-16 without a byte order mark: {setting('encoding', 'utf-16-le')}"
    if problem:
        msg = f"{where}: {problem}"
        raise InputError(msg)


def _bad_token(where: str, text: Any, start: int, lines: int) -> str:
    before = text[:start].tobytes().replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    line, column = lines + before.count(b"\n") + 1, len(before) - (before.rfind(b"\n") + 1) + 1
    return f"{where}: line {line}, column {column} (in bytes): the token is not valid UTF-8"
