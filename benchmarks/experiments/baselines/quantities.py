"""Quantities of the study of baselines, and their values with 95% confidence intervals over the samples."""

from collections.abc import Sequence
from math import sqrt
from statistics import mean, stdev

from benchmarks.experiments.cases import Repeated
from benchmarks.experiments.criteria import CONFIDENCE

COLUMNS = {
    "sets_f1": "itemsets: F1",
    "rules_f1": "rules: F1",
    "auc": "classifier: AUC",
    "are": "ARE",
    "ncp": "NCP",
    "log2_ul": "log2 UL",
    "disclosed": "items inferred, minus control",
}
IN_WORDS = {"sets_f1": "itemsets", "rules_f1": "rules", "auc": "AUC", "are": "ARE"}
COMPARED = {"sets_f1": 1, "rules_f1": 1, "auc": 1, "are": -1}
"""Quantities by which private releases are compared with k^m-anonymous ones. -1: lower is better."""


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
