"""Rare sets of nodes above a hierarchy cut, with their supports, derived from the rare sets of nodes on the cut.

A set above the cut is a set of nodes that results if ancestors replace members of a set of cut nodes. It can only be
rare if all sets of the cut below it have a support below k, which tables of these sets show. If a single rare set of
the cut is below a set, both have the same support. If several rare sets are below a set, its support is the size of the
union of their records. The tables mark these records, so only marked records are read. If the tables do not show
whether a set is rare, the set is counted.
"""

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from anonset.algorithms.transaction.rare_sets.rare_tables import RareTable
from anonset.algorithms.transaction.rare_sets.set_counter import SetCounter, in_ranges, indexed
from anonset.algorithms.transaction.rare_sets.sets import Found, RareSets
from anonset.algorithms.transaction.rare_sets.sets_above import sets_above
from anonset.algorithms.transaction.rare_sets.supported_nodes import SupportedNodes
from anonset.data.array_types import Bools, Int32, Int64
from anonset.data.distinct import positions
from anonset.data.spans import begins_of, spans_up_to

if TYPE_CHECKING:
    from anonset_kernels.rare_sets._record_codes import Ancestors
    from anonset_kernels.rare_sets._set_index import SetIndex
    from anonset_kernels.rare_sets.sets_above import CodesBelow

SETS_AT_ONCE, BYTES_AT_ONCE = 1 << 22, 1 << 28
"""SETS_AT_ONCE is the maximum number of sets in which a member is raised at once. BYTES_AT_ONCE is the maximum memory
of a task that counts sets.

With 1 GiB instead of 256 MiB, cache misses of a task would cost more than another pass over the records.
"""
MOST_BELOW = 1 << 12
"""Maximum number of sets of the cut below a set for which the tables are used. Sets above more sets are counted in the
records.
"""
_TASKS = 4
_BYTES_OF_RAISED = 80  # a set, its key, and sort buffers
_BYTES_OF_HOLDER = 40  # a set and a record, unsorted and sorted


