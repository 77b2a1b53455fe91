"""Utility loss (UL) of a set-based anonymization, as a value and as a binary logarithm.

References: Loukides, Gkoulalas-Divanis, Malin (2010), Definitions 3.14 and 3.16.

Deviation: an item that is published unchanged has loss 0, except with the weights ``ones``.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from math import expm1, fsum, inf, ldexp, log, log1p, log2

import numpy as np

from anonset.data import Hierarchy, SetColumn, Vocabulary
from anonset.data.array_types import Int32, Int64
from anonset.data.redacted_repr import RedactedRepr
from anonset.data.spans import spans
from anonset.data.storage.store import MEMORY, Store
from anonset.errors import InputError, datum, require_known
from anonset.generalization import Cut, ItemGroups
from anonset.generalization.recoding import SUPPRESSED
from anonset.measures.losses.item_weights import KINDS, WEIGHTS, ItemWeights


@dataclass(frozen=True, eq=False)
class GroupWeights(RedactedRepr):
    """Weights of groups of items of a vocabulary."""

    kind: str
    """``lca``, ``uniform``, ``ones`` or ``listed``."""
    vocabulary: Vocabulary
    hierarchy: Hierarchy | None = None
    """Hierarchy of the items. Only used for ``lca``."""
    listed: tuple[tuple[frozenset[int], Fraction], ...] = ()
    """Itemsets as codes, with weights in ascending order. Only used for ``listed``."""

    def of(self, codes: Iterable[int]) -> Fraction:
        """Return the exact weight of a group of item codes."""
        group = frozenset(codes)
        if len(group) == 1:
            return Fraction(int(self.kind == "ones"))
        if self.hierarchy is not None:
            above = self.hierarchy.lowest_common_ancestor(group)
            return Fraction(int(self.hierarchy.n_leaves_below[above]), self.hierarchy.n_leaves)
        return next((weight for itemset, weight in self.listed if group <= itemset), Fraction(1))


def group_weights(
    weights: str | ItemWeights | None, vocabulary: Vocabulary, hierarchy: Hierarchy | None = None
) -> GroupWeights:
    """Create the weights of item groups for a vocabulary.

    Parameters
    ----------
    weights
        With ``lca``, the weight of a group is the share of all leaves that are below the lowest common ancestor of the
        group. With ``uniform``, the weight is 0 for a single item, and otherwise 1. With ``ones``, all weights are 1.
        Weights defined by the data owner are also accepted. The default is ``lca`` if there is a hierarchy, otherwise
        ``uniform``.
    hierarchy
        The hierarchy that the vocabulary is bound to. None if there is no hierarchy.

    Raises
    ------
    InputError
        If the weights are unknown, require a hierarchy that is missing, or contain unknown items.

    Examples
    --------
    >>> hierarchy = Hierarchy.from_tree(("ALL", [("A", ["a", "b", "c"]), ("B", ["d", "e", "f", "g", "h"])]))
    >>> group_weights("lca", hierarchy.leaves, hierarchy).of([0, 1])
    Fraction(3, 8)
    """
    if isinstance(weights, ItemWeights):
        return GroupWeights("listed", vocabulary, None, tuple(_listed(weights, vocabulary)))
    kind = weights or ("uniform" if hierarchy is None else "lca")
    require_known(WEIGHTS, kind, KINDS)
    if kind != "lca":
        return GroupWeights(kind, vocabulary)
    if hierarchy is None:
        raise InputError("item weights 'lca' need a hierarchy; declare a hierarchy, or use 'uniform'")
    if vocabulary != hierarchy.leaves:
        raise InputError("item weights 'lca': the column must be bound to the hierarchy first (Hierarchy.bind)")
    return GroupWeights(kind, vocabulary, hierarchy)


def _listed(weights: ItemWeights, vocabulary: Vocabulary) -> Iterable[tuple[frozenset[int], Fraction]]:
    for itemset, weight in weights.entries:
        if unknown := [item for item in itemset if item not in vocabulary.index]:
            msg = f"item weights: item {datum(unknown[0])} does not occur in the data ({len(vocabulary)} items)"
            raise InputError(msg)
        yield frozenset(vocabulary.index[item] for item in itemset), weight


_LN2 = log(2)


@dataclass(frozen=True)
class UtilityLoss:
    """Utility loss (UL) of a dataset. With many items, the value underflows to 0, but the logarithm does not."""

    generalization: float
    """Sum of the losses of the published groups."""
    generalization_log2: float
    """Binary logarithm of `generalization`. Minus infinity if the loss is 0."""
    suppression: float
    """Sum of the penalties of the suppressed items."""

    @property
    def value(self) -> float:
        """UL of the dataset."""
        return self.generalization + self.suppression

    @property
    def log2(self) -> float:
        """Binary logarithm of UL. Minus infinity if UL is 0."""
        return self.generalization_log2 if self.suppression == 0 else log2(self.value)


@dataclass(frozen=True)
class GroupLoss(RedactedRepr):
    """Loss of a published group."""

    items: tuple[str, ...]
    """Items of the group."""
    support: int
    weight: float
    value: float
    """UL of the group. It may underflow to 0."""
    log2: float
    """Binary logarithm of the UL of the group. Minus infinity if UL is 0."""


def group_utility_loss(size: int, universe: int, weight: Fraction | float, support: int, n: int) -> tuple[float, float]:
    """Return UL of a group of `size` items out of `universe`, and its binary logarithm.

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
    """Return log2(1 - 2^-size). The result is 0 if the size is at least 60."""
    return log1p(-ldexp(1, -size)) / _LN2 if size < 60 else 0.0


