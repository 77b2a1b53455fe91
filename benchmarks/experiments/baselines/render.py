"""Tables of the study of baselines, with 95% confidence intervals over the samples."""

import json
from collections.abc import Mapping, Sequence
from math import inf, sqrt
from pathlib import Path
from statistics import mean, median, stdev
from typing import Any

from benchmarks.experiments.baselines import (
    ATTACKED,
    DATA,
    EPSILONS,
    KS,
    LENGTHS,
    LEVELS,
    NO_NOISE,
    ORIGINAL,
    PAPER,
    RELEASES,
    TOPS,
    WAYS,
    place,
)
from benchmarks.experiments.baselines.measurement import ATTEMPTS, TRAINED
from benchmarks.experiments.cases import Figure, Key, Repeated, Results
from benchmarks.experiments.criteria import CONFIDENCE
from benchmarks.experiments.findings import measured_at
from benchmarks.experiments.judging import results_of_figure
from benchmarks.experiments.render import rows
from benchmarks.experiments.runner import RESULTS, results_of

SMARTNOISE, SMARTNOISE_RESULTS = "MST of SmartNoise", RESULTS / "smartnoise.jsonl"
"""Name and results of a generator that runs in its own environment (`benchmarks.smartnoise`)."""
_PRIVATE = (*RELEASES, SMARTNOISE)
_K, _EPSILON = 5, "1"
_SHOWN: tuple[tuple[str, str, str, float | str], ...] = (
    (ORIGINAL, ORIGINAL, "k", _K),
    *((f"`{way}`, k={_K}", way, "k", _K)
      for way in ("apriori", "set-search", "coat", "pcta", "disassociation", "rum-bound")),
    *((f"`{way}`, epsilon={_EPSILON}", way, "epsilon", _EPSILON) for way in _PRIVATE),
    *((f"`{way}`, epsilon=10", way, "epsilon", "10") for way in ("tree", "mst", "priv-basis", SMARTNOISE)),
    (f"`tree`, {NO_NOISE}", "tree", "epsilon", NO_NOISE),
)  # fmt: skip
"""Rows of each table: name, series, figure and position."""
_COLUMNS = {
    "sets_f1": "itemsets: F1",
    "rules_f1": "rules: F1",
    "auc": "classifier: AUC",
    "are": "ARE",
    "ncp": "NCP",
    "log2_ul": "log2 UL",
    "disclosed": "items inferred, minus control",
}


def tables(results: Path) -> str:
    """Return the commits of the results, and a Markdown table for each data set."""
    figures, found = {figure.key: figure for figure in PAPER.figures}, results_of(PAPER, results)
    parts = []
    for data in DATA:
        of = {name: _results(figures, found, data, name) for name in ("k", "epsilon")}
        cells = [
            (shown, *(interval(values(of[figure], series, x, column)) for column in _COLUMNS))
            for shown, series, figure, x in _SHOWN
        ]
        parts += [f"**{data}**", rows(("publication", *_COLUMNS.values()), [row for row in cells if any(row[1:])])]
    sweeps = [_SWEEP, _by_length(figures, found), _SWEEP_OF_ITEMSETS, _by_top(figures, found)]
    best = [_BEST, _best_releases(figures, found)]
    equal = [_EQUAL_SUCCESS, _at_equal_success(figures, found), _above_control(figures, found)]
    origin = f"{measured_at(PAPER.key)} {_of_smartnoise()}"
    return "\n\n".join([origin, *parts, _LOST, _lost(figures, found), *best, *equal, *sweeps])


def _results(figures: Mapping[str, Figure], found: Mapping[Key, Mapping[str, Any]], data: str, figure: str) -> Repeated:
    """Return the results of a figure of a data set. Those over epsilon include MST of SmartNoise."""
    levels = {
        level: dict(one.measured) for level, one in results_of_figure(figures[f"{data}_{figure}"], found).levels.items()
    }
    for one in _smartnoise() if figure == "epsilon" else ():
        if one["data"] == data:
            levels.setdefault(one["sample"], {})[SMARTNOISE, one["epsilon"]] = one["measured"]
    return Repeated({level: Results(measured) for level, measured in levels.items()})


def _smartnoise() -> list[dict[str, Any]]:
    return [json.loads(line) for line in SMARTNOISE_RESULTS.read_text(encoding="utf-8").splitlines()]


def _of_smartnoise() -> str:
    """Return the commit, the number of divisions and the CPU time of the results of SmartNoise."""
    found = _smartnoise()
    commits, samples = (sorted({one[name] for one in found}) for name in ("commit", "sample"))
    seconds = [one["cpu_seconds"] for one in found]
    return (
        f"`{SMARTNOISE}` was measured at commit {', '.join(commits)} with epsilon=1 and 10, on {len(samples)} of "
        f"{len(LEVELS) - 1} divisions of each data set. A run took {min(seconds)} to {max(seconds)} s of CPU."
    )


