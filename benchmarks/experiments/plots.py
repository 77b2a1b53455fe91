"""The picture of a figure: a panel for each measured quantity, with tick labels that can be read."""

import re
import textwrap
from collections.abc import Sequence
from io import StringIO
from math import ceil, log
from pathlib import Path
from typing import Any

from benchmarks.experiments.cases import Figure, Results

_LOG_FROM = 15
"""An axis is logarithmic where its largest value is this many times the smallest."""
_MARKERS = "os^DvPX*"
_COLUMNS = 3
"""Most panels side by side."""
_WIDTH, _HEIGHT, _HEIGHT_OF_SLANTED, _HEIGHT_OF_NAMES = 4.4, 2.8, 3.6, 0.25
"""Inches of a panel, of one with slanted labels of ticks, and of a line of the legend."""
_CHARACTERS = 44
"""Characters of tick labels that fit below the horizontal axis of a panel, side by side."""
_LABEL_WIDTH = 32
"""Characters after which the label of the vertical axis goes on in a new line."""
_STYLE: Any = {
    "svg.hashsalt": "anonset",
    "svg.fonttype": "none",
    "font.sans-serif": ["DejaVu Sans", "Verdana"],
    "font.size": 9,
}
"""The same names within the file each time; text as text, which is short and can be searched."""
_METADATA = dict.fromkeys(("Date", "Creator", "Format", "Type"))
"""Left out of the file: it depends on nothing but what is drawn."""


def file_name(figure: Figure) -> str:
    """Return the name of the file that a figure is drawn into."""
    return f"{figure.key}.svg"


def panels(figure: Figure, measured: Results) -> list[str]:
    """Return the quantities that are drawn: those measured, and none where all is measured at one position."""
    if len(measured.positions) < 2:
        return []
    return [quantity for quantity in figure.quantities if measured.has(quantity)]


def plot(folder: Path, figure: Figure, measured: Results) -> str | None:
    """Draw a figure, a panel a quantity; return the file's name, or None where there is nothing to draw."""
    drawn = panels(figure, measured)
    if not drawn:
        return None
    import matplotlib as mpl

    mpl.use("svg")
    with mpl.rc_context(_STYLE):
        from matplotlib import pyplot as plt

        lines = ceil(len(drawn) / _COLUMNS)
        columns = ceil(len(drawn) / lines)
        picture = plt.figure(figsize=_size(measured, lines, columns), layout="constrained")
        for number, quantity in enumerate(drawn):
            _draw(picture.add_subplot(lines, columns, number + 1), figure, measured, quantity)
        if len(measured.series) > 1:
            _name_curves(picture, measured, columns)
        text = StringIO()
        picture.savefig(text, format="svg", metadata=_METADATA)
        plt.close(picture)
    name = file_name(figure)
    (folder / name).write_text(_short(text.getvalue()), encoding="utf-8")
    return name


def _size(measured: Results, lines: int, columns: int) -> tuple[float, float]:
    """Return the inches of a picture of so many panels below and beside each other, and of its legend."""
    names = [x for x in measured.positions if isinstance(x, str)]
    height = _HEIGHT_OF_SLANTED if names and _are_crowded(names) else _HEIGHT
    lines_of_names = ceil(len(measured.series) / _names_side_by_side(measured, columns))
    return _WIDTH * columns, height * lines + _HEIGHT_OF_NAMES * lines_of_names


