"""Fast estimate of the item loss of record sets. It is the loss of apriori on a binary tree of the items.

The items are sorted by frequency.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from anonset.algorithms.transaction.cluster_mappings import concatenate
from anonset.algorithms.transaction.cuts.apriori import Apriori
from anonset.algorithms.transaction.cuts.apriori_on_clusters import in_bitmaps, search_in_bitmaps
from anonset.data import SetColumn, Vocabulary
from anonset.data.array_types import Int32, Int64
from anonset.data.blocks import Blocks
from anonset.data.distinct import positions
from anonset.data.hierarchies.halves import halves
from anonset.data.redacted_repr import RedactedRepr

_CELLS = 1 << 26
"""Maximum number of node pairs that the kernel counts. Each pair needs 2 bytes."""
_LARGEST_K = (1 << 16) - 1


@dataclass(frozen=True, eq=False)
class Scores(RedactedRepr):
    """Item losses of record sets. Each item in a record adds the number of other items in its group."""

    column: SetColumn
    k: int
    m: int
    cells: int = _CELLS

    def losses(self, sets: Sequence[Int64]) -> list[int]:
        """Return the loss of each record set. A set must have no non-empty records, or at least k."""
        from anonset_kernels.item_sets.cluster_sets import halved_losses

        if self.k > _LARGEST_K:
            return [self._searched(members) for members in sets]
        members, start = concatenate(sets)
        losses = np.zeros(len(sets), np.int64)
        records, rule = (self.column.indptr, self.column.items), (self.k, self.m)
        halved_losses(records, members, start, rule, len(self.column.vocabulary), self.cells, losses)
        return [
            self._searched(members) if loss < 0 else loss for members, loss in zip(sets, losses.tolist(), strict=True)
        ]

    def _searched(self, members: Int64) -> int:
        """Return the loss for any number of items and any m."""
        rows = self.column.take(members)
        occurring = np.flatnonzero(rows.occurrences)
        if not len(occurring) or self.k == 1:
            return 0
        codes = positions(occurring, len(rows.vocabulary))
        width = len(str(len(occurring)))
        labels = Vocabulary(tuple(f"{code:0{width}}" for code in range(len(occurring))))
        rows = SetColumn(rows.name, rows.indptr, codes[rows.items], labels)
        tree = halves(labels.labels, rows.occurrences)
        rows = tree.bind(rows)
        nodes: Int32
        if in_bitmaps(rows.n, tree.n_nodes, self.m):
            nodes = search_in_bitmaps(rows, tree, self.k, self.m)[0]
        else:
            nodes = np.unique(Apriori(k=self.k, m=self.m).run_apriori(Blocks.of(rows, rows.store), tree).cut.image)
        before = np.concatenate([[0], np.cumsum(rows.occurrences)])
        occurrences = before[tree.leaf_hi[nodes]] - before[tree.leaf_lo[nodes]]
        return int((occurrences * (tree.n_leaves_below[nodes].astype(np.int64) - 1)).sum())