_SWEEP = f"""\
**Number of items to which records are cut.** F1 of itemsets with epsilon={_EPSILON}. The first column is the length
that is chosen within epsilon. The other columns spend nothing on the choice:"""


_SWEEP_OF_ITEMSETS = f"""\
**Number of itemsets that `priv-basis` is asked for.** F1 of itemsets with epsilon={_EPSILON}:"""
_LOST = """\
**Private releases that keep more.** Each k at which a private release keeps more itemsets or rules (mean F1), or has a
higher AUC or a lower ARE, than a k<sup>m</sup>-anonymous publication. In brackets: the best private release."""
_BEST = """\
**Best private release.** The release with the best mean of each quantity:"""
_EQUAL_SUCCESS = """\
**At equal success of the attack.** The best publication of each kind among those whose attack succeeds at most so
often: the upper end of the interval of "items inferred, minus control" is at most the limit. In brackets: the
publication. "Unresolved" is a better publication whose mean is at most the limit, but whose interval is not."""
_LIMITS = (0.005, 0.01, 0.02, 0.05)
"""Limits on the success of the attack."""
_COMPARED = {"sets_f1": 1, "rules_f1": 1, "auc": 1, "are": -1}
"""Quantities by which private releases are compared with k^m-anonymous ones. -1: lower is better."""
_KINDS: dict[str, tuple[str, Sequence[str], Sequence[float | str]]] = {
    "k^m-anonymous": ("k", (*WAYS, "rum-bound"), KS),
    "private": ("epsilon", _PRIVATE, EPSILONS),
}
"""Figure, series and positions of each kind of publication."""


def _lost(figures: Mapping[str, Figure], found: Mapping[Key, Mapping[str, Any]]) -> str:
    """Return a table of the k^m-anonymous publications that keep less than a private release."""
    columns = [(quantity, epsilon) for epsilon in (_EPSILON, "10") for quantity in _COMPARED]
    cells = []
    for data in DATA:
        public, private = (_results(figures, found, data, figure) for figure, _, _ in _KINDS.values())
        for way in _KINDS["k^m-anonymous"][1]:
            row = []
            for quantity, epsilon in columns:
                most, best = _best(private, epsilon, quantity)
                kept = {k: _COMPARED[quantity] * mean(of) for k in KS if (of := values(public, way, k, quantity))}
                row.append(", ".join(f"k={k}" for k, mean_ in kept.items() if mean_ < most))
                row[-1] += f" (`{best}`)" if row[-1] else ""
            if any(row):
                cells.append((data, f"`{way}`", *row))
    return rows(("data", "publication", *(f"{_COLUMNS[name]}, epsilon={epsilon}" for name, epsilon in columns)), cells)


def _best(private: Repeated, epsilon: str, quantity: str) -> tuple[float, str]:
    """Return the best signed mean of a quantity among the private releases, and the name of the release."""
    releases = {name: values(private, name, epsilon, quantity) for name in _PRIVATE}
    return max(((_COMPARED[quantity] * mean(of), name) for name, of in releases.items() if of), default=(-inf, ""))


def _best_releases(figures: Mapping[str, Figure], found: Mapping[Key, Mapping[str, Any]]) -> str:
    """Return a table of the best private release of each quantity, by data set and epsilon."""
    cells = []
    for data in DATA:
        private = _results(figures, found, data, "epsilon")
        for epsilon in EPSILONS:
            best = {quantity: _best(private, epsilon, quantity) for quantity in _COMPARED}
            shown = (f"{abs(value):.3f} (`{name}`)" for value, name in best.values())
            cells.append((data, epsilon, *shown))
    return rows(("data", "epsilon", *(_COLUMNS[quantity] for quantity in _COMPARED)), cells)


def _at_equal_success(figures: Mapping[str, Figure], found: Mapping[Key, Mapping[str, Any]]) -> str:
    """Return the best mean of a quantity among the publications of a kind whose attack succeeds at most so often."""
    quantities = ("sets_f1", "rules_f1", "auc")
    cells = []
    for data in DATA:
        for limit in _LIMITS:
            row = [data, f"{limit:g}"]
            for quantity in quantities:
                for figure, ways, places in _KINDS.values():
                    results = _results(figures, found, data, figure)
                    points = [
                        (mean(measured), f"`{way}`, {figure}={x}", mean(disclosed) + half_width(disclosed) <= limit)
                        for way in ways
                        for x in places
                        if (measured := values(results, way, x, quantity))
                        and (disclosed := _disclosed(figures, found, data, figure, way, x))
                        and mean(disclosed) <= limit
                    ]
                    best = max((point for point in points if point[2]), default=(0.0, "none", True))
                    better = max(points, default=best)
                    row.append(f"{best[0]:.3f} ({best[1]})")
                    row[-1] += f"; unresolved: {better[0]:.3f} ({better[1]})" if better[0] > best[0] else ""
            cells.append(tuple(row))
    names = [f"{_COLUMNS[quantity]}, {kind}" for quantity in quantities for kind in _KINDS]
    return f"{rows(('data', 'limit', *names), cells)}\n\n{_half_widths(figures, found)}"


