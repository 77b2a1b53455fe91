"""Naive Bayes classifiers that are trained on a publication, and tested on original records.

The task is to predict whether a record contains an item, from the other items of the record. The classifiers are
Bernoulli naive Bayes with Laplace smoothing. They need only counts of items and pairs, which every publication gives
as expected supports, so a publication needs no expansion into records.
"""

from collections.abc import Sequence

import numpy as np
from benchmarks.experiments.baselines.itemsets import ItemSupports
from benchmarks.experiments.baselines.noise import Bools, Counts, matrix_of

from anonset.data import SetColumn

DIGITS = 9
"""Decimals to which scores are compared. The sum of 100 logarithms has an error below 1e-12."""


def mean_auc(supports: ItemSupports, n: int, tested: SetColumn, targets: Sequence[str], items: Sequence[str]) -> float:
    """Return the mean AUC over the targets.

    Parameters
    ----------
    supports
        Supports of the publication.
    n
        Number of published records.
    tested
        Original records that were not published.
    targets
        Items to predict.
    items
        Items that the classifiers use, except the target.
    """
    matrix, index = matrix_of(tested), tested.vocabulary.index
    areas = []
    for target in targets:
        used = [item for item in items if item != target]
        present = matrix[:, [index[item] for item in used]]
        areas.append(auc(scores(supports, n, target, used, present), matrix[:, index[target]]))
    return float(np.mean(areas))


def scores(supports: ItemSupports, n: int, target: str, items: Sequence[str], present: Bools) -> Counts:
    """Return the logarithm of the odds that each record contains the target, without the prior, float64 (records,).

    Parameters
    ----------
    present
        True if a record contains an item, bool (records, items).
    """
    positive = min(float(n), supports.count(target))
    both = np.minimum([supports.count(target, item) for item in items], positive)
    other = np.clip([supports.count(item) for item in items] - both, 0, n - positive)
    with_target = (both + 1) / (positive + 2)
    without = (other + 1) / (n - positive + 2)
    if_present, if_absent = np.log(with_target / without), np.log((1 - with_target) / (1 - without))
    found: Counts = present @ (if_present - if_absent) + if_absent.sum()
    return found


def auc(score: Counts, positive: Bools) -> float:
    """Return the area under the ROC curve. Ties count one half. It is 1/2 if all records are of one class.

    Scores that agree to `DIGITS` decimals are ties, so the order of a sum on a processor does not separate them.

    >>> auc(np.array([0.1, 0.4, 0.4, 0.9]), np.array([False, False, True, True]))
    0.875
    """
    n_positive, n_negative = int(positive.sum()), int((~positive).sum())
    if not n_positive or not n_negative:
        return 0.5
    _, place, number = np.unique(score.round(DIGITS), return_inverse=True, return_counts=True)
    rank = (np.cumsum(number) - (number - 1) / 2)[place]
    return float((rank[positive].sum() - n_positive * (n_positive + 1) / 2) / (n_positive * n_negative))
