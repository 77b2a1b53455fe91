"""Plots of measured curves, with tick labels that can be read."""

import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.experiments.cases import Figure, Results

_LOG_FROM = 15
"""An axis is logarithmic where its largest value is this many times the smallest."""
_MARKERS = "os^DvPX*"
_CHARACTERS = 56
"""Characters of tick labels that fit below the horizontal axis, side by side."""
_LABEL_WIDTH = 40
"""Characters after which the label of the vertical axis goes on in a new line."""


def plot(folder: Path, figure: Figure, measured: Results, quantity: str) -> str | None:
    """Draw one quantity of a figure; return the file's name, or None where one point makes no curve."""
    positions = measured.positions
    if len(positions) == 1:
        return None
    import matplotlib as mpl

    mpl.use("svg")
    mpl.rcParams["svg.hashsalt"] = "anonset"
    from matplotlib import pyplot as plt

    numeric = [x for x in positions if not isinstance(x, str)]
    place = {x: x if numeric else i for i, x in enumerate(positions)}
    slanted = not numeric and _are_crowded(positions)
    fig, ax = plt.subplots(figsize=(5.2, 4.0 if slanted else 3.2), layout="constrained")
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
    if len(measured.series) > 1:
        ax.legend(frameon=False)
    name = f"{figure.key}-{quantity}.svg"
    fig.savefig(folder / name, metadata={"Date": None})
    plt.close(fig)
    return name


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
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    if not is_wide(values):
        ax.set_ylim(0, 1.08 * max(values) or 1)
        return
    ax.set_yscale("log")
    if max(values) / min(values) < 1000:
        ax.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    ax.yaxis.set_major_formatter(FuncFormatter(tick))
    ax.yaxis.set_minor_formatter(NullFormatter())


def _scale_positions(ax: Any, positions: Sequence[float]) -> None:
    """Scale the horizontal axis, with a tick at every position that was measured."""
    from math import log

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
