"""Apriori anonymization for l^m-diversity: non-sensitive items are generalized, sensitive ones stay as they are.

The steps of AA (see `apriori`), with the test of diversity in place of the count, until a sweep changes nothing::

    for i = 1 .. m                                               _DiversitySearch.sweep
        the next set of i nodes of the cut whose cohort is       kernel lm.find_violation
        too small, or too often has the same sensitive item
        the cheapest rules that give it a good cohort            kernel lm.choose_rules
        added to the cut                                         _DiversitySearch._fix
"""

from collections.abc import Mapping
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from anonset.algorithms.base import Progress, Result
from anonset.algorithms.transaction.cut_search import Fix
from anonset.algorithms.transaction.expanded_records import expand_records, nodes_at_or_above
from anonset.data import Hierarchy, SetColumn, Table
from anonset.data.discreet import Discreet
from anonset.data.hierarchy import attach_sensitive
from anonset.data.table import Index, Int32, Int64
from anonset.errors import InfeasibleError, InputError
from anonset.generalization import Cut
from anonset.privacy.lm import LmDiversity


@dataclass(frozen=True, kw_only=True)
class LmApriori(Discreet):
    """Apriori anonymization with the test of l^m-diversity in place of that of k^m-anonymity.

    Guarantees that the records that match up to m non-sensitive items are at least k, and that no sensitive item
    is in more than one of l of them. Diversity is not monotone: a generalisation that mends one set may break
    another, so sweeps over the sizes 1 to m repeat until one changes nothing.
    Cost: one increment for each set of up to m nodes of the cut in each record, and one for each sensitive item of
    these records, for each sweep.

    References: Terrovitis, Mamoulis, Kalnis, VLDB Journal 2011, as described by Poulis et al., 2013, section 5.
    Deviations: sets are visited on the current cut alone, since a threat above it says nothing about the sets below.

    The recoding's hierarchy has the sensitive items as leaves beside the given one, which must not hold them
    (`attach_sensitive`).

    >>> from anonset.data import Hierarchy, Table
    >>> hierarchy = Hierarchy.from_tree(("ALL", [("A", ["a1", "a2"]), ("B", ["b1", "b2"])]))
    >>> rows = ["a1 b1 s1", "a1 b2", "a2 b1 s2", "a2 b2", "a1 b1", "a2 b2 s1", "a1 b2 s2", "a2 b1"]
    >>> table = Table.from_sets(row.split() for row in rows)
    >>> lm = LmApriori(k=2, l=3, m=2, sensitive_items=("s1", "s2"))
    >>> lm.recode(table, {"items": hierarchy}).recoding.labels
    ['A', 'b1', 'b2', 's1', 's2']
    """

    name: ClassVar[str] = "lm-apriori"

    k: int
    """Smallest number of records that match (>= 1; 1 asks for diversity alone)."""
    l: int  # noqa: E741
    """A sensitive item is in at most one of `l` of the records that match (>= 1)."""
    m: int
    """Largest number of non-sensitive items the attacker knows (>= 1)."""
    sensitive_items: tuple[str, ...] = ()
    """Items that must not be told; published as they are."""

    def __post_init__(self) -> None:
        _ = self.model

    @property
    def model(self) -> LmDiversity:
        """l^m-diversity, with cohorts of at least k."""
        return LmDiversity(self.k, self.l, self.m, self.sensitive_items)

    def recode(
        self,
        table: Table,
        hierarchies: Mapping[str, Hierarchy],
        *,
        executor: Executor | None = None,
        progress: Progress | None = None,
    ) -> Result:
        """Find the cut; the trace lists the fixes in order.

        Raises
        ------
        InfeasibleError
            If a sensitive item is in more than one of l of all records, these are some, but fewer than k, or no
            generalisation of a set is good.
        InputError
            If a sensitive item is in the hierarchy of the others.
        """
        column = table.transactions
        if column is None or column.name not in hierarchies:
            msg = "the table must have a set-valued column with a hierarchy of its non-sensitive items, got none"
            raise InputError(msg)
        hierarchy = attach_sensitive(hierarchies[column.name], self.sensitive_items)
        search = _DiversitySearch(hierarchy.bind(column), hierarchy, self.k, self.l, len(self.sensitive_items))
        search.require_feasible()
        sweeps = 0
        while search.sweep(self.m, progress):
            sweeps += 1
        return Result(Cut(hierarchy, search.image), tuple(search.fixes), {"sweeps": float(sweeps + 1)})


