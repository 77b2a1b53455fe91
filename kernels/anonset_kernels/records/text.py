"""End of the last complete record in a chunk of text, and hashes of fields.

References: Aumasson, Bernstein, "SipHash: a fast short-input PRF", INDOCRYPT 2012. The hash of 128 bits is an extension
by the same authors (https://github.com/veorq/SipHash).
"""

import numpy as np

from anonset_kernels._arrays import Buffer, HashKey, Int64Array, UInt8Array, UInt64Matrix
from anonset_kernels._jit import kernel
from anonset_kernels.records._siphash import A, B, C, D, sip_round

_LF, _CR, _SPACE, _QUOTE = 10, 13, 32, 34
_8, _56 = np.uint64(8), np.uint64(56)
_WIDE, _END, _SECOND = np.uint64(0xEE), np.uint64(0xEE), np.uint64(0xDD)
"""Words of SipHash that are added before the message, after it, and between the two halves of the hash."""
_OF_STATE = 16
"""Bytes of a hash."""


@kernel()
def last_record_end(text: Buffer, delimiter: int) -> tuple[int, int]:
    """Return the end of the last complete record in a chunk of text, and the number of line ends before it. O(bytes).

    A record ends with a line end outside quotes. A carriage return at the end of the chunk may be the first half of a
    line end, so it does not end a record.

    Parameters
    ----------
    text
        uint8 (bytes,): chunk that begins with a record.
    delimiter
        Field delimiter. A quote opens directly after a delimiter, or after a delimiter and a space. -1 for text without
        fields, in which quotes have no meaning.
    """
    end, lines, until, position, size = 0, 0, 0, 0, len(text)
    quoted, opens, blank = False, True, False
    while position < size:
        byte = text[position]
        if byte == _LF or byte == _CR:
            if byte == _CR and position + 1 == size:
                break
            if byte == _CR and text[position + 1] == _LF:
                position += 1
            lines += 1
            if not quoted:
                end, until, opens, blank = position + 1, lines, True, False
        elif delimiter < 0:
            pass
        elif quoted:
            if byte == _QUOTE:
                if position + 1 < size and text[position + 1] == _QUOTE:
                    position += 1
                else:
                    quoted = False
        elif byte == delimiter:
            opens, blank = True, False
        elif byte == _QUOTE and opens:
            quoted, opens = True, False
        elif byte == _SPACE and opens and not blank:
            blank = True
        else:
            opens = False
        position += 1
    return end, until


@kernel()
def hash_fields(hash_key: HashKey, starts: Int64Array, text: UInt8Array, state: UInt64Matrix) -> None:
    """Add the next field of each record to the hash of the record.

    The new hash is the SipHash-2-4 (128 bits) of the 16 bytes of the old hash, followed by the field. Without the key,
    nobody can construct two records with the same hash. O(bytes).

    Parameters
    ----------
    starts
        int64 (n + 1,): first byte of each record's field in the text.
    state
        uint64 (n, 2): hash of the previous fields, zero before the first field; updated.
    """
    for record in range(len(starts) - 1):
        first, end = starts[record], starts[record + 1]
        a, b, c, d = hash_key[0] ^ A, hash_key[1] ^ B ^ _WIDE, hash_key[0] ^ C, hash_key[1] ^ D
        for part in range(2):
            a, b, c, d = _added(a, b, c, d, state[record, part])
        word, n_bytes = np.uint64(0), np.uint64(0)
        for i in range(first, end):
            word |= np.uint64(text[i]) << (_8 * n_bytes)
            n_bytes += np.uint64(1)
            if n_bytes == _8:
                a, b, c, d = _added(a, b, c, d, word)
                word, n_bytes = np.uint64(0), np.uint64(0)
        a, b, c, d = _added(a, b, c, d, word | np.uint64(_OF_STATE + end - first) << _56)
        a, b, c, d = _mixed(a, b, c ^ _END, d)
        state[record, 0] = a ^ b ^ c ^ d
        a, b, c, d = _mixed(a, b ^ _SECOND, c, d)
        state[record, 1] = a ^ b ^ c ^ d


@kernel()
def _added(
    a: np.uint64, b: np.uint64, c: np.uint64, d: np.uint64, word: np.uint64
) -> tuple[np.uint64, np.uint64, np.uint64, np.uint64]:
    """Return the state of SipHash after the next eight bytes of the message."""
    a, b, c, d = sip_round(a, b, c, d ^ word)
    a, b, c, d = sip_round(a, b, c, d)
    return a ^ word, b, c, d


@kernel()
def _mixed(a: np.uint64, b: np.uint64, c: np.uint64, d: np.uint64) -> tuple[np.uint64, np.uint64, np.uint64, np.uint64]:
    """Return the state of SipHash after four rounds without a message."""
    for _ in range(4):
        a, b, c, d = sip_round(a, b, c, d)
    return a, b, c, d
