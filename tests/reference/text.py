"""Naive implementations of the text kernels."""

import re


def last_record_end(data: bytes, delimiter: bytes) -> tuple[int, int]:
    """Return the end of the last complete record and the line ends before it. An incomplete last line is no record."""
    result = (0, 0)
    for end in re.finditer(rb"\r\n|\n|\r", data):
        if end[0] == b"\r" and end.end() == len(data):
            continue
        if not delimiter or not _open(data[: end.start()], delimiter):
            result = end.end(), len(re.findall(rb"\r\n|\n|\r", data[: end.end()]))
    return result


def _open(data: bytes, delimiter: bytes) -> bool:
    """Return True if a quote is open at the end, matching fields individually."""
    mark = re.escape(delimiter)
    field = re.compile(rb' ?"(?:[^"]|"")*(?P<closed>")?[^%s\r\n"]*(?:"[^%s\r\n]*)?|[^%s\r\n]*' % (mark, mark, mark))
    position = 0
    while position <= len(data):
        match = field.match(data, position)
        assert match is not None
        if (
            data[position : match.end()].lstrip(b" ")[:1] == b'"'
            and data[position : position + 2] != b"  "
            and match["closed"] is None
        ):
            return True
        position = match.end() + 1
    return False


def siphash(key: bytes, message: bytes) -> bytes:
    """Return the SipHash-2-4 of a message, 16 bytes. The key has 16 bytes."""

    def rounds(n: int) -> None:
        for _ in range(n):
            v[0] = (v[0] + v[1]) % 2**64
            v[1] = rotated(v[1], 13) ^ v[0]
            v[0] = rotated(v[0], 32)
            v[2] = (v[2] + v[3]) % 2**64
            v[3] = rotated(v[3], 16) ^ v[2]
            v[0] = (v[0] + v[3]) % 2**64
            v[3] = rotated(v[3], 21) ^ v[0]
            v[2] = (v[2] + v[1]) % 2**64
            v[1] = rotated(v[1], 17) ^ v[2]
            v[2] = rotated(v[2], 32)

    def rotated(word: int, bits: int) -> int:
        return (word << bits | word >> 64 - bits) % 2**64

    def half() -> bytes:
        return (v[0] ^ v[1] ^ v[2] ^ v[3]).to_bytes(8, "little")

    halves = [int.from_bytes(part, "little") for part in (key[:8], key[8:])]
    texts = (b"somepseu", b"dorandom", b"lygenera", b"tedbytes")
    v = [int.from_bytes(text, "big") ^ halves[i % 2] for i, text in enumerate(texts)]
    v[1] ^= 0xEE
    padded = message + bytes(7 - len(message) % 8) + bytes([len(message) % 256])
    for at in range(0, len(padded), 8):
        word = int.from_bytes(padded[at : at + 8], "little")
        v[3] ^= word
        rounds(2)
        v[0] ^= word
    v[2] ^= 0xEE
    rounds(4)
    first = half()
    v[1] ^= 0xDD
    rounds(4)
    return first + half()


def hash_fields(key: bytes, fields: list[bytes], state: list[bytes]) -> list[bytes]:
    """Return the hash of each record after the next field."""
    return [siphash(key, before + text) for text, before in zip(fields, state, strict=True)]
