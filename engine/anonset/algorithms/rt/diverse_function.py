"""The transaction function for (k, l^m)-diversity (Poulis et al. 2013, section 5): l^m-AA on each cluster.

Sensitive items are published as they are. Distances and losses are those of the other items.
"""

from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from anonset.algorithms.base import run_tasks
from anonset.algorithms.rt.cluster_function import ClusterFunction, ClusterMapping, TransactionClass
from anonset.algorithms.transaction.base import bind_to_hierarchy
from anonset.data import Hierarchy, SetColumn, Table
from anonset.data.table import Int32, Int64
from anonset.errors import InfeasibleError, InputError
from anonset.generalization import ClusterCuts, Cut, ItemGroups, MergedItems
from anonset.generalization.sensitive import attach_sensitive, is_attached
from anonset.privacy.lm import LmDiversity


@dataclass(frozen=True, eq=False)
class DiverseFunction(ClusterFunction):
    """A search for l^m-diversity on clusters; `column` and `hierarchy` are those of the other items."""

    promised: LmDiversity = field(kw_only=True)
    """What the algorithm guarantees."""
    full: SetColumn = field(kw_only=True)
    """All items of all records."""
    attached: Hierarchy = field(kw_only=True)
    """The hierarchy with the sensitive items beside it."""

    @classmethod
    def of(
        cls,
        table: Table,
        hierarchies: Mapping[str, Hierarchy],
        promised: LmDiversity,
        transaction: TransactionClass,
        executor: Executor | None,
    ) -> "DiverseFunction":
        """Bind a table whose hierarchy is one of the other items, or has the sensitive ones attached.

        Raises
        ------
        InputError
            If there is no set-valued column or no hierarchy, or a sensitive item is in the hierarchy.
        """
        name = "" if table.transactions is None else table.transactions.name
        given = {name: attach_sensitive(tree, promised.sensitive_items) for name, tree in hierarchies.items()}
        full, attached = bind_to_hierarchy(table, {**hierarchies, **({name: given[name]} if name in given else {})})
        base = _detached(attached, promised.sensitive_items)
        return cls(
            _without(full, base),
            base,
            transaction,
            promised.k,
            promised.m,
            executor,
            promised=promised,
            full=full,
            attached=attached,
        )

    def mappings(self, clusters: Sequence[Int64]) -> list[ClusterMapping]:
        """Anonymize each cluster (record indices, ascending) by itself.

        Raises
        ------
        InfeasibleError
            If a cluster cannot be made diverse.
        """
        self.require_feasible(clusters)
        return list(run_tasks(self.executor, self._diverse, clusters))

    def poor(self, clusters: Sequence[Int64]) -> NDArray[np.bool_]:
        """Tell which clusters nothing makes diverse: too few hold items, or too many the same sensitive one."""
        return np.array([bool(self.why_poor(members)) for members in clusters], bool)

    def hopeless(self, name: str, members: Int64) -> InfeasibleError:
        """Return the error that one cluster of all records is poor."""
        return InfeasibleError(name, f"one cluster of all records {self.why_poor(members)}")

    def why_poor(self, members: Int64) -> str:
        """Say why nothing makes a cluster diverse; empty if something does."""
        holding = members[self.column.lengths[members] > 0]
        if 0 < len(holding) < self.k:
            return f"has {len(holding)} records with items, at least k={self.k} (or none) are required"
        sensitive_from = len(self.column.vocabulary)
        for cohort in (members, holding):
            items = self.full.take(cohort).items
            counts = np.bincount(items[items >= sensitive_from])
            if len(counts) and int(counts.max()) * self.promised.l > len(cohort):
                label = self.full.vocabulary.labels[int(counts.argmax())]
                of = f"{int(counts.max())} of {len(cohort)} records"
                return f"has the sensitive item {label!r} in {of}, at most 1/{self.promised.l} are allowed"
        return ""

    def require_feasible(self, clusters: Sequence[Int64]) -> None:
        """Refuse clusters that nothing makes diverse.

        Raises
        ------
        InfeasibleError
            For the first that is poor.
        """
        for members in clusters:
            if reason := self.why_poor(members):
                name, where = "transaction function", f"cluster of record {int(members[0])}"
                text = f'a cluster of {len(members)} records {reason}; on_infeasible="merge" joins such clusters first'
                raise InfeasibleError(name, text, where)

    def recoding(self, mappings: Sequence[ClusterMapping]) -> Sequence[Cut | ItemGroups]:
        """Return the mappings as cuts of the hierarchy that has the sensitive items, too."""
        shift = self.attached.n_nodes > self._tree.n_nodes
        inner = [mapping for mapping in mappings if not isinstance(mapping, MergedItems)]
        return ClusterCuts(self.attached, tuple(nodes + np.int32(shift) for nodes in inner))

    @property
    def _tree(self) -> Hierarchy:
        return self.attached if self.hierarchy is None else self.hierarchy

    def _diverse(self, members: Int64) -> Int32:
        part = Table(self.full.take(members))
        found = self._algorithm.recode(part, {self.full.name: self.attached}).recoding
        if not isinstance(found, Cut):
            msg = f"a transaction function for diversity must give a cut of the hierarchy, got {type(found).__name__}"
            raise InputError(msg)
        inner = found.nodes[~self.attached.is_leaf[found.nodes]]
        shift = self.attached.n_nodes > self._tree.n_nodes
        return (inner - np.int32(shift)).astype(np.int32)


def _detached(attached: Hierarchy, sensitive: tuple[str, ...]) -> Hierarchy:
    """Return the hierarchy of the items that are not sensitive, whose leaf codes are the same."""
    if not is_attached(attached, sensitive):
        return attached
    end = int(attached.subtree_end[1])
    parent = attached.parent[1:end].astype(np.int64) - 1
    return Hierarchy.from_preorder(attached.labels[1:end], parent)


def _without(full: SetColumn, base: Hierarchy) -> SetColumn:
    """Return the column without the items that are no leaves of the hierarchy, whose codes come last."""
    kept = full.items < base.n_leaves
    before = np.concatenate([[0], np.cumsum(kept)])
    indptr = before[full.indptr].astype(np.int64)
    return SetColumn(full.name, indptr, full.items[kept], base.leaves)