class RareAbove:
    """Rare sets of nodes at or above a cut.

    Parameters
    ----------
    nodes
        Nodes of the hierarchy, and the records.
    image
        Node of the cut for each leaf, int32 (M,).
    rare
        Rare sets of the cut, as codes.
    tables
        Tables that contain the rare sets. Empty if the rare sets come from the count-tree.
    """

    def __init__(self, nodes: SupportedNodes, image: Int32, rare: RareSets, tables: Sequence[RareTable] = ()) -> None:
        self.nodes, self.image, self.rare, self.tables = nodes, image, rare, tables

    def sets(self) -> RareSets:
        """Return the sets in count-tree order."""
        hierarchy = self.nodes.hierarchy
        raised = int(hierarchy.depth.max(initial=0)) + 1
        at_once = self.nodes.blocks.store.limits.at_once_within(SETS_AT_ONCE, _BYTES_OF_RAISED * raised)
        if not len(self.rare.codes):
            return self.rare
        parts = sets_above(hierarchy, self.rare.node_of_code[self.rare.codes], at_once, self._possible)
        rare_parts = [self._rare_of(part) for part in parts]
        del parts, self._indexed  # free memory, because these arrays may be large
        codes = np.concatenate([sets for sets, _ in rare_parts])
        support = np.concatenate([supports for _, supports in rare_parts])
        rare_parts.clear()
        codes = positions(self.nodes.by_support, self.nodes.hierarchy.n_nodes)[codes]
        codes.sort(axis=1)
        order = np.lexsort(codes.T[::-1])
        return RareSets(codes[order], support[order], self.nodes.by_support)

    @cached_property
    def _below(self) -> "CodesBelow":
        from anonset_kernels.rare_sets.sets_above import CodesBelow

        tree = self.nodes.hierarchy
        first_leaf = tree.leaf_lo[self.rare.node_of_code]
        by_leaf = np.argsort(first_leaf).astype(np.int32)
        start, end = (np.searchsorted(first_leaf[by_leaf], leaf) for leaf in (tree.leaf_lo, tree.leaf_hi))
        return CodesBelow(start.astype(np.int64), end.astype(np.int64), by_leaf)

    @cached_property
    def _indexed(self) -> tuple["SetIndex", Int32]:
        """Rare sets of the cut and their supports, in index order."""
        order = np.lexsort(self.rare.codes.T)
        sets = np.ascontiguousarray(self.rare.codes[order])
        return indexed(sets, len(self.rare.node_of_code)), self.rare.support[order]

    def _possible(self, sets: Int32) -> Bools:
        """Return True for each set of nodes that no table excludes, bool (T,). A table excludes a set if
        it contains a set of cut nodes below these nodes with a support of at least k.
        """
        from anonset_kernels.rare_sets.sets_above import keep_possible

        possible = np.ones(len(sets), np.bool_)
        for table in self.tables:
            before = len(self.rare.node_of_code) - len(table.node_of_code)
            keep_possible(table.planes, before, self._below, sets, MOST_BELOW, possible)
        return possible

    def _rare_of(self, sets: Int32) -> Found:
        from anonset_kernels.rare_sets.sets_above import rare_below

        index, support_on_cut = self._indexed
        start, below = rare_below(index, self._below, sets, MOST_BELOW if self.tables else 1)
        n_below = np.diff(start)
        support, is_single, several = np.empty(len(sets), np.int32), n_below == 1, n_below > 1
        support[is_single] = support_on_cut[below[start[:-1][is_single]]]
        support[several] = self._sizes_of_unions(n_below[several], below[np.repeat(several, n_below)])
        support[n_below == 0] = self._counted(sets[n_below == 0])
        rare = support < self.nodes.k
        return sets[rare], support[rare]

    def _sizes_of_unions(self, n_below: Int64, below: Int32) -> Int32:
        """Return the number of records, up to k, that contain any of the rare cut sets below each set of nodes.

        Parameters
        ----------
        n_below, below
            Number of rare sets of the cut below each set, int64 (T,), and positions of these sets in the index, int32.
        """
        from anonset_kernels.rare_sets.sets_above import sizes_of_unions

        (index, support), sizes = self._indexed, np.empty(len(n_below), np.int32)
        start = begins_of(n_below)
        supports_before = begins_of(support[below])[start]
        limits = self.nodes.blocks.store.limits
        most = limits.at_once_within(BYTES_AT_ONCE // _BYTES_OF_HOLDER, _BYTES_OF_HOLDER)
        for first, end in spans_up_to(supports_before, most):
            of_part = below[start[first] : start[end]]
            needed = np.zeros(len(support), np.bool_)
            needed[of_part] = True
            begin = begins_of(np.where(needed, support, 0))
            records, bounds = self._holders(index.sets[needed]), start[first : end + 1] - start[first]
            sizes[first:end] = sizes_of_unions(bounds, of_part, begin, records, self.nodes.k)
        return sizes

    def _holders(self, sets: Int32) -> Int64:
        """Return the records that contain each set of the cut, sorted by set, int64."""
        nodes = self.rare.node_of_code
        counter = SetCounter(sets, self._ancestors(nodes), len(nodes), self.nodes.k)
        of_tables = zip(*(table.rows for table in self.tables), strict=True)
        rows = [(*same[0][:2], np.bitwise_or.reduce([adding for _, _, adding in same])) for same in of_tables]
        store = self.nodes.blocks.store
        set_numbers, records = zip(*store.map(counter.holders, store.workers.divided(rows, _TASKS)), strict=True)
        by_set: Int64 = np.concatenate(records)[np.argsort(np.concatenate(set_numbers), kind="stable")]
        return by_set

    def _counted(self, sets: Int32) -> Int32:
        """Count the records that contain each set of nodes, up to k, int32 (T,)."""
        counted, taking_part = np.empty(len(sets), np.int32), np.zeros(self.nodes.hierarchy.n_nodes, np.bool_)
        taking_part[sets.ravel()] = True
        nodes = self.nodes.by_support[taking_part[self.nodes.by_support]]
        ancestors, store = self._ancestors(nodes), self.nodes.blocks.store
        most = store.limits.at_once_within(BYTES_AT_ONCE, store.workers.at_once(_TASKS))
        codes = np.sort(positions(nodes, self.nodes.hierarchy.n_nodes)[sets], axis=1)
        order, first = np.lexsort(codes.T), 0
        for part in in_ranges(codes[order], len(nodes), most):
            counter = SetCounter(part, ancestors, len(nodes), self.nodes.k)
            for counts in store.map(counter.count, store.workers.divided(self.nodes.blocks.rows, _TASKS)):
                counter.add(counts)
            counted[order[first : first + len(part)]] = counter.met
            first += len(part)
        return counted

    def _ancestors(self, nodes: Int32) -> "Ancestors":
        """Return the codes of each leaf's node on the cut and of its ancestors. Only nodes in `nodes` have codes."""
        from anonset_kernels.rare_sets._record_codes import ancestor_codes

        tree = self.nodes.hierarchy
        height = int(tree.depth.max(initial=0)) + 1
        return ancestor_codes(self.image, tree.parent, positions(nodes, tree.n_nodes), height)
