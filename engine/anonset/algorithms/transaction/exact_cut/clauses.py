"""Clauses of rare sets, many at a time."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from anonset.algorithms.transaction.exact_cut.problem import CutProblem, Float64
from anonset.algorithms.transaction.exact_cut.rows import SparseRows
from anonset.data.distinct import distinct
from anonset.data.redacted_repr import Discreet
from anonset.data.table import Int32

TOLERANCE = 1e-6
"""What a clause must be violated by to count as violated."""
MAX_AT_ONCE = 1 << 20
"""Clauses that are made rows at a time, which takes 200 bytes for each."""


@dataclass(frozen=True, eq=False)
class Clauses(Discreet):
    """Clauses of rare sets of one size j; see `problem` for what a clause says."""

    parents: Int32
    """int32 (n, j): the parents of the members, from left to right."""
    meetings: Int32
    """int32 (n, j - 1): the lowest common ancestors of neighbours."""
    items: Int32
    """int32 (n, j): the leaves of a record that holds the set; (n, 0) without suppression."""

    @classmethod
    def of(cls, problem: CutProblem, sets: Int32, items: Int32 | None = None) -> "Clauses":
        """Return the clauses of sets of nodes, int32 (n, j), from left to right; equal ones once, in order."""
        from anonset_kernels.rare_sets import meeting_nodes

        n, size = sets.shape
        found = np.empty((n, 0), np.int32) if items is None else items
        parents = problem.hierarchy.parent[sets].reshape(n, size)
        rows = np.unique(np.hstack([parents, meeting_nodes(problem.tree, sets), found]), axis=0)
        return cls(rows[:, :size], rows[:, size : 2 * size - 1], rows[:, 2 * size - 1 :])

    @classmethod
    def of_parents(cls, problem: CutProblem, parents: Int32) -> "Clauses":
        """Return the clauses of sets by the parents of their members, int32 (n, j), from left to right.

        Unrelated nodes meet where their parents do: neither is above the other.
        """
        from anonset_kernels.rare_sets import meeting_nodes

        return cls(parents, meeting_nodes(problem.tree, parents), np.empty((len(parents), 0), np.int32))

    @property
    def n(self) -> int:
        """Number of clauses."""
        return len(self.parents)

    def take(self, chosen: NDArray[np.bool_]) -> "Clauses":
        """Return the chosen clauses, bool (n,)."""
        return Clauses(self.parents[chosen], self.meetings[chosen], self.items[chosen])

    def violated(self, closed: Float64) -> NDArray[np.bool_]:
        """Tell which clauses without leaves do not hold, bool (n,), given how far each node is closed.

        Of more than `MAX_AT_ONCE` as many at most are told, from all over them.
        """
        missed = np.empty(self.n, np.bool_)
        for some in self._pieces:
            slack = 1.0 - closed[self.parents[some]].sum(axis=1) + closed[self.meetings[some]].sum(axis=1)
            missed[some] = slack > TOLERANCE
        n_missed = np.count_nonzero(missed)
        if n_missed > MAX_AT_ONCE:
            told = np.flatnonzero(missed)[:: -(-n_missed // MAX_AT_ONCE)]
            missed[:] = False
            missed[told] = True
        return missed

    @property
    def closing(self) -> Int32:
        """int32: the nodes that clauses without leaves say are closed, for their other terms cancel; each once."""
        signs = np.concatenate([np.ones(self.parents.shape[1]), -np.ones(self.meetings.shape[1])])
        found = np.empty(0, np.int32)
        for some in self._pieces:
            rows = SparseRows.of(np.hstack([self.parents[some], self.meetings[some]]), signs, 1.0)
            found = distinct(np.concatenate([found, rows.columns[rows.start[:-1][np.diff(rows.start) == 1]]]))
        return found

    @property
    def _pieces(self) -> Iterator[slice]:
        """Some clauses after the other, of which what is made at once fits into memory."""
        return (slice(first, first + MAX_AT_ONCE) for first in range(0, self.n, MAX_AT_ONCE))
