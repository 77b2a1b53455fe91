"""Bars as SVG, within the page: told apart by pattern and by their labels, not by colour."""

from collections.abc import Sequence
from html import escape

Bar = tuple[str, float, str]
"""Pattern (``solid``, ``hatched`` or ``light``), share between 0 and 1, and the text behind the bar."""
_WIDTH, _LEFT, _LINE, _HEIGHT = 360, 8, 17, 11
_PATTERNS = {"solid": "#222", "hatched": "url(#hatch)", "light": "#bbb"}
_HATCH = (
    '<defs><pattern id="hatch" width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">'
    '<rect width="5" height="5" fill="#fff"/><rect width="2" height="5" fill="#222"/></pattern></defs>'
)


def bars(title: str, rows: Sequence[tuple[str, Sequence[Bar]]]) -> str:
    """Return a drawing of labelled rows of bars.

    >>> bars("risk", [("1 item", [("solid", 0.5, "50%")])]).count("<rect")
    3
    """
    parts, y = [], 4
    for label, of_row in rows:
        y += 14
        parts.append(f'<text x="{_LEFT}" y="{y}" font-weight="bold">{escape(label)}</text>')
        y += 5
        for pattern, share, text in of_row:
            long = max(1.0, min(1.0, max(0.0, share)) * (_WIDTH - 150))
            parts.append(
                f'<rect x="{_LEFT}" y="{y}" width="{long:.1f}" height="{_HEIGHT}" fill="{_PATTERNS[pattern]}" '
                'stroke="#222" stroke-width="0.7"/>'
            )
            parts.append(f'<text x="{_LEFT + long + 5:.1f}" y="{y + 9.5:.1f}">{escape(text)}</text>')
            y += _LINE
    return (
        f'<svg viewBox="0 0 {_WIDTH} {y + 4}" role="img" aria-label="{escape(title)}" font-size="10.5" '
        f'font-family="sans-serif" fill="#111"><title>{escape(title)}</title>{_HATCH}{"".join(parts)}</svg>'
    )
