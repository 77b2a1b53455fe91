"""Results and quantities of the study of baselines, with 95% confidence intervals over the samples."""

import json
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from math import sqrt
from pathlib import Path
from statistics import mean, stdev
from typing import Any

from benchmarks.experiments.baselines import LARGE, PAPER, RELEASES, WIDER, place
from benchmarks.experiments.baselines.measurement import TRAINED
from benchmarks.experiments.cases import Repeated, Results
from benchmarks.experiments.criteria import CONFIDENCE
from benchmarks.experiments.judging import results_of_figure
from benchmarks.experiments.runner import RESULTS, results_of

SMARTNOISE, SMARTNOISE_RESULTS = "MST of SmartNoise", RESULTS / "smartnoise.jsonl"
"""Name and results of a generator that runs in its own environment (`benchmarks.smartnoise`)."""
SMARTNOISE_TRIALS = RESULTS / "smartnoise_trials.jsonl"
"""Times of MST and AIM of SmartNoise by the number of items."""
PRIVATE = (*RELEASES, WIDER, SMARTNOISE)
"""Names of the private releases."""
Stored = Callable[[str, str], Repeated]
"""Returns the results of a data set and a kind of figure, such as ``epsilon``."""

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


def stored(results: Path = RESULTS) -> Stored:
    """Return the stored results. MST of SmartNoise is part of the figures over epsilon and of larger data."""
    figures, found = {figure.key: figure for figure in PAPER.figures}, results_of(PAPER, results)

    def of(data: str, figure: str) -> Repeated:
        own = results_of_figure(figures[f"{data}_{figure}"], found).levels
        levels = {level: dict(one.measured) for level, one in own.items()}
        for one in smartnoise():
            x = {("epsilon", TRAINED): one["epsilon"], ("large", LARGE): place(epsilon=one["epsilon"])}
            if one["data"] == data and (figure, one["trained"]) in x:
                levels.setdefault(one["sample"], {})[SMARTNOISE, x[figure, one["trained"]]] = one["measured"]
        return Repeated({level: Results(measured) for level, measured in levels.items()})

    return of


def trials() -> list[dict[str, Any]]:
    """Return the time of each trial of MST and AIM of SmartNoise, with its measures unless it was stopped."""
    return [json.loads(line) for line in SMARTNOISE_TRIALS.read_text(encoding="utf-8").splitlines()]


def smartnoise() -> list[dict[str, Any]]:
    """Return the results of SmartNoise at each point with several divisions. One division has no interval."""
    found = [json.loads(line) for line in SMARTNOISE_RESULTS.read_text(encoding="utf-8").splitlines()]
    divisions = Counter((one["data"], one["trained"], one["epsilon"]) for one in found)
    return [one for one in found if divisions[one["data"], one["trained"], one["epsilon"]] > 1]


def values(results: Repeated, series: str, x: float | str, quantity: str) -> list[float]:
    """Return the values of a quantity at a point, for each sample that has it (`by_sample`)."""
    return list(by_sample(results, series, x, quantity).values())


def by_sample(results: Repeated, series: str, x: float | str, quantity: str) -> dict[str, float]:
    """Return the value of a quantity at a point by sample.

    ``disclosed`` is the difference of the share of inferred items between training records and test records.
    ``all_disclosed`` is the same if all records are attacked.
    """
    points = {sample: one.measured.get((series, x), {}) for sample, one in results.levels.items()}
    if quantity.endswith("disclosed"):
        of = quantity.removesuffix("disclosed") + "inferred"
        return {sample: float(one[of] - one[f"control_{of}"]) for sample, one in points.items() if of in one}
    return {sample: float(one[quantity]) for sample, one in points.items() if quantity in one}


def is_better(quantity: str, these: Mapping[str, float], others: Mapping[str, float]) -> bool:
    """Return True if values are better than others: the mean difference on common samples exceeds its 95% interval.

    >>> is_better("auc", {"a": 0.5, "b": 0.6, "c": 0.7}, {"a": 0.4, "b": 0.5, "c": 0.61})
    True
    >>> is_better("auc", {"a": 0.5, "b": 0.6}, {"a": 0.4, "b": 0.6}), is_better("auc", {"a": 0.5}, {"a": 0.4})
    (False, False)
    """
    return p_of_better(quantity, these, others) < (1 - CONFIDENCE) / 2


def p_of_better(
    quantity: str, these: Mapping[str, float], others: Mapping[str, float], *, overlap: float = 0.0
) -> float:
    """Return the one-sided p-value by Student's t that the mean difference on common samples is in favour of `these`.

    It is 1 if fewer than two samples are common or all values are equal.

    Parameters
    ----------
    overlap
        Ratio of the sizes of test and training records, if the p-value is for new data: random divisions of the same
        records overlap (Nadeau, Bengio, Inference for the generalization error, Machine Learning 52, 2003).
    """
    from scipy.special import stdtr

    sign = COMPARED[quantity]
    differences = [sign * (value - others[sample]) for sample, value in these.items() if sample in others]
    if len(differences) < 2 or not (middle := mean(differences)):
        return 1.0
    error = stdev(differences) * sqrt(1 / len(differences) + overlap)
    return float(stdtr(len(differences) - 1, -middle / error)) if error else float(middle < 0)


def interval(measured: Collection[float]) -> str:
    """Return the mean with half of the width of its 95% confidence interval by Student's t. Empty without values.

    >>> interval([0.4, 0.5, 0.6]), interval([0.25]), interval([])
    ('0.500 ± 0.248', '0.250', '')
    """
    if len(measured) < 2:
        return "".join(f"{value:.3f}" for value in measured)
    return f"{mean(measured):z.3f} ± {half_width(measured):.3f}"


def half_width(measured: Collection[float]) -> float:
    """Return half of the width of the 95% confidence interval of the mean by Student's t. 0 for a single value."""
    from scipy.special import stdtrit

    if len(measured) < 2:
        return 0.0
    return float(stdtrit(len(measured) - 1, (1 + CONFIDENCE) / 2)) * stdev(measured) / sqrt(len(measured))
