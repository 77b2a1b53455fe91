"""Line charts as inline SVG. Lines differ in dash pattern and marker, not in colour."""

from collections.abc import Mapping, Sequence
from html import escape

_WIDTH, _HEIGHT, _LEFT, _RIGHT, _TOP, _BOTTOM = 400, 240, 44, 390, 16, 200
_SAMPLE = 40
"""Width of a line in the legend."""
_DASHES = ("none", "7 4", "2 4", "10 3 2 3")
Series = Mapping[str, Sequence[tuple[float, float]]]
"""Points of each line, by name."""


def line_chart(title: str, across: str, lines: Series) -> str:
    """Return a drawing of lines, and a list with the name of each line. The x values are drawn at equal distances, even
    if their differences are not equal.

    >>> line_chart("loss", "k", {"exact": [(2, 0.1), (5, 0.2)], "apriori": [(2, 0.1), (5, 0.4)]}).count("<polyline")
    2
    """
    values = sorted({x for points in lines.values() for x, _ in points})
    largest = max([y for points in lines.values() for _, y in points] or [0]) or 1.0
    place = {x: _LEFT + 20 + n * (_RIGHT - _LEFT - 40) / max(1, len(values) - 1) for n, x in enumerate(values)}
    parts, legend = [_grid(largest, across, place)], list[str]()
    for number, (name, points) in enumerate(lines.items()):
        at = [(place[x], _BOTTOM - y / largest * (_BOTTOM - _TOP)) for x, y in points]
        dash = f'stroke-dasharray="{_DASHES[number % len(_DASHES)]}"'
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in at)
        line = f'fill="none" stroke="currentColor" stroke-width="2" {dash}'
        parts += [f'<polyline points="{path}" {line}/>', *(_marker(number, x, y) for x, y in at)]
        sample = f'<path d="M0,8 H{_SAMPLE}" {line}/>{_marker(number, _SAMPLE / 2, 8)}'
        legend.append(
            f'<li><svg width="{_SAMPLE}" height="16" aria-hidden="true">{sample}</svg><span>{escape(name)}</span></li>'
        )
    return (
        f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="{escape(title)}" font-size="12" '
        f'style="max-width: {_WIDTH}px; width: 100%"><title>{escape(title)}</title>{"".join(parts)}</svg>'
        f'<ul class="legend">{"".join(legend)}</ul>'
    )


def _grid(largest: float, across: str, place: Mapping[float, float]) -> str:
    axes = f'<path d="M{_LEFT},{_TOP} V{_BOTTOM} H{_RIGHT}" fill="none" stroke="currentColor"/>'
    ends = _text(_LEFT - 6, _BOTTOM, "end", "0") + _text(_LEFT - 6, _TOP + 6, "end", f"{largest:.2g}")
    ticks = "".join(_text(x, _BOTTOM + 16, "middle", f"{value:g}") for value, x in place.items())
    return axes + ends + ticks + _text((_LEFT + _RIGHT) / 2, _BOTTOM + 34, "middle", across)


def _marker(number: int, x: float, y: float) -> str:
    style = 'stroke="currentColor" stroke-width="1.5" fill="var(--back)"'
    if number % 3 == 0:
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" {style}/>'
    if number % 3 == 1:
        return f'<rect x="{x - 4:.1f}" y="{y - 4:.1f}" width="8" height="8" {style}/>'
    return f'<path d="M{x - 5:.1f},{y + 4:.1f} h10 l-5,-9 z" {style}/>'


def _text(x: float, y: float, anchor: str, content: str) -> str:
    text = f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="currentColor">'
    return f"{text}{escape(content)}</text>"
