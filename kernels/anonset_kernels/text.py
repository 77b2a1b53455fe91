"""End of the last complete record in a chunk of text, and hashes of fields."""

import numpy as np

from anonset_kernels._arrays import Buffer, Int64Array, Int64Matrix, UInt8Array
from anonset_kernels._jit import kernel

_LF, _CR, _SPACE, _QUOTE = 10, 13, 32, 34
_LOW_32 = 0xFFFFFFFF
_PRIMES = (0x2C1B3C6D, 0x297A2D39, 0x7FEB352D, 0x045D9F3B)


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
def hash_fields(starts: Int64Array, text: UInt8Array, state: Int64Matrix) -> None:
    """Add the next field of each record to the hash of the record. The hash has four lanes of 32 bits.

    Each lane is updated by multiplications and shifts. Equal fields have equal hashes. Different fields have different
    hashes except with negligible probability, unless an attacker constructs a collision. O(bytes).

    Parameters
    ----------
    starts
        int64 (n + 1,): first byte of each record's field in the text.
    state
        int64 (n, 4): hash of the previous fields; updated.
    """
    for record in range(len(starts) - 1):
        for lane in range(4):
            prime, hashed = _PRIMES[lane], state[record, lane] ^ 0x9E3779B9
            for i in range(starts[record], starts[record + 1]):
                hashed = ((hashed ^ np.int64(text[i])) * prime) & _LOW_32
                hashed ^= hashed >> 15
            hashed = ((hashed ^ 0x100) * prime) & _LOW_32  # separate the fields: ("ab", "c") differs from ("a", "bc")
            state[record, lane] = hashed ^ (hashed >> 16)