def _names_side_by_side(measured: Results, columns: int) -> int:
    longest = max(len(name) for name in measured.series)
    return max(1, min(len(measured.series), _CHARACTERS * columns // (longest + 6)))


def _draw(ax: Any, figure: Figure, measured: Results, quantity: str) -> None:
    """Draw one quantity of a figure, a curve a series."""
    positions = measured.positions
    numeric = [x for x in positions if not isinstance(x, str)]
    place = {x: x if numeric else i for i, x in enumerate(positions)}
    for i, name in enumerate(measured.series):
        curve = measured.curve(name, quantity)
        xs, ys = [float(place[x]) for x, _ in curve], [y for _, y in curve]
        ax.plot(xs, ys, marker=_MARKERS[i % len(_MARKERS)], linestyle="-" if numeric else "none", label=name)
    _scale_values(ax, [y for name in measured.series for y in measured.values(name, quantity)])
    if numeric:
        _scale_positions(ax, numeric)
    else:
        _name_positions(ax, [str(x) for x in positions])
    ax.set_xlabel(figure.x_label)
    ax.set_ylabel(textwrap.fill(figure.quantities[quantity], _LABEL_WIDTH))
    ax.grid(alpha=0.3)


def _name_curves(picture: Any, measured: Results, columns: int) -> None:
    """Name the curves once, above all panels: they look the same in each."""
    handles, names = picture.axes[0].get_legend_handles_labels()
    side_by_side = _names_side_by_side(measured, columns)
    picture.legend(handles, names, loc="outside upper center", ncols=side_by_side, frameon=False)


def _short(svg: str) -> str:
    r"""Leave out what nobody sees: more than hundredths of a point, turns by nothing, and blanks at line ends.

    >>> _short('  <path d="M 46.266646 196.398979 \nL 3.00024 0 \n"/>')
    '<path d="M 46.27 196.4 L 3 0"/>'
    """
    short = re.sub(r"\d+\.\d{3,}", lambda found: f"{float(found[0]):.2f}".rstrip("0").rstrip("."), svg)
    short = re.sub(r' transform="rotate\(-0 [^"]*"', "", short)
    short = re.sub(r" \n(?=[A-Z])", " ", short).replace(' \n"', '"').replace("\nz\n", "z")
    return re.sub(r"(?m)^ +", "", short)


def is_wide(values: Sequence[float]) -> bool:
    """Tell whether values need a logarithmic axis.

    >>> is_wide([2, 50]), is_wide([10, 20]), is_wide([0, 50])
    (True, False, False)
    """
    return min(values) > 0 and max(values) / min(values) >= _LOG_FROM


def tick(value: float, _: int = 0) -> str:
    """Write the value at a tick of an axis, without a power of ten where it can be done in few digits.

    >>> tick(0.05), tick(20), tick(515597), tick(2e6), tick(1e-7)
    ('0.05', '20', '515,597', '2,000,000', '1e-07')
    """
    return f"{value:,.0f}" if 1000 <= value < 1e9 else f"{value:g}"


def spaced(labels: Sequence[str], at: Sequence[float]) -> list[str]:
    """Blank the labels that would run into one before them, or into the last one.

    Parameters
    ----------
    labels
        Labels of ticks from left to right.
    at
        Where they stand on the axis, from 0 to 1.

    >>> spaced(["5", "7", "9", "50"], [0.0, 0.01, 0.2, 1.0])
    ['5', '', '9', '50']
    """
    last = len(labels) - 1
    found, ends = list(labels), -1.0
    half = [(len(label) + 1) / 2 / _CHARACTERS for label in labels]
    for i in range(last + 1):
        fits = at[i] - half[i] >= ends and (i == last or at[i] + half[i] <= at[last] - half[last])
        if fits or i == last:
            ends = at[i] + half[i]
        else:
            found[i] = ""
    return found


def _scale_values(ax: Any, values: Sequence[float]) -> None:
    """Scale the vertical axis; a logarithmic one has ticks at 1, 2 and 5 where it spans few powers of ten."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

    if not is_wide(values):
        ax.set_ylim(0, 1.08 * max(values) or 1)
        return
    ax.set_yscale("log")
    if max(values) / min(values) < 1000:
        ax.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    ax.yaxis.set_major_formatter(FuncFormatter(tick))
    ax.yaxis.set_minor_locator(NullLocator())


def _scale_positions(ax: Any, positions: Sequence[float]) -> None:
    """Scale the horizontal axis, with a tick at every position that was measured."""
    from matplotlib.ticker import NullLocator

    ordered = sorted(positions)
    if is_wide(ordered):
        ax.set_xscale("log")
    ax.margins(x=0.05)
    places = [log(x) for x in ordered] if is_wide(ordered) else [float(x) for x in ordered]
    width = (places[-1] - places[0]) or 1.0
    labels = spaced([tick(x) for x in ordered], [(x - places[0]) / width for x in places])
    ax.set_xticks([float(x) for x in ordered], labels)
    ax.xaxis.set_minor_locator(NullLocator())


def _name_positions(ax: Any, names: Sequence[str]) -> None:
    """Put names below the horizontal axis; slanted where they do not fit side by side."""
    slanted = {"rotation": 20, "ha": "right", "rotation_mode": "anchor"} if _are_crowded(names) else {}
    ax.set_xticks(range(len(names)), names, **slanted)
    ax.margins(x=0.2)


def _are_crowded(names: Sequence[object]) -> bool:
    return max(len(str(name)) for name in names) * len(names) > _CHARACTERS
