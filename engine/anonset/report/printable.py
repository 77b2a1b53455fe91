"""Text from data, made fit for a terminal."""


def printable(text: str) -> str:
    r"""Return text with every character escaped that shows nothing, or would do something to a terminal.

    Those are control and format characters, line ends, blanks that are not the blank, and halves of surrogate pairs.

    >>> printable("a\x1b[2Jb\n"), printable("né (1,2)")
    ('a\\x1b[2Jb\\n', 'né (1,2)')
    """
    return text if text.isprintable() else "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)
