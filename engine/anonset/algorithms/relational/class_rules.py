"""Requirements on equivalence classes in addition to k. Classes that violate a requirement are merged."""

from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

import numpy as np

from anonset.algorithms.clusters import renumber_clusters
from anonset.algorithms.relational.generalized_tuples import GeneralizedTuples, loss_keys
from anonset.data import CategoricalColumn, Table
from anonset.data.array_types import Int32, Int64
from anonset.data.class_rules import ClassRule
from anonset.data.decimals import Written, exact
from anonset.data.hierarchies.hierarchy_rules import NO_VALUE
from anonset.data.quasi_identifiers import QuasiIdentifiers
from anonset.errors import Fix, InputError
from anonset.privacy.classes import Distance, Kind, KLDiversity, KTCloseness
from anonset.privacy.k import KAnonymity
from anonset.spelling import setting

NEAREST = 64
"""Number of clusters that are tried as merge partners. They are the clusters with the least union loss."""
_LARGEST = 1 << 62
"""Upper bound of products of counts, so that they fit in 64 bits."""


def model_of(
    k: int,
    sensitive: str | None,
    diversity: tuple[int | None, Kind, Written | None],
    closeness: tuple[Written | None, Distance, str | None],
) -> KAnonymity:
    """Return the requested model: k-anonymity, (k,l)-diversity or (k,t)-closeness.

    Raises
    ------
    InputError
        If a parameter is missing, superfluous or invalid.
    """
    (l, kind, c), (t, distance, tree) = diversity, closeness  # noqa: E741
    if sensitive is None:
        set_parameters = [name for name, value in (("l", l), ("c", c), ("t", t)) if value is not None]
        set_parameters += [
            name for name, differs in (("l_kind", kind != "distinct"), ("t_distance", distance != "equal")) if differs
        ]
        if set_parameters:
            needed = f"{setting(set_parameters[0])} requires {setting('sensitive')}"
            without = f"use {setting('model', 'k')} without {setting(set_parameters[0])}"
            column = "the column whose values must differ in each class"
            raise InputError(f"{needed}, {column}; for a table without a sensitive column, {without}")
        return KAnonymity(k)
    if (l is None) == (t is None):
        parameters = f"{setting('l')} and {setting('t')}"
        problem = (
            f"one of {parameters} is required with it"
            if l is None
            else f"{parameters} belong to different models; use only one of these parameters"
        )
        fixes = [
            Fix({"keep": [sensitive]}, "to publish it without a guarantee"),
            Fix({"drop": [sensitive]}, "to remove it"),
        ]
        raise InputError(f"{setting('sensitive')} {sensitive!r}: {problem}", fixes=fixes)
    if l is not None:
        _require_alone(distance != "equal" or tree is not None, "t_distance", "t")
        return KLDiversity(k, l, sensitive, kind, c)
    _require_alone(kind != "distinct" or c is not None, "l_kind", "l")
    return KTCloseness(k, t if t is not None else 1, sensitive, distance, tree)


def _require_alone(is_set: bool, name: str, of: str) -> None:
    if is_set:
        raise InputError(f"{setting(name)} requires {setting(of)}")


def rule_of(model: KAnonymity, table: Table) -> ClassRule | None:
    """Return the rule that a model imposes on the classes of a table. None if the model limits only the class size.

    Raises
    ------
    InputError
        If the sensitive column is missing, or the table is too large for exact comparison in 64 bits. An ordered
        distance requires that all values are numbers.
    """
    if not isinstance(model, (KLDiversity, KTCloseness)):
        return None
    from anonset_kernels.relational._class_rules import DISTINCT, ENTROPY, EQUAL, RECURSIVE, WAYS

    column = _sensitive(model.sensitive, table)
    occurring = _known_values(column)
    n = int(column.overall[occurring].sum())
    place_of = np.full(len(column.vocabulary), -1, np.int64)
    place_of[occurring] = np.arange(len(occurring))
    if isinstance(model, KLDiversity):
        kind = {"distinct": DISTINCT, "entropy": ENTROPY, "recursive": RECURSIVE}[model.l_kind]
        c = Fraction(1) if model.c is None else exact(model.c)
        return _rule((kind, model.l, c.numerator, c.denominator, n, 0, 0, 1), column, place_of)
    ways, scale, kind = np.zeros((0, 3), np.int64), 1, EQUAL
    if model.t_distance == "ordered":
        place_of, kind = _ranks(column), WAYS
        scale = max(1, int(place_of.max(initial=0)))
        ways = np.array([(0, end, 1) for end in range(1, scale + 1)], np.int64)
    elif model.t_distance == "hierarchical":
        place_of, ways, scale = _by_tree(column, model)
        kind = WAYS
    if n * n * scale >= _LARGEST:
        raise InputError(f"model kt: too many records ({n:,}) or distances ({scale:,}) for an exact comparison")
    t = exact(model.t)
    quotient, remainder = divmod(t.numerator * scale * n, t.denominator)
    return _rule((kind, 0, 1, 1, n, quotient, remainder, t.denominator), column, place_of, ways)


def merge_broken(qi: QuasiIdentifiers, cluster: Int32) -> Int32:
    """Merge clusters that break the rule of `qi` with other clusters, until all clusters satisfy the rule.

    Clusters are processed in the order of their first records. The candidates are the 64 clusters whose union increases
    the total loss least. The cheapest candidate whose union satisfies the rule is chosen. If no union satisfies the
    rule, the cheapest candidate is chosen.

    Returns
    -------
    int32 (n,)
        Cluster of each record. Clusters are numbered by first record.
    """
    rule, n = qi.rule, int(cluster.max(initial=-1)) + 1
    if rule is None or not rule.broken_classes(cluster, n).any():
        return cluster
    merging = _Merging(qi, rule, cluster, n)
    while merging.open.any():
        merging.merge(int(np.argmax(merging.open)))
    return renumber_clusters(merging.into[cluster])[0]


