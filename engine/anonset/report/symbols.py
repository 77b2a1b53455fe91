"""Published symbols and lines to fill in as HTML, for the report and the page of the owner."""

from collections.abc import Iterable
from html import escape

from anonset.publications import Symbol
from anonset.publications.symbols import in_words
from anonset.spelling import listed

_IN_TITLE = 100
"""Largest number of members in a tooltip. The codebook contains all members."""


def symbols_html(cell: Iterable[Symbol | str]) -> str:
    """Return symbols and texts as HTML. Symbols are shown in words. If the words omit members, a tooltip lists them.

    >>> symbols_html([Symbol("G1", "group", ("a", "b", "c", "d")), Symbol("e", "item", ("e",)), "… (9)"])
    '<span title="a, b, c or d">a, b, c or 1 more</span>; e; … (9)'
    """
    return "; ".join(escape(one) if isinstance(one, str) else symbol_html(one) for one in cell)


def symbol_html(symbol: Symbol) -> str:
    """Return a symbol in words as HTML."""
    words, every = in_words(symbol), listed(symbol.members, "or", _IN_TITLE)
    title = "" if every in words else f' title="{escape(every)}"'
    return f"<span{title}>{escape(words)}</span>" if title else escape(words)


def to_fill() -> str:
    """Return a line to fill in."""
    from markupsafe import Markup

    return Markup('<span class="fill"></span>')
