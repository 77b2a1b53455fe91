"""Draw a figure with a panel for each quantity, ranges over repetitions, and verdicts below the panels."""

import re
import textwrap
from collections.abc import Sequence
from io import StringIO
from math import ceil, log
from pathlib import Path
from typing import Any

from benchmarks.experiments.cases import Figure, Repeated
from benchmarks.experiments.judging import Judged
from benchmarks.experiments.panels_of import Panel, panels_of
from benchmarks.experiments.store import replace_file

_LOG_FROM = 15
"""An axis is logarithmic if the ratio of the largest to the smallest value is at least this number."""
_MARKERS = "os^DvPX*"
_COLUMNS = 3
"""Largest number of panels in a row."""
_SIGNS = "x+1234"
"""Markers of named levels."""
_PRINTED = "the paper's text"
"""Legend entry for the figures that a paper prints."""
_WIDTH, _HEIGHT, _HEIGHT_OF_SLANTED, _HEIGHT_OF_NAMES, _HEIGHT_OF_LINE = 4.4, 2.8, 3.6, 0.25, 0.16
"""Sizes in inches: width and height of a panel, height with slanted tick labels, line height of legend and caption."""
_CHARACTERS = 44
"""Characters of tick labels that fit side by side below a panel."""
_FEW_POSITIONS = 6
"""Number of slanted tick labels that never overlap, even if they are long."""
_LABEL_WIDTH = 32
"""Characters per line of the label of the vertical axis."""
_STYLE: Any = {
    "svg.hashsalt": "anonset",
    "svg.fonttype": "none",
    "font.sans-serif": ["DejaVu Sans", "Verdana"],
    "font.size": 9,
}
"""Style for SVG files with deterministic element names, in which text is stored as text (short and searchable)."""
_METADATA = dict.fromkeys(("Date", "Creator", "Format", "Type"))
"""Metadata that is omitted from the file, so that the file depends only on the drawing."""


def file_name(figure: Figure) -> str:
    """Return the file name of a figure's plot."""
    return f"{figure.key}.svg"


def plot(folder: Path, figure: Figure, results: Repeated, judged: Sequence[Judged] = ()) -> str | None:
    """Draw a figure with a panel per quantity and its verdicts.

    Return the file name, or None if there is nothing to draw.
    """
    drawn = [panel for panel in panels_of(figure, results) if panel.is_drawn]
    if not drawn:
        return None
    import matplotlib as mpl

    mpl.use("svg")
    with mpl.rc_context(_STYLE):
        from matplotlib import pyplot as plt

        names = list(dict.fromkeys(name for panel in drawn for name in panel.series))
        lines = ceil(len(drawn) / _COLUMNS)
        columns = ceil(len(drawn) / lines)
        caption = _caption(judged, columns)
        picture = plt.figure(figsize=_size(drawn, names, lines, columns, caption), layout="constrained")
        for number, panel in enumerate(drawn):
            _draw(picture.add_subplot(lines, columns, number + 1), figure, panel, names)
        _name_curves(picture, names, _kinds(drawn), columns)
        if caption:
            picture.supxlabel(caption, x=0.01, ha="left", fontsize=8)
        text = StringIO()
        picture.savefig(text, format="svg", metadata=_METADATA)
        plt.close(picture)
    name = file_name(figure)
    replace_file(folder / name, _short(text.getvalue()))
    return name


def _caption(judged: Sequence[Judged], columns: int) -> str:
    """Return a line per verdict, shortened to the width of the picture."""
    lines = []
    for judgement in judged:
        counts = f" ({judgement.met} of {judgement.of})" if judgement.claim.factor and judgement.of else ""
        origin = "" if judgement.claim.kind == "paper" else f", {judgement.claim.kind}"
        line = f"{judgement.sentence}{counts}{origin}: {judgement.claim.text}"
        lines.append(textwrap.shorten(line, 78 * columns, placeholder=" …").replace("$", r"\$"))
    return "\n".join(lines)