class _Merging:
    def __init__(self, qi: QuasiIdentifiers, rule: ClassRule, cluster: Int32, n: int) -> None:
        self.rule, self.tuples = rule, GeneralizedTuples.of(qi, cluster, n)
        self.open = rule.broken_classes(cluster, n)
        """True for clusters that break the rule, bool (C,)."""
        self.there = np.ones(n, np.bool_)
        self.size = np.bincount(cluster, minlength=n)
        self.into: Int64 = np.arange(n)
        order = np.argsort(cluster, kind="stable")
        self._values = np.split(rule.value[order], np.cumsum(self.size)[:-1])

    def merge(self, c: int) -> None:
        losses = self.tuples.losses()
        rise = (self.size + self.size[c]) * self.tuples.union_losses(c) - self.size * losses
        keys = np.where(self.there, loss_keys(rise / self.size.sum()), np.inf)
        keys[c] = np.inf
        nearest = np.argsort(keys, kind="stable")[: min(NEAREST, int(self.there.sum()) - 1)].tolist()
        breaks = self._unions_break(c, nearest)
        partner = nearest[int(np.argmin(breaks))]
        low, high = min(c, partner), max(c, partner)
        self.tuples.merge(low, high)
        self.size[low] += self.size[high]
        self._values[low] = np.concatenate([self._values[low], self._values[high]])
        self.into[self.into == high] = low
        self.there[high] = self.open[high] = False
        self.open[low] = bool(breaks.all())

    def _unions_break(self, c: int, others: Iterable[int]) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        unions = [np.concatenate([self._values[c], self._values[other]]) for other in others]
        group = np.repeat(np.arange(len(unions)), [len(union) for union in unions])
        rule = replace(self.rule, value=np.concatenate(unions))
        return rule.broken_classes(group, len(unions))


def _rule(terms: tuple[int, ...], column: CategoricalColumn, place_of: Int64, ways: Int64 | None = None) -> ClassRule:
    """Return the rule. Categories with equal numbers in `place_of` count as the same value. -1 for missing values."""
    overall = np.zeros(int(place_of.max(initial=0)) + 1, np.int64)
    np.add.at(overall, place_of[place_of >= 0], column.overall[place_of >= 0])
    moves = np.zeros((0, 3), np.int64) if ways is None else ways
    return ClassRule(np.array(terms, np.int64), overall, place_of[column.codes].astype(np.int32), moves)


def _by_tree(column: CategoricalColumn, model: KTCloseness) -> tuple[Int64, Int64, int]:
    """Return the place of each category in a tree, `ClassRule.ways`, and twice the height of the root.

    The path from a value to an ancestor of height h has length h. The distance of two values is twice the height of
    their lowest common ancestor.
    """
    labels, paths = column.vocabulary.labels, model.paths
    occurring = _known_values(column).tolist()
    if any(labels[code] not in paths for code in occurring):
        msg = f"sensitive column {column.name!r}: a value is not in {setting('t_tree')}; add a line for each value"
        raise InputError(msg)
    height: dict[str, int] = {}
    for path in paths.values():
        for steps, node in enumerate(path):
            height[node] = max(height.get(node, 0), steps)
    ordered = sorted(occurring, key=lambda code: paths[labels[code]][::-1])
    ends: dict[str, tuple[int, int, int]] = {}
    for place, code in enumerate(ordered):
        path = paths[labels[code]]
        for node, above in pairwise(path):
            first = ends.get(node, (place, 0, 0))[0]
            ends[node] = first, place + 1, height[above] - height[node]
    place_of = np.full(len(labels), -1, np.int64)
    place_of[ordered] = np.arange(len(ordered))
    ways = np.array(list(ends.values()), np.int64).reshape(-1, 3)
    return place_of, ways, max(1, 2 * max(height.values()))


def _sensitive(name: str, table: Table) -> CategoricalColumn:
    separate = () if table.sensitive is None else (table.sensitive,)
    columns: tuple[CategoricalColumn, ...] = (*table.kept, *separate)
    for column in columns:
        if column.name == name:
            return column
    raise InputError(f"{setting('sensitive')}: the table has no column {name!r} that is published unchanged")


def _known_values(column: CategoricalColumn) -> Int64:
    labels, there = column.vocabulary.labels, np.flatnonzero(column.overall).tolist()
    return np.array([code for code in there if labels[code].strip() not in NO_VALUE], np.int64)


def _ranks(column: CategoricalColumn) -> Int64:
    """Return the rank of each category among the numbers of the column, int64 (M,). -1 for missing values."""
    numbers = {}
    for code in _known_values(column).tolist():
        try:
            numbers[code] = exact(column.vocabulary.labels[code])
        except ValueError:
            distance = setting("t_distance", "ordered")
            msg = f"sensitive column {column.name!r}: {distance} requires numbers, and a value is not a number"
            raise InputError(msg) from None
    place = {number: rank for rank, number in enumerate(sorted(set(numbers.values())))}
    rank_of = np.full(len(column.vocabulary), -1, np.int64)
    for code, number in numbers.items():
        rank_of[code] = place[number]
    return rank_of
