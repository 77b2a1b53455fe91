"""Text from data, made fit for a terminal."""

from typing import Any

_FEW, _LONG = 3, 40


def printable(text: str) -> str:
    r"""Return text with every character escaped that shows nothing, or would do something to a terminal.

    Those are control and format characters, line ends, blanks that are not the blank, and halves of surrogate pairs.

    >>> printable("a\x1b[2Jb\n"), printable("né (1,2)")
    ('a\\x1b[2Jb\\n', 'né (1,2)')
    """
    return text if text.isprintable() else "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


def shortened(value: Any) -> str:
    """Return the value of a parameter as text: of many the number and the first few, of long text the beginning.

    >>> shortened(["a", "b"]), shortened(["a", "b", "c", "d"]), shortened(0.5)
    ('a, b', '4 (a, b, c, …)', '0.5')
    """
    if isinstance(value, (list, tuple)):
        few = ", ".join(map(shortened, value[:_FEW]))
        return few if len(value) <= _FEW else f"{len(value):,} ({few}, …)"
    text = str(value)
    return text if len(text) <= _LONG else f"{text[:_LONG]}…"
