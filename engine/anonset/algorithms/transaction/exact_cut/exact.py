"""Exact k^m cut, which is the hierarchy cut of minimum loss with or without suppression, and a proof of optimality."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Annotated, ClassVar

import numpy as np

from anonset.algorithms.base import Result, Traits
from anonset.algorithms.parameters import Count
from anonset.algorithms.transaction.base import KmAlgorithm, bind_to_hierarchy, require_feasible
from anonset.algorithms.transaction.cluster_mappings import ClusterSearch
from anonset.algorithms.transaction.cuts.apriori import Apriori
from anonset.algorithms.transaction.exact_cut.limits import LimitReached, SearchBudget
from anonset.algorithms.transaction.exact_cut.problem import CutProblem
from anonset.algorithms.transaction.exact_cut.search import PROVEN, ExactSearch
from anonset.algorithms.transaction.rare_sets.rare_tables import ADDITIONAL_BYTES, LARGE
from anonset.data import Hierarchy, SetColumn, Table
from anonset.data.blocks import Blocks
from anonset.data.progress import Progress
from anonset.data.storage.store import MEMORY, Store
from anonset.errors import InputError, TooLargeError
from anonset.generalization import Cut
from anonset.generalization.recoding import SUPPRESSED
from anonset.measures.losses.ncp import ncp_numerator
from anonset.spelling import counted, setting

MAX_AT_ONCE = 1 << 28
"""Maximum number of item occurrences that mHgHs processes in memory (1 GiB)."""


@dataclass(frozen=True, kw_only=True)
class Exact(KmAlgorithm):
    """Find the k^m-anonymous cut of minimum NCP, and prove a lower bound of the loss of any cut.

    Guarantees k^m-anonymity. No cut of the hierarchy has a loss below the figure `lower_bound`. Unless a limit is
    reached, the loss and this bound differ by at most 1e-9, or by at most `gap`. Without suppression, the search starts
    from the result of AA. With suppression, it starts from the result of mHgHs. The loss is never higher than the loss
    at the start.
    Cost: a few linear programs over the inner nodes that may be published, and passes over the records. The passes
    count rare pairs and larger rare sets.

    References: the method is unpublished. HiGHS solves a covering problem over rare sets (see `exact_cut.problem`). The
    cut has the same loss as the cut of OA (Terrovitis, Mamoulis, Kalnis, VLDB 2008, Algorithm 2), which enumerates
    cuts. If several cuts are optimal, the result depends on the version of the solver. Local recodings may lose less
    than any cut.

    >>> from anonset.data import Hierarchy, Table
    >>> hierarchy = Hierarchy.from_tree(("ALL", [("A", ["a1", "a2"]), ("B", ["b1", "b2"])]))
    >>> table = Table.from_sets([["a1", "b1", "b2"], ["a2", "b1"], ["a2", "b1", "b2"], ["a1", "a2", "b2"]])
    >>> result = Exact(k=2, m=2).recode(table, {"items": hierarchy})
    >>> result.recoding.labels, result.figures["gap"]
    (['A', 'b1', 'b2'], 0.0)
    """

    name: ClassVar[str] = "exact"
    traits: ClassVar[Traits] = Traits(
        memory_factor=1.2,
        by_blocks=True,
        on_workers=True,
        coarsens=True,
        keeps_more=True,
        answers=("km",),
    )

    suppress: Annotated[
        bool | None,
        "True to allow suppression. A suppressed item has the same cost as the root. None to allow suppression only "
        "if all items would otherwise be published as a single symbol.",
    ] = False
    gap: Annotated[float, "Relative difference between the loss and its proven minimum at which the search stops."] = (
        0.0
    )
    time_limit: Annotated[
        float | None,
        "Time limit in seconds. At the limit, the best known cut is published. The result then depends on the machine.",
    ] = None
    max_steps: Annotated[
        Count,
        "Maximum number of steps. A linear program takes ten steps, and a check of branch and bound at most one. "
        "Counting 2 * 10^7 sets, or two sets for each record if there are more than 10^7 records, takes one step.",
    ] = 1_000

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 <= self.gap < 1:
            raise InputError(f"gap must be at least 0 and below 1, got {self.gap}")
        if self.time_limit is not None and not self.time_limit > 0:
            raise InputError(f"time_limit must be above 0 seconds, got {self.time_limit}")

    @property
    def own_traits(self) -> Traits:
        """Traits that include the memory of tables of large node sets."""
        return replace(self.traits, memory_beside=ADDITIONAL_BYTES) if self.m >= LARGE else self.traits

    def recode(self, table: Table, hierarchies: Mapping[str, Hierarchy], *, progress: Progress | None = None) -> Result:
        """Find the cut. `Result.trace` contains the linear and integer programs that were solved.

        Raises
        ------
        InfeasibleError
            If the number of non-empty records is between 1 and k - 1, and suppression is not allowed.
        InputError
            If the column or the hierarchy is missing.
        """
        column, hierarchy = bind_to_hierarchy(table, hierarchies)
        return self.search(Blocks.of(column, table.store), hierarchy, progress=progress)

    def search(self, blocks: Blocks, hierarchy: Hierarchy, *, progress: Progress | None = None) -> Result:
        """Find the cut for records in blocks, whose item codes are leaf positions. Block sizes do not affect the
        result.

        If the hierarchy has a rival hierarchy, both hierarchies are searched, each with all steps and half of the time.
        The cut with the smaller NCP is returned. If both cuts have the same NCP, the cut of the main hierarchy is
        returned. Without suppression, pairs and triples are counted block by block. If m is 4 or more, or triples
        exceed their limit, at most k copies of each distinct record are stored.

        Raises
        ------
        InfeasibleError
            See `recode`.
        """
        if not self.suppress:
            require_feasible(self.name, blocks, self.k)
        if (rival := hierarchy.rival) is None:
            return self._of_tree(blocks, hierarchy, self.time_limit, progress)
        seconds = None if self.time_limit is None else self.time_limit / 2
        results = [self._of_tree(blocks, tree, seconds, progress) for tree in (hierarchy, rival)]
        costs = [ncp_numerator(blocks, result.recoding) for result in results if isinstance(result.recoding, Cut)]
        ncp_of_trees = {f"ncp_of_tree_{number}": result.figures["ncp"] for number, result in enumerate(results, 1)}
        better = int(costs[1] < costs[0])
        return replace(results[better], figures={**results[better].figures, **ncp_of_trees, "tree": float(better + 1)})

    def _of_tree(
        self,
        blocks: Blocks,
        hierarchy: Hierarchy,
        seconds: float | None,
        progress: Progress | None,
    ) -> Result:
        """Find the cut of one hierarchy.

        With `suppress=None`, suppression is allowed only if a single symbol would remain without suppression.
        """
        limits = SearchBudget(seconds, self.max_steps, blocks.n)
        problem = CutProblem(blocks, hierarchy, self.k, self.m, bool(self.suppress))
        result = self._solved(problem, limits, progress)
        if self.suppress is None and _publishes_one_symbol(problem, result):
            problem, limits.steps = replace(problem, suppress=True), self.max_steps
            other = self._solved(problem, limits, progress)
            if not _publishes_one_symbol(problem, other):
                return replace(other, notes=(_suppressed_unasked(other), *other.notes))
        return result

    def on_clusters(
        self, column: SetColumn, hierarchy: Hierarchy | None = None, store: Store = MEMORY
    ) -> ClusterSearch:
        """Return a search that anonymizes each cluster of a column's records separately."""
        from anonset.algorithms.transaction.cluster_mappings import SearchEach
        from anonset.algorithms.transaction.cuts.apriori_on_clusters import AprioriOnClusters
        from anonset.algorithms.transaction.exact_cut.exact_on_clusters import ExactOnClusters

        full = SearchEach(self, column, hierarchy)
        if hierarchy is None or self.suppress is not False:
            return full
        large = SearchEach(Apriori(k=self.k, m=self.m), column, hierarchy)
        return ExactOnClusters(AprioriOnClusters(self.k, self.m, column, hierarchy, large, store), full)

    def coarsen(self, column: SetColumn, start: Cut, *, store: Store, progress: Progress | None = None) -> Result:
        """Find the cut of minimum loss at or above `start`, without suppression.

        Raises
        ------
        InfeasibleError
            If the number of non-empty records is between 1 and k - 1.
        """
        require_feasible(self.name, column, self.k)
        problem = CutProblem(Blocks.of(column, store), start.hierarchy, self.k, self.m, False, start)
        return self._solved(problem, SearchBudget(self.time_limit, self.max_steps, problem.blocks.n), progress)

    def _solved(self, problem: CutProblem, limits: SearchBudget, progress: Progress | None) -> Result:
        blocks, hierarchy = problem.blocks, problem.hierarchy
        if 0 < blocks.n_nonempty < self.k:
            return _result(problem, _suppressed(problem))
        if self.k == 1 or blocks.n_nonempty == 0 or hierarchy.n_leaves == 1:
            return _result(problem, Cut(hierarchy, problem.finest))
        start = self._best_heuristic(problem, limits, progress)
        search = ExactSearch(problem, start, limits, gap=self.gap, progress=progress)
        search.run()
        in_vain = problem.suppress and hierarchy.capped and bool((search.best.image == 0).any())
        return _result(problem, _suppressed(problem) if in_vain else search.best, search)

    def _best_heuristic(self, problem: CutProblem, limits: SearchBudget, progress: Progress | None) -> Cut:
        hierarchy, tell = problem.hierarchy, limits.stop_after_limit(progress)
        root = Cut(hierarchy, np.zeros(hierarchy.n_leaves, np.int32))
        cuts = [_suppressed(problem) if problem.suppress else root]
        with suppress(TooLargeError, LimitReached):
            cuts.append(self._heuristic(problem, tell))
        if problem.suppress:
            plain = replace(problem, suppress=False)
            search = ExactSearch(plain, root, limits.share(0.5), gap=self.gap, progress=progress)
            search.run()
            cuts.append(search.best)
        return min(map(problem.without_needless_nodes, cuts), key=problem.rank)

    def _heuristic(self, problem: CutProblem, progress: Progress) -> Cut:
        """Return the cut of AA or, with suppression, the cut of mHgHs, which needs all records in memory.

        Raises
        ------
        TooLargeError
            If the data exceed a limit of the heuristic or the number of items in memory.
        """
        from anonset.algorithms.transaction.suppression.mhghs import MHgHs

        blocks, hierarchy = problem.blocks, problem.hierarchy
        if not problem.suppress:
            apriori, start = Apriori(k=self.k, m=self.m), problem.start
            return apriori.run_apriori(blocks, hierarchy, start=start, progress=progress).cut
        if int(blocks.occurrences.sum()) > MAX_AT_ONCE:
            raise TooLargeError(f"mHgHs supports at most {MAX_AT_ONCE:,} item occurrences")
        table, mhghs = Table(blocks.column, store=blocks.store.with_local_workers()), MHgHs(k=self.k, m=self.m)
        recoding = mhghs.recode(table, {blocks.name: hierarchy}, progress=progress).recoding
        return recoding if isinstance(recoding, Cut) else _suppressed(problem)


