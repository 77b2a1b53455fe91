"""Bars and curves as inline SVG. Bars differ by pattern and label, not by colour."""

from collections.abc import Sequence
from html import escape
from textwrap import wrap

Bar = tuple[str, float, str]
"""Bar as a tuple: pattern (``solid``, ``hatched`` or ``light``), share from 0 to 1, and text after the bar."""
_WIDTH, _LEFT, _LINE, _HEIGHT = 360, 8, 17, 11
_MOST_SIGNS = 50
"""Maximum length of a line of a label, which fits in the width."""
_PATTERNS = {"solid": "#222", "hatched": "url(#hatch)", "light": "#bbb"}
_HATCH = (
    '<defs><pattern id="hatch" width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">'
    '<rect width="5" height="5" fill="#fff"/><rect width="2" height="5" fill="#222"/></pattern></defs>'
)


def bars(title: str, rows: Sequence[tuple[str, Sequence[Bar]]]) -> str:
    """Return a drawing of bars. Each row of bars has a label above it, on several lines if it is long.

    >>> bars("risk", [("1 item", [("solid", 0.5, "50%")])]).count("<rect")
    3
    >>> bars("risk", [("1 item " * 20, [])]).count("<text")
    3
    """
    parts, y = [], 4
    for label, of_row in rows:
        for line in wrap(label, _MOST_SIGNS):
            y += 14
            parts.append(f'<text x="{_LEFT}" y="{y}" font-weight="bold">{escape(line)}</text>')
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


def curve(title: str, axes: tuple[str, str], points: Sequence[tuple[float, float]], mark: tuple[float, float]) -> str:
    """Return a drawing of a line through points, and of a marker. The horizontal axis extends from 0 to 1.

    >>> curve("losses", ("x", "y"), [(0.0, 0.4), (1.0, 0.1)], (0.5, 0.2)).count("<polyline")
    1
    """
    height, left, bottom, top = 212, 40, 182, 24
    largest = max(*(y for _, y in points), mark[1], 1e-9)

    def pixels(point: tuple[float, float]) -> tuple[float, float]:
        across = left + min(1.0, point[0]) * (_WIDTH - left - 20)
        return across, bottom - point[1] / largest * (bottom - top)

    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in map(pixels, points))
    (x, y), right = pixels(mark), _WIDTH - 20
    texts = [
        (left, height - 14, "start", "0"),
        (right, height - 14, "end", "1"),
        ((left + right) / 2, height - 3, "middle", axes[0]),
        (left - 4, bottom, "end", "0"),
        (left - 4, top + 8, "end", f"{largest:.2g}"),
        (left + 6, top - 10, "start", axes[1]),
    ]
    written = "".join(
        f'<text x="{a:.1f}" y="{b:.1f}" text-anchor="{c}">{escape(text)}</text>' for a, b, c, text in texts
    )
    return (
        f'<svg viewBox="0 0 {_WIDTH} {height}" role="img" aria-label="{escape(title)}" font-size="10.5" '
        f'font-family="sans-serif" fill="#111"><title>{escape(title)}</title>'
        f'<path d="M{left},{top} V{bottom} H{right}" fill="none" stroke="#222"/>'
        f'<polyline points="{line}" fill="none" stroke="#222"/>'
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="#fff" stroke="#222"/>{written}</svg>'
    )
