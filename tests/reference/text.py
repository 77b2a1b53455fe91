"""Naive implementations of the text kernels."""

import re

LANES = (0x2C1B3C6D, 0x297A2D39, 0x7FEB352D, 0x045D9F3B)


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


def hash_fields(fields: list[bytes], state: list[list[int]]) -> list[list[int]]:
    """Return the hash state of each record after the next field."""
    after = []
    for text, lanes in zip(fields, state, strict=True):
        row = []
        for prime, before in zip(LANES, lanes, strict=True):
            hashed = before ^ 0x9E3779B9
            for byte in text:
                hashed = (hashed ^ byte) * prime % 2**32
                hashed ^= hashed >> 15
            hashed = (hashed ^ 256) * prime % 2**32
            row.append(hashed ^ (hashed >> 16))
        after.append(row)
    return after
