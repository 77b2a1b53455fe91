"""Utility loss (UL) of a set-based anonymization, as a value and as a binary logarithm.

References: Loukides, Gkoulalas-Divanis, Malin (2010), Definitions 3.14 and 3.16.
Deviation: a single item that is published as itself loses nothing (see `anonset.measures.item_weights`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import expm1, fsum, inf, ldexp, log, log1p, log2
from typing import Literal

import numpy as np

from anonset.data import SetColumn
from anonset.data.discreet import Discreet
from anonset.data.table import Int32, Int64
from anonset.errors import InputError
from anonset.generalization import Cut, ItemGroups
from anonset.generalization.recoding import SUPPRESSED
from anonset.measures.item_weights import GroupWeights, ItemWeights, group_weights

_LN2 = log(2)
Penalty = Literal["support", "fraction"]


@dataclass(frozen=True)
class UtilityLoss:
    """UL of a dataset. The value underflows to 0 for large universes; the logarithm does not."""

    generalization: float
    """Sum over the published groups."""
    generalization_log2: float
    """Its binary logarithm; minus infinity for 0."""
    suppression: float
    """Penalties of the suppressed items."""

    @property
    def value(self) -> float:
        """UL of the dataset."""
        return self.generalization + self.suppression

    @property
    def log2(self) -> float:
        """Binary logarithm of UL; minus infinity for 0."""
        return self.generalization_log2 if self.suppression == 0 else log2(self.value)


@dataclass(frozen=True)
class GroupLoss(Discreet):
    """What one published group costs."""

    items: tuple[str, ...]
    """Its items."""
    support: int
    """Published records that hold it."""
    weight: float
    """Its weight."""
    value: float
    """UL of the group; may underflow to 0."""
    log2: float
    """Its binary logarithm; minus infinity for 0."""


def group_utility_loss(size: int, universe: int, weight: Fraction | float, support: int, n: int) -> tuple[float, float]:
    """Return UL of a group of `size` of `universe` items, and its binary logarithm.

    >>> value, logarithm = group_utility_loss(3, 1657, 1.0, 100, 1000)
    >>> value, round(logarithm, 6)
    (0.0, -1657.514573)
    """
    if weight == 0 or support == 0:
        return 0.0, -inf
    ratio = ldexp(expm1(-size * _LN2) / expm1(-universe * _LN2), size - universe)
    logarithm = (size - universe) + _log2_below(size) - _log2_below(universe) + log2(weight) + log2(support) - log2(n)
    return ratio * float(weight) * support / n, logarithm


def _log2_below(size: int) -> float:
    """Return log2(1 - 2^-size), 0 from 60 on."""
    return log1p(-ldexp(1, -size)) / _LN2 if size < 60 else 0.0


def group_losses(column: SetColumn, recoding: ItemGroups | Cut, weights: GroupWeights) -> list[GroupLoss]:
    """Return what each published group costs, in canonical order."""
    group = _group_of_item(column, recoding)
    supports = _supports(column, group)
    universe, labels, losses = len(column.vocabulary), column.vocabulary.labels, []
    for number, members in enumerate(_members(group)):
        weight, support = weights.of(members), int(supports[number])
        value, logarithm = group_utility_loss(len(members), universe, weight, support, column.n)
        losses.append(GroupLoss(tuple(labels[i] for i in members), support, float(weight), value, logarithm))
    return losses


def utility_loss(
    column: SetColumn,
    recoding: ItemGroups | Cut,
    weights: str | ItemWeights | None = None,
    *,
    penalty: Penalty = "support",
) -> UtilityLoss:
    """Return the utility loss of a recoding.

    Parameters
    ----------
    column
        The **original** column, bound to the recoding's items or hierarchy.
    recoding
        Item groups, or a hierarchy cut, whose nodes are groups.
    weights
        See `anonset.measures.item_weights.group_weights`; ``lca`` needs a cut here.
    penalty
        What a suppressed item costs: its original support, or that over the number of records.

    Raises
    ------
    InputError
        If the recoding is not one for the column, or a parameter is unknown.

    Examples
    --------
    >>> column = SetColumn.of([["a", "b"], ["a"], ["c"]])
    >>> utility_loss(column, ItemGroups(column.vocabulary, np.array([0, 0, 1], np.int32))).value
    0.2857142857142857
    """
    hierarchy = recoding.hierarchy if isinstance(recoding, Cut) else None
    resolved = group_weights(weights, column.vocabulary, hierarchy)
    return weighted_utility_loss(column, recoding, resolved, penalty=penalty)


def weighted_utility_loss(
    column: SetColumn, recoding: ItemGroups | Cut, weights: GroupWeights, *, penalty: Penalty = "support"
) -> UtilityLoss:
    """Return the utility loss of a recoding by weights that have been resolved for the column's vocabulary.

    Raises
    ------
    InputError
        If the recoding is not one for the column, or the penalty is unknown.
    """
    if penalty not in ("support", "fraction"):
        msg = f"penalty must be 'support' or 'fraction', got {penalty!r}"
        raise InputError(msg)
    losses = group_losses(column, recoding, weights)
    suppressed = _group_of_item(column, recoding) == SUPPRESSED
    total = float(column.occurrences[suppressed].sum())
    if penalty == "fraction":
        total /= max(1, column.n)
    return UtilityLoss(fsum(loss.value for loss in losses), _log2_sum([loss.log2 for loss in losses]), total)


def _log2_sum(logarithms: Sequence[float]) -> float:
    """Return the binary logarithm of a sum of powers of two."""
    largest = max(logarithms, default=-inf)
    if largest == -inf:
        return -inf
    return largest + log2(fsum(2.0 ** (x - largest) for x in logarithms))


def _group_of_item(column: SetColumn, recoding: ItemGroups | Cut) -> Int32:
    """int32 (M,): group of each item, numbered by smallest items; -1 where it is suppressed."""
    items = recoding.hierarchy.leaves if isinstance(recoding, Cut) else recoding.vocabulary
    if column.vocabulary != items:
        msg = (
            f"column {column.name!r} must hold the {len(items)} items of the recoding, in their order "
            "(Hierarchy.bind for a cut)"
        )
        raise InputError(msg)
    image = recoding.image if isinstance(recoding, Cut) else recoding.group
    _, first, inverse = np.unique(image, return_index=True, return_inverse=True)
    kept = np.flatnonzero(image[first] != SUPPRESSED)
    number = np.full(len(first), SUPPRESSED, np.int32)
    number[kept[np.argsort(first[kept])]] = np.arange(len(kept), dtype=np.int32)
    return number[inverse.reshape(-1)]


def _members(group: Int32) -> list[list[int]]:
    """Return the item codes of each group."""
    found: list[list[int]] = [[] for _ in range(int(group.max(initial=-1)) + 1)]
    for item, number in enumerate(group.tolist()):
        if number != SUPPRESSED:
            found[number].append(item)
    return found


def _supports(column: SetColumn, group: Int32) -> Int64:
    """int64: records that hold any item of each group."""
    from anonset_kernels.rows import map_rows

    n_groups = int(group.max(initial=-1)) + 1
    _, symbols = map_rows(column.indptr, column.items, group, n_groups)
    return np.bincount(symbols, minlength=n_groups).astype(np.int64)
