"""Detect and remove utilities of items (SPMF's lines ``items:total:utilities``)."""

import re

_LINE_END = re.compile(rb"\r\n|\n|\r")
_NUMBER = rb"[-+]?\d+(?:\.\d+)?"
_WITH_UTILITIES = re.compile(
    rb"\s*([^\s:]+(?:[ \t]+[^\s:]+)*)\s*:\s*(%b)\s*:\s*(%b(?:[ \t]+%b)*)\s*" % ((_NUMBER,) * 3)
)
_META = (b"@", b"%", b"#")
_LINES, _BYTES = 100, 1 << 16


def have_utilities(text: bytes) -> bool:
    r"""Return True if a text contains lines of items, their total utility, and a utility per item.

    One of the first lines with several items suffices if its utilities add up. Otherwise all first lines must have this
    form, and their utilities must add up if each line has a single item. Other items, such as ``12:30:45``, may also
    contain colons.

    >>> have_utilities(b"1 4 7:7:5 1 1\n5:8:8\n"), have_utilities(b"12:30:45\n08:15:00\n")
    (True, False)
    """
    if b":" not in text[:_BYTES]:
        return False
    lines = [line for line in _LINE_END.split(text[:_BYTES])[:_LINES] if line.strip() and not line.startswith(_META)]
    found = [parts for line in lines if (parts := _parts(line)) is not None]
    several = [len(items) > 1 for items, _, _ in found]
    add_up = [abs(total - sum(utilities)) < 1e-6 for _, total, utilities in found]
    if any(more and equal for more, equal in zip(several, add_up, strict=True)):
        return True
    return len(found) == len(lines) > 0 and (any(several) or all(add_up))


def without_utilities(text: bytes) -> tuple[bytes, int]:
    r"""Return a text with only the items of each line, and the number of the first line with another use of colons.

    The number is 0 if there is no such line.

    >>> without_utilities(b"1 4 7:7:5 1 1\n5\n"), without_utilities(b"5:8:8\n1:2\n")[1]
    ((b'1 4 7\n5\n', 0), 2)
    """
    if b":" not in text:
        return text, 0
    lines, other = _LINE_END.split(text), 0
    for number, line in enumerate(lines):
        if b":" in line and not line.startswith(_META):
            parts = _parts(line)
            if parts is None:
                other = other or number + 1
            else:
                lines[number] = b" ".join(parts[0])
    return b"\n".join(lines), other


def _parts(line: bytes) -> tuple[list[bytes], float, list[float]] | None:
    """Return the items of a line, their total utility, and the utility of each item. None for other lines."""
    found = _WITH_UTILITIES.fullmatch(line)
    if found is None:
        return None
    items, utilities = found[1].split(), [float(number) for number in found[3].split()]
    return (items, float(found[2]), utilities) if len(items) == len(utilities) else None
