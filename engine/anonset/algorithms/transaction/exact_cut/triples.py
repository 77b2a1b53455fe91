"""Clauses of all maximal rare triples of nodes. They are derived from tables, without another pass over the records."""

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from anonset.algorithms.transaction.exact_cut.clauses import Clauses
from anonset.algorithms.transaction.exact_cut.limits import SearchBudget
from anonset.algorithms.transaction.exact_cut.problem import CutProblem, Nodes, entries
from anonset.algorithms.transaction.rare_sets.rare_tables import RareTables
from anonset.data.array_types import Int32, Int64
from anonset.data.distinct import distinct, positions
from anonset.data.redacted_repr import RedactedRepr
from anonset.data.storage.store import Store
from anonset.errors import TooLargeError

if TYPE_CHECKING:
    from anonset_kernels.rare_sets._planes import RareBits

BYTES_OF_BITS = 1 << 29
"""Maximum size of the bit table of rare triples (512 MiB, or about 2,900 nodes)."""
BYTES_IN_MEMORY = 1 << 26
"""Maximum size of the bit table in memory. Larger tables are in a file, even if the records are in memory."""
SIZE = 3
LEAST_NODES = 64
"""Minimum number of nodes for which nodes are closed before counting. Tables of fewer nodes are cheap."""
MAX_LISTED = 1 << 27
"""Maximum number of clauses. A clause needs 28 bytes, and another 28 bytes during construction."""
KEYS_PER_CALL, KEYS_AT_ONCE, SPANS = 1 << 16, 1 << 22, 64


@dataclass(frozen=True, eq=False)
class RareTriples(RedactedRepr):
    """Rare triples of the nodes on or above closed nodes, without nodes that are rare by themselves.

    Cost: as few passes over the records as memory permits (`rare_tables`).
    """

    problem: CutProblem
    closed: Nodes
    limits: SearchBudget

    @cached_property
    def nodes(self) -> Int32:
        """Nodes by descending support, then in preorder, int32 (C,)."""
        return self.problem.frequent(self.closed, self.problem.support)

    def clauses(self) -> Clauses | None:
        """Return the distinct clauses of all maximal rare triples.

        Return None if the bit table or the clauses exceed their limits, or counting would need more than the
        remaining steps.

        Raises
        ------
        LimitReached
            If no time remains.
        """
        if len(self.nodes) < SIZE:
            return Clauses.of_parents(self.problem, np.empty((0, SIZE), np.int32))
        from anonset_kernels.rare_sets._planes import row_starts

        n_codes, store = len(self.nodes), self.problem.blocks.store
        start = row_starts(n_codes, SIZE, (n_codes + 63) // 64)
        if 8 * start[-1] > BYTES_OF_BITS:
            return None
        with store.nested_on_disk() if 8 * start[-1] > BYTES_IN_MEMORY else store.nested() as place:
            rare = self._rare(start, place)
            parents = None if rare is None else self._parents(rare)
            return None if parents is None else Clauses.of_parents(self.problem, parents)

    def _rare(self, start: Int64, place: Store) -> "RareBits | None":
        """Return the bit table of the triples in a store, with rows at `start`. None if a limit is exceeded."""
        from anonset_kernels.rare_sets._planes import RareBits
        from anonset_kernels.rare_sets.rare_in_planes import mark_rare_triples

        problem, n_codes = self.problem, len(self.nodes)
        tables = RareTables(
            rows=problem.blocks.rows,
            store=problem.blocks.store,
            hierarchy=problem.hierarchy,
            image=entries(problem.hierarchy, self.closed),
            nodes=self.nodes,
            size=SIZE,
            k=problem.k,
            progress=lambda *_: self.limits.check(),
            max_increments=self.limits.sets_in_tables,
        )
        rare = RareBits(start, place.array("rare", np.uint64, int(start[-1])))
        try:
            for number, table in enumerate(tables.of_all()):
                if not number:
                    self.limits.count_in_tables(table.increments)
                mark_rare_triples(table.planes, n_codes - len(table.node_of_code), rare)
        except TooLargeError:
            return None
        return rare

    def _parents(self, rare: "RareBits") -> Int32 | None:
        """Return the distinct parents of the members of maximal triples, int32 (n, 3), from left to right.

        Return None if there are more than `MAX_LISTED` results.
        """
        bounds = np.unique(np.linspace(0, len(self.nodes), SPANS + 1).astype(np.int64)).tolist()
        collected, waiting = np.empty(0, np.int64), list[Int64]()
        for keys in self.problem.blocks.store.with_local_workers().map(
            lambda span: self._keys(rare, *span), pairwise(bounds)
        ):
            waiting.append(keys)
            if sum(map(len, waiting)) > max(KEYS_AT_ONCE, len(collected)):
                collected, waiting = distinct(np.concatenate([collected, *waiting])), []
            if len(collected) > MAX_LISTED:
                return None
        return self._of_keys(distinct(np.concatenate([collected, *waiting])))

    def _keys(self, rare: "RareBits", first: int, end: int) -> Int64:
        """Return the distinct keys of the parents of maximal triples whose second code is at least `first` and below
        `end`.
        """
        from anonset_kernels.exact_cut.rare_triples import maximal_triples

        code = positions(self.nodes, self.problem.hierarchy.n_nodes)
        keys, position, parts = (
            np.empty(max(KEYS_PER_CALL, len(code)), np.int64),
            (first, first + 1),
            [np.empty(0, np.int64)],
        )
        while position[0] < end:
            n_found, *row = maximal_triples(rare, self.nodes, code, self.problem.tree, (*position, end), keys)
            position = row[0], row[1]
            parts.append(distinct(keys[:n_found]))
            self.limits.check()
        return distinct(np.concatenate(parts))

    def _of_keys(self, keys: Int64) -> Int32:
        base, nodes = len(self.nodes) + 1, np.concatenate([np.zeros(1, np.int32), self.nodes])
        parents = np.empty((len(keys), SIZE), np.int32)
        for place in range(SIZE):
            parents[:, place] = nodes[keys // base ** (SIZE - 1 - place) % base]
        return parents
