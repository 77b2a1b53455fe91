"""Plots of comparisons and suggestions. Lines differ by marker and dash, not only by colour."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from statistics import fmean
from typing import Any, TypeGuard

from anonset.errors import InputError
from anonset.jobs.trials.candidate import Candidate
from anonset.jobs.trials.growth import AXES
from anonset.jobs.trials.suggest import Suggestion
from anonset.release.losses import LOSSES
from anonset.report.account import loss_label
from anonset.report.comparison import Cell, Row
from anonset.report.frontier import scaled

_MARKS = "os^Dv*XP"
_DASHES = ("-", "--", "-.", ":")
_GREYS = ("#000000", "#555555", "#888888")
_HATCHES = ("", "///", "...", "xx", "\\\\\\", "++")
_LOG_FROM = 20
"""Minimum ratio between the largest and the smallest value from which an axis is logarithmic."""
_LOG_HEIGHT = 1000
_NAMES = {
    "seconds": "seconds of the search",
    "seconds_verify": "seconds of verifying",
    "are": "ARE",
    "peak_mib": "peak memory in MiB",
}
_COSTS = ("seconds", "seconds_verify", "peak_mib")
"""Costs of a run. In a plot over the data size, both axes are logarithmic, so that the slope of a line is the growth
exponent.
"""
_NO_FIGURES = ("algorithm", "model", "outcome", "note")


@dataclass(frozen=True)
class PlotAxes:
    """Axes and series of the plots of a comparison."""

    across: str | None
    """Parameter on the horizontal axis, or None if the plot shows bars."""
    series: tuple[str, ...]
    """Columns whose values distinguish the lines or bars."""
    figures: tuple[str, ...]
    """Names of the figures. Each figure is drawn into its own file."""


def require_plots(folder: Path) -> None:
    """Check that the plots can be written to a new folder, and that the plotting package is installed.

    Raises
    ------
    InputError
        The message contains the remedy.
    """
    if folder.exists():
        raise InputError(f"--plot {folder}: exists already; plots go to a new directory", code="exists")
    if not folder.parent.is_dir():
        raise InputError(f"--plot {folder}: {str(folder.parent)!r} must be an existing directory")
    if find_spec("matplotlib") is None:
        raise InputError("plots need the package matplotlib: pip install matplotlib")


def axes_of(rows: Sequence[Row]) -> PlotAxes:
    """Return the axes of the plots of a comparison.

    The numeric parameter with the most values is on the horizontal axis. All other parameters with several values
    distinguish the lines.

    >>> rows = [{"algorithm": "apriori", "k": k, "outcome": "holds", "ncp": k / 9, "note": ""} for k in (2, 5)]
    >>> axes_of(rows)
    PlotAxes(across='k', series=('algorithm',), figures=('ncp',))
    """
    names = list(rows[0])
    parameters = names[1 : names.index("outcome")]
    values = {
        name: {row[name] for row in rows if row[name] is not None} for name in parameters if name not in ("seed", "run")
    }
    varied = [name for name, distinct in values.items() if len(distinct) > 1]
    numeric = [name for name in varied if all(_is_number(value) for value in values[name])]
    across = max(numeric, key=lambda name: len(values[name]), default=None)
    later = names[names.index("outcome") + 1 :]
    figures = [name for name in later if name not in _NO_FIGURES and any(_is_number(row[name]) for row in rows)]
    return PlotAxes(across, ("algorithm", *(name for name in varied if name != across)), tuple(figures))


def draw(rows: Sequence[Row], folder: Path) -> list[str]:
    """Draw each figure into a file ``FIGURE.png``, and return the file names.

    For runs repeated over seeds, the mean is drawn with a bar from the smallest to the largest value.
    """
    axes, written = axes_of(rows), []
    for figure in axes.figures:
        name = f"{figure.replace('_', '-')}.png"
        with _picture(folder / name) as plot:
            (_bars if axes.across is None else _lines)(plot, rows, axes, figure)
        written.append(name)
    return written


@contextmanager
def _picture(path: Path) -> Iterator[Any]:
    """Yield empty axes, and write them to a file on exit."""
    import matplotlib as mpl

    mpl.use("agg")
    from matplotlib import pyplot as plt

    with plt.rc_context({"font.size": 9, "hatch.linewidth": 0.7}):
        picture, plot = plt.subplots(figsize=(6.4, 4.0), layout="constrained")
        yield plot
        picture.savefig(path, dpi=150, metadata={"Software": None})
        plt.close(picture)


def draw_frontier(suggestion: Suggestion, path: Path) -> None:
    """Draw the relational loss and the item loss of each candidate, and the frontier of `joint-split`.

    If no candidate satisfies the guarantee, no file is written.
    """
    safe = [
        candidate
        for candidate in suggestion.candidates
        if candidate.outcome == "holds" and {"rum", "lm"} <= candidate.measures.keys()
    ]
    if not safe:
        return
    by_name: dict[str, list[Candidate]] = {}
    for candidate in safe:
        by_name.setdefault(candidate.algorithm, []).append(candidate)
    path.parent.mkdir()
    with _picture(path) as plot:
        for number, (name, candidates) in enumerate(by_name.items()):
            x, y = ([candidate.measures[loss] for candidate in candidates] for loss in ("rum", "lm"))
            plot.plot(x, y, _MARKS[number % 8], color="black", markerfacecolor="none", label=name)
        if (finest := suggestion.finest) is not None:
            losses = scaled(finest.frontier, finest.measures["lm"])
            line = [point.relational_ncp for point in losses], list(losses.values())
            plot.plot(*line, "-", color=_GREYS[1], label="joint-split, other weights (estimated)")
        plot.set(xlabel="relational loss (NCP)", ylabel="item loss (LM)", xlim=(-0.02, 1.02))
        heights = [candidate.measures["lm"] for candidate in safe]
        _scale(plot, heights, logarithmic=max(heights) >= _LOG_FROM * min(heights))
        plot.grid(visible=True, linewidth=0.3)
        plot.legend(loc="best")


def _lines(plot: Any, rows: Sequence[Row], axes: PlotAxes, figure: str) -> None:
    across, places = str(axes.across), set[float]()
    for number, (label, series) in enumerate(_by_series(rows, axes).items()):
        points = _spread(series, across, figure)
        x, low, mean, high = ([point[n] for point in points] for n in range(4))
        places.update(x)
        ends = [[m - a for m, a in zip(mean, low, strict=True)], [b - m for m, b in zip(mean, high, strict=True)]]
        plot.errorbar(
            x, mean, ends if any(map(any, ends)) else None, label=label, capsize=2, color=_GREYS[number // 8 % 3],
            marker=_MARKS[number % 8], linestyle=_DASHES[number % 4],
            markersize=max(3.0, 9.0 - 1.2 * (number % 8)), markerfacecolor="none",  # keep earlier series visible
        )  # fmt: skip
    if places and min(places) > 0 and (across in AXES or max(places) >= _LOG_FROM * min(places)):
        plot.set_xscale("log")
        plot.minorticks_off()
    if len(places) <= 12:
        ticks = sorted(places)
        plot.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    plot.set(xlabel=across, ylabel=_label(figure, rows))
    costs = across in AXES and figure in _COSTS
    _scale(plot, [cell for row in rows if _is_number(cell := row[figure])], logarithmic=costs)
    plot.grid(visible=True, linewidth=0.3)
    _legend(plot, len(_by_series(rows, axes)))


def _scale(plot: Any, values: Sequence[float], *, logarithmic: bool = False) -> None:
    """Set the scale of the vertical axis.

    The scale is logarithmic if `logarithmic` is True or the values differ by several magnitudes. A linear scale begins
    at 0.
    """
    if min(values) > 0 and (logarithmic or max(values) >= _LOG_HEIGHT * min(values)):
        plot.set_yscale("log")
    elif min(values) >= 0:
        plot.set_ylim(bottom=0)


def _bars(plot: Any, rows: Sequence[Row], axes: PlotAxes, figure: str) -> None:
    values_of = {label: [cell for row in series if _is_number(cell := row[figure])]
             for label, series in _by_series(rows, axes).items()}  # fmt: skip
    labels, heights = list(values_of), [fmean(values) if values else 0.0 for values in values_of.values()]
    bars = plot.barh(labels, heights, color="white", edgecolor="black")
    for number, (bar, label) in enumerate(zip(bars, labels, strict=True)):
        bar.set_hatch(_HATCHES[number % len(_HATCHES)])
        plot.annotate(
            f" {heights[number]:.4g}" if values_of[label] else " nothing", (heights[number], number), va="center"
        )
    plot.invert_yaxis()
    if min(heights, default=0.0) >= 0:
        plot.set_xlim(0, max(heights, default=0.0) * 1.2 or 1.0)
    plot.set(xlabel=_label(figure, rows))


def _by_series(rows: Sequence[Row], axes: PlotAxes) -> dict[str, list[Row]]:
    series: dict[str, list[Row]] = {}
    for row in rows:
        more = [f"{name}={row[name]}" for name in axes.series[1:] if row[name] is not None]
        series.setdefault(", ".join([str(row["algorithm"]), *more]), []).append(row)
    return series


def _spread(rows: Sequence[Row], across: str, figure: str) -> list[tuple[float, float, float, float]]:
    """Return, for each value of the parameter `across`, the value and the minimum, mean and maximum of the figure."""
    values: dict[float, list[float]] = {}
    for row in rows:
        if _is_number(x := row[across]) and _is_number(y := row[figure]):
            values.setdefault(float(x), []).append(float(y))
    return [(x, min(measured), fmean(measured), max(measured)) for x, measured in sorted(values.items())]


def _legend(plot: Any, series: int) -> None:
    if series > 1:
        plot.legend(loc="best" if series <= 6 else "center left", bbox_to_anchor=None if series <= 6 else (1.01, 0.5))


def _label(figure: str, rows: Sequence[Row]) -> str:
    if figure == "are" and (reading := next((row["reading"] for row in rows if row.get("reading")), None)):
        return f"ARE ({reading})"
    return loss_label(figure) if figure in LOSSES else _NAMES.get(figure, figure.replace("_", " "))


def _is_number(value: Cell) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool)