def _size(drawn: Sequence[Panel], names: Sequence[str], lines: int, columns: int, caption: str) -> tuple[float, float]:
    """Return the size of a picture in inches, with legend and caption."""
    slanted = any(_are_crowded([x for x in panel.positions if isinstance(x, str)] or [""]) for panel in drawn)
    height = _HEIGHT_OF_SLANTED if slanted else _HEIGHT
    entries = [*names, *_kinds(drawn)]
    lines_of_names = ceil(len(entries) / _entries_side_by_side(entries, columns))
    lines_of_caption = caption.count("\n") + 2 if caption else 0
    return _WIDTH * columns, height * lines + _HEIGHT_OF_NAMES * lines_of_names + _HEIGHT_OF_LINE * lines_of_caption


def _kinds(drawn: Sequence[Panel]) -> list[str]:
    """Return the legend entries for marks that are not curves."""
    levels = dict.fromkeys(level for panel in drawn for level in panel.singles)
    return [*levels, *([_PRINTED] if any(panel.printed for panel in drawn) else [])]


def _entries_side_by_side(entries: Sequence[str], columns: int) -> int:
    longest = max(len(entry) for entry in entries)
    return max(1, min(len(entries), _CHARACTERS * columns // (longest + 6)))


def _draw(ax: Any, figure: Figure, panel: Panel, names: Sequence[str]) -> None:
    """Draw a quantity.

    Medians are curves, ranges are bands, named levels are markers, and the paper's figures are grey.
    """
    numeric = [x for x in panel.positions if not isinstance(x, str)]
    place = {x: float(x) if isinstance(x, int | float) else float(i) for i, x in enumerate(panel.positions)}
    shown: list[float] = []
    for name in panel.series:
        i = names.index(name)
        points = [(place[x], *found) for x in panel.positions if (found := panel.point(name, x)) is not None]
        xs, middle, low, high = zip(*points, strict=True)
        look = {"color": f"C{i}", "marker": _MARKERS[i % len(_MARKERS)]}
        ax.plot(xs, middle, linestyle="-" if numeric else "none", label=name, **look)
        if low != high:
            _draw_range(ax, points, bool(numeric), f"C{i}")
        shown += [*low, *high]
        for j, level in enumerate(panel.singles):
            at = [(place[x], y) for x in panel.positions if (y := panel.single(level, name, x)) is not None]
            signs = {"marker": _SIGNS[j % len(_SIGNS)], "color": f"C{i}", "linestyle": "none", "markersize": 4}
            ax.plot([x for x, _ in at], [y for _, y in at], alpha=0.7, label=f"_{level}", **signs)
            shown += [y for _, y in at]
    for band in panel.printed:
        ax.axhspan(band.low, band.high if band.high > band.low else band.low * 1.01, color="0.6", alpha=0.3, zorder=0)
        shown += [band.low, band.high]
    _scale_values(ax, shown)
    if numeric:
        _scale_positions(ax, numeric)
    else:
        _name_positions(ax, [str(x) for x in panel.positions])
    ax.set_xlabel(figure.x_label)
    ax.set_ylabel(textwrap.fill(panel.label, _LABEL_WIDTH))
    ax.grid(alpha=0.3)


def _draw_range(ax: Any, points: Sequence[tuple[float, float, float, float]], numeric: bool, color: str) -> None:
    """Draw the range of the repetitions, as a band along a curve or as a bar through a single point."""
    xs, _, low, high = zip(*points, strict=True)
    if numeric:
        ax.fill_between(xs, low, high, color=color, alpha=0.2, linewidth=0)
    else:
        ax.vlines(xs, low, high, color=color, alpha=0.5)


def _name_curves(picture: Any, names: Sequence[str], kinds: Sequence[str], columns: int) -> None:
    """Draw a legend above all panels, which share curves and markers."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    entries: list[Any] = [
        Line2D([], [], color=f"C{i}", marker=_MARKERS[i % len(_MARKERS)], label=name) for i, name in enumerate(names)
    ]
    signs = [kind for kind in kinds if kind != _PRINTED]
    entries += [
        Line2D([], [], color="0.4", marker=_SIGNS[j % len(_SIGNS)], linestyle="none", markersize=4, label=level)
        for j, level in enumerate(signs)
    ]
    if _PRINTED in kinds:
        entries.append(Patch(color="0.6", alpha=0.3, label=_PRINTED))
    if len(entries) > 1:
        side_by_side = _entries_side_by_side([*names, *kinds], columns)
        picture.legend(handles=entries, loc="outside upper center", ncols=side_by_side, frameon=False)


def _short(svg: str) -> str:
    r"""Shorten an SVG. Round coordinates to hundredths, and remove zero rotations and trailing blanks.

    Visible text, such as tick labels, does not change.

    >>> _short('  <path d="M 46.266646 196.398979 \nL 3.00024 0 \n"/><text x="1.234">0.005</text>')
    '<path d="M 46.27 196.4 L 3 0"/><text x="1.23">0.005</text>'
    """
    short = re.sub(r"<[^>]*>", lambda tag: re.sub(r"\d+\.\d{3,}", _in_hundredths, tag[0]), svg)
    short = re.sub(r' transform="rotate\(-0 [^"]*"', "", short)
    short = re.sub(r" \n(?=[A-Z])", " ", short).replace(' \n"', '"').replace("\nz\n", "z")
    return re.sub(r"(?m)^ +", "", short)


def _in_hundredths(number: re.Match[str]) -> str:
    return f"{float(number[0]):.2f}".rstrip("0").rstrip(".")


def is_wide(values: Sequence[float]) -> bool:
    """Return True if values need a logarithmic axis.

    >>> is_wide([2, 50]), is_wide([10, 20]), is_wide([0, 50])
    (True, False, False)
    """
    return min(values) > 0 and max(values) / min(values) >= _LOG_FROM


def tick(value: float, _: int = 0) -> str:
    """Format a tick value. It has a power of ten only if it would otherwise need many digits.

    >>> tick(0.05), tick(20), tick(515597), tick(2e6), tick(1e-7)
    ('0.05', '20', '515,597', '2,000,000', '1e-07')
    """
    return f"{value:,.0f}" if 1000 <= value < 1e9 else f"{value:g}"


def spaced(labels: Sequence[str], at: Sequence[float]) -> list[str]:
    """Replace labels by blanks if they would overlap the previous label or the last label.

    Parameters
    ----------
    labels
        Labels of ticks from left to right.
    at
        Positions on the axis, from 0 to 1.

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
    """Scale the vertical axis. A logarithmic axis over few powers of ten has ticks at 1, 2 and 5."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

    if not is_wide(values):
        ax.set_ylim(0, 1.08 * max(values) or 1)
        ax.yaxis.set_major_formatter(FuncFormatter(tick))
        return
    ax.set_yscale("log")
    if max(values) / min(values) < 1000:
        ax.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    ax.yaxis.set_major_formatter(FuncFormatter(tick))
    ax.yaxis.set_minor_locator(NullLocator())


def _scale_positions(ax: Any, positions: Sequence[float]) -> None:
    """Scale the horizontal axis, with a tick at every measured position."""
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
    """Label the horizontal axis with names, slanted if they do not fit side by side."""
    turned = 20 if len(names) <= _FEW_POSITIONS else 40
    slanted = {"rotation": turned, "ha": "right", "rotation_mode": "anchor"} if _are_crowded(names) else {}
    ax.set_xticks(range(len(names)), names, **slanted)
    ax.margins(x=0.2)


def _are_crowded(names: Sequence[object]) -> bool:
    return max(len(str(name)) for name in names) * len(names) > _CHARACTERS