class _DiversitySearch:
    """A cut of the non-sensitive items under construction. Their leaf codes come first, the sensitive items after."""

    def __init__(self, column: SetColumn, hierarchy: Hierarchy, k: int, diversity: int, n_sensitive: int) -> None:
        from anonset_kernels.count_tree import node_supports
        from anonset_kernels.rows import transpose

        self.hierarchy, self.rule, self.n = hierarchy, (k, diversity), column.n
        self.n_items = hierarchy.n_leaves - n_sensitive
        self.top = 1 if n_sensitive else 0
        ordinary, self.sensitive = _split(column, self.n_items)
        self.indptr, self.items = ordinary
        parent = hierarchy.parent.copy()
        parent[self.top] = -1
        self.tree = (parent, hierarchy.leaf_lo, hierarchy.leaf_hi, hierarchy.subtree_end)
        self.support: Int64 = node_supports(self.indptr, self.items, hierarchy.leaf_node, parent)
        rank = np.lexsort((np.arange(hierarchy.n_nodes), -self.support)).astype(np.int32)
        self.rank = rank[(rank != self.top) & (self.support[rank] > 0)]
        by_item = transpose(self.indptr, self.items, hierarchy.n_leaves)
        self.data = (self.indptr, self.items, *by_item, *self.sensitive, np.arange(column.n, dtype=np.int64))
        occurrences = np.bincount(self.items, minlength=hierarchy.n_leaves)
        self.occurrences = np.concatenate([[0], np.cumsum(occurrences)]).astype(np.int64)
        self.image = hierarchy.leaf_node.copy()
        self.below = np.zeros(hierarchy.n_nodes, np.int64)
        self.tally = np.zeros(max(1, n_sensitive), np.int64)
        self.fixes: list[Fix] = []

    def require_feasible(self) -> None:
        """Refuse data whose records, all together, are too few or too alike."""
        k, diversity = self.rule
        if 0 < self.n < k:
            reason = f"there are {self.n} records, at least k={k} are required"
            raise InfeasibleError(LmApriori.name, reason, achieved=float(self.n), bound=float(k))
        counts = np.bincount(self.sensitive[1], minlength=1)
        worst = int(np.argmax(counts))
        if int(counts[worst]) * diversity > self.n:
            label = self.hierarchy.leaves.labels[self.n_items + worst]
            found = f"sensitive item {label!r} is in {counts[worst]} of {self.n} records"
            reason = f"{found}, at most 1/{diversity} are allowed"
            raise InfeasibleError(LmApriori.name, reason, achieved=float(counts[worst] / self.n), bound=1 / diversity)

    def sweep(self, m: int, progress: Progress | None) -> bool:
        """Mend the bad sets of 1 to m nodes of the cut; return whether there were any."""
        before = len(self.fixes)
        longest = int(np.diff(self.indptr).max(initial=0))
        for size in range(1, min(m, longest) + 1):
            self._mend(size, progress)
        return len(self.fixes) > before

    def _mend(self, size: int, progress: Progress | None) -> None:
        """Go through the sets of one size in the order of the count-tree, always on the cut as it stands."""
        from anonset_kernels.lm import find_violation

        nodes, records = self._expand()
        on_cut = np.isin(nodes, self.image).astype(np.uint8)
        intervals = (self.hierarchy.leaf_lo[nodes], self.hierarchy.leaf_hi[nodes])
        itemset = np.full(size, -1, np.int32)
        while find_violation(records, self.sensitive, on_cut, intervals, self.rule, self.tally, itemset):
            self._fix(nodes[itemset])
            on_cut[:] = np.isin(nodes, self.image)
            if progress is not None:
                progress(f"sets of {size}", float(itemset[0]), float(len(nodes)))
        if bool(np.any(self.image[: self.n_items] == self.top)):
            self._require_good_root()

    def _require_good_root(self) -> None:
        from anonset_kernels.lm import has_good_cohort

        root = np.array([self.top], np.int32)
        if not has_good_cohort(root, self.tree, self.data, self.rule, self.tally):
            self._fail(root)

    def _expand(self) -> tuple[Int32, tuple[Int32, Int64, Index, Int32]]:
        """Return the nodes at or above the cut in the order of the codes, and the records as their codes."""
        nodes = self.rank[nodes_at_or_above(self.hierarchy, self.image)[self.rank]]
        rows, parent = (self.indptr, self.items), self.tree[0]
        codes, start, position = expand_records(rows, self.image, parent, nodes, self.support[nodes])[1]
        record = np.concatenate([[0], np.cumsum(codes == -1)[:-1]]).astype(np.int32) if len(codes) else codes
        return nodes, (codes, start, position, record)

    def _fix(self, itemset: Int32) -> None:
        from anonset_kernels.lm import choose_rules

        best = np.empty(len(itemset), np.int32)
        losses = (self.occurrences, self.below)
        n_best = choose_rules(itemset, self.tree, self.data, losses, self.rule, self.tally, best)
        if n_best == 0:
            self._fail(itemset)
        rules = [int(v) for v in best[:n_best] if v not in itemset]
        low, high = self.hierarchy.leaf_lo, self.hierarchy.leaf_hi
        for rule in rules:
            loss = int(self.occurrences[high[rule]] - self.occurrences[low[rule]]) * int(high[rule] - low[rule])
            change, node = loss - int(self.below[rule]), rule
            self.image[low[rule] : high[rule]] = rule
            while node >= 0:
                self.below[node] += change
                node = int(self.tree[0][node])
            self.below[rule + 1 : self.hierarchy.subtree_end[rule]] = 0
        labels = self.hierarchy.labels
        names = tuple(labels[v] for v in itemset)
        self.fixes.append(Fix(names, self._support_of(itemset), tuple(labels[v] for v in rules)))

    def _support_of(self, itemset: Int32) -> int:
        """Count the records with an item below every node of a set."""
        low, high = self.hierarchy.leaf_lo, self.hierarchy.leaf_hi
        held = np.ones(self.n, bool)
        for node in itemset:
            inside = (self.items >= low[node]) & (self.items < high[node])
            held &= np.diff(np.concatenate([[0], np.cumsum(inside)])[self.indptr]) > 0
        return int(np.count_nonzero(held))

    def _fail(self, itemset: Int32) -> None:
        labels = ", ".join(self.hierarchy.labels[v] for v in itemset)
        reason = f"no generalisation makes the records that match {{{labels}}} at least k={self.rule[0]} and diverse"
        raise InfeasibleError(LmApriori.name, reason, where=labels)


def _split(column: SetColumn, n_items: int) -> tuple[tuple[Int64, Int32], tuple[Int64, Int32]]:
    """Return the items below `n_items` and the others, which are renumbered from 0, as compressed sparse rows."""
    ordinary = column.items < n_items
    running = np.concatenate([[0], np.cumsum(ordinary)]).astype(np.int64)[column.indptr]
    return (running, column.items[ordinary]), (column.indptr - running, column.items[~ordinary] - np.int32(n_items))
