"""HTML tables for notebooks."""

from collections.abc import Iterable, Sequence
from html import escape


def html_table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return rows under headings as an HTML table, or an empty text if there are no rows.

    >>> html_table(("k",), [("<5",)])
    '<table><tr><th>k</th></tr><tr><td>&lt;5</td></tr></table>'
    """
    cells = ["".join(f"<td>{escape(text)}</td>" for text in row) for row in rows]
    if not cells:
        return ""
    head = "".join(f"<th>{escape(text)}</th>" for text in headings)
    return f"<table><tr>{head}</tr>{''.join(f'<tr>{row}</tr>' for row in cells)}</table>"
