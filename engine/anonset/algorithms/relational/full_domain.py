"""Full-domain recoding with the least loss. Incognito (LeFevre, DeWitt, Ramakrishnan, SIGMOD 2005) solves the same
problem.

A vector contains the generalization level of each column. Search of the lattice of vectors::

    visit the vectors by a lower bound of their loss,            FullDomain._search
    until the bound exceeds the best loss
    a vector finer than a failing vector fails as well           FullDomain._climb
"""

from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np

from anonset.algorithms.base import Traits
from anonset.algorithms.clusters import renumber_clusters
from anonset.algorithms.parameters import Count
from anonset.algorithms.relational.base import OF_CLASSES, NodeFormation, Solution
from anonset.algorithms.relational.generalized_tuples import loss_keys
from anonset.algorithms.relational.levels import Classes, Levels, Vector, tuple_rule
from anonset.data.array_types import Bools, Int32, Int64
from anonset.data.progress import Progress
from anonset.data.quasi_identifiers import QuasiIdentifiers
from anonset.errors import InfeasibleError, InputError
from anonset.privacy import require_share
from anonset.spelling import setting


@dataclass(frozen=True, kw_only=True)
class FullDomain(NodeFormation):
    """Find the full-domain recoding with the least loss. It publishes each column at the same level in all records.

    A level is a column of the hierarchy file. A node with a single child is published as this child, which protects
    equally.

    Guarantees k-anonymity. If there is a sensitive column, it also guarantees l-diversity or t-closeness. The result
    has the least loss (NCP) of all valid vectors of levels. Ties are resolved by lexicographic order. At most the share
    `max_suppressed_records` of the records may be suppressed. Suppressed records are published with the root of each
    column. They must form a valid class.
    Cost: O(T v) per visited vector for T distinct tuples.

    References: LeFevre, DeWitt, Ramakrishnan, SIGMOD 2005 (Incognito). Incognito returns all valid vectors. This class
    returns the best valid vector.
    Deviations: vectors are visited by a lower bound of their loss. A column without a hierarchy has two levels, single
    values and the set of all values.

    >>> from anonset.data import Table
    >>> table = Table.from_columns(sex=["f", "m", "f", "m"], race=["1", "2", "1", "1"])
    >>> FullDomain(k=2).recode(table, {}).recoding.relational[1].labels
    ('(1,2)', '(1,2)')
    """

    name: ClassVar[str] = "full-domain"
    traits: ClassVar[Traits] = Traits(memory_factor=1.0, tight=True, answers=OF_CLASSES)

    max_suppressed_records: Annotated[
        float, "Maximum share of the records that may be suppressed, in [0, 1].", require_share
    ] = 0.0
    max_vectors: Annotated[Count, "Maximum number of combinations of levels (vectors)."] = 1_000_000

    def form(self, qi: QuasiIdentifiers, progress: Progress | None = None) -> Int32:
        """Return the class of each record, int32 (n,). Classes are numbered by first record.

        Raises
        ------
        InputError
            If there are more than `max_vectors` vectors.
        """
        return self._solve(qi, progress)[0]

    def solve_by_nodes(self, qi: QuasiIdentifiers, progress: Progress | None) -> Solution:
        """Return the classes with the values of their levels."""
        cluster, vector, suppressed = self._solve(qi, progress)
        levels = Levels.of(qi)
        vectors = [vector] * (int(cluster.max(initial=-1)) + 1)
        if suppressed.any():
            vectors[int(cluster[suppressed][0])] = levels.heights
        figures = {"suppressed": float(np.count_nonzero(suppressed))}
        return Solution(cluster, levels.generalize(cluster, vectors), figures)

    def _solve(self, qi: QuasiIdentifiers, progress: Progress | None) -> tuple[Int32, Vector, Bools]:
        levels = Levels.of(qi)
        require_few_vectors(self.name, levels, self.max_vectors)
        weight = np.bincount(qi.tuple_of, minlength=qi.n_tuples).astype(np.int64)
        counted, k = Classes(weight, tuple_rule(qi)), self.k
        vector = self._search(levels, counted, qi.n, progress) if qi.n else levels.heights
        counted.count(levels.ids, levels.costs, levels.rows(vector), k)
        of = counted.class_of
        of = np.where(counted.failed.astype(np.bool_)[of], -1, of) if len(of) else of
        of_record = of[qi.tuple_of]
        return renumber_clusters(of_record)[0], vector, of_record < 0

    def _search(self, levels: Levels, counted: Classes, n: int, progress: Progress | None) -> Vector:
        """Return the vector with the least loss. Ties are resolved by lexicographic order."""
        vectors, budget = levels.allowed(), int(self.max_suppressed_records * n)
        row_loss = (levels.costs * counted.weight).sum(axis=1)
        least = row_loss[levels.first[:-1] + vectors].sum(axis=1)
        root = float(sum(levels.costs[end - 1].max(initial=0.0) for end in levels.first[1:].tolist()))
        failed = np.zeros(len(vectors), bool)
        hereditary = not budget or levels.qi.rule is None or levels.qi.rule.hereditary
        best, best_key = -1, np.inf
        for done, number in enumerate(np.lexsort((np.arange(len(vectors)), loss_keys(least / n))).tolist()):
            if loss_keys(least[number : number + 1] / n)[0] > best_key:
                break
            if failed[number]:
                continue
            vector = tuple(vectors[number].tolist())
            _, small, loss = counted.count(levels.ids, levels.costs, levels.rows(vector), self.k)
            if small > budget:
                if not hereditary:  # a coarser vector may join failing classes with others, or fail in more classes
                    continue
                self._climb(levels, counted, vectors, failed, number, budget)
            elif small == 0 or (small >= self.k and not counted.together_fail()):
                key = loss_keys(np.array([(loss + small * root) / n]))[0]
                if key < best_key or (key == best_key and number < best):
                    best, best_key = number, key
            if progress is not None and done % 256 == 0:
                progress("vectors", float(done), float(len(vectors)))
        if best < 0:  # only possible if a column limits its generalization (see `bind_tuples`)
            msg = f"no combination of levels below the ceilings satisfies {self.model}"
            raise InfeasibleError(self.name, msg)
        return tuple(vectors[best].tolist())

    def _climb(self, levels: Levels, counted: Classes, vectors: Int64, failed: Bools, number: int, budget: int) -> None:
        """Search for a coarser vector that also fails. All finer vectors then need no check.

        Each step moves halfway to the coarsest vector.
        """
        vector = vectors[number]
        top = np.array(levels.heights)
        failing = vector
        for _ in range(int(top.sum()).bit_length()):
            higher = failing + (top - failing) // 2
            if (higher == failing).all():
                break
            rows = levels.rows(tuple(higher.tolist()))
            if counted.count(levels.ids, levels.costs, rows, self.k)[1] <= budget:
                break
            failing = higher
        failed |= (vectors <= failing).all(axis=1)


def require_few_vectors(name: str, levels: Levels, most: int) -> None:
    """Reject a lattice above the size limit.

    Raises
    ------
    InputError
        The message contains the number of vectors.
    """
    if levels.n_vectors > most:
        more = setting("max_vectors", option="max_work")
        raise InputError(
            f"{name}: the columns must have at most {most:,} vectors of levels, got {levels.n_vectors:,}; use "
            f"hierarchies with fewer levels, the formations cluster or mondrian, or a larger {more}"
        )
