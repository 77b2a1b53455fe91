"""Clauses of rare sets as arrays. A clause is a row of the covering problem, defined in the module `problem`."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from anonset.algorithms.transaction.exact_cut.problem import CutProblem
from anonset.algorithms.transaction.exact_cut.rows import SparseRows
from anonset.data.array_types import Bools, Float64, Int32
from anonset.data.distinct import distinct
from anonset.data.redacted_repr import RedactedRepr

TOLERANCE = 1e-6
"""Smallest violation that is not a rounding error."""
MAX_AT_ONCE = 1 << 20
"""Maximum number of clauses that are converted to rows at once. A clause needs 200 bytes during the conversion."""


@dataclass(frozen=True, eq=False)
class Clauses(RedactedRepr):
    """Clauses of n rare sets of the same size j."""

    parents: Int32
    """Parents of the members, from left to right, int32 (n, j)."""
    meetings: Int32
    """Lowest common ancestors of neighbouring members, int32 (n, j - 1)."""
    items: Int32
    """Leaves of a record that contains the set, one below each member, int32 (n, j). (n, 0) without suppression."""

    @classmethod
    def of(cls, problem: CutProblem, sets: Int32, items: Int32 | None = None) -> "Clauses":
        """Return the distinct clauses of sets of nodes, in order.

        `sets` is int32 (n, j), with the nodes from left to right.
        """
        from anonset_kernels.exact_cut.rare_sets import meeting_nodes

        n, size = sets.shape
        item_columns = np.empty((n, 0), np.int32) if items is None else items
        parents = problem.hierarchy.parent[sets].reshape(n, size)
        rows = np.unique(np.hstack([parents, meeting_nodes(problem.tree, sets), item_columns]), axis=0)
        return cls(rows[:, :size], rows[:, size : 2 * size - 1], rows[:, 2 * size - 1 :])

    @classmethod
    def of_parents(cls, problem: CutProblem, parents: Int32) -> "Clauses":
        """Return the clauses of sets whose members have the given parents, int32 (n, j), from left to right.

        The members are not needed, because unrelated nodes and their parents have the same lowest common ancestor.
        """
        from anonset_kernels.exact_cut.rare_sets import meeting_nodes

        return cls(parents, meeting_nodes(problem.tree, parents), np.empty((len(parents), 0), np.int32))

    @property
    def n(self) -> int:
        """Number of clauses."""
        return len(self.parents)

    def take(self, chosen: Bools) -> "Clauses":
        """Return the chosen clauses, bool (n,)."""
        return Clauses(self.parents[chosen], self.meetings[chosen], self.items[chosen])

    def violated(self, closed: Float64) -> Bools:
        """Return True for each violated clause, bool (n,).

        `closed` is the value of each node, from 0 (open) to 1 (closed). Suppression is ignored. If more than
        `MAX_AT_ONCE` clauses are violated, an evenly spaced selection of them is returned.
        """
        missed = np.empty(self.n, np.bool_)
        for some in self._pieces:
            slack = 1.0 - closed[self.parents[some]].sum(axis=1) + closed[self.meetings[some]].sum(axis=1)
            missed[some] = slack > TOLERANCE
        n_missed = np.count_nonzero(missed)
        if n_missed > MAX_AT_ONCE:
            sampled = np.flatnonzero(missed)[:: -(-n_missed // MAX_AT_ONCE)]
            missed[:] = False
            missed[sampled] = True
        return missed

    @property
    def closing(self) -> Int32:
        """Distinct nodes that must be closed, int32. Each node is the only remaining variable of a clause after terms
        cancel.
        """
        signs = np.concatenate([np.ones(self.parents.shape[1]), -np.ones(self.meetings.shape[1])])
        nodes = np.empty(0, np.int32)
        for some in self._pieces:
            rows = SparseRows.of(np.hstack([self.parents[some], self.meetings[some]]), signs, 1.0)
            nodes = distinct(np.concatenate([nodes, rows.columns[rows.start[:-1][np.diff(rows.start) == 1]]]))
        return nodes

    @property
    def _pieces(self) -> Iterator[slice]:
        return (slice(first, first + MAX_AT_ONCE) for first in range(0, self.n, MAX_AT_ONCE))