Supports = Mapping[frozenset[str], int]
"""Number of records that contain an item of a published group, by the items of the group. Other groups have none."""


def group_losses(
    column: SetColumn,
    recoding: ItemGroups | Cut,
    weights: GroupWeights,
    store: Store = MEMORY,
    supports: Supports | None = None,
) -> list[GroupLoss]:
    """Return the loss of each published group, in canonical order. If `supports` is None, they are counted."""
    group = _group_of_item(column, recoding)
    counted = _supports(column, group, store) if supports is None else None
    universe, labels, losses = len(column.vocabulary), column.vocabulary.labels, []
    for number, members in enumerate(_members(group)):
        weight, items = weights.of(members), tuple(labels[i] for i in members)
        support = int(counted[number]) if counted is not None else (supports or {}).get(frozenset(items), 0)
        value, logarithm = group_utility_loss(len(members), universe, weight, support, column.n)
        losses.append(GroupLoss(items, support, float(weight), value, logarithm))
    return losses


def utility_loss(
    column: SetColumn,
    recoding: ItemGroups | Cut,
    weights: GroupWeights,
    *,
    store: Store = MEMORY,
    supports: Supports | None = None,
) -> UtilityLoss:
    """Return the utility loss of a recoding of the original column, given the weights for the column's vocabulary.

    If `supports` is None, the workers of `store` count them.

    Raises
    ------
    InputError
        If the recoding does not match the column.

    Examples
    --------
    >>> column = SetColumn.of([["a", "b"], ["a"], ["c"]])
    >>> groups = ItemGroups(column.vocabulary, np.array([0, 0, 1], np.int32))
    >>> utility_loss(column, groups, group_weights("uniform", column.vocabulary)).value
    0.2857142857142857
    """
    losses = group_losses(column, recoding, weights, store, supports)
    suppressed = _group_of_item(column, recoding) == SUPPRESSED
    total = float(column.occurrences[suppressed].sum())
    return UtilityLoss(fsum(loss.value for loss in losses), _log2_sum([loss.log2 for loss in losses]), total)


def _log2_sum(logarithms: Sequence[float]) -> float:
    largest = max(logarithms, default=-inf)
    if largest == -inf:
        return -inf
    return largest + log2(fsum(2.0 ** (x - largest) for x in logarithms))


def _group_of_item(column: SetColumn, recoding: ItemGroups | Cut) -> Int32:
    """Return the group of each item, int32 (M,), numbered by first item. -1 if the item is suppressed."""
    items = recoding.hierarchy.leaves if isinstance(recoding, Cut) else recoding.vocabulary
    if column.vocabulary != items:
        raise InputError(
            f"column {column.name!r} must have the {len(items)} items of the recoding, in the same order "
            "(Hierarchy.bind for a cut)"
        )
    image = recoding.image if isinstance(recoding, Cut) else recoding.group
    _, first, inverse = np.unique(image, return_index=True, return_inverse=True)
    published = np.flatnonzero(image[first] != SUPPRESSED)
    number = np.full(len(first), SUPPRESSED, np.int32)
    number[published[np.argsort(first[published])]] = np.arange(len(published), dtype=np.int32)
    return number[inverse.reshape(-1)]


def _members(group: Int32) -> list[list[int]]:
    members: list[list[int]] = [[] for _ in range(int(group.max(initial=-1)) + 1)]
    for item, number in enumerate(group.tolist()):
        if number != SUPPRESSED:
            members[number].append(item)
    return members


def _supports(column: SetColumn, group: Int32, store: Store) -> Int64:
    supports = np.zeros(int(group.max(initial=-1)) + 1, np.int64)
    for part in store.map(partial(_supports_of, column, group), store.workers.divided(list(spans(column.n)))):
        supports += part
    return supports


def _supports_of(column: SetColumn, group: Int32, blocks: Iterable[tuple[int, int]]) -> Int64:
    from anonset_kernels.records.rows import map_rows

    supports = np.zeros(int(group.max(initial=-1)) + 1, np.int64)
    for first, end in blocks:
        block = column.slice(first, end)
        supports += np.bincount(map_rows(block.indptr, block.items, group, len(supports))[1], minlength=len(supports))
    return supports
