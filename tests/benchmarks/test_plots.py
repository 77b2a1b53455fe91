"""Plots of the experiments: readable tick labels."""

import re
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from benchmarks.experiments.cases import Case, Claim, Figure, Printed, Repeated, Results
from benchmarks.experiments.factors import ORDERS
from benchmarks.experiments.judging import Judged
from benchmarks.experiments.plots import is_wide, plot, spaced, tick
from matplotlib import pyplot
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure as Drawing

pytestmark = [pytest.mark.compiled, pytest.mark.studies]


@pytest.fixture
def drawn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Draw a curve. Return the file, and the axes when it was saved."""
    saved: list[Drawing] = []
    save = Drawing.savefig

    def keep(drawing: Drawing, *arguments: Any, **options: Any) -> None:
        saved.append(drawing)
        save(drawing, *arguments, **options)

    monkeypatch.setattr(Drawing, "savefig", keep)

    def draw(positions: Sequence[float | str], values: Sequence[float], label: str = "time in seconds") -> Any:
        figure = Figure("f", "Fig. 1", "k", {"y": label}, [Case("f", "a", x, {}) for x in positions])
        points = {("a", x): {"y": y} for x, y in zip(positions, values, strict=True)}
        name = plot(tmp_path, figure, once(points))
        assert name == "f.svg"
        canvas: Any = FigureCanvasAgg(saved[-1])
        canvas.draw()
        return saved[-1].axes[0], canvas.get_renderer()

    yield draw
    pyplot.close("all")


def once(points: dict[Any, Any]) -> Repeated:
    return Repeated({"": Results(points)})


def test_repeated_results_are_drawn_with_range_levels_paper_and_verdict(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    saved: list[Drawing] = []
    monkeypatch.setattr(pyplot, "close", saved.append)
    claim = Claim("AA loses little", "low", lambda results: (True, ""), factor=ORDERS)
    printed = [Printed("y", 1.0, 2.0, "at most 2 (5.2)")]
    figure = Figure(
        "f", "Fig. 1", "k", {"y": "loss"}, ORDERS.over(Case("f", "AA", x, {}) for x in (1, 2)), [claim], printed=printed
    )
    levels = {case.repetition: Results({("AA", 1): {"y": 1.0}, ("AA", 2): {"y": 2.0}}) for case in figure.cases}
    levels["random 3"] = Results({("AA", 1): {"y": 1.5}, ("AA", 2): {"y": 3.0}})
    levels["numeric"] = Results({("AA", 1): {"y": 4.0}, ("AA", 2): {"y": 4.5}})
    judged = [Judged("f", "Fig. 1", claim, "holds", "", 19, 20)]
    assert plot(tmp_path, figure, Repeated(levels), judged) == "f.svg"
    svg = (tmp_path / "f.svg").read_text()
    for text in ("AA", "numeric", "frequency", "the paper's text", "holds (19 of 20): AA loses little"):
        assert f">{text}</text>" in svg
    (axes,) = saved[-1].axes
    (curve, *signs) = axes.get_lines()
    assert curve.get_ydata().tolist() == [1.0, 2.0], "the median"
    assert [4.0, 4.5] in [list(sign.get_ydata()) for sign in signs]
    (band,) = axes.collections
    assert band.get_paths()[0].get_extents().bounds == (1.0, 1.0, 1.0, 2.0), "from the least to the largest"
    canvas = FigureCanvasAgg(saved[-1])
    canvas.draw()
    (legend,) = saved[-1].legends
    box = legend.get_window_extent(canvas.get_renderer())
    assert 0 <= box.x0 < box.x1 <= saved[-1].bbox.x1, "all names are within the picture"


def visible(labels: Sequence[Any]) -> list[Any]:
    return [label for label in labels if label.get_text() and label.get_visible()]


@pytest.mark.parametrize(
    "positions",
    [
        [2, 5, 10, 25, 50],
        [5, 7, 9, 20, 50],
        [50_000, 100_000, 515_597, 1_000_000, 5_000_000],
        [0.0, 0.1, 0.3, 0.6, 1.0],
        list(range(2, 40)),
        ["a", "b"],
        ["LRA, BMS-WebView-2, m=2", "LG, BMS-WebView-2", "MM, retail, p=3", "mHgHs, Ta-Feng, m=3"],
    ],
    ids=str,
)
def test_labels_of_positions_do_not_run_into_each_other(drawn: Any, positions: list[float | str]) -> None:
    axes, renderer = drawn(positions, [0.001 * (i + 1) ** 3 for i in range(len(positions))])
    labels = visible([*axes.get_xticklabels(), *axes.get_xticklabels(minor=True)])
    assert labels[-1].get_text() == (positions[-1] if isinstance(positions[-1], str) else tick(positions[-1]))
    if labels[0].get_rotation() == 0:
        boxes = [label.get_window_extent(renderer) for label in labels]
        assert all(left.x1 < right.x0 for left, right in pairwise(boxes))
    else:  # parallel lines of text, at least a line height apart
        ends = [label.get_window_extent(renderer).x1 for label in labels]
        assert all(right - left > labels[0].get_fontsize() for left, right in pairwise(ends))


@pytest.mark.parametrize("largest", [0.2, 1.0, 7.0, 150.0, 5e6])
def test_labels_of_values_do_not_run_into_each_other(drawn: Any, largest: float) -> None:
    axes, renderer = drawn([1, 2, 3], [0.01, 0.05, largest])
    assert axes.get_yscale() == "log"
    low, high = axes.get_ylim()
    shown = [t for t in axes.yaxis.get_major_ticks() if low <= t.get_loc() <= high and t.label1.get_text()]
    assert len(shown) >= 3
    assert visible(axes.get_yticklabels(minor=True)) == []
    boxes = sorted((t.label1.get_window_extent(renderer) for t in shown), key=lambda box: box.y0)
    assert all(below.y1 < above.y0 for below, above in pairwise(boxes))


def test_a_long_axis_label_fits_the_picture(drawn: Any) -> None:
    axes, renderer = drawn([1, 2], [1.0, 2.0], "violations (pairs of an individual and a value of its group)")
    box = axes.yaxis.label.get_window_extent(renderer)
    assert "\n" in axes.yaxis.label.get_text()
    assert box.y0 >= 0
    assert box.y1 <= axes.figure.bbox.y1


def test_one_point_is_not_a_curve(tmp_path: Path) -> None:
    figure = Figure("f", "Fig. 1", "k", {"y": "seconds"}, [Case("f", "a", 1, {})])
    assert plot(tmp_path, figure, once({("a", 1): {"y": 1.0}})) is None
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("quantities", "grid"), [(1, (1, 1)), (3, (1, 3)), (4, (2, 2)), (7, (3, 3))])
def test_a_figure_is_one_file_with_a_panel_per_quantity(tmp_path: Path, quantities: int, grid: tuple[int, int]) -> None:
    names = [f"quantity {i}" for i in range(quantities)]
    cases = [Case("f", series, x, {}) for series in ("AA", "DA") for x in (1, 2)]
    figure = Figure("f", "Fig. 1", "k", {name: name for name in (*names, "never measured")}, cases)
    measured = once({(case.series, case.x): dict.fromkeys(names, 1.5) for case in cases})
    for folder in (tmp_path / "one", tmp_path / "other"):
        folder.mkdir()
        assert plot(folder, figure, measured) == "f.svg"
    first, other = ((tmp_path / name / "f.svg").read_text() for name in ("one", "other"))
    assert first == other
    assert all(first.count(f">{name}</text>") == 1 for name in (*names, "AA", "DA"))
    assert "never measured" not in first
    assert len({x for x, _ in placed(first, names)}) == grid[1]
    assert len({y for _, y in placed(first, names)}) == grid[0]


def placed(svg: str, names: Sequence[str]) -> list[tuple[float, float]]:
    """Return the positions of the vertical axes' labels, rounded to ten points."""
    result = [re.search(rf'rotate\(-90 ([\d.]+) ([\d.]+)\)">{name}</text>', svg) for name in names]
    return [(round(float(entry[1]), -1), round(float(entry[2]), -1)) for entry in result if entry]


@pytest.mark.parametrize(
    ("value", "text"), [(0.05, "0.05"), (0, "0"), (20, "20"), (515_597, "515,597"), (1e-7, "1e-07"), (2e12, "2e+12")]
)
def test_tick_labels(value: float, text: str) -> None:
    assert tick(value) == text


def test_axes_are_logarithmic_if_values_differ_by_a_large_factor() -> None:
    assert [is_wide(values) for values in ([2, 50], [10, 20], [0, 50])] == [True, False, False]


def test_the_first_and_the_last_label_are_kept() -> None:
    assert spaced(["5", "7", "9", "50"], [0.0, 0.01, 0.2, 1.0]) == ["5", "", "9", "50"]
    assert spaced(["1", "48", "49", "50"], [0.0, 0.98, 0.99, 1.0]) == ["1", "", "", "50"]
    assert spaced(["7"], [0.0]) == ["7"]


def test_the_value_at_a_tick_is_not_rounded_in_the_file(drawn: Any, tmp_path: Path) -> None:
    drawn([1, 2], [0.001, 0.02])
    assert ">0.001<" in (tmp_path / "f.svg").read_text()
