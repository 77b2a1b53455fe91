"""Apriori anonymization for l^m-diversity. Non-sensitive items are generalized, and sensitive items are unchanged.

The cohort of a set is the records that contain the set. The steps are the steps of AA (see `apriori`), with a diversity
test instead of the count. They are repeated until the cut no longer changes::

    for i = 1 .. m                                               _DiversitySearch.sweep
        next set of i nodes of the cut with a cohort that is     BadCohorts.bad_sets; kernel lm.find_violation
        too small or has a sensitive item too often
        the cheapest rules with a good cohort                    kernel lm.fix_set
        added to the cut                                         _DiversitySearch._fix
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, ClassVar

import numpy as np

from anonset.algorithms.base import Result, Traits
from anonset.algorithms.parameters import Parameters
from anonset.algorithms.transaction.cuts.cut_search import FixedSet, tree_of
from anonset.algorithms.transaction.rare_sets.bad_cohorts import BadCohorts, expansion_of
from anonset.algorithms.transaction.rare_sets.expanded_blocks import ExpandedBlocks
from anonset.algorithms.transaction.rare_sets.supported_nodes import SupportedNodes
from anonset.data import Hierarchy, SetColumn, Table
from anonset.data.array_types import Int32, Int64
from anonset.data.blocks import RECORDS_PER_BLOCK, Blocks, checked_rows
from anonset.data.hierarchies.combined_hierarchies import attach_sensitive
from anonset.data.progress import Progress
from anonset.data.spans import begins_of
from anonset.data.storage.store import delete_when_collected
from anonset.errors import InfeasibleError, InputError, data_list, datum
from anonset.generalization import Cut
from anonset.privacy.lm import LmDiversity
from anonset_kernels._arrays import Intervals


@dataclass(frozen=True, kw_only=True)
class LmApriori(Parameters):
    """Apriori anonymization with the test of l^m-diversity instead of k^m-anonymity.

    Guarantees that each set of up to m non-sensitive items that matches a record matches at least k records, and that
    no sensitive item occurs in more than a share 1/l of the matching records. Diversity is not monotone: a
    generalization that fixes a set may violate another set. Sweeps over the sizes 1 to m are therefore repeated until
    the cut does not change. Cost: a sweep examines, for each record, the sets of up to m nodes of the cut that the
    record contains. Each set costs a counting step, and another step for each sensitive item of the record.

    References: Terrovitis, Mamoulis, Kalnis, VLDB Journal 2011, as described by Poulis et al., 2013, section 5.
    Deviations: only sets of nodes on the current cut are visited, because a threat above the cut does not imply a
    threat on it.

    The hierarchy of the recoding contains the sensitive items as additional leaves. The given hierarchy must not
    contain them (`attach_sensitive`).

    >>> from anonset.data import Hierarchy, Table
    >>> hierarchy = Hierarchy.from_tree(("ALL", [("A", ["a1", "a2"]), ("B", ["b1", "b2"])]))
    >>> rows = ["a1 b1 s1", "a1 b2", "a2 b1 s2", "a2 b2", "a1 b1", "a2 b2 s1", "a1 b2 s2", "a2 b1"]
    >>> table = Table.from_sets(row.split() for row in rows)
    >>> lm = LmApriori(k=2, l=3, m=2, sensitive_items=("s1", "s2"))
    >>> lm.recode(table, {"items": hierarchy}).recoding.labels
    ['A', 'b1', 'b2', 's1', 's2']
    """

    name: ClassVar[str] = "lm-apriori"
    traits: ClassVar[Traits] = Traits(memory_factor=1.4, by_blocks=True, answers=("lm",))

    k: Annotated[int, "Minimum number of matching records (>= 1). If k is 1, only diversity is required."]
    l: Annotated[  # noqa: E741
        int, "Inverse of the maximum share of the matching records with the same sensitive item (>= 1)."
    ]
    m: Annotated[int, "Maximum number of non-sensitive items that the attacker knows (>= 1)."]
    sensitive_items: Annotated[tuple[str, ...], "Items that must not be inferred. They are published unchanged."] = ()

    @property
    def model(self) -> LmDiversity:
        """The l^m-diversity model, with cohorts of at least k."""
        return LmDiversity(self.k, self.l, self.m, self.sensitive_items)

    def recode(self, table: Table, hierarchies: Mapping[str, Hierarchy], *, progress: Progress | None = None) -> Result:
        """Find the cut. `Result.trace` contains the fixes in order.

        Raises
        ------
        InfeasibleError
            If a sensitive item occurs in more than a share 1/l of all records, there are 1 to k - 1 records, or no
            generalization of a set satisfies the model.
        InputError
            If the hierarchy contains a sensitive item.
        """
        column = table.transactions
        if column is None or column.name not in hierarchies:
            msg = "the table needs a set-valued column with a hierarchy of the non-sensitive items, got none"
            raise InputError(msg)
        hierarchy = attach_sensitive(hierarchies[column.name], self.sensitive_items)
        store = table.store
        bound = hierarchy.bind(column, store)
        blocks = Blocks.of(bound, store, store.rows_at_once(max(1, bound.n), RECORDS_PER_BLOCK))
        return self.search(bound, blocks, hierarchy, progress=progress)

    def search(
        self,
        column: SetColumn,
        blocks: Blocks,
        hierarchy: Hierarchy,
        *,
        progress: Progress | None = None,
    ) -> Result:
        """Find the cut for records with leaf positions as codes. The sensitive items must be attached to the hierarchy.

        Parameters
        ----------
        column, blocks
            The records, and the same records in blocks. The cut and the trace are independent of the division into
            blocks.

        Raises
        ------
        InfeasibleError
            See `recode`.
        """
        search = _DiversitySearch(column, blocks, hierarchy, self, progress)
        search.require_feasible()
        sweeps = 0
        while search.sweep():
            sweeps += 1
        return Result(Cut(hierarchy, search.image), tuple(search.fixes), {"sweeps": float(sweeps + 1)})


class _DiversitySearch:
    """Search for a cut of the non-sensitive items. Sensitive items have the last leaf codes."""

    def __init__(
        self,
        column: SetColumn,
        blocks: Blocks,
        hierarchy: Hierarchy,
        of: LmApriori,
        progress: Progress | None,
    ) -> None:
        self.column, self.blocks, self.hierarchy = column, blocks, hierarchy
        self.progress = progress
        self.rule, self.m, n_sensitive = (of.k, of.l), of.m, len(of.sensitive_items)
        self.n_items = hierarchy.n_leaves - n_sensitive
        self.top = 1 if n_sensitive else 0
        parent = hierarchy.parent.copy()
        parent[self.top] = -1
        shape, self.intervals = tree_of(hierarchy, blocks.occurrences)
        self.tree = shape._replace(parent=parent), self.intervals
        rank = SupportedNodes(blocks, hierarchy, of.k).by_support
        self.rank = rank[(rank != self.top) & (hierarchy.leaf_lo[rank] < self.n_items)]
        self.image = hierarchy.leaf_node.copy()
        self.below = np.zeros(hierarchy.n_nodes, np.int64)
        self.generalized = np.zeros(hierarchy.n_nodes, np.uint8)
        self.tally = np.zeros(n_sensitive, np.int64)
        self.fixes: list[FixedSet] = []

    @cached_property
    def data(self) -> tuple[Int64, Int32, Int64, Int32]:
        """Items of each record, and records of each non-sensitive item. They are in files if the records
        are in files.
        """
        from anonset_kernels.rare_sets.lm import add_records

        start, first = begins_of(self.blocks.occurrences[: self.n_items]), 0
        fill = start[:-1].copy()
        records = delete_when_collected(self.blocks.store.array("records", np.int32, int(start[-1])))
        for indptr, items in (checked_rows(rows, self.hierarchy.n_leaves) for rows in self.blocks):
            add_records(indptr, items, first, fill, records)
            first += len(indptr) - 1
        return self.column.indptr, self.column.items, start, records

    def require_feasible(self) -> None:
        """Reject data that violate the guarantee even if all records form a single cohort."""
        k, diversity = self.rule
        n, counts = self.blocks.n, self.blocks.occurrences[self.n_items :]
        if 0 < n < k:
            reason = f"there are {n} records, at least k={k} are required"
            raise InfeasibleError(LmApriori.name, reason, achieved=float(n), bound=float(k))
        worst = int(np.argmax(counts)) if len(counts) else -1
        if worst >= 0 and int(counts[worst]) * diversity > n:
            label = self.hierarchy.leaves.labels[self.n_items + worst]
            frequency = f"sensitive item {datum(label)} is in {counts[worst]} of {n} records"
            reason = f"{frequency}; at most 1/{diversity} of the records may contain it"
            raise InfeasibleError(LmApriori.name, reason, achieved=float(counts[worst] / n), bound=1 / diversity)

    def sweep(self) -> bool:
        """Fix the sets of 1 to m nodes of the cut that violate the model. Return True if any set was fixed."""
        before = len(self.fixes)
        for size in range(1, min(self.m, self.blocks.longest) + 1):
            self._mend(size)
        return len(self.fixes) > before

    def _mend(self, size: int) -> None:
        """Fix the sets of `size` nodes of the current cut that violate the model, in count-tree order."""
        nodes = self.rank[self.generalized[self.rank] == 0]
        on_cut = np.isin(nodes, self.image).astype(np.uint8)
        intervals = Intervals(self.hierarchy.leaf_lo[nodes], self.hierarchy.leaf_hi[nodes])
        expansion = expansion_of(self.hierarchy, self.image, nodes, self.n_items)
        records = ExpandedBlocks(self.blocks, expansion)
        cohorts = BadCohorts.of(records, intervals, size, self.rule, self.tally)
        for itemset, support in cohorts.bad_sets(on_cut, self.progress):
            self._fix(nodes[itemset], support)
            on_cut[:] = np.isin(nodes, self.image)
        if bool(np.any(self.image[: self.n_items] == self.top)):
            self._require_good_root()

    def _require_good_root(self) -> None:
        from anonset_kernels.rare_sets.lm import has_good_cohort

        root = np.array([self.top], np.int32)
        if not has_good_cohort(root, self.intervals, self.data, self.rule, self.tally):
            self._fail(root)

    def _fix(self, itemset: Int32, support: int) -> None:
        from anonset_kernels.rare_sets.lm import fix_set

        rules = fix_set(itemset, self.tree, self.data, (self.generalized, self.below), self.rule, self.tally)
        if not len(rules):
            self._fail(itemset)
        for rule in rules:
            self.image[self.hierarchy.leaf_lo[rule] : self.hierarchy.leaf_hi[rule]] = rule
        labels = self.hierarchy.labels
        names = tuple(labels[v] for v in itemset)
        self.fixes.append(FixedSet(names, support, tuple(labels[v] for v in rules)))

    def _fail(self, itemset: Int32) -> None:
        names = [self.hierarchy.labels[v] for v in itemset]
        labels, shown, k = ", ".join(names), data_list(names), self.rule[0]
        reason = f"generalization cannot make the records that match {{{shown}}} diverse and at least k={k}"
        raise InfeasibleError(LmApriori.name, reason, where=labels)
