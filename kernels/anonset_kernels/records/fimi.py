"""Tokenize FIMI text, which has a transaction per line and items separated by whitespace."""

from typing import NamedTuple

import numpy as np

from anonset_kernels._arrays import Buffer, Indptr, Int32Array, Int64Matrix, Items
from anonset_kernels._jit import kernel

_TAB, _LF, _CR, _SPACE = 9, 10, 13, 32
_FNV_START, _FNV_PRIME, _LOW_32 = 2166136261, 16777619, 0xFFFFFFFF


class Scanned(NamedTuple):
    """Progress of the tokenizer. All fields are int64."""

    at: int
    """First byte not yet tokenized."""
    lines: int
    filled: int
    """Number of tokens."""
    n_tokens: int
    """Number of distinct tokens."""


@kernel()
def scan(
    buffer: Buffer,
    scanned: Scanned,
    indptr: Indptr,
    items: Items,
    tokens: Int64Matrix,
    table: Int32Array,
) -> Scanned:
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
    return Scanned(position, line, filled, n_tokens)


@kernel()
def fill_table(tokens: Int64Matrix, n_tokens: int, table: Int32Array) -> None:
    """Insert the first `n_tokens` tokens into a hash table that contains only -1. See `scan`. O(tokens)."""
    mask = len(table) - 1
    for code in range(n_tokens):
        slot = tokens[code, 2] & mask
        while table[slot] >= 0:
            slot = (slot + 1) & mask
        table[slot] = code
