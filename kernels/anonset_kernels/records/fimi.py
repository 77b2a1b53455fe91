"""Tokenize FIMI text, which has a transaction per line and items separated by whitespace."""

from typing import NamedTuple

import numpy as np

from anonset_kernels._arrays import Buffer, Indptr, Int32Array, Int64Array, Int64Matrix, Items
from anonset_kernels._jit import kernel

_TAB, _LF, _CR, _SPACE = 9, 10, 13, 32
_FNV_START, _FNV_PRIME, _LOW_32 = 2166136261, 16777619, 0xFFFFFFFF
_FIRST_ROOM = 4096


class _Scanned(NamedTuple):
    """Progress of the tokenizer. All fields are int64."""

    at: int
    """First byte not yet tokenized."""
    lines: int
    filled: int
    """Number of tokens."""
    n_tokens: int
    """Number of distinct tokens."""


@kernel()
def _scan(
    buffer: Buffer,
    scanned: _Scanned,
    indptr: Indptr,
    items: Items,
    tokens: Int64Matrix,
    table: Int32Array,
) -> _Scanned:
    """Tokenize until the end of the text or until `tokens` is full. Return the progress.

    The caller enlarges the arrays between calls. Enlarging them inside the loop makes it seven times slower, because
    Numba then counts references to the arrays in each iteration.

    Parameters
    ----------
    scanned
        Progress of the previous call.
    tokens
        int64 (room, 3): first byte, length and hash of each distinct token.
    table
        int32 (a power of two,): hash table with open addressing, token code or -1.
    """
    size, capacity, mask = len(buffer), len(tokens), np.int64(len(table) - 1)
    position, line, filled, n_tokens = scanned
    while position < size:
        byte = np.int64(buffer[position])
        if byte == _SPACE or byte == _TAB:
            position += 1
        elif byte == _LF or byte == _CR:
            line += 1
            indptr[line] = filled
            position += 1
            if byte == _CR and position < size and buffer[position] == _LF:
                position += 1
        else:
            start, hashed = position, np.int64(_FNV_START)
            while byte > _SPACE or not (byte == _SPACE or byte == _TAB or byte == _LF or byte == _CR):
                hashed = ((hashed ^ byte) * np.int64(_FNV_PRIME)) & np.int64(_LOW_32)
                position += 1
                if position == size:
                    break
                byte = np.int64(buffer[position])
            length, slot = position - start, hashed & mask
            code = np.int64(table[slot])
            while code >= 0:
                if tokens[code, 2] == hashed and tokens[code, 1] == length:
                    first, same = tokens[code, 0], 0
                    while same < length and buffer[start + same] == buffer[first + same]:
                        same += 1
                    if same == length:
                        break
                slot = (slot + 1) & mask
                code = np.int64(table[slot])
            if code < 0:
                if n_tokens == capacity:
                    position = start
                    break
                code = np.int64(n_tokens)
                tokens[code, 0], tokens[code, 1], tokens[code, 2] = start, length, hashed
                table[slot] = code
                n_tokens += 1
            items[filled] = code
            filled += 1
    return _Scanned(position, line, filled, n_tokens)


@kernel(allocates=True)
def _rehash(tokens: Int64Matrix, n_tokens: int, size: int) -> Int32Array:
    """Return a hash table of `size` slots (a power of two) for the first `n_tokens` tokens. O(size)."""
    table = np.full(size, -1, np.int32)
    for code in range(n_tokens):
        slot = tokens[code, 2] & (size - 1)
        while table[slot] >= 0:
            slot = (slot + 1) & (size - 1)
        table[slot] = code
    return table


@kernel()
def _count_line_ends(buffer: Buffer) -> int:
    """Return an upper bound on the number of line ends. O(bytes)."""
    n_line_ends = 0
    for byte in buffer:
        if byte == _LF or byte == _CR:
            n_line_ends += 1
    return n_line_ends


@kernel(allocates=True)
def tokenize(buffer: Buffer) -> tuple[Indptr, Items, Int64Array, Int64Array]:
    """Split text into lines and tokens, and number the distinct tokens by first appearance. Expected cost: O(bytes).

    Items are separated by spaces and tabs; a line ends with LF, CRLF or a lone CR. An empty line is an empty record, a
    final line end adds no record, and a byte order mark at the start is skipped.

    Parameters
    ----------
    buffer
        uint8 (bytes,), read-only: UTF-8 text, not validated.

    Returns
    -------
    tuple
        First token of each line, int64 (n + 1,); code of each token, int32 (tokens,); first byte and length of each
        distinct token's first appearance, int64 (distinct,) each.
    """
    size = len(buffer)
    first = 3 if size >= 3 and buffer[0] == 0xEF and buffer[1] == 0xBB and buffer[2] == 0xBF else 0
    starts_empty = first == size
    indptr = np.zeros(_count_line_ends(buffer) + 2, np.int64)
    items = np.empty((size + 1) // 2, np.int32)
    tokens = np.empty((_FIRST_ROOM, 3), np.int64)
    scanned = _Scanned(first, 0, 0, 0)
    scanned = _scan(buffer, scanned, indptr, items, tokens, _rehash(tokens, 0, 4 * _FIRST_ROOM))
    while scanned.at < size:
        grown = np.empty((4 * len(tokens), 3), np.int64)
        for token in range(len(tokens)):
            grown[token, 0], grown[token, 1], grown[token, 2] = tokens[token, 0], tokens[token, 1], tokens[token, 2]
        tokens = grown
        table = _rehash(tokens, scanned.n_tokens, 4 * len(tokens))
        scanned = _scan(buffer, scanned, indptr, items, tokens, table)
    n_lines = scanned.lines
    if not starts_empty and buffer[size - 1] != _LF and buffer[size - 1] != _CR:
        n_lines += 1
        indptr[n_lines] = scanned.filled
    spans = tokens[: scanned.n_tokens]
    return indptr[: n_lines + 1].copy(), items[: scanned.filled].copy(), spans[:, 0].copy(), spans[:, 1].copy()