def _suppressed(problem: CutProblem) -> Cut:
    occurs = problem.blocks.occurrences > 0
    return Cut(problem.hierarchy, np.where(occurs, SUPPRESSED, problem.hierarchy.leaf_node).astype(np.int32))


def _publishes_one_symbol(problem: CutProblem, result: Result) -> bool:
    occurring = problem.blocks.occurrences > 0
    shown = np.unique(result.recoding.image[occurring]) if isinstance(result.recoding, Cut) else occurring
    return bool(np.count_nonzero(occurring) > 1 and np.count_nonzero(shown != SUPPRESSED) <= 1)


def _suppressed_unasked(result: Result) -> str:
    n = np.count_nonzero(result.recoding.image == SUPPRESSED) if isinstance(result.recoding, Cut) else 0
    as_by = setting("suppress", True)
    return f"{counted(n, 'item')} suppressed as with {as_by}, because all items would otherwise be a single symbol"


def _result(problem: CutProblem, cut: Cut, search: ExactSearch | None = None) -> Result:
    """Return a result with statistics of the search. Without a search, the cut must be the only possible cut."""
    cost, total = problem.cost(cut), problem.total
    if search is None:
        figures = {"ncp": cost / total, "lower_bound": cost / total, "gap": 0.0}
        return Result(cut, (), figures | {"suppression": float(problem.suppress)})
    proven = search.cost - search.bound <= PROVEN * search.cost
    figures = {
        "ncp": cost / total,
        "lower_bound": search.bound / total,
        "gap": 0.0 if proven else (search.cost - search.bound) / search.cost,
        "suppression": float(problem.suppress),
        "clauses": float(search.clauses),
        "closed": float(np.count_nonzero(search.closed)),
        "rounds": float(len(search.steps)),
        "nodes": float(search.nodes),
    }
    return Result(cut, tuple(search.steps), figures, search.notes)
