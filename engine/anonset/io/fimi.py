"""FIMI text: one transaction a line, items separated by blanks."""

from pathlib import Path
from typing import Any

import numpy as np

from anonset.data import SetColumn
from anonset.errors import InputError
from anonset.io.files import read_bytes
from anonset.io.sets import encode_sets

COLUMN = "items"
"""Name of a FIMI file's only column."""


def read_fimi(path: Path) -> SetColumn:
    """Read a FIMI file. Any UTF-8 token is an item; an empty line is an empty record.

    Raises
    ------
    InputError
        If the file cannot be read, or a token is not valid UTF-8 (with its line and column).
    """
    from anonset_kernels.fimi import tokenize

    data = read_bytes(path)
    text = np.frombuffer(data, np.uint8)
    indptr, codes, starts, lengths = tokenize(text)
    view, labels, bad = memoryview(data), [], -1
    try:
        for start, length in zip(starts.tolist(), lengths.tolist(), strict=True):
            bad = start
            labels.append(str(view[start : start + length], "utf-8"))
    except UnicodeDecodeError:
        pass
    if len(labels) < len(starts):  # raised here, without the error of decoding, which holds the bytes
        raise InputError(_bad_token(path, text, bad))
    return encode_sets(COLUMN, indptr, codes, labels)


def _bad_token(path: Path, text: Any, start: int) -> str:
    before = text[:start].tobytes().replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    line, column = before.count(b"\n") + 1, len(before) - (before.rfind(b"\n") + 1) + 1
    return f"{path}: line {line}, column {column} (in bytes): the token is not valid UTF-8"
