"""Tables of the study of baselines, with 95% confidence intervals over the samples."""

from collections.abc import Mapping, Sequence
from math import sqrt
from pathlib import Path
from statistics import mean, stdev
from typing import Any

from benchmarks.experiments.baselines import DATA, LENGTHS, LEVELS, NO_NOISE, ORIGINAL, PAPER
from benchmarks.experiments.cases import Figure, Key, Repeated
from benchmarks.experiments.criteria import CONFIDENCE
from benchmarks.experiments.judging import results_of_figure
from benchmarks.experiments.render import rows
from benchmarks.experiments.runner import results_of

_K, _EPSILON = 5, "1"
_SHOWN: tuple[tuple[str, str, str, float | str], ...] = (
    (ORIGINAL, ORIGINAL, "k", _K),
    *((f"`{way}`, k={_K}", way, "k", _K)
      for way in ("apriori", "set-search", "coat", "pcta", "disassociation", "rum-bound")),
    *((f"`{way}`, epsilon={_EPSILON}", way, "epsilon", _EPSILON) for way in ("diff-part", "independent", "tree")),
    ("`tree`, epsilon=10", "tree", "epsilon", "10"),
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
    """Return a Markdown table for each data set."""
    figures, found = {figure.key: figure for figure in PAPER.figures}, results_of(PAPER, results)
    parts = []
    for data in DATA:
        of = {name: results_of_figure(figures[f"{data}_{name}"], found) for name in ("k", "epsilon")}
        cells = [
            (shown, *(interval(values(of[figure], series, x, column)) for column in _COLUMNS))
            for shown, series, figure, x in _SHOWN
        ]
        parts += [f"**{data}**", rows(("publication", *_COLUMNS.values()), [row for row in cells if any(row[1:])])]
    return "\n\n".join([*parts, _SWEEP, _by_length(figures, found)])


_SWEEP = f"""\
**Number of items to which records are cut.** F1 of itemsets with epsilon={_EPSILON}. The first column is the length
that is chosen within epsilon. The other columns spend nothing on the choice:"""


def _by_length(figures: Mapping[str, Figure], found: Mapping[Key, Mapping[str, Any]]) -> str:
    """Return the F1 of itemsets of the private releases, by the given length."""
    cells = []
    for data in DATA:
        chosen, given = (results_of_figure(figures[f"{data}_{name}"], found) for name in ("epsilon", "length"))
        for way in ("independent", "tree"):
            found_at = [interval(values(given, way, length, "sets_f1")) for length in LENGTHS]
            cells.append((data, f"`{way}`", interval(values(chosen, way, _EPSILON, "sets_f1")), *found_at))
    return rows(("data", "release", "chosen", *map(str, LENGTHS)), cells)


def values(results: Repeated, series: str, x: float | str, quantity: str) -> list[float]:
    """Return the values of a quantity at a point, for each sample that has it.

    ``disclosed`` is the difference of the share of inferred items between training records and test records.
    """
    points = [results.levels[level].measured.get((series, x), {}) for level in LEVELS if level in results.levels]
    if quantity == "disclosed":
        return [float(one["inferred"] - one["control_inferred"]) for one in points if "inferred" in one]
    return [float(one[quantity]) for one in points if quantity in one]


def interval(measured: Sequence[float]) -> str:
    """Return the mean with half of the width of its 95% confidence interval by Student's t. Empty without values.

    >>> interval([0.4, 0.5, 0.6]), interval([0.25]), interval([])
    ('0.500 ± 0.248', '0.250', '')
    """
    from scipy.special import stdtrit

    if len(measured) < 2:
        return "".join(f"{value:.3f}" for value in measured)
    half = float(stdtrit(len(measured) - 1, (1 + CONFIDENCE) / 2)) * stdev(measured) / sqrt(len(measured))
    return f"{mean(measured):z.3f} ± {half:.3f}"
