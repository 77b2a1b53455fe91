"""Search for item groups that satisfy privacy constraints, used by COAT and PCTA.

Loukides, Gkoulalas-Divanis, Malin (2010), sections 3 and 4. A constraint is a set of items, published as a set of
groups. It is satisfied if each subset of these groups that occurs in a record occurs in at least k records. A later
merge can violate a satisfied constraint, so constraints on a merged group are checked again.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from anonset.algorithms.transaction.cluster_mappings import NO_SUPPRESSION, ClusterMapping
from anonset.data import Hierarchy, SetColumn, Vocabulary
from anonset.data.array_types import Int32, Int64
from anonset.data.blocks import checked_rows
from anonset.data.codes import stored_codes
from anonset.data.progress import Progress
from anonset.data.redacted_repr import RedactedRepr
from anonset.data.spans import begins_of, spans
from anonset.data.storage.store import MEMORY, Store, backing, damage_error
from anonset.errors import InfeasibleError, InputError
from anonset.generalization import ItemGroups
from anonset.generalization.local import MergedItems
from anonset.generalization.recoding import SUPPRESSED
from anonset.measures.losses.item_weights import ItemWeights
from anonset.measures.losses.utility_loss import GroupWeights, group_weights
from anonset.privacy.policies import PrivacyPolicy, UtilityPolicy

if TYPE_CHECKING:
    from anonset_kernels.item_sets._repair import RepairRule, Weights

_CONSTRAINTS_PER_CALL = 16
MOST_CELLS = 2**31 - 1
"""Maximum sum of the record count and the number of item occurrences in a search."""


@dataclass(frozen=True)
class GroupMerge(RedactedRepr):
    """A merge of two groups."""

    group: tuple[str, ...]
    """Items of the group that is generalized."""
    partner: tuple[str, ...]
    """Items of the group that is merged with `group`."""
    support: int
    """Support of the merged group, in records."""


@dataclass(frozen=True)
class Suppression(RedactedRepr):
    """A suppression of a group in all records."""

    group: tuple[str, ...]
    support: int
    """Number of records that contain the group."""


class MergeTerms:
    """Utility constraint of each item of a column, and the weights that define the utility loss.

    The arrays are computed once, even for many searches on parts of the column.
    """

    def __init__(
        self,
        vocabulary: Vocabulary,
        hierarchy: Hierarchy | None,
        utility: UtilityPolicy | None,
        weights: str | ItemWeights | None,
    ) -> None:
        n_items = len(vocabulary)
        self.utility: Int32 = np.zeros(n_items, np.int32) if utility is None else utility.codes(vocabulary)
        """Utility constraint of each item, int32 (M,)."""
        self._weights = _kernel_weights(group_weights(weights, vocabulary, hierarchy), weights)

    def weights(self, codes: Int32) -> "Weights":
        """Return a copy of the weights of the items in `codes`. The search modifies the copy."""
        return self._weights._replace(leaf=self._weights.leaf[codes], listed=self._weights.listed[codes])


class ConstraintSearch:
    """Search for item groups of a column that satisfy privacy constraints.

    Items that never occur are removed from the constraints and remain groups of their own. Arrays of table length are
    stored in memory, or in files that the search modifies in place. The arrays need 16 bytes for each record and 8
    bytes for each item occurrence. If sets of m > 2 items are protected, they need another 4 (m - 2) bytes for each
    record and for each item occurrence.

    Parameters
    ----------
    policy
        Privacy constraints. If None, all itemsets of the size in `rule` are protected.
    rule
        Parameters of COAT or PCTA for the kernels.
    store
        Storage for arrays of table length. A search with a policy allocates further arrays in memory.

    Raises
    ------
    InputError
        If there are more than `MOST_CELLS` records and item occurrences, or the storage is full.
    """

    def __init__(
        self,
        column: SetColumn,
        policy: PrivacyPolicy | None,
        terms: MergeTerms,
        rule: "RepairRule",
        store: Store = MEMORY,
    ) -> None:
        n_cells = len(column.codes) + column.n
        if n_cells > MOST_CELLS:
            size = f"{column.n:,} records and {len(column.codes):,} item occurrences"
            msg = f"the search for sets of items is limited to {MOST_CELLS:,} records plus item occurrences, got {size}"
            raise InputError(msg)
        self.column, self.policy, self.terms, self.rule, self.store = column, policy, terms, rule, store
        self.codes = np.flatnonzero(column.occurrences).astype(np.int32)
        """Codes of the occurring items, int32 (V,)."""
        self._code_of = np.full(len(column.vocabulary), -1, np.int32)
        self._code_of[self.codes] = np.arange(len(self.codes), dtype=np.int32)
        self._long = (
            store.array("row", np.int64, column.n + 1),
            store.array("cells", np.int32, n_cells),
            store.array("chunks", np.int32, len(column.codes)),
        )
        self._walks: tuple[Int32, Int32] | None = None
        self._groups: Any = self._single_item_groups()

    def _single_item_groups(self) -> Any:
        from anonset_kernels.item_sets._groups import add_records, open_groups

        column = self.column
        groups = open_groups(*self._long, column.occurrences[self.codes], self.terms.utility[self.codes])
        for first, end in spans(column.n):
            begins = column.indptr[first : end + 1]
            rows = checked_rows((begins, column.codes), len(column.vocabulary))
            if not add_records(groups, *rows, self._code_of, first):
                file = backing(stored_codes(column.codes))
                raise damage_error(column.name if file is None else file.filename)
        return groups

    def restart(self, rule: "RepairRule") -> None:
        """Reset the search and set another rule."""
        self.rule, self._groups = rule, self._single_item_groups()

    def run(self, progress: Progress | None = None) -> bool:
        """Satisfy the constraints one after the other. Return True if all are satisfied."""
        from anonset_kernels.item_sets._groups import N_STEPS
        from anonset_kernels.item_sets.coat import DONE, UNFINISHED

        satisfy_some = self._step()
        while (outcome := satisfy_some()) == UNFINISHED:
            if progress is not None:
                n_steps = float(self._groups.state[N_STEPS])
                progress("groups merged or suppressed", n_steps, float(len(self.codes)))
        return outcome == DONE

    def _step(self) -> Callable[[], int]:
        """Return a function that satisfies some constraints, and returns the amount of remaining work."""
        from anonset_kernels.item_sets import coat, constraints

        groups, weights = self._groups, self.terms.weights(self.codes)
        rule = self.rule._replace(m=min(self.rule.m, len(self.codes)))
        if self.policy is None:
            return partial(coat.search, groups, weights, self._roots(rule), rule, _CONSTRAINTS_PER_CALL)
        policy = constraints.make_policy(groups, *self._constraint_codes(self.policy), rule.k)
        return partial(constraints.search_policy, groups, weights, policy, rule, _CONSTRAINTS_PER_CALL)

    def _roots(self, rule: "RepairRule") -> Any:
        from anonset_kernels.item_sets.coat import n_levels, open_roots

        levels, n_cells = n_levels(self.column.longest, rule), len(self._groups.cells)
        gathering = max(0, levels - 1)
        if self._walks is None:
            positions = self.store.array("positions", np.int32, self.column.n)
            arena = self.store.array("arena", np.int32, gathering * n_cells)
            self._walks = positions, arena.reshape(gathering, n_cells)
        return open_roots(self._groups, rule, levels, *self._walks)

    def _constraint_codes(self, policy: PrivacyPolicy) -> tuple[Int64, Int32, Int64, Int32]:
        """Return the constraints without items that never occur, and the constraints that contain each
        occurring item.
        """
        from anonset_kernels.records.rows import transpose

        start, items = policy.codes(self.column.vocabulary)
        codes = self._code_of[items]
        n_occurring = begins_of(codes >= 0)
        start, codes = n_occurring[start], codes[codes >= 0]
        return start, codes, *transpose(start, codes, len(self.codes))

    @property
    def steps(self) -> list[GroupMerge | Suppression]:
        """Completed merges and suppressions, in order."""
        from anonset_kernels.item_sets._groups import N_STEPS

        labels, order = self.column.vocabulary.labels, self.column.vocabulary.index
        members: dict[int, tuple[str, ...]] = {g: (labels[code],) for g, code in enumerate(self.codes.tolist())}
        steps: list[GroupMerge | Suppression] = []
        for g, partner, support in self._groups.log[: int(self._groups.state[N_STEPS])].tolist():
            if partner < 0:
                steps.append(Suppression(members[g], support))
                continue
            steps.append(GroupMerge(members[g], members[partner], support))
            united = sorted(members.pop(max(g, partner)) + members[min(g, partner)], key=order.__getitem__)
            members[min(g, partner)] = tuple(united)
        return steps

    @property
    def item_groups(self) -> ItemGroups:
        """Current groups and suppressed items."""
        rep = np.arange(len(self.column.vocabulary), dtype=np.int32)
        rep[self.codes] = np.where(self._groups.rep < 0, SUPPRESSED, self.codes[self._groups.rep])
        smallest = np.unique(rep[rep != SUPPRESSED])
        number = np.searchsorted(smallest, rep).astype(np.int32)
        number[rep == SUPPRESSED] = SUPPRESSED
        return ItemGroups(self.column.vocabulary, number)

    @property
    def stuck_constraint(self) -> int:
        """Number of the utility constraint in which no merge is possible. Numbers start with 1."""
        from anonset_kernels.item_sets._groups import CULPRIT

        return int(self._groups.utility[self._groups.state[CULPRIT]]) + 1

    @property
    def stuck_items(self) -> tuple[str, ...]:
        """Items of the group that cannot be merged."""
        from anonset_kernels.item_sets._groups import CULPRIT

        rep = self._groups.rep
        return tuple(self.column.vocabulary.labels[c] for c in self.codes[rep == rep[self._groups.state[CULPRIT]]])


class GroupsOnClusters:
    """Separate searches on clusters of a column. All m-itemsets are protected.

    A search takes less than a millisecond.
    """

    def __init__(self, name: str, column: SetColumn, terms: MergeTerms, rule: "RepairRule") -> None:
        self.name, self.column = name, column
        everything = np.arange(len(column.vocabulary), dtype=np.int32)
        self._rule = rule._replace(m=min(rule.m, len(everything)))
        self._weights, self._utility = terms.weights(everything), terms.utility

    def __call__(self, clusters: Sequence[Int64]) -> list[ClusterMapping]:
        """Return the items that each cluster merges.

        Raises
        ------
        InfeasibleError
            If a cluster has no solution.
        InputError
            If items of a cluster are suppressed.
        """
        return [self._search(members) for members in clusters]

    def _search(self, records: Int64) -> MergedItems:
        from anonset_kernels.item_sets.coat import DONE, search_rows

        column = self.column
        outcome, codes, smallest = search_rows(
            column.indptr, column.items, records, self._utility, self._weights, self._rule
        )
        if outcome != DONE:
            part = column.take(records)
            reason = f"{part.n_nonempty} non-empty records cannot be generalized to k={self._rule.k} within the bounds"
            raise InfeasibleError(self.name, reason, f"cluster of {part.n} records")
        if np.any(smallest < 0):
            raise InputError(NO_SUPPRESSION)
        return MergedItems.of(codes, smallest)


def _kernel_weights(weights: GroupWeights, item_weights: Any) -> "Weights":
    from anonset_kernels.item_sets._repair import BY_ANCESTOR, CONSTANT, LISTED, Weights

    n_items, none = len(weights.vocabulary), np.empty(0, np.int32)
    leaf, listed, value = np.arange(n_items, dtype=np.int32), np.empty((n_items, 0), np.uint8), np.empty(0, np.int64)
    if weights.hierarchy is not None:
        h = weights.hierarchy
        parent, lo, hi, node = (np.array(a, np.int32) for a in (h.parent, h.leaf_lo, h.leaf_hi, h.leaf_node))
        return Weights(BY_ANCESTOR, h.n_leaves, leaf, parent, lo, hi, node, listed, value)
    if not weights.listed or not isinstance(item_weights, ItemWeights):
        return Weights(CONSTANT, 1, leaf, none, none, none, none, listed, value)
    listed = np.zeros((n_items, len(weights.listed)), np.uint8)
    for j, (itemset, _) in enumerate(weights.listed):
        listed[list(itemset), j] = 1
    value = np.array([int(weight * item_weights.denominator) for _, weight in weights.listed], np.int64)
    return Weights(LISTED, item_weights.denominator, leaf, none, none, none, none, listed, value)
