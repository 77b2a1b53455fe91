"""Text that comes in pieces: where its last record ends; and hashes of its fields."""

import numpy as np

from anonset_kernels._arrays import Buffer, Int64Array, Int64Matrix, UInt8Array
from anonset_kernels._jit import kernel

_LF, _CR, _SPACE, _QUOTE = 10, 13, 32, 34
_LOW_32 = 0xFFFFFFFF
_PRIMES = (0x2C1B3C6D, 0x297A2D39, 0x7FEB352D, 0x045D9F3B)


@kernel()
def last_record_end(text: Buffer, delimiter: int) -> tuple[int, int]:
    """Return where the last finished record of a piece of text ends, and the number of line ends before; O(bytes).

    A record ends with a line end outside of quotes. A carriage return at the end of the piece may be half of a line
    end, and ends nothing yet.

    Parameters
    ----------
    text
        uint8 (bytes,): begins with a record.
    delimiter
        What stands between fields, behind which, or one blank after, a quote opens; -1: there are no fields, and
        quotes mean nothing.
    """
    end, lines, until, at, size = 0, 0, 0, 0, len(text)
    quoted, opens, blank = False, True, False
    while at < size:
        byte = text[at]
        if byte == _LF or byte == _CR:
            if byte == _CR and at + 1 == size:
                break
            if byte == _CR and text[at + 1] == _LF:
                at += 1
            lines += 1
            if not quoted:
                end, until, opens, blank = at + 1, lines, True, False
        elif delimiter < 0:
            pass
        elif quoted:
            if byte == _QUOTE:
                if at + 1 < size and text[at + 1] == _QUOTE:
                    at += 1
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
        at += 1
    return end, until


@kernel()
def hash_fields(starts: Int64Array, text: UInt8Array, state: Int64Matrix) -> None:
    """Hash one more field of each record into its state, by multiplication and shift in four lanes of 32 bits.

    Equal fields have equal hashes; that others have is as good as impossible unless somebody wants it. O(bytes).

    Parameters
    ----------
    starts
        int64 (n + 1,): where the field of each record begins in the text.
    state
        int64 (n, 4): the hash of the fields before; updated.
    """
    for record in range(len(starts) - 1):
        for lane in range(4):
            prime, hashed = _PRIMES[lane], state[record, lane] ^ 0x9E3779B9
            for at in range(starts[record], starts[record + 1]):
                hashed = ((hashed ^ np.int64(text[at])) * prime) & _LOW_32
                hashed ^= hashed >> 15
            hashed = ((hashed ^ 0x100) * prime) & _LOW_32  # ends the field: ("ab", "c") is not ("a", "bc")
            state[record, lane] = hashed ^ (hashed >> 16)