def _disclosed(
    figures: Mapping[str, Figure], found: Mapping[Key, Mapping[str, Any]], data: str, figure: str, way: str, x: Any
) -> list[float]:
    """Return the success of the attack on a point above the control, on all records if these were attacked."""
    every = results_of_figure(figures[f"{data}_attack"], found) if data in ATTACKED else Repeated({})
    some = _results(figures, found, data, figure)
    on_all = values(every, way, place(**{figure: x}), "all_disclosed") or values(some, way, x, "all_disclosed")
    return on_all or values(some, way, x, "disclosed")


def _half_widths(figures: Mapping[str, Figure], found: Mapping[Key, Mapping[str, Any]]) -> str:
    """Return the largest half-width of the intervals of the attacks, for each data set."""
    cells = []
    for data in DATA:
        points = [
            (half_width(disclosed), f"`{way}`, {figure}={x}")
            for figure, ways, places in _KINDS.values()
            for way in ways
            for x in places
            if (disclosed := _disclosed(figures, found, data, figure, way, x))
        ]
        widest, at = max(points, default=(0.0, "none"))
        targets = f"all {TRAINED:,} training records" if data in ATTACKED else f"{ATTEMPTS} targets"
        middle = median(width for width, _ in points) if points else 0.0
        cells.append((data, targets, f"{middle:.4f}", f"{widest:.4f} ({at})"))
    return rows(("data", "attacked", "half-width of the interval, median", "largest"), cells)


def _above_control(figures: Mapping[str, Figure], found: Mapping[Key, Mapping[str, Any]]) -> str:
    """Return the private and synthetic points whose attack succeeds more often than its control."""
    points = {
        f"`{way}`, epsilon={x}, {data}": disclosed
        for data in DATA
        for way in _PRIVATE
        for x in (*EPSILONS, NO_NOISE)
        if (disclosed := _disclosed(figures, found, data, "epsilon", way, x))
    }
    above = [name for name, disclosed in points.items() if mean(disclosed) > half_width(disclosed)]
    return (
        f"Of {len(points)} points of private and synthetic records, {len(above)} have a difference from the control "
        f"above its interval ({'; '.join(above) or 'none'}). About one in forty is expected by chance."
    )


def _by_top(figures: Mapping[str, Figure], found: Mapping[Key, Mapping[str, Any]]) -> str:
    """Return the F1 of itemsets of PrivBasis, by the number of itemsets."""
    cells = []
    for data in DATA:
        results = results_of_figure(figures[f"{data}_top"], found)
        cells.append((data, *(interval(values(results, "priv-basis", top, "sets_f1")) for top in TOPS)))
    return rows(("data", *map(str, TOPS)), cells)


def _by_length(figures: Mapping[str, Figure], found: Mapping[Key, Mapping[str, Any]]) -> str:
    """Return the F1 of itemsets of the private releases, by the given length."""
    cells = []
    for data in DATA:
        chosen, given = (results_of_figure(figures[f"{data}_{name}"], found) for name in ("epsilon", "length"))
        for way in ("independent", "tree", "mst"):
            found_at = [interval(values(given, way, length, "sets_f1")) for length in LENGTHS]
            cells.append((data, f"`{way}`", interval(values(chosen, way, _EPSILON, "sets_f1")), *found_at))
    return rows(("data", "release", "chosen", *map(str, LENGTHS)), cells)


def values(results: Repeated, series: str, x: float | str, quantity: str) -> list[float]:
    """Return the values of a quantity at a point, for each sample that has it.

    ``disclosed`` is the difference of the share of inferred items between training records and test records.
    ``all_disclosed`` is the same if all records are attacked.
    """
    points = [one.measured.get((series, x), {}) for one in results.levels.values()]
    if quantity.endswith("disclosed"):
        of = quantity.removesuffix("disclosed") + "inferred"
        return [float(one[of] - one[f"control_{of}"]) for one in points if of in one]
    return [float(one[quantity]) for one in points if quantity in one]


def interval(measured: Sequence[float]) -> str:
    """Return the mean with half of the width of its 95% confidence interval by Student's t. Empty without values.

    >>> interval([0.4, 0.5, 0.6]), interval([0.25]), interval([])
    ('0.500 ± 0.248', '0.250', '')
    """
    if len(measured) < 2:
        return "".join(f"{value:.3f}" for value in measured)
    return f"{mean(measured):z.3f} ± {half_width(measured):.3f}"


def half_width(measured: Sequence[float]) -> float:
    """Return half of the width of the 95% confidence interval of the mean by Student's t. 0 for a single value."""
    from scipy.special import stdtrit

    if len(measured) < 2:
        return 0.0
    return float(stdtrit(len(measured) - 1, (1 + CONFIDENCE) / 2)) * stdev(measured) / sqrt(len(measured))
