"""Transaction function for (k, l^m)-diversity. It applies l^m-AA to each cluster (Poulis et al. 2013, section 5).

Sensitive items are published unchanged. Distances and losses count only the other items.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from anonset.algorithms.base import Algorithm
from anonset.algorithms.rt.cluster_function import NAME, ClusterFunction
from anonset.algorithms.transaction.base import bind_to_hierarchy
from anonset.algorithms.transaction.cluster_mappings import ClusterMapping, SearchEach
from anonset.data import Hierarchy, SetColumn, Table
from anonset.data.array_types import Bools, Int64
from anonset.data.hierarchies.combined_hierarchies import attach_sensitive, is_attached
from anonset.data.spans import begins_of
from anonset.errors import InfeasibleError, InputError, datum
from anonset.generalization import Cut, ItemGroups
from anonset.generalization.local import ClusterCuts
from anonset.spelling import setting


@dataclass(frozen=True, eq=False)
class DiverseFunction(ClusterFunction):
    """Transaction function for l^m-diversity. `column` and `hierarchy` contain no sensitive items."""

    diversity: int = field(kw_only=True)
    """Parameter l. At most 1/l of a cluster's records may contain the same sensitive item."""
    full: SetColumn = field(kw_only=True)
    """All items of all records."""
    attached: Hierarchy = field(kw_only=True)
    """Hierarchy with the sensitive items as additional leaves."""

    @classmethod
    def of(cls, algorithm: Algorithm, k: int, table: Table, hierarchies: Mapping[str, Hierarchy]) -> "DiverseFunction":
        """Return the transaction function for clusters of a table.

        The given hierarchy must not contain sensitive items, except as leaves that `attach_sensitive` added.

        Raises
        ------
        InputError
            If the hierarchy is missing, or contains a sensitive item.
        """
        model, name = algorithm.model, "" if table.transactions is None else table.transactions.name
        attached_tree = {name: attach_sensitive(hierarchies[name], model.beside)} if name in hierarchies else {}
        full, attached = bind_to_hierarchy(table, {**hierarchies, **attached_tree})
        base = _detach(attached, model.beside)
        shift = np.int32(attached.n_nodes > base.n_nodes)
        searches = SearchEach(algorithm, full, attached)

        def search(members: Int64) -> ClusterMapping:
            mapping = searches.search(members)
            if not isinstance(mapping, np.ndarray):
                raise InputError("a transaction function for diversity must return a hierarchy cut, got item groups")
            return (mapping - shift).astype(np.int32)

        return cls(
            _leave_out(full, base),
            base,
            k,
            lambda clusters: list(table.store.map(search, clusters)),
            diversity=model.diversity,
            full=full,
            attached=attached,
        )

    def infeasible(self, clusters: Sequence[Int64]) -> Bools:
        """Return True for each cluster that cannot be made diverse.

        Such a cluster has too few non-empty records, or too many records with a sensitive item.
        """
        return np.array([bool(self.why_infeasible(members)) for members in clusters], bool)

    def infeasible_at_all(self, name: str, members: Int64) -> InfeasibleError:
        """Return the error for data that cannot be made diverse even as a single cluster."""
        return InfeasibleError(name, f"the cluster of all records {self.why_infeasible(members)}")

    def why_infeasible(self, members: Int64) -> str:
        """Return the reason why a cluster cannot be made diverse. Empty if it can."""
        holding = members[self.column.lengths[members] > 0]
        if 0 < len(holding) < self.k:
            return f"has {len(holding)} records with items, at least k={self.k} (or none) are required"
        sensitive_from = len(self.column.vocabulary)
        for cohort in (members, holding):
            items = self.full.take(cohort).items
            counts = np.bincount(items[items >= sensitive_from])
            if len(counts) and int(counts.max()) * self.diversity > len(cohort):
                label = self.full.vocabulary.labels[int(counts.argmax())]
                of = f"{int(counts.max())} of {len(cohort)} records"
                most = f"at most 1/{self.diversity} of the records may contain it"
                return f"has the sensitive item {datum(label)} in {of}; {most}"
        return ""

    def require_feasible(self, clusters: Sequence[Int64]) -> None:
        """Reject clusters that cannot be made diverse.

        Raises
        ------
        InfeasibleError
            If a cluster cannot be made diverse. The message describes the first such cluster.
        """
        for members in clusters:
            if reason := self.why_infeasible(members):
                where = f"cluster of record {int(members[0])}"
                way = f"use {setting('on_infeasible', 'merge')} to merge it with another cluster"
                text = f"a cluster of {len(members)} records {reason}; {way}"
                raise InfeasibleError(NAME, text, where)

    def recoding(self, mappings: Sequence[ClusterMapping]) -> Sequence[Cut | ItemGroups]:
        """Return each mapping as a cut of the hierarchy that includes the sensitive items."""
        shift = np.int32(self.hierarchy is not None and self.attached.n_nodes > self.hierarchy.n_nodes)
        inner = [mapping for mapping in mappings if isinstance(mapping, np.ndarray)]
        return ClusterCuts(self.attached, tuple(nodes + shift for nodes in inner))


def _detach(attached: Hierarchy, sensitive: tuple[str, ...]) -> Hierarchy:
    """Return the hierarchy without the sensitive items. All other leaf codes are unchanged."""
    if not is_attached(attached, sensitive):
        return attached
    end = int(attached.subtree_end[1])
    parent = attached.parent[1:end].astype(np.int64) - 1
    return Hierarchy.from_preorder(attached.labels[1:end], parent)


def _leave_out(full: SetColumn, base: Hierarchy) -> SetColumn:
    """Return the column without items that are not leaves of the hierarchy. The removed items must have the
    last codes.
    """
    is_leaf = full.items < base.n_leaves
    return SetColumn(full.name, begins_of(is_leaf)[full.indptr], full.items[is_leaf], base.leaves)
